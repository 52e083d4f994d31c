"""FMUs of vehicles, tires and washouts in a host, FMPy: they are valid, and have the same bits as the library. No other host was at hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import jounce
from simulator.builder.builder import build_tire
from simulator.cli.main import main
from simulator.fmi.units import Fmi2Slave, Fmi3Slave
from vehicles.tires.steady_state import SPEED, build_up, steady

fmpy = pytest.importorskip("fmpy", reason="the extra fmi is not installed")
from fmpy.fmi1 import FMICallException  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

from tests.fmi.fmu_host import Instance  # noqa: E402

VERSIONS = pytest.mark.parametrize("fmi", [2, 3])
SHOWN = ("p_WB_x", "p_WB_y", "yaw", "v_WB_B_x", "wheel_spin_FL", "engine_speed", "gear", "f_H_B_z")
DISCARDED, FAILED = 2, 3


@pytest.fixture(scope="module")
def units(tmp_path_factory) -> Path:
    """Folder with an FMU of each kind for each version."""
    out = tmp_path_factory.mktemp("fmu")
    for words in (["vehicle", "hmmwv", "--terrain", "flat"], ["tire", "tmeasy_hmmwv"], ["tire", "magic_hmmwv"], ["washout"]):
        assert main(["fmu", *words, "--out", str(out)]) == 0
    return out


@pytest.fixture
def host(units, tmp_path):
    """Function that returns a new instance of a unit."""
    made = []

    def instance(name: str, fmi: int) -> Instance:
        made.append(Instance(units / f"{name}_fmi{fmi}.fmu", tmp_path / str(len(made))))
        return made[-1]

    return instance


def _command(t: float) -> dict[str, float]:
    return {"throttle": 0.7 if t < 0.5 else 0.0, "steering": 0.3 * np.sin(4.0 * t), "brake": 0.4 if t > 0.6 else 0.0}


def _inputs(t: float) -> dict[str, float]:
    return {f"command_{name}": value for name, value in _command(t).items()}


def test_every_unit_is_valid_and_says_what_it_is(units):
    files = sorted(units.glob("*.fmu"))
    assert len(files) == 8
    for file in files:
        assert validate_fmu(str(file)) == [], file.name
        about = fmpy.read_model_description(str(file))
        assert not about.coSimulation.canHandleVariableCommunicationStepSize
        assert not about.coSimulation.canBeInstantiatedOnlyOncePerProcess
        assert about.modelExchange is None
        assert all(one.description for one in about.modelVariables)
    by_name = {one.name: one for one in fmpy.read_model_description(str(units / "hmmwv_fmi2.fmu")).modelVariables}
    throttle, gear = by_name["command_throttle"], by_name["gear"]
    assert (throttle.causality, throttle.variability, throttle.min, throttle.max) == ("input", "continuous", "0.0", "1.0")
    assert (gear.causality, gear.type, gear.variability, gear.initial) == ("output", "Integer", "discrete", "calculated")
    assert (by_name["start_speed"].causality, by_name["start_speed"].variability) == ("parameter", "fixed")
    assert by_name["v_WB_B_x"].unit == "m/s"


@VERSIONS
def test_instances_of_a_vehicle_have_the_bits_of_the_library(host, fmi):
    sim = jounce.Simulation("hmmwv", "flat", platform=None)
    expected = [[sim[name] for name in SHOWN]]
    for n in range(80):
        sim.command(**_command(0.01 * n))
        sim.advance(0.01)
        expected.append([sim[name] for name in SHOWN])
    first, second = host("hmmwv", fmi), host("hmmwv", fmi)
    first.begin()
    second.begin(start_speed=5.0, start_yaw=0.5)
    assert second.get("v_WB_B_x", "yaw") == pytest.approx([5.0, 0.5], abs=1e-4)
    seen = [first.get(*SHOWN)]
    for n in range(80):
        first.step(0.01, **_inputs(0.01 * n))
        second.step(0.01)
        seen.append(first.get(*SHOWN))
    assert np.array_equal(seen, expected)
    first.reset()
    first.begin()
    for n in range(10):
        first.step(0.01, **_inputs(0.01 * n))
    assert first.get(*SHOWN) == expected[10]
    first.end()
    second.end()
    third = host("hmmwv", fmi)
    third.begin()
    for n in range(4):  # longer than the period of the driver
        third.step(0.02, **_inputs(0.01 * n))
    longer = jounce.Simulation("hmmwv", "flat", platform=None)
    for n in range(4):
        longer.command(**_command(0.01 * n))
        longer.advance(0.02)
    assert third.get(*SHOWN) == [longer[name] for name in SHOWN]
    third.end()


def test_an_input_acts_from_the_next_tick(host):
    one, other = host("hmmwv", 3), host("hmmwv", 3)
    for unit in (one, other):
        unit.begin()
        unit.step(0.001)
    one.step(0.001, command_steering=0.5)
    other.step(0.001)
    angles = [unit.get("steering_wheel_angle")[0] for unit in (one, other)]
    assert angles[0] > 0.0 and angles[1] == 0.0
    one.end()
    other.end()


def test_a_host_of_its_own_accord_simulates_a_unit(units):
    rows = np.array([(0.0, 1.0), (1.0, 1.0)], dtype=[("time", "f8"), ("command_throttle", "f8")])
    arguments = {"stop_time": 1.0, "step_size": 0.01, "output_interval": 0.01, "input": rows, "output": ["v_WB_B_x"]}
    results = [fmpy.simulate_fmu(str(units / f"hmmwv_fmi{fmi}.fmu"), **arguments) for fmi in (2, 3)]
    assert len(results[0]) == 101 and results[0]["v_WB_B_x"][-1] > 0.1
    assert np.array_equal(results[0]["v_WB_B_x"], results[1]["v_WB_B_x"])


@VERSIONS
@pytest.mark.parametrize("name", ["tmeasy_hmmwv", "magic_hmmwv"])
def test_a_tire_has_the_forces_of_the_rig(host, name, fmi):
    tire, load, alpha, kappa = build_tire(name), 9000.0, 0.05, 0.03
    unit = host(name, fmi)
    rolling = {"load": load, "v_x": SPEED, "v_y": SPEED * np.tan(alpha), "camber": 0.02}
    unit.begin(**rolling)
    radius = unit.get("effective_radius")[0]
    h, steps = 0.001, 300
    _, forces = build_up(tire, load, alpha=alpha, way=h * steps * SPEED, steps=steps)
    seen = []
    for _ in range(steps):
        unit.step(h, **{**rolling, "camber": 0.0}, spin=SPEED / radius)
        seen.append(unit.get("F_x", "F_y"))
    np.testing.assert_allclose(seen, forces, rtol=0.0, atol=1e-12 * load)
    for _ in range(5):
        unit.step(2.0, **rolling, spin=SPEED * (1.0 + kappa) / radius)
    expected = steady(tire, load, kappa, alpha, 0.02)[0]
    np.testing.assert_allclose(unit.get("F_x", "F_y", "M_x", "M_z"), expected[[0, 1, 2, 4]], rtol=1e-9, atol=1e-9 * load)
    assert unit.get("M_y")[0] == pytest.approx(expected[3], rel=1e-3)
    assert unit.get("slip_ratio", "slip_angle") == pytest.approx([kappa / (1.0 + kappa), alpha])
    unit.end()


@VERSIONS
def test_a_washout_moves_the_legs_of_the_session(host, fmi):
    names = ("platform_p_NP_x", "platform_pitch", *(f"platform_legs_{leg}" for leg in range(6)))
    sim = jounce.Simulation("hmmwv", "flat", changes={"driver": "auto"}, log_rate=1000, channels=[*names, "f_H_B", "w_WB_B"])
    sim.command(throttle=1.0)
    sim.advance(0.6)
    log = sim.log
    unit = host("small_hexapod", fmi)
    unit.begin(f_H_B_z=log["f_H_B_z"][0], f_H_B_x=log["f_H_B_x"][0], f_H_B_y=log["f_H_B_y"][0])
    outputs = [name.removeprefix("platform_") for name in names]
    seen, axes = [unit.get(*outputs)], ("x", "y", "z")
    for n in range(1, log.rows):
        unit.step(0.001, **{f"{field}_{axis}": log[f"{field}_{axis}"][n] for field in ("f_H_B", "w_WB_B") for axis in axes})
        seen.append(unit.get(*outputs))
    np.testing.assert_allclose(seen, np.stack([log[name] for name in names], axis=1), rtol=0.0, atol=1e-12)
    assert np.ptp([row[0] for row in seen]) > 0.001
    for n in range(200):  # whatever comes in, the limiter keeps the legs within their limits
        unit.step(0.01, f_H_B_x=1000.0 * (-1) ** n, w_WB_B_y=100.0)
        assert np.isfinite(unit.get(*outputs)).all()
    unit.step(0.01, run=0)
    unit.end()


@VERSIONS
def test_a_refused_value_leaves_the_state_as_it_is(host, fmi, capfd):
    unit = host("hmmwv", fmi)
    unit.begin()
    unit.step(0.01, command_throttle=1.0)
    before = unit.get(*SHOWN)
    for value in (float("nan"), float("inf"), 1.5):
        with pytest.raises(FMICallException) as refused:
            unit.step(0.01, command_throttle=value)
        assert refused.value.status == DISCARDED
        assert unit.get(*SHOWN) == before
    text = f"input command_throttle: expected a number from 0 to 1; got {float('nan'):g}"
    assert text in capfd.readouterr().err
    unit.step(0.01, command_throttle=1.0)
    assert unit.get("v_WB_B_x") != [before[3]]
    unit.end()


NAN, INF = float("nan"), float("inf")
WRONG_STEPS = [(None, step, "a multiple of the tick, 0.001 s, up to 1000 s") for step in (0.0105, 0.0, -0.01, NAN, INF, 1001.0, 1e300)]
WRONG_POINTS = [(at, 0.01, "expected 0.01 s, the end of the last step") for at in (0.5, NAN, -INF)]


def _status(call, *arguments, **values) -> int:
    """Return the status of a call that the unit does not accept."""
    with pytest.raises(FMICallException) as refused:
        call(*arguments, **values)
    return refused.value.status


@VERSIONS
def test_a_refused_step_leaves_the_state_as_it_is_and_the_host_alive(host, fmi, capfd):
    unit = host("hmmwv", fmi)
    unit.begin(start_speed=5.0)
    unit.step(0.01)
    before, due = unit.get(*SHOWN), unit.time
    for at, step, text in (*WRONG_STEPS, *WRONG_POINTS):
        unit.time = due if at is None else at
        assert _status(unit.step, step) == (DISCARDED if fmi == 2 else FAILED), (at, step)
        assert text in capfd.readouterr().err
        assert unit.get(*SHOWN) == before
    unit.time = due
    unit.step(0.01)
    assert unit.get("p_WB_x")[0] > before[0]
    unit.end()


@VERSIONS
def test_after_a_failed_initialization_every_step_is_refused_until_a_reset(host, fmi, capfd):
    unit = host("hmmwv", fmi)
    for name, value in (("start_speed", NAN), ("start_speed", -3.0), ("start_x", 1e9), ("start_yaw", INF), ("command_throttle", 2.0)):
        unit.begin(**{name: value})
        for _ in range(2):
            assert _status(unit.step, 0.01) == (DISCARDED if fmi == 2 else FAILED), name
            assert f"{name}: expected a number from" in capfd.readouterr().err
            unit.get(*SHOWN)
        unit.reset()
    assert _status(unit.step, 0.01) == (DISCARDED if fmi == 2 else FAILED)
    assert "step before the initialization" in capfd.readouterr().err
    unit.begin(start_speed=5.0)
    unit.step(0.01)
    assert unit.get("v_WB_B_x")[0] == pytest.approx(5.0, abs=0.1)
    unit.fmu.terminate()
    assert _status(unit.step, 0.01) == (DISCARDED if fmi == 2 else FAILED)
    unit.fmu.freeInstance()


@VERSIONS
def test_a_wrong_call_without_a_status_refuses_the_next_step(host, fmi, capfd):
    unit = host("hmmwv", fmi)
    unit.begin()
    read, write = (unit.fmu.getReal, unit.fmu.setReal) if fmi == 2 else (unit.fmu.getFloat64, unit.fmu.setFloat64)
    before = unit.get(*SHOWN)
    for call, text in (
        (lambda: np.isnan(read([999_999])[0]), "value reference 999999: no variable of the type real"),
        (lambda: write([4_000_000_000], [1.0]) is None, "no variable of the type real"),
        (lambda: unit.set({"p_WB_x": 3.0}) is None, "output p_WB_x cannot be set now"),
        (lambda: unit.set({"start_speed": 3.0}) is None, "parameter start_speed cannot be set now"),
    ):
        assert call()
        assert _status(unit.step, 0.01) == (DISCARDED if fmi == 2 else FAILED)
        assert text in capfd.readouterr().err
        assert unit.get(*SHOWN) == before
        unit.reset()
        unit.begin()
    unit.step(0.01)
    unit.end()


def test_an_exception_of_a_model_does_not_reach_the_binary(units, tmp_path, monkeypatch):
    """The binary frees a unit whose method raises, and the next call ends the host."""
    with zipfile.ZipFile(units / "tmeasy_hmmwv_fmi2.fmu") as archive:
        archive.extractall(tmp_path)
    for kind, refused in ((Fmi2Slave, False), (Fmi3Slave, (FAILED, False))):
        unit = kind(resources=str(tmp_path / "resources"))
        unit.setup_experiment(0.0)
        unit.exit_initialization_mode()
        monkeypatch.setattr(unit._model, "advance", lambda inputs, ticks: 1 / 0)
        assert unit.do_step(0.0, 0.001) == refused
        monkeypatch.undo()
        assert unit.do_step(0.0, 0.001) == refused
        monkeypatch.setattr(unit._model, "close", lambda: 1 / 0)
        unit.terminate()
        assert len(unit._get_log_queue()) == 3
        monkeypatch.undo()


def _changed(file: Path, out: Path, change) -> Path:
    """Copy an FMU with another content."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(out, "w") as new:
        for one in old.namelist():
            data = old.read(one)
            new.writestr(one, json.dumps(change(json.loads(data))) if one == "resources/unit.json" else data)
    return out


@VERSIONS
def test_a_unit_of_another_version_or_a_wrong_configuration_does_not_begin(units, tmp_path, fmi, capfd):
    def wrong(content):
        content["configuration"]["vehicle"]["chassis"]["mass"] = -1.0
        return content

    file = units / f"hmmwv_fmi{fmi}.fmu"
    for change, text in ((lambda content: {**content, "version": "0.0.1"}, "this FMU is of jounce 0.0.1"), (wrong, "vehicle.chassis.mass")):
        changed = _changed(file, tmp_path / "changed.fmu", change)
        with pytest.raises(Exception, match="Failed to instantiate"):
            Instance(changed, tmp_path / "wrong")
        assert text in capfd.readouterr().err
        shutil.rmtree(tmp_path / "wrong")


HOST_WITHOUT_JOUNCE = """
import sys
sys.path[:] = [one for one in sys.path if one != {root!r}]
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "jounce":
            raise ModuleNotFoundError("No module named 'jounce'", name=name)
sys.meta_path.insert(0, Hidden())
sys.path.append({helper!r})
from pathlib import Path
from fmu_host import Instance
for n in range(3):
    try:
        Instance(Path({file!r}), Path({folder!r}) / str(n))
    except Exception as error:
        print("refused:", error)
print("the host continues")
"""


@VERSIONS
def test_a_host_without_jounce_survives(units, tmp_path, fmi):
    root = str(Path(jounce.__file__).parent)
    places = {"root": root, "helper": str(Path(__file__).parent), "file": str(units / f"hmmwv_fmi{fmi}.fmu"), "folder": str(tmp_path)}
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    script = HOST_WITHOUT_JOUNCE.format(**places)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("refused: Failed to instantiate") == 3
    assert done.stdout.endswith("the host continues\n")
    assert "the Python of this host cannot import jounce 0.2.0" in done.stderr
    assert "install the wheel or checkout of Jounce 0.2.0 into it" in done.stderr


HOST = """
import sys
sys.path.append({helper!r})
from pathlib import Path
from fmu_host import Instance
for n in range(2):
    unit = Instance(Path({file!r}), Path({folder!r}) / str(n))
    unit.begin(load=5000.0)
    unit.step(0.001, v_x=10.0, spin=20.0)
    unit.end()
print("F_x", unit.about.fmiVersion)
"""


@VERSIONS
def test_a_host_ends_without_a_crash(units, tmp_path, fmi):
    """The binaries of pythonfmu corrupt the heap at the exit of about every second process, see `simulator.fmi.python_binaries`."""
    script = HOST.format(helper=str(Path(__file__).parent), file=str(units / f"tmeasy_hmmwv_fmi{fmi}.fmu"), folder=str(tmp_path))
    for _ in range(2):
        command, root = [sys.executable, "-c", script], str(Path(jounce.__file__).parent)
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        shutil.rmtree(tmp_path)


def test_the_files_of_a_configuration_travel_with_the_unit(tmp_path, capsys):
    heights = tmp_path / "own" / "heights.npy"
    heights.parent.mkdir()
    np.save(heights, np.zeros((40, 40)))
    (tmp_path / "own" / "field.yaml").write_text(
        "type: heightmap\nsurface: asphalt\nheights: "
        "{file: heights.npy, spacing: [2, 2], first_row: south, origin: [0, 0], scale: 1, offset: 0}\n"
    )
    words = ["fmu", "vehicle", "hmmwv", "--terrain", str(heights.with_name("field.yaml")), "--out", str(tmp_path / "out"), "--fmi", "3"]
    assert main(words) == 0
    shutil.rmtree(tmp_path / "own")
    unit = Instance(tmp_path / "out" / "hmmwv_fmi3.fmu", tmp_path / "unpacked")
    unit.begin()
    unit.step(0.01)
    unit.end()
    assert main(words) == 2
    assert "file exists; hint: use --overwrite" in capsys.readouterr().err
    assert main(["fmu", "vehicle", "--terrain", "flat", "--out", str(tmp_path / "none"), "--channels", "no_such"]) == 2
    assert "--channels" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
    for option in ("--channels", "--out"):
        with pytest.raises(SystemExit) as ended:
            main(["fmu", "vehicle", "--terrain", "flat", "--out", str(tmp_path / "none"), option, ""])
        assert ended.value.code == 2
        assert f"argument {option}: expected a name; got ''" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
