"""The states of `jounce validate accelerations` in the general multibody formulations, instead of the closed form.

Inputs and outputs are those of `simulator.lab.validate.accelerations`; the loops are closed here from the independent coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.lab.validate.model_file import JOINTS
from vehicles.model import CORNER_NAMES, Design
from vehicles.multibody.formulations.by_name import make_formulation
from vehicles.multibody.formulations.embedding import ConstraintEmbedding
from vehicles.multibody.tree.articulated_body import accelerate_nodes
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody.tree.tree import move, set_velocities
from vehicles.vehicle_mechanism import CHASSIS, quarter_car, vehicle_mechanism

Array = NDArray[np.float64]
States = dict[str, Array]

STEP_ANGLE, STEP_OFFSET = 0.05, 0.01
"""rad, m. Longest steps of the arms and of the inner tie-rod joints on the way from the design position, so that no loop snaps through."""


class MechanismModel:
    """A vehicle and its quarter cars in one of the formulations of `vehicles.multibody`.

    Rods without mass are no bodies of the mechanism: the outputs of bodies and joints are then shorter.
    """

    def __init__(self, design: Design, formulation: str) -> None:
        self.design, self.formulation = design, formulation
        self._vehicle: _Evaluated | None = None
        self._quarters: dict[str, _Evaluated] = {}

    def whole(self, state: Mapping[str, Any]) -> States:
        """Outputs of one state of the whole vehicle, in world axes."""
        if self._vehicle is None:
            self._vehicle = _Evaluated(build_system(vehicle_mechanism(self.design)), CORNER_NAMES, self.formulation)
        m = self._vehicle
        q, v = m.system.neutral(), np.zeros(m.system.n_v)
        chassis_q, chassis_v = m.system.joint_q[CHASSIS], m.system.joint_v[CHASSIS]
        quaternion = np.asarray(state["chassis_quat_wxyz"])
        q[chassis_q] = np.concatenate([np.zeros(3), quaternion / np.linalg.norm(quaternion)])
        v[chassis_v] = np.concatenate([state["chassis_omega_world"], np.zeros(3)])
        accel = m.evaluate(q, v, state)
        alpha, acc = m.bodies([CHASSIS, *(f"{corner}_{body}" for corner in CORNER_NAMES for body in JOINTS)])
        return {
            "out_chassis_alpha_world": accel[chassis_v][:3],
            "out_chassis_acc_world": accel[chassis_v][3:],
            "out_theta_ddot": m.of(accel, ["lca"]),
            "out_wheel_acc": m.of(accel, ["wheel"]),
            "out_qdd_all": m.of(accel, JOINTS),
            "body_alpha": alpha,
            "body_acc_com": acc,
        }

    def quarter(self, state: Mapping[str, Any]) -> States:
        """Outputs of one state of a single corner on the fixed chassis."""
        corner = str(state["corner"])
        if corner not in self._quarters:
            self._quarters[corner] = _Evaluated(build_system(quarter_car(self.design, corner)), (corner,), self.formulation)
        m = self._quarters[corner]
        accel = m.evaluate(m.system.neutral(), np.zeros(m.system.n_v), state)
        alpha, acc = m.bodies([f"{corner}_{body}" for body in JOINTS])
        return {
            "out_theta_ddot": m.of(accel, ["lca"])[0],
            "out_wheel_acc": m.of(accel, ["wheel"])[0],
            "out_qdd_corner": m.of(accel, JOINTS),
            "body_alpha": alpha,
            "body_acc_com": acc,
        }


class _Evaluated:
    """A mechanism with the corners named, its loop closure and its formulation."""

    def __init__(self, system: System, corners: Sequence[str], formulation: str) -> None:
        self.system, self.corners = system, corners
        self.closure = ConstraintEmbedding(system, system.neutral())
        self.solver = self.closure if formulation == "ce" else make_formulation(formulation, system)

    def evaluate(self, q: Array, v: Array, state: Mapping[str, Any]) -> Array:
        """Accelerations (n_v,) of all coordinates; of q and v only the chassis is read."""
        q, v = self.close(q, v, state)
        wrenches = np.zeros((self.system.parts.tree.nodes.size, 6))
        for corner, wrench in zip(self.corners, np.atleast_2d(state["wheel_wrench_world"]), strict=True):
            wrenches[self.system.node[f"{corner}_wheel"]] = np.roll(wrench, 3)  # the file has the force first, the couple second
        accel = self.solver.accelerations(q, v, wrenches=wrenches)
        tree = self.system.parts.tree
        move(tree, q)
        set_velocities(tree, v)
        accelerate_nodes(tree, accel)
        return accel

    def close(self, q: Array, v: Array, state: Mapping[str, Any]) -> tuple[Array, Array]:
        """The closed state, in steps from the design position."""
        theta, theta_dot, rate = (np.atleast_1d(state[name]) for name in ("theta", "theta_dot", "wheel_rate"))
        offset = np.abs(state.get("tierod_inner_offset", 0.0)).max()
        steps = max(1, math.ceil(np.abs(theta).max() / STEP_ANGLE), math.ceil(offset / STEP_OFFSET))
        for i, corner in enumerate(self.corners):
            v[self.system.joint_v[f"{corner}_lca"]] = theta_dot[i]
            v[self.system.joint_v[f"{corner}_wheel"]] = rate[i]
        for step in range(1, steps + 1):
            for i, corner in enumerate(self.corners):
                q[self.system.joint_q[f"{corner}_lca"]] = theta[i] * step / steps
            self._drive(state, step / steps)
            q, v = self.closure.close(q, v)
        return q, v

    def _drive(self, state: Mapping[str, Any], share: float) -> None:
        """Set the inner ends of the front tie rods, their offset at a share of the whole way."""
        for i, corner in enumerate(CORNER_NAMES[:2]):
            if "tierod_inner_offset" in state and f"{corner}_L" in self.system.driven:
                driven = self.system.parts.constraints.driven[self.system.driven[f"{corner}_L"]]
                driven["offset"] = share * state["tierod_inner_offset"][i]
                driven["velocity"], driven["acceleration"] = state["tierod_inner_vel"][i], state["tierod_inner_acc"][i]

    def of(self, values: Array, joints: Collection[str]) -> Array:
        """Entries of (n_v,) that belong to the joints of the corners, corner by corner."""
        names = [f"{corner}_{joint}" for corner in self.corners for joint in joints]
        return np.concatenate([values[self.system.joint_v[name]] for name in names if name in self.system.joint_v])

    def bodies(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Angular accelerations and accelerations of the centres of mass (n, 3) of bodies, in world axes, after `evaluate`."""
        nodes, motion = self.system.parts.tree.nodes, self.system.parts.tree.motion
        at = [self.system.node[name] for name in names if name in self.system.node]
        alpha, acc = motion["alpha"][at, :3], motion["alpha"][at, 3:]
        r = np.einsum("bij,bj->bi", motion["R"][at], nodes["com"][at])
        w = motion["V"][at, :3]
        return alpha, acc + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
