"""Contract of input sources: a kind of device with which a human drives.

A built-in source is read a hundred times a second in the thread of the ticks. A plugin source runs in its own thread
(`simulator.base.plugin_thread`), and the result of one call takes effect at the next call. When it raises, is too slow or returns a command
that is not finite, it counts as disconnected for good: throttle zero, steering to the center, and another source may take over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from simulator.base.field_records import parameters_of
from simulator.base.fields import Fields
from simulator.base.plugin_thread import PluginThread
from simulator.base.records import Record, record
from simulator.base.registry import making
from simulator.driver.input_devices.controls import Lever, write_pedals
from simulator.driver.input_devices.device_profiles import KeyboardProfile, Profile
from simulator.driver.input_devices.devices import DeviceHub
from simulator.driver.input_devices.handling import HMMWV, Handling
from simulator.driver.input_devices.keyboard import Keys
from simulator.driver.input_devices.shaping import clip
from vehicles.command import COMMAND
from vehicles.drivetrain.conventional.shift_schedule import MAX_GEARS

CONTRACT = 1
"""Version of the rules above and of the classes below."""


class InputSource(Protocol):
    """Input source of one kind of device.

    Attributes
    ----------
    used : True if a control was moved since the previous read; the source used last drives
    connected : True if a device is connected
    events : requests besides driving: `reset`, `upright`, `pause`, `camera` ...; the source appends, the driver removes
    """

    used: bool
    connected: bool
    events: list[str]

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the COMMAND record at simulated time t [s] and forward speed [m/s]."""


@dataclass
class InputContext:
    """Inputs for creating a source."""

    keys: Keys | None
    """State of the keys; None without a window."""
    keyboard: KeyboardProfile
    profiles: list[Profile]
    steering_wheel_range: float
    """Rotation of the vehicle's steering wheel, lock to lock [rad]."""
    lever: Lever = field(default_factory=Lever)
    """Selector and parking brake, shared by all sources."""
    handling: Handling = HMMWV
    """Steering and driven wheels of the vehicle."""

    @cached_property
    def hub(self) -> DeviceHub:
        """Devices of this computer; opened on first use. Raises DeviceError."""
        return DeviceHub(self.profiles)

    @property
    def opened(self) -> DeviceHub | None:
        """Devices of this computer if they were opened, else None."""
        return self.__dict__.get("hub")


@dataclass(frozen=True)
class InputSourceKind:
    """Registered kind of input source."""

    name: str
    make: Callable[[InputContext, Record], InputSource | None]
    """Creates the source with its own parameters; returns None if a requirement is missing, for example a window."""
    contract: int
    """Value of CONTRACT for which the kind was written."""
    parameters: Fields = ()
    """Table of the kind's own parameters, numbers."""
    missing: str = "not available"
    """Reason for a missing source, for messages."""
    meaning: str = ""
    """Description for a list of sources, one line."""
    devices: tuple[str, ...] = ()
    """Kinds of device profiles. A drive that asks for this source needs a device with such a profile; empty: no device is needed."""


def make_source(kind: InputSourceKind, context: InputContext, said: Mapping[str, Any], builtin: bool) -> InputSource | None:
    """Create a source, a plugin source in its own thread. Raises ConfigError, DeviceError, JounceError."""
    parameters = parameters_of(kind.parameters, said, f"input source {kind.name}")
    with making(f"input source {kind.name}"):
        source = kind.make(context, parameters)
    return source if builtin or source is None else InputSourceRunner(kind.name, source)


class InputSourceRunner:
    """Adapter of a plugin source to the human driver. `trouble` is the reason why it was dropped."""

    def __init__(self, name: str, source: InputSource) -> None:
        self.used = self.connected = False
        self.events: list[str] = []
        self._source = source
        self._read_into = record(COMMAND)
        self._thread = PluginThread(f"input source {name}", self._read)

    @property
    def trouble(self) -> str:
        """Reason why the source was dropped, one line; empty while it works."""
        return self._thread.error

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the command with the latest result; without a new one, it stays as it is. Never raises."""
        result = self._thread.result(wait=False)
        self.used = False
        if result is not None:
            out[:], self.used, self.connected, events = result
            self.events += events
        if self._thread.error:
            self.connected = False
        self._thread.submit(t, speed)

    def close(self) -> None:
        """End the thread of the source."""
        self._thread.close()

    def _read(self, t: float, speed: float) -> tuple[Record, bool, bool, list[str]]:
        """Read the source; runs in its thread."""
        self._source.read(t, speed, self._read_into)
        events = [str(event) for event in self._source.events]
        self._source.events.clear()
        return checked_command(self._read_into), bool(self._source.used), bool(self._source.connected), events


def checked_command(command: Record) -> Record:
    """Return a copy of a COMMAND record, clipped to valid values. Raises ValueError for a value that is not finite."""
    c = command[0]
    numbers = ("steering", "throttle", "brake", "parking_brake", "clutch", "drawbar", "steering_torque")
    if not all(math.isfinite(c[name]) for name in numbers):
        raise ValueError("command is not finite")
    out = command.copy()
    write_pedals(out, float(c["steering"]), float(c["throttle"]), float(c["brake"]))
    out[0]["parking_brake"] = clip(float(c["parking_brake"]), 0.0, 1.0)
    out[0]["selector"] = int(np.clip(c["selector"], -1, 1))
    out[0]["gear"] = int(np.clip(c["gear"], 0, MAX_GEARS))
    out[0]["clutch"] = clip(float(c["clutch"]), 0.0, 1.0)
    out[0]["low_range"], out[0]["center_lock"] = int(c["low_range"] != 0), int(c["center_lock"] != 0)
    out[0]["manual_clutch"], out[0]["starter"] = int(c["manual_clutch"] != 0), int(c["starter"] != 0)
    out[0]["steering_free"] = int(np.clip(c["steering_free"], 0, 1))
    return out
