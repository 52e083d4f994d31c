"""Does the Python API run, read and change simulations, bit-identical to the commands, and without terminal output?"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import jounce
from simulator.cli.main import main
from simulator.telemetry.log import NoSuchColumnError
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Cylinder, WorldObject
from terrain.rays.caster import OWN_VEHICLE

CHANNELS = ["v_WB_B", "p_WB", "yaw", "gear", "command_*"]
CHASSIS = 1817.0
"""kg, chassis.mass of configs/vehicles/hmmwv.yaml."""


@pytest.fixture(scope="module")
def sim():
    return jounce.Simulation("hmmwv", "flat", channels=CHANNELS)


@pytest.fixture
def fresh(sim):
    sim.reset()
    return sim


def test_a_drive_in_ten_lines_says_nothing_and_goes_somewhere(fresh, capfd):
    fresh.command(throttle=0.6, steering=0.1)
    fresh.advance(2.0)
    assert fresh.time == pytest.approx(2.0)
    assert fresh["v_WB_B_x"] > 1.5, "the gear is in after 0.7 s"
    assert fresh["yaw"] > 0.0, "+ is to the left"
    assert capfd.readouterr() == ("", "")


def test_the_same_drive_has_the_same_bits_however_it_is_cut(fresh):
    logs = []
    for cuts in ((1.5,), (0.003, 0.004, 0.5, 0.993)):
        fresh.reset()
        fresh.command(throttle=1.0)
        for seconds in cuts:
            fresh.advance(seconds)
        logs.append(fresh.log)
    assert logs[0].rows == logs[1].rows == 151
    assert list(logs[0]) == list(logs[1])
    assert all(logs[0][name].tobytes() == logs[1][name].tobytes() for name in logs[0])


@pytest.mark.parametrize("seconds", [0.0005, -1.0, float("nan"), float("inf")])
def test_time_goes_on_in_whole_steps(fresh, seconds):
    with pytest.raises(jounce.ConfigError, match="a multiple of the step"):
        fresh.advance(seconds)


def test_a_new_simulation_drives_as_one_that_was_reset(fresh):
    other = jounce.Simulation("hmmwv", "flat", channels=CHANNELS)
    for one in (fresh, other):
        one.command(throttle=1.0)
        one.advance(0.5)
    assert all(fresh.log[name].tobytes() == other.log[name].tobytes() for name in other.log)


def test_a_reset_may_begin_elsewhere_and_rolling(fresh):
    fresh.reset(at=(12.0, -3.0, 0.5), speed=8.0)
    assert [fresh[name] for name in ("p_WB_x", "p_WB_y", "yaw", "v_WB_B_x")] == pytest.approx([12.0, -3.0, 0.5, 8.0], abs=0.05)
    fresh.reset()
    assert fresh["v_WB_B_x"] == 0.0 and fresh["yaw"] == pytest.approx(fresh.ground.spawn[2])
    for wrong in ({"at": (0.0, 0.0)}, {"at": (0.0, math.nan, 0.0)}, {"speed": -1.0}, {"speed": "fast"}):
        with pytest.raises(jounce.JounceError, match=f"^reset: {next(iter(wrong))}: "):
            fresh.reset(**wrong)
    with pytest.raises(jounce.JounceError, match="has a maneuver"):
        jounce.Simulation(maneuver="goal_obstacles").reset(speed=1.0)


def test_values_have_names_units_and_fields(fresh):
    fresh.command(throttle=0.5)
    fresh.advance(0.5)
    v = fresh["v_WB_B"]
    assert v.shape == (3,)
    assert v[0] == fresh["v_WB_B_x"] == fresh.log["v_WB_B_x"][-1]
    assert isinstance(fresh["gear"], int)
    reading = fresh.read("v_WB_B_x")
    assert (reading.value, reading.unit, reading.frame) == (v[0], "m/s", "B")
    assert "velocity" in str(reading)
    assert fresh["F_C_FL_z"] > 1000.0, "what is not logged is there to be read"
    with pytest.raises(NoSuchColumnError, match="did you mean v_WB_B"):
        _ = fresh["v_WB_C"]


def test_the_log_has_what_was_chosen_and_knows_its_run(fresh):
    fresh.advance(0.1)
    log = fresh.log
    assert list(log)[:4] == ["time", "p_WB_x", "p_WB_y", "p_WB_z"]
    assert log["time"] == pytest.approx(np.arange(11) * 0.01, abs=1e-12)
    assert log["time"].tolist() == [round(0.01 * n, 2) for n in range(11)], "ticks times their length, not a sum of them"
    assert fresh.time == 0.1
    assert (log.about["vehicle"], log.about["terrain"]) == ("hmmwv", "flat")
    assert log.configuration["vehicle"]["chassis"]["mass"] == pytest.approx(CHASSIS)
    assert fresh.configuration["vehicle"] == log.configuration["vehicle"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ({"throtle": 1.0}, "did you mean throttle"),
        ({"brake": 1.5}, "from 0 to 1"),
        ({"steering": float("nan")}, "from -1 to 1"),
        ({"gear": 11}, "from 0 to 10"),
        ({"selector": "backward"}, "from -1 to 1, or reverse, neutral, drive; got .backward."),
        ({"gear": "third"}, "from 0 to 10; got .third."),
        ({"throttle": None}, "from 0 to 1"),
    ],
)
def test_a_command_that_cannot_be_is_refused(fresh, command, said):
    with pytest.raises(jounce.JounceError, match=said):
        fresh.command(**command)


def test_the_selector_may_be_named(fresh):
    for name, position in (("reverse", -1), ("neutral", 0), ("drive", 1)):
        fresh.command(selector=name)
        fresh.advance(0.01)
        assert fresh["command_selector"] == position


def test_a_gear_and_a_pull_are_parts_of_a_command(fresh):
    fresh.command(throttle=0.8, gear=1, drawbar=4000.0)
    fresh.advance(1.0)
    assert fresh["command_gear"] == fresh["gear"] == 1 and fresh["command_drawbar"] == 4000.0
    speed = fresh["v_WB_B_x"]
    fresh.reset()
    fresh.command(throttle=0.8, gear=1)
    fresh.advance(1.0)
    assert fresh["v_WB_B_x"] > 1.05 * speed


def test_a_torque_turns_the_steering_where_the_session_says_so(fresh):
    """What is said last of angle and torque counts; elsewhere a torque is refused."""
    with pytest.raises(jounce.JounceError, match="steering: torque"):
        fresh.command(steering_torque=2.0)
    sim = jounce.Simulation("hmmwv", "flat", changes={"steering": "torque"}, channels=["steering_wheel_*", "command_*"])
    sim.command(steering_torque=3.0, brake=1.0)
    sim.advance(0.5)
    turned = sim["steering_wheel_angle"]
    assert turned > 0.01 and sim["command_steering_free"] == 1 and sim["steering_wheel_torque"] == pytest.approx(3.0)
    sim.command(steering=0.0)
    sim.advance(0.5)
    assert sim["command_steering_free"] == 0 and abs(sim["steering_wheel_angle"]) < 1e-9


def test_a_session_of_angles_rejects_a_maneuver_that_releases_the_wheel():
    with pytest.raises(jounce.ConfigError, match="torque"):
        jounce.Simulation(maneuver="returnability", changes={"steering": "angle"})


def test_changes_by_key_path_reach_every_file():
    changes = {"vehicle.chassis.mass": 2600, "vehicle.tires.friction": 0.3, "terrain.gravity": 3.7}
    sim = jounce.Simulation("hmmwv", "flat", changes=changes, channels=["F_C_*_z"])
    weight = sum(sim[f"F_C_{corner}_z"] for corner in ("FL", "FR", "RL", "RR"))
    plain = jounce.Simulation("hmmwv", "flat", changes={"terrain.gravity": 3.7}, channels=["F_C_*_z"])
    lighter = sum(plain[f"F_C_{corner}_z"] for corner in ("FL", "FR", "RL", "RR"))
    assert weight - lighter == pytest.approx((2600.0 - CHASSIS) * 3.7, rel=1e-6)
    assert sim.vehicle.model.tires["friction"] == pytest.approx(0.3)
    assert sim.log.configuration["vehicle"]["tires"]["friction"] == 0.3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"vehicle.chasis.mass": 1.0}, "did you mean chassis"),
        ({"vehicle.chassis.mass": -1.0}, "above 0"),
        ({"vehicle.chassis.mass": "heavy"}, "a number"),
        ({"vehicle..mass": 1.0}, "a key path"),
    ],
)
def test_a_change_that_cannot_be_is_refused_by_its_path(changes, said):
    with pytest.raises(jounce.ConfigError, match=said) as error:
        jounce.Simulation("hmmwv", "flat", changes=changes)
    assert next(iter(changes)).split(".")[0] in str(error.value)


def test_a_driver_may_be_a_function_or_an_object():
    def brakes_at_two(t, readout):
        return {"throttle": 0.0, "brake": 1.0} if readout["v_WB_B"][0] > 2.0 else {"throttle": 1.0, "brake": 0.0}

    class Same:
        def read(self, t, readout, command):
            command[0]["selector"] = 1
            for name, value in brakes_at_two(t, readout[0]).items():
                command[0][name] = value

    logs = []
    for driver in (brakes_at_two, Same()):
        sim = jounce.Simulation("hmmwv", "flat", driver=driver, channels=["v_WB_B_x"])
        sim.advance(2.0)
        logs.append(sim.log["v_WB_B_x"])
    assert 1.5 < logs[0].max() < 3.0
    np.testing.assert_array_equal(logs[0], logs[1])
    with pytest.raises(jounce.JounceError, match="drives"):
        sim.command(throttle=1.0)


def test_a_driver_that_raises_gives_a_jounce_error():
    def broken(t, readout):
        raise ZeroDivisionError("one over nothing")

    sim = jounce.Simulation("hmmwv", "flat", driver=broken)
    with pytest.raises(jounce.JounceError, match="one over nothing"):
        sim.advance(0.1)


def test_a_maneuver_has_the_metrics_and_the_bits_of_the_command(tmp_path):
    changes = {"maneuver.duration_s": 3.0}
    result = jounce.simulate("avtp_lane_change", changes=changes, log_rate=500.0, channels=["v_WB_B_x", "time"])
    assert main(["run", "avtp_lane_change", "--out", str(tmp_path / "out"), "--set", "maneuver.duration_s=3.0", "--log-rate", "500"]) in (
        0,
        1,
    )
    log = jounce.read_log(tmp_path / "out")
    assert log.rows == result.log.rows == 1501
    assert log["v_WB_B_x"].tobytes() == result.log["v_WB_B_x"].tobytes()
    said = json.loads((tmp_path / "out" / "metrics.json").read_text())["result"]
    assert result.metrics == said["metrics"]
    assert result.passed is said["pass"] is False, "it has not come to the course"
    assert list(result.log) == ["time", "v_WB_B_x"]


def test_metrics_do_not_depend_on_what_is_logged():
    changes = {"maneuver.duration_s": 2.0}
    results = [jounce.simulate("avtp_lane_change", changes=changes, **log) for log in ({}, {"channels": ["gear"], "log_rate": 10.0})]
    assert results[0].metrics == results[1].metrics
    assert results[1].log.rows == 21


def test_without_a_maneuver_there_is_nothing_to_run(fresh):
    with pytest.raises(jounce.JounceError, match="maneuver"):
        fresh.run()


def test_an_incident_is_an_error_that_says_when():
    sim = jounce.Simulation("hmmwv", "flat")
    sim.command(throttle=0.3)
    sim.advance(1.0)
    sim.vehicle.space.state[0]["v_WB_B"][0] = 1e4
    with pytest.raises(jounce.IncidentError) as error:
        sim.advance(0.1)
    assert error.value.incident.number == 1
    sim.advance(0.1)
    assert sim["v_WB_B_x"] == pytest.approx(0.0, abs=1e-6), "it stands where it was well"


def test_a_vehicle_settles_on_a_ground():
    vehicle = jounce.load_vehicle("hmmwv", {"chassis.mass": 3000.0})
    ground = jounce.load_ground("flat", {"gravity": 5.0})
    vehicle.reset(ground, x=3.0, yaw=0.5)
    heavy = vehicle.readout[0]["F_C"][:, 2].sum()
    jounce.load_vehicle("hmmwv").reset(ground)
    light_vehicle = jounce.load_vehicle("hmmwv")
    light_vehicle.reset(ground.arrays)
    assert heavy - light_vehicle.readout[0]["F_C"][:, 2].sum() == pytest.approx((3000.0 - CHASSIS) * 5.0, rel=1e-6)
    assert vehicle.readout[0]["p_WB"][0] == pytest.approx(3.0, abs=0.05)


def test_a_mechanism_swept_closes_its_loops_and_says_where_it_is():
    turn = np.radians([0.0, 10.0, 20.0])
    log = jounce.sweep_mechanism("slider_crank", "main bearing", turn)
    np.testing.assert_allclose(log["main bearing"], turn, atol=1e-12)
    crank, rod = 0.05, 0.15
    place = crank * np.cos(turn) + np.sqrt(rod**2 - (crank * np.sin(turn)) ** 2) - (crank + rod)
    np.testing.assert_allclose(log["cylinder"], place, atol=1e-12)
    assert log.columns["cylinder"].unit == "m"
    with pytest.raises(jounce.ConfigError, match="main bearing"):
        jounce.sweep_mechanism("slider_crank", "crank", turn)


def test_a_simulated_mechanism_conserves_energy_and_the_work_of_its_torque():
    log = jounce.run_mechanism("slider_crank", 0.05, step=1e-3)
    assert log["time"][-1] == pytest.approx(0.05)
    work = 0.5 * (log["main bearing"] - log["main bearing"][0])
    np.testing.assert_allclose(log["energy"] - log["energy"][0], work, atol=1e-4)


def test_rays_meet_the_ground_and_the_objects_of_the_session() -> None:
    sim = jounce.Simulation("hmmwv", "flat")
    down, ahead = sim.cast((3.0, 0.0, 2.0), [(0.0, 0.0, -1.0), (1.0, 0.0, 0.0)], 50.0).range
    assert down == pytest.approx(2.0)
    assert ahead == math.inf
    sim.session.world.objects = ObjectSet([WorldObject("post", Cylinder(0.1, 3.0), (13.0, 0.0, 0.0))])
    hits = sim.cast((3.0, 0.0, 2.0), (1.0, 0.0, 0.0), 50.0)
    own = sim.cast(
        [(20.0, 0.5, 0.9), (0.0, 0.0, 5.0), (20.0, 0.5, 4.0)],
        [(-1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0)],
        50.0,
        own_vehicle=True,
    )
    assert own.object.tolist() == [OWN_VEHICLE, OWN_VEHICLE, -1]
    assert 20.0 - own.range[0] == pytest.approx(2.4, abs=0.3)  # the front of the car
    assert own.normal[0, 0] > 0.3
    assert own.normal[1, 2] > 0.9
    where, readout = sim.vehicle.space.state[0]["p_WB"], sim.vehicle.readout[0]  # the car stands along x
    center, radius = where + readout["p_BK"][0], sim.vehicle.model.object_contact[0]["wheels"][0, 0]
    wheel = sim.cast(
        [center + (0.0, 5.0, 0.02 - radius), center + (0.0, 5.0, -0.02 - radius)], (0.0, -1.0, 0.0), 50.0, ground=False, own_vehicle=True
    )
    half = sim.vehicle.model.object_contact[0]["wheels"][0, 1]
    np.testing.assert_allclose(wheel.range[0], 5.0 - half, atol=0.01)  # a little toe and camber
    assert wheel.range[1] > 5.0
    assert hits.range[0] == pytest.approx(9.9)
    assert hits.object[0] == 1
