"""The driver who drives a maneuver phase by phase."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simulator.base.direct import direct
from simulator.base.records import Record, Table, record
from simulator.driver.gears import GearShifter
from simulator.driver.path import Spawn
from simulator.driver.speed import SpeedControl
from simulator.driver.steering.follower import PathFollower
from simulator.driver.steering.seen import SEEN, notice
from simulator.driver.traits import VehicleTraits
from simulator.maneuvers.conditions import Conditions, Look, Watcher
from simulator.maneuvers.phases import SELECTOR, SHIFTING, STEERING, USUAL_ACCELERATION, Phase, Running, follows_path, roll_rate

DRIVEN = (
    # name    shape unit what it is
    ("phase", (), "1", "phase of the maneuver that is driven, from 0; -1 when it is over", "i8"),
    ("station", (), "m", "place along the path of the maneuver"),
    ("path_error", (), "m", "distance from that path, + = to its left"),
)
"""What a maneuver in phases adds to the log."""
GRACE = 0.2
"""s for which everything stays as it is once the maneuver is over: a run ends within it, and its last rows are of the maneuver."""
STOP = 0.5
"""Brake pedal with which a drive goes on after its maneuver is over, where it goes on at all."""


DONE = "done"
"""Every phase was driven to its end."""


class PhaseDriver:
    """Driver of a maneuver in phases.

    Parameters
    ----------
    phases : in their order
    aborts : conditions of which any gives the maneuver up, whatever the phase
    start : where it begins in the world
    traits : of the vehicle
    speed : keeps a speed with both pedals
    followers : who steers along the path, where the maneuver has one: by name of a phase who does in that phase, under None who else does
    seed : of random profiles
    """

    def __init__(
        self,
        phases: Sequence[Phase],
        aborts: Conditions,
        start: Spawn,
        traits: VehicleTraits,
        speed: SpeedControl,
        followers: Mapping[str | None, PathFollower],
        seed: int,
    ) -> None:
        self.ended = ""
        """How the maneuver ended: DONE, or why it was given up; empty while it goes on."""
        self._phases, self._start, self._traits, self._seed = tuple(phases), start, traits, seed
        self._speed, self._followers, self._follower = speed, followers, followers.get(None)
        self._aborts = [one.watch() for one in aborts]
        self._driven = record(DRIVEN)
        self._phase = -1
        self._over: float | None = None
        self._begun = self._way = self._way_begun = 0.0
        self._heading: float | None = None
        self._before: tuple[float, float] | None = None
        self._station = math.nan
        self._seen = record(SEEN)
        self._notice: Callable | None = None
        self._input = 0.0
        self._running: dict[str, Running] = {}
        self._follows = False
        self._keeps_speed = False
        self._taken_over = False
        self._acceleration: float | None = None
        self._asked: tuple[float, float] | None = None
        self._values = dict.fromkeys(("steering", "road_wheel", "speed", "throttle", "brake", "parking_brake", "drawbar"), 0.0)
        self._selector, self._gear = 1, 0
        self._shifter: GearShifter | None = None
        self._until: list[Watcher] = []
        self._phase_aborts: list[Watcher] = []

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """What it adds to the log."""
        return [("", DRIVEN, self._driven)]

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s) from the READOUT record. A vehicle without a place keeps the last command."""
        if self._notice is None:
            self._notice = direct(notice, readout, self._seen)
        if not self._notice(readout, self._seen):
            return
        if self._phase < 0 and not self.ended:
            self._enter(0, t, readout)
        look = self._look(t, readout)
        self._pass_on(look)
        if self.ended:
            self._stop(t, command)
        else:
            self._fill(look, command)
        out = self._driven[0]
        out["phase"], out["station"], out["path_error"] = -1 if self.ended else self._phase, look.station, look.path_error

    def _look(self, t: float, readout: Record) -> Look:
        seen, start = self._seen[0], self._start
        at = float(seen["x"]), float(seen["y"])
        east, north = at[0] - start.x, at[1] - start.y
        c, s = math.cos(start.yaw), math.sin(start.yaw)
        x, y = c * east + s * north, c * north - s * east
        before = self._heading or 0.0
        self._heading = before + math.remainder(float(seen["yaw"]) - start.yaw - before, math.tau)
        if self._before is not None:
            self._way += math.hypot(x - self._before[0], y - self._before[1])
        self._before = (x, y)
        error = math.nan
        if self._follower is not None:
            path = self._follower.path
            self._station = path.find(*at) if math.isnan(self._station) else path.nearest(*at, self._station)
            error = path.offset_of(*at, self._station)
        done = all(running.done(t) for running in self._running.values())
        return Look(t, self._begun, self._way_begun, self._way, readout, x, y, self._heading, self._station, error, done)

    def _pass_on(self, look: Look) -> None:
        """Give up, or go to the next phase, as the conditions say; several phases may end at one look."""
        while not self.ended:
            wrong = [watcher for watcher in (*self._aborts, *self._phase_aborts) if watcher.holds(look)]
            if wrong:
                self.ended = f"given up in phase {self._phases[self._phase].name}: {wrong[0].words}"
                return
            over = [watcher.holds(look) for watcher in self._until]
            if not any(over):
                return
            if self._phase + 1 == len(self._phases):
                self.ended = DONE
                return
            self._enter(self._phase + 1, look.t, look.readout)
            look = look._replace(begun=self._begun, way_begun=self._way_begun, done=all(r.done(look.t) for r in self._running.values()))

    def _enter(self, index: int, t: float, readout: Record) -> None:
        """Begin a phase: what it says takes the place of what went on."""
        self._phase, self._begun, self._way_begun = index, t, self._way
        phase = self._phases[index]
        self._bring_up_to(t, roll_rate(readout))
        self._until = [one.watch() for one in phase.until]
        self._phase_aborts = [one.watch() for one in phase.aborts]
        said = dict(phase.channels)
        if "throttle" in said or "brake" in said:
            self._keeps_speed = False
            said = {"throttle": 0.0, "brake": 0.0, **said}
            self._running.pop("speed", None)
        if "speed" in said:
            self._begin_speed(said["speed"], readout)
        for name in STEERING:
            if name in said:
                self._follows = follows_path(said[name])
                for rival in STEERING:
                    self._running.pop(rival, None)
                if self._follows:
                    self._follower, self._taken_over = self._followers.get(phase.name, self._followers.get(None)), False
        if "gear" in said:
            self._take_gear(said.pop("gear"))
        for name, one in said.items():
            if not (name == "steering" and self._follows):
                self._running[name] = Running(self._reachable(name, one), self._values[name], t, self._seed_of(phase, name))

    def _take_gear(self, said: str | float) -> None:
        """One who shifts by himself begins in first gear; without numbers of the gearbox he leaves it to the gearbox."""
        self._shifter = None
        if said == SHIFTING:
            self._selector, self._gear = 1, 0
            self._shifter = None if self._traits.gears is None else GearShifter(self._traits.gears)
        else:
            self._selector, self._gear = (SELECTOR[said], 0) if isinstance(said, str) else (1, int(said))

    def _reachable(self, name: str, said: Any) -> Any:
        """What a channel is to do; where a ramp or step of the steering would end beyond the lock, it ends there."""
        if name not in STEERING or not isinstance(said, Mapping) or said["type"] not in ("ramp", "step"):
            return said
        least, most = (self._traits.road_wheel_angle(end) for end in (-1.0, 1.0))
        if name == "steering":
            least, most = -self._traits.steering_wheel_lock, self._traits.steering_wheel_lock
        return {**said, "to": min(max(said["to"], least), most)}

    def _seed_of(self, phase: Phase, name: str) -> int:
        return zlib.crc32(f"{self._seed} {phase.name} {name}".encode())

    def _begin_speed(self, said: Any, readout: Record) -> None:
        self._keeps_speed = True
        for name in ("throttle", "brake"):
            self._running.pop(name, None)
        self._values["speed"] = float(readout[0]["v_WB_B"][0])
        self._asked = self._acceleration = None
        if not isinstance(said, Mapping):
            self._acceleration = USUAL_ACCELERATION
        elif said["type"] == "constant":
            self._acceleration = float(said["acceleration"])

    def _bring_up_to(self, t: float, rate: float) -> None:
        """Every channel at time t (s) at a roll rate (rad/s): a profile of the next phase may begin from there."""
        values, traits = self._values, self._traits
        for name, running in self._running.items():
            values[name] = running.value(t, rate)
        if "road_wheel" in self._running:
            self._input = traits.steering_for(values["road_wheel"])
        elif "steering" in self._running:
            self._input = min(max(values["steering"] / traits.steering_wheel_lock, -1.0), 1.0)
        values["steering"] = self._input * traits.steering_wheel_lock
        values["road_wheel"] = traits.road_wheel_angle(self._input)

    def _fill(self, look: Look, command: Record) -> None:
        out, values = command[0], self._values
        if self._follows and self._follower is not None:
            if not self._taken_over:
                self._follower.take_over(look.station, self._input)
                self._taken_over = True
            self._follower.steer(look.t, look.readout, command)
            self._input = float(out["steering"])
        self._bring_up_to(look.t, roll_rate(look.readout))
        out["steering"] = min(max(self._input, -1.0), 1.0)
        if self._keeps_speed:
            self._aim(look.t)
            self._speed.keep(look.t, look.readout, command)
            values["throttle"], values["brake"] = float(out["throttle"]), float(out["brake"])
        else:
            out["throttle"], out["brake"] = (min(max(values[name], 0.0), 1.0) for name in ("throttle", "brake"))
        out["parking_brake"] = min(max(values["parking_brake"], 0.0), 1.0)
        if self._shifter is not None:
            self._gear = self._shifter.wanted(look.t, float(look.readout[0]["engine_speed"]), float(out["throttle"]))
        out["selector"], out["gear"], out["drawbar"] = self._selector, self._gear, values["drawbar"]

    def _aim(self, t: float) -> None:
        """Tell whoever keeps the speed which."""
        wanted = self._values["speed"]
        if self._acceleration is not None:
            self._speed.aim(wanted, self._acceleration)
            return
        before, self._asked = self._asked, (t, wanted)
        slope = 0.0 if before is None or t <= before[0] else (wanted - before[1]) / (t - before[0])
        self._speed.ask(wanted, slope)

    def _stop(self, t: float, command: Record) -> None:
        """The maneuver is over and the drive goes on: to a stop, the steering where it is."""
        self._over = t if self._over is None else self._over
        if t - self._over >= GRACE:
            command[0]["throttle"], command[0]["brake"] = 0.0, STOP


def how_ended(driver: object) -> str:
    """How the maneuver of a driver ended, as `PhaseDriver.ended`; empty for one who drives no phases."""
    return driver.ended if isinstance(driver, PhaseDriver) else ""
