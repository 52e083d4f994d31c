"""Do gauges, mirrors and cabin show the driver what is so, where it is?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Record, record
from simulator.view.bodies.contract import Body, Mirror
from simulator.view.bodies.kinds import body_of
from simulator.view.gauges import LEFT, SIZE, Cluster, FaceCanvas, draw_scales, draw_values, reading
from simulator.view.instruments import Font, asset
from simulator.view.make_object_data import make_object_data
from simulator.view.mirror_views import SIGHT, mirror_shot
from simulator.view.offscreen import Offscreen
from simulator.view.poses import lever_rotation, pose
from simulator.view.shared_state import STATE, extras
from simulator.view.shot import clip_of_world
from simulator.view.vehicle_geometry import checked_geometry
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Box, Material, WorldObject
from tests.view.scenes import DIALS, geometry, hilly_terrain, readout
from tests.view.test_meshes import WORN

W, H = 640, 360
ENGINE, ELECTRIC = Cluster(DIALS, 50.0, 0.0), Cluster(DIALS, 50.0, 100e3)
BODIES: dict[str, tuple[Body, NDArray]] = {
    **{name: (body, size.head) for name, (body, size) in WORN.items() if size is not None},
    "hmmwv": (body_of(checked_geometry(geometry())), np.array((0.1, 0.6, 1.0))),
}
CARS = [name for name in BODIES if name != "hmmwv"]
MIRRORS = [(name, k) for name in BODIES for k in range(3)]
EYES_APART = 0.065
"""m. Distance of the eyes [UN Regulation 125]"""


LAMPS = dict.fromkeys(("parking_brake", "abs_works", "stability_works", "low_range", "center_locked"), 1)


def row(**values: Any) -> Any:
    s = record(STATE)[0]
    s["selector"], s["gear"], s["engine_speed"], s["charge"] = 1, 1, 90.0, math.nan
    for name, value in values.items():
        s[name] = value
    return s


def driving(speed: float, **values: Any) -> Any:
    s = row(**values)
    s["v_WB_B"][0] = speed
    return s


def test_gauges_show_speed_and_engine_in_the_units_of_the_user():
    s = driving(25.0, engine_speed=300.0)
    metric, imperial = reading(s, "km/h", ENGINE), reading(s, "mph", ENGINE)
    assert (metric.speed, metric.needle, metric.engine) == (90, 900, round(300.0 * 3.0 / math.pi))
    assert imperial.speed == 56 and imperial.gear == "D1"
    assert reading(driving(-3.0, gear=-1), "km/h", ENGINE).speed == 11


def test_a_change_that_nobody_sees_is_no_change():
    assert reading(driving(25.0), "km/h", ENGINE) == reading(driving(25.001, throttle=0.3), "km/h", ENGINE)
    assert reading(driving(25.0), "km/h", ENGINE) != reading(driving(25.1), "km/h", ENGINE)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_does_not_stop_the_gauges(value):
    for cluster in (ENGINE, ELECTRIC):
        shown = reading(driving(value, engine_speed=value, engine_torque=value), "km/h", cluster)
        assert np.isfinite(vertices(shown, cluster)).all()


def test_power_is_positive_while_the_motor_drives_and_negative_while_it_charges():
    def power(speed: float, torque: float) -> int:
        return reading(driving(speed, engine_speed=400.0, engine_torque=torque), "km/h", ELECTRIC).engine

    assert power(10.0, 100.0) == 80 and power(10.0, -100.0) == -80, "40 kW in steps of 500 W"
    assert power(-2.0, -100.0) == 80, "the torque is negative in reverse"


@pytest.mark.parametrize(
    "values, lamps",
    [
        ({}, ()),
        ({"parking_brake": 1}, ("P",)),
        ({"engine_speed": 0.0}, ("engine",)),
        ({"abs_works": 1}, ("ABS",)),
        ({"turn_signals": 1, "time": 2.1}, ("left",)),
        ({"turn_signals": 3, "time": 2.1}, ("left", "right")),
        ({"turn_signals": 2, "time": 2.5}, ()),
        ({"stability_works": 1}, ("ESC",)),
        ({"low_range": 1, "center_locked": 1}, ("LOW", "LOCK")),
    ],
)
def test_lamps_are_lit_for_their_reason(values, lamps):
    assert reading(row(**values), "km/h", ENGINE).lamps == lamps
    assert "engine" not in reading(row(engine_speed=0.0), "km/h", ELECTRIC).lamps, "motors at rest are not off"


def vertices(shown: Any, cluster: Cluster) -> NDArray:
    canvas = FaceCanvas(Font(asset("fonts/hud.npz")))
    draw_scales(canvas, shown.unit, cluster)
    scales = canvas.vertices()
    draw_values(canvas, shown, cluster)
    return np.vstack((scales, canvas.vertices()))


def test_the_charge_of_a_battery_is_shown_and_none_without_one():
    assert reading(row(charge=0.801), "km/h", ELECTRIC).charge == 80
    assert reading(row(), "km/h", ENGINE).charge is None
    low, high = (vertices(reading(row(charge=share), "km/h", ELECTRIC), ELECTRIC) for share in (0.05, 0.9))
    assert {tuple(color) for color in low[:, 8:].tolist()} - {tuple(color) for color in high[:, 8:].tolist()}, "a low battery is red"


def test_the_needle_turns_clockwise_from_the_lower_left_to_the_lower_right():
    """The first shape of the values is the needle of the speedometer, whose scale ends at 180 km/h."""
    canvas, tips = FaceCanvas(Font(asset("fonts/hud.npz"))), []
    for speed in (0.0, 25.0, 50.0, 90.0):
        draw_values(canvas, reading(driving(speed), "km/h", ENGINE), ENGINE)
        quad = canvas.vertices()[:6, :2] - LEFT
        tips.append(quad[np.argmax(np.hypot(*quad.T))])
    angles = [math.degrees(math.atan2(-y, x)) for x, y in tips]
    assert angles == pytest.approx([-135.0, 90.0, -45.0, -45.0], abs=4.0), "beyond the scale it stays at its end"


@pytest.mark.parametrize("cluster", [ENGINE, ELECTRIC])
def test_nothing_is_outside_the_gauges(cluster):
    s = driving(99.0, engine_speed=0.0, engine_torque=-5e3, charge=1.0, **LAMPS)
    for unit in ("km/h", "mph"):
        at = vertices(reading(s, unit, cluster), cluster)[:, :2]
        assert at.min() > -2.0 and (at < np.add(SIZE, 2.0)).all()


def test_the_lever_shows_the_gear():
    def tip(manual: bool, **values: int) -> NDArray:
        return np.asarray(lever_rotation("gear", row(**values), manual) @ (0.0, 0.0, 1.0))

    assert tip(False, gear=-1)[0] > tip(False, gear=0, selector=0)[0] > tip(False, gear=3)[0], "reverse is in front, drive in the rear"
    gates = [tip(True, gear=gear)[:2] for gear in (1, 2, 3, 4, 5, 6)]
    assert all(front[0] > 0.1 and rear[0] < -0.1 for front, rear in zip(gates[::2], gates[1::2], strict=True))
    assert gates[0][1] > gates[2][1] > gates[4][1], "from the left to the right"
    assert len({tuple(np.round(gate, 3)) for gate in (*gates, tip(True, gear=-1)[:2], tip(True, gear=0)[:2])}) == 8


@pytest.mark.parametrize("pedal", ["throttle", "brake"])
def test_a_pressed_pedal_moves_forward(pedal):
    pad = [lever_rotation(pedal, row(**{pedal: value}), False) @ (0.0, 0.0, -0.2) for value in (0.0, 0.5, 1.0)]
    assert pad[0][0] < pad[1][0] < pad[2][0] < 0.08


@pytest.mark.parametrize("name, k", MIRRORS)
def test_a_mirror_shows_the_driver_what_is_behind(name, k):
    """The line of sight to the middle of the glass leaves it to the rear, at a door away from the vehicle."""
    body, head = BODIES[name]
    glass = body.cabin.mirrors[k].glass
    seen = reflected(glass.center - body.eye(head), glass.normal)
    assert seen[0] < -0.95 and abs(seen[2]) < 0.2
    if k != 1:
        assert 0.02 < seen[1] * np.sign(glass.center[1]) < 0.2
    assert (glass.center[0] - body.eye(head)[0]) > 0.25, "in front of the driver"


def reflected(ray: NDArray, normal: NDArray) -> NDArray:
    ray = ray / np.linalg.norm(ray)
    return np.asarray(ray - 2.0 * (ray @ normal) * normal)


@pytest.mark.parametrize("name", BODIES)
def test_light_from_a_flat_mirror_obeys_the_law_of_reflection(name):
    """Of a vehicle somewhere in the world: a point of the picture is where the ray from the eye is reflected to the thing."""
    body, head = BODIES[name]
    mirror, eye = body.cabin.mirrors[1], body.eye(head)
    X = pose(turned(0.7, -0.2), (30.0, -12.0, 4.0))
    glass, clip = mirror.glass, clip_of(mirror, eye, X)
    for across, high in ((0.0, 0.0), (0.8, -0.5), (-0.6, 0.7)):
        point = glass.center + across * glass.half[0] * glass.right + high * glass.half[1] * glass.up
        thing = point + 40.0 * reflected(point - eye, glass.normal)
        assert in_picture(clip, X, thing) == pytest.approx((-across, high), abs=1e-6), "its left side is on the right of the glass"


@pytest.mark.parametrize("name, k", [(name, k) for name, k in MIRRORS if k != 1])
def test_a_door_mirror_shows_more_than_a_flat_glass(name, k):
    body, head = BODIES[name]
    mirror, eye = body.cabin.mirrors[k], body.eye(head)
    widths = []
    for one in (mirror, mirror._replace(radius=math.inf)):
        edges = [np.linalg.inv(clip_of(one, eye, np.eye(4))) @ (x, 0.0, 1.0, 1.0) for x in (-1.0, 1.0)]
        a, b = (edge[:3] / edge[3] - one.glass.center for edge in edges)
        widths.append(math.degrees(math.acos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))))
    assert 1.5 < widths[0] / widths[1] < 3.5 and 8.0 < widths[0] < 40.0


def test_an_eye_behind_the_glass_sees_no_image():
    mirror = BODIES["hmmwv"][0].cabin.mirrors[0]
    assert mirror_shot(mirror, mirror.glass.center - mirror.glass.normal, np.eye(4), (64, 32)) is None


def turned(yaw: float, pitch: float) -> NDArray:
    (c, s), (d, t) = ((math.cos(a), math.sin(a)) for a in (yaw, pitch))
    return np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))) @ np.array(((d, 0.0, t), (0.0, 1.0, 0.0), (-t, 0.0, d)))


def clip_of(mirror: Mirror, eye: NDArray, X: NDArray) -> NDArray:
    shot = mirror_shot(mirror, X[:3, :3] @ eye + X[:3, 3], X, (300, 100))
    assert shot is not None
    return clip_of_world(shot, 3.0, SIGHT)


def in_picture(clip: NDArray, X: NDArray, p_B: NDArray) -> tuple[float, float]:
    p = clip @ X @ (*p_B, 1.0)
    return float(p[0] / p[3]), float(p[1] / p[3])


def blocked(mesh: NDArray, eye: NDArray, rays: NDArray) -> NDArray[np.bool_]:
    """Whether a mesh is in the way of rays (n, 3)."""
    a, b, c = mesh[:, :3].reshape(-1, 3, 3).transpose(1, 0, 2)
    e1, e2, t = b - a, c - a, eye - a
    q, out = np.cross(t, e1), np.zeros(len(rays), bool)
    for k, ray in enumerate(rays):
        p = np.cross(ray, e2)
        det = (e1 * p).sum(axis=1)
        some = np.abs(det) > 1e-12
        u, v, s = (t * p).sum(axis=1)[some] / det[some], (q @ ray)[some] / det[some], (e2 * q).sum(axis=1)[some] / det[some]
        out[k] = ((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (s > 0.0)).any()
    return out


def rays(azimuth: Any, elevation: Any) -> NDArray:
    a, e = (v.ravel() for v in np.meshgrid(np.radians(azimuth), np.radians(elevation)))
    return np.column_stack((np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)))


@pytest.mark.parametrize("name, left, right", [*((name, 20.0, -24.0) for name in CARS), ("hmmwv", 25.0, -35.0)])
def test_the_road_is_free(name, left, right):
    """Nothing of the cabin is in the way, from 9 degrees down, about 7 m in front of the eye, to 10 degrees up."""
    body, head = BODIES[name]
    assert not blocked(body.cabin.mesh, body.eye(head), rays(np.linspace(right, left, 13), (-9.0, -4.0, 0.0, 5.0, 10.0))).any()


@pytest.mark.parametrize("name", [name for name in CARS if name != "truck"])
def test_a_look_back_between_the_seats_ends_in_the_car(name):
    """Neither the ground nor the inside of the trunk is seen."""
    body, head = BODIES[name]
    eye = body.eye(head) * (1.0, 0.0, 1.0)
    assert blocked(body.cabin.mesh, eye, rays(np.linspace(165.0, 195.0, 11), np.linspace(-60.0, -15.0, 10))).all()


@pytest.mark.parametrize("name", CARS)
def test_a_pillar_hides_at_most_six_degrees_from_both_eyes(name):
    """[UN Regulation 125: 6 degrees of each pillar, for eyes 65 mm apart] A lining adds little to a wider pillar."""
    body, head = BODIES[name]
    bare, lined = (hidden(mesh, body.eye(head)) for mesh in (body.shell, np.vstack((body.shell, body.cabin.mesh))))
    assert 0.0 < lined <= max(6.0, bare + 1.0)


def hidden(mesh: NDArray, eye: NDArray) -> float:
    """Angle in which a mesh hides the left front from both eyes, above the door mirror [deg]."""
    view = rays(np.arange(22.0, 55.0, 0.25), (4.0,))
    one, other = (blocked(mesh, eye + (0.0, 0.5 * side * EYES_APART, 0.0), view) for side in (1.0, -1.0))
    return 0.25 * float((one & other).sum())


PLACES = {"left": (-12.0, 5.0), "right": (-12.0, -5.0), "nowhere": (-150.0, 150.0)}


def red_box(side: str) -> Any:
    return make_object_data(
        ObjectSet([WorldObject(side, Box((3.0, 3.0, 4.0)), (*PLACES[side], 2.0), material=Material(color=(1.0, 0.0, 0.0)))])
    )


@pytest.fixture(scope="module")
def view() -> Iterator[Offscreen]:
    terrain = hilly_terrain()
    terrain.objects = red_box("nowhere")
    try:
        made = Offscreen(W, H, terrain, geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    made.scene.instruments, made.camera = False, "driver"
    yield made
    made.close()


def looking(view: Offscreen, k: int, state: Record) -> NDArray:
    """Image of a driver who looks at a mirror, 1 + k, or at the gauges, 0."""
    body = BODIES["hmmwv"][0]
    pane = (body.cabin.gauges, *(mirror.glass for mirror in body.cabin.mirrors))[k]
    ray = pane.center - body.eye(BODIES["hmmwv"][1])
    view.scene.camera.look = (math.atan2(ray[1], ray[0]), math.atan2(ray[2], math.hypot(*ray[:2])) + 0.115)
    view.scene.camera.cut()
    return np.asarray(view.render(state, extras()).astype(int))


def shape_of_mirror(view: Offscreen, k: int, state: Record) -> tuple[NDArray, NDArray]:
    """Pixels (n,) [column, row] of a glass, and the image of a driver who looks at it."""
    image = looking(view, k, state)
    shot = view.scene.camera.shot(state[0]["p_WB"], np.eye(3), state, 0.0)
    glass = BODIES["hmmwv"][0].cabin.mirrors[k - 1].glass
    clip = np.column_stack((glass.corners() + state[0]["p_WB"], np.ones(4))) @ clip_of_world(shot, W / H, 1e3).T
    at = (0.5 + 0.5 * clip[:, :2] / clip[:, 3:] * (1.0, -1.0)) * (W, H)
    return at, image


def red_in(view: Offscreen, side: str, k: int) -> tuple[float, float]:
    """Share of the pixels of a mirror that are red, and their middle across the glass, 0 = left, 1 = right, with a red box behind."""
    view.scene.show_objects(red_box(side))
    at, image = shape_of_mirror(view, k, readout())
    left, right, top, bottom = at[:, 0].min(), at[:, 0].max(), at[:, 1].min(), at[:, 1].max()
    part = image[int(top) : int(bottom) + 1, int(left) : int(right) + 1]
    red = (part[..., 0] > 70) & (part[..., 0] > 2.5 * part[..., 1])
    return float(red.mean()), float(np.nonzero(red)[1].mean() / part.shape[1]) if red.any() else math.nan


def test_a_red_box_behind_on_the_left_is_on_the_left_of_the_left_mirror(view):
    share, middle = red_in(view, "left", 1)
    assert share > 0.02 and middle < 0.5
    assert red_in(view, "left", 3)[0] == 0.0 == red_in(view, "nowhere", 1)[0], "and in no other door mirror"


def test_a_red_box_behind_on_the_right_is_on_the_right_of_the_right_mirror(view):
    share, middle = red_in(view, "right", 3)
    assert share > 0.02 and middle > 0.5
    assert red_in(view, "right", 1)[0] == 0.0


def test_gauges_are_live_in_the_drivers_camera_only(view):
    at_rest, fast = (looking(view, 0, readout(speed=speed)) for speed in (0.0, 20.0))
    assert (at_rest != fast).any(axis=2).sum() > 100
    view.camera = "chase"
    a, b = (view.render(readout(speed=speed)).copy() for speed in (0.0, 0.0))
    view.camera = "driver"
    assert (a == b).all()


def test_images_depend_on_nothing_before_them(view):
    view.scene.show_objects(red_box("left"))
    first = looking(view, 1, readout())
    looking(view, 3, readout(x=20.0, speed=20.0))
    assert (looking(view, 1, readout()) == first).all()


def test_a_live_window_renews_one_mirror_in_an_image(view):
    looking(view, 1, readout())
    cockpit, drawn = view.scene.cockpit, []
    frames = cockpit._mirrors
    begins = [frame.begin for frame in frames]
    cockpit.take_turns()
    try:
        for k, frame in enumerate(frames):
            frame.begin = lambda k=k: (drawn.append(k), begins[k]())  # type: ignore[method-assign]
        for _ in range(8):
            view.render(readout(), extras())
        counts = [drawn.count(k) for k in range(3)]
        drawn.clear()
        for camera in ("chase", "driver"):
            view.camera = camera
            view.render(readout(), extras())
    finally:
        cockpit._takes_turns = False
        for frame, begin in zip(frames, begins, strict=True):
            frame.begin = begin  # type: ignore[method-assign]
    assert counts[0] == 2 and max(counts) <= 3
    assert 0 in drawn, "after another camera, all that are in the image"
