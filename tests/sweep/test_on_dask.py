"""Is the table of a sweep the same with a Dask cluster, despite failures, and are workers with different code excluded?"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from simulator.base.errors import JounceError
from simulator.sweep import dask_executor
from simulator.sweep.dask_executor import DaskCluster, Work, packed
from simulator.sweep.engine import sweep
from simulator.sweep.executor import ExecutorLostError
from tests.sweep import dask_worker
from tests.sweep.dask_cluster import Cluster
from tests.sweep.plain_sweep import PlainCases

pytest.importorskip("distributed", reason="Dask is not installed (the extra `cluster`)")

COUNT = 80
NO_TIME = Work(dask_worker.get_ready, dask_worker.drive, lambda plugins: "code")


class Here:
    """Drives in this process."""

    workers = 1

    def chunks(self, todo: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """One after the other."""
        return (json.loads(dask_worker.drive(packed(chunk), "code")) for chunk in todo)

    def close(self) -> None:
        """Nothing is open."""


def slow(count: int = COUNT) -> PlainCases:
    """Runs of a hundredth of a second."""
    return PlainCases([{"x": x, "sleep": 0.01} for x in range(count)])


@pytest.fixture
def said() -> list[str]:
    """What somebody is told."""
    return []


def driven(cluster: Cluster, cases: PlainCases, folder: Path, said: list[str], progress=None) -> Path:
    """Drive a sweep there; the path of its table."""
    executor = DaskCluster(cluster.address, said.append, NO_TIME)
    try:
        return sweep(cases, folder, executor, progress=progress)
    finally:
        executor.close()


def once(rows: int, act: Any) -> Any:
    """A listener to progress that acts when so many runs have a row."""
    done: list[int] = []

    def progress(now: Any) -> None:
        if now.done >= rows and not done:
            done.append(now.done)
            act()

    return progress


def test_a_worker_and_the_scheduler_are_killed_and_the_table_is_that_of_one_process(tmp_path, said):
    whole = sweep(slow(), tmp_path / "here", Here()).read_bytes()
    cluster = Cluster(tmp_path)
    try:
        cluster.add_worker("one")
        cluster.add_worker("two")
        cluster.add_worker("old", TEST_CODE="other")
        kill = once(20, lambda: cluster.workers["one"].send_signal(signal.SIGKILL))
        assert driven(cluster, slow(), tmp_path / "dask", said, kill).read_bytes() == whole
        assert len([line for line in said if "is not used: it has a different version of Jounce" in line]) == 1, said

        lose = once(20, lambda: cluster.scheduler.send_signal(signal.SIGKILL))
        with pytest.raises(ExecutorLostError, match=f"scheduler at {cluster.address} is lost"):
            driven(cluster, slow(), tmp_path / "again", said, lose)
    finally:
        cluster.end()
    seen: list[int] = []
    assert sweep(slow(), tmp_path / "again", Here(), progress=lambda now: seen.append(now.done)).read_bytes() == whole
    assert 20 <= seen[0] < COUNT


def test_a_run_that_kills_its_workers_is_a_failure_and_the_others_are_run(tmp_path, said):
    # the last one: with it dies what waits behind it, as the cluster allows no second try
    cases = PlainCases([{"x": x, "dies": x == 7} for x in range(8)])
    cluster = Cluster(tmp_path)
    try:
        for name in ("one", "two", "three"):
            cluster.add_worker(name)
        rows = pq.read_table(driven(cluster, cases, tmp_path / "dask", said)).to_pylist()
    finally:
        cluster.end()
    assert [row["double"] for row in rows] == [*(2.0 * x for x in range(7)), None]
    assert [bool(row["failure"]) for row in rows] == [False] * 7 + [True]
    assert "workers died" in rows[7]["failure"]


def test_a_missing_scheduler_is_reported(monkeypatch):
    monkeypatch.setattr(dask_executor, "PATIENCE", 0.2)
    with pytest.raises(JounceError, match="no Dask scheduler responds"):
        DaskCluster("tcp://127.0.0.1:9")
