"""The driver who drives a maneuver phase by phase."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from simulator.base.fast_call import compiled_call
from simulator.base.records import Record, Table, record
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import Spawn
from simulator.driver.speed import SpeedControl
from simulator.driver.steering.observation import SEEN, notice
from simulator.driver.steering.path_follower import PathFollower
from simulator.maneuvers.command_channels import Channels
from simulator.maneuvers.conditions import ConditionMonitor, Conditions, Observation
from simulator.maneuvers.phases import Phase

DRIVEN = (
    # name    shape unit what it is
    ("phase", (), "1", "phase of the maneuver that is driven, from 0; -1 when it is over", "i8"),
    ("station", (), "m", "place along the path of the maneuver; 0 without one"),
)
"""What a maneuver in phases adds to the log."""
DONE = "done"
"""Every phase was driven to its end."""


class PhaseDriver:
    """Driver of a maneuver in phases.

    Parameters
    ----------
    phases : in their order
    aborts : conditions of which any gives the maneuver up, whatever the phase
    start : where it begins in the world
    traits, speed, followers, seed : see `Channels`
    """

    def __init__(
        self,
        phases: Sequence[Phase],
        aborts: Conditions,
        start: Spawn,
        traits: InternalModel,
        speed: SpeedControl,
        followers: Mapping[str | None, PathFollower],
        seed: int,
    ) -> None:
        self.ended = ""
        """How the maneuver ended: DONE, or why it was given up; empty while it goes on."""
        self._phases, self._start, self._follower = tuple(phases), start, followers.get(None)
        self._channels = channels = Channels(traits, speed, followers, seed)
        self._directions = math.cos(start.yaw), math.sin(start.yaw)
        self._aborts = [one.watch() for one in aborts]
        self._until: list[ConditionMonitor] = []
        self._phase = -1
        self._driven, self._seen = record(DRIVEN), record(SEEN)
        self._notice: Callable | None = None
        self._look = Observation(partial(_path_error, self._follower, self._seen), lambda: channels.done)
        # which knows nothing of this driver: in a ring, they and the vehicle would stay until somebody looks for garbage

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """What it adds to the log."""
        return [("", DRIVEN, self._driven)]

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s) from the READOUT record. A vehicle without a place keeps the last command."""
        if self._notice is None:
            self._notice = compiled_call(notice, readout, self._seen)
        if not self._notice(readout, self._seen):
            return
        look = self._looked(t, readout)
        if self._phase < 0:
            self._enter(0, look)
        if self.ended:
            self._channels.stop(command)
        else:
            self._pass_on(look)
            self._channels.fill(look, command)  # also at the look that ends it: what is driven until the next one is still the maneuver
        out = self._driven[0]
        out["phase"] = -1 if self.ended else self._phase
        if self._follower is not None:
            out["station"] = look.station

    def _looked(self, t: float, readout: Record) -> Observation:
        """The look, brought up to date."""
        seen, look, start = self._seen[0], self._look, self._start
        at = float(seen["x"]), float(seen["y"])
        east, north = at[0] - start.x, at[1] - start.y
        c, s = self._directions
        x, y = c * east + s * north, c * north - s * east
        if self._phase >= 0:
            look.way += math.hypot(x - look.x, y - look.y)
        look.t, look.readout, look.x, look.y = t, readout, x, y
        look.heading += math.remainder(float(seen["yaw"]) - start.yaw - look.heading, math.tau)
        if self._follower is not None:
            path = self._follower.path
            look.station = path.find(*at) if math.isnan(look.station) else path.nearest(*at, look.station)
        return look

    def _pass_on(self, look: Observation) -> None:
        """Give up, or go to the next phase, as the conditions say; several phases may end at one look."""
        while not self.ended:
            wrong = [watcher for watcher in self._aborts if watcher.holds(look)]
            if wrong:
                self.ended = f"given up in phase {self._phases[self._phase].name}: {wrong[0].words}"
                return
            if not any([watcher.holds(look) for watcher in self._until]):  # noqa: C419 - every one of them has to see every look
                return
            if self._phase + 1 == len(self._phases):
                self.ended = DONE
                return
            self._enter(self._phase + 1, look)

    def _enter(self, index: int, look: Observation) -> None:
        """Begin a phase."""
        ending = len(self._phases[self._phase].aborts) if self._phase >= 0 else 0
        phase, self._phase = self._phases[index], index
        look.begun, look.way_begun = look.t, look.way
        self._until = [one.watch() for one in phase.until]
        self._aborts[len(self._aborts) - ending :] = [one.watch() for one in phase.aborts]
        self._channels.begin(phase, look)


def _path_error(follower: PathFollower | None, seen: Record, station: float) -> float:
    """m that a place that was SEEN lies to the left of the path at its station [m]; NaN without one."""
    if follower is None:
        return math.nan
    return follower.path.offset_of(float(seen[0]["x"]), float(seen[0]["y"]), station)


def how_ended(driver: object) -> str:
    """How the maneuver of a driver ended, as `PhaseDriver.ended`; empty for one who drives no phases."""
    return driver.ended if isinstance(driver, PhaseDriver) else ""
