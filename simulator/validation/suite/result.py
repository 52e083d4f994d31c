"""What a comparison of the page gives: rows with a difference, the tolerance that it is held to, and a verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.validation.reference.result import Comparison

PASS, FAIL, KNOWN, STALE = "pass", "FAIL", "known", "known, but kept"
"""Verdicts. KNOWN: outside of its tolerance, listed with its reason in `simulator.validation.suite.known_deviations`. STALE: listed there, but kept."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One number that is compared."""

    what: str
    here: str
    reference: str
    difference: str
    tolerance: str
    kept: bool
    more: Mapping[str, str] = field(default_factory=dict)
    """Further columns by their titles; of all rows of a part or of none."""


def number(value: float) -> str:
    """Four digits, or all before the point; an en dash for what is none."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}" if math.isfinite(value) else "–"  # noqa: RUF001 (a dash, as in printed tables)


def within(what: str, here: float, reference: float, unit: str, share: float, floor: float = 0.0) -> Row:
    """A number that may differ by a share of the reference, or by `floor` in its unit where that is more."""
    difference, most = abs(here - reference), max(share * abs(reference), floor)
    relative = f"{100.0 * (here - reference) / abs(reference):+.2f} %" if reference else f"{here - reference:+.3g} {unit}".strip()
    told = f"{100.0 * share:g} %" + (f" or {floor:g} {unit}".rstrip() if floor else "")
    return Row(what, f"{number(here)} {unit}".strip(), f"{number(reference)} {unit}".strip(), relative, told, bool(difference <= most))


def near(what: str, here: float, reference: float, unit: str, most: float) -> Row:
    """A number that may differ by so much in its unit."""
    shown = f"{here - reference:+.3g} {unit}".strip()
    told = f"{most:g} {unit}".strip()
    return Row(
        what, f"{number(here)} {unit}".strip(), f"{number(reference)} {unit}".strip(), shown, told, bool(abs(here - reference) <= most)
    )


def of_comparison(what: str, comparison: Comparison) -> Row:
    """The largest error of a file of `jounce validate`."""
    worst = max(comparison.errors, key=lambda name: comparison.errors[name])
    return Row(what, f"{comparison.states} states", worst, f"{comparison.max_error:.2g}", f"{comparison.limit:.0e}", comparison.passed)


class Curve(NamedTuple):
    """Of a plot; `dots` are drawn as such."""

    name: str
    x: Array
    y: Array
    dots: bool = False


class Plot(NamedTuple):
    """One plot of a picture; the reference comes first."""

    title: str
    across: str
    up: str
    curves: Sequence[Curve]
    log: bool = False


class PageFigure(NamedTuple):
    """A file beside the page."""

    name: str
    """Without suffix."""
    caption: str
    plots: Sequence[Plot]


@dataclass(frozen=True)
class Finding:
    """What came of a part."""

    rows: Sequence[Row] = ()
    pictures: Sequence[PageFigure] = ()
    notes: Sequence[str] = ()
    """Paragraphs below the table."""


@dataclass(frozen=True)
class ReferenceData:
    """Where a part takes what it needs."""

    data: Path
    """Reference data, `tests/data` of a checkout."""
    told: Callable[[str], None] = lambda line: None
    """Called with what is being done."""


@dataclass(frozen=True)
class Part:
    """A chapter of the page."""

    name: str
    title: str
    what: str
    """What is compared, and how."""
    source: str
    """Of the reference."""
    tolerance: str
    """And why it is that."""
    find: Callable[[ReferenceData], Finding]


@dataclass(frozen=True)
class PartVerdict:
    """A part with the verdicts of its rows."""

    part: Part
    finding: Finding
    verdicts: tuple[str, ...]
    reasons: Mapping[str, str]
    """Why rows are outside of their tolerance that are known to be, by what they are of."""

    @property
    def failed(self) -> tuple[Row, ...]:
        """Rows that are neither kept nor known."""
        return tuple(row for row, verdict in zip(self.finding.rows, self.verdicts, strict=True) if verdict == FAIL)

    @property
    def stale(self) -> tuple[Row, ...]:
        """Rows that are listed as known and are kept."""
        return tuple(row for row, verdict in zip(self.finding.rows, self.verdicts, strict=True) if verdict == STALE)

    @property
    def summary(self) -> str:
        """How many rows are how."""
        counts = ((verdict, self.verdicts.count(verdict)) for verdict in (PASS, KNOWN, STALE, FAIL))
        return ", ".join(f"{count} {verdict}" for verdict, count in counts if count) or "no numbers"


def judge(part: Part, finding: Finding, known: Mapping[str, str]) -> PartVerdict:
    """Verdicts of the rows; `known` are reasons by what rows are of."""
    table = {(True, False): PASS, (False, False): FAIL, (False, True): KNOWN, (True, True): STALE}
    verdicts = tuple(table[row.kept, row.what in known] for row in finding.rows)
    there = {row.what for row in finding.rows}
    return PartVerdict(part, finding, verdicts, {what: reason for what, reason in known.items() if what in there})
