"""`jounce sensors RUN`: sensors of a run with their topics, a page with pictures, and export to files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.errors import ConfigError, JounceError, one_line
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from simulator.base.suggestions import did_you_mean
from simulator.telemetry.atomic_files import create_folder, write_text
from simulator.telemetry.folder_lock import FolderInUseError, FolderLock
from simulator.telemetry.sensor_file.names import files_in, need_package
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.telemetry.sensor_file.recorder import size_text
from simulator.telemetry.sensor_file.repair import is_complete, repair
from simulator.tools.sensors.contents import SensorContents, sensors_in
from simulator.tools.sensors.export import Interval, export
from simulator.tools.sensors.page import sensor_page

PAGE, EXPORTS = "sensors.html", "export"
"""Names of the page and of the folder of exports, in the folder of the run."""
ROUNDING = 5e-4
"""s. Rounding of the times that the page and the messages show."""


def main_sensors(arguments: Any) -> int:
    """Run `jounce sensors` and return 0. Raises JounceError: there is no readable file, or an output cannot be written."""
    path, others = _file(Path(arguments.place))
    with SensorFile(path) as file, StatusLine(arguments.json) as status:
        sensors = _chosen(sensors_in(file), arguments.sensor)
        out = None if arguments.out is None else Path(arguments.out)
        contents: dict[str, Any] = {
            "file": str(path), "other_files": [str(one) for one in others], "size": file.size, "messages": file.messages_count,
            "first_s": file.times[0], "last_s": file.times[1], "sensors": [one.to_json() for one in sensors],
        }  # fmt: skip
        _check_time(arguments.at, file)
        if arguments.export:
            interval = Interval(arguments.first, arguments.last)
            written = export(file, sensors, arguments.export, interval, out or path.parent / EXPORTS)
            contents["exported"] = [str(one) for one in written]
            last = f"{len(written)} files in {written[0].parent}"
        else:
            status("drawing pictures")
            page = Path(arguments.html) if arguments.html else (out or path.parent) / PAGE
            create_folder(page.parent)
            write_text(page, sensor_page(file, sensors, arguments.at).html())
            contents["page"] = str(page)
            last = f"pictures in {page}"
    print_line(json_text(contents) if arguments.json else f"{text_of(contents, sensors)}\n{last}")
    return 0


def text_of(contents: dict[str, Any], sensors: Sequence[SensorContents]) -> str:
    """Return the description of a file as text."""
    lines = [
        f"{contents['file']}: {size_text(contents['size'])}, {contents['first_s']:.2f} to {contents['last_s']:.2f} s of simulated time"
    ]
    lines += [f"  also {other}" for other in contents["other_files"]]
    for one in sensors:
        rate = "" if one.rate is None else f", {one.rate:g} Hz"
        latency = f", latency {one.latency:g} s" if one.latency else ""
        counts = [f"{one.counts[name]} {name}" for name in ("late", "skipped", "dropped") if one.counts.get(name)]
        mount = f", in {one.frame}" if one.frame else ""
        lines.append(f"  {one.name}: {one.kind or 'unknown kind'}{rate}{latency}{mount}{''.join(f', {text}' for text in counts)}")
        if one.counts.get("trouble"):
            lines.append(f"    {one.counts['trouble']}")
        width = max(len(topic.topic) for topic in one.topics)
        lines += [f"    {topic.topic:<{width}}  {topic.messages:>7}  {topic.type}" for topic in one.topics]
    return "\n".join(one_line(line) for line in lines)


def _file(place: Path) -> tuple[Path, list[Path]]:
    """Return the file of a run or the named file, repaired if its run was killed, and the other files of the run."""
    if not os.path.exists(place):
        raise ConfigError(place, "", "nothing", "the folder of a run, or its sensors.mcap")
    files = files_in(place) if place.is_dir() else [place]
    if not files:
        raise ConfigError(place, "", "no sensor data", "the folder of a run with sensors that are recorded")
    need_package(str(files[0]))
    if not is_complete(files[0]):
        try:
            with FolderLock(files[0].parent):
                repair(files[0])
        except FolderInUseError as error:
            raise JounceError(f"{files[0]}: still being written; {error}") from None
    return files[0], files[1:]


def _check_time(at: float | None, file: SensorFile) -> None:
    """Raise ConfigError if the time of the pictures [s] is outside the file."""
    first, last = file.times
    if at is not None and not first - ROUNDING <= at <= last + ROUNDING:
        raise ConfigError("--at", "", at, f"a time from {first:.3f} to {last:.3f} s, as in the file")


def _chosen(sensors: list[SensorContents], names: Sequence[str]) -> list[SensorContents]:
    """Return the sensors with the given names, all without names. Raises ConfigError: no such sensor."""
    known = {one.name: one for one in sensors}
    for name in names:
        if name not in known:
            raise ConfigError("--sensor", "", name, f"a sensor in the file: {', '.join(known) or 'none'}{did_you_mean(name, known)}")
    return [known[name] for name in names] or sensors
