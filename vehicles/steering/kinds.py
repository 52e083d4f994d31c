"""Kinds of steering by the `type` of the section `steering` of a vehicle file: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.records import dtype_of
from simulator.base.registry import Registry
from vehicles.readout import READOUT
from vehicles.steering import pitman_arm, rack_pinion, steer_by_wire
from vehicles.steering.column import MECHANICAL_FILE
from vehicles.steering.contract import GEAR_FILE, MAX_PARAMETERS, MAX_STATE, SteeringKind

SHIPPED = (pitman_arm.KIND, rack_pinion.KIND, steer_by_wire.KIND)
"""Shipped kinds; the first one is the default."""


def _problem(kind: SteeringKind) -> str:
    """Return why a kind of a plugin cannot be used: no linkage or two of them, too large records, a key of all kinds, a column of the log."""
    if kind.place is None and kind.write is None:
        return "it has no kernel `place`, and no function `write`"
    if kind.place is not None and kind.write is not None:
        return "it has both `place` and `write`; expected one of them"
    if kind.by_wire and kind.move is None:
        return "it is `by_wire` and has no kernel `move`"
    for noun, table, most in (("parameters", kind.own_parameters, MAX_PARAMETERS), ("state", kind.state, MAX_STATE)):
        if table and dtype_of(table).itemsize > 8 * most:
            return f"{noun} of {dtype_of(table).itemsize // 8} numbers; expected at most {most}"
    of_gear = GEAR_FILE if kind.write is None else ()
    common, own = {"type", "axles", *(field.name for field in (*of_gear, *MECHANICAL_FILE))}, {field.name for field in kind.fields}
    if common & own:
        return f"all kinds have a key {min(common & own)} already"
    unknown = [row[0] for row in kind.own_parameters if row[0] not in common | own] if kind.write is None else []
    if unknown:
        return f"the parameter {unknown[0]} is no key"
    columns = {row[0] for row in READOUT}
    taken = [row[0] for row in kind.state if f"steering_{row[0]}" in columns]
    if taken:
        return f"the column steering_{taken[0]} of its state exists already"
    return ""


STEERING_KINDS: Registry[SteeringKind] = Registry(
    "kind of steering",
    "jounce.steering",
    {kind.name: kind for kind in SHIPPED},
    contract="vehicles.steering.contract",
    problem=_problem,
)
register = STEERING_KINDS.add
"""Register a kind of steering."""
