"""`check_plugin` of steering, drivetrains and plots: does each check find the fault that it is for?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.records import dtype_of
from simulator.conformance.check_plugin import check_plugin
from simulator.conformance.findings import OK, WARNING
from simulator.maneuvers.plots.contract import CONTRACT as PLOT_CONTRACT
from simulator.maneuvers.plots.contract import EmptyPlotError, PlotKind, Run
from simulator.report.plot import Axis, Curve, Panel, Plot
from tests.plugins.test_check_plugin import faults
from vehicles.drivetrain import contract as drivetrain
from vehicles.drivetrain.contract import DrivetrainKind
from vehicles.steering import contract as steering
from vehicles.steering.contract import SteeringKind

# Steering ---------------------------------------------------------------------------------------------------------------------------

KEYS = (Field("travel", Number("m", 0.01, 1.0), "displacement of the joints per angle of the gear", 0.1),)
STATE = (("calls", (), "1", "number of calls"),)
P, S = dtype_of(rows(KEYS)), dtype_of(STATE)
I, O = dtype_of(steering.STEERING_INPUT), dtype_of(steering.STEERING_OUTPUT)


@callback
def rack(parameters, state, seen, result, first, count, h):
    p, k, out = record_at(parameters, P)[0], record_at(seen, I)[0], record_at(result, O)[0]
    for side in range(count):
        for j in range(3):
            out["Q"][j, side] = k["tierod"][j, side]
        out["Q"][1, side] += p["travel"] * k["angle"]
        out["Q_1"][1, side] = p["travel"]


@callback
def wrong_second_derivative(parameters, state, seen, result, first, count, h):
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    for side in range(count):
        for j in range(3):
            out["Q"][j, side] = k["tierod"][j, side]
        out["Q"][1, side] += 0.1 * math.sin(k["angle"])
        out["Q_1"][1, side] = 0.1 * math.cos(k["angle"])
        out["Q_2"][1, side] = 0.1 * math.sin(k["angle"])


@callback
def off_center(parameters, state, seen, result, first, count, h):
    out = record_at(result, O)[0]
    for side in range(count):
        out["Q"][1, side] = 0.1 * record_at(seen, I)[0]["angle"]
        out["Q_1"][1, side] = 0.1


@callback
def counts(parameters, state, seen, result, first, count, h):
    s, k, out = record_at(state, S)[0], record_at(seen, I)[0], record_at(result, O)[0]
    s["calls"] += 1.0
    for side in range(count):
        for j in range(3):
            out["Q"][j, side] = k["tierod"][j, side]


@callback
def at_once(parameters, state, seen, result, first, count, h):
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    out["angle"] = k["target"]
    out["rate"] = (k["target"] - k["angle"]) / h
    out["acceleration"] = (out["rate"] - k["rate"]) / h


@callback
def without_rate(parameters, state, seen, result, first, count, h):
    record_at(result, O)[0]["angle"] = record_at(seen, I)[0]["target"]


@callback
def divides_by_the_speed(parameters, state, seen, result, first, count, h):
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    out["angle"] = k["target"] / k["speed"]


def steered(**changes: Any) -> SteeringKind:
    """Return a kind of steering that works, with changes."""
    kind = SteeringKind("probe", KEYS, state=STATE, place=rack, contract=steering.CONTRACT, layout=steering.LAYOUT, meaning="a rack")
    return replace(kind, **changes)


def test_a_steering_that_works() -> None:
    found = check_plugin(steered(move=at_once))
    assert [one.check for one in found if one.outcome == WARNING] == ["registration"], "it is not registered"
    assert {one.check for one in found} >= {"joints", "motion of the gear", "determinism", "time"}


@pytest.mark.parametrize(("changes", "check", "message"), [
    ({"place": wrong_second_derivative}, "joints", "Q_2 differs by"),
    ({"place": off_center}, "joints", "the joints Q differ from `tierod`"),
    ({"place": counts}, "joints", "changes its state in `place`"),
    ({"place": lambda *_: None}, "place", "decorate the function with @callback"),
    ({"move": without_rate}, "motion of the gear", "but `rate` goes from 0 to 0 rad/s"),
    ({"move": divides_by_the_speed}, "motion of the gear", "at rest: angle is not finite"),
    ({"place": None}, "contract", "place"), ({"contract": 7}, "contract", "version 7"),
    ({"fields": (Field("travel", Number("mm", 0.0, 1.0), "travel"),)}, "parameters", "travel: unit mm; expected an SI unit"),
])  # fmt: skip
def test_a_broken_steering(changes: dict[str, Any], check: str, message: str) -> None:
    assert message in faults(steered(**changes))[check]


# Drivetrains ------------------------------------------------------------------------------------------------------------------------

MOTOR = (Field("torque", Number("N m", 0.0, 1e4), "largest torque of a motor", 500.0),)
M = dtype_of(rows(MOTOR))
DI, DO = dtype_of(drivetrain.DRIVETRAIN_INPUT), dtype_of(drivetrain.DRIVETRAIN_OUTPUT)


@callback
def hub_motors(parameters, state, seen, result, first, count, h):
    p, k, out = record_at(parameters, M)[0], record_at(seen, DI)[0], record_at(result, DO)[0]
    for i in range(count):
        out["torque"][i] = k["selector"] * k["throttle"] * p["torque"]


@callback
def constant_power(parameters, state, seen, result, first, count, h):
    k, out = record_at(seen, DI)[0], record_at(result, DO)[0]
    for i in range(count):
        out["torque"][i] = k["throttle"] * 1e4 / k["wheel_speed"][i]


@callback
def all_sixteen(parameters, state, seen, result, first, count, h):
    k, out = record_at(seen, DI)[0], record_at(result, DO)[0]
    for i in range(len(out["torque"])):
        out["torque"][i] = k["throttle"]


@callback
def creeps_in_neutral(parameters, state, seen, result, first, count, h):
    record_at(result, DO)[0]["torque"][0] = 50.0


@callback
def negative_inertia(parameters, state, seen, result, first, count, h):
    record_at(result, DO)[0]["inertia"][0] = -1.0


@callback
def rising_slope(parameters, state, seen, result, first, count, h):
    record_at(result, DO)[0]["slope"][0] = 1.0


def driven(**changes: Any) -> DrivetrainKind:
    """Return a kind of drivetrain that works, with changes."""
    kind = DrivetrainKind(
        "probe", MOTOR, lambda p: 200.0, kernel=hub_motors, contract=drivetrain.CONTRACT, layout=drivetrain.LAYOUT, meaning="motors"
    )
    return replace(kind, **changes)


def test_a_drivetrain_that_works() -> None:
    found = check_plugin(driven())
    assert [one.check for one in found if one.outcome == WARNING] == ["registration"], "it is not registered"
    assert {one.check for one in found} >= {"torques of 3 wheels", "torques of 16 wheels", "governed speed", "determinism", "time"}


@pytest.mark.parametrize(("changes", "check", "message"), [
    ({"kernel": constant_power}, "torques of 4 wheels", "at rest: torque is not finite"),
    ({"kernel": all_sixteen}, "torques of 4 wheels", "torque: a value for a wheel beyond the 4 of the vehicle"),
    ({"kernel": creeps_in_neutral}, "torques of 4 wheels", "at rest: torque = 50 N m in neutral with released pedals"),
    ({"kernel": negative_inertia}, "torques of 4 wheels", "inertia = -1; expected at least 0"),
    ({"governed_speed": lambda p: math.inf}, "governed speed", "inf rad/s; expected a finite number above 0"),
    ({"kernel": None}, "contract", "it has no kernel"), ({"contract": 7}, "contract", "version 7"),
])  # fmt: skip
def test_a_broken_drivetrain(changes: dict[str, Any], check: str, message: str) -> None:
    assert message in faults(driven(**changes))[check]


def test_a_slope_above_zero_is_a_warning() -> None:
    found = check_plugin(driven(kernel=rising_slope))
    assert {one.message for one in found if one.outcome == WARNING and "torques" in one.check} == {"slope = 1; a slope above 0 counts as 0"}


# Plots ------------------------------------------------------------------------------------------------------------------------------

DRAWN: list[float] = []


def draws(run: Run) -> Plot:
    """Describe a plot of the speed."""
    return Plot("speed", [Panel("", Axis("time", "s"), Axis("speed", "m/s"), [Curve("driven", run.time, run.column("v_WB_B_x"))])])


def of_curves(x: Any, y: Any) -> Plot:
    """Return a plot of one curve."""
    return Plot("curve", [Panel("", Axis("x"), Axis("y"), [Curve("curve", x, y)])])


def writes(run: Run) -> Plot:
    run.columns["v_WB_B_x"][:] = 0.0
    return draws(run)


def remembers(run: Run) -> Plot:
    DRAWN.append(1.0)
    return of_curves(run.time, run.time * len(DRAWN))


def needs_a_column(run: Run) -> Plot:
    return of_curves(run.time, run.column("temperature"))


def plot(draw: Any, **changes: Any) -> PlotKind:
    """Return a kind of plot."""
    return replace(PlotKind("probe", "a plot of a test", draw, contract=PLOT_CONTRACT), **changes)


def test_a_plot_that_works() -> None:
    found = check_plugin(plot(draws))
    assert [one.check for one in found if one.outcome == WARNING] == ["registration"], "it is not registered"
    assert {one.check for one in found} >= {"plot of a drive", "plot of a run of two rows", "determinism", "time"}


@pytest.mark.parametrize(("draw", "check", "message"), [
    (lambda run: 3, "plot of a drive", "returns int; expected a Plot"),
    (lambda run: Plot("empty", []), "plot of a drive", "a plot without panels"),
    (lambda run: of_curves(run.time, run.time[1:]), "plot of a drive", "curve: arrays of different lengths"),
    (lambda run: of_curves(run.time, math.nan * run.time), "plot of a drive", "no finite number"),
    (lambda run: of_curves(run.time, np.diff(run.time)[3] + run.time), "plot of a run of two rows", "raises IndexError"),
    (writes, "plot of a drive", "read-only"), (remembers, "determinism", "the same run gives another plot"),
])  # fmt: skip
def test_a_broken_plot(draw: Any, check: str, message: str) -> None:
    assert message in faults(plot(draw))[check]


def test_a_plot_without_its_data_is_a_warning_until_the_example_has_them() -> None:
    kind = plot(needs_a_column)
    warned = [one for one in check_plugin(kind) if one.outcome == WARNING and one.check == "plot of a drive"]
    assert "the run has no column temperature; give an example of its data" in warned[0].message
    found = check_plugin(kind, {"columns": {"temperature": np.linspace(20.0, 90.0, 400)}})
    assert [one.outcome for one in found if one.check in ("plot of a drive", "time")] == [OK, OK]


def test_a_plot_that_always_raises_empty_is_a_warning() -> None:
    def nothing(run: Run) -> Plot:
        raise EmptyPlotError("the vehicle stands still")

    assert any("the vehicle stands still" in one.message for one in check_plugin(plot(nothing)) if one.outcome == WARNING)
