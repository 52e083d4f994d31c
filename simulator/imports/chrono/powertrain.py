"""Engine, transmission, driveline and brakes of Project Chrono as a drivetrain file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.imports.chrono.geometry import plain, tidy
from simulator.imports.chrono.source import Part, Report

RPM = math.pi / 30.0
CONVERTER = {
    "speed_ratio": [0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 1.0],
    "value": [1.0, 1.01, 1.05, 1.14, 1.24, 1.42, 1.59, 1.9, 2.5, 3.68, 7.36],
}
"""Shape of the capacity factor of a usual converter, over that at stall; for a transmission without a coupling of its own."""
TORQUE_RATIO = {"speed_ratio": [0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.88, 1.0], "value": [1.95, 1.74, 1.52, 1.3, 1.19, 1.07, 1.0, 1.0]}
STALL = 0.4
"""Speed of the engine at stall of such a converter, over its maximum speed."""
ENGINE_INERTIA = 0.2
"""kg m2. Assumed for engines without an inertia in the source."""
BRAKE_ANGLE = 0.01
"""rad. Assumed elastic angle of a brake at its largest torque."""
MAX_POINTS = 64
MAX_SPEED = 29000.0
"""rpm. Largest speed of an engine."""


@dataclass
class Drive:
    """What the drivetrain needs from the axles.

    Attributes
    ----------
    half_shaft : inertia of the shaft of one wheel, mean of the driven axles [kg m2]
    wheel_inertia : moment of inertia of a wheel about its axle [kg m2]
    radius : radius of a wheel [m]
    """

    half_shaft: float
    wheel_inertia: float
    radius: float


def read_drivetrain(engine: Part, transmission: Part, driveline: tuple[Part, list[int]], drive: Drive, report: Report) -> dict[str, Any]:
    """Return the section `drivetrain` of a drivetrain file. Raises ConfigError: a template without counterpart."""
    kind = transmission.text("Template")
    machine, most = _engine(engine, report)
    section: dict[str, Any] = {"engine": machine}
    if kind == "AutomaticTransmissionShafts":
        section |= _shafts(transmission, machine, report)
    elif kind == "AutomaticTransmissionSimpleMap":
        section |= _simple_map(transmission, machine, most, report)
    elif kind == "ManualTransmissionShafts":
        section |= _manual(transmission, machine, most, report)
    else:
        kinds = "AutomaticTransmissionShafts, AutomaticTransmissionSimpleMap or ManualTransmissionShafts"
        transmission.refuse("Template", kind, f"{kinds}; hint: use --transmission, or --drivetrain for one of Jounce")
    section["gearbox"]["lockout_wheel_speed"] = round(1.0 / drive.radius, 1)
    report.add(transmission, "", "no lock of reverse", "gears against the motion engage below about 1 m/s")
    section["driveline"] = _driveline(*driveline, drive, report)
    return section


def _curve(table: Array) -> dict[str, Any]:
    return {"speed_rpm": plain(table[:MAX_POINTS, 0]), "torque": plain(table[:MAX_POINTS, 1])}


def _engine(part: Part, report: Report) -> tuple[dict[str, Any], float]:
    """Return the section of an engine and its maximum speed [rpm]."""
    template = part.text("Template")
    if template == "EngineShafts":
        full, losses = part.table("Torque Map"), part.table("Losses Map")
        part.used.add("Motor Block Inertia")
        inertia = part.number("Motorshaft Inertia", low=0.0, high=1000.0)
        section = {"inertia": inertia, "full_throttle": _curve(full), "losses": _curve(losses)}
        most = float(full[-1, 0])
    elif template == "EngineSimpleMap":
        full, closed = part.table("Map Full Throttle"), part.table("Map Zero Throttle")
        most = part.number(part.first("Maximal Engine Speed RPM", "Maximum Engine Speed RPM"), low=10.0, high=30000.0)
        section = {"inertia": ENGINE_INERTIA, "full_throttle": _curve(full), "closed_throttle": _curve(closed)}
        report.add(part, "", "no inertia of the engine", f"{ENGINE_INERTIA:g} kg m2, assumed")
        section["maximum"] = {"speed_rpm": most, "band_rpm": 100.0}
    elif template == "EngineSimple":
        torque, power = part.number("Maximum Engine Torque", low=0.1), part.number("Maximum Engine Power", low=1.0)
        most = min(part.number("Maximum Engine Speed", low=1.0, high=1e5) / RPM, MAX_SPEED)
        knee = min(power / torque / RPM, 0.99 * most)
        speeds = np.concatenate([[0.0], np.geomspace(knee, most, 20)])
        full = np.column_stack([speeds, [min(torque, power / max(n * RPM, 1e-9)) for n in speeds]])
        section = {"inertia": ENGINE_INERTIA, "full_throttle": _curve(full), "maximum": {"speed_rpm": tidy(most), "band_rpm": 100.0}}
        section["closed_throttle"] = {"speed_rpm": [0.0, tidy(most)], "torque": [0.0, 0.0]}
        report.add(part, "", "no inertia of the engine and no torque with the throttle closed", f"{ENGINE_INERTIA:g} kg m2 and 0 N m")
    else:
        part.refuse(
            "Template", template, "EngineShafts, EngineSimpleMap or EngineSimple; hint: use --engine, or --drivetrain for one of Jounce"
        )
    if "maximum" not in section and full[-1, 1] >= 0.0:
        section["maximum"] = {"speed_rpm": most, "band_rpm": 100.0}
        report.add(part, "Torque Map", "a torque that is not negative at the end", f"a governor at {most:g} rpm")
    return section, most


def _ratios(box: Part) -> tuple[list[float], float]:
    forward = box.numbers("Forward Gear Ratios")
    if not 2 <= len(forward) <= 10 or not (np.diff(np.abs(forward)) > 0.0).all() or not np.abs(forward).min() >= 0.01:
        box.refuse("Forward Gear Ratios", plain(forward), "2 to 10 rising ratios, output over input speed")
    return plain(np.abs(forward)), -abs(box.number("Reverse Gear Ratio", low=-20.0, high=20.0))


def _shafts(part: Part, engine: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return converter and gearbox of AutomaticTransmissionShafts."""
    converter, box = part.part("Torque Converter"), part.part("Gear Box")
    capacity, ratio = converter.table("Capacity Factor Map"), converter.table("Torque Ratio Map")
    if engine["inertia"]:
        problem = "an inertia without effect: Project Chrono sets the speed of the crankshaft to that of the transmission"
        report.lines.append(f"{part.file}: Motorshaft Inertia: the engine has {problem}; used: the inertia of the transmission alone")
        engine["inertia"] = 0.0
    part.used |= {"Transmission Block Inertia", "Driveshaft Inertia"}
    forward, reverse = _ratios(box)
    up, down = (box.number(f"{word} RPM", low=0.0, high=30000.0) for word in ("Upshift", "Downshift"))
    report.add(converter, "", "a step of the torque at speed ratio 1", "a band of 0.005 in which it passes through zero")
    return {
        "torque_converter": {
            "impeller_inertia": part.number("Motorshaft Inertia", low=1e-6, high=1000.0),
            "turbine_inertia": part.number(part.first("Input Shaft Inertia", "Ingear Shaft Inertia"), low=1e-6, high=1000.0),
            "capacity_factor": {"speed_ratio": plain(capacity[:, 0]), "value": plain(capacity[:, 1])},
            "torque_ratio": {"speed_ratio": plain(ratio[:, 0]), "value": plain(ratio[:, 1])},
            "coupling_band": 0.005,
        },
        "gearbox": {
            "forward_ratios": forward,
            "reverse_ratio": reverse,
            "upshift_rpm": [up, up],
            "downshift_rpm": [down, down],
            "shift_latency": box.number("Shift Latency", 1.0, low=0.0, high=60.0),
            **IMMEDIATE,
        },
    }


IMMEDIATE = {"shift_time": 0.0, "engage_time": 0.0, "release_time": 0.0}
"""Project Chrono changes ratios at once."""


def _simple_map(part: Part, engine: dict[str, Any], most: float, report: Report) -> dict[str, Any]:
    """Return an added converter and the gearbox of AutomaticTransmissionSimpleMap."""
    box = part.part("Gear Box")
    forward, reverse = _ratios(box)
    shifts = box.get("Shift Points Map RPM", "pairs of speeds")
    if not isinstance(shifts, list) or len(shifts) != len(forward):
        box.refuse("Shift Points Map RPM", shifts, f"{len(forward)} pairs of speeds: down, up")
    down, up = np.array([box._numbers("Shift Points Map RPM", row, 2, 0.0, "a pair of speeds") for row in shifts]).T
    ups = [tidy(round(up[n] * forward[n], 3)) for n in range(len(forward) - 1)]
    downs = [tidy(round(down[n + 1] * forward[n + 1], 3)) for n in range(len(forward) - 1)]
    for n, (higher, lower) in enumerate(zip(ups, downs, strict=True)):
        if lower >= higher:
            box.refuse("Shift Points Map RPM", f"gears {n + 1} and {n + 2}", "a downshift speed of the output below that of the upshift")
    full = engine["full_throttle"]
    stall = STALL * most
    torque = max(float(np.interp(stall, full["speed_rpm"], full["torque"])), 1.0)
    factor = stall * RPM / math.sqrt(torque)
    report.add(
        part, "", "a rigid connection of engine and gears", f"a torque converter with a stall speed of about {stall:.0f} rpm, assumed"
    )
    report.add(box, "", "no time between shifts", "1 s, assumed")
    report.add(box, "", "no idle speed", f"a governor at {0.8 * 1000:g} rpm, assumed")
    idle = min(800.0, 0.2 * most)
    engine["idle"] = {"speed_rpm": tidy(idle), "band_rpm": tidy(0.2 * idle), "throttle": 0.2}
    return {
        "torque_converter": {
            "impeller_inertia": 0.1,
            "turbine_inertia": 0.05,
            "capacity_factor": {"speed_ratio": CONVERTER["speed_ratio"], "value": [round(factor * x, 3) for x in CONVERTER["value"]]},
            "torque_ratio": TORQUE_RATIO,
            "coupling_band": 0.005,
        },
        "gearbox": {
            "forward_ratios": forward,
            "reverse_ratio": reverse,
            "schedule": {"throttle": [0.0, 1.0], "upshift_rpm": [[x, x] for x in ups], "downshift_rpm": [[x, x] for x in downs]},
            "shift_latency": 1.0,
            **IMMEDIATE,
        },
    }


def _manual(part: Part, engine: dict[str, Any], most: float, report: Report) -> dict[str, Any]:
    """Return clutch, starter and gearbox of ManualTransmissionShafts, which has a torque limit of the clutch and ratios alone."""
    box = part.part("Gear Box")
    forward, reverse = _ratios(box)
    part.used |= {"Transmission Block Inertia", "Driveshaft Inertia"}
    engine["inertia"] = tidy(engine["inertia"] + part.number("Motorshaft Inertia", 0.0, 0.0, 1000.0))
    idle = min(800.0, 0.2 * most)
    engine["idle"] = {"speed_rpm": tidy(idle), "band_rpm": tidy(0.2 * idle), "throttle": 0.2}
    peak = max(engine["full_throttle"]["torque"])
    report.add(box, "", "no shift speeds, synchronizers, idle speed and starter", "usual values, assumed, for the automatic driver")
    return {
        "clutch": {
            "capacity": part.number("Clutch Torque Limit", low=1.0, high=1e5),
            "pedal": [0.0, 0.2, 0.7, 1.0],
            "share": [1.0, 1.0, 0.0, 0.0],
            "inertia": part.number("Input Shaft Inertia", low=1e-6, high=1000.0),
            "drag": 0.005,
            "driver": {"from_rpm": tidy(1.1 * idle), "full_rpm": tidy(round(0.35 * most)), "time": 0.35},
        },
        "starter": {
            "stall_rpm": tidy(0.4 * idle),
            "fire_rpm": tidy(0.45 * idle),
            "friction": tidy(round(0.1 * peak, 1)),
            "torque": tidy(round(0.7 * peak, 1)),
            "speed_rpm": tidy(0.7 * idle),
        },
        "gearbox": {
            "type": "manual",
            "forward_ratios": forward,
            "reverse_ratio": reverse,
            "upshift_rpm": [tidy(round(0.35 * most)), tidy(round(0.8 * most))],
            "downshift_rpm": [tidy(round(0.16 * most)), tidy(round(0.35 * most))],
            "shift_latency": 1.0,
            "synchronizer": {"torque": 40.0, "time": 0.6, "gate_time": 0.15},
        },
    }


def _driveline(part: Part, axles: list[int], drive: Drive, report: Report) -> dict[str, Any]:
    """Return the section `driveline`. `axles` are the driven ones: 0 in front, 1 in the rear."""
    template = part.text("Template")
    names = ["front", "rear"]
    section: dict[str, Any] = {}
    if template in ("ShaftsDriveline2WD", "ShaftsDriveline4WD"):
        wheels = 1 if template.endswith("2WD") else 2
        if len(axles) != wheels:
            part.refuse("Template", template, f"{wheels} driven axles; got {len(axles)}")
        shaft, gear = part.part("Shaft Inertia"), part.part("Gear Ratio")
        part.used.add("Shaft Direction")
        gear.used.add("Differential")
        section = {"driveshaft_inertia": shaft.number("Driveshaft", low=0.0, high=1000.0), "half_shaft_inertia": drive.half_shaft}
        for n in axles:
            word = f"{names[n].capitalize()} " if wheels == 2 else ""
            section[f"{names[n]}_shaft_inertia"] = shaft.number(f"{word}Driveshaft", low=0.0, high=1000.0) if wheels == 2 else 0.0
            section[f"{names[n]}_box_inertia"] = shaft.number(f"{word}Differential Box", low=0.0, high=1000.0)
            section[f"{names[n]}_final_ratio"] = abs(gear.number(f"{word}Conical Gear", low=-1.0, high=1.0))
        if wheels == 2 and "Central Differential Box" in shaft:
            shaft.used.add("Central Differential Box")
        for key in ("Axle Differential Locking Limit", "Central Differential Locking Limit"):
            if key in part:
                part.used.add(key)
                report.add(part, key, "a lock of a differential, open unless the driver closes it", "an open differential")
    elif template == "SimpleDriveline":
        report.add(part, "", "a driveline without inertias", "0.05 kg m2 for each shaft, assumed")
        section = {"driveshaft_inertia": 0.05, "half_shaft_inertia": drive.half_shaft}
        for n in axles:
            word = names[n].capitalize()
            ratio = part.number(f"{word} Conical Gear Ratio", low=-1.0, high=1.0)
            section |= {f"{names[n]}_shaft_inertia": 0.05, f"{names[n]}_box_inertia": 0.05, f"{names[n]}_final_ratio": abs(ratio)}
            bias = part.number(f"{word} Differential Max Bias", 1.0, 1.0, 50.0)
            if bias > 1.0:
                section[f"{names[n]}_differential"] = {"type": "torque_biasing", "bias_ratio": bias, "blend_speed": 0.5}
        if part.number("Front Torque Fraction", 0.5, 0.0, 1.0) != 0.5 and len(axles) == 2:
            report.add(part, "Front Torque Fraction", "unequal torques of the axles", "an open differential between them")
    else:
        part.refuse(
            "Template", template, "ShaftsDriveline2WD, ShaftsDriveline4WD or SimpleDriveline; hint: use --drivetrain for one of Jounce"
        )
    return section


def read_brakes(axles: list[list[Part]], drive: Drive, report: Report) -> dict[str, Any]:
    """Return the section `brakes`. `axles` has the brakes of front and rear axle."""
    torques = []
    for brakes in axles:
        for brake in brakes:
            if brake.text("Template") not in ("BrakeSimple", "BrakeShafts"):
                brake.refuse("Template", brake.text("Template"), "BrakeSimple or BrakeShafts")
            brake.used |= {"Shaft Inertia", "Can Lock"}
        values = [brake.number("Maximum Torque", low=0.0, high=1e6) for brake in brakes]
        if not values:
            torques.append(0.0)
            continue
        if len(set(values)) > 1:
            report.add(brakes[0], "Maximum Torque", "another brake on the right side", "the mean of both sides")
        torques.append(tidy(sum(values) / len(values)))
    most = max(torques)
    stiffness = max(most / BRAKE_ANGLE, 1000.0)
    damping = 0.9 * math.sqrt(stiffness * (drive.wheel_inertia + drive.half_shaft))
    first = next(brake for brakes in axles for brake in brakes) if any(axles) else None
    if first is not None:
        report.add(
            first,
            "",
            "no parking brake and no stiffness of the brakes",
            f"the rear brakes as parking brake, {BRAKE_ANGLE:g} rad at the largest torque",
        )
    return {
        "max_torque": torques,
        "parking_torque": [0.0, torques[1] or torques[0]] if torques[1] else [torques[0], 0.0],
        "stiffness": tidy(stiffness),
        "damping": float(f"{damping:.2g}"),
    }
