"""Driving with the keyboard: ramps instead of angles, smaller at speed."""

from __future__ import annotations

from typing import Protocol

from simulator.base.records import Record
from simulator.driver.controls import Lever, write_pedals
from simulator.driver.profiles import KeyboardProfile
from simulator.driver.shaping import elapsed, key_pedal, key_steering

_HELD = ("steer_left", "steer_right", "throttle", "brake")


class Keys(Protocol):
    """State of the keys; the view's window knows it."""

    def pressed(self, name: str) -> bool:
        """Whether the key of this name is down now."""


class Keyboard:
    """Keys held down move the steering wheel and the pedals; keys struck work the lever or become events.

    `used` is True when a steering or pedal key went down or up since the read before (`camera` is not driving).
    """

    connected = True

    def __init__(self, keys: Keys, profile: KeyboardProfile, lever: Lever | None = None) -> None:
        self.keys, self.profile = keys, profile
        self.lever = lever or Lever()
        self.used = False
        self.events: list[str] = []
        self._down: dict[str, bool] = dict.fromkeys(profile.keys, False)
        self._t: float | None = None
        self._steering = self._throttle = self._brake = 0.0

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the command `out` at simulated time t (s) and forward speed (m/s)."""
        dt, self._t = elapsed(self._t, t), t
        down: dict[str, bool] = {control: any(self.keys.pressed(key) for key in keys) for control, keys in self.profile.keys.items()}
        struck = [control for control in down if down[control] and not self._down[control]]
        self.used = any(down[control] != self._down[control] for control in _HELD)
        self._down = down

        direction = float(down["steer_left"]) - float(down["steer_right"])
        self._steering = key_steering(self._steering, direction, speed, dt, self.profile.steering)
        self._throttle = key_pedal(self._throttle, down["throttle"], dt, self.profile.throttle)
        self._brake = key_pedal(self._brake, down["brake"], dt, self.profile.brake)

        left_over = (self.lever.take(control, speed) for control in struck if control not in _HELD)
        self.events += [event for event in left_over if event is not None]
        write_pedals(out, self._steering, self._throttle, self._brake)
        self.lever.write(out)
