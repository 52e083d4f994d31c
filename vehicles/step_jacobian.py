"""The matrix that one step multiplies small deviations of a vehicle with.

Nothing about the scheme is assumed: it is found by differences of `vehicle_step` itself, so that what is implicit in it counts as implicit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from simulator.base.records import record
from terrain.ground import GroundArrays
from vehicles.axle_layout import WHEELS
from vehicles.command import COMMAND
from vehicles.state_memory import StateMemory
from vehicles.step import vehicle_step
from vehicles.tires.contract import NUMBERS
from vehicles.vehicle_model import VehicleModel

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

GROUPS = {
    # kind of mode: its coordinates, by name and number; WHEELS stands for as many as the vehicle has
    "heave": (("height", 1), ("v_z", 1)),
    "pitch and roll": (("attitude", 2), ("w", 3)),
    "surge and sway": (("v_xy", 2),),
    "wheel hop": (("theta", WHEELS), ("theta_dot", WHEELS)),
    "wheel spin": (("wheel_spin", WHEELS), ("first of the tread", WHEELS)),
    "tread": (("rest of the tread", WHEELS),) * (NUMBERS - 1),
    "bushings": (("displacement of the carrier", WHEELS),) * 6 + (("its rate", WHEELS),) * 6,
    "column": (("steering arm", 2),),
}
"""Place, heading and the angles of the wheels, on which nothing depends, are left out. Of a tread law's state the first number is taken for
the one along. The steering arm is looked at by `vehicles.compliance.modes` alone: its column is stable at any step."""

ATTITUDE = (2, 3)
"""Where the attitude stands among them."""

CHASSIS = 9
"""Coordinates of the chassis, which come first; then theta, theta_dot and wheel_spin of all wheels, then the treads."""
WIDTH = 1e-6
"""SI units. Half width of the differences."""

NEARER = 1e-4
"""m. No such deviation brings a point of the body nearer to the ground by more."""


def coordinates(wheels: int) -> int:
    """Number of all coordinates of GROUPS."""
    return CHASSIS + (15 + NUMBERS) * wheels + 2


def elastic_coordinates(model: VehicleModel) -> NDArray[np.int_]:
    """Which of them are those of wheels that yield."""
    wheels, c = len(model.corners[0]["axle"]), model.corners[0]
    soft = np.flatnonzero(c["compliance"]["yields"][c["axle"]])
    return np.concatenate([CHASSIS + (3 + NUMBERS + n) * wheels + soft for n in range(12)]) if len(soft) else np.empty(0, np.int_)


def step_matrix(model: VehicleModel, piece: StateMemory, ground: GroundArrays, h: float, kept: NDArray[np.int_]) -> Matrix:
    """Matrix (n, n) that one step of h seconds from where a vehicle is, in neutral without pedals, multiplies small deviations with.

    Parameters
    ----------
    piece : its memory, afterwards elsewhere
    kept : (n,) which of the coordinates deviate
    """
    return step_matrices(model, piece, piece.memory[None].copy(), ground, h, kept)[0]


def step_matrices(
    model: VehicleModel,
    piece: StateMemory,
    starts: NDArray[np.uint8],
    ground: GroundArrays,
    h: float,
    kept: NDArray[np.int_],
    one_sided: bool = False,
) -> Matrix:
    """The same (k, n, n) from each of many places, starts (k, bytes) of the memory; `one_sided` differences take half as many steps."""
    q, attitudes = np.empty((len(starts), 4)), np.empty((len(starts), 1 + 2 * len(ATTITUDE), 4))
    x = np.zeros(coordinates(len(piece.space.wheels)))
    for n, start in enumerate(starts):
        piece.memory[:] = start
        q[n] = piece.space.state[0]["q_WB"]
        if n > 0 and (q[n] == q[n - 1]).all():
            attitudes[n] = attitudes[n - 1]
            continue
        attitudes[n] = _turned(q[n], x)
        for k, coordinate in enumerate(ATTITUDE):
            if coordinate in kept:
                for side, width in enumerate((WIDTH, -WIDTH)):
                    x[coordinate] = width
                    attitudes[n, 1 + 2 * k + side] = _turned(q[n], x)
                x[coordinate] = 0.0
    places = Perturbations(
        memory=piece.memory,
        starts=np.ascontiguousarray(starts[:, : piece.lasts]),
        q=q,
        attitudes=attitudes,
        kept=kept,
        x=x,
        ends=np.empty((2, len(x))),
        J=np.empty((len(starts), len(kept), len(kept))),
    )
    step_from_each(model, piece.space, ground, record(COMMAND), h, places, one_sided)
    return places.J


class Perturbations(NamedTuple):
    """Where steps begin, what deviates there, and what becomes of it."""

    memory: NDArray[np.uint8]
    """All of the vehicle's"""
    starts: NDArray[np.uint8]
    """(k, bytes) so much of the memory as lasts"""
    q: Vector
    """(k, 4) from which attitudes are told"""
    attitudes: Vector
    """(k, 1 + 2 len(ATTITUDE), 4) q_WB: as it is, and deviating to either side by each coordinate of ATTITUDE"""
    kept: NDArray[np.int_]
    """(n,) which of the coordinates, in the order of GROUPS, deviate"""
    x: Vector
    """(all coordinates,) scratch: where a step begins"""
    ends: Matrix
    """(2, all coordinates) scratch: where it ends on either side"""
    J: Matrix
    """(k, n, n) the matrices"""


@kernel
def step_from_each(m, s, ground, command, h, places, one_sided):
    """Differences of a step from each of the `Perturbations`: central ones, or one-sided."""
    starts, q, attitudes, kept, x, ends, J = places.starts, places.q, places.attitudes, places.kept, places.x, places.ends, places.J
    sides, width = (1, WIDTH) if one_sided else (2, 2.0 * WIDTH)
    for k in range(len(starts)):
        recall(places, k)
        vehicle_step(m, s, ground, command, h)
        read_coordinates(s, q[k], ends[1])  # which stays there where the other side is not looked at
        away = s.body_contact[0]["away"] - NEARER
        for column in range(len(kept)):
            of_attitude = kept[column] - ATTITUDE[0]
            turned = 0 <= of_attitude < len(ATTITUDE)
            for side in range(sides):
                recall(places, k)
                s.body_contact[0]["away"] = away  # or every step would look at all points of the body
                read_coordinates(s, q[k], x)
                x[kept[column]] += WIDTH if side == 0 else -WIDTH
                write_coordinates(s, attitudes[k, 1 + 2 * of_attitude + side if turned else 0], x)
                vehicle_step(m, s, ground, command, h)
                read_coordinates(s, q[k], ends[side])
            for row in range(len(kept)):
                J[k, row, column] = (ends[0, kept[row]] - ends[1, kept[row]]) / width


@inline
def recall(places, k):
    """Put the vehicle where departure k is."""
    for n in range(places.starts.shape[1]):
        places.memory[n] = places.starts[k, n]


@kernel
def read_coordinates(s, q, out):
    """Coordinates of a state in the order of GROUPS; attitudes as small rotations from the quaternion q."""
    state, treads = s.state[0], s.treads
    now, v = state["q_WB"], state["v_WB_B"]
    w, x, y, z = now[0], now[1], now[2], now[3]
    out[0], out[1] = state["p_WB"][2], v[2]
    out[2] = 2.0 * (q[0] * x - q[1] * w - q[2] * z + q[3] * y)
    out[3] = 2.0 * (q[0] * y + q[1] * z - q[2] * w - q[3] * x)
    for j in range(3):
        out[4 + j] = state["w_WB_B"][j]
    out[7], out[8] = v[0], v[1]
    wheels = len(treads)
    for i in range(wheels):
        at = CHASSIS + i
        out[at], out[at + wheels], out[at + 2 * wheels] = state["theta"][i], state["theta_dot"][i], state["wheel_spin"][i]
        for n in range(NUMBERS):
            out[at + (3 + n) * wheels] = treads[i]["numbers"][n]
        for n in range(6):
            out[at + (3 + NUMBERS + n) * wheels] = s.elastic[0]["e"][n, i]
            out[at + (9 + NUMBERS + n) * wheels] = s.elastic[0]["e_dot"][n, i]
    at = CHASSIS + (15 + NUMBERS) * wheels
    out[at], out[at + 1] = s.steering[0]["angle"], s.steering[0]["rate"]


@kernel
def write_coordinates(s, attitude, x):
    """The same back, the attitude as a quaternion."""
    state, treads = s.state[0], s.treads
    state["p_WB"][2] = x[0]
    state["v_WB_B"][0], state["v_WB_B"][1], state["v_WB_B"][2] = x[7], x[8], x[1]
    for j in range(4):
        state["q_WB"][j] = attitude[j]
    for j in range(3):
        state["w_WB_B"][j] = x[4 + j]
    wheels = len(treads)
    for i in range(wheels):
        at = CHASSIS + i
        state["theta"][i], state["theta_dot"][i], state["wheel_spin"][i] = x[at], x[at + wheels], x[at + 2 * wheels]
        for n in range(NUMBERS):
            treads[i]["numbers"][n] = x[at + (3 + n) * wheels]
        for n in range(6):
            s.elastic[0]["e"][n, i] = x[at + (3 + NUMBERS + n) * wheels]
            s.elastic[0]["e_dot"][n, i] = x[at + (9 + NUMBERS + n) * wheels]
    at = CHASSIS + (15 + NUMBERS) * wheels
    s.steering[0]["angle"], s.steering[0]["rate"] = x[at], x[at + 1]


def _turned(q: Vector, x: Vector) -> Vector:
    """The quaternion q turned as little as coordinates say."""
    a, b = 0.5 * x[2], 0.5 * x[3]
    turned = np.array([q[0] - q[1] * a - q[2] * b, q[1] + q[0] * a - q[3] * b, q[2] + q[3] * a + q[0] * b, q[3] + q[1] * b - q[2] * a])
    return np.asarray(turned / np.linalg.norm(turned))
