"""Do lines, laps and penalties of a timed course count as their rules say?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.driver.cornering import STEP, Cornering, cornering_targets
from simulator.driver.path import Path, Spawn
from simulator.driver.speed import SpeedTarget
from simulator.maneuvers.course_timing import CourseTiming, Following, ranking
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.maneuvers.timed_course import Line, PlacedCourse, TimedCourse, place_course

RADIUS = 50.0
CIRCLE = [(RADIUS * math.sin(a), RADIUS * (1.0 - math.cos(a))) for a in np.linspace(0.0, math.tau, 24, endpoint=False)]
"""Points of a circle to the left that begins at the origin, along x."""
PERIOD = 0.01


def circle(laps: int = 2, **keys: object) -> PlacedCourse:
    """Return a course of three sectors on the circle, which is counted from 1/12 of it on."""
    path = Path.around(CIRCLE, laps + 2)
    length = (path.length + path.spacing) / (laps + 2)
    lines = tuple(Line(station=share * length, width=8.0) for share in (1 / 12, 5 / 12, 9 / 12))
    return place_course(TimedCourse(lines, laps=laps, **keys), path, length, Spawn(0.0, 0.0, 0.0), "test")  # type: ignore[arg-type]


def straight(**keys: object) -> PlacedCourse:
    """Return a course of start, gate and finish across the x axis at 10, 30 and 50 m."""
    lines = tuple(Line(position=np.array((x, 0.0)), width=6.0) for x in (10.0, 30.0, 50.0))
    path = Path.straight()
    return place_course(TimedCourse(lines, **keys), path, 100.0, Spawn(0.0, 0.0, 0.0), "test")  # type: ignore[arg-type]


def drive(timing: CourseTiming, places: Iterable[tuple[float, float]], begin: float = 0.0) -> list[str]:
    """Move through places, one for each call of the driver; return what has happened."""
    return [one.what for n, (x, y) in enumerate(places) for one in timing.note(begin + n * PERIOD, x, y)]


def line(*points: tuple[float, float], step: float = 0.25) -> list[tuple[float, float]]:
    """Return places along a polyline."""
    out = []
    for a, b in itertools.pairwise(points):
        n = max(1, round(math.dist(a, b) / step))
        out += [(a[0] + k / n * (b[0] - a[0]), a[1] + k / n * (b[1] - a[1])) for k in range(n)]
    return [*out, points[-1]]


def around(turns: float, begin: float = 0.0, radius: float = RADIUS) -> list[tuple[float, float]]:
    """Return places on a circle of the radius about the center of the course."""
    n = round(abs(turns) * math.tau * radius / 0.25)
    angles = math.tau * (begin + turns * np.arange(n + 1) / n)
    return [(radius * math.sin(a), RADIUS - radius * math.cos(a)) for a in angles]


def test_a_crossing_has_its_time_to_a_tenth_of_a_millisecond() -> None:
    timing = CourseTiming(straight())
    speed, acceleration = 12.3, 4.0
    times = np.arange(0.0, 4.0, PERIOD)
    for t in times:
        timing.note(float(t), 0.123 + speed * t + 0.5 * acceleration * t * t, 0.4)

    def at(x: float) -> float:
        return (-speed + math.sqrt(speed**2 + 2.0 * acceleration * (x - 0.123))) / acceleration

    assert timing.began == pytest.approx(at(10.0), abs=1e-4)
    assert timing.ended == pytest.approx(at(50.0), abs=1e-4)
    assert timing.laps[0].splits == pytest.approx((at(30.0) - at(10.0), at(50.0) - at(10.0)), abs=1e-4)


def test_laps_and_sectors_count_and_add_up() -> None:
    timing = CourseTiming(circle())
    assert drive(timing, around(2.25)) == ["start", "line", "line", "lap", "line", "line", "finish"]
    lap_time = math.tau * RADIUS / 0.25 * PERIOD
    assert [lap.time for lap in timing.laps] == pytest.approx([lap_time, lap_time], abs=2e-3)
    for lap in timing.laps:
        assert sum(lap.sectors) == pytest.approx(lap.time, abs=1e-12)
        assert lap.sectors == pytest.approx([lap_time / 3.0] * 3, abs=2e-3)
    assert timing.ended - timing.began == pytest.approx(sum(lap.time for lap in timing.laps))
    assert drive(timing, around(1.0, 0.25), 50.0) == []  # the course is over


def test_a_missed_gate_has_to_be_passed_before_the_next_ones_count() -> None:
    timing = CourseTiming(straight())
    assert drive(timing, line((0, 0), (20, 0), (20, 8), (40, 8), (40, 0), (60, 0))) == ["start", "missed"]
    assert not timing.finished
    assert drive(timing, line((60, 0), (60, 9), (20, 9), (20, 0), (60, 0)), 50.0) == ["line", "finish"]


def test_a_lap_without_a_sector_does_not_count() -> None:
    timing = CourseTiming(circle())
    drive(timing, around(0.5))  # start and first sector
    across = line(around(0.5)[-1], (0.0, 40.0), (-20.0, 10.0), (0.0, 0.0))  # cuts the third line off
    assert drive(timing, across, 20.0) == []
    assert drive(timing, around(1.2), 40.0) == ["void", "line", "line", "lap"]
    assert len(timing.laps) == 1
    assert timing.laps[0].time == pytest.approx(math.tau * RADIUS / 0.25 * PERIOD, abs=2e-3)


def test_reversing_through_the_start_is_no_lap() -> None:
    timing = CourseTiming(circle())
    assert drive(timing, around(0.1)) == ["start"]
    assert drive(timing, around(-0.1, 0.1), 20.0) == ["back"]
    assert drive(timing, around(0.1), 30.0) == []
    assert timing.laps == [] and timing.next_line == 1
    backwards = CourseTiming(circle())
    assert drive(backwards, around(-2.0)) == []


def test_a_course_with_one_line_counts_no_lap_for_going_back_and_forth() -> None:
    course = circle(laps=1)
    one = PlacedCourse(
        course.section, course.path, course.length, course.names[:1], course.centers[:1], course.headings[:1], course.widths[:1]
    )
    timing = CourseTiming(one)
    assert drive(timing, [*around(0.1), *around(-0.1, 0.1), *around(0.1)]) == ["start", "back"]
    assert drive(timing, around(1.0, 0.1), 60.0) == ["finish"]


def test_leaving_the_corridor_costs_time_and_the_best_lap() -> None:
    timing = CourseTiming(circle(corridor=6.0, leaving=5.0))
    wide = [*around(0.2), *around(0.1, 0.2, RADIUS + 5.0), *around(1.85, 0.3)]
    assert drive(timing, wide).count("left") == 1
    assert [lap.clean for lap in timing.laps] == [False, True]
    assert timing.penalty == 5.0 and timing.leavings == 1
    assert timing.best is timing.laps[1]
    again = CourseTiming(circle(corridor=6.0))
    assert "left" not in drive(again, around(2.25))


def test_a_vehicle_that_was_put_elsewhere_has_crossed_no_line() -> None:
    timing = CourseTiming(straight())
    assert drive(timing, [(5.0, 0.0), (15.0, 0.0), (15.2, 0.0)]) == []
    assert math.isnan(timing.began)


def test_cones_count_from_the_start_to_the_finish() -> None:
    timing = CourseTiming(straight(cone=2.0))
    assert timing.note_cones(0.0, 1) == []  # before the start
    drive(timing, line((0, 0), (20, 0)))
    assert timing.note_cones(2.0, 1) == []
    assert [one.what for one in timing.note_cones(2.1, 3)] == ["cone"]
    drive(timing, line((20, 0), (60, 0)), 10.0)
    assert timing.note_cones(20.0, 4) == []  # after the finish
    assert timing.cones == 2 and timing.penalty == 4.0
    assert timing.to_json()["total_s"] == pytest.approx(timing.ended - timing.began + 4.0)


def test_the_mean_distance_from_a_track_is_its_integral() -> None:
    following = Following(reach=12.0)
    for k in range(1001):
        t = 0.01 * k
        leader, own = (10.0 * t + 10.0, 0.0), (10.0 * t, 2.0 if t < 5.0 else 1.0)
        following.note(0.01, own, leader, counts=t >= 2.0)
    assert following.mean == pytest.approx((3.0 * 2.0 + 5.0 * 1.0) / 8.0, abs=0.01)
    assert following.near == 1.0 and following.gap == pytest.approx(math.hypot(10.0, 1.0))


def test_the_leading_vehicle_is_the_one_with_more_lines() -> None:
    course = circle()
    first, second = CourseTiming(course), CourseTiming(course)
    drive(first, around(0.5))
    drive(second, around(0.3))
    places = {"a": around(0.5)[-1], "b": around(0.3)[-1]}
    assert ranking([("b", second), ("a", first)], places) == ["a", "b"]
    ahead = CourseTiming(course)
    drive(ahead, around(0.25))
    assert ranking([("c", ahead), ("b", second)], {"c": around(0.25)[-1], **places}) == ["b", "c"]


def test_a_closed_path_through_points_of_a_circle_is_the_circle() -> None:
    path = Path.around(CIRCLE, 3)
    assert path.length + path.spacing == pytest.approx(3.0 * math.tau * RADIUS, rel=1e-4)
    assert np.abs(np.hypot(np.array(path.x), np.array(path.y) - RADIUS) - RADIUS).max() < 2e-3
    assert np.array(path.curvature) == pytest.approx(np.full(len(path.x), 1.0 / RADIUS), rel=0.02)
    assert np.diff(path.heading).min() > 0.0  # the heading goes on from lap to lap


def test_target_speeds_keep_the_accelerations() -> None:
    path = Path.through([(0, 0), (60, 0), (90, 10), (100, 40), (90, 70), (60, 80), (0, 80)])
    targets = cornering_targets(path, Cornering(4.0, 3.0, stop=True), SpeedTarget(25.0, 2.0, at=0.0))
    speed = np.array([one.speed for one in targets])
    station = STEP * np.arange(len(speed))
    curvature = np.interp(station, path.spacing * np.arange(len(path.x)), np.abs(path.curvature))
    assert (speed**2 * curvature).max() < 1.1 * 4.0
    along = np.diff(speed**2) / (2.0 * STEP)
    assert along.min() >= -3.0 - 1e-9 and along.max() <= 2.0 + 1e-9
    assert speed.max() <= 25.0 and speed[-1] == 0.0 and speed.min(where=station < 100.0, initial=99.0) > 5.0


MANEUVER = {
    "name": "a", "vehicle": "sedan", "terrain": "flat", "duration_s": 10, "body": {"width_m": 1.8, "length_m": 4.5, "front_m": 2.2},
    "speed": [{"at_s": 0, "speed_mps": 10, "acceleration_mps2": 2}], "waypoints_m": [[0, 0], [50, 0], [50, 50]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"lines": [{"station_m": 0}]}, "a start and a finish, or laps"),
        ({"lines": [{"station_m": 0}, {"width_m": 5}]}, "either station_m or position_m"),
        ({"lines": [{"station_m": 0}, {"station_m": 5, "position_m": [1, 2]}]}, "either station_m or position_m"),
        ({"lines": [{"station_m": 9}, {"station_m": 9}]}, "after the line before it"),
        ({"lines": [{"station_m": 0, "name": "x"}, {"station_m": 9, "name": "x"}]}, "a name that no other line has"),
        ({"lines": [{"station_m": 0}], "laps": 0}, "laps"),
        ({"lines": []}, "lines"),
        ({"lines": [{"station_m": 0}, {"station_m": 9}], "laps": 2, "corridor_m": -1}, "corridor"),
    ],
)
def test_a_section_that_contradicts_itself_is_refused_by_its_key(section: dict, words: str) -> None:
    with pytest.raises(ConfigError, match="timed_course") as error:
        load_maneuver({**MANEUVER, "timed_course": section}, "file.yaml")
    assert words in str(error.value)


def test_laps_need_a_closed_path_and_bends_one_speed() -> None:
    lines = {"lines": [{"station_m": 0}], "laps": 2}
    with pytest.raises(ConfigError, match="a closed path"):
        load_maneuver({**MANEUVER, "waypoints_m": [[0, 0], [50, 0]], "timed_course": lines}, "file.yaml")
    with pytest.raises(ConfigError, match="one entry of speed"):
        speeds = [*MANEUVER["speed"], {"at_s": 2, "speed_mps": 5, "acceleration_mps2": 2}]  # type: ignore[misc]
        load_maneuver({**MANEUVER, "speed": speeds, "cornering": {"lateral_mps2": 3, "braking_mps2": 3}}, "file.yaml")
    with pytest.raises(ConfigError, match="either waypoints or road"):
        load_maneuver({**MANEUVER, "road": "course"}, "file.yaml")


def test_a_line_beyond_the_path_is_refused() -> None:
    section = TimedCourse((Line(station=0.0), Line(station=500.0)))
    with pytest.raises(ConfigError, match="the length of the path"):
        place_course(section, Path.straight(), 100.0, Spawn(0.0, 0.0, 0.0), "file.yaml")
