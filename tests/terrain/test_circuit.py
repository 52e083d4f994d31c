"""Is a generated circuit a closed course with bends of the given radius, barriers at its sides and a free start?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.tools.terrain.make_command import generate_terrain


def curvature(line: np.ndarray) -> np.ndarray:
    """Return the curvature (n,) of the circles through three neighboring points (n, 2) of a closed line [1/m]."""
    a, b, c = np.roll(line, 1, axis=0), line, np.roll(line, -1, axis=0)
    area = np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    return 2.0 * area / (np.hypot(*(b - a).T) * np.hypot(*(c - b).T) * np.hypot(*(a - c).T))


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("radius", [20.0, 35.0])
def test_the_course_is_closed_and_no_bend_is_tighter_than_the_radius(seed: int, radius: float) -> None:
    made = generate_terrain("circuit", seed, [f"radius_m={radius}", "trees=0", "spacing_m=2"])
    closed = np.array(made.roads[0].mapping["points"])
    line = closed[:-1]
    assert np.array_equal(closed[0], closed[-1]) and len(line) > 150
    assert curvature(line).max() < 1.1 / radius
    angle = np.unwrap(np.arctan2(*(np.roll(line, -1, axis=0) - line).T[::-1]))
    assert angle[-1] - angle[0] == pytest.approx(2.0 * np.pi, abs=0.3)  # once around, without a crossing


def test_barriers_keep_the_run_off_and_the_start_is_free() -> None:
    made = generate_terrain("circuit", 2, ["trees=50", "spacing_m=2", "run_off_m=8", "width_m=10"])
    line = np.array(made.roads[0].mapping["points"])
    for one in made.objects:
        distance = np.hypot(*(line - one.position[:2]).T).min()
        if one.label == "barrier":
            assert 12.0 < distance < 14.0, one.name
        elif one.label == "vegetation":
            assert distance > 17.0, one.name
        elif one.label == "sign":
            assert 5.0 < distance < 8.0 and one.motion is not None, one.name
    assert np.hypot(*(np.array([one.position[:2] for one in made.objects]) - made.places["start"].at).T).min() > 5.0
    barriers = [one for one in made.objects if one.label == "barrier"]
    length = sum(one.shape.size[0] for one in barriers)
    assert length > 1.6 * np.hypot(*np.diff(line, axis=0).T).sum()  # both sides, short of tight corners
