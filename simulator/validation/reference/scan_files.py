"""Reference scans of a moving lidar (`jounce validate sensors`): `N_name.json` has the motion and the beams, `N_name.npz` the answers.

The sensor moves with constant v and w in its own axes, from `position` and `rpy_deg` (Rz(yaw) Ry(pitch) Rx(roll)) at t = 0 to `period`. The scene is in the
folder `rays`. Answers are in the order of firing: index = column * lasers + laser.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from simulator.base.arrays import Array
from simulator.base.errors import JounceError, UnreadableError
from simulator.base.npy_reader import read_json, read_npz
from simulator.sensors.lidar.beams import Firings, beam_table, firings
from simulator.sensors.pose_history import PoseHistory
from simulator.validation.reference.ray_scenes import RayScene, read_scene, rotation

TICK = 1e-3
"""s. Distance of the poses of a history."""
_SCAN, _ANSWERS = "a scan of a moving lidar", "answers of a scan"


class Twist(NamedTuple):
    """Motion with constant velocity and angular velocity in the own axes."""

    p: Array
    """(3,) m, at t = 0"""
    R: Array
    """(3, 3)"""
    v: Array
    """(3,) m/s"""
    w: Array
    """(3,) rad/s"""

    def pose(self, time: Array) -> tuple[Array, Array]:
        """Return positions (n, 3) [m] and axes (n, 3, 3) at times (n,) [s], in closed form."""
        t, rate = np.asarray(time, float)[:, None], float(np.linalg.norm(self.w))
        turn = Rotation.from_rotvec(t * self.w).as_matrix()
        way = t * self.v
        if rate > 0.0:
            n = self.w / rate
            a, b = np.cross(n, self.v), np.cross(n, np.cross(n, self.v))
            way = way + (1.0 - np.cos(rate * t)) / rate * a + (t - np.sin(rate * t) / rate) * b
        return self.p + way @ self.R.T, self.R @ turn


@dataclass(frozen=True, eq=False)
class ScanFile:
    """Reference scan; arrays have one row for each firing, column by column, rings ascending."""

    name: str
    scene: RayScene
    max_range: float
    motion: Twist
    fired: Firings
    time: Array
    ring: NDArray[np.int64]
    range: Array
    object: NDArray[np.int64]
    """-1 = nothing"""
    fair: NDArray[np.bool_]
    raw: Array
    deskewed: Array

    def history(self) -> PoseHistory:
        """Return the poses at ticks from the start to the end of the scan."""
        time = np.linspace(0.0, self.fired.period, round(self.fired.period / TICK) + 1)
        p, R = self.motion.pose(time)
        q = Rotation.from_matrix(R).as_quat()[:, (3, 0, 1, 2)]
        return PoseHistory(time, p, q, np.tile(self.motion.v, (len(time), 1)), np.tile(self.motion.w, (len(time), 1)))


def scan_files(folder: Path) -> list[Path]:
    """Return the files of the scans of a folder."""
    return sorted(folder.glob("*.json"))


def read_scan(file: Path) -> ScanFile:
    """Return a scan. Raises ConfigError."""
    values, data = read_json(file, _SCAN), read_npz(file.with_suffix(".npz"), _ANSWERS)
    scene = file.parent.parent / "rays" / f"{values.get('scene', '')}.json"
    try:
        return _scan(file, values, data, scene)
    except JounceError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise UnreadableError(file, "", f"{type(problem).__name__}: {problem}", _SCAN) from None


def _scan(file: Path, values: dict[str, Any], data: dict[str, NDArray[Any]], scene: Path) -> ScanFile:
    elevation = np.radians(np.asarray(values["firing_elevation_deg"], float))
    order, columns, lasers = np.argsort(elevation), int(values["columns"]), len(elevation)
    beams = beam_table(elevation, 0.0, float(values["firing_step_s"]) * np.arange(lasers))
    fired = firings(beams, columns, float(values["period"]), np.radians(float(values["start_azimuth_deg"])), int(values["turn"]))
    rows = {name: part.reshape(columns, lasers, *part.shape[1:])[:, order].reshape(part.shape) for name, part in data.items()}
    object_ = rows["object"].astype(np.int64)
    object_[object_ == 255] = -1
    v, w = np.array(values["v"], float), np.array(values["w"], float)
    return ScanFile(
        file.stem,
        read_scene(scene),
        float(read_json(scene, "a scene of rays")["max_range"]),
        Twist(np.array(values["position"], float), rotation(values["rpy_deg"]), v, w),
        fired,
        rows["time"],
        rows["ring"].astype(np.int64),
        rows["range"],
        object_,
        (rows["sens"] & 3) == 0,
        rows["raw"].astype(float),
        rows["deskewed"].astype(float),
    )
