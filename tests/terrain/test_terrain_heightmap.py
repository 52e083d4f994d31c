"""Do height maps have the right orientation, and are invalid ones refused?"""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from simulator.base.errors import ConfigError
from terrain.load_terrain import load_terrain
from terrain.readers.kinds import read_heights
from terrain.readers.png import write_png16
from terrain.readers.request import ReadRequest

ROWS, COLUMNS = 7, 11


@pytest.fixture
def ramp():
    """Return counts as stored in a file with the northern row first: 100 per column to the east, 1000 per row to the north, from 5000."""
    return (5000 + 100 * np.arange(COLUMNS)[None, :] + 1000 * np.arange(ROWS)[::-1, None]).astype(np.uint16)


def read_heightmap(path, first_row="north", scale=1.0, offset=0.0):
    """Return the heights, row 0 in the south, of a file without further options."""
    said = {"first_row": first_row, "scale": scale, "offset": offset, "origin": [0.0, 0.0], "spacing": [1.0, 1.0]}
    return read_heights(ReadRequest(path, said, "ramp.yaml")).samples


def save(path, samples):
    if path.suffix == ".png":
        write_png16(path, samples)
    else:
        np.save(path, samples)
    return path


@pytest.mark.parametrize("name", ["ramp.png", "ramp.npy"])
def test_an_asymmetric_ramp_has_the_given_position(tmp_path, ramp, soils, name):
    save(tmp_path / name, ramp)
    heights = {"file": name, "first_row": "north", "origin": [-20.0, 300.0], "spacing": [8.0, 5.0], "scale": 0.01, "offset": -40.0}
    mapping = {
        "type": "heightmap",
        "heights": heights,
        "grid": {"origin": [-4.0, 310.0], "spacing": 1.0, "count": [40, 12]},
        "soils": {"shares": {"lete_sand": 1.0}},
        "spawn": {"position": [0.0, 312.0], "yaw_deg": 90.0},
    }
    g = load_terrain(mapping, "ramp.yaml", tmp_path, soils)
    for x, y in ((-4.0, 310.0), (30.0, 312.3), (3.7, 318.9)):
        assert g.height(x, y) == pytest.approx(10.0 + (x + 20.0) / 8.0 + 10.0 * (y - 300.0) / 5.0, abs=2e-5)
    assert g.spawn == (0.0, 312.0, pytest.approx(np.pi / 2))


@pytest.mark.parametrize("name", ["ramp.png", "ramp.npy"])
def test_samples_survive_a_file_exactly(tmp_path, name):
    samples = np.random.default_rng(0).integers(0, 65536, (ROWS, COLUMNS)).astype(np.uint16)
    path = save(tmp_path / name, samples)
    np.testing.assert_array_equal(read_heightmap(path, "north", 0.125), 0.125 * samples[::-1])
    np.testing.assert_array_equal(read_heightmap(path, "south", 0.125, 3.0), 0.125 * samples + 3.0)


def test_images_of_8_bit_and_of_color_are_refused(tmp_path):
    for mode in ("L", "RGB", "1", "P", "LA", "RGBA"):
        path = tmp_path / f"{mode}.png"
        Image.new(mode, (COLUMNS, ROWS)).save(path)
        with pytest.raises(ConfigError, match="16-bit gray"):
            read_heightmap(path)


def test_damaged_files_are_refused(tmp_path, ramp):
    for suffix in (".png", ".npy"):
        whole = save(tmp_path / f"whole{suffix}", ramp).read_bytes()
        for k, content in enumerate((b"", whole[: len(whole) // 2], whole[:20], b"not at all" * 20)):
            path = tmp_path / f"broken{k}{suffix}"
            path.write_bytes(content)
            with pytest.raises(ConfigError, match="readable"):
                read_heightmap(path)


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(50),
        np.zeros((5, 5, 3)),
        np.zeros((1, 50)),
        np.full((5, 5), np.nan),
        np.full((5, 5), 1e20),
        np.where(np.eye(5), -9999.0, 7.0),
        np.full((5, 5), np.inf),
        np.zeros((5, 5), complex),
        np.full((5, 5), "a"),
        np.array([{}], dtype=object),
    ],
)
def test_arrays_without_heights_are_refused(tmp_path, samples):
    np.save(tmp_path / "x.npy", samples, allow_pickle=True)
    with pytest.raises(ConfigError):
        read_heightmap(tmp_path / "x.npy")


def test_missing_file_unknown_suffix_and_wrong_row_are_refused(tmp_path, ramp):
    with pytest.raises(ConfigError, match=r"(?i)no such file"):
        read_heightmap(tmp_path / "none.png")
    with pytest.raises(ConfigError, match=r"\.npy"):
        read_heightmap(tmp_path / "x.bmp")
    with pytest.raises(ConfigError, match="a side that matches row_runs"):
        read_heightmap(save(tmp_path / "x.npy", ramp), "east")


def test_only_16_bit_numbers_are_written(tmp_path):
    with pytest.raises(ConfigError):
        write_png16(tmp_path / "x.png", np.zeros((5, 5)))
    assert not (tmp_path / "x.png").exists()
