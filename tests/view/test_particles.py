"""Do dust, spray and smoke come from the right wheels on the right ground, at the simulated time only, and the same again?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.base.records import record
from simulator.view.light import Light
from simulator.view.offscreen import Offscreen
from simulator.view.particle_sources import ParticleSources
from simulator.view.particles import KINDS, LONGEST, NAMES, Particles, sources, uniform
from simulator.view.shared_state import STATE
from simulator.view.terrain_data import TerrainData
from simulator.view.vehicle_geometry import checked_geometry
from simulator.view.vehicle_states import states_of
from simulator.weather import Weather
from tests.view.scenes import geometry, readout


def plain(soil: str, hard: bool, rain: float = 0.0) -> TerrainData:
    """Level ground of one soil, 400 m wide."""
    n = 21
    hardness = np.full((n, n), 255 if hard else 0, np.uint8)
    grid = np.zeros((n, n), np.float32), hardness, np.zeros((n, n), np.uint8)
    return TerrainData((-200.0, -200.0), (20.0, 20.0), (0.0, 0.0, 0.0), *grid, (soil,), weather=Weather(rain / 3.6e6))


def driving(hard: bool, speed: float = 12.0, spin: float | None = None, load: float = 5000.0, time: float = 1.0):
    """State of a vehicle that drives along x with wheels that turn at a speed of their treads [m/s]."""
    state, source = record(STATE), readout(speed * time, 0.0, 0.0, 0.0, speed)
    for name in source.dtype.names:
        state[0][name] = source[0][name]
    s = state[0]
    s["time"], s["hardness"], s["engine_speed"], s["throttle"] = time, float(hard), 200.0, 0.5
    s["wheel_spin"] = (speed if spin is None else spin) / 0.47
    s["F_C"][:, 0], s["F_C"][:, 2] = 0.8 * load * (spin is not None), load
    return state


def rates(soil: str, hard: bool, rain: float = 0.0, light: Light | None = None, **drive) -> dict[str, float]:
    """Particles per second of each kind, of all wheels together."""
    of = ParticleSources(plain(soil, hard, rain), checked_geometry(geometry()), light or Light()).of_vehicle(driving(hard, **drive))
    return {name: float(of["rate"][of["kind"] == k].sum()) for k, name in enumerate(NAMES)}


@pytest.mark.parametrize(
    ("soil", "hard", "rain", "drive", "seen"),
    [
        ("dry_sand", False, 0.0, {}, {"dust"}),
        ("dry_sand", False, 0.0, {"spin": 25.0}, {"dust", "clods"}),
        ("dry_sand", False, 5.0, {}, {"clods"}),
        ("dry_sand", False, 0.0, {"load": 0.0, "spin": 25.0}, set()),
        ("gravel", True, 0.0, {}, {"dust"}),
        ("gravel", True, 0.0, {"spin": 25.0}, {"dust"}),
        ("snow", False, 0.0, {}, {"powder"}),
        ("mud", False, 0.0, {"speed": 2.0, "spin": 9.0}, {"clods"}),
        ("asphalt", True, 0.0, {}, set()),
        ("asphalt", True, 0.0, {"spin": 25.0}, {"smoke"}),
        ("asphalt", True, 0.0, {"spin": 0.0}, {"smoke"}),
        ("asphalt", True, 5.0, {"spin": 25.0}, {"spray"}),
        ("wet_asphalt", True, 0.0, {}, {"spray"}),
        ("wet_asphalt", True, 0.0, {"speed": 2.0}, set()),
        ("ice on asphalt", True, 0.0, {"spin": 25.0}, set()),
    ],
)
def test_the_ground_decides_what_the_wheels_throw_up(soil, hard, rain, drive, seen):
    found = rates(soil, hard, rain, **drive)
    assert {name for name, rate in found.items() if rate > 0.5 and name != "exhaust"} == seen, found


def test_faster_is_dustier_and_a_wet_or_white_light_has_no_dust():
    slow, fast = (rates("loam", False, speed=speed)["dust"] for speed in (4.0, 12.0))
    assert 0.0 < slow < 0.5 * fast
    assert rates("loam", False, light=Light(wet=1.0))["dust"] == 0.0
    white = rates("loam", False, light=Light(snow=1.0))
    assert white["dust"] == 0.0 < white["powder"]


def test_dust_has_the_color_of_its_soil_and_a_diesel_engine_the_darker_smoke():
    def color(soil, kind, exhaust=1.0):
        of = ParticleSources(plain(soil, False), checked_geometry(geometry() | {"exhaust": exhaust}), Light()).of_vehicle(driving(False))
        return of["color"][(of["kind"] == NAMES.index(kind)) & (of["rate"] > 0.0)]

    sand, peat = color("sand", "dust")[0], color("peat", "dust")[0]
    assert sand[0] > sand[2] and sand.mean() > peat.mean()
    assert color("sand", "exhaust", 2.0).mean() < 0.7 * color("sand", "exhaust", 1.0).mean()
    assert len(color("sand", "exhaust", 0.0)) == 0, "a motor has none"


def run(frames: np.ndarray, **change) -> Particles:
    """Particles after states at these times [s]."""
    air, of = Particles(300), ParticleSources(plain("sand", False), checked_geometry(geometry()), Light())
    for time in frames:
        air.advance(time, of.of_vehicle(driving(False, time=float(time), **change)))
    return air


def test_the_same_states_give_the_same_particles_and_others_give_others():
    times = 1.0 + np.arange(60) / 30.0
    first, again, other = run(times), run(times), run(times + 0.5)
    assert all(np.array_equal(a, b) for a, b in zip(first.visible(), again.visible(), strict=True)) and len(first.visible()[0]) > 60
    assert not np.array_equal(first.visible()[1], other.visible()[1])


def test_the_number_does_not_depend_on_the_frame_rate_but_only_on_the_time():
    births = [np.sort(run(1.0 + np.arange(0.0, 1.5, 1.0 / rate)).visible()[2]["birth"]) for rate in (20.0, 90.0)]
    common = [one[(one > 1.1) & (one < 2.4)] for one in births]
    assert len(common[0]) == pytest.approx(len(common[1]), abs=3) and len(common[0]) > 50


def test_a_pause_keeps_the_particles_and_a_jump_removes_them():
    air = run(1.0 + np.arange(60) / 30.0)
    before = air.visible()[0]
    end = air.time
    air.advance(end, sources(0))
    np.testing.assert_array_equal(air.visible()[0], before)
    for time in (end + LONGEST + 0.1, end - 0.5):
        air = run(1.0 + np.arange(60) / 30.0)
        air.advance(time, sources(0))
        assert len(air.visible()[0]) == 0
    air = run(1.0 + np.arange(60) / 30.0)
    air.clear()
    assert len(air.visible()[0]) == 0


def test_particles_stay_behind_the_wheels_above_the_ground_and_end():
    air = run(1.0 + np.arange(60) / 30.0)
    place, looks, own = air.visible()
    assert np.isfinite(place).all() and (looks > 0.0).all() and (looks[:, 1] <= 1.0).all()
    age = air.time - own["birth"]
    old = age > 0.5
    assert (place[old, 0] < 12.0 * air.time - 1.0).all() and (place[:, 2] > -0.1).all()
    assert (age < max(kind.life for kind in KINDS.values())).all()
    silent = sources(0)
    for k in range(12):
        air.advance(air.time + 0.4 * (k > 0), silent)
    assert len(air.visible()[0]) == 0


def test_a_full_store_keeps_the_newest():
    air, one = Particles(50), sources(1)
    one["rate"], one["opacity"] = 200.0, 0.5
    for k in range(60):
        air.advance(1.0 + k / 30.0, one)
    births = air.visible()[2]["birth"]
    assert len(births) == 50 and births.min() > air.time - 0.35


def test_a_state_without_wheel_spins_and_forces_has_no_particles_of_wheels():
    air, of = Particles(300), ParticleSources(plain("sand", False), checked_geometry(geometry()), Light())
    for k in range(30):
        state = driving(False, time=1.0 + k / 30.0)
        for name in ("wheel_spin", "F_C", "hardness"):
            state[0][name] = np.nan
        air.advance(1.0 + k / 30.0, of.of_vehicle(state))
    place, looks, own = air.visible()
    assert np.isfinite(place).all() and np.isfinite(looks).all()
    assert {NAMES[k] for k in own["kind"]} == {"exhaust"}


def test_random_numbers_are_even_and_in_range():
    u = uniform(np.arange(20000), 2)
    assert u.min() >= 0.0 and u.max() < 1.0 and np.abs(u.mean(axis=0) - 0.5).max() < 0.01
    assert abs(np.corrcoef(u[:-1, 0], u[1:, 0])[0, 1]) < 0.03 and abs(np.corrcoef(u.T)[0, 1]) < 0.03


def test_another_vehicle_has_dust_of_its_speed_and_far_ones_have_none():
    of = ParticleSources(plain("sand", False), checked_geometry(geometry()), Light())

    def others(time, y):
        one = driving(False, time=time)
        one[0]["p_WB"][1] = y
        return states_of([0], [one])

    for y, dusty in ((10.0, True), (150.0, False)):
        of.of_others(1.0, others(1.0, y), np.zeros(3))
        found = of.of_others(1.1, others(1.1, y), np.zeros(3))
        assert float(found["rate"].sum()) > 20.0 if dusty else not len(found), y
        if dusty:
            dust = found[found["rate"] > 0.0]
            assert dust["place"] - dust["before"] == pytest.approx(np.tile([1.2, 0.0, 0.0], (len(dust), 1)), abs=1e-6)
            assert dust["place"][:, 1] == pytest.approx(y, abs=1.2)


@pytest.fixture(scope="module")
def view():
    try:
        out = Offscreen(320, 180, plain("sand", False), geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    yield out
    out.close()


def film(view: Offscreen, frames: int = 45):
    view.scene.instruments, view.camera = False, "orbit"
    view.scene.cut()
    for k in range(frames):
        state = driving(False, time=1.0 + k / 30.0)
        image = view.render(state, state)
    return image


def test_an_image_shows_the_dust_the_same_each_time_and_none_after_a_jump(view):
    first, again = film(view), film(view)
    np.testing.assert_array_equal(first, again)
    state = driving(False, time=1.0 + 44 / 30.0)
    view.scene.cut()
    clear = view.render(state, state)
    changed = np.abs(first.astype(int) - clear).max(axis=2) > 8
    assert changed.mean() > 0.01, "dust"
    rows = np.flatnonzero(changed.any(axis=1))
    assert rows.min() > 20, "not in the sky"
