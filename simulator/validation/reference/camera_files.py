"""Reference cameras: images of the scenes of rays, and pixels of points (`jounce validate sensors`).

`name.json` has intrinsics, distortion, position and axes of a camera and the name of its scene in the folder `rays` next to this folder. `name.npz`
has the images without distortion (depth along the optical axis, object, label), `sens` as in `ray_scenes`, and points in W with their
pixels without and with distortion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import NOTHING as MISSING
from simulator.base.errors import ConfigError, JounceError, UnreadableError
from simulator.base.npy_reader import read_json, read_npz
from simulator.sensors.camera.geometry import Intrinsics
from simulator.validation.reference.ray_scenes import NOTHING, RayScene, read_scene

_CAMERA, _ANSWERS = "a camera", "images of a camera"


@dataclass(frozen=True, eq=False)
class CameraFile:
    """Camera and its answers; images are (height, width)."""

    name: str
    scene: RayScene
    ideal: Intrinsics
    """without distortion, as for the images"""
    distorted: Intrinsics
    position: Array
    R_WC: Array
    """optical axes in W"""
    depth: Array
    object: NDArray[np.int64]
    """-1 = nothing"""
    label: NDArray[np.uint8]
    fair: NDArray[np.bool_]
    points: Array
    """(n, 3), in W"""
    pixel_ideal: Array
    pixel_distorted: Array
    depth_of_point: Array

    @property
    def points_C(self) -> Array:
        """Points in optical axes."""
        return (self.points - self.position) @ self.R_WC

    @property
    def max_range(self) -> float:
        """Range of the rays of the scene [m]."""
        return self.scene.sets[0].max_range


def camera_files(folder: Path) -> list[Path]:
    """Return the camera files of a folder in order. Raises ConfigError: there are none."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise ConfigError(folder, "", MISSING, "files name.json with a camera")
    return files


def read_camera(file: Path) -> CameraFile:
    """Return a camera. Raises ConfigError."""
    camera, data = read_json(file, _CAMERA), read_npz(file.with_suffix(".npz"), _ANSWERS)
    try:
        scene = read_scene(file.parent.parent / "rays" / f"{camera['scene']}.json")
        K, D = np.asarray(camera["K"], float), [float(value) for value in camera["D"]]
        ideal = Intrinsics(int(camera["width"]), int(camera["height"]), *(float(K[at]) for at in ((0, 0), (1, 1), (0, 2), (1, 2))))
        k1, k2, p1, p2, k3 = D
        distorted = replace(ideal, k1=k1, k2=k2, p1=p1, p2=p2, k3=k3)
        numbers = data["object"].astype(np.int64)
        numbers[numbers == NOTHING] = -1
        answers = {name: data[name] for name in ("depth", "label", "points", "pixel_ideal", "pixel_distorted", "depth_of_point")}
        return CameraFile(
            file.stem, scene, ideal, distorted, np.asarray(camera["position"], float), np.asarray(camera["R_world_from_optical"], float),
            object=numbers, fair=(data["sens"] & 3) == 0, **answers,
        )  # fmt: skip
    except JounceError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise UnreadableError(file, "", f"{type(problem).__name__}: {problem}", _CAMERA) from None
