"""Does a ray reach the bottom and the walls of a rut, and only there?"""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from terrain.rays.caster import RayCaster
from terrain.ruts import Ruts, depth_across, depth_at, new_ruts, press
from tests.terrain.test_rays_on_objects import GROUND

DEEP = 0.12


@pytest.fixture(scope="module")
def ruts() -> Ruts:
    """A rut along x, 0.4 m wide."""
    out = new_ruts(64, 8, 64)
    for x in np.arange(-3.0, 3.0, 0.02):
        press(out, (float(x), 0.1), (1.0, 0.0), (0.02, 0.0), 0.2, DEEP)
    return out


def test_the_depth_at_a_point_is_that_of_a_short_line_and_marks_nothing(ruts: Ruts) -> None:
    rng = np.random.default_rng(1)
    ruts.seen[:] = 0
    for x, y in rng.uniform((-4, -0.4), (4, 0.6), (300, 2)):
        found = depth_at(ruts, x, y)
        marked = ruts.seen.any()
        assert found == pytest.approx(depth_across(ruts, x, y, 1.0, 0.0, 0.0), abs=1e-12)
        ruts.seen[:] = 0
        assert not marked


def test_a_ray_stops_where_a_march_of_a_millimeter_does(ruts: Ruts) -> None:
    rng, caster = np.random.default_rng(2), RayCaster(GROUND, ruts=ruts)
    origins = np.column_stack((rng.uniform(-2, 2, 200), rng.uniform(-2.0, 2.0, 200), rng.uniform(0.2, 1.0, 200)))
    targets = np.column_stack((rng.uniform(-2, 2, 200), rng.uniform(-0.3, 0.5, 200), rng.uniform(-0.1, 0.0, 200)))
    hits = caster.cast(origins, targets - origins, 100.0)
    flat = caster.cast(origins, targets - origins, 100.0, ruts=False)
    directions = (targets - origins) / np.linalg.norm(targets - origins, axis=1, keepdims=True)
    lower = hits.range > flat.range + 1e-9
    assert 60 < lower.sum() < 200
    for o, d, r, straight in zip(origins, directions, hits.range, flat.range, strict=True):
        t = straight
        while (o + t * d)[2] + depth_at(ruts, *(o + t * d)[:2]) > 0.0:
            t += 1e-3
        assert t - 1.1e-3 <= r <= t + 1e-9 or r == straight
    np.testing.assert_array_equal(hits.normal[~lower], flat.normal[~lower])


def test_the_bottom_is_level_and_a_wall_faces_the_ray(ruts: Ruts) -> None:
    hits = RayCaster(GROUND, ruts=ruts).cast([(0, 0.1, 1.0), (0, 2.1, 1.0)], [(0, 0, -1), (0, -2.0, -0.93)], 10.0)
    assert hits.range[0] == pytest.approx(1.0 + DEEP, abs=1e-4)
    np.testing.assert_allclose(hits.normal[0], (0, 0, 1), atol=1e-9)
    high = RayCaster(GROUND, ruts=ruts).cast((0, 0.6, 0.1), (0, -0.7, -0.15), 10.0)
    assert high.normal[0, 1] > 0.5
    np.testing.assert_allclose(np.linalg.norm(high.normal, axis=1), 1.0)


def test_a_caster_keeps_its_ruts(ruts: Ruts) -> None:
    caster, look = RayCaster(GROUND, ruts=ruts), ((0, 0.1, 1.0), (0, 0, -1), 10.0)
    for one in (
        caster,
        pickle.loads(pickle.dumps(caster)),
        caster.with_objects(GROUND.objects),
        caster.with_states(GROUND.objects.snapshot()),
    ):
        assert one.cast(*look).range[0] == pytest.approx(1.0 + DEEP, abs=1e-4)
        assert one.cast_through(*look, math.inf)[0].range[0] == pytest.approx(1.0 + DEEP, abs=1e-4)
    assert caster.cast(*look, ruts=False).range[0] == 1.0
    assert RayCaster(GROUND).cast(*look).range[0] == 1.0
