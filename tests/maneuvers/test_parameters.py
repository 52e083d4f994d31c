"""Are parameters replaced by their values in the correct unit, and nothing else?"""

from __future__ import annotations

import pytest

from simulator.base.errors import ConfigError
from simulator.maneuvers.parameters import resolved

PARAMETERS = {"amplitude_deg": 40, "k": 1.5, "side": "left", "speed_kph": 80.0}


def value(text, key="anything"):
    return resolved({"parameters": PARAMETERS, key: text}, "f.yaml")[key]


@pytest.mark.parametrize(
    ("text", "is_"),
    [
        ("$k", 1.5), ("-$k", -1.5), ("2 * $k", 3.0), ("$k * $k", 2.25), ("-2 * -$k", 3.0), ("$amplitude_deg", 40), ("$k*$amplitude_deg", 60.0),
        ("$side", "left"), ("1e-1 * $k", 0.15), ("no dollar", "no dollar"), (3, 3), (None, None),
    ],
)  # fmt: skip
def test_a_value(text, is_):
    assert value(text) == pytest.approx(is_) if isinstance(is_, float) else value(text) == is_


def test_an_integer_stays_an_integer():
    assert isinstance(value("$amplitude_deg"), int)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("$who", "a parameter of the file"), ("$amplitud_deg", "did you mean amplitude_deg"), ("$k + 1", "product of two"),
        ("$k * $k * $k", "product of two"), ("2 * 3 $k", "product of two"), ("$", "product of two"), ("__import__('os') * $k", "product of two"),
        ("2 * $side", "a number"), ("-$side", "a number"), ("($k)", "product of two"),
    ],
)  # fmt: skip
def test_what_is_none(text, named):
    with pytest.raises(ConfigError, match=rf"^f\.yaml: anything: .*{named}"):
        value(text)


def test_units_have_to_be_those_of_the_key():
    assert value("2 * $amplitude_deg", "angle_deg") == 80
    with pytest.raises(ConfigError, match=r"angle_rad: .* instead of _deg"):
        value("$amplitude_deg", "angle_rad")
    with pytest.raises(ConfigError, match=r"entry_speed_mps\.min: .* instead of _kph"):
        value({"min": "0.98 * $speed_kph"}, "entry_speed_mps")
    assert value({"min": "0.5 * $speed_kph"}, "entry_speed_kph") == {"min": 40.0}


def test_everywhere_below_and_in_the_title():
    out = resolved({"parameters": PARAMETERS, "title": "To the $side at $speed_kph km/h", "a": [{"b": ["$k", 2]}]}, "f")
    assert out["title"] == "To the left at 80 km/h" and out["a"] == [{"b": [1.5, 2]}]


def test_all_that_is_wrong_at_once():
    with pytest.raises(ConfigError) as error:
        resolved({"parameters": PARAMETERS, "a": "$x", "b": {"c": "$y"}}, "f")
    assert [one.key for one in error.value.errors] == ["a", "b.c"]


@pytest.mark.parametrize("said", [3, ["a"], {"a": [1]}, {"a": True}, {1: 2}])
def test_parameters_that_are_none(said):
    with pytest.raises(ConfigError, match=r"^f: parameters"):
        resolved({"parameters": said}, "f")
