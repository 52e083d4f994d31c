"""Does an automatic gearbox shift by its clutches without jerks, lose only what they turn into heat, and shift when its curves say so?"""

import copy

import numpy as np
import pytest
from drivetrain_rig import Bench
from gearboxes import AUTOMATIC, LOCK_UP, SCHEDULE, automatic, manual
from straight_line import Car
from test_driveline import shaft_matrix

from simulator.base.errors import ConfigError
from vehicles.drivetrain.conventional.torque_converter import converter_torques
from vehicles.drivetrain.drivetrain_file import drivetrain_from_mapping

BAND = 1.5
"""m/s2"""


def accelerations(log, h):
    """Per shift of a log of `Car.roll`: (acceleration before, after, least and most within), averaged over 20 ms."""
    window = np.ones(round(0.02 / h)) * h / 0.02
    a = np.convolve(np.gradient(log[:, 0], h), window, "same")
    tenth, second = round(0.1 / h), round(1.2 / h)
    return [
        (a[at - tenth : at].mean(), a[at + second], a[at : at + second].min(), a[at : at + second].max())
        for at in np.flatnonzero(np.diff(log[:, 2]))
        if tenth < at < len(a) - second - tenth
    ]


@pytest.mark.parametrize("throttle", [0.4, 0.7, 1.0])
def test_acceleration_stays_near_its_values_before_and_after_an_upshift(throttle):
    car = Car(automatic(), 1, 3.0).set(throttle=throttle)
    shifts = accelerations(car.roll(20.0), 1e-3)
    assert shifts
    for before, after, least, most in shifts:
        assert least > min(before, after) - BAND and most < max(before, after) + BAND
    assert car.state[0]["clutch_heat"] > 1000.0


def test_shifts_without_load_and_kicked_down_are_soft_too():
    shifts = accelerations(Car(automatic(), 1, 10.0).set(throttle=0.0).roll(4.0), 1e-3)
    car = Car(automatic(), 3, 15.5).set(throttle=0.4)
    car.roll(2.0)
    shifts += accelerations(np.concatenate([car.roll(1.0), car.set(throttle=1.0).roll(3.0)]), 1e-3)
    shifts += accelerations(Car(automatic(), 3, 7.5).set(throttle=0.0, brake=0.05).roll(6.0), 1e-3)
    assert len(shifts) >= 3
    for before, after, least, most in shifts:
        assert least > min(before, after) - BAND and most < max(before, after) + BAND


@pytest.mark.parametrize(
    ("drivetrain", "throttle", "first", "resistance"),
    [("automatic", 1.0, 1, -150.0), ("automatic", 0.0, 3, -450.0), ("manual", 1.0, 0, -50.0)],
)
def test_work_of_the_engine_is_found_again(drivetrain, throttle, first, resistance):
    """In shafts and wheels as heavy as the car, in the heat of the clutches, and in the converter or the drag of the input shaft."""
    h = 1e-4
    bench = Bench(automatic(lock_up=LOCK_UP) if drivetrain == "automatic" else manual(), first, (30.0 if first else 0.0,) * 4)
    bench.set(throttle=throttle, selector=1, brake=0.0)
    bench.inertia[:], bench.moment[:] = 130.0, resistance
    p, s = bench.p, bench.state[0]
    before, work, lost, heat, gears = bench.energy(), 0.0, 0.0, 0.0, set()
    for _ in range(60000):
        engine, turbine, spin = float(s["engine_speed"]), float(s["turbine_speed"]), bench.spin.sum()
        bench.run(steps=1, h=h)
        gears.add(int(s["gear"]))
        work += h * bench.out[0]["engine_torque"] * 0.5 * (engine + s["engine_speed"])
        work += h * bench.moment[0] * 0.5 * (spin + bench.spin.sum())
        if drivetrain == "automatic":
            by_engine, on_turbine = converter_torques(p, s["engine_speed"], s["turbine_speed"])[:2]
            lost += h * (by_engine * s["engine_speed"] - on_turbine * s["turbine_speed"])
        elif s["phase"] in (0, 5):
            lost += h * p[0]["input_drag"] * turbine**2
        assert s["clutch_heat"] > heat - 1e-4
        heat = float(s["clutch_heat"])
    assert len(gears - {0}) >= 2 and heat > 30.0
    turned_over = abs(work) + abs(bench.energy() - before)
    assert work == pytest.approx(bench.energy() - before + lost + heat, abs=2e-3 * turned_over)


def test_the_output_gets_the_torque_of_both_clutches():
    """Through the shifts of a drive, the momentum of wheels and shafts changes by the torque on the driveshaft and by the ground alone."""
    bench = Bench(automatic(), 1, (20.0, 20.5, 21.0, 20.2)).set(throttle=0.9)
    bench.inertia[:], bench.moment[:] = 60.0, (-30.0, -20.0, -10.0, -25.0)
    matrix, shaft = shaft_matrix(bench.p)
    both = 0
    for _ in range(8000):
        spin = bench.spin.copy()
        bench.run(steps=1)
        gained = (np.diag(bench.inertia) + matrix) @ (bench.spin - spin) / 1e-3
        np.testing.assert_allclose(gained, bench.moment + shaft * bench.out[0]["driveshaft_torque"], atol=1e-6)
        both += bench.state[0]["slip_torque"] > 0.0 and bench.state[0]["coupling_torque"] > 0.0
    assert both > 200 and bench.state[0]["gear"] == 3


def test_kick_down_skips_a_gear_and_comes_back():
    car = Car(automatic(), 3, 9.0).set(throttle=0.1)
    assert set(car.roll(1.0)[:, 2]) == {3.0}
    log = car.set(throttle=1.0).roll(20.0)
    assert log[20, 2] == 1.0 and log[-1, 2] == 3.0
    assert np.count_nonzero(np.diff(log[:, 2])) == 2 + (log[0, 2] == 3.0)
    assert log[:, 3].max() < 3850.0 * np.pi / 30.0


@pytest.mark.parametrize("grade", [0.0, 0.04, 0.06, 0.08, 0.12, 0.2])
def test_full_throttle_is_fastest_up_a_grade_and_nothing_hunts(grade):
    speeds = []
    for throttle in (0.6, 0.8, 0.9, 1.0):
        log = Car(automatic(), 2, 12.0, grade).set(throttle=throttle).roll(90.0, 2e-3)
        assert np.count_nonzero(np.diff(log[-20000:, 2])) <= 1
        speeds.append(log[-5000:, 0].mean())
    assert speeds[-1] >= max(speeds) - 0.05


def test_lock_up_holds_and_lets_go():
    car = Car(automatic(lock_up=LOCK_UP), 3, 20.0).set(throttle=0.6)
    log = car.roll(4.0)
    assert abs(car.state[0]["engine_speed"] - car.state[0]["turbine_speed"]) < 0.6
    assert np.abs(np.diff(log[2000:, 1])).max() < 2.0, "it neither chatters nor rings"
    car.set(throttle=0.0, brake=0.2).roll(0.3)
    assert car.state[0]["locked"] == 0.0
    slow = Car(automatic(lock_up=LOCK_UP), 3, 8.0).set(throttle=0.1)
    slow.roll(2.0)
    assert slow.state[0]["locked"] == 0.0
    assert np.abs(np.diff(Car(automatic(lock_up=LOCK_UP), 3, 20.0).set(throttle=0.6).roll(4.0, 5e-3)[400:, 1])).max() < 10.0


def spoiled(**changes):
    """A gearbox with other curves."""
    return automatic(schedule={**copy.deepcopy(SCHEDULE), **changes})


UP, DOWN = SCHEDULE["upshift_rpm"], SCHEDULE["downshift_rpm"]
CLUTCHES = AUTOMATIC["clutches"]


@pytest.mark.parametrize(
    ("parts", "key", "expected"),
    [
        (spoiled(upshift_rpm=[UP[0], [*UP[1][:-1], 2700]]), "gearbox.schedule.upshift_rpm", "the speeds at the governor limit"),
        (spoiled(downshift_rpm=[DOWN[0], [*DOWN[1][:-1], 2300]]), "gearbox.schedule.downshift_rpm", "below the upshift speeds"),
        (spoiled(upshift_rpm=[UP[0]]), "gearbox.schedule.upshift_rpm", "2 lists, one per pair of gears"),
        (spoiled(throttle=[0.0, 0.3, 0.6, 0.9, 0.95]), "gearbox.schedule.throttle", "from 0 to 1"),
        (spoiled(upshift_rpm=[UP[1], UP[0]]), "gearbox.schedule.upshift_rpm", "rise from one pair"),
        (automatic(clutches={**CLUTCHES, "capacity": 500.0}), "gearbox.clutches.capacity", "the largest turbine torque"),
        (automatic(clutches={**CLUTCHES, "inertia_time": 0.7}), "gearbox.shift_latency", "the sum of torque_time and inertia_time"),
        (automatic(shift_time=0.3), "gearbox.shift_time", "no key of this name together with clutches"),
        (automatic(upshift_rpm=[1500.0, 3000.0]), "gearbox.upshift_rpm", "no key of this name together with schedule"),
        (automatic(lock_up={**LOCK_UP, "opens_rpm": 1600.0}), "lock_up.opens_rpm", "less than 1500"),
    ],
)
def test_gearboxes_that_cannot_shift_are_refused(parts, key, expected):
    with pytest.raises(ConfigError) as caught:
        drivetrain_from_mapping(parts["drivetrain"], "bench")
    assert f"drivetrain.{key}:" in str(caught.value) and expected in str(caught.value)
