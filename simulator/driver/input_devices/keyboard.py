"""Input source for the keyboard: ramps of steering and pedals, with a smaller steering range at speed and pedals below the limit of grip."""

from __future__ import annotations

from typing import Protocol

from simulator.base.records import Record
from simulator.driver.input_devices.controls import Lever, write_pedals
from simulator.driver.input_devices.device_profiles import KeyboardProfile
from simulator.driver.input_devices.handling import HMMWV, Handling
from simulator.driver.input_devices.pedal_care import PedalCare
from simulator.driver.input_devices.shaping import clip, elapsed, key_pedal, key_steering
from simulator.view.camera_names import CAMERA_EVENTS

STALE = 0.5
"""s of simulated time without a new frame after which the window counts as lost. Larger: a key pressed at that time stays down longer."""
ACTIONS = {
    "shift_up": "gear_up",
    "shift_down": "gear_down",
    **{key: key for key in ("selector_up", "selector_down", "starter")},
    **{key: key for key in ("drive", "neutral", "reverse", "parking_brake", "reset", "upright", "pause", "driver", "last_seconds")},
    "escape": "quit",
    "motion": "platform",
    **{key: key for key in ("low_range", "center_lock")},
    **{key: key for key in ("intensity_up", "intensity_down", "washout_next", "washout_up", "washout_down")},
    **{key: key for key in ("mute", "volume_up", "volume_down")},
    **{key: key for key in ("acc", "limiter", "lane_keeping", "set_speed_up", "set_speed_down")},
    **{key: key for key in ("turn_signal_left", "turn_signal_right", "hazard_lights")},
    **{key: key for key in CAMERA_EVENTS[1:]},
}
"""Actions of keys, by their names in `simulator.view.shared_keys.KEYS`; `simulator.view.key_bindings` assigns the keyboard. The lever
processes some of them; the others are kinds of events (`simulator.event_effects.kinds`)."""
_DRIVING = ("left", "right", "up", "down", "space")


class Keys(Protocol):
    """State of the keys in the window; names are those in ACTIONS and left, right, up, down, space."""

    @property
    def frames(self) -> int:
        """Number of frames drawn so far; increases while the window is alive."""

    def down(self, key: str) -> bool:
        """Return whether the key is pressed now."""

    def taps(self, key: str) -> int:
        """Return the number of presses of the key since the previous call."""


class Keyboard:
    """Keyboard input: the arrow keys move steering wheel and pedals, space applies the parking brake while pressed; other keys trigger
    actions.

    Attributes
    ----------
    connected : True if the window has drawn a frame within the last STALE seconds
    used : True if a driving key was pressed or released since the previous read (`camera` is not driving)
    events : actions that the lever does not process
    """

    reverses_by_brake = True
    """Whether the brake at rest selects reverse, unless the session specifies it."""

    def __init__(self, keys: Keys, profile: KeyboardProfile, lever: Lever | None = None, handling: Handling = HMMWV) -> None:
        self.keys, self.profile, self.handling = keys, profile, handling
        self._care = PedalCare(handling, profile.throttle.slip, profile.brake.slip)
        self.lever = lever or Lever()
        self.connected = self.used = False
        self.events: list[str] = []
        self.steering_speed = 1.0
        """Factor on the speed of the steering."""
        self._pressed = dict.fromkeys(_DRIVING, False)
        self._t: float | None = None
        self._frames, self._silent = 0, STALE
        self._steering = self._throttle = self._brake = 0.0

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the command `out` at simulated time t (s) and forward speed (m/s)."""
        dt, self._t = elapsed(self._t, t), t
        self._check_window(dt)
        pressed = {key: self.connected and self.keys.down(key) for key in _DRIVING}
        self.used = pressed != self._pressed
        self._pressed = pressed

        direction = float(pressed["left"]) - float(pressed["right"])
        self._steering = key_steering(self._steering, direction, speed, dt * self.steering_speed, self.profile.steering, self.handling)
        self._throttle = key_pedal(self._throttle, pressed["up"], dt, self.profile.throttle)
        self._brake = key_pedal(self._brake, pressed["down"], dt, self.profile.brake)

        remaining = (self.lever.take(action, speed) for key, action in ACTIONS.items() for _ in range(self.keys.taps(key)))
        self.events += [event for event in remaining if event is not None]
        write_pedals(out, self._steering, self._throttle, self._brake)
        self.lever.write(out)
        out[0]["parking_brake"] = max(self.lever.parking_brake, float(pressed["space"]))

    def limit_pedals(self, readout: Record, dt: float, out: Record) -> None:
        """Limit throttle and brake of a command to what the tires of the vehicle transmit, `dt` [s] after the previous call."""
        out[0]["throttle"], out[0]["brake"] = self._care.limit(readout, float(out[0]["throttle"]), float(out[0]["brake"]), dt)

    def _check_window(self, dt: float) -> None:
        """Check whether the window still draws."""
        frames = self.keys.frames
        self._silent = 0.0 if frames != self._frames else clip(self._silent + dt, 0.0, STALE)
        self._frames = frames
        self.connected = self._silent < STALE
