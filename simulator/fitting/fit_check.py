"""Check of a fit file with its data: channels, data files, columns, units and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simulator.api.simulation import Simulation
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.suggestions import did_you_mean
from simulator.builder.builder import build
from simulator.fitting.experiment import configuration_of
from simulator.fitting.fit_file import Fit, check_data, read_fit
from simulator.fitting.measurements import Measured, read_measured


def check_fit(file: str | Path) -> None:
    """Check a fit file, its vehicle and its data. Raises ConfigError."""
    content = read_fit(file)
    check_data(content)
    measured_drives(content, units_of(content))


def measured_drives(content: Fit, units: Mapping[str, str]) -> list[Measured]:
    """Return the measurements of a fit, given the SI unit of every compared channel. Raises ConfigError, with the errors of all files."""
    found = []
    with ErrorCollector() as faults:
        for one in content.data:
            with faults.part():
                found.append(read_measured(one, content.file, units))
    return found


def units_of(content: Fit) -> dict[str, str]:
    """Return the SI unit of every compared channel. Raises ConfigError: the vehicles lack a channel."""
    one = configuration_of(content.data[0], content.file)
    columns = Simulation.of(build(one), ("time",)).columns
    for name in content.channels:
        if name not in columns:
            raise ConfigError(content.file, f"channels.{name}", name, f"a channel of the telemetry{did_you_mean(name, columns)}")
    return {name: columns[name].unit for name in content.channels}
