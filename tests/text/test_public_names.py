"""Is `import simulator` fast, and are its names present, documented, typed and listed?"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import simulator

ROOT = Path(__file__).parents[2]


def test_importing_loads_nothing_but_itself():
    program = (
        "import sys; before = set(sys.modules)\n"
        "import simulator\n"
        "print(sorted(name for name in set(sys.modules) - before if name != '__future__'))\n"
        "print(dir(simulator) == sorted(dir(simulator)), 'Simulation' in dir(simulator))\n"
        "import jounce\n"
        "print('numba' in sys.modules, 'scipy' in sys.modules)\n"
    )
    out = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == ["['simulator']", "True True", "False False"]


def test_public_names_are_there_and_say_what_they_are():
    for name in simulator.__all__:
        found = getattr(simulator, name)
        assert found is getattr(simulator, name)
        assert name == "__version__" or inspect.getdoc(found), name


@pytest.mark.parametrize("name", ["Simulation", "Result", "Log", "Batch", "BatchRow"])
def test_everything_that_a_public_class_offers_is_described_and_typed(name):
    kind = getattr(simulator, name)
    for member, value in vars(kind).items():
        if member.startswith("_") or not (inspect.isfunction(value) or isinstance(value, property)):
            continue
        function = value.fget if isinstance(value, property) else value
        assert inspect.getdoc(value), member
        assert "return" in inspect.signature(function).parameters or function.__annotations__.get("return"), member


def test_the_page_lists_every_public_name():
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(?:simulator\.)?(\w+)[`(.]", page))
    assert set(simulator.__all__) <= listed, set(simulator.__all__) - listed


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Simulaton'"):
        _ = simulator.Simulaton


def test_packages_say_that_they_are_typed():
    assert all((ROOT / package / "py.typed").is_file() for package in ("simulator", "vehicles", "terrain", "washout"))
