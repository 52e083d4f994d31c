"""`jounce check` of plugins: does the command check every kind of a plugin, and does a file give the example?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Jounce = Callable[..., tuple[int, str, str]]
PLUGIN = """
from simulator.sensors.contract import CONTRACT, SensorKind
from simulator.sensors.kinds import register
from simulator.base.fields import Field, Number

class Probe:
    def __init__(self, settings):
        self.length = float(settings.parameters[0]["length"])

    def step(self, sample, out):
        out[0]["value"] = BODY

FIELDS = (Field("length", Number("m", 0.5, 2.0), "length"),)
register(SensorKind("NAME", FIELDS, (("value", (), "m", "a value"),), Probe, CONTRACT, meaning="a sensor of a test"))
"""


def written(folder: Path, name: str, body: str) -> Path:
    """Return a plugin file with a sensor of a name, whose measurement is an expression."""
    file = folder / f"{name}.py"
    file.write_text(PLUGIN.replace("NAME", name).replace("BODY", body), encoding="utf-8")
    return file


def test_the_command_checks_every_kind_of_a_plugin(jounce: Jounce, tmp_path: Path) -> None:
    good, bad = written(tmp_path, "probe_one", "self.length"), written(tmp_path, "probe_two", 'float("inf")')
    code, out, err = jounce("check", plugins=(good, bad))
    assert code == 2
    assert out.splitlines()[:2] == ["sensor probe_one: good (13 checks)", "sensor probe_two: failed (5 faults)"]
    assert "sensor probe_two: finite output: a vehicle at rest: value is not finite" in err
    assert jounce("check", plugins=(good,))[:2] == (0, "sensor probe_one: good (13 checks)\n")


def test_a_file_gives_the_example_of_a_plugin(jounce: Jounce, tmp_path: Path) -> None:
    plugin = written(tmp_path, "probe_three", 'self.length if self.length != 1.25 else float("inf")')
    session = tmp_path / "session.yaml"
    session.write_text("sensors:\n- type: probe_three\n  length: 1.25\n", encoding="utf-8")
    code, _, err = jounce("check", session, "--kind", "washouts", plugins=(plugin,))
    assert code == 2 and "probe_three: finite output" in err


@pytest.mark.parametrize(("plugins", "message"), [
    ((), "check: nothing to check; expected files, or --plugin with a Python file"),
    (("registers_nothing.py",), "the plugins register no kind; expected a call of `register` when the file is imported"),
])  # fmt: skip
def test_nothing_to_check_is_an_error(jounce: Jounce, tmp_path: Path, plugins: tuple[str, ...], message: str) -> None:
    (tmp_path / "registers_nothing.py").write_text("", encoding="utf-8")
    code, _, err = jounce("check", plugins=tuple(tmp_path / plugin for plugin in plugins))
    assert code == 2 and message in err
