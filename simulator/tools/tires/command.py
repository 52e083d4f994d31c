"""`jounce tire FILE`: the numbers of a tire, and its curves as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.builder.builder import build_tire
from simulator.tools.tires.characteristics import Sheet, sheet
from simulator.tools.tires.plots import draw
from vehicles.tires.magic_formula.model import LAW as MAGIC
from vehicles.tires.magic_formula.tir_tire import READINGS, relaxes
from vehicles.tires.tire_file import TireFile


def main_tire(arguments: Any) -> int:
    """Command line; returns 0. Raises JounceError: the file cannot be used, or the picture cannot be written."""
    tire = build_tire(arguments.file)
    found = sheet(Path(arguments.file).stem, tire, notes_of(tire))
    picture = arguments.output_file(f"{found.name}.png")
    draw(found, picture)
    print_line(json_text({**found.to_dict(), "picture": str(picture)}) if arguments.json else to_text(found, picture))
    return 0


def to_text(found: Sheet, picture: Path) -> str:
    """For people."""
    return f"{found.to_text()}\n  curves in {picture}"


def notes_of(tire: TireFile) -> tuple[str, ...]:
    """What a reader must know beside the numbers."""
    if tire.law.name != MAGIC.name:
        return ()
    p = tire.own[0]
    reading = READINGS[0 if p["linear"] else 1]
    notes = [f"Magic Formula set {'6.1' if p['set'] == 61 else '5.2'}, reading: {reading}, nominal load {p['load'] * p['lfzo']:g} N"]
    if p["set"] == 61 and p["p0"] > 0.0:
        notes.append(f"pressure {p['p'] / 1e3:.4g} kPa, nominal {p['p0'] / 1e3:.4g} kPa")
    if not relaxes(tire.own) and not p["relaxation"].any():
        notes.append("the file says nothing of relaxation: 0.6 and 1.2 radii [assumed]")
    notes.append(f"described for the {'right' if p['mirrored'] else 'left'} side; mounted on the other one it is mirrored")
    return tuple(notes)
