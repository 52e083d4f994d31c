"""Do the examples of the page about faults drive as the page says?"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from simulator.base.registry import load_plugins
from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes, option
from simulator.conformance.check_plugin import check_plugin
from simulator.faults.kinds import FAULT_KINDS
from simulator.run.rerun import differences, rerun
from simulator.run.run import run_maneuver
from simulator.run.run_configuration import read_recorded
from simulator.telemetry.writer import PARQUET_NAME, read_telemetry

PAGE = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_maneuver_of_the_page_pulls_to_the_right_and_a_rerun_has_the_same_bits(tmp_path: Path) -> None:
    file = tmp_path / "puncture.yaml"
    file.write_text(blocks("yaml")[0], encoding="utf-8")
    gust = [{"type": "gust", "velocity": [0, 12, 0], "start_s": 3, "end_s": 4}]
    settings = [*changes({"maneuver": str(file)}), *option("--fault", "faults", gust)]
    found = run_maneuver(configuration(None, settings), tmp_path / "run", say=lambda line: None, pictures=False)
    result = json.loads((found["folder"] / "metrics.json").read_text(encoding="utf-8"))["result"]
    assert [one["name"] for one in result["faults"]] == ["puncture_FR", "brake_circuit_loss_rear", "gust"]
    log = read_telemetry(found["folder"] / PARQUET_NAME, wall=False)
    time, lost = log["time"], log["fault_brake_circuit_loss_rear"]
    braking = time[np.flatnonzero(log["phase"] == 1)[0]]
    assert time[np.flatnonzero(lost > 0.0)[0]] == pytest.approx(braking + 0.5, abs=0.03)
    assert np.abs(log["brake_torque_RL"][-1]) < 1.0 < np.abs(log["brake_torque_FL"][-1])
    assert log["fault_gust"][390] == 1.0 and log["fault_gust"][-1] == 0.0 and log["p_WB_y"][-1] < -0.1
    told, recorded = read_recorded(found["folder"])
    again = rerun(told, recorded, log, tmp_path / "again")
    assert differences(log, read_telemetry(again / PARQUET_NAME, wall=False)) == []


def test_the_program_of_the_page_pulls_to_the_left(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(blocks("python")[0], "faults.md", "exec"), {})
    assert capsys.readouterr().out.split() == ["puncture_FL", "1.0", "True"]


def test_the_fault_of_the_page_satisfies_its_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "heavy_steering.py").write_text(blocks("python")[1], encoding="utf-8")
    load_plugins([str(tmp_path / "heavy_steering.py")])
    check_plugin(FAULT_KINDS.need("heavy_steering"))
    session = changes({"vehicle": "hmmwv", "terrain": "flat", "faults": [{"type": "heavy_steering", "factor": 10}]})
    assert [one.name for one in build(configuration(None, session), check_step=False).new_faults()] == ["heavy_steering"]


def test_the_page_names_all_types_and_their_keys() -> None:
    for name in FAULT_KINDS.names():
        if FAULT_KINDS.is_builtin(name):
            (line,) = (one for one in PAGE.splitlines() if one.startswith(f"| `{name}` |"))
            for field in FAULT_KINDS.need(name).parameters:
                assert f"`{field.usual}`" in line, f"{name}: {field.usual}"
