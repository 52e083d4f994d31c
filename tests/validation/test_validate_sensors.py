"""Does `jounce validate sensors` pass on the reference scenes, fail on a changed answer and name a damaged file?"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.validation.suite.sensors import rows_of
from simulator.validation.suite.sensors_command import main_sensors

DATA = Path(__file__).parents[1] / "data/sensors"


def run(folder: Path, as_json: bool = False) -> int:
    return main_sensors(argparse.Namespace(folder=str(folder), json=as_json))


def test_all_scenes_pass() -> None:
    rows = rows_of(DATA)
    assert [row.what for row in rows if not row.passed] == []
    assert len(rows) == 12 + 3 + 8 + 6 + 5 + 5
    assert sum("0 of" in row.here and row.what.startswith("rays") for row in rows) == 12


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A folder with one scene, one scan, one camera and one map."""
    for name in ("rays/06_boxes", "camera/cam_d", "maps/3_objects", "scan/a_wall"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        for suffix in (".json", ".npz"):
            shutil.copyfile(DATA / (name + suffix), tmp_path / (name + suffix))
    for file in ("sensors.json", "wall.json"):
        shutil.copyfile(DATA / "rays" / file, tmp_path / "rays" / file)
    return tmp_path


def changed(file: Path, key: str, change: Callable[[np.ndarray], None]) -> None:
    data = dict(np.load(file))
    change(data[key])
    np.savez(file, **data)


def first_hit(data: np.ndarray, by: float) -> None:
    data[np.flatnonzero(np.isfinite(data))[0]] += by


@pytest.mark.parametrize(
    ("file", "key", "change"),
    [
        ("rays/06_boxes.npz", "special_range", lambda a: first_hit(a, 2e-3)),
        ("rays/06_boxes.npz", "scan_0_object", lambda a: a.__setitem__(slice(40, 60), 7)),
        ("rays/06_boxes.npz", "scan_1_normal", lambda a: a.__imul__(-1.0)),
        ("scan/a_wall.npz", "time", lambda a: first_hit(a, 2e-6)),
        ("scan/a_wall.npz", "range", lambda a: first_hit(a, 2e-3)),
        ("scan/a_wall.npz", "deskewed", lambda a: a.__iadd__(3e-3)),
        ("camera/cam_d.npz", "pixel_distorted", lambda a: a.__setitem__((20, 1), a[20, 1] + 1e-3)),
        ("camera/cam_d.npz", "depth", lambda a: a.__imul__(1.0 + 1e-5)),
        ("camera/cam_d.npz", "object", lambda a: a.__setitem__((slice(40, 46), 30), 7)),
        ("maps/3_objects.npz", "state", lambda a: a.__setitem__((40, 40), (a[40, 40] + 1) % 2)),
        ("maps/3_objects.npz", "blocked_30", lambda a: a.__setitem__(500, ~a[500])),
        ("maps/3_objects.npz", "cost", lambda a: a.__setitem__((3, 3), 0.5)),
    ],
)
def test_a_changed_answer_fails(
    one: Path, capsys: pytest.CaptureFixture[str], file: str, key: str, change: Callable[[np.ndarray], None]
) -> None:
    assert run(one) == 0
    changed(one / file, key, change)
    assert run(one) == 1
    capsys.readouterr()
    assert run(one, as_json=True) == 1
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [Path(file).stem in row["what"] for row in rows if row["verdict"] == "FAIL"] == [True]


def test_damaged_and_missing_files_are_named(one: Path) -> None:
    with pytest.raises(ConfigError, match="rays, scan, camera, maps, gnss, imu"):
        rows_of(one / "rays")
    (one / "rays/06_boxes.json").write_text('{"terrain": {"type": "plane"}, "objects": []}')
    with pytest.raises(ConfigError, match=r"06_boxes\.json"):
        rows_of(one)
    (one / "rays/06_boxes.json").write_text("{")
    with pytest.raises(ConfigError, match=r"06_boxes\.json"):
        rows_of(one)
    (one / "rays/06_boxes.json").unlink()
    with pytest.raises(ConfigError, match=r"1_name\.json"):
        rows_of(one)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("gnss/nmea.json", lambda d: d["fixes"][0]["sentences"].__setitem__(0, d["fixes"][1]["sentences"][0])),
        ("gnss/nmea.json", lambda d: d["checksum_cases"][0].__setitem__(1, not d["checksum_cases"][0][1])),
        ("gnss/origins.json", lambda d: d["mid47"].__setitem__("lat0_deg", d["mid47"]["lat0_deg"] + 1e-4)),
        ("imu/errors.json", lambda d: d[2]["gyro"][3].__setitem__(0, 1.0)),
        ("imu/allan.json", lambda d: d["sets"][0].__setitem__("N", 1.05 * d["sets"][0]["N"])),
        ("imu/motions.json", lambda d: d["rough"]["mount"].__setitem__("position", [0.0, 0.0, 0.0])),
    ],
)
def test_a_changed_number_of_gnss_or_imu_fails(tmp_path: Path, file: str, change: Callable[[Any], None]) -> None:
    folder = Path(file).parent
    shutil.copytree(DATA / folder, tmp_path / folder)
    data = json.loads((DATA / file).read_text())
    change(data)
    (tmp_path / file).write_text(json.dumps(data))
    assert sum(not row.passed for row in rows_of(tmp_path)) == 1


@pytest.mark.parametrize("file", ["gnss/origins.json", "gnss/track_equator.csv.gz", "imu/errors.json", "imu/motion_rough.npz"])
def test_a_damaged_file_of_gnss_or_imu_is_named(tmp_path: Path, file: str) -> None:
    folder = Path(file).parent
    shutil.copytree(DATA / folder, tmp_path / folder)
    (tmp_path / file).write_bytes((DATA / file).read_bytes()[:60])
    with pytest.raises(ConfigError, match=Path(file).name):
        rows_of(tmp_path)
    (tmp_path / file).unlink()
    with pytest.raises(ConfigError, match=Path(file).name):
        rows_of(tmp_path)
