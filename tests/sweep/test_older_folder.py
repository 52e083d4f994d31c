"""Which metrics of an older version of the program are equal to those of this one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from simulator.sweep.journal import JOURNALS, Journals
from simulator.sweep.older_folder import _has_channels, differing_run

OLDER = {"yaw_rate_max_degps": 8.6, "passed_gates": 3, "settling_time_s": None}


def differing(now: dict[str, Any]) -> int | None:
    """Return the run that differs when run 4, finished by an older version, now gives these metrics."""
    cases = {4: SimpleNamespace(run="digest", mapping={})}
    executor = SimpleNamespace(chunks=lambda chunks: [{"rows": [{"metrics": now}]} for _ in chunks])
    return differing_run(cast(Any, cases), [(4, {"metrics": OLDER})], cast(Any, executor), {})


def test_rounding_is_no_difference() -> None:
    assert differing(OLDER) is None
    assert differing(OLDER | {"yaw_rate_max_degps": 8.6 * (1.0 + 1e-13)}) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"yaw_rate_max_degps": 8.6 * (1.0 + 1e-7)},
        {"passed_gates": 4},
        {"settling_time_s": 1.0},
        {"yaw_rate_max_degps": None},
        {"other": 1.0},
    ],
)
def test_a_difference_is_found(changed: dict[str, Any]) -> None:
    assert differing(OLDER | changed) == 4


@pytest.mark.parametrize(("failures", "fits"), [([], True), (["the vehicle rolled over"], True), (["", "the vehicle rolled over"], False)])
def test_a_folder_without_logs_fits_channels_if_no_run_needed_a_log(tmp_path: Path, failures: list[str], fits: bool) -> None:
    """A sweep that was killed before its first log can be resumed; one that was begun without channels cannot get channels."""
    Journals(tmp_path / JOURNALS).append("worker", [{"run": str(n), "failure": failure} for n, failure in enumerate(failures)])
    assert _has_channels(tmp_path / "runs", ["roll"]) is fits
    assert _has_channels(tmp_path / "runs", []) is True
