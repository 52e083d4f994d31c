"""A state that is not finite or out of limits: it never reaches the platform, and the drive continues from the last valid state."""

import json

import numpy as np
import pytest
import yaml
from program import ROOT, call
from unpaced import H, Tracker, assert_within_limits, new_session

from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.builder import session_parts
from simulator.builder.builder import build_maneuver
from simulator.driver.steering.path_follower import PathFollower
from simulator.telemetry.writer import read_telemetry
from vehicles.command import COMMAND
from vehicles.readout import READOUT


def spoil(session, field, value, corner=1):
    """Give the vehicle a number that it cannot have."""
    state = session.vehicle.space.state[0]
    state[field][corner] = value


SPOILT = [
    ("p_WB", np.nan, "not finite"),
    ("v_WB_B", np.nan, "not finite"),
    ("theta", np.nan, "not finite"),
    ("wheel_spin", np.inf, "not finite"),
    ("p_WB", 1e7, "origin of the map"),
    ("v_WB_B", 400.0, ""),
    ("w_WB_B", 300.0, ""),
    ("theta_dot", 1e5, ""),
    ("wheel_spin", 1e6, ""),
]


@pytest.mark.parametrize(("field", "value", "reason"), SPOILT)
def test_the_platform_fades_and_the_drive_goes_on(field, value, reason):
    tracker = Tracker()
    session = new_session(outlets=[tracker])
    session.run(11.0)
    assert session.cueing.procedure.state == "engaged"
    before, t = session.vehicle.space.state[0]["p_WB"].copy(), session.time
    spoil(session, field, value)
    session.run(5.0)
    incident = session.recovery.latest
    assert incident is not None
    assert incident.number == session.recovery.incident_number == 1
    assert reason in incident.reason
    assert t <= incident.time <= t + 0.02
    assert session.time == incident.time, "the run stops there; time stands"
    assert not session.moves
    state = session.vehicle.space.state[0]
    assert np.abs(state["v_WB_B"]).max() == 0.0
    assert 0.5 < np.linalg.norm(state["p_WB"][:2] - before[:2]) < 30.0, "where it was well half a second ago"
    for _ in range(8000):
        session.advance()
    assert session.recovery.incident_number == 0
    assert session.recovery.latest is incident
    assert session.time > incident.time + 4.0, "it drives again"
    assert session.cueing.procedure.state == "engaged"
    assert_within_limits(session, tracker.legs)
    assert np.abs(tracker.forces).max() < 100.0
    assert "paused" in tracker.states[11_000:12_500], "the platform fades"


def test_not_one_absurd_number_reaches_the_platform_or_an_outlet():
    tracker = Tracker()
    session = new_session(outlets=[tracker])
    session.run(11.0)
    for kick in (np.nan, 1e30, -np.inf, 600.0):
        while not session.moves:
            session.advance()
        session.vehicle.space.state[0]["v_WB_B"][2] = kick
        for _ in range(100):
            session.advance()
    assert session.recovery.latest.number >= 3
    assert np.isfinite(tracker.forces).all()
    assert np.abs(tracker.forces).max() < 500.0
    assert_within_limits(session, tracker.legs)


def test_the_last_second_is_kept(tmp_path):
    session = new_session()
    session.run(3.0)
    spoil(session, "theta", np.nan)
    session.run(1.0)
    file = session.recovery.latest.write(tmp_path)
    with np.load(file, allow_pickle=False) as kept:
        assert kept["time"].shape == (1000,)
        assert np.diff(kept["time"]) == pytest.approx(H, abs=1e-9)
        assert np.isfinite(kept["theta"][:-1]).all()
        assert not np.isfinite(kept["theta"][-1]).all()
        assert (kept["throttle"] == 0.7).all()
        assert str(kept["reason"]) == "not finite"


def test_a_second_failure_goes_back_further_and_the_start_is_the_last_resort():
    session = new_session()
    session.run(6.0)
    places = []
    with pytest.raises(JounceError, match="repeats at every position"):
        for _ in range(5):
            while not session.moves:
                session.advance()
            spoil(session, "v_WB_B", np.nan)
            session.advance()
            places.append(session.vehicle.space.state[0]["p_WB"].copy())
    x = np.array(places)[:, 0]
    assert (np.diff(x) < 0.0).all()
    assert session.paused
    session.reset()
    session.paused = False
    session.run(1.0)
    assert session.time == pytest.approx(1.0, abs=1e-9)


def test_roll_over_and_suspension_are_named():
    session = new_session()
    session.run(2.0)
    session.vehicle.place(np.array([0.0, 0.0, 1.0]), np.pi, 0.0, 0.0)
    session.advance(10)
    session.vehicle.space.state[0]["w_WB_B"][0] = 1e4
    session.advance(10)
    assert session.recovery.latest.reason.startswith("roll-over")
    session.reset()
    session.run(2.0)
    high = session.vehicle.model.corners[0]["ends"]["theta"][1]
    session.watch.history["theta"][:, 2] = high[2] + 0.5
    spoil(session, "v_WB_B", np.nan)
    session.advance()
    assert session.recovery.latest.reason.startswith("suspension travel at RL")


def test_a_vehicle_that_fell_through_the_ground_is_put_back():
    session = new_session()
    session.run(2.0)
    session.vehicle.space.state[0]["p_WB"][2] -= 20.0
    session.run(1.0)
    assert session.recovery.latest is not None
    assert abs(session.vehicle.space.state[0]["p_WB"][2]) < 2.0


@pytest.mark.parametrize("terrain", ["flat", "slope", "jacksboro"])
@pytest.mark.parametrize("roll", [0.0, np.pi / 2, np.pi])
def test_upright_puts_it_on_its_wheels_where_it_is(terrain, roll):
    tracker = Tracker()
    session = new_session(outlets=[tracker], terrain=terrain)
    session.run(9.0)
    t, at = session.time, session.vehicle.space.state[0]["p_WB"].copy()
    session.vehicle.place(at + [0.0, 0.0, 1.0], roll, 0.1, 0.4)
    session.vehicle.space.state[0]["time"] = t
    session.set_upright()
    readout = session.readout[0]
    assert readout["p_WB"][:2] == pytest.approx(at[:2], abs=0.2)
    assert abs(readout["roll"]) < 0.5 and abs(readout["pitch"]) < 0.5
    assert readout["yaw"] == pytest.approx(0.4, abs=0.1)
    assert np.abs(readout["v_WB_B"]).max() == 0.0
    assert session.time == t
    session.run(6.0)
    assert session.recovery.latest is None
    assert_within_limits(session, tracker.legs)


def test_upright_where_nothing_stands():
    """On a wall there is no equilibrium: it is put just above the ground, and does what physics says."""
    session = new_session(terrain="slope")
    session.recovery._settle_at = lambda *_: False
    session.set_upright()
    radius = float(session.vehicle.model.tires[0]["radius"])
    R = session.readout[0]
    assert session.recovery.latest is None
    hubs = R["p_WB"][2] + R["p_BK"][:, 2]
    assert hubs.min() > radius - 0.7
    session.run(2.0)
    assert session.recovery.latest is None
    assert np.abs(session.readout[0]["v_WB_B"]).max() < 5.0


def broken_drive(folder, monkeypatch, at):
    """A maneuver during which the vehicle's state ceases to be finite."""
    mapping = yaml.safe_load((ROOT / "configs/maneuvers/double_lane_change.yaml").read_text())
    file = folder / "broken.yaml"
    file.write_text(yaml.safe_dump({**mapping, "duration_s": 5.0, "limits": {}, "lane_changes": []}))
    read = PathFollower.read

    def spoiling(self, t, readout, command):
        read(self, t, readout, command)
        if t >= at:
            session_of[0].vehicle.space.state[0]["theta"][2] = np.nan

    session_of = []

    class Noted(session_parts.Session):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            session_of.append(self)

    monkeypatch.setattr(session_parts, "Session", Noted)
    monkeypatch.setattr(PathFollower, "read", spoiling)
    return file


@pytest.mark.parametrize("at", [2.5, 0.0])
def test_a_run_ends_with_code_1_and_keeps_what_there_is(tmp_path, capsys, monkeypatch, at):
    file = broken_drive(tmp_path, monkeypatch, at)
    code, out, err = call(capsys, "run", file, "--out", tmp_path / "out")
    assert code == 1, (out, err)
    assert "Traceback" not in out + err
    assert "ended early" in out
    assert "not finite" in out
    result = json.loads((tmp_path / "out" / "metrics.json").read_text())["result"]
    assert result["pass"] is False
    assert result["ended_early"]["time_s"] == pytest.approx(at, abs=0.02)
    log = read_telemetry(tmp_path / "out" / "telemetry.parquet")
    assert log["time"].max() == pytest.approx(at, abs=0.02)
    assert all(np.isfinite(column).all() for column in log.values())
    assert (tmp_path / "out" / "incident_1.npz").exists()
    assert (tmp_path / "out" / "speed.png").exists() == (at > 0.0)


def test_a_path_driver_without_a_place_keeps_its_command():
    driver = build_maneuver("avtp_lane_change").driver((0.0, 0.0, 0.0))
    readout, command = record(READOUT), record(COMMAND)
    driver.read(0.0, readout, command)
    before = command.copy()
    for value in (np.nan, np.inf, -np.inf):
        readout[0]["p_WB"][0] = value
        driver.read(0.01, readout, command)
        assert command == before
