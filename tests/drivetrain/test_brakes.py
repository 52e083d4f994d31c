"""Do the brakes hold without creep, slide with exactly their limit, and only ever take energy out?"""

import numpy as np
import pytest
from drivetrain_rig import Bench, part_file, step

from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from vehicles.brakes import brakes
from vehicles.brakes.brakes import add_brake_reactions, brakes_from_mapping, hold_against
from vehicles.drivetrain import drivetrain

MADE_OF = (brakes, drivetrain)
"""Modules that `step` of the rig uses. The cache of a kernel follows imports of modules only: without these it would keep old kernels."""

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
    assert 550.0 < bench.out[0]["engine_speed"] * 30.0 / np.pi < 800.0
    np.testing.assert_allclose(bench.out[0]["brake_torque"], bench.out[0]["drive_torque"], rtol=1e-9)
    assert 0.05 < bench.out[0]["drive_torque"].sum() / 0.47 / (2930.0 * 9.81) < 0.3


HEAT = {
    "heat_capacity": [150.0, 150.0],
    "cooling": [0.0, 0.0],
    "cooling_by_speed": [0.0, 0.0],
    "surroundings": 20.0,
    "friction_temperature": [20.0, 300.0, 500.0],
    "friction_factor": [1.0, 0.9, 0.5],
}
"""Small discs that keep their heat."""


def heated(parts):
    parts["brakes"]["heat"] = HEAT


@pytest.mark.parametrize("pedal", [0.2, 0.6, 1.0])
def test_hydraulics_and_discs_make_the_torque_of_their_formula(pedal):
    b = part_file("hmmwv")["brakes"]
    q, d = b["hydraulics"], b["discs"]
    rod = pedal * q["pedal_force"] * q["pedal_ratio"]
    line = (rod + q["assist"] * min(rod, q["assist_knee"])) / q["cylinder_area"]
    rear = min(line, q["valve_knee"][1] + q["valve_slope"][1] * (line - q["valve_knee"][1]))
    torque = [2.0 * d["pad_friction"] * p * d["piston_area"][n] * d["effective_radius"][n] * 1.92 for n, p in enumerate((line, rear))]
    bench = Bench("hmmwv", 0).set(brake=pedal)
    bench.moment[:] = 1e4  # all slide
    bench.b["fade_points"] = 0
    bench.run(20.0 * q["lag"])
    np.testing.assert_allclose(bench.brakes[0]["pressure"], [line, line, rear, rear], rtol=1e-6)
    np.testing.assert_allclose(bench.out[0]["brake_torque"], np.repeat(torque, 2), rtol=1e-4)  # 0.52083 is not quite 1 / 1.92


def test_valves_build_hold_and_dump_with_their_times_and_never_beyond_the_line():
    bench = Bench("hmmwv", 0).set(brake=1.0)
    bench.b["lag"] = 0.0
    s, b = bench.brakes[0], bench.b[0]
    s["valves"], s["inlet"], s["pressure_limit"] = 1, [1.0, 0.25, 1.0, 0.0], [1e9, 1e9, 1e6, 1e9]
    bench.run(b["build_time"], 1e-5)
    line = s["line_pressure"]
    np.testing.assert_allclose(
        s["pressure"], [line * (1.0 - np.exp(-1.0)), line * (1.0 - np.exp(-0.25)), 1e6 * (1.0 - np.exp(-1.0)), 0.0], rtol=1e-3
    )
    before = s["pressure"].copy()
    s["inlet"], s["outlet"] = 0.0, [0.0, 1.0, 0.0, 0.0]
    bench.run(b["release_time"], 1e-5)
    np.testing.assert_allclose(s["pressure"], before * [1.0, np.exp(-1.0), 1.0, 0.0], rtol=1e-3)
    bench.set(brake=0.0).run(0.01)
    np.testing.assert_array_equal(s["pressure"], 0.0)


def test_discs_take_all_the_energy_of_the_wheels_and_fade_with_their_heat():
    bench = Bench("hmmwv_chrono", 0, change=heated).set(brake=0.5)
    torques = []
    for _ in range(4):
        bench.spin[:] = 40.0
        before, heat = bench.energy(), bench.brakes[0]["heat"].sum()
        bench.run(0.01)
        torques.append(bench.out[0]["brake_torque"][0])
        bench.run(2.0)
        assert 150.0 * (bench.brakes[0]["heat"].sum() - heat) == pytest.approx(before - bench.energy(), rel=0.01)
    assert np.abs(bench.spin).max() < 1e-6
    temperature = 20.0 + bench.brakes[0]["heat"][0]
    assert temperature > 350.0
    assert torques[0] == pytest.approx(LIMIT, rel=1e-2) and (np.diff(torques) < 0.0).all()
    bench.spin[:] = 40.0
    bench.run(steps=1)
    factor = np.interp(temperature, HEAT["friction_temperature"], HEAT["friction_factor"])
    np.testing.assert_allclose(bench.out[0]["brake_torque"], LIMIT * factor, rtol=1e-3)


def test_discs_cool_by_the_air_and_by_the_speed():
    bench = Bench("hmmwv_chrono", 0, change=heated)
    bench.b["cooling"], bench.b["cooling_by_speed"], bench.brakes["heat"] = 2.0, 0.1, 100.0
    bench.v_WB_B[:] = 12.0, 16.0, 0.0
    bench.run(50.0)
    np.testing.assert_allclose(bench.brakes[0]["heat"], 100.0 * np.exp(-50.0 * (2.0 + 0.1 * 20.0) / 150.0), rtol=1e-3)


def test_a_brake_on_the_half_shaft_pushes_the_chassis_as_hard_as_it_brakes_and_does_no_work_of_its_own():
    b, s = brakes_from_mapping(part_file("hmmwv")["brakes"], "f.yaml", hub_ratio=0.5), Bench("hmmwv", 0).brakes
    torque, axles = np.array([100.0, 200.0, -50.0, 10.0]), np.repeat([[0.0], [1.0], [0.0]], 4, axis=1)
    carrier, chassis, carrier_spin = np.zeros((3, 4)), np.zeros(3), np.array([0.1, -0.2, 0.3, 0.0])
    react(b, s, torque, axles, carrier, chassis, carrier_spin, 0.7)
    np.testing.assert_allclose(carrier[1], 0.5 * torque)
    np.testing.assert_allclose(chassis, [0.0, 0.5 * torque.sum(), 0.0])
    # power that the wheels give up against what carriers and chassis get: the rest is torque times sliding speed
    assert torque @ s[0]["reference_spin"] == pytest.approx(carrier[1] @ carrier_spin + chassis[1] * 0.7)


@kernel
def react(b, s, torque, axles, carrier, chassis, carrier_spin, pitch_rate):
    hold_against(b, s, carrier_spin, pitch_rate)
    add_brake_reactions(b, torque, axles, carrier, chassis)


@pytest.mark.parametrize(("change", "words"), [
    ({"max_torque": [1.0, 1.0]}, "brakes: .*expected either max_torque, or hydraulics and discs"),
    ({"discs": None}, "either max_torque, or hydraulics and discs"),
    ({"place": "hub"}, "brakes.place: .*expected one of wheel, half_shaft; got 'hub'"),
    ({"heat": {**HEAT, "friction_factor": [1.0, 0.5]}}, "brakes.heat.friction_factor: .*expected 3 numbers"),
])  # fmt: skip
def test_brakes_that_contradict_themselves_are_refused(change, words):
    with pytest.raises(ConfigError, match=words):
        brakes_from_mapping({**part_file("hmmwv")["brakes"], **change}, "f.yaml")
