"""Are measurements with arrays delivered when they should be, in runs and in real time, and do drivers and subscribers see them?"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from simulator.api.simulation import Simulation
from simulator.base.errors import JounceError
from simulator.base.records import Record
from simulator.builder.builder import build_cueing, build_ground, build_vehicle
from simulator.real_time import drive_in_real_time
from simulator.run.rerun import differences, with_late_measurements
from simulator.sensors.contract import ArrayOutput, SensorInput, SensorKind, SensorSettings
from simulator.sensors.kinds import SENSOR_KINDS
from simulator.sensors.make_sensors import SensorContext, make_sensors
from simulator.sensors.measurement import Measurement
from simulator.session import Session

H = 1e-3
ARRAYS = (ArrayOutput("track", np.float64, ("poses", "axes"), "m", "W", "positions since the last measurement"),)


class Tracker:
    """Returns the pose history, and the range of a ray down."""

    def __init__(self, settings: SensorSettings) -> None:
        self.settings = settings
        self.closed = False

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, np.ndarray]:
        hits = seen.world.cast(seen.readout[0]["p_WB"] + (0.0, 0.0, 10.0), (0.0, 0.0, -1.0), 100.0, seen.time)
        out[0]["height"], out[0]["poses"] = hits.range[0], len(seen.history.time)
        return {"track": np.column_stack((seen.history.time, seen.history.p_WB))}

    def close(self) -> None:
        self.closed = True


class Slow(Tracker):
    """Needs 30 ms."""

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, np.ndarray]:
        time.sleep(0.03)
        return super().step(seen, out)


class Wrong(Tracker):
    """Returns an array that is not declared."""

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, np.ndarray]:
        return {"other": np.zeros(3)}


def kind(name: str, make: Any, **changes: Any) -> SensorKind:
    output = (("height", (), "m", "range of a ray down"), ("poses", (), "1", "number of poses", "i8"))
    return SensorKind(name, (), output, make, 2, 50.0, arrays=ARRAYS, **changes)


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    known = {one.name: one for one in (kind("tracker", Tracker), kind("slow", Slow), kind("wrong", Wrong))}
    inner = kind("inner", Slow, in_thread=True)
    monkeypatch.setattr(SENSOR_KINDS, "_kinds", {**SENSOR_KINDS._kinds, **known, "inner": inner})
    sources = {**SENSOR_KINDS._sources, **dict.fromkeys(known, "a test"), "inner": SENSOR_KINDS._sources["imu"]}
    monkeypatch.setattr(SENSOR_KINDS, "_sources", sources)
    yield


class Sensing:
    """Driver that stores what it sees."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, Mapping[str, Measurement]]] = []

    def read(self, t: float, readout: Record, command: Record, sensors: Mapping[str, Measurement]) -> None:
        command[0]["throttle"], command[0]["selector"] = 0.5, 1
        self.seen.append((t, dict(sensors)))


def session(sensors: Any, driver: Any = None, terrain: str = "flat") -> Session:
    ground = build_ground(terrain)
    made = make_sensors(sensors, "test", SensorContext(ground, H, 7))
    out = Session(
        build_vehicle("hmmwv", check_step=False),
        ground,
        driver or Sensing(),
        build_cueing("small_hexapod", "small_hexapod", H),
        [],
        H,
        made,
    )
    out.reset()
    return out


@pytest.mark.parametrize("name", ["tracker", "slow", "inner"])
@pytest.mark.parametrize("latency", [0.0, 0.015, 0.05])
def test_a_run_delivers_each_measurement_after_its_latency_however_long_it_takes(name: str, latency: float) -> None:
    driver = Sensing()
    s = session([{"type": name, "latency": latency}], driver)
    found: list[Measurement] = []
    s.measuring.sensors[0].subscribe(found.append)
    s.publish()
    s.run(0.2)
    s.close()
    assert not s.output.failures
    assert [one.time for one in found] == pytest.approx(np.arange(0.0, 0.2 - latency + 1e-6, 0.02))
    assert [one.delivered - one.time for one in found] == pytest.approx([latency] * len(found))
    assert s.measuring.sensors[0].late == s.measuring.sensors[0].skipped == 0
    for t, sensors in driver.seen:  # called every 10 ms with what was delivered until then
        measured = sensors[name]
        expected = math.floor(round((t - latency) / 0.02, 6)) * 0.02
        if t < latency:
            assert math.isnan(measured.time) and measured.age == math.inf and not measured.arrays
        else:
            assert (measured.time, measured.age) == pytest.approx((expected, t - expected))


@pytest.mark.parametrize("releases", [True, False])
def test_on_soil_the_ticks_wait_until_a_sensor_has_read_the_world(monkeypatch: pytest.MonkeyPatch, releases: bool) -> None:
    moved, ticks_first = threading.Event(), []

    class Reader(Tracker):
        def step(self, seen: SensorInput, out: Record) -> Mapping[str, np.ndarray]:
            moved.clear()
            if releases:
                seen.release()
            ticks_first.append(moved.wait(20.0 if releases else 0.2))
            return super().step(seen, out)

    class Moving(Sensing):
        def read(self, *seen: Any) -> None:
            super().read(*seen)
            moved.set()

    SENSOR_KINDS._kinds["inner"] = kind("inner", Reader, in_thread=True)
    s = session([{"type": "inner", "latency": 0.015}, "tracker"], Moving(), "flat_soil")
    s.run(0.058)  # both measurements are delivered, at 0.035 and 0.055 s
    s.close()
    assert not s.output.failures and ticks_first == [releases] * 2
    inner = s.measuring.sensors[0].latest(s.time)
    assert (inner.time, inner.age) == pytest.approx((0.04, 0.018))


def test_the_history_has_each_pose_since_the_last_measurement() -> None:
    s = session(["tracker"])
    found: list[Measurement] = []
    s.measuring.sensors[0].subscribe(found.append)
    s.publish()
    places = [s.readout[0]["p_WB"].copy()]
    for _ in range(60):
        s.advance()
        places.append(s.vehicle.space.state[0]["p_WB"].copy())
    tracks = [one.arrays["track"] for one in found]
    assert [len(track) for track in tracks] == [1, 21, 21, 21]
    assert np.array_equal(np.concatenate([tracks[0], *(track[1:] for track in tracks[1:])])[:, 1:], places)
    assert tracks[1][0, 0] == 0.0 and tracks[2][0] == pytest.approx(tracks[1][-1])
    assert found[-1]["height"] == pytest.approx(10.0 + float(places[-1][2]), abs=1e-6)
    with pytest.raises(ValueError, match="read-only"):
        tracks[0][0] = 0.0
    s.set_upright()  # poses from before do not lead to the new one
    for _ in range(20):
        s.advance()
    assert len(found[-1].arrays["track"]) <= 21


def test_a_slow_sensor_in_real_time_is_late_and_counted_and_delays_no_tick() -> None:
    s = session([{"type": "slow", "rate": 50}, {"type": "inner", "rate": 50}])
    s.warm()
    s.publish()
    for sensor in s.measuring.sensors:
        sensor._thread.result(wait=True)  # type: ignore[union-attr]
        sensor.begin()
    ticks: list[float] = []
    s.on_tick.append(lambda _: ticks.append(time.perf_counter()))
    drive_in_real_time(s, 0.4, lambda _: True)
    s.close()
    for sensor in s.measuring.sensors:
        assert not sensor.trouble
        assert sensor.late + sensor.skipped >= 10
        measured = sensor.latest(s.time)
        assert measured.delivered > measured.time + 0.02
        assert measured.age >= 0.02
    assert np.median(np.diff(ticks)) < 2e-3
    assert all(sensor._sensor.closed for sensor in s.measuring.sensors)  # type: ignore[attr-defined]


def test_a_sensor_with_an_undeclared_array_is_dropped_and_the_driver_sees_it() -> None:
    driver = Sensing()
    s = session(["wrong"], driver)
    s.publish()
    s.run(0.05)
    assert [str(one) for one in s.output.failures] == ["sensor wrong was dropped: ValueError: array other: not declared; expected track"]
    assert "not declared" in driver.seen[-1][1]["wrong"].trouble
    s.close()


def test_a_simulation_shows_its_sensors() -> None:
    sim = Simulation("hmmwv", "flat", sensors=["tracker", "imu"])
    threads = threading.active_count()
    found: list[Measurement] = []
    sim.on_measurement("imu", found.append)
    sim.advance(0.1)
    assert len(found) == 10
    assert sim.sensors["imu"]["f_S"][2] == pytest.approx(9.8, abs=0.1)
    assert sim.sensors["tracker"].arrays["track"].shape == (21, 4)
    assert threading.active_count() >= threads
    with pytest.raises(JounceError, match=r"sensor lidar: no such sensor; expected tracker, imu"):
        sim.on_measurement("lidar", found.append)


def test_a_rerun_compares_late_measurements_with_the_same_measurements() -> None:
    rerun = {"lidar_sampled": np.array([0.0, 0.1, 0.2, 0.2]), "lidar_near": np.array([5.0, 4.0, 3.0, 3.0]), "lidars": np.arange(4.0)}
    drive = {"lidar_sampled": np.array([0.0, 0.0, 0.1, 0.2]), "lidar_near": np.array([5.0, 5.0, 4.0, 3.0]), "lidars": np.arange(4.0)}
    assert not differences(drive, with_late_measurements(rerun, drive))
    drive["lidar_near"][2] = 4.5
    assert differences(drive, with_late_measurements(rerun, drive)) == ["lidar_near"]
    drive["lidar_sampled"][3] = 0.15  # a measurement that the rerun does not have
    assert differences(drive, with_late_measurements(rerun, drive)) == ["lidar_sampled", "lidar_near"]


class Broken(Tracker):
    """Fails where its name says."""

    def deliver(self, measured: Measurement) -> None:
        del measured
        if self.settings.name == "deliver":
            raise ValueError("no")

    def step(self, seen: SensorInput, out: Record) -> Any:
        super().step(seen, out)
        if self.settings.name == "infinite":
            out[0]["height"] = math.inf
        return {"track": [1.0]} if self.settings.name == "list" else {}

    def close(self) -> None:
        if self.settings.name == "close":
            raise ValueError("no")


@pytest.mark.parametrize(
    ("name", "trouble"),
    [
        ("deliver", "sensor deliver was dropped: a receiver failed: ValueError: no"),
        ("infinite", "sensor infinite was dropped: ValueError: height is infinite"),
        ("list", "sensor list was dropped: ValueError: array track: list; expected an array"),
        ("close", "sensor close failed: ValueError: no"),
    ],
)
def test_a_sensor_that_fails_anywhere_is_named_and_the_others_go_on(name: str, trouble: str) -> None:
    SENSOR_KINDS._kinds["broken"] = kind("broken", Broken)
    s = session([{"type": "broken", "name": name}, "tracker"])
    s.publish()
    s.run(0.1)
    tracker = s.measuring.sensors[1]
    if name == "close":
        with pytest.raises(JounceError, match=trouble):
            s.close()
    else:
        s.close()
        assert [str(one) for one in s.output.failures] == [trouble]
    assert tracker.latest(s.time).time == pytest.approx(0.1)
    assert tracker._sensor.closed  # type: ignore[attr-defined]


def test_a_view_of_an_array_that_the_plugin_goes_on_writing_to_does_not_change() -> None:
    class View(Tracker):
        memory = np.zeros((3, 2))

        def step(self, seen: SensorInput, out: Record) -> Any:
            self.memory += 1.0
            return {"track": self.memory[:2]}

    SENSOR_KINDS._kinds["view"] = kind("view", View)
    s = session(["view"])
    found: list[Measurement] = []
    s.measuring.sensors[0].subscribe(found.append)
    s.publish()
    s.run(0.1)
    s.close()
    assert [one.arrays["track"][0, 0] for one in found] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_a_restart_forgets_the_measurements_and_ends_the_threads() -> None:
    sim = Simulation("hmmwv", "flat", sensors=[{"type": "tracker", "latency": 0.03}])
    sim.advance(0.1)
    assert sim.sensors["tracker"].age < 0.1
    threads, first = threading.active_count(), sim.session.measuring.sensors[0]
    sim.session.reset()
    assert sim.sensors["tracker"].age == math.inf and np.isnan(first.out[0]["sampled"])
    for _ in range(5):
        sim.reset()
    assert first._sensor.closed  # type: ignore[attr-defined]
    sim.advance(0.1)
    assert threading.active_count() <= threads + 1


def test_late_first_measurements_and_names_that_begin_alike_are_compared() -> None:
    drive = {"scan_sampled": np.array([np.nan, np.nan, 0.1]), "scan_f": np.array([np.nan, np.nan, 1.0])}
    rerun = {"scan_sampled": np.array([np.nan, 0.1, 0.1]), "scan_f": np.array([np.nan, 1.0, 1.0])}
    imu = {"scan_imu_sampled": np.array([0.0, 0.1, 0.2]), "scan_imu_f": np.array([5.0, 6.0, 7.0])}
    assert not differences(drive | imu, with_late_measurements(rerun | imu, drive | imu))
