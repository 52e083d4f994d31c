"""Lookup of names: next to the referring file, then in the shipped files; docs/files.md."""

import os
import shutil

import numpy as np
import pytest
import yaml
from program import ROOT, call, finish, refused, start

from simulator.base.errors import ConfigError
from simulator.builder.builder import (
    build_cueing,
    build_ground,
    build_maneuver,
    build_vehicle,
    data_folder,
    find_config,
    load_mechanism,
    vehicle_description,
)
from simulator.maneuvers.metrics import evaluate
from tests.messages import is_message

CONFIGS = data_folder("configs")


def shipped(kind, name):
    return yaml.safe_load((CONFIGS / kind / f"{name}.yaml").read_text())


def written(file, mapping):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(mapping))
    return file


@pytest.fixture
def own(tmp_path):
    """A folder of a user: a maneuver, its vehicle with a part, its terrain with soils and a height map, all by bare names."""
    folder = tmp_path / "my things"
    terrain = shipped("terrains", "jacksboro")
    terrain["heights"]["file"] = "hills.npy"
    terrain["heights"] |= {"origin": [-10.0, -10.0], "spacing": [1.0, 1.0], "scale": 1.0, "offset": 0.0}
    terrain["grid"] = {"origin": [0.0, 0.0], "spacing": 1.0, "count": [40, 40]}
    del terrain["detail"], terrain["roughness"], terrain["roads"]
    terrain["soils"] = {"shares": {"dry_sand": 1.0}, "patches": [{"soil": "my_soil", "center": [20.0, 20.0], "radii": [5.0, 5.0]}]}
    written(folder / "my_hill.yaml", terrain)
    written(folder / "my_soil.yaml", {**shipped("soils", "dry_sand"), "cohesion": 4321.0})
    np.save(folder / "hills.npy", np.full((80, 80), 7.5))
    written(folder / "my_tires.yaml", {**shipped("tires", "tmeasy_hmmwv"), "friction": 0.77})
    vehicle = {**shipped("vehicles", "hmmwv"), "name": "mine", "tires": "my_tires"}
    written(folder / "my_truck.yaml", vehicle)
    maneuver = {**shipped("maneuvers", "avtp_lane_change"), "vehicle": "my_truck", "terrain": "my_hill"}
    written(folder / "my_drive.yaml", maneuver)
    return folder


@pytest.mark.parametrize("where", [".", "..", "elsewhere"])
def test_a_users_own_things_work_from_any_folder(own, where, monkeypatch, tmp_path):
    (own / "elsewhere").mkdir()
    monkeypatch.chdir(own / where)
    for path in (str(own / "my_drive.yaml"), os.path.join(".", os.path.relpath(own / "my_drive.yaml"))):
        maneuver = build_maneuver(path)
        vehicle = build_vehicle(maneuver.vehicle, maneuver.file, check_step=False)
        ground = build_ground(maneuver.terrain, maneuver.file)
    assert vehicle.description.name == "mine"
    assert vehicle.model.tires[0]["friction"] == 0.77
    assert ground.heights.max() == ground.heights.min() == 7.5
    assert 4321.0 in ground.soils["cohesion"]


def test_what_lies_beside_the_file_wins_over_what_is_shipped(own):
    written(own / "tmeasy_hmmwv.yaml", {**shipped("tires", "tmeasy_hmmwv"), "friction": 0.55})
    written(own / "other.yaml", shipped("vehicles", "hmmwv"))
    assert build_vehicle(str(own / "other.yaml"), check_step=False).model.tires[0]["friction"] == 0.55
    assert build_vehicle("hmmwv", check_step=False).model.tires[0]["friction"] == 0.8, "the shipped file has its own neighbors"


def test_a_file_does_not_mean_itself(own):
    """A maneuver called flat.yaml on the terrain `flat`."""
    file = written(own / "flat.yaml", {**shipped("maneuvers", "avtp_lane_change"), "terrain": "flat"})
    maneuver = build_maneuver(str(file))
    assert find_config("terrains", maneuver.terrain, maneuver.file).parent == CONFIGS / "terrains"


def test_a_soil_may_be_named_by_its_path(own, tmp_path):
    far = written(tmp_path / "far" / "mud.yaml", {**shipped("soils", "dry_sand"), "cohesion": 99.0})
    for said in (str(far), "../far/mud.yaml", "../far/mud"):
        ground = build_ground(str(written(own / "t.yaml", {"type": "flat", "soil": said})))
        assert ground.soils[0]["cohesion"] == 99.0


def test_a_fault_in_a_users_soil_names_that_file(own):
    written(own / "my_soil.yaml", {**shipped("soils", "dry_sand"), "cohesion": -1.0})
    with pytest.raises(ConfigError, match=r"my_soil\.yaml:\d+: cohesion"):
        build_ground(str(own / "my_hill.yaml"))


@pytest.mark.parametrize("kind", ["vehicles", "terrains", "maneuvers", "platforms", "mechanisms"])
def test_copies_of_shipped_files_do_as_they_do(kind, tmp_path, recwarn):
    """From another folder, under another name, with no word more."""
    for file in sorted((CONFIGS / kind).glob("*.yaml")):
        if file.stem == "jacksboro":
            continue  # takes seconds; its height map is looked up as that of `own` is
        copied = str(shutil.copy(file, tmp_path / f"copy_of_{file.name}"))
        if kind == "vehicles":
            assert vehicle_description(copied).name == vehicle_description(file.stem).name
        elif kind == "terrains":
            one, other = build_ground(copied), build_ground(file.stem)
            assert one.soil_names == other.soil_names and (one.soils == other.soils).all()
        elif kind == "maneuvers":
            one, other = build_maneuver(copied), build_maneuver(file.stem)
            assert (one.vehicle, one.terrain, one.limits, one.units) == (other.vehicle, other.terrain, other.limits, other.units)
        elif kind == "platforms":
            build_cueing("small_hexapod", copied, 1e-3)
        else:
            assert load_mechanism(copied)[0].name == load_mechanism(file.stem)[0].name
    assert not [str(warning.message) for warning in recwarn if issubclass(warning.category, UserWarning)]


def test_a_soil_looks_like_the_one_it_was_copied_from(tmp_path):
    shutil.copy(CONFIGS / "soils" / "dry_sand.yaml", tmp_path / "mine.yaml")
    ground = build_ground(str(written(tmp_path / "t.yaml", {"type": "flat", "soil": "mine"})))
    assert ground.soil_names == ("dry_sand",)


def test_mechanisms_by_name(capsys):
    code, out, err = call(capsys, "mechanism", "four_bar", "--formulation", "ce", "--json")
    again = call(capsys, "mechanism", CONFIGS / "mechanisms" / "four_bar.yaml", "--formulation", "ce", "--json")
    assert code == 0, err
    assert out == again[1]


def test_the_version(tmp_path, capsys):
    code, out, err = finish(start("--version", cwd=tmp_path))
    assert (code, err) == (0, "")
    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{out.split()[1]}"' in project
    assert out == f"jounce {out.split()[1]}\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("mechnism", "four_bar"), "did you mean mechanism?"),
        (("run", "double_lane_chnage"), "did you mean double_lane_change?"),
        (("run", "avtp_lane_change", "--vehicel", "hmmwv"), "did you mean --vehicle?"),
        (("run", "avtp_lane_change", "--vehicle", "hmwv"), "did you mean hmmwv?"),
        (("drive", "--no-view", "--terrain", "jacksborro"), "did you mean jacksboro?"),
        (("drive", "--no-view", "--platform", "smal_hexapod"), "did you mean small_hexapod?"),
        (("drive", "--driver", "keybord"), "did you mean keyboard?"),
        (("validate", "kinematic", "x"), "did you mean kinematics?"),
        (("mechanism", "fourbar"), "did you mean four_bar?"),
        (("mechanism", "four_bar", "--formulation", "fa-dens"), "did you mean fa-dense?"),
        (("bench", "realtme"), "did you mean realtime?"),
        (("stream", "--rate", "1e-300"), "from 1 to 1000"),
        (("drive", "--duration", "1e300"), "--duration"),
        (("bench", "realtime", "--seconds", "0"), "from 5"),
        (("--versoin",), "did you mean --version?"),
    ],
)
def test_what_may_have_been_meant(command, words, capsys):
    assert words in refused(call(capsys, *command))


def test_a_path_that_is_nearly_right(tmp_path, capsys):
    written(tmp_path / "my_drive.yaml", {})
    assert "my_drive.yaml?" in refused(call(capsys, "run", tmp_path / "my_driev.yaml"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"speed": [{"at_s": 1, "speed_kmh": 50, "acceleration_mps2": 1.5}]},
            "speed[0].speed_kmh: unknown key; expected ...; got 50; hint: did you mean speed_kph?",
        ),
        ({"duration_sec": 3}, "did you mean duration_s?"),
        ({"limits": {"entry_speed_kmh": {"max": 3}}}, "did you mean entry_speed_kph?"),
        ({"course": {"standard": "avtp_03_160W", "start_m": 150}}, "did you mean avtp_03_160w?"),
        ({"vehicle": "hmmvw"}, "did you mean hmmwv?"),
    ],
)
def test_what_a_maneuver_may_have_meant(change, words, tmp_path):
    with pytest.raises(ConfigError) as caught:
        build_maneuver(str(written(tmp_path / "m.yaml", {**shipped("maneuvers", "avtp_lane_change"), **change})))
    assert is_message(words, str(caught.value))


def test_a_key_that_is_missing_because_it_is_misspelled(tmp_path):
    vehicle = shipped("vehicles", "hmmwv")
    vehicle["chassis"]["mas"] = vehicle["chassis"].pop("mass")
    with pytest.raises(ConfigError, match=r":\d+: chassis\.mas: unknown key; .*did you mean mass\?"):
        vehicle_description(str(written(tmp_path / "v.yaml", vehicle)))


def driven(maneuver):
    """Telemetry of a straight drive at 50 km/h."""
    t = np.arange(0.0, 34.0, 0.01)
    way, speed = t * 50.0 / 3.6, 0.0 * t + 50.0 / 3.6
    columns = {"time": t, "p_WB_x": way, "p_WG_x": way, "v_WB_B_x": speed, "v_WG_B_x": speed}
    zeros = ("p_WB_y", "p_WG_y", "roll", "pitch", "yaw", "w_WB_B_z", "a_WG_B_y", "steering")
    return {**columns, **dict.fromkeys(zeros, 0.0 * t), **{f"F_C_{corner}_z": 0.0 * t + 5e3 for corner in ("FL", "FR", "RL", "RR")}}


def without_phases():
    """The course of the AVTP for a driver who keeps speeds of a list."""
    mapping = shipped("maneuvers", "avtp_lane_change")
    kept = {key: value for key, value in mapping.items() if key not in ("phases", "abort", "start", "parameters", "title")}
    return kept | {"course": mapping["course"] | {"side": "left"}}


def test_results_come_in_the_units_of_the_file(tmp_path):
    maneuver = build_maneuver("avtp_lane_change")
    result = evaluate(maneuver, driven(maneuver), (0.0, 0.0, 0.0))
    entry = next(check for check in result["checks"] if check["metric"].startswith("entry_speed"))
    assert entry == {"metric": "entry_speed_kph", "value": pytest.approx(50.0), "min": 49.0, "max": 51.0, "pass": True}
    assert result["metrics"]["speed_max_kph"] == pytest.approx(50.0)
    assert result["metrics"]["speed_max_mps"] == pytest.approx(50.0 / 3.6), "SI stays"
    assert "speed_max_kph" in result["shown"] and "speed_max_mps" not in result["shown"]
    assert result["gates"][0]["speed_kph"] == pytest.approx(50.0)
    plain = without_phases() | {"limits": {"entry_speed": {"min": 13.0}, "roll_max_deg": {"max": 8}}}
    plain["speed"] = [{"at_s": 1, "speed": 13.9, "acceleration": 1.5}]
    maneuver = build_maneuver(str(written(tmp_path / "m.yaml", plain)))
    assert [check["metric"] for check in evaluate(maneuver, driven(maneuver), (0.0, 0.0, 0.0))["checks"]] == [
        "roll_max_deg",
        "entry_speed_mps",
    ]


def test_without_limits_nothing_is_passed(tmp_path, capsys):
    mapping = {
        **without_phases(),
        "duration_s": 0.5,
        "limits": {},
        "speed": [{"at_s": 0.1, "speed_kph": 50, "acceleration_mps2": 1.5}],
    }
    code, out, err = call(capsys, "run", written(tmp_path / "m.yaml", mapping), "--out", tmp_path / "out")
    assert code == 0, err
    assert "no limits given" in out and "passed" not in out
    assert "speed_max_kph" in out
