"""Sensors of a session: measurement at the ticks of their rate, and delivery after their latency."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.plugin_thread import PluginThread
from simulator.base.records import Record, Table, record
from simulator.sensors.contract import ArrayOutput, Sensor, SensorInput, SensorKind, SensorSettings
from simulator.sensors.measurement import NO_ARRAYS, Measurement, as_values, no_measurement, read_only, value_fault

SAMPLED = (("sampled", (), "s", "simulated time of the measurement; NaN when the sensor was dropped"),)
HANGS = 60.0
"""s. Wall time without a result after which a built-in sensor is dropped. A slow one is late, which is counted."""
SAME = 1e-9
"""s. Tolerance of a delivery time, which is a sum of ticks."""

Arrays = Mapping[str, NDArray[Any]]


class Due(NamedTuple):
    """Measurement that waits for its delivery; without `result`, a thread still computes it."""

    time: float
    at: float
    """Time of delivery [s]."""
    result: tuple[Record, Arrays] | None


class MountedSensor:
    """Sensor in a session: call `serve` every `every` ticks, and `deliver` before anybody reads.

    Attributes
    ----------
    name, kind, every, settings : see `simulator.sensors.make_sensors`
    out : record of the last delivered measurement for the log: SAMPLED and the kind's output
    trouble : reason why the sensor was dropped, one line; empty while it works. Columns of a dropped sensor are NaN, or 0 for integers.
    lost : reason why the sensor measures nothing at present, set by a fault; empty while it works
    late : number of measurements that were delivered more than a period after their delivery time (in real time only)
    skipped : number of measurements that were left out because the one before was not ready (in real time only)
    last_tick : tick of the vehicle at the last measurement
    """

    def __init__(self, name: str, kind: SensorKind, sensor: Sensor, every: int, settings: SensorSettings, plugin: bool) -> None:
        self.name, self.kind, self.every, self.settings = name, kind, every, settings
        self.trouble, self.lost, self.late, self.skipped, self.last_tick = "", "", 0, 0, 0
        self._sensor, self._plugin = sensor, plugin
        self._table: Table = (*SAMPLED, *kind.output)
        self.out = record(self._table)
        no_measurement(self.out)
        self._measured = record(kind.output)
        self._thread: PluginThread | None = None
        if plugin or kind.in_thread:
            allowed = {"patience": HANGS} if plugin else {"budget": HANGS, "patience": HANGS}
            self._thread = PluginThread(f"sensor {name}", self._measure, **allowed)
        self._needs_thread = plugin or settings.latency > 0.0
        """Whether the thread also computes outside real time: parallel to the ticks until the delivery."""
        self._is_closed = False
        self._due: deque[Due] = deque()
        self._latest = self._nothing()
        self._subscribers: list[Callable[[Measurement], None]] = []

    @property
    def logged(self) -> tuple[str, Table, Record]:
        """Prefix of the columns, table and record, for the log."""
        return f"{self.name}_", self._table, self.out

    @property
    def label(self) -> str:
        """Name of the sensor in messages."""
        return f"sensor {self.name}"

    @property
    def arrays(self) -> tuple[ArrayOutput, ...]:
        """Arrays that its settings make it measure."""
        return self.kind.arrays_of(self.settings)

    @property
    def runs_beside(self) -> bool:
        """Whether it computes beside the ticks until its delivery, in a run, too."""
        return self._thread is not None and self.settings.latency > 0.0

    def latest(self, time: float) -> Measurement:
        """Return the last delivered measurement, with its age at `time` [s]."""
        age = time - self._latest.time
        return self._latest._replace(age=math.inf if math.isnan(age) else age, trouble=self.trouble or self.lost)

    def subscribe(self, call: Callable[[Measurement], None]) -> None:
        """Call a function with each measurement at its delivery, in the thread of the ticks: it must return at once."""
        self._subscribers.append(call)

    def lose(self, reason: str) -> None:
        """Measure nothing from now on, for a reason, or measure again ("")."""
        if reason and not self.lost and not self.trouble:
            self._discard()
            self._latest = self._nothing()
            self._write(math.nan, no_measurement(self._measured.copy()))
        self.lost = reason

    def serve(self, seen: SensorInput, wait: bool) -> None:
        """Measure; `wait` if the session does not run in real time. Never raises."""
        if self.trouble or self.lost:
            return
        seen.seed = (*self.settings.seed, round(seen.time / self.settings.step))
        at = seen.time + self.settings.latency
        if self._thread is None or (wait and not self._needs_thread):
            try:
                self._due.append(Due(seen.time, at, self._measure(seen)))
            except Exception as error:  # a sensor that fails is dropped, and the drive goes on
                self._drop(f"sensor {self.name} was dropped: {_text(error)}")
        else:
            self._collect(seen.time, wait)
            if self._thread.busy:
                self.skipped += 1
            elif not self.trouble:
                self._due.append(Due(seen.time, at, None))
                sent = seen.for_thread()
                self._thread.submit(sent)
                if wait and sent.world.changes:
                    if self._plugin:
                        self._collect(seen.time, wait)
                    else:
                        sent.wait_for_release(HANGS)
        self.deliver(seen.time, wait)

    def deliver(self, time: float, wait: bool) -> None:
        """Deliver the measurements that are due at `time` [s]; `wait` as in `serve`. Never raises."""
        while self._due and self._due[0].at <= time + SAME:
            if self._due[0].result is None:
                self._collect(time, wait)
            if not self._due or self._due[0].result is None:
                return
            self._take(self._due.popleft())

    def begin(self) -> None:
        """Discard what is under way: the vehicle was put to another place or time."""
        self._discard()
        self.last_tick = 0
        if not self.trouble:
            self._latest = self._nothing()
            no_measurement(self.out)

    def _discard(self) -> None:
        """Discard the measurements that wait for their delivery."""
        if self._thread is not None:
            self._thread.result(wait=True)
        self._due.clear()

    def close(self) -> None:
        """End the thread, and close the sensor. A second call has no effect."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._thread is not None:
            self._thread.close()
        close = getattr(self._sensor, "close", None)
        if close is not None:
            close()

    def _nothing(self) -> Measurement:
        """Return the measurement before the first one."""
        return Measurement(math.nan, math.nan, math.inf, "", as_values(no_measurement(record(self.kind.output))), NO_ARRAYS)

    def _measure(self, seen: SensorInput) -> tuple[Record, Arrays]:
        """Call the sensor; in its thread if it has one."""
        try:
            arrays = self._sensor.step(seen, self._measured) or {}
        finally:
            seen.release()
        if self._plugin and (fault := value_fault(self._measured)):
            raise ValueError(fault)
        if fault := array_fault(self.kind.arrays, arrays):
            raise ValueError(fault)
        if self._plugin:  # a view would change with the array behind it
            arrays = {name: array if array.base is None else array.copy() for name, array in arrays.items()}
        return self._measured.copy(), read_only(arrays)

    def _collect(self, time: float, wait: bool) -> None:
        """Take the result of the thread, if there is one."""
        assert self._thread is not None
        result = self._thread.result(wait)
        if self._thread.error:
            self._drop(self._thread.error)
        elif result is not None:
            for n, due in enumerate(self._due):
                if due.result is None:
                    late = not wait and time > due.at + SAME
                    self.late += late and time > due.at + self.settings.period + SAME
                    self._due[n] = due._replace(result=result, at=time if late else due.at)
                    return

    def _take(self, due: Due) -> None:
        """Deliver a measurement."""
        assert due.result is not None
        values, arrays = due.result
        self._write(due.time, values)
        values.setflags(write=False)
        self._latest = Measurement(due.time, due.at, 0.0, "", values, arrays)
        try:
            for call in self._subscribers:
                call(self._latest)
        except Exception as error:  # the sensor's own receiver, or that of a program
            self._drop(f"sensor {self.name} was dropped: a receiver failed: {_text(error)}")

    def _drop(self, trouble: str) -> None:
        self.trouble = trouble
        self._due.clear()
        self._write(math.nan, no_measurement(self._measured.copy()))

    def _write(self, time: float, values: Record) -> None:
        """Write a measurement to the record for the log."""
        self.out[0]["sampled"] = time
        for name in values.dtype.names or ():
            self.out[0][name] = values[0][name]


def array_fault(outputs: tuple[ArrayOutput, ...], arrays: Arrays) -> str:
    """Return what is wrong with the arrays of a sensor: they must be as its kind declares them; "" if nothing is."""
    declared = {one.name: one for one in outputs}
    for name, array in arrays.items():
        one = declared.get(name)
        if one is None:
            return f"array {name}: not declared; expected {' or '.join(declared) or 'no arrays'}"
        if not isinstance(array, np.ndarray):
            return f"array {name}: {type(array).__name__}; expected an array"
        if array.dtype != np.dtype(one.dtype) or array.ndim != len(one.dimensions):
            expected = f"{np.dtype(one.dtype)} with axes {', '.join(one.dimensions)}"
            return f"array {name}: {array.dtype} with {array.ndim} axes; expected {expected}"
    return ""


def _text(error: Exception) -> str:
    return str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}".rstrip(": ")
