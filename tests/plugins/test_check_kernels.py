"""`check_plugin` of tire models, washouts and controllers: does each check find the fault of a kernel that it is for?"""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simulator.base.callbacks import callback, record_at, records_at
from simulator.base.records import dtype_of
from simulator.conformance.check_plugin import check_plugin
from simulator.conformance.findings import WARNING, PluginError
from tests.plugins import brush, washouts
from tests.plugins.test_check_plugin import faults
from vehicles.controllers.anti_lock import KIND as ANTI_LOCK
from vehicles.controllers.contract import CONTROLLER_OUTPUT
from washout.contract import WASHOUT_INPUT, WASHOUT_OUTPUT, WashoutKind

SEEN, POSE, REQUESTS = dtype_of(WASHOUT_INPUT), dtype_of(WASHOUT_OUTPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def stiff_at_zero_load(parameters, state, seen, result, first, count, h):
    for i in range(first, first + count):
        k, r = records_at(seen, brush.I, first + count)[i], records_at(result, brush.O, first + count)[i]
        r["F"][0] = (k["effective_radius"] * k["spin"] - k["v_x"]) / k["load"]


@callback
def without_bounds(parameters, state, seen, result, first, count, h):
    n = first + count
    for i in range(first, n + 1):
        records_at(result, brush.O, n + 1)[i]["M_z"] = 1.0
    records_at(seen, brush.I, n)[first]["load"] = 1.0
    records_at(state, brush.S, n)[first]["numbers"][0] = 1.0


@callback
def unstable(parameters, state, seen, result, first, count, h):
    for i in range(first, first + count):
        u = records_at(state, brush.S, first + count)[i]["numbers"]
        records_at(result, brush.O, first + count)[i]["rate"][0] = -1e4 * u[0] + 1.0


@callback
def allocates(parameters, state, seen, result, first, count, h):
    numbers = np.zeros(3)
    records_at(result, brush.O, first + count)[first]["M_z"] = numbers[0]


@pytest.mark.parametrize(("kernel", "check", "message"), [
    (stiff_at_zero_load, "forces", "zero load: F is not finite"),
    (without_bounds, "writing", "changes its input; write to the state and the output only"),
    (unstable, "stability", "the state diverges in steps of 1 ms; return implicit rates if the model is stiff"),
    (allocates, "kernel", "does not compile: it allocates memory; use numbers and the records that the kernel receives"),
    (lambda *_: None, "kernel", "decorate the function with @callback of simulator.base.callbacks"),
])  # fmt: skip
def test_a_broken_tire_model(kernel: Any, check: str, message: str) -> None:
    found = faults(replace(brush.KIND, name="broken", kernel=kernel))
    assert message in found[check]


@callback
def never_at_rest(parameters, state, seen, result, first, count, h):
    x, k, pose = record_at(state, washouts.X)[0]["x"], record_at(seen, SEEN)[0], record_at(result, POSE)[0]["pose"]
    x[0] += h * 1e3 * abs(k["f_H_B"][0])
    pose[0] = x[0]


@callback
def weight(parameters, state, seen, result, first, count, h):
    k = record_at(seen, SEEN)[0]
    record_at(result, POSE)[0]["pose"][4] = k["f_H_B"][0] / k["gravity"]


@callback
def beyond_its_state(parameters, state, seen, result, first, count, h):
    records_at(state, washouts.X, 2)[1]["x"][0] = 1.0


@pytest.mark.parametrize(("kernel", "message"), [
    (never_at_rest, "expected at most 100; limit the input or the state"), (weight, "without gravity: the pose is not finite"),
    (beyond_its_state, "at rest: writes beyond the record of its state; check the indices"),
])  # fmt: skip
def test_a_broken_compiled_washout(kernel: Any, message: str) -> None:
    found = faults(replace(washouts.COMPILED, name="broken", parameters=(), kernel=kernel))
    assert found.keys() == {"poses"} and message in found["poses"]


@pytest.mark.parametrize(("pose", "message"), [
    ([0.0] * 5, "expected six numbers"), ("up", "returns 'up'; expected six numbers"), ([math.nan] * 6, "at rest: the pose is not finite"),
    ([1e3] * 6, "a pose of 1000 m or rad; expected at most 100"),
])  # fmt: skip
def test_a_broken_washout_in_python(pose: Any, message: str) -> None:
    make = lambda *_: SimpleNamespace(step=lambda seen, h: pose)  # noqa: E731
    kind = WashoutKind("broken", (), washouts.PYTHON.contract, washouts.PYTHON.layout, make=make, rate=100.0)
    found = faults(kind)
    assert found.keys() == {"poses"} and message in found["poses"]


def test_a_washout_that_works() -> None:
    assert not [one for one in check_plugin(washouts.PYTHON) if one.outcome == WARNING and one.check != "registration"]


@callback
def all_wheels(parameters, state, seen, result, first, count, h):
    out = record_at(result, REQUESTS)[0]
    for i in range(len(out["inlet"])):
        out["inlet"][i] = 0.5
    out["throttle_limit"] = 1.5


def test_a_broken_controller() -> None:
    found = faults(replace(ANTI_LOCK, name="broken", kernel=all_wheels))
    assert (
        found["requests with 4 wheels"]
        == "at rest: inlet: a request for a wheel beyond the 4 of the vehicle; use the first `count` elements"
    )
    with pytest.raises(PluginError, match=r"throttle_limit = 1.5; expected 0 to 1; clip it"):
        check_plugin(replace(ANTI_LOCK, name="broken", kernel=all_wheels))
