"""From parameters to residuals: which runs that takes, and what their logs say beside what was measured."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.configuration.configuration import Configuration
from simulator.fitting.experiment import driven
from simulator.fitting.fit_file import Data, Fit, Offset
from simulator.fitting.identifiability import Varied
from simulator.fitting.keys import Parameter, changed, check_ends, named
from simulator.fitting.least_squares import Failed
from simulator.fitting.measurements import FEWEST_ROWS, Measured
from simulator.fitting.run_request import Log, RunRequest

Array = NDArray[np.float64]


class Drives(Protocol):
    """Who has runs driven, a sweep at a time."""

    def logs(self, wanted: Sequence[RunRequest]) -> list[Log | Failed]:
        """What came of each of them."""


@dataclass(frozen=True)
class Drive:
    """A set of data with what it was driven in.

    Attributes
    ----------
    data : as the file says it
    rows : which rows are compared; None before a run at the start has shown how long it is
    """

    data: Data
    measured: Measured
    base: Configuration
    rows: NDArray[np.bool_] | None = None

    @property
    def label(self) -> str:
        """For people."""
        return self.measured.label


@dataclass(frozen=True)
class Trace:
    """A channel of a drive."""

    drive: str
    channel: str
    unit: str
    sigma: float
    """By which its residuals are divided: noise over weight, in SI."""
    rows: slice
    """Of all residuals."""


class Model:
    """Residuals of a fit.

    Parameters
    ----------
    fit : the file
    measured : what was measured, a set for each of its data
    units : SI units of the channels
    drives : has runs driven

    Raises ConfigError: what was driven cannot be driven again, or a parameter has no place in it.
    """

    def __init__(self, fit: Fit, measured: Sequence[Measured], units: Mapping[str, str], drives: Drives) -> None:
        self.fit, self.units, self._drives = fit, units, drives
        self.drives = [Drive(one, what, driven(one, fit.file, what)) for one, what in zip(fit.data, measured, strict=True)]
        self.parameters = fit.parameters
        self.moved = [
            Parameter(f"time offset of {one.label}", (), one.data.offset.start, one.data.offset.least, one.data.offset.most)
            for one in self.drives
            if one.data.offset.fitted
        ]
        self.traces: list[Trace] = []
        """Of the residuals, once a run at the start has been compared."""
        self.runs = 0
        """That were asked for."""
        for drive in self.drives:
            check_ends(drive.base, fit.parameters, fit.file)

    def with_measured(self, measured: Sequence[Measured]) -> Model:
        """The same drives with other data."""
        other = copy.copy(self)
        other.drives = [replace(drive, measured=one, rows=None) for drive, one in zip(self.drives, measured, strict=True)]
        other.traces, other.runs = [], 0
        return other

    @property
    def varied(self) -> tuple[Parameter, ...]:
        """All that the search moves: parameters, then offsets of time."""
        return (*self.parameters, *self.moved)

    @property
    def start(self) -> Array:
        """(p,) u where the search begins."""
        return np.array([one.share(one.start) for one in self.varied])

    def values(self, u: Array) -> list[float]:
        """(p,) values at u."""
        return [one.value(share) for one, share in zip(self.varied, u, strict=True)]

    def seen(self, u: Array) -> list[Varied]:
        """What is to be known of each to say what the data do not tell."""
        return [Varied(one.name, one.value(share), one.slope(share)) for one, share in zip(self.varied, u, strict=True)]

    def mapping(self, drive: Drive, values: Sequence[float]) -> Configuration:
        """The configuration of a drive with values of the parameters; not to be built, but a copy."""
        return changed(drive.base, self.parameters, values, self.fit.file)

    def logs(self, points: Sequence[Array]) -> list[list[Log | Failed]]:
        """What is driven at several points: for each the log of every drive. Points that differ in offsets only share their runs."""
        count = len(self.parameters)
        all_values = [tuple(self.values(u)[:count]) for u in points]
        places = {values: n for n, values in enumerate(dict.fromkeys(all_values))}
        wanted = [
            RunRequest(named(values, self.parameters) | {"drive": drive.label}, self.mapping(drive, values).plain())
            for values in places
            for drive in self.drives
        ]
        self.runs += len(wanted)
        found = self._drives.logs(wanted)
        each = len(self.drives)
        return [found[places[values] * each : (places[values] + 1) * each] for values in all_values]

    def residuals(self, points: Sequence[Array]) -> list[Array | Failed]:
        """Weighted residuals at several points. Raises ConfigError: there is nothing to compare."""
        return [self._compared(u, logs) for u, logs in zip(points, self.logs(points), strict=True)]

    def _compared(self, u: Array, logs: Sequence[Log | Failed]) -> Array | Failed:
        for drive, log in zip(self.drives, logs, strict=True):
            if isinstance(log, Failed):
                return Failed(f"{drive.label} with {self._words(u)}: {log.reason}")
        if not self.traces:
            self._begin([log for log in logs if not isinstance(log, Failed)])
        apart = self.apart(u, [log for log in logs if not isinstance(log, Failed)])
        return np.concatenate([difference / trace.sigma for difference, trace in zip(apart, self.traces, strict=True)])

    def apart(self, u: Array, logs: Sequence[Log]) -> list[Array]:
        """Simulated less measured of every trace, in SI."""
        out = []
        for drive, log, offset in zip(self.drives, logs, self.offsets(u), strict=True):
            for channel, unit in self.units.items():
                rows = self._rows(drive, channel)
                out.append(_difference(log, channel, drive.measured.times[rows] + offset, drive.measured.channels[channel][rows], unit))
        return out

    def _words(self, u: Array) -> str:
        return ", ".join(f"{one.name} {value:.5g}" for one, value in zip(self.parameters, self.values(u), strict=False))

    def compared(self, number: int, channel: str) -> tuple[Array, Array]:
        """Times and values of a channel of a drive as far as they are compared, in SI."""
        drive = self.drives[number]
        rows = self._rows(drive, channel)
        return drive.measured.times[rows], drive.measured.channels[channel][rows]

    def offsets(self, u: Array) -> list[float]:
        """What is added to the times of every drive at u [s]."""
        fitted = iter(self.values(u)[len(self.parameters) :])
        return [next(fitted) if drive.data.offset.fitted else drive.data.offset.start for drive in self.drives]

    def _rows(self, drive: Drive, channel: str) -> NDArray[np.bool_]:
        assert drive.rows is not None
        return drive.rows & np.isfinite(drive.measured.channels[channel])

    def _begin(self, logs: Sequence[Log]) -> None:
        """Choose the rows that are compared, and what residuals are divided by."""
        first = 0
        self.drives = [replace(drive, rows=_within(drive, log)) for drive, log in zip(self.drives, logs, strict=True)]
        for drive in self.drives:
            for channel, unit in self.units.items():
                rows = self._rows(drive, channel)
                count = int(np.count_nonzero(rows))
                if count < FEWEST_ROWS:
                    expected = f"at least {FEWEST_ROWS} rows of {channel} in the time that is simulated"
                    raise ConfigError(self.fit.file, drive.data.key, f"{count} rows of {drive.label}", expected)
                sigma = self._sigma(drive, channel, rows)
                self.traces.append(Trace(drive.label, channel, unit, sigma, slice(first, first + count)))
                first += count

    def _sigma(self, drive: Drive, channel: str, rows: NDArray[np.bool_]) -> float:
        said = self.fit.channels[channel]
        noise = said.noise
        if noise is None:
            noise = float(np.std(drive.measured.channels[channel][rows]))
            if noise == 0.0:
                expected = f"the noise of the channel, as {drive.label} does not change in it"
                raise ConfigError(self.fit.file, f"channels.{channel}.noise", "nothing", expected)
        return noise / said.weight


def _within(drive: Drive, log: Log) -> NDArray[np.bool_]:
    """Rows that are simulated whatever the offset is."""
    offset: Offset = drive.data.offset
    times, simulated = drive.measured.times, log["time"]
    inside = (times + offset.least >= simulated[0] - 1e-9) & (times + offset.most <= simulated[-1] + 1e-9)
    return inside & drive.measured.cut(drive.data.said.get("from"), drive.data.said.get("to"))


def _difference(log: Log, channel: str, times: Array, measured: Array, unit: str) -> Array:
    """Simulated less measured; of angles the shorter way round."""
    simulated = log[channel].astype(float)
    if unit == "rad":
        simulated = np.unwrap(simulated)
    difference = np.interp(times, log["time"], simulated) - measured
    return np.remainder(difference + np.pi, 2.0 * np.pi) - np.pi if unit == "rad" else difference
