"""`jounce export RUN`: files of a finished run for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module, util
from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.errors import ConfigError, JounceError, one_line
from simulator.base.installation import install_extra
from simulator.base.json_output import json_text
from simulator.base.registry import load_attribute
from simulator.base.status_line import StatusLine
from simulator.base.suggestions import did_you_mean
from simulator.exports.kinds import EXTRA, FORMATS
from simulator.exports.output import Output
from simulator.exports.source import ExportedRun
from simulator.telemetry.sensor_file.recorder import size_text
from simulator.tools.sensors.command import EXPORTS
from simulator.tools.sensors.export import Interval


def main_export(arguments: Any) -> int:
    """Run `jounce export` and return 0. Raises JounceError: the run cannot be read, a format lacks data, or an output cannot be written."""
    names = formats_of(arguments.format)
    channels = parts_of(arguments.channels)
    if arguments.channels and not channels:
        raise ConfigError("--channels", "", ",".join(arguments.channels), "columns of the log: names, fields, patterns with * and ?")
    run = ExportedRun(Path(arguments.place), channels, Interval(arguments.first, arguments.last))
    output = Output(Path(arguments.out) if arguments.out else run.file.parent / EXPORTS, arguments.overwrite)
    with StatusLine(arguments.json) as status:
        for name in names:
            status(f"checking {name}")
            load_attribute(FORMATS[name].place)(run, output)
        status(f"exporting {', '.join(names)}")
        output.write()
    sizes = {str(path): _size(path) for path in output.written}
    if arguments.json:
        print_line(json_text({"run": str(run.file), "formats": names, "files": sizes, "notes": run.notes}))
    else:
        lines = [f"{path}: {size_text(size)}" for path, size in sizes.items()]
        print_line("\n".join(one_line(line) for line in [*lines, *run.notes]))
    return 0


def formats_of(given: Sequence[str]) -> list[str]:
    """Return the names of formats from options with commas, each once. Raises ConfigError: unknown; JounceError: a package is missing."""
    names = list(dict.fromkeys(parts_of(given)))
    for name in names or [""]:
        if name not in FORMATS:
            raise ConfigError("--format", "", name, f"one of {', '.join(FORMATS)}{did_you_mean(name, FORMATS)}")
        for package in FORMATS[name].packages:
            if util.find_spec(package) is None:
                raise JounceError(f"--format {name}: the package {package} is not installed; hint: run {install_extra(EXTRA)}")
            try:
                import_module(package)
            except (ImportError, OSError) as error:  # OSError: its library cannot be loaded
                raise JounceError(f"--format {name}: the package {package} cannot be loaded ({error})") from None
    return names


def parts_of(given: Sequence[str]) -> list[str]:
    """Return the names in options with commas, without spaces around them."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def _size(path: Path) -> int:
    files = [one for one in path.rglob("*") if one.is_file()] if path.is_dir() else [path]
    return sum(one.stat().st_size for one in files)
