"""Published values of the shipped vehicle: the datasheet items that have one (`jounce datasheet hmmwv`)."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.validation.datasheet.definitions import ITEMS
from simulator.validation.datasheet.evaluate import ItemValue, measure
from simulator.validation.datasheet.page import numbered, sources_of
from simulator.validation.datasheet.published_file import TOLERANCE, load_published, published_of
from simulator.validation.suite.reference_runs import VEHICLE
from simulator.validation.suite.result import Finding, ReferenceData, Row


def figures(source: ReferenceData) -> Finding:
    """Evaluate the items with published values. Raises JounceError: the vehicle has no published values."""
    file = published_of(VEHICLE)
    if file is None:
        raise JounceError(f"{VEHICLE}: no file of published values")
    published = load_published(file)
    facts = [fact for fact in ITEMS if fact.name in published.figures]
    reported: set[str] = set()

    def report(case: str, run: str) -> None:
        if case not in reported:
            reported.add(case)
            source.progress(f"{case} ({run})")

    values = measure(VEHICLE, facts, published, progress=report)
    sources = numbered(values)
    return Finding([row_of(one, sources) for one in values], notes=["Sources:", "\n".join(f"{n}. {words}" for words, n in sources.items())])


def row_of(item: ItemValue, sources: dict[str, int]) -> Row:
    """Return the row of an item with its published value; `sources` are numbers by description."""
    figure, fact = item.figure, item.fact
    assert figure is not None
    unit = "" if fact.words else fact.shown_unit
    ranged = figure.least is not None or figure.most is not None
    return Row(
        what=fact.title,
        here=f"{item.shown} {unit}".strip(),
        reference=f"{figure.written} {unit}".strip(),
        difference="" if ranged or fact.words else _difference(item.value, figure.value),
        tolerance="the range" if ranged else "the word" if fact.words else f"{100.0 * TOLERANCE:g} %",
        passed=item.verdict == "within",
        more={"source": sources_of(item, sources)},
    )


def _difference(here: float | None, there: float | None) -> str:
    return "" if here is None or not there else f"{100.0 * (here / there - 1.0):+.1f} %"
