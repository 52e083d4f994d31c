"""Does a braked vehicle stay at rest on a slope, on road and on soil, also after it was driven there?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.records import Record
from tests.laws.vehicle_rig import command, drive, standing, track

UPHILL, ACROSS, DOWNHILL = 0.0, math.pi / 2, math.pi


def drift(states: Record) -> float:
    """Return the maximum distance of the chassis from its first position [m]."""
    return float(np.linalg.norm(states["p_WB"] - states["p_WB"][0], axis=1).max())


def speeds(states: Record) -> np.ndarray:
    """Return the speeds of the chassis [m/s]."""
    return np.linalg.norm(states["v_WB_B"], axis=1)


@pytest.mark.parametrize(
    ("vehicle", "yaw"),
    [("hmmwv", UPHILL), ("hmmwv", ACROSS), ("hmmwv", DOWNHILL), ("hmmwv", 0.7), ("hmmwv_chrono", ACROSS), ("hmmwv_chrono", DOWNHILL)],
)
def test_stands_on_a_slope_of_thirty_percent_for_a_minute(vehicle: str, yaw: float) -> None:
    states = track(standing(vehicle, "slope", yaw=yaw), "slope", command(brake=1.0), 60.0)
    assert drift(states) < 1e-4, "the issue asks for 1 mm"
    assert speeds(states)[100:].max() < 1e-6
    assert np.abs(states["w_WB_B"][100:]).max() < 1e-6
    assert np.abs(states["wheel_spin"][100:]).max() < 1e-6
    assert np.abs(states["theta_dot"][100:]).max() < 1e-6


@pytest.mark.parametrize(("soil", "yaw"), [("dry_sand", UPHILL), ("dry_sand", ACROSS), ("clayey_loam", DOWNHILL), ("sandy_loam", UPHILL)])
def test_stands_on_sloping_soil_for_a_minute(soil: str, yaw: float) -> None:
    on = f"{soil} 30"
    states = track(standing("hmmwv", on, yaw=yaw), on, command(brake=1.0), 60.0)
    assert drift(states) < 1e-3
    assert speeds(states)[1000:].max() < 1e-5
    assert speeds(states)[-500:].max() < 1e-6


@pytest.mark.parametrize(
    ("yaw", "seconds", "steering"), [(UPHILL, 4.0, 0.0), (UPHILL, 4.0, 0.3), (DOWNHILL, 1.0, 0.0), (ACROSS, 4.0, 0.0), (0.6, 4.0, -0.3)]
)
def test_stays_at_rest_where_it_was_braked_to_a_stop(yaw: float, seconds: float, steering: float) -> None:
    """Held by the foot brake in neutral: started, stopped on the slope, two seconds to settle, then a minute."""
    v = standing("hmmwv", "slope", yaw=yaw, gear=1)
    drive(v, "slope", command(selector=1, throttle=1.0, steering=steering), seconds)
    assert v.speed > 2.0
    drive(v, "slope", command(selector=1, brake=0.6, steering=steering), 8.0)
    drive(v, "slope", command(brake=1.0, steering=steering), 2.0)
    states = track(v, "slope", command(brake=1.0, steering=steering), 60.0)
    assert drift(states) < 1e-3
    assert speeds(states)[-1000:].max() < 1e-6


@pytest.mark.parametrize("yaw", [UPHILL, DOWNHILL])
def test_parking_brake_takes_over_on_the_slope(yaw: float) -> None:
    """The rear wheels alone hold the vehicle, up and down, when the foot leaves the pedal within two seconds."""
    v = standing("hmmwv", "slope", yaw=yaw)
    for pedal in np.linspace(1.0, 0.0, 100):
        drive(v, "slope", command(brake=pedal, parking_brake=1.0), 0.02)
    drive(v, "slope", command(parking_brake=1.0), 3.0)
    states = track(v, "slope", command(parking_brake=1.0), 60.0)
    assert drift(states) < 1e-3
    r = v.read()[0]
    assert np.abs(r["F_C"][:2, 0]).max() < 30.0, "the front wheels roll but for the drag of their driveline"


def test_without_brakes_it_rolls_down() -> None:
    v = standing("hmmwv", "slope")
    drive(v, "slope", command(), 2.0)
    assert v.speed < -3.0


def test_a_vehicle_that_rocks_to_a_stop_dissipates_its_energy() -> None:
    """Braked hard from 10 m/s on level ground, the vehicle pitches and swings back. The engine, in neutral, takes ten seconds to reach idle
    and gives the body a last small impulse; then all motion ends."""
    v = standing("hmmwv", "flat", gear=1)
    drive(v, "flat", command(selector=1, throttle=1.0), 4.0)
    assert v.speed > 8.0
    states = track(v, "flat", command(selector=0, brake=1.0), 20.0)
    assert speeds(states)[600:].max() < 1e-3
    assert speeds(states)[-400:].max() < 1e-6
    assert drift(states[-400:]) < 1e-6
