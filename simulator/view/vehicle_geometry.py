"""Where the suspension links are: fixed points of the chassis and points of a state, made into bars to draw. No OpenGL here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.axles import WHEELS

GEOMETRY = (
    # name               shape    what it is
    ("lca_front_B", (WHEELS, 3), "front bush of the lower arm"),
    ("lca_rear_B", (WHEELS, 3), "rear bush of the lower arm"),
    ("uca_front_B", (WHEELS, 3), "front bush of the upper arm"),
    ("uca_rear_B", (WHEELS, 3), "rear bush of the upper arm"),
    ("shock_upper_B", (WHEELS, 3), "upper end of the shock absorber"),
    ("spring_upper_B", (WHEELS, 3), "upper end of the spring"),
    ("tire_radius", (WHEELS,), "unloaded radii of the tires"),
    ("tire_width", (WHEELS,), "widths of the tires"),
    ("p_BH", (3,), "driver's head"),
)
"""Points fixed to the chassis, m, in B; corners from the front, left before right."""

LOWER, UPPER, ROD, HUB, COIL, DAMPER, PISTON, SHAFT = (
    (54, 110, 168), (66, 150, 140), (206, 152, 50), (140, 142, 146), (214, 66, 48), (70, 74, 84), (190, 194, 200), (112, 112, 116)
)  # fmt: skip


def checked_geometry(geometry: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    """The rows of `GEOMETRY` as float arrays. Raises ConfigError when one is missing or misshapen."""
    out, wheels = {}, np.shape(geometry.get("tire_radius", ()))
    for name, usual, meaning in GEOMETRY:
        shape = tuple(wheels[0] if n is WHEELS and wheels else int(n) for n in usual)
        if name not in geometry:
            raise ConfigError("vehicle geometry of the view", name, "nothing", f"an array of shape {shape}: {meaning}")
        value = np.asarray(geometry[name], float)
        if value.shape != shape or not np.isfinite(value).all():
            raise ConfigError("vehicle geometry of the view", name, value.tolist(), f"finite numbers of shape {shape}: {meaning}")
        out[name] = value
    return out


def bars(geometry: Mapping[str, NDArray[np.float64]], state: Record) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Bars (n, 11) and springs (wheels, 11) to draw: [first end (3), radius, second end (3), radius of the helix, sRGB (3)], all in B.

    state: record with the fields of `READOUT`.
    """
    s, g = state[0], geometry
    lower, upper = s["lower_ball_B"], s["upper_ball_B"]
    hub, R = s["p_BK"], s["R_BK"]
    out = R[:, :, 1] * np.where(hub[:, 1:2] < 0.0, -1.0, 1.0)
    inboard = hub - 0.13 * out
    shock_low, shock_high = s["shock_lower_B"], g["shock_upper_B"]
    along = (shock_high - shock_low) / np.maximum(np.linalg.norm(shock_high - shock_low, axis=1, keepdims=True), 1e-9)
    diff = np.column_stack((0.97 * hub[:, 0], np.sign(hub[:, 1]) * 0.20, np.full(len(hub), 0.12)))
    parts = (
        (g["lca_front_B"], lower, 0.026, LOWER), (g["lca_rear_B"], lower, 0.026, LOWER), (g["lca_front_B"], g["lca_rear_B"], 0.020, LOWER),
        (g["uca_front_B"], upper, 0.018, UPPER), (g["uca_rear_B"], upper, 0.018, UPPER), (g["uca_front_B"], g["uca_rear_B"], 0.014, UPPER),
        (lower, upper, 0.034, HUB), (lower, lower, 0.042, HUB), (upper, upper, 0.036, HUB), (inboard, hub, 0.075, HUB),
        (s["tierod_inner_B"], s["tierod_outer_B"], 0.015, ROD), (s["tierod_outer_B"], s["tierod_outer_B"], 0.026, ROD),
        (s["tierod_inner_B"], s["tierod_inner_B"], 0.026, ROD), (s["tierod_outer_B"], 0.5 * (lower + inboard), 0.020, HUB),
        (shock_low, shock_low + 0.20 * along, 0.034, DAMPER), (shock_low, shock_high, 0.014, PISTON), (shock_high, shock_high, 0.030, DAMPER),
        (diff, inboard, 0.022, SHAFT), (0.5 * (g["lca_front_B"] + g["lca_rear_B"]), s["spring_lower_B"], 0.030, LOWER),
        (s["spring_lower_B"], 0.5 * (lower + s["spring_lower_B"]), 0.030, LOWER),
    )  # fmt: skip
    rods = np.empty((len(parts), len(hub), 11), np.float32)
    for k, (start, end, radius, color) in enumerate(parts):
        rods[k, :, :3], rods[k, :, 3], rods[k, :, 4:7], rods[k, :, 7], rods[k, :, 8:] = start, radius, end, 0.0, np.divide(color, 255.0)
    link = np.empty((1, 11), np.float32)
    link[0, :3], link[0, 3], link[0, 4:7], link[0, 7] = s["tierod_inner_B"][0], 0.018, s["tierod_inner_B"][1], 0.0
    link[0, 8:] = np.divide(ROD, 255.0)
    springs = np.empty((len(hub), 11), np.float32)
    springs[:, :3], springs[:, 3], springs[:, 4:7], springs[:, 7] = s["spring_lower_B"], 0.012, g["spring_upper_B"], 0.068
    springs[:, 8:] = np.divide(COIL, 255.0)
    return np.vstack((rods.reshape(-1, 11), link)), springs
