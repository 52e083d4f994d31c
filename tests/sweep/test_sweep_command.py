"""Does `jounce sweep` run its file, store the requested data, and report errors before the start?"""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq

import jounce
from simulator.sweep.journal import JOURNALS, Journals, read_rows
from tests.end_to_end.program import call, refused

FILE = """
name: two
maneuver: iso_7401_step
set: {maneuver.duration_s: 0.3}
vary:
  - grid: {vehicle.chassis.mass: [2000, %s]}
"""


def test_a_sweep_from_its_file_to_its_table_and_logs(tmp_path, capsys):
    file, out = tmp_path / "two.yaml", tmp_path / "out"
    file.write_text(FILE % 2200)
    command = ("sweep", file, "--out", out, "--processes", 1, "--channels", "v_WB_B,roll", "--json")
    code, said, _ = call(capsys, *command)
    told = json.loads(said)
    assert (code, told["runs"], told["failed"]) == (0, 2, 0)
    table = pq.read_table(told["table"]).to_pylist()
    assert [row["vehicle.chassis.mass"] for row in table] == [2000, 2200]
    for row in table:
        log = jounce.read_log(out / "runs" / f"{row['run']}.parquet")
        assert set(log) == {"time", "v_WB_B_x", "v_WB_B_y", "v_WB_B_z", "roll"}
        assert np.isclose(log["time"][-1], 0.3) and log.columns["roll"].unit == "rad"
        assert log.configuration["vehicle"]["chassis"]["mass"] == row["vehicle.chassis.mass"]
        assert np.isclose(log["v_WB_B_x"].max(), row["speed_max_mps"], rtol=1e-3)
    before = {path: path.stat().st_mtime_ns for path in out.glob("*/*")}
    again = call(capsys, *command)
    assert again[0] == 0
    assert {path: path.stat().st_mtime_ns for path in out.glob("*/*")} == before, "no run is repeated"


def test_errors_are_reported_before_any_file_is_written(tmp_path, capsys):
    file = tmp_path / "two.yaml"
    file.write_text(FILE % -1)
    said = refused(call(capsys, "sweep", file, "--out", tmp_path / "out"))
    assert "vary[0]" in said and "vehicle.chassis.mass: " in said and "got -1" in said
    assert refused(call(capsys, "sweep", file, "--out", tmp_path / "out", "--channels", "rol"))
    assert not (tmp_path / "out").exists()


def rewritten(journals, row):
    """Leave one row in the journals."""
    for journal in journals.iterdir():
        journal.unlink()
    Journals(journals).append("local_0", [row])


def test_a_sweep_that_other_sources_began_is_continued_if_its_metrics_are_the_same(tmp_path, capsys, monkeypatch):
    file, out = tmp_path / "two.yaml", tmp_path / "out"
    file.write_text(FILE % 2200)
    command = ("sweep", file, "--out", out, "--processes", 1)
    with monkeypatch.context() as older:
        older.setattr("simulator.sweep.case._sources", lambda: "older")
        assert call(capsys, *command)[0] == 0
    before = pq.read_table(out / "table.parquet")
    (first, _), journals = read_rows(out / JOURNALS), out / JOURNALS
    rewritten(journals, first)
    assert call(capsys, *command)[0] == 0
    assert pq.read_table(out / "table.parquet").equals(before)
    metrics = {name: value + 1e-3 if isinstance(value, float) else value for name, value in first["metrics"].items()}
    rewritten(journals, {**first, "metrics": metrics})
    assert "gives other metrics now" in refused(call(capsys, *command))
