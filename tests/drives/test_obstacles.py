"""Does a vehicle cross curbs, bumps, steps and half-rounds with rolling tires, and not like a point that hits a wall?"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import jounce
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import record
from simulator.builder.builder import build_vehicle
from simulator.maneuvers.signal_processing import phaseless
from terrain.load_terrain import load_terrain
from vehicles.command import COMMAND

H = 1e-3
DRIVES = Path(__file__).resolve().parents[1] / "data" / "drives"
CURB = {"type": "curb", "points": [[0.0, 20.0], [0.0, -20.0]], "height": 0.1, "width": 30.0, "fall": 5.0}
BUMP = {"type": "bump", "at": [0.15, 0.0], "height": 0.1, "length": 0.3, "width": 6.0}
STEP = {"type": "step", "at": [10.0, 0.0], "height": 0.2, "length": 6.0, "depth": 20.0}


@pytest.fixture(scope="module")
def hmmwv():
    return build_vehicle("hmmwv", check_step=False)


def ground(feature):
    soils = {"asphalt": {"type": "surface", "friction": 0.8}}
    return load_terrain({"type": "flat", "surface": "asphalt", "features": [feature]}, "t.yaml", Path(), soils)


def drive(vehicle, feature, speed, throttle, until=4.0):
    """Return the maximum wheel load [N] and the distance [m] of a drive over a feature at x = 0."""
    on, command = ground(feature), record(COMMAND)
    command[0]["selector"] = 1
    vehicle.reset(on, x=-3.0, speed=speed)
    load = 0.0
    for _ in range(int(10.0 / H)):
        command[0]["throttle"] = min(max(throttle + speed - vehicle.speed, 0.0), 1.0)
        vehicle.step(on, command, H)
        load = max(load, float(np.abs(vehicle.space.contacts["F_W"]).max()))
        if vehicle.space.state[0]["p_WB"][0] > until:
            break
    return load, float(vehicle.space.state[0]["p_WB"][0])


@pytest.mark.parametrize(("feature", "speed"), [(CURB, 1.0), (BUMP, 3.0), (STEP, 1.0)], ids=["curb", "bump", "step"])
def test_wheels_roll_over_obstacles_that_stop_a_point(hmmwv, feature, speed):
    """Both axles cross, and no wheel load exceeds 2.5 times the static load; with contact in one point it is fifteen times."""
    hmmwv.reset(ground(feature), x=-3.0)
    rest = float(np.abs(hmmwv.space.contacts["F_W"]).max())
    load, way = drive(hmmwv, feature, speed, 0.5)
    assert way > 4.0
    assert load < 2.5 * rest


def felt_over(vehicle, on, speed, until=3.0):
    """Return x of the vehicle [m] and its vertical acceleration [m/s2] at the driver's head minus g, 30 Hz low-pass, from x = -3 m on."""
    command, x, felt = record(COMMAND), [-3.0], []
    command[0]["selector"] = 1
    vehicle.reset(on, x=x[0], speed=speed)
    command[0]["throttle"] = vehicle.start_throttle
    while x[-1] < until and len(felt) < 4000:
        vehicle.step(on, command, H)
        x.append(float(vehicle.space.state[0]["p_WB"][0]))
        felt.append(float(vehicle.space.out[0]["f_H_B"][2]) - STANDARD_GRAVITY)
    return np.array(x[1:]), phaseless(np.array(felt), H, 30.0)


def shock(vehicle, radius, speed):
    """Return the maximum of this acceleration with both axles over a half-round."""
    return float(np.abs(felt_over(vehicle, half_round(radius), speed)[1]).max())


@cache
def half_round(radius):
    return ground({"type": "half_round", "at": [0.0, 0.0], "radius": radius, "length": 6.0})


def test_the_limit_speed_over_half_rounds_decreases_with_their_height(hmmwv):
    """At 2.5 g; 15 cm (6 in) are possible at every speed, because they do not use the complete suspension travel."""
    most, limits = 2.5 * STANDARD_GRAVITY, []
    for radius, *between in ((0.2, 11.0, 14.0), (0.25, 5.5, 7.0), (0.3, 3.8, 4.8)):
        slow, fast = between
        assert shock(hmmwv, radius, slow) < most < shock(hmmwv, radius, fast)
        while fast > 1.01 * slow:
            speed = 0.5 * (slow + fast)
            slow, fast = (slow, speed) if shock(hmmwv, radius, speed) > most else (speed, fast)
        limits.append(slow)
        hmmwv.model.tires["contact_grid_spacing"] = 0.025
        assert shock(hmmwv, radius, 0.975 * slow) < most < shock(hmmwv, radius, 1.025 * fast)
        hmmwv.model.tires["contact_grid_spacing"] = 0.05
    assert limits[0] > limits[1] > limits[2]
    assert shock(hmmwv, 0.1, 10.0) < shock(hmmwv, 0.15, 10.0) < shock(hmmwv, 0.2, 10.0)
    assert shock(hmmwv, 0.15, 28.0) < most


def strongest(signal, low, high):
    """Return the frequency [Hz] between two others at which a signal is strongest."""
    power, frequency = np.abs(np.fft.rfft(signal - signal.mean(), 1 << 15)), np.fft.rfftfreq(1 << 15, H)
    power[(frequency < low) | (frequency > high)] = 0.0
    return float(frequency[power.argmax()])


def test_above_30_kph_a_joint_of_the_road_is_an_impulse():
    """Measured on the floors of six cars (Cooper, TRRL Supplementary Report 12 UC, 1973; abstract): above about 30 km/h a joint is an impulse,
    which excites the body at about 1.75 Hz and the wheels at 10 to 15 Hz; below, its shape matters.

    An impulse falls with the speed, the shock of a slow wheel does not. Cars of today are softer: the body moves at 1.1 to 1.8 Hz.
    """
    sedan, shocks = build_vehicle("sedan", check_step=False), []
    on = ground({"type": "bump", "at": [0.0, 0.0], "height": 0.02, "length": 0.2, "width": 6.0})
    for kph in (15.0, 30.0, 45.0, 80.0):
        x, felt = felt_over(sedan, on, kph / 3.6, until=2.0 + 2.5 * kph / 3.6)
        shocks.append(np.ptp(felt))
        if kph > 30.0:
            assert 10.0 < strongest(felt[x > 2.5], 6.0, 20.0) < 15.0
            later = 2.7 + 0.35 * kph / 3.6  # the wheels have come to rest
            assert 1.1 < strongest(felt[x > later], 0.7, 3.5) < 1.8
    assert shocks[0] < 1.1 * shocks[1]
    assert shocks[3] < 0.8 * shocks[2] < 0.8 * shocks[1]


def test_a_ramp_under_one_side_flips_the_vehicle():
    run = jounce.Simulation(maneuver=str(DRIVES / "flip.yaml"), channels=["roll", "v_WB_B", "w_WB_B", "p_WB"]).run()
    roll = np.degrees(run.log["roll"])
    assert np.abs(roll).max() > 100.0
    assert 80.0 < abs(roll[-1]) < 100.0, "on its side"
    assert max(abs(run.log[f"{name}_{axis}"][-1]) for name in ("v_WB_B", "w_WB_B") for axis in "xyz") < 0.05
