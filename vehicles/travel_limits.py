"""Search for the travel limits of a corner, see `vehicles.suspension.hard_stops`.

From the design position the corners move to both sides, at every lock of the steering. The search ends where the linkage opens its loops,
or where its inertia, the path of the wheel or the levers of the struts indicate a nearby toggle position. The limit is a margin before this
position, or the position in which the rubber stops of the vehicle file are used up, whichever comes first. The search continues only a
short distance beyond used-up stops. The search reads only the kinematics, so it is independent of the kind of corner, except for the gaps
of its loops.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from vehicles.axle_layout import WHEELS, record_for
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.composite_inertia import prepare
from vehicles.suspension.corner_design import Places
from vehicles.suspension.default_kind import gap_default, turn_default

LOAD = 200e3
"""N. Load on a wheel, along its path, under which a limit yields by YIELDING."""

YIELDING = 0.02
"""m. Larger: softer limits, which need more MARGIN. Smaller: harder impacts on the chassis."""

MARGIN = 0.04
"""m. Path of the wheel between a limit and the last position that is known to be closed."""

PATH_BEYOND_STOPS = 2.0 * MARGIN
"""m. Path of the wheel from used-up stops to the last scanned position: the limits yield by a fourth of it under LOAD."""

DAMPING = 0.5
"""Damping ratio of a limit, relative to the inertia of its corner alone."""

RIGID = 1e9
"""1/s2. Rate over inertia beyond the margin: a thousand times the inertia over the square of a step of 1 ms."""

STRIDE = 8e-3
"""rad, m. Distance between two scanned positions."""

FARTHEST = 1.2
"""rad, m. Maximum travel that is scanned."""

SHARE = 0.3
"""Minimum wheel path and strut lever per theta, as ratios to those in the design position."""

HEAVIER = 4.0
"""Maximum ratio of the inertia of theta to that in the design position: the inertia grows without bound towards a toggle position."""

QUICKER = 3.0
"""Maximum ratio of the turn of a steered carrier per tie-rod travel to that in the design position: detects the toggle of the steering."""

OPEN = 1e-9
"""m. Length error of the linkage above which a loop counts as open."""

CHUNK, SMALL_CHUNK = 80, 20
"""Number of thetas scanned together; the second value is for corner kinds that compute their own gaps. These need 10 kB per position, and
more memory than this would be newly allocated for every scan, which takes longer than the scan itself."""

LOCKS = (-1.0, 0.0, 1.0)
"""Steering positions, as fractions of full lock, at which every theta must be valid."""

STOPS = ("stop_points", "stop_penetration", "bump_stop_length", "rebound_stop_length")
"""Rows of STRUTS that the limits depend on."""


SCAN_RESULT = (
    # name           shape       unit     what it is (corners last)
    ("theta", (), "rad, m", "theta of all corners"),
    ("arm_angle", (), "rad", "angle of the Pitman arm"),
    ("inertia", (WHEELS,), "kg m2, kg", "inertia of theta"),
    ("center", (3, WHEELS), "m", "center of the wheel"),
    ("way", (3, WHEELS), "m, 1", "path of the wheel center per theta"),
    ("axle", (3, WHEELS), "1", "axle of the wheel, pointing left"),
    ("spring_length", (WHEELS,), "m", "length of the spring"),
    ("levers", (2, WHEELS), "m, 1", "lengths of spring and shock absorber per theta"),
    ("gap", (WHEELS,), "m", "gap of the loops"),
    ("turn", (WHEELS,), "rad/m", "turn of the carrier per tie-rod travel"),
)
"""Properties of the corners at one position; the first two rows are inputs."""


class TravelResult(NamedTuple):
    """Travel of corners from the design position to one side.

    last : theta up to which they are valid at every lock; beyond used-up stops the scan may end after PATH_BEYOND_STOPS
    metal : theta at which the rubber stops are used up, infinite if they are not used up before `last`
    """

    last: Vector | float
    metal: Vector | float


def find_ends(scanner: TravelScanner, which: NDArray[np.bool_]) -> None:
    """Search for the limits of the corners in `which` (wheels,) and write them into the CORNERS record of the scanned mechanism.

    The other corners have no closed form: intermediate values in their columns are meaningless.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        search = _TravelSearch(scanner, which)
        down, up = (TravelResult(*(thetas[which] for thetas in search.run(side))) for side in (-1.0, 1.0))
        place_ends(scanner.mechanism.corners[0]["ends"], which, search.inertia[which], search.path[which], down, up)


def place_ends(
    ends: Any, which: NDArray[np.bool_] | int, inertia: Vector | float, path: Vector | float, down: TravelResult, up: TravelResult
) -> None:
    """Write the limits of some corners, or of one, into a record of ENDS.

    Parameters
    ----------
    which : (wheels,) mask of the corners, or the index of one corner; the other arguments are arrays over these corners, or numbers
    inertia : inertia of theta in the design position
    path : path of the wheel per theta in the design position [m]
    down, up : travel to both sides
    """
    margin, beyond, rate = MARGIN / path, PATH_BEYOND_STOPS / path, LOAD * path**2 / YIELDING
    ends["closed"][:, which] = np.stack([np.maximum(down.last, down.metal - beyond), np.minimum(up.last, up.metal + beyond)])
    low = np.maximum(down.metal, down.last + np.minimum(margin, -0.5 * down.last))
    high = np.minimum(up.metal, up.last - np.minimum(margin, 0.5 * up.last))
    ends["theta"][:, which] = np.stack([low, high])
    ends["rate"][which], ends["rigid_rate"][which] = rate, RIGID * inertia
    ends["damping"][which] = 2.0 * DAMPING * np.sqrt(rate * inertia)


def decides_ends(mechanism: MechanismParameters, steering: Record, which: NDArray[np.bool_]) -> Hashable:
    """Return a key of all values on which the travel limits depend: of springs and dampers only the stops."""
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


def ends_of(scanner: TravelScanner, which: NDArray[np.bool_]) -> Record:
    """Search for the travel limits, write them into the mechanism and return a copy."""
    find_ends(scanner, which)
    return scanner.mechanism.corners[0]["ends"].copy()


class TravelScanner:
    """Evaluates all corners of a mechanism together, at up to `chunk` thetas times all LOCKS; `steering` is a record of STEERING."""

    def __init__(self, mechanism: MechanismParameters, steering: Record) -> None:
        self.mechanism, self.steering, self._arm = mechanism, steering, record(STEERING_STATE)
        self._workspace = w = new_workspace(mechanism)
        self._others = [i for i, corner in enumerate(mechanism.designs) if corner.block is not None]
        """Corners that compute gap and turn themselves, from the results of their kernels."""
        self.chunk = SMALL_CHUNK if self._others else CHUNK
        most = self.chunk * len(LOCKS)
        kept = most if self._others else 0
        self._results = record_for(SCAN_RESULT, mechanism.size, most)
        of_blocks = np.empty(kept, w.blocks.scratch.dtype), np.empty((kept, len(w.blocks.memory)), np.uint8)
        self._places = Places(w.blocks, *of_blocks, np.empty(kept, w.inputs.dtype), np.empty(kept, w.kinematics.dtype))

    def scan(self, thetas: Vector, angles: Vector) -> Record:
        """Return a record of SCAN_RESULT (n,) at thetas (n,) of all corners and Pitman arm angles (n,) [rad]; the next call overwrites the
        record."""
        count, m = len(thetas), self.mechanism
        results, places = self._results[:count], Places(self._places.blocks, *(part[:count] for part in self._places[1:]))
        results["theta"], results["arm_angle"] = thetas, angles
        scan_positions(m.records, self._workspace, self.steering, self._arm, results, places)
        for i in self._others:
            results["gap"][:, i] = m.designs[i].gaps(m.corners, places, i)
            results["turn"][:, i] = m.designs[i].turns_of_steering(places, i)
        return results


def quickest_steering(scanner: TravelScanner, which: NDArray[np.bool_]) -> float:
    """Return the maximum turn of a steered carrier per tie-rod travel, in the design position over all locks, relative to straight ahead.

    which : (wheels,) mask of the corners
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        turns = _TravelSearch(scanner, which).turns_at_locks()
    steered = [i for p in scanner.steering for i in (p["corner"], p["corner"] + 1) if which[i]]
    return float(np.nanmax(turns[:, steered]))


class _TravelSearch:
    """Moves all corners together and compares them with their design position."""

    def __init__(self, scanner: TravelScanner, which: NDArray[np.bool_]) -> None:
        self.struts, self.which, self._scanner = scanner.mechanism.struts[0], which, scanner
        self._locks: Vector = np.array(LOCKS) * scanner.steering[0]["max_arm_angle"]
        design = scanner.scan(np.zeros(1), np.zeros(1))[0]
        self.inertia: Vector = design["inertia"].copy()
        """(wheels,) inertia of theta in the design position"""
        self.path: Vector = np.linalg.norm(design["way"], axis=0)
        """(wheels,) path of the wheel per theta in the design position [m]"""
        self._rise, self._levers, self._turn = (design[name].copy() for name in ("way", "levers", "turn"))

    def run(self, side: float) -> tuple[Vector, Vector]:
        """Return the thetas of `TravelResult` (wheels,) for the side -1 or +1."""
        last, metal, going = np.zeros(len(self.which)), np.full(len(self.which), side * np.inf), self.which.copy()
        thetas, beyond, locks = side * np.arange(STRIDE, FARTHEST, STRIDE), PATH_BEYOND_STOPS / self.path, len(LOCKS)
        for first in range(0, len(thetas), self._scanner.chunk):
            some = thetas[first : first + self._scanner.chunk]
            results = self._scanner.scan(np.repeat(some, locks), np.tile(self._locks, len(some)))
            valid: NDArray[np.bool_] = np.asarray(self._is_valid(results).reshape(len(some), locks, -1).all(axis=1))
            used_up = self._stops_used_up(results[locks - 1 :: locks], side)
            alive = going & np.logical_and.accumulate(valid, axis=0)
            reached, spent = alive.sum(axis=0), alive & used_up
            last = np.where(reached > 0, some[reached - 1], last)
            metal = np.where(np.isinf(metal) & spent.any(axis=0), some[spent.argmax(axis=0)], metal)
            going = alive[-1] & (side * (some[-1] - metal) < beyond)
            if not going.any():
                break
        return last, metal

    def turns_at_locks(self) -> Vector:
        """Return (locks, wheels) turns of steered carriers per tie-rod travel in the design position, relative to straight ahead."""
        return np.asarray(self._scanner.scan(np.zeros(len(LOCKS)), self._locks)["turn"] / self._turn)

    def _stops_used_up(self, results: Record, side: float) -> NDArray[np.bool_]:
        """Return the mask (n, wheels) of corners whose rubber stops are used up."""
        s, length = self.struts, results["spring_length"]
        points = s["stop_points"]
        maximum = s["stop_penetration"][np.arange(len(points)), points - 1]
        used = s["bump_stop_length"] - length if side > 0.0 else length - s["rebound_stop_length"]
        return np.asarray((points > 0) & (used > maximum))

    def _is_valid(self, results: Record) -> NDArray[np.bool_]:
        """Return the mask (n, wheels) of corners that are closed and far enough from a toggle position."""
        valid = (results["inertia"] < HEAVIER * self.inertia) & (results["way"][:, 2] > SHARE * self._rise[2])
        valid &= (results["levers"] / self._levers > SHARE).all(axis=1)
        return np.asarray(valid & (results["gap"] < OPEN) & (results["turn"] <= QUICKER * self._turn))


@kernel
def scan_positions(m, s, steering, arm, results, places):
    """Place all corners at one theta and Pitman arm angle after the other, and record their properties.

    m, s : records of a mechanism and its workspace
    arm : record of STEERING_STATE, changed
    results : record of SCAN_RESULT (n,), filled; `gap` and `turn` only for corners of the default kind
    places : `Places` for as many positions, filled, or for none
    """
    state, found, k = s.state[0], s.blocks.scratch[0], s.kinematics[0]
    for n in range(len(results)):
        seen = results[n]
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
