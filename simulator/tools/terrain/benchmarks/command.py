"""`jounce terrain import verti_bench FOLDER --world N` and `jounce terrain import barn PATH --world N`: terrains of benchmark worlds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_bytes
from simulator.base.json_output import json_text
from simulator.builder.builder import data_folder
from simulator.tools.terrain.benchmarks import barn_terrain, barn_world, verti_bench_terrain, verti_bench_world
from simulator.tools.terrain.write_files import check_new, write_all

BENCHMARKS = ("verti_bench", "barn")
LICENSE_BYTES = 1 << 16
OPTIONS = {
    "verti_bench": ("world", "variant", "spacing"),
    "barn": ("world", "scale", "surface"),
}
"""Options of each benchmark."""


def main_benchmark(arguments: Any) -> int:
    """Run the import of a benchmark world and return 0. Raises ConfigError: unusable files; OutputError: a file that cannot be written."""
    kind = arguments.file
    if arguments.path is None:
        raise ConfigError(f"jounce terrain import {kind}", "", "no folder", f"jounce terrain import {kind} FOLDER --world N --out FOLDER")
    if arguments.world is None:
        raise ConfigError(f"jounce terrain import {kind}", "", "no --world", "--world N, the number of a world")
    _check_options(arguments, kind)
    path, yaml = Path(arguments.path), Path(arguments.out)
    result, own, shared = (_verti_bench if kind == "verti_bench" else _barn)(arguments, path, yaml)
    check_new(own)
    shared[yaml.with_name(f"LICENSE_{kind}.txt")] = license_text(kind)
    files = {**{path: content for path, content in shared.items() if not path.exists()}, **own}
    write_all(files)
    report = {"terrain": str(yaml), **result, "files": [str(path) for path in files]}
    print_line(json_text(report) if arguments.json else _text(report))
    return 0


def _check_options(arguments: Any, kind: str) -> None:
    """Raise ConfigError for an option that the benchmark does not have."""
    given = {name for name in ("crs", "window", "soil", "scale", "variant", "spacing") if getattr(arguments, name) is not None}
    given |= {name for name in ("set", "objects", "clearance") if getattr(arguments, name)}
    wrong = sorted(given - set(OPTIONS[kind]))
    if wrong:
        raise ConfigError(f"--{wrong[0]}", "", kind, f"with {kind} only --{', --'.join(OPTIONS[kind])}")


Files = dict[Path, bytes | str]


def _verti_bench(arguments: Any, path: Path, yaml: Path) -> tuple[dict[str, Any], Files, Files]:
    """Return the summary of a world of Verti-Bench, its files and its soils. Raises ConfigError."""
    variant = arguments.variant or verti_bench_terrain.VARIANTS[0]
    spacing = arguments.spacing if arguments.spacing is not None else verti_bench_terrain.SPACING
    world = verti_bench_world.read_world(path, arguments.world)
    command = f"jounce terrain import verti_bench {path} --world {world.number} --variant {variant}"
    files = verti_bench_terrain.world_files(world, yaml, variant, spacing, command)
    return {**verti_bench_terrain.about(world, variant), "spacing": spacing}, files, verti_bench_terrain.soil_files(world, yaml.parent)


def _barn(arguments: Any, path: Path, yaml: Path) -> tuple[dict[str, Any], Files, Files]:
    """Return the summary of a world of BARN, its files, and no shared files. Raises ConfigError."""
    scale = arguments.scale if arguments.scale is not None else 1.0
    world = barn_world.read_world(path, arguments.world)
    command = f"jounce terrain import barn {path} --world {world.number} --scale {scale:g}"
    return {**barn_terrain.about(world, scale)}, barn_terrain.world_files(world, yaml, scale, arguments.surface, command), {}


def license_text(kind: str) -> bytes:
    """Return the license of the worlds of a benchmark."""
    return read_bytes(data_folder("assets") / "benchmarks" / kind / "LICENSE.txt", "the text of a license", LICENSE_BYTES)


def _text(report: dict[str, Any]) -> str:
    """Return the console text."""
    names = ", ".join(Path(file).name for file in report["files"] if file != report["terrain"])
    shown = {key: value for key, value in report.items() if key not in ("terrain", "files") and value is not None}
    return f"{report['terrain']}, {names}\n  " + "; ".join(f"{key.replace('_', ' ')} {_value(value)}" for key, value in shown.items())


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
