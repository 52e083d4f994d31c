"""Input source for a game controller: the stick steers within a range that decreases with speed, the triggers are the pedals."""

from __future__ import annotations

from simulator.base.records import Record
from simulator.driver.input_devices.contract import CONTRACT, InputSourceKind
from simulator.driver.input_devices.controls import Lever, write_pedals
from simulator.driver.input_devices.devices import Device, DeviceHub
from simulator.driver.input_devices.handling import HMMWV, Handling
from simulator.driver.input_devices.shaping import SteeringFeel, elapsed, stick_steering


class Gamepad:
    """Game controller that was used last. The owner of the hub polls it."""

    reverses_by_brake = True
    """Whether the brake at rest selects reverse, unless the session specifies it."""

    def __init__(self, hub: DeviceHub, lever: Lever | None = None, handling: Handling = HMMWV) -> None:
        self.hub, self.handling = hub, handling
        self.lever = lever or Lever()
        self.used = False
        self.connected = False
        self.events: list[str] = []
        self.device: Device | None = None
        """Game controller that steers."""
        self.steering_speed = 1.0
        """Factor on the speed of the steering."""
        self._t: float | None = None
        self._steering = 0.0

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the command `out` at simulated time t (s) and forward speed (m/s); neutral without a controller."""
        dt, self._t = elapsed(self._t, t), t
        pads = self.hub.of_kind("gamepad")
        self.connected = bool(pads)
        self.used = any(pad.used for pad in pads)
        self.device = pads[0] if pads else None
        stick, throttle, brake, feel = 0.0, 0.0, 0.0, SteeringFeel()
        if pads:
            pad = pads[0]
            stick, throttle, brake = pad.steering() or 0.0, pad.pedal("throttle"), pad.pedal("brake")
            feel = pad.profile.feel if pad.profile else feel
        self._steering = stick_steering(self._steering, stick, speed, dt * self.steering_speed, feel, self.handling)
        remaining = (self.lever.take(action, speed) for pad in pads for action in pad.actions)
        self.events += [event for event in remaining if event is not None]
        write_pedals(out, self._steering, throttle, brake)
        self.lever.write(out)
        if any(pad.holds("hold_parking_brake") for pad in pads):
            out[0]["parking_brake"] = 1.0


SOURCE = InputSourceKind(
    "gamepad",
    lambda context, _: Gamepad(context.hub, context.lever, context.handling),
    CONTRACT,
    meaning="game controller",
    devices=("gamepad",),
)
