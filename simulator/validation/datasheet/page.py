"""The facts of a vehicle as a page (Markdown), as an object for other programs, and as a table on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from simulator.validation.datasheet.definitions import CASES, AtHighest, Highest, ItemSource, Metric, Passed
from simulator.validation.datasheet.evaluate import ItemValue
from simulator.validation.datasheet.published_file import MARKS, TOLERANCE, PublishedValue

VERDICTS = ("within", "outside", "no figure", "no number")
EXCEPTIONS = "Excused by its file as it stands"
NO_FILE = "no published figures"
"""Of a vehicle without a file of them."""
WIDTH, TITLE = 80, 32
"""Columns of a terminal, and of the longest title."""


class Facts(NamedTuple):
    """All that is told of a vehicle."""

    vehicle: str
    """As it was asked for."""
    title: str
    rows: Sequence[ItemValue]
    published: PublishedValue | None
    left_out: Sequence[str] = ()
    """Names of the facts of series and searches, where these were not driven."""
    exceptions: Sequence[str] = ()
    """What the vehicle's file excuses it from as it stands, a line for each axle."""


def to_dict(facts: Facts) -> dict[str, Any]:
    """Ready for JSON; numbers in SI. The same vehicle gives the same object."""
    published = None if facts.published is None else {"file": facts.published.name, "vehicle": facts.published.vehicle}
    counts = {verdict.replace(" ", "_"): sum(row.verdict == verdict for row in facts.rows) for verdict in VERDICTS}
    return {
        "vehicle": facts.vehicle,
        "title": facts.title,
        "left_out": list(facts.left_out),
        "exceptions": list(facts.exceptions),
        "published": published,
        "verdicts": counts,
        "facts": [_row_object(row) for row in facts.rows],
    }


def _row_object(row: ItemValue) -> dict[str, Any]:
    figure = row.figure
    said = None
    if figure is not None:
        said = {key: getattr(figure, key) for key in ("value", "least", "most", "mark", "remark")} | {"sources": list(figure.sources)}
    return {
        "fact": row.fact.name,
        "group": row.fact.group,
        "title": row.fact.title,
        "value": row.value,
        "unit": row.fact.unit,
        "shown": row.shown,
        "shown_unit": row.fact.shown_unit,
        "verdict": row.verdict,
        "reason": row.reason,
        "published": said,
        "from": origin(row.fact.source),
        "meaning": row.fact.meaning,
    }


def origin(source: ItemSource) -> str:
    """Where a fact comes from, in words."""
    if isinstance(source, Metric):
        return f"{_driven(source.cases)}: {source.name}"
    if isinstance(source, AtHighest):
        return f"{_driven((source.case,))}: {source.name}"
    return _driven((source.case,)) if isinstance(source, Passed | Highest) else "standing"


def _driven(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(CASES[name].run for name in names))


def deviations(facts: Facts) -> list[str]:
    """A line for each fact that is not as published."""
    return [
        f"{row.fact.title}: {_published_word(row)} {_with_unit(_written(row), row)}, here {_with_unit(row.shown, row)}{_because(row, facts)}"
        for row in facts.rows
        if row.verdict == "outside"
    ]


def _because(row: ItemValue, facts: Facts) -> str:
    reason = facts.published.because.get(row.fact.name, "") if facts.published is not None else ""
    return f" ({reason})" if reason else ""


def _published_word(row: ItemValue) -> str:
    assert row.figure is not None
    return f"published{f' [{row.figure.mark}]' if row.figure.mark else ''}" if row.figure.sources else f"expected [{row.figure.mark}]"


def _with_unit(number: str, row: ItemValue) -> str:
    return f"{number} {row.fact.shown_unit}" if row.fact.shown_unit and not row.fact.words else number


def _written(row: ItemValue) -> str:
    return "" if row.figure is None else row.figure.written


def summary(facts: Facts) -> str:
    """How many facts are how, in a line."""
    counts = ((verdict, sum(row.verdict == verdict for row in facts.rows)) for verdict in VERDICTS)
    left_out = f"; {len(facts.left_out)} of series and searches left out" if facts.left_out else ""
    return (
        f"{len(facts.rows)} fact{'s' * (len(facts.rows) != 1)}: "
        + ", ".join(f"{count} {verdict}" for verdict, count in counts if count)
        + left_out
    )


# ---- Markdown ----


def to_markdown(facts: Facts) -> str:
    """The page."""
    command = f"jounce facts {facts.vehicle}{' --quick' if facts.left_out else ''}"
    lines = [
        f"# Facts about {facts.title}",
        "",
        f"Made by `{command}`; make it again rather than change it.",
        "",
        f"{summary(facts)}. How they are found: docs/facts.md.",
        "",
        *about_figures(facts),
    ]
    outside = deviations(facts)
    if outside:
        lines += ["", "## Not as published", "", *(f"- {line}" for line in outside)]
    if facts.exceptions:
        lines += ["", f"## {EXCEPTIONS}", "", *(f"- {line}" for line in facts.exceptions)]
    numbers = numbered(facts.rows)
    for group in dict.fromkeys(row.fact.group for row in facts.rows):
        lines += ["", f"## {group}", "", "| fact | here | published | verdict | source | how |", "|---|---|---|---|---|---|"]
        lines += [_markdown_row(row, numbers, facts.published) for row in facts.rows if row.fact.group == group]
    if numbers:
        lines += ["", "## Sources", "", *(f"{n}. {words}" for words, n in numbers.items())]
    return "\n".join(lines) + "\n"


def about_figures(facts: Facts) -> list[str]:
    """What the published figures are."""
    if facts.published is None:
        return [f"There are {NO_FILE} of this vehicle (no file of it in `configs/datasheets`)."]
    lines = [
        f"Published figures of the {facts.published.vehicle}, `configs/datasheets/{facts.published.name}.yaml`: a single number holds within "
        f"{100.0 * TOLERANCE:g} %, a range within itself. Marks: "
        + "; ".join(f"[{mark}] {meaning}" for mark, meaning in MARKS.items())
        + "."
    ]
    if facts.published.searched_in:
        lines += ["", f"Where it says *none found*, no source was found, looked in: {facts.published.searched_in}."]
    return lines


def numbered(rows: Iterable[ItemValue]) -> dict[str, int]:
    """Sources in the order in which they are first named."""
    words = dict.fromkeys(source for row in rows if row.figure is not None for source in row.figure.sources)
    return {source: n for n, source in enumerate(words, 1)}


def _markdown_row(row: ItemValue, numbers: dict[str, int], published: PublishedValue | None) -> str:
    figure = row.figure
    here = _with_unit(row.shown, row) if row.value is not None else "-"
    if row.reason:
        here += f" ({row.reason})"
    if figure is None:
        said, source = ("none found", "") if published is not None else ("-", "")
    else:
        said = figure.written + (f" ({figure.remark})" if figure.remark else "")
        source = sources_of(row, numbers)
    verdict = "**outside**" if row.verdict == "outside" else row.verdict
    return row_of((row.fact.title, here, said, verdict, source, f"`{row.fact.name}`, {origin(row.fact.source)}"))


def sources_of(row: ItemValue, numbers: dict[str, int]) -> str:
    """Numbers of the sources of a fact's figure, and its mark."""
    assert row.figure is not None
    return ", ".join([*(f"{numbers[one]}" for one in row.figure.sources), *([f"[{row.figure.mark}]"] if row.figure.mark else [])])


def row_of(cells: Iterable[str]) -> str:
    """A row of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


# ---- terminal ----


def to_text(facts: Facts) -> str:
    """For a terminal of WIDTH columns."""
    lines = [facts.title, "", f"  {'':<{TITLE}}{'here':>11} {'':<16}published"]
    for group in dict.fromkeys(row.fact.group for row in facts.rows):
        lines.append(group)
        lines += [line for row in facts.rows if row.fact.group == group for line in _text_row(row)]
        lines.append("")
    outside = deviations(facts)
    if outside:
        lines.append("Not as published:")
        lines += [wrapped for line in outside for wrapped in textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ")]
        lines.append("")
    if facts.exceptions:
        lines.append(f"{EXCEPTIONS}:")
        lines += [
            wrapped for line in facts.exceptions for wrapped in textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ")
        ]
        lines.append("")
    if facts.published is None:
        lines.append(f"{NO_FILE} of this vehicle")
    return "\n".join([*lines, summary(facts)])


def _text_row(row: ItemValue) -> list[str]:
    mark = f" [{row.figure.mark}]" if row.figure is not None and row.figure.mark else ""
    verdict = {"within": "within", "outside": "OUTSIDE", "no figure": "", "no number": ""}[row.verdict]
    head = f"  {row.fact.title:<{TITLE}}{row.shown:>11} {row.fact.shown_unit:<8}{verdict:<8}"
    tail = f"{_written(row)}{mark}"
    lines = [f"{head}{tail}".rstrip()] if len(head) + len(tail) <= WIDTH else [head.rstrip(), f"{tail:>{WIDTH}}"]
    if row.reason:
        lines += textwrap.wrap(row.reason, WIDTH, initial_indent="      ", subsequent_indent="      ", break_long_words=True)
    return lines
