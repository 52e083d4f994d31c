"""`jounce tire FILE`: characteristics of a tire, and a plot of its curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.base.output_target import described
from simulator.builder.builder import build_tire
from simulator.tools.tires.characteristics import Sheet, sheet
from simulator.tools.tires.plots import draw
from vehicles.tires.magic_formula.model import KIND as MAGIC
from vehicles.tires.magic_formula.tir_tire import READINGS, relaxes
from vehicles.tires.tire_file import TireFile


def main_tire(arguments: Any) -> int:
    """Run `jounce tire` and return 0. Raises JounceError: unusable file, or a plot that cannot be written."""
    tire = build_tire(arguments.file)
    tire_sheet = sheet(Path(arguments.file).stem, tire, notes_of(tire))
    plot_file = arguments.output_file(f"{tire_sheet.name}.png")
    draw(tire_sheet, plot_file)
    print_line(json_text({**tire_sheet.to_dict(), "picture": str(plot_file)}) if arguments.json else to_text(tire_sheet, plot_file))
    return 0


def to_text(tire_sheet: Sheet, plot_file: Path) -> str:
    """Return the console text."""
    return f"{tire_sheet.to_text()}\n  curves in {described(str(plot_file))}"


def notes_of(tire: TireFile) -> tuple[str, ...]:
    """Return notes on the origin and the validity of the characteristics."""
    if tire.law.name != MAGIC.name:
        return ()
    p = tire.own[0]
    reading = READINGS[0 if p["linear"] else 1]
    notes = [f"Magic Formula set {'6.1' if p['set'] == 61 else '5.2'}, reading: {reading}, nominal load {p['load'] * p['lfzo']:g} N"]
    notes.append(f"maximum load of the curves {tire.shared[0]['load_max']:.4g} N (key load_max)")
    if p["set"] == 61 and p["p0"] > 0.0:
        notes.append(f"pressure {p['p'] / 1e3:.4g} kPa, nominal {p['p0'] / 1e3:.4g} kPa")
    if not relaxes(tire.own) and not p["relaxation"].any():
        notes.append("no relaxation lengths in the file: 0.6 and 1.2 radii [assumed]")
    notes.append(f"data of the {'right' if p['mirrored'] else 'left'} side; mirrored for the other side")
    return tuple(notes)
