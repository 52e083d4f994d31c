"""Sensors of a session: creation from a session file, and their calls in a session."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.field_records import filled, rows
from simulator.base.fields import read
from simulator.base.plugin_thread import PluginThread
from simulator.base.rates import whole_ticks
from simulator.base.records import Record, Table, record
from simulator.base.registry import making
from simulator.base.rotations import rotation_of_euler
from simulator.base.values import Values
from simulator.sensors.contract import Mount, Sensor, SensorInput, SensorKind, SensorSettings
from simulator.sensors.kinds import MOUNT, SENSOR_FILE, SENSOR_KINDS
from terrain.ground import Ground

SAMPLED = (("sampled", (), "s", "simulated time of the measurement; NaN when the sensor was dropped"),)
RESERVED = ("command", "platform")
"""Prefixes that other log columns use."""


class MountedSensor:
    """Sensor in a session: call `serve` every `every` ticks; `logged` is its measurement.

    Attributes
    ----------
    name, every : see `build_sensors`
    out : record of the latest measurement: SAMPLED and the kind's output
    trouble : reason why the sensor was dropped, one line; empty while it works. Columns of a dropped sensor are NaN, or 0 for integers.
    """

    def __init__(self, name: str, kind: SensorKind, sensor: Sensor, every: int, in_thread: bool) -> None:
        self.name, self.every, self.trouble = name, every, ""
        self._sensor = sensor
        self._table: Table = (*SAMPLED, *kind.output)
        self.out = record(self._table)
        self._measured = record(kind.output)
        self._thread = PluginThread(f"sensor {name}", self._measure_in_thread) if in_thread else None

    @property
    def logged(self) -> tuple[str, Table, Record]:
        """Prefix of the columns, table and record, for the log."""
        return f"{self.name}_", self._table, self.out

    def serve(self, time: float, readout: Record, wait: bool) -> None:
        """Measure at `time` [s] with this READOUT; `wait` for a plugin sensor if the session does not run in real time. Never raises."""
        if self._thread is None:
            self._sensor.step(SensorInput(time, readout), self._measured)
            self._take(time, self._measured)
            return
        if self.trouble:
            return
        result = self._thread.result(wait)
        if result is not None:
            self._take(*result)
        if self._thread.error:
            self.trouble = self._thread.error
            self._take(math.nan, _no_measurement(self._measured))
            return
        self._thread.submit(time, readout.copy())

    def close(self) -> None:
        """End the thread of a plugin sensor."""
        if self._thread is not None:
            self._thread.close()

    def _take(self, time: float, measured: Record) -> None:
        self.out[0]["sampled"] = time
        for name in measured.dtype.names or ():
            self.out[0][name] = measured[0][name]

    def _measure_in_thread(self, time: float, readout: Record) -> tuple[float, Record]:
        """Measure in the thread of a plugin sensor."""
        self._sensor.step(SensorInput(time, readout), self._measured)
        for name in self._measured.dtype.names or ():
            if not np.isfinite(self._measured[0][name]).all():
                raise ValueError(f"{name} is not finite")
        return time, self._measured.copy()


def build_sensors(said: Sequence[Any], file: object, ground: Ground, h: float, seed: int = 0, key: str = "sensors") -> list[MountedSensor]:
    """Create the sensors in the list `sensors` of a session file, for `Session`.

    Parameters
    ----------
    said : per sensor a mapping, see `simulator.sensors.contract`, or only the name of a kind
    file, key : name of the file and of the list, for messages
    ground : of the session
    h : length of a tick [s]
    seed : of the session; not negative

    Raises
    ------
    ConfigError : the description of a sensor is invalid, or two sensors have the same name
    JounceError : a plugin sensor cannot be created
    """
    if not isinstance(said, (list, tuple)):
        raise ConfigError(file, key, said, "a list of sensors")
    sensors: list[MountedSensor] = []
    for n, entry in enumerate(said):
        values = SENSOR_FILE.read({"type": entry} if isinstance(entry, str) else entry, file, f"{key}[{n}]")
        sensor = _sensor(values, ground, h, seed)
        if any(sensor.name == other.name for other in sensors):
            raise ConfigError(file, values.path("name"), sensor.name, "a unique name")
        sensors.append(sensor)
    return sensors


def _sensor(values: Values, ground: Ground, h: float, seed: int) -> MountedSensor:
    kind = SENSOR_KINDS.need(values["type"])
    name = values.get("name", kind.name)
    if not name.isidentifier() or name in RESERVED:
        raise ConfigError(
            values.file, values.path("name"), name, "a name of letters, digits and underscores, other than command and platform"
        )
    every = whole_ticks(values.get("rate", kind.rate), h, values.file, values.path("rate"))
    parameters = filled(rows(kind.parameters), values)
    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    mount = values["mount"] if "mount" in values else read(MOUNT, {}, values.file)
    settings = SensorSettings(parameters, _mount(mount), every * h, random, ground)
    with making(f"sensor {name}"):
        sensor = kind.make(settings)
    return MountedSensor(name, kind, sensor, every, in_thread=not SENSOR_KINDS.is_builtin(values["type"]))


def _mount(mount: Values) -> Mount:
    R_BS = np.empty((3, 3))
    rotation_of_euler(mount["roll"], mount["pitch"], mount["yaw"], R_BS)
    return Mount(np.array(mount["position"], np.float64), R_BS)


def _no_measurement(measured: Record) -> Record:
    """Return the record of a dropped sensor."""
    for name in measured.dtype.names or ():
        measured[0][name] = math.nan if measured.dtype[name].base.kind == "f" else 0
    return measured
