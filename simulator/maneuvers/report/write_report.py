"""The report of a run: metrics.json, the pictures that its maneuver chooses, and a page with all of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from simulator.base.json_output import json_text
from simulator.driver.path import Spawn
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.maneuvers.metrics import Telemetry, driven_path, relative_run
from simulator.maneuvers.plots.contract import EmptyPlotError, Run
from simulator.maneuvers.plots.kinds import PLOT_KINDS
from simulator.maneuvers.report.page import FILE, RunInfo, run_page
from simulator.telemetry.atomic_files import write_bytes, write_text


class Report(NamedTuple):
    """What was written, and a line for each picture that this drive gives nothing for."""

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
    told: RunInfo | None = None,
) -> Report:
    """Write metrics.json, the pictures of the maneuver and the page into an existing folder.

    Parameters
    ----------
    metrics : from `evaluate`; goes under "result", the same for every run of the same file and seed, with "pictures_left_out" where a
        picture has nothing to show
    curves : those that the analyses of the maneuver found, by name
    machine : what depends on the machine (real-time factor, wall time ...), keys with units; goes under "machine"
    spawn : as for `evaluate`
    told : what the page says besides; without it there is none

    Raises
    ------
    OutputError : the folder cannot be written; no file is left half-written
    ConfigError : as `evaluate`
    """
    place = FilePath(folder)
    relative = relative_run(telemetry, spawn)
    run = Run(maneuver, {**dict(telemetry), **relative}, driven_path(maneuver, relative), metrics, curves or {})
    images, left_out = drawn(run, maneuver.pictures)
    result = {**metrics, "pictures_left_out": left_out} if left_out else metrics
    files = [write_metrics(place, result, machine)]
    for name, image in images.items():
        files.append(place / f"{name}.png")
        write_bytes(files[-1], image)
    if told is not None:
        files.append(write_page(place, result, told, run))
    return Report(files, left_out)


def write_page(folder: FilePath, metrics: Mapping[str, Any], told: RunInfo, run: Run | None) -> FilePath:
    """Write folder/report.html; without a `run` there is nothing to plot. Raises OutputError."""
    file = folder / FILE
    write_text(file, run_page(metrics, told, run).html())
    return file


def drawn(run: Run, names: Iterable[str]) -> tuple[dict[str, bytes], list[str]]:
    """(PNG files by name of the picture, a line for each picture that has nothing to show)."""
    from simulator.telemetry.figures import one_after_the_other

    images: dict[str, bytes] = {}
    left_out: list[str] = []
    with one_after_the_other() as sheet:
        for name in names:
            picture = PLOT_KINDS[name]
            try:
                picture.draw(sheet.empty(picture.size), run)
            except EmptyPlotError as why:
                left_out.append(f"{name}: {why}")
            else:
                images[name] = sheet.png()
    return images, left_out


def write_metrics(folder: str | os.PathLike[str], metrics: Mapping[str, Any], machine: Mapping[str, Any] | None = None) -> FilePath:
    """Write folder/metrics.json: {"result": metrics, "machine": machine}. Raises OutputError."""
    file = FilePath(folder) / "metrics.json"
    write_text(file, json_text({"result": metrics, "machine": machine or {}}, indent=2) + "\n")
    return file
