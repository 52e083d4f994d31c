"""Is the map of the lidar that of the true world within a cell, does it forget what is gone, and does a failed lidar end the drive?"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from simulator.autonomy.contract import FREE, OBSTACLE, UNKNOWN, MapperInput, MapperSettings, ObstacleMap, PlanError, PoseTable
from simulator.autonomy.mappers.lidar import KIND, LidarMapper, filled, ground_plane, unevenness
from simulator.autonomy.mappers.scan_kernels import SCAN, Cells, enter_scan
from simulator.base.errors import JounceError
from simulator.base.fields import read
from simulator.base.records import record
from simulator.conformance.autonomy import VEHICLE
from simulator.sensors.contract import Mount
from simulator.sensors.lidar.beams import PRESETS, firings
from simulator.sensors.lidar.scan import beams_of_poses, scan
from simulator.sensors.lidar.sensor import POINT
from simulator.sensors.measurement import Measurement
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.object_set import ObjectSet
from terrain.rays.caster import RayCaster
from terrain.truth_map import truth_map
from vehicles.readout import READOUT

HEIGHT, SPEED, PERIOD = 1.9, 6.0, 0.1
MOUNT = Mount(np.array((0.0, 0.0, HEIGHT)), np.eye(3))
FIRED = firings(PRESETS["vlp_16"].beams, columns=900, period=PERIOD)
OBJECTS = (
    {"shape": "box", "size": [4.5, 1.8, 1.5], "position": [14, 5], "yaw_deg": 25, "label": "vehicle", "name": "car"},
    {"shape": "cylinder", "radius": 0.15, "height": 2, "position": [12, -3], "label": "post", "name": "post"},
    {"shape": "box", "size": [0.4, 12, 3], "position": [24, -2], "label": "building", "name": "wall"},
    {"shape": "sphere", "radius": 0.5, "position": [9, 2.5], "label": "rock", "name": "rock"},
)


def world(*objects: dict) -> Ground:
    from pathlib import Path

    return load_terrain({"type": "flat", "objects": list(objects)}, "world.yaml", Path(), {})


def mapper(**keys: Any) -> LidarMapper:
    values = read(KIND.parameters, {"extent": 70.0, **keys}, "test")
    return LidarMapper(MapperSettings(values, VEHICLE, world(), np.random.default_rng(0), {"lidar": MOUNT}))


def measured(ground: Ground, time: float, objects: ObjectSet | None = None) -> MapperInput:
    """Return the input after a scan from a vehicle that drives along x; it is at x = SPEED time."""

    def pose(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        p = np.column_stack((SPEED * (time - PERIOD + times), np.zeros_like(times), np.full_like(times, HEIGHT)))
        return p, np.tile(np.eye(3), (len(times), 1, 1))

    caster = RayCaster(ground) if objects is None else RayCaster(ground).with_objects(objects)
    found = scan(FIRED, beams_of_poses(FIRED, pose), caster.cast, 100.0)
    points = np.zeros(len(FIRED.time), POINT)
    points["x"], points["y"], points["z"] = found.points.T
    points["time"], points["range"] = FIRED.time, found.range
    values = record((("start", (), "s", "start"),))
    values[0]["start"] = time - PERIOD
    one = Measurement(time, time, 0.0, "", values, {"points": points.reshape(FIRED.columns, -1)})
    readout = record(READOUT)
    readout[0]["p_WB"], readout[0]["q_WB"] = (SPEED * time, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    readout[0]["p_WC"] = [(SPEED * time + x, y, 0.0) for x in (1.6, -1.7) for y in (0.9, -0.9)]
    readout[0]["F_C"] = 0.0, 0.0, 6e3
    table = PoseTable(
        np.array((time - PERIOD, time)),
        np.array([(SPEED * (time - PERIOD), 0.0, 0.0), (SPEED * time, 0.0, 0.0)]),
        np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)),
    )
    return MapperInput(time, readout, MappingProxyType({"lidar": one}), ground.objects, table)


def near(found: ObstacleMap, x: float, reach: float) -> np.ndarray:
    ny, nx = found.shape
    cx, cy = (found.origin[k] + (np.arange(n) + 0.5) * found.cell for k, n in enumerate((nx, ny)))
    return np.hypot(cx[None, :] - x, cy[:, None]) < reach


def true_state(found: ObstacleMap, ground: Ground, one: LidarMapper) -> np.ndarray:
    ny, nx = found.shape
    center = found.origin[0] + 0.5 * nx * found.cell, found.origin[1] + 0.5 * ny * found.cell
    return truth_map(ground, center, (nx * found.cell, ny * found.cell), found.cell, limits=one.limits).state


def is_visible(found: ObstacleMap, obstacle: np.ndarray, cell: tuple[int, int], x: float) -> bool:
    """Return whether no obstacle lies between the sensor above (x, 0) and a cell, up to one and a half cells before it."""
    end = np.array(found.origin) + (np.array(cell[::-1]) + 0.5) * found.cell
    way = end - (x, 0.0)
    length = float(np.hypot(*way))
    for s in np.arange(1.0, length - 1.5 * found.cell, 0.1):
        place = found.cell_of(*((x, 0.0) + way * s / length))
        if place is not None and obstacle[place]:
            return False
    return True


def test_obstacles_seen_from_15_m_or_less_are_within_a_cell_of_the_truth() -> None:
    ground, one = world(*OBJECTS), mapper(noise=0.03)
    times = np.arange(0.1, 1.6, 0.1)
    for time in times:
        found = one.update(measured(ground, float(time)))
    x = SPEED * float(times[-1])
    true = true_state(found, ground, one)
    area = near(found, x, 14.5)
    seen, obstacle = found.state == OBSTACLE, true == OBSTACLE
    assert not (seen & area & (distance_transform_edt(~obstacle) > 1.5)).any()
    cells = np.argwhere(obstacle & area)
    open_to = [cell for cell in cells if is_visible(found, obstacle, tuple(cell), x)]
    missed = [cell for cell in open_to if distance_transform_edt(~seen)[tuple(cell)] > 1.5]
    assert len(open_to) > 20 and len(missed) <= 0.03 * len(open_to)
    assert ((found.state == UNKNOWN) & area & (true == FREE)).sum() < 0.12 * area.sum()  # behind objects


def test_ground_behind_a_wall_is_unknown_and_the_ground_in_front_of_it_is_free() -> None:
    ground, one = world(OBJECTS[2]), mapper()
    found = one.update(measured(ground, 0.1))
    states = [int(found.state[found.cell_of(x, -2.0)]) for x in (3.0, 12.0, 20.0, 30.0)]  # type: ignore[index]
    assert states[:2] == [FREE, FREE] and states[3] == UNKNOWN
    assert np.nanmax(np.abs(found.elevation)) < 0.02


def around(found: ObstacleMap) -> int:
    """Return the largest state around the post: OBSTACLE, or FREE."""
    j, i = found.cell_of(12.0, -3.0)  # type: ignore[misc]
    part = found.state[j - 1 : j + 2, i - 1 : i + 2]
    assert (part != UNKNOWN).any()
    return int(part[part != UNKNOWN].max())


def test_what_is_gone_is_forgotten_and_old_ground_becomes_unknown() -> None:
    ground, one = world(*OBJECTS), mapper(memory=2.0)
    for time in (0.1, 0.2, 0.3):
        before = one.update(measured(ground, time))
    assert around(before) == OBSTACLE
    gone = ground.objects.for_session()
    gone.remove(2)
    for time in np.arange(0.4, 1.2, 0.1):
        after = one.update(measured(ground, float(time), gone))
    assert around(after) == FREE
    late = measured(ground, 1.2, gone)
    late.time = 9.0
    one._measured = 1.2
    assert (one.update(late).state == UNKNOWN).all()


def test_a_steep_hill_is_ground_and_a_wall_is_not() -> None:
    from pathlib import Path

    hill = load_terrain(
        {"type": "course", "shapes": [{"shape": "bump", "at": 9.0, "height": 1.2, "length": 12.0}]}, "hill.yaml", Path(), {}
    )
    one = mapper()
    for time in (0.1, 0.2, 0.3):
        found = one.update(measured(hill, time))
    top = found.elevation[found.cell_of(8.0, 0.0)]  # type: ignore[index]
    assert 0.5 < top < 1.25
    area = near(found, 2.0, 12.0)
    assert ((found.state == OBSTACLE) & area).sum() < 0.02 * area.sum()


def rough() -> Ground:
    """Return ground with bumps of 0.2 m, 4 to 7 m apart, without a step or slope that is an obstacle."""
    from pathlib import Path

    shapes = [{"shape": "bump", "at": float(at), "height": 0.2, "length": 3.0} for at in (-14.0, -7.0, 2.5, 8.0, 13.0, 19.0)]
    return load_terrain({"type": "course", "shapes": shapes}, "rough.yaml", Path(), {})


def test_rough_ground_around_a_vehicle_at_rest_has_no_obstacles_and_is_known_below_the_vehicle() -> None:
    ground, one = rough(), mapper()
    for _ in range(3):
        found = one.update(measured(ground, 0.1))
        one._measured = math.nan
    area = near(found, 0.6, 14.0)
    assert not ((found.state == OBSTACLE) & area).any()
    assert (found.state[near(found, 0.6, 2.0)] == FREE).all()
    assert np.nanmax(np.abs(found.elevation[near(found, 0.6, 1.5)])) < 0.05


def test_a_vehicle_in_the_air_knows_nothing_of_the_ground_below_it() -> None:
    ground, one = world(), mapper()
    seen = measured(ground, 0.1)
    seen.readout[0]["F_C"] = 0.0
    seen.readout[0]["p_WC"][:, 2] = 1.0
    found = one.update(seen)
    assert (found.state[near(found, 0.6, 4.0)] == UNKNOWN).all() and np.nanmax(np.abs(found.elevation)) < 0.05


def test_a_tilted_vehicle_stands_on_the_plane_of_its_wheels() -> None:
    readout = record(READOUT)
    x, y = np.array((1.6, 1.6, -1.7, -1.7)), np.array((0.9, -0.9, 0.9, -0.9))
    readout[0]["p_WC"], readout[0]["F_C"] = np.column_stack((x, y, 0.1 * x - 0.2 * y + 3.0)), (0.0, 0.0, 5e3)
    assert ground_plane(readout) == pytest.approx((0.1, -0.2, 3.0))
    readout[0]["F_C"][2:] = 0.0
    assert ground_plane(readout) == pytest.approx((0.0, 0.0, 3.16))
    readout[0]["F_C"] = 0.0
    assert np.isnan(ground_plane(readout)).all()


def test_small_holes_in_the_known_ground_are_filled_and_large_ones_are_not() -> None:
    height = np.tile(0.1 * np.arange(40.0), (40, 1))
    holed = height.copy()
    holed[5:8, 5:9] = holed[20:30, 20:31] = np.nan
    found, known = filled(holed, 2)
    assert known[5:8, 5:9].all() and np.abs(found - height)[5:8, 5:9].max() < 0.11
    assert not known[22:28, 22:29].any() and np.isnan(found[~known]).all()
    np.testing.assert_array_equal(found[~np.isnan(holed)], height[~np.isnan(holed)])


def test_hidden_ground_of_uneven_terrain_is_lower_than_the_line_over_it_and_the_shortest_line_counts() -> None:
    p, shape = record(SCAN), (3, 48)
    q = p[0]
    q["cell"], q["gap"], q["slope"], q["vehicle_height"], q["object_height"] = 0.25, 6.0, 1.0, 3.0, 0.1
    q["foot_W"], q["plane"] = (0.0, 0.3, 1.0), (math.nan, math.nan)
    cells = Cells(*(np.zeros(shape) for _ in range(6)), *(np.zeros(shape, np.int64) for _ in range(2)))

    def height_between(*returns: tuple[float, float]) -> float:
        enter_scan(p, np.array([[(x, 0.3, z) for x, z in returns]]), np.arange(2), np.empty((0, 3)), cells)
        return float(cells.height[1, 26])  # around x = 6.625

    assert height_between((5.0, 1.0), (8.3, 1.0)) == pytest.approx(1.0)
    q["fall"] = 0.2
    assert height_between((5.0, 1.0), (8.3, 1.0)) == pytest.approx(1.0 - 0.2 * 1.5, abs=0.05)
    assert height_between((5.5, 0.8), (7.8, 0.8)) == pytest.approx(0.8 - 0.2 * 1.15, abs=0.05)
    assert height_between((4.0, 1.0), (9.0, 1.0)) == pytest.approx(0.8 - 0.2 * 1.15, abs=0.05)  # a longer line knows less
    assert height_between((6.6, 0.2), (9.0, 1.0)) == pytest.approx(0.2)


def test_a_slope_and_noise_are_not_uneven_and_waves_are() -> None:
    x, y = np.meshgrid(np.arange(0.0, 40.0, 0.25), np.arange(0.0, 40.0, 0.25))
    noise = np.random.default_rng(1).uniform(-0.03, 0.03, x.shape)
    assert unevenness(0.3 * x + 0.1 * y + noise, 0.25, 0.06) == 0.0
    k = math.tau / 8.0
    assert unevenness(0.5 * np.sin(k * x), 0.25, 0.0) == pytest.approx(0.5 * k / math.sqrt(2.0), rel=0.02)
    assert unevenness(np.full((8, 8), np.nan), 0.25, 0.06) == 0.0


def test_a_lidar_that_is_missing_late_or_failed_is_an_error() -> None:
    ground = world()
    good = measured(ground, 0.1)
    for mounts, hint in (({"roof": MOUNT}, "mapper: {type: lidar, sensor: roof}"), ({}, "--sensor '{type: lidar")):
        with pytest.raises(JounceError, match="no sensor called lidar") as raised:
            LidarMapper(MapperSettings(read(KIND.parameters, {}, "test"), VEHICLE, ground, np.random.default_rng(0), mounts))
        assert hint in str(raised.value)
    for age, trouble, words in ((1.5, "", "no measurement for 1.5 s"), (0.0, "sensor lidar was dropped: x", "was dropped")):
        bad = good.sensors["lidar"]._replace(age=age, trouble=trouble)
        with pytest.raises(PlanError, match=words):
            mapper().update(MapperInput(2.0, good.readout, {"lidar": bad}, ground.objects))
    waiting = good.sensors["lidar"]._replace(time=math.nan, age=math.inf)
    assert (mapper().update(MapperInput(0.5, good.readout, {"lidar": waiting}, ground.objects)).state == UNKNOWN).all()
    with pytest.raises(PlanError, match="no measurement"):
        mapper().update(MapperInput(11.0, good.readout, {"lidar": waiting}, ground.objects))


def walking(time: float, speed: float) -> Ground:
    """The world with a person who walks to the left, in front of the vehicle."""
    person = {"shape": "box", "size": [0.4, 0.5, 1.8], "position": [20, -6 + speed * time], "label": "person", "name": "person"}
    return world(*OBJECTS[:2], OBJECTS[3], person)


@pytest.mark.parametrize("speed", [1.4, 0.0])
def test_a_walking_person_is_an_obstacle_where_it_will_be(speed: float) -> None:
    one = mapper(noise=0.03)
    for time in np.arange(0.1, 1.7, 0.2):
        found = one.update(measured(walking(float(time), speed), float(time)))
    moving = [velocity for velocity in (track.velocity for track in one._moving.tracks) if np.hypot(*velocity) > 0.0]
    here = -6 + speed * float(time)
    ahead = [found.state[found.cell_of(20.0, here + 1.4 * later)] for later in (1.0, 2.0, 3.5)]
    if speed > 0.0:
        assert len(moving) == 1, "posts, cars and rocks stand"
        assert moving[0] == pytest.approx((0.0, speed), abs=0.25)
        assert ahead == [OBSTACLE] * 3
    else:
        assert moving == []
        assert OBSTACLE not in ahead
