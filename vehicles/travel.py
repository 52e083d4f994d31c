"""Finds the ends of a corner's travel, see `vehicles.suspension.ends`.

From the design position the corners walk to both sides, at every lock of the steering, until the linkage leaves its loops, or its inertia,
the way of the wheel or the levers of the struts show that it is about to. The end lies a margin before that, or where the rubber stops of
the vehicle file are used up, whichever comes first; a bit behind those nobody looks any further. Only the kinematics are asked, so it knows
no kind of corner but for its loops.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from vehicles.model import Mechanism, new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.corner_design import Places
from vehicles.suspension.corner_sums import Workspace, prepare

Vector = NDArray[np.float64]

LOAD = 200e3
"""N. Load of a wheel, along its own path, under which an end yields by YIELDING."""

YIELDING = 0.02
"""m. Larger: softer ends, which need more MARGIN. Smaller: harder blows on the chassis."""

MARGIN = 0.04
"""m. Way of the wheel kept between an end and the last position that is known to be closed."""

ENOUGH = 2.0 * MARGIN
"""m. Way of the wheel behind used up stops to the last position that is looked at: the ends yield by a fourth of it under LOAD."""

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

CHUNK = 20
"""Thetas that are looked at together. More would take memory (10 kB a place) that is new to the process each time, which takes longer than the look."""

STOPS = ("stop_points", "stop_penetration", "bump_stop_length", "rebound_stop_length")
"""Rows of STRUTS by which ends are found."""

LOCKS = (-1.0, 0.0, 1.0)
"""Steering, as shares of full lock, at which every position has to be sound."""


class Walk(NamedTuple):
    """How far corners came from the design position to one side.

    last : theta up to which they are sound at every lock; once the stops are used up nobody need look further than ENOUGH
    metal : theta at which the rubber stops are used up, infinite if they are not before that
    """

    last: Vector | float
    metal: Vector | float


def find_ends(mechanism: Mechanism, steering: Record, which: NDArray[np.bool_]) -> None:
    """Find the ends of the corners in `which` (wheels,) and write them into the mechanism's CORNERS record; `steering` is a record of STEERING.

    The others have no closed form: what is in their columns on the way means nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        walker = _Walker(mechanism, steering, which)
        down, up = (Walk(*(thetas[which] for thetas in walker.walk(side))) for side in (-1.0, 1.0))
        place_ends(mechanism.corners[0]["ends"], which, walker.inertia[which], walker.way[which], down, up)


def place_ends(ends: Any, which: NDArray[np.bool_] | int, inertia: Vector | float, way: Vector | float, down: Walk, up: Walk) -> None:
    """Write the ends of some corners, or of one, into a record of ENDS.

    Parameters
    ----------
    which : (wheels,) whether it is one of them, or its number; the rest is theirs alone, arrays or numbers
    inertia : of theta in the design position
    way : of the wheel per theta there [m]
    down, up : how far they came to either side
    """
    margin, enough, rate = MARGIN / way, ENOUGH / way, LOAD * way**2 / YIELDING
    ends["closed"][:, which] = np.stack([np.maximum(down.last, down.metal - enough), np.minimum(up.last, up.metal + enough)])
    low = np.maximum(down.metal, down.last + np.minimum(margin, -0.5 * down.last))
    high = np.minimum(up.metal, up.last - np.minimum(margin, 0.5 * up.last))
    ends["theta"][:, which] = np.stack([low, high])
    ends["rate"][which], ends["rigid_rate"][which] = rate, RIGID * inertia
    ends["damping"][which] = 2.0 * DAMPING * np.sqrt(rate * inertia)


def decides_ends(mechanism: Mechanism, steering: Record, which: NDArray[np.bool_]) -> Hashable:
    """All that the ends of the travel depend on: of springs and dampers it is the stops."""
    blocks = tuple((block.first, block.count, block.parameters.tobytes()) for block in mechanism.blocks)
    stops = tuple(mechanism.struts[0][name].tobytes() for name in STOPS)
    designs = tuple(type(corner) for corner in mechanism.designs)
    return (
        mechanism.axles,
        designs,
        mechanism.corners.tobytes(),
        mechanism.own.tobytes(),
        blocks,
        stops,
        steering.tobytes(),
        which.tobytes(),
    )


def ends_of(mechanism: Mechanism, steering: Record, which: NDArray[np.bool_]) -> Record:
    """The ends of the travel, which the mechanism gets too."""
    find_ends(mechanism, steering, which)
    return mechanism.corners[0]["ends"].copy()


def new_places(workspace: Workspace, count: int) -> Places:
    """Room for so many positions of the corners of a workspace."""
    w = workspace
    of_blocks = np.empty(count, w.blocks.scratch.dtype), np.empty((count, len(w.blocks.memory)), np.uint8)
    return Places(w.blocks, *of_blocks, np.empty(count, w.inputs.dtype), np.empty(count, w.kinematics.dtype))


def quickest_steering(mechanism: Mechanism, steering: Record, which: NDArray[np.bool_]) -> float:
    """Largest turn of a front carrier per way of its tie rod, in the design position at every lock, over that straight ahead. `which` (wheels,) as above."""
    with np.errstate(divide="ignore", invalid="ignore"):
        walker = _Walker(mechanism, steering, which)
        turns = walker.turns_at_locks()
    front = [i for i in mechanism.axles.on(0) if which[i]]
    return float(np.nanmax(turns[:, front]))


class _Walker:
    """Moves all corners at once, many positions at a time, and compares them with their design position."""

    def __init__(self, mechanism: Mechanism, steering: Record, which: NDArray[np.bool_]) -> None:
        self.mechanism, self.steering, self.which = mechanism, steering, which
        self.workspace, self.lock = new_workspace(mechanism), record(STEERING_STATE)
        self._places = new_places(self.workspace, CHUNK * len(LOCKS))
        """Of the positions that are looked at: fresh memory for each look would take longer than the look."""
        design = self._at(np.zeros(1), (0.0,))
        k = design.kinematics[0]
        self.inertia: Vector = k["D"].copy()
        """(wheels,) inertia of theta in the design position"""
        self.way: Vector = np.linalg.norm(k["W_1"], axis=0)
        """(wheels,) way of the wheel per theta there [m]"""
        self._rise = k["W_1"][2].copy()
        self._levers = _strut_levers(design)[0]
        self._gain = self._turns_of_steering(design)[0]

    def walk(self, side: float) -> tuple[Vector, Vector]:
        """The thetas of `Walk` (wheels,) to the side -1 or +1."""
        last, metal, going = np.zeros(len(self.which)), np.full(len(self.which), side * np.inf), self.which.copy()
        thetas, enough = side * np.arange(STRIDE, FARTHEST, STRIDE), ENOUGH / self.way
        for some in np.split(thetas, range(CHUNK, len(thetas), CHUNK)):
            places = self._at(some, LOCKS)
            sound: NDArray[np.bool_] = self._sound(places).reshape(len(some), len(LOCKS), -1).min(axis=1)
            used_up = self._stops_used_up(places, side)[len(LOCKS) - 1 :: len(LOCKS)]
            alive = going & np.logical_and.accumulate(sound, axis=0)
            reached, spent = alive.sum(axis=0), alive & used_up
            last = np.where(reached > 0, some[reached - 1], last)
            metal = np.where(np.isinf(metal) & spent.any(axis=0), some[spent.argmax(axis=0)], metal)
            going = alive[-1] & (side * (some[-1] - metal) < enough)
            if not going.any():
                break
        return last, metal

    def turns_at_locks(self) -> Vector:
        """(locks, wheels) turns of steered carriers per way of their tie rods in the design position, over those straight ahead."""
        return self._turns_of_steering(self._at(np.zeros(1), LOCKS)) / self._gain

    def _at(self, thetas: Vector, locks: tuple[float, ...]) -> Places:
        """At every theta with every lock of the steering, theta by theta; until the next look."""
        count = len(thetas) * len(locks)
        places = Places(self.workspace.blocks, *(part[:count] for part in self._places[1:]))
        angles = np.array(locks) * self.steering[0]["max_arm_angle"]
        turned = np.repeat(thetas, len(locks)), np.tile(angles, len(thetas))
        go(self.mechanism.records, self.workspace, self.steering, self.lock, *turned, places)
        return places

    def _turns_of_steering(self, places: Places) -> Vector:
        return np.stack([corner.turns_of_steering(places, i) for i, corner in enumerate(self.mechanism.designs)], axis=1)

    def _stops_used_up(self, places: Places, side: float) -> NDArray[np.bool_]:
        """(n, wheels) corners whose rubber stops are used up."""
        s, length = self.mechanism.struts[0], places.kinematics["spring_length"]
        points = s["stop_points"]
        most = s["stop_penetration"][np.arange(len(points)), points - 1]
        used = s["bump_stop_length"] - length if side > 0.0 else length - s["rebound_stop_length"]
        return np.asarray((points > 0) & (used > most))

    def _sound(self, places: Places) -> NDArray[np.bool_]:
        """(n, wheels) corners that are well closed where they are."""
        k = places.kinematics
        sound = (k["D"] < HEAVIER * self.inertia) & (k["W_1"][:, 2] > SHARE * self._rise)
        sound &= (_strut_levers(places) / self._levers > SHARE).all(axis=1)
        gaps = np.stack([corner.gaps(self.mechanism.corners, places, i) for i, corner in enumerate(self.mechanism.designs)], axis=1)
        return np.asarray(sound & (gaps < OPEN) & (self._turns_of_steering(places) <= QUICKER * self._gain))


def _strut_levers(places: Places) -> Vector:
    """(n, 2, wheels) derivatives by theta of the lengths of springs and shock absorbers."""
    return np.stack([places.kinematics["spring_length_1"], places.kinematics["shock_length_1"]], axis=1)


@kernel
def go(m, s, steering, arm, thetas, angles, places):
    """Place all corners at one theta (n,) after the other, the Pitman arm at an angle (n,) [rad], and note how they are (`Places`).

    m, s : records of a mechanism and its workspace, arm : record of STEERING_STATE, changed
    """
    for n in range(len(thetas)):
        arm[0]["angle"] = angles[n]
        for i in range(len(s.state[0]["theta"])):
            s.state[0]["theta"][i] = thetas[n]
        place_tierods(steering, arm, s.inputs)
        prepare(m, s)
        places.scratch[n], places.inputs[n], places.kinematics[n] = s.blocks.scratch[0], s.inputs[0], s.kinematics[0]
        for byte in range(len(s.blocks.memory)):
            places.memory[n, byte] = s.blocks.memory[byte]
