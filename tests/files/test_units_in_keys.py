"""Can every number be given in other units, and only in valid units?"""

import math

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.fields import Either, Field, Group, ListOf, Named, Number, Text, read
from simulator.base.units import known_units

TABLE = (
    Field("mass", Number("kg", 1.0, 1e4), "mass"),
    Field("speed", Number("m/s", 0.0, 100.0), "speed", 3.0, written="kph"),
    Field("points", Number("m", -10.0, 10.0, shape=((2, 4), 2)), "points", None),
    Field("at", ListOf(Number("s")), "times", ()),
    Field("turn", Either((Number("rad"), Number("rad", shape=(2,)))), "one angle or two", None),
    Field("rates", Number("rad/s", -1.0, 1.0, shape=(3,), repeats=True), "a rate for each axis, or for all", None),
    Field("share", Number("1", 0.0, 1.0), "share", 0.5),
    Field("inside", Group((Field("pressure", Number("Pa"), "pressure", None),)), "section", None),
)


@pytest.mark.parametrize(
    ("written", "name", "expected"),
    [
        ({"mass_lb": 100.0}, "mass", 45.359237),
        ({"mass_LB": 100.0}, "mass", 45.359237),
        ({"mass_t": 1.5}, "mass", 1500.0),
        ({"mass": 2, "speed_mph": 50.0}, "speed", 22.352),
        ({"mass": 2, "speed_kph": 36.0}, "speed", 10.0),
        ({"mass": 2}, "speed", 3.0),
        ({"mass": 2, "at_ms": [5, 1000]}, "at", (0.005, 1.0)),
        ({"mass": 2, "turn_deg": 90}, "turn", math.pi / 2.0),
        ({"mass": 2, "turn_deg": [90, -90]}, "turn", [math.pi / 2.0, -math.pi / 2.0]),
        ({"mass": 2, "rates": 0.5}, "rates", [0.5, 0.5, 0.5]),
        ({"mass": 2, "rates_degps": 10}, "rates", np.radians([10.0, 10.0, 10.0])),
        ({"mass": 2, "rates_degps": [1.0, 2.0, -3.0]}, "rates", np.radians([1.0, 2.0, -3.0])),
        ({"mass": 2, "points_ft": [[1.0, 2.0], [0.0, 1.0]]}, "points", [[0.3048, 0.6096], [0.0, 0.3048]]),
    ],
)
def test_a_number_in_another_unit_is_converted_to_si(written, name, expected):
    np.testing.assert_allclose(read(TABLE, written, "f")[name], expected, rtol=1e-14)


@pytest.mark.parametrize("suffix", ["psi", "bar", "kPa", "kpa", "MPa"])
def test_units_of_a_section_inside(suffix):
    assert read(TABLE, {"mass": 1, "inside": {f"pressure_{suffix}": 1.0}}, "f")["inside"]["pressure"] > 1.0


@pytest.mark.parametrize(
    ("written", "key", "words"),
    [
        ({"mass_lb": 10, "mass": 5}, "mass", "mass in one unit only"),
        ({"mass_psi": 10}, "mass_psi", "mass in kg, without a suffix or with one of _kg, _t, _lb, _slug"),
        ({"mass": 1, "share_deg": 0.1}, "share_deg", "share without a unit suffix"),
        ({"mass": 1, "speed_kph": 361.0}, "speed_kph", "a number in km/h, from 0 to 360"),
        ({"mass": 1, "spede_kph": 36.0}, "spede_kph", "did you mean speed_kph?"),
        ({"mass_lb": "much"}, "mass_lb", "a number in lb"),
        ({"mass": 1, "rates": [0.1, 0.2]}, "rates", "a number, or 3 numbers in rad/s"),
        ({"mass": 1, "rates": -1.5}, "rates", "a number, or 3 numbers in rad/s, from -1 to 1"),
        ({"mass": 1, "rates": True}, "rates", "a number, or 3 numbers in rad/s"),
        ({"mass": True}, "mass", "a number in kg"),
        ({}, "mass", "a number in kg: mass"),
    ],
)
def test_an_invalid_unit_is_refused_with_the_valid_ones(written, key, words):
    with pytest.raises(ConfigError) as caught:
        read(TABLE, written, "f")
    assert caught.value.key == key
    assert words in str(caught.value)
    assert len(caught.value.errors) == 1


def test_all_errors_are_reported_at_once():
    with pytest.raises(ConfigError) as caught:
        read(TABLE, {"sped": 1, "points": [[1, 2]], "at": [1, "x", True], "inside": {"presure": 1}}, "f")
    keys = [error.key for error in caught.value.errors]
    assert keys == ["sped", "points", "at[1]", "at[2]", "inside.presure", "mass"]
    assert len(str(caught.value).splitlines()) == 6


def test_contradictions_are_reported_in_the_unit_and_spelling_of_the_file():
    error = read(TABLE, {"mass_lb": 100.0}, "f").error("mass", "at least {}", 453.59237)
    assert str(error) == "f: mass_lb: invalid value; expected at least 1000 lb; got 100.0"
    error = read(TABLE, {"mass": 100.0}, "f").error("mass", "at least {}", 453.5)
    assert str(error) == "f: mass: invalid value; expected at least 453.5 kg; got 100.0"


def test_null_means_that_an_optional_key_is_missing():
    values = read(TABLE, {"mass": 1.0, "turn": None}, "f")
    assert "turn" not in values and "turn" not in values.spelled
    with pytest.raises(ConfigError, match="turn in one unit only"):
        read(TABLE, {"mass": 1.0, "turn": None, "turn_deg": None}, "f")


@pytest.mark.parametrize("text", ["mass_lb", "speed_kph"])
def test_a_name_that_ends_in_a_unit_is_a_name(text):
    table = (Field(text, Number(), "a name"), Field("free", Named(Text()), "names", None))
    assert read(table, {text: 1.0}, "f")[text] == 1.0


def test_the_suffixes_of_a_quantity_differ_in_more_than_case():
    seen = set()
    for unit, suffix, factor in known_units():
        assert factor > 0.0
        assert (unit, suffix.lower()) not in seen, (unit, suffix)
        seen.add((unit, suffix.lower()))
