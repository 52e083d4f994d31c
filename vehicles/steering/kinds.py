"""Kinds of steering by the `type` of the section `steering` of a vehicle file: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.records import dtype_of
from simulator.base.registry import Registry
from vehicles.steering import pitman_arm, rack_pinion, steer_by_wire
from vehicles.steering.column import MECHANICAL_FILE
from vehicles.steering.contract import CONTRACT, GEAR_FILE, LAYOUT, MAX_PARAMETERS, MAX_STATE, SteeringKind

SHIPPED = (pitman_arm.KIND, rack_pinion.KIND, steer_by_wire.KIND)
"""Shipped kinds; the first one is the default."""

STEERING_KINDS: Registry[SteeringKind] = Registry("kind of steering", "jounce.steering", {kind.name: kind for kind in SHIPPED})


def register(kind: SteeringKind) -> None:
    """Register a kind of steering under its name.

    Raises
    ------
    JounceError : the kind is not valid (see `check`), or its name is registered already
    """
    check(kind)
    STEERING_KINDS.register(kind.name, kind)


def check(kind: SteeringKind) -> None:
    """Raise JounceError if a third-party kind has no linkage, was written for another contract or layout, has too large records, or redefines
    a key of all kinds. Kinds from installed packages are not registered through `register`."""
    if kind in SHIPPED:
        return
    if kind.place is None:
        raise JounceError(f"kind of steering {kind.name}: it has no kernel `place`")
    if kind.contract != CONTRACT:
        raise JounceError(f"kind of steering {kind.name}: it is for version {kind.contract} of the contract; expected version {CONTRACT}")
    if kind.layout != LAYOUT:
        raise JounceError(
            f"kind of steering {kind.name}: it is for other tables than STEERING_INPUT and STEERING_OUTPUT of vehicles.steering.contract"
        )
    for noun, table, most in (("parameters", kind.own_parameters, MAX_PARAMETERS), ("state", kind.state, MAX_STATE)):
        if table and dtype_of(table).itemsize > 8 * most:
            raise JounceError(f"kind of steering {kind.name}: {noun} of {dtype_of(table).itemsize // 8} numbers; expected at most {most}")
    shared = {"type", "axles", *(field.name for field in (*GEAR_FILE, *MECHANICAL_FILE))} & {field.name for field in kind.fields}
    if shared:
        raise JounceError(f"kind of steering {kind.name}: all kinds have a key {min(shared)} already")
