"""`jounce import gpx FILE --out DIR`: a maneuver along a track or route of a GPX file."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from simulator.builder.builder import build_ground, find_config
from simulator.imports.gpx.maneuver import Options, make_maneuver
from simulator.imports.gpx.track import choose, read_tracks
from simulator.imports.result import Losses, comments, file_name, write_result


def main_gpx(arguments: Any) -> int:
    """Run the import and return 0. Raises ConfigError: an unusable file; OutputError: a file that exists or cannot be written."""
    path, out, losses = Path(arguments.file), Path(arguments.out), Losses()
    recorded = arguments.speed == "recorded"
    if recorded and arguments.laps:
        raise ConfigError("--speed", "", "recorded", "a number with --laps: the recorded speeds are those of one lap")
    options = Options(arguments.smooth, arguments.spacing, None if recorded else float(arguments.speed) / 3.6, arguments.laps)
    with StatusLine(arguments.json) as status:
        status("reading the track")
        track = choose(read_tracks(path, losses), arguments.track, path)
        ground = build_ground(arguments.terrain)
        find_config("vehicles", arguments.vehicle)
        names = {
            "name": file_name(path.stem),
            "vehicle": _from(out, arguments.vehicle),
            "terrain": _from(out, arguments.terrain),
            "file": str(path),
        }
        status("computing the path")
        made = make_maneuver(track, ground, names, options, losses)
    report = made.report
    head = [
        f"Imported by `jounce import gpx {path.name}`: {track.kind} {track.name!r} of {report['points']} points, {report['length']} m.",
        f"Source: {path.name}, SHA-256 {sha256(path.read_bytes()).hexdigest()}",
        f"x = y = 0 of the {'terrain' if report['on_terrain'] else 'plane'}: latitude {report['origin'][0]}, longitude {report['origin'][1]} deg on WGS 84.",
        f"The path is {report['deviation']['mean']} m from the points in the mean, at most {report['deviation']['max']} m. Heights are not used.",
        *(["Without counterpart:", *(f"  {line}" for line in losses.lines())] if losses.counts else []),
    ]
    text = comments(head) + yaml.safe_dump(made.content, sort_keys=False, allow_unicode=True, width=130, default_flow_style=None)
    file = write_result(out, {f"{names['name']}.yaml": text}, arguments.overwrite)[0]
    report = {"maneuver": str(file), **report, "losses": losses.lines()}
    print_line(json_text(report) if arguments.json else _text(report))
    return 0


def _from(out: Path, name: str) -> str:
    """Return a name, or a path as seen from the folder of the result."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml") and path.is_file() and not path.is_absolute():
        return os.path.relpath(path, out)
    return name


def _text(report: dict[str, Any]) -> str:
    """Return the console text."""
    where = "on the terrain" if report["on_terrain"] else "on a plane with x = east: the terrain has no position on Earth"
    deviation = report["deviation"]
    lines = [
        f"{report['maneuver']}",
        f"  {report['track']}: {report['length']:.0f} m, {report['points']} points, {report['waypoints']} waypoints, {where}",
        f"  {deviation['mean']:g} m from the points in the mean, at most {deviation['max']:g} m; least radius {report['least_radius']:g} m; "
        f"{'closed' if report['closed'] else 'not closed'}",
        *(["  without counterpart:", *(f"    {line}" for line in report["losses"])] if report["losses"] else []),
    ]
    return "\n".join(lines)
