"""Formulations in the coordinates of the tree: constraint embedding, cut joints, and the tree with open loops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from research.benchmarks.benchmark_systems import Scene, Subject, make_scene
from research.benchmarks.formulation_trial import BAUMGARTE, NEWTON, PROJECTION, Trial
from research.benchmarks.wheel_load_cases import SEMI_IMPLICIT_EULER, apply_wheel_forces, ends_step, step_tree, tree_course
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from vehicles.multibody.formulations import constraint_embedding_kernels, recursive, tree_augmented
from vehicles.multibody.formulations.constraint_embedding_formulation import CLOSED, ConstraintEmbedding
from vehicles.multibody.motion.mass_weighted_projection import project_positions, project_velocities
from vehicles.multibody.tree.articulated_body import articulated_body
from vehicles.multibody.tree.body_motion import mechanical_energy
from vehicles.multibody.tree.constraints import set_jacobian, set_rates, set_residuals
from vehicles.multibody.tree.forces import apply_forces
from vehicles.multibody.tree.system import Dimensions, System
from vehicles.multibody.tree.tree import move, set_velocities, start_inertias
from vehicles.multibody_vehicle import CHASSIS

ON_LOOPS = 1e-10
"""m, rad, m/s, rad/s. Tolerance of a projection."""
MAX_STEPS = 5
"""Maximum Newton steps of a projection; one is usual."""


@kernel
def run_embedding(m, c, evaluations):
    """Run `evaluations` evaluations by constraint embedding, each followed by a stage of the method. Return False after a failure."""
    for _ in range(evaluations):
        apply_wheel_forces(c, m.parts.wrenches)
        if not constraint_embedding_kernels.evaluate(m, c.q, c.v, c.accel, CLOSED):
            return False
        step_tree(m.parts.tree, c)
    return True


@kernel
def run_tree_augmented(m, c, evaluations):
    """Run evaluations as `run_embedding` for the tree with cut joints, with the stabilization of the clock."""
    for _ in range(evaluations):
        apply_wheel_forces(c, m.parts.wrenches)
        if c.clock[0]["gap_frequency"] > 0.0:
            set_baumgarte_feedback(m, c)
        if tree_augmented.evaluate(m, c.q, c.v, c.accel) != 0:
            return False
        step_tree(m.parts.tree, c)
        if c.clock[0]["projects"] and ends_step(c) and not project(m, c):
            return False
    return True


@inline
def set_baumgarte_feedback(m, c):
    """Set Baumgarte's feedback: phi'' + 2 omega phi' + omega^2 phi = 0."""
    tree, constraints, omega = m.parts.tree, m.parts.constraints, c.clock[0]["gap_frequency"]
    rows = constraints.rows.shape[0]
    move(tree, c.q)
    set_velocities(tree, c.v)
    set_jacobian(constraints, tree.motion, 0, rows)
    set_residuals(constraints, tree.motion, c.q, 0, rows)
    set_rates(constraints, tree.motion, c.v, m.feedback)
    for r in range(rows):
        m.feedback[r] = 2.0 * omega * m.feedback[r] + omega * omega * constraints.residual[r]


@inline
def project(m, c):
    """Project on the nearest closed state, with c.accel as scratch. Return False after a failure."""
    if not project_positions(m, c.q, c.accel, ON_LOOPS, MAX_STEPS) <= ON_LOOPS:
        return False
    return project_velocities(m, c.q, c.v, c.accel, ON_LOOPS, MAX_STEPS) <= ON_LOOPS


@kernel
def run_recursive(m, c, evaluations):
    """Run evaluations as `run_embedding`, with Bae's recursion."""
    for _ in range(evaluations):
        apply_wheel_forces(c, m.parts.wrenches)
        if recursive.evaluate(m, c.q, c.v, c.accel) != 0:
            return False
        step_tree(m.parts.tree, c)
    return True


@kernel
def run_open_tree(m, c, evaluations):
    """Run evaluations as `run_embedding`, for the tree with open loops."""
    for _ in range(evaluations):
        apply_wheel_forces(c, m.wrenches)
        move(m.tree, c.q)
        set_velocities(m.tree, c.v)
        apply_forces(m.forces, m.tree, c.q, c.v, m.wrenches, m.tau, m.T)
        start_inertias(m.tree, m.gravity)
        if articulated_body(m.tree, m.joints, m.T, c.accel) != 0:
            return False
        step_tree(m.tree, c)
    return True


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
        """(n_q,) positions at the start of the last step."""
        return self.course.start[: self.system.n_q]

    @property
    def v(self) -> Vector:
        """(n_v,) velocities at the start of the last step."""
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
    """Return (kinetic energy, energy) [J] at the coordinates of a tree, including the potential of the steady wheel loads."""
    kinetic, potential = mechanical_energy(system, q, v)
    centers = system.parts.tree.motion["p"][wheels["node"]]
    return kinetic, kinetic + potential - float(np.sum(wheels["load"] * centers))


class EmbeddingTrial(TreeTrial):
    """Constraint embedding of any mechanism."""

    label = "constraint embedding, any mechanism"
    control = NEWTON
    run_kernel: Any = staticmethod(run_embedding)

    def __init__(self, scene: Scene) -> None:
        solver = ConstraintEmbedding(scene.system, scene.q)
        super().__init__(scene, solver.kernel_arguments, solver.dimensions)


class TreeAugmentedTrial(TreeTrial):
    """Cut joints with the Schur complement of the multipliers."""

    label = "tree augmented, Schur complement"
    run_kernel: Any = staticmethod(run_tree_augmented)

    def __init__(self, scene: Scene) -> None:
        solver = tree_augmented.TreeAugmented(scene.system)
        super().__init__(scene, solver.kernel_arguments, solver.dimensions)


class BaumgarteTrial(TreeAugmentedTrial):
    """Cut joints with the Schur complement and Baumgarte's feedback."""

    label = "tree augmented, with Baumgarte"
    control = BAUMGARTE


class ProjectedTrial(TreeAugmentedTrial):
    """Cut joints with the Schur complement and a projection after each step."""

    label = "tree augmented, with projection"
    control = PROJECTION


class RecursiveTrial(TreeTrial):
    """Cut joints with Bae's recursion."""

    label = "tree augmented, Bae's recursion"
    run_kernel: Any = staticmethod(run_recursive)

    def __init__(self, scene: Scene) -> None:
        solver = recursive.Recursive(scene.system)
        super().__init__(scene, solver.kernel_arguments, solver.dimensions)


class OpenTreeTrial(TreeTrial):
    """The articulated-body recursion over the tree with open loops: the motion differs, only the cost is comparable."""

    label = "the tree alone, loops left open"
    closed = False
    run_kernel: Any = staticmethod(run_open_tree)

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene, scene.system.parts, Dimensions(scene.system.n_v, 0))


SETTLED = 4.0
"""s after which the damped scene is at rest except for the slow swing on its anchor springs."""


def at_rest(subject: Subject) -> Subject:
    """Return the subject at rest under the static loads."""
    trial = EmbeddingTrial(make_scene(subject, disturbed=False, damped=True))
    trial.begin(SEMI_IMPLICIT_EULER, 1e-3)
    trial.advance(round(SETTLED / 1e-3))
    return replace(subject, q=trial.q.copy())
