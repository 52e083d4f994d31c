"""Do all kinds of drivers drive another vehicle of a session as they drive the first one, and do its faults stay its own?"""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from simulator.base.errors import ConfigError, JounceError
from simulator.driver.contract import CONTRACT, DriverKind
from simulator.driver.kinds import register
from simulator.driver.seen_vehicle import FIRST
from tests.end_to_end.program import call

PARKED = {"name": "parked", "position": [30, 20]}
GOAL = {"goal": {"position": [60, 0]}, "planner": {"type": "arc", "speed": 6}}


def world(*others, **given):
    return jounce.Simulation("hmmwv", "flat", platform=None, others=others, **given)


@pytest.mark.parametrize(
    "entry",
    [
        {"driver": {"type": "planner", **GOAL}},
        {"maneuver": {"name": "goal", "vehicle": "hmmwv", "terrain": "flat", "duration": 60, **GOAL}},
    ],
    ids=["driver", "maneuver"],
)
def test_a_planner_drives_another_vehicle_to_its_goal_around_a_parked_one_and_stops(entry):
    sim = world(PARKED, {"name": "robot", "position": [0, 20], **entry})
    sim.advance(25)
    robot, log = sim.others["robot"], sim.log
    assert np.hypot(log["robot_p_WB_x"][-1] - 60, log["robot_p_WB_y"][-1] - 20) < 3.5
    assert abs(robot.vehicle.speed) < 0.1
    assert log["robot_planner_outcome"][-1] == 0
    assert np.abs(log["robot_p_WB_y"] - 20).max() > 1.5, "it has avoided the parked vehicle"
    assert not sim.session.others.collisions and not sim.session.others.troubles


def test_a_course_of_another_vehicle_begins_at_its_start():
    sim = world({"name": "other", "position": [0, 100], "maneuver": "avtp_lane_change"}, maneuver="avtp_lane_change")
    sim.advance(7.5)
    log = sim.log
    assert log["p_WB_y"].max() > 2.0
    assert log["other_p_WB_y"] - 100 == pytest.approx(log["p_WB_y"], abs=1e-6)
    assert log["other_p_WB_x"] == pytest.approx(log["p_WB_x"], abs=1e-6)
    assert log["other_phase"].tolist() == log["phase"].tolist()


class Watcher:
    """Plugin driver that drives off when it sees the first vehicle drive."""

    def __init__(self, settings):
        self.vehicles = ()

    def see_vehicles(self, vehicles):
        self.vehicles = vehicles

    def read(self, t, readout, command):
        moves = any(one.name == FIRST and one.speed > 1.0 for one in self.vehicles)
        command[0]["selector"], command[0]["throttle"] = 1, 0.5 if moves else 0.0
        command[0]["brake"] = 0.0 if moves else 1.0


@pytest.fixture(scope="module")
def watcher():
    register(DriverKind("watcher", Watcher, CONTRACT, meaning="waits for the first vehicle"))
    return "watcher"


def test_a_plugin_drives_another_vehicle_and_sees_the_first_one(watcher):
    sim = world({"name": "other", "position": [0, 10], "driver": watcher})
    sim.advance(2)
    assert abs(sim.others["other"].vehicle.speed) < 0.05
    sim.command(throttle=0.5)
    sim.advance(3)
    assert sim.others["other"].vehicle.speed > 1.0
    sim.close()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A run of two vehicles: the first one on a lane change, and a sedan that brakes in a bend."""
    file = tmp_path_factory.mktemp("run") / "log.parquet"

    def bend(t, readout):
        return {"throttle": 0.6 if t < 3 else 0.0, "brake": 0.0 if t < 3 else 0.3, "steering": 0.2}

    sim = world({"name": "bend", "vehicle": "sedan", "position": [0, 100], "driver": bend}, maneuver="avtp_lane_change")
    sim.advance(5)
    sim.log.save(file)
    return file, sim.log


def replay(file, **keys):
    return {"type": "replay", "run": str(file), **keys}


def test_a_replay_repeats_the_first_vehicle_and_the_others_of_a_run(recorded):
    file, log = recorded
    again = {"name": "again", "vehicle": "hmmwv", "position": [0, -60], "speed_kph": 50, "driver": replay(file)}
    sim = jounce.Simulation(
        "sedan",
        "flat",
        platform=None,
        others=[again, {"name": "bend", "position": [0, 100], "driver": replay(file, vehicle="bend")}],
    )
    sim.advance(8)
    found, rows = sim.log, log.rows
    for name in ("p_WB_x", "p_WB_y", "v_WB_B_x", "yaw", "command_steering"):
        assert found[f"bend_{name}"][:rows].tobytes() == log[f"bend_{name}"].tobytes(), name
    assert found["again_p_WB_y"][:rows] + 60 == pytest.approx(log["p_WB_y"], abs=1e-6)
    assert found["again_command_steering"][:rows].tobytes() == log["command_steering"].tobytes()
    assert abs(sim.others["bend"].vehicle.speed) < 0.1, "after the end of the run it brakes"


SESSION = "terrain: flat\nmaneuver: scripted_drive\nvehicles:\n  - {{position: [20, 0], driver: {{type: replay, {}}}}}\n"


def test_a_run_that_cannot_be_repeated_is_refused(recorded, tmp_path, capsys):
    file, _ = recorded
    session = tmp_path / "session.yaml"
    for keys, expected in (
        ("run: nowhere", "vehicles[0].driver.run: invalid value; expected an existing run folder or telemetry file"),
        (f"run: {session}", "vehicles[0].driver.run"),
        (f"run: {file}, vehicle: nobody", "vehicles besides the first one: bend"),
        ("vehicle: bend", "vehicles[0].driver.run: missing"),
    ):
        session.write_text(SESSION.format(keys))
        code, out, err = call(capsys, "run", "--session", session, "--out", tmp_path / "out")
        assert code == 2 and expected in " ".join((out + err).split()), out + err


def test_a_log_with_few_rows_is_refused(tmp_path):
    sim = world(log_rate=50)
    sim.advance(1)
    sim.log.save(tmp_path / "log.parquet")
    with pytest.raises(ConfigError, match="a whole number of rows"):
        world({"position": [30, 0], "driver": replay(tmp_path / "log.parquet")})


def test_a_fault_of_another_vehicle_is_its_own():
    def run(faults):
        sim = world({"name": "lead", "position": [30, 0], "driver": lambda t, readout: {"throttle": 0.5}, "faults": faults})
        sim.command(throttle=0.5)
        sim.advance(5)
        return sim.log

    well = run([])
    hurt = run([{"type": "puncture", "wheel": "FL", "start_s": 1.0}, {"type": "engine_stop", "start_s": 3.0, "name": "dead"}])
    assert well["p_WB_x"].tobytes() == hurt["p_WB_x"].tobytes()
    before = well["time"] < 0.99
    assert well["lead_p_WB_x"][before].tobytes() == hurt["lead_p_WB_x"][before].tobytes()
    assert abs(hurt["lead_yaw"][-1]) > abs(well["lead_yaw"][-1]) + 0.005, "it pulls to the flat tire"
    assert hurt["lead_v_WB_B_x"][-1] < well["lead_v_WB_B_x"][-1] - 0.5
    assert hurt["lead_fault_puncture_FL"][-1] == 1.0 and hurt["lead_fault_dead"][[0, -1]].tolist() == [0.0, 1.0]
    assert [(one.value["part"], one.time) for one in hurt.events if one.kind == "fault"] == [
        ("lead_puncture_FL", pytest.approx(1.01, abs=0.011)),
        ("lead_dead", pytest.approx(3.01, abs=0.011)),
    ]


def test_an_ice_patch_of_the_session_acts_on_every_vehicle():
    ice = {"type": "ice_patch", "center": [30, 10], "size": [40, 60], "friction": 0.05}
    lead = {"name": "lead", "position": [20, 10], "driver": lambda t, readout: {"throttle": 1.0}}
    speeds = []
    for faults in ([], [ice]):
        sim = world(lead, changes={"faults": faults})
        sim.advance(3)
        speeds.append(sim.others["lead"].vehicle.speed)
    assert speeds[1] < 0.6 * speeds[0]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ({"type": "gust", "velocity": [1, 0, 0]}, "belongs to `faults` of the session"),
        ({"type": "packet_loss"}, "belongs to `faults` of the session"),
        ({"type": "sensor_loss", "sensor": "imu"}, "vehicles"),
        ({"type": "puncture", "wheel": "XL"}, "vehicles"),
    ],
)
def test_a_fault_that_is_none_of_another_vehicle_is_refused(fault, expected):
    with pytest.raises(JounceError, match=expected):
        world({"position": [30, 0], "faults": [fault]})
