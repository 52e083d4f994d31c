"""Do engine and converter reproduce their tables, with the slopes that the implicit step relies on?"""

import numpy as np
import pytest
from drivetrain_rig import Bench, part_file

from simulator.base.fields import read
from vehicles.drivetrain.conventional.engine import ENGINE_FILE, engine_from_values, engine_torque
from vehicles.drivetrain.conventional.torque_converter import converter_torques

RPM = np.pi / 30.0


@pytest.mark.parametrize("throttle", [0.0, 0.3, 1.0])
def test_engine_with_losses_is_throttle_times_map_plus_losses(throttle):
    p, said = Bench("hmmwv_chrono").p, part_file("hmmwv_chrono")["drivetrain"]["engine"]
    for rpm in np.linspace(-300.0, 3300.0, 1001):
        full = along(said["full_throttle"], rpm)
        losses = along(said["losses"], rpm)
        assert engine_torque(p, rpm * RPM, throttle)[0] == pytest.approx(throttle * full + losses, abs=1e-9)


OPEN = {"speed_rpm": [0, 1000, 2000, 3000], "torque": [100.0, 300.0, 280.0, -200.0]}
CLOSED = {"speed_rpm": [0, 1500, 3000], "torque": [0.0, -40.0, -90.0]}
HALF = {"throttle": 0.4, "speed_rpm": [0, 800, 2500], "torque": [90.0, 250.0, 20.0]}
TAKEN = {"speed_rpm": [0, 3000], "torque": [0.0, 30.0]}


def engine(**more):
    """An engine with two maps."""
    return engine_from_values(read(ENGINE_FILE, {"inertia": 1.0, "full_throttle": OPEN, "closed_throttle": CLOSED, **more}, "engine"))


def along(curve, rpm):
    return np.interp(rpm, curve["speed_rpm"], curve["torque"])


@pytest.mark.parametrize("throttle", [0.0, 0.3, 1.0])
def test_engine_with_two_maps_interpolates_between_them(throttle):
    for rpm in np.linspace(-100.0, 3300.0, 501):
        expected = (1.0 - throttle) * along(CLOSED, rpm) + throttle * along(OPEN, rpm)
        assert engine_torque(engine(), rpm * RPM, throttle)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("throttle", [0.0, 0.2, 0.4, 0.7, 1.0])
def test_part_load_lies_on_straight_lines_between_the_openings_less_what_accessories_take(throttle):
    p = engine(part_load=[HALF], accessories=TAKEN)
    for rpm in np.linspace(0.0, 3300.0, 101):
        points = [along(curve, rpm) for curve in (CLOSED, HALF, OPEN)]
        expected = np.interp(throttle, [0.0, 0.4, 1.0], points) - along(TAKEN, rpm)
        assert engine_torque(p, rpm * RPM, throttle)[0] == pytest.approx(expected, abs=1e-9)


def test_governor_of_the_maximum_speed_takes_the_throttle_back():
    """Half closed in the middle of its band, which matters to a foot that is down and not to one that is not."""
    p = engine(maximum={"speed_rpm": 2000, "band_rpm": 200})
    assert engine_torque(p, 1999.0 * RPM, 1.0)[0] == pytest.approx(along(OPEN, 1999.0))
    for throttle, found in ((1.0, 0.5), (0.6, 0.5), (0.3, 0.3)):
        expected = (1.0 - found) * along(CLOSED, 2100.0) + found * along(OPEN, 2100.0)
        assert engine_torque(p, 2100.0 * RPM, throttle)[0] == pytest.approx(expected)
    assert engine_torque(p, 2300.0 * RPM, 1.0)[0] == pytest.approx(along(CLOSED, 2300.0))


def test_friction_of_the_shipped_engine_by_hand():
    """IDI diesel of 6.21 l at 3600 rpm: 110 + 48 * 3.6 + 0.4 * 11.64^2 = 337.0 kPa, over 4 pi 166.5 N m, and 48 N m of accessories."""
    p = Bench("hmmwv").p
    assert engine_torque(p, 3600.0 * RPM, 0.0)[0] == pytest.approx(-166.5 - 48.0, abs=0.5)
    assert engine_torque(p, 2000.0 * RPM, 1.0)[0] == pytest.approx(339.0 - 32.0, abs=0.1)
    assert (engine_torque(p, 3600.0 * RPM, 1.0)[0] + 48.0) * 3600.0 * RPM == pytest.approx(111.9e3, rel=2e-3)


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_chrono"])
@pytest.mark.parametrize("throttle", [0.0, 0.3, 1.0])
def test_engine_slope_is_the_derivative(name, throttle):
    p = Bench(name).p
    for speed in np.linspace(-20.0, 450.0, 641) + 0.0123:
        above, below = engine_torque(p, speed + 1e-6, throttle)[0], engine_torque(p, speed - 1e-6, throttle)[0]
        assert engine_torque(p, speed, throttle)[1] == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-5)


def test_engine_idles_from_standstill_and_falls_back_to_idle():
    bench = Bench("hmmwv", 0)
    for speed in (0.0, 240.0):
        bench.state[0]["engine_speed"] = bench.state[0]["turbine_speed"] = speed
        bench.run(15.0)
        assert 625.0 < bench.out[0]["engine_speed"] / RPM < 675.0
        bench.run(1.0)
        assert abs(bench.out[0]["engine_torque"]) < 0.05


def test_governor_limits_the_engine_speed():
    bench = Bench("hmmwv", 0).set(throttle=1.0)
    bench.run(5.0)
    assert 3600.0 < bench.out[0]["engine_speed"] / RPM < 3750.0


def test_a_blip_falls_back_to_idle_in_two_to_three_seconds():
    bench = Bench("hmmwv", 0)
    idle = bench.state[0]["engine_speed"]
    bench.set(throttle=1.0).run(3.0)
    bench.set(throttle=0.0)
    seconds = 0.0
    while bench.state[0]["engine_speed"] > 1.05 * idle:
        bench.run(0.05)
        seconds += 0.05
    assert 2.0 <= seconds <= 3.0


def table_torques(converter, impeller, R):
    """Impeller and turbine torque as the tables say, without rounding off at R = 1."""
    x = np.clip(R if R <= 1.0 else 2.0 - R, 0.0, 1.0)
    curve = converter["capacity_factor"] if R <= 1.0 else converter.get("overrun_capacity_factor", converter["capacity_factor"])
    K = np.interp(R if curve["speed_ratio"][0] == 1.0 else x, curve["speed_ratio"], curve["value"])
    T = np.interp(x, converter["torque_ratio"]["speed_ratio"], converter["torque_ratio"]["value"]) if R <= 1.0 else 1.0
    load = (impeller / K) ** 2 * (1.0 if R <= 1.0 else -1.0)
    return load, T * load


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_chrono"])
@pytest.mark.parametrize("impeller", [20.0, 265.0])
def test_converter_follows_its_tables_outside_the_coupling_band(name, impeller):
    p, converter = Bench(name).p, part_file(name)["drivetrain"]["torque_converter"]
    for R in (-0.5, 0.0, 0.1, 0.25, 0.4, 0.5, 0.75, 0.8, 0.9, 0.97, 0.9949, 1.0051, 1.2, 1.75, 3.0):
        got = converter_torques(p, impeller, R * impeller)[:2]
        np.testing.assert_allclose(got, table_torques(converter, impeller, R), rtol=1e-12)


def test_stall_numbers():
    """By hand: K(0) = 15, T(0) = 2, so 300 rad/s take 400 N m and give 800."""
    np.testing.assert_allclose(converter_torques(Bench("hmmwv_chrono").p, 300.0, 0.0)[:2], (400.0, 800.0), rtol=1e-12)


def test_converter_torque_passes_through_zero_without_a_jump():
    p = Bench("hmmwv_chrono").p
    speeds = 265.0 * np.linspace(0.98, 1.02, 4001)
    torque = np.array([converter_torques(p, 265.0, turbine)[0] for turbine in speeds])
    assert np.abs(np.diff(torque)).max() < 0.3
    assert converter_torques(p, 265.0, 265.0)[0] == 0.0
    assert np.all(np.diff(torque) < 0.0)


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_chrono"])
@pytest.mark.parametrize("impeller", [3.0, 80.0, 265.0])
def test_converter_slopes_are_derivatives(name, impeller):
    p = Bench(name).p
    d = 1e-6 * impeller
    for R in np.linspace(-0.3, 2.4, 541) + 1.234e-4:
        turbine = R * impeller
        _, _, i_by_i, i_by_t, t_by_i, t_by_t = converter_torques(p, impeller, turbine)
        by_i = np.subtract(converter_torques(p, impeller + d, turbine)[:2], converter_torques(p, impeller - d, turbine)[:2]) / (2 * d)
        by_t = np.subtract(converter_torques(p, impeller, turbine + d)[:2], converter_torques(p, impeller, turbine - d)[:2]) / (2 * d)
        scale = (impeller / 15.0) ** 2 / impeller
        np.testing.assert_allclose((i_by_i, t_by_i, i_by_t, t_by_t), (*by_i, *by_t), rtol=1e-3, atol=1e-3 * scale)


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_chrono"])
def test_converter_never_gives_out_more_power_than_it_takes(name):
    p = Bench(name).p
    for impeller in (0.0, 1e-6, 1.0, 70.0, 280.0):
        for turbine in np.linspace(-100.0, 600.0, 1401):
            load, drive = converter_torques(p, impeller, turbine)[:2]
            assert load * impeller - drive * turbine >= -1e-9 * (1.0 + abs(load * impeller))
