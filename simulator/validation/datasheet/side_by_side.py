"""The facts of several vehicles side by side, as a page (Markdown)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simulator.validation.datasheet.evaluate import ItemValue
from simulator.validation.datasheet.page import EXCEPTIONS, Facts, about_figures, deviations, numbered, origin, row_of, sources_of, summary

ENGINEERS = (
    "mass", "front_share", "bounce_frequency", "roll_gradient", "understeer_left_band_10_20", "lateral_acceleration_left", "steering_ratio",
    "turning_circle_curb_left", "time_to_60_mph", "top_speed", "stop_half_pedal",
)  # fmt: skip
"""Names of the facts that an engineer asks for first: all that is told of a variant."""
ALIKE = 0.01
"""Share by which a fact of a variant may differ from that of its base and still count as the same."""


class Variant(NamedTuple):
    """A vehicle that is another one but for some of it: facts of ENGINEERS of both."""

    here: Facts
    base: Facts


def comparison_to_markdown(vehicles: Sequence[Facts], variants: Sequence[Variant] = ()) -> str:
    """A column for each vehicle, all of whose rows are of the same facts; what its own figures do not hold is bold. Figures have columns of their own
    where they are the same for all, else they stand with what they do not hold."""
    names = " ".join(one.vehicle for one in vehicles)
    first = vehicles[0]
    alike = len({None if one.published is None else one.published.name for one in vehicles} - {None}) <= 1
    also = f" --variants {' '.join(one.here.vehicle for one in variants)}" if variants else ""
    lines = [
        "# Vehicles",
        "",
        f"Made by `jounce facts {names}{' --quick' if first.left_out else ''}{also}`; make it again rather than change it.",
        "",
        *(f"- **{one.title}** (`{one.vehicle}`): {summary(one)}" for one in vehicles),
        "",
        "**Bold**: outside of the published figure, or of what is expected. How the facts are found: docs/facts.md.",
    ]
    told: set[str] = set()
    for one in vehicles:
        if one.published is not None and one.published.vehicle not in told:
            lines += ["", *about_figures(one)]
            told.add(one.published.vehicle)
    if not told:
        lines += ["", *about_figures(first)]
    if not alike:
        lines += _outside(vehicles)
    rows = list(zip(*(one.rows for one in vehicles), strict=True))
    numbers = numbered(row for line in rows for row in line)
    head = ["fact", "unit", *(f"`{one.vehicle}`" for one in vehicles), *(["published", "source"] if alike else []), "how"]
    for group in dict.fromkeys(line[0].fact.group for line in rows):
        lines += ["", f"## {group}", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        lines += [_row(line, numbers, alike) for line in rows if line[0].fact.group == group]
    lines += _variants(variants) + _reasons(vehicles)
    if numbers:
        lines += ["", "## Sources", "", *(f"{n}. {words}" for words, n in numbers.items())]
    return "\n".join(lines) + "\n"


def _outside(vehicles: Sequence[Facts]) -> list[str]:
    """What is not as published or expected, and why where that is known."""
    lines = ["", "## Not as published or expected"]
    for one in vehicles:
        said = deviations(one) if one.published is not None else ["there is nothing to compare it with"]
        lines += ["", f"`{one.vehicle}`", "", *(f"- {line}" for line in said or ["all is"])]
    return lines


def _variants(variants: Sequence[Variant]) -> list[str]:
    """Facts of variants that differ from those of their bases, a row for each variant."""
    if not variants:
        return []
    head = ["vehicle", "but for", *(f"{row.fact.title} [{row.fact.shown_unit or '1'}]" for row in variants[0].here.rows)]
    lines = ["", "## Variants", "", "Empty: as the vehicle beside it, within 1 %.", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for here, base in variants:
        cells = [row.shown if _differs(row, other) else "" for row, other in zip(here.rows, base.rows, strict=True)]
        lines.append(row_of((f"`{here.vehicle}` {here.title}", f"`{base.vehicle}`", *cells)))
    return lines


def _differs(row: ItemValue, other: ItemValue) -> bool:
    if row.value is None or other.value is None:
        return row.value is not other.value
    return abs(row.value - other.value) > ALIKE * abs(other.value)


def _reasons(vehicles: Sequence[Facts]) -> list[str]:
    """Why numbers are missing, and what the files excuse."""
    rows = list(zip(*(one.rows for one in vehicles), strict=True))
    lines = []
    reasons = [
        f"- {row.fact.title}, `{one.vehicle}`: {row.reason}" for line in rows for one, row in zip(vehicles, line, strict=True) if row.reason
    ]
    if reasons:
        lines += ["", "## Remarks", "", *reasons]
    excused = [f"- `{one.vehicle}`, {line}" for one in vehicles for line in one.exceptions]
    if excused:
        lines += ["", f"## {EXCEPTIONS}", "", *excused]
    return lines


def _row(line: Sequence[ItemValue], numbers: dict[str, int], alike: bool) -> str:
    fact = line[0].fact
    told = next((row for row in line if row.figure is not None), None)
    said, source = ("none found", "") if told is None or told.figure is None else (told.figure.written, sources_of(told, numbers))
    if told is not None and told.figure is not None and told.figure.remark:
        said += f" ({told.figure.remark})"
    here = [f"**{row.shown}**" if row.verdict == "outside" else row.shown for row in line]
    unit = "" if fact.words else fact.shown_unit
    return row_of((fact.title, unit, *here, *([said, source] if alike else []), f"`{fact.name}`, {origin(fact.source)}"))
