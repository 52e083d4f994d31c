"""Driver of a maneuver with phases."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from simulator.autonomy.goal_driver import DONE, GoalDriver
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
    # name    shape unit meaning
    ("phase", (), "1", "number of the current phase, from 0; -1 after the end of the maneuver", "i8"),
    ("station", (), "m", "station along the path of the maneuver; 0 without a path"),
)
"""Log columns of a maneuver with phases."""


JUMP = 5.0
"""m. Distance between two calls above which the vehicle was put elsewhere; at 100 Hz it would drive 500 m/s."""


class PhaseDriver:
    """Driver of a maneuver in phases. A vehicle that is put elsewhere has not driven there: the distance does not count.

    Parameters
    ----------
    phases : phases in driving order
    aborts : conditions that abort the maneuver in any phase; one is sufficient
    start : start pose in the world frame
    traits, speed, followers, seed : see `Channels`
    """

    label = "maneuver driver"
    """Name of the driver in messages."""
    overrides_assistance = False
    """Its throttle keeps a speed, and overrides no driver assistance."""

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
        """Reason for the end of the maneuver: DONE or the abort reason; empty while it continues."""
        self._phases, self._start, self._follower = tuple(phases), start, followers.get(None)
        self._channels = channels = Channels(traits, speed, followers, seed)
        self._directions = math.cos(start.yaw), math.sin(start.yaw)
        self._aborts = [one.watch() for one in aborts]
        self._until: list[ConditionMonitor] = []
        self._phase = -1
        self._logged, self._seen = record(DRIVEN), record(SEEN)
        self._notice: Callable | None = None
        self._observation = Observation(partial(_path_error, self._follower, self._seen), lambda: channels.done)
        # no reference to this driver: a reference cycle would keep the driver and the vehicle until the next garbage collection

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """Records that the driver adds to the log."""
        return [("", DRIVEN, self._logged)]

    @property
    def phase(self) -> str:
        """Name of the current phase; empty before the first one."""
        return self._phases[self._phase].name if self._phase >= 0 else ""

    def load_kernels(self, readout: Record, command: Record) -> None:
        """Load the kernels for calls with these records in advance."""
        self._notice = compiled_call(notice, readout, self._seen)
        self._channels.load_kernels(self._seen, readout, command)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s) from the READOUT record. Without a valid vehicle position, the last command remains."""
        if self._notice is None:
            self._notice = compiled_call(notice, readout, self._seen)
        if not self._notice(readout, self._seen):
            return
        observation = self._observe(t, readout)
        if self._phase < 0:
            self._enter(0, observation)
        if self.ended:
            self._channels.stop(command)
        else:
            self._check_conditions(observation)
            # also in the call that ends the maneuver: the command is used until the next call
            self._channels.fill(observation, command)
        out = self._logged[0]
        out["phase"] = -1 if self.ended else self._phase
        if self._follower is not None:
            out["station"] = observation.station

    def _observe(self, t: float, readout: Record) -> Observation:
        """Update the observation and return it."""
        observed, observation, start = self._seen[0], self._observation, self._start
        position = float(observed["x"]), float(observed["y"])
        east, north = position[0] - start.x, position[1] - start.y
        c, s = self._directions
        x, y = c * east + s * north, c * north - s * east
        step = math.hypot(x - observation.x, y - observation.y) if self._phase >= 0 else 0.0
        if step > JUMP:
            observation.station = math.nan
        else:
            observation.distance += step
        observation.t, observation.readout, observation.x, observation.y = t, readout, x, y
        observation.heading += math.remainder(float(observed["yaw"]) - start.yaw - observation.heading, math.tau)
        if self._follower is not None:
            path = self._follower.path
            observation.station = path.find(*position) if math.isnan(observation.station) else path.nearest(*position, observation.station)
        return observation

    def _check_conditions(self, observation: Observation) -> None:
        """Abort the maneuver or go to the next phase if the conditions are true; several phases may end in one call."""
        while not self.ended:
            violated = [monitor for monitor in self._aborts if monitor.holds(observation)]
            if violated:
                self.ended = f"aborted in phase {self._phases[self._phase].name}: {violated[0].words}"
                return
            if not any([monitor.holds(observation) for monitor in self._until]):  # noqa: C419 - every monitor needs every observation
                return
            if self._phase + 1 == len(self._phases):
                self.ended = DONE
                return
            self._enter(self._phase + 1, observation)

    def _enter(self, index: int, observation: Observation) -> None:
        """Begin a phase."""
        previous = len(self._phases[self._phase].aborts) if self._phase >= 0 else 0
        phase, self._phase = self._phases[index], index
        observation.phase_start, observation.phase_start_distance = observation.t, observation.distance
        self._until = [one.watch() for one in phase.until]
        self._aborts[len(self._aborts) - previous :] = [one.watch() for one in phase.aborts]
        self._channels.begin(phase, observation)


def _path_error(follower: PathFollower | None, observed: Record, station: float) -> float:
    """Return the distance [m] of the observed position to the left of the path at a station [m]; NaN without a path."""
    if follower is None:
        return math.nan
    return follower.path.offset_of(float(observed[0]["x"]), float(observed[0]["y"]), station)


def how_ended(driver: object) -> str:
    """Return the reason for which a driver ended, DONE for its regular end; empty for a driver that goes on, or that does not end by itself."""
    return driver.ended if isinstance(driver, PhaseDriver | GoalDriver) else ""
