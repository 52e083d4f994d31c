"""Structure: does each folder of tests have quick tests, does each file that conftest.py names exist, which module does a job alone?"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.conftest import BY_THE_CLOCK, FAST, LONG, SIX_WHEELS, has_reason
from tests.rerun_clock import repeatable

TESTS = Path(__file__).parents[1]
WITHOUT_QUICK_TESTS = {"drives", "text"}
"""Folders of long runs, and of checks that `make check` runs."""


def test_folders_have_quick_tests():
    folders = {file.parent.name for file in TESTS.glob("*/test_*.py")} - WITHOUT_QUICK_TESTS
    assert {folder for folder in folders if not FAST.get(folder)} == set()


def test_named_files_exist():
    existing = {(file.parent.name, file.name) for file in TESTS.glob("*/test_*.py")}
    assert {(folder, name) for folder, names in FAST.items() for name in names} <= existing
    studies = {file.name for file in (TESTS.parent / "research" / "tests").glob("test_*.py")}
    assert {name for _, name in existing} | studies >= BY_THE_CLOCK | SIX_WHEELS | LONG


def test_the_wheel_and_its_packages_have_no_studies():
    """Import-linter checks the modules that they import."""
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    target = project["hatch"]["build"]["targets"]["wheel"]
    assert target["packages"] == ["simulator", "vehicles", "terrain", "washout"]
    assert not [name for name in target["force-include"] if name.startswith("research")]
    assert project["importlinter"]["contracts"][0]["layers"][0] == "research"
    assert set(project["importlinter"]["root_packages"]) == {*target["packages"], "research"}


def test_what_runs_by_the_clock_is_not_quick():
    assert not BY_THE_CLOCK & {name for names in FAST.values() for name in names}


def test_the_mark_full_needs_a_reason():
    assert has_reason(pytest.mark.full("a fault that is seen on wide terminals").mark)
    assert not any(has_reason(mark.mark) for mark in (pytest.mark.full, pytest.mark.full("slow"), pytest.mark.full(1)))


def test_only_failed_tests_by_the_clock_are_repeated():
    clock, other = "tests/end_to_end/test_live.py::test_a[x@y]", "tests/laws/test_mirror.py::test_b"
    assert repeatable([f"{clock}@by the clock"]) == [clock]
    assert repeatable([f"{clock}@by the clock", f"{other}@{other}"]) == []
    assert repeatable([]) == []


def test_one_module_decides_that_the_platform_parks():
    modules = (TESTS.parent / "simulator").rglob("*.py")
    assert [file.name for file in modules if "procedure.park()" in file.read_text("utf-8")] == ["platform_supervisor.py"]


def test_no_helper_has_the_name_of_the_product():
    assert not list(TESTS.rglob("jounce.py"))


def test_a_file_is_run_by_one_process(request):
    """Otherwise each process creates the costly fixtures of the file, and real-time tests run at the same time."""
    grouped = getattr(request.config.option, "loadgroup", False)  # a process of pytest-xdist
    assert request.node.nodeid.endswith(f"@{request.node.path}") == grouped
