"""Does a drive to a goal have the same outcome, with the same words, wherever a result is shown or stored?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import jounce
from simulator.api.loading import configured
from simulator.autonomy.contract import Goal
from simulator.autonomy.goal_section import Endings
from simulator.autonomy.outcome import Judge, Outcome, outcome_of
from simulator.autonomy.snapshot import Snapshot
from simulator.base.records import record
from simulator.cli.main import main
from simulator.run.info import described
from simulator.run.run import run_maneuver
from simulator.sweep.result_table import TABLE
from simulator.telemetry.recover import read_logs
from simulator.telemetry.writer import PARQUET_NAME
from vehicles.readout import READOUT

NAMES = {"maneuver": "goal_obstacles", "terrain": "flat"}
NEAR = {"maneuver.goal": {"position_m": [6, 0], "radius_m": 3}, "maneuver.duration_s": 10}
"""Goal that is reached after 3 m."""
POST = {"shape": "cylinder", "radius": 0.3, "height": 2, "position": [3.2, 0], "label": "vegetation", "name": "post"}
ENDS = {
    "reached": NEAR,
    "timeout": {**NEAR, "maneuver.duration_s": 1},
    "stuck": {**NEAR, "maneuver.objects": [POST], "maneuver.planner": {"margin_m": 9}, "maneuver.endings": {"stuck_time_s": 1}},
}


@pytest.fixture(scope="module", params=ENDS)
def ended(request: Any, tmp_path_factory: Any) -> tuple[str, Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp(request.param)
    return request.param, folder, run_maneuver(configured(NAMES, ENDS[request.param]), folder, say=lambda line: None)


def test_a_run_has_its_outcome_in_each_of_its_files(ended: Any, capsys: Any) -> None:
    word, folder, found = ended
    outcome = Outcome(**found["result"]["outcome"])
    assert outcome.word == word and bool(outcome.reason) == (word == "stuck")
    assert json.loads((folder / "metrics.json").read_text())["result"]["outcome"] == outcome._asdict()
    page = (folder / "report.html").read_text()
    assert f"outcome: {outcome.message}</p>" in page and ">Obstacle map</h2>" in page and "data:image/png;base64," in page
    assert folder / "obstacle_map.png" in found["files"]
    capsys.readouterr()
    assert main(["info", str(folder)]) == 0
    assert f"  outcome    {outcome.message}" in capsys.readouterr().out.splitlines()
    assert main(["info", "--json", str(folder)]) == 0
    assert json.loads(capsys.readouterr().out)["logs"][0]["outcome"] == outcome._asdict()


def test_a_log_without_metadata_has_the_outcome_of_its_column(ended: Any, tmp_path: Path) -> None:
    word, folder, _ = ended
    table = pq.read_table(folder / PARQUET_NAME)
    about = {key: value for key, value in table.schema.metadata.items() if not key.endswith(b"outcome")}
    pq.write_table(table.replace_schema_metadata(about), tmp_path / PARQUET_NAME)
    known = described(read_logs(tmp_path)[0])["outcome"]
    assert known == (None if word == "timeout" else {"word": word, "reason": ""})  # the duration is not in the log


def test_the_command_prints_the_outcome(tmp_path: Path, capsys: Any) -> None:
    words = ["run", "goal_obstacles", "--terrain", "flat", "--plots", "none", "--out", str(tmp_path / "run")]
    assert main([*words, *(f"--set={key}={json.dumps(value)}" for key, value in NEAR.items())]) == 0
    assert "outcome: reached" in capsys.readouterr().out.splitlines()


def test_results_in_python_have_the_outcome() -> None:
    result = jounce.simulate(**NAMES, changes=NEAR)
    assert result.outcome == Outcome("reached") and "reached" in repr(result)
    assert jounce.simulate("avtp_lane_change", changes={"maneuver.duration_s": 0.5}).outcome is None
    cases = [{**NAMES, "changes": ENDS[word]} for word in ("timeout", "reached")]
    batch = jounce.run_batch([*cases, {**NAMES, "changes": {"vehicle.chassis.mass": -1}}], 1)
    assert batch.table()["outcome"] == ["timeout", "reached", None]


def test_runs_of_a_sweep_have_outcomes(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "goals.yaml"
    vary = [{"grid": {"maneuver.duration_s": [1, 10]}}]
    file.write_text(json.dumps({"name": "goals", **NAMES, "set": {"maneuver.goal": NEAR["maneuver.goal"]}, "vary": vary}))
    folder = tmp_path / "out"
    assert main(["sweep", str(file), "--processes", "1", "--out", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["outcomes"] == {"reached": 1, "timeout": 1}
    table = pq.read_table(folder / TABLE)
    assert table["outcome"].to_pylist() == ["timeout", "reached"] and table["outcome_reason"].to_pylist() == ["", ""]


def test_the_driver_of_a_session_drives_to_a_goal_without_a_maneuver() -> None:
    seen: list[Snapshot] = []
    sim = jounce.Simulation(terrain="flat", changes={"driver": {"type": "planner", "goal": {"position_m": [12, 2]}}})
    sim.session.driver.watchers.append(seen.append)
    sim.advance(6.0)
    assert outcome_of(sim.session.driver) == Outcome("reached") and math.hypot(sim["p_WB_x"] - 12.0, sim["p_WB_y"] - 2.0) < 3.5
    assert seen[-1].reason == "reached" and seen[1].plan is not None and seen[1].goal.x == 12.0
    view = seen[1].view()
    assert len(view.candidates) > 10 and all(np.allclose(one[0], view.plan[0]) for one in view.candidates)
    for wrong, words in (("planner", "goal: missing"), ({"type": "planner", "goal": {"position_m": [9]}}, "goal.position_m")):
        with pytest.raises(jounce.JounceError, match=words):
            jounce.Simulation(terrain="flat", changes={"driver": wrong})


def test_a_vehicle_in_a_queue_is_stuck_only_after_two_minutes() -> None:
    readout, judges = record(READOUT), [Judge(Goal(100.0, 0.0, 3.0), Endings()) for _ in range(2)]
    ends = [
        next(t for t in range(300) if judge.outcome(float(t), readout, (), "", True, queues))
        for judge, queues in zip(judges, (False, True), strict=True)
    ]
    assert ends == [20, 139]
