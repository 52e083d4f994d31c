"""Do the analyses of braking, acceleration, climbing, turning, steering and ride give the known numbers of simple motions?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.driver.internal_model import InternalModel
from simulator.maneuvers.analyses.kinds import ANALYSES
from simulator.maneuvers.evaluation_section import USUAL_CHANNELS
from tests.maneuvers.drives import BODY, drive_of, look, straight_ahead, times

G = 9.80665


def nothing_of(name, drive, *besides, **parameters):
    """Whether an analysis has no number, but for some."""
    values = look(name, drive, **parameters).values
    return all(math.isnan(value) for key, value in values.items() if key not in besides)


# ---- braking ----


def stopping(deceleration=6.0, speed=25.0, begin=2.0, **columns):
    time = times(12.0, 200.0)
    v = np.clip(speed - deceleration * (time - begin), 0.0, speed)
    a_x = np.where((time > begin) & (v > 0.0), -deceleration, 0.0)
    return time, drive_of(time, **straight_ahead(time, v), a_WG_B_x=a_x, brake=1.0 * (time >= begin), **columns)


def test_constant_deceleration():
    _, drive = stopping()
    values = look("braking", drive).values
    assert values["stopping_distance"] == pytest.approx(25.0**2 / 12.0, rel=1e-3)
    assert values["stopping_time"] == pytest.approx((25.0 - 0.1) / 6.0, abs=0.01)
    assert values["deceleration_developed"] == pytest.approx(6.0, rel=1e-3)
    assert values["deceleration_mean"] == pytest.approx(6.0, rel=2e-3)
    assert values["deceleration_max"] == pytest.approx(6.0, rel=0.15)
    assert values["brake_speed"] == pytest.approx(25.0)
    assert values["first_locked_axle"] == 0.0
    assert values["braking_lateral_deviation_max"] == 0.0
    assert math.isnan(values["reaction_yaw_rate_ratio"])


def test_distance_from_a_speed():
    _, drive = stopping()
    assert look("braking", drive, speed_kph=72).values["stopping_distance"] == pytest.approx(400.0 / 12.0, rel=1e-3)


def test_no_standstill_no_distance():
    time = times(5.0)
    drive = drive_of(time, **straight_ahead(time, 25.0 - 2.0 * time), brake=1.0)
    values = look("braking", drive).values
    assert math.isnan(values["stopping_distance"]) and math.isnan(values["deceleration_developed"])
    assert nothing_of("braking", drive_of(time, **straight_ahead(time, 25.0)))


def test_off_the_line_and_the_axle_that_locks_first():
    time = times(12.0, 200.0)
    slip = {f"slip_ratio_{corner}": np.where(time > begin, -1.0, -0.05) for corner, begin in (("FL", 3.0), ("RR", 2.5))}
    _, drive = stopping(y_G=-0.2 * np.clip(time - 2.0, 0.0, 2.0), heading=-0.05 * np.clip(time - 2.0, 0.0, 2.0), **slip)
    values = look("braking", drive).values
    assert values["first_locked_axle"] == 2.0
    assert values["braking_lateral_deviation_end"] == pytest.approx(-0.4, abs=1e-3)
    assert values["braking_yaw_angle_end"] == pytest.approx(-0.1)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_braking_in_a_turn_that_goes_on_straight(side):
    """On a circle of 50 m until 4 s, then along its tangent at 10 m/s: 1 s later sqrt(50^2 + 10^2) - 50 = 0.99 m outside."""
    time = times(6.0)
    angle = np.minimum(time, 4.0) * 10.0 / 50.0
    beyond = np.maximum(time - 4.0, 0.0) * 10.0
    x = 50.0 * np.sin(angle) + beyond * np.cos(angle)
    y = side * (50.0 * (1.0 - np.cos(angle)) + beyond * np.sin(angle))
    rate = np.where(time < 4.0, 0.2, 0.2 * 0.4)
    drive = drive_of(
        time,
        x_G=x,
        y_G=y,
        heading=side * angle,
        v_WB_B_x=10.0,
        w_WB_B_z=side * rate,
        a_WG_B_y=side * 10.0 * rate,
        brake=1.0 * (time >= 4.0),
    )
    values = look("braking", drive, filter_Hz=0).values
    assert values["reaction_yaw_rate_ratio"] == pytest.approx(0.4, rel=0.02)
    assert values["reaction_lateral_acceleration_ratio"] == pytest.approx(0.4, rel=0.02)
    assert values["reaction_path_deviation"] == pytest.approx(50.0 - math.hypot(50.0, 10.0), abs=0.01)
    assert values["reaction_sideslip_change"] == 0.0


# ---- acceleration ----


def test_constant_acceleration():
    time = times(30.0)
    v = np.minimum(3.0 * np.maximum(time - 1.0, 0.0), 40.0)
    drive = drive_of(time, **straight_ahead(time, v), a_WG_B_x=3.0 * ((time > 1.0) & (v < 40.0)), throttle=1.0 * (time >= 1.0), gear=1)
    values = look("acceleration", drive, speed_kph=90, from_kph=36).values
    assert values["time_to_100_kph"] == pytest.approx(100.0 / 3.6 / 3.0, abs=0.01)
    assert values["time_to_30_mph"] == pytest.approx(13.4112 / 3.0, abs=0.01)
    assert values["time_to_speed"] == pytest.approx(15.0 / 3.0, abs=0.01)
    assert values["distance_to_speed"] == pytest.approx((625.0 - 100.0) / 6.0, abs=0.1)
    # 1.5 t^2 up to 40 m/s after 13.33 s and 266.7 m, then 133.3 m at 40 m/s
    assert values["time_over_400_m"] == pytest.approx(40.0 / 3.0 + (400.0 - 800.0 / 3.0) / 40.0, abs=0.01)
    assert values["speed_after_400_m"] == pytest.approx(40.0)
    assert values["speed_top"] == 40.0 and values["acceleration_end"] == pytest.approx(0.0, abs=1e-3)
    assert values["shifts"] == 0.0 and math.isnan(values["shift_jerk_max"])
    assert math.isnan(values["time_over_1000_m"])


def test_jerk_of_a_shift():
    """From 2 to 0.5 m/s2 in 0.1 s, as the gear changes; a kick far from any shift does not count."""
    time = times(10.0, 200.0)
    a_x = 2.0 - 15.0 * np.clip(time - 4.0, 0.0, 0.1) + 4.0 * np.exp(-(((time - 8.0) / 0.02) ** 2))
    drive = drive_of(time, **straight_ahead(time, 1.0 + time), a_WG_B_x=a_x, throttle=1.0, gear=1 + (time > 4.05))
    values = look("acceleration", drive, filter_Hz=0).values
    assert values["shifts"] == 1.0 and values["shift_jerk_max"] == pytest.approx(15.0, rel=0.01)
    by_hand = np.where((time > 4.0) & (time <= 4.05), 0, 1 + (time > 4.05))
    drive = drive_of(time, **straight_ahead(time, 1.0 + time), a_WG_B_x=a_x, throttle=1.0, gear=by_hand)
    assert look("acceleration", drive, filter_Hz=0).values["shifts"] == 1.0, "a lever passes neutral"


def test_no_acceleration_gives_no_number():
    assert nothing_of("acceleration", drive_of(times(5.0)))


# ---- grades, creep, coasting, pull ----


def test_rolled_back():
    time = times(6.0)
    v = np.where(time < 2.0, -0.5, 2.0)
    drive = drive_of(time, v_WB_B_x=v, pitch=-math.atan(0.6), p_WB_z=time)
    values = look("grade", drive).values
    assert values["rolled_back"] == pytest.approx(1.0, abs=0.01)
    assert values["grade"] == pytest.approx(0.6) and values["climb_speed_end"] == 2.0 and values["climbed"] == 6.0


def test_creep():
    time = times(20.0)
    v = 1.8 * (1.0 - np.exp(-np.maximum(time - 1.0, 0.0) / 2.0))
    values = look("creep", drive_of(time, v_WB_B_x=v, brake=1.0 * (time < 1.0))).values
    assert values["creep_speed"] == pytest.approx(1.8, rel=1e-3)
    assert values["creep_time"] == pytest.approx(2.0 * math.log(10.0), abs=0.03)
    assert nothing_of("creep", drive_of(time, v_WB_B_x=v, throttle=0.3))


def test_coasting_tells_resistance_and_drag():
    """dv/dt = -(c0 + c2 v^2): v = sqrt(c0 / c2) tan(phi - sqrt(c0 c2) t)."""
    resistance, area, mass = 0.015, 2.5, 2500.0
    c0, c2 = resistance * G, 0.5 * 1.225 * area / mass
    time = times(60.0)
    phase = math.atan(30.0 * math.sqrt(c2 / c0))
    v = math.sqrt(c0 / c2) * np.tan(phase - math.sqrt(c0 * c2) * time)
    drive = drive_of(time, traits=InternalModel(mass=mass), v_WB_B_x=v)
    values = look("coast_down", drive, area_m2=5.0).values
    assert values["coast_rolling_resistance"] == pytest.approx(resistance, rel=0.01)
    assert values["coast_drag_area"] == pytest.approx(area, rel=0.01)
    assert values["coast_drag_coefficient"] == pytest.approx(0.5, rel=0.01)


def test_pull_and_go():
    time = times(10.0)
    wheels = ("FL", "FR", "RL", "RR")
    columns = {f"F_C_{one}_x": 2000.0 for one in wheels} | {f"slip_ratio_{one}": 0.2 for one in wheels}
    columns |= {f"drive_torque_{one}": 1250.0 for one in wheels} | {f"wheel_spin_{one}": 4.0 for one in wheels}
    drive = drive_of(time, v_WB_B_x=1.5, traits=InternalModel(mass=2000.0), a_WG_B_x=0.0, sinkage_RL=0.07, **columns)
    values = look("drawbar", drive).values
    assert values["drawbar_pull_end"] == pytest.approx(8000.0) and values["drawbar_slip_end"] == pytest.approx(0.2)
    assert values["tractive_efficiency"] == pytest.approx(8000.0 * 1.5 / (4.0 * 1250.0 * 4.0))
    assert values["drawbar_pull_coefficient"] == pytest.approx(8000.0 / 24000.0)
    assert values["kept_moving"] == 1.0 and values["sinkage_max"] == 0.07
    stuck = drive_of(time, v_WB_B_x=np.maximum(0.0, 2.0 - time), **columns)
    values = look("drawbar", stuck).values
    assert values["kept_moving"] == 0.0 and values["stopped_time"] == pytest.approx(8.1, abs=0.1)


# ---- turning, steering ----


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_turning_circle(side):
    """B on a circle of 6 m; the outer front wheel 1.5 m ahead and 0.9 m outside of it, the body's front corner 2.2 and 1 m."""
    time = times(40.0)
    heading = side * 0.3 * time + 0.7
    x, y = 6.0 * np.sin(heading) * side, -6.0 * np.cos(heading) * side
    outer = "FR" if side > 0.0 else "FL"
    contact = {
        f"p_WC_{outer}_x": x + 1.5 * np.cos(heading) + 0.9 * side * np.sin(heading),
        f"p_WC_{outer}_y": y + 1.5 * np.sin(heading) - 0.9 * side * np.cos(heading),
    }
    columns = {"p_WB_x": x, "p_WB_y": y, "x": x, "y": y, "heading": heading, "yaw": heading}
    values = look("turning_circle", drive_of(time, v_WB_B_x=1.8, steering_wheel_angle=side * 13.0, **columns, **contact)).values
    assert values["turning_circle_curb"] == pytest.approx(2.0 * math.hypot(6.9, 1.5), rel=1e-6)
    assert values["turning_circle_wall"] == pytest.approx(
        2.0 * math.hypot(6.0 + 0.5 * BODY.width, max(BODY.front, BODY.length - BODY.front))
    )
    assert nothing_of("turning_circle", drive_of(time, v_WB_B_x=1.8))


def test_torque_parked_and_on_center():
    """A loop of 2 N m/rad with 1 N m of friction: torque at 0 deg 1 N m, width at 0 N m 1 rad."""
    time = times(30.0)
    angle = 1.5 * np.sin(2.0 * math.pi * 0.2 * time)
    torque = 2.0 * angle + np.sign(np.cos(2.0 * math.pi * 0.2 * time))
    drive = drive_of(time, steering_wheel_angle=angle, steering_wheel_torque=torque, w_WB_B_z=0.3 * angle, v_WB_B_x=25.0)
    values = look("steering_effort", drive, filter_Hz=0).values
    assert values["on_center_torque_at_zero"] == pytest.approx(1.0, rel=0.01)
    assert values["on_center_torque_offset"] == pytest.approx(0.0, abs=0.01)
    assert values["on_center_torque_gradient"] == pytest.approx(2.0, rel=0.1)
    assert values["on_center_angle_deadband"] == pytest.approx(1.0, rel=0.02)
    assert values["on_center_yaw_rate_gain"] == pytest.approx(0.3) and math.isnan(values["steering_torque_parked"])
    parked = look("steering_effort", drive_of(time, steering_wheel_angle=angle, steering_wheel_torque=torque), filter_Hz=0).values
    assert parked["steering_torque_parked"] == pytest.approx(4.0, rel=0.01) and math.isnan(parked["on_center_torque_at_zero"])


def test_a_wheel_that_comes_back():
    """exp(-t) of 0.6 rad to the right: e^-3 is left after 3 s, half of it after ln 2."""
    time = times(8.0, 200.0)
    angle = -0.6 * np.exp(-np.maximum(time - 4.0, 0.0))
    phases = {"release": slice(int(np.searchsorted(time, 4.0 - 1e-9)), len(time))}
    drive = drive_of(time, steering_wheel_angle=angle, steering_wheel_rate=np.gradient(angle, time), w_WB_B_z=0.5 * angle)
    values = look("returnability", drive._replace(phases=phases), phase="release", filter_Hz=0).values
    assert values["return_angle_begin"] == pytest.approx(0.6)
    assert values["return_share_left"] == pytest.approx(math.exp(-3.0), rel=1e-3)
    assert values["return_half_time"] == pytest.approx(math.log(2.0), abs=0.01)
    assert values["return_yaw_rate_left"] == pytest.approx(0.3 * math.exp(-3.0), rel=1e-3) and values["return_overshoot"] == 0.0


# ---- shock, ride ----


def test_half_sine_shock():
    """20 m/s2 for 0.1 s: a half sine of 5 Hz passes the 30 Hz filter."""
    time = times(4.0, 500.0)
    bump = np.where((time > 2.0) & (time < 2.1), np.sin(math.pi * (time - 2.0) / 0.1), 0.0)
    values = look("shock", drive_of(time, f_H_B_z=G + 20.0 * bump, v_WB_B_x=8.0)).values
    assert values["shock_max"] == pytest.approx(20.0, rel=0.01) and values["shock_time"] == pytest.approx(2.05, abs=0.002)
    assert values["shock_up_max"] == values["shock_max"] and values["shock_down_max"] < 1.5
    # a blow of 2 ms does not
    blow = np.where((time > 2.0) & (time < 2.003), 100.0, 0.0)
    assert look("shock", drive_of(time, f_H_B_z=G + blow)).values["shock_max"] < 20.0


def test_ride_of_a_sine():
    """1 m/s2 rms at 8 Hz upwards, 0.5 at 1 Hz sideways."""
    time = times(60.0, 500.0)
    z = math.sqrt(2.0) * np.sin(2.0 * math.pi * 8.0 * time)
    y = math.sqrt(0.5) * np.sin(2.0 * math.pi * time)
    values = look("ride", drive_of(time, f_H_B_z=G + z, f_H_B_y=y, x=10.0 * time), after_m=100).values
    assert values["vertical_acceleration_rms"] == pytest.approx(1.0, rel=1e-3)
    assert values["weighted_acceleration_z"] == pytest.approx(1.036, rel=2e-3)
    assert values["weighted_acceleration_y"] == pytest.approx(0.5 * 1.011, rel=5e-3)
    assert values["vibration_total"] == pytest.approx(math.hypot(1.036, 1.4 * 0.5055), rel=5e-3)
    assert values["comfort_level"] == 3.0
    # of a sine: (3/8)^(1/4) 2^(1/2) = 1.107 of rms T^(1/4)
    assert values["vibration_dose_ratio"] == pytest.approx((3.0 / 8.0 * 4.0) ** 0.25, rel=5e-3)
    assert values["crest_factor"] == pytest.approx(math.sqrt(2.0), rel=0.01)
    assert nothing_of("ride", drive_of(time, f_H_B_z=G + z), after_m=100)


# ---- all ----

FILLS = {
    "zeros": lambda random, n: np.zeros(n),
    "constant": lambda random, n: np.full(n, 3.0),
    "noise": lambda random, n: 5.0 * random.normal(size=n),
    "ramp": lambda random, n: np.linspace(-3.0, 9.0, n),
    "no numbers": lambda random, n: np.full(n, math.nan),
    "huge": lambda random, n: 1e200 * random.normal(size=n),
}


@pytest.mark.parametrize("name", ANALYSES)
@pytest.mark.parametrize("fill", FILLS)
def test_any_drive_gives_numbers_or_none(name, fill):
    random = np.random.default_rng(1)
    parameters = {"encounter": {"with": "lead"}, "towing": {"with": "trailer"}}.get(name, {})
    own = [key.format(**parameters) for key in ANALYSES[name].columns if key.startswith(("planner_", "{with}", "back_up_"))]
    for n in (2, 3, 5, 17, 400):
        time = 0.01 * np.arange(n)
        columns = {key: FILLS[fill](random, n) for key in (*USUAL_CHANNELS, *own) if key not in ("time", "gear", "phase")}
        with np.errstate(all="ignore"):
            found = look(name, drive_of(time, gear=random.integers(-1, 4, n), **columns), **parameters)
        assert set(found.curves) <= set(ANALYSES[name].curves)


# ---- tip-in ----


@pytest.mark.parametrize(("frequency", "ratio"), [(2.5, 0.1), (5.0, 0.15)])
def test_surge_after_a_tip_in(frequency, ratio):
    """A second-order step from -1 to 2 m/s2: overshoot exp(-pi z / sqrt(1 - z^2)) of the step."""
    time = times(6.0, 500.0)
    w, since = 2.0 * math.pi * frequency, np.maximum(time - 2.0, 0.0)
    damped = w * math.sqrt(1.0 - ratio**2)
    step = 1.0 - np.exp(-ratio * w * since) * (np.cos(damped * since) + ratio * w / damped * np.sin(damped * since))
    drive = drive_of(time, a_WG_B_x=-1.0 + 3.0 * step, throttle=0.5 * (time >= 2.0))
    values = look("tip_in", drive, filter_Hz=0, settled_s=2.0).values
    assert values["tip_in_step"] == pytest.approx(3.0, rel=0.01)
    assert values["tip_in_overshoot"] == pytest.approx(math.exp(-math.pi * ratio / math.sqrt(1.0 - ratio**2)), rel=0.03)
    assert values["shuffle_frequency"] == pytest.approx(damped, rel=0.02)
    assert values["shuffle_damping"] == pytest.approx(ratio, rel=0.05)
    rise = w * math.exp(-ratio * math.acos(ratio) / math.sqrt(1.0 - ratio**2))  # the largest slope of the step
    assert values["tip_in_jerk_max"] == pytest.approx(3.0 * rise, rel=0.02)


def test_a_tip_in_without_surge_has_no_frequency():
    time = times(6.0, 500.0)
    smooth = 3.0 * (1.0 - np.exp(-np.maximum(time - 2.0, 0.0) / 0.1))
    values = look("tip_in", drive_of(time, a_WG_B_x=smooth, throttle=0.5 * (time >= 2.0)), filter_Hz=0).values
    assert values["tip_in_overshoot"] < 0.01 and math.isnan(values["shuffle_frequency"])
    assert values["tip_in_rise_time"] == pytest.approx(0.1 * math.log(9.0), rel=0.03)
    assert nothing_of("tip_in", drive_of(time, a_WG_B_x=smooth, throttle=0.0))
