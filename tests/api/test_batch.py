"""Do the runs of a batch return in order, each with its result or its failure?"""

from __future__ import annotations

import numpy as np
import pytest

import jounce

SHORT = {"maneuver.duration_s": 1.5}
MASS = "vehicle.chassis.mass"

PLUGIN = '''
"""A tread law that is none: it ends the process that loads it, or says something where answers go."""
import os
print("hello from a plugin")
from simulator.api import simulation
drive = simulation.simulate
def simulate(maneuver, **options):
    if options.get("log_rate") == 50.0:
        os._exit(7)
    if options.get("log_rate") == 20.0:
        raise ZeroDivisionError("by zero")
    return drive(maneuver, **options)
simulation.simulate = simulate
'''


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    plugin = tmp_path_factory.mktemp("plugin") / "deadly_plugin.py"
    plugin.write_text(PLUGIN)
    cases = [{"maneuver": "avtp_lane_change", "changes": {**SHORT, MASS: mass}} for mass in (2600.0, -1.0, 2000.0)]
    cases += [{**cases[0], "log_rate": 50.0}, {**cases[0], "log_rate": 20.0}, "no_such_maneuver", {**cases[0], "vehicle": "hmmwv"}]
    seen = []
    rows = jounce.run_batch(cases, 2, channels=["v_WB_B_x"], plugins=[plugin], progress=lambda done, of: seen.append((done, of)))
    return cases, rows, seen


def test_rows_come_in_the_order_of_the_cases(batch):
    cases, rows, seen = batch
    assert len(rows) == len(cases) == 7
    assert [dict(row.case) for row in rows] == [{"maneuver": case} if isinstance(case, str) else case for case in cases]
    assert seen == [(n, 7) for n in range(1, 8)]


def test_a_row_has_the_numbers_of_the_run_by_itself(batch):
    _, rows, _ = batch
    alone = jounce.simulate("avtp_lane_change", changes={**SHORT, MASS: 2600.0}, channels=["v_WB_B_x"])
    for row in (rows[0], rows[6]):
        assert row.failure == ""
        assert row.metrics == alone.metrics
        assert row.passed is alone.passed
        assert row.log["v_WB_B_x"].tobytes() == alone.log["v_WB_B_x"].tobytes()
    assert rows[2].metrics != rows[0].metrics


def test_what_fails_is_a_row_with_its_reason_and_the_others_go_on(batch):
    _, rows, _ = batch
    assert MASS in rows[1].failure and "above 0" in rows[1].failure
    assert "with code 7" in rows[3].failure
    assert rows[4].failure == "ZeroDivisionError: by zero"
    assert "no_such_maneuver" in rows[5].failure
    assert [bool(row.failure) for row in rows] == [False, True, False, True, True, True, False]
    assert len(rows.failures) == 4
    assert all(row.metrics == {} and row.log is None and row.passed is None for row in rows.failures)


def test_the_table_has_a_column_for_everything(batch):
    _, rows, _ = batch
    table = rows.table()
    assert {len(column) for column in table.values()} == {7}
    assert table[MASS] == [2600.0, -1.0, 2000.0, 2600.0, 2600.0, None, 2600.0]
    assert table["speed_max_mps"][0] == rows[0].metrics["speed_max_mps"]
    numbers = rows.column("speed_max_mps")
    assert np.isnan(numbers).tolist() == [False, True, False, True, True, True, False]
    with pytest.raises(jounce.JounceError, match="did you mean speed_max_mps"):
        rows.column("speed_max_mph")
    with pytest.raises(jounce.JounceError, match="numbers"):
        rows.column("failure")
    assert repr(rows[:2]) == "<Batch of 2 cases, 1 failed>"


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"manoeuver": "a"}, "did you mean maneuver"),
        ({"vehicle": "hmmwv"}, "names no maneuver"),
        ({"maneuver": "a", "changes": {"driver": object()}}, "another process"),
    ],
)
def test_a_case_that_makes_no_sense_is_refused_before_anything_runs(case, said):
    with pytest.raises(jounce.JounceError, match=said):
        jounce.run_batch([case])


def test_no_cases_are_no_rows():
    assert len(jounce.run_batch([])) == 0
    with pytest.raises(jounce.JounceError, match="processes"):
        jounce.run_batch(["avtp_lane_change"], processes=0)


def test_an_interrupted_batch_leaves_no_process(monkeypatch):
    from simulator.api import batch as module

    started = []

    class Watched(module.LineProcess):
        def _start(self):
            started.append(super()._start())
            return started[-1]

    monkeypatch.setattr(module, "LineProcess", Watched)

    def stop(done, of):
        raise KeyboardInterrupt

    cases = [{"maneuver": "avtp_lane_change", "changes": {"maneuver.duration_s": seconds}} for seconds in (0.5, 3000.0, 3000.0)]
    with pytest.raises(KeyboardInterrupt):
        jounce.run_batch(cases, 2, progress=stop)
    assert started
    assert all(process.wait(30.0) is not None for process in started)
