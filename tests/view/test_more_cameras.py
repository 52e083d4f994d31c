"""Do the cameras around the vehicle, at the road and in free flight stand where they should, and change without a jump?"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from simulator.base.records import record
from simulator.view.camera import CHANGE, CLEARANCE, CUT, Camera
from simulator.view.camera_names import CAMERA_EVENTS, CAMERAS, following_camera
from simulator.view.camera_obstacles import Obstacles
from simulator.view.guided_cameras import BESIDE, NARROWEST, SPEEDS
from simulator.view.make_object_data import make_object_data
from simulator.view.object_culling import ObjectItems
from simulator.view.shared_state import STATE
from simulator.view.shot import rotation, rotation_of
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Box, Cylinder, WorldObject
from tests.view.scenes import hilly_terrain, readout

DT = 1.0 / 30.0


def state_at(x=0.0, y=0.0, speed=10.0, yaw=0.0):
    """State of a vehicle on the ground of `hilly_terrain`."""
    state, source = record(STATE), readout(x, y, hilly_terrain().height(x, y), yaw, speed)
    for name in source.dtype.names:
        state[0][name] = source[0][name]
    return state


def shoot(camera, dt=DT, **place):
    state = state_at(**place)
    return camera.shot(state[0]["p_WB"].copy(), rotation(state[0]["q_WB"]), state, dt)


def camera_of(kind):
    camera = Camera(hilly_terrain(), np.array([0.2, 0.5, 1.0]), None, np.array([1.2, 0.0, 0.9]))
    camera.kind = kind
    return camera


def test_every_camera_follows_its_event_and_the_list_of_the_user():
    assert [following_camera("top", event) for event in CAMERA_EVENTS[1:]] == list(CAMERAS)
    own = ("driver", "top", "wheel")
    seen = ["driver"]
    for _ in own:
        seen.append(following_camera(seen[-1], "camera", own))
    assert seen == ["driver", "top", "wheel", "driver"] and following_camera("chase", "camera", own) == "driver"


@pytest.mark.parametrize("kind", ["orbit", "free", "top", "wheel", "trackside"])
def test_no_camera_is_below_the_ground_or_turned_over(kind):
    terrain, camera = hilly_terrain(), camera_of(kind)
    camera.orbit.up = camera.flight.pitch = -0.2
    camera.flight.keys.add("Q")
    for k in range(200):
        shot = shoot(camera, x=-80.0 + 0.8 * k, y=20.0 + 0.2 * k, yaw=0.02 * k)
        assert np.isfinite(shot.eye).all() and np.allclose(shot.R_WC.T @ shot.R_WC, np.eye(3), atol=1e-9)
        assert shot.eye[2] > terrain.height(*shot.eye[:2]) + 0.2
        assert shot.R_WC[2, 1] > -1e-9, "up is up"


def test_a_change_of_the_camera_is_smooth_when_near_and_a_cut_when_far():
    camera = camera_of("chase")
    shots = [shoot(camera, x=10.0 * k * DT) for k in range(3)]
    camera.select("hood")
    shots += [shoot(camera, x=10.0 * k * DT) for k in range(3, 20)]
    steps = [np.linalg.norm(b.eye - a.eye) for a, b in itertools.pairwise(shots)]
    assert max(steps) < 1.6 and sum(steps) > 8.0, "about 9 m in 0.4 s"
    assert shots[-1].eye == pytest.approx([10.0 * 19 * DT + 1.2, 0.0, 0.59 + 0.9])
    camera.select("free")
    camera.flight.position = shots[-1].eye + [0.0, 0.0, 2.0 * CUT]
    assert shoot(camera, x=6.3).eye == pytest.approx(camera.flight.position), "a long way is a cut"
    assert math.isclose(CHANGE, 0.4)


def test_the_orbit_keeps_the_angle_of_the_mouse_and_zooms():
    camera = camera_of("orbit")
    before = shoot(camera)
    camera.drag(-400.0, 0.0)
    camera.zoom(3.0)
    after = [shoot(camera) for _ in range(5)][-1]
    target = np.array([0.0, 0.0, 0.59 + 0.3])
    a, b = before.eye - target, after.eye - target
    turn = math.atan2(b[1], b[0]) - math.atan2(a[1], a[0])
    assert math.remainder(turn - math.radians(100.0), math.tau) == pytest.approx(0.0, abs=1e-6)
    assert np.linalg.norm(b) == pytest.approx(np.linalg.norm(a) / 1.15**3, rel=0.02)


def test_the_free_camera_starts_where_the_last_one_was_and_flies_with_the_keys():
    camera = camera_of("chase")
    chase = shoot(camera)
    camera.select("free")
    start = shoot(camera, dt=0.0)
    assert start.eye == pytest.approx(chase.eye) and np.allclose(start.R_WC, chase.R_WC)
    camera.flight.keys.add("W")
    for _ in range(30):
        end = shoot(camera, x=50.0)
    assert end.eye - start.eye == pytest.approx(-start.R_WC[:, 2] * SPEEDS[0], rel=0.01), "12 m ahead in a second, without the vehicle"
    camera.select("chase")
    assert not camera.flight.keys, "a held key does not fly the next time"


def test_the_map_is_above_the_vehicle_with_north_or_the_heading_up():
    camera = camera_of("top")
    for _ in range(60):
        north = shoot(camera, x=5.0, yaw=0.7)
    assert north.eye[:2] == pytest.approx([5.0, 0.0]) and north.R_WC[:, 1] == pytest.approx([0.0, 1.0, 0.0])
    camera.map_up = "heading"
    camera.cut()
    assert shoot(camera, x=5.0, yaw=0.7).R_WC[:, 1] == pytest.approx([math.cos(0.7), math.sin(0.7), 0.0])


def test_the_trackside_camera_waits_next_to_the_road_zooms_and_goes_on():
    camera, places = camera_of("trackside"), []
    for k in range(600):
        shot = shoot(camera, x=-150.0 + 0.5 * k, speed=15.0)
        if not places or not np.array_equal(places[-1], shot.eye):
            places.append(shot.eye)
            assert abs(shot.eye[1]) == pytest.approx(4.0 + BESIDE), "beside the road, which is 8 m wide"
            assert shot.eye[0] > -150.0 + 0.5 * k, "ahead"
        view = -shot.R_WC[:, 2]
        to_vehicle = np.array([-150.0 + 0.5 * k, 0.0, 0.59 + 0.3]) - shot.eye
        assert view == pytest.approx(to_vehicle / np.linalg.norm(to_vehicle))
        assert NARROWEST <= shot.angle <= math.radians(46.0)
    assert 3 <= len(places) <= 8
    assert {math.copysign(1.0, p[1]) for p in places} == {1.0, -1.0}, "on both sides in turn"


@pytest.mark.parametrize("kind", ["chase", "orbit", "trackside"])
def test_a_camera_is_not_inside_a_house_nor_behind_its_wall(kind):
    wall = WorldObject("wall", Box((2.0, 30.0, 6.0)), (-6.0, 0.0, 3.0), label="building")
    house = WorldObject("house", Box((60.0, 10.0, 8.0)), (60.0, 11.0, 4.0), label="building")
    pole = WorldObject("pole", Cylinder(0.1, 6.0), (-4.0, 0.0, 3.0), label="post")
    items = ObjectItems(make_object_data(ObjectSet([wall, house, pole])), 10**6, np.full((4, 4), 12, np.int64))
    camera = camera_of(kind)
    camera.orbit.left = 0.0
    camera.clear = Obstacles(items).clear
    shot = shoot(camera, x=0.0)
    assert not (-7.0 < shot.eye[0] < -5.0) and shot.eye[0] > -5.0, "in front of the wall"
    assert not (30.0 < shot.eye[0] < 90.0 and 6.0 < shot.eye[1] < 16.0)
    if kind != "trackside":
        assert shot.eye[0] < -4.5, "the pole is not in the way"
    items.present[:] = False
    camera.cut()
    assert kind == "trackside" or shoot(camera, x=0.0).eye[0] < -7.0, "without the wall, the camera is back"


def test_the_vehicle_inside_a_box_has_its_usual_camera():
    hall = WorldObject("hall", Box((60.0, 60.0, 20.0)), (0.0, 0.0, 10.0), label="building")
    items = ObjectItems(make_object_data(ObjectSet([hall])), 10**6, np.full((4, 4), 12, np.int64))
    camera = camera_of("chase")
    usual = shoot(camera).eye
    camera.clear = Obstacles(items).clear
    camera.cut()
    assert shoot(camera).eye == pytest.approx(usual)


def test_hood_and_wheel_move_with_the_chassis():
    for kind in ("hood", "wheel"):
        camera = camera_of(kind)
        state = state_at()
        level = camera.shot(np.array([0.0, 0.0, 3.0]), np.eye(3), state, DT)
        R = rotation_of(0.5, 0.1, -0.05)
        tilted = camera.shot(np.array([4.0, 1.0, 3.0]), R, state, DT)
        assert tilted.eye - [4.0, 1.0, 3.0] == pytest.approx(R @ (level.eye - [0.0, 0.0, 3.0])), kind
    assert CLEARANCE > 0.0
