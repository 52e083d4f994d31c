"""Help texts without delay, and the output of `jounce bench` for other programs."""

import json
import math
import sys

import pytest
from program import call, finish, start

COMMANDS = (
    ("drive",),
    ("view",),
    ("run",),
    ("sweep",),
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
    ("stream",),
    ("serve",),
    ("platform",),
    ("devices",),
    ("list",),
    ("check",),
    ("schema",),
    ("mechanism",),
    ("mechanism", "triangularize"),
    ("validate",),
    ("validate", "accelerations"),
    ("validate", "kinematics"),
    ("validate", "mechanism"),
    ("validate", "soil"),
    ("validate", "tire"),
    ("validate", "trajectory"),
    ("bench",),
    ("paper",),
    ("kc",),
    ("info",),
    ("console",),
    ("sensors",),
    ("score",),
    ("doctor",),
)
HEAVY = ("numba", "numpy", "pyglet", "pygame", "yaml", "matplotlib", "pyarrow", "msgspec", "rich", "PIL", "scipy")


@pytest.mark.parametrize("command", [(), *COMMANDS])
def test_help(command, capsys):
    code, out, err = call(capsys, *command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: {' '.join(('jounce', *command))} ")


def test_help_names_every_command(capsys):
    code, out, err = call(capsys)
    assert (code, err) == (0, "")
    listed = {line.split()[0] for line in out.splitlines() if line.startswith("    ") and line[4] != " "}
    assert listed == {command[0] for command in COMMANDS}


@pytest.mark.parametrize("command", [("--help",), ("run", "--help"), ("drive", "--help"), ("stream", "--help"), ("fly",)])
def test_help_loads_nothing_heavy(command, tmp_path):
    process = start(*command, cwd=tmp_path, PYTHONPROFILEIMPORTTIME="1")
    code, _, err = finish(process)
    assert code == (2 if command == ("fly",) else 0)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in err.splitlines() if line.startswith("import time:")}
    assert "argparse" in loaded
    assert not loaded & set(HEAVY)


def test_a_drive_loads_no_more_of_scipy_than_numba_does(tmp_path):
    process = start(
        "drive", "--no-view", "--no-motion", "--duration", "0.1", "--out", tmp_path / "out", cwd=tmp_path, PYTHONPROFILEIMPORTTIME="1"
    )
    code, _, err = finish(process, 600.0)
    assert code == 0
    loaded = {line.rpartition("|")[2].strip() for line in err.splitlines() if line.startswith("import time:")}
    assert "simulator.session" in loaded
    parts = {name.split(".")[1] for name in loaded if name.startswith("scipy.")}
    assert {name for name in parts if not name.startswith("_")} <= {"linalg", "version"}


def test_bench_reports_every_part_in_one_object(capsys):
    code, out, err = call(capsys, "bench", "--repeats", "1", "--json")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 1
    figures = json.loads(out)
    assert set(figures) >= {"us", "real_time_factor", "machine", "targets_us", "repeats"}
    parts = {"calibration", "evaluation", "step_hard", "step_soil", "washout", "cueing", "tick"}
    assert parts <= set(figures["us"])
    assert all(math.isfinite(value) and value > 0.0 for value in (*figures["us"].values(), *figures["real_time_factor"].values()))
    for name in ("step_hard", "step_soil", "tick"):
        assert figures["real_time_factor"][name] == pytest.approx(1000.0 / figures["us"][name])
    assert figures["targets_us"] == {"evaluation": 1.5, "step_hard": 3.0, "step_soil": 10.0, "washout": 1.0}
    assert figures["repeats"] == 1
    assert figures["machine"]["cores"] >= 1
    assert figures["machine"]["python"] == ".".join(map(str, sys.version_info[:3]))
