"""Are the files, logs, sweeps and plugins of version 0.2.0 read, re-simulated, compared and resumed?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from simulator.cli.main import main
from simulator.telemetry.log import read_log
from tests.end_to_end.program import environment

OLD = Path(__file__).parents[1] / "data" / "version_0_2"
FILES = sorted(file.name for file in OLD.glob("*.yaml"))
WITHOUT_WARNING = ("comparison.yaml", "device.yaml")
"""The old columns of a comparison are looked up when logs are compared, and no key of a device was renamed."""
PLUGINS = {
    "axle_kind.py": "axles",
    "controller.py": "controllers",
    "driver.py": "drivers",
    "height_format.py": "elevation_formats",
    "input_source.py": "input_sources",
    "outlet.py": "outlets",
    "protocol.py": "protocols",
    "sensor.py": "sensors",
    "terrain_type.py": "terrain_types",
    "tread_law.py": "tire_models",
    "washout_kind.py": "washout_algorithms",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_old_names_is_good(name, capsys):
    assert main(["check", str(OLD / name)]) == 0
    out, err = capsys.readouterr()
    assert f"{name}: good" in out
    lines = [line for line in err.splitlines() if not line.startswith("jounce: warning")]
    assert bool(lines) == (name not in WITHOUT_WARNING)
    assert all("deprecated; use" in line for line in lines)


LISTED = """
import contextlib, io, json, sys
from simulator.base.registry import load_plugins
from simulator.cli.main import main
def listed(kind):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["list", kind, "--json"]) == 0
    return list(json.loads(out.getvalue()))
names = {}
for plugin, kind in json.loads(sys.argv[1]).items():
    before = listed(kind)
    try:
        load_plugins([plugin])
        names[kind] = before, listed(kind)
    except Exception as error:
        names[kind] = before, repr(error)
print(json.dumps(names))
"""
"""Names of a kind before and after its plugin is loaded, of all plugins in one process: each has a kind of its own."""


@pytest.fixture(scope="module")
def listed():
    plugins = json.dumps({str(OLD / "plugins" / plugin): kind for plugin, kind in PLUGINS.items()})
    ended = subprocess.run([sys.executable, "-c", LISTED, plugins], capture_output=True, text=True, env=environment(), check=True)
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize(("plugin", "kind"), PLUGINS.items())
def test_a_plugin_that_imports_old_modules_is_loaded(plugin, kind, listed):
    before, after = listed[kind]
    assert isinstance(after, list), (plugin, after)
    assert set(after) > set(before)


def test_an_old_plugin_on_the_command_line():
    command = [sys.executable, "-m", "simulator", "list", "controllers", "--json", "--plugin", str(OLD / "plugins" / "controller.py")]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
    assert set(json.loads(ended.stdout)) > {"abs"}


def test_a_log_has_the_present_columns():
    log = read_log(OLD / "run")
    assert "steering_gear_angle" in log and "pitman_angle" not in set(log)
    assert (log["command_manual_clutch"] == log.field("command_manual_clutch")[:, 0]).all()
    with pytest.warns(UserWarning, match="pitman_angle: deprecated; use steering_gear_angle"):
        assert (log["pitman_angle"] == log["steering_gear_angle"]).all()


def test_a_run_is_re_simulated_bit_by_bit(tmp_path, capsys):
    assert main(["rerun", str(OLD / "run"), "--out", str(tmp_path / "again"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["differ"] == []
    assert (
        main(["compare", str(OLD / "run"), str(tmp_path / "again"), "--map", str(OLD / "comparison.yaml"), "--out", str(tmp_path / "page")])
        == 0
    )


def test_a_half_finished_sweep_is_resumed(tmp_path, capsys):
    folder = shutil.copytree(OLD / "sweep_half", tmp_path / "sweep")
    before = {file.name for file in (folder / "runs").iterdir()}
    assert main(["sweep", str(OLD / "sweep.yaml"), "--out", str(folder)]) == 0
    rows = pq.read_table(folder / "table.parquet").to_pylist()
    assert [row["failure"] for row in rows] == [""] * 6
    assert before < {file.name for file in (folder / "runs").iterdir()}


def test_a_sweep_whose_results_differ_now_is_refused(tmp_path, capsys):
    """The same plan, but another angle in the maneuver's file."""
    for file in OLD.glob("*.yaml"):
        shutil.copy(file, tmp_path)
    maneuver = tmp_path / "maneuver.yaml"
    maneuver.write_text(maneuver.read_text().replace("angle_deg: 40", "angle_deg: 60"))
    folder = shutil.copytree(OLD / "sweep_half", tmp_path / "sweep")
    assert main(["sweep", str(tmp_path / "sweep.yaml"), "--out", str(folder)]) == 2
    assert "gives other metrics now" in capsys.readouterr().err
