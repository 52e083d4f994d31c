"""Comparison of the accelerations of a mechanism with a file of reference states (`jounce validate mechanism FILE.urdf STATES.npz`).

A state consists of q, qd and tau of the joints in `joint_names`, and for a floating mechanism base_pos, base_quat_xyzw, base_vel_world
and base_omega_world. All other arrays of the file are results to compare. Results with the suffix `_alt` refer to the gravity
`gravity_alt`. All quantities are in world axes; accelerations are second derivatives of positions and include gravity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.rotations import quaternion_of_rotation, rotation_of_quaternion
from simulator.validation.reference.accelerations import LIMIT, read_states
from simulator.validation.reference.result import Comparison, relative_error
from vehicles.multibody.description.mechanism import Joint, Mechanism, MechanismError
from vehicles.multibody.formulations.contract import Formulation
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.body_motion import BodyMotion, body_motion, mechanical_energy
from vehicles.multibody.tree.constraints import set_jacobian, set_rates, set_residuals
from vehicles.multibody.tree.system import System, build_system

Outputs = dict[str, Array]

LINKS = ("link_pos_world", "link_R_world", "link_alpha_world", "link_acc_com_world")
ENERGIES = ("kinetic_energy", "potential_energy")


def compare_mechanism(file: str, mechanism: Mechanism, formulation: str) -> Comparison:
    """Evaluate every state of `file` with a formulation (`vehicles.multibody.formulations.kinds`) and compare all results in the file.

    Two further rows check the states themselves: the residuals of the loops, and their rates.

    Raises
    ------
    ConfigError : the file cannot be read, lacks a state, or an array has the wrong shape, is not finite or contains unknown names
    MechanismError : a state cannot be solved
    """
    states = _States(_Archive(file), mechanism)
    errors = _opening(states)
    if mechanism.couplings and states.has("coupling_matrix"):
        errors["coupling_matrix"] = relative_error(states.couplings(), states.reference("coupling_matrix", states.couplings().shape))
    solver = make_formulation(formulation, states.system)
    for suffix in ("", "_alt") if states.has("gravity_alt") else ("",):
        outputs = _outputs(states, solver, suffix)
        errors |= {name: relative_error(ours, states.reference(name, ours.shape)) for name, ours in outputs.items()}
    return Comparison(file, f"mechanism, {formulation}", len(states.q), errors, LIMIT)


class _Archive:
    """Arrays of a file, with checks that report the file and the key."""

    def __init__(self, file: str) -> None:
        self.file, self.arrays = file, read_states(file)

    def refuse(self, key: str, value: object, expected: str) -> Any:
        raise ConfigError(self.file, key, value, expected)

    def numbers(self, key: str, shape: tuple[int | str, ...]) -> Array:
        """Return a finite array of a given shape; a size given as text may be any positive number."""
        array = self.arrays.get(key)
        expected = f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
        if array is None:
            return self.refuse(key, "nothing", f"numbers of shape {expected}")
        fits = len(array.shape) == len(shape) and all(
            length > 0 if isinstance(size, str) else length == size for length, size in zip(array.shape, shape, strict=True)
        )
        if array.dtype.kind not in "fiu" or not fits:
            return self.refuse(key, f"{array.dtype} {array.shape}", f"numbers of shape {expected}")
        if not np.isfinite(array).all():
            return self.refuse(key, "values that are not finite", "finite numbers")
        return array.astype(float)

    def names(self, key: str, known: tuple[str, ...], what: str) -> list[str]:
        """Return unique names, all of them known."""
        array = self.arrays.get(key)
        if array is None or array.ndim > 1 or array.dtype.kind != "U":
            return self.refuse(key, "nothing" if array is None else f"{array.dtype} {array.shape}", f"names of {what}")
        names = [str(name) for name in np.atleast_1d(array)]
        for name in names:
            if name not in known:
                return self.refuse(key, name, f"one of the {what} of the mechanism: " + ", ".join(known))
        if len(set(names)) < len(names):
            return self.refuse(key, names, "unique names")
        return names


class _States:
    """States of a file in the coordinates of a mechanism.

    q (N, n_q), v (N, n_v), tau (N, n_v); joints and links in the order of the file
    """

    def __init__(self, data: _Archive, mechanism: Mechanism) -> None:
        self.data, self.mechanism = data, mechanism
        self.system: System = build_system(mechanism)
        scalar = tuple(joint.name for joint in mechanism.joints if joint.kind in ("revolute", "prismatic"))
        self.joints = data.names("joint_names", scalar, "revolute and prismatic joints")
        self.links = data.names("link_names", tuple(body.name for body in mechanism.bodies), "links") if self._has_links() else []
        for name in scalar:
            if name not in self.joints:
                data.refuse("joint_names", self.joints, f"all joints of the mechanism, including {name!r}")
        self.base = self._base()
        rows = data.numbers("q", ("states", len(scalar)))
        count, system = len(rows), self.system
        self.q = np.tile(system.neutral(), (count, 1))
        self.v, self.tau = np.zeros((count, system.n_v)), np.zeros((count, system.n_v))
        self.at = [system.joint_v[name].start for name in self.joints]
        self.q[:, [system.joint_q[name].start for name in self.joints]] = rows
        self.v[:, self.at] = data.numbers("qd", (count, len(scalar)))
        self.tau[:, self.at] = data.numbers("tau", (count, len(scalar)))
        if self.base is not None:
            self._place(self.base, count)

    def _has_links(self) -> bool:
        return any(self.has(name) for name in LINKS)

    def _base(self) -> Joint | None:
        """Return the floating joint, or None. A file supports at most one, and no universal or spherical joints."""
        wide = [joint for joint in self.mechanism.joints if joint.kind in ("free", "universal", "spherical")]
        if not wide:
            return None
        if len(wide) > 1 or wide[0].kind != "free":
            raise ConfigError(
                self.mechanism.file, "joints", [joint.name for joint in wide], "one floating joint, and revolute, prismatic and fixed ones"
            )
        for key, name in (("base_joint", wide[0].name), ("base_link", wide[0].child)):
            if self.has(key):
                self.data.names(key, (name,), "floating joints" if key == "base_joint" else "floating links")
        return wide[0]

    def _place(self, base: Joint, count: int) -> None:
        """Set the coordinates of the floating joint: pose in its joint frame, velocities in the world."""
        numbers = self.data.numbers
        position, xyzw = numbers("base_pos", (count, 3)), numbers("base_quat_xyzw", (count, 4))
        if np.abs(np.linalg.norm(xyzw, axis=1) - 1.0).max() > 1e-6:
            self.data.refuse("base_quat_xyzw", "norms that are not 1", "unit quaternions")
        w, v = numbers("base_omega_world", (count, 3)), numbers("base_vel_world", (count, 3))
        at_q, at_v, R_WB = self.system.joint_q[base.name], self.system.joint_v[base.name], np.empty((3, 3))
        for n in range(count):
            rotation_of_quaternion(np.roll(xyzw[n], 1) / np.linalg.norm(xyzw[n]), R_WB)
            quaternion = np.empty(4)
            quaternion_of_rotation(base.R_PF.T @ R_WB, quaternion)
            self.q[n, at_q] = np.concatenate([base.R_PF.T @ (position[n] - base.p_PF), quaternion])
            self.v[n, at_v] = np.concatenate([w[n], v[n]])

    def reference(self, key: str, shape: tuple[int, ...]) -> Array:
        """Return an array of reference results."""
        return self.data.numbers(key, shape)

    def has(self, key: str) -> bool:
        """Return whether the file contains an array."""
        return key in self.data.arrays

    def couplings(self) -> Array:
        """Return the coefficients of the couplings in `coupling_names` on the joints, both in the order of the file."""
        known = {coupling.name: coupling for coupling in self.mechanism.couplings}
        names = self.data.names("coupling_names", tuple(known), "couplings")
        if len(names) < len(known):
            self.data.refuse("coupling_names", names, "all couplings of the mechanism: " + ", ".join(known))
        matrix = np.zeros((len(names), len(self.joints)))
        for row, name in zip(matrix, names, strict=True):
            for joint, coefficient in known[name].terms:
                row[self.joints.index(joint)] += coefficient
        return matrix


def _opening(states: _States) -> dict[str, float]:
    """Return the largest residuals of the constraints [m, rad] and of their rates in the states of the file."""
    parts, constraints = states.system.parts, states.system.parts.constraints
    rows = constraints.rows.size
    if rows == 0:
        return {}
    position, velocity, rate = 0.0, 0.0, np.zeros(rows)
    for q, v in zip(states.q, states.v, strict=True):
        body_motion(states.system, q, v, np.zeros(v.size))
        set_residuals(constraints, parts.tree.motion, q, 0, rows)
        set_jacobian(constraints, parts.tree.motion, 0, rows)
        set_rates(constraints, parts.tree.motion, v, rate)
        position, velocity = max(position, np.abs(constraints.residual).max()), max(velocity, np.abs(rate).max())
    return {"loops_open": position, "loops_opening": velocity}


@dataclass
class _Solved:
    """One state with its accelerations and energies."""

    accel: Array
    motion: BodyMotion
    energy: tuple[float, float]


def _outputs(states: _States, solver: Formulation, suffix: str) -> Outputs:
    """Return the computed values of all results in the file for one of its two gravities."""
    system = states.system
    system.parts.gravity[:] = states.reference(f"gravity{suffix}", (3,))
    solved = [_solve(states, solver, n) for n in range(len(states.q))]
    outputs = {f"qdd{suffix}": np.array([s.accel[states.at] for s in solved])}
    order = [body.name for body in states.mechanism.bodies]
    if states.base is not None:
        at = order.index(states.base.child)
        outputs[f"base_alpha_world{suffix}"] = np.array([s.motion.alpha_WB[at] for s in solved])
        outputs[f"base_acc_world{suffix}"] = np.array([s.motion.a_WB[at] for s in solved])
    if suffix:
        return outputs
    links = [order.index(name) for name in states.links]
    fields = dict(zip(LINKS, ("p_WB", "R_WB", "alpha_WB", "a_WBcm"), strict=True))
    outputs |= {name: np.array([getattr(s.motion, field)[links] for s in solved]) for name, field in fields.items() if states.has(name)}
    return outputs | {name: np.array([s.energy[i] for s in solved]) for i, name in enumerate(ENERGIES) if states.has(name)}


def _solve(states: _States, solver: Formulation, n: int) -> _Solved:
    q, v = states.q[n], states.v[n]
    try:
        accel = solver.accelerations(q, v, states.tau[n])
    except MechanismError as error:
        raise MechanismError(f"{states.data.file}: state {n + 1}: {error}", error.loops) from None
    return _Solved(accel, body_motion(states.system, q, v, accel), mechanical_energy(states.system, q, v))
