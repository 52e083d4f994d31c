"""`jounce soilbin SOIL`: one wheel driven over a soil at given slips, loads, slip angles and inflations, as a table and as CSV."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.base.output_target import described, output_path
from simulator.telemetry.atomic_files import write_text
from simulator.tools.soil.arguments import angles, inflated, numbers, wheel_on_soil
from simulator.tools.soil.characteristics import default_load
from simulator.tools.soil.soil_bin import OUTPUTS, SPEED, SoilBin

SLIPS = ("-1", "-0.5", "-0.2", "0", "0.05", "0.1", "0.2", "0.4", "0.6", "0.8")
"""Default slips."""
INPUT_COLUMNS = ("slip", "slip_angle_deg", "load_N", "inflation_kPa", "speed_mps")
"""Columns of the inputs; the columns of OUTPUTS follow, with their units."""
UNITS = {"m": "m", "N": "N", "N m": "Nm", "1": ""}
COLUMNS = (*INPUT_COLUMNS, *(f"{name}_{UNITS[unit]}".rstrip("_") for name, unit, _ in OUTPUTS))
SHOWN_COLUMNS = (
    # column           heading           factor  digits
    ("slip", "slip", 1.0, "+.3f"),
    ("slip_angle_deg", "angle deg", 1.0, ".1f"),
    ("load_N", "load N", 1.0, ".0f"),
    ("inflation_kPa", "tire kPa", 1.0, ".0f"),
    ("sinkage_m", "sinkage mm", 1e3, ".1f"),
    ("drawbar_pull_N", "pull N", 1.0, ".1f"),
    ("thrust_N", "thrust N", 1.0, ".1f"),
    ("resistance_N", "resist. N", 1.0, ".1f"),
    ("torque_Nm", "torque N m", 1.0, ".3f"),
    ("side_force_N", "side N", 1.0, ".1f"),
)


def main_soilbin(arguments: Any) -> int:
    """Run `jounce soilbin` and return 0. Raises JounceError: unusable file or number, or a table that cannot be written."""
    slips = numbers(arguments.slip or SLIPS, "--slip", -1.0, 0.99)
    sideways = angles(arguments.slip_angle or ["0"], "--slip-angle")
    pressures = [None] if arguments.inflation is None else numbers(arguments.inflation, "--inflation", 1.0, 1e4).tolist()
    tables = []
    for pressure in pressures:
        wheel = wheel_on_soil(arguments, inflated(pressure))
        loads = numbers(arguments.load, "--load", 1e-2, 1e6) if arguments.load else np.array([default_load(wheel.tire)])
        tables.append(
            run_table(SoilBin(wheel.tire, wheel.soil, wheel.tire_name), slips, loads, sideways, arguments.speed or SPEED, pressure)
        )
    table = np.concatenate(tables)
    if arguments.csv:
        write_text(output_path(arguments.csv), as_csv(table))
    if arguments.json:
        rows = [{name: None if np.isnan(value) else value for name, value in zip(COLUMNS, row, strict=True)} for row in table.tolist()]
        print_line(json_text({"soil": wheel.soil_name, "tire": wheel.tire_name, "rows": rows, "csv": arguments.csv}))
        return 0
    print_line(f"{wheel.tire_name} on {wheel.soil_name}\n{to_text(table)}")
    if arguments.csv:
        print_line(f"all columns in {described(arguments.csv)}")
    return 0


def run_table(soil_bin: SoilBin, slips: Array, loads: Array, sideways: Array, speed: float, pressure: float | None) -> Array:
    """Return the table (n, columns) in the order of COLUMNS, for each combination of slip, load and angle."""
    angle, load, slip = (one.ravel() for one in np.meshgrid(sideways, loads, slips, indexing="ij"))
    forces = soil_bin.drive(slip, load, angle, speed)
    kilopascals = np.full(len(slip), np.nan if pressure is None else pressure)
    return np.column_stack([slip, np.degrees(angle), load, kilopascals, np.full(len(slip), speed), forces])


def as_csv(table: Array) -> str:
    """Return CSV text with one header line; an empty inflation is the inflation of the tire file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(["" if np.isnan(value) else f"{value:.9g}" for value in row] for row in table)
    return out.getvalue()


def to_text(table: Array) -> str:
    """Return the console table: a row for each state, marked with a star if not settled."""
    places = [COLUMNS.index(name) for name, *_ in SHOWN_COLUMNS]
    shown = [n for n, place in enumerate(places) if not np.isnan(table[:, place]).all()]
    lines = ["  ".join(f"{SHOWN_COLUMNS[n][1]:>10}" for n in shown)]
    for row in table:
        cells = [f"{format(SHOWN_COLUMNS[n][2] * row[places[n]], SHOWN_COLUMNS[n][3]):>10}" for n in shown]
        lines.append("  ".join(cells) + ("" if row[-1] else " *"))
    if not table[:, -1].all():
        lines.append("* not settled after 30 s")
    return "\n".join(lines)
