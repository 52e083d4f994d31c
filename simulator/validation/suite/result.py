"""Results of the validation suite: rows with differences, tolerances and verdicts, and parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from simulator.report.plot import Panel
from simulator.validation.reference.result import Comparison

PASS, FAIL, KNOWN, STALE = "pass", "FAIL", "known", "known, but passes"
"""Verdicts. KNOWN: outside the tolerance and listed with a reason in `simulator.validation.suite.known_deviations`. STALE: listed there,
but within the tolerance."""


@dataclass(frozen=True)
class Row:
    """One compared number."""

    what: str
    here: str
    reference: str
    difference: str
    tolerance: str
    passed: bool
    more: Mapping[str, str] = field(default_factory=dict)
    """Further columns by title; all rows of a part have the same."""


def number(value: float) -> str:
    """Return a number with four digits, or with all digits before the point; an en dash if it is not finite."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}" if math.isfinite(value) else "–"  # noqa: RUF001 (a dash, as in printed tables)


def within(what: str, here: float, reference: float, unit: str, share: float, floor: float = 0.0) -> Row:
    """Return the row of a number with a tolerance relative to the reference, or of `floor` in its unit if this is more."""
    difference, limit = abs(here - reference), max(share * abs(reference), floor)
    relative = f"{100.0 * (here - reference) / abs(reference):+.2f} %" if reference else f"{here - reference:+.3g} {unit}".strip()
    tolerance = f"{100.0 * share:g} %" + (f" or {floor:g} {unit}".rstrip() if floor else "")
    return Row(
        what, f"{number(here)} {unit}".strip(), f"{number(reference)} {unit}".strip(), relative, tolerance, bool(difference <= limit)
    )


def near(what: str, here: float, reference: float, unit: str, limit: float) -> Row:
    """Return the row of a number with an absolute tolerance in its unit."""
    shown = f"{here - reference:+.3g} {unit}".strip()
    tolerance = f"{limit:g} {unit}".strip()
    return Row(
        what,
        f"{number(here)} {unit}".strip(),
        f"{number(reference)} {unit}".strip(),
        shown,
        tolerance,
        bool(abs(here - reference) <= limit),
    )


def of_comparison(what: str, comparison: Comparison) -> Row:
    """Return the row of the largest error of a file of `jounce validate`."""
    worst = max(comparison.errors, key=lambda name: comparison.errors[name])
    return Row(what, f"{comparison.states} states", worst, f"{comparison.max_error:.2g}", f"{comparison.limit:.0e}", comparison.passed)


class PageFigure(NamedTuple):
    """A figure in a file next to the page."""

    name: str
    """Name without suffix."""
    caption: str
    panels: Sequence[Panel]


@dataclass(frozen=True)
class Finding:
    """Result of a part."""

    rows: Sequence[Row] = ()
    figures: Sequence[PageFigure] = ()
    notes: Sequence[str] = ()
    """Paragraphs below the table."""


@dataclass(frozen=True)
class ReferenceData:
    """Access to the reference data, and progress output."""

    data: Path
    """Folder of the reference data, `tests/data` of a checkout."""
    progress: Callable[[str], None] = lambda line: None
    """Called with the current activity."""


@dataclass(frozen=True)
class Part:
    """A part of the suite, a section of the page."""

    name: str
    title: str
    what: str
    """Description of the comparison."""
    source: str
    """Source of the reference."""
    tolerance: str
    """Tolerance with its reason."""
    find: Callable[[ReferenceData], Finding]


@dataclass(frozen=True)
class PartVerdict:
    """A part with the verdicts of its rows."""

    part: Part
    finding: Finding
    verdicts: tuple[str, ...]
    reasons: Mapping[str, str]
    """Reasons of known deviations by the name of the row."""

    @property
    def failed(self) -> tuple[Row, ...]:
        """Rows that are neither within tolerance nor known."""
        return tuple(row for row, verdict in zip(self.finding.rows, self.verdicts, strict=True) if verdict == FAIL)

    @property
    def stale(self) -> tuple[Row, ...]:
        """Rows that are listed as known, but within tolerance."""
        return tuple(row for row, verdict in zip(self.finding.rows, self.verdicts, strict=True) if verdict == STALE)

    @property
    def summary(self) -> str:
        """Number of rows for each verdict."""
        counts = ((verdict, self.verdicts.count(verdict)) for verdict in (PASS, KNOWN, STALE, FAIL))
        return ", ".join(f"{count} {verdict}" for verdict, count in counts if count) or "no numbers"


def evaluate_part(part: Part, finding: Finding, known: Mapping[str, str]) -> PartVerdict:
    """Return the verdicts of the rows; `known` are the reasons by the name of the row."""
    table = {(True, False): PASS, (False, False): FAIL, (False, True): KNOWN, (True, True): STALE}
    verdicts = tuple(table[row.passed, row.what in known] for row in finding.rows)
    there = {row.what for row in finding.rows}
    return PartVerdict(part, finding, verdicts, {what: reason for what, reason in known.items() if what in there})
