"""Bad input on the command line: one line on stderr, exit code 2, nothing left behind."""

import os
import re
import socket
from pathlib import Path

import pytest
import yaml
from program import ROOT, call, finish, refused, start

from simulator.base.errors import ConfigError
from simulator.base.yaml_lines import line_of
from simulator.base.yaml_reader import read_yaml

CONFIGS = ROOT / "configs"
STATES = next((ROOT / "tests/data/hmmwv_accelerations").glob("*.npz"))


def shipped(kind, name):
    return yaml.safe_load((CONFIGS / kind / f"{name}.yaml").read_text())


def written(folder, name, mapping):
    file = folder / name
    file.write_text(yaml.safe_dump(mapping))
    return file


def maneuver(folder, **changes):
    """Write a short maneuver; a vehicle or terrain may be named by its path."""
    return written(folder, "maneuver.yaml", {**shipped("maneuvers", "avtp_lane_change"), "duration_s": 2.0, "limits": {}, **changes})


def set_in(mapping, path, value):
    inside = mapping
    *above, last = path.split(".")
    for key in above:
        inside = inside[key]
    inside[last] = value
    return mapping


MALFORMED = {
    "no end": b"name: [1, 2\n",
    "a tab": b"name: x\n\tmass: 3\n",
    "a key twice": b"name: x\nvehicle: hmmwv\nvehicle: hmmwv\n",
    "a key twice, deep down": b"name: x\nbody:\n  length: 2\n  length: 3\n",
    "a list as a key": b"? [1, 2]\n: 3\n",
    "a Python object": b"name: !!python/object/apply:os.getcwd []\n",
    "two documents": b"a: 1\n---\nb: 2\n",
    "no such anchor": b"a: *b\n",
    "an anchor in itself": b"a: &a [1, *a]\n",
    "no such date": b"a: 2020-99-99\n",
    "a number of 5000 digits": b"a: " + b"9" * 5000 + b"\n",
    "binary": bytes(range(256)),
    "control characters": b"name: \x07\x00\n",
    "a part of UTF-16": "name: x\n".encode("utf-16")[:-1],
    "nothing": b"",
    "a remark": b"# nothing but a remark\n",
    "a list": b"- 1\n- 2\n",
    "a text": b"hello\n",
    "NaN": b".nan\n",
}


@pytest.mark.parametrize("fault", MALFORMED)
def test_a_file_that_is_no_description(fault, tmp_path, capsys):
    """Each command that reads a file reports it."""
    file = tmp_path / "bad.yaml"
    file.write_bytes(MALFORMED[fault])
    good = maneuver(tmp_path)
    commands = [
        ("run", file),
        ("run", maneuver(tmp_path, vehicle=str(file))),
        ("drive", "--no-view", "--maneuver", file),
        ("stream", "--maneuver", good, "--vehicle", file),
        ("stream", "--maneuver", good, "--terrain", file),
        ("stream", "--maneuver", good, "--washout", file),
        ("drive", "--no-view", "--maneuver", good, "--platform", file),
        ("platform", "--platform", file),
        ("validate", "accelerations", STATES, "--model", file),
        ("validate", "mechanism", file, STATES),
        ("mechanism", file),
        ("mechanism", CONFIGS / "mechanisms" / "four_bar.yaml", "--state", file),
    ]
    out = tmp_path / "out"
    for command in commands:
        extra = ("--out", out) if command[0] in ("run", "drive", "stream") else ()
        good = maneuver(tmp_path, **({"vehicle": str(file)} if command == commands[1] else {}))
        line = refused(call(capsys, *command, *extra))
        assert "bad.yaml" in line, (command, line)
    assert not out.exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_reader_accepts_aliases_and_a_byte_order_mark(tmp_path, encoding):
    """As editors on Windows write it; a message has the line all the same."""
    file = tmp_path / "good.yaml"
    file.write_text("a: &x {b: [1, 2.5]}\nc: *x\nn: Süd\n", encoding=encoding)
    assert read_yaml(file) == {"a": {"b": [1, 2.5]}, "c": {"b": [1, 2.5]}, "n": "Süd"}
    assert line_of(str(file), "n") == 3


@pytest.mark.parametrize(
    ("kind", "name", "key", "value", "expected"),
    [
        ("vehicles", "hmmwv", "chassis.mass", 0, "above 0"),
        ("vehicles", "hmmwv", "chassis.mass", -2000.0, "above 0"),
        ("vehicles", "hmmwv", "chassis.mass", "41.6e3", "write 41600.0"),
        ("vehicles", "hmmwv", "chassis.mass", float("nan"), "finite"),
        ("vehicles", "hmmwv", "chassis.inertia", [[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "symmetric"),
        ("vehicles", "hmmwv", "chassis.inertia", [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "positive definite"),
        ("vehicles", "hmmwv", "axles.front.spring.free_length", -0.3, "above 0"),
        ("vehicles", "hmmwv", "axles.rear.hardpoints_left.LCA_F", [1.0, 2.0], "3 numbers"),
        ("vehicles", "hmmwv", "steering.paint", "red", "unknown key"),
        ("vehicles", "hmmwv", "steering.gear\nratio", 5, "unknown key"),
        ("vehicles", "hmmwv", "tires", "no_such_tires", "jounce list tires"),
        ("vehicles", "hmmwv", "drivetrain", "no/such.yaml", "a file"),
        ("terrains", "slope", "grade_percent", "steep", "number"),
        ("terrains", "flat_soil", "soil", "cheese", "dry_sand"),
    ],
)
def test_an_error_in_a_file_that_a_maneuver_names(kind, name, key, value, expected, tmp_path, capsys):
    """The message has file, key, value and expectation if a maneuver names the file by its path."""
    file = written(tmp_path, "mine.yaml", set_in(shipped(kind, name), key, value))
    good = maneuver(tmp_path, **{"vehicle" if kind == "vehicles" else "terrain": str(file)})
    line = refused(call(capsys, "run", good, "--out", tmp_path / "out"))
    assert "mine.yaml:" in line
    assert key.rpartition(".")[2].replace("\n", "\\n") in line
    assert expected in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("kind", "key"), [("tires", "stiffness"), ("drivetrains", "brakes.stiffness")])
def test_an_error_in_a_file_that_a_vehicle_names(kind, key, tmp_path, capsys):
    vehicle = shipped("vehicles", "hmmwv")
    entry = "tires" if kind == "tires" else "drivetrain"
    file = written(tmp_path, "part.yaml", set_in(shipped(kind, vehicle[entry]), key, -1.0))
    mine = written(tmp_path, "mine.yaml", {**vehicle, entry: str(file)})
    line = refused(call(capsys, "run", maneuver(tmp_path, vehicle=str(mine)), "--out", tmp_path / "out"))
    assert re.search(rf"part\.yaml:\d+: {re.escape(key)}: invalid value; expected .*; got -1\.0", line)


@pytest.mark.parametrize(("key", "name"), [("vehicle", "tank"), ("terrain", "moon"), ("vehicle", "no/such.yaml"), ("terrain", "x" * 5000)])
def test_an_unknown_name_is_reported_with_its_file(key, name, tmp_path, capsys):
    line = refused(call(capsys, "run", maneuver(tmp_path, **{key: name}), "--out", tmp_path / "out"))
    assert re.search(rf"maneuver\.yaml:\d+: {key}: invalid value; ", line)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("run", "no_such_maneuver"), "jounce list maneuvers"),
        (("run", "no/such/maneuver.yaml"), "maneuver.yaml"),
        (("run", "x" * 5000), "jounce list maneuvers"),
        (("run",), "--help"),
        (("fly",), "--help"),
        (("drive", "--driver", "nobody"), "keyboard"),
        (("drive", "--duration", "long"), "--duration"),
        (("drive", "--no-view", "--duration", "nan"), "--duration"),
        (("drive", "--no-view", "--duration", "inf"), "--duration"),
        (("drive", "--no-view", "--duration", "-3"), "--duration"),
        (("drive", "--no-view", "--vehicle", "tank"), "hmmwv"),
        (("drive", "--no-view", "--terrain", "moon"), "jounce list terrains"),
        (("drive", "--no-view", "--platform", "sofa"), "small_hexapod"),
        (("drive", "--no-view", "--washout", "none"), "jounce list washouts"),
        (("stream", "--to", "nowhere:"), "HOST:PORT"),
        (("stream", "--to", ":5"), "HOST:PORT"),
        (("stream", "--to", "127.0.0.1:99999"), "65535"),
        (("stream", "--to", "127.0.0.1:\u00b2"), "65535"),
        (("stream", "--to", "127.0.0.1:0"), "65535"),
        (("stream", "--to", "no.such.host.invalid"), "no.such.host.invalid"),
        (("stream", "--to", "two\nlines"), "two"),
        (("stream", "--rate", "0"), "rate"),
        (("stream", "--rate", "333", "--set", "step=0.005"), "at most 200 ticks per second"),
        (("drive", "--no-view", "--rate", "nan"), "rate"),
        (("platform", "--port", "70000"), "70000"),
        (("platform", "--port", "x"), "--port"),
        (("platform", "--duration", "0"), "--duration"),
        (("platform", "--platform", "sofa"), "simona"),
        (("platform", "--port", "0", "--plot", "/no/such/folder/a.png"), "/no/such/folder"),
        (("validate", "kinematics", "no_such.json"), "no_such.json"),
        (("validate", "trajectory", "no_such.csv.gz"), "no_such"),
        (("validate", "accelerations", "no_such.npz", "--model", "no_such.yaml"), "no_such.yaml"),
        (("validate", "mechanism", "no_such.urdf", "no_such.npz"), "no_such.urdf"),
        (("mechanism", "no_such.urdf"), "no_such.urdf"),
        (("validate",), "--help"),
        (("bench", "--repeats", "many"), "--repeats"),
    ],
)
def test_a_bad_argument(command, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = refused(call(capsys, *command))
    assert words in line
    assert list(tmp_path.iterdir()) == [], "nothing half-written"


PLACES = ["below a file", "a file", "/proc", "a loop", "a name too long"]
OTHERS = [pytest.param(where, marks=pytest.mark.full("a place that drive or stream accepts and run refuses")) for where in PLACES[1:]]


@pytest.mark.parametrize(
    ("where", "command"),
    [
        *((where, ("run", "avtp_lane_change")) for where in PLACES),
        *((where, command) for where in PLACES[:1] for command in (("drive", "--offscreen"), ("stream",))),
        *(
            pytest.param(*other.values, command, marks=other.marks)
            for other in OTHERS
            for command in (("drive", "--offscreen"), ("stream",))
        ),
    ],
)
def test_a_folder_that_cannot_be_written(command, where, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "loop").symlink_to("loop")
    out = {"below a file": "file/out", "a file": "file", "/proc": "/proc/jounce", "a loop": "loop/x", "a name too long": "x" * 300}[where]
    if where == "/proc" and not Path("/proc").is_dir():
        pytest.skip("no /proc")
    line = refused(call(capsys, *command, "--out", out))
    assert out[:20] in line
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "loop"]


def test_a_vehicle_without_equilibrium_leaves_no_files(tmp_path, capsys):
    """The error occurs when the vehicle is placed on the ground, after the view and the platform have started."""
    nowhere = written(tmp_path, "nowhere.yaml", {"type": "flat", "surface": "asphalt", "grade_percent": 180.0})
    for command in (("run", maneuver(tmp_path, terrain=str(nowhere))), ("drive", "--offscreen", "--terrain", nowhere)):
        line = refused(call(capsys, *command, "--out", tmp_path / "out"))
        assert "no equilibrium" in line
        assert not (tmp_path / "out").exists()


def test_a_port_in_use(capsys):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert str(port) in refused(call(capsys, "platform", "--port", port))


@pytest.mark.skipif(os.name != "posix", reason="the folder of the user's settings has another name there")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"steering": {"axis": 0, "left": 1.0, "right": 1.0}}, "steering"),
        ({"throttle": {"axis": 2, "released": float("nan"), "pressed": 1.0}}, "throttle.released"),
        ({"buttons": {"honk": [1]}}, "buttons.honk"),
        ({"buttons": {"pause": [1, -3]}}, "buttons.pause[1]"),
        ({"rotation_deg": "1.08e3"}, "write 1080.0"),
        ({"paint": "red"}, "paint"),
    ],
)
def test_a_device_profile_of_the_user(change, words, tmp_path):
    """`jounce devices` reads the user's own profiles beside the shipped ones."""
    folder = tmp_path / "jounce" / "devices"
    folder.mkdir(parents=True)
    written(folder, "mine.yaml", {**shipped("devices", "logitech_g29"), **change})
    process = start("devices", cwd=tmp_path, XDG_CONFIG_HOME=str(tmp_path), SDL_VIDEODRIVER="dummy")
    line = refused(finish(process))
    assert "mine.yaml" in line
    assert words in line


def test_warnings_are_one_line_each_and_none_with_json(tmp_path, capsys):
    vehicle = set_in(shipped("vehicles", "hmmwv"), "chassis.inertia", [900.0, 1200.0, 2500.0])
    good = maneuver(tmp_path, vehicle=str(written(tmp_path, "mine.yaml", vehicle)))
    code, _, err = call(capsys, "run", good, "--out", tmp_path / "out")
    assert code == 0
    assert len(err.splitlines()) == 1
    assert "mine.yaml: chassis.inertia" in err
    code, _, err = call(capsys, "run", good, "--out", tmp_path / "out", "--json")
    assert (code, err) == (0, "")


def test_a_file_nested_deeper_than_anyone_reads(tmp_path):
    file = tmp_path / "deep.yaml"
    file.write_text("[" * 2000)
    with pytest.raises(ConfigError, match="well-formed"):
        read_yaml(file)


def test_a_missing_file_and_a_folder_in_its_place(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path, tmp_path / "x\0.yaml"):
        with pytest.raises(ConfigError):
            read_yaml(path)


@pytest.mark.parametrize("command", [("run", "double_lane_change"), ("drive",), ("stream",)])
def test_a_wrong_name_is_refused_before_the_physics_are_compiled(tmp_path, command):
    process = start(*command, "--vehicle", "hmmvw", cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))
    message = refused(finish(process))
    assert message.startswith("jounce: --vehicle: invalid value; expected a file, or one of five_link_rear, ")
    assert "... (`jounce list vehicles`)" in message and message.endswith("hint: did you mean hmmwv?")
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".nbi"]
