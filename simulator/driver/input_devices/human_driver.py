"""Human driver: command from the keyboard, game controller, steering wheel or plugin source used last, with fallback for a lost device."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from simulator.base.errors import DeviceError
from simulator.base.records import Record, record
from simulator.driver.input_devices.contract import InputContext, InputSource, InputSourceRunner, make_source
from simulator.driver.input_devices.controls import Lever, write_pedals
from simulator.driver.input_devices.device_profiles import load_profiles, profile_folders
from simulator.driver.input_devices.devices import Device, DeviceHub
from simulator.driver.input_devices.gamepad import Gamepad
from simulator.driver.input_devices.handling import HMMWV, Handling
from simulator.driver.input_devices.keyboard import Keyboard, Keys
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS
from simulator.driver.input_devices.reverse_by_brake import ReverseByBrake
from simulator.driver.input_devices.shaping import approach, elapsed
from simulator.events.event import Event, Origin, sent
from vehicles.command import COMMAND

AUTO = "auto"
"""Name for all available sources."""

HOLD = 0.3
"""s for which the steering keeps its position when its device is lost, so that a loose plug in a bend does not upset the vehicle."""
CENTERING = 0.5
"""1/s, fraction of full lock per second at which the steering then returns to the center."""
LOST_BRAKE = 0.2
"""1. Brake that is applied while the driver's device is lost: enough to stop, too little to skid."""
LOST_BRAKE_RATE = 0.4
"""1/s. Rate of this brake."""
TAKEOVER = 0.5
"""s for which the steering rate is limited after another device took over."""
TAKEOVER_RATE = 1.5
"""1/s. This limit. Larger: the steering jerks when an uncentered wheel takes over. Smaller: the new device responds too slowly."""
HAND_TORQUE = 10.0
"""N m on the steering wheel at full deflection of a device, if the hands apply a torque: an arm's torque without effort [mem]."""


class HumanDriver:
    """Command from the device that was used last; before the first use, from the first of `sources` that is connected.

    When this device is lost, the throttle is released at once. The steering is constant for HOLD and then returns to the center. The
    brake goes to LOST_BRAKE until a device is used or connected again.
    Call `read` at 100 to 250 Hz of real time, also while the simulation is paused: then time is constant and only buttons have an effect.

    gives_torque : True if the hands apply a torque to the steering wheel, HAND_TORQUE at full deflection; a plugin source may set its own torque
    lever : selector that the sources share; without it, `begin` and the brake do not move the selector
    reverse_by_brake : whether the brake at rest selects reverse; None: with sources whose `reverses_by_brake` is True
    """

    def __init__(
        self,
        sources: Sequence[InputSource],
        hub: DeviceHub | None = None,
        gives_torque: bool = False,
        lever: Lever | None = None,
        reverse_by_brake: bool | None = None,
    ) -> None:
        self.sources, self.hub, self.gives_torque = sources, hub, gives_torque
        self._lever, self._reverse_by_brake = lever, reverse_by_brake
        self._reverse = None if lever is None else ReverseByBrake(lever)
        self.active = sources[0]
        self._chosen = False
        self._commands = [record(COMMAND) for _ in sources]
        self._t: float | None = None
        self._speed = 0.0
        self._steering = self._brake = 0.0
        self._lost_for = 0.0
        self._takeover = 0.0
        self._menu_keys: list[str] = []

    def read(self, t: float, speed: float, out: Record, readout: Record | None = None) -> None:
        """Fill the command `out` at simulated time t (s) and forward speed (m/s). Never raises, never writes NaN.

        readout : READOUT of the vehicle, by which the pedals of a keyboard stay below the limit of grip
        """
        dt, self._t = elapsed(self._t, t), t if math.isfinite(t) else self._t
        self._speed = speed if math.isfinite(speed) else self._speed
        command = self._read_sources(t)
        out[0] = command[0]
        if self.active.connected:
            self._lost_for = 0.0
            self._follow(command, dt, out)
            if self._reverse is not None and self._reverses_by_brake:
                self._reverse.apply(dt, self._speed, out)
            if readout is not None and isinstance(self.active, Keyboard):
                self.active.limit_pedals(readout, dt, out)
        else:
            self._lost_for += dt
            self._fade(dt, out)
        self._steering, self._brake = float(out[0]["steering"]), float(out[0]["brake"])
        if self.gives_torque and not (self.active.connected and out[0]["steering_free"]):
            out[0]["steering_free"], out[0]["steering_torque"] = 1, HAND_TORQUE * self._steering

    def watch(self, t: float, speed: float) -> Record | None:
        """Read the sources while another driver drives; return the command of the one that was used last, None while it is not connected."""
        self._t = t if math.isfinite(t) else self._t
        self._speed = speed if math.isfinite(speed) else self._speed
        command = self._read_sources(t)
        return command if self.active.connected else None

    def resume(self, command: Record) -> None:
        """Drive again after another driver, whose last COMMAND this is."""
        self._steering, self._brake = float(command[0]["steering"]), float(command[0]["brake"])
        self._takeover = self._lost_for = 0.0
        if self._lever is not None and self._reverse is not None:
            self._lever.take_over(command)
            self._reverse.begin()

    @property
    def origin(self) -> Origin:
        """Sender of the events of the source that was used last."""
        return _origin(self.active)

    def _read_sources(self, t: float) -> Record:
        """Read all sources; return the command of the one that was used last."""
        if self.hub is not None:
            self.hub.poll()
            self._menu_keys += self.hub.menu_keys
        for source, command in zip(self.sources, self._commands, strict=True):
            source.read(t, self._speed, command)
        self._choose()
        return self._commands[self.sources.index(self.active)]

    def begin(self) -> None:
        """Begin a drive: the gear in which a drive starts is selected."""
        if self._lever is not None and self._reverse is not None:
            self._lever.begin()
            self._reverse.begin()

    @property
    def _reverses_by_brake(self) -> bool:
        usual = bool(getattr(self.active, "reverses_by_brake", False))
        return usual if self._reverse_by_brake is None else self._reverse_by_brake

    @property
    def device(self) -> Device | None:
        """The wheel or game controller that drives; None for keys and plugin sources."""
        return getattr(self.active, "device", None) if self.active.connected else None

    def add_notice(self, text: str) -> None:
        """Append a line about a device to `notices`; may be called in any thread."""
        if self.hub is not None:
            self.hub.notices.append(text)

    def set_steering_speed(self, factor: float) -> None:
        """Set the speed of the steering by keys and stick, relative to that of the device profiles."""
        for source in self.sources:
            if isinstance(source, Keyboard | Gamepad):
                source.steering_speed = factor

    def holds(self, action: str) -> bool:
        """Return whether a button of a device is pressed whose action applies while it is down, such as `horn`."""
        return self.hub is not None and any(device.holds(action) for device in self.hub.devices.values())

    def look(self) -> tuple[float, float]:
        """Return the direction of view of the first stick for it that is moved: left and up positive, in [-1, 1]."""
        devices = () if self.hub is None else self.hub.devices.values()
        return next((look for device in devices if (look := device.look()) != (0.0, 0.0)), (0.0, 0.0))

    def events(self) -> list[Event]:
        """Return and remove the events of keys and buttons since the previous call."""
        taken = [sent(name, _origin(source)) for source in self.sources for name in source.events]
        for source in self.sources:
            source.events.clear()
        return taken

    def menu_keys(self, in_menu: bool) -> list[str]:
        """Return and remove the keys of a menu that were pressed on devices; `in_menu`: whether a menu is open, so that buttons only act on it."""
        if self.hub is not None:
            self.hub.in_menu = in_menu
        taken, self._menu_keys = self._menu_keys, []
        return taken

    @property
    def reads_keys(self) -> bool:
        """True if a source reads the keys of the window."""
        return any(isinstance(source, Keyboard) for source in self.sources)

    def notices(self) -> list[str]:
        """Return and remove the lines about devices that were connected, lost or faulty."""
        if self.hub is None:
            return []
        return [self.hub.notices.popleft() for _ in range(len(self.hub.notices))]

    def troubles(self) -> list[str]:
        """Return the reasons why plugin sources were dropped, one line each."""
        return [source.trouble for source in self.sources if isinstance(source, InputSourceRunner) and source.trouble]

    def close(self) -> None:
        """Close all devices."""
        for source in self.sources:
            if isinstance(source, InputSourceRunner):
                source.close()
        if self.hub is not None:
            self.hub.close()

    def _choose(self) -> None:
        used = [source for source in self.sources if source.used and source.connected]
        if used:
            chosen = self.active if self.active in used else used[0]
            self._chosen = True
        elif not self._chosen:
            chosen = next((source for source in self.sources if source.connected), self.active)
        else:
            return
        if chosen is not self.active:
            self.active, self._takeover = chosen, TAKEOVER

    def _follow(self, command: Record, dt: float, out: Record) -> None:
        if self._takeover > 0.0:
            self._takeover -= dt
            out[0]["steering"] = approach(self._steering, float(command[0]["steering"]), TAKEOVER_RATE * dt)

    def _fade(self, dt: float, out: Record) -> None:
        steering = self._steering if self._lost_for <= HOLD else approach(self._steering, 0.0, CENTERING * dt)
        write_pedals(out, steering, 0.0, approach(self._brake, LOST_BRAKE, LOST_BRAKE_RATE * dt))
        self._takeover = TAKEOVER


def need_device(name: str, profiles_folder: Path | None = None) -> None:
    """Check that a device is connected for the input source that a user has requested.

    Raises
    ------
    DeviceError : no such device is connected, or SDL cannot be started
    ConfigError : a device profile cannot be used
    """
    if name == AUTO or not INPUT_SOURCE_KINDS.has(name):
        return
    kind = INPUT_SOURCE_KINDS.need(name)
    if not kind.devices:
        return
    hub = DeviceHub(load_profiles(profile_folders(profiles_folder))[0])
    try:
        if hub.of_kind(*kind.devices):
            return
        found = [f"{one.handle.name} ({one.profile.kind if one.profile else 'no profile'})" for one in hub.devices.values()]
    finally:
        hub.close()
    raise DeviceError(
        f"driver {name}: no such device found; expected a connected {kind.meaning}; got {', '.join(found) or 'no devices'}; "
        "hint: connect one, or use --driver auto; 'jounce devices' lists all"
    )


def _origin(source: InputSource) -> Origin:
    return Origin.WINDOW if isinstance(source, Keyboard) else Origin.DEVICE


def open_driver(
    name: str,
    keys: Keys | None = None,
    profiles_folder: Path | None = None,
    gears: int = 0,
    said: Mapping[str, Any] = MappingProxyType({}),
    gives_torque: bool = False,
    reverse_by_brake: bool | None = None,
    handling: Handling = HMMWV,
) -> HumanDriver:
    """Create a human driver with the input source of that name. `auto` uses all: plugin sources first, then wheel, game controller,
    keyboard.

    Parameters
    ----------
    keys : state of the keys, None without a window
    profiles_folder : folder of the shipped profiles; the user's own folder is searched first
    gears : forward gears of a manual transmission, 0 for an automatic one
    said : parameters of the source, if it has any
    gives_torque, reverse_by_brake : see HumanDriver
    handling : figures of the vehicle: rotation of its steering wheel, steering and pedals without feedback

    Raises
    ------
    ConfigError : a device profile or a parameter cannot be used
    DeviceError : the source needs SDL, which cannot be started, or a window that does not exist
    JounceError : the source does not exist or cannot be created
    """
    profiles, keyboard = load_profiles(profile_folders(profiles_folder))
    context = InputContext(keys, keyboard, profiles, 2.0 * handling.steering_wheel_lock, Lever(gears), handling)
    names = sorted(INPUT_SOURCE_KINDS.names(), key=INPUT_SOURCE_KINDS.is_builtin) if name == AUTO else (name,)
    sources = []
    for source_name in names:
        kind = INPUT_SOURCE_KINDS.need(source_name)
        source = make_source(kind, context, said, INPUT_SOURCE_KINDS.is_builtin(source_name))
        if source is not None:
            sources.append(source)
        elif name != AUTO:
            raise DeviceError(f"{name}: {kind.missing}")
    return HumanDriver(sources, context.opened, gives_torque, context.lever, reverse_by_brake)
