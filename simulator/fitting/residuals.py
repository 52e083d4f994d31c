"""Residuals of a fit: required runs, and the differences between their logs and the measurements."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.configuration.configuration import Configuration
from simulator.fitting.experiment import experiment_configuration
from simulator.fitting.fit_file import Data, Fit, Offset
from simulator.fitting.identifiability import Varied
from simulator.fitting.keys import Parameter, changed, check_ends, named
from simulator.fitting.least_squares import Failed
from simulator.fitting.measurements import MIN_ROWS, Measured
from simulator.fitting.run_request import Log, RunRequest
from simulator.telemetry.channels import HEADINGS


class Drives(Protocol):
    """Executor of runs, one sweep at a time."""

    def logs(self, wanted: Sequence[RunRequest]) -> list[Log | Failed]:
        """Return the logs of the runs."""


@dataclass(frozen=True)
class Drive:
    """A data set with the configuration of its experiment.

    Attributes
    ----------
    data : entry of the file
    rows : compared rows; None until the run at the start has shown the simulated duration
    """

    data: Data
    measured: Measured
    base: Configuration
    rows: NDArray[np.bool_] | None = None

    @property
    def label(self) -> str:
        """Display name."""
        return self.measured.label


@dataclass(frozen=True)
class Trace:
    """A channel of a drive."""

    drive: str
    channel: str
    unit: str
    sigma: float
    """Divisor of the residuals: noise divided by weight, in SI units."""
    rows: slice
    """Rows of this channel in the vector of all residuals."""


class Model:
    """Residuals of a fit.

    Parameters
    ----------
    fit : content of the fit file
    measured : one measurement for each data set
    units : SI units of the channels
    drives : executor of the runs

    Raises ConfigError: an experiment cannot be repeated, or a parameter cannot be set.
    """

    def __init__(self, fit: Fit, measured: Sequence[Measured], units: Mapping[str, str], drives: Drives) -> None:
        self.fit, self.units, self._drives = fit, units, drives
        self.drives = [
            Drive(one, what, experiment_configuration(one, fit.file, what)) for one, what in zip(fit.data, measured, strict=True)
        ]
        self.parameters = fit.parameters
        self.moved = [
            Parameter(f"time offset of {one.label}", (), one.data.offset.start, one.data.offset.min, one.data.offset.max)
            for one in self.drives
            if one.data.offset.fitted
        ]
        self.traces: list[Trace] = []
        """Layout of the residuals, defined by the first comparison at the start."""
        self.runs = 0
        """Number of requested runs."""
        for drive in self.drives:
            check_ends(drive.base, fit.parameters, fit.file)

    def with_measured(self, measured: Sequence[Measured]) -> Model:
        """Return a model with the same drives and other measurements."""
        other = copy.copy(self)
        other.drives = [replace(drive, measured=one, rows=None) for drive, one in zip(self.drives, measured, strict=True)]
        other.traces, other.runs = [], 0
        return other

    @property
    def varied(self) -> tuple[Parameter, ...]:
        """All varied quantities: parameters, then time offsets."""
        return (*self.parameters, *self.moved)

    @property
    def start(self) -> Array:
        """(p,) u at the start of the search."""
        return np.array([one.share(one.start) for one in self.varied])

    def values(self, u: Array) -> list[float]:
        """Return the (p,) values at u."""
        return [one.value(share) for one, share in zip(self.varied, u, strict=True)]

    def seen(self, u: Array) -> list[Varied]:
        """Return the data of each parameter for the identifiability analysis."""
        return [Varied(one.name, one.value(share), one.slope(share)) for one, share in zip(self.varied, u, strict=True)]

    def mapping(self, drive: Drive, values: Sequence[float]) -> Configuration:
        """Return the configuration of a drive with values of the parameters. Build only a copy of it."""
        return changed(drive.base, self.parameters, values, self.fit.file)

    def logs(self, points: Sequence[Array]) -> list[list[Log | Failed]]:
        """Return for each point the logs of all drives. Points that differ only in time offsets share their runs."""
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
        """Return the weighted residuals at several points. Raises ConfigError: no data can be compared."""
        return [self._compared(u, logs) for u, logs in zip(points, self.logs(points), strict=True)]

    def _compared(self, u: Array, logs: Sequence[Log | Failed]) -> Array | Failed:
        for drive, log in zip(self.drives, logs, strict=True):
            if isinstance(log, Failed):
                return Failed(f"{drive.label} with {self._words(u)}: {log.reason}")
        if not self.traces:
            self._begin([log for log in logs if not isinstance(log, Failed)])
        differences = self.differences(u, [log for log in logs if not isinstance(log, Failed)])
        return np.concatenate([difference / trace.sigma for difference, trace in zip(differences, self.traces, strict=True)])

    def differences(self, u: Array, logs: Sequence[Log]) -> list[Array]:
        """Return simulated minus measured values of every trace, in SI units."""
        out = []
        for drive, log, offset in zip(self.drives, logs, self.offsets(u), strict=True):
            for channel in self.units:
                rows = self._rows(drive, channel)
                out.append(_difference(log, channel, drive.measured.times[rows] + offset, drive.measured.channels[channel][rows]))
        return out

    def _words(self, u: Array) -> str:
        return ", ".join(f"{one.name} {value:.5g}" for one, value in zip(self.parameters, self.values(u), strict=False))

    def compared(self, number: int, channel: str) -> tuple[Array, Array]:
        """Return the compared times and values of a channel of a drive, in SI units."""
        drive = self.drives[number]
        rows = self._rows(drive, channel)
        return drive.measured.times[rows], drive.measured.channels[channel][rows]

    def offsets(self, u: Array) -> list[float]:
        """Return the time offsets of all drives at u [s]."""
        fitted = iter(self.values(u)[len(self.parameters) :])
        return [next(fitted) if drive.data.offset.fitted else drive.data.offset.start for drive in self.drives]

    def _rows(self, drive: Drive, channel: str) -> NDArray[np.bool_]:
        assert drive.rows is not None
        return drive.rows & np.isfinite(drive.measured.channels[channel])

    def _begin(self, logs: Sequence[Log]) -> None:
        """Select the compared rows and compute the divisors of the residuals."""
        first = 0
        self.drives = [replace(drive, rows=_within(drive, log)) for drive, log in zip(self.drives, logs, strict=True)]
        for drive in self.drives:
            for channel, unit in self.units.items():
                rows = self._rows(drive, channel)
                count = int(np.count_nonzero(rows))
                if count < MIN_ROWS:
                    expected = f"at least {MIN_ROWS} rows of {channel} within the simulated time"
                    raise ConfigError(self.fit.file, drive.data.key, f"{count} rows of {drive.label}", expected)
                sigma = self._sigma(drive, channel, rows)
                self.traces.append(Trace(drive.label, channel, unit, sigma, slice(first, first + count)))
                first += count

    def _sigma(self, drive: Drive, channel: str, rows: NDArray[np.bool_]) -> float:
        given = self.fit.channels[channel]
        noise = given.noise
        if noise is None:
            noise = float(np.std(drive.measured.channels[channel][rows]))
            if noise == 0.0:
                expected = f"a number, since the channel is constant in {drive.label}"
                raise ConfigError(self.fit.file, f"channels.{channel}.noise", "nothing", expected)
        return noise / given.weight


def _within(drive: Drive, log: Log) -> NDArray[np.bool_]:
    """Return the rows within the simulated time for every allowed time offset."""
    offset: Offset = drive.data.offset
    times, simulated = drive.measured.times, log["time"]
    inside = (times + offset.min >= simulated[0] - 1e-9) & (times + offset.max <= simulated[-1] + 1e-9)
    return inside & drive.measured.cut(drive.data.given.get("from"), drive.data.given.get("to"))


def _difference(log: Log, channel: str, times: Array, measured: Array) -> Array:
    """Return simulated minus measured values; headings are wrapped to (-pi, pi]."""
    simulated = log[channel].astype(float)
    if channel not in HEADINGS:
        return np.interp(times, log["time"], simulated) - measured
    difference = np.interp(times, log["time"], np.unwrap(simulated)) - measured
    return np.remainder(difference + np.pi, 2.0 * np.pi) - np.pi
