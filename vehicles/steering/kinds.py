"""Kinds of steering by the `type` of the section `steering` of a vehicle file: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.records import dtype_of
from simulator.base.registry import Registry
from vehicles.readout import READOUT
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
    """Raise JounceError if a third-party kind has no linkage or two of them, does not steer, was written for another contract or layout, has
    too large records, or redefines a key of all kinds or a column of the log. Kinds from installed packages are not registered through
    `register`."""
    if kind in SHIPPED:
        return
    if kind.place is None and kind.write is None:
        raise JounceError(f"kind of steering {kind.name}: it has no kernel `place`, and no function `write`")
    if kind.place is not None and kind.write is not None:
        raise JounceError(f"kind of steering {kind.name}: it has both `place` and `write`; expected one of them")
    if kind.by_wire and kind.move is None:
        raise JounceError(f"kind of steering {kind.name}: it is `by_wire` and has no kernel `move`")
    if kind.contract != CONTRACT:
        raise JounceError(f"kind of steering {kind.name}: it is for version {kind.contract} of the contract; expected version {CONTRACT}")
    if kind.layout != LAYOUT:
        raise JounceError(
            f"kind of steering {kind.name}: it is for other tables than STEERING_INPUT and STEERING_OUTPUT of vehicles.steering.contract"
        )
    for noun, table, most in (("parameters", kind.own_parameters, MAX_PARAMETERS), ("state", kind.state, MAX_STATE)):
        if table and dtype_of(table).itemsize > 8 * most:
            raise JounceError(f"kind of steering {kind.name}: {noun} of {dtype_of(table).itemsize // 8} numbers; expected at most {most}")
    of_gear = GEAR_FILE if kind.write is None else ()
    common, own = {"type", "axles", *(field.name for field in (*of_gear, *MECHANICAL_FILE))}, {field.name for field in kind.fields}
    if common & own:
        raise JounceError(f"kind of steering {kind.name}: all kinds have a key {min(common & own)} already")
    unknown = [row[0] for row in kind.own_parameters if row[0] not in common | own] if kind.write is None else []
    if unknown:
        raise JounceError(f"kind of steering {kind.name}: the parameter {unknown[0]} is no key")
    columns = {row[0] for row in READOUT}
    taken = [row[0] for row in kind.state if f"steering_{row[0]}" in columns]
    if taken:
        raise JounceError(f"kind of steering {kind.name}: the column steering_{taken[0]} of its state exists already")
