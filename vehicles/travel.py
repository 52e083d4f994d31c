"""Finds the ends of a corner's travel, see `vehicles.suspension.ends`.

From the design position the corners walk to both sides, at every lock of the steering, until the linkage leaves its loops, or its inertia,
the way of the wheel or the levers of the struts show that it is about to. The end lies a margin before that, or where the rubber stops of
the vehicle file are used up, whichever comes first. Only the kinematics are asked, so it knows no kind of corner but for its loops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from vehicles.model import Mechanism, new_workspace
from vehicles.steering.pitman_arm import STEERING_STATE, place_tierods
from vehicles.suspension.corner_sums import prepare

LOAD = 200e3
"""N. Load of a wheel, along its own path, under which an end yields by YIELDING."""

YIELDING = 0.02
"""m. Larger: softer ends, which need more MARGIN. Smaller: harder blows on the chassis."""

MARGIN = 0.04
"""m. Way of the wheel kept between an end and the last position that is known to be closed."""

DAMPING = 0.5
"""Damping ratio of an end, against the inertia of its corner alone."""

RIGID = 1e9
"""1/s2. Rate over inertia beyond the margin: a thousand times the inertia over the square of a step of 1 ms."""

STRIDE = 8e-3
"""rad, m. Way between two positions that are looked at."""

FARTHEST = 1.2
"""rad, m. No travel is looked for beyond."""

SHARE = 0.3
"""Least way of the wheel and least lever of a strut per theta, as shares of those in the design position."""

HEAVIER = 4.0
"""Largest inertia of theta over that in the design position: it grows without bound towards a toggle."""

QUICKER = 3.0
"""Largest turn of a steered carrier per way of its tie rod, over that in the design position: the same for the toggle of the steering."""

OPEN = 1e-9
"""m. Error of a length of the linkage with which a loop counts as open."""

LOCKS = (-1.0, 0.0, 1.0)
"""Steering, as shares of full lock, at which every position has to be sound."""


def find_ends(mechanism: Mechanism, steering: Record, which: NDArray[np.bool_]) -> None:
    """Find the ends of the corners in `which` (wheels,) and write them into the mechanism's CORNERS record; `steering` is a record of STEERING.

    The others have no closed form: what is in their columns on the way means nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        walker = _Walker(mechanism, steering, which)
        (least, rebound), (largest, bump) = walker.walk(-1.0), walker.walk(1.0)
        margin, rate = MARGIN / walker.way, LOAD * walker.way**2 / YIELDING
    e = mechanism.corners[0]["ends"]
    e["closed"][:, which] = np.stack([least, largest])[:, which]
    low = np.maximum(rebound, least + np.minimum(margin, -0.5 * least))
    high = np.minimum(bump, largest - np.minimum(margin, 0.5 * largest))
    e["theta"][:, which] = np.stack([low, high])[:, which]
    inertia = walker.inertia[which]
    e["rate"][which], e["rigid_rate"][which] = rate[which], RIGID * inertia
    e["damping"][which] = 2.0 * DAMPING * np.sqrt(rate[which] * inertia)


class _Walker:
    """Moves all corners at once and compares them with their design position."""

    def __init__(self, mechanism: Mechanism, steering: Record, which: NDArray[np.bool_]) -> None:
        self.mechanism, self.steering, self.which = mechanism, steering, which
        self.workspace, self.lock = new_workspace(mechanism), record(STEERING_STATE)
        self._go(0.0, 0.0)
        k = self.workspace.kinematics[0]
        self.inertia: NDArray[np.float64] = k["D"].copy()
        """(wheels,) inertia of theta in the design position"""
        self.way: NDArray[np.float64] = np.linalg.norm(k["W_1"], axis=0)
        """(wheels,) way of the wheel per theta there [m]"""
        self._rise = k["W_1"][2].copy()
        self._levers = self._strut_levers()
        self._gain = self._turn_of_steering()

    def walk(self, side: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """From the design position to the side -1 or +1: (wheels,) thetas up to which every corner is sound at every lock, and at
        which the rubber stops are used up, infinite if they are not before that."""
        last, metal, going = np.zeros(len(self.which)), np.full(len(self.which), side * np.inf), self.which.copy()
        for theta in side * np.arange(STRIDE, FARTHEST, STRIDE):
            for lock in LOCKS:
                self._go(theta, lock)
                going &= self._sound()
            if not going.any():
                break
            last[going] = theta
            metal[going & np.isinf(metal) & self._stops_used_up(side)] = theta
        return last, metal

    def _go(self, theta: float, lock: float) -> None:
        w, m = self.workspace, self.mechanism
        w.state[0]["theta"] = theta
        self.lock[0]["angle"] = lock * self.steering[0]["max_arm_angle"]
        place_tierods(self.steering, self.lock, w.inputs)
        prepare(m.records, w)

    def _turn_of_steering(self) -> NDArray[np.float64]:
        return np.array([corner.turn_of_steering(self.workspace.blocks, i) for i, corner in enumerate(self.mechanism.designs)])

    def _strut_levers(self) -> NDArray[np.float64]:
        k = self.workspace.kinematics[0]
        return np.stack([k["spring_length_1"], k["shock_length_1"]])

    def _stops_used_up(self, side: float) -> NDArray[np.bool_]:
        s, length = self.mechanism.struts[0], self.workspace.kinematics[0]["spring_length"]
        points = s["stop_points"]
        most = s["stop_penetration"][np.arange(len(points)), points - 1]
        used = s["bump_stop_length"] - length if side > 0.0 else length - s["rebound_stop_length"]
        return (points > 0) & (used > most)

    def _sound(self) -> NDArray[np.bool_]:
        """(wheels,) corners that are well closed where they are."""
        w, m = self.workspace, self.mechanism
        k = w.kinematics[0]
        sound = (k["D"] < HEAVIER * self.inertia) & (k["W_1"][2] > SHARE * self._rise)
        sound &= (self._strut_levers() / self._levers > SHARE).all(axis=0)
        gap = np.array([corner.gap(m.corners, w.blocks, w.inputs, i) for i, corner in enumerate(m.designs)])
        return np.asarray(sound & (gap < OPEN) & (self._turn_of_steering() <= QUICKER * self._gain))
