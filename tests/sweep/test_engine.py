"""Is the table of a sweep independent of its workers and of interruptions?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from simulator.base.errors import OutputError
from simulator.base.line_process import LineProcess
from simulator.sweep.engine import Progress
from simulator.sweep.journal import Journals
from tests.end_to_end.program import ROOT, environment
from tests.sweep.plain_sweep import WORKER, drive, slow

COUNT = 150


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> bytes:
    """The table of a sweep that one worker drove from beginning to end."""
    return drive(slow(COUNT), tmp_path_factory.mktemp("sweep") / "whole", workers=1).read_bytes()


def test_three_workers_give_the_table_of_one(table, tmp_path):
    seen: list[Progress] = []
    assert drive(slow(COUNT), tmp_path, 3, progress=seen.append).read_bytes() == table
    assert len(list((tmp_path / "journals").iterdir())) > 1
    assert [one.done for one in seen] == sorted({one.done for one in seen})
    assert (seen[0].done, seen[-1].done, seen[-1].of) == (0, COUNT, COUNT)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_sweep_that_was_ended_goes_on_and_gives_the_same_table(table, tmp_path, number):
    process = _begun(tmp_path)
    process.send_signal(number)
    assert process.wait(60) == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    before = _rows(tmp_path)
    assert 20 <= before < COUNT
    for journal in (tmp_path / "journals").iterdir():
        journal.write_bytes(journal.read_bytes()[:-3])
    seen: list[Progress] = []
    assert drive(slow(COUNT), tmp_path, progress=seen.append).read_bytes() == table
    assert before - 2 <= seen[0].done < before


def test_a_sweep_whose_workers_are_killed_gives_the_same_table(table, tmp_path):
    process = _begun(tmp_path)
    workers = _children(process.pid)
    assert workers
    process.send_signal(signal.SIGSTOP)  # or the second one may be killed over a run of the first one: that one is lost, and rightly
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    process.send_signal(signal.SIGCONT)
    assert process.wait(60) == 0
    assert (tmp_path / "table.parquet").read_bytes() == table


def test_a_process_that_is_killed_between_two_questions_dies_of_neither():
    process = LineProcess(WORKER)
    question = json.dumps({"cases": [{"run": "0", "mapping": {"x": 4}}]}).encode()
    try:
        first = process.ask(question)
        (worker,) = (pid for pid in _children(os.getpid()) if b"plain_worker" in Path(f"/proc/{pid}/cmdline").read_bytes())
        os.kill(worker, signal.SIGKILL)
        os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
        assert process.ask(question) == first
    finally:
        process.end()


def _begun(folder: Path) -> subprocess.Popen[bytes]:
    """A sweep that is being driven by another process, and has some rows."""
    process = subprocess.Popen([sys.executable, "-m", "tests.sweep.plain_sweep", folder, str(COUNT)], cwd=ROOT, env=environment())
    deadline = time.monotonic() + 60.0
    while _rows(folder) < 20:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


def _rows(folder: Path) -> int:
    """Rows in the journals, which somebody else may be writing."""
    return sum(path.read_bytes().count(b'{"run"') for path in folder.glob("journals/*"))


def _children(pid: int) -> list[int]:
    return [int(child) for thread in Path(f"/proc/{pid}/task").glob("*/children") for child in thread.read_text().split()]


def test_a_failure_is_a_row_and_the_sweep_continues(tmp_path):
    at = tmp_path / "deaths"
    at.mkdir()
    mappings = [
        {"x": 0, "fail": "no road"},
        {"x": 1},
        {"x": 2, "dies": 1, "at": str(at)},
        {"x": 3, "dies": 2, "at": str(at)},
        *({"x": x} for x in range(4, 12)),
    ]
    rows = pq.read_table(drive(mappings, tmp_path / "sweep")).to_pylist()
    assert [row["number"] for row in rows] == list(range(12))
    assert {row["number"]: row["failure"] for row in rows if row["failure"]} == {
        0: "no road",
        3: "the process ended by signal 9, twice",
    }
    assert rows[2]["root"] == pytest.approx(2**0.5)
    assert rows[0]["passed"] is None and rows[1]["passed"] is True
    # what died twice is tried once more when the sweep is called again, what failed by itself is not
    rows = pq.read_table(drive(mappings, tmp_path / "sweep")).to_pylist()
    assert [row["number"] for row in rows if row["failure"]] == [0]
    assert sum(row["run"] == rows[0]["run"] for _, row in Journals(tmp_path / "sweep" / "journals").recover()) == 1


def test_equal_runs_are_run_once(tmp_path):
    rows = pq.read_table(drive([{"x": 3}, {"x": 4}, {"x": 3}], tmp_path)).to_pylist()
    assert [row["root"] for row in rows] == [3**0.5, 2.0, 3**0.5]
    assert len(list(Journals(tmp_path / "journals").recover())) == 2


def test_the_table_says_what_varies_and_the_machine_has_its_own(tmp_path):
    table = pq.read_table(drive([{"x": 3}, {"x": 4}], tmp_path))
    about = json.loads(table.schema.metadata[b"jounce_sweep"])
    assert about == {"varied": ["x", "word"], "metrics": ["root", "odd"], "name": "plain", "title": "Plain runs"}
    assert table.column("odd").to_pylist() == [1.0, None]
    assert table.column("word").to_pylist() == ["even", None]
    machine = pq.read_table(tmp_path / "machine.parquet")
    assert machine.column_names == ["run", "number", "worker", "wall_s", "simulated_s"]
    assert machine.column("run").to_pylist() == table.column("run").to_pylist()


def test_a_folder_belongs_to_one_sweep(tmp_path):
    drive([{"x": 3}], tmp_path)
    with pytest.raises(OutputError, match="plain of 1 runs"):
        drive([{"x": 4}], tmp_path)
    with pytest.raises(OutputError, match="channels"):
        drive([{"x": 3}], tmp_path, channels=["time"])
