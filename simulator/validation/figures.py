"""Published figures of the shipped vehicle: the facts that have one (`jounce facts hmmwv`)."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.facts.measure import Told, measure
from simulator.facts.published import load_published, published_of
from simulator.facts.table import FACTS
from simulator.validation.driving import VEHICLE
from simulator.validation.outcome import Finding, Row, Source


def figures(source: Source) -> Finding:
    """The part. Raises JounceError: the vehicle's figures are not there."""
    file = published_of(VEHICLE)
    if file is None:
        raise JounceError(f"{VEHICLE}: there is no file of published figures")
    published = load_published(file)
    facts = [fact for fact in FACTS if fact.name in published.figures]
    told: set[str] = set()

    def tell(case: str, run: str) -> None:
        if case not in told:
            told.add(case)
            source.told(f"{case} ({run})")

    return Finding([row_of(one) for one in measure(VEHICLE, facts, published, told=tell)])


def row_of(told: Told) -> Row:
    """A fact beside its figure."""
    figure, fact = told.figure, told.fact
    assert figure is not None
    unit = "" if fact.words else fact.shown_unit
    sources = "; ".join([*figure.sources, *([f"[{figure.mark}]"] if figure.mark else [])])
    difference = (
        ""
        if told.value is None or figure.value in (None, 0.0) or fact.words
        else f"{100.0 * (told.value / float(figure.value or 1.0) - 1.0):+.1f} %"
    )
    tolerance = "the range" if figure.least is not None or figure.most is not None else "the word" if fact.words else "5 %"
    return Row(
        fact.title,
        f"{told.shown} {unit}".strip(),
        f"{figure.written} {unit}".strip(),
        difference,
        tolerance,
        told.verdict == "within",
        {"source": sources},
    )
