"""Does the figure of a drive show its chase view, lidar, map and track at the right times, as pictures and as an animation?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from simulator.api.loading import configured
from simulator.cli.main import main
from simulator.run import drive_figure
from simulator.run.drive_figure import GIF, write_figures
from simulator.run.drive_recorder import PERIOD, DriveRecorder
from simulator.run.run import run_maneuver

NEAR = {"maneuver.goal": {"position_m": [9, 1], "radius_m": 3}, "maneuver.duration_s": 10}
SENSORS = [
    {"type": "lidar", "rate": 5, "mount": {"position": [0, 0, 2]}},
    {"type": "gnss", "preset": "rtk", "mount": {"position": [0, 0, 1.8]}},
]


def run(tmp_path: Path, monkeypatch: Any, figure: tuple[float, ...], **changes: Any) -> tuple[DriveRecorder, dict[str, Any]]:
    """Run with a figure; return the recorder and the result."""
    kept: list[DriveRecorder] = []

    def write(folder: Path, drive: DriveRecorder, *more: Any) -> list[Path]:
        kept.append(drive)
        return write_figures(folder, drive, *more)

    monkeypatch.setattr("simulator.run.run.write_figures", write)
    configuration = configured({"maneuver": "goal_obstacles", "terrain": "flat"}, {**NEAR, **changes})
    found = run_maneuver(configuration, tmp_path, say=lambda line: None, pictures=False, figure=figure)
    return kept[0], found


def test_a_drive_with_sensors_has_all_panels(tmp_path: Path, monkeypatch: Any) -> None:
    drive, found = run(tmp_path, monkeypatch, (1.2, 2.0), sensors=SENSORS)
    assert [path.name for path in found["files"][-3:]] == ["figure_1.2s.png", "figure_2s.png", GIF]
    assert np.allclose(np.diff([one.time for one in drive.moments[:-1]]), PERIOD)
    fixes, driven = np.array(drive.fixes), np.array([one.position for one in drive.moments])
    assert len(fixes) > 10
    distance = np.hypot(*(fixes[:, None, :] - driven[None, :, :]).transpose(2, 0, 1)).min(axis=1)
    assert distance.max() < 1.5, "the track is on the driven path, half a moment away at most"
    last = drive.moments[-1]
    assert last.fixes == len(fixes) and last.map is not None and last.cloud is not None
    assert math.hypot(last.position[0] - 9.0, last.position[1] - 1.0) < 3.1, "the figure shows the end"
    assert last.map.pose[:2] == last.position and len(last.map.plan) > 1
    with Image.open(tmp_path / GIF) as image:
        assert image.n_frames == len(drive.moments)
    with Image.open(tmp_path / "figure_2s.png") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert pixels.shape[1] == round(drive_figure.SIZE[0] * drive_figure.DPI)
    for color, least in (((20, 60, 220), 8), ((20, 170, 190), 40), ((16, 20, 24), 5000)):  # plan, considered paths, no returns
        assert (np.abs(pixels - color) < 30).all(axis=2).sum() > least, color


def test_a_drive_without_sensors_has_map_and_track(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(drive_figure, "drawn_states", lambda parts, states, say: [])  # no renderer
    drive, _ = run(tmp_path, monkeypatch, ())
    assert not drive.fixes and drive.moments[-1].cloud is None and [path.name for path in tmp_path.glob("figure*")] == [GIF]


def test_a_maneuver_without_a_goal_has_a_track(tmp_path: Path) -> None:
    configuration = configured({"maneuver": "avtp_lane_change"}, {"maneuver.duration_s": 1.0})
    run_maneuver(configuration, tmp_path, say=lambda line: None, pictures=False, figure=(0.5,))
    assert {path.name for path in tmp_path.glob("figure*")} == {GIF, "figure_0.5s.png"}


def test_times_and_series_are_checked(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main(["run", "goal_obstacles", "--figure", "5,x"])
    assert "expected a number from 0 to" in capsys.readouterr().err
    assert main(["run", "fmvss_126", "--figure"]) == 2
    assert "--figure: not available for a series" in capsys.readouterr().err
