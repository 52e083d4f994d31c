"""Does the page on learning describe every number of every environment, and do its examples run?"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

from simulator.learning.arena import Task
from simulator.learning.contract import Row
from simulator.learning.registration import TASKS

PAGE = Path(__file__).parents[2] / "docs/learning.md"


def line(row: Row) -> str:
    """Row of a table of the page."""
    name = row.name if row.repeated == 1 else f"{row.name} ({row.repeated})"
    return f"| `{name}` | {row.low:.4g} to {row.high:.4g} | {row.unit} | {row.meaning} |"


@pytest.mark.parametrize("name", TASKS)
def test_the_page_has_the_rows_of_an_environment(name: str) -> None:
    module, _, kind = TASKS[name].partition(":")
    task: Task = getattr(import_module(module), kind)()
    sections = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    section = next(one for one in sections if one.startswith(f"jounce/{name}"))
    given = [one for one in section.splitlines() if one.startswith("| `")]
    assert given == [line(row) for row in task.observations]
    assert all(f"`{outcome}`" in section for outcome in task.outcomes)
    assert f"{task.seconds:g} s" in section and f"{task.n_worlds} worlds" in section
