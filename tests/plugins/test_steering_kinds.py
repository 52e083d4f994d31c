"""Does a kind of steering from outside steer a vehicle, and does steer-by-wire follow its command without a torque at the steering wheel?"""

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
from simulator.base.records import Record, dtype_of, record
from simulator.builder.builder import build_vehicle
from tests.laws.vehicle_rig import command, drive, ground, logged
from tests.plugins.test_pages import blocks, folder, plugin  # noqa: F401 - a fixture
from vehicles.command import COMMAND
from vehicles.steering.contract import CONTRACT, LAYOUT, MAX_PARAMETERS, STEERING_INPUT, STEERING_OUTPUT, SteeredAxle, SteeringKind
from vehicles.steering.kinds import STEERING_KINDS, register
from vehicles.steering.steering import STEERING_STATE, place_tierods, steering_step, without_addresses
from vehicles.steering.steering_section import STEERING_FILE, steering_from_values
from vehicles.suspension.contract import INPUTS

Q = np.array([[0.1, 0.4, 0.0], [0.1, -0.4, 0.0]])
RACK = {"type": "rack_pinion", "location": [0.1, 0.0, 0.0], "pinion_radius": 0.01, "pinion_sign": -1, "max_rack_travel": 0.08,
        "max_rack_rate": 0.5, "input": "direct"}  # fmt: skip
WIRE = {"type": "steer_by_wire", "location": [0.1, 0.0, 0.0], "max_wheel_angle": 2.0, "rack_sign": -1, "max_rack_travel": 0.08,
        "max_rack_rate": 0.5, "actuator_frequency": 50.0, "ratio": {"speed": [10.0, 30.0], "ratio": [1.0, 0.5]}}  # fmt: skip
RACKS = {"type": "two_racks", "travel": 0.01, "max_arm_angle": 1.0, "gear_ratio": 10.0, "max_rate": 0.0, "input": "direct"}
H = 1e-3
KEYS = (
    Field("place_fails_after", Number("1", 0.0, 1e6), "number of calls of `move` after which `place` returns no number", 1e6),
    Field("move_fails_after", Number("1", 0.0, 1e6), "number of calls of `move` after which it returns no number", 1e6),
)
STATE = (("calls", (), "1", "number of calls of `move`"),)
P, S, I, O = dtype_of(rows(KEYS)), dtype_of(STATE), dtype_of(STEERING_INPUT), dtype_of(STEERING_OUTPUT)
COLUMN = {"stiffness": 100.0, "damping": 1.0}
FAILING = {"type": "failing", "max_arm_angle": 0.8, "gear_ratio": 10.0, "max_rate": 0.0}


@callback
def failing_place(parameters, state, seen, result, first, count, h):
    """Slide the joints like a rack with 0.09 m/rad. Q_2 is not written."""
    p, s, k, out = record_at(parameters, P)[0], record_at(state, S)[0], record_at(seen, I)[0], record_at(result, O)[0]
    for side in range(count):
        for j in range(3):
            out["Q"][j, side] += k["tierod"][j, side]
        out["Q"][1, side] += 0.09 * k["angle"]
        out["Q_1"][1, side] = 0.09 if s["calls"] <= p["place_fails_after"] else math.nan


@callback
def failing_move(parameters, state, seen, result, first, count, h):
    """Turn the gear toward the target with 1 rad/s."""
    p, s, k, out = record_at(parameters, P)[0], record_at(state, S)[0], record_at(seen, I)[0], record_at(result, O)[0]
    s["calls"] += 1.0
    out["rate"] = min(max((k["target"] - k["angle"]) / h, -1.0), 1.0)
    out["acceleration"] = (out["rate"] - k["rate"]) / h
    out["angle"] = k["angle"] + h * out["rate"] if s["calls"] <= p["move_fails_after"] else math.inf


register(SteeringKind("failing", KEYS, state=STATE, place=failing_place, move=failing_move, contract=CONTRACT, layout=LAYOUT, by_wire=True))
register(SteeringKind("assisted", KEYS, state=STATE, place=failing_place, move=failing_move, contract=CONTRACT, layout=LAYOUT))


def steering(section: dict[str, Any]) -> Record:
    return steering_from_values(STEERING_FILE.read(section, "car", "steering"), (SteeredAxle(tierod_inner=Q),))


def placed(p: Record, angle: float, rate: float = 0.0, acceleration: float = 0.0) -> Any:
    s, q = record(STEERING_STATE), record(INPUTS)
    s[0]["angle"], s[0]["rate"], s[0]["acceleration"] = angle, rate, acceleration
    place_tierods(p, s, q)
    return q[0]


def followed(p: Record, speed: float, seconds: float, steering: float = 0.5) -> Any:
    s, c = record(STEERING_STATE), record(COMMAND)
    c[0]["steering"] = steering
    for _ in range(round(seconds / H)):
        steering_step(p, s, c, speed, H)
    return s[0]


def test_a_kind_from_outside_places_the_joints_like_a_rack(folder: Path) -> None:  # noqa: F811
    plugin(folder, "own_steering")
    rack, racks = steering(RACK), steering(RACKS)
    for name in ("Q", "Q_1", "Q_dot", "Q_ddot"):
        assert placed(racks, 0.3, 0.7, -2.0)[name] == pytest.approx(placed(rack, 0.3, 0.7, -2.0)[name], abs=1e-15)


def test_its_derivatives_give_the_velocities(folder: Path) -> None:  # noqa: F811
    plugin(folder, "own_steering")
    p, step = steering({**RACKS, "progression": 0.3}), 1e-5
    before, at, after = (placed(p, 0.3 + 0.7 * t - t * t, 0.7 - 2.0 * t, -2.0) for t in (-step, 0.0, step))
    assert (after["Q"] - before["Q"]) / (2.0 * step) == pytest.approx(at["Q_dot"], abs=1e-9)
    assert (after["Q_dot"] - before["Q_dot"]) / (2.0 * step) == pytest.approx(at["Q_ddot"], abs=1e-7)


@pytest.mark.parametrize(("angle", "inner"), [(0.3, 1), (-0.3, 0)])
def test_the_rack_of_the_inner_wheel_moves_further(folder: Path, angle: float, inner: int) -> None:  # noqa: F811
    """A positive angle turns the wheels to the right, so the right wheel is the inner one."""
    plugin(folder, "own_steering")
    moved = abs(placed(steering({**RACKS, "progression": 0.1}), angle)["Q"][1, :2] - Q[:, 1])
    assert moved[inner] == pytest.approx(0.01 * 0.3 * 1.03) and moved[1 - inner] == pytest.approx(0.01 * 0.3 * 0.97)


def test_records_for_digests_have_no_addresses(folder: Path) -> None:  # noqa: F811
    plugin(folder, "own_steering")
    p = steering(RACKS)
    assert p[0]["place"] != 0 and without_addresses(p)[0]["place"] == 0 and p[0]["own"][0] == 0.01


def test_the_vehicle_of_the_page_drives_to_the_side_that_the_driver_steers_to(folder: Path) -> None:  # noqa: F811
    plugin(folder, "own_steering")
    (folder / "racks.yaml").write_text(blocks("own_steering", "yaml")[0], encoding="utf-8")
    vehicle = build_vehicle(str(folder / "racks.yaml"), check_step=False)
    for side in (1.0, -1.0):
        vehicle.reset(ground("flat"), speed=8.0)
        drive(vehicle, "flat", command(selector=1, throttle=0.1, steering=0.2 * side), 1.5)
        assert side * vehicle.space.state[0]["w_WB_B"][2] > 0.05
        assert side * vehicle.space.steering[0]["hand_torque"] < 0.0


@pytest.mark.parametrize(("speed", "ratio"), [(0.0, 1.0), (10.0, 1.0), (20.0, 0.75), (50.0, 0.5)])
def test_the_actuator_reaches_the_command_of_the_speed(speed: float, ratio: float) -> None:
    arm = followed(steering(WIRE), speed, 2.0)
    assert arm["angle"] == pytest.approx(-ratio * 0.5 * 2.0, rel=1e-6)
    assert arm["hand_angle"] == -1.0 and arm["hand_rate"] == 0.0
    assert arm["own"][:2] == pytest.approx([ratio, -ratio])


def test_the_actuator_has_a_largest_speed_and_a_natural_frequency() -> None:
    slow = {**WIRE, "max_rack_rate": 0.2}
    assert followed(steering(slow), 0.0, 0.05)["rate"] == pytest.approx(-0.2 / (0.08 / 2.0))
    quick = {**WIRE, "max_rack_rate": 100.0}
    t = 0.04
    expected = -1.0 * (1.0 - np.exp(-50.0 * t) * (1.0 + 50.0 * t))
    assert followed(steering(quick), 0.0, t)["angle"] == pytest.approx(expected, rel=0.05)


def test_the_rack_of_steer_by_wire_stops_at_the_end_of_its_travel() -> None:
    p, s, c = steering({**WIRE, "max_rack_rate": 100.0, "actuator_damping": 0.1}), record(STEERING_STATE), record(COMMAND)
    c[0]["steering"], angles = 1.0, []
    for _ in range(2000):
        steering_step(p, s, c, 0.0, H)
        angles.append(float(s[0]["angle"]))
    assert min(angles) == -2.0 and max(angles[1000:]) < -1.9
    assert np.diff([0.0, *angles])[-1] / H == pytest.approx(s[0]["rate"], abs=1e-9)


def test_steer_by_wire_in_a_drive(tmp_path: Path) -> None:
    section = {**WIRE, "base": None, "location": [-0.2, 0.0, -0.016]}
    (tmp_path / "wire.yaml").write_text(yaml.safe_dump({"base": "sedan_paper", "name": "wire", "steering": section}), encoding="utf-8")
    vehicle = build_vehicle(str(tmp_path / "wire.yaml"), check_step=False)
    vehicle.reset(ground("flat"), speed=8.0)
    drive(vehicle, "flat", command(selector=1, throttle=0.1, steering=0.2), 1.5)
    vehicle.read()
    assert vehicle.space.state[0]["w_WB_B"][2] > 0.05
    assert vehicle.readout[0]["steering_wheel_torque"] == 0.0 and vehicle.readout[0]["steering_assist_torque"] != 0.0
    assert vehicle.readout[0]["steering_wheel_angle"] == pytest.approx(0.2 * 2.0)
    state = logged(vehicle, "steering_")
    assert state[0]["ratio"] == 1.0 and state[0]["command"] == pytest.approx(-0.4)


def test_keys_of_a_column_are_no_keys_of_steer_by_wire() -> None:
    with pytest.raises(ConfigError, match=r"steering\.input"):
        steering({**WIRE, "input": "direct"})


def test_a_move_without_a_number_fixes_the_gear() -> None:
    arm = followed(steering({**FAILING, "move_fails_after": 200.0}), 0.0, 1.0)
    assert arm["off"] == 1 and arm["own"][0] == 201.0
    assert arm["angle"] == pytest.approx(-0.2) and arm["rate"] == arm["acceleration"] == 0.0
    assert arm["hand_angle"] == -0.4 and arm["hand_rate"] == 0.0


def test_a_kind_is_not_switched_off_for_a_speed_that_is_no_number() -> None:
    s, c = record(STEERING_STATE), record(COMMAND)
    s[0]["angle"] = 0.1
    steering_step(steering({**FAILING, "move_fails_after": 0.0}), s, c, math.nan, H)
    assert s[0]["off"] == 0 and s[0]["angle"] == 0.1


def test_a_place_without_a_number_fixes_the_joints_in_a_drive_only() -> None:
    p, s, q, c = steering({**FAILING, "place_fails_after": 200.0}), record(STEERING_STATE), record(INPUTS), record(COMMAND)
    s[0]["own"][0] = 201.0
    place_tierods(p, s, q)
    assert np.isnan(q[0]["Q_1"][1, :2]).all() and s[0]["off"] == 0
    s[0]["own"][0] = 0.0
    c[0]["steering"] = -0.5
    for _ in range(1000):
        steering_step(p, s, c, 0.0, H)
        place_tierods(p, s, q)
    assert s[0]["off"] == 1 and s[0]["angle"] == pytest.approx(0.201)
    assert q[0]["Q"][1, :2] == pytest.approx(Q[:, 1] + 0.09 * 0.2)
    for name in ("Q_1", "Q_dot", "Q_ddot"):
        assert (q[0][name] == 0.0).all()


def test_numbers_that_place_does_not_write_are_zero() -> None:
    p, s, q = steering(FAILING), record(STEERING_STATE), record(INPUTS)
    s[0]["angle"], s[0]["rate"] = 0.1, 1.0
    s[0]["result"][:] = 7.0
    place_tierods(p, s, q)
    assert q[0]["Q"][:, :2] == pytest.approx(Q.T + [[0.0], [0.009], [0.0]]) and (q[0]["Q_ddot"] == 0.0).all()


@pytest.mark.parametrize("kernel", ["place", "move"])
def test_a_drive_continues_without_the_steering_and_names_its_kind(tmp_path: Path, kernel: str) -> None:
    section = {**FAILING, "base": None, f"{kernel}_fails_after": 100.0}
    (tmp_path / "failing.yaml").write_text(
        yaml.safe_dump({"base": "sedan_paper", "name": "failing", "steering": section}), encoding="utf-8"
    )
    vehicle = build_vehicle(str(tmp_path / "failing.yaml"), check_step=False)
    vehicle.reset(ground("flat"))
    drive(vehicle, "flat", command(selector=1, throttle=0.3, steering=0.5), 2.0)
    vehicle.read()
    vehicle.read()
    assert vehicle.troubles == ["steering failing: returned a non-finite number; the steering is fixed in its last position"]
    assert np.isfinite(vehicle.space.state[0]["p_WB"]).all() and vehicle.speed > 0.5
    assert vehicle.space.steering[0]["angle"] == pytest.approx(-0.1, abs=2e-3)
    assert vehicle.space.state[0]["w_WB_B"][2] > 0.01
    vehicle.reset(ground("flat"))
    assert vehicle.space.steering[0]["off"] == 0


def test_the_driver_turns_the_column_of_a_kind_that_moves_its_gear() -> None:
    section = {**FAILING, "type": "assisted", "max_rate": 2.0, "column": COLUMN, "natural_frequency": 40.0}
    assert followed(steering(section), 0.0, 2.0)["hand_angle"] == pytest.approx(-0.4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"column": COLUMN}, "natural_frequency: .*because the input is filtered"),
        ({"natural_frequency": 40.0}, "natural_frequency: .*needs a column, a largest rate above 0"),
    ],
)
def test_a_natural_frequency_belongs_to_a_column(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        steering({**FAILING, "type": "assisted", "max_rate": 2.0, **change})


def test_refused_kinds(folder: Path) -> None:  # noqa: F811
    plugin(folder, "own_steering")
    kind = STEERING_KINDS.need("two_racks")
    many = tuple((f"x{n}", (), "1", "number") for n in range(MAX_PARAMETERS + 1))
    for change, message in (
        ({"place": None}, "no kernel"),
        ({"write": STEERING_KINDS.need("pitman_arm").write}, "both `place` and `write`"),
        ({"by_wire": True}, "no kernel `move`"),
        ({"parameters": (("travle", (), "m", "typo"),)}, "travle is no key"),
        ({"state": (("wheel_angle", (), "rad", "number"),)}, "steering_wheel_angle of its state exists"),
        ({"contract": 99}, "version 99"),
        ({"layout": 1}, "other tables"),
        ({"parameters": many}, "at most"),
        ({"fields": STEERING_KINDS.need("pitman_arm").fields}, "all kinds have a key"),
    ):
        with pytest.raises(JounceError, match=message):
            register(replace(kind, name="other", **change))


@pytest.mark.parametrize("name", ["pitman_arm", "rack_pinion", "steer_by_wire"])
def test_a_copy_of_a_shipped_kind_is_accepted(name: str) -> None:
    copy = replace(STEERING_KINDS.need(name), name=f"copy_of_{name}", contract=CONTRACT, layout=LAYOUT)
    STEERING_KINDS.check(copy.name, copy)


def test_a_copy_of_steer_by_wire_follows_the_command_alike() -> None:
    register(replace(STEERING_KINDS.need("steer_by_wire"), name="other_wire"))
    assert followed(steering({**WIRE, "type": "other_wire"}), 20.0, 0.1)["angle"] == followed(steering(WIRE), 20.0, 0.1)["angle"] != 0.0
