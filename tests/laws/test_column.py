"""Do steering wheel, torsion bar, assist and friction of the steering turn, hold and keep their energy as they should?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from vehicles.command import COMMAND
from vehicles.steering.column import assist_torque, share_torque, solve_column, torsion_bar_torque
from vehicles.steering.contract import SteeredAxle
from vehicles.steering.steering import STEERING_STATE, steering_step
from vehicles.steering.steering_section import STEERING_FILE, steering_from_values

RATIO, H = 15.0, 1e-3
LOCKED = 1e15
"""kg m2. Inertia of an arm that does not turn."""
LINKAGE = {
    "location": [1.24498, 0.0, 0.101322], "rotation_y_deg": 18.5, "arm_pivot": [0.0, 0.249, 0.0], "arm_joint": [0.129, 0.249, 0.0],
    "idler_pivot": [0.0, -0.325, 0.0], "idler_joint": [0.129, -0.325, 0.0], "max_arm_angle_deg": 30.0, "gear_ratio": RATIO,
    "max_rate": 0.0, "input": "direct", "column": {"stiffness": 80.0, "damping": 0.0},
}  # fmt: skip
WHEEL = {"inertia": 0.05, "damping": 0.0}
GEAR = {"damping": 0.0, "friction": 12.0, "friction_stiffness": 5000.0}
ASSIST = {"valve_torque": [0.0, 1.0, 2.0, 4.0], "torque": [0.0, 10.0, 60.0, 300.0]}


def steering(**more: Any) -> Record:
    out = steering_from_values(STEERING_FILE.read(LINKAGE | {"hand_wheel": WHEEL} | more, "steering", ""), (SteeredAxle(),))
    out[0]["free"] = 1
    return out


@kernel
def turn(p, s, rest, inertia, h):
    """A step of the arm with what drives it, as in the vehicle."""
    torque = solve_column(p, s, rest, inertia, h)
    arm = s[0]
    arm["rate"] += h * arm["acceleration"]
    arm["angle"] += h * arm["rate"]
    if arm["let_go"] > 0:
        arm["hand_rate"] += h * arm["hand_acceleration"]
        arm["hand_angle"] += h * arm["hand_rate"]
    return torque


@kernel
def led(p, s, needed, h):
    share_torque(p, s, needed, h)


@kernel
def both_ways(p, torque):
    return torsion_bar_torque(p, torque + assist_torque(p, torque)[0])


def let_go(**values: float) -> Record:
    s = record(STEERING_STATE)
    s[0]["let_go"] = 1
    for name, value in values.items():
        s[0][name] = value
    return s


def energy(p: Record, s: Record, inertia: float) -> float:
    """Kinetic energy of arm and hand wheel, and what is in torsion bar and friction elements."""
    g, arm = p[0], s[0]
    kinetic = inertia * arm["rate"] ** 2 + g["hand_wheel_inertia"] * arm["hand_rate"] ** 2
    strain = g["column_stiffness"] * (arm["hand_angle"] - arm["angle"]) ** 2 + g["gear_stiffness"] * arm["gear_stretch"] ** 2
    return float(0.5 * (kinetic + strain + g["hand_wheel_stiffness"] * arm["hand_stretch"] ** 2))


def test_the_hand_wheel_swings_on_the_torsion_bar_of_a_locked_arm() -> None:
    p, s, h = steering(), let_go(hand_angle=0.05), 2e-5
    angles = []
    for _ in range(30_000):
        turn(p, s, 0.0, LOCKED, h)
        angles.append(float(s[0]["hand_angle"]))
    a = np.array(angles)
    n = np.flatnonzero((a[:-1] > 0.0) & (a[1:] <= 0.0))
    times = h * (n + a[n] / (a[n] - a[n + 1]))
    assert np.diff(times).mean() == pytest.approx(math.tau * math.sqrt(0.05 / 80.0), rel=1e-3)


@pytest.mark.parametrize("given", [0.4, 0.9])
def test_friction_of_the_hand_wheel_holds_up_to_its_limit(given: float) -> None:
    """Below it the wheel stands for ever, a little turned; above it the torsion bar is left with the rest."""
    p = steering(hand_wheel={"inertia": 0.05, "damping": 10.0, "friction": 0.5, "friction_stiffness": 100.0})
    s = let_go(given=RATIO * given)
    for _ in range(4000):
        turn(p, s, 0.0, LOCKED, H)
    turned = RATIO * float(s[0]["hand_angle"])
    assert abs(s[0]["hand_rate"]) < 1e-12
    if given < 0.5:
        assert turned == pytest.approx(given / 180.0, rel=1e-9)
    else:
        assert turned == pytest.approx((given - 0.5) / 80.0, rel=1e-9)


def test_friction_of_the_gear_holds_the_arm_against_the_road() -> None:
    p, s = steering(gear={**GEAR, "damping": 500.0}), let_go()
    for _ in range(6000):
        turn(p, s, 11.0, 15.0, H)
    assert abs(s[0]["rate"]) < 1e-9
    assert s[0]["angle"] == pytest.approx(11.0 / 5000.0, rel=1e-6)


@pytest.mark.parametrize("torque", [0.0, 3.0, 20.0, -41.0, 200.0])
def test_what_the_assist_leaves_is_what_it_is_given(torque: float) -> None:
    assert both_ways(steering(assist=ASSIST), torque) == pytest.approx(torque, abs=1e-12)


def drive(s: Record, p: Record, h: float, seconds: float, road: Callable[[float, float], float]) -> tuple[float, float, float]:
    """(work that came in, what friction took, change of the energy) over a drive under a torque of the hands and a torque of the road at a time
    and an arm's angle."""
    inertia, arm, g, work, taken = 14.0, s[0], p[0], 0.0, 0.0
    before = energy(p, s, inertia)
    for n in range(round(seconds / h)):
        t = n * h
        arm["given"] = RATIO * 3.0 * math.sin(5.0 * t)
        rest = road(t, float(arm["angle"]))
        turn(p, s, rest, inertia, h)
        way, turned = h * float(arm["rate"]), h * float(arm["hand_rate"])
        work += way * (rest + float(arm["assist_torque"])) + turned * float(arm["given"])
        for name, limit, moved in (("gear", "gear_friction", way), ("hand", "hand_wheel_friction", turned)):
            stiffness = float(g[f"{name if name == 'gear' else 'hand_wheel'}_stiffness"])
            held = stiffness * float(arm[f"{name}_stretch"])
            if abs(held) > 0.999999 * float(g[limit]) > 0.0:
                taken += abs(held * moved)
        work -= way * float(g["gear_damping"]) * float(arm["rate"])
    return work, taken, energy(p, s, inertia) - before


def test_energy_is_what_was_put_in_with_the_work_of_the_assist_booked() -> None:
    """Hands, road and assist work, dampers and sliding friction take; what is missing falls with the step."""
    p = steering(hand_wheel={**WHEEL, "friction": 0.4, "friction_stiffness": 100.0}, gear={**GEAR, "damping": 10.0}, assist=ASSIST)
    missing = []
    for h in (4e-4, 2e-4, 1e-4):
        s = let_go()
        work, taken, change = drive(s, p, h, 2.0, lambda t, angle: -300.0 * angle)
        assert taken > 1.0
        missing.append((work - taken - change) / taken)
    assert abs(missing[2]) < 0.02
    assert abs(missing[1]) < 0.65 * abs(missing[0])
    assert abs(missing[2]) < 0.65 * abs(missing[1])


def test_the_mirror_image_of_a_drive_is_the_mirror_image() -> None:
    p = steering(hand_wheel={**WHEEL, "friction": 0.4, "friction_stiffness": 100.0}, gear=GEAR, assist=ASSIST)
    left, right = let_go(hand_angle=0.02, rate=0.3), let_go(hand_angle=-0.02, rate=-0.3)
    for n in range(800):
        for s, side in ((left, 1.0), (right, -1.0)):
            s[0]["given"] = side * 40.0 * math.sin(0.01 * n)
            turn(p, s, -side * 5.0, 14.0, H)
    for name in STEERING_NAMES:
        assert right[0][name] == -left[0][name], name


STEERING_NAMES = ("angle", "rate", "hand_angle", "hand_rate", "gear_stretch", "hand_stretch", "assist_torque", "column_torque")


def test_an_arm_that_is_led_leaves_the_hands_what_friction_and_assist_do_not_take() -> None:
    p = steering(hand_wheel={**WHEEL, "damping": 0.2, "friction": 0.4, "friction_stiffness": 100.0}, gear=GEAR, assist=ASSIST)
    s = record(STEERING_STATE)
    s[0]["rate"], s[0]["acceleration"] = 0.5, 2.0
    for _ in range(100):
        led(p, s, 150.0, H)
    column = 150.0 + 12.0  # which the torsion bar and its assist make together, 60 at 2 N m and 300 at 4 N m of the wheel
    share = (column - 60.0 - 2.0 * RATIO) / (240.0 + 2.0 * RATIO)
    assert s[0]["column_torque"] == pytest.approx(RATIO * (2.0 + 2.0 * share), rel=1e-12)
    assert s[0]["hand_torque"] == pytest.approx(s[0]["column_torque"] + RATIO * 0.4 + RATIO**2 * (0.2 * 0.5 + 0.05 * 2.0), rel=1e-12)


def test_an_angle_that_is_given_is_there_at_the_end_of_the_step() -> None:
    """Up to the fastest hand: no filter, and the rate that the way has had."""
    p, s, command = steering(), record(STEERING_STATE), record(COMMAND)
    p[0]["free"] = 0
    for n in range(1, 200):
        before = float(s[0]["angle"])
        command[0]["steering"] = 0.4 * math.sin(0.02 * n)
        steering_step(p, s, command, 0.0, H)
        assert s[0]["angle"] == pytest.approx(-command[0]["steering"] * p[0]["max_arm_angle"], abs=1e-15)
        assert s[0]["rate"] == pytest.approx((s[0]["angle"] - before) / H, abs=1e-11)


def test_the_hands_come_evenly_to_where_the_driver_looked_last() -> None:
    p, s, command = steering(), record(STEERING_STATE), record(COMMAND)
    p[0]["free"], p[0]["input_time"] = 0, 0.01
    command[0]["steering"] = 0.1
    angles = [0.0]
    for _ in range(12):
        steering_step(p, s, command, 0.0, H)
        angles.append(float(s[0]["angle"]))
    steps = np.diff(angles)
    assert steps[:10] == pytest.approx(-0.01 * p[0]["max_arm_angle"], rel=1e-12)
    assert np.abs(steps[10:]).max() < 1e-15


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"assist": {**ASSIST, "torque": [0.0, 60.0, 10.0, 300.0]}}, "assist.torque: .*from 0 that never fall"),
        ({"assist": {**ASSIST, "valve_torque": [0.5, 1.0, 2.0, 4.0]}}, "assist.valve_torque: .*from 0"),
        ({"assist": {**ASSIST, "valve_torque": [0.0, 1e-300, 2.0, 4.0]}}, "assist.valve_torque: .*at least 0.001"),
        ({"gear": {"friction": 5.0}}, "friction_stiffness"),
        ({"column": None}, "column"),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, Any], expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        steering(**change)
