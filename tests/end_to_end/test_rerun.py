"""`jounce rerun`: identical bits from a log, without the files of the original run."""

import json
from hashlib import sha256

import numpy as np
import pytest
import yaml
from program import call, refused

import simulator.configuration.file_lookup
from simulator.base.fields import Field, FileName
from simulator.base.records import record
from simulator.builder.builder import build, find_config, read_yaml
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.outlets.telemetry import WALL
from simulator.run.rerun import RecordedDriver, differences
from simulator.run.run_configuration import read_recorded
from simulator.telemetry.parquet import read_about
from simulator.telemetry.writer import read_telemetry
from terrain.ground import GROUND
from terrain.kinds import CONTRACT, TERRAIN_KINDS, TerrainKind, find_file, register
from terrain.load_terrain import uniform

SHORT = {"base": "avtp_lane_change", "duration": 3.0, "limits": None, "parameters": {"speed_kph": 20}}

SPAWN = {"position": [0.0, 0.0], "yaw_deg": 0.0}


def file(path, mapping):
    path.write_text(yaml.safe_dump(mapping))
    return str(path)


@pytest.fixture
def things(tmp_path):
    """A folder of a user: a maneuver, a vehicle and tires with bases, hills from a height map."""
    folder = tmp_path / "things"
    folder.mkdir()
    np.save(folder / "hills.npy", np.linspace(0.0, 2.0, 6400).reshape(80, 80))
    hills = {"file": "hills.npy", "first_row": "south", "origin": [-200.0, -200.0], "spacing": [5.0, 5.0], "scale": 1.0, "offset": 0.0}
    grid = {"origin": [-100.0, -100.0], "spacing": 1.0, "count": [201, 201]}
    soils = {"shares": {"sandy_loam": 1.0}, "size": 100.0, "relief": 0.0, "seed": 1}
    rough = {"class": "C", "longest": 10.0, "seed": 3}
    file(folder / "hills.yaml", {"type": "heightmap", "heights": hills, "grid": grid, "soils": soils, "roughness": rough, "spawn": SPAWN})
    file(folder / "tires.yaml", {"base": "tmeasy_hmmwv", "friction": 0.7})
    file(folder / "car.yaml", {"base": "hmmwv", "name": "mine", "tires": "tires"})
    file(folder / "drive.yaml", {**SHORT, "vehicle": "car", "terrain": "hills"})
    return folder


def rerun(capsys, run, out):
    code, text, err = call(capsys, "rerun", run, "--out", out, "--json")
    assert code == 0, (text, err)
    return json.loads(text)


def test_a_run_with_bases_and_settings_comes_again_without_its_files(things, tmp_path, capsys, monkeypatch):
    code, _, err = call(
        capsys, "run", things / "drive.yaml", "--out", tmp_path / "run", "--set", "vehicle.chassis.mass=2300", "--set", "seed=5",
        "--set", "washout.cueing.tilt_limit_deg=9", "--set", "world.wind=[0, 5, 0]",
    )  # fmt: skip
    assert code == 0, err
    for name in ("tires.yaml", "car.yaml", "drive.yaml", "hills.yaml"):
        (things / name).unlink()
    monkeypatch.setattr(simulator.configuration.file_lookup, "HERE", tmp_path / "nowhere" / "simulator")
    said = rerun(capsys, tmp_path / "run", tmp_path / "again")
    assert (said["differ"], said["rows"]) == ([], 301)
    one, other = (read_telemetry(tmp_path / name / "telemetry.parquet") for name in ("run", "again"))
    assert [name for name in one if name not in WALL and one[name].tobytes() != other[name].tobytes()] == []
    assert rerun(capsys, tmp_path / "again", tmp_path / "third")["differ"] == [], "and out of that one's log"


def test_the_log_knows_its_run(things, tmp_path, capsys):
    assert call(capsys, "run", things / "drive.yaml", "--out", tmp_path / "run", "--set", "vehicle.chassis.mass=2300")[0] == 0
    about = read_about(tmp_path / "run" / "telemetry.parquet")
    inside = json.loads(about["configuration"])
    beside = yaml.safe_load((tmp_path / "run" / "configuration.yaml").read_text())
    assert inside == beside
    assert (about["vehicle"], about["seed"], about["settings"].endswith("--set vehicle.chassis.mass=2300")) == ("car", "1", True)
    assert inside["recorded"]["version"] == about["version"]
    assert (inside["vehicle"]["chassis"]["mass"], inside["vehicle"]["tires"]["friction"]) == (2300, 0.7)
    assert {"vehicle", "terrain", "maneuver", "washout", "platform", "soils", "recorded"} <= set(inside)
    assert "configuration" not in call(capsys, "info", tmp_path / "run")[1]
    assert json.loads(call(capsys, "info", tmp_path / "run", "--json")[1])["logs"][0]["configuration"] == inside


def test_the_configuration_of_a_run_is_a_session(tmp_path, capsys):
    maneuver = file(tmp_path / "m.yaml", SHORT)
    assert call(capsys, "run", maneuver, "--out", tmp_path / "run", "--set", "vehicle.tires.friction=0.6")[0] == 0
    again = ("run", "--session", tmp_path / "run" / "configuration.yaml", "--out", tmp_path / "again")
    assert call(capsys, *again)[0] == 0
    one, other = (read_telemetry(tmp_path / name / "telemetry.parquet", wall=False) for name in ("run", "again"))
    assert differences(one, other) == []
    assert call(capsys, *again[:-1], tmp_path / "third", "--set", "vehicle.tires.friction=0.3")[0] == 0
    assert "v_WB_B_x" in differences(one, read_telemetry(tmp_path / "third" / "telemetry.parquet", wall=False))


def test_a_height_map_that_has_changed_is_refused(things, tmp_path, capsys):
    assert call(capsys, "run", things / "drive.yaml", "--out", tmp_path / "run")[0] == 0
    np.save(things / "hills.npy", np.zeros((80, 80)))
    line = refused(call(capsys, "rerun", tmp_path / "run", "--out", tmp_path / "again"))
    assert "hills.npy" in line and "expected the file of the run, with SHA-256" in line
    (things / "hills.npy").unlink()
    line = refused(call(capsys, "rerun", tmp_path / "run", "--out", tmp_path / "again"))
    assert "hills.npy" in line and "expected the file that the run read" in line and "file not found" in line
    assert not (tmp_path / "again").exists()


def profile(f):
    """A ground whose heights along x are numbers in a file of text."""
    heights = np.loadtxt(find_file(f.mapping["profile"], f.file, f.folder, "a profile"))
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = (-50.0, -50.0), (1.0, 50.0)
    return uniform(f.name, p, np.tile(heights, (4, 1)).astype(np.float32), {}, f.file, f.soils)


PROFILE = (Field("profile", FileName("the path of a profile"), "heights along x"),)


def test_the_file_of_a_plugin_terrain_is_recorded_too(tmp_path, capsys):
    """By the kind of its key in the table of its type."""
    if "profile_for_rerun" not in TERRAIN_KINDS.names():
        register(TerrainKind("profile_for_rerun", profile, CONTRACT, PROFILE))
    np.savetxt(tmp_path / "road.csv", np.linspace(0.0, 1.0, 200))
    file(tmp_path / "road.yaml", {"type": "profile_for_rerun", "profile": "road.csv"})
    file(tmp_path / "drive.yaml", {**SHORT, "terrain": "road"})
    assert call(capsys, "run", tmp_path / "drive.yaml", "--out", tmp_path / "run")[0] == 0
    inside = json.loads(read_about(tmp_path / "run" / "telemetry.parquet")["configuration"])
    assert inside["recorded"]["files"] == {"terrain.profile": sha256((tmp_path / "road.csv").read_bytes()).hexdigest()}
    assert rerun(capsys, tmp_path / "run", tmp_path / "again")["differ"] == []
    np.savetxt(tmp_path / "road.csv", np.linspace(0.0, 1.1, 200))
    assert "expected the file of the run, with SHA-256" in refused(call(capsys, "rerun", tmp_path / "run", "--out", tmp_path / "third"))
    (tmp_path / "road.csv").unlink()
    assert "file not found" in refused(call(capsys, "rerun", tmp_path / "run", "--out", tmp_path / "third"))


@pytest.mark.parametrize("fate", ["changed", "removed"])
def test_a_mechanism_file_is_in_the_log(fate, tmp_path, capsys):
    """So whatever becomes of it, the run comes again."""
    trailing = read_yaml(find_config("vehicles", "hmmwv_trailing_rear"))["axles"]["rear"]["file"]
    arm = tmp_path / "my_arm.yaml"
    arm.write_text(find_config("mechanisms", trailing).read_text(encoding="utf-8"), encoding="utf-8")
    file(tmp_path / "car.yaml", {"base": "hmmwv_trailing_rear", "axles": {"rear": {"file": "my_arm"}}})
    file(tmp_path / "drive.yaml", {**SHORT, "duration": 1.0, "vehicle": "car"})
    assert call(capsys, "run", tmp_path / "drive.yaml", "--out", tmp_path / "run")[0] == 0
    if fate == "changed":
        arm.write_text("nonsense: 1", encoding="utf-8")
        (tmp_path / "car.yaml").write_text("nonsense: 1", encoding="utf-8")
    else:
        arm.unlink()
        (tmp_path / "car.yaml").unlink()
    said = rerun(capsys, tmp_path / "run", tmp_path / "again")
    assert (said["differ"], said["rows"]) == ([], 101)


def test_a_rerun_that_differs_says_so(tmp_path, capsys):
    """The log claims another mass than the run had."""
    import pyarrow.parquet as pq

    assert call(capsys, "run", file(tmp_path / "m.yaml", SHORT), "--out", tmp_path / "run")[0] == 0
    log = tmp_path / "run" / "telemetry.parquet"
    table = pq.read_table(log)
    metadata = dict(table.schema.metadata)
    content = json.loads(metadata[b"jounce.configuration"])
    content["vehicle"]["chassis"]["mass"] += 1.0
    pq.write_table(table.replace_schema_metadata({**metadata, b"jounce.configuration": json.dumps(content)}), log)
    code, _, err = call(capsys, "rerun", tmp_path / "run", "--out", tmp_path / "again")
    assert code == 1
    assert "columns differ" in err


def test_a_log_without_a_configuration_is_refused(tmp_path, capsys):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"time": [0.0, 0.01]}), tmp_path / "telemetry.parquet")
    assert "a log with its configuration" in refused(call(capsys, "rerun", tmp_path))


def test_a_scripted_drive_comes_again(tmp_path, capsys):
    """Driven by the clock, without a platform."""
    words = ("--no-view", "--no-motion", "--terrain", "flat", "--duration", "1")
    assert call(capsys, "drive", *words, "--out", tmp_path / "run")[0] == 0
    assert rerun(capsys, tmp_path / "run", tmp_path / "again")["differ"] == []


def test_what_a_person_did_comes_again(tmp_path):
    """The commands of a log, given to another session at the same ticks."""

    class Hand:
        def read(self, t, readout, command):
            command[0]["throttle"], command[0]["selector"], command[0]["steering"] = 0.5, 1, 0.2 * np.sin(3.0 * t)

    def drive(driver, steps=60):
        session = build(configuration(None, changes({"terrain": "flat"})), check_step=False).session(driver)
        session.reset()
        rows = [session.command.copy()]
        for _ in range(steps):
            session.advance(10)
            rows.append(session.command.copy())
        return np.concatenate(rows), session.vehicle.space.state.tobytes()

    rows, state = drive(Hand())
    columns = {"time": np.arange(len(rows)), **{f"command_{name}": rows[name] for name in rows.dtype.names}}
    assert drive(RecordedDriver(columns))[1] == state


def test_a_recorded_configuration_is_whole(tmp_path, capsys):
    """Nothing in it is a name that is to be looked up."""
    assert call(capsys, "run", file(tmp_path / "m.yaml", SHORT), "--out", tmp_path / "run", "--set", "duration=2")[0] == 0
    _, one = read_recorded(tmp_path / "run")
    whole = one.complete()
    assert all(isinstance(whole[place], dict) for place in ("vehicle", "terrain", "maneuver", "washout", "platform"))
    assert isinstance(whole["vehicle"]["drivetrain"], dict) and isinstance(whole["vehicle"]["tires"], dict)
