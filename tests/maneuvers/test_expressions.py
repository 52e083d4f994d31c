"""Do expressions give the expected numbers, and are all other texts refused with their position?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.base.errors import ConfigError
from simulator.maneuvers.evaluation_section import METRICS_LIST, USUAL_CHANNELS, read_analysis_requests
from simulator.maneuvers.expressions import DEEPEST, FUNCTIONS, parse
from tests.maneuvers.drives import drive_of, times

PHASES = ("approach", "turn")
TIME = times(10.0)
SPEED = 20.0 - TIME
DRIVE = drive_of(
    TIME,
    {"approach": slice(0, 400), "turn": slice(400, 801)},
    v_WB_B_x=SPEED,
    a_WB_B_x=np.sin(2.0 * math.pi * TIME),
    a_WB_B_z=3.0 + np.sin(2.0 * math.pi * 5.0 * TIME),
    roll=0.1 * np.exp(-((TIME - 6.25) ** 2)),
)


def expression(text):
    return parse(text, "m.yaml", "metrics[0].of", lambda name: name in USUAL_CHANNELS, USUAL_CHANNELS, PHASES)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1 + 2 * 3 ** 2 / 4 - -1", 6.5),
        ("max(abs(derivative(v_WB_B_x)))", 1.0),
        ("at(v_WB_B_x, phase_end('turn'))", 12.0),
        ("at(v_WB_B_x, 2.345)", 17.655),
        ("first(during(v_WB_B_x, 'turn')) - last(during(v_WB_B_x, 'turn'))", 4.0),
        ("rms(between(a_WB_B_x, 0, 9.99))", math.sqrt(0.5)),
        ("std(between(a_WB_B_x, 0, 9.99))", math.sqrt(0.5)),
        ("mean(between(lowpass(a_WB_B_z, 1), 3, 7))", 3.0),
        ("max(abs(between(highpass(a_WB_B_z, 1), 3, 7)))", 1.0),
        ("crossing(v_WB_B_x, 12.5)", 7.5),
        ("rising(a_WB_B_x, 0.5, 2) - 2", 1.0 / 12.0),
        ("falling(a_WB_B_x, 0.5) * 12", 5.0),
        ("time_of_max(roll)", 6.25),
        ("degrees(max(roll))", math.degrees(0.1)),
        ("last(integral(v_WB_B_x))", 150.0),
        ("last(integral(during(v_WB_B_x, 'approach')))", 20.0 * 3.99 - 0.5 * 3.99**2 + 0.5 * 0.01 * 16.01),
        ("min(where(v_WB_B_x, time < 3))", 17.01),
        ("mean(where(v_WB_B_x, time >= 2 and not time > 4))", 17.0),
        ("max(max(v_WB_B_x, 3 * a_WB_B_x, 1))", 20.0),
        ("min(3, 2, 4)", 2.0),
        ("atan2(1, 1) * 4 - pi", 0.0),
        ("clip(7, 0, 5) + sqrt(4) + sin(0) + cos(0) + tan(0) + radians(180) / pi", 9.0),
        ("max(running_mean(v_WB_B_x, 0.2))", 19.95),
        ("time_of_min(v_WB_B_x) / g * g", 10.0),
        ("phase_start('turn')", 4.0),
    ],
)
def test_numbers(text, number):
    assert expression(text).value(DRIVE) == pytest.approx(number, rel=2e-3, abs=1e-9)


@pytest.mark.parametrize(
    "text", ["sqrt(-1)", "1 / 0", "9 ** 9 ** 9 ** 9", "at(v_WB_B_x, 99)", "max(between(v_WB_B_x, 5, 4))", "crossing(v_WB_B_x, 99)",
             "last(lowpass(v_WB_B_x, -1))", "last(running_mean(v_WB_B_x, -1))", "0 * (1 / 0)"],
)  # fmt: skip
def test_what_has_no_number_is_nan(text):
    assert math.isnan(expression(text).value(DRIVE))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v_WB_B_q", r"did you mean v_WB_B"),
        ("max(v_WB_B_x) + maxx(v_WB_B_x)", r"at character 17: one of the functions .*did you mean max\?"),
        ("v_WB_B_x", "a number, for example max"),
        ("max(v_WB_B_x", "an expression"),
        ("max()", r"max\(either, ...\)"),
        ("mean(3)", "mean with a series"),
        ("at(v_WB_B_x, v_WB_B_x)", "at with a number"),
        ("phase_end('trun')", r"did you mean turn\?"),
        ("phase_end(turn)", "quotation marks"),
        ("max('turn')", "a number"),
        ("(1).__class__", "only numbers, channels, functions"),
        ("__import__('os')", "one of the functions"),
        ("max.__call__(v_WB_B_x)", "one of the functions"),
        ("[x for x in (1, 2)]", "only numbers, channels, functions"),
        ("lambda: 1", "only numbers, channels, functions"),
        ("1 if 2 else 3", "only numbers, channels, functions"),
        ("0 < 1 < 2", "only numbers, channels, functions"),
        ("v_WB_B_x[0]", "only numbers, channels, functions"),
        ("max(*v_WB_B_x)", r"an argument without \*"),
        ("max(x=1)", "max"),
        ("True + 1", "a number"),
        ("1j", "a number"),
        ("f'{1}'", "only numbers, channels, functions"),
        ("1; 2", "an expression"),
        ("1\x00", "an expression"),
        ("max + 1", "brackets"),
        ("1" * 999, "at most 1000 bits"),
        ("(" * 10000 + "1" + ")" * 10000, "at most"),
        ("(" * 100 + "1" + ")" * 100, "nested brackets"),
        ("-" * 900 + "1", "nested at most"),
        ("not " * 200 + "1", "nested at most"),
        ("+".join(["1"] * 400), "nested at most"),
        ("1 << 99999", "only numbers, channels, functions"),
        ("'a' * 99999", "a number"),
        ("", "an expression"),
    ],
)
def test_invalid_expressions_are_refused_with_their_position(text, said):
    with pytest.raises(ConfigError, match=said) as caught:
        expression(text)
    assert str(caught.value).startswith("m.yaml: metrics[0].of: ")


@given(st.text(alphabet="()+-*/,.'_ab1e<>=!&|[]{}:@\"\\ x\n", max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_text_raises_anything_else(text):
    try:
        number = expression(text).value(DRIVE)
    except ConfigError:
        return
    assert math.isnan(number) or math.isfinite(number)


def test_as_deep_as_allowed():
    n = DEEPEST - 1
    assert expression("abs(" * n + "-2" + ")" * n).value(DRIVE) == 2.0


def asked(*sections):
    return read_analysis_requests(METRICS_LIST.read(list(sections), "m.yaml", "metrics"), "m.yaml", PHASES)


def test_a_metric_of_the_file():
    (one,) = asked({"type": "expression", "name": "peak_jerk_mps3", "unit": "m/s3", "of": "max(abs(derivative(a_WB_B_x)))"})
    assert one.analysis.columns == ("a_WB_B_x",)
    assert one.evaluate(DRIVE).values["peak_jerk_mps3"] == pytest.approx(2.0 * math.pi, rel=1e-3)


def test_columns_of_other_wheels_and_of_sensors():
    (one,) = asked({"type": "expression", "name": "load", "of": "max(F_C_ML_z) + max(imu_f_x)", "channels": ["imu_f_x"]})
    assert one.analysis.columns == ("F_C_ML_z", "imu_f_x")
    with pytest.raises(ConfigError, match=r"metrics\[0\].of: .*imu_f_x"):
        asked({"type": "expression", "name": "load", "of": "max(imu_f_x)"})


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"type": "expression", "name": "a", "of": "1", "unit": "furlong"}, r"metrics\[0\].unit"),
        ({"type": "expression", "name": "speed_max", "of": "1"}, "another name than speed_max, used by every drive"),
        ({"type": "expression", "of": "1"}, r"metrics\[0\].name"),
        ({"type": "step_respons"}, r"did you mean step_response\?"),
        ({"type": "step_response", "phase": "turm"}, r"metrics\[0\].phase: .*did you mean turn\?"),
        ({"type": "step_response", "name": "__class__"}, r"metrics\[0\].name"),
    ],
)
def test_invalid_analysis_requests_are_refused(section, said):
    with pytest.raises(ConfigError, match=said):
        asked(section)


def test_an_analysis_twice_needs_a_name():
    with pytest.raises(ConfigError, match=r"metrics\[1\].name: .*, used by metrics\[0\]"):
        asked({"type": "grade"}, {"type": "grade", "phase": "turn"})
    one, two = asked({"type": "grade"}, {"type": "grade", "phase": "turn", "name": "second"})
    assert two.prefix == "second_" and one.prefix == ""
    assert two.evaluate(DRIVE).values["second_climb_speed_min"] == pytest.approx(12.0)
    assert one.evaluate(DRIVE).values["climb_speed_min"] == pytest.approx(10.0)


def test_a_phase_that_was_never_driven_has_no_numbers():
    (one,) = asked({"type": "grade", "phase": "turn"})
    found = one.evaluate(DRIVE._replace(phases={}))
    assert all(math.isnan(value) for value in found.values.values())


def test_every_function_has_a_description():
    assert all(function.meaning and function.accepts for function in FUNCTIONS.values())
