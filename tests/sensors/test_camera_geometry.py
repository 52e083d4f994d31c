"""Does a point appear in the pixel of a real camera's formula, and does the ray of each pixel lead back to the point?"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.sensors.camera.geometry import Intrinsics, all_pixels, distort, project, rays_of, undistort, with_field_of_view
from simulator.validation.reference.camera_files import camera_files
from simulator.validation.suite.camera_rows import cameras

DATA = Path(__file__).resolve().parents[1] / "data" / "sensors" / "camera"
BARREL = Intrinsics(64, 48, 52.0, 55.0, 31.5, 23.5, -0.28, 0.09, 0.0006, -0.0004, -0.012)


def test_pixels_and_images_are_those_of_the_reference_cameras() -> None:
    """Projection and its inverse, depth, object and label of every calm pixel, against closed forms and OpenCV."""
    rows = cameras(DATA)
    assert len(rows) == 2 * len(camera_files(DATA)) == 8
    assert [row.what for row in rows if not row.passed] == []


def test_the_field_of_view_is_between_the_outer_edges_of_the_pixels() -> None:
    camera = with_field_of_view(640, 480, math.radians(90.0))
    edges = rays_of(camera, [(-0.5, 239.5), (639.5, 239.5)])
    assert np.degrees(np.arctan2(edges[:, 0], edges[:, 2])) == pytest.approx([-45.0, 45.0])


@pytest.mark.parametrize("k", [(-0.28, 0.09, -0.012), (0.11, -0.07, 0.01), (-0.4, 0.2, 0.0), (0.3, 0.1, 0.05)])
def test_every_pixel_has_the_ray_that_the_formula_maps_to_it(k: tuple[float, float, float]) -> None:
    camera = replace(BARREL, k1=k[0], k2=k[1], k3=k[2])
    rays = rays_of(camera, all_pixels(camera))
    seen = np.isfinite(rays[:, 0])
    assert seen.mean() > 0.95
    pixels, _ = project(camera, rays[seen] * 7.3)
    assert pixels == pytest.approx(all_pixels(camera)[seen], abs=1e-8)


def test_no_ray_comes_from_beyond_the_fold_of_a_strong_distortion() -> None:
    """r - 0.5 r^3 has its maximum 0.544 at r = 0.816: pixels beyond it see nothing, points beyond it have no pixel."""
    camera = Intrinsics(101, 101, 50.0, 50.0, 50.0, 50.0, k1=-0.5)
    fold = math.sqrt(2.0 / 3.0)
    assert camera.largest_radius == pytest.approx(fold, abs=2e-3)
    at = fold - 0.5 * fold**3
    inside, outside = undistort(camera, [(at - 1e-3, 0.0), (at + 1e-3, 0.0)])
    assert inside[0] < fold
    assert inside[0] - 0.5 * inside[0] ** 3 == pytest.approx(at - 1e-3, abs=1e-9)
    assert np.isnan(outside).all()
    assert distort(camera, (1.2, 0.0))[0, 0] < at, "the formula folds back into the image"
    assert np.isnan(project(camera, (1.2, 0.0, 1.0))[0]).all()


def test_a_point_behind_the_camera_has_no_pixel() -> None:
    pixels, depth = project(BARREL, [(0.1, 0.1, -5.0), (0.1, 0.1, 5.0)])
    assert np.isnan(pixels[0]).all() and np.isfinite(pixels[1]).all()
    assert depth.tolist() == [-5.0, 5.0]
