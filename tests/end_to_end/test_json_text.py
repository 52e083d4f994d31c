"""No command writes invalid JSON: Python reads and writes NaN and Infinity, other readers reject them."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from program import ROOT

from simulator.base.json_output import json_text
from simulator.validation.reference.result import Comparison


def strict(text):
    """As a reader that keeps to RFC 8259 takes it."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_numbers_that_are_not_finite_are_null_wherever_they_are():
    value = {
        "a": math.nan,
        "b": [1.0, -math.inf, (np.float64("nan"), np.array([2.0, np.inf]))],
        "c": {"d": np.int64(3), "e": True, "f": None},
    }
    assert strict(json_text(value)) == {"a": None, "b": [1.0, None, [None, [2.0, None]]], "c": {"d": 3, "e": True, "f": None}}


def test_nothing_else_is_changed():
    value = {"x": 0.1, "y": [1, "NaN", False, 1e308, 5e-324], "z": {}}
    assert strict(json_text(value)) == value
    assert json_text(value) == json.dumps(value)
    assert json_text([1], indent=2) == "[\n  1\n]"


def test_what_is_no_data_is_refused():
    with pytest.raises(TypeError):
        json_text({"a": object()})


def test_a_comparison_with_an_error_that_is_no_number():
    found = strict(Comparison("f", "k", 1, {"a": math.nan, "b": 1.0}, 1e-9).to_json())
    assert found["errors"] == {"a": None, "b": 1.0}
    assert (found["max_error"], found["pass"]) == (None, False)


def test_every_command_writes_by_it():
    """Except for private caches of the view and of generated terrains, no module of the program makes JSON by itself."""
    writers = [
        str(file.relative_to(ROOT))
        for package in ("simulator", "vehicles", "terrain", "washout", "research")
        for file in sorted(Path(ROOT, package).rglob("*.py"))
        if "tests" not in file.parts and re.search(r"\bjson\.dumps?\(", file.read_text(encoding="utf-8"))
    ]
    assert writers == [
        "simulator/base/json_output.py",
        "simulator/ros2/type_hash.py",
        "simulator/view/make_object_data.py",
        "simulator/view/terrain_data.py",
        "terrain/generated.py",
    ]
