"""Drivetrain files: drivetrain and brakes of a vehicle with given axles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Fields, Group, Named, Number
from simulator.base.records import Record
from simulator.base.section import Section, checked
from vehicles.axle_layout import USUAL_AXLES, Axles, record_for
from vehicles.brakes.brakes import brake_fields, brakes_from_mapping
from vehicles.drivetrain.driveline import AXLE_FILE, AXLE_OPTIONS, DRIVELINE_OPTIONS, RATIO, driveline_from_section
from vehicles.drivetrain.drivetrain import DRIVETRAIN
from vehicles.drivetrain.engine import ENGINE_FILE, engine_from_section, engine_torque
from vehicles.drivetrain.friction_clutch import CLUTCH_FILE, clutch_from_section
from vehicles.drivetrain.gearbox import GEARBOX_FILE, gearbox_from_section
from vehicles.drivetrain.lockup_clutch import LOCK_UP_FILE, lock_up_from_section
from vehicles.drivetrain.losses import LOSSES_FILE, losses_from_section, no_losses
from vehicles.drivetrain.manual_gearbox import AUTOMATIC, KINDS
from vehicles.drivetrain.measured_curves import MAX_INERTIA, RPM
from vehicles.drivetrain.motors import BATTERY_FILE, MOTOR_FILE, read_motors
from vehicles.drivetrain.shift_schedule import SCHEDULE_FILE, check_reach
from vehicles.drivetrain.starter import STARTER_FILE, starter_from_section
from vehicles.drivetrain.torque_converter import CONVERTER_FILE, converter_from_section
from vehicles.drivetrain.transfer_case import TRANSFER_CASE_FILE, transfer_case_from_section

OPTIONAL = ("torque_converter", "lock_up", "clutch", "starter", "transfer_case", "losses")
"""Optional sections of a drivetrain."""

_INERTIA = Number("kg m2", 0.0, MAX_INERTIA)
MOTOR_SECTIONS: Fields = (
    Field("motors", Named(Group(MOTOR_FILE), "motors by the names of axles"), "electric motors by axle"),
    Field("battery", Group(BATTERY_FILE), "battery of the motors"),
    Field("response_time", Number("s", 0.0, 10.0), "time constant of the motor torques"),
)
"""Keys of a drivetrain without an engine."""


def drivetrain_file(axles: Axles = USUAL_AXLES) -> Fields:
    """Return the fields of a drivetrain file (``configs/drivetrains``)."""
    drivetrain = (
        Field("engine", Group(ENGINE_FILE), "engine; omitted with electric motors", None),
        *(replace(field, default=None, meaning=f"{field.meaning}, as an alternative to an engine") for field in MOTOR_SECTIONS),
        Field("torque_converter", Group(CONVERTER_FILE), "hydrodynamic torque converter", None),
        Field("lock_up", Group(LOCK_UP_FILE), "lock-up clutch of the converter; default: none", None),
        Field("clutch", Group(CLUTCH_FILE), "friction clutch, as an alternative to a converter", None),
        Field("starter", Group(STARTER_FILE), "starter of an engine that can stall; default: the engine runs at any speed", None),
        Field("gearbox", Group(GEARBOX_FILE), "gearbox; omitted with electric motors", None),
        Field("driveline", Group(_driveline(axles)), "shafts and differentials; an axle that is not driven has no keys", None),
        Field("transfer_case", Group(TRANSFER_CASE_FILE), "low range and lock of the center differential; default: none", None),
        Field("losses", Group(LOSSES_FILE), "losses of the gear meshes and gear boxes; default: none", None),
    )
    return (
        Field("drivetrain", Group(drivetrain), "drivetrain from the engine to the wheels"),
        Field("brakes", Group(brake_fields(axles)), "brakes of all wheels"),
    )


def _driveline(axles: Axles) -> Fields:
    return (
        Field("driveshaft_inertia", _INERTIA, "inertia of the driveshaft and the parts that turn with it"),
        Field("half_shaft_inertia", _INERTIA, "inertia of the half shaft of one driven wheel"),
        *(
            Field(f"{name}_{row[0]}", Number("1", *RATIO) if row[0].endswith("ratio") else _INERTIA, f"{name} axle: {row[3]}", None)
            for name in axles.names
            for row in AXLE_FILE
        ),
        *(
            replace(field, name=f"{name}_{field.name}", meaning=f"{name} axle: {field.meaning}", default=None)
            for name in axles.names
            for field in AXLE_OPTIONS
        ),
        *DRIVELINE_OPTIONS,
    )


def drivetrain_from_mapping(mapping: Any, file: object, key: str = "drivetrain", axles: Axles = USUAL_AXLES) -> Record:
    """Return the record DRIVETRAIN of a vehicle with these axles from a mapping.

    The mapping has the sections `engine`, `torque_converter` or `clutch`, `gearbox`, `driveline`, and optionally `lock_up`, `starter`,
    `transfer_case` and `losses`.

    Raises
    ------
    ConfigError : a key is unknown or missing, the gearbox waits for a speed that the engine does not reach, a clutch cannot hold the
        engine, sections contradict each other; see also the readers of the sections
    """
    readers: dict[str, Callable[[Section], Record]] = {
        "engine": engine_from_section,
        "torque_converter": converter_from_section,
        "lock_up": lock_up_from_section,
        "clutch": clutch_from_section,
        "starter": starter_from_section,
        "gearbox": gearbox_from_section,
        "driveline": partial(driveline_from_section, axles=axles),
        "transfer_case": transfer_case_from_section,
        "losses": lambda section: losses_from_section(section, int(out[0]["gears"])),
    }
    out = record_for(DRIVETRAIN, axles.size)
    s = Section(mapping, file, key)
    if "motors" in s.mapping:
        return _read_electric(s, out, axles)
    s.only(readers)
    with ErrorCollector() as faults:
        for name, read in readers.items():
            if name in OPTIONAL and not s.has(name):
                continue
            if name == "losses" and out[0]["gears"] == 0:
                continue  # the number of gears is not known after an error
            with faults.part():
                part = read(s.section(name))
                for field in part.dtype.names or ():
                    out[0][field] = part[0][field]
    _check_consistency(s, out)
    return out


def _read_electric(s: Section, out: Record, axles: Axles) -> Record:
    """Return the record DRIVETRAIN of a vehicle with electric motors only. Raises ConfigError."""
    s.only([field.name for field in MOTOR_SECTIONS])
    with checked(MOTOR_SECTIONS, s.mapping, s.file, s.key) as own:
        read_motors(own, out, axles)
    p, lossless = out[0], no_losses()
    axles.write(out)
    for field in lossless.dtype.names or ():
        p[field] = lossless[0][field]
    driven = p["motors_on"] > 0
    p["driven"], p["hub_ratio"], p["final_ratio"] = p["motors"], 1.0, np.where(driven, 1.0, np.inf)
    p["box_inertia"] = np.where(p["motors_on"] == 1, p["rotor_inertia"] * p["motor_ratio"] ** 2, 0.0)
    p["gears"], p["reverse_ratio"], p["maximum_speed"] = 1, -1.0, np.inf
    p["forward_ratios"][0] = 1.0
    return out


def _check_consistency(s: Section, out: Record) -> None:
    """Raise ConfigError if sections contradict each other."""
    p = out[0]
    locks = bool(p["center_lockable"] or p["low_locks"])
    if "losses" in s.mapping or locks:
        p["has_friction"] = 1
    highest = float(p["engine_map_speed"][int(p["engine_points"]) - 1])
    with ErrorCollector() as faults:
        if p["upshift_speed"].max() > highest:
            found = (p["upshift_speed"] / RPM).round(3).tolist()
            expected = f"speeds that the engine reaches (its map ends at {highest / RPM:g} rpm)"
            faults.add(ConfigError(s.file, s.path("gearbox.upshift_rpm"), found, expected))
        if locks and p["driven"] != 2:
            expected = "two driven axles with a lockable center differential between them"
            faults.add(ConfigError(s.file, s.path("transfer_case"), int(p["driven"]), expected))
        if bool(p["has_clutch"]) == s.has("torque_converter"):
            faults.add(ConfigError(s.file, s.key, sorted(s.mapping), "either torque_converter or clutch"))
        elif bool(p["has_clutch"]) != (p["gearbox_kind"] != AUTOMATIC):
            expected = (
                f"manual or sequential with a clutch, automatic with a torque_converter{' (the file has a clutch)' * int(p['has_clutch'])}"
            )
            faults.add(ConfigError(s.file, s.path("gearbox.type"), KINDS[int(p["gearbox_kind"])], expected))
        if p["lock_capacity"] > 0.0 and p["has_clutch"]:
            faults.add(ConfigError(s.file, s.path("lock_up"), "a section", "no section lock_up without a torque_converter"))
        if p["has_clutch"] and not p["engine_inertia"] > 0.0:
            faults.add(ConfigError(s.file, s.path("engine.inertia"), 0.0, "an inertia above 0, since a clutch has no impeller"))
        if p["stall_speed"] > 0.0 and p["fire_speed"] >= p["idle_speed"]:
            expected = f"a speed below the idle speed of {p['idle_speed'] / RPM:g} rpm"
            faults.add(ConfigError(s.file, s.path("starter.fire"), float(p["fire_speed"] / RPM), expected))
        with faults.part():
            if p["schedule_points"] > 0:
                gearbox = s.section("gearbox")
                check_reach(checked(SCHEDULE_FILE, gearbox.raw("schedule"), s.file, gearbox.path("schedule")), out, governed_speed(out))
        _check_capacity(s, out, faults)


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


def _check_capacity(s: Section, out: Record, faults: ErrorCollector) -> None:
    """Check that the clutches can hold the engine torque; a weaker clutch would slip forever."""
    p = out[0]
    strongest = float(p["engine_map_open"].max())
    if 0.0 < p["friction_capacity"] <= strongest:
        expected = f"more than {strongest:g}, the largest engine torque"
        faults.add(ConfigError(s.file, s.path("clutch.capacity"), float(p["friction_capacity"]), expected))
    strongest *= float(p["converter_torque_ratio"].max())
    if 0.0 < p["shift_capacity"] <= strongest:
        expected = f"more than {strongest:g}, the largest turbine torque"
        faults.add(ConfigError(s.file, s.path("gearbox.clutches.capacity"), float(p["shift_capacity"]), expected))


class DrivetrainParts(NamedTuple):
    """Records DRIVETRAIN and BRAKES."""

    drivetrain: Record
    brakes: Record


def read_parts(mapping: Any, file: object, axles: Axles = USUAL_AXLES) -> DrivetrainParts:
    """Return the records DRIVETRAIN and BRAKES of a vehicle with these axles from the mapping of a drivetrain file. Raises ConfigError."""
    with checked(drivetrain_file(axles), mapping, file) as parts, ErrorCollector() as faults:
        drivetrain, brakes = parts.raw("drivetrain"), parts.raw("brakes")
        hub_ratio: Any = 1.0
        with faults.part():
            engine_to_wheels = drivetrain_from_mapping(drivetrain, file, axles=axles)
            hub_ratio = engine_to_wheels[0]["hub_ratio"]
        with faults.part():
            brake_record = brakes_from_mapping(brakes, file, axles=axles, hub_ratio=hub_ratio)
        faults.need_all()
        return DrivetrainParts(engine_to_wheels, brake_record)
