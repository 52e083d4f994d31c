"""Do the shafts carry the energy, momentum and torque that gears and open differentials allow?"""

import numpy as np
import pytest
from drivetrain_rig import Bench, without_friction

from simulator.base.records import record
from vehicles.axle_layout import USUAL_AXLES
from vehicles.drivetrain.driveline import DRIVELINE, solve_wheels
from vehicles.drivetrain.drivetrain import DRIVETRAIN_STATE, drivetrain_reset
from vehicles.drivetrain.shaft_momentum import kinetic_energy


def shaft_matrix(p, ratio=None):
    """(4, 4) inertia of all shafts, row by row from the topology; with the turbine when a gear ratio is given."""
    p = p[0]
    assert np.all(p["hub_ratio"] == 1.0)
    front, rear = np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.0, 0.0, 0.5, 0.5])
    shaft = 0.5 * (front / p["final_ratio"][0] + rear / p["final_ratio"][1])
    rows = [
        (p["box_inertia"][0], front),
        (p["box_inertia"][1], rear),
        (p["shaft_inertia"][0], front / p["final_ratio"][0]),
        (p["shaft_inertia"][1], rear / p["final_ratio"][1]),
        (p["driveshaft_inertia"], shaft),
        *((p["half_shaft_inertia"], np.eye(4)[i]) for i in range(4)),
    ]
    if ratio is not None:
        rows.append((p["turbine_inertia"], shaft / ratio))
    return sum(inertia * np.outer(row, row) for inertia, row in rows), shaft


def plain(gear=1, spin=(0.0, 0.0, 0.0, 0.0)):
    """The shipped drivetrain with open differentials and without losses."""
    return Bench("hmmwv", gear, spin, without_friction)


def uneven(bench):
    """Make front and rear differ, so that a swapped index shows."""
    p = bench.p[0]
    p["final_ratio"][0], p["shaft_inertia"][1], p["box_inertia"][0], p["driveshaft_inertia"] = 0.25, 0.8, 0.9, 1.3
    bench.inertia[:] = (7.0, 7.5, 8.0, 8.5)
    drivetrain_reset(bench.p, bench.state, bench.spin, bench.state[0]["gear"])
    return bench


def lossless(bench):
    """No engine torque, no converter torque."""
    bench.p[0]["engine_map_closed"] = bench.p[0]["engine_map_open"] = bench.p[0]["idle_throttle"] = 0.0
    bench.p[0]["converter_capacity_factor"] = 1e12
    return bench


def test_wheel_system_is_solved_exactly():
    rng = np.random.default_rng(3)
    p, s = record(DRIVELINE), record(DRIVETRAIN_STATE)
    USUAL_AXLES.write(p)
    p[0]["driven"], p[0]["hub_ratio"] = 2, 1.0
    for _ in range(300):
        for name in ("shaft_inertia", "box_inertia", "final_ratio"):
            p[0][name] = rng.uniform(0.1, 2.0, 2)
        diagonal, load, extra = rng.uniform(1.0, 500.0, 4), rng.normal(size=4), rng.uniform(0.0, 30.0)
        p[0]["driveshaft_inertia"] = extra
        p[0]["half_shaft_inertia"] = 0.0
        matrix, _ = shaft_matrix(p)
        s[0]["diagonal"], s[0]["yielding"], s[0]["load"] = diagonal, 1.0 / diagonal, load
        solve_wheels(p, s, extra)
        np.testing.assert_allclose(s[0]["change"], np.linalg.solve(np.diag(diagonal) + matrix, load), rtol=1e-11, atol=1e-15)


def test_kinetic_energy_is_the_quadratic_form_of_the_topology():
    bench = uneven(plain(2))
    spin = np.array([3.0, -1.0, 4.0, 1.5])
    drivetrain_reset(bench.p, bench.state, spin, 2)
    ratio = bench.p[0]["forward_ratios"][1]
    matrix, shaft = shaft_matrix(bench.p, ratio)
    assert bench.state[0]["turbine_speed"] == pytest.approx(shaft @ spin / ratio)
    crank = (bench.p[0]["engine_inertia"] + bench.p[0]["impeller_inertia"]) * bench.state[0]["engine_speed"] ** 2
    assert kinetic_energy(bench.p, bench.state, spin) == pytest.approx(0.5 * spin @ matrix @ spin + 0.5 * crank, rel=1e-12)


@pytest.mark.parametrize("gear", [-1, 0, 1, 3])
@pytest.mark.parametrize("h", [1e-4, 5e-3])
def test_work_of_the_ground_is_the_gain_of_kinetic_energy(gear, h):
    bench = lossless(uneven(plain(gear, (4.0, 5.0, 4.5, 3.0))))
    bench.p[0]["schedule_points"], bench.p[0]["upshift_speed"] = 0, 1e9
    bench.p[0]["downshift_speed"] = -1e9
    rng = np.random.default_rng(5)
    for _ in range(200):
        before, spin = bench.energy(), bench.spin.copy()
        bench.moment[:] = rng.normal(size=4) * 500.0
        bench.run(steps=1, h=h)
        work = h * bench.moment @ (bench.spin + spin) / 2.0
        assert bench.energy() - before == pytest.approx(work, abs=1e-10 * bench.energy())


def test_full_matrix_governs_the_wheels_in_gear():
    bench = lossless(uneven(plain(1)))
    bench.moment[:] = (100.0, -30.0, 50.0, 20.0)
    matrix, _ = shaft_matrix(bench.p, bench.p[0]["forward_ratios"][0])
    bench.run(steps=10)
    np.testing.assert_allclose(bench.spin, 0.01 * np.linalg.solve(np.diag(bench.inertia) + matrix, bench.moment), rtol=1e-10)


@pytest.mark.parametrize("h", [1e-5, 1e-3, 5e-3])
def test_instant_shift_conserves_momentum(h):
    """The turbine loses exactly the impulse that, through the new ratio, the wheels gain, whatever the step."""
    bench = lossless(uneven(Bench("hmmwv_chrono", 1, (10.9, 11.0, 11.1, 11.0))))
    bench.p[0]["upshift_speed"] = 200.0
    bench.state[0]["clock"] = 2.0
    turbine, spin = bench.state[0]["turbine_speed"], bench.spin.copy()
    bench.run(steps=1, h=h)
    assert bench.out[0]["gear"] == 2
    matrix, shaft = shaft_matrix(bench.p)
    impulse = bench.p[0]["turbine_inertia"] * (turbine - bench.state[0]["turbine_speed"])
    ratio = bench.p[0]["forward_ratios"][1]
    np.testing.assert_allclose((np.diag(bench.inertia) + matrix) @ (bench.spin - spin), shaft / ratio * impulse, rtol=1e-9)
    assert bench.state[0]["turbine_speed"] == pytest.approx(shaft @ bench.spin / ratio, rel=1e-12)
    assert impulse > 10.0


def any_state(bench, rng):
    """Any gear and phase, speeds and brakes, hostile ones included."""
    gear = int(rng.integers(-1, bench.p[0]["gears"] + 1))
    bench.spin[:] = rng.normal(size=4) * 10.0 ** rng.uniform(-4.0, 1.5)
    drivetrain_reset(bench.p, bench.state, bench.spin, gear)
    s = bench.state[0]
    s["engine_speed"] = rng.uniform(0.0, 300.0)
    if gear == 0:
        s["release_torque"], s["clock"], s["turbine_speed"] = rng.uniform(0.0, 500.0), rng.uniform(0.0, 0.3), rng.normal() * 100.0
    elif rng.uniform() < 0.3:
        s["phase"], s["clock"], s["slip_from"], s["turbine_speed"] = 1, rng.uniform(0.0, 0.5), rng.normal() * 50.0, rng.normal() * 100.0
    s["brake_angle"] = rng.normal(size=4) * 10.0 ** rng.uniform(-5.0, -2.0)
    pedals = [rng.choice([0.0, rng.uniform()]) for _ in range(3)]
    bench.set(selector=int(np.sign(gear)), throttle=pedals[0], brake=pedals[1], parking_brake=pedals[2])
    bench.moment[:] = rng.normal(size=4) * 10.0 ** rng.uniform(0.0, 4.0)
    bench.inertia[:] = 7.388 * 10.0 ** (rng.uniform(0.0, 2.0, 4) * rng.integers(0, 2))
    return rng.choice([1e-4, 1e-3, 5e-3])


def test_open_differentials_share_torque_equally_in_any_state():
    """Half shafts of an axle, and the two shafts of the center, carry the same torque once their own inertia is added back.

    The wheels' accelerations and brakes are in this balance, so it fails when the iteration over sliding brakes stops early.
    """
    rng = np.random.default_rng(1)
    bench = uneven(plain(1))
    p = bench.p[0]
    for _ in range(3000):
        h = any_state(bench, rng)
        spin = bench.spin.copy()
        bench.run(steps=1, h=h)
        rate = (bench.spin - spin) / h
        half = bench.out[0]["drive_torque"] + p["half_shaft_inertia"] * rate
        front, rear = 0.5 * (rate[0] + rate[1]), 0.5 * (rate[2] + rate[3])
        boxes = half[0] + half[1] + p["box_inertia"][0] * front, half[2] + half[3] + p["box_inertia"][1] * rear
        shaft_front = boxes[0] * p["final_ratio"][0] + p["shaft_inertia"][0] * front / p["final_ratio"][0]
        shaft_rear = boxes[1] * p["final_ratio"][1] + p["shaft_inertia"][1] * rear / p["final_ratio"][1]
        center = bench.out[0]["driveshaft_torque"] - p["driveshaft_inertia"] * 0.5 * (
            front / p["final_ratio"][0] + rear / p["final_ratio"][1]
        )
        scale = 1.0 + np.abs(half).max() + np.abs(bench.moment).max() + abs(center) + np.abs(rate).max()
        errors = half[0] - half[1], half[2] - half[3], shaft_front - shaft_rear, shaft_front + shaft_rear - center
        assert np.abs(errors).max() < 1e-9 * scale
        balance = bench.inertia * rate - bench.moment
        balance -= bench.out[0]["drive_torque"] - bench.out[0]["brake_torque"]
        assert np.abs(balance).max() < 1e-9 * scale


def test_left_and_right_are_mirror_images():
    rng = np.random.default_rng(2)
    mirror = [1, 0, 3, 2]
    one, two = Bench("hmmwv", 1), Bench("hmmwv", 1)
    for _ in range(500):
        h = any_state(one, rng)
        two.state[:], two.command[:] = one.state, one.command
        two.state[0]["brake_angle"] = one.state[0]["brake_angle"][mirror]
        two.spin[:], two.moment[:], two.inertia[:] = one.spin[mirror], one.moment[mirror], one.inertia[mirror]
        one.run(steps=3, h=h)
        two.run(steps=3, h=h)
        np.testing.assert_allclose(two.spin, one.spin[mirror], rtol=1e-9, atol=1e-12)
        assert two.state[0]["engine_speed"] == pytest.approx(one.state[0]["engine_speed"], rel=1e-12)


def test_chassis_receives_what_the_shafts_and_wheels_gain():
    """Angular momentum about x and y of shafts, wheels and chassis together changes only by the ground and the carriers."""
    bench = uneven(plain(2, (8.0, 8.5, 8.2, 7.9))).set(throttle=0.7)
    bench.moment[:] = (-300.0, -200.0, -250.0, -400.0)
    p, s, h = bench.p[0], bench.state[0], 1e-3

    def momentum():
        front, rear = bench.spin[:2].mean(), bench.spin[2:].mean()
        shafts = front / p["final_ratio"][0], rear / p["final_ratio"][1]
        x = (p["engine_inertia"] + p["impeller_inertia"]) * s["engine_speed"] + p["turbine_inertia"] * s["turbine_speed"]
        x += p["driveshaft_inertia"] * sum(shafts) / 2 + p["shaft_inertia"] @ shafts
        y = p["box_inertia"] @ (front, rear) + (bench.inertia + p["half_shaft_inertia"]) @ bench.spin
        return np.array([x, y])

    before = momentum()
    bench.run(steps=1, h=h)
    rate = (momentum() - before) / h
    assert bench.out[0]["reaction_x"] == pytest.approx(-rate[0], rel=1e-9)
    assert bench.out[0]["reaction_y"] == pytest.approx(-rate[1] + bench.moment.sum(), rel=1e-9)
