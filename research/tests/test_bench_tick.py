"""Does `python -m research bench` report every part of a tick for other programs?"""

import json
import math
import sys

import pytest
from research_program import call


def test_bench_reports_every_part_in_one_object(capsys):
    code, out, err = call(capsys, "bench", "--repeats", "1", "--json")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 1
    figures = json.loads(out)
    assert set(figures) >= {"us", "real_time_factor", "machine", "targets_us", "repeats"}
    parts = {"calibration", "evaluation", "step_hard", "step_rough", "step_soil", "washout", "cueing", "tick"}
    assert parts <= set(figures["us"])
    assert all(math.isfinite(value) and value > 0.0 for value in (*figures["us"].values(), *figures["real_time_factor"].values()))
    for name in ("step_hard", "step_rough", "step_soil", "tick"):
        assert figures["real_time_factor"][name] == pytest.approx(1000.0 / figures["us"][name])
    assert figures["targets_us"] == {"evaluation": 1.5, "step_hard": 3.0, "step_soil": 10.0, "washout": 1.0}
    assert figures["repeats"] == 1
    assert figures["machine"]["cores"] >= 1
    assert figures["machine"]["python"] == ".".join(map(str, sys.version_info[:3]))
