"""The channels of a command as the phases of a maneuver leave them: who steers, who works the pedals, and what goes on by itself."""

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
"""Brake pedal with which a drive goes on after its maneuver is over, where it goes on at all."""


class Channels:
    """What is done on every channel.

    Parameters
    ----------
    traits : of the vehicle
    speed : keeps a speed with both pedals
    followers : who steers along the path, where the maneuver has one: by name of a phase who does in that phase, under None who else does
    seed : of random profiles
    """

    def __init__(self, traits: InternalModel, speed: SpeedControl, followers: Mapping[str | None, PathFollower], seed: int) -> None:
        self._traits, self._lock, self._speed, self._seed = traits, traits.steering_wheel_lock, speed, seed
        self._followers, self._follower = followers, followers.get(None)
        self._values = dict.fromkeys(UNITS, 0.0) | {"road_wheel": traits.road_wheel_angle(0.0)}
        self._moving: dict[str, Running] = {}
        """Profiles that have not come to their end; what has is a value that stays."""
        self._input = 0.0
        """Steering input."""
        self._lets_go = False
        """Whether the hands give a torque instead."""
        self._follows = self._keeps_speed = False
        self._demanded: tuple[float, float] | None = None
        """Time and value of the last demand of a profile of speed."""
        self._selector, self._gear = 1, 0
        self._switches = dict.fromkeys(SWITCHES, 0)
        self._shifter: GearShifter | None = None

    @property
    def done(self) -> bool:
        """Whether every profile has come to its end."""
        return not self._moving

    def begin(self, phase: Phase, look: Observation) -> None:
        """Begin a phase: what it says takes the place of what went on."""
        self._bring_up_to(look)
        if self._lets_go:
            self._input = min(max(float(look.readout[0]["steering_wheel_angle"]) / self._lock, -1.0), 1.0)
        self._values["steering"] = self._input * self._lock
        self._values["road_wheel"] = self._traits.road_wheel_angle(self._input)
        said = dict(phase.channels)
        self._take_gear(said.pop("gear", None))
        for name in SWITCHES:
            self._switches[name] = int(said.pop(name, self._switches[name]))
        self._take_pedals(said, look)
        if any(name in said for name in STEERING):
            self._stop_profiles(STEERING)
            self._lets_go = "steering_torque" in said
            self._follows = follows_path(said.get("steering"))
            if self._follows and self._follower is not None:
                said.pop("steering")
                self._follower = self._followers.get(phase.name, self._followers[None])
                self._follower.take_over(look.station, self._input)
        for name, one in said.items():
            seed = zlib.crc32(f"{self._seed} {phase.name} {name}".encode())
            self._moving[name] = Running(self._reachable(name, one), self._values[name], look.t, seed)
        self._bring_up_to(look)
        if "speed" in said and "speed" not in self._moving:
            self._speed.aim(self._values["speed"], _acceleration(said["speed"]))

    def fill(self, look: Observation, command: Record) -> None:
        """Fill a command."""
        self._bring_up_to(look)
        out, values = command[0], self._values
        if self._follows and self._follower is not None:
            self._follower.steer(look.t, look.readout, command)
            self._input = float(out["steering"])
        else:
            out["steering"] = min(max(self._input, -1.0), 1.0)
        if self._keeps_speed:
            if "speed" in self._moving:
                self._demand(look.t, values["speed"])
            self._speed.keep(look.t, look.readout, command)
            values["throttle"], values["brake"] = float(out["throttle"]), float(out["brake"])
        else:
            out["throttle"], out["brake"] = min(max(values["throttle"], 0.0), 1.0), min(max(values["brake"], 0.0), 1.0)
        out["parking_brake"] = min(max(values["parking_brake"], 0.0), 1.0)
        gear = self._gear
        if self._shifter is not None:
            gear = self._shifter.seen(look.t, look.readout, values["throttle"])
        elif gear == 0 and self._follower is not None:
            gear = self._follower.gear(look.t, look.readout, values["throttle"])
        out["low_range"], out["center_lock"] = self._switches["low_range"], self._switches["center_lock"]
        out["selector"], out["gear"], out["drawbar"] = self._selector, gear, values["drawbar"]
        out["steering_free"], out["steering_torque"] = self._lets_go, values["steering_torque"] if self._lets_go else 0.0

    def stop(self, command: Record) -> None:
        """The maneuver is over and the drive goes on: to a stop, the steering where it is."""
        command[0]["throttle"], command[0]["brake"] = 0.0, STOP

    def _take_gear(self, said: Any) -> None:
        if said is None:
            return
        self._shifter = None
        if said == SHIFTING:  # where nobody knows when to shift it is left to the gearbox
            self._selector, self._gear = 1, 0
            self._shifter = None if self._traits.gears is None else GearShifter(self._traits.gears)
        else:
            self._selector, self._gear = (SELECTOR[said], 0) if isinstance(said, str) else (1, int(said))

    def _reachable(self, name: str, said: Any) -> Any:
        """What a channel is to do; where a ramp or step of the steering would end beyond the lock, it ends there."""
        if name not in ANGLES or not isinstance(said, Mapping) or said["type"] not in ("ramp", "step"):
            return said
        least, most = (self._traits.road_wheel_angle(end) for end in (-1.0, 1.0))
        if name == "steering":
            least, most = -self._lock, self._lock
        return {**said, "to": min(max(said["to"], least), most)}

    def _take_pedals(self, said: dict[str, Any], look: Observation) -> None:
        """Pedals or a speed take each other's place; of the pedals, one that is not named is released."""
        if "speed" in said:
            self._stop_profiles(PEDALS)
            self._keeps_speed, self._demanded = True, None
            self._values["speed"] = float(look.readout[0]["v_WB_B"][0])
        elif "throttle" in said or "brake" in said:
            self._stop_profiles(PEDALS)
            self._keeps_speed = False
            for name in ("throttle", "brake"):
                said.setdefault(name, 0.0)

    def _stop_profiles(self, names: tuple[str, ...]) -> None:
        for name in names:
            self._moving.pop(name, None)

    def _bring_up_to(self, look: Observation) -> None:
        """The values of all profiles now; those that have come to their end go no further."""
        if not self._moving:
            return
        values, rate = self._values, float(look.readout[0]["w_WB_B"][0])
        for name, running in list(self._moving.items()):
            values[name] = running.value(look.t, rate)
            if running.done(look.t):
                del self._moving[name]
            if name == "road_wheel":
                self._input = self._traits.steering_for(values[name])
            elif name == "steering":
                self._input = values[name] / self._lock

    def _demand(self, t: float, wanted: float) -> None:
        """Have a speed kept that changes."""
        before, self._demanded = self._demanded, (t, wanted)
        slope = 0.0 if before is None or t <= before[0] else (wanted - before[1]) / (t - before[0])
        self._speed.ask(wanted, slope)


def _acceleration(said: Any) -> float:
    """m/s2 with which a constant speed is come to."""
    return float(said["acceleration"]) if isinstance(said, Mapping) and "acceleration" in said else USUAL_ACCELERATION
