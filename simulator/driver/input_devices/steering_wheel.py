"""Input source for a steering wheel and pedals, on one or several devices."""

from __future__ import annotations

from simulator.base.records import Record
from simulator.driver.input_devices.contract import CONTRACT, InputSourceKind
from simulator.driver.input_devices.controls import Lever, write_pedals
from simulator.driver.input_devices.devices import Device, DeviceHub
from simulator.driver.input_devices.shaping import wheel_steering


class Wheel:
    """Steering from the wheel that was used last; each pedal from the device that presses it most.

    Parameters
    ----------
    steering_wheel_range : rotation of the vehicle's steering wheel from lock to lock, rad
    """

    def __init__(self, hub: DeviceHub, steering_wheel_range: float, lever: Lever | None = None) -> None:
        self.hub, self.steering_wheel_range = hub, steering_wheel_range
        self.lever = lever or Lever()
        self.used = False
        self.connected = False
        self.events: list[str] = []
        self.device: Device | None = None
        """Wheel that steers."""

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the command `out` at simulated time t (s) and forward speed (m/s); neutral without a wheel."""
        devices = self.hub.of_kind("wheel", "pedals")
        wheels = [device for device in devices if device.steering() is not None]
        self.connected = bool(wheels)
        self.used = any(device.used for device in devices)
        self.device = wheels[0] if wheels else None
        steering = 0.0
        if wheels and wheels[0].profile:
            ratio = wheels[0].profile.rotation / self.steering_wheel_range
            steering = wheel_steering(wheels[0].steering() or 0.0, ratio)
        throttle = max((device.pedal("throttle") for device in devices), default=0.0)
        brake = max((device.pedal("brake") for device in devices), default=0.0)
        remaining = (self.lever.take(action, speed) for device in devices for action in device.actions)
        self.events += [event for event in remaining if event is not None]
        write_pedals(out, steering, throttle, brake)
        self.lever.write(out)
        if any(device.holds("hold_parking_brake") for device in devices):
            out[0]["parking_brake"] = 1.0
        clutches = [device.pedal("clutch") for device in devices if device.has_pedal("clutch")]
        gates = [gate for gate in (device.gate() for device in devices) if gate is not None]
        self.lever.write_manual(out, max(clutches, default=None), next((gate for gate in gates if gate != 0), gates[0] if gates else None))


SOURCE = InputSourceKind(
    "wheel",
    lambda context, _: Wheel(context.hub, context.steering_wheel_range, context.lever),
    CONTRACT,
    meaning="steering wheel and pedals, on one or several devices",
    devices=("wheel",),
)
