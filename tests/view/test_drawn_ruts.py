"""Ruts in the image: a view receives the tiles from the host, and the ground is darker only in ruts."""

from __future__ import annotations

import io
import math
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from simulator.base.errors import DeviceError
from simulator.run.frames import States, pictures_of
from simulator.view.offscreen import Offscreen
from simulator.view.rut_tiles import BYTES, MAX_TILES, REACH, SIDE, RutSquare, RutTiles
from simulator.view.shared_state import ViewReader, ViewWriter, extras
from simulator.view.vehicle_states import NO_STATES
from terrain.objects.object_set import NO_OBJECTS
from terrain.rut_changes import ChangedTiles
from terrain.rut_grid import TILE, TILE_SIDE
from terrain.rut_memory import FEWEST, SoilMemory
from terrain.ruts import merge_tile, press
from tests.view.scenes import geometry, hilly_terrain, readout

W, H = 640, 360
BESIDE = -14.0
"""y of a place on soil beside the road."""


def tiles(*places, depth=300):
    count = len(places)
    return RutTiles(np.array(places, np.int32).reshape(count, 2), np.full((count, TILE, TILE), depth, np.uint16))


def as_dict(found):
    return {tuple(place): int(depths.max()) for place, depths in zip(found.places.tolist(), found.depths, strict=True)}


def test_a_view_takes_what_was_put_and_a_late_one_all_of_it():
    memory = memoryview(bytearray(BYTES))
    host, view = RutSquare(memory, 0), RutSquare(memory, 0)
    assert len(view.take().places) == 0
    host.put(tiles((0, 0), (-1, 5)))
    host.put(tiles((-1, 5), depth=400))
    assert as_dict(view.take()) == {(0, 0): 300, (-1, 5): 400} and len(view.take().places) == 0
    host.put(tiles((SIDE, 0), depth=7))
    assert as_dict(view.take()) == {(SIDE, 0): 7}, "it has taken the place of (0, 0)"
    host._begin[3] += 1
    assert len(view.take().places) == 0, "that one is being written"
    host.put(tiles(*((k % SIDE, k // SIDE) for k in range(MAX_TILES + 5))))
    late = RutSquare(memory, 0)
    assert [len(late.take().places) for _ in range(3)] == [MAX_TILES, 6, 0]


def test_views_get_the_ruts_through_the_block():
    writer, bare = ViewWriter(soft=True), ViewWriter()
    reader, other = ViewReader(writer.name), ViewReader(bare.name)
    try:
        writer.publish(readout(), extras())
        assert reader.read() and len(reader.new_ruts().places) == 0 and bare.ruts is None and len(other.new_ruts().places) == 0
        writer.ruts.put(tiles((3, -4)))
        assert as_dict(reader.new_ruts()) == {(3, -4): 300} and reader.last[0]["p_WB"][2] == readout()[0]["p_WB"][2]
    finally:
        for end in (reader, other, writer, bare):
            end.close()


def looked(changed, soil, x, y, times=2 * SIDE):
    """Everything told in some looks, the last of each tile."""
    told = {}
    for _ in range(times):
        told |= as_dict(RutTiles(*changed.changed_tiles(soil, x, y)))
    return told


def test_the_square_goes_with_the_vehicle():
    soil, changed = SoilMemory(FEWEST, 16), ChangedTiles(16, 8)
    assert looked(changed, soil, 0.0, 0.0) == {}
    for k in range(100):
        merge_tile(soil.arrays, k, 3, np.full((TILE, TILE), k + 1, np.uint16))
    seen = soil.arrays.seen.copy()
    soil.arrays.seen[:] = 0
    assert looked(changed, soil, 0.0, 0.0) == {(k, 3): k + 1 for k in range(8)}
    assert looked(changed, soil, 0.0, 0.0) == {}
    soil.load_tiles_around(0.0, 0.0)
    merge_tile(soil.arrays, 2, 3, np.full((TILE, TILE), 500, np.uint16))
    assert looked(changed, soil, 0.0, 0.0, 1) == {(2, 3): 500}, "the one that has changed, at once"
    after = looked(changed, soil, 6.1 * TILE_SIDE, 0.0)
    assert after == {(k, 3): k + 1 for k in range(8, 14)}, "what was left behind has been replaced, or stays beyond what is drawn"
    assert set(looked(changed, soil, 0.0, 100.0).values()) == {0}, "and here is nothing"
    assert looked(changed, soil, math.nan, 0.0) == {}
    assert np.count_nonzero(soil.arrays.seen) == 1 < np.count_nonzero(seen), "to draw them does not keep them"


@pytest.fixture(scope="module")
def view():
    try:
        offscreen = Offscreen(W, H, hilly_terrain(), geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    offscreen.scene.hud.visible = offscreen.scene.instruments = False
    yield offscreen
    offscreen.close()


@pytest.fixture(scope="module")
def track():
    """A soil with two ruts behind and ahead of the origin, along y = BESIDE, and one beside them that begins with a tile."""
    soil = SoilMemory(FEWEST, 16)
    begins = math.floor(BESIDE / TILE_SIDE - 1.6) * TILE_SIDE - BESIDE + 0.184
    for side in (-0.91, 0.91, begins):
        for k in range(1000):
            press(soil.arrays, (-30.0 + 0.04 * k, BESIDE + side), (1.0, 0.0), (0.04, 0.0), 0.16, 0.08)
    return soil


def on_soil(x=0.0):
    return readout(x=x, y=BESIDE, ground=hilly_terrain().height(x, BESIDE))


def of(soil):
    used = int(soil.arrays.state[0]["tiles"])
    return RutTiles(soil.arrays.places[:used], soil.arrays.depths[:used])


def test_every_program_of_the_land_is_used_in_the_first_picture(view, monkeypatch):
    """Drivers compile one where it is used first: the first rut of a drive would be a frame of ten times the usual length."""
    from simulator.view.terrain_renderer import RUTTED  # needs the context of the fixture

    terrain, used = view.scene._terrain, []
    view.render(on_soil())
    assert not terrain._fresh
    monkeypatch.setattr(terrain, "_use", lambda kind, picture, shadow: used.append(kind) or terrain._programs[kind].use())
    terrain._fresh = True
    view.render(on_soil())
    assert set(used) == set(terrain._programs) > set(RUTTED)


def test_the_ground_is_darker_in_ruts(view, track):
    before = view.render(on_soil()).astype(int)
    view.scene.show_ruts(of(track))
    after = view.render(on_soil()).astype(int)
    changed = np.abs(after - before).max(axis=2) > 25
    assert 0.005 < changed.mean() < 0.15
    assert not changed[: H // 3].any(), "the sky and the hills"
    rows = slice(H - H // 6, H)  # the ground between the camera and the vehicle
    columns = changed[rows].mean(axis=0)
    left, right = columns[: W // 2], columns[W // 2 :]
    assert left.max() > 0.7 and right.max() > 0.7, "ruts on both sides"
    assert columns[W // 2 - W // 40 : W // 2 + W // 40].max() < 0.1, "and nothing between them"
    assert (after[rows][changed[rows]] - before[rows][changed[rows]]).mean() < -15
    view.scene.smooth_out()
    assert np.abs(view.render(on_soil()).astype(int) - before).max() <= 2


@pytest.mark.parametrize("camera", ["chase", "suspension"])
def test_no_ground_is_missing_over_the_ruts(view, track, camera):
    """The ground is open above the sunken mesh: nothing of the sky must shine through, from wherever one looks."""
    try:
        for x in (-6.0, 0.0, 3.3, 9.0):
            pictures = []
            for shown in (False, True):
                view.scene.smooth_out()
                if shown:
                    view.scene.show_ruts(of(track))
                view.camera = camera
                pictures.append(view.render(on_soil(x)).astype(int))
            blue = [image[..., 2] > image[..., 0] + 15 for image in pictures]
            assert not (blue[1] & ~blue[0]).any()
    finally:
        view.camera = "chase"
        view.scene.smooth_out()


def test_far_ruts_are_shaded_and_old_ones_of_another_place_are_not(view, track):
    before = view.render(on_soil(30.0)).astype(int)
    view.scene.show_ruts(of(track))
    near = view.scene._terrain.ruts.corners((30.0, BESIDE), REACH)
    after = view.render(on_soil(30.0)).astype(int)
    assert len(near) == 0, "nothing to sink in"
    view.scene.camera.kind = "chase"
    behind = np.abs(after - before).max()
    far = view.render(on_soil(TILE_SIDE * SIDE)).astype(int)
    view.scene.smooth_out()
    assert np.abs(view.render(on_soil(TILE_SIDE * SIDE)).astype(int) - far).max() <= 2, "one repetition farther is nobody's track"
    assert behind <= 255


def test_pictures_of_a_run_show_the_ruts_up_to_then(view):
    """In the first picture nobody has been yet where the ruts of the last one are."""
    states, soil = States(1), SoilMemory(FEWEST, 16)
    for n in range(30):
        x = 0.5 * n
        for side in (-0.91, 0.91):
            press(soil.arrays, (x, BESIDE + side), (1.0, 0.0), (0.5, 0.0), 0.16, 0.08)
        state = on_soil(12.0)
        state[0]["time"] = 0.1 * n
        states.publish(SimpleNamespace(readout=state, soil=soil, objects=NO_OBJECTS, others=SimpleNamespace(states=NO_STATES)))
        soil.load_tiles_around(x, BESIDE)
    seen = states.spread(3)
    assert [len(one.pressed) for one in seen] == [1, 14, 15]
    first, _, last = (np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), int) for data, _ in pictures_of(view, seen))
    view.scene.smooth_out()
    nobody = view.render(seen[0].state).astype(int)
    rows = slice(H - H // 6, H)
    assert (np.abs(last - nobody)[rows].max(axis=2) > 25).mean() > 0.05
    assert (np.abs(first - nobody)[rows].max(axis=2) > 25).mean() < 0.01
