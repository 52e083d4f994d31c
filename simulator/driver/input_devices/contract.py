"""What an input source is: one kind of device that a person drives with, and what it may use.

A shipped source is read a hundred times a second where the driver is asked. One from outside works beside the ticks
(`simulator.base.plugin_thread`): what it is asked at one look counts from the next one on. When it raises, is slow or gives a command that is not
finite it counts as unplugged for good: the throttle is released, the steering goes to the center, and another source may take over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from simulator.base.fields import from_mapping
from simulator.base.plugin_thread import PluginThread
from simulator.base.records import Ranges, Record, Table, record
from simulator.base.registry import making
from simulator.driver.input_devices.controls import Lever, write_pedals
from simulator.driver.input_devices.device_profiles import KeyboardProfile, Profile
from simulator.driver.input_devices.devices import DeviceHub
from simulator.driver.input_devices.keyboard import Keys
from simulator.driver.input_devices.shaping import clip
from vehicles.command import COMMAND
from vehicles.drivetrain.shift_schedule import MOST_GEARS

CONTRACT = 1
"""Version of what stands above and of the classes below."""


class InputSource(Protocol):
    """One kind of device.

    Attributes
    ----------
    used : whether it was worked since the read before; the source used last drives
    connected : whether it is there
    events : what was asked for besides driving, added at the end and taken out by the driver: `reset`, `upright`, `pause`, `camera` ...
    """

    used: bool
    connected: bool
    events: list[str]

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the COMMAND record at simulated time t [s] and forward speed [m/s]."""


@dataclass
class InputContext:
    """What sources may use."""

    keys: Keys | None
    """State of the keys; None where there is no window."""
    keyboard: KeyboardProfile
    profiles: list[Profile]
    steering_wheel_range: float
    """Of the vehicle's steering wheel, lock to lock [rad]."""
    lever: Lever = field(default_factory=Lever)
    """Selector and parking brake, which all sources share."""

    @cached_property
    def hub(self) -> DeviceHub:
        """The devices of this computer; opened when somebody asks for them. Raises DeviceError."""
        return DeviceHub(self.profiles)

    @property
    def opened(self) -> DeviceHub | None:
        """The same, if somebody has asked."""
        return self.__dict__.get("hub")


@dataclass(frozen=True)
class InputSourceKind:
    """An input source as it is registered."""

    name: str
    make: Callable[[InputContext, Record], InputSource | None]
    """Makes it, with its own parameters; None where what it needs is not there, for example a window."""
    contract: int
    """CONTRACT it was written for."""
    parameters: Table = ()
    """Of its own."""
    ranges: Ranges = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    missing: str = "it is not there"
    """Why there is none, for whoever asked for this one."""
    meaning: str = ""
    """One line for a list of sources."""


def make_source(kind: InputSourceKind, cabin: InputContext, said: Mapping[str, Any], ours: bool) -> InputSource | None:
    """A source, one from outside in its own thread. Raises ConfigError, DeviceError, JounceError."""
    parameters = from_mapping(kind.parameters, said, f"input source {kind.name}", "", kind.defaults, kind.ranges)
    with making(f"input source {kind.name}"):
        source = kind.make(cabin, parameters)
    return source if ours or source is None else InputSourceRunner(kind.name, source)


class InputSourceRunner:
    """A source from outside, as the driver sees it. `trouble` says why it was dropped."""

    def __init__(self, name: str, source: InputSource) -> None:
        self.used = self.connected = False
        self.events: list[str] = []
        self._source = source
        self._command, self._read_into = record(COMMAND), record(COMMAND)
        self._aside = PluginThread(f"input source {name}", self._read)

    @property
    def trouble(self) -> str:
        """Why it was dropped, in one line; empty while it works."""
        return self._aside.trouble

    def read(self, t: float, speed: float, out: Record) -> None:
        """Fill the command with what was read last. Never raises."""
        answer = self._aside.answer(wait=False)
        self.used = False
        if answer is not None:
            self._command, self.used, self.connected, events = answer
            self.events += events
        if self._aside.trouble:
            self.connected = False
        out[0] = self._command[0]
        self._aside.ask(t, speed)

    def close(self) -> None:
        """End its thread."""
        self._aside.close()

    def _read(self, t: float, speed: float) -> tuple[Record, bool, bool, list[str]]:
        """In its thread."""
        self._source.read(t, speed, self._read_into)
        events = [str(event) for event in self._source.events]
        self._source.events.clear()
        return sound_command(self._read_into), bool(self._source.used), bool(self._source.connected), events


def sound_command(command: Record) -> Record:
    """A copy of a COMMAND record, clipped to what a vehicle takes. Raises ValueError for a number that is not finite."""
    c = command[0]
    numbers = ("steering", "throttle", "brake", "parking_brake", "clutch", "drawbar", "steering_torque")
    if not all(math.isfinite(c[name]) for name in numbers):
        raise ValueError("it gave a command that is not finite")
    out = command.copy()
    write_pedals(out, float(c["steering"]), float(c["throttle"]), float(c["brake"]))
    out[0]["parking_brake"] = clip(float(c["parking_brake"]), 0.0, 1.0)
    out[0]["selector"] = int(np.clip(c["selector"], -1, 1))
    out[0]["gear"] = int(np.clip(c["gear"], 0, MOST_GEARS))
    out[0]["clutch"] = clip(float(c["clutch"]), 0.0, 1.0)
    out[0]["low_range"], out[0]["center_lock"] = int(c["low_range"] != 0), int(c["center_lock"] != 0)
    out[0]["manual_clutch"], out[0]["starter"] = int(c["manual_clutch"] != 0), int(c["starter"] != 0)
    out[0]["steering_free"] = int(np.clip(c["steering_free"], 0, 1))
    return out
