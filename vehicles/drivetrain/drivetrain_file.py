"""A drivetrain file: drivetrain and brakes of a vehicle with certain axles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from simulator.base.errors import Gathered
from simulator.base.fields import Field, Fields, Group, Number
from simulator.base.records import Record
from simulator.base.section import checked
from vehicles.axles import USUAL_AXLES, Axles
from vehicles.brakes.brakes import brake_fields, brakes_from_mapping
from vehicles.drivetrain.driveline import AXLE_FILE, OWN_FILE, RATIO, WHOLE_FILE
from vehicles.drivetrain.drivetrain import drivetrain_from_mapping
from vehicles.drivetrain.engine import ENGINE_FILE
from vehicles.drivetrain.friction_clutch import CLUTCH_FILE
from vehicles.drivetrain.gearbox import GEARBOX_FILE
from vehicles.drivetrain.lock_up import LOCK_UP_FILE
from vehicles.drivetrain.losses import LOSSES_FILE
from vehicles.drivetrain.starter import STARTER_FILE
from vehicles.drivetrain.tables import LARGEST_INERTIA
from vehicles.drivetrain.torque_converter import CONVERTER_FILE
from vehicles.drivetrain.transfer_case import TRANSFER_CASE_FILE

_INERTIA = Number("kg m2", 0.0, LARGEST_INERTIA)


def drivetrain_file(axles: Axles = USUAL_AXLES) -> Fields:
    """Of a file in ``configs/vehicles/parts``."""
    drivetrain = (
        Field("engine", Group(ENGINE_FILE), "engine"),
        Field("torque_converter", Group(CONVERTER_FILE), "hydrodynamic torque converter", None),
        Field("lock_up", Group(LOCK_UP_FILE), "its lock-up clutch; none when left out", None),
        Field("clutch", Group(CLUTCH_FILE), "instead of a converter: friction clutch", None),
        Field("starter", Group(STARTER_FILE), "an engine that can die, and be started; it runs at any speed when left out", None),
        Field("gearbox", Group(GEARBOX_FILE), "gearbox"),
        Field("driveline", Group(_driveline(axles)), "shafts and differentials; the keys of an axle that is not driven are left out"),
        Field("transfer_case", Group(TRANSFER_CASE_FILE), "low range and lock of the center differential; none when left out", None),
        Field("losses", Group(LOSSES_FILE), "of the meshes and boxes; none when left out", None),
    )
    return (
        Field("drivetrain", Group(drivetrain), "from the engine to the wheels"),
        Field("brakes", Group(brake_fields(axles)), "brakes of all wheels"),
    )


def _driveline(axles: Axles) -> Fields:
    return (
        Field("driveshaft_inertia", _INERTIA, "driveshaft with what turns with it"),
        Field("half_shaft_inertia", _INERTIA, "half shaft of one driven wheel"),
        *(
            Field(f"{name}_{row[0]}", Number("1", *RATIO) if row[0].endswith("ratio") else _INERTIA, f"{name} axle: {row[3]}", None)
            for name in axles.names
            for row in AXLE_FILE
        ),
        *(
            replace(field, name=f"{name}_{field.name}", meaning=f"{name} axle: {field.meaning}", default=None)
            for name in axles.names
            for field in OWN_FILE
        ),
        *WHOLE_FILE,
    )


def read_parts(mapping: Any, file: object, axles: Axles = USUAL_AXLES) -> tuple[Record, Record]:
    """Records DRIVETRAIN and BRAKES of a vehicle with these axles, from the mapping of a drivetrain file. Raises ConfigError."""
    with checked(drivetrain_file(axles), mapping, file) as parts, Gathered() as faults:
        drivetrain, brakes = parts.raw("drivetrain"), parts.raw("brakes")
        hub_ratio: Any = 1.0
        with faults.part():
            engine_to_wheels = drivetrain_from_mapping(drivetrain, file, axles=axles)
            hub_ratio = engine_to_wheels[0]["hub_ratio"]
        with faults.part():
            held = brakes_from_mapping(brakes, file, axles=axles, hub_ratio=hub_ratio)
        faults.need_all()
        return engine_to_wheels, held
