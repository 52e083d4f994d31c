"""Patches of another surface on a ground: ice, water, snow, a lane of sand, the fields of a checkerboard.

A patch is a rectangle or an ellipse. All grid nodes inside it get another soil or surface. The grid limits the sharpness of edges:
a change between two nodes is spread over two cells (`terrain.ground.soil_under`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.base.fields import Field, Group, ListOf, Number, Text
from simulator.base.records import Record
from simulator.base.values import Values
from terrain.ground import Ground
from terrain.soil import drawn_as, named_soil, surface_on_soil

_REACH = Number("m", -1e5, 1e5, shape=(2,))
PATCHES = Field(
    "patches",
    ListOf(
        Group(
            (
                Field("surface", Text("the name of a surface"), "hard surface, a file in configs/soils", None),
                Field("soil", Text("the name of a soil"), "soil, a file in configs/soils", None),
                Field("friction", Number("1", 0.0, 2.0), "friction coefficient of the hard ground in the patch", None),
                Field("scale", Number("1", 0.0, 10.0), "factor on the friction coefficient of the hard ground in the patch", None),
                Field("x", _REACH, "start and end of a rectangle along x; default: unlimited", None),
                Field("y", _REACH, "start and end of a rectangle along y; default: unlimited", None),
                Field("center", Number("m", -1e5, 1e5, shape=(2,)), "x, y of the center of an ellipse", None),
                Field("radii", Number("m", 0.0, 1e5, above=0.0, shape=(2,)), "half axes of an ellipse along x and y", None),
                Field(
                    "fields",
                    Number("m", 0.05, 1e3, shape=(2,)),
                    "field size of a checkerboard along x and y; the patch covers every second field, starting at the lower corner",
                    None,
                ),
            )
        )
    ),
    "areas with another surface; later patches cover earlier ones",
    (),
)
"""Field of a terrain file: each patch has a material (one of `surface`, `soil`, `friction`, `scale`) and an area (`x` and `y`, or `center` and `radii`)."""

_MATERIALS = ("surface", "soil", "friction", "scale")
ICY, WET = 0.25, 0.6
"""1. Friction coefficients below which a patch without a surface name is drawn as ice, or as wet asphalt."""
LARGEST_GRID = 16_000_000


def with_patches(
    ground: Ground,
    patches: Sequence[Values],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    file: object,
    soils: Mapping[str, Mapping[str, Any]],
) -> Ground:
    """Return the ground with patches on it.

    Parameters
    ----------
    x, y : positions of its nodes (nx,), (ny,) [m]
    file : terrain file, for messages
    soils : contents of the soil files by name

    Raises
    ------
    ConfigError : ambiguous or incomplete patch, a patch without nodes, or more soils than a grid can index
    """
    if not patches:
        return ground
    extents(patches)
    layers = []
    for patch in patches:
        given = [key for key in _MATERIALS if key in patch]
        if len(given) != 1:
            raise ConfigError(patch.file, patch.key, given or NOTHING, f"exactly one of {', '.join(_MATERIALS)}")
        inside = _inside(patch, x, y)
        if not inside.any():
            raise ConfigError(patch.file, patch.key, _area(patch), "an area with at least one grid node")
        layers.append((patch, given[0], inside))
    return apply_layers(ground, layers, file, "patches", soils)


Layer = tuple[Values, str, NDArray[np.bool_]]
"""Layer of a ground: a section, the key in it that gives the material (one of `_MATERIALS`), and a mask (ny, nx) of the nodes."""


def apply_layers(ground: Ground, layers: Sequence[Layer], file: object, key: str, soils: Mapping[str, Mapping[str, Any]]) -> Ground:
    """Return the ground with other soils and surfaces at some nodes; later layers cover earlier ones. `key` is the file key of the layers.

    Raises
    ------
    ConfigError : unknown soil or surface, or more soils than a grid can index
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
    if len(rows) > np.iinfo(np.uint8).max + 1:  # only soils that are left somewhere count
        used, ids = np.unique(ids, return_inverse=True)
        rows, labels = [rows[k] for k in used], [labels[k] for k in used]
    if len(rows) > np.iinfo(np.uint8).max + 1:
        raise ConfigError(file, key, len(rows), "at most 256 pairs of surface and soil")
    return replace(ground, hardness=hardness, soil_ids=ids.astype(np.uint8), soils=np.concatenate(rows), soil_names=tuple(labels))


def extents(patches: Sequence[Values]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the ranges that patches cover along x and along y: two lists of (from, to) [m].

    Raises
    ------
    ConfigError : ambiguous, incomplete or invalid area
    """
    along: tuple[list[tuple[float, float]], list[tuple[float, float]]] = [], []
    for patch in patches:
        if ("center" in patch) != ("radii" in patch):
            raise ConfigError(patch.file, patch.key, _area(patch), "both center and radii")
        if "center" in patch and ("x" in patch or "y" in patch):
            raise ConfigError(patch.file, patch.key, _area(patch), "center and radii, or x and y")
        if "fields" in patch and not ("x" in patch and "y" in patch):
            raise ConfigError(patch.file, patch.key, _area(patch), "x and y for a checkerboard (key fields)")
        for axis, key in enumerate(("x", "y")):
            if key in patch:
                low, high = patch[key]
                if not low < high:
                    raise patch.error(key, "two numbers, the second larger")
                along[axis].append((low, high))
            elif "center" in patch:
                middle, half = patch["center"][axis], patch["radii"][axis]
                along[axis].append((middle - half, middle + half))
    return along


def nodes_over(spans: Sequence[tuple[float, float]], spacing: float, place: float = 0.5) -> NDArray[np.float64]:
    """Return positions of nodes with a distance of `spacing` [m] that cover `spans`, plus a border of 4 nodes on either side.

    Without spans, there are four nodes about 0. Nodes are offset from multiples of the spacing by the fraction `place`. The default 0.5 puts edges
    at multiples of the spacing midway between two nodes.
    """
    if not spans:
        return np.arange(-1.5, 2.0)
    low, high = min(span[0] for span in spans), max(span[1] for span in spans)
    first, last = int(np.floor(low / spacing)) - 4, int(np.ceil(high / spacing)) + 4
    return np.asarray(spacing * (np.arange(first, last) + place), np.float64)


def _inside(values: Values, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask (ny, nx) of the nodes in a patch."""
    if "center" in values:
        (cx, cy), (rx, ry) = values["center"], values["radii"]
        return np.asarray(((x - cx) / rx) ** 2 + ((y[:, None] - cy) / ry) ** 2 <= 1.0)
    out = np.ones((len(y), len(x)), bool)
    for key, places in (("x", x), ("y", y[:, None])):
        if key in values:
            out &= (places >= values[key][0]) & (places <= values[key][1])
    if "fields" in values:
        (dx, dy), x0, y0 = values["fields"], values["x"][0], values["y"][0]
        out &= (np.floor((x - x0) / dx) + np.floor((y[:, None] - y0) / dy)) % 2 == 0
    return out


def _row(patch: Values, key: str, below: Record, label: str, soils: Mapping[str, Mapping[str, Any]]) -> tuple[Record, str]:
    """Return the SOIL record of a patch on the ground `below`, and the label that selects its colors."""
    value = patch[key]
    if key == "soil":
        return named_soil(soils, value, key, patch.file, patch.path(key)), drawn_as(soils, value)
    if key == "surface":
        row = surface_on_soil(named_soil(soils, value, key, patch.file, patch.path(key)), below)
        row[0]["friction"] = patch.get("friction", row[0]["friction"])  # of a soil map; a patch has only one of the keys
        return row, " on ".join([drawn_as(soils, value), *label.split(" on ")[-1:]])
    row = below.copy()
    row[0]["friction"] = value if key == "friction" else min(2.0, value * float(below[0]["friction"]))
    if row[0]["friction"] < WET and below[0]["hardness"] > 0.0:
        label = " on ".join(["ice" if row[0]["friction"] < ICY else "wet asphalt", *label.split(" on ")[1:]])
    return row, label


def _area(patch: Values) -> dict[str, Any]:
    """Return the keys that define the area of a patch, for a message."""
    return {key: np.asarray(patch[key]).tolist() for key in ("x", "y", "center", "radii", "fields") if key in patch}
