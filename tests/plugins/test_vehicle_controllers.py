"""Controllers of shipped vehicles: effect of stability and traction control, steered axles, dampers and motors."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.signal import butter, filtfilt

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_vehicle, data_folder
from terrain.load_terrain import load_terrain
from tests.laws.vehicle_rig import command, ground, steps
from vehicles.controllers.contract import WHEELS
from vehicles.vehicle import Vehicle

FREQUENCY, DWELL = 0.7, 0.5
"""Hz, s of the sine of FMVSS 126."""
DONE = 1.0 / FREQUENCY + DWELL
"""s. Time from the start of steering to its completion."""


@cache
def car(name: str) -> Vehicle:
    return build_vehicle(name, check_step=False)


def switch(vehicle: Vehicle, **on: bool) -> None:
    """Switch controllers on or off by name, all others on."""
    names = [unit.name for unit in vehicle.description.controllers.units]
    vehicle.model.controllers["active"] = [int(on.get(name, True)) for name in names]


def logged(vehicle: Vehicle, name: str) -> Any:
    return next(state[0] for prefix, _, state in vehicle.logged if prefix == f"{name}_")


# Stability control --------------------------------------------------------------------------------------------------------------


def sine_with_dwell(vehicle: Vehicle, amplitude: float) -> tuple[float, float, float, float]:
    """Return yaw rate ratios 1.00 and 1.75 s after completion of steer, lateral displacement 1.07 s after its start [m], and maximum sideslip [rad].

    The vehicle coasts at 80 km/h; the steering wheel has that amplitude [rad, + = to the left first]. Independent of the analysis of the maneuver."""
    s, lock = vehicle.space, vehicle.model.steering[0]["max_arm_angle"] * vehicle.model.steering[0]["gear_ratio"]
    vehicle.reset(ground("flat"), speed=80.0 / 3.6)
    c, rows, turn = command(selector=1), [], 1.0 / FREQUENCY
    for n in range(round((DONE + 1.8) * 100)):
        t = 0.01 * n
        phase = t if t < 0.75 * turn else max(0.75 * turn, t - DWELL)
        c[0]["steering"] = amplitude * math.sin(2.0 * math.pi * FREQUENCY * phase) / lock if t < DONE else 0.0
        steps(10, vehicle.model, s, ground("flat"), c, 1e-3)
        v, side = s.state[0]["v_WB_B"], math.copysign(1.0, amplitude)
        rows.append((t + 0.01, side * s.state[0]["w_WB_B"][2], side * s.out[0]["a_WB_B"][1], math.atan2(v[1], v[0])))
    time, yaw_rate, lateral, sideslip = np.array(rows).T
    displacement = np.cumsum(np.cumsum(lateral)) * 1e-4
    peak = -yaw_rate[(time > 0.5 * turn) & (time < DONE + 1.0)].min()
    first, second = (-float(np.interp(DONE + later, time, yaw_rate)) / peak for later in (1.0, 1.75))
    return first, second, float(np.interp(1.07, time, displacement)), float(np.abs(sideslip).max())


A_SEDAN, A_HMMWV = math.radians(26.35), math.radians(30.55)
"""rad of the steering wheel at 0.3 g: series fmvss_126, slowly increasing steer."""


@pytest.mark.parametrize(("name", "A"), [("sedan_esc", A_SEDAN), ("hmmwv_esc", A_HMMWV), ("sedan_electric", A_SEDAN)])
def test_with_stability_control_cars_keep_the_limits_of_fmvss_126(name: str, A: float) -> None:
    switch(car(name))
    for multiple in (5.0, 6.0, 7.0, math.radians(270.0) / A):
        for side in (1.0, -1.0):
            first, second, displacement, _ = sine_with_dwell(car(name), side * multiple * A)
            assert abs(first) <= 0.35 and abs(second) <= 0.20
            assert displacement >= 1.83


@pytest.mark.parametrize(("name", "amplitude"), [("sedan_esc", 6.0 * A_SEDAN), ("hmmwv_esc", 5.0 * A_HMMWV)])
def test_without_it_they_spin(name: str, amplitude: float) -> None:
    switch(car(name), esc=False)
    first, second, _, sideslip = sine_with_dwell(car(name), amplitude)
    assert first > 0.35 and second > 0.20 and sideslip > math.radians(60.0)


def test_it_does_not_act_in_a_turn_of_5_m_s2_and_a_slalom() -> None:
    vehicle = car("sedan_esc")
    switch(vehicle)
    vehicle.reset(ground("flat"), speed=20.0)
    for n in range(60):
        steering = 0.09 * min(1.0, n / 15.0, max(0.0, 40.0 - n) / 10.0) if n < 40 else 0.05 * math.sin(0.1 * math.pi * n)
        steps(
            100, vehicle.model, vehicle.space, ground("flat"), command(selector=1, throttle=vehicle.start_throttle, steering=steering), 1e-3
        )
        assert logged(vehicle, "esc")["active"] == 0.0
        if n == 29:
            assert vehicle.space.out[0]["a_WB_B"][1] > 5.0


def test_a_car_with_it_switched_off_is_identical_to_a_car_without_it(tmp_path: Path) -> None:
    (tmp_path / "plain.yaml").write_text("{base: sedan, name: plain, drivetrain: drivetrain_sedan_hydraulic}", encoding="utf-8")
    plain, off = build_vehicle(str(tmp_path / "plain.yaml"), check_step=False), car("sedan_esc")
    switch(off, abs=False, esc=False, traction=False, hill_hold=False)
    states = []
    for vehicle in (plain, off):
        vehicle.reset(ground("flat"), speed=20.0)
        for brake, steering in ((0.0, 0.1), (1.0, 0.2)):
            steps(500, vehicle.model, vehicle.space, ground("flat"), command(selector=1, brake=brake, steering=steering), 1e-3)
        states.append(vehicle.space.state.tobytes())
    switch(off)
    assert states[0] == states[1]


def test_it_runs_at_its_own_rate_and_is_reproducible() -> None:
    vehicle, seen = car("sedan_esc"), []
    switch(vehicle)
    for _ in range(2):
        vehicle.reset(ground("flat"), speed=20.0)
        for _ in range(100):
            steps(1, vehicle.model, vehicle.space, ground("flat"), command(selector=1, steering=0.4), 1e-3)
            seen.append(float(logged(vehicle, "esc")["yaw_rate"]))
    assert seen[:100] == seen[100:]
    assert len(set(seen)) == 10  # 100 Hz: every tenth step


# Traction control ---------------------------------------------------------------------------------------------------------------


def start(vehicle: Vehicle, on: Any, seconds: float = 4.0) -> tuple[float, float]:
    """Return the speed at the end of a start at full throttle, and the maximum excess speed of a tread [m/s]."""
    vehicle.reset(on)
    fastest = 0.0
    for _ in range(round(seconds * 20)):
        steps(50, vehicle.model, vehicle.space, on, command(selector=1, throttle=1.0), 1e-3)
        state = vehicle.space.state[0]
        fastest = max(fastest, float(0.314 * state["wheel_spin"].max() - state["v_WB_B"][0]))
    return float(state["v_WB_B"][0]), fastest


SPLIT = {"friction": 0.8, "spacing": [0.5, 0.1], "patches": [{"friction": 0.15, "x": [-20.0, 200.0], "y": [0.0, 4.0]}]}


@pytest.mark.parametrize("name", ["sedan_esc", "sedan_electric"])
@pytest.mark.parametrize(("said", "gain"), [({"friction": 0.25}, 1.03), (SPLIT, 1.5)])
def test_traction_control_starts_faster_on_snow_and_on_one_good_side(name: str, said: dict[str, Any], gain: float) -> None:
    vehicle, on = (
        car(name),
        load_terrain({"type": "flat", **said}, "start", Path(), {"basalt": {"type": "surface", "friction": 0.2}}).arrays,
    )
    switch(vehicle, traction=False)
    without, spinning = start(vehicle, on)
    switch(vehicle)
    speed, faster = start(vehicle, on)
    assert speed > gain * without
    assert faster < 0.5 * spinning


def launch(vehicle: Vehicle, friction: float, until: float) -> Any:
    """Start at full throttle up to a speed [m/s]; return time [s], speed and mean excess speed of the driven treads [m/s] every 10 ms."""
    on = load_terrain({"type": "flat", "friction": friction}, "start", Path(), {}).arrays
    vehicle.reset(on)
    steps(1000, vehicle.model, vehicle.space, on, command(selector=1, brake=0.5), 1e-3)
    rows, state = [(0.0, 0.0, 0.0)], vehicle.space.state[0]
    while rows[-1][1] < until and rows[-1][0] < 20.0:
        steps(10, vehicle.model, vehicle.space, on, command(selector=1, throttle=1.0), 1e-3)
        speed = float(state["v_WB_B"][0])
        rows.append((rows[-1][0] + 0.01, speed, 0.306 * float(state["wheel_spin"][2:].mean()) - speed))
    return np.array(rows).T


MPH_60 = 60.0 * 0.44704
"""m/s"""


def test_the_driveline_of_the_car_with_controllers_is_that_of_the_car_without() -> None:
    """Half shafts that twist and the lag of the engine make the traction control harder; the car does not leave them out."""
    plain, controlled = (car(name).model.drivetrain[0] for name in ("sedan", "sedan_esc"))
    assert plain["twist_stiffness"] > 0.0 and plain["engine_response_time"] > 0.0
    for name in ("twist_stiffness", "twist_damping", "engine_response_time"):
        assert controlled[name] == plain[name]


@pytest.mark.parametrize("stiffness", [1.0, 0.75])
@pytest.mark.parametrize("friction", [0.5, 0.65, 0.8, 1.0])
def test_a_start_with_traction_control_has_no_gap(friction: float, stiffness: float) -> None:
    """The clutch closes in half a second; from then to the shift the car gains speed in every tenth of a second.

    With softer half shafts, whose oscillation is slower, too."""
    vehicle = car("sedan_esc")
    switch(vehicle)
    p = vehicle.model.drivetrain[0]
    p["twist_stiffness"] *= stiffness
    _, speed, _ = launch(vehicle, friction, 10.0)
    p["twist_stiffness"] /= stiffness
    gains = (speed[60:] - speed[50:-10]) / 0.1
    assert gains.min() > 0.5 * 9.81 * friction


@pytest.mark.parametrize(
    ("name", "friction", "loss"), [("sedan_esc", 0.8, 0.015), ("sedan_esc", 1.0, 0.06), ("sedan_electric", 0.8, 0.015)]
)
def test_traction_control_does_not_cost_time_to_60_mph_on_dry_asphalt(name: str, friction: float, loss: float) -> None:
    """On a friction of 1.0 the car without control may be 1 % faster: full throttle only just spins the wheels, the tires pull nearly as
    well while they spin, and the engine, 4 m/s ahead of the car, returns its kinetic energy when they grip again."""
    vehicle, times = car(name), []
    for on in (False, True):
        switch(vehicle, traction=on)
        time, speed, _ = launch(vehicle, friction, MPH_60)
        times.append(float(np.interp(MPH_60, speed[-2:], time[-2:])))
    switch(vehicle)
    without, with_control = times
    assert with_control < without + loss


@pytest.mark.parametrize("name", ["sedan_esc", "sedan_electric"])
def test_traction_control_holds_the_slip_of_a_start_on_a_friction_of_0_3(name: str) -> None:
    vehicle = car(name)
    switch(vehicle)
    time, _, excess = launch(vehicle, 0.3, 8.0)
    settled = time > 2.0
    assert np.sqrt(np.mean(excess[settled] ** 2)) < 1.0 and excess[settled].max() < 2.0


@pytest.mark.parametrize("name", ["sedan_esc", "sedan_electric", "hmmwv_esc"])
@pytest.mark.parametrize(("steering", "speed"), [(0.9, 4.0), (0.5, 6.0)])
def test_traction_control_does_not_act_in_a_tight_turn(name: str, steering: float, speed: float) -> None:
    """The outer driven wheel is up to 1.3 m/s faster than the inner one, without slip."""
    vehicle, on = car(name), ground("flat")
    switch(vehicle)
    vehicle.reset(on, speed=speed)
    unit, state = logged(vehicle, "traction"), vehicle.space.state[0]
    for n in range(400):
        pedal = min(0.5, max(0.03, vehicle.start_throttle + 0.3 * (speed - float(state["v_WB_B"][0]))))
        steps(10, vehicle.model, vehicle.space, on, command(selector=1, throttle=pedal, steering=steering * min(1.0, 0.01 * n)), 1e-3)
        assert (unit["pressure"] == 0.0).all() and unit["throttle_limit"] == 1.0
    assert abs(state["w_WB_B"][2]) > 0.4


# Steered axles ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "steering"), [(5.0, 0.05), (25.0, 0.04)])
def test_four_wheel_steering_removes_the_sideslip(speed: float, steering: float) -> None:
    vehicle = car("hmmwv_four_wheel_steering")
    found = []
    for on in (False, True):
        switch(vehicle, rear_steering=on)
        vehicle.reset(ground("flat"), speed=speed)
        steps(
            4000,
            vehicle.model,
            vehicle.space,
            ground("flat"),
            command(selector=1, throttle=vehicle.start_throttle, steering=steering),
            1e-3,
        )
        state = vehicle.space.state[0]
        mass, corners = vehicle.model.chassis[0]["mass"], vehicle.model.corners[0]["corner_mass"].sum()
        center = vehicle.model.chassis[0]["com"][0] * mass / (mass + corners)  # the corners' lies at about the reference point
        slip = math.atan2(state["v_WB_B"][1] + center * state["w_WB_B"][2], state["v_WB_B"][0])
        found.append((abs(slip / state["w_WB_B"][2]), vehicle.read()[0]["road_wheel_angle"].copy()))
    (before, _), (after, angles) = found
    assert after < 0.3 * before  # per yaw rate, as it turns more when slow and less when fast
    assert (angles[2:] * (1.0 if speed > 15.0 else -1.0) > 0.005).all()
    vehicle.reset(ground("flat"))
    assert vehicle.read()[0]["road_wheel_angle"][2:] == pytest.approx([0.0, 0.0], abs=1e-4)  # straight again


def test_an_axle_without_tie_rods_is_not_steered(tmp_path: Path) -> None:
    path = tmp_path / "car.yaml"
    path.write_text("{base: sedan, name: car, actuators: {rear_steering: {max_angle: 0.1, max_rate: 1.0, time: 0.02}}}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"actuators\.rear_steering: .*tie rods; semi_trailing_arm has none"):
        build_vehicle(str(path), check_step=False)


def test_active_front_steering_changes_the_ratio_without_moving_the_steering_wheel() -> None:
    vehicle = car("sedan_active_steering")
    for speed in (10.0, 30.0):
        wheels = []
        for on in (False, True):
            switch(vehicle, front_steering=on)
            vehicle.reset(ground("flat"), speed=speed)
            steps(
                1500,
                vehicle.model,
                vehicle.space,
                ground("flat"),
                command(selector=1, throttle=vehicle.start_throttle, steering=0.03),
                1e-3,
            )
            r = vehicle.read()[0]
            wheels.append(float(r["road_wheel_angle"][:2].mean()))
            lock = vehicle.model.steering[0]["max_arm_angle"] * vehicle.model.steering[0]["gear_ratio"]
            assert r["steering_wheel_angle"] == pytest.approx(0.03 * lock, rel=1e-9)
        found = logged(vehicle, "front_steering")
        assert found["factor"] == pytest.approx(1.5 - 0.7 * float(r["v_WB_B"][0]) / 35.0, rel=0.01)
        assert wheels[1] / wheels[0] == pytest.approx(1.0 + found["angle"] / (0.03 * lock), rel=0.03)


def test_a_released_steering_wheel_comes_to_rest_with_active_steering() -> None:
    """The angle that the controller adds pushes the free steering wheel back; with too much feedback the vehicle weaves without end."""
    vehicle = car("sedan_active_steering")
    switch(vehicle)
    vehicle.reset(ground("flat"), speed=60.0 / 3.6)
    turn = command(selector=1, throttle=vehicle.start_throttle, steering=0.08)
    steps(2000, vehicle.model, vehicle.space, ground("flat"), turn, 1e-3)
    turn[0]["steering_free"], angles = 1, []
    for _ in range(40):
        steps(100, vehicle.model, vehicle.space, ground("flat"), turn, 1e-3)
        angles.append(float(vehicle.read()[0]["steering_wheel_angle"]))
    assert np.ptp(angles[-20:]) < math.radians(2.0)


# Dampers ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("continuous", [1.0, 0.0])
def test_skyhook_calms_the_body_and_the_wheels_keep_contact(continuous: float) -> None:
    vehicle = car("sedan_skyhook")
    own = vehicle.description.controllers.units[0].parameters
    kept = own.copy()
    own["continuous"] = continuous
    if continuous == 0.0:
        own["max_ratio"], own["min_ratio"] = 1.0, 0.4
    rough = load_terrain({"type": "flat", "roughness": {"class": "C", "seed": 3}}, "rough", data_folder("assets"), {}).arrays
    found = []
    for on in (False, True):
        switch(vehicle, skyhook=on)
        vehicle.reset(rough, speed=20.0)
        rows = []
        for n in range(1600):
            steps(5, vehicle.model, vehicle.space, rough, command(selector=1, throttle=vehicle.start_throttle), 1e-3)
            if n > 200:
                rows.append((vehicle.space.out[0]["f_H_B"][2], *vehicle.space.contacts["F_C"][:, 2]))
        table = np.array(rows)
        found.append((table[:, 0].std(), table[:, 1:].std(axis=0) / table[:, 1:].mean(axis=0)))
    own[:] = kept
    (body, loads), (calmer, with_skyhook) = found
    assert calmer < 0.92 * body
    assert (with_skyhook < 1.15 * loads).all()


# Motors -------------------------------------------------------------------------------------------------------------------------


def test_an_electric_car_drives_by_torque_and_then_by_power() -> None:
    """Compare with a point mass with the inertia of wheels and rotor, by m v' = min(T, P / w) G / R minus drag; without slip it is slightly faster.

    Its torque rises as that of the controller."""
    vehicle = car("sedan_electric")
    switch(vehicle, traction=False)
    p, m, g = vehicle.model.drivetrain[0], vehicle.model, ground("flat")
    ratio, radius, torque, power = float(p["motor_ratio"][1]), 0.314, float(p["motor_torque_most"][1]), float(p["motor_power_most"][1])
    mass = float(m.chassis[0]["mass"] + m.corners[0]["corner_mass"].sum())
    mass += (float(m.corners[0]["spin_inertia"].sum()) + float(p["rotor_inertia"][1]) * ratio**2) / radius**2
    drag = 0.5 * float(m.body[0]["air_density"] * m.body[0]["drag_area"])
    vehicle.reset(g)
    speed = rise = 0.0
    for _ in range(8):
        for _ in range(1000):
            motor = max(ratio * speed / radius, 1.0)
            rise += 1e-3 * 2.0 * 3300.0 / ratio
            speed += 1e-3 * (min(rise, 0.7 * torque, power / motor) * ratio / radius - drag * speed * speed) / mass
        steps(1000, m, vehicle.space, g, command(selector=1, throttle=0.7), 1e-3)
        d, spin = vehicle.space.drivetrain[0], ratio * vehicle.space.state[0]["wheel_spin"][2:].mean()
        assert d["motor_torque"][2] == pytest.approx(0.5 * ratio * min(0.7 * torque, power / spin), rel=2e-3)
        assert d["motor_torque"][:2].tolist() == [0.0, 0.0]
        assert speed * 0.93 < vehicle.space.state[0]["v_WB_B"][0] < speed


def test_the_torque_of_the_motors_rises_without_a_jolt_and_ends_with_the_brake() -> None:
    """Jerk of a drive-off and of a step of the pedal at 20 km/h, low-pass filtered at 10 Hz; the brake does not wait for the falling torque."""
    vehicle, g = car("sedan_electric"), ground("flat")
    switch(vehicle)
    for speed in (0.0, 20.0 / 3.6):
        vehicle.reset(g, speed=speed)
        steps(1000, vehicle.model, vehicle.space, g, command(selector=1, brake=0.5 if speed == 0.0 else 0.0), 1e-3)
        forward = []
        for _ in range(1500):
            steps(1, vehicle.model, vehicle.space, g, command(selector=1, throttle=1.0), 1e-3)
            forward.append(float(vehicle.space.out[0]["a_WB_B"][0]))
        smooth = filtfilt(*butter(2, 2e-3 * 10.0), forward)
        assert smooth.max() > 5.5
        assert 12.0 < np.diff(smooth).max() * 1e3 < 20.0
    assert vehicle.space.drivetrain[0]["motor_torque"][2] > 1400.0
    steps(60, vehicle.model, vehicle.space, g, command(selector=1, throttle=1.0, brake=0.2), 1e-3)
    assert vehicle.space.drivetrain[0]["motor_torque"][2] < 0.0


def test_battery_energy_equals_heat_and_work() -> None:
    vehicle, g = car("sedan_electric"), ground("flat")
    switch(vehicle)
    vehicle.reset(g)
    s, p, work, kinetic = vehicle.space, vehicle.model.drivetrain[0], 0.0, 0.0
    rotor = float(p["rotor_inertia"][1] * p["motor_ratio"][1] ** 2)

    def pedals(throttle: float, brake: float, count: int) -> None:
        nonlocal work, kinetic
        for _ in range(count):
            before = s.state[0]["wheel_spin"].copy()
            steps(1, vehicle.model, s, g, command(selector=1, throttle=throttle, brake=brake), 1e-3)
            work += 1e-3 * float(s.axles[0]["drive_torque"] @ (0.5 * (before + s.state[0]["wheel_spin"])))
            kinetic = 0.5 * rotor * float(s.state[0]["wheel_spin"][2:].mean()) ** 2

    pedals(1.0, 0.0, 4000)
    d = s.drivetrain[0]
    assert d["battery_used"] == pytest.approx(d["battery_heat"] + d["motor_heat"] + d["motor_work"], rel=1e-12)
    assert work + kinetic == pytest.approx(float(d["motor_work"]), rel=1e-9)
    used, moving = float(d["battery_used"]), 0.5 * float(vehicle.model.chassis[0]["mass"]) * float(s.state[0]["v_WB_B"][0]) ** 2
    pedals(0.0, 0.25, 5000)
    assert work + kinetic == pytest.approx(float(d["motor_work"]), rel=1e-9)
    assert d["battery_used"] == pytest.approx(d["battery_heat"] + d["motor_heat"] + d["motor_work"], rel=1e-12)
    assert 0.3 * moving < used - d["battery_used"] < moving  # front brakes and losses take the rest


def test_motors_and_friction_together_brake_as_the_pedal_demands() -> None:
    vehicle, g = car("sedan_electric"), ground("flat")
    rates = []
    for on in (True, False):
        switch(vehicle, electric_drive=on)
        vehicle.reset(g, speed=25.0 if on else 0.0)
        if not on:  # no pedal position gives this speed, so it is set
            vehicle.reset(g, speed=25.0)
        steps(500, vehicle.model, vehicle.space, g, command(selector=1, brake=0.3), 1e-3)
        before = float(vehicle.space.state[0]["v_WB_B"][0])
        steps(1000, vehicle.model, vehicle.space, g, command(selector=1, brake=0.3), 1e-3)
        rates.append(before - float(vehicle.space.state[0]["v_WB_B"][0]))
        assert (vehicle.space.axles[0]["brake_torque"][2:] < 1.0).all() == on
        assert (vehicle.space.drivetrain[0]["motor_torque"][2:] < -300.0).all() == on
    switch(vehicle)
    coasting = 2.0 * 0.25 * 700.0 / 0.314 / 1700.0  # motors brake by so much more, as without the pedal
    assert rates[0] == pytest.approx(rates[1] + coasting, rel=0.03)


def test_motors_do_not_switch_on_and_off_at_the_end_of_a_hard_stop() -> None:
    """Above the speed at which their braking fades out; half the pedal leaves the wheels far from locking."""
    vehicle, g, torques = car("sedan_electric"), ground("flat"), []
    switch(vehicle)
    vehicle.reset(g, speed=15.0)
    while vehicle.space.state[0]["v_WB_B"][0] > 3.5:
        steps(5, vehicle.model, vehicle.space, g, command(selector=1, brake=0.5), 1e-3)
        if vehicle.space.state[0]["v_WB_B"][0] < 8.0:
            torques.append(float(vehicle.space.drivetrain[0]["motor_torque"][2]))
    assert np.abs(np.diff(torques)).max() < 100.0
    assert max(torques) < -500.0


def test_a_full_battery_is_not_charged_and_an_empty_one_is_not_discharged() -> None:
    vehicle, g = car("sedan_electric"), ground("flat")
    switch(vehicle)
    p = vehicle.model.drivetrain
    for charge, pedals_pressed in ((1.0, {"brake": 0.3}), (0.0, {"throttle": 1.0})):
        p[0]["battery_charge"] = charge
        vehicle.reset(g, speed=20.0)
        vehicle.space.drivetrain[0]["motor_torque"] = 0.0
        for _ in range(5):
            steps(100, vehicle.model, vehicle.space, g, command(selector=1, **pedals_pressed), 1e-3)
            if charge == 0.0:
                assert vehicle.space.drivetrain[0]["motor_torque"].max() <= 1e-9
            else:
                assert vehicle.space.drivetrain[0]["battery_power"] >= -1.0
    p[0]["battery_charge"] = 0.8
    assert np.isfinite(vehicle.space.state.view(np.float64)).all() and len(vehicle.space.actuators[0]["motor_order"]) == int(WHEELS)
