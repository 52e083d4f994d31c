"""Forces at the wheels as arrows in W, from the readout. No OpenGL here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.view.shot import rotation
from simulator.view.terrain_data import TerrainData

TIRE, SPRING = (230, 70, 45), (90, 150, 255)
"""sRGB colors of the forces of the ground on the tires, and of springs and stops on the body."""
USUAL_LENGTH = 0.45
"""m. Length of the arrow of the mean load of the wheels, about."""
SMALLEST = 0.02
"""m. Length below which an arrow is left out."""


class Arrow(NamedTuple):
    """Force that acts at a point."""

    start: NDArray[np.float64]
    """(3,) point in W [m]"""
    force: NDArray[np.float64]
    """(3,) force in W [N]"""
    color: tuple[int, int, int]


def force_arrows(state: Record, geometry: Mapping[str, Any], terrain: TerrainData) -> list[Arrow]:
    """Return the forces of the ground on the tires, and those of the springs on the body, of a state; a log may lack some of them."""
    s, R_WB = state[0], rotation(state[0]["q_WB"])
    lower, upper = s["spring_lower_B"], geometry["spring_upper_B"]
    along = (upper - lower) / np.maximum(np.linalg.norm(upper - lower, axis=1, keepdims=True), 1e-9)
    out = []
    for k in range(len(s["p_WC"])):
        out.append(Arrow(s["p_WC"][k].copy(), axes_of_contact(terrain, s["p_WC"][k], R_WB @ s["R_BK"][k, :, 1]) @ s["F_C"][k], TIRE))
        out.append(Arrow(s["p_WB"] + R_WB @ upper[k], R_WB @ along[k] * s["spring_force"][k], SPRING))
    return [one for one in out if np.isfinite(one.start).all() and np.isfinite(one.force).all()]


def axes_of_contact(terrain: TerrainData, p_WC: NDArray[np.float64], axle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the axes (3, 3) of the contact frame C in W, for the axle of the wheel in W, + = left."""
    if not np.isfinite(p_WC).all():
        return np.eye(3)
    x, y, step = float(p_WC[0]), float(p_WC[1]), 0.2
    fall = [terrain.height(x + dx, y + dy) - terrain.height(x - dx, y - dy) for dx, dy in ((step, 0.0), (0.0, step))]
    z = np.array([-fall[0], -fall[1], 2.0 * step])
    z /= np.linalg.norm(z)
    ahead = np.cross(axle, z)
    ahead /= max(float(np.linalg.norm(ahead)), 1e-9)
    return np.column_stack((ahead, np.cross(z, ahead), z))


def scale_of(arrows: list[Arrow]) -> float:
    """Return a round scale [N/m]: 1, 2 or 5 times a power of ten, about USUAL_LENGTH for the mean load of a wheel; 0 without load."""
    loads = [float(one.force[2]) for one in arrows if one.color == TIRE]
    wanted = float(np.mean(loads)) / USUAL_LENGTH if loads else 0.0
    if wanted < 100.0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return min((1.0, 2.0, 5.0, 10.0), key=lambda one: abs(math.log(wanted / (one * power)))) * power


def arrow_bars(arrows: list[Arrow], scale: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return shafts and heads (n, 11) of arrows for the shader `link`: first end, radius, second end, radius of the head, color."""
    long = [one for one in arrows if np.linalg.norm(one.force) > SMALLEST * scale]
    shafts, heads = np.zeros((len(long), 11), np.float32), np.zeros((len(long), 11), np.float32)
    for k, one in enumerate(long):
        tip, unit = one.start + one.force / scale, one.force / np.linalg.norm(one.force)
        length = float(np.linalg.norm(one.force)) / scale
        neck = tip - min(0.11, 0.6 * length) * unit
        shafts[k, :3], shafts[k, 3], shafts[k, 4:7] = one.start, 0.014, neck
        heads[k, :3], heads[k, 3], heads[k, 4:7], heads[k, 7] = neck, 0.001, tip, 0.042
        shafts[k, 8:] = heads[k, 8:] = np.divide(one.color, 255.0)
    return shafts, heads
