"""The page of validation (Markdown)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator.validation.suite.coverage_gaps import GAPS
from simulator.validation.suite.result import FAIL, KNOWN, STALE, PartVerdict, Row

FOLDER = "validation"
"""Of the pictures, beside the page."""
TITLE = "# Validation"


def to_markdown(judged: Sequence[PartVerdict], version: str, whole: bool) -> str:
    """The page; `whole` when it has every part."""
    command = "jounce validate all" + ("" if whole else "".join(f" --only {one.part.name}" for one in judged))
    failed = [row for one in judged for row in one.failed]
    rows, known = (sum(len(one.verdicts) for one in judged), sum(one.verdicts.count(KNOWN) for one in judged))
    lines = [
        TITLE,
        "",
        f"Made by `{command}` of Jounce {version}; make it again rather than change it. It is for those who doubt this simulator: what it was compared with, how near it "
        "came, and, at the end, [what nothing here covers](#not-validated).",
        "",
        "Verdicts: **pass**, within the tolerance; **FAIL**, outside; *known*, outside and listed with its reason (`simulator/validation/suite/known_deviations.py`). "
        "A FAIL makes the command end with 1. Tolerances and their reasons stand beside each part.",
        "",
        "| part | rows | |",
        "|---|---|---|",
        *(
            _line((f"[{one.part.title}](#{_anchor(one.part.title)}) (`{one.part.name}`)", f"{len(one.finding.rows)}", _bold(one.summary)))
            for one in judged
        ),
        "",
        f"**{len(failed)} of {rows} rows fail.**"
        if failed
        else f"None of {rows} rows fails; {known} are known to be outside of their tolerance.",
    ]
    for one in judged:
        lines += chapter(one)
    lines += ["", "## Not validated", "", *(f"- **{gap.what}.** {gap.why}" for gap in GAPS)]
    return "\n".join(lines) + "\n"


def chapter(one: PartVerdict) -> list[str]:
    """Of a part: what is compared, the table, reasons and pictures."""
    part = one.part
    lines = ["", f"## {part.title}", "", f"{part.what}", "", f"**Reference:** {part.source}", "", f"**Tolerance:** {part.tolerance}", ""]
    lines += _table(one)
    reasons = list(dict.fromkeys(one.reasons))
    if reasons:
        lines += ["", "Known:", "", *(f"- *{what}*: {one.reasons[what]}" for what in reasons)]
    for note in one.finding.notes:
        lines += ["", note]
    for picture in one.finding.pictures:
        lines += ["", f"![{picture.caption}]({FOLDER}/{picture.name}.png)", "", f"*{picture.caption}*"]
    return [*lines, "", f"**Verdict:** {_bold(one.summary)}."]


def _table(one: PartVerdict) -> list[str]:
    rows = one.finding.rows
    more = list(rows[0].more) if rows else []
    head = ["what", "here", "reference", *more, "difference", "tolerance", "verdict"]
    return [
        _line(head),
        "|" + "---|" * len(head),
        *(_line(cells(row, verdict, more)) for row, verdict in zip(rows, one.verdicts, strict=True)),
    ]


def cells(row: Row, verdict: str, more: Sequence[str]) -> list[str]:
    """Of a row of the table."""
    shown = f"**{verdict}**" if verdict in (FAIL, STALE) else verdict
    return [row.what, row.here, row.reference, *(row.more[name] for name in more), row.difference, row.tolerance, shown]


def _line(words: Iterable[str]) -> str:
    return "| " + " | ".join(word.replace("|", "/") for word in words) + " |"


def _bold(summary: str) -> str:
    return f"**{summary}**" if FAIL in summary else summary


def _anchor(title: str) -> str:
    """As GitHub makes it of a heading."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")


def to_text(one: PartVerdict) -> str:
    """What a terminal shows of a part: its summary, and the rows that are not kept."""
    lines = [f"{one.part.name:<14}{len(one.finding.rows):>4} rows: {one.summary}"]
    for row, verdict in zip(one.finding.rows, one.verdicts, strict=True):
        if verdict in (FAIL, STALE):
            lines.append(
                f"  {verdict}: {row.what}: here {row.here}, reference {row.reference}, {row.difference or 'outside'}; tolerance {row.tolerance}"
            )
    return "\n".join(lines)
