"""Plugin sensors, protocols, outlets, drivers, input sources and terrains: they work by name, and one that fails is stopped and reported."""

from __future__ import annotations

import dataclasses
import math
import socket
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base import plugin_thread
from simulator.base.errors import ConfigError, JounceError
from simulator.base.records import Record, record
from simulator.base.registry import KindChoice
from simulator.builder.builder import build_cueing, build_ground, build_vehicle
from simulator.driver.input_devices.human_driver import open_driver
from simulator.driver.kinds import DRIVER_KINDS
from simulator.driver.make_driver import DriverContext, new_driver
from simulator.motion.stream import MotionStream
from simulator.outlets.kinds import OUTLET_KINDS, build_outlets
from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.sensors.make_sensors import SensorContext, make_sensors
from simulator.session import PartError, Session
from tests.plugins import drivers, outlets, protocols, sensors, terrains
from vehicles.command import COMMAND
from vehicles.readout import READOUT

H = 1e-3


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the waiting time for a plugin that never ends, in runs that are not in real time."""
    monkeypatch.setattr(plugin_thread, "PATIENCE", 0.2)


class Throttle:
    def read(self, t: float, readout: Record, command: Record) -> None:
        command[0]["throttle"], command[0]["selector"] = 0.6, 1


def session(driver: Any = None, outlets: Any = (), sensors: Any = (), terrain: str = "flat") -> Session:
    ground = build_ground(terrain)
    made = make_sensors(sensors, "test", SensorContext(ground, H, 7))
    s = Session(build_vehicle("hmmwv", check_step=False), ground, driver or Throttle(), cueing(), list(outlets), H, made)
    s.reset()
    s.cueing.procedure.arm()
    return s


def cueing() -> Any:
    return build_cueing("small_hexapod", "small_hexapod", H)


class Columns:
    """Outlet that stores the measurements of a sensor."""

    every = 10

    def __init__(self) -> None:
        self.rows: list[Record] = []

    def publish(self, session: Session) -> None:
        self.rows.append(np.concatenate([sensor.out for sensor in session.measuring.sensors]))

    def close(self) -> None:
        """Do nothing."""


def test_a_plugin_sensor_reports_after_its_latency() -> None:
    seen = Columns()
    s = session(outlets=[seen], sensors=[{"type": "ahead", "way": 2.0, "latency": 0.02}])
    s.publish()
    s.run(0.1)
    s.close()
    rows = np.concatenate(seen.rows)
    # at 50 Hz: no value before the first measurement, then values from 20 ms before; the log samples every 10 ms
    assert rows["sampled"] == pytest.approx([math.nan, math.nan, 0.0, 0.0, 0.02, 0.02, 0.04, 0.04, 0.06, 0.06, 0.08], nan_ok=True)
    assert rows["count"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    assert rows["height"][-1] == pytest.approx(-s.readout[0]["p_WB"][2], abs=0.01)


@pytest.mark.parametrize(("how", "reason"), [(0, "ValueError: no"), (1, "ValueError: value is infinite"), (2, "no result within 0.2 s")])
def test_a_sensor_that_fails_is_dropped_and_its_columns_are_empty(how: int, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.sensors.mounted_sensor.HANGS", 0.2)
    s = session(sensors=[{"type": "failing_sensor", "how": how}, "imu"])
    s.publish()
    s.run(0.3)
    s.close()
    assert [str(failure) for failure in s.output.failures] == [f"sensor failing_sensor was dropped: {reason}"]
    failing, imu = s.measuring.sensors
    assert np.isnan(failing.out[0]["value"]) and np.isnan(failing.out[0]["sampled"])
    assert imu.out[0]["sampled"] == pytest.approx(0.3)


def test_the_imu_at_the_drivers_head_measures_the_drivers_motion() -> None:
    head = [float(x) for x in build_vehicle("hmmwv", check_step=False).model.body[0]["drivers_head"]]
    s = session(sensors=[{"type": "imu", "rate": 1000.0, "mount": {"position": head}}], terrain="bump")
    for _ in range(50):
        s.run(0.05)
        assert s.measuring.sensors[0].out[0]["f_S"] == pytest.approx(s.readout[0]["f_H_B"], abs=1e-11)
        assert s.measuring.sensors[0].out[0]["w_S"] == pytest.approx(s.readout[0]["w_WB_B"], abs=0.0)


def test_sensors_do_not_change_the_drive() -> None:
    plain, measured = session(), session(sensors=["imu", "ahead", {"type": "failing_sensor", "how": 0}])
    for s in (plain, measured):
        s.run(1.0)
    assert plain.vehicle.space.state.tobytes() == measured.vehicle.space.state.tobytes()
    assert plain.cueing.readout.tobytes() == measured.cueing.readout.tobytes()


@pytest.fixture
def listener() -> Any:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        s.settimeout(10.0)
        yield s


def received(listener: socket.socket) -> list[bytes]:
    listener.setblocking(False)
    found = []
    while True:
        try:
            found.append(listener.recv(4096))
        except BlockingIOError:
            return found


def streaming(listener: socket.socket, protocol: str, **said: Any) -> tuple[MotionStream, int]:
    """Return a stream after half a second of ticks, and the number of packets that were due."""
    stream = MotionStream(port=listener.getsockname()[1], protocol=KindChoice(protocol, said))
    motion, readout = cueing(), record(READOUT)
    readout[0]["q_WB"][0] = 1.0
    readout[0]["f_H_B"][2] = 9.80665
    motion.procedure.arm()
    for turn in range(50):
        for _ in range(10):
            motion.step(np.array([0.0, 0.0, 9.80665]), np.zeros(3), True, H)
        stream.send(readout, motion, True)
        if stream._thread is not None and stream._thread.busy and not (protocol.startswith("hangs") and turn >= 20):
            while stream._thread._results.empty():
                """As in real time, where 10 ms go by."""
    return stream, 50


def test_a_plugin_protocol_sends_its_own_packets(listener: socket.socket) -> None:
    stream, due = streaming(listener, "mine", scale=10.0)
    stream.close(sleep=lambda _: None)
    packets = [struct.unpack(protocols.LAYOUT, data) for data in received(listener)]
    assert len(packets) >= due - 1
    assert packets[-1][4] == pytest.approx(10.0 * cueing().platform[0]["park_height"], rel=0.05)
    assert packets[0][-1] == pytest.approx(9.80665)
    assert stream.trouble == ""


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("raises", "ValueError: no"),
        ("nan", "invalid packet; expected finite numbers"),
        ("short", "invalid packet; expected 84 bytes, the size of its layout; got 4"),
    ],
)
def test_a_protocol_that_fails_is_stopped_and_sends_no_more_packets(listener: socket.socket, how: str, reason: str) -> None:
    stream, _ = streaming(listener, f"{how}_protocol")
    assert stream.trouble == f"protocol {how}_protocol was dropped: {reason}"
    assert len(received(listener)) == 20
    outlet = MotionStreamOutlet(stream)
    s = session(outlets=[outlet])
    s.publish()
    assert [str(f) for f in s.output.failures] == [f"motion stream failed: {stream.trouble}; the motion stream has stopped"]
    assert outlet not in s.output.outlets
    assert received(listener) == []


def test_a_protocol_that_hangs_never_delays_a_tick(listener: socket.socket) -> None:
    stream, _ = streaming(listener, "hangs_protocol")
    stream._thread._budget = 0.0  # type: ignore[union-attr]
    stream.send(record(READOUT), cueing(), True)
    assert stream.trouble == "protocol hangs_protocol was dropped: no result within 0 s"
    stream.close()


def test_a_plugin_outlet_is_served_at_its_rate_and_closed(tmp_path: Path) -> None:
    s = session(outlets=build_outlets([{"type": "lines", "digits": 2}], "test", tmp_path, H), sensors=["imu"])
    s.publish()
    s.run(1.0)
    s.close()
    lines = (tmp_path / "lines.txt").read_text().splitlines()
    assert [line.split()[0] for line in lines] == [f"{0.1 * k:.2f}" for k in range(11)] + ["closed"]
    assert lines[0].split()[2:] == ["off", "9.81"]


@pytest.mark.parametrize(("how", "reason"), [("raises", "ValueError: no"), ("hangs", "no result within 0.2 s")])
def test_an_outlet_that_fails_is_stopped_and_the_others_continue(tmp_path: Path, how: str, reason: str) -> None:
    s = session(outlets=build_outlets([f"{how}_outlet", "lines"], "test", tmp_path, H))
    s.publish()
    s.run(0.3)
    s.close()
    assert [str(f) for f in s.output.failures] == [f"plugin failed: outlet {how}_outlet was dropped: {reason}"]
    assert len((tmp_path / "lines.txt").read_text().splitlines()) == 5


def test_an_outlet_that_fails_while_closing_is_named(tmp_path: Path) -> None:
    s = session(outlets=build_outlets(["closing_outlet"], "test", tmp_path, H))
    s.publish()
    with pytest.raises(JounceError, match="outlet closing_outlet was dropped: OSError: the disk is gone"):
        s.close()


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("linse", r"outlets\[0\]\.type: invalid value; expected an outlet: .*lines.*; got 'linse'; hint: did you mean lines"),
        ({"type": "lines", "digits": 2.5}, r"outlets\[0\]\.digits"),
        ({"type": "lines", "rate": 0.3}, r"outlets\[0\]\.rate: .*divides 1000"),
    ],
)
def test_an_outlet_that_cannot_be_built_is_named(tmp_path: Path, said: Any, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        build_outlets([said], "test", tmp_path, H)


def driver_of(name: str) -> Any:
    return new_driver(DRIVER_KINDS.need(name), DriverContext(build_ground("flat")), paced=False)


def test_a_plugin_driver_drives_identically_twice() -> None:
    ends = []
    for _ in range(2):
        s = session(driver_of("bend"))
        s.run(2.0)
        ends.append(s.vehicle.space.state.tobytes())
        assert s.command[0]["steering"] == pytest.approx(0.1)
        assert s.readout[0]["v_WB_B"][0] > 1.0
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("raises", "ValueError: no"),
        ("nan", "ValueError: command is not finite"),
        ("hangs", "no result within 0.2 s"),
    ],
)
def test_a_driver_that_fails_ends_the_drive_and_is_named(how: str, reason: str) -> None:
    s = session(driver_of(f"{how}_driver"))
    with pytest.raises(PartError, match=f"driver {how}_driver was dropped: {reason}"):
        s.run(2.0)
    assert 0.5 < s.time < 0.6
    assert np.isfinite(s.command[0]["steering"])


def settled(human: Any, out: Record, t: float) -> None:
    """Read once, and wait for the time that a plugin source takes."""
    human.read(t, 0.0, out)
    for source in human.sources:
        while source._thread.busy and source._thread._results.empty() and source._source.__class__.__name__ != "hangs":
            """Return True once the source has answered."""


def test_a_plugin_input_source_drives_within_the_limits_of_the_vehicle() -> None:
    human, out = open_driver("pedal", said={"throttle": 0.3}), record(COMMAND)
    for k in range(100):
        settled(human, out, 0.01 * k)
    assert (out[0]["throttle"], out[0]["steering"], out[0]["selector"]) == (0.3, 1.0, 1)
    assert [(event.kind, event.origin) for event in human.events()] == [("camera", "device")]
    assert human.troubles() == []
    human.close()


@pytest.mark.parametrize("how", ["raises", "nan", "hangs"])
def test_an_input_source_that_fails_counts_as_unplugged(how: str) -> None:
    human, out = open_driver(f"{how}_source"), record(COMMAND)
    human.sources[0]._thread._budget = 0.1 if how == "hangs" else 1e3  # type: ignore[attr-defined]
    k = 0
    while not human.troubles():
        settled(human, out, 0.01 * k)
        k += 1
    for _ in range(300):
        k += 1
        human.read(0.01 * k, 0.0, out)
    assert [trouble.split(":")[0] for trouble in human.troubles()] == [f"input source {how}_source was dropped"]
    assert out[0]["throttle"] == 0.0
    assert out[0]["brake"] == pytest.approx(0.2)
    human.close()


def terrain_file(folder: Path, kind: str) -> str:
    file = folder / "my_terrain.yaml"
    file.write_text(f"type: {kind}\namplitude: 0.1\nlength: 20.0\nsurface: asphalt\ngravity: 9.7\n")
    return str(file)


def test_a_plugin_terrain_is_driven_on(tmp_path: Path) -> None:
    ground = build_ground(terrain_file(tmp_path, "waves"))
    assert ground.height(-95.0, 0.0) == pytest.approx(0.1, abs=1e-6)
    assert ground.p[0]["gravity"] == 9.7


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        ("nan_ground", "terrain type nan_ground: heights of the ground: NaN or infinite"),
        ("raising_ground", "terrain type raising_ground: KeyError: 'amplitude'"),
        ("no_ground", "terrain type no_ground: wrong return type NoneType; expected a Ground"),
        (
            "wavse",
            "my_terrain.yaml:1: type: .*expected one of flat, bump, course, heightmap, generated, waves.*got 'wavse'.*did you mean waves",
        ),
    ],
)
def test_an_unusable_terrain_is_named(tmp_path: Path, kind: str, complaint: str) -> None:
    with pytest.raises(JounceError, match=complaint):
        build_ground(terrain_file(tmp_path, kind))


@pytest.mark.parametrize(
    ("register", "kind", "name"),
    [
        (sensors.register, sensors.AHEAD, "imu"),
        (protocols.register, protocols.MINE, "native"),
        (outlets.register, outlets.LINES, "telemetry"),
        (drivers.register_driver, drivers.DriverKind("x", drivers.Bend, 2), "scripted"),
        (drivers.register_driver, drivers.DriverKind("x", drivers.Bend, 2), "keyboard"),
        (drivers.register_source, drivers.InputSourceKind("x", drivers.Pedal, 1), "wheel"),
        (terrains.register, terrains.TerrainKind("x", terrains.waves, 1), "flat"),
    ],
)
def test_a_duplicate_name_and_another_contract_are_refused(register: Any, kind: Any, name: str) -> None:
    with pytest.raises(JounceError, match=rf"^duplicate .* {name}; registered by|called {name} already"):
        register(dataclasses.replace(kind, name=name))
    with pytest.raises(JounceError, match=r"version 99\b.*version [12]\b"):
        register(dataclasses.replace(kind, name="mine_again", contract=99))


def test_outlets_of_the_session_itself_are_not_in_the_list() -> None:
    assert "lines" in OUTLET_KINDS.names()
    assert "telemetry" not in OUTLET_KINDS.names()
