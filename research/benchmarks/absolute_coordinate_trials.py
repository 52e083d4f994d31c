"""Formulation in absolute coordinates, in which all joints may drift."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from research.benchmarks.benchmark_systems import Scene
from research.benchmarks.formulation_trial import BAUMGARTE, Trial
from research.benchmarks.wheel_load_cases import (
    RUNGE_KUTTA,
    SEMI_IMPLICIT_EULER,
    apply_wheel_forces,
    begin_step,
    body_course,
    next_stage,
)
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.formulations.absolute_coordinates import advance, measure, place_bodies
from vehicles.multibody.formulations.augmented_equations import set_row_rates, set_row_residuals, set_rows
from vehicles.multibody.formulations.fully_augmented import FullyAugmented, evaluate_dense_state, evaluate_sparse_state
from vehicles.multibody.tree.constraints import DOT, set_residuals
from vehicles.multibody.tree.forces import spring_energy
from vehicles.multibody.tree.tree import energy, quaternion_rate
from vehicles.multibody_vehicle import CHASSIS


class Bodies(NamedTuple):
    """Run data of the bodies: `model` of the solver, and as parts of the course poses (n, 7), velocities (n, 6) and the rates of both."""

    model: Any
    poses: Vector
    velocities: Vector
    pose_rates: Vector
    accelerations: Vector


@kernel
def run_sparse(m, c, evaluations):
    """Run `evaluations` evaluations with the sparse solver, each followed by a stage of the method. Return False after a failure."""
    for _ in range(evaluations):
        apply_wheel_forces(c, m.model.parts.wrenches)
        if c.clock[0]["gap_frequency"] > 0.0:
            set_baumgarte_feedback(m, c)
        if evaluate_sparse_state(m.model, m.poses, m.velocities) != 0:
            return False
        step_bodies(m.model.equations.alpha, m.poses, m.velocities, m.pose_rates, m.accelerations, c)
    return True


@kernel
def run_dense(m, c, evaluations):
    """Run evaluations as `run_sparse`, with the dense solver."""
    for _ in range(evaluations):
        apply_wheel_forces(c, m.model.parts.wrenches)
        if evaluate_dense_state(m.model, m.poses, m.velocities) != 0:
            return False
        step_bodies(m.model.equations.alpha, m.poses, m.velocities, m.pose_rates, m.accelerations, c)
    return True


@inline
def set_baumgarte_feedback(m, c):
    """Set Baumgarte's feedback: phi'' + 2 omega phi' + omega^2 phi = 0 for all joints and loops."""
    absolute, equations, omega = m.model.absolute, m.model.equations, c.clock[0]["gap_frequency"]
    place_bodies(absolute, m.poses, m.velocities)
    measure(absolute)
    set_rows(absolute, equations)
    set_row_residuals(absolute, equations)
    for r in range(equations.feedback.shape[0]):
        equations.feedback[r] = omega * omega * equations.residual[r]
    set_row_rates(absolute, equations)
    for r in range(equations.feedback.shape[0]):
        equations.feedback[r] += 2.0 * omega * equations.residual[r]


@kernel
def step_bodies(alpha, poses, velocities, pose_rates, accelerations, c):
    """Advance from the evaluated state of the bodies: alpha (n, 6) are the accelerations, the other arguments parts of the course."""
    if c.clock[0]["method"] == SEMI_IMPLICIT_EULER:
        h = begin_step(c)
        for b in range(1, alpha.shape[0]):
            for i in range(6):
                velocities[b, i] += h * alpha[b, i]
        advance(poses, velocities, h, poses)
    elif c.clock[0]["method"] == RUNGE_KUTTA:
        for b in range(1, alpha.shape[0]):
            V = velocities[b]
            for i in range(3):
                pose_rates[b, i] = V[3 + i]
            quaternion_rate(poses[b], 3, (V[0], V[1], V[2]), pose_rates[b], -1.0)
            for i in range(6):
                accelerations[b, i] = alpha[b, i]
        next_stage(c)


class SparseTrial(Trial):
    """Absolute coordinates with the sparse solver."""

    label = "fully augmented, sparse"
    run_kernel: Any = staticmethod(run_sparse)
    solver = "sparse"

    def __init__(self, scene: Scene) -> None:
        self.formulation = FullyAugmented(scene.system, self.solver)
        model = self.formulation.kernel_arguments
        n = model.absolute.bodies.size
        course = body_course(n, scene.wheels)
        poses, velocities = (part.reshape(n, -1) for part in (course.q, course.v))
        pose_rates, accelerations = (part.reshape(n, -1) for part in (course.rates[: 7 * n], course.accel))
        self.m = Bodies(model, poses, velocities, pose_rates, accelerations)
        super().__init__(scene, self.m, course, self.formulation.dimensions)
        names = ([CHASSIS] if scene.whole else []) + [f"{corner}_wheel" for corner in scene.corners]
        body_of = {int(node): b for b, node in enumerate(model.absolute.bodies["node"])}
        self.shown = [body_of[scene.system.node[name]] for name in names]

    def place(self) -> None:
        """See the base class."""
        self.m.poses[:], self.m.velocities[:] = self.formulation.absolute_state(self.scene.q, self.scene.v)

    def restore_start(self) -> None:
        """Set the bodies to the start of the last step."""
        n = self.m.poses.shape[0]
        place_bodies(self.m.model.absolute, self.course.start[: 7 * n].reshape(n, 7), self.course.start[7 * n :].reshape(n, 6))

    def points(self) -> Vector:
        """See the base class."""
        self.restore_start()
        absolute = self.m.model.absolute
        motion = absolute.tree.motion[self.shown]
        return motion["p"] - np.einsum("bij,bj->bi", motion["R"], absolute.bodies["com"][self.shown])

    def gap(self) -> float:
        """See the base class; the largest gap of any joint or loop, because both are constraints."""
        self.restore_start()
        absolute = self.m.model.absolute
        rows, residual = absolute.constraints.rows, absolute.constraints.residual
        set_residuals(absolute.constraints, absolute.tree.motion, absolute.q, 0, rows.size)
        return float(np.abs(residual[rows["kind"] != DOT]).max(initial=0.0))

    def energy(self) -> tuple[float, float]:
        """See the base class."""
        centers = self.points()[-len(self.scene.corners) :]
        absolute, gravity = self.m.model.absolute, self.m.model.parts.gravity
        measure(absolute)
        kinetic, potential = energy(absolute.tree, gravity)
        potential += spring_energy(absolute.forces, absolute.tree, absolute.q)
        return kinetic, kinetic + potential - float(np.sum(self.scene.wheels["load"] * centers))


class StabilizedTrial(SparseTrial):
    """Absolute coordinates with the sparse solver and Baumgarte's feedback."""

    label = "fully augmented, sparse with Baumgarte"
    control = BAUMGARTE


class DenseTrial(SparseTrial):
    """Absolute coordinates with the dense solver: equal equations and motion."""

    label = "fully augmented, dense"
    run_kernel: Any = staticmethod(run_dense)
    solver = "dense"
