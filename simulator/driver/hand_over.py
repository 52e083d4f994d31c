"""Hand-over between two drivers of a vehicle: steering, pedals and gear continue without a step."""

from __future__ import annotations

import math

from simulator.base.records import Record
from simulator.driver.input_devices.controls import SHIFT_SPEED

STEERING_TIME = 1.0
"""s in which the steering moves from the old driver's input to the new driver's one [assumed]. Shorter: a jerk, if they differ."""
PEDAL_TIME = 0.4
"""s in which throttle and brake move to the new driver's ones [assumed]. Longer: the old driver's throttle works against the new brake."""
STOPPING = 0.3
"""1. Brake until the vehicle is slow enough for a selector that the new driver wants against the direction of travel [assumed]."""
UNASKED_CHANGE = 0.05
"""1. Change of steering, brake or parking brake by which a person takes over unasked: 20 deg of a wheel with 2.2 turns [assumed]."""
ASKED_CHANGE = 0.01
"""1. Change of any control by which a person takes over who was asked to [assumed]."""
LEVERS = ("low_range", "center_lock")


class HandOver:
    """Transition from the present command to that of a new driver.

    Parameters
    ----------
    command : COMMAND of the old driver, of the last tick
    readout : READOUT of the vehicle
    """

    def __init__(self, command: Record, readout: Record) -> None:
        old = self._old = command[0].copy()
        if old["steering_free"]:
            old["steering"] = readout[0]["steering"]
        self._began = math.nan
        self._steering = self._throttle = self._brake = self._parking_brake = 0.0
        self._held_levers = set(LEVERS)
        self._holds_selector = True

    def over(self, t: float) -> bool:
        """Return whether the transition has ended at time t [s]."""
        return t - self._began >= STEERING_TIME and not self._held_levers and not self._holds_selector

    def apply(self, t: float, readout: Record, command: Record) -> None:
        """Change the command of the new driver at time t [s]; the first call gives the old steering and pedals."""
        out, old = command[0], self._old
        self._hold_levers(float(readout[0]["v_WB_B"][0]), out)
        if math.isnan(self._began):
            self._began = t
            self._steering = float(old["steering"] - out["steering"])
            self._throttle, self._brake = float(old["throttle"] - out["throttle"]), float(old["brake"] - out["brake"])
            self._parking_brake = float(old["parking_brake"] - out["parking_brake"])
        left = max(0.0, 1.0 - (t - self._began) / STEERING_TIME)
        out["steering"] = min(max(float(out["steering"]) + left * self._steering, -1.0), 1.0)
        if out["steering_free"]:
            out["steering_torque"] *= 1.0 - left
        left = max(0.0, 1.0 - (t - self._began) / PEDAL_TIME)
        for name, more in (("throttle", self._throttle), ("brake", self._brake), ("parking_brake", self._parking_brake)):
            out[name] = min(max(float(out[name]) + left * more, 0.0), 1.0)

    def _hold_levers(self, speed: float, out: Record) -> None:
        """Keep the selector until the vehicle may change it, and the levers of the transfer case until it rests."""
        old = self._old
        requested, present = int(out["selector"]), int(old["selector"])
        self._holds_selector = self._holds_selector and requested != present and requested * speed < -SHIFT_SPEED
        if self._holds_selector:
            out["selector"], out["gear"] = old["selector"], old["gear"]
            out["throttle"], out["brake"] = 0.0, max(float(out["brake"]), STOPPING)
        self._held_levers = {name for name in self._held_levers if out[name] != old[name] and abs(speed) > SHIFT_SPEED}
        for name in self._held_levers:
            out[name] = old[name]


class TakeoverWatch:
    """Notices that a person who does not drive moves a control: away from the center, or further down.

    Each call compares with the smallest deflection since `begin`, so that a wheel or pedal that is released is no movement.
    """

    def __init__(self) -> None:
        self._least: dict[str, float] | None = None

    def begin(self) -> None:
        """Begin with the controls as they are at the next call."""
        self._least = None

    def moved(self, command: Record, asked: bool) -> bool:
        """Return whether a control of COMMAND has moved far enough; `asked`: any control counts, else not the throttle."""
        now = {name: float(command[0][name]) for name in ("steering", "brake", "parking_brake", "throttle")}
        before = now if self._least is None else self._least
        least = self._least = {name: min(value, before[name], key=abs) for name, value in now.items()}
        limit = ASKED_CHANGE if asked else UNASKED_CHANGE
        return any(abs(value - least[name]) > limit for name, value in now.items() if asked or name != "throttle")
