"""Do accelerations and steering torque of the simulated vehicle agree with bodies in absolute coordinates under the same forces?"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import InertiaWarning
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.builder.builder import build_ground
from simulator.validation.reference.closed_form_model import OracleModel
from simulator.validation.reference.model_corners import read_design
from tests.laws.free_vehicle import JOUNCE, MODEL, attitude
from tests.laws.mechanism_axles import shipped, vehicle_of
from tests.laws.vehicle_rig import led
from tests.oracles.kkt_reference import accelerations, constraints, error, inertial_forces, mass_matrix, solve_symmetric
from tests.oracles.mechanism import CORNERS, Mechanism, motion
from tests.oracles.perturbed_model import perturbed_model, random_state
from vehicles.command import COMMAND
from vehicles.steering.steering_torque import steering_row
from vehicles.suspension.blocks import steer_blocks
from vehicles.vehicle import Vehicle


@kernel
def steer(blocks, q, k):
    steer_blocks(blocks, q, k)


def steering_force(model: dict[str, Any], loop_force: np.ndarray, side: str) -> np.ndarray:
    """Force of the steering link on a tie rod: the opposite of what the loop puts on the chassis."""
    names = [loop["name"] for loop in model["loops"]]
    return -loop_force[names.index(f"{side}_L")]


@pytest.mark.parametrize("seed", range(6))
def test_steering_row_is_the_force_on_the_tie_rod(seed: int) -> None:
    """For any direction in which the inner joint may move: random states, wheel loads, joint rates and accelerations."""
    rng = np.random.default_rng(seed)
    model = perturbed_model(MODEL, rng, 0.1) if seed else MODEL
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        ours = OracleModel(read_design(model, "model"))
    state = random_state(rng, steering=True)
    ours.whole(state)
    reference = accelerations(model, state)
    s, R = ours.space, attitude(state["chassis_quat_wxyz"])
    for i, side in enumerate(CORNERS[:2]):
        force = R.T @ steering_force(model, reference["loop_force"], side)
        for direction in np.vstack([np.eye(3), rng.normal(size=3)]):
            s.inputs[0]["Q_1"][:, i] = direction
            steer(s.blocks, s.inputs, s.kinematics)
            row = steering_row(s, i)
            assert error(row, force @ direction) < 1e-9


# ------------------------------------------------------------------------------------------------------------ the driven vehicle


def as_the_oracle_has_it() -> dict[str, Any]:
    """Content of the shipped vehicle file with the oracle's chassis, tie rods as long as between the hardpoints, and no anti-roll bar."""
    mapping, chassis = shipped(), MODEL["bodies"][0]
    mapping["chassis"] |= {"mass": chassis["mass"], "com": chassis["com"], "inertia": np.diag(chassis["I"]).tolist()}
    del mapping["chassis"]["fixed_masses"], mapping["axles"]["front"]["anti_roll_bar"]
    for axle in mapping["axles"].values():
        del axle["alignment"]
    return mapping


def driven(seconds: float, h: float = 1e-3) -> tuple[Vehicle, Record]:
    """The shipped vehicle on the oracle's bodies after some seconds of throttle and weaving, and its state before the last step."""
    vehicle, ground = led(vehicle_of(as_the_oracle_has_it())), build_ground("flat")  # the oracle's arm has a prescribed motion
    on = ground.arrays
    vehicle.reset(on, gear=1)
    command = record(COMMAND)
    command[0]["selector"] = 1
    before = vehicle.space.state.copy()
    for n in range(round(seconds / h)):
        command[0]["throttle"] = 0.0 if n * h > 3.0 else 0.8
        command[0]["brake"] = 0.3 if n * h > 3.0 else 0.0
        command[0]["steering"] = 0.5 * np.sin(3.0 * n * h)
        before = vehicle.space.state.copy()
        vehicle.step(on, command, h)
    vehicle.read(command)
    return vehicle, before


def oracle_of(vehicle: Vehicle, before: Record) -> tuple[dict[str, Any], dict[str, Any]]:
    """The oracle's model with springs and dampers that give this moment's forces, and the state of this moment."""
    k, x, out, q = vehicle.space.kinematics[0], before[0], vehicle.space.out[0], vehicle.space.inputs[0]
    model = copy.deepcopy(MODEL)
    model["gravity"] = [0.0, 0.0, -float(vehicle.space.loads[0]["gravity"])]
    for i in range(4):
        spring, damper = model["springs"][i], model["dampers"][i]
        assert spring["name"].startswith(CORNERS[i])
        assert damper["name"].startswith(CORNERS[i])
        spring["k"], spring["free_length"] = 1e5, float(k["spring_length"][i] + out["spring_force"][i] / 1e5)
        damper["c"] = float(-out["shock_force"][i] / (k["shock_length_1"][i] * x["theta_dot"][i]))
    R = attitude(x["q_WB"])
    offset = q["Q"] - vehicle.description.mechanism.Q_design
    state = {
        "chassis_quat_wxyz": x["q_WB"],
        "chassis_pos": x["p_WB"],
        "chassis_omega_world": R @ x["w_WB_B"],
        "chassis_vel_world": R @ x["v_WB_B"],
        "theta": JOUNCE * x["theta"],
        "theta_dot": JOUNCE * x["theta_dot"],
        "wheel_angle": x["wheel_angle"],
        "wheel_rate": x["wheel_spin"] - out["carrier_spin"],
        "tierod_inner_offset": offset[:, :2].T,
        "tierod_inner_vel": q["Q_dot"][:, :2].T,
        "tierod_inner_acc": q["Q_ddot"][:, :2].T,
    }
    return model, state


@pytest.mark.parametrize("seconds", [1.2, 2.5, 3.6])
def test_driven_vehicle_and_its_steering_wheel_torque(seconds: float) -> None:
    """Accelerating, weaving, and braking while weaving. The brakes' couples and the drivetrain's reactions are put on the bodies by hand."""
    vehicle, before = driven(seconds)
    model, state = oracle_of(vehicle, before)
    s, R = vehicle.space, attitude(before[0]["q_WB"])
    mech = Mechanism(model)
    now = motion(mech, state)
    f = inertial_forces(mech, now, np.zeros((4, 6))).reshape(-1, 2, 3)
    loads = s.loads[0]
    for i, corner in enumerate(CORNERS):
        wheel, center = mech.wheels[i]
        force = R @ loads["wheel_force"][:, i]
        f[wheel, 1] += force
        f[wheel, 0] += np.cross(now.pose.r[wheel] + now.pose.R[wheel] @ center - now.com[wheel], force)
        f[mech.names.index(f"{corner}_knuckle"), 0] += R @ loads["carrier_couple"][:, i]
    f[0, 1] += R @ loads["chassis_force"]
    f[0, 0] += R @ loads["chassis_couple"] - np.cross(now.com[0], R @ loads["chassis_force"])
    J, g = constraints(mech, now, fixed_chassis=False)
    n = f.size
    x = solve_symmetric(np.block([[mass_matrix(mech, now), J.T], [J, np.zeros((len(g), len(g)))]]), np.concatenate([f.ravel(), g]))
    alpha, acc = x[:3], x[3:6]
    w, arm = now.omega[0], -now.com[0]
    assert error(s.out[0]["alpha_WB_B"], R.T @ alpha) < 1e-9
    assert error(s.out[0]["a_WB_B"], R.T @ (acc + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm)))) < 1e-9

    loop_force = -x[n + len(g) - 3 * len(mech.loops) :].reshape(-1, 3)
    pitman = sum(R.T @ steering_force(model, loop_force, side) @ s.inputs[0]["Q_1"][:, i] for i, side in enumerate(CORNERS[:2]))
    assert abs(pitman) > 10.0
    assert error(s.out[0]["pitman_torque"], pitman) < 1e-9
    g, arm, read = vehicle.model.steering[0], vehicle.space.steering[0], vehicle.readout[0]
    rubbing = g["gear_damping"] * arm["rate"] + g["gear_stiffness"] * arm["gear_stretch"]
    assert error(g["gear_ratio"] * read["steering_column_torque"] + read["steering_assist_torque"], -pitman - rubbing) < 1e-9
