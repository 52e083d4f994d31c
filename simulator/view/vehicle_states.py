"""What a picture needs of the other vehicles at one time: poses, wheels, lamps. No kernels and no OpenGL here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, Table, dtype_of, record, sized
from simulator.events.turn_signals import is_lit
from vehicles.axle_layout import WHEELS

VEHICLE: Table = (
    # name        shape        unit   description
    ("row", (), "1", "row of its first part among the objects", "i8"),
    ("p_WB", (3,), "m", "position of the chassis reference point in the world"),
    ("q_WB", (4,), "1", "attitude of the chassis, quaternion w, x, y, z"),
    ("wheel_angle", (WHEELS,), "rad", "rotation of the wheel about its axle"),
    ("p_BK", (WHEELS, 3), "m", "wheel center, in B", "f4"),
    ("R_BK", (WHEELS, 3, 3), "1", "orientation of the wheel carrier, carrier to chassis", "f4"),
    ("stop_lamps", (), "1", "1 while the driver brakes", "f4"),
    ("reverse_lamps", (), "1", "1 while the reverse gear is engaged", "f4"),
    ("turn_lamps", (), "1", "turn signals that are lit: 0 none, 1 left, 2 right, 3 both"),
)
"""State of a drawn vehicle; a row has the wheels of the vehicle with the most wheels."""
PRESSED = 0.02
"""Position of the brake pedal from which the stop lamps are lit."""
JUMP = 3.0
"""m between two states, above which a vehicle was put to another place."""
NO_STATES: Record = record(VEHICLE, 0)


def lamps(s: Any) -> tuple[Any, Any]:
    """Return whether stop lamps and reverse lamps are lit, for rows of READOUT."""
    return s["brake"] > PRESSED, s["gear"] < 0


def lit_signals(side: Any, time: float) -> Any:
    """Return the turn signals (0 none, 1 left, 2 right, 3 both) that are lit at a simulated time [s]."""
    return side * is_lit(time)


def states_of(parts: Sequence[int], readouts: Sequence[Record]) -> Record:
    """Return the states (n,) of vehicles, in the order of their parts.

    parts : rows of their first parts among the objects
    readouts : records (1,) with the fields `simulator.telemetry.replay_columns.VEHICLE`
    """
    if not readouts:
        return NO_STATES
    wheels = [one["wheel_angle"].shape[1] for one in readouts]
    out = record(states_table(max(wheels)), len(readouts))
    out["row"] = parts
    for count in set(wheels):
        some = [k for k, own in enumerate(wheels) if own == count]
        shown = np.frombuffer(b"".join(readouts[k].tobytes() for k in some), readouts[some[0]].dtype)  # much faster than np.concatenate
        for name in ("p_WB", "q_WB"):
            out[name][some] = shown[name]
        for name in ("wheel_angle", "p_BK", "R_BK"):
            out[name][some, :count] = shown[name]
        out["stop_lamps"][some], out["reverse_lamps"][some] = lamps(shown)
    return out[np.argsort(out["row"])]


@dataclass(frozen=True, eq=False)
class Rolling:
    """Vehicles that roll along paths of their objects, whose origin is below the middle of the rear axle; those that are hit are rigid bodies.

    Attributes
    ----------
    rows : (n,) rows of their objects
    origin : (n, 3) origin of the objects in B [m]
    centers, radius : (n, wheels, 3) wheel centers in B, (n, wheels) radii [m]; missing wheels are like the first one
    """

    rows: NDArray[np.int64]
    origin: NDArray[np.float64]
    centers: NDArray[np.float64]
    radius: NDArray[np.float64]

    @staticmethod
    def of(rows: Sequence[int], origin: Sequence[Any], centers: Sequence[Any], radius: Sequence[Any]) -> Rolling:
        """Return vehicles from lists with an entry for each of them."""
        most, count = max(map(len, radius), default=0), len(rows)
        full = [[[*one, *([one[0]] * (most - len(one)))] for one in values] for values in (centers, radius)]
        return Rolling(
            np.array(rows, np.int64),
            np.array(origin, float).reshape(count, 3),
            np.array(full[0], float).reshape(count, most, 3),
            np.array(full[1], float).reshape(count, most),
        )

    def states(self, some: NDArray[np.int64], pose: tuple[Any, Any], way: Any, bend: Any, stops: Any, turns: Any) -> Record:
        """Return the states of some of the vehicles.

        pose : positions (m, 3) [m] and axes (m, 3, 3) of their objects; way : distance driven [m]; bend : curvature of the way of the rear
        axle [1/m]; stops : whether the stop lamps are lit; turns : turn signals that are lit
        """
        from scipy.spatial.transform import Rotation

        if not len(some):
            return NO_STATES
        (p_WO, R_WO), centers = pose, self.centers[some]
        out = record(states_table(centers.shape[1]), len(some))
        out["row"], out["stop_lamps"], out["turn_lamps"] = self.rows[some], stops, turns
        out["p_WB"] = p_WO - np.einsum("nij,nj->ni", R_WO, self.origin[some])
        out["q_WB"] = np.roll(Rotation.from_matrix(R_WO).as_quat(), 1, axis=1)
        out["wheel_angle"], out["p_BK"] = np.asarray(way)[:, None] / self.radius[some], centers
        ahead = centers[..., 0] - self.origin[some, :1]
        steered = ahead > 0.5 * ahead.max(axis=1, keepdims=True)
        angle = np.where(steered, np.arctan(np.asarray(bend)[:, None] * ahead), 0.0)
        out["R_BK"][..., 0, 0] = out["R_BK"][..., 1, 1] = np.cos(angle)
        out["R_BK"][..., 1, 0], out["R_BK"][..., 2, 2] = np.sin(angle), 1.0
        out["R_BK"][..., 0, 1] = -out["R_BK"][..., 1, 0]
        return out


def joined(*parts: Record) -> Record:
    """Return the states of several groups of vehicles in the order of their parts."""
    parts = tuple(one for one in parts if len(one))
    if len(parts) < 2:
        return parts[0] if parts else NO_STATES
    out = record(states_table(max(one["wheel_angle"].shape[1] for one in parts)), sum(map(len, parts)))
    first = 0
    for one in parts:
        rows, wheels = slice(first, first + len(one)), one["wheel_angle"].shape[1]
        first += len(one)
        for name in one.dtype.names or ():
            if name in ("wheel_angle", "p_BK", "R_BK"):
                out[name][rows, :wheels] = one[name]
            else:
                out[name][rows] = one[name]
    return out[np.argsort(out["row"])]


def states_table(wheels: int) -> Table:
    """Return the table VEHICLE for a number of wheels."""
    return sized(VEHICLE, wheels=wheels)


def states_in(memory: Any, count: int, wheels: int) -> Record:
    """Return a copy of the states at the begin of a memory."""
    return np.frombuffer(memory, dtype_of(states_table(wheels)), count).copy()


def between(before: Record, after: Record, share: float) -> Record:
    """Return states between two publications, from 0 = before to 1 = after; vehicles that are new or have jumped are as after."""
    out = after.copy()
    if before.dtype != after.dtype or not len(after):
        return out
    _, old, new = np.intersect1d(before["row"], after["row"], return_indices=True)
    near = np.linalg.norm(after["p_WB"][new] - before["p_WB"][old], axis=1) < JUMP
    stays = new[near]
    a, b = before[old[near]], after[stays]
    for name in ("p_WB", "wheel_angle", "p_BK", "R_BK"):
        out[name][stays] = a[name] + share * (b[name] - a[name])
    sign = np.where((a["q_WB"] * b["q_WB"]).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    out["q_WB"][stays] = (1.0 - share) * sign * a["q_WB"] + share * b["q_WB"]
    return out


def are_finite(states: Record) -> NDArray[np.bool_]:
    """Return whether all poses of each state are finite."""
    values = [states[name] for name in ("p_WB", "q_WB", "wheel_angle", "p_BK", "R_BK")]
    finite: NDArray[np.bool_] = np.all([np.isfinite(one).all(axis=tuple(range(1, one.ndim))) for one in values], axis=0)
    return finite


def rotations(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrices (n, 3, 3) of quaternions (n, 4), which need not have the length 1."""
    w, x, y, z = (q / np.maximum(np.linalg.norm(q, axis=1, keepdims=True), 1e-12)).T
    return np.array((
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )).transpose(2, 0, 1)  # fmt: skip
