"""A proving ground's course on a plane: half-rounds, bumps and rough stretches one behind the other along x, and patches of other surfaces.

`type: course` in a terrain file. Shapes lie across the way, everywhere along y but for rough stretches, which have a width; they add up. The tire
touches a ground of nodes in one point: what is sharper than the distance of the nodes is rounded off by them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Field, ListOf, Number, Variants
from simulator.base.section import Section
from terrain.ground import Ground
from terrain.heightmap_detail import TILE, resample, rough_field
from terrain.kinds import CONTRACT, TerrainFile, TerrainKind
from terrain.load_terrain import FLAT_FILE, flat_plane, uniform
from terrain.patches import LARGEST_GRID, extents, nodes_over, with_patches
from terrain.rough_tiles import roughened

_WHERE = Number("m", -1e5, 1e5)
_LENGTH = Number("m", 0.05, 1e4)
WAVINESS = 2.0
"""Exponent of the spectrum of a rough stretch, that of ISO 8608 roads."""
RESOLUTION = 5.0
"""Nodes per shortest wave of the field that a rough stretch is cut out of."""
FADE = 2.0
"""m. Length over which a rough stretch comes in and goes out, outside the stretch."""

_SHAPES = {
    "half_round": (
        Field("at", _WHERE, "x of its middle"),
        Field("height", Number("m", 0.01, 2.0), "height and radius: half a round bar on the ground"),
    ),
    "bump": (
        Field("at", _WHERE, "x of its middle"),
        Field("height", Number("m", -2.0, 2.0), "height of its crest; negative: a dip"),
        Field("length", _LENGTH, "along x"),
        Field("form", Choice(("half_sine", "haversine")), "z = height sin(pi s), or its square", "half_sine"),
    ),
    "rough": (
        Field("start", _WHERE, "x where it begins"),
        Field("length", _LENGTH, "along x"),
        Field("width", Number("m", 0.5, 100.0), "about y = 0; its border goes on beyond"),
        Field("rms", Number("m", 0.0, 0.5), "root mean square of its height along x, every line detrended by itself"),
        Field("shortest", Number("m", 0.1, 100.0), "shortest wave"),
        Field("longest", Number("m", 0.2, 1e3), "longest wave"),
        Field("seed", Number("1", 0, 2**32), "number that picks one of the possible grounds"),
    ),
}
COURSE_FILE = (
    *FLAT_FILE,
    Field("shapes", ListOf(Variants("shape", _SHAPES, tuple(_SHAPES), "what lies across the way")), "what lies across the way, along x"),
)


def course(terrain: Section, name: str, f: TerrainFile) -> Ground:
    """Ground out of a terrain file with ``type: course``. Raises ConfigError: a shape or patch that cannot be, or more nodes than a grid may have."""
    shapes, patches = terrain.sections("shapes"), terrain.sections("patches")
    with ErrorCollector() as faults:
        for shape in shapes:
            with faults.part():
                _check(shape)
    along, across = extents(patches)
    along += [_span(shape) for shape in shapes]
    across += [(-0.5 * s.mapping["width"], 0.5 * s.mapping["width"]) for s in shapes if s.mapping["shape"] == "rough"]
    dx, dy = map(float, terrain.mapping["spacing"])
    x, y = nodes_over(along, dx, 0.0), nodes_over(across, dy)  # a node on the crest of what lies at a whole multiple
    if len(x) * len(y) > LARGEST_GRID:
        raise ConfigError(terrain.file, "spacing", [dx, dy], f"at most {LARGEST_GRID} nodes, here {len(x)} x {len(y)}")
    heights = np.zeros((len(y), len(x)))
    for shape in shapes:
        heights += _heights(shape, x, y)
    ground = uniform(name, flat_plane(terrain, x, y), heights.astype(np.float32), terrain.mapping, terrain.file, f.soils)
    return with_patches(ground, patches, x, y, terrain.file, f.soils)


def _check(shape: Section) -> None:
    """What no single number of a rough stretch can tell. Raises ConfigError."""
    said = shape.mapping
    if said["shape"] != "rough":
        return
    if not said["shortest"] < said["longest"] <= said["length"]:
        raise ConfigError(shape.file, shape.path("longest"), said["longest"], "more than shortest, and at most length")
    if max(said["length"], said["width"]) > TILE * said["shortest"] / RESOLUTION:
        expected = f"at least {RESOLUTION * max(said['length'], said['width']) / TILE:.3g} for this length: the ground would repeat itself"
        raise ConfigError(shape.file, shape.path("shortest"), said["shortest"], expected)


def _span(shape: Section) -> tuple[float, float]:
    """Where a shape begins and ends along x [m]."""
    said = shape.mapping
    if said["shape"] == "rough":
        return said["start"] - FADE, said["start"] + said["length"] + FADE
    half = said["height"] if said["shape"] == "half_round" else 0.5 * said["length"]
    return said["at"] - half, said["at"] + half


def _heights(shape: Section, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights (ny, nx) or (1, nx) [m] of a shape over nodes at x and y."""
    said = shape.mapping
    if said["shape"] == "half_round":
        return np.sqrt(np.maximum(said["height"] ** 2 - (x - said["at"]) ** 2, 0.0))[None, :]
    if said["shape"] == "bump":
        s = np.clip((x - said["at"]) / said["length"] + 0.5, 0.0, 1.0)
        return said["height"] * (np.sin(np.pi * s) ** (1 if said["form"] == "half_sine" else 2))[None, :]
    return _rough(shape, x, y)


def _rough(shape: Section, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """A stretch of an isotropic random field, scaled to its root mean square and faded in and out; beyond its width its border goes on."""
    said = shape.mapping
    step, start, half = said["shortest"] / RESOLUTION, said["start"], 0.5 * said["width"]
    field = rough_field(1.0, WAVINESS, said["longest"], said["shortest"], step, int(said["seed"]))
    out = np.empty((len(y), len(x)), np.float32)
    spacing = np.array([x[1] - x[0], y[1] - y[0]])
    resample(field, np.array([start - FADE, -half]), np.full(2, step), np.array([x[0], y[0]]), spacing, np.empty(TILE), out)
    inside, lines = (x >= start) & (x <= start + said["length"]), np.abs(y) <= half
    first, last = np.flatnonzero(lines)[[0, -1]]
    heights = out[np.clip(np.arange(len(y)), first, last)].astype(float)
    heights -= _trends(heights, x, inside)
    size = float(np.sqrt(np.mean(heights[np.ix_(lines, inside)] ** 2)))
    s = np.clip(np.minimum(x - start, start + said["length"] - x) / FADE + 1.0, 0.0, 1.0)
    return heights * (said["rms"] / size) * (s * s * (3.0 - 2.0 * s))


def _trends(heights: NDArray[np.float64], x: NDArray[np.float64], inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The straight line (ny, nx) that fits each row of heights best where it counts."""
    base = np.stack([np.ones(len(x)), x - x[inside].mean()])
    return np.asarray(np.linalg.lstsq(base[:, inside].T, heights[:, inside].T, rcond=None)[0].T @ base)


def read_course(f: TerrainFile) -> Ground:
    """Reader of `type: course`."""
    return roughened(course(Section(f.mapping, f.file), f.name, f), f.mapping)


COURSE = TerrainKind("course", read_course, CONTRACT, COURSE_FILE, "a plane with half-rounds, bumps and rough stretches along x")
