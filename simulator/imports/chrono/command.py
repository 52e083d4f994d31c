"""`jounce import chrono FILE --out DIR`: a vehicle from JSON files of Project Chrono."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.builder.named_parts import build_vehicle
from simulator.imports.chrono.source import Report
from simulator.imports.chrono.vehicle import Sources, import_vehicle
from simulator.imports.result import check_result, comments, file_name, write_result


def main_chrono(arguments: Any) -> int:
    """Run the import and return 0. Raises ConfigError: an unusable file; OutputError: a file that exists or cannot be written."""
    path, report = Path(arguments.file), Report()
    root = Path(arguments.data) if arguments.data else None
    if root is not None and not root.is_dir():
        raise ConfigError("--data", "", arguments.data, "a folder that exists")
    given = Sources(arguments.tire or [], arguments.engine, arguments.transmission, arguments.drivetrain)
    stem = file_name(path.stem)
    made = import_vehicle(path, root, given, stem, report)
    head = _head(path, report)
    files = {name: content if isinstance(content, bytes) else head + _yaml(content) for name, content in made.files.items()}
    check_result(files, build_vehicle, path, "a vehicle with usable values")
    written = write_result(Path(arguments.out), files, arguments.overwrite)
    if arguments.json:
        print_line(json_text({"vehicle": str(written[0]), "files": [str(file) for file in written], "losses": report.lines}))
        return 0
    names = ", ".join(file.name for file in written[1:])
    print_line("\n".join([f"{written[0]}, {names}", "  without counterpart:", *(f"    {line}" for line in report.lines)]))
    return 0


def _head(path: Path, report: Report) -> str:
    """Return the comments of all files of an import: the sources, and what was used instead of what has no counterpart."""
    lines = [
        f"Imported by `jounce import chrono {path.name}` from a vehicle of Project Chrono.",
        "SI units; x forward, y left, z up. Points of an axle are those of the left side.",
        "Sources, with their SHA-256:",
        *(f"  {name} {sha256(file.read_bytes()).hexdigest()}" for name, file in sorted(report.files.items())),
        "Without counterpart:",
        *(f"  {line}" for line in report.lines),
    ]
    return comments(lines)


def _yaml(content: dict[str, Any]) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=130, default_flow_style=None)
