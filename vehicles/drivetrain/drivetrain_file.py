"""Drivetrain files: drivetrain and brakes of a vehicle with given axles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from simulator.base.callbacks import address_of
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Fields, FieldType, Group, Number, Variants, read
from simulator.base.records import Length, Record, Table, dtype_of, labeled, record, view_as
from simulator.base.values import Values
from vehicles.axle_layout import AXLES, USUAL_AXLES, Axles, sized_for
from vehicles.brakes.brakes import brake_fields, brakes_from_mapping
from vehicles.drivetrain.callback_drivetrain import CALLBACK_DRIVETRAIN
from vehicles.drivetrain.contract import CALLBACK, WHEELS, DrivetrainKind
from vehicles.drivetrain.drivetrain import direct_drive
from vehicles.drivetrain.kinds import DEFAULT, DRIVETRAIN_KINDS, IMPLIED
from vehicles.vehicle_model import VehicleData

MOST_AXLES = 10
"""Largest number of axles in the schema."""


THREE_AXLES = Axles(("front", "middle", "rear"), (2, 2, 2))


def any_drivetrain_file() -> Fields:
    """Return the fields of the drivetrain file of any vehicle, for the schema: arrays of axles have any length, keys the usual names."""
    return tuple(replace(field, kind=_of_any_length(field.kind)) for field in drivetrain_file(THREE_AXLES))


def _of_any_length(kind: FieldType) -> FieldType:
    if isinstance(kind, Group):
        return Group(tuple(replace(field, kind=_of_any_length(field.kind)) for field in kind.fields))
    if isinstance(kind, Number):
        return replace(kind, shape=tuple((1, MOST_AXLES) if isinstance(n, Length) and n.name == AXLES.name else n for n in kind.shape))
    return kind


def axles_in(content: Any) -> Axles:
    """Return the axles of the vehicle of a drivetrain file, as far as its content shows them: the usual ones if nothing contradicts."""

    def section(of: Any, name: str) -> Mapping[Any, Any]:
        inside = of.get(name) if isinstance(of, Mapping) else None
        return inside if isinstance(inside, Mapping) else {}

    brakes, driveline = section(content, "brakes"), section(section(content, "drivetrain"), "driveline")
    given = [len(brakes[key]) for key in ("max_torque", "parking_torque") if isinstance(brakes.get(key), list)]
    names = [str(key).removesuffix("_final_ratio") for key in driveline if str(key).endswith("_final_ratio")]
    count = min(given[0] if given else max(len(names), 2), MOST_AXLES)
    if count == 2 and set(names) <= set(USUAL_AXLES.names):
        return USUAL_AXLES
    others = [name for name in (*USUAL_AXLES.names, *(f"axle_{n}" for n in range(count))) if name not in names]
    return Axles((*names, *others)[: max(count, 1)], (2,) * max(count, 1))


@cache
def drivetrain_section(axles: Axles = USUAL_AXLES) -> Variants:
    """Return the type of the section `drivetrain` of a vehicle with these axles."""

    @cache
    def fields(name: str) -> Fields:
        return DRIVETRAIN_KINDS.need(name).fields_for(axles)

    return Variants("type", fields, DRIVETRAIN_KINDS.names, "kind of drivetrain", default=DEFAULT, noun="a drivetrain:", implied=IMPLIED)


def drivetrain_file(axles: Axles = USUAL_AXLES) -> Fields:
    """Return the fields of a drivetrain file (``configs/drivetrains``)."""
    return (
        Field("drivetrain", drivetrain_section(axles), "drivetrain from the engine or the motors to the wheels"),
        Field("brakes", Group(brake_fields(axles)), "brakes of all wheels"),
    )


class DrivetrainParts(NamedTuple):
    """Drivetrain and brakes of a vehicle.

    Attributes
    ----------
    drivetrain, brakes : records DRIVETRAIN and BRAKES
    kind : kind of the drivetrain
    parameters : record of the parameters of the kind; for a shipped kind, `drivetrain`
    """

    drivetrain: Record
    brakes: Record
    kind: DrivetrainKind
    parameters: Record

    @property
    def callbacks(self) -> Record:
        """Return the record CALLBACK_DRIVETRAIN of the kind of a plugin, none for a shipped kind; valid as long as `parameters` exists."""
        out = record(CALLBACK_DRIVETRAIN, int(self.kind.kernel is not None))
        if self.kind.kernel is not None:
            out["kernel"], out["parameters"] = self.kind.kernel.address, address_of(self.parameters)
        return out

    def logged(self, space: VehicleData, axles: Axles) -> list[tuple[str, Table, Record]]:
        """Return the logged state as (prefix, table, record), a view of a record of VehicleData."""
        if not self.kind.state:
            return []
        if self.kind.kernel is None:
            table = labeled(sized_for(self.kind.state, axles.size), WHEELS.name, axles.corners)
            return [("", table, view_as(space.drivetrain, table, space.drivetrain.dtype))]
        table = labeled(self.kind.state, WHEELS.name, axles.corners)
        return [(f"{self.kind.name}_", table, view_as(space.drive_state, table, dtype_of(self.kind.state)))]

    @property
    def governed_speed(self) -> float:
        """Return the speed [rad/s] above which the engine or the fastest motor gives no torque at full throttle."""
        return self.kind.governed_speed(self.parameters)


def drivetrain_from_mapping(mapping: Any, file: object, key: str = "drivetrain", axles: Axles = USUAL_AXLES) -> Record:
    """Return the record DRIVETRAIN of a vehicle with these axles from the section `drivetrain` of a file. Raises ConfigError."""
    return _drivetrain(drivetrain_section(axles).read(mapping, file, key), axles)[0]


def _drivetrain(values: Values, axles: Axles) -> tuple[Record, DrivetrainKind, Record]:
    """Return the record DRIVETRAIN, the kind and the record of its parameters.

    Raises
    ------
    ConfigError : the section is not valid, or a kind of a plugin does not support the number of wheels
    JounceError : a kind of an installed package does not match the contract
    """
    kind = DRIVETRAIN_KINDS.named(values["type"], values.file, values.path("type"))
    parameters = kind.parameters(values, axles)
    if DRIVETRAIN_KINDS.is_builtin(kind.name):
        return parameters, kind, parameters
    if axles.size.wheels > WHEELS:
        found = f"a vehicle with {axles.size.wheels} wheels"
        raise ConfigError(values.file, values.path("type"), found, f"at most {WHEELS} wheels with a drivetrain of a plugin")
    return direct_drive(CALLBACK, axles, [True] * axles.size.axles), kind, parameters


def read_parts(mapping: Any, file: object, axles: Axles = USUAL_AXLES) -> DrivetrainParts:
    """Return drivetrain and brakes of a vehicle with these axles from the mapping of a drivetrain file. Raises ConfigError."""
    parts = read(drivetrain_file(axles), mapping, file)
    with ErrorCollector() as faults:
        hub_ratio: Any = 1.0
        with faults.part():
            drivetrain, kind, parameters = _drivetrain(parts["drivetrain"], axles)
            hub_ratio = drivetrain[0]["hub_ratio"]
        with faults.part():
            brakes = brakes_from_mapping(parts["brakes"], file, axles=axles, hub_ratio=hub_ratio)
        faults.need_all()
        return DrivetrainParts(drivetrain, brakes, kind, parameters)
