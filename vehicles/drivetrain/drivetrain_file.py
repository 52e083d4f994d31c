"""The table of a drivetrain file: drivetrain and brakes of a vehicle with certain axles."""

from __future__ import annotations

from simulator.base.fields import Field, Fields, Group, Number, fields_of
from vehicles.axles import USUAL_AXLES, Axles, sized_for
from vehicles.brakes.friction_brake import BRAKE_FILE, RANGES
from vehicles.drivetrain.driveline import AXLE_FILE, RATIO
from vehicles.drivetrain.engine import ENGINE_FILE
from vehicles.drivetrain.gearbox import GEARBOX_FILE
from vehicles.drivetrain.tables import LARGEST_INERTIA
from vehicles.drivetrain.torque_converter import CONVERTER_FILE

_INERTIA = Number("kg m2", 0.0, LARGEST_INERTIA)


def drivetrain_file(axles: Axles = USUAL_AXLES) -> Fields:
    """Of a file in ``configs/vehicles/parts``."""
    drivetrain = (
        Field("engine", Group(ENGINE_FILE), "engine"),
        Field("torque_converter", Group(CONVERTER_FILE), "hydrodynamic torque converter"),
        Field("gearbox", Group(GEARBOX_FILE), "automatic gearbox"),
        Field("driveline", Group(_driveline(axles)), "shafts and differentials; the keys of an axle that is not driven are left out"),
    )
    return (
        Field("drivetrain", Group(drivetrain), "from the engine to the wheels"),
        Field("brakes", Group(fields_of(sized_for(BRAKE_FILE, axles.size), RANGES)), "brakes of all wheels"),
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
    )
