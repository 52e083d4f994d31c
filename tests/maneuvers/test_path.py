"""Is a path smooth, and is the projection of a point onto the path correct?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.driver.path import LaneChange, Path, Spawn, TimedLaneChange
from simulator.maneuvers.path_projection import points_at, stations_of, with_timed

BEND = [(0, 0), (40, 0), (80, 20), (90, 60), (60, 90)]


def points_of(path, first, last, h=0.05):
    stations = np.arange(first, last, h)
    return np.array([path.at(s) for s in stations])


@pytest.mark.parametrize(
    "path",
    [
        Path.straight().with_lane_changes([LaneChange(20.0, 60.0, 3.5), LaneChange(110.0, 40.0, -3.5)]),
        Path.through(BEND),
        Path.through(BEND).with_lane_changes([LaneChange(30.0, 50.0, 3.0)]),
    ],
    ids=["lane changes", "way points", "lane change in a bend"],
)
def test_heading_and_curvature_are_those_of_the_drawn_line(path):
    p = points_of(path, 1.0, 140.0)
    step = np.hypot(np.diff(p[:, 0]), np.diff(p[:, 1]))
    course = np.unwrap(np.arctan2(np.diff(p[:, 1]), np.diff(p[:, 0])))
    np.testing.assert_allclose(course, 0.5 * (p[1:, 2] + p[:-1, 2]), atol=5e-3)
    curvature = np.diff(course) / (0.5 * (step[1:] + step[:-1]))
    # a stored line is straight between its points: compare over a meter
    smooth = np.convolve(curvature, np.full(20, 1.0 / 20.0), mode="valid")
    np.testing.assert_allclose(smooth, np.convolve(p[1:-1, 3], np.full(20, 1.0 / 20.0), mode="valid"), atol=3e-3)


def test_lane_change_is_continuous_up_to_curvature():
    path = Path.straight().with_lane_changes([LaneChange(10.0, 60.0, 3.5)])
    for station in (10.0, 70.0):
        before, after = path.at(station - 1e-6), path.at(station + 1e-6)
        np.testing.assert_allclose(before, after, atol=1e-5)
    assert path.at(9.0)[1:] == (0.0, 0.0, 0.0)
    assert path.at(71.0) == pytest.approx((71.0, 3.5, 0.0, 0.0))
    # the closed form of the quintic: largest second derivative 10/sqrt(3) D/L^2
    bend = max(abs(path.at(10.0 + 60.0 * u).curvature) for u in np.linspace(0, 1, 2001))
    assert bend == pytest.approx(10.0 / math.sqrt(3.0) * 3.5 / 60.0**2, rel=0.02)


def test_way_points_are_met():
    path = Path.through(BEND)
    for x, y in BEND:
        assert abs(path.offset_of(x, y, path.find(x, y))) < 2e-3
    # and it goes on straight at both ends
    assert path.at(-10.0).curvature == path.at(1e4).curvature == 0.0
    assert path.at(1e4).heading == pytest.approx(path.at(path.find(*BEND[-1])).heading, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(station=st.floats(0.0, 170.0), left=st.floats(-6.0, 6.0), guess=st.floats(-5.0, 5.0))
def test_nearest_finds_the_foot(station, left, guess):
    path = Path.through(BEND).with_lane_changes([LaneChange(50.0, 60.0, -3.0)])
    p = path.at(station)
    x, y = p.x - left * math.sin(p.heading), p.y + left * math.cos(p.heading)
    found = path.nearest(x, y, station + guess)
    foot = path.at(found)
    # the foot is where the way to the point stands square on the path
    assert abs(math.cos(foot.heading) * (x - foot.x) + math.sin(foot.heading) * (y - foot.y)) < 1e-3
    assert path.offset_of(x, y, found) == pytest.approx(left, abs=0.02)


def test_placing_turns_and_moves():
    path = Path.through(BEND).with_lane_changes([LaneChange(20.0, 30.0, 2.0)])
    spawn = Spawn(100.0, -50.0, 2.0)
    world = path.placed(spawn)
    c, s = math.cos(2.0), math.sin(2.0)
    for station in (-3.0, 0.0, 35.0, 77.7, 400.0):
        a, b = path.at(station), world.at(station)
        assert (b.x, b.y) == pytest.approx((100.0 + c * a.x - s * a.y, -50.0 + s * a.x + c * a.y))
        assert (b.heading, b.curvature) == pytest.approx((a.heading + 2.0, a.curvature))


def test_timed_lane_change_starts_where_the_vehicle_was():
    t = np.arange(0.0, 20.0, 0.03)
    x = 10.0 * t
    path = with_timed(Path.straight(), [TimedLaneChange(5.0, 40.0, 3.0), TimedLaneChange(99.0, 40.0, 3.0)], t, x, 0.0 * t)
    (change,) = path.lane_changes
    assert change == pytest.approx((50.0, 40.0, 3.0))


@pytest.mark.parametrize("bent", [False, True])
def test_projection_of_a_record_matches_that_of_its_rows(bent):
    """What is done at once with a record says of each row what the path says of it, wherever it is."""
    changes = [LaneChange(20.0, 40.0, 3.5), LaneChange(90.0, 30.0, -2.0)]
    path = (Path.through(BEND) if bent else Path.straight().placed(Spawn(3.0, 1.0, 0.7))).with_lane_changes(changes)
    asked = np.linspace(-10.0, 160.0, 301)
    points = points_at(path, asked)
    assert np.transpose(points) == pytest.approx(np.array([path.at(station) for station in asked]), abs=1e-12)
    x, y = points.x + 0.3 * np.sin(asked / 9.0), points.y - 0.2
    walked = []
    station = path.find(x[0], y[0])
    for at_x, at_y in zip(x, y, strict=True):
        station = path.nearest(at_x, at_y, station)
        walked.append((station, path.offset_of(at_x, at_y, station)))
    assert np.transpose(stations_of(path, x, y)) == pytest.approx(np.array(walked), abs=1e-5)


def test_a_record_that_crosses_its_own_path_stays_on_its_branch():
    """A figure of eight, driven slowly, with a stop: every row is found on the branch that it is on."""
    u = np.linspace(0.3, 2.0 * math.pi + 0.2, 40)
    path = Path.through(np.transpose((60.0 * np.sin(u), 40.0 * np.sin(2.0 * u))))
    wanted = np.concatenate((np.linspace(0.0, 130.0, 2000), np.full(50, 130.0), np.linspace(130.0, 300.0, 3000)))
    points = points_at(path, wanted)
    assert stations_of(path, points.x, points.y)[0] == pytest.approx(wanted, abs=1e-6)
