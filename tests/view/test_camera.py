"""Does the camera stay above the ground, look where it should and not jump?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.records import record
from simulator.view.bodies.kinds import body_of
from simulator.view.camera import CLEARANCE, Camera
from simulator.view.camera_names import CAMERAS
from simulator.view.shared_state import STATE
from simulator.view.shot import Shot, clip_of_world, look_at, rotation, rotation_of
from simulator.view.vehicle_geometry import checked_geometry
from tests.view.scenes import geometry, hilly_terrain, readout
from vehicles.readout import READOUT


def state_of(source):
    state = record(STATE)
    for row in READOUT:
        state[0][row[0]] = source[0][row[0]]
    return state


def shoot(camera, dt=0.016, **place):
    ground = camera.terrain.height(place.get("x", 0.0), place.get("y", 0.0))
    state = state_of(readout(ground=ground, **place))
    return camera.shot(state[0]["p_WB"], rotation(state[0]["q_WB"]), state, dt)


@pytest.mark.parametrize("kind", ["chase", "suspension"])
def test_camera_is_never_below_the_ground(kind):
    terrain = hilly_terrain()
    camera = Camera(terrain, np.array([0.1, 0.6, 1.0]))
    camera.kind = kind
    rng = np.random.default_rng(2)
    for x, y, yaw in zip(rng.uniform(-150, 150, 200), rng.uniform(-150, 150, 200), rng.uniform(-math.pi, math.pi, 200), strict=True):
        camera.cut()
        eye = shoot(camera, x=x, y=y, yaw=yaw).eye
        assert eye[2] >= terrain.height(eye[0], eye[1]) + (CLEARANCE if kind == "chase" else 0.25) - 1e-9


def test_chase_camera_stands_behind_and_looks_at_the_vehicle():
    camera = Camera(hilly_terrain(), np.zeros(3))
    for yaw in (0.0, 2.0, -3.0):
        camera.cut()
        shot = shoot(camera, yaw=yaw)
        behind = shot.eye[:2] @ [math.cos(yaw), math.sin(yaw)]
        assert -12.0 < behind < -6.0
        clip = clip_of_world(shot, 16 / 9, 1000.0) @ np.array([0.0, 0.0, camera.terrain.height(0.0, 0.0) + 0.6, 1.0])
        assert abs(clip[0] / clip[3]) < 0.05 and abs(clip[1] / clip[3]) < 0.6


def test_chase_camera_follows_smoothly_and_reaches_the_heading():
    camera = Camera(hilly_terrain(), np.zeros(3))
    start = shoot(camera, yaw=0.0).eye
    first = shoot(camera, yaw=1.0).eye
    assert np.linalg.norm(first - start) < 0.8, "one frame after a sudden turn it has hardly moved"
    for _ in range(300):
        last = shoot(camera, yaw=1.0).eye
    assert math.atan2(-last[1], -last[0]) == pytest.approx(1.0, abs=0.01)


def test_chase_camera_takes_the_short_way_past_north_south():
    camera = Camera(hilly_terrain(), np.zeros(3))
    shoot(camera, yaw=math.pi - 0.05)
    for _ in range(20):
        eye = shoot(camera, yaw=-math.pi + 0.05).eye
        assert eye[0] > 6.0, "it never swings round the front"


def test_driver_sees_ahead_from_inside_the_cab():
    body = body_of(checked_geometry(geometry()))
    camera = Camera(hilly_terrain(), body.eye(np.array([0.87, 0.7, 1.05])))
    camera.kind = "driver"
    shot = shoot(camera, yaw=0.5)
    assert shot.inside
    assert -shot.R_WC[:, 2] @ [math.cos(0.5), math.sin(0.5), 0.0] > 0.98
    eye_B = rotation(np.array([math.cos(0.25), 0, 0, math.sin(0.25)])).T @ (shot.eye - [0, 0, camera.terrain.height(0, 0) + 0.59])
    assert -0.5 < eye_B[0] < 0.4, "behind the windshield, whatever the file says about the head"


def test_cameras_take_turns():
    camera = Camera(hilly_terrain(), np.zeros(3))
    seen = []
    for _ in CAMERAS:
        seen.append(camera.kind)
        camera.next()
    assert tuple(seen) == CAMERAS and camera.kind == CAMERAS[0]


def test_projection_puts_near_and_far_on_the_planes_and_up_is_up():
    eye = np.array([1.0, 2.0, 3.0])
    shot = Shot(eye, look_at(eye, eye + [5.0, 0.0, 0.0]), 1.0, 0.5)
    matrix = clip_of_world(shot, 2.0, 100.0)

    def project(p):
        clip = matrix @ np.array([*p, 1.0])
        return clip[:3] / clip[3]

    assert project(eye + [0.5, 0, 0]) == pytest.approx([0, 0, -1])
    assert project(eye + [100.0, 0, 0]) == pytest.approx([0, 0, 1])
    assert project(eye + [10.0, 0, 10.0 * math.tan(0.5)])[1] == pytest.approx(1.0)
    assert project(eye + [10.0, -20.0 * math.tan(0.5), 0.0])[0] == pytest.approx(1.0), "right of the view is -y when looking along x"


def test_rotation_of_a_quaternion():
    assert rotation(np.array([math.cos(0.35), 0, 0, math.sin(0.35)])) @ [1, 0, 0] == pytest.approx([math.cos(0.7), math.sin(0.7), 0])
    assert rotation(np.zeros(4)) == pytest.approx(np.eye(3))


@pytest.mark.parametrize("shakes", [True, False])
def test_without_shake_the_drivers_camera_leaves_out_fast_pitch_and_bounce(shakes):
    camera = Camera(hilly_terrain(), np.array([0.2, 0.4, 0.9]))
    camera.kind, camera.shakes = "driver", shakes
    state, dt = readout(), 1.0 / 60.0
    pitches, heights = [], []
    for k in range(240):
        wave = math.sin(2.0 * math.pi * 5.0 * k * dt)
        shot = camera.shot(np.array([0.0, 0.0, 50.0 + 0.05 * wave]), rotation_of(0.3, 0.05 * wave, 0.0), state, dt)
        pitches.append(math.asin(-shot.R_WC[2, 2]))
        heights.append(float(shot.eye[2]))
    swing, bounce = float(np.ptp(pitches[60:])), float(np.ptp(heights[60:]))
    if shakes:
        assert swing > 0.09 and bounce > 0.07
    else:
        assert swing < 0.012 and bounce < 0.012


def test_without_shake_the_camera_stays_near_the_head_and_follows_the_heading():
    camera = Camera(hilly_terrain(), np.array([0.2, 0.4, 0.9]))
    camera.kind, camera.shakes = "driver", False
    state = readout()
    for k in range(60):  # a steep climb with a turn
        shot = camera.shot(np.array([0.0, 0.0, 50.0 + 0.2 * k]), rotation_of(0.02 * k, -0.4, 0.0), state, 1.0 / 60.0)
    eye = np.array([0.0, 0.0, 50.0 + 0.2 * 59]) + rotation_of(0.02 * 59, -0.4, 0.0) @ np.array([0.2, 0.4, 0.9])
    assert np.linalg.norm(shot.eye - eye) <= 0.1 + 1e-9
    ahead = -shot.R_WC[:, 2]
    assert math.atan2(ahead[1], ahead[0]) == pytest.approx(0.02 * 59, abs=1e-6)


def test_rotation_of_angles_is_a_rotation():
    R = rotation_of(0.7, -0.3, 0.2)
    assert np.allclose(R @ R.T, np.eye(3)) and np.linalg.det(R) == pytest.approx(1.0)
    assert math.atan2(R[1, 0], R[0, 0]) == pytest.approx(0.7) and math.asin(-R[2, 0]) == pytest.approx(-0.3)


def angle_of(shot) -> float:
    """Heading of the view [rad]."""
    return math.atan2(-shot.R_WC[1, 2], -shot.R_WC[0, 2])


@pytest.mark.parametrize("kind", ["driver", "chase"])
@pytest.mark.parametrize("shakes", [True, False])
def test_a_look_to_the_side_turns_the_view_and_returns(kind, shakes):
    camera = Camera(hilly_terrain(), np.array([0.1, 0.6, 1.0]))
    camera.kind, camera.shakes = kind, shakes
    front = shoot(camera)
    camera.look = (math.radians(60.0), 0.0)
    first = shoot(camera)
    assert 0.0 < angle_of(first) - angle_of(front) < math.radians(30.0), "to the left, without a jump"
    for _ in range(100):
        turned = shoot(camera)
    assert angle_of(turned) - angle_of(front) == pytest.approx(math.radians(60.0), abs=0.02)
    camera.look = (0.0, math.radians(20.0))
    for _ in range(100):
        raised = shoot(camera)
    assert -raised.R_WC[2, 2] > -front.R_WC[2, 2] + 0.05, "up"
    camera.look = (0.0, 0.0)
    for _ in range(200):
        last = shoot(camera)
    np.testing.assert_array_equal(last.R_WC, front.R_WC)
    np.testing.assert_array_equal(last.eye, front.eye)


@pytest.mark.parametrize("shakes", [True, False])
@pytest.mark.parametrize(("seat", "place"), [(0.35, 0.0), (-0.35, 0.0), (0.7, 0.25), (0.0, 0.0)])
def test_who_looks_back_leans_past_the_seat_and_returns(shakes, seat, place):
    """A seat hides what is behind it from eyes in front of it."""
    camera = Camera(hilly_terrain(), np.array([0.1, seat, 1.0]))
    camera.kind, camera.shakes = "driver", shakes
    front = shoot(camera)
    for angle, expected in ((75.0, seat), (180.0, place), (-180.0, place), (0.0, seat)):
        camera.look = (math.radians(angle), 0.0)
        for _ in range(200):
            shot = shoot(camera)
        assert shot.eye[1] - front.eye[1] == pytest.approx(expected - seat, abs=1e-6)


def test_field_of_view_and_seat():
    camera = Camera(hilly_terrain(), np.array([0.1, 0.6, 1.0]))
    usual = {kind: (setattr(camera, "kind", kind), shoot(camera))[1] for kind in CAMERAS}
    assert usual["driver"].angle == math.radians(58.0) and usual["chase"].angle == math.radians(46.0)
    camera.field_of_view, camera.seat = math.radians(80.0), np.array([0.1, 0.0, -0.05])
    for kind in CAMERAS:
        camera.kind = kind
        shot = shoot(camera)
        if kind == "driver":
            assert shot.angle == math.radians(80.0)
            assert shot.eye - usual[kind].eye == pytest.approx([0.1, 0.0, -0.05], abs=1e-9)
        else:
            assert (shot.angle > usual[kind].angle) is (kind in ("chase", "hood"))
            np.testing.assert_array_equal(shot.eye, usual[kind].eye)


def test_the_orbit_camera_shows_the_whole_train():
    """Both ends of a train of 18 m are in an image of 16:9; without its length they are not."""

    def widest(behind):
        camera = Camera(hilly_terrain(), np.zeros(3), behind=behind)
        camera.select("orbit")
        shot = shoot(camera, x=10.0, y=5.0)
        ends = np.array([[2.5, 0.0, 0.0], [-2.5 - 13.0, 0.0, 0.0]]) + [10.0, 5.0, shot.eye[2] - 2.0]
        seen = (ends - shot.eye) @ shot.R_WC
        return np.abs(seen[:, 0] / -seen[:, 2]).max() / (16.0 / 9.0 * np.tan(0.5 * shot.angle))

    assert widest(13.0) < 1.0 < widest(0.0)


def test_the_trackside_camera_shows_more_of_the_world_for_a_train():
    """The half height of the section at the vehicle grows with the length of the trailers."""

    def shown(behind):
        camera = Camera(hilly_terrain(), np.zeros(3), behind=behind)
        camera.select("trackside")
        shot = shoot(camera, x=10.0, y=5.0, speed=15.0)
        middle = np.array([10.0 - 0.5 * behind, 5.0, camera.terrain.height(10.0, 5.0)])
        return np.linalg.norm(middle - shot.eye) * np.tan(0.5 * shot.angle)

    assert shown(13.0) > 1.5 * shown(0.0)


def test_the_chase_camera_stands_behind_the_train_and_above_it():
    far, near = (shoot(Camera(hilly_terrain(), np.zeros(3), behind=behind)) for behind in (13.0, 0.0))
    assert near.eye[0] - far.eye[0] > 13.0
    assert far.eye[2] > near.eye[2] + 4.0
