"""`jounce import opendrive FILE --out DIR`: a terrain with lanes and objects from an OpenDRIVE file."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.console import print_line
from simulator.base.errors import one_line
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from simulator.imports.opendrive.document import Document, read_document
from simulator.imports.opendrive.terrain_files import ImportOptions, import_terrain
from simulator.imports.result import check_free, file_name, write_result

MAX_SHOWN = 200
"""Maximum number of letters of a text of the file in a comment."""


def main_opendrive(arguments: Any) -> int:
    """Run the import and return 0. Raises ConfigError: an unusable file; OutputError: a file that exists or cannot be written."""
    path = Path(arguments.file)
    stem = file_name(path.stem)
    check_free(Path(arguments.out), [f"{stem}.yaml"], arguments.overwrite)
    with StatusLine(arguments.json) as status:
        status("reading the roads")
        document = read_document(path)
        status("computing the terrain")
        options = ImportOptions(arguments.cell, _ground(arguments.ground, document), arguments.shoulder, arguments.level == "upper")
        made = import_terrain(document, stem, options, _about(path, document), _command(arguments, path))
        status("writing the terrain")
        files = write_result(Path(arguments.out), made.files, arguments.overwrite)
    report = {"terrain": str(files[0]), "files": [str(file) for file in files], **made.report}
    print_line(json_text(report) if arguments.json else _text(report))
    return 0


def _ground(name: str, document: Document) -> Callable[[Array, Array], Array] | None:
    """Return a function of points of the file that returns the heights of the ground; None: fitted to the roads. Raises ConfigError."""
    if name == "fitted":
        return None
    if name == "flat":
        stations = [np.linspace(0.0, road.length, 200) for road in document.roads.values()]
        lowest = min(float(road.elevation.at(s).min()) for road, s in zip(document.roads.values(), stations, strict=True))
        return lambda x, y: np.full(len(x), lowest)
    from simulator.tools.terrain.elevation_file import composed, read_terrain

    ground = read_terrain(name).ground
    return lambda x, y: composed(ground, x, y)


def _command(arguments: Any, path: Path) -> str:
    """Return the command for the comment of the terrain file, without folders."""
    words = [
        f"jounce import opendrive {path.name}",
        f"--ground {Path(arguments.ground).name}",
        f"--shoulder {arguments.shoulder:g}",
        f"--level {arguments.level}",
    ]
    return one_line(" ".join([*words, *([f"--cell {arguments.cell:g}"] if arguments.cell else [])]))


def _about(path: Path, document: Document) -> list[str]:
    """Return the comments about the source."""
    header = document.root.find("header")
    words = [f"{key} {header.get(key)}" for key in ("name", "vendor", "date", "version") if header is not None and header.get(key)]
    revision = f"{header.get('revMajor', '?')}.{header.get('revMinor', '?')}" if header is not None else "?"
    return [
        one_line(f"source: {path.name}, OpenDRIVE {revision}"[:MAX_SHOWN]),
        *([one_line("; ".join(words)[:MAX_SHOWN])] if words else []),
        f"SHA-256 {sha256(path.read_bytes()).hexdigest()}",
    ]


def _text(report: dict[str, Any]) -> str:
    """Return the console text."""
    (columns, rows), (low, high) = report["nodes"], report["heights"]
    names = ", ".join(Path(file).name for file in report["files"][1:])
    lines = [
        f"{report['terrain']}, {names}",
        f"  {report['roads']} roads, {report['length'] / 1e3:.2f} km, {report['junctions']} junctions; {report['lanes']} lanes, {report['sidewalks']} sidewalks",
        f"  {columns} x {rows} nodes, {report['spacing']:g} m, {low:.2f} to {high:.2f} m; {report['marks']} markings, {report['objects']} objects",
        *(["  without counterpart:", *(f"    {line}" for line in report["losses"])] if report["losses"] else []),
    ]
    return "\n".join(lines)
