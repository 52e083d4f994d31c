"""Rut memory: hash table compared with a Python dictionary, reload of evicted tiles, complete ruts at any speed."""

from __future__ import annotations

import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from terrain.rut_grid import SPACING, TILE, UNIT, read_ruts
from terrain.rut_memory import FEWEST, SoilMemory
from terrain.ruts import NO_RUTS, depth_across, find, merge_tile, new_ruts, press, remembers, tile_at

HALF = 0.16
"""m. Half width of a wheel."""


@kernel
def drive(ruts, x, y, e_x, e_y, step, steps, depth):
    """Roll a wheel straight ahead for a number of steps of `step` m."""
    for k in range(steps):
        press(ruts, (x + k * step * e_x, y + k * step * e_y), (e_x, e_y), (step, 0.0), HALF, depth)


@kernel
def look(ruts, x, y, e_x, e_y, step, out):
    """Read the ruts along the same path over the complete width of a wheel."""
    for k in range(len(out)):
        out[k] = depth_across(ruts, x + k * step * e_x, y + k * step * e_y, -e_y, e_x, HALF - 0.5 * SPACING)


@pytest.fixture(scope="module")
def draw():
    return np.random.default_rng(7)


def tile_of(number):
    return np.full((TILE, TILE), number, np.uint16)


def spilled(ruts):
    """Return and remove all tiles of the ring: [(place, depths)]."""
    s = ruts.state[0]
    out = []
    for k in range(int(s["taken"]), int(s["spilled"])):
        n = k % len(ruts.ring_depths)
        out.append((tuple(ruts.ring_places[n].tolist()), ruts.ring_depths[n].copy()))
    s["taken"] = s["spilled"]
    return out


def test_table_is_a_dictionary_of_the_tiles_that_fit(draw):
    """A path that returns, near and far and across zero, in a pool of 60 tiles, so that chains of the table merge and are repaired."""
    ruts, known = new_ruts(60, 8, 16), {}
    place = np.zeros(2, int)
    for k in range(4000):
        place = place + draw.integers(-2, 3, 2) if draw.random() < 0.9 else draw.integers(-(10**6), 10**6, 2)
        if draw.random() < 0.3 and known:
            place = np.array(list(known)[draw.integers(len(known))])
        ix, iy = place.tolist()
        number = 1 + k % 60000
        merge_tile(ruts, ix, iy, tile_of(number))
        known[ix, iy] = max(number, known.get((ix, iy), 0))
        for where, depths in spilled(ruts):
            assert (depths == known.pop(where)).all()
        assert len(known) == min(ruts.state[0]["tiles"], 60)
    assert ruts.state[0]["tiles"] == 60 and ruts.state[0]["forgotten"] == 0
    for (ix, iy), number in known.items():
        n = find(ruts, ix, iy)
        assert n >= 0 and (ruts.depths[n] == number).all()
        assert find(ruts, ix + 1, iy) < 0 or (ix + 1, iy) in known
    assert np.count_nonzero(ruts.slots) == 60


def test_tiles_that_are_read_stay_and_others_are_evicted():
    ruts = new_ruts(32, 64, 16)
    for k in range(32):
        merge_tile(ruts, k, 0, tile_of(k + 1))
    merge_tile(ruts, 100, 0, tile_of(1))  # the hand has completed a pass, and no tile was read since
    for k in range(20):
        assert find(ruts, 31, 0) >= 0
        merge_tile(ruts, 200 + k, 0, tile_of(1))
    assert find(ruts, 31, 0) >= 0
    assert (31, 0) not in [place for place, _ in spilled(ruts)]


def test_a_full_ring_is_counted():
    ruts = new_ruts(4, 2, 16)
    for k in range(9):
        tile_at(ruts, k, 0)
    assert ruts.state[0]["spilled"] == 2 and ruts.state[0]["forgotten"] == 3


def test_a_memory_without_tiles_stores_nothing():
    assert not remembers(NO_RUTS) and remembers(new_ruts(1, 1, 1))
    assert depth_across(NO_RUTS, 1.0, 2.0, 1.0, 0.0, HALF) == 0.0
    memory = SoilMemory(0)
    memory.load_tiles_around(0.0, 0.0)
    assert not memory.remembers and memory.depth(0.0, 0.0) == 0.0 and len(memory.tiles()[0]) == 0


@pytest.mark.parametrize("speed", [0.1, 1.0, 7.3, 30.0, 90.0])
@pytest.mark.parametrize("heading", [0.0, 0.5 * math.pi, 0.31, -2.4])
def test_a_rut_has_no_gaps_at_any_speed(speed, heading):
    """All nodes under the middle 0.32 m of a wheel are pressed, none more than half a node outside, and the rut is read back completely."""
    ruts, e = new_ruts(2000, 1, 16), (math.cos(heading), math.sin(heading))
    step, way = speed * 1e-3, 9.7
    steps = round(way / step)
    drive(ruts, -1.23, 4.56, *e, step, steps, 0.0812)
    used = int(ruts.state[0]["tiles"])
    inner = (np.arange(TILE) * SPACING,) * 2
    y, x = (axis[None] for axis in np.meshgrid(*inner, indexing="ij"))
    x = x + ruts.places[:used, 0, None, None] * SPACING * TILE + 1.23
    y = y + ruts.places[:used, 1, None, None] * SPACING * TILE - 4.56
    along, across = x * e[0] + y * e[1], y * e[0] - x * e[1]
    inside = (along > 0.0) & (along < (steps - 1) * step) & (abs(across) < HALF + 0.5 * SPACING - 1e-9)
    pressed = ruts.depths[:used] > 0
    assert pressed[inside].all() and (ruts.depths[:used][pressed] == 812).all()
    edge = 0.5 * SPACING + 1e-9
    assert not pressed[(abs(across) > HALF + edge) | (along < -edge - step) | (along > (steps - 1) * step + edge)].any()
    assert inside.sum() > 0.9 * (way * (2.0 * HALF + SPACING) / SPACING**2)
    found = np.empty(400)
    look(ruts, -1.23 + 0.1 * e[0], 4.56 + 0.1 * e[1], *e, (way - 0.3) / 400, found)
    assert np.abs(found - 0.0812).max() < 0.5 * UNIT


def test_resting_and_skidding_wheels_press_too():
    ruts = new_ruts(100, 1, 16)
    press(ruts, (0.0, 0.0), (1.0, 0.0), (0.0, 0.0), HALF, 0.05)
    assert SPACING * np.count_nonzero(ruts.depths) == pytest.approx(2.0 * HALF + SPACING, abs=SPACING)
    before = np.count_nonzero(ruts.depths)
    press(ruts, (0.0, 0.5), (1.0, 0.0), (0.0, 0.5), HALF, 0.04)
    assert np.count_nonzero(ruts.depths == 400) == pytest.approx(0.5 / SPACING, abs=1)
    assert np.count_nonzero(ruts.depths == 500) == before


def test_deeper_ruts_stay_and_nan_has_no_effect():
    ruts = new_ruts(100, 1, 16)
    press(ruts, (0.0, 0.0), (1.0, 0.0), (0.03, 0.0), HALF, 0.05)
    kept = ruts.depths.copy()
    press(ruts, (0.0, 0.0), (1.0, 0.0), (0.03, 0.0), HALF, 0.02)
    for bad in (math.nan, math.inf, -math.inf):
        press(ruts, (bad, 0.0), (1.0, 0.0), (0.0, 0.0), HALF, 0.2)
        press(ruts, (0.0, 0.0), (bad, 0.0), (0.0, 0.0), HALF, 0.2)
        assert depth_across(ruts, bad, 0.0, 1.0, 0.0, HALF) == 0.0
    press(ruts, (0.0, 0.0), (1.0, 0.0), (0.0, 0.0), HALF, math.nan)
    assert (ruts.depths == kept).all()
    press(ruts, (0.0, 0.0), (1.0, 0.0), (math.inf, math.nan), HALF, math.inf)
    assert ruts.depths.max() == 65535 and ruts.state[0]["tiles"] < 9


def test_the_depth_is_continuous(draw):
    """A displacement of a micrometer changes the mean by no more than the steepest side of a rut permits."""
    ruts = new_ruts(400, 1, 16)
    for _ in range(60):
        heading = draw.uniform(-4.0, 4.0)
        drive(ruts, *draw.uniform(-3.0, 3.0, 2), math.cos(heading), math.sin(heading), 0.02, 60, draw.uniform(0.0, 0.1))
    found = np.empty(20000)
    for heading in (0.0, 0.7, 1.9):
        look(ruts, -2.0, -1.5, math.cos(heading), math.sin(heading), 1e-6, found)
        assert np.abs(np.diff(found)).max() < 1e-6 * 2.0 * math.sqrt(2.0) * 0.1 / SPACING
        look(ruts, -2.0, -1.5, math.cos(heading), math.sin(heading), 2e-4, found)
        assert found.max() > 0.02
        assert np.abs(np.diff(found)).max() < 2e-4 * 2.0 * math.sqrt(2.0) * 0.1 / SPACING


@kernel
def loop_drive(ruts, x, y, turn, step, steps):
    """Roll a wheel on a winding path; the depth encodes the distance. Return the final position and heading."""
    heading = 0.3
    for k in range(steps):
        heading += turn * step * math.cos(1e-3 * k * step)
        x += step * math.cos(heading)
        y += step * math.sin(heading)
        press(ruts, (x, y), (math.cos(heading), math.sin(heading)), (step, 0.0), HALF, 0.03 + 0.02 * math.sin(0.05 * k * step))
    return x, y, heading


def test_evicted_tiles_are_reloaded_bit_for_bit():
    """A drive with a pool for a part of its tiles, served every 10 ms at 50 m/s: all ruts are available on the way back."""
    small, whole = SoilMemory(FEWEST, 64), new_ruts(1 << 16, 1, 16)
    x = 0.0
    for _ in range(14000):
        for ruts in (small.arrays, whole):
            drive(ruts, x, 0.0, 1.0, 0.0, 0.05, 10, 0.03 + 0.02 * math.sin(x))
            drive(ruts, x, 2.0, 1.0, 0.0, 0.05, 10, 0.05)
        x += 0.5
        small.load_tiles_around(x, 0.0)
    spilled_then = int(small.arrays.state[0]["spilled"])
    assert spilled_then > 8000 and small.forgotten == 0 and small.arrays.state[0]["tiles"] == FEWEST
    a, b = np.empty(500), np.empty(500)
    for back in np.arange(x, 0.0, -0.5):
        small.load_tiles_around(back, 0.0)
        if back % 100.0 < 0.5 or back < 20.0:
            for y in (0.0, 2.0):
                look(small.arrays, back, y, 1.0, 0.0, 0.02, a)
                look(whole, back, y, 1.0, 0.0, 0.02, b)
                assert a.tobytes() == b.tobytes()
    assert small.forgotten == 0 and small.arrays.state[0]["spilled"] > spilled_then
    places, depths = small.tiles()
    used = int(whole.state[0]["tiles"])
    order = np.lexsort(whole.places[:used].T)
    assert (places == whole.places[:used][order]).all() and (depths == whole.depths[:used][order]).all()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the operating system does not report the resident memory of a process")
def test_fifty_kilometers_of_two_ruts_take_less_than_200_mb():
    """Count the resident memory of a process of its own: the one of the tests frees memory at any time."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        tiles, forgotten, taken = process.submit(memory_of_two_ruts).result()
    assert tiles > 2 * 50e3 / (TILE * SPACING) and forgotten == 0
    assert tiles * 2 * TILE * TILE < taken < 200e6


def memory_of_two_ruts():
    """Return the number of tiles of two ruts of 50 km, those forgotten, and the bytes of memory that they take."""
    loop_drive(new_ruts(100, 1, 16), 0.0, 0.0, 0.02, 0.04, 10)
    memory = SoilMemory()
    before = resident()
    for side in (0.0, 1.8):
        x, y, _ = loop_drive(memory.arrays, 0.0, side, 0.02, 0.04, 1_250_000)
        memory.load_tiles_around(x, y)
    return int(memory.arrays.state[0]["tiles"]), memory.forgotten, resident() - before


def resident():
    """Return the resident memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_file_of_a_run(tmp_path):
    memory, file = SoilMemory(FEWEST, 64), tmp_path / "ruts.npz"
    loop_drive(memory.arrays, -50.0, 3.0, 0.01, 0.03, 9000)
    with open(file, "wb") as stream:
        memory.save(stream, "meadow")
    assert file.stat().st_size < 0.4 * memory.arrays.state[0]["tiles"] * 2 * TILE * TILE
    again = SoilMemory(FEWEST, 64)
    again.load(file, "meadow")
    for one, other in zip(memory.tiles(), again.tiles(), strict=True):
        assert one.tobytes() == other.tobytes()
    assert again.depth(-49.0, 3.3) == 0.0
    again.load_tiles_around(-50.0, 3.0)
    assert again.depth(-49.0, 3.3) == memory.depth(-49.0, 3.3) > 0.0
    with pytest.raises(ConfigError, match=r"ruts.npz: terrain: .*expected heath.*got 'meadow'"):
        again.load(file, "heath")
    with pytest.raises(ConfigError, match="soil"):
        SoilMemory(0).load(file, "meadow")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"places": np.zeros((3, 2))}, "places"),
        ({"depths": np.zeros((1, TILE, TILE), np.uint16)}, "one per place"),
        ({"spacing": np.array(0.1)}, "spacing"),
        ({"places": np.full((3, 2), 1 << 30, np.int32)}, "places"),
    ],
)
def test_an_invalid_file_is_refused(tmp_path, change, said):
    file = tmp_path / "ruts.npz"
    good = {"terrain": np.array("meadow"), "spacing": np.array(SPACING), "unit": np.array(UNIT), "places": np.zeros((3, 2), np.int32)}
    np.savez(file, **({**good, "depths": np.zeros((3, TILE, TILE), np.uint16)} | change))
    with pytest.raises(ConfigError, match=said):
        read_ruts(file)
    with pytest.raises(ConfigError, match="a rut file of a run"):
        read_ruts(tmp_path / "nothing.npz")
