"""Evaluation of the states of `jounce validate accelerations` in closed form, as in the vehicle, and from tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.base.rotations import rotation_of_quaternion
from simulator.validation.reference.corner_accelerations import BodyMotions, motions_of
from vehicles.dynamics import accelerations, accelerations_on_fixed_chassis, answer_loads, answer_loads_on_fixed_chassis
from vehicles.mechanism_parameters import CORNER_NAMES, MechanismParameters, VehicleDesign, new_mechanism, new_workspace
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.steering.steering import STEERING_STATE
from vehicles.steering.steering_torque import steering_row
from vehicles.suspension.blocks import steer_blocks
from vehicles.suspension.composite_inertia import Workspace, prepare
from vehicles.suspension.tables.build_tables import FINEST_TOLERANCE, build_tables
from vehicles.suspension.tables.reduced_table import INTERPOLATED, covers
from vehicles.suspension.tables.tabulated import TabulatedMechanism, TabulatedWorkspace, prepare_from_tables

States = dict[str, Array]

MASSLESS = ("chassis_alpha_world", "chassis_acc_world", "theta_ddot", "wheel_acc")
"""Outputs that the files also contain for a massless rack."""


class OracleModel:
    """Closed-form model of a vehicle, evaluated for single states."""

    def __init__(self, design: VehicleDesign) -> None:
        self.design = design
        self.mechanism: MechanismParameters = new_mechanism(design.chassis, list(design.corners), design.struts)
        self.space: Workspace = new_workspace(self.mechanism, design.gravity)
        self.motions: list[BodyMotions] = [motions_of(self.mechanism, self.space, i) for i in range(4)]
        self.side = np.array([motion.side for motion in self.motions])
        """Sign of the Jounce theta relative to the theta of the files, by corner."""
        self.rack: RigidBody | None = design.corners[0].rack
        self._massless: OracleModel | None = None

    def whole(self, state: Mapping[str, Any]) -> States:
        """Return the outputs for one state of the complete vehicle, in world axes."""
        R_WB = np.empty((3, 3))
        q = state["chassis_quat_wxyz"] / np.linalg.norm(state["chassis_quat_wxyz"])
        rotation_of_quaternion(q, R_WB)
        self._set(q, R_WB.T @ state["chassis_omega_world"], self.side * state["theta"], self.side * state["theta_dot"], state)
        force, moment = R_WB.T @ state["wheel_wrench_world"][:, :3].T, R_WB.T @ state["wheel_wrench_world"][:, 3:].T
        couple = self._load(state["wheel_rate"], force, moment)
        self._solve(fixed_chassis=False)
        if "rack_force" in state:
            couple = self._free_rack(float(state["rack_force"]), state["wheel_rate"], force, moment)
        outputs = self._outputs(R_WB, couple, state["wheel_rate"])
        if self.rack is None:
            return outputs
        if "rack_force" in state:
            return {**outputs, "out_rack_acc": np.array(self.space.inputs[0]["Q_ddot"][1, 0])}
        return {**outputs, "out_rack_force": np.array(self._rack_force()), **self._with_massless_rack(state)}

    def _outputs(self, R_WB: Array, couple: Array, wheel_rate: Array) -> States:
        out = self.space.out[0]
        corners = [motion.accelerations(couple[i], wheel_rate[i]) for i, motion in enumerate(self.motions)]
        alpha, a = out["alpha_WB_B"], out["a_WB_B"]
        fixed = [self._acceleration(self.design.chassis.p_BoBcm)]
        rack = np.zeros(0)
        if self.rack is not None:
            q = self.space.inputs[0]
            moved = q["Q"][:, 0] - self.mechanism.Q_design[:, 0]
            fixed.append(self._acceleration(self.rack.p_BoBcm + moved, q["Q_dot"][:, 0], q["Q_ddot"][:, 0]))
            rack = q["Q_ddot"][1, :1]
        return {
            "out_chassis_alpha_world": R_WB @ alpha,
            "out_chassis_acc_world": R_WB @ a,
            "out_theta_ddot": self.side * out["theta_ddot"],
            "out_wheel_acc": np.array([c.wheel_acc for c in corners]),
            "out_qdd_all": np.concatenate([rack, *(c.qdd for c in corners)]),
            "body_alpha": np.vstack([*(alpha for _ in fixed), *(c.alpha for c in corners)]) @ R_WB.T,
            "body_acc_com": np.vstack([*fixed, *(c.acc for c in corners)]) @ R_WB.T,
        }

    def _acceleration(self, point: Array, velocity: Array | float = 0.0, acceleration: Array | float = 0.0) -> Array:
        """Return the acceleration of a point in chassis axes, given its velocity and acceleration relative to the chassis."""
        w, out = self.space.state[0]["w_WB_B"], self.space.out[0]
        carried = out["a_WB_B"] + np.cross(out["alpha_WB_B"], point) + np.cross(w, np.cross(w, point))
        return np.asarray(carried + 2.0 * np.cross(w, np.zeros(3) + velocity) + acceleration)

    def quarter(self, state: Mapping[str, Any]) -> States:
        """Return the outputs for one state of a single corner on the fixed chassis. The other corners rest in the design position."""
        i = CORNER_NAMES.index(str(state["corner"]))
        theta, theta_dot, rate, wrench = np.zeros(4), np.zeros(4), np.zeros(4), np.zeros((4, 6))
        theta[i], theta_dot[i], rate[i] = self.side[i] * state["theta"], self.side[i] * state["theta_dot"], state["wheel_rate"]
        wrench[i] = state["wheel_wrench_world"]
        self._set(np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), theta, theta_dot, state)
        couple = self._load(rate, wrench[:, :3].T, wrench[:, 3:].T)
        self._solve(fixed_chassis=True)
        corner = self.motions[i].accelerations(couple[i], rate[i])
        return {
            "out_theta_ddot": self.side[i] * self.space.out[0]["theta_ddot"][i],
            "out_wheel_acc": np.array(corner.wheel_acc),
            "out_qdd_corner": corner.qdd,
            "body_alpha": corner.alpha,
            "body_acc_com": corner.acc,
        }

    def _solve(self, fixed_chassis: bool) -> None:
        """Compute the accelerations of chassis and arms from the current state and loads."""
        m, s = self.mechanism, self.space
        evaluate = accelerations_on_fixed_chassis if fixed_chassis else accelerations
        evaluate(m.records, s)

    def _rack_force(self) -> float:
        """Return the force [N] along +y that drives the rack in its motion."""
        s = self.space
        s.inputs[0]["Q_1"][1, :2] = 1.0
        steer_blocks(s.blocks, s.inputs, s.kinematics)
        return float(sum(steering_row(s, i) for i in range(2)))

    def _free_rack(self, force: float, wheel_rate: Array, wheel_force: Array, wheel_couple: Array) -> Array:
        """Set the acceleration of the rack for a given force, which is linear in the acceleration. Return the couples about the axles."""
        needed = []
        for acceleration in (0.0, 1.0):
            needed.append(self._accelerate_rack(acceleration, wheel_rate, wheel_force, wheel_couple)[1])
        return self._accelerate_rack((force - needed[0]) / (needed[1] - needed[0]), wheel_rate, wheel_force, wheel_couple)[0]

    def _accelerate_rack(self, acceleration: float, wheel_rate: Array, force: Array, couple: Array) -> tuple[Array, float]:
        self.space.inputs[0]["Q_ddot"][1, :2] = acceleration
        axial = self._load(wheel_rate, force, couple)
        self._solve(fixed_chassis=False)
        return axial, self._rack_force()

    def _with_massless_rack(self, state: Mapping[str, Any]) -> States:
        if self._massless is None:
            nothing = RigidBody("rack", 0.0, np.zeros(3), np.zeros((3, 3)))
            front = tuple(corner.with_rack(nothing) for corner in self.design.corners[:2])
            self._massless = OracleModel(replace(self.design, corners=(*front, *self.design.corners[2:])))
            self._massless.rack = None
        states = self._massless.whole(state)
        same = {f"massless_rack_{name}": states[f"out_{name}"] for name in MASSLESS}
        return {**same, "massless_rack_rack_force": np.array(self._massless._rack_force())}

    def _set(self, q: Array, w_B: Array, theta: Array, theta_dot: Array, state: Mapping[str, Any]) -> None:
        s, inputs = self.space.state[0], self.space.inputs[0]
        s["q_WB"], s["w_WB_B"], s["theta"], s["theta_dot"] = q, w_B, theta, theta_dot
        inputs["Q"], inputs["Q_dot"], inputs["Q_ddot"] = self.mechanism.Q_design, 0.0, 0.0
        if "rack" in state:
            inputs["Q"][1, :2] += state["rack"]
            inputs["Q_dot"][1, :2], inputs["Q_ddot"][1, :2] = state["rack_rate"], state.get("rack_acc", 0.0)
        elif "tierod_inner_offset" in state:
            inputs["Q"][:, :2] += state["tierod_inner_offset"].T
            inputs["Q_dot"][:, :2] = state["tierod_inner_vel"].T
            inputs["Q_ddot"][:, :2] = state["tierod_inner_acc"].T

    def _load(self, wheel_rate: Array, force: Array, couple: Array) -> Array:
        """Set wheel spins and loads (3, 4, in B). Return the couples about the axles (4,)."""
        m, s = self.mechanism, self.space
        s.state[0]["wheel_spin"] = 0.0
        prepare(m.records, s)
        s.state[0]["wheel_spin"] = wheel_rate + s.out[0]["carrier_spin"]
        axle = s.kinematics[0]["axle"]
        axial: Array = (couple * axle).sum(axis=0)
        s.loads[0]["wheel_force"], s.loads[0]["carrier_couple"] = force, couple - axle * axial
        return axial


class TableModel(OracleModel):
    """Model with tables of the reduced quantities at the finest tolerance. The inner tie-rod joints rest in the design position."""

    def __init__(self, design: VehicleDesign) -> None:
        super().__init__(design)
        m = self.mechanism
        self.tables, _ = build_tables(m, None, FINEST_TOLERANCE)
        self.steering, self.interpolated = record(STEERING_STATE), record(INTERPOLATED)

    def _solve(self, fixed_chassis: bool) -> None:
        m, s = self.mechanism, self.space
        theta = s.state[0]["theta"]
        if not covers(self.tables, theta, 0.0):
            raise JounceError(f"arm angles {theta.tolist()} rad: outside the range of the tables")
        whole = TabulatedMechanism(*m.records, self.tables)
        space = TabulatedWorkspace(*s, self.steering, self.interpolated)
        prepare_from_tables(whole, space, False)
        if fixed_chassis:
            answer_loads_on_fixed_chassis(m.records, s)
        else:
            answer_loads(m.records, s)
