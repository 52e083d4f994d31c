"""Do the examples of the pages about planners satisfy the contracts, and drive as the pages say?"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from simulator.api.simulation import Simulation
from simulator.autonomy.mappers.kinds import MAPPER_KINDS
from simulator.autonomy.outcome import outcome_of
from simulator.autonomy.planners.kinds import PLANNER_KINDS
from simulator.base.registry import load_plugins
from simulator.conformance.check_plugin import check_plugin

DOCS = Path(__file__).parents[2] / "docs"


def examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL)


def test_a_planner_and_a_mapper_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, text in zip(("straight", "short_sighted", "flat_map"), examples("own_planner"), strict=True):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        load_plugins([str(tmp_path / f"{name}.py")])
    check_plugin(PLANNER_KINDS.need("straight"))
    check_plugin(MAPPER_KINDS.need("short_sighted"))
    check_plugin(MAPPER_KINDS.need("yard"))
    changes = {
        "maneuver.planner": "straight",
        "maneuver.mapper": {"type": "short_sighted", "sight_m": 15},
        "maneuver.goal": {"position_m": [25, 1]},
    }
    free = Simulation(maneuver="goal_obstacles", terrain="flat", changes=changes)
    free.run()
    wall = {"shape": "box", "size": [0.5, 8, 2], "position": [16, 0], "label": "building"}
    blocked = Simulation(
        maneuver="goal_obstacles", terrain="flat", changes={**changes, "maneuver.objects": [wall], "maneuver.endings": {"stuck_time_s": 3}}
    )
    blocked.run()
    outcomes = [outcome_of(sim._session.driver) for sim in (free, blocked)]
    assert [one.word for one in outcomes if one] == ["reached", "stuck"] and "not clear" in outcomes[1].reason  # type: ignore[union-attr]
    assert not blocked.collisions and blocked["p_WB_x"] > 8.0


def test_the_tutorial_reaches_its_goal(capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = examples("autonomy")
    exec(compile(text, "autonomy.md", "exec"), {})
    assert "reached: 1" in capsys.readouterr().out
