"""Tires of Project Chrono: TMeasy, Magic Formula of a .tir file, Fiala and rigid ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.inputfile import read_bytes
from simulator.imports.chrono.geometry import plain, tidy
from simulator.imports.chrono.source import DataFolder, Part, Report

GRAVITY = 9.81
LOADS = (
    "250 257 265 272 280 290 300 307 315 325 335 345 355 365 375 387 400 412 425 437 450 462 475 487 500 515 530 545 560 580 600 615 630 "
    "650 670 690 710 730 750 775 800 825 850 875 900 925 950 975 1000 1030 1060 1090 1120 1150 1180 1215 1250 1285 1320 1360 1400 1450 "
    "1500 1550 1600 1650 1700 1750 1800 1850 1900 1950 2000 2060 2120 2180 2240 2300 2360 2430 2500 2575 2650 2725 2800 2900 3000 3075 "
    "3150 3250 3350 3450 3550 3650 3750 3875 4000"
)
"""kg. Loads of the load indices from 60 on, as on tires."""
LEAST_INDEX = 60
TYPICAL = {
    "Truck": {
        "dfx0": [17.7764, 14.5301],
        "fxm": [0.89965, 0.77751],
        "fxs": [0.46183, 0.42349],
        "dfy0": [7.4013, 6.8505],
        "fym": [0.75876, 0.72628],
        "fys": [0.68276, 0.65319],
        "sxm": [0.10811, 0.12389],
        "sxs": [0.66667, 0.66667],
        "sym": [0.33167, 0.33216],
        "sys": [1.0296, 1.0296],
        "sq0": [0.36484, 0.36538],
        "sqe": [1.0296, 1.0296],
    },
    "Passenger": {
        "dfx0": [18.3741, 19.4669],
        "fxm": [1.1292, 1.0896],
        "fxs": [0.80149, 0.76917],
        "dfy0": [15.9826, 12.8509],
        "fym": [1.0009, 0.91367],
        "fys": [0.8336, 0.77336],
        "sxm": [0.13913, 0.13913],
        "sxs": [0.66667, 0.66667],
        "sym": [0.14852, 0.18504],
        "sys": [0.96524, 1.0714],
        "sq0": [0.16337, 0.20355],
        "sqe": [0.96524, 1.0714],
    },
}
"""Typical TMeasy values of Project Chrono (BSD-3-Clause) for tires given by their load; forces are over the load."""
CURVES = {
    "dfx0": ("Longitudinal", "Initial Slopes dFx/dsx [N]"),
    "fxm": ("Longitudinal", "Maximum Fx Load [N]"),
    "fxs": ("Longitudinal", "Sliding Fx Load [N]"),
    "sxm": ("Longitudinal", "Slip sx at Maximum Fx"),
    "sxs": ("Longitudinal", "Slip sx where sliding begins"),
    "dfy0": ("Lateral", "Initial Slopes dFy/dsy [N]"),
    "fym": ("Lateral", "Maximum Fy Load [N]"),
    "fys": ("Lateral", "Sliding Fy Load [N]"),
    "sym": ("Lateral", "Slip sy at Maximum Fy"),
    "sys": ("Lateral", "Slip sy where sliding begins"),
    "nl0": ("Aligning", "Normalized Trail at Zero Slip sy"),
    "sq0": ("Aligning", "Slip sy where Trail Changes Sign"),
    "sqe": ("Aligning", "Slip sy where Trail Tends to Zero"),
}
RIM_LIP = 0.01
"""m. Height of the bottomed tire above the rim, as in Project Chrono."""
BOTTOMING = 5.0
"""Stiffness of the bottomed tire over that of the tire, as in Project Chrono."""
TREAD = {"tread_stiffness": [1.0e6, 1.0e6], "tread_damping": [5000.0, 5000.0]}
"""Forces without relaxation, as in Project Chrono: a tread so stiff that the forces follow within 0.15 m."""


@dataclass
class Tire:
    """A tire.

    Attributes
    ----------
    section : content of the tire file
    mass, inertia : of the tire [kg, kg m2]
    files : further files by name
    """

    section: dict[str, Any]
    mass: float
    inertia: Vector
    files: dict[str, bytes]

    @property
    def radius(self) -> float:
        return float(self.section["radius"])


def read_tire(part: Part, data: DataFolder, report: Report) -> Tire:
    """Return a tire. Raises ConfigError: a template without counterpart, an unusable value."""
    template = part.text("Template")
    readers = {"TMeasyTire": _tmeasy, "Pac02Tire": _pac02, "FialaTire": _fiala, "RigidTire": _rigid}
    if template not in readers:
        part.refuse("Template", template, f"one of {', '.join(readers)}; hint: use --tire for another file, or for a tire of Jounce")
    tire = readers[template](part, data, report)
    report.add(part, "", "no soil", "no bulldozing and forces at the contact point")
    return tire


def _common(radius: float, width: float, friction: float, resistance: float) -> dict[str, Any]:
    return {
        "radius": radius,
        "width": width,
        "friction": friction,
        "rolling_resistance": resistance,
        "torque_radius": 0.0,
        "bulldozing": 0.0,
    }


def _vertical(stiffness: float, growth: float, damping: float, rim: float) -> dict[str, Any]:
    return {
        "stiffness": tidy(stiffness),
        "stiffness_growth": tidy(growth),
        "damping": tidy(damping),
        "bottoming_radius": tidy(rim + RIM_LIP),
        "bottoming_stiffness": tidy(BOTTOMING * stiffness),
    }


def _tmeasy(part: Part, data: DataFolder, report: Report) -> Tire:
    design = part.part("Design")
    radius, rim, width = (design.number(f"{key} [m]", low=0.01, high=10.0) for key in ("Unloaded Radius", "Rim Radius", "Width"))
    if rim + RIM_LIP >= radius:
        design.refuse("Rim Radius [m]", rim, f"a rim inside the radius of {radius:g} m")
    mass, inertia = design.mass("Mass [kg]"), design.numbers("Inertia [kg.m2]", 3, 0.0)
    design.used.add("Roundness of Cross Section")
    section = {
        "type": "tmeasy",
        **_common(radius, width, part.number("Coefficient of Friction", 0.8, 0.01, 5.0), _resistance(part, report)),
    }
    part.used |= {
        "Vehicle Type",
        "Load Index",
        "Maximum Bearing Capacity [N]",
        "Inflation Pressure Design [Pa]",
        "Inflation Pressure Use [Pa]",
    }
    section |= (
        _measured(part.part("Parameters"), radius, rim, report)
        if "Parameters" in part
        else _typical(part, radius, rim, width, mass, report)
    )
    report.add(part, "", "no camber stiffness and no moment at standstill", "none")
    return Tire(section, mass, inertia, {})


def _resistance(part: Part, report: Report) -> float:
    if "Rolling Resistance Coefficients" in part:
        pair = part.numbers("Rolling Resistance Coefficients", 2, 0.0)
        if pair[0] != pair[1]:
            report.add(part, "Rolling Resistance Coefficients", "another rolling resistance at twice the load", "that at the nominal load")
        return float(pair[0])
    return part.number("Rolling Resistance Coefficient", 0.0, 0.0, 1.0)


def _measured(part: Part, radius: float, rim: float, report: Report) -> dict[str, Any]:
    """Return the section of a tire with all parameters, in the old form (Tire Load) or the present one (Vertical)."""
    part.used.add("Dynamic Radius Weighting Coefficients")
    tread = dict(TREAD)
    if "Tire Load" in part:
        load, stiffness, damping = part.part("Tire Load"), part.part("Tire Stiffness"), part.part("Tire Damping")
        nominal = load.number("Nominal Vertical Force [N]", low=1.0)
        c1, c2 = stiffness.numbers("Vertical [N/m]", 2, 1.0)
        square = 2.0 * c1**2 - c2**2
        if square <= 0.0:
            stiffness.refuse("Vertical [N/m]", [c1, c2], "a stiffness at twice the load below 1.4 times that at the nominal load")
        vertical = _vertical(math.sqrt(square), (c2**2 - c1**2) / (4.0 * nominal), damping.number("Vertical [Ns/m]", low=0.001), rim)
        tread["tread_stiffness"] = [stiffness.number(f"{word} [N/m]", low=100.0, high=1e8) for word in ("Longitudinal", "Lateral")]
        tread["tread_damping"] = [damping.number(f"{word} [Ns/m]", low=0.001, high=1e6) for word in ("Longitudinal", "Lateral")]
    else:
        load = part.part("Vertical")
        nominal = load.number("Nominal Vertical Force [N]", low=1.0)
        rate, growth = _spring(load, report)
        key = load.first("Tire Vertical Damping [Ns/m]", "Vertical Tire Damping [Ns/m]")
        vertical = _vertical(rate, growth, load.number(key, low=0.001), rim)
        bottom = load.number("Tire Bottoming Radius [m]", vertical["bottoming_radius"], 0.01, 10.0)
        if bottom < radius:
            vertical["bottoming_radius"] = bottom
        else:
            report.add(load, "Tire Bottoming Radius [m]", f"{bottom:g} m, outside the tire", f"{vertical['bottoming_radius']:g} m")
        vertical["bottoming_stiffness"] = load.number("Tire Bottoming Stiffness [N/m]", vertical["bottoming_stiffness"], 0.0)
        report.add(part, "", "no relaxation", "a stiff tread of 1e6 N/m")
    largest = load.number("Maximum Vertical Force [N]", 3.5 * nominal, low=1.0)
    curves = {name: plain(part.part(section).numbers(key, 2, 0.0)) for name, (section, key) in CURVES.items()}
    return {**vertical, "load": nominal, "load_max": largest, **curves, **tread}


def _spring(part: Part, report: Report) -> tuple[float, float]:
    """Return c1 and c2 of a load c1 d + c2 d^2 with a linear stiffness or a curve."""
    if "Tire Spring Curve Data" not in part:
        return part.number("Vertical Tire Stiffness [N/m]", low=100.0, high=1e8), 0.0
    return quadratic(part, "Tire Spring Curve Data", report)


def quadratic(part: Part, key: str, report: Report) -> tuple[float, float]:
    """Return c1 and c2 of c1 d + c2 d^2 closest to a curve of load over deflection."""
    table = part.table(key)
    d, force = table.T
    shape = np.column_stack([d, d * d])
    c1, c2 = np.linalg.lstsq(shape, force, rcond=None)[0]
    if c2 < 0.0 or c1 < 100.0:
        c1, c2 = float(d @ force / max(d @ d, 1e-12)), 0.0
    if c1 < 100.0:
        part.refuse(key, plain(force), "a load that rises with the deflection")
    error = float(np.abs(shape @ [c1, c2] - force).max())
    report.add(part, key, "a curve of the load", f"c1 d + c2 d^2, up to {error:.0f} N beside the curve")
    return float(c1), float(c2)


def _typical(part: Part, radius: float, rim: float, width: float, mass: float, report: Report) -> dict[str, Any]:
    """Return the section of a tire given by its load: typical values, scaled."""
    kind = part.text("Vehicle Type", "Passenger")
    if kind not in TYPICAL:
        part.refuse("Vehicle Type", kind, "Truck or Passenger")
    loads = [float(x) for x in LOADS.split()]
    if "Load Index" in part:
        index = part.number("Load Index", low=LEAST_INDEX, high=LEAST_INDEX + len(loads) - 1)
        load = loads[round(index) - LEAST_INDEX] * GRAVITY
    else:
        load = part.number("Maximum Bearing Capacity [N]", low=100.0, high=1e6)
    ratio = part.number("Inflation Pressure Use [Pa]", 1.0, 0.1) / part.number("Inflation Pressure Design [Pa]", 1.0, 0.1)
    both = {"Inflation Pressure Use [Pa]", "Inflation Pressure Design [Pa]"} <= set(part.data)
    nominal = 0.5 * load * (ratio if both else 1.0) ** 0.8
    stiffness = load / (0.16 * (radius - rim))
    damping = math.sqrt(stiffness * mass)
    values = TYPICAL[kind]
    factors = np.array([nominal, 2.0 * nominal])
    curves = {name: plain(np.array(pair) * (factors if name[0] in "df" else 1.0)) for name, pair in values.items()}
    report.add(part, "", "no relaxation", "a stiff tread of 1e6 N/m")
    return {
        **_vertical(stiffness, 0.0, damping, rim),
        "load": tidy(nominal),
        "load_max": tidy(3.5 * nominal),
        **curves,
        "nl0": [0.178, 0.19],
        **TREAD,
    }


def _pac02(part: Part, data: DataFolder, report: Report) -> Tire:
    key = part.first("TIR Specification File", "TIR File")
    if key not in part:
        expected = "a tire with a .tir file; hint: use --tire for another file, or for a tire of Jounce"
        part.refuse(key, "parameters inside the JSON file", expected)
    path = data.path(part.text(key), part, key)
    content = read_bytes(path, "a .tir file", 1 << 20)
    from vehicles.tires.magic_formula.tir_file import read_tir

    radius = read_tir(path).number("UNLOADED_RADIUS", "LENGTH")
    section = {
        "type": "magic_formula",
        "file": path.name,
        "friction": part.number("Coefficient of Friction", 0.8, 0.01, 5.0),
        "torque_radius": 0.0,
        "bulldozing": 0.0,
    }
    part.used.add("Use Mode")
    return Tire({**section, "radius": radius}, part.mass(), part.numbers("Inertia", 3, 0.0), {path.name: content})


def _fiala(part: Part, data: DataFolder, report: Report) -> Tire:
    values = part.part("Fiala Parameters")
    radius, width = values.number("Unloaded Radius", low=0.01, high=10.0), values.number("Width", low=0.01, high=10.0)
    values.used.add("Vertical Stiffness")
    curve = "Vertical Curve Data"
    rate, growth = quadratic(values, curve, report) if curve in values else (values.number("Vertical Stiffness", low=100.0, high=1e8), 0.0)
    rim = 0.5 * radius - RIM_LIP
    report.add(values, "", "no rim, no largest load and no moment width", "half of the radius, 60 kN, the width")
    resistance = values.number("Rolling Resistance", 0.0, 0.0, 1.0)
    friction = part.number("Coefficient of Friction", 0.8, 0.01, 5.0)
    lengths = [values.number(f"{axis} Relaxation Length", 0.3, 0.02, 10.0) for axis in ("X", "Y")]
    section = {
        "type": "fiala",
        **_common(radius, width, friction, resistance),
        **_vertical(rate, growth, values.number("Vertical Damping", low=0.001), rim),
        "load_max": 60000.0,
        "slip_stiffness": values.number("CSLIP", low=100.0),
        "cornering_stiffness": values.number("CALPHA", low=100.0),
        "friction_max": values.number("UMAX", low=0.01, high=5.0),
        "friction_min": values.number("UMIN", low=0.01, high=5.0),
        "moment_width": width,
        "relaxation": lengths,
    }
    return Tire(section, part.mass(), part.numbers("Inertia", 3, 0.0), {})


def _rigid(part: Part, data: DataFolder, report: Report) -> Tire:
    radius, width = part.number("Radius", low=0.01, high=10.0), part.number("Width", low=0.01, high=10.0)
    key = part.first("Contact Material", "Coefficient of Friction")
    material = part.part(key) if key == "Contact Material" else part
    friction = material.number("Coefficient of Friction", low=0.01, high=5.0)
    material.used |= {"Coefficient of Restitution", "Properties", "Coefficients"}
    report.add(part, key, "a rigid cylinder with Coulomb friction", "a Fiala tire of 2e6 N/m with short relaxation")
    section = {
        "type": "fiala",
        **_common(radius, width, friction, 0.0),
        **_vertical(2.0e6, 0.0, 12000.0, 0.5 * radius - RIM_LIP),
        "load_max": 60000.0,
        "slip_stiffness": 300000.0,
        "cornering_stiffness": 150000.0,
        "friction_max": friction,
        "friction_min": friction,
        "moment_width": width,
        "relaxation": [0.1, 0.1],
    }
    return Tire(section, part.mass(), part.numbers("Inertia", 3, 0.0), {})
