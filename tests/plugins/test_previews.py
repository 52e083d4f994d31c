"""Does a predictive washout get the correct preview from an earlier run, for all ways to start the run?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from simulator.api.simulation import Simulation
from simulator.base.errors import ConfigError
from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.telemetry.writer import read_telemetry
from tests.messages import is_message
from washout.contract import CONTRACT, LAYOUT, WashoutKind
from washout.kinds import register

DURATION = 3.0
SHORT = {
    "base": "avtp_lane_change",
    "duration": DURATION,
    "limits": None,
    "start": None,
    "phases": [{"name": "go", "steering": {"type": "path"}, "speed": {"type": "constant", "value_kph": 30, "acceleration_mps2": 3.0}}],
}
QUICK = {"healthy": 0.01, "rise": 0.1, "blend": 0.1, "fade": 0.5, "settle": 1.0, "park": 1.0, "fault": 0.5}
NOTED: list[np.ndarray] = []
"""Inputs of the washout below, at 100 Hz."""


class Noting:
    def __init__(self, parameters: Any, world: Any) -> None:
        NOTED.clear()

    def step(self, seen: Any, h: float) -> list[float]:
        NOTED.append(seen.copy())
        return [0.0] * 6


register(WashoutKind("noting", (), CONTRACT, LAYOUT, make=Noting, rate=100.0))


def file(path: Path, content: Any) -> str:
    path.write_text(yaml.safe_dump(content))
    return str(path)


def washout(folder: Path, kind: str) -> str:
    return file(folder / f"{kind}.yaml", {"type": kind, "cueing": {}, "procedure": QUICK})


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the log of a run of the maneuver with the shipped washout."""
    folder = tmp_path_factory.mktemp("earlier")
    sim = Simulation(maneuver=file(folder / "m.yaml", SHORT))
    sim.run()
    sim.log.save(folder / "telemetry.parquet")
    return folder


def test_the_preview_equals_the_motion_and_ends_with_the_recording(earlier: Path, tmp_path: Path) -> None:
    preview = {"run": str(earlier), "horizon": 0.5, "step": 0.02}
    sim = Simulation(maneuver=str(earlier / "m.yaml"), washout=washout(tmp_path, "noting"), changes={"preview": preview})
    sim.run()
    log = sim.log
    assert len(NOTED) > 200
    assert np.ptp(log["f_H_B_x"]) > 1.0, "the recorded force varies"
    for before_the_end, seen in enumerate(reversed(NOTED), 1):
        now = max(0.0, DURATION - 0.01 * before_the_end)  # the platform rises before
        ahead = now + 0.02 * np.arange(1, 26)
        count = int((ahead < DURATION + 1e-9).sum())
        assert (seen[0]["preview_count"], seen[0]["preview_step"]) == (count, 0.02)
        for field in ("f_H_B", "w_WB_B"):
            comes = np.column_stack([np.interp(ahead[:count], log["time"], column) for column in log.field(field).T])
            assert seen[0][f"preview_{field[0]}"][:count] == pytest.approx(comes, abs=1e-9)
    assert NOTED[-1][0]["preview_count"] == 0
    assert NOTED[0][0]["preview_count"] == 25


def test_there_is_no_preview_without_a_recording(earlier: Path, tmp_path: Path) -> None:
    Simulation(maneuver=str(earlier / "m.yaml"), washout=washout(tmp_path, "noting")).run()
    assert {int(seen[0]["preview_count"]) for seen in NOTED} == {0}


def test_a_restart_restarts_the_preview(earlier: Path, tmp_path: Path) -> None:
    sim = Simulation(maneuver=str(earlier / "m.yaml"), washout=washout(tmp_path, "noting"), changes={"preview.run": str(earlier)})
    sim.advance(1.0)
    sim.reset()
    sim.advance(1.0)
    assert {int(seen[0]["preview_count"]) for seen in NOTED} == {50}


def changed(earlier: Path, path: Path, change: Any) -> Path:
    """Return a copy of a log with other columns."""
    table = pq.read_table(earlier / "telemetry.parquet")
    columns = change({name: table[name].to_numpy() for name in table.column_names})
    pq.write_table(pa.table(columns), path)
    return path


def paused(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    columns["time"] = np.minimum(columns["time"], 2.0)
    return columns


def spoiled(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    columns["f_H_B_y"] = np.where(columns["time"] > 1.0, np.nan, columns["f_H_B_y"])
    return columns


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            lambda c: {n: x for n, x in c.items() if n != "w_WB_B_z"},
            "expected a log with the columns time, f_H_B and w_WB_B; missing: w_WB_B_z",
        ),
        (
            lambda c: {n: x[::10] for n, x in c.items()},
            "expected a log with rows at most 0.02 s apart, the preview step, instead of 0.1 s",
        ),
        (lambda c: {n: x[:1] for n, x in c.items()}, "the log of a run without a pause or a reset"),
        (paused, "without a pause or a reset"),
        (spoiled, "expected a log with finite f_H_B and w_WB_B"),
    ],
)
def test_an_unusable_log_is_refused(earlier: Path, tmp_path: Path, change: Any, complaint: str) -> None:
    log = changed(earlier, tmp_path / "other.parquet", change)
    session = {"maneuver": str(earlier / "m.yaml"), "washout": washout(tmp_path, "noting"), "preview": {"run": "other.parquet"}}
    with pytest.raises(ConfigError) as raised:
        build(configuration(file(tmp_path / "s.yaml", session)), check_step=False)
    said = str(raised.value)
    assert said.startswith(f"{tmp_path / 's.yaml'}:3: preview.run: invalid value; expected ") and f"; got '{str(log)[:20]}" in said
    assert complaint in said


@pytest.mark.parametrize(
    ("preview", "kind", "complaint"),
    [
        ({"run": "nowhere"}, "noting", "preview: run: invalid value; expected an existing run folder or telemetry file; got 'nowhere'"),
        ({"horizon": 1.0}, "noting", "preview: run: missing; expected the folder of a run"),
        (
            {"run": ".", "horizon": 4.0},
            "noting",
            "preview: horizon: invalid value; expected a number in s, 1 to 150 steps of 0.02 s; got 4.0",
        ),
        (
            {"run": ".", "horizon": 0.03},
            "noting",
            "preview: horizon: invalid value; expected a number in s, 1 to 150 steps of 0.02 s; got 0.03",
        ),
        ({"run": ".", "step_ms": 0}, "noting", "preview: step_ms: invalid value; expected a number in ms, from 0.05...; got 0"),
        ({"run": ".", "steps": 1}, "noting", "preview: steps: unknown key; expected ...; got 1; hint: did you mean step_s?"),
        ({"run": ".", "horizon": 0.5}, "classical", "expected no preview: washout classical: does not use a preview"),
    ],
)
def test_an_invalid_preview_is_refused(
    earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preview: Any, kind: str, complaint: str
) -> None:
    monkeypatch.chdir(earlier)
    chosen = {} if kind == "classical" else {"washout": washout(tmp_path, kind)}
    with pytest.raises(ConfigError) as raised:
        build(configuration(None, changes({"maneuver": "m.yaml", **chosen, "preview": preview})), check_step=False)
    assert is_message(complaint, str(raised.value))


def surge(folder: Path) -> float:
    """Return the maximum surge of the platform [m]."""
    return float(np.abs(read_telemetry(folder / "telemetry.parquet")["platform_p_NP_x"]).max())


def test_run_rerun_and_drive_have_it(jounce: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """The motion of the washout depends on the preview only."""
    washouts = {"plugins": ("washouts",)}
    words = (file(tmp_path / "m.yaml", SHORT), "--washout", washout(tmp_path, "ahead"))
    for folder, more in (("first", ()), ("second", ("--set", f"preview.run={tmp_path / 'first'}"))):
        code, _, err = jounce("run", *words, "--out", tmp_path / folder, *more, **washouts)
        assert code == 0, err
    assert surge(tmp_path / "first") == 0.0
    assert surge(tmp_path / "second") > 5e-3
    code, out, err = jounce("rerun", tmp_path / "second", "--out", tmp_path / "again", "--json", **washouts)
    assert (code, json.loads(out)["differ"]) == (0, []), err
    no_view = ("--no-view", "--no-motion", "--duration", 1.5, "--out", tmp_path / "drive")
    session = file(
        tmp_path / "s.yaml", {"maneuver": words[0], "washout": words[2], "preview": {"run": "first/telemetry.parquet", "step_ms": 20}}
    )
    code, _, err = jounce("drive", "--session", session, *no_view, **washouts)
    assert code == 0, err
    left = yaml.safe_load((tmp_path / "drive" / "configuration.yaml").read_text())
    assert left["preview"] == {"run": str((tmp_path / "first" / "telemetry.parquet").resolve()), "step_ms": 20}
    shutil.copy(tmp_path / "second" / "telemetry.parquet", tmp_path / "first")
    code, _, err = jounce("rerun", tmp_path / "second", "--out", tmp_path / "third", **washouts)
    assert (code, err.count("\n")) == (2, 1)
    assert "expected the file of the run, with SHA-256" in err
    kept = tmp_path / "second" / "configuration.yaml"
    code, _, err = jounce("run", "--session", kept, "--set", f"preview.run={tmp_path / 'again'}", "--out", tmp_path / "fourth", **washouts)
    assert code == 0, err
    shutil.rmtree(tmp_path / "first")
    code, _, err = jounce("rerun", tmp_path / "second", "--out", tmp_path / "third", **washouts)
    assert (code, err.count("\n")) == (2, 1)
    assert is_message("preview.run: invalid value; expected ...; got ", err)
    assert "expected an existing run folder or telemetry file" in err
    assert not (tmp_path / "third").exists()
