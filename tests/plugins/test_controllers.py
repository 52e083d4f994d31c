"""Control units: measurements, limits of their commands, and the effect of anti-lock brakes."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.callbacks import callback, record_at
from simulator.base.errors import ConfigError, JounceError
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import kernel
from simulator.base.records import dtype_of, record
from simulator.builder.builder import build_vehicle
from terrain.load_terrain import load_terrain
from tests.laws.vehicle_rig import command, logged, steps
from vehicles.controllers import anti_lock
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, ControllerKind
from vehicles.controllers.control_unit import CONTROL_STATE, CONTROLLER, read_teeth
from vehicles.controllers.kinds import register
from vehicles.vehicle import Vehicle

AMOUNT = (Field("amount", Number("1", 0.0, 1.0), "of it"),)
P, I, O = dtype_of(rows(AMOUNT)), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)
STATE = (("turns", (), "1", "counted"),)
S = dtype_of(STATE)


@callback
def ask_much(parameters, state, seen, result, first, count, h):
    """Request half the throttle and no pressure at the first wheel; with `amount` 0, NaN from the third step."""
    p, s, output = record_at(parameters, P)[0], record_at(state, S)[0], record_at(result, O)[0]
    s["turns"] += 1.0
    output["throttle_limit"] = 0.5
    output["pressure_limit"][0] = 0.0 / p["amount"] if s["turns"] > 2.0 else 0.0


KIND = ControllerKind("ask_much", AMOUNT, STATE, ask_much, CONTRACT, LAYOUT, rate=200.0)
register(KIND)


def on_ground(**said: Any) -> tuple[Any, ...]:
    g = load_terrain({"type": "flat", **said}, "flat", Path(), {"basalt": {"type": "surface", "friction": 0.2}})
    return g.arrays


def car(folder: Path, *controllers: dict[str, Any], base: str = "hmmwv") -> Vehicle:
    path = folder / "car.yaml"
    path.write_text(yaml.safe_dump({"base": base, "name": "car", "controllers": list(controllers)}), encoding="utf-8")
    return build_vehicle(str(path), check_step=False)


def stop(vehicle: Vehicle, ground: tuple[Any, ...], speed: float) -> tuple[float, float, float]:
    """Run a panic stop with fixed steering; return the distance [m], maximum yaw angle [rad] and lateral offset [m]."""
    vehicle.reset(ground, speed=speed)
    way, yaw, offset = float(vehicle.space.state[0]["p_WB"][0]), 0.0, 0.0
    for _ in range(1500):
        steps(10, vehicle.model, vehicle.space, ground, command(selector=1, brake=1.0), 1e-3)
        r = vehicle.read()[0]
        yaw, offset = max(yaw, abs(r["yaw"])), max(offset, abs(r["p_WB"][1]))
        if r["v_WB_B"][0] < 0.2:
            break
    return float(r["p_WB"][0]) - way, yaw, offset


# Sensors ------------------------------------------------------------------------------------------------------------------------


@kernel
def turn_ring(controls, controllers, seen, speeds, angle, h, out):
    """Rotate a ring with each of some speeds [rad/s] for a period, and write the measurement at the end of each to `out`."""
    time = 0.0
    for k in range(len(speeds)):
        angle, time = angle + h * speeds[k], time + h
        read_teeth(controls[0], controllers[0], seen[0], 0, angle, abs(speeds[k]), time)
        controls[0]["begun"], controls[0]["sampled"] = 1, time
        out[k] = seen[0]["wheel_speed"][0]


def measured(speeds: np.ndarray, error: float = 0.0, seed: int = 1) -> np.ndarray:
    controls, controllers, out = record(CONTROL_STATE), record(CONTROLLER), np.zeros(len(speeds))
    controllers[0]["teeth"], controllers[0]["tooth_error"], controls[0]["random"] = 100, error, seed
    turn_ring(controls, controllers, record(CONTROLLER_INPUT), speeds, 0.3, 0.01, out)
    return out


def test_a_ring_measures_a_steady_speed_exactly_and_a_stop_late() -> None:
    assert measured(np.full(100, -36.7))[5:] == pytest.approx(36.7, rel=1e-9)
    stopped = measured(np.r_[np.full(50, 36.7), np.zeros(100)])[50:]
    assert (np.diff(stopped[1:]) < 0.0).all()
    assert stopped[-1] == pytest.approx(2.0 * math.pi / 100 / 1.0, rel=2e-3)  # one tooth at most in the second since the last one
    trembling = measured(np.tile([2.0, -2.0], 100))[20:]
    assert (trembling < 0.5).all()


@pytest.mark.parametrize("teeth_per_period", [0.4, 0.9, 1.02, 1.1, 1.24, 1.6])
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_ring_measures_a_steady_speed_of_about_one_tooth_per_period(teeth_per_period: float, direction: float) -> None:
    """Edges of one direction count when the tooth passes the sensor, whatever the position of the tooth at the end of the period."""
    speed = teeth_per_period * 2.0 * math.pi / 100 / 0.01
    assert measured(np.full(200, direction * speed))[10:] == pytest.approx(speed, rel=1e-6)


def test_errors_of_teeth_have_the_given_magnitude_and_come_from_the_seed() -> None:
    speeds = np.full(4000, 36.7)
    noisy = measured(speeds, 0.05)
    # two edges, each off by 5 % of the pitch, 5.84 teeth apart
    assert np.std(noisy) == pytest.approx(36.7 * math.sqrt(2.0) * 0.05 / 5.84, rel=0.1)
    assert np.mean(noisy) == pytest.approx(36.7, rel=1e-3)
    assert (noisy == measured(speeds, 0.05)).all()
    assert (noisy != measured(speeds, 0.05, seed=2)).mean() > 0.9


# Orders -------------------------------------------------------------------------------------------------------------------------


def test_limits_act_and_a_controller_that_returns_nan_is_switched_off(tmp_path: Path) -> None:
    ground = on_ground()
    good, lost = (car(tmp_path, {"type": "ask_much", "amount": amount}) for amount in (1.0, 0.0))
    for vehicle in (good, lost):
        vehicle.reset(ground, speed=10.0)
        steps(5, vehicle.model, vehicle.space, ground, command(selector=1, throttle=0.8, brake=0.5), 1e-3)
        assert vehicle.space.command[0]["throttle"] == 0.5
        assert vehicle.space.brakes[0]["pressure"][0] == 0.0 < vehicle.space.brakes[0]["pressure"][1]
        steps(50, vehicle.model, vehicle.space, ground, command(selector=1, throttle=0.8, brake=0.5), 1e-3)
        vehicle.read()
    assert good.space.command[0]["throttle"] == 0.5 and not good.troubles
    assert logged(good, "ask_much_")[0]["turns"] == 11  # at 200 Hz: in the first step, and each 5 ms
    assert lost.space.command[0]["throttle"] == 0.8
    assert lost.space.brakes[0]["pressure"][0] > 1e6
    assert lost.troubles == ["controller ask_much: requested a non-finite number; it is switched off"]


@pytest.mark.parametrize(("changes", "words"), [
    ({"contract": 7}, "version 7 of the contract"), ({"layout": 1}, "other tables"),
    ({"state": (("u", (300,), "", "too many"),)}, "300 numbers"), ({"parameters": (Field("rate", Number("Hz"), "mine"),)}, "rate already"),
    ({"rate": 10.0}, "duplicate controller ask_much"),
])  # fmt: skip
def test_a_controller_that_does_not_fit_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(JounceError, match=words):
        register(replace(KIND, **changes))


def test_a_file_with_unknown_references_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected a controller: abs, .*did you mean abs"):
        car(tmp_path, {"type": "abss"})
    with pytest.raises(ConfigError, match=r"controllers\[1\]\.name: invalid value; expected .* no other controller has; got 'ask_much'"):
        car(tmp_path, *2 * [{"type": "ask_much", "amount": 1.0}])
    with pytest.raises(ConfigError, match=r"brakes: invalid value; expected hydraulics and discs.*; got 'max_torque'"):
        car(tmp_path, {"type": "ask_much", "amount": 1.0}, base="hmmwv_chrono")


# Anti-lock brakes ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def with_abs() -> Vehicle:
    return build_vehicle("hmmwv_abs", check_step=False)


@pytest.mark.parametrize("friction", [0.8, 0.4])
def test_it_stops_shorter_than_locked_wheels_and_straight(with_abs: Vehicle, friction: float) -> None:
    ground = on_ground(friction=friction)
    locked, _, _ = stop(build_vehicle("hmmwv", check_step=False), ground, 20.0)
    way, yaw, offset = stop(with_abs, ground, 20.0)
    assert way < 0.95 * locked
    assert yaw < math.radians(2.0) and offset < 0.5


def test_it_keeps_its_course_on_split_friction(with_abs: Vehicle) -> None:
    split = {"friction": 0.8, "spacing": [0.5, 0.1], "patches": [{"friction": 0.2, "x": [-20.0, 200.0], "y": [0.0, 4.0]}]}
    way, yaw, offset = stop(with_abs, on_ground(**split), 60.0 / 3.6)
    assert yaw < math.radians(5.0) and offset < 0.5
    assert way < 90.0  # the mean of 1.7 m/s2: the wheels on the good side have to wait for the others


def test_the_same_drive_is_the_same_to_the_last_bit_and_another_seed_another(with_abs: Vehicle) -> None:
    ground = on_ground(friction=0.4)
    first = stop(with_abs, ground, 10.0)
    assert stop(with_abs, ground, 10.0) == first
    with_abs.model.controllers["seed"] = 1
    other = stop(with_abs, ground, 10.0)
    with_abs.model.controllers["seed"] = 0
    assert other != first and other[0] == pytest.approx(first[0], rel=0.1)


def test_it_does_not_act_in_a_gentle_stop(with_abs: Vehicle) -> None:
    ground = on_ground()
    with_abs.reset(ground, speed=20.0)
    for _ in range(20):
        steps(100, with_abs.model, with_abs.space, ground, command(selector=1, brake=0.3), 1e-3)
        phase = logged(with_abs, "abs_")[0]["phase"]
        assert (phase[:2] == anti_lock.OPEN).all() and (phase != anti_lock.DUMP).all()


def turn_steadily(vehicle: Vehicle, ground: tuple[Any, ...], speed: float, lateral: float) -> float:
    """Drive a left turn for 4 s at a speed [m/s] with a lateral acceleration [m/s2]; return the command `steering`."""
    vehicle.reset(ground, speed=speed)
    s, steering, throttle = vehicle.space, 0.0, vehicle.start_throttle
    for _ in range(400):
        now = s.state[0]["v_WB_B"][0]
        steering += 0.0005 * (lateral - now * s.state[0]["w_WB_B"][2])
        pedal = min(1.0, max(0.0, throttle + 0.3 * (speed - now)))
        steps(10, vehicle.model, s, ground, command(selector=1, throttle=pedal, steering=steering), 1e-3)
    assert s.state[0]["v_WB_B"][0] * s.state[0]["w_WB_B"][2] == pytest.approx(lateral, rel=0.1)
    return steering


@pytest.mark.parametrize("name", ["hmmwv_esc", "sedan_esc"])
def test_inner_wheels_of_a_turn_have_no_slip_and_are_braked_like_the_outer_ones(name: str) -> None:
    """ISO 7975 at 4 m/s2 and a pedal of 0.3: no tire is near its peak slip, and the brakes get the pressure of the pedal to the end."""
    vehicle, ground = build_vehicle(name, check_step=False), on_ground()
    steering, unit = turn_steadily(vehicle, ground, 14.0, 4.0), logged(vehicle, "abs_")[0]
    assert np.abs(unit["slip"][:4]).max() < 0.02
    speeds = []
    for n in range(800):
        steps(5, vehicle.model, vehicle.space, ground, command(selector=1, brake=min(0.3, 0.01 * n), steering=steering), 1e-3)
        speeds.append(float(vehicle.space.state[0]["v_WB_B"][0]))
        if speeds[-1] < 2.0:
            break
        assert (unit["phase"][:2] == anti_lock.OPEN).all() and (unit["phase"][:4] != anti_lock.DUMP).all()
        pressure = vehicle.space.brakes[0]["pressure"][:4]
        assert pressure.min() >= 0.9 * pressure.max()
    assert speeds[-1] < 2.0


@pytest.mark.parametrize("name", ["hmmwv_esc", "sedan_esc", "sedan_electric"])
def test_anti_lock_brakes_do_not_lengthen_a_hard_stop_in_a_turn(name: str) -> None:
    """The load moves to the first axle, and the car turns faster than its steering wheel demands: this is no split friction."""
    vehicle, ground, distances = build_vehicle(name, check_step=False), on_ground(), []
    names = [unit.name for unit in vehicle.description.controllers.units]
    for on in (False, True):
        vehicle.model.controllers["active"] = [1] * len(names)
        steering, distance = turn_steadily(vehicle, ground, 14.0, 4.0), 0.0
        vehicle.model.controllers["active"] = [int(unit != "abs" or on) for unit in names]
        while vehicle.space.state[0]["v_WB_B"][0] > 0.5 and distance < 100.0:
            steps(5, vehicle.model, vehicle.space, ground, command(selector=1, brake=0.5, steering=steering), 1e-3)
            distance += 0.005 * float(vehicle.space.state[0]["v_WB_B"][0])
        distances.append(distance)
    without, with_control = distances
    assert with_control < 1.03 * without


def test_wheels_of_a_turn_in_reverse_have_no_slip(with_abs: Vehicle) -> None:
    ground, unit = on_ground(), logged(with_abs, "abs_")[0]
    with_abs.reset(ground)
    for _ in range(100):
        steps(50, with_abs.model, with_abs.space, ground, command(selector=-1, throttle=0.25, steering=0.5), 1e-3)
    assert with_abs.space.state[0]["v_WB_B"][0] < -2.0
    wheels, slips = with_abs.space.state[0]["wheel_spin"], unit["slip"][2:4]
    assert np.ptp(0.46 * wheels[2:]) > 0.3  # m/s, between the sides of the last axle
    assert np.ptp(slips) * 8.0 < 0.1


def test_it_does_not_open_the_brakes_at_the_end_of_a_stop(with_abs: Vehicle) -> None:
    """At half the pedal no wheel is near its peak slip; vibration of the wheels at walking pace is no slip."""
    ground = on_ground()
    with_abs.reset(ground, speed=12.0)
    times = []
    for until in (4.0, 1.6):
        while with_abs.read()[0]["v_WB_B"][0] > until:
            steps(5, with_abs.model, with_abs.space, ground, command(selector=1, brake=0.5), 1e-3)
        times.append(float(with_abs.space.state[0]["time"]))
    assert 2.4 / (times[1] - times[0]) > 5.0


def test_it_does_not_affect_a_car_parked_on_60_percent(with_abs: Vehicle) -> None:
    ground = on_ground(grade_percent=60.0)
    for yaw in (0.0, math.pi):
        with_abs.reset(ground, yaw=yaw)
        before = with_abs.space.state[0]["p_WB"].copy()
        steps(3000, with_abs.model, with_abs.space, ground, command(brake=1.0), 1e-3)
        assert np.linalg.norm(with_abs.space.state[0]["p_WB"] - before) < 2e-3
        assert np.linalg.norm(with_abs.space.state[0]["v_WB_B"]) < 1e-5
