"""Do the insets show the last camera image, the last point cloud and the last obstacle map, where there is space, and does a key hide them?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.host.inset_feed import gray
from simulator.view.inset_block import BLOCK_FILE, MAX_PIXELS, MAX_POINTS, InsetBlock
from simulator.view.inset_images import REACH as CLOUD_REACH
from simulator.view.inset_images import SIDE, colors_of, top_view
from simulator.view.instrument_layout import Box, arrange, place_insets
from simulator.view.map_view import COLORS, MAX_BYTES, MAX_CELLS, OBSTACLE, PALETTE, REACH, MapView, codes_of, map_image
from simulator.view.offscreen import Offscreen
from simulator.view.shared_state import extras
from tests.view.scenes import geometry, hilly_terrain, readout

POINT = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("ring", "u2")])
W, H = 1280, 720


@pytest.fixture
def block() -> Iterator[InsetBlock]:
    found = InsetBlock()
    yield found
    found.close()


def cloud(*points: tuple[float, float, float]) -> np.ndarray:
    out = np.zeros((len(points), 1), POINT)
    for name, values in zip("xyz", np.array(points).T, strict=True):
        out[name][:, 0] = values
    return out


def test_a_view_reads_the_last_image_and_cloud_once(block: InsetBlock) -> None:
    view = InsetBlock(block.name)
    assert view.new_image() is None and view.new_points() is None
    image = np.random.default_rng(1).integers(0, 255, (48, 64, 3)).astype(np.uint8)
    block.put_image("front", image)
    block.put_points("lidar", cloud((1.0, 2.0, 3.0), (np.nan, 0.0, 0.0)))
    name, found = view.new_image() or ("", np.zeros(0))
    assert name == "front" and np.array_equal(found, image)
    name, points = view.new_points() or ("", np.zeros(0))
    assert name == "lidar" and np.array_equal(points, [[1.0, np.nan], [2.0, 0.0], [3.0, 0.0]], equal_nan=True)
    assert view.new_image() is None and view.new_points() is None
    view.close()


def test_large_images_and_clouds_are_thinned(block: InsetBlock) -> None:
    block.put_image("front", np.zeros((1500, 2000, 3), np.uint8))
    block.put_points("lidar", np.zeros(3 * MAX_POINTS, POINT))
    (_, image), (_, points) = block.new_image() or ("", np.zeros(0)), block.new_points() or ("", np.zeros(0))
    assert image.shape[0] * image.shape[1] <= MAX_PIXELS and image.shape == (375, 500, 3)
    assert points.shape == (3, MAX_POINTS)


def test_an_unfinished_write_is_read_later(block: InsetBlock) -> None:
    block.put_image("front", np.zeros((4, 4, 3), np.uint8))
    block._head["begin"][0] += np.uint64(1)
    assert block.new_image() is None
    block._head["begin"][0] -= np.uint64(1)
    assert block.new_image() is not None


def test_ahead_is_up_and_left_is_left_and_the_highest_point_is_in_front() -> None:
    points = np.array([(20.0, 10.0, -1.0), (20.0, 10.0, 2.0), (20.0, 10.0, 0.0), (500.0, 0.0, 0.0), (np.nan, 0.0, 0.0)]).T
    image = top_view(points)
    changed = np.argwhere((image != top_view(points[:, :0])).any(axis=2))
    assert changed.tolist() == [[int((CLOUD_REACH - 20.0) * SIDE / 80.0), int((CLOUD_REACH - 10.0) * SIDE / 80.0)]]
    assert np.array_equal(image[tuple(changed[0])], colors_of(np.array([2.0]))[0])


def obstacle_map(cells: int = 320, cell: float = 0.25) -> MapView:
    """A vehicle at the center that faces +y, with an obstacle 10 to 15 m ahead and 5 m to the left, unknown space behind, and a plan to a goal."""
    center = (np.arange(cells) + 0.5) * cell - 0.5 * cells * cell
    x, y = np.meshgrid(center, center)
    obstacle, unknown = (np.abs(x + 5.0) < 1.0) & (np.abs(y - 12.5) < 2.5), y < -20.0
    codes = codes_of(np.where(x > 20.0, 1.0, 0.0), obstacle, unknown)
    plan = np.column_stack((np.zeros(31), np.arange(31.0)))
    arcs = [np.column_stack((0.02 * k * np.arange(20.0) ** 2, np.arange(20.0))) for k in (-1, 1)]
    half = 0.5 * cells * cell
    return MapView(
        codes,
        (100.0 - half, 50.0 - half),
        cell,
        (100.0, 50.0, np.pi / 2),
        (2.5, 2.5, 2.2),
        (100.0, 74.0, 3.0),
        plan + (100, 50),
        [a + (100, 50) for a in arcs],
    )


def pixel(ahead: float, left: float) -> tuple[int, int]:
    scale = SIDE / (2.0 * REACH)
    return int((REACH - ahead) * scale), int((REACH - left) * scale)


def test_the_map_is_shown_ahead_up_with_plan_arcs_and_goal() -> None:
    image = map_image(obstacle_map())
    assert tuple(image[pixel(12.5, 5.0)]) == COLORS["obstacle"] and tuple(image[pixel(12.5, -5.0)]) == COLORS["free"]
    assert tuple(image[pixel(-28.0, 0.0)]) == COLORS["unknown"] and tuple(image[pixel(5.0, -25.0)]) == COLORS["costly"]
    assert tuple(image[pixel(18.0, 0.0)]) == COLORS["plan"] and tuple(image[pixel(0.0, 0.0)]) == COLORS["vehicle"]
    row, column = pixel(24.0, 3.0)
    assert (image[row - 2 : row + 3, column - 2 : column + 3] == COLORS["goal"]).all(axis=2).any()
    assert (image == COLORS["candidate"]).all(axis=2).sum() > 40
    blocked = MapView(**{**vars(obstacle_map()), "plan": np.empty((0, 2)), "candidates": ()})
    assert not (map_image(blocked) == COLORS["plan"]).all(axis=2).any()


def test_a_view_reads_a_map_once_and_a_large_one_is_thinned(block: InsetBlock) -> None:
    view, given = InsetBlock(block.name), obstacle_map()
    assert view.new_map() is None
    block.put_map("blocked: " + "ü" * 40, given)
    title, found = view.new_map() or ("", given)
    assert title == "blocked: " + "ü" * 15 and view.new_map() is None
    assert np.array_equal(found.cells, given.cells) and found.pose == given.pose and found.goal == given.goal
    assert np.allclose(found.plan, given.plan, atol=1e-5) and len(found.candidates) == 2
    assert np.array_equal(map_image(found), map_image(given))
    large = obstacle_map(1600, 0.1).around()
    assert large.cells.size <= MAX_CELLS and large.cell == pytest.approx(0.2) and len(large.to_bytes()) <= MAX_BYTES
    same = (map_image(large) == map_image(obstacle_map(1600, 0.1))).all(axis=2)
    assert same.mean() > 0.99, "thinning and cutting keep the picture"
    many = MapView(**{**vars(given), "candidates": [np.zeros((200, 2))] * 1000})
    assert len(many.to_bytes()) <= MAX_BYTES
    view.close()


def test_costs_are_between_free_and_obstacle() -> None:
    none = np.zeros(3, bool)
    codes = codes_of(np.array([0.0, 0.5, 1.0]), none, none)
    assert 0 < codes[0] < codes[1] < codes[2] < OBSTACLE and tuple(PALETTE[codes[0]]) == COLORS["free"]


def test_a_depth_image_is_white_near_and_black_far() -> None:
    image = gray(np.array([[0.5, 10.0, np.inf]], np.float32))
    assert image[0, 0, 0] == 255 and 0 < image[0, 1, 0] < 255 and image[0, 2, 0] == 0


@pytest.mark.parametrize(("width", "height"), [(1280.0, 720.0), (1920.0, 1080.0), (900.0, 700.0), (640.0, 360.0), (272.0, 232.0)])
def test_insets_never_cover_a_panel(width: float, height: float) -> None:
    panels = list(arrange(width, height, None, motion_chart=True).values())
    places = [box for box in place_insets(width, height, panels, [(298.0, 243.0), (226.0, 243.0)]) if box is not None]
    assert len(places) == (2 if width >= 1280.0 else len(places))
    for a, b in itertools.combinations([*panels, *places], 2):
        assert a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y


def test_without_space_an_inset_is_left_out() -> None:
    assert place_insets(300.0, 250.0, [Box(10.0, 140.0, 280.0, 100.0)], [(298.0, 243.0)]) == [None]


def test_the_window_shows_insets_until_they_are_hidden(block: InsetBlock, tmp_path: Path) -> None:
    try:
        view = Offscreen(W, H, hilly_terrain(), geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    from simulator.view.inset_renderer import Insets

    assert Insets.of_drive(tmp_path) is None
    (tmp_path / BLOCK_FILE).write_text(block.name, encoding="utf-8")
    view.scene.hud.insets = Insets.of_drive(tmp_path)
    plain = view.render(readout(), extras()).copy()
    magenta = np.zeros((60, 80, 3), np.uint8)
    magenta[:] = 250, 20, 240
    magenta[30:] = 20, 250, 30
    block.put_image("front", magenta)
    shown = view.render(readout(), extras()).copy()
    first, second = (np.argwhere((np.abs(shown.astype(int) - color) < 5).all(axis=2)) for color in ((250, 20, 240), (20, 250, 30)))
    assert len(first) == pytest.approx(288 * 108, rel=0.05) and len(second) == pytest.approx(288 * 108, rel=0.05)
    assert first[:, 0].max() < second[:, 0].min(), "the first row is the top row"
    assert first[:, 1].min() > W / 2, "at the right border"
    view.scene.hud.shows_insets = False
    assert np.array_equal(view.render(readout(), extras()), plain)
    assert view.scene.hud.insets is not None
    view.scene.hud.insets.close()
    view.close()
