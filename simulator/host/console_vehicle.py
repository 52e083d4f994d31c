"""Vehicle that drives, as the window draws it, for the 3-D view of the console: body, panes and wheels as meshes."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.builder.builder import view_geometry
from simulator.view.bodies.kinds import body_of
from simulator.view.vehicle_geometry import checked_geometry
from vehicles.vehicle import Vehicle

UNIT = 1e-3
"""m. Resolution of the positions; 16 bits reach 32 m."""
VERTEX = np.dtype([("position", "<i2", 3), ("normal", "i1", 3), ("color", "u1", 3)])
"""Vertex of a mesh for the page: position in UNIT, unit normal times 127, sRGB color."""


def drawn_vehicle(vehicle: Vehicle) -> dict[str, Any]:
    """Return the drawn vehicle in JSON types: dimensions [m] in B, meshes, and the wheels.

    The mesh of a wheel is that of the first one on the left side. `scale`: of radius and width, for the other wheels.
    """
    geometry = checked_geometry(view_geometry(vehicle))
    body = body_of(geometry)
    radius, width, z = geometry["tire_radius"], geometry["tire_width"], geometry["wheel_z"]
    return {
        "length": float(geometry["outline"][0]),
        "unit": UNIT,
        "low": float(np.min(z - radius)),
        "solid": _text(np.vstack((body.shell, body.fittings, body.frame))),
        "glass": _text(body.glass),
        "wheel": _text(body.wheel(float(radius[0]), float(width[0]))),
        "wheels": [
            {"name": name, "scale": [float(radius[k] / radius[0]), float(width[k] / width[0])]}
            for k, name in enumerate(vehicle.corner_names)
        ],
    }


def _text(mesh: Array) -> str:
    """Return a mesh (n, 10), see `simulator.view.meshes`, as VERTEX records in base 64."""
    out = np.zeros(len(mesh), VERTEX)
    out["position"] = np.clip(np.rint(mesh[:, :3] / UNIT), -32768, 32767)
    out["normal"], out["color"] = np.rint(127.0 * mesh[:, 3:6]), np.rint(255.0 * mesh[:, 6:9])
    return base64.b64encode(out.tobytes()).decode()
