"""Build the tables of `vehicles.suspension.tables.pose_table` from the closed form of double wishbones.

The number of nodes follows from a tolerance.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.records import Record, dtype_of, record
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.contract import INPUTS, KINEMATICS
from vehicles.suspension.double_wishbone.kinematics import (
    BODIES,
    CARRIER,
    DOUBLE_WISHBONE_SCRATCH,
    LOWER_ARM,
    SHOCK_LOWER,
    SHOCK_UPPER,
    TIEROD,
    UPPER_ARM,
    UPRIGHT,
    double_wishbone_kinematics,
)
from vehicles.suspension.tables.pose_table import NODE, POSE, PoseTable, pose_over_both, pose_over_theta

Array = NDArray[Any]

MAX_CELLS = 1024
"""Largest number of intervals along one variable."""

ERROR_POSITIONS = (0.21, 0.5, 0.79)
"""Relative positions in an interval at which the error is evaluated."""

MAX_PROBED = 9
"""Largest number of intervals along each variable in which the error is evaluated."""


class CornerPoses:
    """Poses of the bodies of one corner in closed form.

    `parameters` is a record of DOUBLE_WISHBONES. Without `steering` (a STEERING record) the inner tie-rod joint stays at Q_design (3, 4).
    """

    def __init__(self, parameters: Record, Q_design: Array, corner: int, steering: Record | None = None) -> None:
        self.parameters, self.i, self.steering = parameters, corner, steering
        self.state, self.inputs, self.k = record(STEERING_STATE), record(INPUTS), record(DOUBLE_WISHBONE_SCRATCH)
        self.kinematics = record(KINEMATICS)
        self.inputs[0]["Q"] = Q_design

    def node(self, theta: float, angle: float = 0.0) -> Array:
        """Return NODE records (7,) of the bodies at an arm angle and a Pitman angle [rad]."""
        out = np.zeros(len(BODIES), dtype_of(NODE))
        k, i = self.k[0], self.i
        pure = self._motion(theta, angle, 1.0, 0.0)
        out["e"], out["R"] = k["c"][:, :, i], self._orientations(theta)
        out["d"], out["delta"] = k["u"][:, :, i], k["w"][:, :, i]
        if self.steering is not None:
            steer = self._motion(theta, angle, 0.0, 1.0)
            out["d_steer"], out["delta_steer"] = k["v_rel"][:, :, i], k["w_rel"][:, :, i]
            mixed = self._motion(theta, angle, 1.0, 1.0) - pure - steer
            out["d_both"] = 0.5 * mixed[0]
            # the mixed derivatives of the two angular velocities differ by their cross product
            out["delta_both"] = 0.5 * (mixed[1] + np.cross(out["delta_steer"], out["delta"]))
        return out

    def _motion(self, theta: float, angle: float, rate: float, angle_rate: float) -> Array:
        """Return (2, 7, 3): accelerations of the centers of mass and angular accelerations at constant rates."""
        q = self.inputs
        if self.steering is not None:
            self.state[0]["angle"], self.state[0]["rate"], self.state[0]["acceleration"] = angle, angle_rate, 0.0
            place_tierods(self.steering, self.state, q)
        q[0]["theta"], q[0]["theta_dot"] = theta, rate
        double_wishbone_kinematics(self.parameters, q, np.full(4, math.cos(theta)), np.full(4, math.sin(theta)), self.k, self.kinematics)
        return np.stack([self.k[0]["a_rel"][:, :, self.i], self.k[0]["alpha_rel"][:, :, self.i]])

    def _orientations(self, theta: float) -> Array:
        """Return (7, 3, 3) orientations: arms rotated from the design position, carrier and rods by the axes of their joints."""
        k, g, i = self.k[0], self.parameters[0], self.i
        R = np.empty((len(BODIES), 3, 3))
        R[LOWER_ARM] = _rotation_about(g["e_L"][:, i], math.cos(theta), math.sin(theta))
        R[UPPER_ARM] = _rotation_about(g["e_U"][:, i], k["cos_phi"][i], k["sin_phi"][i])
        for body, x, y in (
            (UPRIGHT, "kingpin", "upright_axis"),
            (TIEROD, "tierod", "tierod_axis"),
            (SHOCK_LOWER, "shock", "shock_axis"),
            (SHOCK_UPPER, "shock", "shock_axis"),
        ):
            R[body] = np.column_stack([k[x][:, i], k[y][:, i], np.cross(k[x][:, i], k[y][:, i])])
        arm, n = k["arm"][:, i], k["kingpin"][:, i]
        R[CARRIER] = np.column_stack([arm, np.cross(n, arm), n])
        return R


def _rotation_about(axis: Array, c: float, s: float) -> Array:
    """Return the rotation about a unit axis by the angle of cosine c and sine s (Rodrigues)."""
    K = np.cross(axis, np.eye(3)).T
    return np.eye(3) + s * K + (1.0 - c) * K @ K


def pose_table(
    poses: CornerPoses, travel: tuple[float, float], cells: int, lock: tuple[float, float] = (0.0, 0.0), steer_cells: int = 0
) -> PoseTable:
    """Return the table over the travel of the arm [rad], and over the Pitman angles `lock` [rad] when `steer_cells` is not 0."""
    theta = np.linspace(*travel, cells + 1)
    step = (travel[1] - travel[0]) / cells
    if steer_cells == 0:
        return PoseTable(np.stack([poses.node(t) for t in theta], axis=1), travel[0], step, 0.0, 1.0)
    angles = np.linspace(*lock, steer_cells + 1)
    nodes = np.stack([np.stack([poses.node(t, u) for u in angles], axis=1) for t in theta], axis=1)
    return PoseTable(nodes, travel[0], step, lock[0], (lock[1] - lock[0]) / steer_cells)


def pose_table_within(
    poses: CornerPoses, travel: tuple[float, float], position: float, rotation: float, lock: tuple[float, float] | None = None
) -> tuple[PoseTable, float, float]:
    """Return the table with the fewest intervals, doubled from 1 along each variable, that is within both tolerances between its nodes.

    Parameters
    ----------
    travel, lock : ranges of theta and of the Pitman angle [rad]; without `lock` the table is over theta alone
    position, rotation : largest distance [m] and largest angle [rad] from the closed form

    Returns
    -------
    table, largest distance [m], largest angle [rad]

    Raises
    ------
    JounceError : MAX_CELLS are not enough
    """
    cells, steer_cells = 1, 0 if lock is None else 1
    while max(cells, steer_cells) <= MAX_CELLS:
        table = pose_table(poses, travel, cells, lock or (0.0, 0.0), steer_cells)
        at, between = _sample_points(travel, cells)
        if lock is None:
            errors = pose_errors(poses, table, between, np.zeros(1))
            along, across = errors, (0.0, 0.0)
        else:
            steer_at, steer_between = _sample_points(lock, steer_cells)
            along, across = pose_errors(poses, table, between, steer_at), pose_errors(poses, table, at, steer_between)
            errors = pose_errors(poses, table, between, steer_between)
        if _within(errors, position, rotation):
            return table, *errors
        coarse = not _within(along, position, rotation)
        if lock is None or coarse or _within(across, position, rotation):
            cells *= 2
        if lock is not None and (not coarse or not _within(across, position, rotation)):
            steer_cells *= 2
    raise JounceError(f"pose table: {MAX_CELLS} intervals do not reach the tolerances of {position:g} m and {rotation:g} rad")


def pose_errors(poses: CornerPoses, table: PoseTable, thetas: Array, angles: Array) -> tuple[float, float]:
    """Return the largest distance [m] and angle [rad] of any body between table and closed form, at all pairs of thetas and angles [rad]."""
    pose = record(POSE)
    distance = turn = 0.0
    for theta in thetas:
        for angle in angles:
            exact = poses.node(theta, angle)
            for body in range(len(BODIES)):
                if table.nodes.ndim == 2:
                    pose_over_theta(table, body, theta, pose)
                else:
                    pose_over_both(table, body, theta, angle, pose)
                distance = max(distance, float(np.linalg.norm(pose[0]["e"] - exact[body]["e"])))
                turn = max(turn, angle_between(pose[0]["R"], exact[body]["R"]))
    return distance, turn


def angle_between(R: Array, S: Array) -> float:
    """Return the angle [rad] between two orientations: [Suspension interpolation, eq 21] for R^T S, by the length of the chord."""
    return 2.0 * math.asin(min(float(np.linalg.norm(R - S)) / math.sqrt(8.0), 1.0))


def _sample_points(span: tuple[float, float], cells: int) -> tuple[Array, Array]:
    """Return some nodes, and positions ERROR_POSITIONS the nodes.

    A fine table is sampled in MAX_PROBED intervals only, including the first and the last one.
    """
    intervals = np.unique(np.linspace(0, cells - 1, min(cells, MAX_PROBED)).round())
    step = (span[1] - span[0]) / cells
    return span[0] + step * np.append(intervals, cells), span[0] + step * (intervals[:, None] + np.array(ERROR_POSITIONS)).ravel()


def _within(errors: tuple[float, float], position: float, rotation: float) -> bool:
    return errors[0] <= position and errors[1] <= rotation
