"""Are the maps of the truth mapper those of the true world, and do distances and ways on them agree with other algorithms?"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from simulator.autonomy.contract import FREE, OBSTACLE, MapperInput, MapperSettings, ObstacleMap
from simulator.autonomy.distance_map import distances
from simulator.autonomy.mappers.truth import KIND, StrengthMap, TruthMapper, soil_strength
from simulator.autonomy.route_field import cheapest_way, route_field
from simulator.autonomy.vehicle_traits import vehicle_traits
from simulator.base.fields import read
from simulator.base.records import Record, record
from simulator.builder.builder import build_ground, build_vehicle
from simulator.conformance.autonomy import VEHICLE
from simulator.driver.internal_model import InternalModel
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.object_set import ObjectSet
from terrain.truth_map import Limits, truth_map
from vehicles.readout import READOUT

OBJECTS = [
    {"shape": "box", "size": [4.5, 1.8, 1.5], "position": [12, 5], "yaw_deg": 30, "label": "vehicle", "name": "car"},
    {"shape": "cylinder", "radius": 0.3, "height": 2, "position": [15.9, -0.1], "label": "post", "name": "on the edge of a tile"},
    {"shape": "box", "size": [2, 2, 0.02], "position": [-6, 3], "label": "other", "name": "flat plate"},
    {"shape": "box", "size": [8, 1, 1], "position": [4, -9, 5], "label": "other", "name": "beam above the roof"},
]


def world(objects: list[dict]) -> Ground:
    """Return a ground with a bump and objects."""
    return load_terrain({"type": "bump", "height": 0.8, "start": 3.0, "length": 6.0, "objects": objects}, "world.yaml", Path(), {})


def at(x: float, y: float) -> Record:
    out = record(READOUT)
    out[0]["p_WB"][:2] = x, y
    return out


def mapper_of(ground: Ground, **keys: float) -> TruthMapper:
    values = read(KIND.parameters, {"extent": 40.0, **keys}, "test")
    return TruthMapper(MapperSettings(values, VEHICLE, ground, np.random.default_rng(0)))


def test_every_cell_is_that_of_the_true_map() -> None:
    ground = world(OBJECTS)
    mapper = mapper_of(ground)
    for place in ((0.3, -0.7), (13.1, 4.9), (-22.0, 31.3)):
        found = mapper.update(MapperInput(0.0, at(*place), {}, ground.objects))
        center = tuple(corner + 0.5 * 160 * 0.25 for corner in found.origin)
        true = truth_map(ground, center, (40.0, 40.0), 0.25, limits=mapper.limits)
        assert np.hypot(center[0] - place[0], center[1] - place[1]) < 0.25 and true.origin == pytest.approx(found.origin)
        for name in ("elevation", "slope", "step"):
            np.testing.assert_allclose(getattr(found, name), getattr(true, name), atol=1e-12)
        np.testing.assert_array_equal(found.state, true.state)
        np.testing.assert_array_equal(found.object, true.object_height)
        assert (found.cost >= true.cost - 1e-12).all()
        np.testing.assert_array_equal(found.blocked_for_disc(1.2), true.blocked_for_disc(1.2))
        blocked = true.blocked_for_vehicle(0.4, VEHICLE.front, VEHICLE.rear, 0.5 * VEHICLE.width)
        np.testing.assert_array_equal(found.blocked_for_vehicle(0.4, VEHICLE), blocked)
    assert (true.state == FREE).any()


def state_at(found: ObstacleMap, x: float, y: float) -> int:
    place = found.cell_of(x, y)
    assert place is not None
    return int(found.state[place])


def test_a_removed_object_is_free_ground_and_a_moving_one_is_predicted() -> None:
    path = {"points": [[0, 6], [20, 6]], "speed": 4.0}
    moving = {"shape": "box", "size": [1, 1, 1], "label": "person", "name": "walker", "path": path}
    ground = load_terrain({"type": "flat", "objects": [OBJECTS[0], moving]}, "world.yaml", Path(), {})
    objects, mapper = ground.objects.for_session(), mapper_of(ground, prediction=1.0)
    found = mapper.update(MapperInput(1.0, at(0, 0), {}, objects))
    assert state_at(found, 12, 5) == OBSTACLE
    assert [state_at(found, x, 6) for x in (1.0, 4.0, 6.0, 8.0, 10.0)] == [FREE, OBSTACLE, OBSTACLE, OBSTACLE, FREE]
    objects.remove(1)
    assert state_at(mapper.update(MapperInput(1.0, at(0, 0), {}, objects)), 12, 5) == FREE


def test_the_ground_outside_the_elevation_data_is_an_obstacle_if_the_map_is_bounded() -> None:
    ground = build_ground("jacksboro")
    x_min, _, _, y_max = ground.bounds
    for bounded in (False, True):
        found = mapper_of(ground, bounded=bounded).update(MapperInput(0.0, at(x_min, y_max - 100.0), {}, ground.objects))
        for away in (0.4, 3.0, 15.0):
            assert (state_at(found, x_min - away, y_max - 100.0) == OBSTACLE) >= bounded
            inside = state_at(
                mapper_of(ground).update(MapperInput(0.0, at(x_min, y_max - 100.0), {}, ground.objects)), x_min + away, y_max - 100.0
            )
            assert state_at(found, x_min + away, y_max - 100.0) == inside


def test_limits_follow_from_the_vehicle() -> None:
    found: dict[str, Limits] = {}
    for name in ("hmmwv", "sedan"):
        vehicle = build_vehicle(name, check_step=False)
        found[name] = vehicle_traits(vehicle.description, vehicle.tires, InternalModel()).limits(0.25)
    assert found["sedan"].step < found["hmmwv"].step < 0.125  # a curb is an obstacle
    assert found["sedan"].slope < found["hmmwv"].slope or found["sedan"].object_height < found["hmmwv"].object_height


def test_soft_ground_is_weak_and_asphalt_has_its_friction() -> None:
    ground = build_ground("flat")
    assert StrengthMap(ground, VEHICLE).at(np.array([3.0]), np.array([-1e4])).tolist() == [[ground.soils[0]["friction"]]] * 2
    soft = load_terrain({"type": "flat", "soil": "dry_sand"}, "soft.yaml", Path(), _soils("dry_sand"))
    firm = load_terrain({"type": "flat", "soil": "grenville_loam"}, "firm.yaml", Path(), _soils("grenville_loam"))
    (weak, grip), (strong, firm_grip) = soil_strength(soft.soils[0], VEHICLE), soil_strength(firm.soils[0], VEHICLE)
    assert 0.0 < weak < strong < 0.9
    assert weak < grip and strong < firm_grip  # the wheels drive against the resistance of the soil with a part of their grip


def _soils(name: str) -> dict:
    import yaml

    file = Path(__file__).parents[2] / "configs" / "soils" / f"{name}.yaml"
    return {name: yaml.safe_load(file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (37, 52)])
def test_distances_are_those_of_scipy(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(3)
    for share in (0.02, 0.5, 1.0):
        blocked = random.random(shape) < share
        if blocked.any():
            np.testing.assert_allclose(distances(blocked, 0.25), 0.25 * distance_transform_edt(~blocked), atol=1e-9)
    assert np.isinf(distances(np.zeros(shape, bool), 0.25)).all()


def test_ways_are_as_cheap_as_those_of_scipy() -> None:
    random = np.random.default_rng(5)
    weight = 1.0 + random.random((24, 31))
    weight[random.random(weight.shape) < 0.25] = np.inf
    seeds = np.full(weight.shape, np.inf)
    seeds[3, 4], seeds[20, 28] = 0.0, 2.5
    weight[[3, 20], [4, 28]] = 1.0
    found = route_field(weight, seeds, 0.5)
    graph = _graph(weight, 0.5)
    goals = [3 * 31 + 4, 20 * 31 + 28]
    expected = (dijkstra(graph, indices=goals) + np.array([[0.0], [2.5]])).min(axis=0).reshape(weight.shape)
    expected[np.isinf(weight)] = np.inf
    np.testing.assert_allclose(found, expected)
    starts = np.argwhere(np.isfinite(found))[::40]
    for j, i in starts:
        way, cost = cheapest_way(weight, seeds, 0.5, (int(j), int(i)))  # type: ignore[misc]
        assert cost == pytest.approx(found[j, i])
        steps = np.abs(np.diff(way, axis=0)).max(axis=1)
        assert (steps == 1).all() and np.isfinite(seeds[tuple(way[-1])])
        driven = sum(graph[a[0] * 31 + a[1], b[0] * 31 + b[1]] for a, b in pairwise(way))
        assert driven + seeds[tuple(way[-1])] == pytest.approx(cost)


def _graph(weight: np.ndarray, cell: float) -> csr_matrix:
    """Return the graph of the steps between free neighbors."""
    ny, nx = weight.shape
    rows, columns, costs = [], [], []
    for j in range(ny):
        for i in range(nx):
            for dj in (-1, 0, 1):
                for di in (-1, 0, 1):
                    y, x = j + dj, i + di
                    if (dj, di) == (0, 0) or not (0 <= y < ny and 0 <= x < nx) or np.isinf(weight[j, i] + weight[y, x]):
                        continue
                    if dj and di and np.isinf(weight[j, x]) and np.isinf(weight[y, i]):
                        continue
                    rows.append(j * nx + i)
                    columns.append(y * nx + x)
                    costs.append(0.5 * cell * math.hypot(dj, di) * (weight[j, i] + weight[y, x]))
    return csr_matrix((costs, (rows, columns)), shape=(ny * nx, ny * nx))


def test_an_object_set_that_changes_is_drawn_anew() -> None:
    ground = world(OBJECTS)
    mapper = mapper_of(ground)
    before = mapper.update(MapperInput(0.0, at(0, 0), {}, ground.objects))
    other = ObjectSet((*ground.objects.objects, *load_terrain({"type": "flat", "objects": [
        {"shape": "sphere", "radius": 0.5, "position": [5, 5], "label": "rock", "name": "new"}]}, "w.yaml", Path(), {}).objects.objects))  # fmt: skip
    after = mapper.update(MapperInput(0.0, at(0, 0), {}, other))
    assert state_at(before, 5, 5) == FREE and state_at(after, 5, 5) == OBSTACLE
