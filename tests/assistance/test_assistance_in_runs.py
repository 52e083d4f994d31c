"""Is driver assistance part of a run: in its messages, its log and its rerun, and are wrong sections refused?"""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml

import jounce
from tests.end_to_end.program import call

CASE = {
    "vehicle": "sedan_esc",
    "terrain": "flat",
    "maneuver": {
        "name": "case", "title": "Toward a standing car", "vehicle": "sedan_esc", "terrain": "flat", "duration_s": 6,
        "start": {"speed_kph": 50}, "speed": [{"at_s": 0, "speed_kph": 50, "acceleration_mps2": 2}],
    },
    "vehicles": [{"name": "target", "vehicle": "sedan", "position": [55, 0]}],
    "assistance": {"aeb": {}, "acc": {}},
}  # fmt: skip


def written(folder, **changes):
    """Return the session file with changes."""
    file = folder / "case.yaml"
    file.write_text(yaml.safe_dump({**CASE, **changes}))
    return str(file)


@pytest.mark.parametrize("driver", ["scripted", "cruise"])
def test_a_run_brakes_and_its_rerun_has_the_same_bits(capsys, tmp_path, driver):
    """The driver `cruise` is repeated by its recorded commands, those before the assistance has changed them."""
    code, out, err = call(capsys, "run", "--session", written(tmp_path, driver=driver), "--out", tmp_path / "run", "--json")
    assert code == 0, err
    assert "emergency braking: full braking for target" in out + err
    log = jounce.read_log(tmp_path / "run")
    assert float(np.abs(log["v_WB_B_x"][-1])) < 0.05 and log["assistance_aeb_stage"][-1] == 4
    events = [one.value for one in log.events if one.kind == "assistance"]
    assert [one["state"] for one in events] == ["warning", "partial braking", "full braking", "hold"]
    code, out, err = call(capsys, "rerun", tmp_path / "run", "--out", tmp_path / "again", "--json")
    assert code == 0 and json.loads(out)["differ"] == [], out + err


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"aeb": {"full_at": 2}}, "assistance.aeb.full_at"),
        ({"acb": {}}, "did you mean"),
        ({"acc": {"time_gap_s": 0.1}}, "from 0.8 to 5"),
        ({"sensor": {"labels": ["dog"]}}, "expected one of"),
        ({"lane_keeping": {}}, "lane_keeping"),
    ],
)
def test_a_wrong_section_is_one_line(capsys, tmp_path, section, words):
    no_path = {
        **{key: value for key, value in CASE["maneuver"].items() if key != "speed"},
        "phases": [{"name": "go", "throttle": 0.2, "lasts_s": 1}],
    }
    code, out, err = call(capsys, "run", "--session", written(tmp_path, assistance=section, maneuver=no_path), "--out", tmp_path / "run")
    assert code == 2 and words in err, out + err
    assert len(err.strip().splitlines()) == 1 and not (tmp_path / "run").exists()
