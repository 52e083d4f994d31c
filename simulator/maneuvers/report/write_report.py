"""Writer of the report of a run: metrics.json, the plots that the maneuver selects, and the page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from simulator.base.json_output import json_text
from simulator.driver.path import Spawn
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.maneuvers.metrics import Telemetry, driven_path, relative_run
from simulator.maneuvers.plots.contract import EmptyPlotError, Run
from simulator.maneuvers.plots.kinds import PLOT_KINDS, describing
from simulator.maneuvers.report.page import FILE, NO_PLOTS, RunInfo, run_page
from simulator.report.plot import Plot
from simulator.telemetry.atomic_files import write_bytes, write_text


class Report(NamedTuple):
    """Written files, and a line for each plot without data in this run, or whose plugin failed."""

    files: list[FilePath]
    left_out: list[str]


def write_report(
    folder: str | os.PathLike[str],
    maneuver: Maneuver,
    telemetry: Telemetry,
    metrics: Mapping[str, Any],
    *,
    curves: Mapping[str, Curve] | None = None,
    machine: Mapping[str, Any] | None = None,
    spawn: Spawn | tuple[float, float, float] | None = None,
    info: RunInfo | None = None,
) -> Report:
    """Write metrics.json, the plots of the maneuver and the page into an existing folder.

    Parameters
    ----------
    metrics : result of `evaluate`; written under "result", equal for all runs of the same file and seed, with "pictures_left_out" for
        plots without data
    curves : curves of the analyses of the maneuver by name
    machine : machine-dependent values (real-time factor, wall time ...), keys with units; written under "machine"
    spawn : as for `evaluate`
    info : content of the page that does not follow from the telemetry; default: no page

    Raises
    ------
    OutputError : the folder cannot be written; no file is left half-written
    ConfigError : as `evaluate`
    """
    directory = FilePath(folder)
    relative = relative_run(telemetry, spawn)
    run = Run(maneuver, {**dict(telemetry), **relative}, driven_path(maneuver, relative), metrics, curves or {})
    plots, images, left_out = drawn(run, maneuver.pictures)
    result = {**metrics, "pictures_left_out": left_out} if left_out else metrics
    files = [write_metrics(directory, result, machine)]
    for name, image in images.items():
        files.append(directory / file_of(name))
        write_bytes(files[-1], image)
    if info is not None:
        files.append(write_page(directory, result, info, run, plots))
    return Report(files, left_out)


def write_page(
    folder: FilePath, metrics: Mapping[str, Any], info: RunInfo, run: Run | None, plots: Mapping[str, Plot] = NO_PLOTS
) -> FilePath:
    """Write folder/report.html, without plots if `run` is None; `plots` as for `run_page`. Raises OutputError."""
    file = folder / FILE
    write_text(file, run_page(metrics, info, run, plots).html())
    return file


class Drawn(NamedTuple):
    """Plots and their PNG files by name, and a line for each plot without data or with an error of its plugin."""

    plots: dict[str, Plot]
    images: dict[str, bytes]
    left_out: list[str]


def drawn(run: Run, names: Iterable[str]) -> Drawn:
    """Describe and draw plots of a run."""
    from simulator.report.png_renderer import png

    out = Drawn({}, {}, [])
    for name in names:
        kind = PLOT_KINDS.need(name)
        try:
            with describing(name):
                plot = kind.draw(run)
                image = png(replace(plot, title=f"{run.maneuver.title}: {plot.title}"))
        except EmptyPlotError as reason:
            out.left_out.append(f"{name}: {reason}")
        else:
            out.plots[name], out.images[name] = plot, image
    return out


def file_of(name: str) -> str:
    """Return the file name of a plot; the next run into the folder removes files of these names."""
    return f"{name}.png" if PLOT_KINDS.is_builtin(name) else f"plot_{name}.png"


def write_metrics(folder: str | os.PathLike[str], metrics: Mapping[str, Any], machine: Mapping[str, Any] | None = None) -> FilePath:
    """Write folder/metrics.json: {"result": metrics, "machine": machine}. Raises OutputError."""
    file = FilePath(folder) / "metrics.json"
    write_text(file, json_text({"result": metrics, "machine": machine or {}}, indent=2) + "\n")
    return file
