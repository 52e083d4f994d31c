"""`jounce kc VEHICLE...`: kinematics and compliance of the axles as a table, JSON, CSV and a page."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.output_target import described, output_path
from simulator.base.status_line import StatusLine
from simulator.builder.builder import build_ground, build_vehicle
from simulator.telemetry.atomic_files import write_text
from simulator.tools.kc.page import QUANTITIES, Measured, kc_page, measured
from simulator.tools.kc.results import ROUNDING
from simulator.tools.kc.rig import Rig
from simulator.tools.kc.sweeps import BOUNCE
from simulator.tools.kc.tables import write_table


def main_kc(arguments: Any) -> int:
    """Run `jounce kc` and return 0. Raises JounceError: unusable vehicle, or a file that cannot be written."""
    if arguments.tables is not None and Path(arguments.tables).exists() and not Path(arguments.tables).is_dir():
        raise ConfigError("--tables", "", arguments.tables, "a folder, which may be a new one")
    bounce = BOUNCE if arguments.bounce is None else 1e-3 * arguments.bounce
    measurements = []
    with StatusLine(arguments.json) as status:
        for name in arguments.vehicle:
            status(f"{name}: measuring")
            measurements.append(measured(Path(name).stem, Rig(build_vehicle(name, check_step=False), build_ground("flat")), bounce))
        status("drawing plots")
        html = kc_page(measurements, f"jounce kc {' '.join(arguments.vehicle)}").html()
    page = arguments.output_file(f"kc_{'_'.join(one.name for one in measurements)}.html")
    write_text(page, html)
    if arguments.csv:
        write_text(output_path(arguments.csv), as_csv(measurements))
    tables: list[str] = []
    rigid: list[str] = []
    for one in measurements if arguments.tables else ():
        for n, axle in enumerate(one.rig.axles.names):
            file = write_table(one.rig, n, one.name, Path(arguments.tables))
            (rigid if file is None else tables).append(f"{one.name}, {axle}" if file is None else str(file))
    if arguments.json:
        found = {"vehicles": [to_dict(one) for one in measurements], "page": str(page), "csv": arguments.csv, "tables": tables}
        print_line(json_text(found))
        return 0
    print_line(to_text(measurements))
    print_line(f"\nplots in {page}" + (f", all positions in {described(arguments.csv)}" if arguments.csv else ""))
    if tables:
        print_line(f"tables of the axles in {', '.join(tables)}")
    if rigid:
        print_line(f"no tables of rigid axles: {'; '.join(rigid)}")
    return 0


def to_dict(one: Measured) -> dict[str, Any]:
    """Return the JSON data: results by axle and test, each with value, unit and meaning; null for a rigid axle or an unreached position."""
    axles: dict[str, dict[str, dict[str, Any]]] = {}
    for axle, results in one.results.items():
        for r in results:
            of_test = axles.setdefault(axle, {}).setdefault(r.test, {})
            of_test[r.name] = {"value": r.value, "unit": r.unit, "meaning": r.meaning}
    return {"vehicle": one.name, "axles": axles}


def as_csv(measured: Sequence[Measured]) -> str:
    """Return CSV text: one row for each wheel, position and test, units in the column names; unreached positions have no row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [f"{name}_{unit}" for name, (_, unit, _) in QUANTITIES.items()]
    writer.writerow(["vehicle", "axle", "test", "unit", "swept", "side", "arm_angle_deg", *columns])
    for one in measured:
        for axle, sweeps in one.sweeps.items():
            for test, s in sweeps.items():
                for x, place in zip(s.x, s.places, strict=True):
                    if place is None:
                        continue
                    for wheel in place.wheels:
                        numbers = [math.degrees(place.arm), *(number(wheel) for _, _, number in QUANTITIES.values())]
                        which = "left" if wheel.left else "right"
                        writer.writerow([one.name, axle, test, s.unit, f"{x:.9g}", which, *(f"{number:.9g}" for number in numbers)])
    return out.getvalue()


def to_text(measured: Sequence[Measured]) -> str:
    """Return the console tables: one table for each axle, one column for each vehicle."""
    lines: list[str] = []
    for axle in dict.fromkeys(axle for one in measured for axle in one.results):
        having = [one for one in measured if axle in one.results]
        values = [{(r.test, r.name): r.value for r in one.results[axle]} for one in having]
        rows = {(r.test, r.name): r for one in having for r in one.results[axle]}
        width = max(len(name) for _, name in rows) + 2
        lines += ["", f"{axle} axle".ljust(width + 2) + "".join(f"{one.name:>18}" for one in having)]
        last = ""
        for key, r in rows.items():
            if r.test != last:
                lines.append(f"  {r.test.replace('_', ', ')}")
                last = r.test
            shown = "".join(f"{format_value(of.get(key, math.nan)):>18}" for of in values)
            lines.append(f"    {r.name.ljust(width - 2)}{shown}  {r.unit}")
    return "\n".join(lines[1:])


def format_value(value: float) -> str:
    """Format a value with four digits: rounding errors as 0, an infinite stiffness as "rigid", NaN as "-"."""
    if math.isinf(value):
        return "rigid"
    if math.isnan(value):
        return "-"
    return "0" if abs(value) < ROUNDING else f"{value:.4g}"
