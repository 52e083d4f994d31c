"""Is the house of the tests in order: every room in `make fast`, no file named that is not there, no helper with the product's name?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import BY_THE_CLOCK, FAST

TESTS = Path(__file__).parent
ROOMS = sorted({file.parent.name for file in TESTS.glob("*/test_*.py")})


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_quick_tests_or_is_one_of_long_runs(room):
    assert FAST.get(room) or room == "drives"


def test_files_that_are_named_are_there():
    there = {(file.parent.name, file.name) for file in TESTS.glob("*/test_*.py")}
    assert {(room, name) for room, names in FAST.items() for name in names} <= there
    assert {name for _, name in there} >= BY_THE_CLOCK


def test_what_runs_by_the_clock_is_not_quick():
    assert not BY_THE_CLOCK & {name for names in FAST.values() for name in names}


def test_no_helper_has_the_name_of_the_product():
    assert not list(TESTS.rglob("jounce.py"))


def test_a_file_is_run_by_one_process(request):
    """Else every process makes the costly fixtures of a file, and what goes by the clock runs beside its like."""
    grouped = getattr(request.config.option, "loadgroup", False)  # a process of pytest-xdist
    assert request.node.nodeid.endswith(f"@{request.node.path}") == grouped
