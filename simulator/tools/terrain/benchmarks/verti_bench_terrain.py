"""Terrain files of a Verti-Bench world: heights, soils, obstacles and tasks, as written or as its simulator uses them."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.tools.terrain.benchmarks.tasks import Task, tasks_text
from simulator.tools.terrain.benchmarks.verti_bench_world import (
    HALF,
    MAP_HALF,
    SOFT_CLASSES,
    TILE,
    TILES,
    VertiBenchWorld,
    bilinear_heights,
    heading,
    node_heights,
    triangle_heights,
)
from terrain.objects.table_text import table_text
from terrain.objects.world_object import Box, Material, WorldObject

VARIANTS = ("as_simulated", "as_written")
SPACING = 0.25
"""m. Default distance of the nodes."""
SMALLEST_SPACING = 1.0 / 16.0
"""m."""
START_HEIGHT, GOAL_HEIGHT = 0.0, 1.0
"""m. Added by the simulator to the heights of starts and goals in the file."""
GOAL_RADIUS, TIME_LIMIT = 8.0, 60.0
"""m, s. A task is reached within this distance of the goal, in space, before this time."""
BANDS = {
    2: (0.0,),
    3: (21.0, -22.0),
}
"""m. y of the borders between the bands of a soft world, from the north, by the number of its soils."""
NORTH_OF_ALL = 1000.0
"""m. A y north of all ground."""
RESTITUTION = 0.01
COLORS = {"rock": (0.45, 0.43, 0.4), "tree": (0.2, 0.4, 0.15)}
LABELS = {"rock": "rock", "tree": "vegetation"}
_LOOKS = {"clay": "clayey_loam", "concrete": "asphalt", "dirt": "sandy_loam", "grass": "grenville_loam", "gravel": "gravel", "rock": "gravel", "wood": "asphalt",
          "snow": "snow", "mud": "clayey_loam", "sand": "dry_sand"}  # fmt: skip
"""Soils whose colors are used."""
MEAN_FRICTION = {"clay": 0.60, "concrete": 0.85, "dirt": 0.60, "grass": 0.36, "gravel": 0.55, "rock": 0.65, "wood": 0.45}
"""Mean of the normal distribution from which the friction of the tiles was drawn."""
_SCM = {  # k_phi, k_c, n, cohesion, friction angle in deg, Janosi K, elastic stiffness; then assumed: unit weight, exit ratio
    "snow": (0.2e6, 0.0, 1.1, 0.0, 30.0, 0.010, 4e7, 3e3, -0.06),
    "mud": (2e6, 0.0, 1.1, 0.0, 30.0, 0.010, 2e8, 18e3, -0.09),
    "sand": (5.301e6, 102e3, 0.793, 1300.0, 31.1, 0.012, 4e8, 16e3, -0.2),
}
_SOIL = """\
# Verti-Bench, {name}: the parameters that its simulator (Chrono SCM) uses. [V] from its files; [A] not given there, assumed.
type: soil
looks_like: {looks}
friction: 0.9                   # [A] used only where a hard tile blends into the soil: the tires there have 0.9
k_c: {k_c}                 # N/m^(n+1), [V]
k_phi: {k_phi}              # N/m^(n+2), [V]
n: {n}                          # [V]
cohesion: {c}                # Pa, [V]
friction_angle_deg: {phi}       # [V]
shear_modulus: {K}           # m, [V] Janosi
unit_weight: {weight}           # N/m3, [A]
c1: 0.0                         # [A] SCM has no angle of the maximum stress: it is below the axle
c2: 0.0                         # [A]
exit_ratio: {exit}             # [A] elastic rebound k_phi z^n / elastic_stiffness of a wheel of 0.467 m at its static sinkage
damping: 30000.0                # N s/m3, [V]
elastic_stiffness: {elastic}  # N/m3, [V]
slip_sinkage: 0.0               # [A] SCM has none
tread_strength: 1.0             # [A] SCM has none
"""


def merged_friction(materials: NDArray[np.str_], friction: Array) -> Array:
    """Return the friction coefficient of each tile after the merging of tiles; NaN at soft tiles stays.

    Tiles of one material are covered by rectangles of w columns by h rows. The next rectangle is the one with the largest (8 w + 1)(8 h + 1)
    that lies completely in the rest; of several, that with the smaller w, then the smaller h, then the upper row, then the left column. All
    its tiles get the friction of the tile that comes last in the iteration over a set of the pairs (row, column). The order of this set is
    that of 64-bit CPython, 3.8 or later, as in the program that built the benchmark.

    Parameters
    ----------
    materials : (n, n) names, row 0 in the north
    friction : (n, n), NaN at soft tiles
    """
    out = friction.copy()
    for material in np.unique(materials):
        rest = (materials == material) & ~np.isnan(friction)
        if rest.any():
            _merge(rest, friction, out)
    return out


def _merge(rest: NDArray[np.bool_], friction: Array, out: Array) -> None:
    """Cover the tiles of `rest` with rectangles, and write the friction of each; `rest` is empty afterwards."""
    rows, columns = rest.shape
    sizes = sorted(
        ((w, h) for w in range(1, columns + 1) for h in range(1, rows + 1)), key=lambda s: (-(8 * s[0] + 1) * (8 * s[1] + 1), *s)
    )
    for w, h in sizes:  # the rest only shrinks: a size that does not fit never fits again
        while True:
            inside = np.argwhere(sliding_window_view(rest, (h, w)).all(axis=(2, 3)))
            if not len(inside):
                break
            i0, j0 = (int(k) for k in inside[0])
            last = list({(i0 + i, j0 + j) for i in range(h) for j in range(w)})[-1]
            out[i0 : i0 + h, j0 : j0 + w] = friction[last]
            rest[i0 : i0 + h, j0 : j0 + w] = False


def world_files(world: VertiBenchWorld, yaml: Path, variant: str, spacing: float, command: str) -> dict[Path, bytes | str]:
    """Return the contents of the files of a world by path, without the soils.

    Parameters
    ----------
    yaml : path of the terrain file; the names of the other files begin with its name
    variant : one of VARIANTS
    spacing : distance of the nodes [m], 1 / k with an integer k up to 16

    Raises
    ------
    ConfigError : another spacing
    """
    parts = round(1.0 / spacing)
    if not (1 <= parts <= round(1.0 / SMALLEST_SPACING) and math.isclose(parts * spacing, 1.0, rel_tol=1e-9)):
        raise ConfigError("--spacing", "", spacing, f"1, 1/2, 1/3 ... {SMALLEST_SPACING:g} m, so that the nodes of the map stay nodes")
    names = {key: yaml.with_name(f"{yaml.stem}_{key}") for key in ("heights.png", "tiles.png", "objects.csv", "tasks.csv")}
    counts, scale = height_counts(world, parts, variant)
    ground, tiles = _ground(world, variant, names["tiles.png"].name)
    files: dict[Path, bytes | str] = {names["heights.png"]: png(counts[::-1])}
    if tiles is not None:
        files[names["tiles.png"]] = png(tiles)
    files[names["objects.csv"]] = table_text(objects(world))
    files[names["tasks.csv"]] = tasks_text(tasks(world))
    files[yaml] = (
        "\n".join(
            [
                f"# Generated by `{command}`:",
                f"# Verti-Bench world {world.number} ({world.label or 'no class'}, {world.kind}), {variant.replace('_', ' ')}; (c) 2025 RobotiXX, MIT license.",
                "# x along the columns of the map, y against its rows, origin in the middle. Nodes of the map every 1 m; between them two triangles",
                "# per cell on hard ground, bilinear on soft ground. Rocks and trees are in the table of objects, tasks in the table of tasks.",
                "type: heightmap",
                f"heights: {{file: {names['heights.png'].name}, first_row: north, origin: [{-HALF}, {-HALF}], "
                f"spacing: [{1.0 / parts!r}, {1.0 / parts!r}], scale: {scale!r}, offset: {world.low!r}}}",
                *ground,
                "places:",
                *(f"  {task.name}: {_place(task)}" for task in tasks(world)),
                *([f"begin_at: {tasks(world)[0].name}"] if len(world.tasks) else []),
                *([f"objects_table: {names['objects.csv'].name}"] if world.obstacles else []),
            ]
        )
        + "\n"
    )
    return files


def _place(task: Task) -> str:
    """Return the start of a task as an entry of `places`."""
    x, y, yaw = (round(number, 6) + 0.0 for number in (task.start[0], task.start[1], math.degrees(task.yaw)))
    return f"{{position: [{x!r}, {y!r}], yaw_deg: {yaw!r}}}"


def height_counts(world: VertiBenchWorld, parts: int, variant: str) -> tuple[NDArray[np.uint16], float]:
    """Return heights as exact 16-bit counts at nodes 1/parts m apart, row 0 in the south, and the height of a count [m].

    Hard ground is two triangles per cell, soft ground is bilinear; with both, a node belongs to its tile, and to soft ground on a border,
    where both agree.
    """
    whole = world.counts[::-1].astype(float)
    nodes = np.linspace(-HALF, HALF, parts * (len(whole) - 1) + 1)
    x, y = np.meshgrid(nodes, nodes)
    heights = np.where(is_soft(world, variant, x, y), bilinear_heights(whole, HALF, x, y), triangle_heights(whole, HALF, x, y))
    return np.rint(heights * parts * parts).astype(np.uint16), (world.high - world.low) / (255.0 * parts * parts)


def is_soft(world: VertiBenchWorld, variant: str, x: Array, y: Array) -> NDArray[np.bool_]:
    """Return whether the ground at points is soft."""
    if world.kind == "deformable" and variant == "as_simulated":
        return np.ones(np.shape(x), bool)
    places = [np.clip(np.floor(p / TILE).astype(np.intp), 0, TILES - 1) for p in (HALF - y, x + HALF)]
    return np.asarray(world.soft[places[0], places[1]])


def png(pixels: NDArray[np.generic]) -> bytes:
    """Return an image of pixels, row 0 on top."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(out, "png", compress_level=9)
    return out.getvalue()


def soil_files(world: VertiBenchWorld, folder: Path) -> dict[Path, bytes | str]:
    """Return the contents of the soil and surface files of a world by path; all worlds share them."""
    return {folder / f"verti_bench_{material}.yaml": soil_text(str(material)) for material in np.unique(world.materials)}


def soil_text(material: str) -> str:
    """Return the soil or surface file of a material."""
    if material in SOFT_CLASSES:
        k_phi, k_c, n, c, phi, janosi, elastic, weight, leaves = _SCM[material]
        return _SOIL.format(
            name=material,
            looks=_LOOKS[material],
            k_c=k_c,
            k_phi=k_phi,
            n=n,
            c=c,
            phi=phi,
            K=janosi,
            weight=weight,
            exit=leaves,
            elastic=elastic,
        )
    return (
        f"# Verti-Bench, {material}: mean of the normal distribution of its tiles; the terrain file has the value of each tile.\n"
        f"type: surface\nlooks_like: {_LOOKS[material]}\nfriction: {MEAN_FRICTION[material]}\n"
    )


def _ground(world: VertiBenchWorld, variant: str, tiles_file: str) -> tuple[list[str], NDArray[np.uint8] | None]:
    """Return the lines of the terrain file about the ground, and the image of the tiles, or None without one."""
    if variant == "as_simulated" and world.kind == "deformable":
        return _bands(sorted({str(name) for name in world.materials.ravel()})), None
    friction = merged_friction(world.materials, world.friction) if variant == "as_simulated" else world.friction
    pairs: dict[tuple[str, float | None], int] = {}
    image = np.zeros((TILES, TILES), np.uint8)
    for i, j in np.ndindex(TILES, TILES):
        value = None if world.soft[i, j] else float(friction[i, j])
        image[i, j] = pairs.setdefault((str(world.materials[i, j]), value), len(pairs))
    first = next(iter(pairs))
    hard = next((name for name, value in pairs if value is not None), None)
    entries = [
        f"    - {{index: {k}, soil: verti_bench_{name}}}"
        if value is None
        else f"    - {{index: {k}, surface: verti_bench_{name}, friction: {value!r}}}"
        for (name, value), k in pairs.items()
    ]
    first_node = -HALF + 0.5 * TILE
    return [
        f"surface: verti_bench_{hard}" if hard else f"soil: verti_bench_{first[0]}",
        "soil_map:",
        f"  file: {tiles_file}      # one pixel for each tile of {TILE:g} m",
        "  first_row: north",
        f"  origin: [{first_node}, {first_node}]",
        f"  spacing: [{TILE}, {TILE}]",
        "  soils:",
        *entries,
    ], image


def _bands(soils: list[str]) -> list[str]:
    """Return the ground of a soft world in the simulator: soils sorted by name, in bands from north to south. Raises ConfigError."""
    if len(soils) == 1:
        return [f"soil: verti_bench_{soils[0]}"]
    if len(soils) not in BANDS:
        raise ConfigError("verti_bench", "textures", ", ".join(soils), "one to three soils in a deformable world")
    borders = BANDS[len(soils)]
    lines = [f"soil: verti_bench_{soils[-1]}", "patches:   # later ones cover earlier ones"]
    return lines + [
        f"  - {{soil: verti_bench_{soil}, y: [{low}, {NORTH_OF_ALL}]}}"
        for soil, low in reversed(list(zip(soils[:-1], borders, strict=True)))
    ]


def objects(world: VertiBenchWorld) -> list[WorldObject]:
    """Return rocks and trees as boxes, as written in the file of the world."""
    numbers: dict[str, int] = {}
    out = []
    for one in world.obstacles:
        numbers[one.kind] = numbers.get(one.kind, 0) + 1
        material = Material(restitution=RESTITUTION, color=COLORS[one.kind])
        out.append(WorldObject(f"{one.kind}_{numbers[one.kind]}", Box(one.size), one.position, label=LABELS[one.kind], material=material))
    return out


def tasks(world: VertiBenchWorld) -> list[Task]:
    """Return the tasks, with heights above the map of the planners, which is stretched over 129 m."""
    heights = node_heights(world)
    out = []
    for k, (start, goal) in enumerate(world.tasks):
        ground = triangle_heights(heights, MAP_HALF, np.array((start[0], goal[0])), np.array((start[1], goal[1])))
        begin = float(start[0]), float(start[1]), float(ground[0] + start[2] + START_HEIGHT)
        end = float(goal[0]), float(goal[1]), float(ground[1] + goal[2] + GOAL_HEIGHT)
        out.append(Task(f"task_{k}", begin, heading(world.tasks[k]), end, GOAL_RADIUS, TIME_LIMIT))
    return out


def about(world: VertiBenchWorld, variant: str) -> Mapping[str, object]:
    """Return the summary of a world for the console."""
    return {
        "world": world.number,
        "variant": variant,
        "kind": world.kind,
        "materials": sorted({str(name) for name in world.materials.ravel()}),
        "rocks": sum(one.kind == "rock" for one in world.obstacles),
        "trees": sum(one.kind == "tree" for one in world.obstacles),
        "tasks": len(world.tasks),
        "heights": [float(h) for h in (node_heights(world).min(), node_heights(world).max())],
    }
