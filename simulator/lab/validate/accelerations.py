"""Constrained accelerations against a file of reference states (`jounce validate accelerations FILE.npz --model MODEL.yaml`).

Two kinds of file: the whole vehicle, and quarter cars on a fixed chassis (those name the corner of every state). Only inputs are read
from a state: chassis_quat_wxyz, chassis_omega_world, theta, theta_dot, wheel_angle, wheel_rate, wheel_wrench_world, corner and
tierod_inner_offset, _vel, _acc. In these files theta is right-handed about +x on both sides; ours is positive in jounce.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrayfile import read_npz
from simulator.base.errors import ConfigError, JounceError
from simulator.base.frames import rotation_of_quaternion
from simulator.base.records import record
from simulator.lab.validate.general_engine import MechanismModel
from simulator.lab.validate.model_file import JOINTS, read_design
from simulator.lab.validate.outcome import Comparison, relative_error
from vehicles.dynamics import accelerations, accelerations_on_fixed_chassis, answer_loads, answer_loads_on_fixed_chassis
from vehicles.model import CORNER_NAMES, Design, Mechanism, new_mechanism, new_workspace
from vehicles.steering.steering import STEERING_STATE
from vehicles.suspension.corner_sums import Workspace, prepare
from vehicles.suspension.default_kind import room
from vehicles.suspension.tables.build_tables import FINEST_TOLERANCE, build_tables
from vehicles.suspension.tables.reduced_table import INTERPOLATED, covers
from vehicles.suspension.tables.tabulated import TabulatedMechanism, TabulatedWorkspace, prepare_from_tables

LOWER_ARM, UPRIGHT, CARRIER, TIEROD, SHOCK_LOWER, SHOCK_UPPER, UPPER_ARM = range(len(room("kinematics").BODIES))
"""The bodies of a corner: the files describe vehicles of the default kind."""

LIMIT = 1e-9
CLOSED_FORM, TABLE = "closed-form", "table"
"""The vehicle's own paths; the other formulations are general."""
Array = NDArray[np.float64]
States = dict[str, Array]

WHOLE = {
    "chassis_quat_wxyz": (4,),
    "chassis_omega_world": (3,),
    "theta": (4,),
    "theta_dot": (4,),
    "wheel_rate": (4,),
    "wheel_wrench_world": (4, 6),
}
QUARTER = {"theta": (), "theta_dot": (), "wheel_rate": (), "wheel_wrench_world": (6,)}
STEERING = {"tierod_inner_offset": (2, 3), "tierod_inner_vel": (2, 3), "tierod_inner_acc": (2, 3)}

WHOLE_OUTPUTS = (
    "out_chassis_alpha_world",
    "out_chassis_acc_world",
    "out_theta_ddot",
    "out_wheel_acc",
    "out_qdd_all",
    "body_alpha",
    "body_acc_com",
)
QUARTER_OUTPUTS = ("out_theta_ddot", "out_wheel_acc", "out_qdd_corner", "body_alpha", "body_acc_com")


def compare_accelerations(file: str, mapping: Any, model_file: str, formulation: str = CLOSED_FORM) -> Comparison:
    """Evaluate our model on every state of `file` and compare all outputs the file has.

    Parameters
    ----------
    file : path of an .npz file of states
    mapping : parsed model file
    model_file : its name, for messages
    formulation : closed-form, table, or one of `vehicles.multibody.formulations.by_name`

    Raises
    ------
    ConfigError : the file cannot be read, lacks an input, or an input has the wrong shape or is not finite
    """
    data = read_states(file)
    design = read_design(mapping, model_file)
    model = _model(design, formulation)
    quarter = "corner" in data
    evaluate = model.quarter if quarter else model.whole
    outputs = [name for name in (QUARTER_OUTPUTS if quarter else WHOLE_OUTPUTS) if name in data]
    if not outputs:
        raise ConfigError(file, "", sorted(data), "at least one output to compare with, for example out_theta_ddot")
    states = checked_inputs(data, file)
    if formulation == TABLE and "tierod_inner_offset" in states:
        raise ConfigError(file, "tierod_inner_offset", "tie rods that move", "states without steering: the tables know a Pitman arm only")
    count = len(states["theta"])
    results = [evaluate({name: values[n] for name, values in states.items()}) for n in range(count)]
    errors = {}
    for name in outputs:
        ours = np.array([result[name] for result in results])
        if data[name].dtype.kind not in "fiu" or data[name].shape != ours.shape:
            raise ConfigError(file, name, f"{data[name].dtype} {data[name].shape}", f"numbers of shape {ours.shape}")
        errors[name] = relative_error(ours, data[name])
    return Comparison(file, f"{'quarter' if quarter else 'whole vehicle'}, {formulation}", count, errors, LIMIT)


def _model(design: Design, formulation: str) -> OracleModel | MechanismModel:
    if formulation == CLOSED_FORM:
        return OracleModel(design)
    return TableModel(design) if formulation == TABLE else MechanismModel(design, formulation)


def read_states(file: str) -> dict[str, NDArray[Any]]:
    """Arrays of an .npz file. Raises ConfigError when there is no such file or it is something else."""
    return read_npz(file, "an .npz file of arrays")


def checked_inputs(data: Mapping[str, NDArray[Any]], file: str) -> dict[str, NDArray[Any]]:
    """The inputs of a file, with shapes checked; nothing else of it is passed on. Raises ConfigError."""
    wanted = dict(QUARTER if "corner" in data else WHOLE)
    if any(name in data for name in STEERING):
        wanted |= STEERING
    inputs: dict[str, NDArray[Any]] = {}
    if data.get("theta") is None or data["theta"].ndim == 0 or not len(data["theta"]):
        raise ConfigError(file, "theta", data.get("theta"), "an array with one row a state")
    count = len(data["theta"])
    for name, shape in wanted.items():
        values = data.get(name)
        if values is None:
            raise ConfigError(file, name, "nothing", f"an array of shape {(count, *shape)}")
        if values.dtype.kind not in "fiu" or values.shape != (count, *shape):
            raise ConfigError(file, name, f"{values.dtype} {values.shape}", f"numbers of shape {(count, *shape)}")
        if not np.isfinite(values).all():
            raise ConfigError(file, name, "values that are not finite", "finite numbers")
        inputs[name] = values.astype(float)
    if "chassis_quat_wxyz" in inputs and np.abs(np.linalg.norm(inputs["chassis_quat_wxyz"], axis=1) - 1.0).max() > 1e-6:
        raise ConfigError(file, "chassis_quat_wxyz", "norms that are not 1", "unit quaternions")
    if "corner" in data:
        names = data["corner"].astype(str)
        if names.shape != (count,) or not np.isin(names, CORNER_NAMES).all():
            raise ConfigError(file, "corner", names.tolist(), f"{count} names out of " + ", ".join(CORNER_NAMES))
        inputs["corner"] = names
    return inputs


class OracleModel:
    """A vehicle in closed form, evaluated state by state."""

    def __init__(self, design: Design) -> None:
        self.corners: tuple[Any, ...] = design.corners_of(room("corner").CORNER)
        self.mechanism: Mechanism = new_mechanism(design.chassis, list(design.corners), design.struts)
        self.space: Workspace = new_workspace(self.mechanism, design.gravity)
        # our theta over the theta of the files, per corner, for the lower and the upper arm
        e_U = self.mechanism.own[0]["e_U"]
        self.side = np.array([room("mechanism").jounce_sign(corner) for corner in self.corners])
        self.upper_side = np.array([np.sign(e_U[:, i] @ corner.upper_arm_axis) for i, corner in enumerate(self.corners)])
        self.chassis_com = design.chassis.p_BoBcm

    def whole(self, state: Mapping[str, Any]) -> States:
        """Outputs of one state of the whole vehicle, in world axes."""
        R_WB = np.empty((3, 3))
        q = state["chassis_quat_wxyz"] / np.linalg.norm(state["chassis_quat_wxyz"])
        rotation_of_quaternion(q, R_WB)
        self._set(q, R_WB.T @ state["chassis_omega_world"], self.side * state["theta"], self.side * state["theta_dot"], state)
        couple = self._load(
            state["wheel_rate"], R_WB.T @ state["wheel_wrench_world"][:, :3].T, R_WB.T @ state["wheel_wrench_world"][:, 3:].T
        )
        self._solve(fixed_chassis=False)
        out = self.space.out[0]
        corners = [self._corner(i, couple[i], state["wheel_rate"][i]) for i in range(4)]
        alpha, a = out["alpha_WB_B"], out["a_WB_B"]
        w_B = self.space.state[0]["w_WB_B"]
        com = a + np.cross(alpha, self.chassis_com) + np.cross(w_B, np.cross(w_B, self.chassis_com))
        return {
            "out_chassis_alpha_world": R_WB @ alpha,
            "out_chassis_acc_world": R_WB @ a,
            "out_theta_ddot": self.side * out["theta_ddot"],
            "out_wheel_acc": np.array([c["wheel_acc"] for c in corners]),
            "out_qdd_all": np.concatenate([c["qdd"] for c in corners]),
            "body_alpha": np.vstack([alpha, *(c["alpha"] for c in corners)]) @ R_WB.T,
            "body_acc_com": np.vstack([com, *(c["acc"] for c in corners)]) @ R_WB.T,
        }

    def quarter(self, state: Mapping[str, Any]) -> States:
        """Outputs of one state of a single corner on the fixed chassis; the other corners rest in the design position."""
        i = CORNER_NAMES.index(str(state["corner"]))
        theta, theta_dot, rate, wrench = np.zeros(4), np.zeros(4), np.zeros(4), np.zeros((4, 6))
        theta[i], theta_dot[i], rate[i] = self.side[i] * state["theta"], self.side[i] * state["theta_dot"], state["wheel_rate"]
        wrench[i] = state["wheel_wrench_world"]
        self._set(np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), theta, theta_dot, state)
        couple = self._load(rate, wrench[:, :3].T, wrench[:, 3:].T)
        self._solve(fixed_chassis=True)
        corner = self._corner(i, couple[i], rate[i])
        return {
            "out_theta_ddot": self.side[i] * self.space.out[0]["theta_ddot"][i],
            "out_wheel_acc": corner["wheel_acc"],
            "out_qdd_corner": corner["qdd"],
            "body_alpha": corner["alpha"],
            "body_acc_com": corner["acc"],
        }

    def _solve(self, fixed_chassis: bool) -> None:
        """Accelerations of chassis and arms from the state and the loads that have been set."""
        m, s = self.mechanism, self.space
        evaluate = accelerations_on_fixed_chassis if fixed_chassis else accelerations
        evaluate(m.records, s)

    def _set(self, q: Array, w_B: Array, theta: Array, theta_dot: Array, state: Mapping[str, Any]) -> None:
        s, inputs = self.space.state[0], self.space.inputs[0]
        s["q_WB"], s["w_WB_B"], s["theta"], s["theta_dot"] = q, w_B, theta, theta_dot
        inputs["Q"], inputs["Q_dot"], inputs["Q_ddot"] = self.mechanism.Q_design, 0.0, 0.0
        if "tierod_inner_offset" in state:
            inputs["Q"][:, :2] += state["tierod_inner_offset"].T
            inputs["Q_dot"][:, :2] = state["tierod_inner_vel"].T
            inputs["Q_ddot"][:, :2] = state["tierod_inner_acc"].T

    def _load(self, wheel_rate: Array, force: Array, couple: Array) -> Array:
        """Set wheel spins and loads (3, 4, in B); returns the couples about the axles (4,)."""
        m, s = self.mechanism, self.space
        s.state[0]["wheel_spin"] = 0.0
        prepare(m.records, s)
        s.state[0]["wheel_spin"] = wheel_rate + s.out[0]["carrier_spin"]
        axle = s.kinematics[0]["axle"]
        axial = (couple * axle).sum(axis=0)
        s.loads[0]["wheel_force"], s.loads[0]["carrier_couple"] = force, couple - axle * axial
        return axial

    def _corner(self, i: int, couple: float, wheel_rate: float) -> dict[str, Any]:
        """Accelerations of the eight bodies of corner i (lca, upright, knuckle, tierod, wheel, shock halves, uca) and of its joints."""
        k, out = self.space.blocks.scratch[0], self.space.out[0]
        w_B, alpha_B, a_B = self.space.state[0]["w_WB_B"], out["alpha_WB_B"], out["a_WB_B"]
        accel = out["theta_ddot"][i]
        alpha_rel = k["alpha_rel"][:, :, i] + k["w"][:, :, i] * accel
        w_rel = k["w_rel"][:, :, i]
        alpha = alpha_B + np.cross(w_B, w_rel) + alpha_rel
        c, v_rel = k["c"][:, :, i], k["v_rel"][:, :, i]
        acc = a_B + np.cross(alpha_B, c) + np.cross(w_B, np.cross(w_B, c) + 2.0 * v_rel) + k["a_rel"][:, :, i] + k["u"][:, :, i] * accel
        w_carrier, alpha_carrier, axle = w_B + w_rel[CARRIER], alpha[CARRIER], self.space.kinematics[0]["axle"][:, i]

        def on_carrier(point: Array) -> Array:
            r = k["D"][:, i] + self._carrier_turn(i) @ (point - self.corners[i].D) - c[CARRIER]
            return acc[CARRIER] + np.cross(alpha_carrier, r) + np.cross(w_carrier, np.cross(w_carrier, r))

        bodies = self.corners[i].bodies
        wheel_acc = couple / self.mechanism.corners[0]["spin_inertia"][i] - float(axle @ alpha_carrier)
        wheel_alpha = alpha_carrier + wheel_acc * axle + wheel_rate * np.cross(w_carrier, axle)
        order = (LOWER_ARM, UPRIGHT, CARRIER, TIEROD, None, SHOCK_LOWER, SHOCK_UPPER, UPPER_ARM)
        accs = [acc[b] if b is not None else on_carrier(bodies["wheel"].p_BoBcm) for b in order]
        accs[2] = on_carrier(bodies["knuckle"].p_BoBcm)
        return {
            "wheel_acc": wheel_acc,
            "alpha": np.array([alpha[b] if b is not None else wheel_alpha for b in order]),
            "acc": np.array(accs),
            "qdd": self._joints(i, w_rel, alpha_rel, wheel_acc),
        }

    def _carrier_turn(self, i: int) -> Array:
        """Rotation (3, 3) of the carrier from its design position."""
        k, corner = self.space.blocks.scratch[0], self.corners[i]
        n0 = (corner.F - corner.D) / np.linalg.norm(corner.F - corner.D)
        arm = corner.K - corner.D
        arm0 = (arm - n0 * (arm @ n0)) / np.linalg.norm(arm - n0 * (arm @ n0))
        n, arm = k["kingpin"][:, i], k["arm"][:, i]
        return np.column_stack([arm, np.cross(n, arm), n]) @ np.column_stack([arm0, np.cross(n0, arm0), n0]).T

    def _joints(self, i: int, w_rel: Array, alpha_rel: Array, wheel_acc: float) -> Array:
        """Second derivatives of the eleven joint coordinates, in the order of JOINTS (a universal joint has two)."""
        k, corner, state = self.space.blocks.scratch[0], self.corners[i], self.space.state[0]
        accel, rate = self.space.out[0]["theta_ddot"][i], state["theta_dot"][i]
        hinge = self.mechanism.own[0]["e_L"][:, i]
        lower_turn = _turn(hinge, state["theta"][i])
        kingpin = k["kingpin"][:, i]

        def universal(parent: int, child: int, first: Array, second: Array) -> tuple[float, float]:
            w, alpha = w_rel[child] - w_rel[parent], alpha_rel[child] - alpha_rel[parent]
            rates = w @ first, w @ second
            alpha = alpha - rates[0] * np.cross(w_rel[parent], first) - rates[1] * np.cross(w_rel[child], second)
            return float(alpha @ first), float(alpha @ second)

        upright = universal(LOWER_ARM, UPRIGHT, lower_turn @ corner.upright_axes[0], k["upright_axis"][:, i])
        tierod = universal(CARRIER, TIEROD, self._carrier_turn(i) @ corner.tierod_axes[0], k["tierod_axis"][:, i])
        shock = universal(LOWER_ARM, SHOCK_LOWER, lower_turn @ corner.shock_axes[0], k["shock_axis"][:, i])
        joints = {
            "lca": (self.side[i] * accel,),
            "upright": upright,
            "knuckle": (float((alpha_rel[CARRIER] - alpha_rel[UPRIGHT]) @ kingpin),),
            "tierod": tierod,
            "wheel": (wheel_acc,),
            "shock_lower": shock,
            "shock_upper": (self.space.kinematics[0]["shock_length_1"][i] * accel + k["shock_length_2"][i] * rate * rate,),
            "uca": (self.upper_side[i] * (k["phi_1"][i] * accel + k["phi_2"][i] * rate * rate),),
        }
        return np.concatenate([joints[name] for name in JOINTS])


class TableModel(OracleModel):
    """The same from tables of the reduced quantities at their finest, the inner tie-rod joints resting in the design position."""

    def __init__(self, design: Design) -> None:
        super().__init__(design)
        m = self.mechanism
        self.tables, _ = build_tables(m, None, FINEST_TOLERANCE)
        self.steering, self.interpolated = record(STEERING_STATE), record(INTERPOLATED)

    def _solve(self, fixed_chassis: bool) -> None:
        m, s = self.mechanism, self.space
        theta = s.state[0]["theta"]
        if not covers(self.tables, theta, 0.0):
            raise JounceError(f"arm angles {theta.tolist()} rad: the tables do not reach so far")
        whole = TabulatedMechanism(*m.records, self.tables)
        space = TabulatedWorkspace(*s, self.steering, self.interpolated)
        prepare_from_tables(whole, space, False)
        if fixed_chassis:
            answer_loads_on_fixed_chassis(m.records, s)
        else:
            answer_loads(m.records, s)


def _turn(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit axis (Rodrigues)."""
    K = np.cross(axis, np.eye(3)).T
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
