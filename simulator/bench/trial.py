"""One formulation on a scene: what `jounce bench formulations` runs, times and measures.

Every formulation has a kernel that puts the wheels' forces on, evaluates the accelerations and goes on by one stage of the method. A
`Trial` keeps what such a kernel needs and reads off where the wheels are, how far the loops gape and how much energy there is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.frames import rotation_of_quaternion
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.bench.course import (
    RUNGE_KUTTA,
    SEMI_IMPLICIT_EULER,
    VELOCITIES,
    Course,
    push_corners,
    push_nodes,
    state_course,
    step_state,
    step_tree,
    tree_course,
)
from simulator.bench.scene import Scene, make_scene
from vehicles.dynamics import STATE, answer_loads, answer_loads_on_fixed_chassis, prepare
from vehicles.model import Design, new_mechanism, new_workspace
from vehicles.multibody import constraint_embedding, recursive, tree_augmented
from vehicles.multibody.articulated_body import articulated_body
from vehicles.multibody.body_motion import mechanical_energy
from vehicles.multibody.constraints import set_residuals
from vehicles.multibody.embedding import CLOSED, ConstraintEmbedding, Dimensions
from vehicles.multibody.forces import apply_forces
from vehicles.multibody.system import System
from vehicles.multibody.tree import move, set_velocities, start_inertias
from vehicles.vehicle_mechanism import CHASSIS, jounce_sign

Vector = NDArray[np.float64]


class Corners(NamedTuple):
    """The closed form on its way: its parameters, its state and scratch; `rate` is a record of STATE; `whole` 0 holds the chassis."""

    chassis: Record
    corners: Record
    struts: Record
    state: Record
    inputs: Record
    loads: Record
    kinematics: Record
    work: Record
    out: Record
    rate: Record
    is_velocity: NDArray[np.bool_]
    whole: NDArray[np.bool_]


@kernel
def run_closed_form(m, c, evaluations):
    """`evaluations` evaluations of the closed form, each followed by a stage of the method."""
    for _ in range(evaluations):
        prepare(m.corners, m.struts, m.state, m.inputs, m.kinematics, m.work, m.out)
        push_corners(c, m.state, m.kinematics, m.loads)
        if m.whole[0]:
            answer_loads(m.chassis, m.corners, m.state, m.loads, m.kinematics, m.work, m.out)
        else:
            answer_loads_on_fixed_chassis(m.chassis, m.state, m.loads, m.kinematics, m.work, m.out)
        step_state(m.state, m.out, m.rate, m.is_velocity, c)
    return True


@kernel
def run_embedding(m, c, evaluations):
    """The same for constraint embedding of any mechanism."""
    for _ in range(evaluations):
        push_nodes(c, m.parts.wrenches)
        if not constraint_embedding.evaluate(m, c.q, c.v, c.accel, CLOSED):
            return False
        step_tree(m.parts.tree, c)
    return True


@kernel
def run_tree_augmented(m, c, evaluations):
    """The same for the tree with cut joints."""
    for _ in range(evaluations):
        push_nodes(c, m.parts.wrenches)
        if tree_augmented.evaluate(m, c.q, c.v, c.accel) != 0:
            return False
        step_tree(m.parts.tree, c)
    return True


@kernel
def run_recursive(m, c, evaluations):
    """The same for Bae's recursion."""
    for _ in range(evaluations):
        push_nodes(c, m.parts.wrenches)
        if recursive.evaluate(m, c.q, c.v, c.accel) != 0:
            return False
        step_tree(m.parts.tree, c)
    return True


@kernel
def run_open_tree(m, c, evaluations):
    """The same for the tree with its loops left open."""
    for _ in range(evaluations):
        push_nodes(c, m.wrenches)
        move(m.tree, c.q)
        set_velocities(m.tree, c.v)
        apply_forces(m.forces, m.tree, c.q, c.v, m.wrenches, m.tau, m.T)
        start_inertias(m.tree, m.gravity)
        if articulated_body(m.tree, m.joints, m.T, c.accel) != 0:
            return False
        step_tree(m.tree, c)
    return True


class Trial(ABC):
    """A formulation on a scene."""

    run_kernel: Any
    """The kernel (arguments, course, evaluations) -> bool."""

    def __init__(self, scene: Scene, arguments: Any, course: Course, dimensions: Dimensions) -> None:
        self.scene, self.arguments, self.course, self.dimensions = scene, arguments, course, dimensions

    def begin(self, method: int, h: float) -> None:
        """Back to the scene's beginning; go on by this method in steps of h seconds."""
        clock = self.course.clock[0]
        clock["t"], clock["h"], clock["method"], clock["stage"] = 0.0, h, method, 0
        self.place()

    @abstractmethod
    def place(self) -> None:
        """The state of the scene's beginning."""

    def run(self, evaluations: int) -> None:
        """Evaluate as often as that. Raises JounceError when the motion cannot be followed."""
        if not self.run_kernel(self.arguments, self.course, evaluations):
            raise JounceError(f"{type(self).__name__}: the {self.scene.name} could not be followed at {self.course.clock[0]['t']:g} s")

    def advance(self, steps: int) -> None:
        """Go on by that many steps."""
        self.run(steps * (4 if self.course.clock[0]["method"] == RUNGE_KUTTA else 1))

    @abstractmethod
    def points(self) -> Vector:
        """(n, 3) origin of the chassis (whole vehicle) and wheel centres in the world [m], at the beginning of the last step."""

    @abstractmethod
    def gap(self) -> float:
        """Largest gap of a loop [m] there."""

    @abstractmethod
    def energy(self) -> tuple[float, float]:
        """(kinetic energy, energy) [J] there, the potential of the steady loads included."""


class TreeTrial(Trial):
    """A formulation in the coordinates of the tree."""

    def __init__(self, scene: Scene, arguments: Any, dimensions: Dimensions) -> None:
        system = scene.system
        super().__init__(scene, arguments, tree_course(system.parts.tree, system.n_q, system.n_v, scene.wheels), dimensions)
        self.system = system
        self.shown = [system.node[name] for name in ([CHASSIS] if scene.whole else []) + [f"{corner}_wheel" for corner in scene.corners]]

    def place(self) -> None:
        """See the base class."""
        self.course.q[:], self.course.v[:] = self.scene.q, self.scene.v

    @property
    def q(self) -> Vector:
        """(n_q,) positions at the beginning of the last step."""
        return self.course.start[: self.system.n_q]

    @property
    def v(self) -> Vector:
        """(n_v,) velocities there."""
        return self.course.start[self.system.n_q :]

    def points(self) -> Vector:
        """See the base class."""
        tree = self.system.parts.tree
        move(tree, self.q)
        return tree.motion["p"][self.shown].copy()

    def gap(self) -> float:
        """See the base class."""
        constraints, tree = self.system.parts.constraints, self.system.parts.tree
        move(tree, self.q)
        set_residuals(constraints, tree.motion, self.q, 0, constraints.rows.size)
        return float(np.abs(constraints.residual).max(initial=0.0))

    def energy(self) -> tuple[float, float]:
        """See the base class."""
        return tree_energy(self.system, self.scene.wheels, self.q, self.v)


def tree_energy(system: System, wheels: Record, q: Vector, v: Vector) -> tuple[float, float]:
    """(kinetic energy, energy) [J] at the coordinates of a tree, the potential of the wheels' steady loads included."""
    kinetic, potential = mechanical_energy(system, q, v)
    centres = system.parts.tree.motion["p"][wheels["node"]]
    return kinetic, kinetic + potential - float(np.sum(wheels["load"] * centres))


class EmbeddingTrial(TreeTrial):
    """Constraint embedding of any mechanism."""

    run_kernel = staticmethod(run_embedding)

    def __init__(self, scene: Scene) -> None:
        solver = ConstraintEmbedding(scene.system, scene.q)
        super().__init__(scene, solver.kernel_arguments, solver.dimensions)


class TreeAugmentedTrial(TreeTrial):
    """Cut joints with the Schur complement of the multipliers."""

    run_kernel = staticmethod(run_tree_augmented)

    def __init__(self, scene: Scene) -> None:
        solver = tree_augmented.TreeAugmented(scene.system)
        super().__init__(scene, solver.kernel_arguments, solver.dimensions)


class RecursiveTrial(TreeTrial):
    """Cut joints by Bae's recursion."""

    run_kernel = staticmethod(run_recursive)

    def __init__(self, scene: Scene) -> None:
        solver = recursive.Recursive(scene.system)
        super().__init__(scene, solver.kernel_arguments, solver.dimensions)


class OpenTreeTrial(TreeTrial):
    """The articulated-body recursion over the tree with its loops left open: another motion, only its cost can be compared."""

    run_kernel = staticmethod(run_open_tree)

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene, scene.system.parts, Dimensions(scene.system.n_v, 0))


class ClosedFormTrial(Trial):
    """The closed form. With the chassis held it works out all four corners at once, under four equal loads; the first one is shown."""

    run_kernel = staticmethod(run_closed_form)

    def __init__(self, scene: Scene) -> None:
        design = scene.design
        mechanism = new_mechanism(design.chassis, list(design.corners), design.struts, design.gravity)
        space, rate = new_workspace(mechanism), record(STATE)
        self.m = Corners(
            mechanism.chassis,
            mechanism.corners,
            mechanism.struts,
            space.state,
            space.inputs,
            space.loads,
            space.kinematics,
            space.work,
            space.out,
            rate,
            VELOCITIES,
            np.array([scene.whole]),
        )
        wheels = scene.wheels if scene.whole else np.repeat(scene.wheels, 4)
        course = state_course(space.state, rate, wheels)
        super().__init__(scene, self.m, course, Dimensions(14 if scene.whole else 2, 0))
        self.tree = ConstraintEmbedding(scene.system, scene.q)
        self.guess = scene.q
        self.signs = [jounce_sign(corner) for corner in design.corners]

    def place(self) -> None:
        """See the base class."""
        system, s = self.scene.system, self.m.state[0]
        q, v = self.scene.q, self.scene.v
        self.m.state[:] = np.zeros(1, self.m.state.dtype)
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
            s["wheel_spin"][i] = self.m.out[0]["carrier_spin"][i] + v[system.joint_v[f"{corner}_wheel"]][0]
        self.guess = q

    def prepare(self) -> None:
        """Kinematics of the state."""
        m = self.m
        prepare(m.corners, m.struts, m.state, m.inputs, m.kinematics, m.work, m.out)

    def at_start(self) -> Record:
        """State at the beginning of the last step; the kinematics are brought there."""
        now = self.m.state.copy()
        self.course.y[:] = self.course.start
        self.prepare()
        before = self.m.state.copy()
        self.m.state[:] = now
        return before

    def points(self) -> Vector:
        """See the base class."""
        s = self.at_start()[0]
        R = rotation(s["q_WB"])
        centres = s["p_WB"] + (R @ self.m.kinematics[0]["W"]).T[: len(self.scene.corners)]
        return np.vstack([s["p_WB"], centres]) if self.scene.whole else centres

    def gap(self) -> float:
        """See the base class; the loops of the closed form are the lengths of kingpin and tie rod, which it keeps to rounding."""
        self.at_start()
        k, g = self.m.kinematics[0], self.m.corners[0]
        kingpin = np.linalg.norm(k["F"] - k["D"], axis=0) - g["kingpin_length"]
        tierod = np.linalg.norm(k["K"] - self.m.inputs[0]["Q"], axis=0) - g["tierod_length"]
        n = len(self.scene.corners)
        return float(max(np.abs(kingpin[:n]).max(), np.abs(tierod[:n]).max()))

    def energy(self) -> tuple[float, float]:
        """See the base class; taken from the bodies of the tree in the same state."""
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
            v[system.joint_v[f"{corner}_wheel"]] = s["wheel_spin"][i] - self.m.out[0]["carrier_spin"][i]
        self.guess, v = self.tree.close(q, v)
        return tree_energy(system, self.scene.wheels, self.guess, v)


SETTLED = 4.0
"""s after which the damped scene has come to rest but for the slow swing on its hangers."""


def settled(design: Design, whole: bool) -> Vector:
    """(n_q,) positions of the vehicle or its quarter car at rest under the static loads."""
    trial = EmbeddingTrial(make_scene(design, whole, disturbed=False))
    trial.begin(SEMI_IMPLICIT_EULER, 1e-3)
    trial.advance(round(SETTLED / 1e-3))
    return trial.q.copy()


def rotation(q: Vector) -> Vector:
    """(3, 3) rotation matrix of a unit quaternion."""
    R = np.empty((3, 3))
    rotation_of_quaternion(q, R)
    return R
