"""`jounce terrain make KIND --out FOLDER`: generate a terrain from a seed and parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base import fields
from simulator.base.argument_types import yaml_value
from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.fields import Fields
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from terrain.generators.dunes import DUNES, dunes
from terrain.generators.forest import FOREST, forest
from terrain.generators.generated_terrain import GeneratedTerrain
from terrain.generators.hills import HILLS, hills
from terrain.generators.obstacle_field import OBSTACLE_FIELD, obstacle_field
from terrain.generators.proving_ground import PROVING_GROUND, proving_ground
from terrain.generators.rocks import ROCKS, rocks
from simulator.tools.terrain.terrain_writer import TerrainFiles, files_of, write
from terrain.generators.town import TOWN, town

MAX_NODES = 8_000_000
"""Maximum nodes of a generated terrain."""


@dataclass(frozen=True)
class TerrainGenerator:
    """A kind of generated terrain: its parameters, and the function that generates the terrain from parameters and a seed.

    `ranges` are the parameters that are a minimum and a maximum, `shares` those that are fractions of a whole.
    """

    table: Fields
    make: Callable[[dict[str, Any], int], GeneratedTerrain]
    ranges: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()


GENERATORS = {
    "proving_ground": TerrainGenerator(PROVING_GROUND, proving_ground),
    "hills": TerrainGenerator(HILLS, hills),
    "town": TerrainGenerator(TOWN, town, ranges=("floors",)),
    "dunes": TerrainGenerator(DUNES, dunes),
    "forest": TerrainGenerator(FOREST, forest, ranges=("trunk", "height")),
    "rocks": TerrainGenerator(ROCKS, rocks, ranges=("diameter",)),
    "obstacle_field": TerrainGenerator(OBSTACLE_FIELD, obstacle_field, shares=("posts", "walls")),
}


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
    values = fields.read(GENERATORS[kind].table, result, "--set")
    for name in GENERATORS[kind].ranges:
        if values[name][0] > values[name][1]:
            raise values.error(name, "the minimum, then the maximum")
    shares = GENERATORS[kind].shares
    if sum(values[name] for name in shares) > 1.0:
        raise values.error(shares[-1], f"{' + '.join(shares)} of at most 1")
    _check_nodes(kind, values)
    return GENERATORS[kind].make(values, seed)


def _check_nodes(kind: str, values: dict[str, Any]) -> None:
    """Raise ConfigError if the terrain has more than the maximum number of nodes."""
    spacing = values["spacing"]
    if kind == "town":
        sides = np.asarray(values["blocks"]) * values["block"] * 1.15 + 80.0
    else:
        sides = np.array((560.0, 300.0)) if kind == "proving_ground" else np.broadcast_to(values["size"], 2)
    nodes = float(np.prod(sides / spacing))
    if nodes > MAX_NODES:
        raise ConfigError("--set", "spacing", float(spacing), f"at least {np.sqrt(nodes / MAX_NODES) * spacing:.2g} for this size")


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
        "places": list(made.places),
    }


def _text(made: GeneratedTerrain, files: TerrainFiles) -> str:
    result = _report(made, files)
    (columns, rows), (low, high) = result["nodes"], result["heights"]
    names = ", ".join(path.name for path in files.written(made)[1:])
    return (
        f"{files.yaml}, {names}: {result['bytes'] / 1e6:.1f} MB\n"
        f"  {columns} x {rows} nodes, {made.grid.spacing:g} m, {low:.2f} to {high:.2f} m, {result['features']} features, "
        f"{result['objects']} objects\n"
        f"  start positions: {', '.join(result['places'])}"
    )
