"""Does `jounce cueing tune` improve the cost, keep the choices of the author, and report missing input?"""

import json

import pytest
from test_command import call, record_drive

from simulator.base.errors import JounceError
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import build_cueing, find_config
from simulator.tools.cueing.tune import TICK, handles


def test_a_set_gets_better_and_what_the_author_decides_stays(tmp_path, capsys):
    drive = record_drive(tmp_path / "drive", seconds=4.0)
    code, out, _ = call(capsys, "cueing", "tune", drive, "--evaluations", "100", "--json", "--out", tmp_path / "out")
    assert code == 0
    said = json.loads(out)
    assert said["after"]["cost"] < said["before"]["cost"] - 0.02
    tuned, shipped = read_yaml(tmp_path / "out" / "tuned.yaml"), read_yaml(find_config("washouts", "small_hexapod"))
    for key in ("force_gain", "rate_gain", "tilt_rate_degps", "tilt_limit_deg"):
        assert tuned["cueing"][key] == shipped["cueing"][key]
    assert tuned["cueing"]["motion_gain"] != shipped["cueing"]["motion_gain"]
    build_cueing(str(tmp_path / "out" / "tuned.yaml"), "small_hexapod", TICK).washout.close()


def test_numbers_are_looked_for_about_where_they_start_and_a_gain_of_nothing_stays():
    mapping = read_yaml(find_config("washouts", "seat_3dof"))
    found = {(one.key, one.place): one for one in handles(mapping, "f")}
    assert ("motion_gain", 0) not in found
    heave = found["high_pass_frequency", 2]
    assert (heave.low, heave.high) == pytest.approx((3.5 / 4, 3.5 * 4))
    cueing = {"high_pass_frequency": [1.0, 1.0, 3.5]}
    heave.put(cueing, heave.get(cueing))
    assert cueing["high_pass_frequency"][2] == 3.5


def test_what_is_missing_is_said(tmp_path, capsys):
    code, _, err = call(capsys, "cueing", "tune", "--out", tmp_path / "out")
    assert code == 2 and "required: RUN" in err
    with pytest.raises(JounceError, match="cannot tune a washout of type mpc"):
        handles({"type": "mpc", "cueing": {}}, "mine.yaml")
    assert not (tmp_path / "out").exists()
