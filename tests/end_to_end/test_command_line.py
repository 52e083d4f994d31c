"""Help texts and lists without delay, and commands that need a checkout."""

import pytest
from program import ROOT, call, finish, refused, start

COMMANDS = (
    ("drive",),
    ("view",),
    ("run",),
    ("sweep",),
    ("vehicle",),
    ("vehicle", "urdf"),
    ("datasheet",),
    ("terrain",),
    ("terrain", "info"),
    ("terrain", "import"),
    ("terrain", "make"),
    ("terrain", "show"),
    ("tire",),
    ("soil",),
    ("soilbin",),
    ("cueing",),
    ("cueing", "test"),
    ("cueing", "compare"),
    ("cueing", "tune"),
    ("rerun",),
    ("render",),
    ("replay",),
    ("compare",),
    ("fit",),
    ("optimize",),
    ("fmu",),
    ("fmu", "vehicle"),
    ("fmu", "tire"),
    ("fmu", "washout"),
    ("import",),
    ("import", "opendrive"),
    ("import", "chrono"),
    ("import", "gpx"),
    ("import", "urdf"),
    ("stream",),
    ("serve",),
    ("platform",),
    ("devices",),
    ("list",),
    ("check",),
    ("schema",),
    ("mechanism",),
    ("validate",),
    ("validate", "accelerations"),
    ("validate", "kinematics"),
    ("validate", "mechanism"),
    ("validate", "soil"),
    ("validate", "tire"),
    ("validate", "trajectory"),
    ("bench",),
    ("kc",),
    ("info",),
    ("results",),
    ("console",),
    ("sensors",),
    ("export",),
    ("score",),
    ("doctor",),
)
HEAVY = ("numba", "numpy", "pyglet", "pygame", "yaml", "matplotlib", "pyarrow", "msgspec", "rich", "PIL", "scipy")


@pytest.mark.parametrize("command", [(), *COMMANDS])
def test_help(command, capsys):
    code, out, err = call(capsys, *command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: {' '.join(('jounce', *command))} ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("serve --foxglove abc", "argument --foxglove: invalid value; expected an integer; got 'abc'"),
        ("drive --ros2 abc", "argument --ros2: invalid value; expected an integer; got 'abc'"),
        ("sensors run --at z", "argument --at: invalid value; expected a number; got 'z'"),
    ],
)
def test_a_wrong_number_is_named_with_what_is_expected(words, expected, capsys):
    assert call(capsys, *words.split()) == (2, "", f"jounce: {expected} (see jounce {words.split()[0]} --help)\n")


def test_help_names_every_command(capsys):
    code, out, err = call(capsys)
    assert (code, err) == (0, "")
    listed = {line.split()[0] for line in out.splitlines() if line.startswith("    ") and line[4] != " "}
    assert listed == {command[0] for command in COMMANDS}


def modules_of(command, folder):
    """Return exit code and names of the modules that a command imports."""
    code, _, err = finish(start(*command, cwd=folder, PYTHONPROFILEIMPORTTIME="1"), 600.0)
    return code, {line.rpartition("|")[2].strip() for line in err.splitlines() if line.startswith("import time:")}


LISTS = (("list",), ("list", "vehicles"), ("list", "sessions"), ("list", "vehikles"))


@pytest.mark.parametrize(
    "command", [("--help",), ("run", "--help"), ("drive", "--help"), ("stream", "--help"), ("fly",), ("paper",), *LISTS], ids=" ".join
)
def test_help_and_lists_load_nothing_heavy(command, tmp_path):
    code, loaded = modules_of(command, tmp_path)
    assert code == (2 if command in (("fly",), ("paper",), ("list", "vehikles")) else 0)
    assert "argparse" in loaded
    assert not {name.partition(".")[0] for name in loaded} & set(HEAVY)
    assert len(loaded) < 250


OTHERS = (
    "simulator.session",
    "simulator.maneuvers.maneuver_file",
    "simulator.fitting",
    "simulator.sweep",
    "simulator.run",
    "simulator.autonomy",
    "washout",
)
"""Packages and modules that the check of a vehicle does not need."""


def test_a_check_of_a_vehicle_loads_no_other_kinds_of_files(tmp_path):
    code, loaded = modules_of(("check", ROOT / "configs" / "vehicles" / "hmmwv.yaml"), tmp_path)
    assert code == 0
    assert "vehicles.vehicle" in loaded
    assert not [name for name in loaded if any(name == other or name.startswith(f"{other}.") for other in OTHERS)]


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (("paper",), "paper"),
        (("paper", "Cameron 2013", "table", "1"), "paper 'Cameron 2013' table 1"),
        (("mechanism", "triangularize", "four_bar"), "triangularize four_bar"),
        (("triangularize", "four_bar"), "triangularize four_bar"),
        (("bench",), "bench"),
        (("bench", "sweep", "--json"), "bench sweep --json"),
        (("bench", "--baseline", "x"), "bench --baseline x"),
    ],
)
def test_a_command_of_the_studies_names_that_of_a_checkout(words, there, capsys):
    assert refused(call(capsys, *words)).endswith(f": not a command of the package; hint: in a checkout, run `python -m research {there}`")


def test_a_drive_loads_no_more_of_scipy_than_numba_does(tmp_path):
    code, loaded = modules_of(("drive", "--no-view", "--no-motion", "--duration", "0.1", "--out", tmp_path / "out"), tmp_path)
    assert code == 0
    assert "simulator.session" in loaded
    parts = {name.split(".")[1] for name in loaded if name.startswith("scipy.")}
    assert {name for name in parts if not name.startswith("_")} <= {"linalg", "version"}
