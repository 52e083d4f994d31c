"""Does each fault do to a vehicle what it says, and are the numbers the same afterwards?"""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simulator.api.simulation import Simulation
from simulator.base.errors import ConfigError, JounceError
from simulator.base.fields import read
from simulator.base.records import record
from simulator.faults.brakes import CIRCUIT_LOSS, BrakeCircuitLoss
from simulator.host.session_reports import SessionReports
from simulator.motion.stream import MotionStream
from simulator.outlets.motion_stream import MotionStreamOutlet
from terrain.wind import air_velocity, change_wind, moving_air
from vehicles.command import COMMAND
from vehicles.own_parameters import RECORDS
from vehicles.vehicle_model import VehicleModel

STRAIGHT = {"name": "straight", "steering_deg": 0, "throttle": 0.0, "lasts_s": 60}


def driven(*faults: Any, vehicle: str = "hmmwv", speed: float = 20.0, terrain: str = "flat", **phase: Any) -> Simulation:
    """Return a drive straight ahead from a speed [m/s] with the keys of a phase."""
    maneuver = {"name": "straight", "vehicle": vehicle, "terrain": terrain, "duration_s": 60, "start": {"speed_mps": speed}}
    phases = [{**{key: value for key, value in STRAIGHT.items() if key != "throttle" or "speed_mps" not in phase}, **phase}]
    return Simulation(
        changes={"maneuver": {**maneuver, "phases": phases}, "faults": list(faults)},
        channels=["p_WB", "v_WB_B", "fault_*"] if faults else [],
    )


def numbers(model: VehicleModel) -> bytes:
    return b"".join(getattr(model, name).tobytes() for name in RECORDS) + model.treads.tmeasy.tobytes()


def loads(simulation: Simulation) -> np.ndarray:
    return np.asarray(simulation["F_C"]).reshape(-1, 3)


def test_a_punctured_front_tire_pulls_to_its_side() -> None:
    shift = {}
    for wheel in ("FL", "FR"):
        one = driven({"type": "puncture", "wheel": wheel, "start_s": 0.5, "ramp_s": 0.5})
        for _ in range(6):
            one.advance(0.5)
            assert np.isfinite(loads(one)).all() and loads(one)[:, 2].max() < 20e3
        assert abs(one["roll"]) < 0.1
        shift[wheel] = float(one["p_WB_y"])
    assert shift["FL"] > 0.5 and shift["FR"] < -0.5
    assert shift["FL"] == pytest.approx(-shift["FR"], rel=0.15)  # the driver sits on one side


def test_a_flat_tire_carries_its_load_by_carcass_and_rim() -> None:
    one = Simulation("hmmwv", "flat")
    one.fault("puncture", wheel="RL", ramp_s=2)
    one.advance(6.0)
    tire = one.vehicle.tires.shared[2]
    share = 0.3 * 25e3 / (137.9e3 + 25e3)
    deflection, load = float(one["tire_deflection_RL"]), float(loads(one)[2, 2])
    rim = float(tire["bottoming_stiffness"]) * max(deflection - 0.4699 + 0.21955, 0.0)
    assert load == pytest.approx(share * 411120.92421 * deflection + rim, rel=0.01)
    assert deflection > 0.2  # down to the rim, from 0.02 m
    assert float(one["tire_deflection_FL"]) < 0.03


def test_a_flat_tire_has_the_rolling_resistance_and_the_cornering_stiffness_of_its_keys() -> None:
    one = driven({"type": "puncture", "wheel": "FR", "ramp_s": 0.5, "rolling_resistance": 0.2, "cornering_stiffness": 0.5})
    one.advance(2.0)
    flat, whole = one.vehicle.model, one.vehicle.tires
    assert flat.tires[1]["rolling_resistance"] == pytest.approx(0.2)
    assert flat.treads.tmeasy[1]["dfy0"] == pytest.approx(0.5 * whole.treads.tmeasy[1]["dfy0"])
    assert flat.treads.tmeasy[1]["sym"] == pytest.approx(2.0 * whole.treads.tmeasy[1]["sym"])
    assert flat.treads.tmeasy[0].tobytes() == whole.treads.tmeasy[0].tobytes()
    moment, (pull, _, load) = float(np.asarray(one["M_C"]).reshape(-1, 3)[1, 1]), loads(one)[1]
    lever = (2.0 * 0.4699 - 2.0 * (0.4699 - one["tire_deflection_FR"])) / 3.0  # of the pull, which acts on the rolling radius
    assert -moment == pytest.approx(0.2 * 0.4699 * load + lever * pull, rel=0.02)


@pytest.mark.parametrize(
    ("tires", "model", "slope"), [("magic_hmmwv", "magic_formula", "lky"), ("fiala_hmmwv", "fiala", "cornering_stiffness")]
)
def test_a_flat_tire_of_another_model_has_less_cornering_stiffness(tires: str, model: str, slope: str) -> None:
    stiffness = []
    for share in (1.0, 0.25):
        changes = {"vehicle.tires": tires, "steering": "angle"}
        one = Simulation("hmmwv", "flat", changes=changes)
        for wheel in ("FL", "FR"):
            one.fault("puncture", wheel=wheel, ramp_s=0.5, cornering_stiffness=share, friction=1.0, rolling_resistance=0.0)
        one.command(throttle=0.5, steering=0.05)
        one.advance(4.0)
        own, shared = one.vehicle.own_parameters().tire_models[model][slope], one.vehicle.tires.own[model][slope]
        assert own[:2] == pytest.approx(share * shared[:2]) and own[2:] == pytest.approx(shared[2:])
        stiffness.append(float(-loads(one)[:2, 1].sum() / np.asarray(one["slip_angle"])[:2].mean()))
    assert stiffness[1] < 0.5 * stiffness[0]


def test_the_deceleration_of_a_car_whose_engine_stops_is_that_of_its_drag() -> None:
    one = driven({"type": "engine_stop", "start_s": 2.0}, vehicle="sedan", speed=25.0, throttle=0.25, gear=4)
    one.advance(2.0)
    assert one["a_WB_B_x"] > 0.0
    one.advance(3.0)
    v, turns = float(one["v_WB_B_x"]), float(one["engine_speed"])
    model, files = one.vehicle.model, one.vehicle.drivetrain.drivetrain[0]
    krpm = turns * 30.0 / np.pi / 1000.0
    drag = 0.00298 / (4.0 * np.pi) * 1e3 * (97.0 + 15.0 * krpm + 5.0 * krpm**2 + 70.0)  # Barnes-Moss, and 70 kPa of pumping
    assert 2.0 < krpm < 3.0 and one["engine_torque"] == pytest.approx(-drag, rel=0.01)
    load, ratio = float(loads(one)[:, 2].sum()), turns / v
    mass = (load + 0.5 * 1.2 * 0.3798 * v * v) / 9.81  # with the lift
    shaft = v / 0.31 / 0.3413
    losses = (0.5 + 0.002 * shaft + 0.5 + 0.003 * shaft) / 0.3413 / 0.31
    engine = drag * ratio / (0.97 * 0.96)
    force = 0.5 * 1.2 * 0.633 * v * v + 0.0105 * load + engine + losses
    rolled = float(model.tires[0]["rolling_resistance"])
    assert rolled == 0.0105
    inertia = mass + float(model.corners[0]["spin_inertia"].sum()) / 0.31**2 + float(files["engine_inertia"]) * ratio**2
    assert -one["a_WB_B_x"] == pytest.approx(force / inertia, rel=0.04)


def test_an_automatic_car_rolls_out_with_a_stopped_engine_and_drives_on_after_the_fault() -> None:
    one = driven({"type": "engine_stop", "start_s": 0.5, "end_s": 6.0}, speed=8.0, throttle=0.3)
    one.advance(6.0)
    slow, stopped = float(one["v_WB_B_x"]), float(one["engine_speed"])
    assert slow < 7.0 and stopped < 60.0  # idle is 68 rad/s
    one.advance(4.0)
    assert one["v_WB_B_x"] > slow and one["engine_speed"] > 68.0


def test_motors_without_power_give_no_torque() -> None:
    one = driven({"type": "engine_stop", "start_s": 0.5}, vehicle="sedan_electric", speed=10.0, throttle=0.5)
    one.advance(0.5)
    assert one["engine_torque"] > 10.0
    one.advance(1.0)
    assert abs(one["engine_torque"]) < 1e-6


def test_a_stuck_throttle_stays_open_and_a_repeated_command_is_the_same() -> None:
    one = driven({"type": "stuck_throttle", "position": 0.6, "start_s": 0.5})
    one.advance(0.5)
    assert one["command_throttle"] == 0.0
    one.advance(0.5)
    assert one["command_throttle"] == pytest.approx(0.6)
    command = record(COMMAND)
    command[0]["throttle"] = 0.6
    one.session.injector._set.correct(command)  # type: ignore[union-attr]
    assert command[0]["throttle"] == pytest.approx(0.6)


@pytest.mark.parametrize(("circuit", "lost", "left"), [("front", slice(0, 2), slice(2, 4)), ("rear", slice(2, 4), slice(0, 2))])
def test_a_lost_circuit_has_no_brake_torque_and_the_other_all_of_its_own(circuit: str, lost: slice, left: slice) -> None:
    whole = driven(brake=0.3)
    one = driven({"type": "brake_circuit_loss", "circuit": circuit}, brake=0.3)
    for each in (whole, one):
        each.advance(1.5)
    torque, usual = (np.abs(np.asarray(each["brake_torque"])) for each in (one, whole))
    assert torque[lost].max() < 1.0 and torque[left] == pytest.approx(usual[left], rel=0.05)
    assert one["v_WB_B_x"] > whole["v_WB_B_x"] + 1.0


@pytest.mark.parametrize(("circuit", "lost", "side"), [("front_left_rear_right", [0, 3], -1.0), ("front_right_rear_left", [1, 2], 1.0)])
def test_half_of_a_diagonal_split_brakes_two_wheels_and_yaws_to_the_front_one(circuit: str, lost: list[int], side: float) -> None:
    whole, one = driven(brake=0.3), driven({"type": "brake_circuit_loss", "circuit": circuit, "ramp_s": 0.1}, brake=0.3)
    for each in (whole, one):
        each.advance(1.5)
    torque, usual = (np.abs(np.asarray(each["brake_torque"])) for each in (one, whole))
    left = [wheel for wheel in range(4) if wheel not in lost]
    assert torque[lost].max() < 1.0 and torque[left] == pytest.approx(usual[left], rel=0.05)
    assert side * float(one["yaw"]) > 0.01 and abs(float(whole["yaw"])) < 0.003


def test_a_diagonal_circuit_needs_four_wheels() -> None:
    values = read(CIRCUIT_LOSS.parameters, {"circuit": "front_left_rear_right"}, "a.yaml", "faults[0]")
    six = SimpleNamespace(corner_names=("FL", "FR", "ML", "MR", "RL", "RR"))
    with pytest.raises(ConfigError, match=r"faults\[0\].circuit: .*a diagonal circuit needs two axles with two wheels each, not 6"):
        BrakeCircuitLoss(values, SimpleNamespace(vehicle=six))  # type: ignore[arg-type]


def test_faded_brakes_have_less_torque() -> None:
    whole, one = driven(brake=0.3), driven({"type": "brake_fade", "friction": 0.5, "ramp_s": 0.1}, brake=0.3)
    for each in (whole, one):
        each.advance(1.0)
    assert np.asarray(one["brake_torque"]) == pytest.approx(0.5 * np.asarray(whole["brake_torque"]), rel=0.03)


def test_without_assistance_the_hands_turn_the_wheels() -> None:
    turning = {"steering_deg": 30}
    whole, one = driven(**turning), driven({"type": "steering_assist_loss"}, **turning)
    for each in (whole, one):
        each.advance(2.0)
    assert abs(whole["steering_assist_torque"]) > 1.0 and one["steering_assist_torque"] == 0.0
    assert abs(one["steering_wheel_torque"]) > 1.5 * abs(whole["steering_wheel_torque"])


def test_braking_on_an_ice_patch_is_limited_by_its_friction_and_only_there() -> None:
    patch = {"type": "ice_patch", "center": [40, 0], "size": [30, 20], "friction": 0.1}
    one = driven(patch, speed=20.0, brake=1.0)
    used: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(40):
        one.advance(0.1)
        x, force = np.asarray(one["p_WC"]).reshape(-1, 3)[:, 0], loads(one)
        if (np.abs(x - 40) < 13).all() or (x < 23).all():
            used[bool((x > 23).all())].append(float(np.hypot(force[:, 0], force[:, 1]).sum() / force[:, 2].sum()))
    assert len(used[True]) > 4 and max(used[True]) < 0.105
    assert max(used[False]) > 0.5


def test_a_gust_changes_the_wind_for_its_time_and_random_gusts_do_not_jump() -> None:
    one = driven({"type": "gust", "velocity": [0, 20, 0], "start_s": 0.5, "end_s": 1.5, "ramp_s": 0.2})
    wind = []
    for _ in range(4):
        one.advance(0.5)
        wind.append(float(one.session.injector.arrays.air[0]["wind"][1]))
    assert wind[0] == 0.0 and wind[1] == pytest.approx(20.0) and wind[3] == 0.0
    assert one["p_WB_y"] > 0.01 and one.ground.air[0]["wind"][1] == 0.0
    air, place, time = moving_air((5.0, 0.0, 0.0), {"speed": 3.0, "length": 60.0, "seed": 1}), (10.0, 4.0, 1.0), 123.4
    before = np.array(air_velocity(air, place, time))
    change_wind(air, np.array((5.0, 8.0, 0.0)), time)
    assert np.array(air_velocity(air, place, time)) - before == pytest.approx((0.0, 8.0, 0.0), abs=1e-9)


def test_a_lost_sensor_says_so_and_measures_again_afterwards() -> None:
    one = Simulation("hmmwv", "flat", sensors=["imu"])
    one.advance(0.5)
    one.fault("sensor_loss", sensor="imu", end_s=1.0)
    one.advance(0.3)
    assert one.sensors["imu"].trouble == "sensor imu: lost by a fault"
    assert np.isnan(one["imu_sampled"]) and not one.session.output.failures
    one.advance(0.5)
    assert one.sensors["imu"].trouble == "" and one["imu_sampled"] > 1.0


@pytest.mark.parametrize(
    ("fault", "share", "age"),
    [({"type": "packet_loss", "probability": 0.5}, 0.5, 0.0), ({"type": "packet_delay", "delay_s": 0.2}, 0.8, 0.2)],
)
def test_packets_are_lost_or_late(fault: dict[str, Any], share: float, age: float) -> None:
    one = Simulation("hmmwv", "flat")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        stream = MotionStream(port=receiver.getsockname()[1], rate=250.0)
        one.session.output.outlets.append(MotionStreamOutlet(stream))
        one.fault(fault)
        found = []
        for _ in range(20):
            one.advance(0.05)
            found.append(len(_received(receiver)))
        assert sum(found) == pytest.approx(250 * share, abs=30)
        assert (max(found[:4]) < 5) == (age > 0.0)  # the delay rises in 0.05 s, so that packets are spread first
        assert stream.sent == 250  # a sender does not know
        stream.close(sleep=lambda seconds: None)
        assert len(_received(receiver)) >= 3  # the end of a stream always arrives


def _received(receiver: socket.socket) -> list[bytes]:
    found = []
    while True:
        try:
            found.append(receiver.recv(4096))
        except BlockingIOError:
            return found


def test_the_suspension_moves_more_without_a_damper_and_sinks_on_a_broken_spring() -> None:
    one = Simulation("hmmwv", "flat")
    one.fault("broken_spring", wheel="FR", force=0.3)
    one.fault("broken_damper", wheel="FR", damping=0.0)
    before = np.asarray(one["jounce"]).copy()
    one.advance(0.6)
    assert np.asarray(one["shock_force"])[1] == 0.0
    one.advance(4.4)
    assert np.asarray(one["jounce"])[1] > before[1] + 0.03 and np.isfinite(loads(one)).all()


def test_a_broken_link_takes_the_bar_away() -> None:
    turning = {"vehicle": "sedan", "speed": 15.0, "steering_deg": 60}
    whole, one = driven(**turning), driven({"type": "anti_roll_bar_link", "axle": "front"}, **turning)
    for each in (whole, one):
        each.advance(1.5)
    assert np.abs(np.asarray(whole["anti_roll_bar_force"])[:2]).max() > 100.0
    assert np.abs(np.asarray(one["anti_roll_bar_force"])[:2]).max() == 0.0


def test_faults_that_end_leave_the_numbers_of_before() -> None:
    times = {"start_s": 0.2, "end_s": 0.6, "ramp_s": 0.1}
    kinds = ("engine_stop", "brake_fade", "steering_assist_loss", "stuck_throttle", "packet_loss")
    wheels = [{"type": name, "wheel": "RL"} for name in ("puncture", "broken_damper", "broken_spring")]
    others = [{"type": "brake_circuit_loss", "circuit": "rear"}, {"type": "ice_patch", "center": [0, 0], "size": [50, 50]}]
    one = driven(*({**fault, **times} for fault in [*({"type": name} for name in kinds), *wheels, *others]))
    nominal = numbers(one.vehicle.new_instance().model)
    assert numbers(one.vehicle.model) == nominal
    one.advance(0.5)
    assert numbers(one.vehicle.model) != nominal
    assert numbers(one.vehicle.new_instance().model) == nominal  # of a vehicle that a driver tries
    one.advance(0.5)
    assert numbers(one.vehicle.model) == nominal and one.session.injector.faults[0].level == 0.0  # type: ignore[union-attr]
    one.advance(0.5)


def test_equal_drives_have_equal_bits_also_if_a_fault_is_added_during_the_drive() -> None:
    puncture = {"type": "puncture", "wheel": "FL", "start_s": 1.0, "ramp_s": 0.5}
    planned = driven(puncture, {"type": "packet_loss"}, speed=15.0)
    planned.advance(2.0)
    first = planned.log
    planned.reset()
    planned.advance(2.0)
    again = planned.log
    live = driven({"type": "packet_loss"}, speed=15.0)
    live.advance(1.0)
    assert live.fault("puncture", wheel="FL", ramp_s=0.5) == "puncture_FL"
    live.advance(1.0)
    added = live.log
    for name in first.columns:
        assert first[name].tobytes() == again[name].tobytes() == added[name].tobytes(), name
    assert first["fault_puncture_FL"][-1] == 1.0 and first["fault_puncture_FL"][100] == 0.0
    assert '"puncture_FL"' in added.about["configuration"]
    live.reset()
    assert "fault_puncture_FL" not in live.columns


def test_a_drive_says_once_when_a_fault_begins() -> None:
    said: list[str] = []
    view = SimpleNamespace(window=None)
    reports = SessionReports(SimpleNamespace(say=said.append), view)  # type: ignore[arg-type]
    one = Simulation("hmmwv", "flat", changes={"faults": [{"type": "engine_stop", "start_s": 0.2, "end_s": 0.6}]})
    for _ in range(10):
        one.advance(0.1)
        reports.report(one.session)
    assert said == ["fault engine_stop begins at 0.30 s"]


def test_a_fault_in_the_past_or_with_a_used_name_is_refused() -> None:
    one = Simulation("hmmwv", "flat")
    one.advance(1.0)
    with pytest.raises(JounceError, match="in the past"):
        one.fault("gust", velocity=[1, 0, 0], start_s=0.5)
    one.fault("gust", velocity=[1, 0, 0], name="storm")
    with pytest.raises(JounceError, match="a name that no other fault has"):
        one.fault("gust", velocity=[1, 0, 0], name="storm")


def test_the_energy_of_a_vehicle_at_rest_does_not_jump() -> None:
    """The shortest ramps at once: springs that weaken give no energy, and the vehicle only sinks."""
    one = Simulation("hmmwv", "flat", channels=["p_WB", "v_WB_B", "w_WB_B"], log_rate=1000.0)
    for wheel in ("FL", "RR"):
        one.fault("broken_spring", wheel=wheel, ramp_s=0.05)
        one.fault("puncture", wheel=wheel, ramp_s=0.05, end_s=3.0)
    one.advance(5.0)
    log = one.log
    height, fall = log["p_WB_z"], log["v_WB_B_z"]
    kinetic, released = 0.5 * fall**2, 9.81 * (height[0] - height)
    assert (kinetic[log["time"] < 3.0] <= np.maximum.accumulate(released)[log["time"] < 3.0] + 1e-3).all()
    assert np.abs(np.diff(fall)).max() < 0.05  # m/s in a millisecond


def test_begin_and_end_of_a_fault_are_events() -> None:
    one = driven({"type": "stuck_throttle", "position": 0.3, "start_s": 0.2, "ramp_s": 0.1, "end_s": 0.5})
    one.advance(1.0)
    heard = [event for event in one.log.events if event.kind == "fault"]
    assert [event.value for event in heard] == [{"part": "stuck_throttle", "begins": begins} for begins in (True, False)]
    assert [event.time for event in heard] == pytest.approx([0.21, 0.6], abs=0.011)
