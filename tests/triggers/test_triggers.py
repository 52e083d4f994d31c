"""Do triggers start the actions of other vehicles and objects at their conditions, once, and with the requested effect?"""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import jounce
from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.driver.driver_seat import DriverChoice
from simulator.run.run import driver_of
from tests.end_to_end.program import call, refused

KPH = 1.0 / 3.6
CASE = """\
vehicle: sedan
maneuver: {{base: constant_speed, duration_s: {duration}, parameters: {{speed_kph: 50}}}}
objects:
  - {{name: adult, shape: box, size: [0.3, 0.5, 1.8], label: person, path: {{points: [[60, -4], [60, 4]], speed_kph: 5}}}}
  - {{name: wall, shape: box, size: [1, 1, 1], position: [300, 30]}}
vehicles:
  - {{name: lead, position: [60, 3.5], speed_kph: 50, driver: cruise}}
  - {{name: parked, position: [200, 20]}}
triggers:
"""


def parts_of(session, **sets):
    return build(configuration(session, changes(sets)))


def session_of(parts):
    session = parts.session(driver_of(parts))
    session.seat.offer_choices([DriverChoice("scripted", lambda here: driver_of(parts))])
    session.reset()
    return session


def restart(session):
    session.seat.restart()
    session.reset()


def write(tmp_path, *triggers, duration=3):
    file = tmp_path / "case.yaml"
    file.write_text(CASE.format(duration=duration) + "".join(f"  - {one}\n" for one in triggers))
    return file


class Heard:
    """Outlet that keeps the events."""

    every, often = 10, 1

    def __init__(self):
        self.acted = []

    def publish(self, session):
        pass

    def hear(self, session, event):
        if event.kind == "trigger":
            self.acted.append((round(event.time, 3), event.value["name"]))

    def close(self):
        pass


def acted(session, duration):
    heard = Heard()
    session.output.outlets.append(heard)
    session.run(duration)
    return list(heard.acted)


def test_triggers_act_once_in_the_order_of_the_file(tmp_path):
    file = write(
        tmp_path,
        "{name: late, if: {when: time, above_s: 1.005}, do: {type: speed, vehicle: lead, speed_kph: 60}}",
        "{name: line, if: {when: x, crosses: 20}, do: {type: speed, vehicle: lead, speed_kph: 61}}",
        "{name: both, if: {all: [{when: time, above_s: 1.0}, {when: speed, of: lead, above_kph: 40}]}, do: {type: speed, vehicle: lead, speed_kph: 62}}",
        "{name: either, if: [{when: time, above_s: 99}, {when: distance, to: [30, 0], below: 5}], do: {type: speed, vehicle: lead, speed_kph: 63}}",
        "{name: held, if: {when: gap, to: lead, below: 500, hold_s: 0.5}, do: {type: speed, vehicle: lead, speed_kph: 64}}",
        "{name: never, if: {when: time_to_collision, to: lead, below_s: 100}, do: {type: speed, vehicle: lead, speed_kph: 65}}",
        "{if: {when: time, above_s: 1.005}, do: {type: speed, vehicle: lead, speed_kph: 66}}",
    )
    session = session_of(parts_of(str(file)))
    found = acted(session, 3.0)
    times = {name: time for time, name in found}
    assert [name for _, name in found].count("late") == 1 and len(found) == len(times)
    assert times["late"] == times["trigger_7"] == 1.01 and found.index((1.01, "late")) < found.index((1.01, "trigger_7"))
    assert times["both"] == 1.0 and times["held"] == 0.5
    assert times["line"] == pytest.approx(20.0 / (50.0 * KPH), abs=0.05)
    assert times["either"] == pytest.approx(25.0 / (50.0 * KPH), abs=0.05)
    assert "never" not in times
    restart(session)
    assert acted(session, 3.0) == found, "a restart begins again"


@pytest.mark.parametrize("deceleration", [2.0, 6.0])
def test_a_braking_car_reaches_the_deceleration(deceleration):
    session = session_of(parts_of("ccrb", **{"vehicles[0].position_m": [500, 0], "triggers[0].do.deceleration": deceleration}))
    target, rows = session.others.vehicles[0].vehicle.space, []
    while session.time < 5.0 + 12.0 / deceleration:
        session.advance(10)
        rows.append((session.time, float(target.state[0]["v_WB_B"][0])))
    time, speed = np.array(rows).T
    built_up = time > 5.5
    line = np.polyfit(time[built_up], speed[built_up], 1)
    assert line[0] == pytest.approx(-deceleration, abs=0.3)
    assert abs(speed[built_up] - np.polyval(line, time[built_up])).max() < 0.3
    session.run(4.0)
    assert abs(target.state[0]["v_WB_B"][0]) < 0.05, "it stays at rest"


@pytest.mark.parametrize(
    ("case", "sets", "speed"),
    [
        ("ccrs", {}, 50.0 * KPH),
        ("ccrs", {"maneuver.parameters.speed_kph": 20, "vehicles[0].position_m": [50, 0]}, 20.0 * KPH),
        ("ccrm", {}, 30.0 * KPH),
        ("ccrb", {}, math.sqrt(2.0 * 6.0 * 12.0)),
        ("cut_in", {}, 30.0 * KPH),
    ],
)
def test_a_car_without_assistance_hits_the_target_at_the_speed_of_the_closed_form(case, sets, speed):
    session = session_of(parts_of(case, **sets))
    session.run(60.0)
    assert session.collisions[0].name == "target"
    assert session.collisions[0].closing_speed == pytest.approx(speed, abs=0.1)
    assert session.triggers.ended and session.time == pytest.approx(session.collisions[0].time + 1.0, abs=0.05)
    assert not session.others.collisions, "a car that begins to roll does not meet itself"


@pytest.mark.parametrize(
    ("case", "sets", "share"), [("cpna", {}, 0.25), ("cpna", {"triggers[0].if.below_s": 3.93}, 0.75), ("cpfa", {}, 0.5)]
)
def test_a_person_is_hit_at_the_share_of_the_width(case, sets, share):
    session = session_of(parts_of(case, **sets))
    number = next(n for n, one in enumerate(session.objects.objects, session.objects.first) if one.name == "adult")
    first = session.objects.position(number, 0.0)
    session.run(6.0)
    assert (session.objects.position(number, session.time) == first).all(), "the person waits"
    session.run(60.0)
    collision = session.collisions[0]
    assert collision.name == "adult" and collision.closing_speed == pytest.approx(40.0 * KPH, abs=0.1)
    assert collision.point[1] == pytest.approx((share - 0.5) * 1.82, abs=0.16), "half the depth of the person"
    restart(session)
    session.run(6.0)
    assert (session.objects.position(number, session.time) == first).all(), "a restart lets the person wait again"


def test_sessions_of_the_same_parts_do_not_share_the_motion(tmp_path):
    again = "{if: {when: time, above_s: 0.6}, do: {type: move, object: adult}}"
    file = write(tmp_path, "{if: {when: time, above_s: 0.2}, do: {type: move, object: adult}}", again)
    parts = parts_of(str(file))
    one = session_of(parts)
    number = next(n for n, other in enumerate(one.objects.objects, one.objects.first) if other.name == "adult")
    one.run(1.0)
    assert one.objects.position(number, 1.0)[1] == pytest.approx(-4.0 + 0.8 * 5.0 * KPH, abs=0.02)
    another = session_of(parts)
    assert another.objects.position(number, 1.0)[1] == -4.0


def test_lane_change_speed_and_fault(tmp_path):
    file = write(
        tmp_path,
        "{if: {when: time, above_s: 1}, do: [{type: lane_change, vehicle: lead, offset: -3.5, length: 40}, {type: speed, vehicle: lead, speed_kph: 70}]}",
        "{name: bang, if: {when: time, above_s: 2}, do: {type: fault, fault: {type: puncture, wheel: FL, start_s: 0.5, ramp_s: 0.1}}}",
        duration=9,
    )
    session = session_of(parts_of(str(file)))
    (fault,) = session.injector.faults
    assert fault.words.endswith("from 0.5 s of trigger bang, complete 0.1 s later")
    session.run(2.49)
    assert fault.level == 0.0
    session.run(0.2)
    assert fault.level == 1.0
    session.run(6.3)
    state = next(one.vehicle.space.state[0] for one in session.others.vehicles if one.name == "lead")
    assert state["p_WB"][1] == pytest.approx(0.0, abs=0.15) and state["v_WB_B"][0] == pytest.approx(70.0 * KPH, abs=0.3)


def test_fault_of_another_vehicle(tmp_path):
    file = write(tmp_path, "{if: {when: time, above_s: 0.5}, do: {type: fault, vehicle: lead, fault: {type: engine_stop, ramp_s: 0.1}}}")
    session = session_of(parts_of(str(file)))
    assert session.injector.faults == ()
    (fault,) = session.others.find("lead").faults.faults
    session.run(0.45)
    assert fault.level == 0.0
    session.run(0.25)
    assert fault.level == 1.0


def test_metrics_log_rerun_and_replay_of_a_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sets = ("--set", "maneuver.parameters.speed_kph=60", "--set", "maneuver.limits={impact_speed_kph: {max: 50}}")
    code, out, _ = call(capsys, "run", "--session", "cpfa", *sets, "--plots", "none", "--json", "--out", "one")
    result = json.loads(out)["result"]
    assert code == 1 and result["pass"] is False, "the limit of the impact speed is violated"
    assert result["metrics"]["impact_speed_kph"] == pytest.approx(60.0, abs=0.4)
    assert result["metrics"]["gap_min_m"] == 0.0
    log = jounce.read_log("one")
    hit = log["adult_impact_speed"] > 0.0
    assert not hit[0] and hit[-1] and log["adult_gap"][0] == pytest.approx(117.0, abs=3.0)
    assert [event.value["name"] for event in log.events if event.kind == "trigger"] == ["run", "end"]
    assert call(capsys, "rerun", "one", "--out", "two")[0] == 0
    from simulator.run.recorded_objects import RecordedObjects

    parts = parts_of("cpfa")
    (began,) = [event for event in log.events if event.kind == "trigger" and event.value["name"] == "run"]
    objects = RecordedObjects(tmp_path / "one", parts.ground.objects, 10, parts.step, print)
    changed = objects.take(began.tick // 10 + 200)
    assert changed.moved[-1] and changed.p_WO[-1, 1] == pytest.approx(6.0 - 1.5 - (2.0 - 1.35) * 8.0 * KPH, abs=0.05)


def test_without_a_contact_the_metrics_tell_the_distance(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sets = ("--set", "vehicles[0].position_m=[60,5]", "--set", "maneuver.duration_s=7")
    code, out, _ = call(capsys, "run", "--session", "ccrs", *sets, "--plots", "none", "--json", "--out", "one")
    metrics = json.loads(out)["result"]["metrics"]
    assert code == 0
    assert metrics["impact_speed_kph"] == 0.0 and metrics["time_to_collision_min_s"] is None
    assert metrics["gap_min_m"] == pytest.approx(5.0 - 1.82, abs=0.05)


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("{if: {when: gap, to: laed, below: 3}, do: {type: end}}", "if.to: invalid value; .*got 'laed'; hint: did you mean lead"),
        ("{if: {when: gap, to: first, below: 3}, do: {type: end}}", "another vehicle or object than first"),
        ("{if: {when: time, above_s: 1}, do: {type: brake, vehicle: parked, deceleration: 6}}", "takes actions.*: lead; got 'parked'"),
        ("{if: {when: time, above_s: 1}, do: {type: brake, vehicle: first, deceleration: 6}}", "takes actions.*: lead; got 'first'"),
        ("{if: {when: time, above_s: 1}, do: {type: move, object: wall}}", "an object with a path: adult; got 'wall'"),
        ("{if: {when: time, above_s: 1}, do: {type: move, object: adlt}}", "hint: did you mean adult"),
        ("{if: {when: gap, to: lead, below: 3, above: 2}, do: {type: end}}", "exactly one of above, below"),
        ("{if: {when: gap, below: 3}, do: {type: end}}", "if.to: missing"),
        ("{if: {when: tme, below: 3}, do: {type: end}}", "hint: did you mean time"),
        ("{if: {when: time, above_s: 1}}", "do: missing"),
        ("{if: {when: time, above_s: 1}, do: {type: fault, fault: {type: puncture, wheel: FL, phase: go}}}", "no phase"),
        ("{if: {when: time, above_s: 1}, do: {type: fault, fault: {type: puncture, wheel: XX}}}", "a wheel of the vehicle"),
        ("{if: {when: time, above_s: 1}, do: {type: fault, vehicle: leed, fault: engine_stop}}", "did you mean lead"),
        (
            "{if: {when: time, above_s: 1}, do: {type: fault, vehicle: lead, fault: {type: gust, velocity: [0, 9, 0]}}}",
            "a fault of one vehicle",
        ),
        ("{if: {when: time, above_s: nan}, do: {type: end}}", "above_s"),
    ],
)
def test_an_impossible_trigger_gives_one_line(tmp_path, capsys, trigger, message):
    text = refused(call(capsys, "check", write(tmp_path, trigger)))
    assert re.search(message, text) and "case.yaml:10: triggers[0]" in text and len(text.splitlines()) == 1, text


def test_an_encounter_with_nobody_gives_one_line(tmp_path, capsys):
    file = tmp_path / "alone.yaml"
    file.write_text("{base: constant_speed, name: alone, metrics: [{type: encounter, with: nobody}]}")
    assert "metrics[0].with" in refused(call(capsys, "run", file, "--out", tmp_path / "out"))


def test_a_trigger_does_not_see_a_vehicle_that_was_removed(tmp_path):
    file = write(
        tmp_path,
        "{name: near, if: {when: distance, to: parked, below: 190}, do: {type: speed, vehicle: lead, speed_kph: 60}}",
        "{name: far, if: {when: distance, to: parked, below: 300, edge: falling}, do: {type: end}}",
    )
    session = session_of(parts_of(str(file)))
    session.run(0.1)
    session.others.leave("parked")
    assert acted(session, 1.5) == []
    restart(session)
    assert [name for _, name in acted(session, 1.5)] == ["near"], "a restart brings it back"


def test_an_empty_list_of_conditions_is_refused(tmp_path, capsys):
    assert "triggers[0].if" in refused(call(capsys, "check", write(tmp_path, "{name: never, if: [], do: {type: end}}")))
