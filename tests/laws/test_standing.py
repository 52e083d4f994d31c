"""Does a braked vehicle stand still on a slope, on road and on soil, and after it was driven there?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.records import Record
from tests.laws.vehicle_rig import command, drive, standing, track

UPHILL, ACROSS, DOWNHILL = 0.0, math.pi / 2, math.pi


def drift(states: Record) -> float:
    """Largest distance of the chassis from where it was first [m]."""
    return float(np.linalg.norm(states["p_WB"] - states["p_WB"][0], axis=1).max())


def speeds(states: Record) -> np.ndarray:
    """Speed of the chassis [m/s]."""
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
def test_stands_where_it_was_braked_to_a_stop(yaw: float, seconds: float, steering: float) -> None:
    """Held by the foot brake in neutral: driven off, stopped on the slope, two seconds to settle, then a minute."""
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
    """The rear wheels alone hold it, up and down, when the foot comes off the pedal within two seconds."""
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


def test_a_vehicle_that_rocks_to_a_stop_gives_its_energy_away() -> None:
    """Braked hard from 10 m/s on level ground it pitches and swings back. The engine, in neutral now, takes ten seconds down to its idle
    and gives the body a last nudge there; then all is quiet."""
    v = standing("hmmwv", "flat", gear=1)
    drive(v, "flat", command(selector=1, throttle=1.0), 4.0)
    assert v.speed > 8.0
    states = track(v, "flat", command(selector=0, brake=1.0), 20.0)
    assert speeds(states)[600:].max() < 1e-3
    assert speeds(states)[-400:].max() < 1e-6
    assert drift(states[-400:]) < 1e-6
