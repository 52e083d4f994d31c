"""Test course on a plane: half-rounds, bumps and rough sections along x, and patches of other surfaces.

`type: course` in a terrain file. Shapes extend across the direction of travel, without limits along y; only rough sections have a width. Heights of
shapes add up. A tire touches the ground of nodes in one point, so the node spacing rounds off sharp edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ErrorCollector
from simulator.base.fields import Choice, Field, ListOf, Number, Variants
from simulator.base.values import Values
from terrain.ground import Ground
from terrain.heightmap_detail import TILE, resample, rough_field
from terrain.kinds import CONTRACT, TerrainFile, TerrainKind
from terrain.load_terrain import FLAT_FILE, Soils, flat_plane, uniform
from terrain.patches import LARGEST_GRID, extents, nodes_over, with_patches
from terrain.rough_tiles import roughened

_WHERE = Number("m", -1e5, 1e5)
_LENGTH = Number("m", 0.05, 1e4)
WAVINESS = 2.0
"""Exponent of the spectrum of a rough section, as for ISO 8608 roads."""
RESOLUTION = 5.0
"""Nodes per shortest wave of the random field from which a rough section is cut."""
NYQUIST = 2.0
"""Minimum number of nodes in the shortest wave of a rough section."""
MIN_DETRENDED_SIZE = 0.01
"""Minimum size of a detrended rough section over that of its random field: less is rounding, which the root mean square would amplify."""
FADE = 2.0
"""m. Length of the transition before and after a rough section."""

_SHAPES = {
    "half_round": (
        Field("at", _WHERE, "x of the center"),
        Field("height", Number("m", 0.01, 2.0), "height and radius of the half-round bar"),
    ),
    "bump": (
        Field("at", _WHERE, "x of the center"),
        Field("height", Number("m", -2.0, 2.0), "height of the crest; negative: depth of a dip"),
        Field("length", _LENGTH, "length along x"),
        Field("form", Choice(("half_sine", "haversine")), "profile: z = height sin(pi s), or z = height sin^2(pi s)", "half_sine"),
    ),
    "rough": (
        Field("start", _WHERE, "x of the start"),
        Field("length", _LENGTH, "length along x"),
        Field("width", Number("m", 0.5, 100.0), "width, symmetric about y = 0; the ground beyond continues the border"),
        Field("rms", Number("m", 0.0, 0.5), "root mean square of the height along x, each line detrended separately"),
        Field("shortest", Number("m", 0.1, 100.0), "shortest wavelength"),
        Field("longest", Number("m", 0.2, 1e3), "longest wavelength"),
        Field("seed", Number("1", 0, 2**32), "seed of the random field"),
    ),
}
COURSE_FILE = (
    *FLAT_FILE,
    Field("shapes", ListOf(Variants("shape", _SHAPES, tuple(_SHAPES), "shape across the direction of travel")), "shapes along x"),
)


def course(terrain: Values, name: str, soils: Soils) -> Ground:
    """Build the ground of a terrain file with ``type: course``.

    Raises
    ------
    ConfigError : invalid shape or patch, or too many nodes
    """
    shapes, patches = terrain["shapes"], terrain["patches"]
    with ErrorCollector() as faults:
        for shape in shapes:
            with faults.part():
                _check(shape, terrain)
    along, across = extents(patches)
    along += [_span(shape) for shape in shapes]
    across += [(-0.5 * s["width"], 0.5 * s["width"]) for s in shapes if s["shape"] == "rough"]
    dx, dy = terrain["spacing"]
    x, y = nodes_over(along, dx, 0.0), nodes_over(across, dy)  # a shape at a multiple of the spacing has a node on its crest
    if len(x) * len(y) > LARGEST_GRID:
        raise terrain.error("spacing", f"at most {LARGEST_GRID} nodes; the grid has {len(x)} x {len(y)}")
    heights = np.zeros((len(y), len(x)))
    for shape in shapes:
        heights += _heights(shape, x, y)
    if not np.isfinite(heights).all():
        raise terrain.error("shapes", "shapes with finite heights")
    ground = uniform(name, flat_plane(terrain, x, y), heights.astype(np.float32), terrain, terrain.file, soils)
    return with_patches(ground, patches, x, y, terrain.file, soils)


def _check(values: Values, terrain: Values) -> None:
    """Check the constraints between several values of a rough section, and with the node spacing. Raises ConfigError."""
    if values["shape"] != "rough":
        return
    if not values["shortest"] < values["longest"] <= values["length"]:
        raise values.error("longest", "a wavelength above shortest and at most length")
    least = RESOLUTION * max(values["length"], values["width"]) / TILE
    if values["shortest"] < least:
        expected = "a wavelength of at least {} for this length, because the random field is periodic"
        raise values.error("shortest", expected, least)
    dx, dy = terrain["spacing"]
    if dx > values["shortest"] / NYQUIST:
        raise terrain.error(
            "spacing", f"at most {{}} along x: {NYQUIST:g} nodes in the shortest wave of a rough section", values["shortest"] / NYQUIST
        )
    if dy > values["width"]:
        raise terrain.error("spacing", "at most {} along y, the width of a rough section", values["width"])


def _span(values: Values) -> tuple[float, float]:
    """Return start and end of a shape along x [m]."""
    if values["shape"] == "rough":
        return values["start"] - FADE, values["start"] + values["length"] + FADE
    half = values["height"] if values["shape"] == "half_round" else 0.5 * values["length"]
    return values["at"] - half, values["at"] + half


def _heights(values: Values, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the heights (ny, nx) or (1, nx) [m] of a shape at nodes x and y."""
    if values["shape"] == "half_round":
        return np.sqrt(np.maximum(values["height"] ** 2 - (x - values["at"]) ** 2, 0.0))[None, :]
    if values["shape"] == "bump":
        s = np.clip((x - values["at"]) / values["length"] + 0.5, 0.0, 1.0)
        return values["height"] * (np.sin(np.pi * s) ** (1 if values["form"] == "half_sine" else 2))[None, :]
    return _rough(values, x, y)


def _rough(values: Values, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return heights of an isotropic random field, scaled to the root mean square and faded in and out.

    Beyond the width, the heights continue those of the border.
    """
    step, start, half = values["shortest"] / RESOLUTION, values["start"], 0.5 * values["width"]
    field = rough_field(1.0, WAVINESS, values["longest"], values["shortest"], step, int(values["seed"]))
    out = np.empty((len(y), len(x)), np.float32)
    spacing = np.array([x[1] - x[0], y[1] - y[0]])
    resample(field, np.array([start - FADE, -half]), np.full(2, step), np.array([x[0], y[0]]), spacing, np.empty(TILE), out)
    inside, lines = (x >= start) & (x <= start + values["length"]), np.abs(y) <= half
    first, last = np.flatnonzero(lines)[[0, -1]]
    heights = out[np.clip(np.arange(len(y)), first, last)].astype(float)
    heights -= _trends(heights, x, inside)
    size = float(np.sqrt(np.mean(heights[np.ix_(lines, inside)] ** 2)))
    if not size > MIN_DETRENDED_SIZE * float(np.sqrt(np.mean(np.square(field, dtype=float)))):
        raise values.error("longest", "waves that fit into the length of the section and are longer than several nodes")
    s = np.clip(np.minimum(x - start, start + values["length"] - x) / FADE + 1.0, 0.0, 1.0)
    return heights * (values["rms"] / size) * (s * s * (3.0 - 2.0 * s))


def _trends(heights: NDArray[np.float64], x: NDArray[np.float64], inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the straight line (ny, nx) that fits each row of heights best in the columns `inside`."""
    base = np.stack([np.ones(len(x)), x - x[inside].mean()])
    return np.asarray(np.linalg.lstsq(base[:, inside].T, heights[:, inside].T, rcond=None)[0].T @ base)


def read_course(f: TerrainFile) -> Ground:
    """Read a terrain of `type: course`."""
    return roughened(course(f.mapping, f.name, f.soils), f.mapping)


COURSE = TerrainKind("course", read_course, CONTRACT, COURSE_FILE, "a plane with half-rounds, bumps and rough sections along x")
