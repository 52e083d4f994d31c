"""Does every vehicle file give a vehicle that rests, conserves energy, keeps its loops closed, mirrors its drives, and converges with the
step?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from simulator.builder.builder import build_vehicle
from tests.laws.free_motion import free_motion, rates
from tests.laws.free_vehicle import energies, integrate
from tests.laws.test_mirror import POLAR, SHAFTS_ALONG_X, SWAP, mirrored
from tests.laws.vehicle_rig import command, drive, ground, track
from tests.shipped_files import driven_vehicles
from vehicles.multibody_vehicle import linear_struts
from vehicles.vehicle import Vehicle

TABLES_ALONE = {"hmmwv_trailing_rear", "sedan_chrono"}
"""Vehicles whose suspension bodies move by tables."""
OURS = Path(__file__).parents[1] / "data" / "vehicles"
VEHICLES = driven_vehicles()
VEHICLES += sorted(str(path) for path in OURS.glob("*.yaml"))
DAMPING = ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end")


@cache
def pair(name: str) -> tuple[Vehicle, Vehicle]:
    """Return two instances of a vehicle, without shafts that turn the same way about x in the mirror image or twist a beam, and without
    asymmetric parts. The control units are off: their noise has no mirror image, and their update times do not depend on the step."""
    both = build_vehicle(name), build_vehicle(name)
    if not both[0].description.mechanism.size.is_usual:
        pytest.skip("the commands and mirror images here are of four wheels")
    for v in both:
        for shaft in SHAFTS_ALONG_X:
            v.model.drivetrain[0][shaft] *= 1e-9
        v.model.corners[0]["carries_drive"] = 0.0
        v.model.controllers["active"] = 0
        v.model.chassis[0]["com"][1], v.model.chassis[0]["inertia"][[3, 5]] = 0.0, 0.0
    return both


def rolling(v: Vehicle, speed: float) -> None:
    """Set the vehicle rolling straight ahead in neutral, from its equilibrium."""
    v.reset(ground("flat"))
    x = v.space.state[0]
    x["v_WB_B"][0], x["wheel_spin"] = speed, speed / v.model.tires["radius"]


@contextmanager
def smooth_steering(v: Vehicle) -> Iterator[None]:
    """Switch off dry friction and power assistance of the steering: at the kinks of their characteristics a step is not of first order."""
    shipped = v.model.steering.copy()
    v.model.steering["gear_friction"], v.model.steering["assist_points"] = 0.0, 0
    try:
        yield
    finally:
        v.model.steering[:] = shipped


@pytest.mark.parametrize("name", VEHICLES)
def test_it_stands(name: str) -> None:
    """At rest on level ground from the start, and at rest on a slope of 30 % with its brakes on."""
    v = pair(name)[0]
    v.reset(ground("flat"))
    out = v.space.out[0]
    assert max(np.abs(out[row]).max() for row in ("a_WB_B", "alpha_WB_B", "theta_ddot")) < 1e-7
    v.reset(ground("slope"))
    states = track(v, "slope", command(brake=1.0), 5.0)
    assert np.linalg.norm(states["p_WB"] - states["p_WB"][0], axis=1).max() < 1e-4
    assert np.abs(states["v_WB_B"][100:]).max() < 1e-5


@pytest.mark.parametrize("name", VEHICLES)
def test_the_mirror_image_of_a_drive_is_its_mirror_image_and_loops_stay_closed(name: str) -> None:
    left, right = pair(name)
    for v, sign in ((left, 1.0), (right, -1.0)):
        rolling(v, 12.0)
        v.space.state[0]["v_WB_B"][1], v.space.state[0]["w_WB_B"] = 0.3 * sign, [0.1 * sign, 0.05, 0.2 * sign]
    right.space.state[0]["theta"] = left.space.state[0]["theta"][SWAP]
    for v, sign in ((left, 1.0), (right, -1.0)):
        drive(v, "flat", command(steering=0.25 * sign), 0.8)
    assert left.read()[0]["yaw"] > 0.1
    for row in left.space.state.dtype.names:
        assert np.abs(right.space.state[0][row] - mirrored(left.space.state)[0][row]).max() < 1e-8, row
    assert right.read()[0]["F_C"] == pytest.approx((left.read()[0]["F_C"] * POLAR)[SWAP], abs=1e-3)
    m, s = left.description.mechanism, left.space
    gaps = [corner.gap(m.corners, s.blocks, s.inputs, i) for i, corner in enumerate(m.designs)]
    assert max(gaps) < 1e-12


@pytest.mark.parametrize("name", VEHICLES)
def test_differences_shrink_with_the_step(name: str) -> None:
    """First order, in position, speed and suspension, for a bend and its counterpart."""
    v, ends = pair(name)[0], []
    with smooth_steering(v):
        for h in (1e-3, 5e-4, 2.5e-4, 1.25e-4):
            rolling(v, 8.0)
            for steering in (0.0, 0.2, -0.2):
                drive(v, "flat", command(steering=steering), 0.2, h)
            ends.append(v.space.state.copy())
    for row, largest in (("p_WB", 5e-3), ("v_WB_B", 2e-2), ("theta", 2e-3)):
        change = [float(np.abs(a[0][row] - b[0][row]).max()) for a, b in pairwise(ends)]
        assert change[0] < largest, row
        assert 1.5 < change[1] / change[2] < 2.8, (row, change)


@pytest.mark.parametrize("name", [name for name in VEHICLES if name not in TABLES_ALONE])
def test_energy_stays_and_its_error_falls_with_the_fourth_power_of_the_step(name: str) -> None:
    """Thrown without dampers, stops and bars, with springs 20 mm off their rest length and turning wheels."""
    mechanism = pair(name)[0].description.mechanism
    struts = linear_struts(mechanism.struts)
    for row in DAMPING:
        struts[0][row] = 0.0
    struts[0]["anti_roll_bars"]["law"] = 0
    m = free_motion(mechanism.with_struts(struts), 9.81)
    rates(m, m.stages[1])
    struts[0]["spring_free_length"] = m.kinematics[0]["spring_length"] + 0.02
    start = m.state.copy()
    start[0]["theta"], start[0]["w_WB_B"], start[0]["wheel_spin"] = [0.03, -0.03, 0.03, -0.03], [0.3, 0.2, 0.5], 30.0
    changes = []
    for h in (2e-3, 1e-3):
        m.state[:] = start
        both = np.array([energies(m, state) for state in integrate(m, 0.5, h, every=round(0.02 / h))])
        total = both.sum(axis=1)
        changes.append(float(np.abs(total - total[0]).max() / np.ptp(both[:, 0])))
    assert changes[1] < 1e-6
    assert changes[0] > 12.0 * changes[1]
