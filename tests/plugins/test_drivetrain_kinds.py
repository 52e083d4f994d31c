"""Can a plugin add a kind of drivetrain, and does a wrong one end in a message?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import pytest

from simulator.base.callbacks import callback, record_at
from simulator.base.errors import ConfigError, JounceError
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import kernel
from simulator.base.records import Record, dtype_of, record
from simulator.builder.builder import build_vehicle
from tests.laws.vehicle_rig import command, drive, ground, logged
from tests.shipped_files import shipped_content
from vehicles.axle_layout import USUAL_AXLES, Axles, record_for
from vehicles.drivetrain.callback_drivetrain import CALLBACK_STATE, call_kind
from vehicles.drivetrain.contract import CONTRACT, DRIVETRAIN_INPUT, DRIVETRAIN_OUTPUT, LAYOUT, DrivetrainKind
from vehicles.drivetrain.drivetrain import DRIVETRAIN_OUT
from vehicles.drivetrain.drivetrain_file import drivetrain_from_mapping, read_parts
from vehicles.drivetrain.kinds import DRIVETRAIN_KINDS, register

KEYS = (
    Field("torque", Number("N m", 0.0, 1e4), "torque on each wheel with the accelerator fully open"),
    Field("fails_above", Number("rad/s", 0.0, 1e3), "wheel speed above which the kernel returns no number", 1e3),
)
STATE = (("calls", (), "1", "number of calls since the reset"), ("first_calls", (), "1", "number of calls with `begins`"))
P, S, I, O = dtype_of(rows(KEYS)), dtype_of(STATE), dtype_of(DRIVETRAIN_INPUT), dtype_of(DRIVETRAIN_OUTPUT)
BRAKES = {"max_torque": [4e3, 4e3], "parking_torque": [0.0, 6e3], "stiffness": 5e4, "damping": 500.0}


@callback
def plain_torque(parameters, state, seen, result, first, count, h):
    p, s, k, out = record_at(parameters, P)[0], record_at(state, S)[0], record_at(seen, I)[0], record_at(result, O)[0]
    s["calls"] += 1.0
    s["first_calls"] += k["begins"]
    for i in range(count):
        out["torque"][i] = k["selector"] * k["throttle"] * p["torque"]
        if not k["wheel_speed"][i] <= p["fails_above"]:
            out["torque"][i] = k["wheel_speed"][i] * 1e308 * 1e308
    out["engine_speed"] = 100.0


KIND = DrivetrainKind("plain_torque", KEYS, lambda _: 200.0, STATE, kernel=plain_torque, contract=CONTRACT, layout=LAYOUT)
register(KIND)


def parts_with(**keys):
    return read_parts({"drivetrain": {"type": "plain_torque", **keys}, "brakes": BRAKES}, "car.yaml")


def test_a_section_of_the_kind_gives_its_record():
    parts = parts_with(torque=300.0)
    assert parts.parameters[0]["torque"] == 300.0
    assert parts.governed_speed == 200.0
    assert len(parts.callbacks) == 1
    assert parts.drivetrain[0]["driven"] == 2


def test_a_wrong_key_of_the_kind_is_named():
    with pytest.raises(ConfigError, match=r"car.yaml: drivetrain.torque: .*expected a number in N m, from 0 to 10000"):
        parts_with(torque=-1.0)
    with pytest.raises(ConfigError, match=r"drivetrain.engine: unknown key"):
        parts_with(torque=1.0, engine={})


def test_an_unknown_kind_is_named_with_the_nearest_one():
    with pytest.raises(ConfigError, match=r"drivetrain.type: .*did you mean electric"):
        drivetrain_from_mapping({"type": "electrical"}, "car.yaml")


def test_shipped_files_need_no_type():
    electric, diesel = (shipped_content("drivetrains", f"drivetrain_{name}")["drivetrain"] for name in ("sedan_electric", "hmmwv"))
    assert "type" not in electric
    assert "type" not in diesel
    for mapping, kind in ((electric, "electric"), (diesel, "conventional")):
        found, explicit = drivetrain_from_mapping(mapping, "f"), drivetrain_from_mapping({"type": kind, **mapping}, "f")
        assert found.tobytes() == explicit.tobytes()
    with pytest.raises(ConfigError, match="unknown key"):
        drivetrain_from_mapping({"type": "conventional", **electric}, "f")


@pytest.mark.parametrize(("change", "words"), [
    ({"contract": CONTRACT + 1}, "version 2 of the contract"),
    ({"layout": 1}, "other tables; expected LAYOUT of vehicles.drivetrain.contract"),
    ({"kernel": None}, "no kernel"),
    ({"state": (("many", (65,), "1", "too many"),)}, "its state has 65 numbers; expected at most 64"),
    ({"governed_speed": lambda _: 1.0}, "duplicate kind of drivetrain plain_torque"),
    ({"name": "electric"}, "duplicate kind of drivetrain electric"),
])  # fmt: skip
def test_a_kind_that_does_not_fit_is_refused(change, words):
    with pytest.raises(JounceError, match=words):
        register(replace(KIND, **change))


def test_more_wheels_than_the_contract_has_are_refused():
    axles = Axles(("front", *(f"axle{n}" for n in range(8))), (2,) * 9)
    brakes = {**BRAKES, "max_torque": [1.0] * 9, "parking_torque": [1.0] * 9}
    with pytest.raises(ConfigError, match="at most 16 wheels"):
        read_parts({"drivetrain": {"type": "plain_torque", "torque": 1.0}, "brakes": brakes}, "car.yaml", axles)


def test_shipped_kinds_are_listed():
    assert DRIVETRAIN_KINDS.names()[:2] == ("conventional", "electric")
    assert all(DRIVETRAIN_KINDS.need(name).meaning for name in ("conventional", "electric"))


class Model(NamedTuple):
    drive: Record


class Data(NamedTuple):
    drive_state: Record
    drive_input: Record
    drive_output: Record
    axles: Record


@kernel
def call_once(m, s, command, h):
    call_kind(m, s, command, h)


@pytest.mark.parametrize(("speed", "off"), [(1.0, 0), (9.0, 1), (math.nan, 0), (math.inf, 0)])
def test_a_kind_is_not_switched_off_for_an_input_that_is_not_finite(speed, off):
    parts = parts_with(torque=300.0, fails_above=8.0)
    axles = record_for(DRIVETRAIN_OUT, USUAL_AXLES.size)
    s = Data(record(CALLBACK_STATE), record(DRIVETRAIN_INPUT), record(DRIVETRAIN_OUTPUT), axles)
    s.drive_input[0]["throttle"], s.drive_input[0]["selector"], s.drive_input[0]["wheel_speed"][0] = 1.0, 1, speed
    call_once(Model(parts.callbacks), s, command(), 1e-3)
    assert s.drive_state[0]["off"] == off
    assert (s.drive_output[0]["torque"][:4] == (300.0 if speed == 1.0 else 0.0)).all()


def test_torque_drives_and_a_number_that_is_not_finite_switches_it_off(tmp_path):
    (tmp_path / "plain.yaml").write_text(
        f"base: hmmwv\nname: plain\ndrivetrain:\n  drivetrain: {{type: plain_torque, torque: 600.0, fails_above: 8.0}}\n  brakes: {BRAKES}\n"
    )
    car = build_vehicle(str(tmp_path / "plain.yaml"), check_step=False)
    car.reset(ground("flat"))
    drive(car, "flat", command(selector=1, throttle=1.0), 1.0)
    state = logged(car, "plain_torque_")[0]
    assert (state["calls"], state["first_calls"]) == (1000.0, 1.0)
    assert car.space.axles[0]["drive_torque"] == pytest.approx(600.0)
    assert car.space.axles[0]["reaction_y"] == pytest.approx(-2400.0)
    assert car.read()[0]["engine_speed"] == 100.0
    drive(car, "flat", command(selector=1, throttle=1.0), 4.0)
    car.read()
    assert car.troubles == ["drivetrain plain_torque: returned a non-finite number; it is switched off"]
    assert abs(car.space.axles[0]["drive_torque"]).max() == 0.0
    car.reset(ground("flat"))
    assert car.space.drive_state[0]["off"] == 0
