"""Section `drivetrain` of a drivetrain file with an engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Fields, Group
from simulator.base.records import Record, copy_record
from simulator.base.values import Values
from vehicles.axle_layout import Axles, record_for
from vehicles.drivetrain.contract import CONVENTIONAL, DrivetrainKind
from vehicles.drivetrain.conventional.engine import ENGINE_FILE, engine_from_values, engine_torque
from vehicles.drivetrain.conventional.friction_clutch import CLUTCH_FILE, clutch_from_values
from vehicles.drivetrain.conventional.gearbox import GEARBOX_FILE, gearbox_from_values
from vehicles.drivetrain.conventional.lockup_clutch import LOCK_UP_FILE, lock_up_from_values
from vehicles.drivetrain.conventional.manual_gearbox import AUTOMATIC, KINDS
from vehicles.drivetrain.conventional.shift_schedule import check_reach
from vehicles.drivetrain.conventional.starter import STARTER_FILE, starter_from_values
from vehicles.drivetrain.conventional.torque_converter import CONVERTER_FILE, converter_from_values
from vehicles.drivetrain.driveline import driveline_file, driveline_from_values
from vehicles.drivetrain.drivetrain import DRIVETRAIN
from vehicles.drivetrain.losses import LOSSES_FILE, losses_from_values
from vehicles.drivetrain.transfer_case import TRANSFER_CASE_FILE, transfer_case_from_values


@cache
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


def read_conventional(values: Values, axles: Axles) -> Record:
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
    out[0]["kind"] = CONVENTIONAL
    with ErrorCollector() as faults:
        for name, read in readers.items():
            if name in values:
                with faults.part():
                    copy_record(read(values[name]), out)
    _check_consistency(values, out)
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
        if "clutch" in values and values["clutch"]["driver"]["from"] >= (highest := governed_speed(out)):
            faults.add(values["clutch"]["driver"].error("from", "less than {}, above which the engine has no torque", highest))
        if "starter" in values and p["fire_speed"] >= p["idle_speed"]:
            faults.add(values["starter"].error("fire", "a speed below the idle speed of {}", float(p["idle_speed"])))
        with faults.part():
            if "schedule" in gearbox:
                check_reach(gearbox["schedule"], gearbox["forward_ratios"], governed_speed(out))
        _check_capacity(values, out, faults)


def governed_speed(out: Record) -> float:
    """Return the speed [rad/s] above which the engine of a record DRIVETRAIN gives no torque at full throttle."""
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


KIND = DrivetrainKind(
    "conventional",
    conventional_file,
    governed_speed,
    read=read_conventional,
    meaning="engine, torque converter or clutch, gearbox and driveline",
)
