"""Jacobian of one step of a vehicle.

The Jacobian is computed by differences of `vehicle_step` itself, without assumptions about the scheme, so that implicit components count as
implicit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Matrix, Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from terrain.ground import GroundArrays
from vehicles.axle_layout import WHEELS
from vehicles.command import COMMAND
from vehicles.state_memory import StateMemory
from vehicles.step import vehicle_step
from vehicles.tires.contract import NUMBERS
from vehicles.vehicle_model import VehicleModel

GROUPS = {
    # kind of mode: its coordinates, by name and number; WHEELS stands for the number of wheels of the vehicle
    "heave": (("height", 1), ("v_z", 1)),
    "pitch and roll": (("attitude", 2), ("w", 3)),
    "surge and sway": (("v_xy", 2),),
    "wheel hop": (("theta", WHEELS), ("theta_dot", WHEELS)),
    "wheel spin": (("wheel_spin", WHEELS), ("first tire state", WHEELS)),
    "tread": (("further tire state", WHEELS),) * (NUMBERS - 1),
    "bushings": (("displacement of the carrier", WHEELS),) * 6 + (("rate of this displacement", WHEELS),) * 6,
    "column": (("steering arm", 2),),
}
"""Coordinates of a step, by kind of mode. Position, heading and wheel angles are left out, because nothing depends on them. The first state
of a tire model is taken as the longitudinal one. Only `vehicles.compliance.modes` uses the steering arm: its column is stable at any
step."""

ATTITUDE = (2, 3)
"""Indices of the attitude among the coordinates."""

CHASSIS = 9
"""Number of chassis coordinates, which come first; then theta, theta_dot and wheel_spin of all wheels, then the tire states."""
WIDTH = 1e-6
"""SI units. Half width of the differences."""

NEARER = 1e-4
"""m. Maximum distance by which such a deviation moves a point of the body towards the ground."""


def coordinates(wheels: int) -> int:
    """Return the number of all coordinates of GROUPS."""
    return CHASSIS + (15 + NUMBERS) * wheels + 2


def elastic_coordinates(model: VehicleModel) -> NDArray[np.int_]:
    """Return the indices of the coordinates of wheels on bushings."""
    wheels, c = len(model.corners[0]["axle"]), model.corners[0]
    soft = np.flatnonzero(c["compliance"]["yields"][c["axle"]])
    return np.concatenate([CHASSIS + (3 + NUMBERS + n) * wheels + soft for n in range(12)]) if len(soft) else np.empty(0, np.int_)


def step_matrix(
    model: VehicleModel, memory: StateMemory, ground: GroundArrays, h: float, kept: NDArray[np.int_], command: Record | None = None
) -> Matrix:
    """Return the matrix (n, n) by which one step of h seconds from the present state multiplies small deviations.

    Parameters
    ----------
    memory : state of the vehicle, overwritten
    kept : (n,) indices of the coordinates that deviate
    command : (1,) record COMMAND; default: neutral without pedals
    """
    return step_matrices(model, memory, memory.memory[None].copy(), ground, h, kept, command=command)[0]


def step_matrices(
    model: VehicleModel,
    memory: StateMemory,
    starts: NDArray[np.uint8],
    ground: GroundArrays,
    h: float,
    kept: NDArray[np.int_],
    one_sided: bool = False,
    command: Record | None = None,
) -> Matrix:
    """Return the matrices (k, n, n) from many states, starts (k, bytes) of the memory; `one_sided` differences take half as many steps."""
    q, attitudes = np.empty((len(starts), 4)), np.empty((len(starts), 1 + 2 * len(ATTITUDE), 4))
    x = np.zeros(coordinates(len(memory.space.wheels)))
    for n, start in enumerate(starts):
        memory.memory[:] = start
        q[n] = memory.space.state[0]["q_WB"]
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
        memory=memory.memory,
        starts=np.ascontiguousarray(starts[:, : memory.lasts]),
        q=q,
        attitudes=attitudes,
        kept=kept,
        x=x,
        ends=np.empty((2, len(x))),
        J=np.empty((len(starts), len(kept), len(kept))),
    )
    step_from_each(model, memory.space, ground, record(COMMAND) if command is None else command, h, places, one_sided)
    return places.J


class Perturbations(NamedTuple):
    """Start states of steps, their deviations, and the results."""

    memory: NDArray[np.uint8]
    """Memory of the vehicle"""
    starts: NDArray[np.uint8]
    """(k, bytes) the part of the memory that the next step depends on"""
    q: Vector
    """(k, 4) reference quaternions of the attitudes"""
    attitudes: Vector
    """(k, 1 + 2 len(ATTITUDE), 4) q_WB: unchanged, and deviating to both sides by each coordinate of ATTITUDE"""
    kept: NDArray[np.int_]
    """(n,) indices of the deviating coordinates, in the order of GROUPS"""
    x: Vector
    """(all coordinates,) scratch: start of a step"""
    ends: Matrix
    """(2, all coordinates) scratch: results of a step for both sides"""
    J: Matrix
    """(k, n, n) the matrices"""


@kernel
def step_from_each(m, s, ground, command, h, places, one_sided):
    """Compute the differences of a step from each of the `Perturbations`: central or one-sided."""
    starts, q, attitudes, kept, x, ends, J = places.starts, places.q, places.attitudes, places.kept, places.x, places.ends, places.J
    sides, width = (1, WIDTH) if one_sided else (2, 2.0 * WIDTH)
    for k in range(len(starts)):
        restore(places, k)
        vehicle_step(m, s, ground, command, h)
        read_coordinates(s, q[k], ends[1])  # with one-sided differences this result is used as the second side
        away = s.body_contact[0]["away"] - NEARER
        for column in range(len(kept)):
            of_attitude = kept[column] - ATTITUDE[0]
            turned = 0 <= of_attitude < len(ATTITUDE)
            for side in range(sides):
                restore(places, k)
                s.body_contact[0]["away"] = away  # otherwise every step would evaluate all points of the body
                read_coordinates(s, q[k], x)
                x[kept[column]] += WIDTH if side == 0 else -WIDTH
                write_coordinates(s, attitudes[k, 1 + 2 * of_attitude + side if turned else 0], x)
                vehicle_step(m, s, ground, command, h)
                read_coordinates(s, q[k], ends[side])
            for row in range(len(kept)):
                J[k, row, column] = (ends[0, kept[row]] - ends[1, kept[row]]) / width


@inline
def restore(places, k):
    """Set the vehicle to start state k."""
    for n in range(places.starts.shape[1]):
        places.memory[n] = places.starts[k, n]


@kernel
def read_coordinates(s, q, out):
    """Read the coordinates of a state in the order of GROUPS; attitudes as small rotations from the quaternion q."""
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
    """Write the coordinates into a state, the attitude as a quaternion."""
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
    """Return the quaternion q after the small rotation of the coordinates."""
    a, b = 0.5 * x[2], 0.5 * x[3]
    turned = np.array([q[0] - q[1] * a - q[2] * b, q[1] + q[0] * a - q[3] * b, q[2] + q[3] * a + q[0] * b, q[3] + q[1] * b - q[2] * a])
    return np.asarray(turned / np.linalg.norm(turned))
