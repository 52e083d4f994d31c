"""Outcomes of a drive to a goal, and the judge that finds them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.base.json_output import json_text
from simulator.base.records import Record

if TYPE_CHECKING:
    from simulator.autonomy.contract import Goal
    from simulator.autonomy.goal_section import Endings

REACHED, COLLISION, STUCK, ROLLED, TIMEOUT, ERROR = OUTCOMES = ("reached", "collision", "stuck", "rolled", "timeout", "error")
"""Outcomes, everywhere with these words; their numbers in the log are the places in this list."""

KEY = "outcome"
"""Key of an outcome, its word and its reason, in metrics.json, in the metadata of a log and in a row of a sweep."""


class Outcome(NamedTuple):
    """Outcome of a drive to a goal."""

    word: str
    """One of OUTCOMES."""
    reason: str = ""

    @property
    def message(self) -> str:
        """Outcome and reason in one line."""
        return f"{self.word}: {self.reason}" if self.reason else self.word


def outcome_of(driver: object, early: str = "") -> Outcome | None:
    """Return the outcome of a run with this driver, None for a driver without a goal; `early` is the reason of another end of the run."""
    if not hasattr(driver, "outcome") or not hasattr(driver, "goal"):
        return None
    if driver.outcome is not None:
        return driver.outcome
    return Outcome(ERROR, early) if early else Outcome(TIMEOUT)


def outcome_in_log(outcome: Outcome | None) -> dict[str, str]:
    """Return the metadata of a log for an outcome; none without an outcome."""
    return {} if outcome is None else {KEY: json_text(outcome._asdict())}


CLOSER = 1.0
"""m. By how much the vehicle must come closer to the goal to be closer."""


CIRCLES = 2
"""Full turns in one direction, back to the same place and no closer to the goal, after which a vehicle drives in circles."""
RAMP = 1.0
"""m. Difference of the height of two places above each other, as on a spiral ramp, which are not the same."""

LONGEST_QUEUE = 120.0
"""s at rest behind others, or before a crossing, after which a vehicle may be stuck; the longest stop in dense traffic takes 95 s."""


class Turns:
    """Full turns of a vehicle, one after the other in one direction, each back to the place where it began.

    Attributes
    ----------
    count : number of these turns so far
    """

    def __init__(self) -> None:
        self.count = 0
        self._yaw = self._turned = math.nan
        self._place = (math.nan, math.nan, math.nan)
        self._direction = 0.0

    def begin(self, place: tuple[float, float, float], yaw: float) -> None:
        """Count from a position [m] and heading [rad] on."""
        self.count, self._direction = 0, 0.0
        self._yaw, self._turned, self._place = yaw, 0.0, place

    def note(self, place: tuple[float, float, float], yaw: float, reach: float) -> None:
        """Note the position [m] and heading [rad]; `reach`: distance of two points of the same place [m]."""
        self._turned += math.remainder(yaw - self._yaw, math.tau)
        self._yaw = yaw
        if abs(self._turned) < math.tau:
            return
        direction = math.copysign(1.0, self._turned)
        same = math.dist(place[:2], self._place[:2]) <= reach and abs(place[2] - self._place[2]) <= RAMP
        self.count = int(same) + (self.count if same and direction == self._direction else 0)
        self._turned, self._place, self._direction = 0.0, place, direction


class Judge:
    """Judge of the outcomes that follow from the motion of the vehicle.

    Parameters
    ----------
    goal : of the drive
    endings : events that end the drive
    height : z of the goal in W [m]; None: the horizontal distance counts
    has_way : False if the true map has no way to the goal: a vehicle that comes no closer is stuck, although it moves
    """

    def __init__(self, goal: Goal, endings: Endings, height: float | None = None, has_way: bool = True) -> None:
        self._goal, self._endings, self._height, self._has_way = goal, endings, height, has_way
        self._fast_at: float | None = None
        self._moved_at = 0.0
        self._left_at, self._center = 0.0, (math.inf, math.inf)
        self._closer_at, self._closest = 0.0, math.inf
        self._turns = Turns()
        self._collisions: int | None = None

    @property
    def circles(self) -> int:
        """Number of full turns, back to the same place, since the vehicle came closer to the goal."""
        return self._turns.count

    def resume(self) -> None:
        """Begin all waiting times again, after another driver has driven."""
        self._fast_at, self._center, self._closest = None, (math.inf, math.inf), math.inf

    def outcome(
        self, t: float, readout: Record, collisions: Sequence[Any], reason: str, arrives: bool = True, gives_way: bool = False
    ) -> Outcome | None:
        """Return the outcome at time t [s], or None; `reason` explains why a vehicle at rest does not move, `arrives` is False on a route that
        only passes the goal, `gives_way` is True while others are in the way: a vehicle in a queue is not stuck before LONGEST_QUEUE."""
        now, ends = readout[0], self._endings
        if self._collisions is None:  # collisions of an earlier drive of the session do not count
            self._collisions = len(collisions)
        if ends.collision and len(collisions) > self._collisions:
            return Outcome(COLLISION, f"with {collisions[self._collisions].name}")
        if max(abs(float(now["roll"])), abs(float(now["pitch"]))) > ends.roll:
            return Outcome(ROLLED, f"roll {math.degrees(float(now['roll'])):.0f} deg, pitch {math.degrees(float(now['pitch'])):.0f} deg")
        x, y, z = (float(one) for one in now["p_WB"])
        above = 0.0 if self._height is None else z - self._height
        away = math.hypot(x - self._goal.x, y - self._goal.y, above)
        if arrives and away <= self._goal.radius:
            return Outcome(REACHED)
        if away < self._closest - CLOSER:
            self._closer_at, self._closest = t, away
            self._turns.begin((x, y, z), float(now["yaw"]))
        self._turns.note((x, y, z), float(now["yaw"]), ends.stuck_area)
        if self.circles >= CIRCLES:
            return Outcome(
                STUCK, f"drives in circles, {self.circles} full turns without coming closer to the goal than {self._closest:.0f} m"
            )
        v = now["v_WB_B"]
        if self._fast_at is None or math.hypot(float(v[0]), float(v[1])) >= ends.stuck_speed:
            self._fast_at = self._moved_at = t
        if gives_way and t - self._moved_at < LONGEST_QUEUE:
            self._fast_at = self._left_at = t
        if t - self._fast_at >= ends.stuck_time - 1e-9:
            slow = f"slower than {ends.stuck_speed:g} m/s for {ends.stuck_time:g} s"
            return Outcome(STUCK, f"{slow}: {reason}" if reason else slow)
        if math.hypot(x - self._center[0], y - self._center[1]) > ends.stuck_area:
            self._left_at, self._center = t, (x, y)
        patience = 2.0 * ends.stuck_time
        if ends.stuck_area > 0.0 and t - self._left_at >= patience - 1e-9:
            return Outcome(STUCK, f"within {ends.stuck_area:g} m for {patience:g} s")
        if ends.stuck_area > 0.0 and not self._has_way and t - self._closer_at >= patience - 1e-9:
            return Outcome(STUCK, f"no closer to the goal for {patience:g} s; the true map has no way to it")
        return None
