"""Generators of terrains by name: their parameters, the limits of the parameters, and the function that generates the terrain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simulator.base.fields import Field, Fields, Number, Variants
from simulator.base.values import Values
from terrain.generators.circuit import CIRCUIT, circuit
from terrain.generators.dunes import DUNES, dunes
from terrain.generators.forest import FOREST, forest
from terrain.generators.generated_terrain import GeneratedTerrain
from terrain.generators.hills import HILLS, hills
from terrain.generators.obstacle_field import OBSTACLE_FIELD, obstacle_field
from terrain.generators.proving_ground import PROVING_GROUND, proving_ground
from terrain.generators.rocks import ROCKS, rocks
from terrain.generators.town import TOWN, town

MAX_NODES = 8_000_000
"""Maximum nodes of a generated terrain."""


@dataclass(frozen=True)
class TerrainGenerator:
    """A kind of generated terrain: its parameters, and the function that generates the terrain from parameters and a seed.

    `ranges` are the parameters that are a minimum and a maximum, `shares` those that are fractions of a whole.
    """

    table: Fields
    make: Callable[[Values, int], GeneratedTerrain]
    ranges: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()


GENERATORS = {
    "proving_ground": TerrainGenerator(PROVING_GROUND, proving_ground),
    "hills": TerrainGenerator(HILLS, hills),
    "town": TerrainGenerator(TOWN, town, ranges=("floors",)),
    "dunes": TerrainGenerator(DUNES, dunes),
    "forest": TerrainGenerator(FOREST, forest, ranges=("trunk", "height")),
    "rocks": TerrainGenerator(ROCKS, rocks, ranges=("diameter",)),
    "circuit": TerrainGenerator(CIRCUIT, circuit),
    "obstacle_field": TerrainGenerator(OBSTACLE_FIELD, obstacle_field, shares=("posts", "walls")),
}
SECTION = Variants(
    "type",
    lambda name: GENERATORS[name].table,
    tuple(GENERATORS),
    "kind of `jounce terrain make`, which determines the other keys",
    (Field("seed", Number("1", 0, 2**53, whole=True), "seed of the terrain", 1),),
)
"""Fields of the section `generator` of a terrain file with ``type: generated``."""


def generate(kind: str, seed: int, values: Values) -> GeneratedTerrain:
    """Generate a terrain of a kind of GENERATORS from its checked parameters. Raises ConfigError."""
    generator = GENERATORS[kind]
    for name in generator.ranges:
        if values[name][0] > values[name][1]:
            raise values.error(name, "the minimum, then the maximum")
    if sum(values[name] for name in generator.shares) > 1.0:
        raise values.error(generator.shares[-1], f"{' + '.join(generator.shares)} of at most 1")
    _check_nodes(kind, values)
    return generator.make(values, seed)


def _check_nodes(kind: str, values: Values) -> None:
    """Raise ConfigError if the terrain has more than the maximum number of nodes."""
    spacing = values["spacing"]
    if kind == "town":
        sides = np.asarray(values["blocks"]) * values["block"] * 1.15 + 80.0
    else:
        sides = np.array((560.0, 300.0)) if kind == "proving_ground" else np.broadcast_to(values["size"], 2)
    nodes = float(np.prod(sides / spacing))
    if nodes > MAX_NODES:
        raise values.error("spacing", f"at least {np.sqrt(nodes / MAX_NODES) * spacing:.2g} for this size")
