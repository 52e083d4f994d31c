"""Do the brakes hold without creep, slide with exactly their limit, and only ever take energy out?"""

import numpy as np
import pytest
from drivetrain_rig import Bench, step

from simulator.base.jit import kernel

LIMIT = 2000.0
"""N m. Half pedal on the shipped brakes."""


def braked(moment, **command):
    """A bench in neutral with half pedal and the given moment on every wheel; the comparison vehicle, whose engine stands still."""
    bench = Bench("hmmwv_chrono", 0).set(brake=0.5, **command)
    bench.moment[:] = moment
    return bench


@kernel
def turn(rig, h, steps, angle):
    """Take steps of a Rig and add up the angle (4,) that each wheel turns; returns the largest speed met."""
    fastest = 0.0
    for _ in range(steps):
        step(rig, h)
        for i in range(4):
            angle[i] += h * rig.hubs.spin[i]
            fastest = max(fastest, abs(rig.hubs.spin[i]))
    return fastest


def turned(bench, seconds, h):
    angle = np.zeros(4)
    fastest = turn(bench.rig, h, round(seconds / h), angle)
    return angle, fastest


@pytest.mark.parametrize("h", [1e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("share", [0.95, -0.95, 0.1])
def test_load_below_the_limit_is_held_for_a_minute(h, share):
    bench = braked(share * LIMIT)
    turned(bench, 2.0, h)
    drift, fastest = turned(bench, 60.0, h)
    np.testing.assert_allclose(bench.state[0]["brake_angle"], share * LIMIT / bench.b[0]["stiffness"], rtol=1e-9)
    assert np.abs(drift).max() < 1e-9
    assert fastest < 1e-9
    np.testing.assert_allclose(bench.out[0]["brake_torque"], share * LIMIT, rtol=1e-9)


@pytest.mark.parametrize("h", [1e-4, 1e-3, 5e-3])
def test_load_above_the_limit_slides_with_exactly_the_limit(h):
    bench = braked(1.5 * LIMIT)
    bench.run(1.0, h)
    np.testing.assert_array_equal(bench.out[0]["brake_torque"], LIMIT)
    before = bench.spin.copy()
    bench.run(1.0, h)
    p = bench.p[0]
    inertia = bench.inertia[0] + p["half_shaft_inertia"] + 0.5 * (p["shaft_inertia"][0] / 0.2**2 + p["box_inertia"][0])
    inertia += 0.25 * p["driveshaft_inertia"] / 0.2**2
    np.testing.assert_allclose(bench.spin - before, 0.5 * LIMIT / inertia, rtol=1e-9)


@pytest.mark.parametrize("h", [1e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("pedal", [0.0, 0.1, 1.0])
def test_energy_never_rises_while_wheels_of_any_speed_come_to_rest(h, pedal):
    bench = Bench("hmmwv_chrono", 0, (30.0, 5.0, -2.0, 0.01)).set(brake=pedal)
    start = bench.energy()
    assert bench.run(5.0, h) <= 1e-12 * start
    if pedal == 1.0:
        assert np.abs(bench.spin).max() < 1e-9


def test_released_brake_lets_go_smoothly():
    bench = braked(0.9 * LIMIT)
    bench.run(2.0)
    bench.moment[:] = 0.0
    torque, angle = [], []
    for k in range(200):
        bench.set(brake=0.5 * max(0.0, 1.0 - k / 100.0)).run(steps=1)
        torque.append(bench.out[0]["brake_torque"].copy())
        angle.append(bench.state[0]["brake_angle"].copy())
    assert np.abs(np.diff(torque, axis=0)).max() < 0.25 * LIMIT
    assert np.abs(torque[-1]).max() == 0.0
    assert np.abs(angle[-1]).max() < 1e-3 * angle[0].max()
    assert np.abs(np.diff(angle, axis=0)).max() < 0.3 * angle[0].max()


def test_brake_works_against_the_carrier_not_the_world():
    bench = braked(0.0)
    bench.carrier_spin[:] = 0.3
    bench.run(3.0)
    np.testing.assert_allclose(bench.spin, 0.3, rtol=1e-9)


def test_parking_brake_holds_the_rear_and_leaves_the_front():
    bench = Bench("hmmwv_chrono", 0).set(parking_brake=1.0)
    bench.moment[:] = (500.0, -500.0, 500.0, 500.0)
    bench.run(1.0)
    np.testing.assert_array_equal(bench.out[0]["brake_torque"][:2], 0.0)
    np.testing.assert_allclose(bench.out[0]["brake_torque"][2:], 500.0, rtol=1e-6)
    assert bench.spin[0] > 10.0 and bench.spin[1] < -10.0


def test_brakes_hold_the_creep_of_an_automatic_in_drive_and_the_engine_idles():
    bench = Bench("hmmwv", 1).set(brake=0.4)
    bench.run(10.0)
    drift, _ = turned(bench, 10.0, 1e-3)
    assert np.abs(drift).max() < 1e-9
    assert 600.0 < bench.out[0]["engine_speed"] * 30.0 / np.pi < 800.0
    np.testing.assert_allclose(bench.out[0]["brake_torque"], bench.out[0]["drive_torque"], rtol=1e-9)
    assert 0.05 < bench.out[0]["drive_torque"].sum() / 0.47 / (2573.0 * 9.81) < 0.3
