"""`check_plugin`: does each check find the fault that it is for, and does the message say what to change?"""

from __future__ import annotations

import math
import pickle
import struct
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jounce
from simulator.base.errors import ConfigError, JounceError
from simulator.base.fields import Field, Number
from simulator.conformance import findings as findings_module
from simulator.conformance.check_plugin import check_plugin
from simulator.conformance.findings import FAILED, OK, WARNING, PluginError
from simulator.driver.contract import CONTRACT as DRIVER_CONTRACT
from simulator.driver.contract import DriverKind
from simulator.driver.input_devices.contract import CONTRACT as SOURCE_CONTRACT
from simulator.driver.input_devices.contract import InputSourceKind
from simulator.driver.steering.kinds import LAWS
from simulator.motion.protocols.contract import CONTRACT as PROTOCOL_CONTRACT
from simulator.motion.protocols.contract import ProtocolKind
from simulator.outlets.contract import CONTRACT as OUTLET_CONTRACT
from simulator.outlets.contract import OutletKind
from simulator.sensors.contract import CONTRACT as SENSOR_CONTRACT
from simulator.sensors.contract import SensorKind
from simulator.sensors.messages.definitions import IMU
from simulator.sensors.messages.topic import Recording, Topic
from terrain.kinds import CONTRACT as TERRAIN_CONTRACT
from terrain.kinds import TerrainKind
from terrain.readers import kinds as readers
from terrain.readers.kinds import ElevationFormatKind
from tests.plugins import protocols, sensors, terrains, trailing_arm, washouts
from tests.plugins.cars import TRAILING_ARM
from vehicles.suspension.axle_section import Axle


def faults(kind: Any, example: dict[str, Any] | None = None) -> dict[str, str]:
    """Return the failures of a kind: the first message of each check."""
    with pytest.raises(PluginError) as raised:
        check_plugin(kind, example or {})
    found: dict[str, str] = {}
    for one in raised.value.findings:
        if one.outcome == FAILED:
            found.setdefault(one.check, one.message)
    return found


# Sensors ------------------------------------------------------------------------------------------------------------------------

VALUE = (("value", (), "m", "a value"),)
SHARED: list[float] = []


def sensor(step: Callable[[Any, Any, Any], None], **changes: Any) -> SensorKind:
    """Return a kind of sensor with a function (settings, sample, out) as its step."""

    def make(settings: Any) -> Any:
        return SimpleNamespace(step=lambda sample, out: step(settings, sample, out))

    return replace(SensorKind("probe", (), VALUE, make, SENSOR_CONTRACT, meaning="a sensor of a test"), **changes)


def good(settings: Any, sample: Any, out: Any) -> None:
    out[0]["value"] = sample.readout[0]["p_WB"][2] + settings.random.normal()


def infinite_at_rest(settings: Any, sample: Any, out: Any) -> None:
    v = sample.readout[0]["v_WB_B"]
    out[0]["value"] = np.divide(v[1], v[0]) if v[0] else math.inf


def writes_its_input(settings: Any, sample: Any, out: Any) -> None:
    sample.readout[0]["p_WB"][2] = 0.0


def writes_the_ground(settings: Any, sample: Any, out: Any) -> None:
    settings.ground.heights[0, 0] += 0.0 if SHARED else 1.0
    SHARED.append(1.0)


def random_without_the_seed(settings: Any, sample: Any, out: Any) -> None:
    out[0]["value"] = np.random.random()  # noqa: NPY002 (the fault)


def shares_a_state(settings: Any, sample: Any, out: Any) -> None:
    SHARED.append(1.0)
    out[0]["value"] = len(SHARED)


def divides_by_its_parameter(settings: Any, sample: Any, out: Any) -> None:
    out[0]["value"] = np.divide(1.0, settings.parameters[0]["length"], where=settings.parameters[0]["length"] > 0.0, out=np.array(math.inf))


@pytest.mark.parametrize(("step", "check", "message"), [
    (infinite_at_rest, "finite output", "a vehicle at rest: value is not finite"),
    (writes_its_input, "writing", "changes the readout; copy what must change"),
    (writes_the_ground, "writing", "changes the ground"),
    (random_without_the_seed, "determinism", "take random numbers from settings.random"),
    (shares_a_state, "determinism", "store nothing in modules or classes"),
])  # fmt: skip
def test_a_broken_sensor(step: Any, check: str, message: str) -> None:
    SHARED.clear()
    found = faults(sensor(step))
    assert found.keys() == {check} and message in found[check]


def test_a_sensor_that_works_has_findings_and_no_failure() -> None:
    found = check_plugin(sensor(good))
    assert {one.outcome for one in found} == {OK, WARNING}
    assert [one.check for one in found if one.outcome == WARNING] == ["registration"], "it is not registered"
    assert next(one for one in found if one.check == "time").message.startswith("median 0.")
    assert all(one.outcome == OK for one in check_plugin(replace(sensor(good), name="imu")) if one.check != "registration")


def test_a_limit_of_a_parameter() -> None:
    length = (Field("length", Number("m", 0.0, 10.0), "length", 1.0),)
    found = faults(sensor(divides_by_its_parameter, parameters=length))
    assert found == {
        "limits of the parameters": "length = 0: value is not finite; avoid divisions by zero and overflow, or narrow the range"
    }


@pytest.mark.parametrize(("row", "message"), [
    (Field("a", Number("m", 0.0, 1.0), "a", 2.0), "a: default 2.0 is not valid; expected a number in m, from 0 to 1"),
    (Field("a", Number("m", 1.0, 0.0), "a"), "a: empty range; expected a minimum below the maximum; got 1 to 0"),
    (Field("a", Number("deg", 0.0, 1.0), "a"), "a: unit deg; expected an SI unit, since the program computes in SI units"),
    (Field("a", Number("m", 0.0, 1.0), " "), "a: no meaning; add a noun phrase"),
    (Field("a b", Number("m", 0.0, 1.0), "a"), "'a b': invalid name; expected letters, digits and underscores"),
])  # fmt: skip
def test_a_broken_row_of_parameters(row: Field, message: str) -> None:
    assert faults(sensor(good, parameters=(row,))) == {"parameters": message}


def test_a_parameter_without_a_range_is_a_warning() -> None:
    found = check_plugin(sensor(good, parameters=(Field("a", Number("m"), "a", 1.0),)))
    assert [one.message for one in found if one.check == "parameters"] == [
        "a: no range; add a minimum and a maximum, so that a typo in a file is an error"
    ]


@pytest.mark.parametrize(("changes", "check", "message"), [
    ({"contract": 7}, "contract", "written for version 7 of the contract"),
    ({"output": (("sampled", (), "m", "a"),)}, "output", "sampled: another column has this name; rename the row"),
    ({"output": (("a", (), "", "a"),)}, "output", "a: no unit"), ({"rate": 0.0}, "rate", "default rate 0 Hz; expected 0.1 to 20000 Hz"),
    ({"make": lambda settings: 1 / 0}, "creation", "raises ZeroDivisionError: division by zero (test_check_plugin.py:"),
    ({"make": lambda settings: None}, "creation", "returns None; return the object"),
    ({"messages": lambda settings: Recording((Topic("a", "no/Message", dict),))}, "messages", "topic a: unknown message no/Message; expected one"),
    ({"messages": lambda settings: Recording((Topic("a", IMU, lambda one: {}),))}, "messages", "a vehicle at rest: topic a: KeyError: 'header'"),
])  # fmt: skip
def test_a_broken_kind_of_sensor(changes: dict[str, Any], check: str, message: str) -> None:
    found = faults(sensor(good, **changes))
    assert found.keys() == {check} and message in found[check]


def test_a_call_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    check_plugin(sensor(good))  # compiles the ground
    monkeypatch.setattr(findings_module, "PATIENCE", 0.5)
    found = faults(replace(sensors.FAILING, parameters=(Field("how", Number("1", 2, 2), "how", 2),)))
    assert found == {"finite output": "no result within 0.5 s; every call must return"}


def test_a_slow_call_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(findings_module.time, "perf_counter", lambda: 0.5 * next(clock))
    found = check_plugin(sensor(good))
    assert [one.message for one in found if one.check == "time"] == ["median 500 ms per call; expected at most 10 ms, the period at 100 Hz"]


# Outlets, protocols, drivers, input sources -----------------------------------------------------------------------------------------


class Outlet:
    """Outlet that fails in a way that its subclass defines."""

    def __init__(self, settings: Any) -> None:
        self.folder, self.count = settings.folder, 0

    def publish(self, sample: Any) -> None:
        self.count += 1

    def close(self) -> None:
        """Do nothing."""


class NeedsAnImu(Outlet):
    def publish(self, sample: Any) -> None:
        _ = sample.sensors["imu"]


class MeanOfNothing(Outlet):
    def close(self) -> None:
        (self.folder / "mean.txt").write_text(str(1.0 / self.count))


class WritesItsAddress(Outlet):
    def close(self) -> None:
        SHARED.append(1.0)
        (self.folder / "id.txt").write_text(str(len(SHARED)))


@pytest.mark.parametrize(("make", "check", "message"), [
    (NeedsAnImu, "publish", "raises KeyError: 'imu'"), (MeanOfNothing, "close without a sample", "raises ZeroDivisionError"),
])  # fmt: skip
def test_a_broken_outlet(make: Any, check: str, message: str) -> None:
    found = faults(OutletKind("probe", make, OUTLET_CONTRACT))
    assert found.keys() == {check} and message in found[check]


def test_a_number_without_a_unit_in_a_record_of_parameters() -> None:
    found = faults(OutletKind("probe", Outlet, OUTLET_CONTRACT, parameters=(Field("a", Number("", 0.0, 1.0), "a"),)))
    assert found == {"parameters": 'a: no unit; expected an SI unit, or "1" for a ratio'}


def test_an_outlet_whose_files_differ_is_a_warning() -> None:
    found = check_plugin(OutletKind("probe", WritesItsAddress, OUTLET_CONTRACT))
    assert [one.outcome for one in found if one.check == "determinism"] == [WARNING]


def protocol(encode: Callable[[Any, Any], Any], layout: str | None = "<d", **changes: Any) -> ProtocolKind:
    """Return a protocol with a function (settings, said) as its encoder."""

    def make(settings: Any) -> Any:
        return lambda said: encode(settings, said)

    return replace(ProtocolKind("probe", 100, 4000, False, make, layout, PROTOCOL_CONTRACT), **changes)


def count(settings: Any, said: Any) -> bytes:
    SHARED.append(1.0)
    return struct.pack("<d", len(SHARED))


@pytest.mark.parametrize(("encode", "check", "message"), [
    (lambda _, said: struct.pack("<f", 1.0), "packets", "expected 8 bytes, the size of its layout; got 4"),
    (lambda _, said: struct.pack("<d", math.nan), "packets", "invalid packet; expected finite numbers"),
    (lambda _, said: "text", "packets", "invalid packet; expected bytes; got str"),
    (lambda _, said: struct.pack("<d", 1.0 / _.engine.highest_rpm), "vehicle without an engine", "raises ZeroDivisionError"),
    (count, "determinism", "a new encoder returns other bytes"),
])  # fmt: skip
def test_a_broken_protocol(encode: Any, check: str, message: str) -> None:
    found = faults(protocol(encode))
    assert check in found and message in found[check]


def test_a_packet_that_does_not_fit_into_a_datagram() -> None:
    assert "expected at most 65507, the limit of UDP" in faults(protocol(lambda *_: bytes(70_000), None))["packets"]
    large = check_plugin(protocol(lambda *_: bytes(2000), None))
    assert [one.outcome for one in large if one.check == "packets"] == [WARNING]


def test_a_protocol_that_works() -> None:
    assert all(one.outcome == OK for one in check_plugin(protocols.MINE) if one.check != "registration")


class Driver:
    """Driver and input source of the tests; `fill` writes the command."""

    used, connected = True, True

    def __init__(self, fill: Any) -> None:
        self.fill, self.events = fill, []

    def read(self, t: float, seen: Any, command: Any) -> None:
        self.fill(t, seen, command)


def nan_late(t: float, seen: Any, command: Any) -> None:
    command[0]["steering"] = math.nan if t > 0.5 else 0.0


def noise(t: float, seen: Any, command: Any) -> None:
    command[0]["throttle"] = np.random.random()  # noqa: NPY002 (the fault)


def too_much(t: float, seen: Any, command: Any) -> None:
    command[0]["throttle"] = 2.0


@pytest.mark.parametrize("kind_of", [
    lambda fill: DriverKind("probe", lambda _: Driver(fill), DRIVER_CONTRACT),
    lambda fill: InputSourceKind("probe", lambda *_: Driver(fill), SOURCE_CONTRACT),
])  # fmt: skip
def test_a_broken_driver_or_input_source(kind_of: Any) -> None:
    assert "steering is not finite" in faults(kind_of(nan_late))["finite output"]
    assert faults(kind_of(noise)).keys() == {"determinism"}
    ranges = [one for one in check_plugin(kind_of(too_much)) if one.check == "range of the command"]
    assert ranges[0].outcome == WARNING and "throttle = 2, which is clipped to 1; clip it in the plugin" in ranges[0].message


def test_a_driver_that_writes_the_readout() -> None:
    def write(t: float, readout: Any, command: Any) -> None:
        readout[0]["yaw"] = 0.0 if readout[0]["yaw"] else 1.0

    assert faults(DriverKind("probe", lambda _: Driver(write), DRIVER_CONTRACT)).keys() == {"writing"}


def test_an_input_source_without_its_attributes() -> None:
    found = faults(InputSourceKind("probe", lambda *_: SimpleNamespace(read=nan_late, used=1), SOURCE_CONTRACT))
    assert found == {"attributes": "used: expected a bool; got int"}


def test_an_input_source_without_a_device_is_a_warning() -> None:
    found = check_plugin(InputSourceKind("probe", lambda *_: None, SOURCE_CONTRACT, missing="no device"))
    assert [one.message for one in found if one.check == "attributes"] == ["not checked further, since `make` returned None: no device"]


# Axles, terrains, elevation data, steering -------------------------------------------------------------------------------------------


def test_an_axle_of_a_plugin() -> None:
    found = check_plugin(trailing_arm.TrailingArmAxle, {**TRAILING_ARM, "suspension": "trailing_arm"})
    assert {one.check for one in found} >= {"contract", "place", "show", "motion", "determinism", "time"}
    assert all(one.outcome == OK for one in found if one.check not in ("time", "registration"))


def test_an_axle_without_an_example_is_a_warning() -> None:
    found = check_plugin(trailing_arm.TrailingArmAxle)
    assert next(one for one in found if one.check == "motion").message.startswith("not checked, since there is no axle")


@pytest.mark.parametrize(("change", "check", "message"), [
    ({"contract": 7}, "contract", "unsupported version 0x7"), ({"show": lambda *_: None}, "show", "@callback"),
])  # fmt: skip
def test_a_broken_axle(change: dict[str, Any], check: str, message: str) -> None:
    class Other(trailing_arm.TrailingArmAxle):
        block = replace(trailing_arm.BLOCK, **change)

    assert message in faults(Other)[check]


def test_an_axle_without_a_table() -> None:
    found = faults(type("Bare", (Axle,), {}))
    assert found.keys() == {"contract"} and "no table of keys; expected the attribute `fields`" in found["contract"]


@pytest.mark.parametrize(("read", "check", "message"), [
    (terrains.nan_ground, "ground", "heights: NaN or infinite; expected finite numbers"),
    (terrains.raising, "creation", "raises KeyError: 'amplitude'"), (terrains.nothing, "creation", "returns None; return the object"),
    (lambda f: 3, "ground", "returns int; expected a Ground"),
])  # fmt: skip
def test_a_broken_terrain_type(read: Any, check: str, message: str) -> None:
    found = faults(TerrainKind("broken", read, TERRAIN_CONTRACT, terrains.WAVES))
    assert found.keys() == {check} and message in found[check]


def test_a_terrain_type_that_is_random_or_changes_its_file() -> None:
    def rough(f: Any) -> Any:
        ground = terrains.waves(f)
        ground.heights[:] += np.random.random(ground.heights.shape)  # noqa: NPY002 (the fault)
        f.mapping["amplitude"] = 0.0
        return ground

    assert faults(TerrainKind("broken", rough, TERRAIN_CONTRACT, terrains.WAVES)).keys() == {"determinism", "content of the file"}


def test_a_broken_elevation_format(tmp_path: Any) -> None:
    def read(request: Any) -> Any:
        return struct.unpack("<d", request.path.read_bytes())

    kind = ElevationFormatKind("broken", ("DAT",), read, ("spacings",), readers.CONTRACT, needs=(("scale",),))
    assert faults(kind) == {
        "keys": "unknown key spacings; expected keys of terrain.readers.kinds.FIELDS",
        "suffixes": "'DAT'; expected a dot and lower-case letters",
    }
    found = faults(replace(kind, suffixes=(".dat",), keys=("scale",)))
    assert "a file empty: raises error; raise a ConfigError with the problem of the file" in found["files that are no elevation data"]


def test_a_broken_steering_controller() -> None:
    field = Field("damping", Number("s", 1.0, 0.0), "damping", 2.0)
    assert faults(replace(LAWS["stanley"], name="broken", fields=(field,))).keys() == {"parameters", "kernel"}


# The call itself --------------------------------------------------------------------------------------------------------------------


def test_the_error_has_a_line_for_each_failure_and_survives_pickling() -> None:
    with pytest.raises(JounceError) as raised:
        jounce.check_plugin(sensor(infinite_at_rest))
    assert str(raised.value).splitlines()[0].startswith("sensor probe: finite output: a vehicle at rest: value is not finite")
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_an_example_replaces_generated_values() -> None:
    assert check_plugin(washouts.COMPILED, {"cueing": {"gain": [0.1, 0.1, 0.1], "lag": 0.5}})
    with pytest.raises(ConfigError, match="example: lag: invalid value"):
        check_plugin(washouts.COMPILED, {"gain": [0.1, 0.1, 0.1], "lag": -1.0})


def test_other_objects_are_refused() -> None:
    with pytest.raises(JounceError, match="not a kind of a registry; expected an object such as a SensorKind; got int"):
        check_plugin(3)
