"""Channels of the command during the phases of a maneuver: steering, pedals, gear and switches."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from simulator.base.records import Record
from simulator.driver.gear_shifting import GearShifter
from simulator.driver.internal_model import InternalModel
from simulator.driver.speed import SpeedControl
from simulator.driver.steering.path_follower import PathFollower
from simulator.maneuvers.conditions import Observation
from simulator.maneuvers.phases import (
    ANGLES,
    HOLD,
    PEDALS,
    SELECTOR,
    SHIFTING,
    STEERING,
    SWITCHES,
    UNITS,
    USUAL_ACCELERATION,
    Phase,
    Running,
    follows_path,
)

STOP = 0.5
"""Position of the brake pedal after the end of a maneuver, if the run continues."""


class Channels:
    """State of every command channel.

    Parameters
    ----------
    traits : internal model of the vehicle
    speed : speed control with both pedals
    followers : path followers by phase name, empty without a path; the key None holds the follower of all other phases
    seed : seed of random profiles
    """

    def __init__(self, traits: InternalModel, speed: SpeedControl, followers: Mapping[str | None, PathFollower], seed: int) -> None:
        self._traits, self._lock, self._speed, self._seed = traits, traits.steering_wheel_lock, speed, seed
        self._followers, self._follower = followers, followers.get(None)
        self._values = dict.fromkeys(UNITS, 0.0) | {"road_wheel": traits.road_wheel_angle(0.0)}
        self._running: dict[str, Running] = {}
        """Profiles that have not ended. A channel whose profile has ended keeps its final value."""
        self._input = 0.0
        """Steering input as a fraction of full lock."""
        self._free_steering = False
        """True if the driver applies a torque to the steering wheel instead of an angle."""
        self._follows = self._controls_speed = False
        self._demanded: tuple[float, float] | None = None
        """Time and value of the last speed that a speed profile requested."""
        self._selector, self._gear = 1, 0
        self._switches = dict.fromkeys(SWITCHES, 0)
        self._shifter: GearShifter | None = None
        self._holds_gear = False
        """True until the gear that stays engaged is known: a manual gearbox may be between two gears."""

    @property
    def done(self) -> bool:
        """True if every profile has ended."""
        return not self._running

    def load_kernels(self, seen: Record, readout: Record, command: Record) -> None:
        """Load the kernels for calls with these records in advance."""
        self._speed.load_kernels(seen, readout, command)
        for follower in self._followers.values():
            follower.load_kernels(readout, command)

    def begin(self, phase: Phase, observation: Observation) -> None:
        """Begin a phase: the channels that it names replace their present profiles and values."""
        self._update(observation)
        if self._free_steering:
            self._input = min(max(float(observation.readout[0]["steering_wheel_angle"]) / self._lock, -1.0), 1.0)
        self._values["steering"] = self._input * self._lock
        self._values["road_wheel"] = self._traits.road_wheel_angle(self._input)
        given = dict(phase.channels)
        self._take_gear(given.pop("gear", None))
        for name in SWITCHES:
            self._switches[name] = int(given.pop(name, self._switches[name]))
        self._take_pedals(given, observation)
        if any(name in given for name in STEERING):
            self._stop_profiles(STEERING)
            self._free_steering = "steering_torque" in given
            self._follows = follows_path(given.get("steering"))
            if self._follows and self._follower is not None:
                given.pop("steering")
                self._follower = self._followers.get(phase.name, self._followers[None])
                self._follower.take_over(observation.station, self._input)
        for name, value in given.items():
            seed = zlib.crc32(f"{self._seed} {phase.name} {name}".encode())
            self._running[name] = Running(self._reachable(name, value), self._values[name], observation.t, seed)
        self._update(observation)
        if "speed" in given and "speed" not in self._running:
            self._speed.set_target(self._values["speed"], _acceleration(given["speed"]))

    def fill(self, observation: Observation, command: Record) -> None:
        """Fill a command record."""
        self._update(observation)
        out, values = command[0], self._values
        if self._follows and self._follower is not None:
            self._follower.steer(observation.t, observation.readout, command)
            self._input = float(out["steering"])
        else:
            out["steering"] = min(max(self._input, -1.0), 1.0)
        if self._controls_speed:
            if "speed" in self._running:
                self._demand(observation.t, values["speed"])
            self._speed.write_pedals(observation.t, observation.readout, command)
            values["throttle"], values["brake"] = float(out["throttle"]), float(out["brake"])
        else:
            out["throttle"], out["brake"] = min(max(values["throttle"], 0.0), 1.0), min(max(values["brake"], 0.0), 1.0)
        out["parking_brake"] = min(max(values["parking_brake"], 0.0), 1.0)
        if self._holds_gear:
            self._hold_gear(int(observation.readout[0]["gear"]))
        gear = self._gear
        if self._shifter is not None:
            gear = self._shifter.select_gear_from_readout(observation.t, observation.readout, values["throttle"])
        elif gear == 0 and self._follower is not None:
            gear = self._follower.gear(observation.t, observation.readout, values["throttle"])
        out["low_range"], out["center_lock"] = self._switches["low_range"], self._switches["center_lock"]
        out["selector"], out["gear"], out["drawbar"] = self._selector, gear, values["drawbar"]
        out["steering_free"], out["steering_torque"] = self._free_steering, values["steering_torque"] if self._free_steering else 0.0

    def stop(self, command: Record) -> None:
        """Fill a command that brakes to a stop after the maneuver and keeps the steering angle."""
        command[0]["throttle"], command[0]["brake"] = 0.0, STOP

    def _take_gear(self, given: Any) -> None:
        if given is None:
            return
        self._holds_gear = given == HOLD
        if given == HOLD:
            return
        self._shifter = None
        if given == SHIFTING:  # without known shift points, the gearbox selects the gear
            self._selector, self._gear = 1, 0
            self._shifter = None if self._traits.gears is None else GearShifter(self._traits.gears)
        else:
            self._selector, self._gear = (SELECTOR[given], 0) if isinstance(given, str) else (1, int(given))

    def _hold_gear(self, engaged: int) -> None:
        """Keep the engaged gear, -1 reverse; 0: none is engaged yet."""
        if engaged != 0:
            self._selector, self._gear = (1, engaged) if engaged > 0 else (-1, 0)
            self._shifter, self._holds_gear = None, False

    def _reachable(self, name: str, given: Any) -> Any:
        """Return the values of a channel with the end of a steering ramp or step limited to the steering lock."""
        if name not in ANGLES or not isinstance(given, Mapping) or given["type"] not in ("ramp", "step"):
            return given
        lowest, highest = (self._traits.road_wheel_angle(end) for end in (-1.0, 1.0))
        if name == "steering":
            lowest, highest = -self._lock, self._lock
        return {**given, "to": min(max(given["to"], lowest), highest)}

    def _take_pedals(self, given: dict[str, Any], observation: Observation) -> None:
        """Switch between speed control and direct pedals. A pedal that the phase does not name is released."""
        if "speed" in given:
            self._stop_profiles(PEDALS)
            self._controls_speed, self._demanded = True, None
            self._values["speed"] = float(observation.readout[0]["v_WB_B"][0])
        elif "throttle" in given or "brake" in given:
            self._stop_profiles(PEDALS)
            self._controls_speed = False
            for name in ("throttle", "brake"):
                given.setdefault(name, 0.0)

    def _stop_profiles(self, channels: tuple[str, ...]) -> None:
        for name in channels:
            self._running.pop(name, None)

    def _update(self, observation: Observation) -> None:
        """Update the values of all running profiles and remove the profiles that have ended."""
        if not self._running:
            return
        values, rate = self._values, float(observation.readout[0]["w_WB_B"][0])
        for name, running in list(self._running.items()):
            values[name] = running.value(observation.t, rate)
            if running.done(observation.t):
                del self._running[name]
            if name == "road_wheel":
                self._input = self._traits.steering_for(values[name])
            elif name == "steering":
                self._input = values[name] / self._lock

    def _demand(self, t: float, target: float) -> None:
        """Request a changing speed from the speed control."""
        previous, self._demanded = self._demanded, (t, target)
        slope = 0.0 if previous is None or t <= previous[0] else (target - previous[1]) / (t - previous[0])
        self._speed.set_demand(target, slope)


def _acceleration(given: Any) -> float:
    """Return the acceleration [m/s2] with which the vehicle approaches a constant speed."""
    return float(given["acceleration"]) if isinstance(given, Mapping) and "acceleration" in given else USUAL_ACCELERATION
