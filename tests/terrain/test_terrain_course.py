"""Do the shapes of a course have the dimensions in its file?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from terrain.base_grid import height_and_normal
from terrain.load_terrain import load_terrain


def load(shapes, **more):
    return load_terrain({"type": "course", "shapes": shapes, **more}, "x.yaml", Path(), {})


def profile(g, x, y=0.0):
    n = np.empty(3)
    return np.array([height_and_normal(g.p, g.heights, float(at), y, n) for at in x])


def test_a_half_round_is_round_within_the_node_spacing():
    g = load([{"shape": "half_round", "at": 20.0, "height": 0.15}], spacing=[0.05, 1.0])
    x = np.arange(19.8, 20.2001, 0.05)
    expected = np.sqrt(np.maximum(0.15**2 - (x - 20.0) ** 2, 0.0))
    for y in (-100.0, 0.0, 7.3):
        np.testing.assert_allclose(profile(g, x, y), expected, atol=1e-6)
    assert profile(g, [20.0])[0] == pytest.approx(0.15, abs=1e-7)
    assert not profile(g, [-1e4, 0.0, 19.7, 20.3, 1e4]).any()


def test_shapes_are_in_sequence_on_a_slope():
    bumps = [
        {"shape": "bump", "at": 10.0, "height": 0.1, "length": 5.0},
        {"shape": "bump", "at": 30.0, "height": -0.1, "length": 4.0, "form": "haversine"},
    ]
    g = load(bumps, grade_percent=10.0, cross_grade_percent=40.0)
    x = np.array([0.0, 10.0, 20.0, 29.0, 30.0, 40.0])
    np.testing.assert_allclose(profile(g, x, 2.0) - 0.1 * x - 0.8, [0.0, 0.1, 0.0, -0.05, -0.1, 0.0], atol=2e-5)


def rough(**changes):
    return {
        "shape": "rough",
        "start": 20.0,
        "length": 150.0,
        "width": 4.0,
        "rms": 0.0508,
        "shortest": 1.0,
        "longest": 20.0,
        "seed": 3,
        **changes,
    }


def test_a_rough_course_has_the_given_detrended_rms():
    g = load([rough()], spacing=[0.2, 0.2])
    x = np.arange(20.0, 170.0, 0.2)
    lines = [profile(g, x, y) for y in np.arange(-1.9, 2.0, 0.2)]
    detrended = [line - np.polyval(np.polyfit(x, line, 1), x) for line in lines]
    assert np.sqrt(np.mean(np.square(detrended))) == pytest.approx(0.0508, rel=0.01)
    left, right = detrended[2], detrended[-3]
    assert np.corrcoef(left, right)[0, 1] < 0.9, "left and right are not the same"
    assert not profile(g, np.arange(-10.0, 17.9, 0.5)).any() and not profile(g, np.arange(172.5, 300.0, 0.5)).any()
    wave = np.abs(np.fft.rfft(detrended[0] * np.hanning(len(x)))) ** 2
    number = np.fft.rfftfreq(len(x), 0.2)
    assert wave[number > 1.1].sum() < 1e-3 * wave.sum() and wave[number < 0.04].sum() < 0.3 * wave.sum(), "waves from 1 to 20 m"


def test_the_same_seed_gives_the_same_bits_and_another_one_another_course():
    one, same, other = (load([rough(seed=seed)]) for seed in (3, 3, 4))
    assert one.heights.tobytes() == same.heights.tobytes() != other.heights.tobytes()


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (rough(shortest=20.0), "above shortest"),
        (rough(longest=200.0), "at most length"),
        (rough(length=500.0), "random field is periodic"),
        (rough(seed=-1), "seed"),
        ({"shape": "half_round", "at": 0.0}, "height"),
        ({"shape": "half_square", "at": 0.0, "height": 0.1}, "half_round"),
        ({"shape": "bump", "at": 0.0, "height": 0.1, "length": 5.0, "form": "round"}, "half_sine"),
    ],
)
def test_an_invalid_shape_is_named(shape, expected):
    with pytest.raises(ConfigError, match=expected) as caught:
        load([shape])
    assert "shapes[0]" in str(caught.value)


def test_an_unlimited_grid_is_refused():
    with pytest.raises(ConfigError, match="nodes"):
        load([{"shape": "half_round", "at": x, "height": 0.1} for x in (-9e4, 9e4)], spacing=[0.01, 1.0])


@pytest.mark.parametrize(("name", "inch"), [("rms_1_0", 1.0), ("rms_1_5", 1.5), ("rms_2_0", 2.0), ("rms_3_0", 3.0), ("rms_4_0", 4.0)])
def test_shipped_rough_courses_have_their_nominal_roughness(name, inch, terrain_mapping):
    g = load_terrain(terrain_mapping(name), f"{name}.yaml", Path(), {})
    x = np.arange(20.0, 170.0, 0.2)
    lines = np.array([profile(g, x, y) for y in (-1.5, -0.9, 0.9, 1.5)])
    detrended = [line - np.polyval(np.polyfit(x, line, 1), x) for line in lines]
    assert np.sqrt(np.mean(np.square(detrended))) == pytest.approx(0.0254 * inch, rel=0.15)
    assert g.heights.nbytes < 1e6


@pytest.mark.parametrize(
    ("spacing", "changes", "said"),
    [
        ([2.0, 0.2], {}, "spacing: .*at most 0.5 m along x"),
        ([10.0, 0.2], {}, "spacing: .*at most 0.5 m along x"),
        ([0.2, 8.2], {}, "spacing: .*at most 4 m along y"),
        ([0.5, 1.0], {"start": 20.1, "length": 1.01, "longest": 1.01}, r"shapes\[0\].longest: .*waves that fit"),
    ],
)
def test_a_rough_section_that_the_nodes_cannot_represent_is_refused(spacing, changes, said):
    with pytest.raises(ConfigError, match=said):
        load([rough(**changes)], spacing=spacing)
