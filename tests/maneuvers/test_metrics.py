"""Are the metrics correct for motions with known numbers?"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.maneuvers.metrics import METRICS, evaluate, measuring_ticks
from simulator.maneuvers.signal_processing import FILTER_HZ, phaseless
from tests.maneuvers.shipped import shipped

SPAWN = (100.0, -40.0, 2.5)


def maneuver_of(name, **changes):
    return load_maneuver(shipped(name) | changes, name)


def telemetry_of(x, y, t, v, **more):
    """Record of a made-up run: x, y relative to SPAWN; everything else still, level and loaded with 6 kN per wheel."""
    c, s = math.cos(SPAWN[2]), math.sin(SPAWN[2])
    n = len(t)
    columns = {name: np.zeros(n) for name in ("roll", "pitch", "w_WB_B_z", "a_WG_B_y", "steering")}
    columns |= {f"F_C_{corner}_z": np.full(n, 6000.0) for corner in ("FL", "FR", "RL", "RR")}
    yaw = SPAWN[2] + np.arctan2(np.gradient(y), np.gradient(x))
    columns |= {
        "time": t,
        **{f"p_W{point}_x": SPAWN[0] + c * x - s * y for point in "BG"},
        **{f"p_W{point}_y": SPAWN[1] + s * x + c * y for point in "BG"},
        "yaw": np.arctan2(np.sin(yaw), np.cos(yaw)),
        "v_WB_B_x": np.full(n, v),
        "v_WG_B_x": np.full(n, v),
    }
    return columns | more


def double_lane_change_driven(error=0.0, **more):
    """Exactly along the path of scenario 2 at 20 m/s, but `error` to its left while the first change lasts and 1.5 s after it."""
    t = np.arange(0.0, 65.0, 0.01)
    x = 20.0 * t

    def blend(u):
        u = np.clip(u, 0.0, 1.0)
        return u**3 * (10.0 - 15.0 * u + 6.0 * u**2)

    y = 3.5 * (blend((x - 600.0) / 60.0) - blend((x - 1000.0) / 60.0))
    y = y + error * ((t >= 30.5) & (t < 34.5))
    return telemetry_of(x, y, t, 20.0, **more)


def test_a_perfect_run_has_no_error():
    result = evaluate(maneuver_of("double_lane_change"), double_lane_change_driven(), SPAWN)
    numbers = result["metrics"]
    assert numbers["path_error_max_m"] < 1e-6 and numbers["settle_time_max_s"] == 0.0
    assert numbers["speed_max_mps"] == numbers["speed_end_mps"] == 20.0
    assert numbers["wheel_load_min_N"] == 6000.0
    assert [change["time_s"] for change in result["lane_changes"]] == [30.0, 50.0]
    assert [change["end_time_s"] for change in result["lane_changes"]] == pytest.approx([33.0, 53.0], abs=0.011)
    assert [change["station_m"] for change in result["lane_changes"]] == pytest.approx([600.0, 1000.0])


def test_first_row_is_the_spawn_when_none_is_given():
    maneuver, telemetry = maneuver_of("double_lane_change"), double_lane_change_driven()
    a, b = evaluate(maneuver, telemetry, SPAWN), evaluate(maneuver, telemetry)
    assert b["metrics"]["path_error_max_m"] == pytest.approx(a["metrics"]["path_error_max_m"], abs=1e-6)


def test_a_known_error_is_found():
    result = evaluate(maneuver_of("double_lane_change"), double_lane_change_driven(error=0.25), SPAWN)
    numbers = result["metrics"]
    assert numbers["path_error_max_m"] == pytest.approx(0.25, abs=0.01)
    # 0.25 m for 4 s of 65 s
    assert numbers["path_error_rms_m"] == pytest.approx(0.25 * math.sqrt(4.0 / 65.0), rel=0.02)
    # the change ends at 33 s, the error at 34.5 s
    assert result["lane_changes"][0]["settle_time_s"] == pytest.approx(1.5, abs=0.03)
    assert result["lane_changes"][1]["settle_time_s"] == 0.0
    assert numbers["settle_time_max_s"] == result["lane_changes"][0]["settle_time_s"]


def test_peaks_carry_their_sign_away_and_stay_apart():
    t = np.arange(0.0, 65.0, 0.01)
    wave = np.where((t > 30.0) & (t < 33.0), -np.sin(2.0 * math.pi * (t - 30.0) / 3.0), 0.0)
    second = np.where((t > 50.0) & (t < 53.0), np.sin(2.0 * math.pi * (t - 50.0) / 3.0), 0.0)
    run = double_lane_change_driven(a_WG_B_y=2.0 * wave + 1.5 * second, w_WB_B_z=0.1 * wave, roll=0.05 * wave, pitch=0.0 * t - 0.01)
    result = evaluate(maneuver_of("double_lane_change"), run, SPAWN)
    numbers = result["metrics"]
    assert numbers["lateral_acceleration_max_mps2"] == pytest.approx(2.0, rel=0.01)
    assert numbers["yaw_rate_max_radps"] == pytest.approx(0.1, rel=0.01)
    assert numbers["roll_max_rad"] == pytest.approx(0.05, rel=0.01) and numbers["pitch_max_rad"] == 0.01
    peaks = [change["lateral_acceleration_max_mps2"] for change in result["lane_changes"]]
    assert peaks == pytest.approx([2.0, 1.5], rel=0.01)


def test_limits_decide():
    good = evaluate(maneuver_of("double_lane_change", limits={"path_error_max_m": {"max": 0.3}}), double_lane_change_driven(0.25), SPAWN)
    bad = evaluate(maneuver_of("double_lane_change", limits={"path_error_max_m": {"max": 0.2}}), double_lane_change_driven(0.25), SPAWN)
    assert good["pass"] is True and bad["pass"] is False
    assert bad["checks"] == [
        {"metric": "path_error_max_m", "value": bad["metrics"]["path_error_max_m"], "min": None, "max": 0.2, "pass": False}
    ]


def test_a_run_cut_short_has_no_second_lane_change():
    run = {name: column[:4000] for name, column in double_lane_change_driven().items()}
    result = evaluate(maneuver_of("double_lane_change"), run, SPAWN)
    assert len(result["lane_changes"]) == 1


def test_a_lane_change_that_never_settles_does_not_pass():
    run = {name: column[:3440] for name, column in double_lane_change_driven(0.25).items()}
    result = evaluate(maneuver_of("double_lane_change", limits={"settle_time_max_s": {"max": 2.0}}), run, SPAWN)
    assert result["metrics"]["settle_time_max_s"] is None and result["pass"] is False
    json.dumps(result, allow_nan=False)


def test_driving_straight_through_avtp_is_not_clean():
    t = np.arange(0.0, 34.0, 0.01)
    result = evaluate(maneuver_of("avtp_lane_change"), telemetry_of(13.9 * t, 0.0 * t, t, 13.9), SPAWN)
    assert [gate["clean"] for gate in result["gates"]] == [True, False, True]
    numbers = result["metrics"]
    assert numbers["course_clean"] == 0.0 and numbers["gates_clean"] == 2.0 and result["pass"] is False
    # the right-hand cones of the middle lane stand in the way of a vehicle that does not swerve: y = 3.609 - 1.433 = 2.18 > 1.09
    assert numbers["cones_hit"] == 0.0
    assert numbers["gate_margin_min_m"] == pytest.approx(2.866 / 2.0 - 3.609 - 1.09)
    json.dumps(result, allow_nan=False)


def test_a_course_never_reached_is_not_clean():
    t = np.arange(0.0, 34.0, 0.01)
    result = evaluate(maneuver_of("avtp_lane_change"), telemetry_of(1.0 * t, 0.0 * t, t, 1.0), SPAWN)
    assert result["metrics"]["course_clean"] == 0.0 and result["pass"] is False
    assert result["metrics"]["entry_speed_mps"] is None
    json.dumps(result, allow_nan=False)


@pytest.mark.parametrize("name", ["time", "p_WB_x", "F_C_RR_z"])
def test_missing_column_and_no_number_are_named(name):
    run = double_lane_change_driven()
    with pytest.raises(ConfigError, match=name):
        evaluate(maneuver_of("double_lane_change"), {key: column for key, column in run.items() if key != name}, SPAWN)
    run[name] = run[name].copy()
    run[name][100] = math.nan
    with pytest.raises(ConfigError, match=name):
        evaluate(maneuver_of("double_lane_change"), run, SPAWN)


def test_too_few_rows():
    with pytest.raises(ConfigError, match="two rows"):
        evaluate(maneuver_of("double_lane_change"), {name: column[:1] for name, column in double_lane_change_driven().items()})


@pytest.mark.parametrize(("hertz", "gain"), [(0.5, 1.0), (3.0, 1.0), (6.0, 0.5), (12.0, 2.0**-12)])
def test_filter_has_the_gain_of_12_poles_and_no_delay(hertz, gain):
    t = np.arange(0.0, 20.0, 0.01)
    wave = np.sin(2.0 * math.pi * hertz * t)
    out = phaseless(wave, 0.01, FILTER_HZ)
    np.testing.assert_allclose(out[500:1500], gain * wave[500:1500], atol=2e-3)


def test_filter_keeps_a_ramp():
    ramp = np.linspace(-3.0, 5.0, 500)
    np.testing.assert_allclose(phaseless(ramp, 0.01, FILTER_HZ), ramp, atol=0.02)


def test_metric_names_carry_their_units():
    keys = [metric.key for metric in METRICS]
    assert len(set(keys)) == len(keys)
    assert {"speed_max_mps", "roll_max_rad", "path_error_max_m", "yaw_rate_max_radps", "cones_hit", "wheel_load_min_N"} <= set(keys)


def test_every_metric_has_limits_margin_verdict_and_mark():
    maneuver = maneuver_of(
        "double_lane_change",
        metrics=[
            {"type": "expression", "name": "jolt", "unit": "m/s3", "of": "max(abs(derivative(a_WG_B_y)))", "meaning": "of me"},
            {"type": "expression", "name": "never", "of": "crossing(v_WB_B_x, 99)"},
            {"type": "rollover", "name": "whole"},
        ],
        limits={"jolt_gps": {"max": 1.0}, "never": {"min": 0}, "speed_end_kph": {"min": 70, "max": 73}, "whole_spun_out": {"max": 0}},
    )
    assert maneuver.channels == ("a_WG_B_y", "v_WB_B_x", "v_WG_B", "w_WB_B_x", "F_C") and maneuver.rate == 100.0
    t = np.arange(0.0, 65.0, 0.01)
    run = double_lane_change_driven(a_WG_B_y=2.0 * np.sin(t), v_WG_B_y=0.0 * t, w_WB_B_x=0.0 * t)
    result = evaluate(maneuver, run, SPAWN)
    rows = {row["metric"]: row for row in result["table"]}
    jolt = rows["jolt_gps"]
    assert jolt["value"] == pytest.approx(2.0 / 9.80665, rel=1e-3) and jolt["margin"] == pytest.approx(1.0 - jolt["value"])
    assert (jolt["unit"], jolt["min"], jolt["max"], jolt["verdict"], jolt["meaning"]) == ("g/s", None, 1.0, "pass", "of me")
    assert (rows["never"]["value"], rows["never"]["margin"], rows["never"]["verdict"]) == (None, None, "fail")
    assert rows["speed_end_kph"]["margin"] == pytest.approx(1.0) and rows["speed_end_kph"]["unit"] == "km/h"
    assert rows["whole_spun_out"]["verdict"] == "pass" and rows["whole_rollover_roll_max_deg"]["mark"] == "NHTSA rollover [mem]"
    assert rows["distance_m"]["verdict"] == "info" and rows["distance_m"]["margin"] is None
    assert result["metrics"]["jolt_mps3"] == pytest.approx(2.0, rel=1e-3) and result["metrics"]["never"] is None
    assert result["pass"] is False and len(result["checks"]) == 4
    json.dumps(result, allow_nan=False)


def test_a_frequency_in_the_file_does_not_turn_the_vehicle_in_hertz():
    asked = [{"type": "rollover"}, {"type": "frequency_response"}, {"type": "steady_turn", "filter_Hz": 2}]
    zero = dict.fromkeys(("v_WG_B_y", "w_WB_B_x", "steering_wheel_angle", "steering_wheel_torque"), np.zeros(6500))
    result = evaluate(maneuver_of("double_lane_change", metrics=asked), double_lane_change_driven(**zero), SPAWN)
    assert {"yaw_rate_max_radps", "rollover_roll_rate_max_degps", "yaw_rate_bandwidth_Hz"} <= set(result["shown"])


def test_phases_come_from_their_column():
    phases = [{"name": "first", "speed_mps": 20, "lasts_s": 10}, {"name": "second", "lasts_s": 5}]
    mapping = {**shipped("double_lane_change"), "phases": phases, "limits": {"late_min": {"min": 14.99, "max": 15.01}}}
    mapping["metrics"] = [{"type": "expression", "name": "late_min", "of": "phase_start('second') + 0 * last(during(time, 'second'))"}]
    for key in ("speed", "lane_changes"):
        del mapping[key]
    maneuver = load_maneuver(mapping, "m.yaml")
    run = double_lane_change_driven()
    run["phase"] = np.where(run["time"] < 15.0, 0, np.where(run["time"] < 40.0, 1, -1))
    assert evaluate(maneuver, run, SPAWN)["pass"] is True
    del run["phase"]
    assert evaluate(maneuver, run, SPAWN)["pass"] is False


def test_a_column_of_an_analysis_that_is_missing_is_named():
    maneuver = maneuver_of("double_lane_change", metrics=[{"type": "shock"}])
    assert maneuver.rate == 500.0
    with pytest.raises(ConfigError, match="telemetry: f_H_B_z"):
        evaluate(maneuver, double_lane_change_driven(), SPAWN)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"jold": {"max": 1}}, r"limits.jold: .*did you mean jolt\?"),
        ({"absorbed_power": {"max": 6}}, "type: ride provides this metric"),
        ({"jolt_kg": {"max": 1}}, "limits.jolt_kg"),
        ({"jolt": {"max": 1}, "jolt_gps": {"max": 1}}, "one limit of jolt, in one unit"),
    ],
)
def test_limits_of_unknown_metrics_are_refused(limits, said):
    with pytest.raises(ConfigError, match=said):
        maneuver_of("double_lane_change", metrics=[{"type": "expression", "name": "jolt", "unit": "m/s3", "of": "1"}], limits=limits)


@pytest.mark.parametrize(
    ("rate", "step", "ticks"), [(100.0, 0.001, 10), (500.0, 0.001, 2), (400.0, 0.001, 2), (5000.0, 0.001, 1), (500.0, 0.005, 1)]
)
def test_rows_are_as_often_as_needed(rate, step, ticks):
    assert measuring_ticks(rate, step) == ticks
