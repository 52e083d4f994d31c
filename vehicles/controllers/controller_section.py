"""Reader of the list `controllers` of a vehicle file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from simulator.base.callbacks import address_of
from simulator.base.errors import ConfigError
from simulator.base.field_records import filled, rows
from simulator.base.fields import Field, Fields, Flag, Text, Variants
from simulator.base.records import Record, Table, dtype_of, labeled, record, view_as
from simulator.base.values import Values
from vehicles.axle_layout import Axles
from vehicles.controllers.contract import WHEELS, ControllerKind
from vehicles.controllers.control_unit import COMMON, CONTROLLER
from vehicles.controllers.kinds import CONTROLLER_KINDS


def _fields_of_kind(name: str) -> Fields | None:
    kind = CONTROLLER_KINDS.get(name)
    return None if kind is None else kind.parameters


CONTROLLER_FILE = Variants(
    "type",
    _fields_of_kind,
    CONTROLLER_KINDS.names,
    "kind of controller",
    (
        Field("name", Text(), "prefix of its columns in the log; default: its type", None),
        Field("active", Flag(), "false: switched off; the vehicle behaves as without the controller", True),
        *COMMON,
    ),
    noun="a controller:",
)
"""Fields of an item of the list."""


@runtime_checkable
class MadeForEntry(Protocol):
    """Kind whose kernel depends on its entry in the file, for example on the file that it names."""

    def for_entry(self, entry: Values, axles: Axles) -> ControllerKind:
        """Return the kind for an entry of a vehicle with these axles. Raises ConfigError."""


class Unit(NamedTuple):
    """A controller of a vehicle."""

    name: str
    kind: ControllerKind
    parameters: Record


class Controllers:
    """All controllers of a vehicle.

    Attributes
    ----------
    units : the controllers, in the order of the file
    records : (n,) of CONTROLLER; valid as long as this object exists
    """

    def __init__(self, units: Sequence[Unit], commons: Sequence[Any], axles: Axles) -> None:
        self.units = tuple(units)
        self.records = record(CONTROLLER, len(units))
        sides = [side for count in axles.sides for side in ((1, -1) if count == 2 else (0,))]
        for out, unit, common in zip(self.records, units, commons, strict=True):
            out["kernel"], out["parameters"] = unit.kind.kernel.address, address_of(unit.parameters)
            out["sides"][: len(sides)], out["active"] = sides, common.get("active", True)
            for field in COMMON:
                out[field.name] = common.get(field.name, unit.kind.rate)

    def off(self, controls: Record) -> list[str]:
        """Return the names of the controllers that are switched off; controls : (n,) of CONTROL_STATE."""
        return [unit.name for unit, state in zip(self.units, controls, strict=True) if state["off"]]

    def logged(self, controls: Record, corners: Sequence[str]) -> list[tuple[str, Table, Record]]:
        """Return the loggable states as (prefix, table, record), views of `controls` (n,) of CONTROL_STATE."""
        out = []
        for k, unit in enumerate(self.units):
            table = labeled(unit.kind.state, WHEELS.name, corners)
            out.append((f"{unit.name}_", table, view_as(controls[k : k + 1], table, dtype_of(unit.kind.state))))
        return out


def read_controllers(vehicle: Values, axles: Axles) -> Controllers:
    """Return the controllers of a vehicle file with these axles.

    Raises
    ------
    ConfigError : two controllers share a name, or the vehicle has more wheels than a controller supports
    JounceError : a controller from an installed package does not match the contract
    """
    entries = vehicle.get("controllers", ())
    units: list[Unit] = []
    for one in entries:
        kind = CONTROLLER_KINDS.named(one["type"], one.file, one.path("type"))
        name = one.get("name", kind.name)
        if not name.isidentifier() or any(name == other.name for other in units):
            raise ConfigError(one.file, one.path("name"), name, "a name of letters, digits and underscores that no other controller has")
        if isinstance(kind, MadeForEntry):
            kind = kind.for_entry(one, axles)
        units.append(Unit(name, kind, filled(rows(kind.parameters), one)))
    if units and axles.size.wheels > WHEELS:
        raise ConfigError(vehicle.file, "controllers", f"a vehicle with {axles.size.wheels} wheels", f"at most {WHEELS} wheels")
    return Controllers(units, entries, axles)
