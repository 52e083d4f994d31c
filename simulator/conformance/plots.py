"""Conformance of plots of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.conformance.findings import Findings
from simulator.conformance.samples import readout_of
from simulator.driver.path import Path
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.cone_course import Body, Gate
from simulator.maneuvers.plots.contract import EmptyPlotError, PlotKind, Run
from simulator.report.plot import Panel, Plot
from simulator.report.png_renderer import png
from simulator.report.svg_renderer import svg
from simulator.telemetry.channels import Channels, Rows
from vehicles.readout import READOUT

ROWS = {"a drive": 400, "a run of two rows": 2}
"""Number of rows by run."""
BUDGET = 1.0
"""s. Time of one plot, so that a report with ten plots stays short."""


@dataclass
class _Maneuver:
    """Maneuver of the checks."""

    title: str = "Conformance"
    body: Body = Body(2.0, 4.5, 2.0)  # noqa: RUF009 - immutable
    gates: tuple[Gate, ...] = (Gate(20.0, 10.0, 0.0, 3.5),)
    phase_names: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()


def check_plot(kind: PlotKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a kind of plot with runs of random motion; a run without data for the plot may raise EmptyPlotError.

    example : {"columns": {name: numbers}, "curves": {name: Curve}, "metrics": {...}}, in addition to those of the random run
    """
    with findings.check("name") as check:
        check.need(kind.name.isidentifier(), f"{kind.name!r}: invalid name of a file; expected letters, digits and underscores")
    drawn: Plot | None = None
    for description, count in ROWS.items():
        with findings.check(f"plot of {description}") as check:
            try:
                plot = kind.draw(_run(count, example))
            except EmptyPlotError as reason:
                check.measured = f"no plot, since {reason}"
                if count > 2:
                    check.warn(f"not checked further: {reason}; give an example of its data")
                continue
            for fault in _plot_faults(plot):
                check.fail(fault)
            if not check.faults:
                png(plot)
                for n, panel in enumerate(plot.panels):
                    svg(panel, f"panel{n}")
                drawn = plot if count > 2 else drawn
    if drawn is None or findings.failed:
        return
    with findings.check("determinism") as check:
        check.need(
            png(kind.draw(_run(ROWS["a drive"], example))) == png(drawn), "the same run gives another plot; store nothing in modules"
        )
    run = _run(ROWS["a drive"], example)
    findings.median_time(lambda: kind.draw(run), BUDGET, "the time of a plot in a report")


def _plot_faults(plot: object) -> list[str]:
    """Return the faults of what `draw` returns."""
    if not isinstance(plot, Plot):
        return [f"returns {type(plot).__name__}; expected a Plot"]
    if not plot.panels:
        return ["a plot without panels; raise EmptyPlotError if the run has no data"]
    return [fault for panel in plot.panels for fault in _panel_faults(panel)]


def _panel_faults(panel: Panel) -> list[str]:
    """Return the faults of a panel: arrays of different lengths, and no curve with a finite number."""
    parts = [(one.name, (one.x, one.y)) for one in panel.curves] + [(one.name, (one.x, one.low, one.high)) for one in panel.bands]
    parts += [("a shape", (one.x, one.y)) for one in panel.shapes]
    faults = [f"{name or 'a curve'}: arrays of different lengths" for name, arrays in parts if len({np.shape(one) for one in arrays}) > 1]
    if not faults and parts and not any(np.isfinite(np.asarray(arrays, dtype=float)).all(axis=0).any() for _, arrays in parts):
        faults.append("no finite number; raise EmptyPlotError if the run has no data")
    return faults


def _run(count: int, example: Mapping[str, Any]) -> Run:
    """Return a run with all columns of a vehicle. Its arrays cannot be written."""
    given = {name: np.asarray(column) for name, column in example.get("columns", {}).items()}
    columns = {**_columns(count), **{name: column[:count] for name, column in given.items()}}
    for column in columns.values():
        column.setflags(write=False)
    frequency = np.linspace(0.1, 4.0, 40)
    curves = {
        "gain": Curve(frequency, 4.0 / (1.0 + frequency), "frequency", "gain", "Hz", "1/s"),
        "phase": Curve(frequency, -0.3 * frequency, "frequency", "phase", "Hz", "rad"),
        **example.get("curves", {}),
    }
    path = Path.through(np.column_stack([np.linspace(-10.0, 200.0, 40), np.zeros(40)]))
    return Run(_Maneuver(), columns, path, example.get("metrics", {}), curves)


def _columns(count: int) -> dict[str, NDArray[Any]]:
    """Return the columns of a log of random motion, with a position that moves ahead into a steady turn."""
    readout = readout_of(1)[1]
    channels = Channels([("", READOUT, readout)])
    rows = np.zeros((count, channels.row_bytes), np.uint8)
    put = Rows(channels, rows)
    for n in range(count):
        readout[:] = readout_of(n % 5)[1]
        put.put(n)
    columns = {name: column.copy() for name, column in channels.split(rows).items()}
    time = 0.02 * np.arange(count)
    x, y, side = 15.0 * time, 0.5 * np.sin(time), np.minimum(time, 3.0)
    turn = {"v_WB_B_x": np.full(count, 15.0), "a_WG_B_y": side, "w_WB_B_z": side / 15.0}
    return {**columns, **turn, "time": time, "x": x, "y": y, "p_WB_x": x, "p_WB_y": y, "yaw": 0.03 * np.cos(time)}
