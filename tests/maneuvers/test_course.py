"""Are the cones at the positions of the course, and is every touch of the complete body detected?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.driver.path import Path
from simulator.maneuvers.cone_course import (
    CONE_RADIUS,
    STANDARDS,
    Body,
    Gate,
    Track,
    avtp_03_160w,
    iso_3888_1,
    iso_3888_2,
    judge,
    lane_changes_between,
    way_through,
)

HMMWV = Body(width=2.18, length=4.57, front=2.16)
GATE = Gate(start=20.0, length=15.0, center=0.0, width=2.648)


def straight(y=0.0, yaw=0.0, first=0.0, last=60.0, step=0.5):
    """Poses along a line at a constant offset, the body turned by yaw against the way it goes."""
    x = np.arange(first, last, step)
    return Track(x, np.full_like(x, y), np.full_like(x, yaw), np.full_like(x, 10.0))


def test_avtp_numbers():
    a, b, c = avtp_03_160w(HMMWV, 150.0, "left")
    # 1.1 w + 0.25, 1.2 w + 0.25, and 3.5 m between limits of the same side, worked out by hand for w = 2.18
    assert (a.width, b.width, c.width) == pytest.approx((2.648, 2.866, 2.648))
    assert (a.center, b.center, c.center) == pytest.approx((0.0, 3.609, 0.0))
    assert (a.length, b.length, c.length) == (15.0, 25.0, 15.0)
    assert b.start - a.end == pytest.approx(28.57) and c.start - b.end == pytest.approx(28.57)
    assert c.end - a.start == pytest.approx(112.14)
    assert b.center - 0.5 * b.width - (a.center - 0.5 * a.width) == pytest.approx(3.5)
    right = avtp_03_160w(HMMWV, 150.0, "right")[1]
    assert right.center == -b.center


def test_cones_are_tangent_to_the_limit():
    cones = GATE.cones()
    assert sorted(set(cones[:, 0])) == [20.0, 27.5, 35.0]
    np.testing.assert_allclose(np.abs(cones[:, 1]) - CONE_RADIUS, 0.5 * GATE.width)


def test_path_of_a_course_runs_through_the_middle():
    gates = avtp_03_160w(HMMWV, 150.0, "left")
    path = Path.straight().with_lane_changes(lane_changes_between(gates, 3.0))
    for gate in gates:
        for x in (gate.start + 3.0, gate.start + 0.5 * gate.length, gate.end - 3.0):
            assert path.at(x).y == pytest.approx(gate.center, abs=1e-9)


def test_iso_3888_1_for_a_sedan():
    a, b, c = iso_3888_1(Body(width=1.85, length=4.7, front=2.3), 100.0, "left")
    assert [gate.width for gate in (a, b, c)] == pytest.approx([2.285, 2.470, 2.655])
    assert (b.center, c.center) == pytest.approx((3.593, 0.185), abs=1e-3)
    assert (a.start, b.start, c.start, c.end) == (100.0, 145.0, 195.0, 225.0)  # 125 m in all
    # limits of the same side: 3.5 m between the first two, one line for the first and the last
    assert (b.center - 0.5 * b.width) - (a.center - 0.5 * a.width) == pytest.approx(3.5)
    assert c.center - 0.5 * c.width == pytest.approx(a.center - 0.5 * a.width)


def test_iso_3888_2():
    a, b, c = iso_3888_2(Body(width=2.16, length=4.57, front=2.2), 50.0, "right")
    assert [gate.width for gate in (a, b, c)] == pytest.approx([2.626, 3.160, 3.058])
    assert b.center == pytest.approx(-3.893) and c.end - a.start == pytest.approx(61.0)
    assert iso_3888_2(Body(width=1.85, length=4.7, front=2.3), 50.0, "right")[2].width == 3.0


@pytest.mark.parametrize("standard", sorted(STANDARDS))
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_way_that_cuts_stays_inside_and_is_shorter_across(standard, side):
    gates = STANDARDS[standard](HMMWV, 60.0, side)
    middle, near = way_through(gates, 0.0, HMMWV.width), way_through(gates, 0.8, HMMWV.width)
    assert middle == tuple(gate.center for gate in gates)
    assert all(abs(y - gate.center) == pytest.approx(0.4 * (gate.width - HMMWV.width)) for y, gate in zip(near, gates, strict=True))
    assert abs(near[1] - near[0]) < abs(middle[1] - middle[0]) - 0.2
    path = Path.straight().with_lane_changes(lane_changes_between(gates, 2.0, near))
    for gate, y in zip(gates, near, strict=True):
        assert path.at(gate.start + 0.5 * gate.length).y == pytest.approx(y)
    assert path.at(0.0).y == 0.0


def test_margin_of_a_straight_pass():
    for y in (0.0, 0.1, -0.2):
        (result,) = judge((GATE,), HMMWV, straight(y))
        assert result.margin == pytest.approx(0.5 * (2.648 - 2.18) - abs(y))
        assert result.clean and result.cones == 0 and result.speed == pytest.approx(10.0)


def test_over_the_limit_is_not_clean_and_touches_three_cones():
    (result,) = judge((GATE,), HMMWV, straight(0.30))
    assert result.margin == pytest.approx(0.234 - 0.30)
    assert not result.clean and result.cones == 3


def test_turned_body_needs_more_width():
    yaw = math.radians(5.0)
    (result,) = judge((GATE,), HMMWV, straight(0.0, yaw))
    # the front corner is the farthest from the reference point across
    ends = (2.16, 4.57 - 2.16)
    assert result.margin == pytest.approx(1.324 - max(end * math.sin(yaw) + 1.09 * math.cos(yaw) for end in ends))


def test_side_of_the_body_is_seen_where_no_corner_is_inside():
    # a short gate under a long body that turns about it: both corners of a side are outside the gate, the side between them is not
    gate = Gate(start=20.0, length=0.5, center=0.0, width=2.648)
    body = Body(width=2.18, length=12.0, front=6.0)
    x = np.array([5.0, 20.0, 20.4, 20.5, 40.0])
    y = np.array([0.0, 0.0, 0.3, 0.0, 0.0])
    (result,) = judge((gate,), body, Track(x, y, np.zeros(5), np.full(5, 5.0)))
    assert result.margin == pytest.approx(0.234 - 0.3, abs=0.04)
    assert not result.clean


def test_a_gate_driven_around_is_not_passed():
    x = np.arange(0.0, 60.0, 0.5)
    around = Track(x, np.full_like(x, 10.0), 0.0 * x, 0.0 * x + 10.0)
    (result,) = judge((GATE,), HMMWV, around)
    assert not result.clean and result.margin < -8.0 and result.cones == 0


@pytest.mark.parametrize("last", [10.0, 25.0, 36.0])
def test_a_gate_not_left_is_not_passed(last):
    (result,) = judge((GATE,), HMMWV, straight(last=last))
    assert not result.clean and math.isnan(result.speed)


def test_a_vehicle_at_rest_is_evaluated():
    n = 50
    (result,) = judge((GATE,), HMMWV, Track(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)))
    assert not result.clean


def test_coarse_records_see_what_fine_ones_see():
    fine = judge((GATE,), HMMWV, straight(0.1, 0.02, step=0.02))[0]
    coarse = judge((GATE,), HMMWV, straight(0.1, 0.02, step=1.7))[0]
    assert coarse.margin == pytest.approx(fine.margin, abs=1e-3)


def test_cone_before_the_gate_is_touched_by_a_cutting_corner():
    # slides in from the left: over the limit 5 cm before the gate, where the base of the cone reaches out; inside from its start on
    x = np.array([0.0, 19.95, 20.0, 60.0]) - 2.16
    y = np.array([0.26, 0.26, 0.23, 0.23])
    (result,) = judge((GATE,), HMMWV, Track(x, y, np.zeros(4), np.full(4, 10.0)))
    assert result.margin > 0.0
    assert result.cones == 1 and not result.clean
