"""Do encoders count the teeth that pass, and do angle sensors round?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from simulator.base.records import Record, record
from simulator.builder.builder import build_ground
from simulator.sensors.contract import SensorInput
from simulator.sensors.make_sensors import SensorContext, make_sensors
from simulator.sensors.mounted_sensor import MountedSensor
from vehicles.readout import READOUT

TURN = 2.0 * math.pi


def sensor(seed: int = 0, **said: Any) -> MountedSensor:
    return make_sensors([said], "session.yaml", SensorContext(build_ground("flat"), 1e-3, seed))[0]


def rolled(encoder: MountedSensor, angle: Any, spin: Any, seconds: float) -> list[Record]:
    """Return the measurements while the wheels turn by `angle(t)` with the rate `spin(t)`."""
    readout, out = record(READOUT), []
    for k in range(round(seconds * 100) + 1):
        t = 0.01 * k
        readout[0]["wheel_angle"], readout[0]["wheel_spin"] = angle(t), spin(t)
        encoder.serve(SensorInput(t, readout), wait=True)
        out.append(encoder.out.copy())
    return out


@pytest.mark.parametrize("spin", [30.0, -30.0, 1.0, 7.77])
def test_a_wheel_that_turns_evenly_gives_its_speed_and_its_turns(spin: float) -> None:
    found = rolled(sensor(type="wheel_encoder", resolution=0.0), lambda t: spin * t, lambda t: spin, 10.0)
    assert found[-1]["counts"][0] == pytest.approx(np.full(4, math.floor(48 * spin * 10.0 / TURN)), abs=1)
    settled = np.array([one["speed"][0] for one in found[50:]])
    assert settled == pytest.approx(np.full_like(settled, spin), rel=1e-9)


def test_the_average_over_a_window_is_measured_while_it_speeds_up() -> None:
    """The speed between two edges of a wheel with constant acceleration is that of the middle between them."""
    found = rolled(sensor(type="wheel_encoder", resolution=0.0), lambda t: 5.0 * t + 2.0 * t * t, lambda t: 5.0 + 4.0 * t, 5.0)
    for k in range(150, 500):
        assert found[k]["speed"][0][0] == pytest.approx(5.0 + 4.0 * (0.01 * k - 0.01), abs=0.05)


def test_a_wheel_that_stops_is_soon_at_zero_and_a_slow_one_is_not_seen() -> None:
    def angle(t: float) -> float:
        return 3.0 * min(t, 1.0)

    found = rolled(sensor(type="wheel_encoder"), angle, lambda t: 3.0 if t < 1.0 else 0.0, 3.0)
    speeds = [float(one["speed"][0][0]) for one in found]
    assert speeds[95] == pytest.approx(3.0, abs=0.011)
    assert 0.0 < speeds[115] < 1.0
    assert speeds[150] == 0.0  # a pitch takes 0.44 s at 0.3 rad/s
    slow = rolled(sensor(type="wheel_encoder"), lambda t: 0.25 * t, lambda t: 0.25, 6.0)
    assert {float(one["speed"][0][0]) for one in slow} == {0.0}
    assert slow[-1]["counts"][0][0] == math.floor(48 * 0.25 * 6.0 / TURN)


def test_a_wheel_that_rocks_on_an_edge_has_no_speed() -> None:
    found = rolled(sensor(type="wheel_encoder"), lambda t: 1e-3 * math.sin(50.0 * t), lambda t: 0.05 * math.cos(50.0 * t), 2.0)
    assert {int(one["counts"][0][0]) for one in found} == {-1, 0}
    assert {float(one["speed"][0][0]) for one in found} == {0.0}


def test_speeds_are_multiples_of_the_resolution() -> None:
    found = rolled(sensor(type="wheel_encoder", resolution=0.5, pulses=100), lambda t: 7.7 * t, lambda t: 7.7, 1.0)
    assert found[-1]["speed"][0] == pytest.approx(np.full(4, 7.5))


def test_steering_angles_are_rounded_to_a_tenth_of_a_degree() -> None:
    readout, steering = record(READOUT), sensor(type="steering_angle")
    readout[0]["steering_wheel_angle"], readout[0]["road_wheel_angle"] = math.radians(33.37), np.radians([2.24, 2.06, 0.0, -0.07])
    steering.serve(SensorInput(0.0, readout), wait=True)
    assert math.degrees(steering.out[0]["steering_wheel"]) == pytest.approx(33.4)
    assert np.degrees(steering.out[0]["road_wheel"]) == pytest.approx([2.2, 2.1, 0.0, -0.1])


def test_noise_and_offset_of_steering_angles_are_those_of_the_file() -> None:
    readout = record(READOUT)
    steering = sensor(3, type="steering_angle", steering_wheel_noise_deg=0.5, steering_wheel_offset_deg=-1.0, road_wheel_resolution_deg=0.0)
    found = []
    for k in range(4000):
        steering.serve(SensorInput(0.01 * k, readout), wait=True)
        found.append(float(np.degrees(steering.out[0]["steering_wheel"])))
    assert np.mean(found) == pytest.approx(-1.0, abs=5 * 0.5 / math.sqrt(4000))
    assert np.std(found) == pytest.approx(0.5, rel=0.06)
    assert steering.out[0]["road_wheel"] == pytest.approx(np.zeros(4), abs=0.0)


def test_joints_of_messages_have_radians() -> None:
    encoder = sensor(type="wheel_encoder", pulses=100, resolution=0.0)
    rolled(encoder, lambda t: 5.0 * t, lambda t: 5.0, 2.0)
    assert encoder.kind.messages is not None
    message = encoder.kind.messages(encoder.settings).topics[0].message(encoder.latest(2.0))
    assert message is not None
    assert message["name"] == ["wheel_FL", "wheel_FR", "wheel_RL", "wheel_RR"]
    assert message["position"] == pytest.approx(np.full(4, 10.0), abs=TURN / 100)
    assert message["velocity"] == pytest.approx(np.full(4, 5.0))
