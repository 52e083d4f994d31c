"""Do the paths of all planners avoid every obstacle with the complete outline, within the limits of the vehicle, and can it stop on them?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simulator.autonomy.contract import OBSTACLE, UNKNOWN, Blocked, Goal, ObstacleMap, Plan, Planner, PlannerInput, PlannerSettings, Pose
from simulator.autonomy.path_check import check_path, path_curvature, speeds_along
from simulator.autonomy.planners.kinds import LANES, PLANNER_KINDS
from simulator.autonomy.result_checks import checked_plan
from simulator.base.fields import read
from simulator.conformance.autonomy import VEHICLE, map_of_states
from simulator.driver.path import Path as DrivenPath

CELLS, CELL = 240, 0.25
NAMES = tuple(name for name in PLANNER_KINDS.names() if PLANNER_KINDS.is_builtin(name) and name != LANES)


NARROW = {"pid": {"footprint_m": 1.6, "look_ahead_m": 4.0, "cell_m": 0.5, "smoothing": 2}}
"""Keys with which a planner of wide open worlds finds its way between close obstacles."""


def planner(name: str, **keys: object) -> Planner:
    kind = PLANNER_KINDS.need(name)
    return kind.make(PlannerSettings(read(kind.parameters, {**NARROW.get(name, {}), **keys}, "test"), VEHICLE, np.random.default_rng(0)))


def seen(state: np.ndarray, goal: tuple[float, float] = (22.0, 0.0), **more: object) -> PlannerInput:
    usual = PlannerInput(0.0, map_of_states(state), Pose(0.0, 0.0, 0.0), 0.0, 0.0, Goal(*goal, 3.0), VEHICLE, 5.0, 0.4)
    return replace(usual, **more)  # type: ignore[arg-type]


def place(value: float) -> int:
    """Return the row or column of a coordinate [m]."""
    return math.floor(value / CELL) + CELLS // 2


def walls(*boxes: tuple[float, float, float, float]) -> np.ndarray:
    """Return states with boxes x0, x1, y0, y1 [m]."""
    state = np.zeros((CELLS, CELLS), np.uint8)
    for x0, x1, y0, y1 in boxes:
        state[place(y0) : place(y1), place(x0) : place(x1)] = OBSTACLE
    return state


def gap_to_outline(plan: Plan, state: np.ndarray) -> float:
    """Return the least distance [m] of the exact rectangle of the vehicle from the center of an obstacle, over the complete path."""
    rows, columns = np.nonzero(state == OBSTACLE)
    x, y = (columns - CELLS // 2 + 0.5) * CELL, (rows - CELLS // 2 + 0.5) * CELL
    least = math.inf
    for (px, py), yaw in zip(plan.points, plan.headings, strict=True):
        c, s = math.cos(yaw), math.sin(yaw)
        ahead, left = c * (x - px) + s * (y - py), c * (y - py) - s * (x - px)
        dx = np.maximum(np.maximum(ahead - VEHICLE.front, -VEHICLE.rear - ahead), 0.0)
        least = min(least, float(np.hypot(dx, np.maximum(np.abs(left) - 0.5 * VEHICLE.width, 0.0)).min(initial=math.inf)))
    return least


def check_motion(plan: Plan, speed: float = 0.0) -> None:
    """Check the kinematics of a path: no sideslip of the rear axle, curvature within the limit, and speeds from which the vehicle stops."""
    assert plan.directions is not None
    c, s = np.cos(plan.headings), np.sin(plan.headings)
    rear = plan.points - VEHICLE.rear_axle * np.column_stack((c, s))
    steps = np.diff(rear, axis=0)
    way = np.hypot(*steps.T)
    turned = np.angle(np.exp(1j * np.diff(plan.headings)))
    middle = plan.headings[:-1] + 0.5 * turned
    direction = plan.directions[1:]
    along = direction * (np.cos(middle) * steps[:, 0] + np.sin(middle) * steps[:, 1])
    np.testing.assert_allclose(along, way, atol=0.02)
    assert (np.abs(turned) <= VEHICLE.max_curvature * way + 0.01).all()
    left = np.concatenate((np.cumsum(np.hypot(*np.diff(plan.points, axis=0).T)[::-1])[::-1], [0.0]))
    assert (plan.speeds**2 <= 2.0 * VEHICLE.deceleration * left + 1e-6).all() and plan.speeds[-1] == 0.0
    fast = plan.speeds[:-1] > 1.0
    assert (plan.speeds[:-1][fast] ** 2 * np.abs(turned / way)[fast] <= 1.3 * VEHICLE.lateral_acceleration).all()


@pytest.mark.parametrize("name", NAMES)
def test_paths_between_scattered_obstacles_are_clear(name: str) -> None:
    driven = 0
    for seed in range(8):
        random = np.random.default_rng(seed)
        state = np.zeros((CELLS, CELLS), np.uint8)
        for x, y in random.uniform((6.0, -25.0), (28.0, 25.0), (25, 2)):
            state[place(y) : place(y) + 2, place(x) : place(x) + 2] = OBSTACLE
        one = seen(state, (25.0, float(random.uniform(-10, 10))), speed=float(seed % 3))
        found = checked_plan(planner(name).plan(one), one)
        if isinstance(found, Plan):
            driven += 1
            assert gap_to_outline(found, state) > 0.1
            check_motion(found)
    assert driven >= 6


@pytest.mark.parametrize("name", NAMES)
def test_the_path_leads_around_a_wall_toward_the_goal(name: str) -> None:
    state = walls((10, 10.5, -6, 30))
    one = seen(state)
    found = checked_plan(planner(name).plan(one), one)
    assert isinstance(found, Plan) and gap_to_outline(found, state) > 0.3
    assert found.points[:, 1].min() < -4.0 and found.points[:, 1].max() < 2.0  # the open end of the wall is on the right
    mirrored = seen(state[::-1].copy())
    other = checked_plan(planner(name).plan(mirrored), mirrored)
    assert isinstance(other, Plan) and other.points[:, 1].max() > 4.0 and other.points[:, 1].min() > -2.0


@pytest.mark.parametrize("name", NAMES)
def test_a_goal_inside_an_obstacle_and_an_enclosed_vehicle_are_blocked_with_a_reason(name: str) -> None:
    inside = planner(name).plan(seen(walls((17, 27, -5, 5))))
    assert isinstance(inside, Blocked) and "goal is inside an obstacle" in inside.reason
    ring = walls((-6, 6, 4, 4.5), (-6, 6, -4.5, -4), (5.5, 6, -4.5, 4.5), (-6, -5.5, -4.5, 4.5))
    assert isinstance(planner(name).plan(seen(ring)), Blocked)


@pytest.mark.parametrize("name", ["arc", "hybrid_a_star", "mppi"])
def test_a_vehicle_in_front_of_a_wall_drives_backward_first(name: str) -> None:
    state = walls((4, 4.5, -8, 8))
    found = planner(name).plan(seen(state))
    assert isinstance(found, Plan) and found.directions is not None and found.directions[1] == -1
    assert gap_to_outline(found, state) > 0.1
    check_motion(found)


@pytest.mark.parametrize("name", NAMES)
def test_paths_end_where_nothing_is_known(name: str) -> None:
    state = np.full((CELLS, CELLS), UNKNOWN, np.uint8)
    state[:, : place(14.0)] = 0
    one = seen(state, (28.0, 0.0))
    found = checked_plan(planner(name).plan(one), one)
    assert isinstance(found, Plan)
    assert gap_to_outline(found, np.where(state == UNKNOWN, OBSTACLE, state)) > 0.1
    check_motion(found)


def test_an_exploring_vehicle_drives_to_the_edge_of_the_known_ground_and_does_not_turn_away() -> None:
    for radius in (14.0, 17.0, 20.0):
        state = np.full((CELLS, CELLS), UNKNOWN, np.uint8)
        side = (np.arange(CELLS) + 0.5) * CELL - 0.5 * CELLS * CELL
        state[np.hypot(side[None, :] + 6.0, side[:, None]) < radius] = 0  # more is known behind the vehicle than ahead
        ahead = radius - 6.0 - VEHICLE.front
        for speed in (0.0, 2.0):
            one = seen(state, (60.0, 0.0), speed=speed)
            found = checked_plan(planner("hybrid_a_star").plan(one), one)
            assert isinstance(found, Plan) and found.directions is not None and (found.directions > 0).all()
            assert 0.5 * ahead < found.points[-1, 0] <= ahead


def test_on_unknown_ground_a_narrow_way_forward_is_better_than_a_reversal() -> None:
    half = 0.5 * VEHICLE.width + 0.3
    known = walls((6.0, 7.0, half, 7.0), (6.0, 7.0, -20.0, -half))  # a narrow gap ahead, and a wide way that needs a reversal
    explored = known.copy()
    explored[:, place(26.0) :] = UNKNOWN
    for state, is_forward in ((known, False), (explored, True)):
        one = seen(state, (60.0, 0.0), margin=0.8)
        found = checked_plan(planner("hybrid_a_star").plan(one), one)
        assert isinstance(found, Plan) and found.directions is not None and (found.directions > 0).all() == is_forward
        assert found.points[-1, 0] > 9.0 and gap_to_outline(found, state) > 0.05


def test_narrow_ground_is_slow() -> None:
    free, narrow = walls(), walls((-5, 28, 1.6, 3), (-5, 28, -3, -1.5))
    wide_speed, narrow_speed = (planner("arc").plan(seen(state)).speeds[5:12].max() for state in (free, narrow))  # type: ignore[union-attr]
    assert wide_speed == 5.0 and 1.0 < narrow_speed < 4.5


def test_the_direct_way_of_the_paper_is_blocked_in_a_pocket_that_the_route_avoids() -> None:
    state = walls((14, 14.5, -7, 7), (4, 14.5, 7, 7.5), (4, 14.5, -7.5, -7))
    straight, route = (planner("arc", guidance=one).plan(seen(state)) for one in ("goal", "route"))
    assert isinstance(straight, Plan) and straight.points[-1, 0] > 4.0  # drives into the pocket
    assert isinstance(route, Plan) and not (abs(route.points[-1, 1]) < 7.0 and 4.0 < route.points[-1, 0] < 14.0)


def test_the_line_of_a_driver_follows_a_plan() -> None:
    from simulator.autonomy.plan_follower import segments_of

    plan = planner("hybrid_a_star").plan(seen(walls((4, 4.5, -8, 8))))
    assert isinstance(plan, Plan)
    segments = segments_of(checked_plan(plan, seen(walls())), VEHICLE)  # type: ignore[arg-type]
    assert [one.direction for one in segments[:2]] == [-1, 1]
    for one in segments:
        assert (
            one.speeds[0] > 0.0
            and isinstance(one.path, DrivenPath)
            and one.length == pytest.approx(one.path.spacing * (len(one.path.x) - 1), abs=0.6)
        )


def test_the_speed_is_low_only_at_a_change_of_the_direction() -> None:
    """Forward 6 m, backward 6 m on a circle and forward again: rest where the course turns back, and the speed of the turn elsewhere."""
    step, radius = 0.5, 1.0 / VEHICLE.max_curvature
    poses, directions = [(0.0, 0.0, 0.0)], [1]
    for direction, curvature in ((1, 0.0), (-1, 1.0 / radius), (1, 0.0)):
        for _ in range(12):
            x, y, yaw = poses[-1]
            middle = yaw + 0.5 * direction * step * curvature
            poses.append(
                (x + direction * step * math.cos(middle), y + direction * step * math.sin(middle), yaw + direction * step * curvature)
            )
            directions.append(direction)
    points, headings, signs = np.array(poses)[:, :2], np.array(poses)[:, 2], np.array(directions, np.int8)
    checked = check_path(map_of_states(walls()), VEHICLE, points, headings, signs)
    speeds = speeds_along(points, signs, checked, VEHICLE, limit=5.0, margin=0.4)
    assert np.flatnonzero(speeds == 0.0).tolist() == [12, 24, 36]
    braking = np.sqrt(2.0 * VEHICLE.deceleration * step * np.minimum(np.arange(12) + 1, 12))[::-1]
    turning = np.minimum(math.sqrt(VEHICLE.lateral_acceleration * radius), braking)
    assert (speeds[13:24] >= 0.9 * np.minimum(turning, 5.0)[1:]).all()
    curvature = path_curvature(points, signs)
    assert np.abs(curvature).max() <= 1.05 / radius and curvature[18] == pytest.approx(-1.0 / radius, rel=0.05)


def test_a_vehicle_beside_its_plan_keeps_it_only_where_there_is_room_for_that() -> None:
    x = np.arange(0.0, 20.0, 0.5)
    plan = Plan(np.column_stack((x, 0.0 * x)), 0.0 * x, np.full(len(x), 2.0), np.ones(len(x), np.int8), True)
    narrow, wide = (walls((10, 14, gap, 6), (10, 14, -6, -gap)) for gap in (1.5, 3.0))
    for state, beside, keeps in ((narrow, 0.1, True), (narrow, 0.5, False), (wide, 0.5, True)):
        found = planner("hybrid_a_star").kept(seen(state, previous=plan, pose=Pose(1.0, beside, 0.0)))  # type: ignore[attr-defined]
        assert (found is not None) == keeps


def test_a_vehicle_that_does_not_get_on_first_backs_off_straight() -> None:
    usual, stuck = (planner("hybrid_a_star").plan(replace(seen(walls()), stuck=count)) for count in (0, 1))
    assert isinstance(usual, Plan) and isinstance(stuck, Plan)
    assert (usual.directions[1:] > 0).all()  # type: ignore[index]
    back = np.flatnonzero(stuck.directions[1:] < 0) + 1  # type: ignore[index]
    assert back[0] == 1 and np.hypot(*(stuck.points[back[-1]] - stuck.points[0])) >= 5.0
    straight = stuck.headings[:10]
    np.testing.assert_allclose(straight, straight[0], atol=1e-9)
    assert np.hypot(*(stuck.points[-1] - (22.0, 0.0))) < np.hypot(*(stuck.points[0] - (22.0, 0.0)))  # and then drives to the goal


def on_ground(strength: float, grip: float | None, cross: float = 0.0) -> ObstacleMap:
    """Return a free map of a plane that rises to the left by `cross`."""
    free = map_of_states(walls())
    y = free.origin[1] + (np.arange(free.shape[0]) + 0.5) * free.cell
    height = np.repeat(cross * y[:, None], free.shape[1], axis=1)
    layers = {"elevation": height, "strength": np.full(free.shape, strength)}
    return replace(free, **layers, grip=None if grip is None else np.full(free.shape, grip))


def test_soil_brakes_a_vehicle_that_it_lets_pull_little_and_rolls_it_on_a_side_slope() -> None:
    """Snow of a grip of 0.46 and a resistance of 0.35, ice with the same pull, and ground without a resistance."""
    x = np.arange(0.0, 12.0, 0.5)
    points, headings, ahead = np.column_stack((x, np.zeros_like(x))), np.zeros_like(x), np.ones(len(x), np.int8)
    ice, snow, firm = (on_ground(*one, cross=0.2) for one in ((0.11, None), (0.11, 0.46), (0.46, 0.46)))
    checked = [check_path(one, VEHICLE, points, headings, ahead) for one in (ice, snow, firm)]
    speeds = [speeds_along(points, ahead, one, VEHICLE, limit=8.0, margin=0.4) for one in checked]
    assert (speeds[0][1:-1] < speeds[1][1:-1]).all() and speeds[1][-3] == pytest.approx(speeds[2][-3])
    hazards = [float(one.hazard[3]) for one in checked]
    assert hazards[0] == pytest.approx(hazards[2]) and hazards[1] == pytest.approx((1.0 + 1.2 * 0.35) * hazards[2])
