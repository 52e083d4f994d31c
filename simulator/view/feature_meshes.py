"""Triangle meshes of terrain features and road markings. No OpenGL here.

The terrain is drawn from the base grid alone. A feature is a surface along its own edges with all vertices at the composed height, so that
a curb is drawn at its physical position even on a coarse grid. Where a feature is below the base grid (a ditch, a dip), a hole is cut into
the terrain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.feature_codes import GROUND, MARKING, SLABS
from simulator.view.ground_cover import soil_code
from simulator.view.meshes import Builder
from simulator.view.surface_textures import ASPHALT, CONCRETE, DIRT, GRAVEL
from simulator.view.terrain_data import CHUNK, FeatureMeshes, is_paved, no_features, soil_color
from terrain.base_grid import base_height
from terrain.composite_height import composed_heights
from terrain.features.shapes import BUMP, CURB, DITCH, HALF_ROUND, LINES, SETTS, STEP, WALL, WASHBOARD
from terrain.ground import Ground, GroundArrays
from terrain.road_markings import Mark
from terrain.roughness import no_roughness

RAISED, PAINT_RAISED = 0.003, 0.010
"""m. Height of surfaces and paint above the ground below them."""
STONE = 0.15
"""m. Width of the stones along a curb."""
STEEP_SHADE = 0.4
"""Darkening of a vertical face, as a fraction of its color."""
DEEP_SHADE = 0.3
"""Darkening of the bottom of a ditch, as a fraction of its color."""
FALL_AT = (0.25, 0.5, 0.75, 1.0)
"""Positions across the fall of a curb, as fractions of its width, between which the surface is flat."""
MAX_SEGMENT = 3.0
"""m. Maximum length of a segment of a straight line."""
MIN_CUT_SPACING, MAX_CUT_SIZE = 0.1, 1024
"""m, texels along a side: resolution limits of the map of holes in the terrain."""
OVERLAP = 3.0
"""Texels by which the surface of a ditch extends beyond its hole."""
_COLORS = {
    HALF_ROUND: (206, 164, 62), STEP: (170, 166, 158), WASHBOARD: (156, 152, 144), BUMP: (118, 116, 114), WALL: (176, 170, 160),
    DITCH: (122, 102, 78), SETTS: (124, 120, 118),
}  # fmt: skip
_CURBSTONE, _SIDEWALK, _JOINT = (178, 175, 168), (142, 139, 134), (70, 66, 62)
_PAINT = {"white": (226, 226, 220), "yellow": (222, 178, 60)}

Points = NDArray[np.float64]


def make_feature_meshes(ground: Ground) -> FeatureMeshes:
    """Return the meshes of all features and markings of a ground."""
    arrays = ground.arrays._replace(roughness=no_roughness())  # the terrain is also drawn without roughness
    elements = ground.features.pieces
    if not len(elements) and not ground.marks:
        return no_features()
    cut, cut_grid = _cut(arrays, elements)
    beyond = OVERLAP / max(min(cut_grid[2] * cut.shape[1], cut_grid[3] * cut.shape[0]), 1e-9) if cut.size else 0.0
    b = Builder()
    for element in elements:
        if element["kind"] in LINES:
            _line(b, arrays, element, beyond, _soil_paint(ground))
        elif element["kind"] == SETTS:
            _setts(b, arrays, element)
        else:
            _shape(b, arrays, element, beyond if element["height"] < 0.0 else 0.0)
    meshes = [_shaded(b.mesh())] if len(elements) else []
    paint = Builder()
    for mark in ground.marks:
        _mark(paint, arrays, mark)
    if ground.marks:
        meshes.append(paint.mesh())
    mesh, chunks = _chunked(np.vstack(meshes))
    return FeatureMeshes(mesh, chunks, cut, cut_grid)


def _shaded(mesh: Array) -> Array:
    """Darken steep faces of a mesh, as if dust covered level surfaces; edges are visible under any sun."""
    mesh[:, 6:9] *= 1.0 - STEEP_SHADE * (1.0 - mesh[:, 5:6])
    return mesh


def _on_ground(arrays: GroundArrays, x: Points, y: Points, raised: float) -> Points:
    """Return points (..., 3) at the composed height plus `raised`."""
    z = np.empty(x.size)
    composed_heights(arrays, np.ascontiguousarray(x, np.float64).ravel(), np.ascontiguousarray(y, np.float64).ravel(), z)
    return np.stack((x, y, z.reshape(x.shape) + raised), axis=-1)


def _lines_about(half: float, face: float) -> list[float]:
    """Return the positions across the vertical faces on both sides of a block, from left to right."""
    face = min(face, 1.9 * half)
    edge = [half - 0.5 * face, half - 0.25 * face, half + 0.25 * face, half + 0.5 * face]
    return [*(-v for v in edge[::-1]), *edge]


def _shape(b: Builder, arrays: GroundArrays, k: Any, beyond: float) -> None:
    """Add a half-round, step, washboard or bump."""
    kind, half, face = int(k["kind"]), 0.5 * float(k["length"]), float(k["face"])
    if kind == STEP:
        along = np.array(_lines_about(half, face))
    elif kind == HALF_ROUND:
        along = np.array([-half, *(half * np.sin(np.linspace(-0.48, 0.48, 17) * np.pi)), half])
    elif kind == WASHBOARD:
        along = np.linspace(-half, half, round(12 * k["length"] / k["wavelength"]) + 1)
    else:
        reach = float(k["foot"][1])
        along = np.array([-reach, *np.linspace(-float(k["foot"][0]), float(k["foot"][0]), 25), reach])
    across = np.array(_lines_about(0.5 * float(k["width"]), face))
    if beyond:
        along, across = (np.array([v[0] - beyond, *v, v[-1] + beyond]) for v in (along, across))
    b.paint(_COLORS[kind], CONCRETE)
    c, s = (float(v) for v in k["axis"])
    u, v = np.meshgrid(along, across, indexing="ij")
    b.sheet(_on_ground(arrays, k["origin"][0] + c * u - s * v, k["origin"][1] + s * u + c * v, RAISED))


def _profile(k: Any, beyond: float) -> list[float]:
    """Return the positions across a line, from right to left, between which the surface is flat."""
    kind, half, face = int(k["kind"]), 0.5 * float(k["width"]), float(k["face"])
    if kind == CURB:
        width, fall = float(k["width"]), float(k["fall"])
        stone = [STONE] if 0.5 * face < STONE < width else []
        return [-0.5 * face, 0.0, 0.5 * face, *stone, width, *(width + fall * t for t in FALL_AT)]
    if kind == WALL:
        return _lines_about(half, face)
    bank = np.linspace(0.0, 1.0, 6) * (half - 0.5 * float(k["bottom"]))
    side = [0.5 * float(k["bottom"]) + d for d in bank]
    return [-half - beyond, *(-d for d in side[::-1]), *(side if k["bottom"] > 0.0 else side[1:]), half + beyond]


def _line(
    b: Builder, arrays: GroundArrays, k: Any, beyond: float, soil: Callable[[float, float], tuple[tuple[int, int, int], float]]
) -> None:
    """Add one segment of a curb, wall or ditch."""
    profile = np.array(_profile(k, beyond))
    x, y = _arc_points(k, profile) if k["arc"] != 0.0 else _straight_points(k, profile, beyond)
    if not x.size:
        return
    points = _on_ground(arrays, x, y, RAISED)
    if k["kind"] == WALL:
        b.paint(_COLORS[WALL], CONCRETE).sheet(points)
        return
    if k["kind"] == DITCH:
        for n in range(len(profile) - 1):
            depth = 1.0 - min(abs(profile[n] + profile[n + 1]) / float(k["width"]), 1.0)
            b.paint([v * (1.0 - DEEP_SHADE * depth) for v in _COLORS[DITCH]], DIRT).sheet(points[:, n : n + 2])
        return
    steps = np.linalg.norm(np.diff(points[:, points.shape[1] // 2], axis=0), axis=1)
    slabs = (SLABS + np.concatenate(([0.0], np.cumsum(steps))))[:, None] * np.ones(len(profile))
    for n in range(len(profile) - 1):
        middle = 0.5 * (profile[n] + profile[n + 1])
        here = points[points.shape[0] // 2, n + 1]
        if middle < k["width"]:
            b.paint(_CURBSTONE if middle < STONE else _SIDEWALK).sheet(points[:, n : n + 2], gloss=slabs[:, n : n + 2])
        else:
            b.paint(*soil(float(here[0]), float(here[1]))).sheet(points[:, n : n + 2])


def _straight_points(k: Any, profile: Points, beyond: float) -> tuple[Points, Points]:
    """Return x, y (along, across) of a straight segment."""
    length, face = float(k["length"]), float(k["face"])
    end = [0.25 * face, 0.5 * face, 0.75 * face, face, *([face + beyond] if k["height"] < 0.0 else [])]
    before, after = end if k["open_start"] else [], end if k["open_end"] else []
    inner = np.linspace(0.0, length, max(1, int(np.ceil(length / MAX_SEGMENT))) + 1)
    along = np.array([*(-d for d in before[::-1]), *inner, *(length + d for d in after)])
    u, d = np.meshgrid(along, profile, indexing="ij")
    c, s = (float(v) for v in k["axis"])
    return k["origin"][0] + c * u - s * d, k["origin"][1] + s * u + c * d


def _arc_points(k: Any, profile: Points) -> tuple[Points, Points]:
    """Return x, y (along, across) of an arc; points beyond its center are omitted."""
    radius, half = float(k["arc"]), float(np.arccos(min(k["half_cosine"], 1.0)))
    middle = float(np.arctan2(k["axis"][1], k["axis"][0]))
    turn = np.copysign(1.0, radius)
    angle = middle + turn * np.linspace(-half, half, max(2, int(np.ceil(2.0 * half / 0.2)) + 1))
    distance = np.maximum(abs(radius) - turn * profile, 0.0)
    return k["origin"][0] + np.cos(angle)[:, None] * distance, k["origin"][1] + np.sin(angle)[:, None] * distance


def _setts(b: Builder, arrays: GroundArrays, k: Any) -> None:
    """Add stones as flat tops over a dark bed."""
    c, s = (float(v) for v in k["axis"])
    pitch, joint = float(k["wavelength"]), float(k["bottom"])
    half_length, half_width = 0.5 * float(k["length"]), 0.5 * float(k["width"])
    rows = np.arange(-np.floor(half_length / pitch), np.floor(half_length / pitch))
    columns = np.arange(-np.floor(half_width / pitch), np.floor(half_width / pitch))
    i, j = (axis.ravel() for axis in np.meshgrid(rows, columns, indexing="ij"))
    u0, v0 = (i + 0.5) * pitch, (j + 0.5 + 0.5 * (i % 2)) * pitch
    inside = np.abs(v0) < half_width - 0.5 * pitch
    u0, v0 = u0[inside], v0[inside]
    x, y = k["origin"][0] + c * u0 - s * v0, k["origin"][1] + s * u0 + c * v0
    top = _on_ground(arrays, x, y, RAISED)[:, 2]
    r = 0.5 * (pitch - joint)
    corners = [
        np.stack((x + c * du * r - s * dv * r, y + s * du * r + c * dv * r, top), axis=-1)
        for du, dv in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    shade = (np.random.default_rng(0).random(len(x)) * 3).astype(int)
    low = float(top.min()) - 0.01
    bed = [(du * half_length, dv * half_width) for du, dv in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    b.paint(_JOINT, DIRT).polygon(
        [(k["origin"][0] + c * u - s * v, k["origin"][1] + s * u + c * v, max(low, float(top.min()) - 0.01)) for u, v in bed]
    )
    for level in range(3):
        some = shade == level
        tops = np.stack([corner[some] for corner in corners], axis=1)
        color = tuple(int(v * (0.88 + 0.12 * level)) for v in _COLORS[SETTS])
        b.paint(color, CONCRETE).triangles(np.concatenate((tops[:, [0, 1, 2]], tops[:, [0, 2, 3]])))


def _mark(b: Builder, arrays: GroundArrays, mark: Mark) -> None:
    """Add a painted line, in short segments that follow the ground."""
    b.paint(_PAINT[mark.color], MARKING)
    lengths = np.hypot(*np.diff(mark.points, axis=0).T)
    along = np.concatenate(([0.0], np.cumsum(lengths)))
    total = float(along[-1])
    if mark.dash is None:
        dashes: Sequence[tuple[float, float]] = [(0.0, total)]
    else:
        on, off = mark.dash
        dashes = [(float(s), min(float(s) + on, total)) for s in np.arange(0.0, total, on + off)]
    for start, end in dashes:
        inner = along[(along > start) & (along < end)]
        s = np.unique(np.concatenate((np.linspace(start, end, max(1, int(np.ceil((end - start) / 4.0))) + 1), inner)))
        x, y = (np.interp(s, along, mark.points[:, k]) for k in (0, 1))
        element = np.clip(np.searchsorted(along, 0.5 * (s[:-1] + s[1:])) - 1, 0, len(lengths) - 1)
        ahead = (np.diff(mark.points, axis=0) / lengths[:, None])[element]
        ahead = np.vstack((ahead[:1], 0.5 * (ahead[:-1] + ahead[1:]), ahead[-1:]))
        across = np.linspace(-0.5, 0.5, max(1, int(np.ceil(mark.width / 1.0))) + 1) * mark.width
        px, py = x[:, None] - ahead[:, 1:] * across, y[:, None] + ahead[:, :1] * across
        b.sheet(_on_ground(arrays, px, py, PAINT_RAISED))


def _soil_paint(ground: Ground) -> Callable[[float, float], tuple[tuple[int, int, int], float]]:
    """Return a function for the sRGB color and the code of the ground at x, y, which is drawn as the terrain is."""
    origin, spacing = ground.p[0]["origin"], ground.p[0]["spacing"]
    rows, columns = ground.hardness.shape
    loose = [(soil_color(name), GROUND + soil_code(name)) for name in ground.soil_names]
    hard = [(soil_color(name), GROUND + 16.0 * (ASPHALT if is_paved(name.split(" on ")[0]) else GRAVEL)) for name in ground.soil_names]

    def paint(x: float, y: float) -> tuple[tuple[int, int, int], float]:
        i = int(np.clip(round((x - origin[0]) / spacing[0]), 0, columns - 1))
        j = int(np.clip(round((y - origin[1]) / spacing[1]), 0, rows - 1))
        return (hard if ground.hardness[j, i] > 0.5 else loose)[ground.soil_ids[j, i]]

    return paint


def _cut(arrays: GroundArrays, elements: Any) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Return a map of the area where the ground is below its base grid, and its grid."""
    deep = [k for k in elements if k["height"] < 0.0]
    if not deep:
        return np.zeros((0, 0), np.uint8), (0.0, 0.0, 0.0, 0.0)
    boxes = np.array([_box(k) for k in deep])
    low, high = boxes[:, :2].min(axis=0) - 1.0, boxes[:, 2:].max(axis=0) + 1.0
    step = max(MIN_CUT_SPACING, float((high - low).max()) / MAX_CUT_SIZE)
    columns, rows = (int(np.ceil(extent / step)) for extent in high - low)
    below = np.zeros((rows, columns), bool)
    for x0, y0, x1, y1 in boxes:
        i0, j0 = (max(1, int((v - o) / step)) for v, o in ((x0, low[0]), (y0, low[1])))
        i1, j1 = (min(n - 1, int((v - o) / step) + 2) for v, o, n in ((x1, low[0], columns), (y1, low[1], rows)))
        x, y = np.meshgrid(low[0] + step * (np.arange(i0, i1) + 0.5), low[1] + step * (np.arange(j0, j1) + 0.5))
        z = _on_ground(arrays, x, y, 0.0)[..., 2]
        base = np.array([base_height(arrays.p, arrays.heights, a, b) for a, b in zip(x.ravel(), y.ravel(), strict=True)]).reshape(x.shape)
        below[j0:j1, i0:i1] |= z < base - 0.002
    wide = below.copy()
    wide[1:] |= below[:-1]
    wide[:-1] |= below[1:]
    wide[:, 1:] |= wide[:, :-1].copy()
    wide[:, :-1] |= wide[:, 1:].copy()
    return wide.astype(np.uint8) * np.uint8(255), (float(low[0]), float(low[1]), 1.0 / (step * columns), 1.0 / (step * rows))


def _box(k: Any) -> tuple[float, float, float, float]:
    """Return the bounding box x0, y0, x1, y1 of a feature below the base grid."""
    line = k["kind"] in LINES
    ends = np.array([k["origin"], k["origin"] + (k["length"] * k["axis"] if line and k["arc"] == 0.0 else 0.0)])
    reach = float(0.5 * k["width"] + k["face"] + abs(k["arc"]) if line else 0.5 * np.hypot(k["length"], k["width"]) + 0.5)
    return (*(ends.min(axis=0) - reach), *(ends.max(axis=0) + reach))


def _chunked(mesh: Array) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return the triangles sorted by square, and the squares."""
    middles = mesh[:, :2].reshape(-1, 3, 2).mean(axis=1)
    cells, which = np.unique(np.floor(middles / CHUNK), axis=0, return_inverse=True)
    which = which.ravel()
    order = np.argsort(which, kind="stable")
    counts = np.bincount(which, minlength=len(cells))
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))
    sorted_mesh = mesh.reshape(-1, 3, 10)[order].reshape(-1, 10).astype(np.float32)
    return sorted_mesh, np.column_stack(((cells + 0.5) * CHUNK, 3 * first, 3 * counts))
