"""Reference scenes of rays: a terrain with objects, rays, and where they end (`jounce validate sensors`).

`NN_name.json` has the scene and its sets of rays, `NN_name.npz` the answers, `sensors.json` the beams of scanning sensors. A set is a scan from one pose
(index = column * rings + ring) or has its own rays. Angles in the files are in degrees; a sensor has the attitude Rz(yaw) Ry(pitch) Rx(roll).
The bits of `sens` mark rays that are no fair test: 1 = the answer changes within 1e-7 m, 2 = within 1 mm, 4 = the normal changes within 1 mm.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import NOTHING as MISSING
from simulator.base.errors import ConfigError, JounceError, UnreadableError
from simulator.base.npy_reader import read_json, read_npy, read_npz
from simulator.base.records import record
from terrain.ground import GROUND, Ground
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Box, Cylinder, Shape, Sphere, TriangleMesh, WorldObject
from terrain.readers import obj
from terrain.readers.request import ReadRequest
from terrain.soil import SOIL

SPACING, EXTENT = 0.25, 120.0
"""m. Nodes and half the side of the grid for hills, which the files give as a formula."""
INTERPOLATION = f"catmull_rom:{SPACING}"
"""Key of the error of the heights between these nodes."""
NOTHING = 255
"""Number of the object of a ray that meets nothing."""
_SCENE, _ANSWERS = "a scene of rays, or of a map", "answers of a scene of rays"


@dataclass(frozen=True, eq=False)
class RaySet:
    """Rays and their answers; arrays have one row per ray."""

    name: str
    origin: Array
    direction: Array
    max_range: float
    range: Array
    object: NDArray[np.int64]
    """-1 = nothing"""
    normal: Array
    sens: NDArray[np.uint8]

    @property
    def fair(self) -> NDArray[np.bool_]:
        """Rays whose range is a fair test."""
        return (self.sens & (1 if self.name == "special" else 3)) == 0


@dataclass(frozen=True, eq=False)
class RayScene:
    """Scene of rays."""

    name: str
    ground: Ground
    objects: ObjectSet
    sets: tuple[RaySet, ...]
    height_error: float
    """m, error of the heights of the ground against the formula of the file; 0 = exact"""


def scene_files(folder: Path) -> list[Path]:
    """Return the scene files of a folder in order. Raises ConfigError: there are none."""
    files = sorted(file for file in folder.glob("*.json") if file.name[:1].isdigit())
    if not files:
        raise ConfigError(folder, "", MISSING, "files 1_name.json, 2_name.json ...")
    return files


def read_scene(file: Path) -> RayScene:
    """Return a scene. Raises ConfigError."""
    scene = read_json(file, _SCENE)
    try:
        data = read_npz(file.with_suffix(".npz"), _ANSWERS) if scene["rays"] else {}
        ground, objects = ground_of(scene["terrain"], file.parent), ObjectSet(object_of(one, file.parent) for one in scene["objects"])
        sets = tuple(_sets(scene, data, file.parent))
        error = scene["height_error_m"][INTERPOLATION] if scene["terrain"]["type"] == "hills" else 0.0
        return RayScene(file.stem, ground, objects, sets, float(error))
    except JounceError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise UnreadableError(file, "", f"{type(problem).__name__}: {problem}", _SCENE) from None


def ground_of(terrain: dict[str, Any], folder: Path) -> Ground:
    """Return the ground of a section terrain."""
    p = record(GROUND)
    p[0]["gravity"], p[0]["mirrored"], p[0]["spacing"] = 9.80665, 1, 10.0
    heights = np.zeros((4, 4))
    if terrain["type"] == "grid":
        heights = read_npy(folder / terrain["file"], "heights of a scene")
        p[0]["origin"], p[0]["spacing"] = terrain["origin"], terrain["spacing"]
    else:
        p[0]["height"], p[0]["slope"] = terrain["z0"], (terrain["gx"], terrain["gy"])
    if terrain["type"] == "hills":
        p[0]["origin"], p[0]["spacing"] = -EXTENT, SPACING
        x = np.linspace(-EXTENT, EXTENT, round(2.0 * EXTENT / SPACING) + 1)
        heights = sum(
            a * np.outer(np.exp(-((x - yi) ** 2) / (2 * s * s)), np.exp(-((x - xi) ** 2) / (2 * s * s)))
            for a, xi, yi, s in terrain["hills"]
        )
    nodes = np.ascontiguousarray(heights, np.float32)
    return Ground("scene", p, nodes, np.ones_like(nodes), np.zeros(nodes.shape, np.uint8), record(SOIL), ("hard",), (0.0, 0.0, 0.0))


def object_of(one: dict[str, Any], folder: Path) -> WorldObject:
    """Return an object of a scene."""
    shape: Shape
    if one["type"] == "box":
        shape = Box(one["size"])
    elif one["type"] == "cylinder":
        shape = Cylinder(one["radius"], one["height"])
    elif one["type"] == "sphere":
        shape = Sphere(one["radius"])
    else:
        parts = obj.read_parts(ReadRequest(folder / one["file"], {}, folder / one["file"], ""))
        shape = TriangleMesh(float(one["scale"]) * np.concatenate([part.triangles for part in parts]))
    return WorldObject(str(one["id"]), shape, one["position"], yaw=math.radians(one.get("yaw_deg", 0.0)), label=one["label"])


def _sets(scene: dict[str, Any], data: dict[str, NDArray[Any]], folder: Path) -> Iterator[RaySet]:
    sensors = read_json(folder / "sensors.json", "beams of sensors")["sensors"]
    surface = "_cr" if scene["terrain"]["type"] == "grid" else ""
    for rays in scene["rays"]:
        name = rays["set"]
        if "sensor" in rays:
            direction = beams(sensors[rays["sensor"]], rays["azimuth_deg"]) @ rotation(rays["rpy_deg"]).T
            origin = np.tile(np.asarray(rays["position"], float), (len(direction), 1))
        else:
            origin, direction = data[name + "_origin"], data[name + "_direction"]
        numbers = data[f"{name}_object{surface}"].astype(np.int64)
        numbers[numbers == NOTHING] = -1
        range_, normal, sens = (data[f"{name}_{part}{surface}"] for part in ("range", "normal", "sens"))
        yield RaySet(name, origin, direction, float(rays["max_range"]), range_, numbers, normal.astype(float), sens)


def beams(sensor: dict[str, Any], azimuth: dict[str, Any]) -> Array:
    """Return the directions (columns * rings, 3) of a scan, in sensor axes."""
    up = np.radians(np.asarray(sensor["elevation_deg"], float))[None, :]
    around = np.radians(azimuth["start"] + azimuth["step"] * np.arange(azimuth["count"]))[:, None]
    around = around + np.radians(np.asarray(sensor["azimuth_offset_deg"], float))[None, :]
    return np.stack((np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up) + 0.0 * around), axis=-1).reshape(-1, 3)


def rotation(rpy_deg: tuple[float, float, float]) -> Array:
    """Return the axes (3, 3) of a sensor in W."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(math.radians(a)), math.sin(math.radians(a))) for a in rpy_deg)
    turn = np.array(((cy, -sy, 0.0), (sy, cy, 0.0), (0.0, 0.0, 1.0)))
    return turn @ np.array(((cp, 0.0, sp), (0.0, 1.0, 0.0), (-sp, 0.0, cp))) @ np.array(((1.0, 0.0, 0.0), (0.0, cr, -sr), (0.0, sr, cr)))
