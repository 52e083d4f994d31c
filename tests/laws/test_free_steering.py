"""Does a steering arm that is free move as the mechanism does, keep its energy, and come back by itself?"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.errors import JounceError
from simulator.base.jit import kernel
from simulator.builder.builder import build_vehicle, find_config, read_yaml
from tests.laws.corner_bodies import bodies_of
from tests.laws.free_vehicle import matrix
from tests.laws.test_mirror import SWAP, compare, mirrored, moving, without_shafts_along_x
from tests.laws.vehicle_rig import command, drive, ground
from vehicles.stages import integrate, update_suspension
from vehicles.steering.free_steering import answer_with_arm, turn_arm
from vehicles.steering.steering_torque import pitman_torque
from vehicles.suspension.tables.build_tables import DEFAULT_TOLERANCE
from vehicles.vehicle import Vehicle

RATIO = 26.0
BARE = {"gear_ratio": RATIO, "max_arm_angle_deg": 30.0, "max_rate_deg": 60.0, "natural_frequency": 40.0}
"""Steering without a hand wheel, assist or friction, its input filtered."""


def with_column(folder: Path, stiffness: float, damping: float, **changes: Any) -> Vehicle:
    mapping = read_yaml(find_config("vehicles", "hmmwv"))
    for name in ("hand_wheel", "gear", "assist", "input"):
        mapping["steering"].pop(name)
    for name in [one for one in mapping["steering"] if one.split("_deg")[0] in ("max_arm_angle", "max_rate")]:
        mapping["steering"].pop(name)
    mapping["steering"] |= {**BARE, "column": {"stiffness": stiffness, "damping": damping}}
    if stiffness == 0.0:
        mapping["steering"].pop("column")
    (folder / "car.yaml").write_text(yaml.safe_dump(mapping | changes), encoding="utf-8")
    return build_vehicle(str(folder / "car.yaml"))


@cache
def with_hand_wheel() -> Vehicle:
    """The shipped car, its steering free."""
    car = build_vehicle("hmmwv")
    car.free_steering(True)
    return car


@cache
def on_tables() -> Vehicle:
    return build_vehicle("hmmwv", suspension="table")


@pytest.fixture(scope="module")
def on_column(tmp_path_factory: pytest.TempPathFactory) -> Vehicle:
    return with_column(tmp_path_factory.mktemp("column"), 50.0, 0.2)


@kernel
def free(m, s, tabulated, h):
    update_suspension(m, s, tabulated, h)
    answer_with_arm(m, s, tabulated, h)


@kernel
def move(m, s, h):
    turn_arm(m, s, h)
    integrate(m, s, h)


def coast(m: Any, s: Any, tabulated: bool, steps: int, h: float) -> None:
    """Steps of the bodies alone, without ground, air, drivetrain and gravity; they are then placed where they are."""
    for _ in range(steps):
        s.steering[0]["acceleration"] = 0.0
        free(m, s, tabulated, h)
        move(m, s, h)
    s.steering[0]["acceleration"] = 0.0
    held(m, s)


@kernel
def held(m, s):
    update_suspension(m, s, False, 0.0)


@kernel
def torque_of(m, s):
    return pitman_torque(m, s, False)


def at_random(car: Vehicle, rng: np.random.Generator) -> None:
    """Give a vehicle on flat ground a random motion and random loads on its wheels."""
    car.reset(ground("flat"))
    x, loads = car.space.state[0], car.space.loads[0]
    x["w_WB_B"], x["v_WB_B"] = rng.uniform(-1.0, 1.0, 3), rng.uniform(-5.0, 15.0, 3)
    x["theta"] += rng.uniform(-0.05, 0.05, 4)
    x["theta_dot"], x["wheel_spin"] = rng.uniform(-1.0, 1.0, 4), rng.uniform(0.0, 40.0, 4)
    loads["wheel_force"], loads["carrier_couple"] = rng.uniform(-5e3, 5e3, (3, 4)), rng.uniform(-500.0, 500.0, (3, 4))


@pytest.mark.parametrize("seed", range(8))
def test_the_arm_needs_the_torque_of_the_column_for_the_acceleration_found(on_column: Vehicle, seed: int) -> None:
    """The inverse dynamics with the acceleration prescribed that came out: the same accelerations everywhere, and the column's torque."""
    from vehicles.dynamics import accelerations

    car, rng = on_column, np.random.default_rng(seed)
    m, s = car.model, car.space
    at_random(car, rng)
    arm = s.steering[0]
    arm["angle"], arm["rate"], arm["acceleration"] = rng.uniform(-0.3, 0.3), rng.uniform(-1.0, 1.0), 0.0
    arm["hand_angle"], arm["hand_rate"] = rng.uniform(-0.3, 0.3), rng.uniform(-1.0, 1.0)
    free(m, s, False, 0.0)
    found, torque = s.out.copy(), float(s.out[0]["pitman_torque"])
    twist = arm["hand_angle"] - arm["angle"], arm["hand_rate"] - arm["rate"]
    assert torque == pytest.approx(RATIO**2 * (50.0 * twist[0] + 0.2 * twist[1]), rel=1e-12)
    held(m, s)
    accelerations(m, s)
    assert torque_of(m, s) == pytest.approx(torque, rel=1e-8, abs=1e-6)
    for name in ("alpha_WB_B", "a_WB_B", "theta_ddot"):
        assert s.out[0][name] == pytest.approx(found[0][name], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("angle", [0.2, 1.0])
def test_assist_friction_and_full_lock_are_in_what_the_arm_gets(angle: float) -> None:
    """As above over a step with a hand wheel, within the travel of the arm and where it comes to its end."""
    from vehicles.dynamics import accelerations

    car, rng = with_hand_wheel(), np.random.default_rng(3)
    m, s = car.model, car.space
    car.reset(ground("flat"))
    arm, loads = s.steering[0], s.loads[0]
    s.state[0]["w_WB_B"], s.state[0]["theta_dot"] = rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, 4)
    loads["wheel_force"], loads["carrier_couple"] = rng.uniform(-5e3, 5e3, (3, 4)), rng.uniform(-500.0, 500.0, (3, 4))
    arm["angle"], arm["rate"], arm["acceleration"] = angle * m.steering[0]["max_arm_angle"], 0.8, 0.0
    arm["hand_angle"], arm["hand_rate"], arm["let_go"], arm["given"] = arm["angle"] + 0.01, 0.5, 1, 60.0
    free(m, s, False, 1e-3)
    found, torque = s.out.copy(), float(s.out[0]["pitman_torque"])
    if angle == 1.0:
        assert arm["rate"] + 1e-3 * arm["acceleration"] == pytest.approx(0.0, abs=1e-12)
    else:
        own = arm["column_torque"] + arm["assist_torque"] - m.steering[0]["gear_damping"] * (arm["rate"] + 1e-3 * arm["acceleration"])
        assert torque == pytest.approx(own - m.steering[0]["gear_stiffness"] * arm["gear_stretch"], rel=1e-9)
    held(m, s)
    accelerations(m, s)
    assert torque_of(m, s) == pytest.approx(torque, rel=1e-8, abs=1e-6)
    for name in ("alpha_WB_B", "a_WB_B", "theta_ddot"):
        assert s.out[0][name] == pytest.approx(found[0][name], rel=1e-8, abs=1e-8)


def energy(car: Vehicle) -> float:
    """Kinetic energy of all bodies and the hand wheel, and what is in the torsion bar and the friction of the gear."""
    s, g, arm = car.space, car.model.steering[0], car.space.steering[0]
    x, chassis = s.state[0], car.model.chassis[0]
    bodies = [([chassis["mass"]], [chassis["com"]], [chassis["inertia"]], [np.zeros(3)], [np.zeros(3)])]
    for i in range(4):
        masses, motion = bodies_of(s.blocks, i)
        bodies.append((masses, *(motion[name] for name in ("c", "inertia", "v_rel", "w_rel"))))
    mass, com, inertia, v_rel, w_rel = (np.concatenate([np.asarray(one[n]) for one in bodies]) for n in range(5))
    v, w = x["v_WB_B"] + np.cross(x["w_WB_B"], com) + v_rel, x["w_WB_B"] + w_rel
    kinetic = (mass * (v * v).sum(axis=1)).sum() + sum(turning @ matrix(six) @ turning for turning, six in zip(w, inertia, strict=True))
    strain = g["column_stiffness"] * (arm["hand_angle"] - arm["angle"]) ** 2 + g["gear_stiffness"] * arm["gear_stretch"] ** 2
    return float(0.5 * (kinetic + strain + g["hand_wheel_inertia"] * arm["hand_rate"] ** 2))


@pytest.mark.parametrize("suspension", ["closed_form", "table"])
def test_energy_stays_with_the_arm_and_the_hand_wheel_free(suspension: str) -> None:
    """Thrown into the air without springs and dampers, the torsion bar wound up: the arm swings against hand wheel and chassis, and what is
    missing of the energy falls with the step."""
    car, tabulated = build_vehicle("hmmwv", suspension=suspension), suspension == "table"
    car.free_steering(True)
    m, s = car.model, car.space
    for name in ("column_damping", "hand_wheel_damping", "hand_wheel_friction", "gear_damping", "gear_friction", "assist_points"):
        m.steering[0][name] = 0
    for name in m.struts.dtype.names or ():
        if not any(word in name for word in ("points", "length", "midstroke", "penetration", "deformation", "blend")):
            m.struts[0][name] = 0.0
    change, wound = [], 0.5 * float(m.steering[0]["column_stiffness"]) * 0.1**2
    for h in (1e-4, 5e-5):
        car.place(np.array([0.0, 0.0, 50.0]), 0.0, 0.0, 0.0)
        for part in (s.loads, s.work):
            part[:] = np.zeros(1, part.dtype)
        s.state[0]["w_WB_B"], s.state[0]["theta_dot"] = [0.2, -0.1, 0.3], [0.1, -0.2, 0.1, 0.0]
        s.steering[0]["hand_angle"], s.steering[0]["let_go"] = 0.1, 1
        coast(m, s, tabulated, 0, h)
        before = energy(car)
        coast(m, s, tabulated, round(0.06 / h), h)
        assert abs(s.steering[0]["angle"]) > 0.005, "the arm has moved"
        change.append(energy(car) - before)
    assert abs(change[1]) < 0.03 * wound
    assert change[1] == pytest.approx(0.5 * change[0], rel=0.2)


def test_mirror_image_of_a_drive_by_torque() -> None:
    left, right = (without_shafts_along_x("hmmwv", "flat", sign * 0.3, sign * 2.0) for sign in (1.0, -1.0))
    for v in (left, right):
        v.free_steering(True)
    moving(left, 3)
    right.space.state[:] = mirrored(left.space.state)
    right.space.treads["numbers"][:, :2] = (left.space.treads["numbers"][:, :2] * [1.0, -1.0])[SWAP]
    for name in ("turbine_speed", "twist", "shaft_end_speed"):
        right.space.drivetrain[0][name] = left.space.drivetrain[0][name]
    for v, sign in ((left, 1.0), (right, -1.0)):
        drive(v, "flat", command(steering_torque=3.0 * sign, steering_free=1), 0.8)
    assert left.read()[0]["steering_wheel_angle"] > 0.1
    assert right.read()[0]["steering_wheel_angle"] == pytest.approx(-left.read()[0]["steering_wheel_angle"], abs=1e-8)
    compare(left, right, 1e-8)


def test_a_stiff_column_is_the_prescribed_arm(tmp_path: Path) -> None:
    """Up to the twist of the column, which falls with its stiffness."""
    reference = with_column(tmp_path, 0.0, 0.0)
    reference.reset(ground("flat"))
    turning = command(throttle=0.3, steering=0.15, selector=1)
    drive(reference, "flat", turning, 4.0)
    yaw = [float(reference.read()[0]["yaw"])]
    for stiffness in (1e3, 1e5):
        car = with_column(tmp_path, stiffness, 0.02 * stiffness)
        car.reset(ground("flat"))
        drive(car, "flat", turning, 4.0)
        yaw.append(float(car.read()[0]["yaw"]))
    errors = np.abs(np.array(yaw[1:]) - yaw[0])
    assert errors[1] < 0.05 * errors[0]
    assert errors[1] < 1e-3 * abs(yaw[0])


def test_the_front_wheels_come_back_when_the_column_lets_go(tmp_path: Path) -> None:
    """Caster and pneumatic trail: in a bend at speed the driver's end lets the wheel go, and the tires turn it straight."""
    car = with_column(tmp_path, 100.0, 1.0)
    car.reset(ground("flat"))
    drive(car, "flat", command(throttle=0.6, selector=1), 6.0)
    drive(car, "flat", command(throttle=0.3, steering=0.1, selector=1), 2.0)
    assert car.read()[0]["road_wheel_angle"][0] > 0.01
    assert car.read()[0]["steering_wheel_torque"] > 0.0, "the driver holds it in the bend"
    car.model.steering[0]["column_stiffness"], car.model.steering[0]["column_damping"] = 1e-9, RATIO**2 * 0.3
    before = float(car.read()[0]["road_wheel_angle"][:2].mean())
    drive(car, "flat", command(throttle=0.3, steering=0.1, selector=1), 2.0)
    assert abs(car.read()[0]["road_wheel_angle"][:2].mean()) < 0.1 * before


def test_a_parked_car_with_a_free_arm_stands_still(tmp_path: Path) -> None:
    car = with_column(tmp_path, 100.0, 1.0)
    car.reset(ground("flat"))
    before = car.space.state.copy()
    drive(car, "flat", command(parking_brake=1.0), 3.0)
    assert np.abs(car.space.state[0]["p_WB"] - before[0]["p_WB"]).max() < 1e-9
    assert abs(car.space.steering[0]["angle"]) < 1e-9


def test_full_lock_stops_a_free_arm(tmp_path: Path) -> None:
    car = with_column(tmp_path, 1e4, 10.0)
    car.reset(ground("flat"))
    drive(car, "flat", command(steering=1.0, selector=1, throttle=0.2), 5.0)
    most = car.model.steering[0]["max_arm_angle"]
    assert abs(car.space.steering[0]["angle"]) <= most
    assert abs(car.space.steering[0]["angle"]) > 0.9 * most


@pytest.mark.parametrize("seed", range(8))
def test_a_free_arm_on_tables_moves_as_in_closed_form(seed: int) -> None:
    """At random states and loads. The tables are accurate to DEFAULT_TOLERANCE of each quantity, and an acceleration to about a fifth of
    it; the inertia of the arm is small, so its acceleration per torque is large."""
    car, rng = on_tables(), np.random.default_rng(seed)
    m, s = car.model, car.space
    at_random(car, rng)
    arm = s.steering[0]
    arm["angle"], arm["rate"] = rng.uniform(-0.3, 0.3), rng.uniform(-1.0, 1.0)
    arm["hand_angle"], arm["hand_rate"], arm["let_go"], arm["given"] = arm["angle"] + 0.01, arm["rate"], 1, 60.0
    begun, found = arm.copy(), []
    for tabulated in (False, True):
        s.steering[0] = begun
        s.steering[0]["acceleration"] = 0.0
        free(m, s, tabulated, 1e-3)
        found.append([*s.out[0]["alpha_WB_B"], *s.out[0]["a_WB_B"], *s.out[0]["theta_ddot"], arm["acceleration"], arm["hand_acceleration"]])
    exact, ours = np.array(found)
    assert abs(exact[-2]) > 1.0
    assert (np.abs(ours - exact) / np.maximum(1.0, np.abs(exact))).max() < DEFAULT_TOLERANCE


@pytest.mark.parametrize("wheel", ["hand wheel", "no hand wheel"])
def test_a_column_twists_with_tables_as_in_closed_form(tmp_path: Path, wheel: str) -> None:
    """A second after a step of the steering at 15 m/s; the suspension differs by the tolerance of the tables."""
    twist, yaw_rate = [], []
    for suspension in ("closed_form", "table"):
        if wheel == "hand wheel":
            car = build_vehicle("hmmwv", suspension=suspension)
        else:
            car = with_column(tmp_path, 50.0, 0.2, suspension_kinematics=suspension)
        car.reset(ground("flat"), speed=15.0)
        drive(car, "flat", command(throttle=car.start_throttle, steering=0.1, selector=1), 1.0)
        arm = car.space.steering[0]
        twist.append(float(arm["hand_angle"] - arm["angle"]))
        yaw_rate.append(float(car.read()[0]["w_WB_B"][2]))
    assert abs(twist[0]) > 1e-3 and abs(yaw_rate[0]) > 0.1
    assert twist[1] == pytest.approx(twist[0], rel=1e-5)
    assert yaw_rate[1] == pytest.approx(yaw_rate[0], rel=1e-5)


def test_a_parked_car_stays_at_rest_with_a_free_steering_wheel() -> None:
    """On level ground nothing moves at all; across a slope friction and the hands that held it were in balance, and the wheel is let go."""
    car = with_hand_wheel()
    car.reset(ground("flat"))
    before = car.space.state.copy()
    drive(car, "flat", command(parking_brake=1.0, steering_free=1), 2.0)
    assert np.abs(car.space.state[0]["p_WB"] - before[0]["p_WB"]).max() < 1e-9
    assert abs(car.space.steering[0]["angle"]) < 1e-9


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_trailing_rear"])
def test_a_car_across_a_slope_begins_at_rest(name: str) -> None:
    """In closed form, and with tables that have no closed form."""
    car = build_vehicle(name)
    car.reset(ground("asphalt 20"), yaw=np.pi / 2)
    arm = car.space.steering[0]
    assert abs(arm["angle"]) > 1e-6
    begun = float(arm["angle"])
    drive(car, "asphalt 20", command(brake=1.0), 0.05)
    assert abs(arm["angle"] - begun) < 1e-8
    assert np.abs(car.space.state[0]["v_WB_B"]).max() < 1e-6


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_trailing_rear"])
def test_a_torque_turns_the_wheel_and_the_car(name: str) -> None:
    """To the side of the torque, with the torsion bar and the assist between; the wheel comes back when nothing holds it."""
    car = build_vehicle(name)
    car.free_steering(True)
    car.reset(ground("flat"), speed=12.0)
    driving = {"throttle": car.start_throttle, "selector": 1, "steering_free": 1}
    drive(car, "flat", command(steering_torque=2.5, **driving), 1.5)
    r = car.read()[0]
    turned = float(r["steering_wheel_angle"])
    assert turned > 0.1
    assert r["w_WB_B"][2] > 0.02
    assert r["steering_wheel_torque"] == pytest.approx(2.5)
    assert r["steering_assist_torque"] > 0.0
    drive(car, "flat", command(**driving), 3.0)
    assert abs(car.read()[0]["steering_wheel_angle"]) < 0.5 * turned


def test_hands_that_hold_have_the_torque_of_the_hands_that_give_it() -> None:
    """A wheel held where a torque has brought it to rest asks for that torque, but for what friction takes."""
    car = with_hand_wheel()
    car.reset(ground("flat"))
    drive(car, "flat", command(parking_brake=1.0, steering_torque=4.0, steering_free=1), 3.0)
    arm, steering = car.space.steering[0], car.model.steering[0]
    held = command(parking_brake=1.0, steering=-float(arm["hand_angle"]) / float(steering["max_arm_angle"]))
    drive(car, "flat", held, 0.3)
    friction = float(steering["hand_wheel_friction"]) / float(steering["gear_ratio"])
    assert car.read()[0]["steering_wheel_torque"] == pytest.approx(4.0, abs=1.01 * friction)


def test_a_car_without_a_hand_wheel_refuses_a_torque() -> None:
    with pytest.raises(JounceError, match=r"steering\.hand_wheel"):
        build_vehicle("hmmwv_chrono").free_steering(True)
