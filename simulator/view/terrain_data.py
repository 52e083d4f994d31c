"""Ground data of the window: heights, colors and road coordinates as arrays, created from a `terrain.ground.Ground`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.view.object_data import ObjectData, no_objects
from simulator.weather import CLEAR, Weather

_COLORS = {
    # word in the name of a soil or surface: its sRGB color, dry
    "sandy_loam": (146, 122, 86),
    "snow": (232, 236, 240), "ice": (176, 200, 220), "wet": (50, 53, 60), "sand": (186, 160, 118), "clay": (158, 118, 88), "mud": (104, 84, 62), "grass": (128, 126, 82),
    "loam": (138, 114, 82), "lete": (176, 150, 110), "silt": (160, 140, 108), "peat": (84, 68, 52), "rubicon": (150, 126, 92),
    "rock": (142, 136, 128), "soil": (146, 120, 86),
    "asphalt": (72, 71, 72), "hard": (72, 71, 72),
}  # fmt: skip
_PLAIN = (146, 122, 88)
_COATED = ("snow", "ice", "wet")
"""Words in the name of a hard surface that has its own color instead of that of asphalt or gravel."""
_LOOSE = ("gravel", "dirt", "track", "rubble")
ROAD_REACH = 24.0
"""m. Maximum distance from a center line with road coordinates."""
FAR_OFFSET = 60.0
DASH = 9.0
"""m. Length of one dash and one gap of the center line."""
_STRIP = 64
_OBJECTS = "object_"
"""Beginning of the names of the arrays of objects in a file."""


@dataclass
class ViewRoad:
    """Center line (n, 2) in m, full width in m, and whether the road is paved."""

    points: NDArray[np.float64]
    width: float
    paved: bool


CHUNK = 48.0
"""m. Side of the squares that are drawn or culled together."""


@dataclass
class FeatureMeshes:
    """Meshes of features and markings in W; created by `simulator.view.feature_meshes`.

    Attributes
    ----------
    mesh : (n, 10) triangles of `simulator.view.meshes`, sorted by chunk
    chunks : (m, 4) center x, y of each chunk [m], its first vertex and its number of vertices
    cut : (rows, columns) 255 in a hole of the terrain, 0 at the border; or (0, 0)
    cut_grid : x, y of its south-west corner [m], and 1 / its extent along x and y [1/m]
    """

    mesh: NDArray[np.float32]
    chunks: NDArray[np.float64]
    cut: NDArray[np.uint8]
    cut_grid: tuple[float, float, float, float]


def no_features() -> FeatureMeshes:
    """Return empty meshes, for a ground without features and markings."""
    return FeatureMeshes(np.zeros((0, 10), np.float32), np.zeros((0, 4)), np.zeros((0, 0), np.uint8), (0.0, 0.0, 0.0, 0.0))


@dataclass
class TerrainData:
    """Arrays of one ground; grids are [row, column] = [y, x]."""

    origin: tuple[float, float]
    spacing: tuple[float, float]
    plane: tuple[float, float, float]
    """height at x = y = 0 and slopes of the base plane, added to `heights`"""
    heights: NDArray[np.float32]
    hardness: NDArray[np.uint8]
    """255 = hard"""
    soil_ids: NDArray[np.uint8]
    soil_names: tuple[str, ...]
    roads: list[ViewRoad] = field(default_factory=list)
    mirrored: bool = False
    """beyond the grid: True: mirrored repeatedly; False: constant at the border value"""
    features: FeatureMeshes = field(default_factory=no_features)
    objects: ObjectData = field(default_factory=no_objects)
    weather: Weather = CLEAR
    convergence: float = 0.0
    """bearing of the y axis of the world from true north, clockwise [rad]"""

    def inside(self, u: Any, count: int) -> Any:
        """Map a position u (any shape), in nodes along an axis of `count` nodes, to the position 0..count - 1 with the same ground."""
        if self.mirrored:
            u = count - np.abs((u + 0.5) % (2.0 * count) - count) - 0.5
        return np.clip(u, 0.0, count - 1.0)

    def images(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Map rectangles (n, 2) from low to high in m to rectangles on the grid that contain all of their ground."""
        if not self.mirrored:
            return low, high
        spacing, count = np.array(self.spacing), np.array(self.heights.shape[::-1])
        start = np.array(self.origin) - 0.5 * spacing
        u, v = (low - start) / (spacing * count), (high - start) / (spacing * count)
        first, last = np.floor(u), np.floor(v)
        # the ground is mirrored at every integer; an interval across an integer is mapped to the interval from there to its farther end
        a, b = 1.0 - np.abs(u % 2.0 - 1.0), 1.0 - np.abs(v % 2.0 - 1.0)
        near, far = np.minimum(a, b), np.maximum(a, b)
        near = np.where((last > first) & (last % 2.0 == 0.0) | (last > first + 1.0), 0.0, near)
        far = np.where((last > first) & (last % 2.0 == 1.0) | (last > first + 1.0), 1.0, far)
        return start + near * spacing * count, start + far * spacing * count

    def height(self, x: float, y: float) -> float:
        """Return the height in m at one point (bilinear)."""
        ny, nx = self.heights.shape
        u = min(float(self.inside((x - self.origin[0]) / self.spacing[0], nx)), nx - 1.000001)
        v = min(float(self.inside((y - self.origin[1]) / self.spacing[1], ny)), ny - 1.000001)
        i, j = int(u), int(v)
        u, v = u - i, v - j
        h = self.heights
        low = (1.0 - u) * float(h[j, i]) + u * float(h[j, i + 1])
        high = (1.0 - u) * float(h[j + 1, i]) + u * float(h[j + 1, i + 1])
        return (1.0 - v) * low + v * high + self.plane[0] + self.plane[1] * x + self.plane[2] * y

    def heights_at(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the heights (n,) at places (n, 2) in m (bilinear)."""
        u, v = self._nodes(places)
        i, j = np.minimum(u.astype(np.int64), self.heights.shape[1] - 2), np.minimum(v.astype(np.int64), self.heights.shape[0] - 2)
        a, b, h = u - i, v - j, self.heights
        low, high = (1.0 - a) * h[j, i] + a * h[j, i + 1], (1.0 - a) * h[j + 1, i] + a * h[j + 1, i + 1]
        return np.asarray((1.0 - b) * low + b * high + self.plane[0] + places @ np.array(self.plane[1:]))

    def soft_soil_at(self, places: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return for places (n, 2) in m whether all nodes around are soft, and the number of the soil of the nearest node."""
        u, v = self._nodes(places)
        j, i = np.rint(v).astype(np.int64), np.rint(u).astype(np.int64)
        rows, columns = ((np.floor(w).astype(np.int64), np.ceil(w).astype(np.int64)) for w in (v, u))
        hard = np.max([self.hardness[r, c] for r in rows for c in columns], axis=0)
        return hard == 0, self.soil_ids[j, i].astype(np.int64)

    def _nodes(self, places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the places in nodes along x and y on the grid with the same ground."""
        return tuple(self.inside((places[:, k] - self.origin[k]) / self.spacing[k], self.heights.shape[1 - k]) for k in (0, 1))  # type: ignore[return-value]

    def is_pavement(self, x: float, y: float) -> bool:
        """Return whether the nearest node at a point is asphalt or concrete without ice, snow or water."""
        ny, nx = self.hardness.shape
        i = round(float(self.inside((x - self.origin[0]) / self.spacing[0], nx)))
        j = round(float(self.inside((y - self.origin[1]) / self.spacing[1], ny)))
        if self.hardness[j, i] < 128:
            return False
        return not self.soil_names or _kind(self.soil_names[min(int(self.soil_ids[j, i]), len(self.soil_names) - 1)]) == 1.0

    def save(self, path: Path) -> None:
        """Write the data for another process, uncompressed."""
        about = {
            "origin": self.origin, "spacing": self.spacing, "plane": self.plane, "soil_names": self.soil_names,
            "mirrored": self.mirrored, "cut_grid": self.features.cut_grid, "weather": self.weather,
            "convergence": self.convergence,
            "roads": [{"width": road.width, "paved": road.paved} for road in self.roads],
        }  # fmt: skip
        lines = {f"road_{k}": road.points for k, road in enumerate(self.roads)}
        arrays = {"heights": self.heights, "hardness": self.hardness, "soil_ids": self.soil_ids}
        arrays |= {"mesh": self.features.mesh, "chunks": self.features.chunks, "cut": self.features.cut}
        arrays |= self.objects.arrays(_OBJECTS)
        np.savez(path, about=np.array(json.dumps(about)), **arrays, **lines)  # type: ignore[arg-type]

    @staticmethod
    def load(path: Path) -> TerrainData:
        """Read data written by `save`."""
        with np.load(path) as data:
            about = json.loads(str(data["about"]))
            roads = [ViewRoad(data[f"road_{k}"], road["width"], road["paved"]) for k, road in enumerate(about["roads"])]
            pair, three = tuple(about["origin"]), tuple(about["plane"])
            grids = data["heights"], data["hardness"], data["soil_ids"]
            features = FeatureMeshes(data["mesh"], data["chunks"], data["cut"], tuple(about["cut_grid"]))
            names, objects = tuple(about["soil_names"]), ObjectData.of(data, _OBJECTS)
            return TerrainData(
                pair,
                tuple(about["spacing"]),
                three,
                *grids,
                names,
                roads,
                about["mirrored"],
                features,
                objects,
                Weather(*about["weather"]),
                about["convergence"],
            )


def is_paved(surface: str) -> bool:
    """Return whether a surface is asphalt or concrete and not gravel, from its name."""
    return not any(word in surface for word in _LOOSE)


def is_coated(surface: str) -> bool:
    """Return whether a hard surface lies under ice, snow or water, from its name."""
    return any(word in surface for word in _COATED)


def is_glazed(name: str) -> bool:
    """Return whether a surface is under ice or water, which mirror the sky."""
    hard = name.lower().split(" on ")[0]
    return any(word in hard for word in _COATED) and "snow" not in hard


def soil_color(name: str) -> tuple[int, int, int]:
    """Return the sRGB color of a soil. A name "A on B" gives the color of B ("gravel on dry_sand": sand), unless A is a coating such as ice."""
    name = coating_of(name)
    return next((color for word, color in _COLORS.items() if word in name), _PLAIN)


def coating_of(name: str) -> str:
    """Return the part of the name of a soil that is seen where no asphalt or gravel is: B of "A on B", unless A is a coating such as ice."""
    hard, _, loose = name.lower().rpartition(" on ")
    return hard if any(word in hard for word in _COATED) else loose


def surface_texture(terrain: TerrainData, sun: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return (ny, nx, 4): color of the bare soil (screen values) and sunlight (0.8 of full scale = facing the sun).

    sun : unit vector towards the sun, in W
    """
    palette = np.array([(*soil_color(name), 0) for name in terrain.soil_names] or [(*_PLAIN, 0)], np.uint8)
    packed = palette.view(np.uint32)[:, 0]
    out = np.empty((*terrain.heights.shape, 4), np.uint8)
    # in strips that fit into the cache: three times faster
    for first in range(0, len(out), _STRIP):
        rows = slice(first, min(first + _STRIP, len(out)))
        out[rows] = packed[np.minimum(terrain.soil_ids[rows], len(palette) - 1)].view(np.uint8).reshape(-1, out.shape[1], 4)
        light = _sunlight(terrain, rows, sun)
        light *= np.float32(204.0)
        out[rows, :, 3] = light
    return out


def _sunlight(terrain: TerrainData, rows: slice, sun: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the cosine of the angle between sun and normal at the nodes of some rows, at least 0."""
    h, (dx, dy) = terrain.heights, terrain.spacing
    own = h[rows]
    zx, zy = np.zeros_like(own), np.zeros_like(own)
    np.subtract(own[:, 2:], own[:, :-2], out=zx[:, 1:-1])
    low, high = max(rows.start, 1), min(rows.stop, len(h) - 1)
    np.subtract(h[low + 1 : high + 1], h[low - 1 : high - 1], out=zy[low - rows.start : high - rows.start])
    zx *= np.float32(0.5 / dx)
    zy *= np.float32(0.5 / dy)
    zx += np.float32(terrain.plane[1])
    zy += np.float32(terrain.plane[2])
    light = zx * np.float32(-sun[0])
    light -= zy * np.float32(sun[1])
    light += np.float32(sun[2])
    zx *= zx
    zy *= zy
    zx += zy
    zx += np.float32(1.0)
    np.sqrt(zx, out=zx)
    light /= zx
    return np.maximum(light, np.float32(0.0), out=light)


def road_texture(terrain: TerrainData) -> tuple[NDArray[np.float16], int]:
    """Return (rows, columns, 4) and its step in nodes.

    Channels: offset to the left of the nearest road in m, half its width in m, cosine of the dash pattern, and the kind of surface: +2
    paved and covered by ice, snow or water, +1 paved, 0 soil, -1 gravel.
    """
    step = 2 if min(terrain.heights.shape) > 500 else 1
    kinds = np.array([_kind(name) for name in terrain.soil_names] or [1.0], np.float16)
    kind = kinds[np.minimum(terrain.soil_ids[::step, ::step], len(kinds) - 1)] * (
        terrain.hardness[::step, ::step] * np.float16(1.0 / 255.0)
    )
    out = np.zeros((*kind.shape, 4), np.float16)
    out[..., 0], out[..., 3] = FAR_OFFSET, kind
    spacing = (terrain.spacing[0] * step, terrain.spacing[1] * step)
    for road in sorted(terrain.roads, key=lambda road: road.paved):
        _write_road(out, road, terrain.origin, spacing)
    return out, step


def _kind(name: str) -> float:
    hard = name.lower().split(" on ")[0]
    if is_coated(hard):
        return 2.0
    return -1.0 if any(word in hard for word in _LOOSE) else 1.0


def _write_road(out: NDArray[np.float16], road: ViewRoad, origin: tuple[float, float], spacing: tuple[float, float]) -> None:
    """Write offset, half width and dash of one road to the nodes around it; the nearest segment wins."""
    # every second point: a chord of 4 m deviates from a bend of 50 m radius by 4 cm
    points = np.vstack((road.points[:-1:2], road.points[-1:]))
    a, b = points[:-1], points[1:]
    length = np.hypot(*(b - a).T)
    along = np.concatenate(([0.0], np.cumsum(length)[:-1]))
    reach = [int(ROAD_REACH / s) + 1 for s in spacing]
    di, dj = (axis.ravel() for axis in np.meshgrid(np.arange(-reach[0], reach[0] + 1), np.arange(-reach[1], reach[1] + 1)))
    best = np.full(out.shape[:2], np.float32(ROAD_REACH))
    for k in range(len(a)):
        center = 0.5 * (a[k] + b[k])
        i = di + round((center[0] - origin[0]) / spacing[0])
        j = dj + round((center[1] - origin[1]) / spacing[1])
        inside = (i >= 0) & (i < out.shape[1]) & (j >= 0) & (j < out.shape[0])
        i, j = i[inside], j[inside]
        x, y = origin[0] + i * spacing[0] - a[k, 0], origin[1] + j * spacing[1] - a[k, 1]
        t = (b[k] - a[k]) / max(length[k], 1e-9)
        s = x * t[0] + y * t[1]
        offset = y * t[0] - x * t[1]
        distance = np.hypot(offset, s - np.clip(s, 0.0, length[k]))
        near = distance < best[j, i]
        i, j = i[near], j[near]
        best[j, i] = distance[near]
        out[j, i, 0] = offset[near]
        out[j, i, 1] = 0.5 * road.width
        out[j, i, 2] = np.cos(2.0 * np.pi / DASH * (along[k] + s[near]))
