"""Does the IMU measure the motion of a rigid body at its mount, with the specified noise, and the same for the same seed?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
from simulator.builder.builder import build_ground
from simulator.sensors.contract import SensorInput
from simulator.sensors.make_sensors import SensorContext, make_sensors
from simulator.sensors.mounted_sensor import MountedSensor
from vehicles.readout import READOUT

G = 9.80665
H = 1e-3


def imu(seed: int = 0, **said: Any) -> MountedSensor:
    return make_sensors([{"type": "imu", **said}], "session.yaml", SensorContext(build_ground("flat"), H, seed))[0]


def rotation(roll: float, pitch: float, yaw: float) -> np.ndarray:
    R = np.empty((3, 3))
    rotation_of_euler(roll, pitch, yaw, R)
    return R


def at_rest(roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> Record:
    r = record(READOUT)
    quaternion_of_rotation(rotation(roll, pitch, yaw), r[0]["q_WB"])
    return r


def measured(sensor: MountedSensor, readout: Record) -> tuple[np.ndarray, np.ndarray]:
    sensor.serve(SensorInput(0.0, readout), wait=True)
    return sensor.out[0]["f_S"].copy(), sensor.out[0]["w_S"].copy()


@pytest.mark.parametrize("place", [[0.0, 0.0, 0.0], [1.0, -2.0, 0.5]])
def test_at_rest_it_feels_gravity_along_its_own_axes(place: list[float]) -> None:
    body, mount = (0.2, -0.1, 0.7), (10.0, 20.0, -30.0)
    sensor = imu(mount={"position": place, "roll_deg": mount[0], "pitch_deg": mount[1], "yaw_deg": mount[2]})
    f, w = measured(sensor, at_rest(*body))
    R_WS = rotation(*body) @ rotation(*np.radians(mount))
    assert f == pytest.approx(R_WS.T @ [0.0, 0.0, G], abs=1e-12)
    assert w == pytest.approx(np.zeros(3), abs=0.0)


def test_on_a_turntable_that_speeds_up_it_feels_the_way_to_the_axis_and_along_the_turn() -> None:
    """The body turns about the vertical through its reference point; the unit sits at radius r to the left."""
    rate, acceleration, r = 3.0, 0.7, 1.5
    readout = at_rest(0.0, 0.0, 0.4)
    readout[0]["w_WB_B"], readout[0]["alpha_WB_B"] = (0.0, 0.0, rate), (0.0, 0.0, acceleration)
    f, w = measured(imu(mount={"position": [0.0, r, 0.0]}), readout)
    assert f == pytest.approx([-acceleration * r, -rate * rate * r, G], rel=1e-14)
    assert w == pytest.approx([0.0, 0.0, rate])
    turned, _ = measured(imu(mount={"position": [0.0, r, 0.0], "yaw_deg": 90.0}), readout)
    assert turned == pytest.approx([-rate * rate * r, acceleration * r, G], rel=1e-12)


def test_a_body_that_tumbles_in_free_fall_is_felt_where_the_second_derivative_of_the_place_says() -> None:
    """Against differences of p_WS(t) = p(t) + R(t) p_BS, with a steady rotation about an axis of any direction."""
    axis, rate, place = np.array([0.48, -0.6, 0.64]), 2.0, np.array([0.7, 0.3, -1.1])
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])

    def R_WB(t: float) -> np.ndarray:
        return np.eye(3) + math.sin(rate * t) * K + (1 - math.cos(rate * t)) * K @ K

    def p_WS(t: float) -> np.ndarray:
        return np.array([3.0 * t, -t, -0.5 * G * t * t]) + R_WB(t) @ place

    t, e = 0.3, 1e-4
    a_WS = (p_WS(t + e) - 2 * p_WS(t) + p_WS(t - e)) / (e * e)
    readout = record(READOUT)
    quaternion_of_rotation(R_WB(t), readout[0]["q_WB"])
    readout[0]["w_WB_B"] = rate * axis
    readout[0]["a_WB_B"] = R_WB(t).T @ [0.0, 0.0, -G]
    f, w = measured(imu(mount={"position": place.tolist()}), readout)
    assert f == pytest.approx(R_WB(t).T @ (a_WS + [0.0, 0.0, G]), abs=1e-6)
    assert w == pytest.approx(rate * axis)


@pytest.mark.slow
def test_white_noise_and_bias_are_those_of_the_numbers() -> None:
    n, rate = 20000, 200.0
    sensor = imu(seed=4, rate=rate, force_noise=0.02, rate_noise=0.001, force_bias=0.3)
    readout = at_rest()
    rows = np.array([np.hstack(measured(sensor, readout)) for _ in range(n)])
    spread = rows.std(axis=0)
    assert spread[:3] == pytest.approx(np.full(3, 0.02 * math.sqrt(rate)), rel=0.02)  # five standard deviations of the estimate
    assert spread[3:] == pytest.approx(np.full(3, 0.001 * math.sqrt(rate)), rel=0.02)
    correlation = np.corrcoef(rows.T) - np.eye(6)
    assert np.abs(correlation).max() < 5.0 / math.sqrt(n)
    first_bias = [measured(imu(seed=k, force_bias=0.3), readout)[0][0] for k in range(400)]
    assert np.std(first_bias) == pytest.approx(0.3, rel=0.2)
    assert np.mean(first_bias) == pytest.approx(0.0, abs=5 * 0.3 / 20)


@pytest.mark.slow
def test_a_bias_that_walks_spreads_with_the_root_of_time() -> None:
    rate, walk, n, units = 10.0, 0.05, 100, 200
    readout = at_rest()
    ends = []
    for k in range(units):
        sensor = imu(seed=k, rate=rate, force_walk=walk)
        for _ in range(n + 1):
            f, _ = measured(sensor, readout)
        ends.append(f[0])
    assert np.std(ends) == pytest.approx(walk * math.sqrt(n / rate), rel=0.25)


def test_range_and_step() -> None:
    readout = at_rest()
    readout[0]["a_WB_B"], readout[0]["w_WB_B"] = (60.0, -1.234, 0.0), (0.0, -9.0, 0.26)
    f, w = measured(imu(force_range=50.0, force_step=0.5, rate_range=5.0, rate_step=0.1), readout)
    assert f == pytest.approx([50.0, -1.0, 10.0])
    assert w == pytest.approx([0.0, -5.0, 0.3])


def test_the_same_seed_gives_the_same_numbers_and_the_name_makes_another_unit() -> None:
    def series(seed: int, name: str) -> bytes:
        sensor = imu(seed, name=name, force_noise=0.1, rate_noise=0.1, force_walk=0.1)
        return b"".join(np.hstack(measured(sensor, at_rest())).tobytes() for _ in range(20))

    assert series(3, "front") == series(3, "front")
    assert len({series(3, "front"), series(3, "rear"), series(4, "front")}) == 3


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"type": "imv"}, r"sensors\[0\]\.type: invalid value; expected .*sensor.*imu.*; got 'imv'; hint: .*imu"),
        ({"type": "imu", "rate": 300.0}, r"sensors\[0\]\.rate: invalid value; expected a rate that divides 1000 ticks per second; got 300"),
        ({"type": "imu", "rates": 100.0}, r"sensors\[0\]\.rates: unknown key; .*hint: .*rate"),
        ({"type": "imu", "force_noise": -1.0}, r"sensors\[0\]\.force_noise"),
        ({"type": "imu", "mount": {"place": [0, 0, 0]}}, r"sensors\[0\]\.mount\.place: unknown key"),
        ({"type": "imu", "mount": {"position": [0, 0, 1e3]}}, r"sensors\[0\]\.mount\.position"),
        ({"type": "imu", "name": "front imu"}, r"sensors\[0\]\.name"),
        ({"type": "imu", "name": "platform"}, r"sensors\[0\]\.name"),
        (3, r"sensors\[0\]: invalid value; expected a mapping.*; got 3"),
    ],
)
def test_what_cannot_be_built_is_named(said: Any, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make_sensors([said], "session.yaml", SensorContext(build_ground("flat"), H))


def test_two_sensors_have_two_names() -> None:
    with pytest.raises(ConfigError, match=r"sensors\[1\]\.name: invalid value; expected a unique name; got 'imu'"):
        make_sensors(["imu", "imu"], "session.yaml", SensorContext(build_ground("flat"), H))


def test_a_preset_gives_the_errors_of_its_grade_and_a_key_replaces_one() -> None:
    industrial = imu(preset="industrial").settings.parameters[0]
    assert industrial["rate_noise"] == pytest.approx(np.full(3, math.radians(0.66) / 60.0))
    replaced = imu(preset="industrial", rate_noise=[0.0, 1e-4, 0.0], force_range_g=2.0).settings.parameters[0]
    assert replaced["rate_noise"] == pytest.approx([0.0, 1e-4, 0.0])
    assert replaced["force_range"] == pytest.approx(np.full(3, 2.0 * G))
    assert replaced["force_noise"] == pytest.approx(industrial["force_noise"])
    assert np.abs(measured(imu(preset="industrial"), at_rest())[0] - [0.0, 0.0, G]).max() > 1e-3
    assert measured(imu(preset="perfect"), at_rest())[0] == pytest.approx([0.0, 0.0, G], abs=0.0)


@pytest.mark.parametrize("preset", ["consumer", "industrial", "navigation"])
def test_every_grade_feels_gravity_at_rest_within_its_bias(preset: str) -> None:
    biases = np.array([measured(imu(seed, preset=preset), at_rest())[0] - [0.0, 0.0, G] for seed in range(40)])
    assert np.abs(biases).max() < {"consumer": 0.9, "industrial": 1.0, "navigation": 6e-3}[preset]
    assert np.abs(biases).max() > {"consumer": 0.2, "industrial": 0.3, "navigation": 3e-4}[preset]
