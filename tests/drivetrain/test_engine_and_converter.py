"""Do engine and converter reproduce their tables, with the slopes that the implicit step relies on?"""

import numpy as np
import pytest
from drivetrain_rig import Bench, part_file

from vehicles.drivetrain.engine import engine_torque
from vehicles.drivetrain.torque_converter import converter_torques

RPM = np.pi / 30.0


@pytest.mark.parametrize("throttle", [0.0, 0.3, 1.0])
def test_engine_with_losses_is_throttle_times_map_plus_losses(throttle):
    p, engine = Bench("hmmwv_chrono").p, part_file("hmmwv_chrono")["drivetrain"]["engine"]
    for rpm in np.linspace(-300.0, 3300.0, 1001):
        full = np.interp(rpm, engine["full_throttle"]["speed_rpm"], engine["full_throttle"]["torque"])
        losses = np.interp(rpm, engine["losses"]["speed_rpm"], engine["losses"]["torque"])
        assert engine_torque(p, rpm * RPM, throttle)[0] == pytest.approx(throttle * full + losses, abs=1e-9)


@pytest.mark.parametrize("throttle", [0.0, 0.3, 1.0])
def test_engine_with_two_maps_interpolates_between_them_above_idle(throttle):
    p, engine = Bench("hmmwv").p, part_file("hmmwv")["drivetrain"]["engine"]
    for rpm in np.linspace(801.0, 3300.0, 1001):
        full, closed = (np.interp(rpm, engine[m]["speed_rpm"], engine[m]["torque"]) for m in ("full_throttle", "closed_throttle"))
        assert engine_torque(p, rpm * RPM, throttle)[0] == pytest.approx((1.0 - throttle) * closed + throttle * full, abs=1e-9)


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_chrono"])
@pytest.mark.parametrize("throttle", [0.0, 0.3, 1.0])
def test_engine_slope_is_the_derivative(name, throttle):
    p = Bench(name).p
    for speed in np.linspace(-20.0, 300.0, 641) + 0.0123:
        above, below = engine_torque(p, speed + 1e-6, throttle)[0], engine_torque(p, speed - 1e-6, throttle)[0]
        assert engine_torque(p, speed, throttle)[1] == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-5)


def test_engine_idles_from_standstill_and_falls_back_to_idle():
    bench = Bench("hmmwv", 0)
    for speed in (0.0, 240.0):
        bench.state[0]["engine_speed"] = bench.state[0]["turbine_speed"] = speed
        bench.run(15.0)
        assert 700.0 < bench.out[0]["engine_speed"] / RPM < 800.0
        bench.run(1.0)
        assert abs(bench.out[0]["engine_torque"]) < 0.05


def test_map_limits_the_engine_speed():
    bench = Bench("hmmwv", 0).set(throttle=1.0)
    bench.run(5.0)
    assert 2300.0 < bench.out[0]["engine_speed"] / RPM < 2400.0


def table_torques(converter, impeller, R):
    """Impeller and turbine torque as the tables say, without rounding off at R = 1."""
    x = np.clip(R if R <= 1.0 else 2.0 - R, 0.0, 1.0)
    K = np.interp(x, converter["capacity_factor"]["speed_ratio"], converter["capacity_factor"]["value"])
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


@pytest.mark.parametrize("impeller", [3.0, 80.0, 265.0])
def test_converter_slopes_are_derivatives(impeller):
    p = Bench("hmmwv_chrono").p
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
