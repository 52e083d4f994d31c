"""Do the step equations of a trailing arm with a kingpin agree with the multibody solver, also steered, and are its maps exact?"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

from simulator.base.arrays import Array
from simulator.base.records import Record
from simulator.builder.builder import vehicle_description
from tests.laws.corner_bodies import own_of
from tests.laws.free_vehicle import attitude
from vehicles.dynamics import accelerations
from vehicles.mechanism_parameters import CORNER_NAMES, MechanismParameters, new_mechanism, new_workspace
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody_vehicle import CHASSIS, RACK, linear_struts, vehicle_mechanism
from vehicles.steering.steering_torque import steering_row
from vehicles.suspension.blocks import steer_blocks
from vehicles.suspension.composite_inertia import Workspace
from vehicles.suspension.steered_trailing_arm.corner import STEERED_TRAILING_ARM_BLOCK
from vehicles.suspension.steered_trailing_arm.kinematics import CARRIER

CAR = str(Path(__file__).parents[1] / "data" / "vehicles" / "trailing_front.yaml")
ARMS = ("FL_arm", "FR_arm", "RL_lca", "RR_lca")


class Car(NamedTuple):
    """The same in the equations of the step and in the general engine, the rack led or free."""

    mechanism: MechanismParameters
    steering: Record
    led: System
    free: System


@cache
def car() -> Car:
    found = vehicle_description(CAR)
    design = replace(found.design, struts=linear_struts(found.design.struts))
    design.struts[0]["degressivity"] = 0.0
    systems = (build_system(vehicle_mechanism(design, found.steering, arm_prescribed=led)) for led in (True, False))
    return Car(new_mechanism(design.chassis, design.corners, design.struts), found.steering, *systems)


class Rack(NamedTuple):
    """m, m/s, m/s2, + = left."""

    at: float
    rate: float
    acceleration: float


def random_state(seed: int) -> tuple[Workspace, Rack]:
    """Everything moves, everything is loaded; evaluated."""
    rng, m = np.random.default_rng(seed), car().mechanism
    w, rack = new_workspace(m), Rack(rng.uniform(-0.05, 0.05), rng.uniform(-0.3, 0.3), rng.uniform(-3.0, 3.0))
    x, loads, q = w.state[0], w.loads[0], w.inputs[0]
    turn = rng.normal(size=4)
    x["p_WB"], x["q_WB"] = rng.uniform(-5.0, 5.0, 3), turn / np.linalg.norm(turn)
    x["v_WB_B"], x["w_WB_B"] = rng.uniform(-10.0, 10.0, 3), rng.uniform(-2.0, 2.0, 3)
    x["theta"], x["theta_dot"], x["wheel_spin"] = rng.uniform(-0.2, 0.2, 4), rng.uniform(-3.0, 3.0, 4), rng.uniform(-10.0, 45.0, 4)
    q["Q"][1, :2] += rack.at
    q["Q_dot"][1, :2], q["Q_ddot"][1, :2], q["Q_1"][1, :2] = rack.rate, rack.acceleration, 1.0
    accelerations(m.records, w)
    couple, axle = rng.uniform(-1.5e3, 1.5e3, (3, 4)), w.kinematics[0]["axle"]
    loads["wheel_force"], loads["carrier_couple"] = rng.uniform(-15e3, 15e3, (3, 4)), couple - (couple * axle).sum(axis=0) * axle
    accelerations(m.records, w)
    return w, rack


def in_general_engine(system: System, w: Workspace, rack: Rack, force: float) -> tuple[Array, Array]:
    """Accelerations (n_v,) there, and R_WB; the rack is led, or pushed by a force."""
    x, loads = w.state[0], w.loads[0]
    q, v, R = system.neutral(), np.zeros(system.n_v), attitude(x["q_WB"])
    q[system.joint_q[CHASSIS]], v[system.joint_v[CHASSIS]] = np.r_[x["p_WB"], x["q_WB"]], np.r_[R @ x["w_WB_B"], R @ x["v_WB_B"]]
    wrenches, tau, led = np.zeros((system.parts.tree.nodes.size, 6)), np.zeros(system.n_v), np.zeros(system.n_v)
    for i, name in enumerate(CORNER_NAMES):
        v[system.joint_v[f"{name}_wheel"]] = x["wheel_spin"][i] - w.out[0]["carrier_spin"][i]
        wrenches[system.node[f"{name}_wheel"]] = np.r_[R @ loads["carrier_couple"][:, i], R @ loads["wheel_force"][:, i]]
    q[system.joint_q[RACK]], v[system.joint_v[RACK]] = rack.at, rack.rate
    for i, arm in enumerate(ARMS):
        side = -1.0 if arm == "RR_lca" else 1.0
        q[system.joint_q[arm]], v[system.joint_v[arm]] = side * x["theta"][i], side * x["theta_dot"][i]
    tau[system.joint_v[RACK]], led[system.joint_v[RACK]] = force, rack.acceleration
    q, v = ConstraintEmbedding(system, system.neutral()).close(q, v)
    return ConstraintEmbedding(system, q).accelerations(q, v, tau, wrenches, led), R


def error(ours: Any, theirs: Any) -> float:
    """Largest |ours - theirs| over max(1, |theirs|)."""
    return float(np.max(np.abs(np.asarray(ours) - theirs) / np.maximum(1.0, np.abs(theirs))))


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_and_the_force_on_the_rack_are_those_of_the_general_engine(seed: int) -> None:
    """The rack led; and free under the force that the led one needs, where it has to move just as it was led."""
    w, rack = random_state(seed)
    steer_blocks(w.blocks, w.inputs, w.kinematics)
    force = float(sum(steering_row(w, i) for i in range(2)))
    for system in (car().led, car().free):
        found, R = in_general_engine(system, w, rack, 0.0 if system is car().led else force)
        chassis = found[system.joint_v[CHASSIS]]
        assert error(w.out[0]["alpha_WB_B"], R.T @ chassis[:3]) < 1e-9
        assert error(w.out[0]["a_WB_B"], R.T @ chassis[3:]) < 1e-9
        theirs = [float(found[system.joint_v[arm]][0]) for arm in ARMS]
        assert error(w.out[0]["theta_ddot"] * [1.0, 1.0, 1.0, -1.0], np.array(theirs)) < 1e-9
        assert error(rack.acceleration, found[system.joint_v[RACK]][0]) < 1e-9


# ---- exact maps


def turned(axis: Any, x: Any, a: Any) -> Any:
    """a turned about a unit vector (Rodrigues), in whatever numbers."""
    c, s, along = mpmath.cos(x), mpmath.sin(x), sum(n * r for n, r in zip(axis, a, strict=True))
    across = [axis[1] * a[2] - axis[2] * a[1], axis[2] * a[0] - axis[0] * a[2], axis[0] * a[1] - axis[1] * a[0]]
    return mpmath.matrix([c * r + s * k + (1 - c) * along * n for r, k, n in zip(a, across, axis, strict=True)])


def exactly(i: int, theta: Any, moved: Any, point: Array) -> Any:
    """Where a point of the knuckle is, its rack moved to the left, to 40 digits: phi is looked for by itself."""
    c: Any = car().mechanism.designs[i]
    P, A, T, K, Q = (mpmath.matrix([mpmath.mpf(float(x)) for x in one]) for one in (c.P, c.A, c.T, c.K, c.Q))
    e = mpmath.matrix([mpmath.mpf(float(x)) for x in c.e])
    e, n = e / mpmath.norm(e), (T - A) / mpmath.norm(T - A)

    def at(phi: Any, r: Any) -> Any:
        return P + turned(e, theta, A + turned(n, phi, r - A) - P)

    there = Q + mpmath.matrix([0, moved, 0])
    length = mpmath.norm(K - Q)
    phi = mpmath.findroot(lambda phi: mpmath.norm(at(phi, K) - there) - length, mpmath.mpf(0))
    return at(phi, mpmath.matrix([mpmath.mpf(float(x)) for x in point]))


@pytest.mark.parametrize("i", [0, 1])
def test_position_and_its_derivatives_are_exact(i: int) -> None:
    """Center of mass of knuckle and wheel, its velocity maps by arm and rack and its acceleration at theta'' = 0, against differences in 40 digits."""
    m = car().mechanism
    w, theta, rate, rack = new_workspace(m), 0.17, -1.3, Rack(0.03, 0.4, 2.0)
    w.state[0]["theta"], w.state[0]["theta_dot"] = theta, rate
    q = w.inputs[0]
    q["Q"][1, :2] += rack.at
    q["Q_dot"][1, :2], q["Q_ddot"][1, :2], q["Q_1"][1, :2] = rack.rate, rack.acceleration, 1.0
    accelerations(m.records, w)
    steer_blocks(w.blocks, w.inputs, w.kinematics)
    parameters, memory = own_of(w.blocks, STEERED_TRAILING_ARM_BLOCK)
    c: Any = m.designs[i]
    point, motion = (
        parameters[0]["carrier_com"][:, i] + c.A,
        {name: memory[0][name][CARRIER, :, i] for name in ("c", "u", "v_rel", "a_rel")},
    )
    W_steer = w.kinematics[0]["W_steer"][:, i]
    with mpmath.workdps(40):
        h = mpmath.mpf("1e-12")

        def at(time: Any, arm: float = rate, led: Rack = rack, point: Array = point) -> Any:
            moved = mpmath.mpf(led.at) + time * mpmath.mpf(led.rate) + time**2 * mpmath.mpf(led.acceleration) / 2
            return exactly(i, mpmath.mpf(theta) + time * mpmath.mpf(arm), moved, point)

        here, ahead, behind = at(0), at(h), at(-h)
        still, rolling = Rack(rack.at, 0.0, 0.0), Rack(rack.at, 1.0, 0.0)
        exact = {
            "c": (motion["c"], here),
            "v_rel": (motion["v_rel"], (ahead - behind) / (2 * h)),
            "a_rel": (motion["a_rel"], (ahead - 2 * here + behind) / h**2),
            "u": (motion["u"], (at(h, 1.0, still) - at(-h, 1.0, still)) / (2 * h)),
            "W_steer": (W_steer, (at(h, 0.0, rolling, c.W) - at(-h, 0.0, rolling, c.W)) / (2 * h)),
        }
        for name, (ours, theirs) in exact.items():
            assert error(ours, np.array([float(x) for x in theirs])) < 1e-12, name
