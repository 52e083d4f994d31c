"""Evaluation of the states of `jounce validate accelerations` in the general multibody formulations.

Inputs and outputs are those of `simulator.validation.reference.accelerations`. This module closes the loops from the independent
coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.records import Record
from simulator.validation.reference.model_corners import FORMATS, CornerFormat
from vehicles.mechanism_parameters import CORNER_NAMES, VehicleDesign
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.articulated_body import accelerate_nodes
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody.tree.tree import move, set_velocities
from vehicles.multibody_vehicle import CHASSIS, RACK, quarter_car, vehicle_mechanism

States = dict[str, Array]

STEP_ANGLE, STEP_OFFSET = 0.05, 0.01
"""Maximum steps in rad and m of the arms and of the inner tie-rod joints from the design position, so that no loop changes its branch."""


class MechanismModel:
    """A vehicle and its quarter cars in one of the formulations of `vehicles.multibody`.

    Massless rods are not bodies of the mechanism, so the outputs of bodies and joints are shorter. With `steering`, the STEERING record
    of a rack, the rack is a body, and the states contain its motion or its force. `kinds` gives the kind of each corner of a mechanism
    file, which determines the names of its bodies.
    """

    def __init__(self, design: VehicleDesign, formulation: str, steering: Record | None = None, kinds: Sequence[str] | None = None) -> None:
        self.design, self.formulation, self.steering = design, formulation, steering
        self._kinds = [corner.kind for corner in design.corners] if kinds is None else kinds
        self._vehicles: dict[bool, _Evaluated] = {}
        self._quarters: dict[str, _Evaluated] = {}

    def whole(self, state: Mapping[str, Any]) -> States:
        """Return the outputs for one state of the complete vehicle, in world axes."""
        free = "rack_force" in state
        if free not in self._vehicles:
            mechanism = vehicle_mechanism(self.design, self.steering, arm_prescribed=not free)
            self._vehicles[free] = _Evaluated(build_system(mechanism), CORNER_NAMES, self._formats(CORNER_NAMES), self.formulation)
        m = self._vehicles[free]
        q, v = m.system.neutral(), np.zeros(m.system.n_v)
        chassis_q, chassis_v = m.system.joint_q[CHASSIS], m.system.joint_v[CHASSIS]
        quaternion = np.asarray(state["chassis_quat_wxyz"])
        q[chassis_q] = np.concatenate([np.zeros(3), quaternion / np.linalg.norm(quaternion)])
        v[chassis_v] = np.concatenate([state["chassis_omega_world"], np.zeros(3)])
        accel = m.evaluate(q, v, state)
        rack = [] if self.steering is None else [RACK]
        alpha, acc = m.bodies([CHASSIS, *rack, *m.names()])
        states = {
            "out_chassis_alpha_world": accel[chassis_v][:3],
            "out_chassis_acc_world": accel[chassis_v][3:],
            "out_theta_ddot": m.thetas(accel),
            "out_wheel_acc": m.of(accel, m.names("wheel")),
            "out_qdd_all": m.of(accel, [*rack, *m.names()]),
            "body_alpha": alpha,
            "body_acc_com": acc,
        }
        return states | ({"out_rack_acc": m.of(accel, rack)[0]} if free else {})

    def quarter(self, state: Mapping[str, Any]) -> States:
        """Return the outputs for one state of a single corner on the fixed chassis."""
        corner = str(state["corner"])
        if corner not in self._quarters:
            system = build_system(quarter_car(self.design, corner))
            self._quarters[corner] = _Evaluated(system, (corner,), self._formats((corner,)), self.formulation)
        m = self._quarters[corner]
        accel = m.evaluate(m.system.neutral(), np.zeros(m.system.n_v), state)
        alpha, acc = m.bodies(m.names())
        return {
            "out_theta_ddot": m.thetas(accel)[0],
            "out_wheel_acc": m.of(accel, m.names("wheel"))[0],
            "out_qdd_corner": m.of(accel, m.names()),
            "body_alpha": alpha,
            "body_acc_com": acc,
        }

    def _formats(self, corners: Sequence[str]) -> list[CornerFormat]:
        return [FORMATS[self._kinds[CORNER_NAMES.index(name)]] for name in corners]


class _Evaluated:
    """A mechanism with its corners and their formats in model files, its loop closure and its formulation."""

    def __init__(self, system: System, corners: Sequence[str], formats: Sequence[CornerFormat], formulation: str) -> None:
        self.system, self.corners, self.formats = system, corners, formats
        self.closure = ConstraintEmbedding(system, system.neutral())
        self.solver = self.closure if formulation == "ce" else make_formulation(formulation, system)

    def evaluate(self, q: Array, v: Array, state: Mapping[str, Any]) -> Array:
        """Return the accelerations (n_v,) of all coordinates; only the chassis part of q and v is used."""
        q, v = self.close(q, v, state)
        wrenches = np.zeros((self.system.parts.tree.nodes.size, 6))
        for corner, wrench in zip(self.corners, np.atleast_2d(state["wheel_wrench_world"]), strict=True):
            wrenches[self.system.node[f"{corner}_wheel"]] = np.roll(wrench, 3)  # the file stores force, then couple
        tau, prescribed = np.zeros(self.system.n_v), np.zeros(self.system.n_v)
        if RACK in self.system.joint_v:
            at = self.system.joint_v[RACK]
            tau[at], prescribed[at] = state.get("rack_force", 0.0), state.get("rack_acc", 0.0)
        accel = self.solver.accelerations(q, v, tau, wrenches, prescribed)
        tree = self.system.parts.tree
        move(tree, q)
        set_velocities(tree, v)
        accelerate_nodes(tree, accel)
        return accel

    def close(self, q: Array, v: Array, state: Mapping[str, Any]) -> tuple[Array, Array]:
        """Return the closed state, computed in steps from the design position."""
        theta, theta_dot, rate = (np.atleast_1d(state[name]) for name in ("theta", "theta_dot", "wheel_rate"))
        offset = np.abs(state.get("rack", state.get("tierod_inner_offset", 0.0))).max()
        steps = max(1, math.ceil(np.abs(theta).max() / STEP_ANGLE), math.ceil(offset / STEP_OFFSET))
        arms = self._arms()
        for i, corner in enumerate(self.corners):
            v[self.system.joint_v[arms[i]]] = theta_dot[i]
            v[self.system.joint_v[f"{corner}_wheel"]] = rate[i]
        if RACK in self.system.joint_v:
            v[self.system.joint_v[RACK]] = state.get("rack_rate", 0.0)
        for step in range(1, steps + 1):
            for i, arm in enumerate(arms):
                q[self.system.joint_q[arm]] = theta[i] * step / steps
            self._drive(q, state, step / steps)
            q, v = self.closure.close(q, v)
        return q, v

    def _drive(self, q: Array, state: Mapping[str, Any], fraction: float) -> None:
        """Set the rack or the inner ends of the front tie rods, at a fraction of their full offset."""
        if RACK in self.system.joint_q:
            q[self.system.joint_q[RACK]] = fraction * state.get("rack", 0.0)
            return
        for i, corner in enumerate(CORNER_NAMES[:2]):
            moved = _inner_end(state, i)
            if moved is not None and f"{corner}_L" in self.system.driven:
                driven = self.system.parts.constraints.driven[self.system.driven[f"{corner}_L"]]
                driven["offset"] = fraction * moved[0]
                driven["velocity"], driven["acceleration"] = moved[1:]

    def _arms(self) -> list[str]:
        return [f"{corner}_{one.theta}" for corner, one in zip(self.corners, self.formats, strict=True)]

    def thetas(self, values: Array) -> Array:
        """Return the entries of (n_v,) that are coordinates of corners."""
        return self.of(values, self._arms())

    def names(self, body: str | None = None) -> list[str]:
        """Return the names of the bodies of all corners, which are also the names of their joints; with `body`, only those of that body."""
        both = zip(self.corners, self.formats, strict=True)
        return [f"{corner}_{name}" for corner, one in both for name in one.joints if body in (None, name)]

    def of(self, values: Array, joints: Collection[str]) -> Array:
        """Return the entries of (n_v,) of joints; joints that the mechanism lacks are ignored."""
        return np.concatenate([values[self.system.joint_v[name]] for name in joints if name in self.system.joint_v])

    def bodies(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Return the angular accelerations and the accelerations of the centers of mass (n, 3) of bodies in world axes, after
        `evaluate`."""
        nodes, motion = self.system.parts.tree.nodes, self.system.parts.tree.motion
        at = [self.system.node[name] for name in names if name in self.system.node]
        alpha, acc = motion["alpha"][at, :3], motion["alpha"][at, 3:]
        r = np.einsum("bij,bj->bi", motion["R"][at], nodes["com"][at])
        w = motion["V"][at, :3]
        return alpha, acc + np.cross(alpha, r) + np.cross(w, np.cross(w, r))


def _inner_end(state: Mapping[str, Any], i: int) -> tuple[Array, Array, Array] | None:
    """Return offset, velocity and acceleration of the inner end of a front tie rod, or None if it rests."""
    if "rack" in state:
        offset, velocity, acceleration = (np.array([0.0, state[name], 0.0]) for name in ("rack", "rack_rate", "rack_acc"))
        return offset, velocity, acceleration
    if "tierod_inner_offset" in state:
        return state["tierod_inner_offset"][i], state["tierod_inner_vel"][i], state["tierod_inner_acc"][i]
    return None
