"""`jounce terrain make KIND --out FOLDER`: generate a terrain from a seed and parameters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base import fields
from simulator.base.argument_types import yaml_value
from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from simulator.tools.terrain.terrain_text import terrain_text
from simulator.tools.terrain.write_files import check_new, write_all
from terrain.generators.contents import contents
from terrain.generators.generated_terrain import GeneratedTerrain
from terrain.generators.kinds import GENERATORS, generate


@dataclass(frozen=True)
class TerrainFiles:
    """Paths of the files of a terrain."""

    yaml: Path
    heights: Path
    soils: Path
    objects: Path
    lanes: Path

    def written(self, made: GeneratedTerrain) -> list[Path]:
        """Return the files that a terrain has."""
        return [self.yaml, self.heights, self.soils, *([self.objects] if made.objects else []), *([self.lanes] if made.lanes else [])]


def files_of(out: str) -> TerrainFiles:
    """Return the files for a command-line name. Raises OutputError: one of them exists."""
    name = Path(out)
    yaml = name if name.suffix in (".yaml", ".yml") else name.with_name(f"{name.name}.yaml")
    others = [yaml.with_name(f"{yaml.stem}_{end}") for end in ("heights.png", "soils.png", "objects.csv", "lanes.csv")]
    check_new((yaml, *others))
    return TerrainFiles(yaml, *others)


def write(made: GeneratedTerrain, files: TerrainFiles, command: str) -> None:
    """Write all files, or none. Raises OutputError."""
    mapping, data = contents(made, files.yaml.stem)
    folder = files.yaml.parent
    write_all({**{folder / name: content for name, content in data.items()}, files.yaml: terrain_text(made, mapping, command)})


def main_make(arguments: Any) -> int:
    """Run `jounce terrain make` and return 0. Raises ConfigError: invalid parameter; OutputError: a file that cannot be written."""
    files = files_of(arguments.out)
    settings = "".join(f" --set {text}" for text in arguments.set)
    with StatusLine(arguments.json) as status:
        status("generating the terrain")
        made = generate_terrain(arguments.kind, arguments.seed, arguments.set)
        status("writing the terrain")
        write(made, files, f"jounce terrain make {arguments.kind} --seed {arguments.seed}{settings}")
    print_line(json_text(_report(made, files)) if arguments.json else _text(made, files))
    return 0


def generate_terrain(kind: str, seed: int, settings: list[str]) -> GeneratedTerrain:
    """Generate a terrain of a kind of GENERATORS with KEY=VALUE settings. Raises ConfigError."""
    result: dict[str, Any] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError("--set", "", text, f"KEY=VALUE, one of {', '.join(field.usual for field in GENERATORS[kind].table)}")
        result[key.strip()] = yaml_value(value)
    return generate(kind, seed, fields.read(GENERATORS[kind].table, result, "--set"))


def _report(made: GeneratedTerrain, files: TerrainFiles) -> dict[str, Any]:
    return {
        "terrain": str(files.yaml),
        "files": [str(path) for path in files.written(made)],
        "bytes": sum(path.stat().st_size for path in files.written(made)),
        "nodes": [made.grid.columns, made.grid.rows],
        "spacing": made.grid.spacing,
        "heights": [float(made.heights.min()), float(made.heights.max())],
        "features": len(made.features),
        "objects": len(made.objects),
        "lanes": len(made.lanes),
        "places": list(made.places),
    }


def _text(made: GeneratedTerrain, files: TerrainFiles) -> str:
    result = _report(made, files)
    (columns, rows), (low, high) = result["nodes"], result["heights"]
    names = ", ".join(path.name for path in files.written(made)[1:])
    return (
        f"{files.yaml}, {names}: {result['bytes'] / 1e6:.1f} MB\n"
        f"  {columns} x {rows} nodes, {made.grid.spacing:g} m, {low:.2f} to {high:.2f} m, {result['features']} features, "
        f"{result['objects']} objects, {result['lanes']} lanes\n"
        f"  start positions: {', '.join(result['places'])}"
    )
