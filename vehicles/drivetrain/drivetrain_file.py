"""Drivetrain files: drivetrain and brakes of a vehicle with given axles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Fields, Group, Named, Number, Variants, read
from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.axle_layout import USUAL_AXLES, Axles, record_for
from vehicles.brakes.brakes import brake_fields, brakes_from_mapping
from vehicles.drivetrain.driveline import driveline_file, driveline_from_values
from vehicles.drivetrain.drivetrain import DRIVETRAIN
from vehicles.drivetrain.engine import ENGINE_FILE, engine_from_values, engine_torque
from vehicles.drivetrain.friction_clutch import CLUTCH_FILE, clutch_from_values
from vehicles.drivetrain.gearbox import GEARBOX_FILE, gearbox_from_values
from vehicles.drivetrain.lockup_clutch import LOCK_UP_FILE, lock_up_from_values
from vehicles.drivetrain.losses import LOSSES_FILE, losses_from_values, no_losses
from vehicles.drivetrain.manual_gearbox import AUTOMATIC, KINDS
from vehicles.drivetrain.measured_curves import copy_record
from vehicles.drivetrain.motors import BATTERY_FILE, MOTOR_FILE, set_motors
from vehicles.drivetrain.shift_schedule import check_reach
from vehicles.drivetrain.starter import STARTER_FILE, starter_from_values
from vehicles.drivetrain.torque_converter import CONVERTER_FILE, converter_from_values
from vehicles.drivetrain.transfer_case import TRANSFER_CASE_FILE, transfer_case_from_values

ELECTRIC_FILE: Fields = (
    Field("motors", Named(Group(MOTOR_FILE), "at least one motor, by the name of its axle", least=1), "electric motors by axle"),
    Field("battery", Group(BATTERY_FILE), "battery of the motors"),
    Field("response_time", Number("s", 0.0, 10.0), "time constant of the motor torques"),
)
"""Keys of an electric drivetrain."""


def conventional_file(axles: Axles) -> Fields:
    """Return the keys of a drivetrain with an engine, of a vehicle with these axles."""
    return (
        Field("engine", Group(ENGINE_FILE), "engine"),
        Field("torque_converter", Group(CONVERTER_FILE), "hydrodynamic torque converter", None),
        Field("lock_up", Group(LOCK_UP_FILE), "lock-up clutch of the converter; default: none", None),
        Field("clutch", Group(CLUTCH_FILE), "friction clutch, as an alternative to a converter", None),
        Field("starter", Group(STARTER_FILE), "starter of an engine that can stall; default: the engine runs at any speed", None),
        Field("gearbox", Group(GEARBOX_FILE), "gearbox"),
        Field("driveline", Group(driveline_file(axles)), "shafts and differentials; an axle that is not driven has no keys"),
        Field("transfer_case", Group(TRANSFER_CASE_FILE), "low range and lock of the center differential; default: none", None),
        Field("losses", Group(LOSSES_FILE), "losses of the gear meshes and gear boxes; default: none", None),
    )


def drivetrain_section(axles: Axles = USUAL_AXLES) -> Variants:
    """Return the type of the section `drivetrain` of a vehicle with these axles."""
    tables = {"conventional": conventional_file(axles), "electric": ELECTRIC_FILE}
    return Variants("type", tables, tuple(tables), "kind of drivetrain", default="conventional", implied={"motors": "electric"})


def drivetrain_file(axles: Axles = USUAL_AXLES) -> Fields:
    """Return the fields of a drivetrain file (``configs/drivetrains``)."""
    return (
        Field("drivetrain", drivetrain_section(axles), "drivetrain from the engine or the motors to the wheels"),
        Field("brakes", Group(brake_fields(axles)), "brakes of all wheels"),
    )


def drivetrain_from_mapping(mapping: Any, file: object, key: str = "drivetrain", axles: Axles = USUAL_AXLES) -> Record:
    """Return the record DRIVETRAIN of a vehicle with these axles from the section `drivetrain` of a file.

    Raises
    ------
    ConfigError : a key is unknown or missing, the gearbox waits for a speed that the engine does not reach, a clutch cannot hold the
        engine, sections contradict each other; see also the readers of the sections
    """
    values = drivetrain_section(axles).read(mapping, file, key)
    return _electric(values, axles) if values["type"] == "electric" else _conventional(values, axles)


def _conventional(values: Values, axles: Axles) -> Record:
    """Return the record DRIVETRAIN of a vehicle with an engine. Raises ConfigError."""
    readers: dict[str, Callable[[Values], Record]] = {
        "engine": engine_from_values,
        "torque_converter": converter_from_values,
        "lock_up": lock_up_from_values,
        "clutch": clutch_from_values,
        "starter": starter_from_values,
        "gearbox": gearbox_from_values,
        "driveline": partial(driveline_from_values, axles=axles),
        "transfer_case": transfer_case_from_values,
        "losses": partial(losses_from_values, gears=len(values["gearbox"]["forward_ratios"])),
    }
    out = record_for(DRIVETRAIN, axles.size)
    with ErrorCollector() as faults:
        for name, read in readers.items():
            if name in values:
                with faults.part():
                    copy_record(read(values[name]), out)
    _check_consistency(values, out)
    return out


def _electric(values: Values, axles: Axles) -> Record:
    """Return the record DRIVETRAIN of a vehicle with electric motors only. Raises ConfigError."""
    out = record_for(DRIVETRAIN, axles.size)
    set_motors(values, out, axles)
    axles.write(out)
    copy_record(no_losses(), out)
    p = out[0]
    driven = p["motors_on"] > 0
    p["driven"], p["hub_ratio"], p["final_ratio"] = p["motors"], 1.0, np.where(driven, 1.0, np.inf)
    p["box_inertia"] = np.where(p["motors_on"] == 1, p["rotor_inertia"] * p["motor_ratio"] ** 2, 0.0)
    p["gears"], p["reverse_ratio"], p["maximum_speed"] = 1, -1.0, np.inf
    p["forward_ratios"][0] = 1.0
    return out


def _check_consistency(values: Values, out: Record) -> None:
    """Raise ConfigError if sections contradict each other."""
    p, gearbox = out[0], values["gearbox"]
    locks = bool(p["center_lockable"] or p["low_locks"])
    if "losses" in values or locks:
        p["has_friction"] = 1
    highest = float(p["engine_map_speed"][int(p["engine_points"]) - 1])
    with ErrorCollector() as faults:
        if p["upshift_speed"].max() > highest:
            faults.add(gearbox.error("upshift", "speeds that the engine reaches (its map ends at {})", highest))
        if locks and p["driven"] != 2:
            expected = "two driven axles with a lockable center differential between them"
            faults.add(ConfigError(values.file, values.path("transfer_case"), int(p["driven"]), expected))
        if ("clutch" in values) == ("torque_converter" in values):
            faults.add(values.error("", "either torque_converter or clutch"))
        elif ("clutch" in values) != (gearbox["type"] != KINDS[AUTOMATIC]):
            expected = "manual or sequential with a clutch, automatic with a torque_converter"
            faults.add(gearbox.error("type", expected + " (the file has a clutch)" * ("clutch" in values)))
        if "lock_up" in values and "clutch" in values:
            faults.add(values.error("lock_up", "no section lock_up without a torque_converter"))
        if "clutch" in values and not values["engine"]["inertia"] > 0.0:
            faults.add(values["engine"].error("inertia", "an inertia above 0, since a clutch has no impeller"))
        if "starter" in values and p["fire_speed"] >= p["idle_speed"]:
            faults.add(values["starter"].error("fire", "a speed below the idle speed of {}", float(p["idle_speed"])))
        with faults.part():
            if "schedule" in gearbox:
                check_reach(gearbox["schedule"], gearbox["forward_ratios"], governed_speed(out))
        _check_capacity(values, out, faults)


def governed_speed(out: Record) -> float:
    """Return the speed [rad/s] above which the engine of a record DRIVETRAIN gives no torque at full throttle.

    For motors, return the largest motor speed.
    """
    if out[0]["motors"] > 0:
        return float(out[0]["motor_speed_most"].max())
    points = int(out[0]["engine_points"])
    low, high = (
        float(out[0]["engine_map_speed"][np.argmax(out[0]["engine_map_open"][:points])]),
        float(out[0]["engine_map_speed"][points - 1]),
    )
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if engine_torque(out, middle, 1.0)[0] > 0.0 else (low, middle)
    return low


def _check_capacity(values: Values, out: Record, faults: ErrorCollector) -> None:
    """Check that the clutches can hold the engine torque; a weaker clutch would slip forever."""
    strongest = float(out[0]["engine_map_open"].max())
    if "clutch" in values and values["clutch"]["capacity"] <= strongest:
        faults.add(values["clutch"].error("capacity", "more than {}, the largest engine torque", strongest))
    strongest *= float(out[0]["converter_torque_ratio"].max())
    clutches = values["gearbox"].get("clutches")
    if clutches is not None and clutches["capacity"] <= strongest:
        faults.add(clutches.error("capacity", "more than {}, the largest turbine torque", strongest))


class DrivetrainParts(NamedTuple):
    """Records DRIVETRAIN and BRAKES."""

    drivetrain: Record
    brakes: Record


def read_parts(mapping: Any, file: object, axles: Axles = USUAL_AXLES) -> DrivetrainParts:
    """Return the records DRIVETRAIN and BRAKES of a vehicle with these axles from the mapping of a drivetrain file. Raises ConfigError."""
    parts = read(drivetrain_file(axles), mapping, file)
    with ErrorCollector() as faults:
        hub_ratio: Any = 1.0
        with faults.part():
            drivetrain = drivetrain_from_mapping(parts["drivetrain"], file, axles=axles)
            hub_ratio = drivetrain[0]["hub_ratio"]
        with faults.part():
            brakes = brakes_from_mapping(parts["brakes"], file, axles=axles, hub_ratio=hub_ratio)
        faults.need_all()
        return DrivetrainParts(drivetrain, brakes)
