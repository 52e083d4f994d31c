"""Timed course of a session: times of all vehicles, cones, the leader; texts for the window and columns of the log."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from simulator.base.records import Record, Table, record
from simulator.collision import Collision
from simulator.driver.seen_vehicle import FIRST, SeenVehicle
from simulator.maneuvers.course_timing import CourseTiming, Following, Passing, clock, ranking
from simulator.maneuvers.timed_course import PlacedCourse
from terrain.objects.object_set import ObjectSet

COURSE_LOG = (
    # name       shape  unit  description
    ("lap", (), "1", "number of the present lap, 0 before the first line", "i8"),
    ("next", (), "1", "number of the line to pass next, 0 = the first one", "i8"),
    ("time", (), "s", "time since the first line, without penalties"),
    ("lap_time", (), "s", "time of the present lap"),
    ("penalty", (), "s", "penalties"),
    ("position", (), "1", "position among the vehicles of the course, 1 = leads", "i8"),
    ("deviation", (), "m", "distance from the track of the leader; 0 without one"),
)
"""Columns of the log of a session with a timed course; their names begin with course_."""
SHOWN = 2.5
"""s for which the window shows the last line or lap."""
PRESSED = 0.05
"""1. Throttle of a person that begins a drive."""
OF_OTHERS = ("lap", "finish")
"""What is announced of the other vehicles."""


class SessionCourse:
    """Times of the vehicles of a session on its course.

    Parameters
    ----------
    course : in the world
    name : name of the course

    Attributes
    ----------
    timings : times by name of the vehicle, the first one is FIRST
    passings : what has happened to the first vehicle, since the first begin
    best : best time so far of the user, for the window: of a lap, or of the course [s]; None without one
    """

    label = "course"
    """Name in messages."""

    def __init__(self, course: PlacedCourse, name: str) -> None:
        self.course, self.name = course, name
        self.best: float | None = None
        self.timings: dict[str, CourseTiming] = {}
        self.following: Following | None = None
        self._log: Record = record(COURSE_LOG)
        self._touched: set[int] = set()
        self._heard = 0
        self._past: list[dict[str, Any]] = []
        self._drivers: set[str] = set()
        self.passings: list[Passing] = []
        self._now = self._passed = -math.inf
        self._place = (0.0, 0.0, 0.0)
        self._text, self._holds = "", False

    @property
    def logged(self) -> tuple[str, Table, Record]:
        """Prefix, table and record for the log."""
        return "course_", COURSE_LOG, self._log

    @property
    def own(self) -> CourseTiming:
        """Times of the first vehicle."""
        return self.timings[FIRST]

    @property
    def attempts(self) -> list[dict[str, Any]]:
        """Results of the first vehicle, one for each begin of the drive after which it has completed a lap or the course."""
        return [*self._past, self.to_json()] if self.timings and self.own.laps else self._past

    def begin(self, names: Sequence[str], collisions: int) -> None:
        """Begin a drive with these vehicles; `collisions`: number of collisions of the first vehicle before it."""
        self._past = self.attempts
        self.course.path.find(0.0, 0.0)  # loads its kernels before the first tick
        self.timings = {name: CourseTiming(self.course) for name in names if name != self.course.section.leader}
        self.following = None if self.course.section.leader is None else Following(self.course.section.reach)
        self._touched, self._heard = set(), collisions
        self._now = self._passed = -math.inf
        self._text, self._drivers, self._holds = "", set(), True
        self._log[:] = record(COURSE_LOG)

    def hold(self, command: Record, by_person: bool) -> None:
        """Brake the vehicle of a person from the begin until the throttle is pressed: an automatic transmission creeps, over the start or into
        another vehicle."""
        self._holds = self._holds and by_person and command[0]["throttle"] < PRESSED
        if self._holds:
            command[0]["brake"] = 1.0

    def note(
        self,
        now: float,
        vehicles: Sequence[SeenVehicle],
        objects: ObjectSet,
        collisions: Sequence[Collision],
        announce: Callable[[str, Any], None],
        driver: str = "",
    ) -> None:
        """Take the state at a simulated time [s]; called at each call of the driver, with its name. `announce` receives what has happened."""
        if now <= self._now:
            return
        step, self._now = now - self._now, now
        fronts = {one.name: (one.x + one.front * math.cos(one.yaw), one.y + one.front * math.sin(one.yaw)) for one in vehicles}
        for name, timing in self.timings.items():
            passings = timing.note(now, *fronts[name])
            if name == FIRST:
                passings += timing.note_cones(now, self._cones(objects, collisions))
            for one in passings:
                self._announce(name, one, timing, announce)
        if self.own.runs:
            self._drivers.add(driver)
        first = next(one for one in vehicles if one.name == FIRST)
        self._place = (*fronts[FIRST], first.yaw)
        leader = next((one for one in vehicles if one.name == self.course.section.leader), None)
        if self.following is not None and leader is not None and math.isfinite(step):
            self.following.note(step, (first.x, first.y), (leader.x, leader.y), self.own.runs)
        self._write(now, ranking(list(self.timings.items()), fronts).index(FIRST) + 1)

    def _announce(self, name: str, one: Passing, timing: CourseTiming, announce: Callable[[str, Any], None]) -> None:
        if name == FIRST:
            self._passed, self._text = one.time, one.text
            self.passings.append(one)
        elif one.what not in OF_OTHERS:
            return
        vehicle = {} if name == FIRST else {"vehicle": name}
        announce("course", {"what": one.what, "time_s": one.time, "lap": timing.lap, "text": one.text, **vehicle})

    def _cones(self, objects: ObjectSet, collisions: Sequence[Collision]) -> int:
        """Return the number of cones that the first vehicle has knocked over."""
        self._touched |= {one.object for one in collisions[self._heard :] if one.label == "cone"}
        self._heard = len(collisions)
        return sum(bool(objects.states[objects.records[number - objects.first]["state"]]["broken"]) for number in self._touched)

    def _write(self, now: float, position: int) -> None:
        log, own = self._log[0], self.own
        log["lap"], log["next"], log["position"] = own.lap, own.next_line, position
        log["time"], log["penalty"] = own.elapsed(now), own.penalty
        log["lap_time"] = now - own.lap_began if own.runs else 0.0
        log["deviation"] = 0.0 if self.following is None else self.following.deviation

    def lines(self) -> list[str]:
        """Return the texts for the window."""
        own, course, section = self.own, self.course, self.course.section
        if self.following is not None:
            out = [f"{clock(own.elapsed(self._now))}   gap {self.following.gap:.0f} m"]
            if own.lap:
                out.append(f"off the track {self.following.deviation:.1f} m, mean {self.following.mean:.2f} m")
                out.append(f"with the leader {100.0 * self.following.near:.0f} %")
        elif course.closed:
            out = [f"lap {own.lap}/{section.laps}   {clock(own.lap_began and self._log[0]['lap_time'])}"]
            sector = f"sector {own.next_line or len(course.names)}   " if own.runs else ""
            out.append(sector + (f"position {self._log[0]['position']}/{len(self.timings)}" if len(self.timings) > 1 else ""))
            laps = [lap.time for lap in own.laps if lap.clean]
            best = min([*laps, *([] if self.best is None else [self.best])], default=None)
            out.append("" if best is None else f"best lap {clock(best)}")
        else:
            out = [clock(own.elapsed(self._now))]
            gates = len(course.names) - own.next_line
            out.append("" if own.finished else f"{gates} {'line' if gates == 1 else 'lines'} left")
            out.append("" if self.best is None else f"best {clock(self.best)}")
        if own.penalty:
            out.append(f"penalty +{own.penalty:g} s" + (f", {own.cones} {'cone' if own.cones == 1 else 'cones'}" if own.cones else ""))
        if self._holds:
            out.append("press the throttle")
        elif not own.finished and self._now - self._passed > SHOWN:
            out.append(self._ahead())
        elif self._text:
            out.append(self._text)
        return [line for line in out if line]

    def _ahead(self) -> str:
        """Return distance and direction of the next line."""
        x, y, yaw = self._place
        cx, cy = self.course.centers[self.own.next_line]
        bearing = math.degrees(math.remainder(math.atan2(cy - y, cx - x) - yaw, math.tau))
        side = "ahead" if abs(bearing) < 5.0 else f"{abs(bearing):.0f}° {'left' if bearing > 0.0 else 'right'}"
        return f"{self.course.names[self.own.next_line]}: {math.hypot(cx - x, cy - y):.0f} m, {side}"

    def summary(self) -> list[str]:
        """Return the lines about the result for a terminal."""
        out = [line for name, timing in self.timings.items() for line in _summary("" if name == FIRST else f"{name}: ", timing)]
        if self.following is not None and self.own.lap:
            near = f"with it {100.0 * self.following.near:.0f} % of the time"
            out.append(f"mean distance from the track of the leader {self.following.mean:.2f} m, {near}")
        return out

    def to_json(self) -> dict[str, Any]:
        """Return the results of all vehicles, with units in the keys."""
        others = {name: timing.to_json() for name, timing in self.timings.items() if name != FIRST}
        follow = {} if self.following is None else self.following.to_json()
        return {
            "course": self.name,
            "drivers": sorted(self._drivers),
            **self.own.to_json(),
            **follow,
            **({"others": others} if others else {}),
        }


def _summary(who: str, timing: CourseTiming) -> list[str]:
    """Return the lines about one vehicle."""
    out = []
    if timing.course.closed:
        for lap in timing.laps:
            sectors = ", ".join(f"{sector:.3f}" for sector in lap.sectors)
            out.append(f"{who}lap {lap.number}: {clock(lap.time)} (sectors {sectors} s){'' if lap.clean else ', off the course'}")
    parts = [
        f"{timing.cones} cone{'s' * (timing.cones > 1)}" if timing.cones else "",
        f"{timing.leavings} time{'s' * (timing.leavings > 1)} off the course" if timing.leavings else "",
    ]
    penalties = f" ({', '.join(filter(None, parts))})" if timing.penalty else ""
    if not timing.finished:
        return [*out, f"{who}not finished: {timing.course.names[timing.next_line]} is next{penalties}"]
    total = f", with penalties {clock(timing.ended - timing.began + timing.penalty)}" if timing.penalty else ""
    return [*out, f"{who}finish: {clock(timing.ended - timing.began)}{total}{penalties}"]
