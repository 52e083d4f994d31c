"""One corner as a mechanism of the multibody model, moved by its coordinate theta and by the Pitman angle.

The world of the mechanism is the chassis: its frame has chassis axes and the chassis reference point as origin. Knuckle and wheel
are one body, as in every corner (`vehicles.suspension.wheel_carrier`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from vehicles.multibody.description.initial_state import InitialState
from vehicles.multibody.description.mechanism import JOINTS, WORLD, Joint, Mechanism, MechanismError
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.loops.analysis import RANK
from vehicles.multibody.loops.assembly import assemble
from vehicles.multibody.loops.constraint_jacobian import free_coordinates, joint_jacobian
from vehicles.multibody.tree.articulated_body import accelerate_nodes
from vehicles.multibody.tree.body_motion import body_motion
from vehicles.multibody.tree.system import System, build_system
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.contract import INPUTS
from vehicles.suspension.mechanism.reduced_rows import Moving, place_struts, place_wheel, reduce
from vehicles.suspension.mechanism.view_points import Point, draw
from vehicles.suspension.tables.reduced_table import PLACED, SHOCK, SPRING, STEERED, W
from vehicles.suspension.wheel_carrier import carrier_with_wheel

Vector = NDArray[Any]

MAX_STRIDE = 0.04
"""rad, m. Longest step from one closed position to the next, so that loops stay on their branch."""

RACK = "rack of the steering"
"""Name of the body that slides along the chassis' y with the inner end of the tie rod, and of its joint; not part of the file."""

MIN_RISE = 1e-3
"""m per rad, m per m. Smallest rise of the wheel per coordinate for which the coordinate counts as moving the wheel."""

MIN_PARTICIPATION = 1e-3
"""Fraction of a free motion above which a joint counts as moving in it."""


@dataclass(frozen=True)
class Names:
    """Names in a mechanism file that an axle uses.

    steering : joint or loop that the steering moves; empty: none
    ratio : displacement of a steering joint per Pitman angle, on this side [rad/rad, m/rad]; not used with a loop
    """

    coordinate: str
    wheel: str
    steering: str
    spring: str
    shock: str
    ratio: float = 0.0


class Linkage:
    """A corner in the multibody model.

    Parameters
    ----------
    mechanism, start : bodies, joints and loops of this side, in chassis axes, and their state in the design position
    names : names of its elements
    rack : half of the rack that moves the tie rod; None: massless
    file, key : the axle in the vehicle file, for messages

    Raises
    ------
    ConfigError : a name is unknown or its element has the wrong type, the wheel is not a rotor, or the mechanism does not have exactly
        one degree of freedom
    MechanismError : the loops do not close in the design position

    Attributes
    ----------
    W, axle : wheel center [m] and axle, pointing left, in the design position
    spin_inertia, mass : of the wheel about its axle [kg m2], and of the corner [kg]
    sign : +1 if a rising coordinate is jounce, otherwise -1
    picture : points of links and struts, for the view
    places : origin and attitude of every body except the wheel in the design position
    """

    data_cells: tuple[int, int] | None = None

    def __init__(self, mechanism: Mechanism, start: InitialState, names: Names, file: str, key: str, rack: RigidBody | None = None) -> None:
        self.given, self.names, self.file, self.key, self._rack = mechanism, names, file, key, rack
        self._check_names()
        self.mechanism = self._without_wheel(start)
        self.system: System = build_system(self.mechanism)
        self._start = self._closed_start(self.system, start)
        self._check_mobility()
        self._engine = ConstraintEmbedding(self.system, self._start)
        self._at = self.system.joint_v[names.coordinate].start
        self._at_q = self.system.joint_q[names.coordinate].start
        if self._at not in self._engine.independent:
            self._refuse("coordinate", names.coordinate, "a joint that determines the position and is not on a dead point")
        self.by_loop = names.steering in self.system.driven
        self._steering: tuple[Record, int] | None = None
        self.sign = 1.0
        self._last = (0.0, 0.0, self._start)
        self._prepare_points()
        self._check_effect()

    def connect(self, steering: Record, column: int) -> None:
        """Let the Pitman angle of a STEERING record move the corner; `column` is 0 on the left side, 1 on the right."""
        if self.names.steering:
            self._steering = (steering, column)

    @property
    def steered(self) -> bool:
        """True if the Pitman angle moves the corner."""
        return self._steering is not None

    @property
    def Q(self) -> Vector:
        """Point that the steering prescribes, in the design position: the inner joint of the tie rod, or the wheel center."""
        return self.picture.inner if self.by_loop else self.W

    # Checks of the file -------------------------------------------------------------------------------------------------------------

    def _refuse(self, name: str, value: object, expected: str) -> None:
        raise ConfigError(self.file, f"{self.key}.{name}", value, f"{expected}, in {self.given.file}")

    def _check_names(self) -> None:
        m, n = self.given, self.names
        joints = {joint.name: joint for joint in m.joints}
        single = [name for name, joint in joints.items() if JOINTS[joint.kind] == 1]
        if n.coordinate not in single:
            self._refuse("coordinate", n.coordinate, "a revolute or prismatic joint, one of " + ", ".join(single))
        carriers = [joint.child for joint in m.joints if joint.kind == "revolute" and joint.parent != WORLD]
        if n.wheel not in carriers:
            self._refuse("wheel", n.wheel, "a body with a revolute joint on another body, one of " + ", ".join(carriers))
        if any(joint.kind == "free" for joint in m.joints):
            free = next(joint.name for joint in m.joints if joint.kind == "free")
            raise ConfigError(m.file, f"joints.{free}.type", "free", "joints that connect the suspension to the chassis (`world`)")
        attached = [joint.name for joint in m.joints if joint.parent == n.wheel]
        attached += [loop.name for loop in m.loops if n.wheel in (loop.predecessor, loop.successor)]
        attached += [spring.name for spring in m.springs if n.wheel in (spring.body_a, spring.body_b)]
        bearing = m.carrier(n.wheel).name
        attached += [coupling.name for coupling in m.couplings if bearing in [joint for joint, _ in coupling.terms]]
        if attached:
            self._refuse("wheel", n.wheel, f"a body without other elements attached; {attached[0]!r} is attached")
        for key, name in (("spring", n.spring), ("shock", n.shock)):
            if name not in [spring.name for spring in m.springs]:
                self._refuse(key, name, "one of the springs: " + (", ".join(spring.name for spring in m.springs) or "there is none"))
        self._check_steering(joints, single)
        self._check_forces()

    def _check_steering(self, joints: dict[str, Joint], single: list[str]) -> None:
        m, n = self.given, self.names
        driven = [loop.name for loop in m.loops if loop.driven and loop.name != n.steering]
        prescribed = [joint.name for joint in m.joints if joint.prescribed and joint.name != n.steering]
        if driven or prescribed:
            self._refuse("steering", n.steering or "nothing", f"{(driven + prescribed)[0]!r}, since it needs a prescribed motion")
        if not n.steering:
            return
        loops = {loop.name: loop for loop in m.loops}
        if n.steering in loops:
            if loops[n.steering].successor != WORLD or loops[n.steering].kind not in ("ball", "distance"):
                self._refuse(
                    "steering", n.steering, "a ball or distance loop with the successor `world`, the point that the steering moves"
                )
        elif n.steering not in single or n.steering == n.coordinate:
            candidates = [loop.name for loop in m.loops if loop.successor == WORLD] + [name for name in single if name != n.coordinate]
            self._refuse(
                "steering", n.steering, "a loop with the chassis, or a revolute or prismatic joint; one of " + ", ".join(candidates)
            )

    def _check_forces(self) -> None:
        """Raise ConfigError for forces in the file that the axle would ignore."""
        m = self.given
        more = [f"springs.{one.name}" for one in m.springs if one.name not in (self.names.spring, self.names.shock)]
        more += [f"joint_springs.{one.joint}" for one in m.joint_springs] + [f"forces.{one.name}" for one in m.forces]
        more += [f"joint_forces.{one.joint}" for one in m.joint_forces]
        if more:
            raise ConfigError(m.file, more[0], "a force", "no forces except the two springs named `spring` and `shock` in the axle")

    # Mechanism of the corner --------------------------------------------------------------------------------------------------------

    def _without_wheel(self, start: InitialState) -> Mechanism:
        """Return the mechanism with wheel and knuckle as one body; set W, axle, spin_inertia and mass."""
        m, n = self.given, self.names
        system = build_system(m)
        at = body_motion(system, self._closed_start(system, start), np.zeros(system.n_v), np.zeros(system.n_v))
        number = {body.name: k for k, body in enumerate(m.bodies)}
        bearing = m.carrier(n.wheel)
        k, j = number[bearing.parent], number[n.wheel]
        p, R = at.p_WB[k], at.R_WB[k]
        self.carrier, self.W = bearing.parent, p + R @ bearing.p_PF
        axle = R @ bearing.R_PF @ bearing.axes[0]
        self.axle = axle if axle[1] > 0.0 else -axle
        pair = {
            name: replace(
                m.bodies[i],
                p_BoBcm=at.p_WB[i] + at.R_WB[i] @ m.bodies[i].p_BoBcm,
                I_BBcm=at.R_WB[i] @ m.bodies[i].I_BBcm @ at.R_WB[i].T,
            )
            for name, i in (("knuckle", k), ("wheel", j))
        }
        self.spin_inertia, combined = carrier_with_wheel(pair, self.W, self.axle, m.file, f"bodies.{n.wheel}")
        if not self.spin_inertia > 0.0:
            raise ConfigError(m.file, f"bodies.{n.wheel}.inertia", self.spin_inertia, "a wheel with an inertia about its axle")
        self.mass = sum(body.mass for body in m.bodies) + (0.0 if self._rack is None else self._rack.mass)
        carrier = RigidBody(self.carrier, combined.mass, R.T @ (combined.p_BoBcm - p), R.T @ combined.I_BBcm @ R)
        bodies = tuple(carrier if body.name == self.carrier else body for body in m.bodies if body.name != n.wheel)
        joints = tuple(
            replace(joint, independent=True if joint.name == n.coordinate else None, prescribed=joint.name == n.steering)
            for joint in m.joints
            if joint is not bearing
        )
        if self._rack is not None:
            slide = Joint(RACK, "prismatic", WORLD, RACK, axes=np.array([[0.0, 1.0, 0.0]]), prescribed=True)
            bodies, joints = (*bodies, replace(self._rack, name=RACK)), (*joints, slide)
        loops = tuple(replace(loop, driven=loop.name == n.steering) for loop in m.loops)
        return Mechanism(m.name, bodies, joints, loops, m.couplings, m.springs, gravity=np.zeros(3), file=m.file)

    def _closed_start(self, system: System, start: InitialState) -> Vector:
        """Return the closed design position (n_q,)."""
        q = system.neutral()
        for name, where in system.joint_q.items():
            q[where] = start.positions.get(name, 0.0)
        return assemble(system, q, hold=[name for name in (self.names.coordinate, self.names.steering) if name in system.joint_v])

    def _check_mobility(self) -> None:
        """Raise ConfigError unless one degree of freedom is left with fixed steering, and none with a fixed coordinate, too."""
        system = self.system
        free = free_coordinates(system)
        G = joint_jacobian(system, self._start)[:, free]
        values, Vt = np.linalg.svd(G)[1:] if G.size else (np.zeros(0), np.eye(int(free.sum())))
        rank = int((values > RANK * values.max(initial=0.0)).sum())
        freedom = int(free.sum()) - rank
        if freedom == 1:
            return
        if freedom == 0:
            self._refuse("coordinate", self.names.coordinate, "a joint that can move (the loops of the mechanism fix all joints)")
        motions = np.zeros((freedom, system.n_v))
        motions[:, free] = Vt[rank:]
        self._refuse(
            "coordinate", self.names.coordinate, f"one degree of freedom (there are {freedom}); {self._describe_mobility(motions)}"
        )

    def _check_effect(self) -> None:
        """Raise ConfigError unless the coordinate raises the wheel and changes the strut lengths.

        Set the sign of theta, positive in jounce.
        """
        by_theta = self.rows(np.zeros(1), np.zeros(1))[0][0, 1]
        rise = float(by_theta[W + 2])
        if not abs(rise) > MIN_RISE:
            self._refuse("coordinate", self.names.coordinate, f"a joint that raises the wheel (this one by {rise:.2g} m per rad or m)")
        for key, name, at in (("spring", self.names.spring, SPRING), ("shock", self.names.shock, SHOCK)):
            if not abs(by_theta[at]) > MIN_RISE:
                self._refuse(key, name, f"a spring whose length changes with {self.names.coordinate!r}")
        self.sign = float(np.sign(rise))

    def _describe_mobility(self, motions: Vector) -> str:
        """Return a text that names the joints that move while the coordinate is fixed."""
        at = self.system.joint_v[self.names.coordinate].start
        held = int(np.abs(motions[:, at]).argmax())
        if motions[held, at] != 0.0:
            motions = np.delete(motions - np.outer(motions[:, at] / motions[held, at], motions[held]), held, axis=0)
        moving = np.abs(motions).max(axis=0) > MIN_PARTICIPATION * np.abs(motions).max()
        names = [name for name, where in self.system.joint_v.items() if moving[where].any()]
        return f"with {self.names.coordinate!r} fixed these joints still move: " + ", ".join(names)

    def content(self) -> tuple[object, ...]:
        """Return all inputs that determine the rows of the corner."""
        return self.mechanism, self.names, self.W, self.axle, self._start, self._steering

    # Motion of the corner -----------------------------------------------------------------------------------------------------------

    def _prepare_points(self) -> None:
        """Store the bodies and points whose motion is needed, in the frames of their nodes."""
        m, system = self.mechanism, self.system
        at = body_motion(system, self._start, np.zeros(system.n_v), np.zeros(system.n_v))
        places = self.places = {body.name: (at.p_WB[k], at.R_WB[k]) for k, body in enumerate(m.bodies)}
        p, R = places[self.carrier]
        springs = {spring.name: spring for spring in m.springs}
        struts: list[Point] = []
        for name in (self.names.spring, self.names.shock):
            one = springs[name]
            struts += [(one.body_a, one.point_a), (one.body_b, one.point_b)]
        hub = (self.carrier, R.T @ (self.W - p))
        self.picture = draw(m, places, hub, self.names.steering, struts)
        turn = np.array([system.X_MB[body.name][0] for body in m.bodies])
        self._mass = np.array([body.mass for body in m.bodies])
        self._inertia = turn @ np.array([body.I_BBcm for body in m.bodies]) @ turn.swapaxes(1, 2)
        self._bodies = self._in_nodes([(body.name, body.p_BoBcm) for body in m.bodies])
        self._points = self._in_nodes([hub, *struts, *self.picture.moving])
        self._carrier = system.node[self.carrier]
        self._design = system.parts.tree.motion["R"][self._carrier].copy()

    def _in_nodes(self, points: Sequence[Point]) -> tuple[NDArray[np.int_], Vector]:
        """Return nodes (n,) of points of bodies, and the points (n, 3) in their frames."""
        nodes = np.array([self.system.node[body] for body, _ in points])
        return nodes, np.array([self.system.X_MB[body][1] + self.system.X_MB[body][0] @ point for body, point in points])

    def rows(self, theta: Vector, angle: Vector) -> tuple[Vector, Vector]:
        """Return reduced quantities and places at S positions theta [rad, m] and Pitman angles [rad], (S,) each.

        Returns
        -------
        rows : (S, 3, STEERED + PLACED): REDUCED and PLACES, their derivatives by theta and by the Pitman angle
        moment : (S, 3, 3): second derivatives of the moment by theta, by both, by the Pitman angle

        Raises
        ------
        MechanismError : the loops do not close at a position
        """
        motions = np.stack([self._motions(float(t), float(a)) for t, a in zip(theta, angle, strict=True)])
        R = motions["R"][:, 0]
        nodes = self._bodies[0]
        I = R[:, nodes] @ self._inertia @ R[:, nodes].swapaxes(-1, -2)
        reduced, moment = reduce(self._mass, I, _moving(motions, *self._bodies))
        points = _moving(motions, *self._points)
        turn = R[:, self._carrier] @ self._design.T
        place_wheel(reduced, _only(points, slice(0, 1)), turn @ self.axle)
        place_struts(reduced, _only(points, slice(1, 5)))
        out = np.zeros((len(theta), 3, STEERED + PLACED))
        out[:, :, :STEERED] = reduced
        for k, spin in enumerate((None, points.w[:, 0], points.w_s[:, 0])):
            for n, axis in enumerate((0, 2)):
                x = turn[:, :, axis]
                out[:, k, STEERED + 3 * n : STEERED + 3 * n + 3] = x if spin is None else np.cross(spin, x)
        for k, value in enumerate((points.p, points.u, points.u_s)):
            out[:, k, STEERED + 6 :] = value[:, 5:].reshape(len(theta), -1)
        return out, moment

    def _motions(self, theta: float, angle: float) -> Vector:
        """Return MOTION (3, nodes) of all nodes, with the chassis first, at constant theta' = 1, at delta' = 1, and at both."""
        self._approach(theta, angle)
        tree, found = self.system.parts.tree, []
        for rate, angle_rate in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)):
            self._close(theta, angle, rate, angle_rate)
            accelerate_nodes(tree, self._engine.kernel_arguments.closure.X_rate)
            found.append(tree.motion.copy())
        return np.stack(found)

    def _approach(self, theta: float, angle: float) -> None:
        """Move from the last position to a new one in small steps with closed loops."""
        before, before_angle, _ = self._last
        count = int(np.ceil(max(abs(theta - before), abs(angle - before_angle)) / MAX_STRIDE))
        for k in range(1, count):
            fraction = k / count
            self._close(before + fraction * (theta - before), before_angle + fraction * (angle - before_angle), 0.0, 0.0)

    def _close(self, theta: float, angle: float, rate: float, angle_rate: float) -> None:
        """Close the loops at a position and constant rates; positions, velocities and X'_S theta' remain in the system and the engine."""
        q, v = self._last[2].copy(), np.zeros(self.system.n_v)
        q[self._at_q] = self._start[self._at_q] + self.sign * theta
        v[self._at] = self.sign * rate
        if self._steering is not None:
            self._steer(angle, angle_rate, q, v)
        try:
            q, _ = self._engine.close(q, v)
        except MechanismError:
            self._last = (0.0, 0.0, self._start)
            raise
        self._last = (theta, angle, q)

    def _steer(self, angle: float, rate: float, q: Vector, v: Vector) -> None:
        """Set the position and velocity of the steered element."""
        name = self.names.steering
        if not self.by_loop:
            at = self.system.joint_q[name].start
            q[at] = self._start[at] + self.names.ratio * angle
            v[self.system.joint_v[name]] = self.names.ratio * rate
            return
        driven = self.system.parts.constraints.driven[self.system.driven[name]]
        place, driven["velocity"], driven["acceleration"] = self.inner_joint(angle, rate)
        driven["offset"] = place - self.picture.inner
        if self._rack is not None:
            at = self.system.joint_q[RACK].start
            q[at], v[self.system.joint_v[RACK]] = place[1] - self.picture.inner[1], driven["velocity"][1]

    def inner_joint(self, angle: float, rate: float) -> tuple[Vector, Vector, Vector]:
        """Return position [m], velocity and acceleration (3,) of the steered point of a corner, at a constant rate of the Pitman arm."""
        assert self._steering is not None
        steering, column = self._steering
        state, inputs = record(STEERING_STATE), record(INPUTS)
        state[0]["angle"], state[0]["rate"] = angle, rate
        place_tierods(steering, state, inputs)
        return inputs[0]["Q"][:, column], inputs[0]["Q_dot"][:, column], inputs[0]["Q_ddot"][:, column]


def _moving(motions: Vector, nodes: NDArray[np.int_], points: Vector) -> Moving:
    """Return the motion of points (n, 3) of nodes (n,), from MOTION records (S, 3, nodes) at three pairs of rates."""
    at = motions[:, :, nodes]
    r = np.einsum("snij,nj->sni", at["R"][:, 0], points)
    w, alpha = at["V"][..., :3], at["alpha"][..., :3]
    u = at["V"][..., 3:] + np.cross(w, r[:, None])
    f = at["alpha"][..., 3:] + np.cross(alpha, r[:, None]) + np.cross(w, np.cross(w, r[:, None]))
    turned, mixed = np.cross(w[:, 1], w[:, 0]), alpha[:, 2] - alpha[:, 0] - alpha[:, 1]
    # the mixed derivatives of the two angular velocities differ by their cross product
    return Moving(
        p=at["p"][:, 0] + r,
        w=w[:, 0],
        u=u[:, 0],
        w_s=w[:, 1],
        u_s=u[:, 1],
        w_t=alpha[:, 0],
        w_d=0.5 * (mixed + turned),
        w_st=0.5 * (mixed - turned),
        w_ss=alpha[:, 1],
        u_t=f[:, 0],
        u_ts=0.5 * (f[:, 2] - f[:, 0] - f[:, 1]),
        u_ss=f[:, 1],
    )


def _only(motion: Moving, which: slice) -> Moving:
    return Moving(*(field[:, which] for field in motion))
