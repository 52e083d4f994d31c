"""Do a session file and `--set` pass parameters to drivers, input sources and protocols, and does a rerun use them?"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from simulator.base.errors import ConfigError
from simulator.builder.builder import build
from simulator.catalog.file_kinds import kind_named
from simulator.catalog.json_schema import file_schema
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import read_settings
from simulator.configuration.session_file import SessionOptions, read_session
from simulator.telemetry.writer import read_telemetry
from tests.messages import is_message
from tests.plugins import drivers, outlets, protocols  # noqa: F401 - they register

Jounce = Callable[..., tuple[int, str, str]]
PLUGINS = ("drivers", "protocols")
SHORT = {"base": "avtp_lane_change", "duration": 2.0, "limits": None, "parameters": {"speed_kph": 30}}


def file(path: Path, content: Any) -> Path:
    path.write_text(yaml.safe_dump(content))
    return path


def options(folder: Path, content: Any, *settings: str) -> SessionOptions:
    return read_session(configuration(str(file(folder / "s.yaml", content)), read_settings(settings)))


def streamed(protocol: Any) -> dict[str, Any]:
    return {"outlets": {"motion": {"protocol": protocol}}}


def test_a_mapping_gives_parameters_and_a_name_means_the_defaults(tmp_path: Path) -> None:
    assert options(tmp_path, {"driver": {"type": "bend", "steering": 0.2}}).driver == ("bend", {"steering": 0.2})
    assert options(tmp_path, {"driver": {"type": "pedal"}}).driver == ("pedal", {"throttle": 0.4})
    assert options(tmp_path, {"driver": "bend"}).driver == ("bend", {})
    assert options(tmp_path, {"driver": {"type": "auto"}}).driver == ("auto", {})
    assert options(tmp_path, streamed({"type": "mine", "scale": 5})).motion.protocol == ("mine", {"scale": 5.0})


def test_a_unit_may_stand_behind_a_key(tmp_path: Path) -> None:
    assert options(tmp_path, {"driver": {"type": "held_speed", "speed_kph": 36.0}}).driver.parameters["speed"] == pytest.approx(10.0)
    other = options(tmp_path, {"driver": {"type": "held_speed", "speed_kph": 36.0}}, "driver.speed=7")
    assert other.driver.parameters == {"speed": 7.0}


@pytest.mark.parametrize("said", ["bend", {"type": "bend"}, {"type": "bend", "steering": 0.5}])
def test_a_setting_finds_them_below_a_name_and_in_a_mapping(tmp_path: Path, said: Any) -> None:
    assert options(tmp_path, {"driver": said}, "driver.steering=0.25").driver == ("bend", {"steering": 0.25})
    assert options(tmp_path, {}, "driver.steering=0.25", "driver=bend").driver == ("bend", {"steering": 0.25})
    found = options(tmp_path, streamed("mine"), "outlets.motion.protocol.scale=2").motion
    assert found.protocol == ("mine", {"scale": 2.0})


@pytest.mark.parametrize(
    ("content", "settings", "complaint"),
    [
        (
            {"driver": {"type": "bend", "stering": 0.1}},
            (),
            "s.yaml:2: driver.stering: unknown key; expected ...; got 0.1; hint: did you mean steering?",
        ),
        (
            {"driver": {"steering": 2, "type": "bend"}},
            (),
            "s.yaml:2: driver.steering: invalid value; expected a number, from -1 to 1...; got 2",
        ),
        (
            {"driver": {"steering": "left", "type": "bend"}},
            (),
            "s.yaml:2: driver.steering: invalid value; expected a number...; got 'left'",
        ),
        ({"driver": {"type": "held_speed"}}, (), "s.yaml:1: driver.speed: missing; expected a number in m/s: held"),
        (
            {"driver": {"type": "held_speed", "speed_deg": 1}},
            (),
            "driver.speed_deg: invalid value; expected speed in m/s, without a suffix or with one of...; got 1",
        ),
        ({"driver": {"type": "bned"}}, (), "s.yaml:2: driver.type: invalid value; expected one of auto, ...; got 'bned'"),
        ({"driver": {"steering": 0.1}}, (), "s.yaml:1: driver.type: missing; expected one of auto, "),
        ({"driver": {"type": "auto", "port": 1}}, (), "s.yaml:2: driver.port: unknown key; expected type...; got 1"),
        ({"driver": ["bend"]}, (), "s.yaml:1: driver: invalid value; expected one of auto, ...; got ['bend']"),
        ({"driver": "bend"}, ("driver.stering=1",), "--set driver.stering: unknown key; expected ...; got 1; hint: did you mean steering?"),
        (
            {"driver": "bend"},
            ("driver.steering.deep=1",),
            "--set driver.steering.deep: invalid value; expected a number...; got {'deep': 1}",
        ),
        (
            streamed({"type": "mine", "scale": -1}),
            (),
            "s.yaml:4: outlets.motion.protocol.scale: invalid value; expected a number...; got -1",
        ),
        (streamed("native"), ("outlets.motion.protocol.scale=1",), "--set outlets.motion.protocol.scale: unknown key; expected ...; got 1"),
    ],
)
def test_invalid_parameters_are_refused_with_their_place(tmp_path: Path, content: Any, settings: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(ConfigError) as raised:
        options(tmp_path, content, *settings)
    assert is_message(complaint, str(raised.value))


def test_all_errors_of_plugin_outlets_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    content = {"terrain": "flat", "outlets": {"plugins": [{"digits": 10, "rat": 1, "type": "lines"}, "lines", "linse"]}}
    parts = build(configuration(str(file(tmp_path / "s.yaml", content))), check_step=False)
    with pytest.raises(ConfigError) as raised:
        parts.outlets(tmp_path)
    expected = [(3, "outlets.plugins[0].digits"), (4, "outlets.plugins[0].rat"), (7, "outlets.plugins[2].type")]
    assert [(one.line, one.key) for one in raised.value.errors] == expected


def test_the_schema_knows_them() -> None:
    kind = kind_named("sessions")
    schema = json.loads(json.dumps(file_schema(kind.name, kind.description, kind.table, kind.based)))
    good = [{"driver": {"type": "held_speed", "speed_kph": 36.0}}, {"driver": "bend"}, streamed({"type": "mine", "scale": 1.0})]
    bad = [
        {"driver": {"type": "held_speed", "sped": 1.0}},
        {"driver": {"type": "bend", "steering": 2.0}},
        streamed({"type": "native", "scale": 1}),
    ]
    follows = Draft202012Validator(schema).is_valid
    assert all(follows(one) for one in good)
    assert not any(follows(one) for one in bad)


def test_driver_and_protocol_of_a_session_get_their_parameters_in_a_drive(jounce: Jounce, tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        motion = {"protocol": {"type": "mine", "scale": 10.0}, "to": f"127.0.0.1:{listener.getsockname()[1]}", "wait": False}
        session = {
            "terrain": "flat",
            "duration": 0.5,
            "driver": {"type": "bend", "steering": 0.2},
            "outlets": {"view": "none", "motion": motion},
        }
        words = ("drive", "--session", file(tmp_path / "s.yaml", session), "--out", tmp_path / "out", "--set", "driver.steering=-0.3")
        code, _, err = jounce(*words, plugins=PLUGINS)
        assert code == 0, err
        packet = struct.unpack(protocols.LAYOUT, listener.recv(4096))
    columns = read_telemetry(tmp_path / "out" / "telemetry.parquet")
    assert columns["command_steering"][-1] == pytest.approx(-0.3)
    assert packet[4] == pytest.approx(10.0 * columns["platform_p_NP_z"][0], rel=0.01)
    left = yaml.safe_load((tmp_path / "out" / "configuration.yaml").read_text())
    assert left["driver"] == {"type": "bend", "steering": -0.3}
    assert left["outlets"]["motion"]["protocol"] == {"type": "mine", "scale": 10.0}


def test_an_input_source_gets_its_parameters_in_a_drive(jounce: Jounce, tmp_path: Path) -> None:
    words = ("drive", "--no-view", "--no-motion", "--terrain", "flat", "--duration", 0.5, "--out", tmp_path / "out")
    code, _, err = jounce(*words, "--driver", "pedal", "--set", "driver.throttle=0.7", plugins=PLUGINS)
    assert code == 0, err
    assert read_telemetry(tmp_path / "out" / "telemetry.parquet")["command_throttle"][-1] == pytest.approx(0.7)


def test_an_unusable_driver_ends_the_command_with_one_line(jounce: Jounce, tmp_path: Path) -> None:
    maneuver = file(tmp_path / "m.yaml", SHORT)
    code, _, err = jounce("run", maneuver, "--set", "driver={type: held_speed, speed: 99}", "--out", tmp_path / "out", plugins=PLUGINS)
    assert code == 2
    assert err == "jounce: --set driver: speed: invalid value; expected a number in m/s, from 1 to 30; got 99\n"


def test_a_run_with_a_plugin_driver_can_be_rerun(jounce: Jounce, tmp_path: Path) -> None:
    """The driver ignores the path of the maneuver, so a rerun with the maneuver driver would differ."""
    maneuver = file(tmp_path / "m.yaml", SHORT)
    words = ("run", maneuver, "--set", "driver={type: held_speed, speed_kph: 18}", "--out", tmp_path / "run")
    code, _, err = jounce(*words, plugins=PLUGINS)
    assert code == 0, err
    maneuver.unlink()
    code, out, err = jounce("rerun", tmp_path / "run", "--out", tmp_path / "again", "--json", plugins=PLUGINS)
    assert code == 0, (out, err)
    assert json.loads(out)["differ"] == []
    one, other = (yaml.safe_load((tmp_path / name / "configuration.yaml").read_text())["driver"] for name in ("run", "again"))
    assert one == other == {"type": "held_speed", "speed_kph": 18}
