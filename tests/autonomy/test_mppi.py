"""Does the model of the planner `mppi` move as slope, soil, grip and load transfer demand, and does a seed give one path?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simulator.autonomy.contract import Goal, ObstacleMap, Plan, PlannerSettings
from simulator.autonomy.guidance import straight_to
from simulator.autonomy.planners.mppi import COSTS, KIND
from simulator.autonomy.planners.mppi_kernels import CURVATURE, LOAD, MPPI_SEARCH, SPEED, Problem, roll_out
from simulator.autonomy.pose_check import arrays_of, outline_of
from simulator.autonomy.result_checks import checked_plan
from simulator.base.constants import STANDARD_GRAVITY as G
from simulator.base.fields import read
from simulator.base.records import record
from simulator.conformance.autonomy import VEHICLE, map_of_states
from tests.autonomy.test_planners import CELL, CELLS, seen, walls

STEPS, STEP = 40, 0.05
LIMIT, STABILITY = 12.0, 1.2
SIDE = (np.arange(CELLS) + 0.5) * CELL


def plane(rise: float, lean: float, strength: float) -> ObstacleMap:
    """Return the map of a plane that rises along x and y."""
    height = rise * SIDE[None, :] + lean * SIDE[:, None]
    return replace(map_of_states(walls()), elevation=height, strength=np.full((CELLS, CELLS), strength))


def rolled(found: ObstacleMap, speed: float, wanted: float, curve: float = 0.0) -> np.ndarray:
    """Return the roll-out along x of constant controls, without limits of drivetrain, brakes and steering, where the ground is known."""
    p, out = record(MPPI_SEARCH), np.empty((STEPS + 1, 7))
    values = {**COSTS, "speed": speed, "step": STEP, "limit": LIMIT, "start_clearance": 10.0, "start_hazard": 100.0, "stability": STABILITY}
    values |= {"max_curvature": 0.13, "curvature_rate": 10.0, "lateral": 100.0, "acceleration": 20.0, "deceleration": 20.0, "pull": 2.0}
    for name, value in values.items():
        p[0][name] = value
    route = straight_to(Goal(200.0, 0.0, 1.0))
    problem = Problem(p, arrays_of(found), outline_of(VEHICLE), route)
    _, count = roll_out(problem, np.tile((curve, wanted / LIMIT), (STEPS, 1)), out)
    assert count == STEPS + 1
    return out[4:]


@pytest.mark.parametrize(("rise", "strength"), [(0.2, 0.35), (0.2, 0.15), (-0.2, 0.1), (0.0, 0.3)])
def test_the_pull_of_the_ground_and_the_slope_give_the_acceleration(rise: float, strength: float) -> None:
    speeds = rolled(plane(rise, 0.0, strength), 6.0, LIMIT)[:, SPEED]
    angle = math.atan(rise)
    expected = G * (strength * math.cos(angle) - math.sin(angle))
    np.testing.assert_allclose(np.diff(speeds)[:8] / STEP, expected, rtol=1e-6)


def test_brakes_hold_less_downhill_than_uphill() -> None:
    down, up = (-np.diff(rolled(plane(rise, 0.0, 0.5), 10.0, 0.0)[:, SPEED])[0] / STEP for rise in (-0.2, 0.2))
    angle = math.atan(0.2)
    assert up - down == pytest.approx(2.0 * G * math.sin(angle), rel=1e-6) and down > 0.0


def test_a_turn_beyond_the_grip_becomes_wider() -> None:
    for strength, expected in ((0.3, 0.3 * G / 64.0), (2.0, 0.13)):
        curvature = rolled(plane(0.0, 0.0, strength), 8.0, 8.0, 1.0)[:, CURVATURE]
        np.testing.assert_allclose(curvature, expected, rtol=0.02)


def test_a_turn_uphill_on_a_side_slope_unloads_the_wheels_more_than_one_downhill() -> None:
    """The ground rises to the left: straight ahead, the load transfer is its tangent over the stability."""
    straight, left, right = (rolled(plane(0.0, 0.3, 5.0), 4.0, 4.0, curve)[1, LOAD] for curve in (0.0, 1.0, -1.0))
    assert straight == pytest.approx(0.3 / STABILITY, rel=1e-6)
    turn = 16.0 * 0.13 * math.sqrt(1.0 + 0.3**2) / G / STABILITY
    assert left == pytest.approx(straight + turn, rel=0.05) and right == pytest.approx(straight - turn, rel=0.1)


def test_a_seed_gives_one_path_and_another_seed_another_one() -> None:
    def paths(seed: int) -> list[np.ndarray]:
        planner = KIND.make(PlannerSettings(read(KIND.parameters, {}, "test"), VEHICLE, np.random.default_rng(seed)))
        out, plan = [], None
        for n in range(3):
            one = seen(walls((10, 10.5, -6, 6)), time=0.2 * n, speed=3.0, previous=plan)
            plan = checked_plan(planner.plan(one), one)
            assert isinstance(plan, Plan)
            out.append(np.column_stack((plan.points, plan.speeds)))
        return out

    first, again, other = paths(1), paths(1), paths(2)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_ground_without_a_known_elevation_is_not_entered() -> None:
    found = plane(0.0, 0.0, 0.8)
    found.elevation[:, CELLS // 2 + round(12.0 / CELL) :] = np.nan  # 12 m ahead, in cells that are free
    one = replace(seen(walls(), speed=3.0), map=found)
    planner = KIND.make(PlannerSettings(read(KIND.parameters, {}, "test"), VEHICLE, np.random.default_rng(0)))
    plan = checked_plan(planner.plan(one), one)
    assert isinstance(plan, Plan) and 4.0 < plan.points[-1, 0] < 12.0 and plan.speeds[-1] == 0.0
