"""Initial state of a mechanism: from its file, from another file, or with single joints changed, with closed loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import yaml

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import find_config, load_mechanism, vehicle_description
from vehicles.multibody.description.initial_state import STATE, InitialState, read_state, resting_state
from vehicles.multibody.description.mechanism import Mechanism, MechanismError
from vehicles.multibody.loops.assembly import assemble, check_state, consistent_velocities
from vehicles.multibody.loops.constraint_jacobian import position_residuals, velocity_residuals
from vehicles.multibody.tree.system import System
from vehicles.multibody_vehicle import vehicle_mechanism

ON_THE_LOOPS = 1e-6
"""m, rad, 1/s. Tolerance of the closure of a given state."""


@dataclass(frozen=True)
class Start:
    """A mechanism and the state requested on the command line; further fields as in `inspect_mechanism`."""

    mechanism: Mechanism
    state: InitialState
    may_assemble: bool
    hold: tuple[str, ...] | None
    may_leave: bool


def read_start(file: str, state_file: str | None, settings: Sequence[str], may_assemble: bool, free: Sequence[str] = ()) -> Start:
    """Read a mechanism or vehicle with its state, a state file, or JOINT=VALUE `settings`.

    The prescribed joints in `free` become free. Raises ConfigError.
    """
    mechanism, state = _freed(*mechanism_or_vehicle(file), free)
    given = _gives_state(mechanism, state)
    if state_file is not None:
        state, given = changed(state, read_yaml(state_file), state_file, mechanism), True
    given_settings = _settings(settings)
    if given_settings:
        state, given = changed(state, given_settings, "--set", mechanism), False
    return Start(mechanism, state, may_assemble or not given, tuple(given_settings) or None, not given and not given_settings)


def mechanism_or_vehicle(name: str) -> tuple[Mechanism, InitialState]:
    """Load a mechanism by name or file with its initial state, or a vehicle by name or file with its steering, in its design position.

    Raises ConfigError.
    """
    if not _is_vehicle(name):
        return load_mechanism(name)
    description = vehicle_description(name)
    mechanism = replace(vehicle_mechanism(description.design, description.steering), name=description.name)
    return mechanism, resting_state(mechanism)


def _is_vehicle(name: str) -> bool:
    try:
        path = find_config("mechanisms", name)
    except ConfigError:
        try:
            find_config("vehicles", name)
        except ConfigError:
            return False  # the lookup of mechanisms reports invalid names
        return True
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    content = read_yaml(path)
    return isinstance(content, Mapping) and ("axles" in content or "base" in content)


def _freed(mechanism: Mechanism, state: InitialState, free: Sequence[str]) -> tuple[Mechanism, InitialState]:
    """Return the mechanism with these joints free to move. Raises ConfigError: a joint is not prescribed."""
    prescribed = [joint.name for joint in mechanism.joints if joint.prescribed]
    for name in free:
        if name not in prescribed:
            raise ConfigError("--free", "", name, "a prescribed joint: " + (", ".join(prescribed) or "there is none"))
    joints = tuple(replace(joint, prescribed=joint.prescribed and joint.name not in free) for joint in mechanism.joints)
    accelerations = {name: values for name, values in state.accelerations.items() if name not in free}
    return replace(mechanism, joints=joints), replace(state, accelerations=accelerations)


def _gives_state(mechanism: Mechanism, state: InitialState) -> bool:
    """Return whether a file gives a state: any motion, or a nonzero coordinate other than that of a free body."""
    free = {joint.name for joint in mechanism.joints if joint.kind == "free"}
    turned = (q[1:] if len(q) == 4 else q for name, q in state.positions.items() if name not in free)
    return any(values.any() for values in (*turned, *state.rates.values()))


def _settings(settings: Sequence[str]) -> dict[str, Any]:
    """Parse JOINT=VALUE, the value written as in the state section of a file."""
    values = {}
    for text in settings:
        name, equals, value = text.rpartition("=")
        if not equals:
            raise ConfigError("--set", "", text, "JOINT=VALUE, for example 'crank=0.3' or 'crank=[0.3, 2.0]'")
        try:
            values[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise ConfigError("--set", name, value, "a value as in the state of a mechanism file") from None
    return values


def changed(state: InitialState, mapping: Any, file: str, mechanism: Mechanism) -> InitialState:
    """Return the state with the joints in `mapping` changed, and the others unchanged. Raises ConfigError."""
    given = read_state(STATE.read(mapping, file, ""), mechanism, state.positions)

    def merged(old: Mapping[str, Vector], new: Mapping[str, Vector]) -> dict[str, Vector]:
        return {name: new[name] if name in mapping else values for name, values in old.items()}

    return InitialState(
        merged(state.positions, given.positions), merged(state.rates, given.rates), merged(state.accelerations, given.accelerations)
    )


def closed_state(
    system: System, state: InitialState, may_assemble: bool, hold: tuple[str, ...] | None
) -> tuple[Vector, Vector, Vector, float | None]:
    """Return q (n_q,), v (n_v,), accelerations (n_v,) of prescribed joints, and the residual before assembly; as in `inspect_mechanism`."""
    q, v, prescribed = vectors(system, state)
    if may_assemble:
        q, v, moved = assembled(system, q, v, hold)
        return q, v, prescribed, moved
    try:
        check_state(system, q, v, ON_THE_LOOPS)
    except MechanismError as error:
        raise MechanismError(f"{error}  in the given state; hint: --assemble closes the loops", error.loops) from None
    return q, v, prescribed, None


def vectors(system: System, state: InitialState) -> tuple[Vector, Vector, Vector]:
    """Return q (n_q,), v (n_v,) and the accelerations (n_v,) of prescribed joints."""
    q, v, prescribed = system.neutral(), np.zeros(system.n_v), np.zeros(system.n_v)
    for name in state.positions:
        q[system.joint_q[name]], v[system.joint_v[name]] = state.positions[name], state.rates[name]
    for name, values in state.accelerations.items():
        prescribed[system.joint_v[name]] = values
    return q, v, prescribed


def assembled(system: System, q: Vector, v: Vector, hold: tuple[str, ...] | None) -> tuple[Vector, Vector, float | None]:
    """Return the assembled state, and the residual before; without joints to hold, the declared independent joints move only if necessary."""
    before = np.abs(position_residuals(system, q)).max(initial=0.0)
    try:
        q_closed = assemble(system, q, hold) if before > ON_THE_LOOPS else q
        opening = np.abs(velocity_residuals(system, q_closed, v)).max(initial=0.0)
        v_closed = consistent_velocities(system, q_closed, v, hold) if opening > ON_THE_LOOPS else v
    except MechanismError:
        if hold is not None:
            raise
        return assembled(system, q, v, ())
    return q_closed, v_closed, float(before) if before > ON_THE_LOOPS else None
