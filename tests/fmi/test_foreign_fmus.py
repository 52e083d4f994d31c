"""FMUs of others: one drives a vehicle; whatever is no FMU is refused in one line. The FMUs here are made by pythonfmu."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import jounce
from simulator.base.errors import JounceError
from simulator.cli.main import main
from simulator.fmi import foreign_archive
from simulator.fmi.foreign_archive import DESCRIPTION, unpack
from simulator.fmi.foreign_unit import ForeignUnit

pytest.importorskip("fmpy", reason="the extra fmi is not installed")

SCRIPT = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Real


class {name}(Fmi2Slave):
    def __init__(self, **arguments):
        super().__init__(**arguments)
        for name in {inputs}:
            setattr(self, name, 0.0)
            self.register_variable(Real(name, causality=Fmi2Causality.input))
        for name in {outputs}:
            setattr(self, name, 0.0)
            self.register_variable(Real(name, causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        {step}
        return True
"""
SPEED = """error = 6.0 - self.v_WB_B_x
        self.throttle = 0.5 * error
        self.brake = -0.2 * error
        self.steering = 0.1 * current_time"""


@pytest.fixture(scope="module")
def make(tmp_path_factory) -> Callable[..., Path]:
    """Function of a name and the lines of a step that returns an FMU, by default that of a driver."""
    drivers = tmp_path_factory.mktemp("drivers")

    def build(
        place: str,
        more: str = "",
        step: str = SPEED,
        inputs: tuple[str, ...] = ("v_WB_B_x",),
        outputs: tuple[str, ...] = ("throttle", "brake", "steering"),
    ) -> Path:
        name, folder = Path(place).name, drivers / Path(place).parent
        folder.mkdir(exist_ok=True)
        (folder / f"{name.lower()}.py").write_text(SCRIPT.format(name=name, inputs=inputs, outputs=outputs, step=f"{step}\n        {more}"))
        command = [sys.executable, "-m", "pythonfmu", "build", "-f", f"{name.lower()}.py"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
        return folder / f"{name}.fmu"

    return build


def _zipped(source: Path, out: Path, change: Callable[[str], str] = str, more: dict[str, bytes] | None = None) -> Path:
    """Copy an FMU with another model description and more files."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.namelist():
            new.writestr(one, change(old.read(one).decode()) if one == DESCRIPTION else old.read(one))
        for name, data in (more or {}).items():
            new.writestr(name, data)
    return out


def _clipped(t: float, readout) -> dict[str, float]:
    error = 6.0 - float(readout["v_WB_B"][0])
    return {"throttle": min(max(0.5 * error, 0.0), 1.0), "brake": min(max(-0.2 * error, 0.0), 1.0), "steering": min(0.1 * t, 1.0)}


def test_an_fmu_drives_as_the_same_driver_in_python(make, tmp_path, capfd):
    own = jounce.Simulation("hmmwv", "flat", platform=None, driver=_clipped, channels=["p_WB", "v_WB_B", "command_*"])
    own.advance(2.0)
    file = make("Speed")
    driver = {"type": "fmu", "file": str(file)}
    names = ["p_WB", "v_WB_B", "command_*"]
    sim = jounce.Simulation("hmmwv", "flat", platform=None, changes={"driver": driver}, channels=names)
    sim.advance(2.0)
    assert sim["v_WB_B_x"] > 2.0
    for name in sim.log.columns:
        np.testing.assert_allclose(sim.log[name], own.log[name], rtol=0.0, atol=1e-12, err_msg=name)
    sim.reset()  # the time jumps back: the FMU begins again
    sim.advance(0.5)
    assert sim["p_WB_x"] == own.log["p_WB_x"][50]
    sim.close()
    said = capfd.readouterr().err
    assert said.count("an FMU runs foreign code on this machine") == 1
    units = (
        '<UnitDefinitions><Unit name="km/h"><BaseUnit m="1" s="-1" factor="0.2777777777777778"/></Unit></UnitDefinitions><LogCategories>'
    )

    def in_kph(text: str) -> str:
        return text.replace("<LogCategories>", units, 1).replace('<Real start="0"/>', '<Real start="0" unit="km/h"/>', 1)

    other = _zipped(
        file, tmp_path / "kph.fmu", lambda text: in_kph(text).replace("v_WB_B_x", "speed").replace('"steering"', '"command_steering"')
    )
    unit = ForeignUnit(other, {"v_WB_B_x": "m/s"}, {"throttle": "1", "brake": "1", "command_steering": "1"}, {"speed": "v_WB_B_x"})
    unit.begin(0.0, {"v_WB_B_x": 0.0})
    assert unit.step(0.0, 0.01, {"v_WB_B_x": 10.0})["brake"] == pytest.approx(-0.2 * (6.0 - 36.0))
    unit.close()
    faster = ForeignUnit(make("Faster/Speed", "self.throttle = 7.0"), {"v_WB_B_x": "m/s"}, {"throttle": "1"}, {})
    faster.begin(0.0, {"v_WB_B_x": 0.0})  # a script of the same name
    assert faster.step(0.0, 0.01, {"v_WB_B_x": 0.0}) == {"throttle": 7.0}
    faster.close()
    with pytest.raises(JounceError, match="a unit of the same quantity as N"):
        ForeignUnit(other, {"v_WB_B_x": "N"}, {"throttle": "1"}, {"speed": "v_WB_B_x"})
    with pytest.raises(JounceError, match=r"speed: .*hint: use `names`"):
        ForeignUnit(other, {"v_WB_B_x": "m/s"}, {"throttle": "1"}, {})


def test_a_run_with_an_fmu_is_repeated_bit_for_bit(make, tmp_path, capsys):
    words = [
        "--terrain",
        "flat",
        "--set",
        "duration=1",
        "--set",
        "maneuver.duration_s=1",
        "--plots",
        "none",
        "--out",
        str(tmp_path / "run"),
    ]
    assert main(["run", "constant_speed", "--driver", str(make("Again")), *words]) == 0
    assert main(["rerun", str(tmp_path / "run"), "--out", str(tmp_path / "again")]) == 0
    assert "bitwise equal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "more", "text"),
    [
        ("Infinite", "self.throttle = float('nan')", "output throttle of the FMU is not finite at 0.20 s"),
        ("Raising", "raise ValueError('no fuel')", "no fuel"),
    ],
)
def test_a_failing_fmu_ends_the_drive_with_its_reason(make, name, more, text):
    file = make(name, f"if current_time > 0.195: {more}")
    sim = jounce.Simulation("hmmwv", "flat", platform=None, changes={"driver": {"type": "fmu", "file": str(file)}})
    with pytest.raises(JounceError, match=text):
        sim.advance(0.5)
    assert sim.time == pytest.approx(0.2)
    sim.close()


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal here")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_run_whose_fmu_hangs(make, tmp_path, number):
    """Unlike a driver in Python, an FMU runs in the main thread, where nothing can interrupt it."""
    file = make(
        "Hangs",
        f"""
        if current_time > 0.2:
            import time
            open({str(tmp_path / "hangs")!r}, "w").close()
            time.sleep(1000.0)""",
    )
    words = ["run", "constant_speed", "--terrain", "flat", "--driver", str(file), "--out", str(tmp_path / "out")]
    root = str(Path(jounce.__file__).parent)
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    command = [sys.executable, "-m", "simulator", *words]
    process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not (tmp_path / "hangs").exists() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(number)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    code, line = (130, "jounce: interrupted") if number == signal.SIGINT else (143, "jounce: terminated")
    assert process.returncode == code
    assert [one for one in err.splitlines() if "foreign code" not in one] == [line]
    assert {"configuration.yaml", "telemetry.rows"} <= {one.name for one in (tmp_path / "out").iterdir()}
    assert main(["info", str(tmp_path / "out")]) == 0
    assert not list((tmp_path / "tmp").iterdir())


def test_an_fmu_is_a_controller_of_the_vehicle(make, capfd):
    wheels = ("wheel_speed_FL", "wheel_speed_FR")
    step = "self.throttle_limit = min(max(0.3 * (8.0 - 0.5 * (self.wheel_speed_FL + self.wheel_speed_FR)), 0.0), 1.0)"
    entry = {"type": "fmu", "name": "limiter", "file": str(make("Limiter", "", step, wheels, ("throttle_limit",)))}

    def sim(**keys: object) -> jounce.Simulation:
        changes = {"vehicle.controllers": [{**entry, **keys}]}
        return jounce.Simulation("hmmwv_abs", "flat", platform=None, changes=changes, channels=["wheel_spin", "limiter_updates"])

    one, free = sim(), sim(active=False)
    for simulation in (one, free):
        simulation.command(throttle=1.0)
        simulation.advance(3.0)
    assert free["wheel_spin"].max() > 10.0
    assert one["wheel_spin"].max() < 8.1
    assert one["limiter_updates"] == 300.0
    first = one.log
    one.reset()
    one.command(throttle=1.0)
    one.advance(3.0)
    assert np.array_equal(one.log["wheel_spin_FL"], first["wheel_spin_FL"])
    one.vehicle.space.controls["numbers"].view(np.float64)[0, 0] = 7.0  # as after an incident: the vehicle has an older state
    one.advance(0.5)
    assert one.vehicle.troubles
    assert "the state of the vehicle was put back" in capfd.readouterr().err
    with pytest.raises(JounceError, match="wheel_speed_FX"):
        sim(names={"wheel_speed_FL": "wheel_speed_FX"})


def test_what_is_no_fmu_for_this_machine_is_refused_in_one_line(make, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(foreign_archive, "MAX_UNPACKED", 4 << 20)
    good, bad = make("Good"), tmp_path / "bad.fmu"
    rng = random.Random(5)

    def with_link(data: bytes) -> bytes:
        stream = io.BytesIO(data)
        with zipfile.ZipFile(stream, "a") as archive:
            link = zipfile.ZipInfo("resources/link")
            link.external_attr = 0o120777 << 16
            archive.writestr(link, "/etc/passwd")
        return stream.getvalue()

    def of(change: Callable[[str], str] = str, **more: bytes) -> bytes:
        return _zipped(
            good, tmp_path / "made.fmu", change, {name.replace("_dots_", "../"): data for name, data in more.items()}
        ).read_bytes()

    def without_binaries() -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(good) as old, zipfile.ZipFile(out, "w") as new:
            for one in old.namelist():
                new.writestr(one.replace("binaries/linux64", "binaries/other"), old.read(one))
        return out.getvalue()

    data = good.read_bytes()
    cases = {
        "it is no archive": (b"", "expected an FMU"),
        "names of files inside the archive": (of(_dots_evil=b"x"), "got '../evil'"),
        "a link": (with_link(data), "resources/link"),
        "an entity": (of(lambda text: text.replace("?>", '?><!DOCTYPE a [<!ENTITY b "c">]>', 1)), "DOCTYPE"),
        "depth": (of(lambda text: "<a>" * 1000), "nested"),
        "no identifier": (of(lambda text: text.replace('modelIdentifier="Good"', 'modelIdentifier="../x"')), "an identifier"),
        "size": (of(resources_big=bytes(5 << 20)), "bytes unpacked"),
        "another machine": (without_binaries(), "a binary for this machine"),
        "another version": (of(lambda text: text.replace('fmiVersion="2.0"', 'fmiVersion="1.0"')), ""),
        **{f"cut {n}": (data[: rng.randrange(len(data))], "") for n in range(8)},
    }
    for n in range(8):
        damaged = bytearray(data)
        for _ in range(20):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        cases[f"damaged {n}"] = (bytes(damaged), "")
    for case, (content, text) in cases.items():
        bad.write_bytes(content)
        with pytest.raises(JounceError) as refused:
            unpack(bad)
        assert text in str(refused.value), case
        assert "\n" not in str(refused.value), case
    assert "foreign code" not in capfd.readouterr().err
    assert not (tmp_path.parent / "evil").exists()
    for place in (tmp_path, tmp_path / "missing.fmu", bad):
        words = ["run", "constant_speed", "--terrain", "flat", "--plots", "none", "--out", str(tmp_path / "run")]
        assert main([*words, "--set", f"driver={{type: fmu, file: {place}}}"]) == 2
        assert capfd.readouterr().err.count("\n") == 1
    assert not (tmp_path / "run").exists()
