"""Roll of a semitrailer on its fifth wheel, and roll-over of the train in a turn that tightens slowly."""

import math

import numpy as np
import pytest

import jounce
from simulator.base.records import record
from simulator.base.rotations import rotation_of_quaternion
from vehicles.command import COMMAND
from vehicles.towing.coupling import COUPLING, COUPLING_MEMORY, roll_couple

GRAVITY = 9.80665
TRAILER = "trailers[0].vehicle"


def test_the_couple_of_the_plate_tips_over_its_edge_and_is_held_by_the_kingpin():
    """Below the load times half the width it is a spring; then the couple stays until the lash is used up."""
    c, q = record(COUPLING), record(COUPLING_MEMORY)
    c[0]["roll_stiffness"], c[0]["roll_lash"], c[0]["plate"] = 2e6, 0.03, 0.45
    q[0]["force_B"][2] = -1e5
    edge = 1e5 * 0.45 / 2e6
    angles = np.array([0.5 * edge, edge + 0.01, edge + 0.03 + 0.005])
    expected = [0.5 * 45e3, 45e3, 45e3 + 2e6 * 0.005]
    for side in (1.0, -1.0):
        assert [-side * roll_couple(c[0], q[0], side * angle)[0] for angle in angles] == pytest.approx(expected)
    assert [roll_couple(c[0], q[0], angle)[1] for angle in angles] == [2e6, 0.0, 2e6]


@pytest.fixture(scope="module")
def flat():
    return jounce.load_ground("flat")


def mass_of(vehicle):
    return float(vehicle.model.chassis[0]["mass"] + vehicle.model.corners[0]["corner_mass"].sum())


def across(readout):
    """Return the horizontal acceleration [m/s2] of a vehicle to its left, and its roll [rad]."""
    R = np.empty((3, 3))
    rotation_of_quaternion(readout["q_WB"], R)
    a, heading = R @ readout["a_WG_B"], math.atan2(R[1, 0], R[0, 0])
    return a[1] * math.cos(heading) - a[0] * math.sin(heading), math.atan2(R[2, 1], R[2, 2])


def rollover(train, ground, speed=15.0):
    """Return the largest lateral acceleration [g] of a train before it rolls over, and the rolls (n, 3) [rad] of tractor, trailer and joint."""
    train.reset(ground, speed=speed)
    towed, c = train.train.trailers[0].vehicle, record(COMMAND)
    c["selector"], throttle, most, rolls = 1, train.start_throttle, 0.0, []
    masses = np.array([mass_of(train), mass_of(towed)])
    for n in range(60_000):
        lack = speed - float(train.space.state[0]["v_WB_B"][0])
        throttle += 5e-5 * lack
        c["throttle"], c["steering"] = min(max(throttle + 0.3 * lack, 0.0), 1.0), 6e-6 * n
        train.step(ground, c, 1e-3)
        if n % 100 == 0:
            (one, roll), (two, behind) = across(train.read(c)[0]), across(towed.read()[0])
            most = max(most, float(masses @ (one, two)) / masses.sum() / GRAVITY)
            rolls.append((roll, behind, float(train.train.towing[0]["roll"])))
            if abs(behind) > math.radians(25.0):
                return most, np.array(rolls)
    raise AssertionError("the train does not roll over")


@pytest.mark.parametrize(
    ("height", "cargo", "published"),
    [(83.5, 23560.0, 0.34), (95.0, 20385.0, 0.28), (105.0, 23560.0, 0.24)],
)
def test_a_loaded_semitrailer_rolls_over_near_the_published_threshold(flat, height, cargo, published):
    """Thresholds of five-axle tractor-semitrailers by the height of the payload [in] [Winkler 2000] [mem]."""
    masses = f"{TRAILER}.chassis.fixed_masses.cargo"
    above_axle = 0.0254 * height - 0.525
    train = jounce.load_vehicle("tractor_semitrailer", {f"{masses}.com": [5.53, 0.0, above_axle], f"{masses}.mass": cargo})
    found, rolls = rollover(train, flat)
    assert found == pytest.approx(published, rel=0.2)
    before = np.abs(rolls[:, 1]) < math.radians(5.0)
    assert (np.abs(rolls[before, 1]) >= np.abs(rolls[before, 0]) - 1e-3).all()
    assert np.abs(rolls[:, 2]).max() > math.radians(1.0)
