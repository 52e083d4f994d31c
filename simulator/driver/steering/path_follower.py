"""Driver that follows a path with a steering controller and speed control."""

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
from simulator.driver.steering.kinds import DEFAULT, HUMAN, KNOWN, LAWS
from simulator.driver.steering.observation import SEEN, car_of, follow, notice, watch_drift

EMPTY: Mapping[str, Any] = MappingProxyType({})


class PathFollower:
    """Driver that follows a path with one of the steering controllers in `LAWS` and keeps a speed.

    Parameters
    ----------
    path : in the world frame
    speed : speed control, called with the station on the path
    traits : internal model of the vehicle
    given_values : `type`, the name of the controller, and parameters of the controller, of `KNOWN` and of `HUMAN`
    timed : lane changes that start at a time, in order of time
    seed : of the noise of the hands
    """

    label = "path follower"
    """Name of the driver in messages."""
    overrides_assistance = False
    """Its throttle keeps a speed, and overrides no driver assistance."""

    def __init__(
        self,
        path: Path,
        speed: SpeedControl,
        traits: InternalModel | None = None,
        given_values: Mapping[str, Any] = EMPTY,
        timed: Sequence[TimedLaneChange] = (),
        seed: int = 0,
    ) -> None:
        self.path = path
        known = {field.name: given_values[field.name] for field in KNOWN if given_values.get(field.name) is not None}
        self.traits = replace(traits or InternalModel(), **known)
        self._speed = speed
        self._timed = list(timed)
        self._has_station = False
        self._seen, self._car = record(SEEN), car_of(self.traits)
        law = LAWS[given_values.get("type", DEFAULT)]
        self._law, self._parameters = law.kernel(), law.parameters(given_values, self.traits)
        self._hands, self._hands_state = record(HANDS), record(HANDS_STATE)
        self._hands[0]["lock"] = self.traits.steering_wheel_lock
        for field in HUMAN:
            self._hands[0][field.name] = given_values.get(field.name, field.default)
        self._shifter = GearShifter(self.traits.gears) if given_values.get("shifts") and self.traits.gears is not None else None
        self._noisy = bool(self._hands[0]["noise"] > 0.0)
        self._random = np.random.default_rng(seed)
        self._curve = tuple(np.array(numbers, dtype=float) for numbers in (self.traits.inputs, self.traits.road_wheel_angles))
        self._calls: tuple[Callable, ...] | None = None

    @property
    def station(self) -> float | None:
        """Station of the vehicle on the path, m; None before the first call."""
        return float(self._seen[0]["station"]) if self._has_station else None

    @property
    def requested_input(self) -> float:
        """Steering input that the controller requested in the last call, without the limits of the hands."""
        return self.traits.steering_for(float(self._seen[0]["wanted"]))

    @property
    def angle(self) -> float:
        """Mean road-wheel angle after the last call, rad."""
        return float(self._seen[0]["angle"])

    @property
    def drift(self) -> float:
        """Mean sideslip of the point without slip angle in a slow turn, rad."""
        return float(self._seen[0]["drift"])

    def target_speed(self, t: float) -> float:
        """Return the target speed at the station of the vehicle, m/s."""
        return self._speed.target_at(t, float(self._seen[0]["station"]))

    def change_path(self, path: Path) -> None:
        """Follow another path in the world frame, from the point of it next to the vehicle. The steering goes over to it without a step."""
        self.path, self._has_station = path, False
        self._hands_state[0]["is_new"] = 1

    def set_speed(self, speed: float, acceleration: float) -> None:
        """Keep another speed [m/s] from now on, approached with at most an acceleration [m/s2]."""
        self._speed.change_to(speed, acceleration)

    def change_lane(self, time: float, offset: float, length: float) -> None:
        """Shift the path from a time [s] on by an offset [m], + = left, over a length [m]."""
        self._timed.insert(0, TimedLaneChange(time, length, offset))

    def take_over(self, station: float, steering: float) -> None:
        """Take the steering wheel at a steering input [-1, 1], with the vehicle at a station (m) of the path."""
        self._seen[0]["station"], self._has_station = station, True
        self._hands_state[0]["looks"], self._hands_state[0]["input"], self._hands_state[0]["merge"] = 0, steering, 0.0
        self._seen[0]["angle"] = self.traits.road_wheel_angle(steering)

    def load_kernels(self, readout: Record, command: Record) -> None:
        """Load the kernels for calls with these records in advance."""
        self._calls = self._compile_calls(readout, command)
        self._speed.load_kernels(self._seen, readout, command)
        self.path.find(0.0, 0.0)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s) from the READOUT record of the last tick: pose, velocity and contact points for the slope.

        Never raises. While the readout is not finite, the command stays unchanged.
        """
        if self.steer(t, readout, command):
            self._speed.press(t, self._seen, command)
            if self._shifter is not None:
                command[0]["gear"] = self.gear(t, readout, float(command[0]["throttle"]))

    def gear(self, t: float, readout: Record, throttle: float) -> int:
        """Return the forward gear at time t (s) and a throttle [0, 1]; 0 if the gearbox selects the gear."""
        if self._shifter is None:
            return 0
        return self._shifter.select_gear_from_readout(t, readout, throttle)

    def steer(self, t: float, readout: Record, command: Record) -> bool:
        """Write only the steering; return False, without writing, if the readout is not finite."""
        if self._calls is None:
            self._calls = self._compile_calls(readout, command)
        observe, watch, update_station, law, turn = self._calls
        seen = self._seen
        if not observe(readout, seen):
            return False
        watch(self._car, seen, t)
        if not self._has_station:
            now = seen[0]
            now["station"], self._has_station = self.path.find(float(now["x"]), float(now["y"])), True
        line = self.path.line
        update_station(line, seen)
        while self._timed and t >= self._timed[0].at - 1e-9:
            line = self._shift(self._timed.pop(0), t).line
        law(self._parameters, self._car, seen, line)
        chance = self._random.standard_normal() if self._noisy else 0.0
        turn(self._hands, self._hands_state, seen, *self._curve, t, chance, command)
        return True

    def _shift(self, change: TimedLaneChange, t: float) -> Path:
        """Add a lane change that starts at the station of the vehicle at the time of the change; return the path."""
        now = self._seen[0]
        start = float(now["station"] - now["v_x"] * (t - change.at))
        self.path = self.path.with_lane_changes([LaneChange(start, change.length, change.offset)])
        return self.path

    def _compile_calls(self, readout: Record, command: Record) -> tuple[Callable, ...]:
        line, seen = self.path.line, self._seen
        return (
            compiled_call(notice, readout, seen),
            compiled_call(watch_drift, self._car, seen, 0.0),
            compiled_call(follow, line, seen),
            compiled_call(self._law, self._parameters, self._car, seen, line),
            compiled_call(turn_wheel, self._hands, self._hands_state, seen, *self._curve, 0.0, 0.0, command),
        )
