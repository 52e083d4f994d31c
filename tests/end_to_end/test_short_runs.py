"""Does a run that is too short for its metrics end with results, a page and a verdict?"""

from __future__ import annotations

import json

import pytest
from program import call

import jounce

SHORT = "maneuver.duration_s=0.05"


@pytest.mark.parametrize(("maneuver", "code", "passed"), [("iso_7401_step", 0, None), ("iso_3888_2", 1, False)])
def test_a_short_run_says_so_and_passes_no_limits(maneuver, code, passed, tmp_path, capsys):
    found = call(capsys, "run", maneuver, "--set", SHORT, "--out", tmp_path, "--json")
    assert found[0] == code, found
    result = json.loads(found[1])["result"]
    assert result["pass"] is passed and result["metrics"] == {}
    assert result["remarks"][-1].startswith("the run is too short to evaluate: ")
    assert "the run is too short to evaluate" in (tmp_path / "report.html").read_text()
    with pytest.raises(jounce.JounceError, match="too short to evaluate"):
        jounce.simulate(maneuver, changes={"maneuver.duration_s": 0.05})
