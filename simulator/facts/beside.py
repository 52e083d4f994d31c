"""The facts of several vehicles side by side, as a page (Markdown)."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.facts.measure import Told
from simulator.facts.page import EXCEPTIONS, Facts, about_figures, numbered, origin, row_of, sources_of, summary


def beside_as_markdown(vehicles: Sequence[Facts]) -> str:
    """A column for each vehicle, all of whose rows are of the same facts; what its own figures do not hold is bold."""
    names = " ".join(one.vehicle for one in vehicles)
    first = vehicles[0]
    lines = [
        "# Vehicles",
        "",
        f"Made by `jounce facts {names}{' --quick' if first.left_out else ''}`; make it again rather than change it.",
        "",
        *(f"- **{one.title}** (`{one.vehicle}`): {summary(one)}" for one in vehicles),
        "",
        "**Bold**: outside of the published figure. How the facts are found: docs/facts.md.",
        "",
        *about_figures(first),
    ]
    rows = list(zip(*(one.rows for one in vehicles), strict=True))
    numbers = numbered(row for line in rows for row in line)
    head = ["fact", "unit", *(f"`{one.vehicle}`" for one in vehicles), "published", "source", "how"]
    for group in dict.fromkeys(line[0].fact.group for line in rows):
        lines += ["", f"## {group}", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        lines += [_row(line, numbers) for line in rows if line[0].fact.group == group]
    reasons = [
        f"- {row.fact.title}, `{one.vehicle}`: {row.reason}" for line in rows for one, row in zip(vehicles, line, strict=True) if row.reason
    ]
    if reasons:
        lines += ["", "## Remarks", "", *reasons]
    excused = [f"- `{one.vehicle}`, {line}" for one in vehicles for line in one.exceptions]
    if excused:
        lines += ["", f"## {EXCEPTIONS}", "", *excused]
    if numbers:
        lines += ["", "## Sources", "", *(f"{n}. {words}" for words, n in numbers.items())]
    return "\n".join(lines) + "\n"


def _row(line: Sequence[Told], numbers: dict[str, int]) -> str:
    fact = line[0].fact
    told = next((row for row in line if row.figure is not None), None)
    said, source = ("none found", "") if told is None or told.figure is None else (told.figure.written, sources_of(told, numbers))
    if told is not None and told.figure is not None and told.figure.remark:
        said += f" ({told.figure.remark})"
    here = [f"**{row.shown}**" if row.verdict == "outside" else row.shown for row in line]
    unit = "" if fact.words else fact.shown_unit
    return row_of((fact.title, unit, *here, said, source, f"`{fact.name}`, {origin(fact.source)}"))
