"""Grass near the camera: does it stand on the ground where soil lets it grow, at the same places in every image, and not in ruts?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.view.offscreen import Offscreen
from simulator.view.rut_tiles import SIDE, RutTiles
from simulator.view.terrain_data import TerrainData
from terrain.rut_grid import TILE
from tests.view.scenes import geometry, hilly_terrain, readout


@pytest.fixture(scope="module")
def view():
    try:
        offscreen = Offscreen(640, 360, hilly_terrain(), geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    offscreen.scene.instruments = False
    offscreen.camera = "chase"
    offscreen.scene.grass._density = 4.0
    yield offscreen
    offscreen.close()


def tufts(view, x: float, y: float) -> np.ndarray:
    """(n, 8) tufts around a place, ordered."""
    grass = view.scene.grass
    found = grass._around((int(x // 4.0), int(y // 4.0)))
    return found[np.lexsort(found[:, 1::-1].T)]


def test_tufts_stand_on_soil_and_not_on_the_road(view) -> None:
    found = tufts(view, 10.0, 0.0)
    terrain = hilly_terrain()
    heights = [terrain.height(float(x), float(y)) for x, y in found[:200, :2]]
    assert len(found) > 500 and found[:200, 2] == pytest.approx(heights, abs=1e-4)
    assert np.abs(found[:, 1]).min() > 4.0, "the road is 8 m wide"
    assert found[:, 4].min() > 0.05 and found[:, 4].max() < 0.45


def test_the_same_tufts_are_seen_from_everywhere(view) -> None:
    here, there = tufts(view, 10.0, 30.0), tufts(view, 26.0, 30.0)
    both = [some[(some[:, 0] > 2.0) & (some[:, 0] < 34.0) & (some[:, 1] > 16.0) & (some[:, 1] < 44.0)] for some in (here, there)]
    assert len(both[0]) > 300 and (both[0] == both[1]).all()


@pytest.mark.parametrize(("soil", "grows"), [("loam", True), ("snow", False), ("rock", False), ("dry_sand", True)])
def test_the_soil_decides_how_much_grows(view, soil: str, grows: bool) -> None:
    from simulator.view.dressings.grass import _growth

    assert (_growth(soil) > 0.1) == grows
    assert _growth("loam") > _growth("dry_sand")


def test_there_is_none_on_hard_ground(view) -> None:
    land = hilly_terrain()
    hard = TerrainData(
        land.origin, land.spacing, land.plane, land.heights, np.full_like(land.hardness, 255), land.soil_ids, land.soil_names, land.roads
    )
    kept = view.scene.grass._terrain
    view.scene.grass._terrain = hard
    try:
        assert len(tufts(view, 10.0, 30.0)) == 0
    finally:
        view.scene.grass._terrain = kept


def test_ruts_press_the_grass_down(view) -> None:
    state = readout(y=-20.0, ground=hilly_terrain().height(0.0, -20.0))

    def seen() -> int:
        images = []
        for grows in (True, False):
            view.scene.grass.shown = grows
            images.append(view.render(state).astype(int))
        view.scene.grass.shown = True
        return int((np.abs(images[0] - images[1]).max(axis=2) > 12).sum())

    view.scene.smooth_out()
    before = seen()
    places = np.array([(i, j) for i in range(-SIDE // 2, SIDE // 2) for j in range(-SIDE // 2, SIDE // 2)], np.int32)
    view.scene.show_ruts(RutTiles(places, np.full((len(places), TILE, TILE), 600, np.uint16)))
    assert before > 1500 and seen() < 0.05 * before
    view.scene.smooth_out()
    assert seen() == before
