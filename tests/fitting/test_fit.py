"""Does `jounce fit` find the true values of the shipped measurement, replay recorded commands, and resume?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.builder.builder import data_folder
from simulator.cli.main import main
from simulator.configuration.configuration import configuration
from simulator.fitting.experiment import experiment_configuration
from simulator.fitting.fit_file import fit_of
from simulator.fitting.measurements import Table, read_measured
from simulator.sweep.job import drive
from simulator.telemetry.log import read_log

SHIPPED = data_folder("configs") / "fits" / "sine_steer.yaml"
CHANNELS = {"w_WB_B_z": "rad/s", "a_WB_B_y": "m/s2", "command_throttle": "1"}
MASS = {"mass": {"key": "vehicle.chassis.mass", "start": 1800, "min": 1000, "max": 3000}}


@pytest.fixture(scope="module")
def short(tmp_path_factory) -> Path:
    """The shipped fit with two parameters and the first 1.6 s of its measurement."""
    folder = tmp_path_factory.mktemp("fit")
    said = yaml.safe_load(SHIPPED.read_text())
    del said["parameters"]["damping"]
    said["parameters"]["load on the bed"]["start"] = 550
    said["parameters"]["cornering stiffness"]["start"] = 0.95
    said["set"] = {f"vehicle.axles.{axle}.shock.{way}_damping": 1.3 * value for axle, way, value in DAMPING}
    measured = SHIPPED.with_name("sine_steer_measured.csv").read_text().splitlines(keepends=True)
    (folder / "sine_steer_measured.csv").write_text("".join(measured[: 2 + 161]))
    (folder / "short.yaml").write_text(yaml.safe_dump(said))
    return folder / "short.yaml"


DAMPING = (
    ("front", "compression", 6500.0), ("front", "rebound", 11700.0), ("rear", "compression", 6650.0), ("rear", "rebound", 16000.0),
)  # fmt: skip


def test_a_fit_finds_what_was_planted_and_goes_on_where_it_was(short, capsys):
    out = short.parent / "out"
    assert main(["fit", str(short), "--out", str(out), "--processes", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["result"]
    planted = {"load on the bed": 620.0, "cornering stiffness": 1.12}
    for one in said["parameters"]:
        low, high = one["interval_together"]
        assert low < planted[one["name"]] < high and high - low < 0.3 * one["value"]
    assert said["untold"] == [] and all(one["rms"] < 1.2 * one["noise"] for one in said["channels"])
    journals = sorted(out.glob("rounds/*/journals/*"))
    before = [(file, file.stat().st_size) for file in journals]
    assert main(["fit", str(short), "--out", str(out), "--processes", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == said
    assert [(file, file.stat().st_size) for file in sorted(out.glob("rounds/*/journals/*"))] == before  # nothing was driven again
    found = configuration(str(out / "fitted.yaml"))
    found.expand_all()
    load = {one["name"]: one["value"] for one in said["parameters"]}
    assert found.raw("vehicle.chassis.fixed_masses.cargo.mass") == pytest.approx(load["load on the bed"], rel=1e-6)
    assert found.raw("vehicle.tires.dfy0[0]") == pytest.approx(load["cornering stiffness"] * 74000.0, rel=1e-6)
    assert "<script src" not in (page := (out / "fit.html").read_text()) and "load on the bed" in page


def test_recorded_commands_are_replayed(tmp_path):
    words = ["run", "iso_7401_step", "--set", "duration=3.4", "--plots", "none", "--out", str(tmp_path / "run")]
    assert main(words) in (0, 1)
    said = {"name": "again", "parameters": MASS, "data": [{"run": "run"}], "channels": {name: {} for name in CHANNELS}}
    fit = fit_of(said, str(tmp_path / "again.yaml"))
    measured = read_measured(fit.data[0], fit.file, CHANNELS)
    one = experiment_configuration(fit.data[0], fit.file, measured)
    rows = drive({"cases": [{"run": "again", "mapping": one.plain()}], "channels": list(CHANNELS), "plugins": []})["rows"]
    assert rows[0]["failure"] == ""
    log = {column["name"]: np.array(column["numbers"]) for column in rows[0]["log"]["columns"]}
    for name in CHANNELS:
        assert np.abs(log[name] - read_log(tmp_path / "run")[name]).max() < 1e-9


def refused(said, match):
    with pytest.raises(ConfigError, match=match):
        fit_of({"name": "f", "parameters": MASS, "data": [{"run": "r"}], "channels": {"roll": {}}, **said}, "f.yaml")


def test_an_error_in_a_file_names_its_key():
    refused({"parameters": {"a": {**MASS["mass"], "max": 900}}}, r"parameters.a.max: .*a number above `min`, 1000")
    refused(
        {"parameters": {"a": {**MASS["mass"], "key": "vehicl.mass"}}},
        r"parameters.a.key: unknown key.*got 'vehicl.mass'.*did you mean vehicle",
    )
    refused({"parameters": {"a": {**MASS["mass"], "min": -1.0, "scale": "log"}}}, r"parameters.a.min: .*a number above 0")
    refused({"data": [{"run": "r", "csv": "c"}]}, r"data\[0\]: .*expected either run or csv; got 'both'")
    refused({"data": [{"csv": "c", "commands": {"pedal": "p"}}]}, r"data\[0\].commands.pedal: .*one of steering")
    refused({"data": [{"csv": "c", "offset": {"min": 1.0, "max": 0.0}}]}, r"data\[0\].offset.max")


def test_columns_are_read_in_the_units_of_their_headings(tmp_path):
    file = tmp_path / "m.csv"
    file.write_text("# by a logger\nTime [ms];Yaw Rate [deg/s];speed_kph;pedal\n0;90;36;0.5\n10;;72;1\n")
    table = Table(file)
    assert table.column("Time", "s", "f.yaml", "time").tolist() == [0.0, 0.01]
    yaw = table.column("Yaw Rate", "rad/s", "f.yaml", "columns.w")
    assert yaw[0] == pytest.approx(np.pi / 2.0) and np.isnan(yaw[1])
    assert table.column("speed", "m/s", "f.yaml", "columns.v").tolist() == pytest.approx([10.0, 20.0])
    assert table.column("pedal", "1", "f.yaml", "commands.throttle").tolist() == [0.5, 1.0]
    with pytest.raises(ConfigError, match=r"m.csv.*: Yaw Rate \[deg/s\]: .*expected a unit of m/s2.*got 'deg/s'"):
        table.column("Yaw Rate", "m/s2", "f.yaml", "columns.a")
    with pytest.raises(ConfigError, match=r"f.yaml.*: columns.a: .*expected a heading of.*got 'Yaw'"):
        table.column("Yaw", "rad/s", "f.yaml", "columns.a")


def test_check_reads_the_data(tmp_path, capsys):
    shipped = data_folder("configs") / "fits"
    lines = (shipped / "sine_steer_measured.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "sine_steer.yaml").write_text((shipped / "sine_steer.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    lines[9] = lines[9].replace(",0.22,", ",much,")
    (tmp_path / "sine_steer_measured.csv").write_text("\n".join(lines), encoding="utf-8")
    assert main(["check", str(tmp_path / "sine_steer.yaml"), "--kind", "fits"]) == 2
    assert "sine_steer_measured.csv:10: throttle, row 8: invalid value; expected a number; got 'much'" in capsys.readouterr().err
