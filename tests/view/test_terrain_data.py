"""Do the terrain arrays agree with the ground, and do the tiles cover it once?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.quadtree import Counter, tile_triangles, visible_tiles
from simulator.view.terrain_data import FAR_OFFSET, TerrainData, ViewRoad, is_paved, road_texture, soil_color, surface_texture
from simulator.view.textures import SUN
from simulator.weather import Weather
from tests.view.scenes import hilly_terrain


def test_height_is_bilinear_between_nodes_and_held_at_the_border():
    heights = np.array([[0.0, 1.0], [2.0, 5.0]], np.float32)
    terrain = TerrainData(
        (10.0, 20.0), (2.0, 4.0), (100.0, 0.5, 0.0), heights, np.zeros((2, 2), np.uint8), np.zeros((2, 2), np.uint8), ("sand",)
    )
    assert terrain.height(10.0, 20.0) == pytest.approx(100.0 + 5.0)
    assert terrain.height(11.0, 22.0) == pytest.approx(100.0 + 5.5 + 2.0)
    assert terrain.height(0.0, 20.0) == pytest.approx(100.0 + 0.0, abs=1e-4)
    assert terrain.height(12.0, 99.0) == pytest.approx(100.0 + 6.0 + 5.0, abs=1e-4)


def test_terrain_data_agree_with_their_ground():
    from simulator.base.records import record
    from terrain.ground import GROUND, Ground, Road
    from terrain.soil import SOIL

    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"], p[0]["height"], p[0]["slope"] = (-20.0, -10.0), (1.0, 0.5), 3.0, (0.1, -0.05)
    heights = np.random.default_rng(1).standard_normal((81, 61)).astype(np.float32)
    hardness = np.linspace(0.0, 1.0, heights.size, dtype=np.float32).reshape(heights.shape)
    road = Road("r", "gravel", np.array([[0.0, 0.0, 3.0], [5.0, 0.0, 3.0]]), 4.0, 1.0)
    soils = record(SOIL, 1)
    ground = Ground(
        name="g",
        p=p,
        heights=heights,
        hardness=hardness,
        soil_ids=np.zeros(heights.shape, np.uint8),
        soils=soils,
        soil_names=("clay",),
        spawn=(0.0, 0.0, 0.0),
        roads=(road,),
    )
    terrain = make_terrain_data(ground)
    for i, j in ((0, 0), (30, 40), (60, 80)):
        x, y = -20.0 + i, -10.0 + 0.5 * j
        assert terrain.height(x, y) == pytest.approx(ground.height(x, y), abs=2e-4)
    assert terrain.hardness[40, 30] == round(255 * float(hardness[40, 30]))
    assert terrain.roads[0].width == 4.0 and not terrain.roads[0].paved


def test_saved_terrain_data_are_restored(tmp_path):
    terrain = hilly_terrain()
    terrain.weather, terrain.convergence = Weather(rain=1e-6, latitude=0.7, snow=0.3), 0.1
    terrain.save(tmp_path / "land.npz")
    again = TerrainData.load(tmp_path / "land.npz")
    for name in ("heights", "hardness", "soil_ids"):
        assert np.array_equal(getattr(again, name), getattr(terrain, name))
    assert (again.origin, again.spacing, again.plane, again.soil_names) == (
        terrain.origin,
        terrain.spacing,
        terrain.plane,
        terrain.soil_names,
    )
    assert (again.weather, again.convergence) == (terrain.weather, terrain.convergence)
    assert np.array_equal(again.roads[0].points, terrain.roads[0].points) and again.roads[0].paved


def test_road_coordinates_are_the_distance_to_the_line():
    n = 101
    zeros = np.zeros((n, n), np.uint8)
    line = np.column_stack((np.linspace(-60.0, 60.0, 61), np.full(61, 3.0)))
    terrain = TerrainData(
        (-50.0, -50.0), (1.0, 1.0), (0.0, 0.0, 0.0), np.zeros((n, n), np.float32), zeros, zeros, ("sand",), [ViewRoad(line, 7.0, True)]
    )
    road, step = road_texture(terrain)
    assert step == 1
    y = np.arange(-50.0, 51.0)
    for column in (5, 50, 90):
        offset = road[:, column, 0].astype(float)
        near = np.abs(y - 3.0) < 20.0
        assert offset[near] == pytest.approx((y - 3.0)[near], abs=0.02), "left of the road is positive"
        assert (offset[np.abs(y - 3.0) > 25.0] == FAR_OFFSET).all()
    assert road[53, 50, 1] == pytest.approx(3.5)


def test_slopes_towards_the_sun_are_brighter():
    n = 60
    x = np.arange(n, dtype=np.float32)
    zeros = np.zeros((n, n), np.uint8)
    ridge = np.broadcast_to(np.minimum(x, n - x) * 0.4, (n, n)).astype(np.float32)
    terrain = TerrainData((0.0, 0.0), (1.0, 1.0), (0.0, 0.0, 0.0), ridge, zeros, zeros, ("sand",))
    light = surface_texture(terrain, SUN)[..., 3]
    # the sun stands in the west (-x): the slope that rises with x looks at it
    assert light[30, 10] > light[30, 50] + 40


def test_soils_are_distinguished_by_name():
    assert soil_color("gravel on dry_sand") == soil_color("dry_sand") != soil_color("clayey_loam")
    assert not is_paved("gravel") and is_paved("asphalt")


@pytest.mark.parametrize("focus", [(0.0, 0.0), (137.3, -42.9), (-1000.0, 3.0)])
def test_tiles_cover_the_land_once_and_neighbors_differ_by_one_level(focus):
    tiles, level = visible_tiles(focus, 1.0, 8, 6, np.eye(4))
    rng = np.random.default_rng(5)
    r = 10.0 ** rng.uniform(0.0, np.log10(700.0), 300)
    angle = rng.uniform(0.0, 2.0 * np.pi, 300)
    points = np.column_stack((focus[0] + r * np.cos(angle), focus[1] + r * np.sin(angle)))
    found = []
    for x, y in points:
        inside = (tiles[:, 0] <= x) & (x < tiles[:, 0] + tiles[:, 3]) & (tiles[:, 1] <= y) & (y < tiles[:, 1] + tiles[:, 3])
        assert inside.sum() == 1
        found.append(int(np.argmax(inside)))
    for (x, y), own in zip(points, found, strict=True):
        near = (tiles[:, 0] <= x + 4) & (x - 4 < tiles[:, 0] + tiles[:, 3]) & (tiles[:, 1] <= y + 4) & (y - 4 < tiles[:, 1] + tiles[:, 3])
        assert np.abs(level[near] - level[own]).max() <= 1


def test_tiles_outside_the_view_are_left_out():
    from simulator.view.shot import Shot, clip_of_world, look_at

    eye = np.array([0.0, 0.0, 3.0])
    shot = Shot(eye, look_at(eye, np.array([10.0, 0.0, 2.0])), 0.8, 0.3)

    def bounds(x, y, half):
        return np.full(len(x), -1.0), np.full(len(x), 1.0)

    everything, _ = visible_tiles((0.0, 0.0), 1.0, 12, 8, np.eye(4))
    seen, _ = visible_tiles((0.0, 0.0), 1.0, 12, 8, clip_of_world(shot, 16 / 9, 6000.0), bounds)
    assert len(seen) < 0.5 * len(everything)
    assert len(seen) * 2 * 12 * 12 < 130_000
    assert any((t[0] <= 30.0 < t[0] + t[3]) and (t[1] <= 0.5 < t[1] + t[3]) for t in seen), "what lies ahead is there"


def test_tile_triangles_cover_every_cell_counterclockwise():
    cells = 4
    corner = np.stack(np.unravel_index(tile_triangles(cells), (cells + 1, cells + 1)), axis=-1)[..., ::-1].reshape(-1, 3, 2).astype(float)
    a, b = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    area = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    assert area == pytest.approx(0.5) and area.sum() == pytest.approx(cells * cells)


def test_squares_know_whether_a_marked_node_is_inside_or_next_to_them():
    marked = np.zeros((40, 60), bool)
    marked[10, 20] = True
    counter = Counter(marked, (-5.0, 5.0), (2.0, 1.0))
    x, y = -5.0 + 2.0 * 20, 5.0 + 10.0
    squares = np.array([[x - 4.0, y - 4.0], [x + 0.5, y - 8.5], [x + 8.0, y], [x, y + 8.0], [-1e4, -1e4], [1e4, y]])
    assert counter.any(squares, squares + 8.0).tolist() == [True, True, False, False, False, False]
    border = np.zeros((40, 60), bool)
    border[:, -1] = True
    outside = np.array([[500.0, 3.0]])
    assert Counter(border, (0.0, 0.0), (1.0, 1.0)).any(outside, outside + 10.0).all(), "the border goes on outside"


def test_rectangles_outside_are_found_on_the_mirrored_map():
    heights = np.zeros((20, 30), np.float32)
    zeros = np.zeros(heights.shape, np.uint8)
    terrain = TerrainData((-10.0, 5.0), (2.0, 1.0), (0.0, 0.0, 0.0), heights, zeros, zeros, ("sand",), mirrored=True)
    rng = np.random.default_rng(6)
    low = rng.uniform(-300.0, 300.0, (500, 2))
    high = low + rng.uniform(0.0, 70.0, (500, 2))
    first, last = terrain.images(low, high)
    assert (first >= (-11.0, 4.5)).all() and (last <= (49.0, 24.5)).all()
    for share in rng.uniform(0.0, 1.0, (40, 2)):
        x = low + share * (high - low)
        u = np.column_stack([origin + spacing * terrain.inside((x[:, k] - origin) / spacing, count) for k, (origin, spacing, count) in
                             enumerate(((-10.0, 2.0, 30), (5.0, 1.0, 20)))])  # fmt: skip
        assert (u >= first - 1.01).all() and (u <= last + 1.01).all()
    assert np.mean(last - first < high - low + 1e-9) == 1.0, "no larger than they were"
