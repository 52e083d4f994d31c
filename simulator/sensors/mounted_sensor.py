"""Sensors made of what a session file says of them, and how they are served in a session."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.plugin_thread import PluginThread
from simulator.base.rates import whole_ticks
from simulator.base.records import Record, Table, record
from simulator.base.registry import making
from simulator.base.rotations import rotation_of_euler
from simulator.base.section import Section
from simulator.sensors.contract import Mount, Sensor, SensorInput, SensorKind, SensorSettings
from simulator.sensors.kinds import SENSOR_KINDS, check
from terrain.ground import Ground

SAMPLED = (("sampled", (), "s", "simulated time that the measurement is of; NaN when the sensor was dropped"),)
RESERVED = ("command", "platform")
"""Words that begin columns of the log already."""
FAR = 100.0
"""m. No sensor is mounted farther from the chassis reference point."""


class MountedSensor:
    """A sensor in a session: `serve` it every `every` ticks; `logged` is what it has measured.

    Attributes
    ----------
    name, every : see `build_sensors`
    out : record of what was measured last: SAMPLED and the kind's output
    trouble : why it was dropped, in one line; empty while it works. Its columns are NaN, or 0 of whole numbers, from then on.
    """

    def __init__(self, name: str, kind: SensorKind, sensor: Sensor, every: int, aside: bool) -> None:
        self.name, self.every, self.trouble = name, every, ""
        self._sensor = sensor
        self._table: Table = (*SAMPLED, *kind.output)
        self.out = record(self._table)
        self._measured = record(kind.output)
        self._aside = PluginThread(f"sensor {name}", self._measure_aside) if aside else None

    @property
    def logged(self) -> tuple[str, Table, Record]:
        """Prefix of the columns, table and record, for the log."""
        return f"{self.name}_", self._table, self.out

    def serve(self, time: float, readout: Record, wait: bool) -> None:
        """The vehicle is at `time` [s] with this READOUT; `wait` for one from outside, because nobody drives in real time. Never raises."""
        if self._aside is None:
            self._sensor.step(SensorInput(time, readout), self._measured)
            self._take(time, self._measured)
            return
        if self.trouble:
            return
        answer = self._aside.answer(wait)
        if answer is not None:
            self._take(*answer)
        if self._aside.trouble:
            self.trouble = self._aside.trouble
            self._take(math.nan, _nothing(self._measured))
            return
        self._aside.ask(time, readout.copy())

    def close(self) -> None:
        """End its thread, if it has one."""
        if self._aside is not None:
            self._aside.close()

    def _take(self, time: float, measured: Record) -> None:
        self.out[0]["sampled"] = time
        for name in measured.dtype.names or ():
            self.out[0][name] = measured[0][name]

    def _measure_aside(self, time: float, readout: Record) -> tuple[float, Record]:
        """In the thread of a sensor from outside."""
        self._sensor.step(SensorInput(time, readout), self._measured)
        for name in self._measured.dtype.names or ():
            if not np.isfinite(self._measured[0][name]).all():
                raise ValueError(f"{name} is not finite")
        return time, self._measured.copy()


def build_sensors(said: Sequence[Any], file: object, ground: Ground, h: float, seed: int = 0, key: str = "sensors") -> list[MountedSensor]:
    """Sensors out of the list `sensors` of a session file, for `Session`.

    Parameters
    ----------
    said : per sensor a mapping, see `simulator.sensors.contract`, or the name of a kind alone
    file, key : name of the file and of the list, for messages
    ground : of the session
    h : length of a tick [s]
    seed : of the session; not negative

    Raises
    ------
    ConfigError : a sensor cannot be used as it is written, or two have one name
    JounceError : one from outside cannot be made
    """
    if not isinstance(said, (list, tuple)):
        raise ConfigError(file, key, said, "a list of sensors")
    sensors: list[MountedSensor] = []
    for n, one in enumerate(said):
        section = Section({"type": one} if isinstance(one, str) else one, file, f"{key}[{n}]")
        sensor = _sensor(section, ground, h, seed)
        if any(sensor.name == other.name for other in sensors):
            raise ConfigError(file, section.path("name"), sensor.name, "a name that no other sensor has")
        sensors.append(sensor)
    return sensors


def _sensor(s: Section, ground: Ground, h: float, seed: int) -> MountedSensor:
    of = s.text("type", expected="the kind of the sensor")
    kind = SENSOR_KINDS.named(of, s.file, s.path("type"))
    check(kind)
    name = s.text("name", of)
    if not name.isidentifier() or name in RESERVED:
        raise ConfigError(
            s.file, s.path("name"), name, "letters, digits and underscores, for the names of columns; not command or platform"
        )
    rate = s.number("rate", kind.rate, least=0.1, most=1.0 / h)
    every = whole_ticks(rate, h, s.file, s.path("rate"))
    mount = _mount(Section(s.raw("mount", {}), s.file, s.path("mount")))
    parameters = s.record(kind.parameters, kind.ranges, kind.defaults, beside=("type", "name", "rate", "mount"))
    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    settings = SensorSettings(parameters, mount, every * h, random, ground)
    with making(f"sensor {name}"):
        made = kind.make(settings)
    return MountedSensor(name, kind, made, every, aside=not SENSOR_KINDS.is_builtin(of))


def _mount(s: Section) -> Mount:
    with s:
        p_BS = s.array("position", (3,), [0.0, 0.0, 0.0], within=FAR)
        roll, pitch, yaw = [math.radians(s.number(f"{name}_deg", 0.0, least=-360.0, most=360.0)) for name in ("roll", "pitch", "yaw")]
    R_BS = np.empty((3, 3))
    rotation_of_euler(roll, pitch, yaw, R_BS)
    return Mount(p_BS, R_BS)


def _nothing(measured: Record) -> Record:
    """A record of a sensor that measures no more."""
    for name in measured.dtype.names or ():
        measured[0][name] = math.nan if measured.dtype[name].base.kind == "f" else 0
    return measured
