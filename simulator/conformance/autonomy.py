"""Conformance of mappers and planners."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.autonomy.contract import (
    FREE,
    OBSTACLE,
    UNKNOWN,
    Blocked,
    Goal,
    Mapper,
    MapperInput,
    MapperKind,
    MapperSettings,
    ObstacleMap,
    Plan,
    PlanError,
    Planner,
    PlannerInput,
    PlannerKind,
    PlannerSettings,
    Pose,
    VehicleTraits,
)
from simulator.autonomy.lane_way import LaneWay
from simulator.autonomy.result_checks import checked_map, checked_plan
from simulator.conformance.drivers import NothingMeasured
from simulator.conformance.findings import Check, Findings
from simulator.conformance.parameters import check_parameters, limits, parameter_values
from simulator.conformance.samples import SEED, level_ground, readouts
from simulator.sensors.contract import Mount
from terrain.objects.object_set import NO_OBJECTS

CELL, CELLS = 0.25, 200
"""m, and number of the cells along a side of the maps."""
SPEED, MARGIN = 5.0, 0.4
VEHICLE = VehicleTraits(
    front=2.2, rear=2.4, width=2.2, height=1.7, rear_axle=1.65, wheelbase=3.3, track=1.8, wheel_radius=0.47, tire_width=0.3, wheel_load=7e3,
    ground_clearance=0.4, approach_angle=1.0, departure_angle=0.8, max_curvature=0.13, curvature_rate=0.065, acceleration=2.0,
    deceleration=3.0, lateral_acceleration=3.9, max_climb=0.55, max_roll=0.42,
)  # fmt: skip
"""A light truck."""
MOUNT = Mount(np.array((0.0, 0.0, 1.6)), np.eye(3))


class Mounts(Mapping[str, Mount]):
    """A mount for every name: a mapper may use sensors of any name, as it does in a session that has them."""

    def __getitem__(self, name: str) -> Mount:
        return MOUNT

    def __iter__(self) -> Iterator[str]:
        return iter(("lidar",))

    def __len__(self) -> int:
        return 1


def check_mapper(kind: MapperKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a mapper."""
    check_parameters(findings, kind.parameters, numbers_only=False)
    if findings.failed:
        return
    values = parameter_values(kind.parameters, example)
    if findings.created(lambda: _new_mapper(kind, values), bool(example)) is None:
        return
    with findings.check("map") as check, findings.check("writing") as writing:
        mapper, before = _new_mapper(kind, values), list[np.ndarray]()
        for n, (description, readout) in enumerate(readouts()):
            content = readout.tobytes()
            result = _checked(check, description, lambda: checked_map(mapper.update(_seen(n, readout))))  # noqa: B023 - called at once
            writing.need(readout.tobytes() == content, "changes the readout; copy what must change")
            if result is not None:
                _check_states(check, description, result)
                check.need(not any(np.shares_memory(result.state, one) for one in before), "memory of an earlier map; return new arrays")
                before.append(result.state)
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.parameters, values):
            one = _new_mapper(kind, extreme)
            _checked(check, description, lambda: checked_map(one.update(_seen(0, readouts()[0][1]))))  # noqa: B023
    with findings.check("determinism") as check:
        first, second = (_map_bytes(_new_mapper(kind, values)) for _ in range(2))
        check.need(
            first == second, "a new mapper returns another map; take random numbers from settings.random, and store nothing in modules"
        )
    mapper, readout = _new_mapper(kind, values), readouts()[1][1]
    findings.median_time(lambda: mapper.update(_seen(0, readout)), kind.period, f"the period of {kind.period:g} s")


def check_planner(kind: PlannerKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a planner."""
    check_parameters(findings, kind.parameters, numbers_only=False)
    if findings.failed:
        return
    values = parameter_values(kind.parameters, example)
    if findings.created(lambda: _new_planner(kind, values), bool(example)) is None:
        return
    with findings.check("plan") as check, findings.check("writing") as writing:
        planner = _new_planner(kind, values)
        for description, seen in planner_inputs():
            before = seen.map.state.tobytes()
            _checked(check, description, lambda: checked_plan(planner.plan(seen), seen))  # noqa: B023
            writing.need(seen.map.state.tobytes() == before, "changes the map; copy what must change")
    with findings.check("way on free ground") as check:
        _, seen = next(planner_inputs())
        plan = _new_planner(kind, values).plan(seen)
        check.need(isinstance(plan, Plan), f"no plan to a goal 15 m ahead on free ground: {getattr(plan, 'reason', plan)}")
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.parameters, values):
            one, (_, seen) = _new_planner(kind, extreme), next(planner_inputs())
            _checked(check, description, lambda: checked_plan(one.plan(seen), seen))  # noqa: B023
    with findings.check("determinism") as check:
        first, second = (_plan_bytes(_new_planner(kind, values)) for _ in range(2))
        check.need(
            first == second, "a new planner returns other plans; take random numbers from settings.random, and store nothing in modules"
        )
    planner, (_, seen) = _new_planner(kind, values), next(planner_inputs())
    findings.median_time(lambda: planner.plan(seen), kind.period, f"the period of {kind.period:g} s")


def _new_mapper(kind: MapperKind, values: Mapping[str, Any]) -> Mapper:
    return kind.make(MapperSettings(values, VEHICLE, level_ground(), np.random.default_rng(SEED), Mounts()))


def _new_planner(kind: PlannerKind, values: Mapping[str, Any]) -> Planner:
    return kind.make(PlannerSettings(values, VEHICLE, np.random.default_rng(SEED)))


def _seen(call: int, readout: Any) -> MapperInput:
    return MapperInput(0.1 * call, readout, NothingMeasured(), NO_OBJECTS)


def _checked(check: Check, description: str, call: Any) -> Any:
    """Return the result of a call; a PlanError is a failure."""
    try:
        return call()
    except PlanError as error:
        check.fail(f"{description}: {error}")
        return None


def _check_states(check: Check, description: str, obstacle_map: ObstacleMap) -> None:
    """Check that states and numbers of a map agree."""
    check.need(
        bool(np.isin(obstacle_map.state, (FREE, OBSTACLE, UNKNOWN)).all()), f"{description}: a state is not FREE, OBSTACLE or UNKNOWN"
    )
    free = obstacle_map.state == FREE
    for name in ("elevation", "slope", "step", "strength", "cost"):
        layer = getattr(obstacle_map, name)
        check.need(bool(np.isfinite(layer[free]).all()), f"{description}: {name} of a free cell is not finite")
    cost = obstacle_map.cost[np.isfinite(obstacle_map.cost)]
    check.need(not cost.size or bool((cost >= 0.0).all() and (cost <= 1.0).all()), f"{description}: a cost is not from 0 to 1")


def planner_inputs() -> Iterator[tuple[str, PlannerInput]]:
    """Yield inputs of a planner with descriptions; the first one is free ground with a goal ahead."""
    random = np.random.default_rng(SEED)
    free = map_of_states(np.zeros((CELLS, CELLS), np.uint8))
    pose = Pose(0.0, 0.0, 0.0)
    usual = PlannerInput(0.0, free, pose, 0.0, 0.0, Goal(15.0, 0.0, 3.0), VEHICLE, SPEED, MARGIN)
    x = np.arange(-5.0, 15.5, 0.5)
    way = LaneWay(np.column_stack((x, 0.0 * x)), 0.0 * x, np.full(len(x), SPEED), x - x[0], at=10)
    yield "free ground, with a route", replace(usual, way=way)
    yield "free ground", usual
    yield "free ground, fast", replace(usual, speed=20.0, speed_limit=20.0, goal=Goal(500.0, 100.0, 3.0))
    yield "free ground, goal behind", replace(usual, goal=Goal(-15.0, 2.0, 3.0))
    yield "at the goal", replace(usual, goal=Goal(0.5, 0.0, 3.0))
    yield "rolling backward", replace(usual, speed=-2.0, curvature=-0.1)
    yield "stuck", replace(usual, stuck=1)
    yield "at the edge of the map", replace(usual, pose=Pose(0.5 * CELL * CELLS - 0.1, 0.0, 0.0))
    for n in range(3):
        states = (random.random((CELLS, CELLS)) < 0.004 * (n + 1)).astype(np.uint8)
        states[CELLS // 2 - 12 : CELLS // 2 + 12, CELLS // 2 - 16 : CELLS // 2 + 16] = FREE
        yield f"scattered obstacles {n + 1}", replace(usual, map=map_of_states(states), goal=Goal(20.0, 5.0 * n, 3.0))
    yield "obstacles everywhere", replace(usual, map=map_of_states(np.full((CELLS, CELLS), OBSTACLE, np.uint8)))
    yield "nothing known", replace(usual, map=map_of_states(np.full((CELLS, CELLS), UNKNOWN, np.uint8)))


def map_of_states(state: np.ndarray) -> ObstacleMap:
    """Return a map of level ground with given states, centered on the origin."""
    known = np.where(state == UNKNOWN, math.nan, 0.0)
    strength = np.where(state == UNKNOWN, math.nan, 0.8)
    object_height, cost = np.where(state == OBSTACLE, 1.0, 0.0), np.where(state == OBSTACLE, 1.0, known)
    side = 0.5 * CELL * len(state)
    return ObstacleMap(0.0, (-side, -side), CELL, known, known.copy(), known.copy(), object_height, strength, cost, state)


def _map_bytes(mapper: Mapper) -> bytes:
    maps = [mapper.update(_seen(n, readout)) for n, (_, readout) in enumerate(readouts())]
    return b"".join(one.state.tobytes() + np.ascontiguousarray(one.elevation).tobytes() for one in maps)


def _plan_bytes(planner: Planner) -> bytes:
    content = b""
    for _, seen in planner_inputs():
        plan = planner.plan(seen)
        content += plan.reason.encode() if isinstance(plan, Blocked) else np.ascontiguousarray(plan.points).tobytes()
    return content
