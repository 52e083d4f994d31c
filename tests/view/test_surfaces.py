"""Do surfaces of the ground look like their material, and are they the same at each start?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base import disk_cache
from simulator.base.errors import DeviceError
from simulator.view import surface_textures as surfaces
from simulator.view.ground_cover import STEEP, relief_texture, soil_code, soil_layers
from simulator.view.light import Light
from simulator.view.object_data import no_objects
from simulator.view.offscreen import Offscreen
from simulator.view.terrain_data import TerrainData
from terrain.objects.labels import LABELS
from tests.view.scenes import geometry, readout

W, H = 320, 180


@pytest.fixture(scope="module")
def layers():
    return surfaces.make_surface_textures()


def test_the_textures_are_the_same_at_each_start(layers, tmp_path, monkeypatch):
    monkeypatch.setattr(disk_cache, "user_cache", lambda name: tmp_path)
    np.testing.assert_array_equal(surfaces.surface_textures(), layers)
    (saved,) = tmp_path.glob("*.tables")
    monkeypatch.setattr(surfaces, "make_surface_textures", lambda: pytest.fail("computed again"))
    np.testing.assert_array_equal(surfaces.surface_textures(), layers)
    saved.write_bytes(saved.read_bytes()[:5000])
    monkeypatch.setattr(surfaces, "make_surface_textures", lambda: layers)
    # a damaged file does not stop a drive
    np.testing.assert_array_equal(surfaces.surface_textures(), layers)


@pytest.mark.parametrize("layer", range(len(surfaces.LAYERS)))
def test_a_texture_has_no_seam_and_no_tint_of_its_own(layers, layer):
    texels = layers[layer].astype(float)
    for axis in (0, 1):
        steps = np.abs(np.diff(texels, axis=axis)).mean()
        seam = np.abs(np.take(texels, 0, axis) - np.take(texels, -1, axis)).mean()
        assert seam < 1.5 * steps, "the first texel follows the last one"
    assert abs(texels[..., 0].mean() - 127.5) < 6.0, "half brightness on average: the soil gives the color"
    assert np.abs(texels[..., 2:].mean(axis=(0, 1)) - 128.0).max() < 1.0, "level on average"
    assert texels[..., 0].std() > 2.0
    # squares of a meter are equally bright, so that the repetition does not show from afar
    assert texels[..., 0].reshape(4, 128, 4, 128).mean(axis=(1, 3)).std() < 3.0


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("dry_sand", "SAND"), ("rubicon_sandy_loam", "DIRT"), ("clayey_loam", "MUD"), ("snow", "SNOW"), ("ice on dry_sand", "CONCRETE"),
        ("asphalt on dry_sand", "SAND"), ("gravel on asphalt", "DIRT"), ("krc_coarse_gravel", "GRAVEL"), ("lunar_regolith", "SAND"), ("", "DIRT"),
    ],
)  # fmt: skip
def test_a_soil_has_the_layer_of_its_name(name, layer):
    assert surfaces.LAYERS[soil_code(name) // 16] == layer


def land(heights=None, soil="sandy_loam", hard=0, objects=None) -> TerrainData:
    heights = np.zeros((64, 64), np.float32) if heights is None else heights.astype(np.float32)
    flat = np.zeros(heights.shape, np.uint8)
    return TerrainData(
        (-32.0, -32.0), (1.0, 1.0), (0.0, 0.0, 0.0), heights, flat + np.uint8(hard), flat, (soil,), objects=objects or no_objects()
    )


def test_rock_shows_on_steep_soil_only():
    x = np.arange(64.0)[None, :] * np.ones((64, 1))
    steep, gentle = np.maximum(x - 32.0, 0.0) * (STEEP + 0.2), np.maximum(x - 32.0, 0.0) * (STEEP - 0.2)
    found = soil_layers(land(steep)) // 16 == surfaces.ROCK
    assert found[:, 33:62].all() and not found[:, :31].any()
    assert not (soil_layers(land(gentle)) // 16 == surfaces.ROCK).any()
    assert not (soil_layers(land(steep, hard=255)) // 16 == surfaces.ROCK).any(), "a road stays a road"
    assert not (soil_layers(land(steep, soil="dry_sand")) // 16 == surfaces.ROCK).any()


def test_hollows_see_less_of_the_sky_and_leaves_lie_under_trees():
    y, x = np.mgrid[-32.0:32.0, -32.0:32.0]
    objects = no_objects()
    objects.shape, objects.label = np.zeros(1, np.int64), np.array([LABELS["vegetation"]])
    objects.p_WO = np.array([[10.0, -5.0, 0.0]])
    relief = relief_texture(land(-2.0 * np.exp(-(x**2 + y**2) / 18.0) + 2.0 * np.exp(-((x - 20) ** 2 + y**2) / 18.0), objects=objects))
    pit, top, plain = (relief[32, 32 + k].astype(int) for k in (0, 20, -25))
    assert pit[0] < plain[0] - 20 < top[0] - 20
    assert pit[2] > 127 + 30 and top[2] < 127 - 30 and abs(plain[2] - 127) < 3
    assert relief[27, 42, 1] > 200 and relief[40, 20, 1] == 0
    assert (relief_texture(land())[..., 0] == relief_texture(land())[0, 0, 0]).all()


def ground_of(soil, hard=0, light=None, monkeypatch=None):
    """Linear colors (n, 3) of the near ground, beside the vehicle."""
    if light is not None:
        monkeypatch.setattr(Light, "of", classmethod(lambda cls, *_: cls(**light)))
    try:
        view = Offscreen(W, H, land(soil=soil, hard=hard), geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    view.scene.instruments = view.scene.grass.shown = False
    first = view.render(readout()).copy()
    np.testing.assert_array_equal(view.render(readout()), first)
    view.close()
    return (first[int(0.7 * H) :, : W // 4].reshape(-1, 3) / 255.0) ** 2


def test_each_material_has_its_color_and_its_grain():
    sand, snow, asphalt = ground_of("dry_sand"), ground_of("snow"), ground_of("asphalt", 255)
    assert snow.mean() > 1.5 * sand.mean() > 4.0 * asphalt.mean()
    assert sand[:, 0].mean() > 1.5 * sand[:, 2].mean(), "sand is yellow"
    assert abs(asphalt[:, 0].mean() / asphalt[:, 2].mean() - 1.0) < 0.35, "asphalt is gray"
    gravel = ground_of("gravel", 255)
    for name, pixels in (("sand", sand), ("asphalt", asphalt), ("gravel", gravel)):
        assert pixels[:, 1].std() > 0.06 * pixels[:, 1].mean(), f"{name} is no plain color"
    assert gravel[:, 1].std() / gravel[:, 1].mean() > 1.5 * sand[:, 1].std() / sand[:, 1].mean(), "stones are rougher than sand"


def test_rain_darkens_the_ground_and_snow_covers_it(monkeypatch):
    dry = ground_of("dry_sand")
    wet = ground_of("dry_sand", light={"wet": 0.5}, monkeypatch=monkeypatch)
    white = ground_of("dry_sand", light={"snow": 1.0}, monkeypatch=monkeypatch)
    assert wet.mean() < 0.9 * dry.mean()
    assert white.mean() > 1.5 * dry.mean()
    assert abs(white[:, 0].mean() / white[:, 2].mean() - 1.0) < 0.15
