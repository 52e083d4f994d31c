"""Finds the ends of a corner's travel, see `vehicles.suspension.hard_stops`.

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
from vehicles.axle_layout import WHEELS, record_for
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.composite_inertia import prepare
from vehicles.suspension.corner_design import Places
from vehicles.suspension.default_kind import gap_default, turn_default

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

CHUNK, SMALL_CHUNK = 80, 20
"""Thetas that are looked at together, and where a kind of axle looks for itself: a place takes 10 kB there, and more memory than this is new to the
process each time, which takes longer than the look."""

LOCKS = (-1.0, 0.0, 1.0)
"""Steering, as shares of full lock, at which every position has to be sound."""

STOPS = ("stop_points", "stop_penetration", "bump_stop_length", "rebound_stop_length")
"""Rows of STRUTS by which ends are found."""


LOOKS = (
    # name           shape       unit     what it is (corners last)
    ("theta", (), "rad, m", "of all corners"),
    ("arm_angle", (), "rad", "of the Pitman arm"),
    ("inertia", (WHEELS,), "kg m2, kg", "of theta"),
    ("center", (3, WHEELS), "m", "of the wheel"),
    ("way", (3, WHEELS), "m, 1", "its way per theta"),
    ("axle", (3, WHEELS), "1", "of the wheel, pointing left"),
    ("spring_length", (WHEELS,), "m", "of the spring"),
    ("levers", (2, WHEELS), "m, 1", "lengths of spring and shock absorber per theta"),
    ("gap", (WHEELS,), "m", "by which the loops are open"),
    ("turn", (WHEELS,), "rad/m", "of the carrier per way of its tie rod"),
)
"""What is to be known of corners at a position, of which the first two rows are given."""


class TravelResult(NamedTuple):
    """How far corners came from the design position to one side.

    last : theta up to which they are sound at every lock; once the stops are used up nobody need look further than ENOUGH
    metal : theta at which the rubber stops are used up, infinite if they are not before that
    """

    last: Vector | float
    metal: Vector | float


def find_ends(looker: TravelScanner, which: NDArray[np.bool_]) -> None:
    """Find the ends of the corners in `which` (wheels,) and write them into the CORNERS record of the mechanism that is looked at.

    The others have no closed form: what is in their columns on the way means nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        walker = _Walker(looker, which)
        down, up = (TravelResult(*(thetas[which] for thetas in walker.walk(side))) for side in (-1.0, 1.0))
        place_ends(looker.mechanism.corners[0]["ends"], which, walker.inertia[which], walker.way[which], down, up)


def place_ends(
    ends: Any, which: NDArray[np.bool_] | int, inertia: Vector | float, way: Vector | float, down: TravelResult, up: TravelResult
) -> None:
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


def decides_ends(mechanism: MechanismParameters, steering: Record, which: NDArray[np.bool_]) -> Hashable:
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


def ends_of(looker: TravelScanner, which: NDArray[np.bool_]) -> Record:
    """The ends of the travel, which the mechanism gets too."""
    find_ends(looker, which)
    return looker.mechanism.corners[0]["ends"].copy()


class TravelScanner:
    """Looks at all corners of a mechanism at once, at up to `chunk` thetas with all LOCKS at a time; `steering` is a record of STEERING."""

    def __init__(self, mechanism: MechanismParameters, steering: Record) -> None:
        self.mechanism, self.steering, self._arm = mechanism, steering, record(STEERING_STATE)
        self._workspace = w = new_workspace(mechanism)
        self._others = [i for i, corner in enumerate(mechanism.designs) if corner.block is not None]
        """Corners that say themselves how they are, from what their kernels have found."""
        self.chunk = SMALL_CHUNK if self._others else CHUNK
        most = self.chunk * len(LOCKS)
        kept = most if self._others else 0
        self._looks = record_for(LOOKS, mechanism.size, most)
        of_blocks = np.empty(kept, w.blocks.scratch.dtype), np.empty((kept, len(w.blocks.memory)), np.uint8)
        self._places = Places(w.blocks, *of_blocks, np.empty(kept, w.inputs.dtype), np.empty(kept, w.kinematics.dtype))

    def look(self, thetas: Vector, angles: Vector) -> Record:
        """Record of LOOKS (n,) at thetas (n,) of all corners, the Pitman arm at angles (n,) [rad]. It is written anew at the next look."""
        count, m = len(thetas), self.mechanism
        looks, places = self._looks[:count], Places(self._places.blocks, *(part[:count] for part in self._places[1:]))
        looks["theta"], looks["arm_angle"] = thetas, angles
        look_at(m.records, self._workspace, self.steering, self._arm, looks, places)
        for i in self._others:
            looks["gap"][:, i] = m.designs[i].gaps(m.corners, places, i)
            looks["turn"][:, i] = m.designs[i].turns_of_steering(places, i)
        return looks


def quickest_steering(looker: TravelScanner, which: NDArray[np.bool_]) -> float:
    """Largest turn of a front carrier per way of its tie rod, in the design position at every lock, over that straight ahead. `which` (wheels,) as above."""
    with np.errstate(divide="ignore", invalid="ignore"):
        turns = _Walker(looker, which).turns_at_locks()
    front = [i for i in looker.mechanism.axles.on(0) if which[i]]
    return float(np.nanmax(turns[:, front]))


class _Walker:
    """Moves all corners at once and compares them with their design position."""

    def __init__(self, looker: TravelScanner, which: NDArray[np.bool_]) -> None:
        self.struts, self.which, self._looker = looker.mechanism.struts[0], which, looker
        self._locks: Vector = np.array(LOCKS) * looker.steering[0]["max_arm_angle"]
        design = looker.look(np.zeros(1), np.zeros(1))[0]
        self.inertia: Vector = design["inertia"].copy()
        """(wheels,) inertia of theta in the design position"""
        self.way: Vector = np.linalg.norm(design["way"], axis=0)
        """(wheels,) way of the wheel per theta there [m]"""
        self._rise, self._levers, self._turn = (design[name].copy() for name in ("way", "levers", "turn"))

    def walk(self, side: float) -> tuple[Vector, Vector]:
        """The thetas of `TravelResult` (wheels,) to the side -1 or +1."""
        last, metal, going = np.zeros(len(self.which)), np.full(len(self.which), side * np.inf), self.which.copy()
        thetas, enough, locks = side * np.arange(STRIDE, FARTHEST, STRIDE), ENOUGH / self.way, len(LOCKS)
        for first in range(0, len(thetas), self._looker.chunk):
            some = thetas[first : first + self._looker.chunk]
            looks = self._looker.look(np.repeat(some, locks), np.tile(self._locks, len(some)))
            sound: NDArray[np.bool_] = np.asarray(self._sound(looks).reshape(len(some), locks, -1).all(axis=1))
            used_up = self._stops_used_up(looks[locks - 1 :: locks], side)
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
        return np.asarray(self._looker.look(np.zeros(len(LOCKS)), self._locks)["turn"] / self._turn)

    def _stops_used_up(self, looks: Record, side: float) -> NDArray[np.bool_]:
        """(n, wheels) corners whose rubber stops are used up."""
        s, length = self.struts, looks["spring_length"]
        points = s["stop_points"]
        most = s["stop_penetration"][np.arange(len(points)), points - 1]
        used = s["bump_stop_length"] - length if side > 0.0 else length - s["rebound_stop_length"]
        return np.asarray((points > 0) & (used > most))

    def _sound(self, looks: Record) -> NDArray[np.bool_]:
        """(n, wheels) corners that are well closed where they are."""
        sound = (looks["inertia"] < HEAVIER * self.inertia) & (looks["way"][:, 2] > SHARE * self._rise[2])
        sound &= (looks["levers"] / self._levers > SHARE).all(axis=1)
        return np.asarray(sound & (looks["gap"] < OPEN) & (looks["turn"] <= QUICKER * self._turn))


@kernel
def look_at(m, s, steering, arm, looks, places):
    """Place all corners at one theta after the other, the Pitman arm at its angle, and note how they are.

    m, s : records of a mechanism and its workspace, arm : record of STEERING_STATE, changed, looks : record of LOOKS (n,), filled, for corners of the
    default kind `gap` and `turn` too, places : `Places` at as many positions, filled, or at none
    """
    state, found, k = s.state[0], s.blocks.scratch[0], s.kinematics[0]
    for n in range(len(looks)):
        seen = looks[n]
        arm[0]["angle"] = seen["arm_angle"]
        for i in range(len(state["theta"])):
            state["theta"][i] = seen["theta"]
        place_tierods(steering, arm, s.inputs)
        prepare(m, s)
        for i in range(len(state["theta"])):
            seen["inertia"][i], seen["spring_length"][i] = k["D"][i], k["spring_length"][i]
            seen["levers"][0, i], seen["levers"][1, i] = k["spring_length_1"][i], k["shock_length_1"][i]
            for j in range(3):
                seen["center"][j, i], seen["way"][j, i], seen["axle"][j, i] = k["W"][j, i], k["W_1"][j, i], k["axle"][j, i]
            seen["gap"][i] = gap_default(s.blocks.own[0], found, s.inputs[0]["Q"], i)
            seen["turn"][i] = turn_default(found, i)
        if n < len(places.inputs):
            places.scratch[n], places.inputs[n], places.kinematics[n] = found, s.inputs[0], k
            for byte in range(len(s.blocks.memory)):
                places.memory[n, byte] = s.blocks.memory[byte]
