"""Formulations in the coordinates of chassis and lower arms: the closed form, and the tables of its reduced quantities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.benchmarks.benchmark_systems import Scene, new_corners
from research.benchmarks.formulation_trial import NOT_NEEDED, Trial, rotation
from research.benchmarks.tree_trials import tree_energy
from research.benchmarks.wheel_load_cases import VELOCITIES, apply_corner_forces, state_course, step_state
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from vehicles.dynamics import STATE, answer_loads, answer_loads_on_fixed_chassis
from vehicles.mechanism_parameters import CORNER_NAMES, new_workspace
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.tree.system import Dimensions
from vehicles.multibody_vehicle import CHASSIS
from vehicles.steering.steering import STEERING_STATE
from vehicles.suspension.composite_inertia import MechanismRecords, Workspace, prepare
from vehicles.suspension.default_kind import kind_module
from vehicles.suspension.tables.reduced_table import INTERPOLATED, covers
from vehicles.suspension.tables.tabulated import TabulatedMechanism, TabulatedWorkspace, prepare_from_tables


class Corners(NamedTuple):
    """Run data of chassis and corners: parameters, state and scratch, with tables or without; `rate` is a record of STATE; `whole` False:
    fixed chassis.
    """

    mechanism: MechanismRecords | TabulatedMechanism
    space: Workspace | TabulatedWorkspace
    rate: Record
    is_velocity: NDArray[np.bool_]
    whole: NDArray[np.bool_]


@kernel
def run_closed_form(m, c, evaluations):
    """Run `evaluations` evaluations of the closed form, each followed by a stage of the method."""
    for _ in range(evaluations):
        prepare(m.mechanism, m.space)
        evaluate_and_advance(m, c)
    return True


@kernel
def run_tables(m, c, evaluations):
    """Run evaluations as `run_closed_form`, from tables, with the steering at rest or not. Return False outside the range of the tables."""
    s = m.space
    for _ in range(evaluations):
        if not covers(m.mechanism.tables, s.state[0]["theta"], s.steering[0]["angle"]):
            return False
        prepare_from_tables(m.mechanism, s, s.steering[0]["rate"] != 0.0 or s.steering[0]["acceleration"] != 0.0)
        evaluate_and_advance(m, c)
    return True


@inline
def evaluate_and_advance(m, c):
    """Compute wheel forces, accelerations, and a stage of the method, after the corners are prepared."""
    s = m.space
    apply_corner_forces(c, s.state, s.kinematics, s.loads)
    if m.whole[0]:
        answer_loads(m.mechanism, s)
    else:
        answer_loads_on_fixed_chassis(m.mechanism, s)
    step_state(s.state, s.out, m.rate, m.is_velocity, c)


class ClosedFormTrial(Trial):
    """The closed form. With a fixed chassis it computes four quarter cars at once; the results are those of the first one."""

    label = "constraint embedding, closed form"
    control = NOT_NEEDED
    run_kernel: Any = staticmethod(run_closed_form)

    def __init__(self, scene: Scene) -> None:
        mechanism = new_corners(scene.design, scene.whole)
        space, rate = new_workspace(mechanism), record(STATE)
        self.space = space
        self.m = Corners(mechanism.records, space, rate, VELOCITIES, np.array([scene.whole]))
        wheels = scene.wheels if scene.whole else np.repeat(scene.wheels, 4)
        super().__init__(scene, self.m, state_course(space.state, rate, wheels), Dimensions(14 if scene.whole else 2, 0))
        self.tree = ConstraintEmbedding(scene.system, scene.q)
        self.guess = scene.q
        self.corners = scene.design.corners_of(kind_module("corner").CORNER)
        self.signs = [kind_module("mechanism").jounce_sign(self.corners[CORNER_NAMES.index(corner)]) for corner in scene.corners]

    def place(self) -> None:
        """See the base class."""
        system, s = self.scene.system, self.space.state[0]
        q, v = self.scene.q, self.scene.v
        self.space.state[:] = np.zeros(1, self.space.state.dtype)
        s["q_WB"][0] = 1.0
        if self.scene.whole:
            chassis, V = q[system.joint_q[CHASSIS]], v[system.joint_v[CHASSIS]].reshape(2, 3)
            s["p_WB"], s["q_WB"] = chassis[:3], chassis[3:]
            s["w_WB_B"], s["v_WB_B"] = V @ rotation(s["q_WB"])
        for i, corner in enumerate(self.scene.corners):
            s["wheel_angle"][i] = q[system.joint_q[f"{corner}_wheel"]][0]
            s["theta"][i] = self.signs[i] * q[system.joint_q[f"{corner}_lca"]][0]
            s["theta_dot"][i] = self.signs[i] * v[system.joint_v[f"{corner}_lca"]][0]
        if not self.scene.whole:
            s["theta"], s["theta_dot"] = s["theta"][0], s["theta_dot"][0]
        self.prepare()
        for i, corner in enumerate(self.scene.corners):
            s["wheel_spin"][i] = self.space.out[0]["carrier_spin"][i] + v[system.joint_v[f"{corner}_wheel"]][0]
        self.guess = q

    def prepare(self) -> None:
        """Compute the kinematics of the state."""
        prepare(self.m.mechanism, self.space)

    def at_start(self) -> Record:
        """Return the state at the start of the last step, with its kinematics."""
        now = self.space.state.copy()
        self.course.y[:] = self.course.start
        self.prepare()
        before = self.space.state.copy()
        self.space.state[:] = now
        return before

    def points(self) -> Vector:
        """See the base class."""
        s = self.at_start()[0]
        R = rotation(s["q_WB"])
        centers = s["p_WB"] + (R @ self.space.kinematics[0]["W"]).T[: len(self.scene.corners)]
        return np.vstack([s["p_WB"], centers]) if self.scene.whole else centers

    def gap(self) -> float:
        """See the base class; the loops of the closed form are the lengths of kingpin and tie rod, constant up to rounding."""
        self.at_start()
        m, s = self.m.mechanism, self.space
        return max(self.corners[i].gap(m.corners, s.blocks, s.inputs, i) for i in range(len(self.scene.corners)))

    def energy(self) -> tuple[float, float]:
        """See the base class; computed from the bodies of the tree in this state."""
        s, system = self.at_start()[0], self.scene.system
        q, v = self.guess.copy(), np.zeros(system.n_v)
        if self.scene.whole:
            R = rotation(s["q_WB"])
            q[system.joint_q[CHASSIS]] = np.concatenate([s["p_WB"], s["q_WB"]])
            v[system.joint_v[CHASSIS]] = np.concatenate([R @ s["w_WB_B"], R @ s["v_WB_B"]])
        for i, corner in enumerate(self.scene.corners):
            q[system.joint_q[f"{corner}_lca"]] = self.signs[i] * s["theta"][i]
            v[system.joint_v[f"{corner}_lca"]] = self.signs[i] * s["theta_dot"][i]
            q[system.joint_q[f"{corner}_wheel"]] = s["wheel_angle"][i]
            v[system.joint_v[f"{corner}_wheel"]] = s["wheel_spin"][i] - self.space.out[0]["carrier_spin"][i]
        self.guess, v = self.tree.close(q, v)
        return tree_energy(system, self.scene.wheels, self.guess, v)


class TablesTrial(ClosedFormTrial):
    """Tables of the reduced quantities; the body positions are those of the closed form at these angles."""

    label = "constraint embedding, tables"
    run_kernel: Any = staticmethod(run_tables)

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        mechanism = TabulatedMechanism(**self.m.mechanism._asdict(), tables=scene.subject.tables)
        space = TabulatedWorkspace(*self.space, steering=record(STEERING_STATE), reduced=record(INTERPOLATED))
        self.arguments = self.m._replace(mechanism=mechanism, space=space)
