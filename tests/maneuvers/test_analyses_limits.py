"""Do sine with dwell and rollover give the known criteria of simple motions?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.maneuvers.drives import drive_of, look, times

TIME = times(8.0)
BEGIN, HERTZ, DWELL, ANGLE = 3.0, 0.7, 0.5, 2.0
"""Of the steering: s, Hz, s, rad."""
PERIOD = 1.0 / HERTZ


def sine_with_dwell(time):
    """The sine rests at its second peak."""
    t = time - BEGIN
    held = np.where(t > 0.75 * PERIOD, np.maximum(0.75 * PERIOD, t - DWELL), t)
    return np.where((t > 0.0) & (t < PERIOD + DWELL), np.sin(2.0 * math.pi * held / PERIOD), 0.0)


COS = BEGIN + PERIOD + DWELL
BOS = BEGIN + math.asin(math.radians(5.0) / ANGLE) / (2.0 * math.pi * HERTZ)


def driven(side, left_over, late=0.0):
    """The yaw rate follows the steering to 0.5 rad/s and then fades: `left_over` of its peak at COS + 1 s."""
    tail = np.clip(TIME - COS, 0.0, None)
    yaw_rate = 0.5 * sine_with_dwell(TIME - late)
    # what is left over comes in smoothly after the steering is back
    yaw_rate = yaw_rate - 0.5 * left_over * (1.0 - np.exp(-((tail / 0.2) ** 2)))
    side_way = 6.0 * np.where(TIME > BEGIN, np.sin(2.0 * math.pi * HERTZ * (TIME - BEGIN)), 0.0)
    return drive_of(
        TIME, steering_wheel_angle=side * ANGLE * sine_with_dwell(TIME) + 0.01, w_WB_B_z=side * yaw_rate + 0.02,
        a_WG_B_y=side * side_way - 0.1, v_WB_B_x=22.2, v_WG_B_y=1.0, roll=0.03,
    )  # fmt: skip


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("left_over", [0.0, 0.2, 0.4])
def test_criteria(side, left_over):
    values = look("sine_with_dwell", driven(side, left_over)).values
    assert values["steer_begin"] == pytest.approx(BOS, abs=0.012)
    assert values["steer_end"] == pytest.approx(COS, abs=0.015)
    assert values["yaw_rate_second_peak"] == pytest.approx(0.5, rel=0.02)
    for name in ("yaw_rate_ratio_1_00s", "yaw_rate_ratio_1_75s"):
        assert values[name] == pytest.approx(left_over, abs=0.01)
    assert values["steering_angle_max"] == pytest.approx(ANGLE, rel=0.02)
    # double integral of 6 sin(w t) from BOS on, to BOS + 1.07 s, both integrals 0 at BOS
    w, b = 2.0 * math.pi * HERTZ, BOS - BEGIN
    e = b + 1.07
    expected = 6.0 * (math.cos(w * b) / w * 1.07 - (math.sin(w * e) - math.sin(w * b)) / w**2)
    assert values["lateral_displacement"] == pytest.approx(expected, rel=0.02)
    assert values["swd_sideslip_max"] == pytest.approx(math.atan2(1.0, 22.2))
    assert values["swd_speed"] == pytest.approx(22.2)


def test_a_spin_is_seen():
    spinning = driven(1.0, 1.3)
    assert look("sine_with_dwell", spinning).values["yaw_rate_ratio_1_75s"] > 1.0


def test_a_drive_that_ends_too_early_has_no_ratio():
    cut = driven(1.0, 0.0)
    n = int((COS + 1.3) * 100)
    cut = cut._replace(columns={name: column[:n] for name, column in cut.columns.items()})
    values = look("sine_with_dwell", cut).values
    assert values["yaw_rate_ratio_1_00s"] == pytest.approx(0.0, abs=0.01)
    assert math.isnan(values["yaw_rate_ratio_1_75s"])


def test_no_sine_no_numbers():
    slow = drive_of(TIME, steering_wheel_angle=0.2 * TIME, v_WB_B_x=20.0)
    assert all(math.isnan(value) for value in look("sine_with_dwell", slow).values.values())


def test_two_wheels_up_together():
    up = {"FL": (2.0, 4.0), "RL": (3.0, 5.0), "FR": (5.0, 6.0)}
    loads = {f"F_C_{corner}_z": np.where((begin <= TIME) & (end > TIME), 0.0, 5000.0) for corner, (begin, end) in up.items()}
    drive = drive_of(TIME, v_WB_B_x=10.0, v_WG_B_y=10.0 * math.tan(1.1) * (TIME > 6.0), roll=-0.2 * (TIME > 3.0), w_WB_B_x=0.3, **loads)
    values = look("rollover", drive).values
    assert values["two_wheel_lift_time"] == pytest.approx(1.0)
    assert values["load_min_front_right"] == 0.0 and values["load_min_rear_right"] == 6000.0
    assert values["rollover_roll_max"] == pytest.approx(0.2)
    assert values["rollover_sideslip_max"] == pytest.approx(1.1)
    assert values["spun_out"] == 1.0
    assert look("rollover", drive, spin_out_deg=70).values["spun_out"] == 0.0


def test_three_axles_need_all_wheels_of_a_side():
    columns = {f"F_C_{corner}_z": np.full(len(TIME), 5000.0) for corner in ("ML", "MR")}
    drive = drive_of(TIME, v_WB_B_x=10.0, F_C_FL_z=0.0, F_C_RL_z=0.0)
    drive = drive._replace(columns={**drive.columns, **columns})
    assert look("rollover", drive).values["two_wheel_lift_time"] == 0.0
