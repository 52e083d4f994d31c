"""Are faults in files checked, named and timed as written?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.base.errors import ConfigError, JounceError
from simulator.base.fields import read
from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes, option
from simulator.faults.contract import CONTRACT, FaultContext, FaultKind
from simulator.faults.kinds import FAULT_KINDS, register
from simulator.faults.planned_fault import PlannedFault, make_faults
from simulator.motion.stream import Disturbance, is_lost

PHASES = [{"name": "first", "steering_deg": 0, "throttle": 0.2, "lasts_s": 2}, {"name": "second", "steering_deg": 0, "brake": 0.2}]
MANEUVER: dict[str, Any] = {"name": "m", "vehicle": "hmmwv", "terrain": "flat", "duration_s": 5, "phases": PHASES}


def planned(start: float = 2.0, ramp: float = 0.5, end: float | None = None, **more: Any) -> PlannedFault:
    return PlannedFault("one", FAULT_KINDS.need("gust"), None, (start, ramp, end), {"type": "gust", **more})  # type: ignore[arg-type]


def faults_of(*given: Any, **session: Any) -> list[PlannedFault]:
    return build(configuration(None, changes({"maneuver": {**MANEUVER, "faults": list(given)}, **session})), check_step=False).new_faults()


def errors_of(folder: Path, faults: list[Any], more: list[Any] | None = None) -> list[str]:
    file = folder / "m.yaml"
    file.write_text(yaml.safe_dump({**MANEUVER, "faults": faults}, sort_keys=False), encoding="utf-8")
    with pytest.raises(ConfigError) as found:
        build(configuration(None, [*changes({"maneuver": str(file)}), *option("--fault", "faults", more)]), check_step=False)
    return str(found.value).splitlines()


def test_a_level_rises_from_the_start_and_falls_from_the_end() -> None:
    one = planned(end=3.0)
    assert [one.level_at(t) for t in (0.0, 2.0, 2.25, 2.5, 3.0)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert [one.level_at(t) for t in (3.25, 3.5, 9.0)] == [0.5, 0.0, 0.0]
    short = planned(ramp=4.0, end=3.0)
    assert short.level_at(3.0) == 0.25 and short.level_at(3.5) == 0.125 and short.level_at(4.5) == 0.0


def test_times_count_from_the_begin_of_a_phase() -> None:
    one = planned(start=1.0, phase="braking")
    assert one.level_at(50.0, "rolling") == 0.0
    assert one.level_at(60.0, "braking") == 0.0 and one.level_at(61.25, "braking") == 0.5
    assert one.level_at(62.0, "later") == 1.0
    one.begin()
    assert one.level_at(62.0, "later") == 0.0


def test_names_are_those_of_kind_and_wheel_and_each_is_unique() -> None:
    wheel = {"type": "puncture", "wheel": "FL"}
    found = faults_of(wheel, wheel, {"type": "gust", "velocity": [0, 5, 0], "name": "storm"}, faults=["engine_stop"])
    assert [one.name for one in found] == ["puncture_FL", "puncture_FL_2", "storm", "engine_stop"]
    assert found[0].to_json() == {
        "name": "puncture_FL", "type": "puncture", "start_s": 0.0, "ramp_s": 3.0, "wheel": "FL", "pressure": 0.0, "carcass": 0.3,
        "cornering_stiffness": 0.25, "rolling_resistance": 0.1, "friction": 0.7,
    }  # fmt: skip
    again = faults_of(*(one.to_json() for one in found))
    assert [one.to_json() for one in again] == [one.to_json() for one in found]


def test_each_mistake_of_a_file_gives_one_line(tmp_path: Path) -> None:
    lines = errors_of(tmp_path, [{"type": "punctur"}, {"type": "puncture"}, {"type": "gust", "velocity": [0, 5], "start_s": -1}])
    assert len(lines) == 4
    assert "faults[0].type" in lines[0] and "puncture" in lines[0] and "m.yaml:" in lines[0]
    assert "faults[1].wheel" in lines[1] and "the name of a wheel" in lines[1]
    assert {line.split(": ")[1] for line in lines[2:]} == {"faults[2].velocity", "faults[2].start_s"}


def test_each_fault_that_does_not_fit_the_drive_gives_one_line(tmp_path: Path) -> None:
    given = [
        {"type": "puncture", "wheel": "XL"},
        {"type": "puncture", "wheel": "FL", "pressure_bar": 3},
        {"type": "sensor_loss", "sensor": "lidar"},
        {"type": "engine_stop", "start_s": 4, "end_s": 3},
        {"type": "engine_stop", "phase": "third"},
        {"type": "anti_roll_bar_link", "axle": "rear"},
    ]
    lines = errors_of(tmp_path, given, [{"type": "gust", "velocity": [0, 5, 0], "name": "a b"}])
    assert any("--fault" in line for line in lines)
    lines = errors_of(tmp_path, given, [{"type": "broken_spring", "wheel": "M"}])
    assert len(lines) == 7
    for line, words in zip(
        lines[:6],
        ("FL, FR, RL, RR", "1.379 bar", "sensor of the session", "after the start", "first, second", "with an anti-roll bar"),
        strict=True,
    ):
        assert "m.yaml:" in line and words in line
    assert "--fault" in lines[6] and "FL, FR, RL, RR" in lines[6]


def test_a_kind_for_another_contract_or_with_a_used_name_is_refused() -> None:
    gust = FAULT_KINDS.need("gust")
    with pytest.raises(JounceError, match="version 99"):
        register(FaultKind("own", (), gust.make, contract=99))
    with pytest.raises(JounceError, match="duplicate fault gust"):
        register(FaultKind("gust", (), gust.make, contract=CONTRACT))


def test_an_entry_of_a_fault_of_a_vehicle_without_it_says_so() -> None:
    vehicle = build(configuration(None, changes({"maneuver": MANEUVER, "vehicle": "sedan_paper"})), check_step=False).vehicle
    with pytest.raises(ConfigError, match="no power assistance"):
        make_faults(["steering_assist_loss"], FaultContext(vehicle))


def test_lost_packets_depend_on_their_number_only_and_none_overtakes_another() -> None:
    lost = [is_lost(n, 0.3) for n in range(2000)]
    assert lost == [is_lost(n, 0.3) for n in range(2000)] and sum(lost) == pytest.approx(600, abs=80)
    assert all(is_lost(n, 1.0) for n in range(100)) and not any(is_lost(n, 0.0) for n in range(100))
    one, arrived = Disturbance(), []
    for n in range(30):
        one.delay = 0.1 if n < 10 else 0.0
        arrived.append([int(data) for data in one.packets(str(n).encode(), n, 0.01 * n, ending=n == 29)])
    flat = [n for packets in arrived for n in packets]
    assert flat == sorted(flat) == list(range(30))
    assert arrived[9] == [] and arrived[10] == [0] and arrived[29] == [29]


def test_parameters_of_kinds_have_valid_defaults() -> None:
    for name in FAULT_KINDS.names():
        kind = FAULT_KINDS.need(name)
        given = {"wheel": "FL", "circuit": "front", "sensor": "imu", "axle": "front", "velocity": [0, 1, 0], "delay_s": 0.1}
        given |= {"center": [0, 0], "size": [1, 1]}
        known = {spelling for field in kind.parameters for spelling in field.spellings}
        assert read(kind.parameters, {key: value for key, value in given.items() if key in known}, "test") is not None
