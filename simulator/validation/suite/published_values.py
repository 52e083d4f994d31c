"""Published figures of the shipped vehicle: the facts that have one (`jounce facts hmmwv`)."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.validation.datasheet.definitions import ITEMS
from simulator.validation.datasheet.evaluate import ItemValue, measure
from simulator.validation.datasheet.page import numbered, sources_of
from simulator.validation.datasheet.published_file import TOLERANCE, load_published, published_of
from simulator.validation.suite.reference_runs import VEHICLE
from simulator.validation.suite.result import Finding, ReferenceData, Row


def figures(source: ReferenceData) -> Finding:
    """The part. Raises JounceError: the vehicle's figures are not there."""
    file = published_of(VEHICLE)
    if file is None:
        raise JounceError(f"{VEHICLE}: there is no file of published figures")
    published = load_published(file)
    facts = [fact for fact in ITEMS if fact.name in published.figures]
    told: set[str] = set()

    def tell(case: str, run: str) -> None:
        if case not in told:
            told.add(case)
            source.told(f"{case} ({run})")

    found = measure(VEHICLE, facts, published, told=tell)
    sources = numbered(found)
    return Finding([row_of(one, sources) for one in found], notes=["Sources:", "\n".join(f"{n}. {words}" for words, n in sources.items())])


def row_of(told: ItemValue, sources: dict[str, int]) -> Row:
    """A fact beside its figure; `sources` are numbers by words."""
    figure, fact = told.figure, told.fact
    assert figure is not None
    unit = "" if fact.words else fact.shown_unit
    ranged = figure.least is not None or figure.most is not None
    return Row(
        what=fact.title,
        here=f"{told.shown} {unit}".strip(),
        reference=f"{figure.written} {unit}".strip(),
        difference="" if ranged or fact.words else _difference(told.value, figure.value),
        tolerance="the range" if ranged else "the word" if fact.words else f"{100.0 * TOLERANCE:g} %",
        kept=told.verdict == "within",
        more={"source": sources_of(told, sources)},
    )


def _difference(here: float | None, there: float | None) -> str:
    return "" if here is None or not there else f"{100.0 * (here / there - 1.0):+.1f} %"
