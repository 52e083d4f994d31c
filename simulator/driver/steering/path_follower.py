"""The driver who follows a path by a law, and keeps a speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from simulator.base.fast_call import compiled_call
from simulator.base.records import Record, record
from simulator.driver.gear_shifting import GearShifter
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import LaneChange, Path, TimedLaneChange
from simulator.driver.speed import SpeedControl
from simulator.driver.steering.human_limits import HANDS, HANDS_STATE, turn_wheel
from simulator.driver.steering.kinds import HUMAN, KNOWN, LAWS, USUAL
from simulator.driver.steering.observation import SEEN, car_of, follow, notice

NOTHING: Mapping[str, Any] = MappingProxyType({})


class PathFollower:
    """Driver who follows a path by one of the `TIRE_MODEL_KINDS` and keeps a speed.

    Parameters
    ----------
    path : in the world
    speed : speed control, called with the station on the path
    traits : of the vehicle
    said : `type`, which names the law, and values of the parameters of that law, of `KNOWN` and of `HUMAN`
    timed : lane changes that start at a time, in order of time
    seed : of the noise of the hands
    """

    def __init__(
        self,
        path: Path,
        speed: SpeedControl,
        traits: InternalModel | None = None,
        said: Mapping[str, Any] = NOTHING,
        timed: Sequence[TimedLaneChange] = (),
        seed: int = 0,
    ) -> None:
        self.path = path
        believed = {field.name: said[field.name] for field in KNOWN if said.get(field.name) is not None}
        self.traits = replace(traits or InternalModel(), **believed)
        self._speed = speed
        self._timed = list(timed)
        self._found = False
        self._seen, self._car = record(SEEN), car_of(self.traits)
        law = LAWS[said.get("type", USUAL)]
        self._law, self._parameters = law.kernel(), law.parameters(said, self.traits)
        self._hands, self._hands_state = record(HANDS), record(HANDS_STATE)
        self._hands[0]["lock"] = self.traits.steering_wheel_lock
        for field in HUMAN:
            self._hands[0][field.name] = said.get(field.name, field.default)
        self._shifter = GearShifter(self.traits.gears) if said.get("shifts") and self.traits.gears is not None else None
        self._noisy = bool(self._hands[0]["noise"] > 0.0)
        self._random = np.random.default_rng(seed)
        self._curve = tuple(np.array(numbers, dtype=float) for numbers in (self.traits.inputs, self.traits.road_wheel_angles))
        self._calls: tuple[Callable, ...] | None = None

    @property
    def station(self) -> float | None:
        """m, of the vehicle on the path; None before the first look."""
        return float(self._seen[0]["station"]) if self._found else None

    def take_over(self, station: float, steering: float) -> None:
        """Take the steering wheel at a steering input [-1, 1], with the vehicle at a station (m) of the path."""
        self._seen[0]["station"], self._found = station, True
        self._hands_state[0]["looks"], self._hands_state[0]["input"] = 0, steering
        self._seen[0]["angle"] = self.traits.road_wheel_angle(steering)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s) from the READOUT record of the last tick: pose, velocity and, for the slope, contact points.

        Never raises; a vehicle without a place is not steered: the last command stands until it has one again.
        """
        if self.steer(t, readout, command):
            self._speed.press(t, self._seen, command)
            if self._shifter is not None:
                command[0]["gear"] = self.gear(t, readout, float(command[0]["throttle"]))

    def gear(self, t: float, readout: Record, throttle: float) -> int:
        """Forward gear that he wants at time t (s) and a throttle [0, 1]; 0 if he leaves that to the gearbox."""
        if self._shifter is None:
            return 0
        return self._shifter.seen(t, readout, throttle)

    def steer(self, t: float, readout: Record, command: Record) -> bool:
        """The steering alone; False, and nothing is written, for a vehicle without a place."""
        if self._calls is None:
            self._calls = self._bound(readout, command)
        notice_here, follow_here, law, turn = self._calls
        seen = self._seen
        if not notice_here(readout, seen):
            return False
        if not self._found:
            now = seen[0]
            now["station"], self._found = self.path.find(float(now["x"]), float(now["y"])), True
        line = self.path.line
        follow_here(line, seen)
        while self._timed and t >= self._timed[0].at - 1e-9:
            line = self._shift(self._timed.pop(0), t).line
        law(self._parameters, self._car, seen, line)
        chance = self._random.standard_normal() if self._noisy else 0.0
        turn(self._hands, self._hands_state, seen, *self._curve, t, chance, command)
        return True

    def _shift(self, change: TimedLaneChange, t: float) -> Path:
        """The path with a lane change from where the vehicle was at its time."""
        now = self._seen[0]
        start = float(now["station"] - now["v_x"] * (t - change.at))
        self.path = self.path.with_lane_changes([LaneChange(start, change.length, change.offset)])
        return self.path

    def _bound(self, readout: Record, command: Record) -> tuple[Callable, ...]:
        line, seen = self.path.line, self._seen
        return (
            compiled_call(notice, readout, seen),
            compiled_call(follow, line, seen),
            compiled_call(self._law, self._parameters, self._car, seen, line),
            compiled_call(turn_wheel, self._hands, self._hands_state, seen, *self._curve, 0.0, 0.0, command),
        )
