"""Patches of another surface on a ground: ice, water, snow, a lane of sand, the fields of a checkerboard.

A patch is a rectangle or an ellipse, and every node of the grid inside it becomes of another soil or surface. Edges are as sharp as the grid:
a change between two nodes is spread over two cells (`terrain.ground.soil_under`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Group, ListOf, Number, Text
from simulator.base.records import Record
from simulator.base.section import Section
from terrain.ground import Ground
from terrain.soil import drawn_as, named_soil, surface_on_soil

_REACH = Number("m", -1e5, 1e5, shape=(2,))
PATCHES = Field(
    "patches",
    ListOf(
        Group(
            (
                Field("surface", Text("the name of a surface"), "a hard surface, a file in configs/soils", None),
                Field("soil", Text("the name of a soil"), "a soil, a file in configs/soils", None),
                Field("friction", Number("1", 0.0, 2.0), "friction coefficient of the hard ground there", None),
                Field("scale", Number("1", 0.0, 10.0), "factor on the friction coefficient of the hard ground there", None),
                Field("x", _REACH, "of a rectangle: where it begins and ends along x; endless when left out", None),
                Field("y", _REACH, "of a rectangle: the same along y", None),
                Field("center", Number("m", -1e5, 1e5, shape=(2,)), "of an ellipse: x, y of its middle", None),
                Field("radii", Number("m", 0.0, 1e5, above=0.0, shape=(2,)), "of an ellipse: half axes along x and y", None),
                Field(
                    "fields",
                    Number("m", 0.05, 1e3, shape=(2,)),
                    "only every other field of a checkerboard with fields of this size along x and y, the first at the lower corner",
                    None,
                ),
            )
        )
    ),
    "parts of the ground that are of something else; a later one lies on an earlier one",
    (),
)
"""Of a terrain file: what is there (one of `surface`, `soil`, `friction`, `scale`), and where (`x` and `y`, or `center` and `radii`)."""

_WHAT = ("surface", "soil", "friction", "scale")
ICY, WET = 0.25, 0.6
"""1. Friction coefficients below which a patch that names none is drawn as ice, or as wet."""
LARGEST_GRID = 16_000_000


def with_patches(
    ground: Ground,
    patches: Sequence[Section],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    file: object,
    soils: Mapping[str, Mapping[str, Any]],
) -> Ground:
    """The ground with patches on it.

    Parameters
    ----------
    x, y : places of its nodes (nx,), (ny,) [m]
    file : of the terrain, for messages
    soils : contents of the soil files by name

    Raises
    ------
    ConfigError : a patch says too little or too much, or holds no node, or there are more soils than a grid can tell apart
    """
    if not patches:
        return ground
    extents(patches)
    layers = []
    for patch in patches:
        given = [key for key in _WHAT if key in patch.mapping]
        if len(given) != 1:
            raise ConfigError(patch.file, patch.key, given or "nothing", f"one of {', '.join(_WHAT)}")
        inside = _inside(patch, x, y)
        if not inside.any():
            raise ConfigError(patch.file, patch.key, _place(patch), "a patch that holds at least one node of the grid")
        layers.append((patch, given[0], inside))
    return laid_over(ground, layers, file, "patches", soils)


Layer = tuple[Section, str, NDArray[np.bool_]]
"""Of a ground: a section, the key in it that says what lies there (one of `_WHAT`), and the nodes (ny, nx) where it lies."""


def laid_over(ground: Ground, layers: Sequence[Layer], file: object, key: str, soils: Mapping[str, Mapping[str, Any]]) -> Ground:
    """The ground with other soils and surfaces at some nodes, a later one on an earlier one; `key` of the file says them.

    Raises
    ------
    ConfigError : a soil or surface that there is not, more of them than a grid can tell apart
    """
    hardness, ids = ground.hardness.copy(), ground.soil_ids.astype(np.intp)
    rows, labels = [ground.soils[k : k + 1] for k in range(len(ground.soils))], list(ground.soil_names)
    for section, what, inside in layers:
        for below in np.unique(ids[inside]):
            here = inside & (ids == below)
            row, label = _row(section, what, rows[below], labels[below], soils)
            ids[here] = len(rows)
            rows.append(row)
            labels.append(label)
            if what in ("surface", "soil"):
                hardness[here] = row[0]["hardness"]
    if len(rows) > np.iinfo(np.uint8).max + 1:
        raise ConfigError(file, key, len(rows), "fewer soils and surfaces, 256 pairs at most")
    return replace(ground, hardness=hardness, soil_ids=ids.astype(np.uint8), soils=np.concatenate(rows), soil_names=tuple(labels))


def extents(patches: Sequence[Section]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Where patches change the ground along x, and along y: lists of (from, to) [m].

    Raises ConfigError: a place is said in two ways or not at all, or is not one
    """
    along: tuple[list[tuple[float, float]], list[tuple[float, float]]] = [], []
    for patch in patches:
        said = patch.mapping
        if ("center" in said) != ("radii" in said):
            raise ConfigError(patch.file, patch.key, _place(patch), "both center and radii")
        if "center" in said and ("x" in said or "y" in said):
            raise ConfigError(patch.file, patch.key, _place(patch), "center and radii, or x and y")
        if "fields" in said and not ("x" in said and "y" in said):
            raise ConfigError(patch.file, patch.key, _place(patch), "x and y of a checkerboard")
        for axis, key in enumerate(("x", "y")):
            if key in said:
                low, high = map(float, said[key])
                if not low < high:
                    raise ConfigError(patch.file, patch.path(key), [low, high], "two numbers, the second larger")
                along[axis].append((low, high))
            elif "center" in said:
                middle, half = float(said["center"][axis]), float(said["radii"][axis])
                along[axis].append((middle - half, middle + half))
    return along


def nodes_over(spans: Sequence[tuple[float, float]], spacing: float, place: float = 0.5) -> NDArray[np.float64]:
    """Places of nodes `spacing` [m] apart that hold what changes within `spans`, with a border that is the same on either side of it.

    Four of them, about 0, where nothing changes. Nodes lie `place` beside whole multiples of the spacing, 0.5: edges at such
    multiples lie midway between two nodes.
    """
    if not spans:
        return np.arange(-1.5, 2.0)
    low, high = min(span[0] for span in spans), max(span[1] for span in spans)
    first, last = int(np.floor(low / spacing)) - 4, int(np.ceil(high / spacing)) + 4
    return np.asarray(spacing * (np.arange(first, last) + place), np.float64)


def _inside(patch: Section, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(ny, nx) whether a node lies in a patch."""
    said = patch.mapping
    if "center" in said:
        (cx, cy), (rx, ry) = said["center"], said["radii"]
        return np.asarray(((x - cx) / rx) ** 2 + ((y[:, None] - cy) / ry) ** 2 <= 1.0)
    out = np.ones((len(y), len(x)), bool)
    for key, places in (("x", x), ("y", y[:, None])):
        if key in said:
            out &= (places >= said[key][0]) & (places <= said[key][1])
    if "fields" in said:
        (dx, dy), x0, y0 = said["fields"], said["x"][0], said["y"][0]
        out &= (np.floor((x - x0) / dx) + np.floor((y[:, None] - y0) / dy)) % 2 == 0
    return out


def _row(patch: Section, key: str, below: Record, label: str, soils: Mapping[str, Mapping[str, Any]]) -> tuple[Record, str]:
    """Record of SOIL of a patch on another ground, and what it is drawn as."""
    said = patch.mapping[key]
    if key == "soil":
        return named_soil(soils, said, key, patch.file, patch.path(key)), drawn_as(soils, said)
    if key == "surface":
        row = surface_on_soil(named_soil(soils, said, key, patch.file, patch.path(key)), below)
        return row, " on ".join([drawn_as(soils, said), *label.split(" on ")[-1:]])
    row = below.copy()
    row[0]["friction"] = said if key == "friction" else min(2.0, said * float(below[0]["friction"]))
    if row[0]["friction"] < WET and below[0]["hardness"] > 0.0:
        label = " on ".join(["ice" if row[0]["friction"] < ICY else "wet asphalt", *label.split(" on ")[1:]])
    return row, label


def _place(patch: Section) -> dict[str, Any]:
    """What a patch says of where it is, for a message."""
    return {key: np.asarray(patch.mapping[key]).tolist() for key in ("x", "y", "center", "radii", "fields") if key in patch.mapping}
