"""Geometry constants of a five-link corner from its hardpoints and bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from vehicles.suspension.five_link.design_points import FiveLinkPoints
from vehicles.suspension.five_link.kinematics import BODIES, FOUND, LANES, LINKS, find_position
from vehicles.suspension.wheel_carrier import carrier_with_wheel

SEARCH_RANGE = 0.4
"""m. Largest height in the search for the travel limits."""

SEARCH_STEP = 0.002
"""m. Step of the search."""

MAX_STEEPNESS = 10.0
"""rad/m, and m/m. Limit of the rotation or lateral motion of the carrier per height.

Beyond this value the end of the travel is near, where the derivatives grow without bound.
"""

MIN_SINE_TO_X = 0.1
"""Smallest sine of the angle between a link and the chassis' x, the first axis of its universal joint."""


def write_five_link(corners: Record, parameters: Record, i: int, corner: FiveLinkPoints) -> None:
    """Fill column i of a CORNERS record and of one of FIVE_LINKS.

    Raises
    ------
    ConfigError : a link lies along x or is not round, the wheel is not a rotor, the design position is singular
    """
    out, f = corners[0], parameters[0]
    f["anchor"][:, :, i] = corner.chassis_joints - corner.W
    f["joint"][:, :, i] = corner.carrier_joints - corner.W
    f["design_wheel"][:, i] = corner.W
    for n, name in enumerate(LINKS):
        _write_link(f, n, i, corner, name)
    spin, carrier = carrier_with_wheel(corner.bodies, corner.W, corner.axle, corner.file, corner.key)
    axle = corner.axle / np.linalg.norm(corner.axle)
    f["wheel_axis"][:, i] = axle
    f["carrier_com"][:, i] = carrier.p_BoBcm - corner.W
    I = carrier.I_BBcm
    f["carrier_inertia"][:, i] = I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]
    f["spring_body"][i], f["spring_end"][:, i] = corner.spring_on, _in_body_frame(corner, corner.spring_on, corner.S)
    f["shock_body"][i], f["shock_end"][:, i] = corner.shock_on, _in_body_frame(corner, corner.shock_on, corner.B)
    f["J"][:, i], f["U"][:, i] = corner.J, corner.U
    out["spin_inertia"][i] = spin
    for b, name in enumerate(BODIES):
        f["mass"][i, b // LANES, b % LANES] = carrier.mass if name == "carrier" else corner.bodies[name].mass
    out["corner_mass"][i] = f["mass"][i].sum()
    out["design_frame"][:, :, i] = np.eye(3)
    out["design_wheel_x"][i], out["design_wheel_z"][i] = corner.W[0], corner.W[2]
    f["travel"][:, i] = _travel(parameters, i, corner)
    out["travel"][:, i] = f["travel"][:, i]


def _write_link(f: Any, n: int, j: int, corner: FiveLinkPoints, name: str) -> None:
    d = corner.carrier_joints[n] - corner.chassis_joints[n]
    length = float(np.linalg.norm(d))
    along = d / length
    if np.hypot(along[1], along[2]) < MIN_SINE_TO_X:
        raise ConfigError(corner.file, corner.key, d.tolist(), f"a {name} that is not parallel to the chassis' x")
    body = corner.bodies[name]
    axial = float(along @ body.I_BBcm @ along)
    transverse = 0.5 * (float(np.trace(body.I_BBcm)) - axial)
    round_rod = transverse * np.eye(3) + (axial - transverse) * np.outer(along, along)
    if np.abs(body.I_BBcm - round_rod).max() > 1e-9 * max(transverse, 1e-6):
        raise ConfigError(corner.file, corner.key, body.I_BBcm.tolist(), f"a {name} with the inertia of a round rod")
    at = body.p_BoBcm - corner.chassis_joints[n]
    if np.linalg.norm(at - along * (at @ along)) > 1e-9:
        raise ConfigError(
            corner.file, corner.key, body.p_BoBcm.tolist(), f"a {name} with its center of mass on the line between its joints"
        )
    f["length"][n, j] = length
    b, lane = divmod(n, LANES)
    f["link_anchor"][j, b, :, lane] = corner.chassis_joints[n]
    f["per_length"][j, b, lane], f["rod_com"][j, b, lane] = 1.0 / length, at @ along
    f["rod_axial_inertia"][j, b, lane], f["rod_transverse_inertia"][j, b, lane] = axial, transverse


def link_axes(corner: FiveLinkPoints, n: int) -> Vector:
    """Return the (2, 3) axes of the universal joint of link n: the chassis' x, and the axis across both x and the link."""
    x = np.array([1.0, 0.0, 0.0])
    across = np.cross(corner.carrier_joints[n] - corner.chassis_joints[n], x)
    return np.stack([x, across / np.linalg.norm(across)])


def _in_body_frame(corner: FiveLinkPoints, body: int, point: Vector) -> Vector:
    """Return the coordinates of a point in the frame of a body in the design position."""
    if BODIES[body] == "carrier":
        return point - corner.W
    n = LINKS.index(BODIES[body])
    along = corner.carrier_joints[n] - corner.chassis_joints[n]
    x, y = along / np.linalg.norm(along), link_axes(corner, n)[1]
    return np.array([x, y, np.cross(x, y)]) @ (point - corner.chassis_joints[n])


def _travel(parameters: Record, j: int, corner: FiveLinkPoints) -> tuple[float, float]:
    """Return the smallest and largest height of the wheel center at which the links close.

    The search goes in steps from the design position.
    """
    f = parameters[0]
    ends = []
    for direction in (-1.0, 1.0):
        scratch, reached = record(FOUND), 0.0
        for height in direction * np.arange(SEARCH_STEP, SEARCH_RANGE + SEARCH_STEP, SEARCH_STEP):
            if not find_position(f, scratch[0], j, height) or steepness(scratch, j) > MAX_STEEPNESS:
                break
            reached = float(height)
        ends.append(reached)
    if ends[0] == 0.0 or ends[1] == 0.0:
        raise ConfigError(corner.file, corner.key, "links that lock", "links that let the wheel move up and down from the design position")
    return ends[0], ends[1]


def steepness(scratch: Record, j: int) -> float:
    """Return the largest derivative of the carrier's pose by its height."""
    return float(np.abs([scratch[0]["v"][:, j], scratch[0]["w"][:, j]]).max())
