"""Does the mirror image of a drive come out as the mirror image?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.records import Record
from tests.laws.vehicle_rig import H, command, ground, standing
from vehicles.dynamics import accelerations
from vehicles.vehicle import Vehicle

SWAP = [1, 0, 3, 2]
POLAR, AXIAL = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])

SHAFTS_ALONG_X = (
    "engine_inertia",
    "impeller_inertia",
    "turbine_inertia",
    "driveshaft_inertia",
    "shaft_inertia",
)


def without_shafts_along_x(vehicle: str, on: str, yaw: float, y: float) -> Vehicle:
    """Return a vehicle whose shafts that turn the same way about x in the mirror image have a negligible inertia."""
    v = standing(vehicle, on, 0.0, y, yaw)
    for name in SHAFTS_ALONG_X:
        v.model.drivetrain[0][name] *= 1e-9
    return v


def mirrored(x: Record) -> Record:
    """Return the STATE record of the mirror image."""
    m = x.copy()
    for name, sign in (("p_WB", POLAR), ("v_WB_B", POLAR), ("w_WB_B", AXIAL), ("q_WB", np.array([1.0, -1.0, 1.0, -1.0]))):
        m[0][name] = sign * x[0][name]
    for name in ("theta", "theta_dot", "wheel_angle", "wheel_spin"):
        m[0][name] = x[0][name][SWAP]
    return m


def moving(v: Vehicle, seed: int) -> None:
    """Set a state far from straight ahead: the body rolls, and the arms are off their design positions."""
    rng = np.random.default_rng(seed)
    x = v.space.state[0]
    x["v_WB_B"] = [9.0, 0.4, 0.1]
    x["w_WB_B"] = rng.uniform(-0.3, 0.3, 3)
    x["theta"] += rng.uniform(-0.02, 0.02, 4)
    x["theta_dot"] = rng.uniform(-0.3, 0.3, 4)
    x["wheel_spin"] = 9.0 / 0.47 + rng.uniform(-0.5, 0.5, 4)


def compare(left: Vehicle, right: Vehicle, limit: float) -> None:
    for name in left.space.state.dtype.names:
        error = np.abs(right.space.state[0][name] - mirrored(left.space.state)[0][name]).max()
        assert error < limit, name
    a, b = left.space.out[0], right.space.out[0]
    assert np.abs(b["a_WB_B"] - POLAR * a["a_WB_B"]).max() < 100.0 * limit
    assert np.abs(b["alpha_WB_B"] - AXIAL * a["alpha_WB_B"]).max() < 100.0 * limit
    ours, theirs = left.read()[0], right.read()[0]
    assert theirs["F_C"] == pytest.approx((ours["F_C"] * POLAR)[SWAP], abs=1e5 * limit)
    assert theirs["steering_wheel_torque"] == pytest.approx(-ours["steering_wheel_torque"], abs=1e4 * limit)
    assert theirs["p_BK"] == pytest.approx((ours["p_BK"] * POLAR)[SWAP], abs=limit)


@pytest.mark.parametrize("vehicle", ["hmmwv", "hmmwv_chrono"])
@pytest.mark.parametrize("on", ["flat", "slope", "clayey_loam 0"])
@pytest.mark.parametrize("brake", [0.0, 0.4])
def test_mirror_image_of_a_drive(vehicle: str, on: str, brake: float) -> None:
    """A bend in neutral, rolling or under brakes, on level ground, uphill (which is along the mirror) and on soil.

    On soil the slip comes from an iteration, which may take one more iteration on one side: one digit less."""
    left, right = (without_shafts_along_x(vehicle, on, sign * 0.3, sign * 2.0) for sign in (1.0, -1.0))
    if vehicle == "hmmwv_chrono":  # its Pitman arm, on the left only, moves with the chassis
        for v in (left, right):
            v.model.chassis[0]["com"][1], v.model.chassis[0]["inertia"][[3, 5]] = 0.0, 0.0
    moving(left, 3)
    right.space.state[:] = mirrored(left.space.state)
    right.space.treads["numbers"][:, :2] = (left.space.treads["numbers"][:, :2] * [1.0, -1.0])[SWAP]
    right.space.tires["sinkage"] = left.space.tires["sinkage"][SWAP]
    right.space.drivetrain[0]["brake_angle"] = left.space.drivetrain[0]["brake_angle"][SWAP]
    for name in ("turbine_speed", "twist", "shaft_end_speed"):
        right.space.drivetrain[0][name] = left.space.drivetrain[0][name]
    commands = [command(steering=sign * 0.25, brake=brake) for sign in (1.0, -1.0)]
    for _ in range(1200):
        left.step(ground(on), commands[0], H)
        right.step(ground(on), commands[1], H)
    assert left.read()[0]["yaw"] > 0.35
    compare(left, right, 1e-8 if "loam" in on else 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_mirror_image_of_accelerations(seed: int) -> None:
    """Shipped mechanism alone, in any state and under any loads."""
    rng = np.random.default_rng(seed)
    v, w = standing("hmmwv", "flat"), standing("hmmwv", "flat")
    x, loads = v.space.state[0], v.space.loads[0]
    q = rng.normal(size=4)
    x["q_WB"] = q / np.linalg.norm(q)
    x["v_WB_B"], x["w_WB_B"] = rng.uniform(-10.0, 10.0, 3), rng.uniform(-2.0, 2.0, 3)
    x["theta"], x["theta_dot"] = rng.uniform(-0.2, 0.2, 4), rng.uniform(-3.0, 3.0, 4)
    x["wheel_spin"] = rng.uniform(-10.0, 45.0, 4)
    loads["wheel_force"], loads["carrier_couple"] = rng.uniform(-15e3, 15e3, (3, 4)), rng.uniform(-1.5e3, 1.5e3, (3, 4))
    loads["chassis_force"], loads["chassis_couple"] = rng.uniform(-1e3, 1e3, 3), rng.uniform(-1e3, 1e3, 3)
    steered = v.space.inputs[0]
    steered["Q"][:, :2] += rng.uniform(-0.02, 0.02, (3, 2))
    steered["Q_dot"][:, :2], steered["Q_ddot"][:, :2] = rng.uniform(-0.1, 0.1, (3, 2)), rng.uniform(-1.0, 1.0, (3, 2))

    w.space.state[:] = mirrored(v.space.state)
    image = w.space.loads[0]
    image["wheel_force"] = (POLAR[:, None] * loads["wheel_force"])[:, SWAP]
    image["carrier_couple"] = (AXIAL[:, None] * loads["carrier_couple"])[:, SWAP]
    image["chassis_force"], image["chassis_couple"] = POLAR * loads["chassis_force"], AXIAL * loads["chassis_couple"]
    for name in ("Q", "Q_dot", "Q_ddot"):
        w.space.inputs[0][name] = (POLAR[:, None] * steered[name])[:, SWAP]
    for each in (v, w):
        s, m = each.space, each.model
        accelerations(m, s)
    ours, theirs = v.space.out[0], w.space.out[0]
    for name, expected in (
        ("a_WB_B", POLAR * ours["a_WB_B"]),
        ("alpha_WB_B", AXIAL * ours["alpha_WB_B"]),
        ("theta_ddot", ours["theta_ddot"][SWAP]),
        ("spring_force", ours["spring_force"][SWAP]),
        ("shock_force", ours["shock_force"][SWAP]),
    ):
        assert np.abs((theirs[name] - expected) / np.maximum(1.0, np.abs(expected))).max() < 1e-9, name
