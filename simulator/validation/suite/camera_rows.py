"""Pixels of points and images by rays compared with reference cameras."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from simulator.sensors.camera.geometry import R_SC, project, rays_of
from simulator.sensors.camera.ray_images import PixelRays, cast_images
from simulator.validation.reference.camera_files import CameraFile, camera_files, read_camera
from simulator.validation.suite.result import Row
from terrain.rays.caster import RayCaster

PIXEL, ROUND = 1e-6, 1e-9
"""Tolerance of a pixel; of a normalized coordinate that follows from a distorted pixel."""
SINGLE = 1e-6
"""Tolerance of a depth divided by it; images are in single precision."""
SAMPLED_DEPTH, SAMPLED_FRACTION = 2e-3, 1e-3
"""m, 1. Tolerance of a depth on hills, whose formula is sampled on a grid: the larger of the two, the second times the depth."""
OTHER_OBJECTS = 0.005
"""Fraction of the calm pixels that may show another object on sampled hills."""


def cameras(folder: Path) -> list[Row]:
    """Return two rows for each camera: pixels of points, images."""
    return [row for file in camera_files(folder) for row in _rows(read_camera(file))]


def _rows(one: CameraFile) -> list[Row]:
    return [_pixel_row(one), _image_row(one)]


def _pixel_row(one: CameraFile) -> Row:
    points = one.points_C
    ideal, depth = project(one.ideal, points)
    distorted, _ = project(one.distorted, points)
    back = rays_of(one.distorted, one.pixel_distorted)
    pixel = max(_largest(ideal - one.pixel_ideal), _largest(distorted - one.pixel_distorted))
    inverse = _largest(back[:, :2] - points[:, :2] / points[:, 2:])
    along = _largest(depth - one.depth_of_point)
    return Row(
        f"pixels {one.name}",
        f"{len(points)} points, without and with distortion",
        "projection and its inverse",
        f"{_shown(pixel, PIXEL)} pixels, inverse {_shown(inverse, ROUND)}, depth {_shown(along, ROUND)} m",
        f"{PIXEL:g} pixels, inverse {ROUND:g}, depth {ROUND:g} m",
        pixel <= PIXEL and inverse <= ROUND and along <= ROUND,
    )


def _image_row(one: CameraFile) -> Row:
    caster = RayCaster(one.scene.ground, one.scene.objects)
    images = cast_images(PixelRays(one.ideal), caster, one.position, one.R_WC @ R_SC.T, one.max_range, 0.0)
    same = (images.object == one.object) & (images.label == one.label)
    wrong, fair = int((one.fair & ~same).sum()), int(one.fair.sum())
    both = one.fair & same & (one.object >= 0)
    depth = one.depth[both]
    error = np.abs(images.depth[both] - depth)
    sampled = one.scene.height_error > 0.0
    limit = np.maximum(SAMPLED_DEPTH, SAMPLED_FRACTION * depth) if sampled else SINGLE * depth
    return Row(
        f"images {one.name}",
        f"{wrong} of {fair} pixels show another object or label",
        f"{fair} calm pixels",
        f"depth {_shown(_largest(error / depth), SINGLE)} of the depth",
        f"no pixel, {SINGLE:g}" if not sampled else f"{OTHER_OBJECTS:.1%}, the larger of {SAMPLED_DEPTH:g} m and {SAMPLED_FRACTION:g}",
        bool((error <= limit).all()) and wrong <= (OTHER_OBJECTS * fair if sampled else 0),
    )


def _largest(error: ArrayLike) -> float:
    """Return the largest error; a missing number counts as infinite."""
    return float(np.nan_to_num(np.abs(error), nan=np.inf, posinf=np.inf).max(initial=0.0))


def _shown(error: float, least: float) -> str:
    return f"{error:.1g}" if error >= least else f"< {least:g}"
