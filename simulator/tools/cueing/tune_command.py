"""`jounce cueing tune RUN ...`: optimize the parameters of a washout on a platform for recorded drives; writes a washout file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from simulator.builder.builder import build_platform
from simulator.configuration.configuration import Configuration
from simulator.run.folder import RunFolder
from simulator.telemetry.atomic_files import write_text
from simulator.tools.cueing.command import DEFAULT
from simulator.tools.cueing.recorded_drives import read_drive
from simulator.tools.cueing.tune import TICK, Evaluation, tune
from washout.cueing import MotionCueing

SET = "tuned.yaml"
"""Name of the written file."""


def main_tune(arguments: Any) -> int:
    """Run `jounce cueing tune` and return 0.

    Raises JounceError: no drive, unusable file, or a folder that cannot be written.
    """
    washout, on = _one(arguments.washout, "--washout"), _one(arguments.platform, "--platform")
    drives = [read_drive(run) for run in arguments.runs]
    if not drives:
        raise ConfigError("jounce cueing tune", "", "no drive", "folders of runs to tune for, recorded with --log-rate 1000")
    if len({drive.gravity for drive in drives}) > 1:
        raise ConfigError("jounce cueing tune", "", "drives with different gravity", "drives with the same gravity")
    platform = build_platform(on)
    with Configuration.of("washout", washout).reading("washout") as (content, file):
        mapping = content

    def make(one: Mapping[str, Any], gravity: float) -> MotionCueing:
        return MotionCueing(one, file, platform, TICK, gravity)

    make(mapping, drives[0].gravity).washout.close()  # report errors of the washout before the first write
    folder = RunFolder(Path(arguments.out) if arguments.out else None)
    try:
        with StatusLine(arguments.json) as told:
            values, now, before = tune(mapping, file, make, drives, int(arguments.evaluations), told)
        written = yaml.safe_dump(values, sort_keys=False, default_flow_style=None, width=140)
        write_text(folder.path / SET, _head(washout, on, [Path(drive.name).stem for drive in drives], now, before) + written)
        folder.began()
    finally:
        folder.abandon()
        folder.release()
    if arguments.json:
        print_line(json_text({"folder": str(folder.path), "file": SET, "before": asdict(before), "after": asdict(now), "washout": values}))
        return 0
    for line in _lines(before, now):
        print_line(line)
    print_line(f"{SET} in {folder.path}")
    return 0


def _one(names: list[str] | None, option: str) -> str:
    if names is not None and len(names) > 1:
        raise ConfigError(option, "", " ".join(names), "one name; the command tunes one washout for one platform")
    return names[0] if names else DEFAULT


def _lines(before: Evaluation, now: Evaluation) -> list[str]:
    """Return the lines that compare the evaluations before and after the search."""
    rows = (
        ("error of force, surge and sway", before.force_error, now.force_error),
        ("error of heave", before.heave_error, now.heave_error),
        ("correlation of the perceived yaw", before.yaw_correlation, now.yaw_correlation),
        ("gain of the perceived yaw", before.yaw_gain, now.yaw_gain),
        ("false roll and pitch above the thresholds", before.noticed, now.noticed),
        ("excess over the car below the thresholds", before.unrest, now.unrest),
        ("maximum use of stroke, speed, acceleration", before.use, now.use),
        ("fraction of ticks with an active limiter", before.limited, now.limited),
    )
    return [f"{'':42} {'before':>7} {'after':>7}", *(f"{name:42} {old:7.3f} {new:7.3f}" for name, old, new in rows)]


def _head(washout: str, on: str, drives: list[str], now: Evaluation, before: Evaluation) -> str:
    """Return the comment at the top of the file: origin and evaluation of the parameters."""
    lines = [
        f"Washout {washout}, tuned by `jounce cueing tune` for the platform {on} on {', '.join(drives)}.",
        f"Means over these drives, in ticks of {TICK:g} s:",
        *_lines(before, now),
    ]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines) + "\n"
