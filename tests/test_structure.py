"""Structure of the tests: quick tests in every folder, no listed file is missing, no helper has the name of the product."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import BY_THE_CLOCK, FAST

TESTS = Path(__file__).parent
FOLDERS = sorted({file.parent.name for file in TESTS.glob("*/test_*.py")})


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_has_quick_tests_or_only_long_runs(folder):
    assert FAST.get(folder) or folder == "drives"


def test_listed_files_exist():
    present = {(file.parent.name, file.name) for file in TESTS.glob("*/test_*.py")}
    assert {(folder, name) for folder, names in FAST.items() for name in names} <= present
    assert {name for _, name in present} >= BY_THE_CLOCK


def test_real_time_tests_are_not_quick():
    assert not BY_THE_CLOCK & {name for names in FAST.values() for name in names}


def test_no_helper_has_the_name_of_the_product():
    assert not list(TESTS.rglob("jounce.py"))


def test_a_file_is_run_by_one_process(request):
    """Otherwise every process creates the fixtures of a file, and real-time tests run concurrently."""
    grouped = getattr(request.config.option, "loadgroup", False)  # a process of pytest-xdist
    assert request.node.nodeid.endswith(f"@{request.node.path}") == grouped
