"""Are other vehicles drawn where they are, with their own bodies, wheels and lamps, and labeled as one object?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.base.records import Record, record
from simulator.view.camera_images import CAMERA, CameraImages, Images
from simulator.view.make_object_data import make_object_data
from simulator.view.object_changes import ChangedObjects
from simulator.view.object_culling import ObjectItems
from simulator.view.shared_state import STATE, ViewReader, ViewWriter, extras
from simulator.view.vehicle_parts import DrawnVehicle, VehiclePart
from simulator.view.vehicle_states import JUMP, NO_STATES, between, rotations, states_of
from terrain.objects.breakaway import Breakaway
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Box, ConvexHull, WorldObject
from tests.view.scenes import geometry, hilly_terrain, readout

W, H = 320, 200
FROM_BEHIND = np.array(((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)))
"""Optical axes of a camera that looks along x."""
CORNERS = np.array([(x, y, z) for x in (-2.3, 2.2) for y in (-1.0, 1.0) for z in (-0.3, 1.2)])
FAR = (-60.0, 0.0)
"""Place of the first vehicle, behind the camera."""


def world(*names: str) -> ObjectSet:
    """A stone, and vehicles of two parts each."""
    stone = WorldObject("stone", Box((0.5, 0.5, 0.5)), (30.0, 20.0, 0.2))
    drawn = [DrawnVehicle(name, geometry()) for name in names]
    return ObjectSet([
        stone,
        *(
            VehiclePart(f"{one.name}{end}", ConvexHull(CORNERS * share), (50.0, 0.0, 0.6), motion=Breakaway(2000.0), label="vehicle", vehicle=one)
            for one in drawn
            for end, share in (("", 1.0), (" 1", 0.5))
        ),
    ])  # fmt: skip


def other(x: float, y: float = 0.0, steer: float = 0.0, **fields: float) -> Record:
    """State of one vehicle."""
    shown = readout(x, y, steer=steer)
    for name, value in fields.items():
        shown[0][name] = value
    return states_of([1], [shown])


@pytest.fixture(scope="module")
def view() -> Iterator[CameraImages]:
    terrain = hilly_terrain()
    terrain.objects = make_object_data(world("lead"))
    try:
        images = CameraImages(terrain, geometry())
    except DeviceError as error:
        pytest.skip(str(error))
    yield images
    images.close()


def image(view: CameraImages, first: tuple[float, float], others: Record, brake: float = 0.0) -> Images:
    """Images of a camera at the origin; `brake` of the first vehicle."""
    camera, state = record(CAMERA), record(STATE)
    c = camera[0]
    c["width"], c["height"], c["focal"], c["center"], c["shows_vehicle"] = W, H, 200.0, (0.5 * W, 0.5 * H), 1
    shown = readout(*first)
    shown[0]["brake"] = brake
    for name in shown.dtype.names or ():
        state[0][name] = shown[0][name]
    view.scene.place_vehicles(others)
    return view.render(camera, np.array((0.0, 0.0, 1.5)), FROM_BEHIND, state)


def test_another_vehicle_looks_like_the_first_one_at_its_place(view):
    first, second = image(view, (10.0, 1.0), other(*FAR)), image(view, FAR, other(10.0, 1.0))
    own, its = first.number == -2, second.number == 2  # the first part of the vehicle is row 1
    assert own.sum() > 1500
    assert (own & ~its).sum() < 0.06 * own.sum()  # the links of the suspension
    assert (its & ~own).sum() < 0.06 * own.sum()  # the panes
    both = own & its
    assert np.mean(np.abs(first.depth[both] - second.depth[both]) > 0.01) < 0.1  # the panes hide the seats
    assert np.mean(np.abs(first.color[both].astype(int) - second.color[both])) < 12.0


def test_its_parts_have_no_picture_of_their_own(view):
    numbers = image(view, FAR, other(10.0)).number
    assert set(np.unique(numbers)) <= {-1, 0, 1, 2}
    assert (image(view, FAR, other(10.0, 80.0)).number <= 1).all()  # out of the view
    view.scene.show_objects(make_object_data(world("lead")))
    unknown = image(view, FAR, NO_STATES).number
    assert (unknown == 2).any()  # without a state: as its parts, at their places


def test_the_wheels_are_steered_and_the_lamps_lit(view):
    straight = image(view, FAR, other(10.0)).color.astype(int)
    steered = image(view, FAR, other(10.0, steer=0.5)).color.astype(int)
    changed = np.flatnonzero(np.abs(steered - straight).max(axis=(1, 2)) > 30)
    assert len(changed) and changed.min() > 0.5 * H  # only below the horizon
    braking = image(view, FAR, other(10.0, brake=0.5)).color.astype(int) - straight
    lit = np.abs(braking).max(axis=2) > 10
    assert 10 < lit.sum() < 400 and (braking[lit][:, 0] > 10).mean() > 0.9
    backing = image(view, FAR, other(10.0, gear=-1)).color.astype(int) - straight
    assert (np.abs(backing).max(axis=2) > 5).any() and not (lit & (np.abs(backing).max(axis=2) > 10)).all()


def test_the_first_vehicle_has_the_same_lamps(view):
    on, off = (image(view, (10.0, 0.0), other(*FAR), brake).color.astype(int) for brake in (0.5, 0.0))
    assert ((on - off)[..., 0] > 10).sum() > 10


def test_head_and_tail_lamps_shine_at_night(view):
    def seen(night: float, yaw: float) -> np.ndarray:
        turned = states_of([1], [readout(7.0, 0.0, yaw=yaw)])
        lit["night"], lit["sunlight"], lit["skylight"], lit["groundlight"] = night, 0.02, 0.03, 0.02
        return image(view, FAR, turned).color.astype(int)

    lit, day = view.scene._lit[0], view.scene._lit.copy()
    try:
        for yaw, warm in ((np.pi, False), (0.0, True)):
            shines = (seen(1.0, yaw) - seen(0.0, yaw)).max(axis=2) > 10
            assert 10 < shines.sum() < 600, "only lamps"
            assert not (seen(0.2, yaw) - seen(0.0, yaw)).any(), "and none at dusk"
            color = seen(1.0, yaw)[shines].mean(axis=0)
            assert (color[0] > 1.5 * color[2]) == warm, "white ahead, red behind"
    finally:
        view.scene._lit[:] = day


def test_images_repeat_to_the_bit(view):
    one, two = (image(view, FAR, other(12.0, 0.3, steer=0.1)) for _ in range(2))
    assert one.color.tobytes() == two.color.tobytes() and one.number.tobytes() == two.number.tobytes()


def test_vehicles_of_one_kind_share_their_meshes_and_new_ones_are_drawn(view):
    data = make_object_data(world("lead", "next"))
    assert data.vehicles.tolist() == [[1, 2, 0], [3, 2, 0]] and len(data.geometries) == 1
    view.scene.show_objects(data)
    states = states_of([3, 1], [readout(10.0, 2.5), readout(10.0, -2.5)])
    assert {2, 4} <= set(np.unique(image(view, FAR, states).number))
    data.present[3:] = False
    view.scene.show_objects(data)
    assert 4 not in image(view, FAR, states).number  # removed
    view.scene.show_objects(make_object_data(world("lead")))
    assert 2 in image(view, FAR, states[:1]).number


def test_a_vehicle_whose_state_is_invalid_stays_visible_at_its_last_place(view):
    image(view, FAR, other(10.0, 1.0))
    invalid = other(12.0, 1.0)
    invalid["p_WB"][0, 0] = np.nan
    found = image(view, FAR, invalid)
    assert found.depth[found.number == 2].min() == pytest.approx(10.0 + CORNERS[:, 0].min(), abs=0.05)


def test_parts_follow_their_vehicle_for_their_shadows():
    data = make_object_data(world("lead"))
    items = ObjectItems(data, 10**6, np.ones((3, 4), np.int64))
    states = other(20.0, 3.0)
    items.place_vehicles(np.array([0]), states["p_WB"], rotations(states["q_WB"]))
    assert items.drawn.tolist() == [True, False, False] and items.present.all()
    assert items.position[1:] == pytest.approx(np.tile((20.0, 3.0, 0.59), (2, 1)))
    assert items.any_moves(np.arange(len(items.owner)))
    items.place_vehicles(np.array([0]), states["p_WB"], rotations(states["q_WB"]))
    assert not items.any_moves(np.arange(len(items.owner)))


def test_motion_of_vehicles_is_no_change_of_objects():
    objects = world("lead").for_session()
    found = ChangedObjects()
    found.take(objects, 0.0)
    objects.states["broken"][:] = 1
    objects.states["p_WO"][:] += 1.0
    assert not len(found.take(objects, 0.1).rows)
    objects.remove(2)
    removed = found.take(objects, 0.2)
    assert removed.rows.tolist() == [1] and removed.p_WO[0].tolist() == [51.0, 1.0, 1.6]  # a part that comes back is where it was


def test_a_view_reads_the_states_and_interpolates_them():
    block = ViewWriter()
    reader = ViewReader(block.name)
    try:
        first = readout()
        block.publish(first, extras(), other(1.0, brake=1.0))
        assert reader.read() and reader.vehicles["p_WB"][0, 0] == 1.0 and reader.vehicles["stop_lamps"].tolist() == [1.0]
        more = states_of([1, 3], [readout(2.0), readout(8.0)])
        block.publish(first, extras(), more)
        assert reader.read()
        assert reader.vehicles.tobytes() == more.tobytes()
        half = reader.interpolated_vehicles(reader._walls[1] + 0.5 * (reader._walls[1] - reader._walls[0]))
        assert half["p_WB"][:, 0].tolist() == pytest.approx([1.5, 8.0])
        block.jump()
        block.publish(first, extras(), other(3.0))
        assert reader.read() and reader.interpolated_vehicles(0.0)["p_WB"][:, 0].tolist() == [3.0]
        block.publish(first, extras(), NO_STATES)
        assert reader.read() and not len(reader.vehicles)
    finally:
        reader.close()
        block.close()


def test_a_vehicle_that_was_put_elsewhere_does_not_slide_there():
    before, after = other(0.0), other(JUMP + 1.0)
    assert between(before, after, 0.25)["p_WB"][0, 0] == JUMP + 1.0
    assert between(before, other(1.0), 0.25)["p_WB"][0, 0] == 0.25
    turned = between(states_of([1], [readout(yaw=3.0)]), states_of([1], [readout(yaw=-3.0)]), 0.5)
    assert abs(rotations(turned["q_WB"])[0, 0, 0] + 1.0) < 1e-9  # the short way, through half a turn


def test_rows_have_the_wheels_of_the_vehicle_with_the_most():
    from simulator.base.records import sized
    from vehicles.readout import READOUT

    six = record(sized(READOUT, wheels=6))
    six[0]["p_BK"][:, 0] = np.arange(6)
    states = states_of([1, 3], [readout(), six])
    assert states["p_BK"].shape == (2, 6, 3) and states["p_BK"][1, :, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert not states["p_BK"][0, 4:].any()


def test_a_vehicle_has_its_own_paint_and_its_parts_their_own_origin(view):
    usual = image(view, FAR, other(10.0, 1.0))
    data = make_object_data(world("lead"))
    data.looks[0] = (-1.5, 0.0, -0.5, 0.8, 0.05, 0.05)
    view.scene.show_objects(data)
    red = image(view, FAR, other(10.0, 1.0))
    assert (red.number == usual.number).all()
    painted = (np.abs(red.color.astype(int) - usual.color) > 20).any(axis=2) & (usual.number == 2)
    assert painted.sum() > 0.2 * (usual.number == 2).sum()
    assert (red.color[painted][:, 0] > 1.5 * red.color[painted][:, 1]).mean() > 0.9
    state = other(10.0, 1.0)
    shifted = view.scene.objects.items.position[1] - state[0]["p_WB"]
    assert shifted == pytest.approx(rotations(state["q_WB"])[0] @ (-1.5, 0.0, -0.5))
    view.scene.show_objects(make_object_data(world("lead")))


def test_a_camera_at_the_drivers_eye_sees_live_gauges_and_mirrors(view):
    camera, state = record(CAMERA), record(STATE)
    c = camera[0]
    c["width"], c["height"], c["focal"], c["center"], c["inside"], c["shows_vehicle"] = W, H, 180.0, (0.5 * W, 0.5 * H), 1, 1
    eye = np.array((0.1, 0.6, 1.0 + 0.59))

    def seen(speed: float, yaw: float) -> np.ndarray:
        shown = readout(0.0, 0.0, speed=speed)
        for name in shown.dtype.names or ():
            state[0][name] = shown[0][name]
        view.scene.place_vehicles(NO_STATES)
        c, s = np.cos(yaw), np.sin(yaw)
        turned = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
        return view.render(camera, eye, turned @ FROM_BEHIND, state).color.astype(int)

    still, fast = seen(0.0, 0.0), seen(25.0, 0.0)
    changed = np.nonzero((still != fast).any(axis=2))
    assert len(changed[0]) > 30 and changed[0].min() > 0.5 * H, "the gauges, below the road"
    assert (seen(0.0, 0.0) == still).all()
    assert len(np.unique(seen(0.0, 0.75)[:, : W // 2].reshape(-1, 3), axis=0)) > 300, "a door mirror with its image"
