"""Do the analyses of handling give the known numbers of simple motions?"""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.signal

from simulator.driver.internal_model import InternalModel
from simulator.maneuvers.analyses.frequency_response import FREQUENCIES
from tests.maneuvers.drives import drive_of, look, second_order_step, times

G = 9.80665
RATIO = 20.0
TRAITS = InternalModel(
    wheelbase=3.0,
    steering_wheel_lock=10.0,
    inputs=np.array([-1.0, 1.0]),
    road_wheel_angles=np.array([-10.0 / RATIO, 10.0 / RATIO]),
)
K = 0.003
"""rad s2/m."""


def steady(speed, a_y, curvature, time):
    """A bicycle model that turns steadily: delta = L k + K a_y, sideslip -0.01 a_y, roll 0.02 a_y, torque 2 a_y."""
    steering = RATIO * (TRAITS.wheelbase * curvature + K * a_y)
    return drive_of(
        time, traits=TRAITS, v_WB_B_x=speed, v_WG_B_y=-np.tan(0.01 * a_y) * speed, a_WG_B_y=a_y, w_WB_B_z=speed * curvature,
        steering_wheel_angle=steering, roll=0.02 * a_y, steering_wheel_torque=2.0 * a_y,
    )  # fmt: skip


TIME = times(120.0)
RISING = 6.0 * TIME / 120.0


def test_understeer_gradient_that_changes_with_lateral_acceleration():
    """delta = L k + K a_y (1 + a_y / 10): the local gradient K (1 + a_y / 5) rises by K 0.2 per m/s2."""
    drive = constant_speed(1.0)
    drive.columns["steering_wheel_angle"] = RATIO * (TRAITS.wheelbase * RISING / 400.0 + K * RISING * (1.0 + RISING / 10.0))
    values = look("steady_turn", drive, from_mps2=1.0, to_mps2=4.0).values
    assert values["understeer_gradient_least"] == pytest.approx(K * (1.0 + 1.5 / 5.0), rel=0.05)
    assert values["understeer_gradient_change"] == pytest.approx(K * 2.0 / 5.0, rel=0.15)


def constant_radius(side):
    return steady(np.sqrt(np.maximum(RISING, 0.01) * 50.0), side * RISING, side / 50.0 + 0.0 * TIME, TIME)


def constant_speed(side):
    return steady(20.0 + 0.0 * TIME, side * RISING, side * RISING / 400.0, TIME)


def constant_steer(side):
    a_y = np.maximum(RISING, 0.01)
    # delta = L k + K v^2 k stays, so a_y = v^2 k grows with the speed: k = (delta - K a_y) / L
    curvature = (0.06 - K * a_y) / TRAITS.wheelbase
    return steady(np.sqrt(a_y / curvature), side * a_y, side * curvature, TIME)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("method", [constant_radius, constant_speed, constant_steer])
def test_sideslip_at_the_rear_axle_three_ways(method, side):
    """Sideslip b k - 0.02 a_y at the center of mass is -0.02 a_y at the rear axle, at any speed and radius."""
    drive = method(side)
    speed, a_y = drive.columns["v_WB_B_x"], drive.columns["a_WG_B_y"]
    b = TRAITS.front_share * TRAITS.wheelbase
    drive.columns["v_WG_B_y"] = np.tan(b * drive.columns["w_WB_B_z"] / speed - 0.02 * a_y) * speed
    assert look("steady_turn", drive).values["rear_sideslip_gradient"] == pytest.approx(-0.02, rel=0.01)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("method", [constant_radius, constant_speed, constant_steer])
def test_understeer_gradient_three_ways(method, side):
    found = look("steady_turn", method(side))
    values, name = found.values, "left" if side > 0.0 else "right"
    assert values["understeer_gradient"] == pytest.approx(K, rel=0.01)
    assert values["understeer_gradient_least"] == pytest.approx(K, rel=0.02)
    assert values["understeer_gradient_change"] < 0.02 * K
    assert values[f"understeer_gradient_{name}"] == values["understeer_gradient"]
    assert math.isnan(values["understeer_gradient_right" if side > 0.0 else "understeer_gradient_left"])
    assert values["sideslip_gradient"] == pytest.approx(-0.01, rel=0.01)
    assert values["roll_gradient"] == pytest.approx(0.02, rel=0.01)
    assert values["steering_torque_gradient"] == pytest.approx(2.0, rel=0.01)
    assert values["steady_lateral_acceleration_max"] == pytest.approx(6.0, rel=0.01)
    assert values["characteristic_speed"] == pytest.approx(math.sqrt(3.0 / K), rel=0.01)
    assert math.isnan(values["critical_speed"])
    assert values["steering_ratio"] == pytest.approx(RATIO, rel=1e-6)
    assert {"handling", f"understeer_{name}"} <= set(found.curves)
    np.testing.assert_allclose(found.curves[f"understeer_{name}"].y[3:-2], K, rtol=0.02)


def test_rows_beyond_the_limit_of_the_vehicle_do_not_count():
    """From 5 m/s2 on the acceleration falls slowly while the angle goes on: the same accelerations with larger angles."""
    drive = constant_speed(1.0)
    late = RISING > 5.0
    drive.columns["a_WG_B_y"] = np.where(late, 10.0 - RISING, RISING)
    drive.columns["steering_wheel_angle"] = drive.columns["steering_wheel_angle"] + RATIO * 2.0 * K * np.maximum(RISING - 5.0, 0.0)
    found = look("steady_turn", drive, from_mps2=1.0, to_mps2=4.9)
    assert found.values["understeer_gradient"] == pytest.approx(K, rel=0.02)
    assert found.values["steady_lateral_acceleration_max"] == pytest.approx(5.0, rel=0.01)


def test_yaw_gain_of_a_steady_turn():
    # r / delta = v / (L + K v^2), over the ratio
    values = look("steady_turn", constant_speed(1.0)).values
    assert values["steady_yaw_rate_gain"] == pytest.approx(20.0 / (3.0 + K * 400.0) / RATIO, rel=0.01)


def test_gradient_within_a_band():
    """Twice the gradient above 3 m/s2: the band decides."""
    a_y = RISING
    curvature = a_y / 400.0
    beyond = K * a_y + K * np.maximum(a_y - 3.0, 0.0)
    drive = drive_of(
        TIME, traits=TRAITS, v_WB_B_x=20.0, a_WG_B_y=a_y, w_WB_B_z=20.0 * curvature, steering_wheel_angle=RATIO * (3.0 * curvature + beyond)
    )
    assert look("steady_turn", drive, to=3.0).values["understeer_gradient"] == pytest.approx(K, rel=0.01)
    assert look("steady_turn", drive, from_mps2=3.3, to_g=0.6).values["understeer_gradient"] == pytest.approx(2.0 * K, rel=0.01)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_angle_at_three_tenths_of_g(side):
    """13.5 deg/s and an angle of 120 rad s2/m times the acceleration: 30.3 deg at 0.3 g."""
    time = times(12.0)
    angle = side * np.radians(13.5) * np.maximum(time - 1.0, 0.0)
    drive = drive_of(time, steering_wheel_angle=angle, a_WG_B_y=angle / 0.18, v_WB_B_x=22.2)
    values = look("slowly_increasing_steer", drive).values
    assert values["steering_angle_at_level"] == pytest.approx(0.18 * 0.3 * G, rel=1e-3)
    assert values["steering_regression"] == pytest.approx(1.0, abs=1e-4)
    assert values["steering_rate_mean"] == pytest.approx(np.radians(13.5), rel=1e-3)
    slow = drive_of(time, steering_wheel_angle=angle, a_WG_B_y=0.1 * angle, v_WB_B_x=22.2)
    assert math.isnan(look("slowly_increasing_steer", slow).values["steering_angle_at_level"])


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_step_of_a_second_order_system(side):
    """Overshoot exp(-pi D / sqrt(1 - D^2)), peak after pi / w_d; the step is a ramp of 0.1 s whose half is at 2.05 s."""
    time = times(10.0, 500.0)
    frequency, damping = 1.2, 0.5
    ramp = np.clip((time - 2.0) / 0.1, 0.0, 1.0)
    # a ramp is the integral of a step: the answer to it is the mean of the answers to steps within it
    steps = [second_order_step(time, begin, frequency, damping) for begin in np.linspace(2.0, 2.1, 401)]
    answer = np.mean(steps, axis=0)
    drive = drive_of(
        time, steering_wheel_angle=side * 0.8 * ramp, w_WB_B_z=side * 0.24 * answer, a_WG_B_y=side * 4.0 * answer,
        roll=-side * 0.06 * answer, v_WB_B_x=25.0, v_WG_B_y=-side * 25.0 * math.tan(0.03) * answer,
    )  # fmt: skip
    values = look("step_response", drive).values
    w, root = 2.0 * math.pi * frequency, math.sqrt(1.0 - damping**2)
    fine = np.linspace(0.0, 1.0, 100001)
    rise = fine[np.argmax(second_order_step(fine, 0.0, frequency, damping) >= 0.9)]
    assert values["steer_time"] == pytest.approx(0.08, abs=1e-3)
    assert values["steer_step"] == pytest.approx(0.8)
    assert values["yaw_rate_response_time"] == pytest.approx(rise, abs=0.003)
    assert values["lateral_acceleration_response_time"] == values["yaw_rate_response_time"]
    assert values["yaw_rate_peak_time"] == pytest.approx(math.pi / (w * root), abs=0.005)
    assert values["yaw_rate_overshoot"] == pytest.approx(math.exp(-math.pi * damping / root), rel=0.03)
    assert values["yaw_rate_steady_gain"] == pytest.approx(0.3, rel=1e-3)
    assert values["lateral_acceleration_steady_gain"] == pytest.approx(5.0, rel=1e-3)
    assert values["step_sideslip"] == pytest.approx(-0.03, rel=0.01)
    assert values["step_roll_gain"] == pytest.approx(-0.015, rel=0.01)
    assert values["tb_factor"] == pytest.approx(values["yaw_rate_peak_time"] * 0.03, rel=0.01)


def test_a_response_without_overshoot_has_no_peak():
    """Damping 0.95: an overshoot of 0.007 %. The maximum of a drive would be a matter of its slow drift."""
    time = times(10.0, 500.0)
    answer = second_order_step(time, 2.05, 1.2, 0.95)
    drive = drive_of(
        time, steering_wheel_angle=0.8 * (time >= 2.05), w_WB_B_z=0.24 * answer, a_WG_B_y=4.0 * answer, roll=0.06 * answer, v_WB_B_x=25.0
    )
    values = look("step_response", drive).values
    assert abs(values["yaw_rate_overshoot"]) < 1e-3
    assert all(math.isnan(values[name]) for name in ("yaw_rate_peak_time", "lateral_acceleration_peak_time", "tb_factor"))


def test_no_step_no_numbers():
    values = look("step_response", drive_of(times(5.0), v_WB_B_x=20.0)).values
    assert all(math.isnan(value) for value in values.values())


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_lags_of_a_sine(side):
    time = times(8.0)

    def sine(late):
        t = time - 1.0 - late
        return np.where((t > 0.0) & (t < 2.0), np.sin(math.pi * t), 0.0)

    drive = drive_of(time, steering_wheel_angle=side * sine(0.0), w_WB_B_z=side * 0.3 * sine(0.11), a_WG_B_y=side * 4.0 * sine(0.17))
    values = look("sine_lag", drive).values
    for number in (1, 2):
        assert values[f"yaw_rate_lag_{number}"] == pytest.approx(0.11, abs=1e-3)
        assert values[f"lateral_acceleration_lag_{number}"] == pytest.approx(0.17, abs=1e-3)
        assert values[f"yaw_rate_gain_{number}"] == pytest.approx(0.3, rel=1e-3)
        assert values[f"lateral_acceleration_gain_{number}"] == pytest.approx(4.0, rel=1e-3)


SYSTEM = scipy.signal.TransferFunction([0.25 * 60.0], [1.0, 8.0, 60.0])
"""0.25 / (1 + 2 D s / w + (s / w)^2), w = 7.75 rad/s, D = 0.52."""


def answered(time, steering):
    return scipy.signal.lsim(SYSTEM, steering, time, interp=True)[1]


def within(values, name):
    for word, hertz in FREQUENCIES.items():
        _, H = scipy.signal.freqresp(SYSTEM, [2.0 * math.pi * hertz])
        assert values[f"{name}_gain_{word}_hz"] == pytest.approx(abs(H[0]), rel=0.02)
        assert values[f"{name}_phase_{word}_hz"] == pytest.approx(np.angle(H[0]), abs=0.02)


def test_response_to_random_steer():
    time = times(720.0)
    rng = np.random.default_rng(7)
    sections = scipy.signal.butter(4, [0.1, 4.0], "bandpass", fs=100.0, output="sos")
    steering = scipy.signal.sosfilt(sections, rng.normal(size=len(time)))
    yaw_rate = answered(time, steering)
    drive = drive_of(time, steering_wheel_angle=steering, w_WB_B_z=yaw_rate, a_WG_B_y=-20.0 * yaw_rate)
    values = look("frequency_response", drive).values
    within(values, "yaw_rate")
    assert values["yaw_rate_coherence_min"] > 0.99
    assert values["lateral_acceleration_gain_1_hz"] == pytest.approx(20.0 * values["yaw_rate_gain_1_hz"])
    # w sqrt(1 - 2 D^2), where the gain is 1 / (2 D sqrt(1 - D^2)) times that at rest
    assert values["yaw_rate_peak_frequency"] == pytest.approx(math.sqrt(60.0 - 32.0), rel=0.06)
    assert values["yaw_rate_peak_ratio"] == pytest.approx(1.12, rel=0.03)


def test_noise_is_seen_in_the_coherence():
    time = times(600.0)
    rng = np.random.default_rng(8)
    steering, noise = rng.normal(size=(2, len(time)))
    drive = drive_of(time, steering_wheel_angle=steering, w_WB_B_z=answered(time, steering), a_WG_B_y=steering + noise)
    values = look("frequency_response", drive, segment_s=5.0).values
    # half of the power is not of the steering
    curve = look("frequency_response", drive, segment_s=5.0).curves["lateral_acceleration_coherence"]
    assert np.mean(curve.y) == pytest.approx(0.5, abs=0.05)
    assert values["lateral_acceleration_gain_1_hz"] == pytest.approx(1.0, rel=0.15)


def test_response_to_a_sweep():
    time = times(120.0)
    steering = scipy.signal.chirp(time, 0.1, 120.0, 4.0)
    drive = drive_of(time, steering_wheel_angle=steering, w_WB_B_z=answered(time, steering))
    within(look("frequency_response", drive, segment_s=0).values, "yaw_rate")


def test_response_to_a_pulse():
    time = times(20.0)
    steering = np.maximum(0.0, 1.0 - np.abs(time - 2.0) / 0.2)
    drive = drive_of(time, steering_wheel_angle=steering, w_WB_B_z=answered(time, steering))
    within(look("frequency_response", drive, segment_s=0).values, "yaw_rate")


def test_a_record_shorter_than_a_segment_has_no_response():
    time = times(5.0)
    values = look("frequency_response", drive_of(time, steering_wheel_angle=np.sin(time))).values
    assert all(math.isnan(value) for value in values.values())
