"""Driving with the keyboard: ramps instead of angles, smaller at speed."""

from __future__ import annotations

from typing import Protocol

from simulator.base.records import Record
from simulator.driver.input_devices.controls import Lever, write_pedals
from simulator.driver.input_devices.device_profiles import KeyboardProfile
from simulator.driver.input_devices.shaping import clip, elapsed, key_pedal, key_steering

STALE = 0.5
"""s of simulated time without a new frame after which the window counts as gone. Larger: a key held when the window died stays down."""
ACTIONS = {
    "gear_up": "selector_up",
    "gear_down": "selector_down",
    "shift_up": "gear_up",
    "shift_down": "gear_down",
    "starter": "starter",
    **{key: key for key in ("drive", "neutral", "reverse", "parking_brake", "reset", "upright", "pause", "escape", "motion")},
    **{key: key for key in ("low_range", "center_lock")},
    **{key: key for key in ("intensity_up", "intensity_down", "washout_next", "washout_up", "washout_down")},
    **{key: key for key in ("camera", "camera_1", "camera_2", "camera_3")},
}
"""Keys that are struck, by the names the window gives them, and what each asks for."""
_DRIVING = ("left", "right", "up", "down", "space")


class Keys(Protocol):
    """State of the keys as the window hands it over; names are those in ACTIONS and left, right, up, down, space."""

    @property
    def frames(self) -> int:
        """Frames drawn so far; grows while the window lives."""

    def down(self, key: str) -> bool:
        """Whether the key is held now."""

    def taps(self, key: str) -> int:
        """How often the key was pressed since the last question."""


class Keyboard:
    """Arrow keys held down move the steering wheel and the pedals, space pulls the parking brake while held; other keys are struck.

    Attributes
    ----------
    connected : whether the window has drawn a frame within the last STALE seconds
    used : whether a driving key went down or up since the read before (`camera` is not driving)
    events : what was asked for and is not the lever's business
    """

    def __init__(self, keys: Keys, profile: KeyboardProfile, lever: Lever | None = None) -> None:
        self.keys, self.profile = keys, profile
        self.lever = lever or Lever()
        self.connected = self.used = False
        self.events: list[str] = []
        self._held = dict.fromkeys(_DRIVING, False)
        self._t: float | None = None
        self._frames, self._silent = 0, STALE
        self._steering = self._throttle = self._brake = 0.0

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the command `out` at simulated time t (s) and forward speed (m/s)."""
        dt, self._t = elapsed(self._t, t), t
        self._look(dt)
        held = {key: self.connected and self.keys.down(key) for key in _DRIVING}
        self.used = held != self._held
        self._held = held

        direction = float(held["left"]) - float(held["right"])
        self._steering = key_steering(self._steering, direction, speed, dt, self.profile.steering)
        self._throttle = key_pedal(self._throttle, held["up"], dt, self.profile.throttle)
        self._brake = key_pedal(self._brake, held["down"], dt, self.profile.brake)

        left_over = (self.lever.take(action, speed) for key, action in ACTIONS.items() for _ in range(self.keys.taps(key)))
        self.events += [event for event in left_over if event is not None]
        write_pedals(out, self._steering, self._throttle, self._brake)
        self.lever.write(out)
        out[0]["parking_brake"] = max(self.lever.parking_brake, float(held["space"]))

    def _look(self, dt: float) -> None:
        """See whether the window still draws."""
        frames = self.keys.frames
        self._silent = 0.0 if frames != self._frames else clip(self._silent + dt, 0.0, STALE)
        self._frames = frames
        self.connected = self._silent < STALE
