"""Drawn bodies of vehicles, by the name in the vehicle file; each is scaled to its vehicle. No OpenGL here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.view.bodies.body_mesh import with_mesh
from simulator.view.bodies.contract import Body, Size


def size_of(geometry: Mapping[str, Any]) -> Size:
    """Return the size of a vehicle from the checked rows of `simulator.view.vehicle_geometry.GEOMETRY`."""
    length, width, overhang = (float(v) for v in geometry["outline"])
    x, z = np.asarray(geometry["wheel_x"], float), np.asarray(geometry["wheel_z"], float)
    front = float(x[0]) + overhang
    axles, driven = (
        tuple(sorted({round(float(place), 6) for place in places}, reverse=True)) for places in (x, x[np.asarray(geometry["driven"]) > 0.0])
    )
    radius = float(np.max(geometry["tire_radius"]))
    return Size(front, front - length, 0.5 * width, axles, driven, float(z.mean()), radius, np.asarray(geometry["p_BH"], float))


def body_of(geometry: Mapping[str, Any]) -> Body:
    """Return the drawn body of a vehicle."""
    from simulator.view.bodies.car import car
    from simulator.view.bodies.hmmwv import hmmwv
    from simulator.view.bodies.trailers import cargo_trailer, semitrailer, tractor

    name, size = str(geometry["drawn_as"]), size_of(geometry)
    made = {"hmmwv": hmmwv, "cargo_trailer": cargo_trailer, "semitrailer": semitrailer, "tractor": tractor}
    return with_mesh(made[name](size) if name in made else car(size, name), geometry)
