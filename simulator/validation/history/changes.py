"""Changes between entries of a history beyond tolerances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from simulator.validation.history.entry import Entry, Figure


class Change(NamedTuple):
    """A figure that has changed."""

    name: str
    before: Figure | None
    after: Figure | None

    @property
    def description(self) -> str:
        """Description of the change."""
        share = ""
        if self.before is not None and self.after is not None:
            old, new = self.before.value, self.after.value
            if not isinstance(old, str) and not isinstance(new, str) and old:
                share = f" ({100.0 * (new - old) / abs(old):+.1f} %)"
        before, after = ("none" if one is None else one.shown for one in (self.before, self.after))
        return f"{self.name}: {before} -> {after}{share}"


class Rule(NamedTuple):
    """Criterion for a changed number: the change exceeds a fraction of the larger value, and the floor of the unit."""

    share: float
    floors: Mapping[str, float]
    same_machine: bool
    """True if only entries of one machine are compared."""
    scaled: Callable[[Entry, str], Figure | None]
    """Function that returns the compared figure of an entry by name."""

    def changed(self, before: Figure, after: Figure) -> bool:
        """Return whether a figure has changed."""
        old, new = before.value, after.value
        if isinstance(old, str) or isinstance(new, str) or before.unit != after.unit:
            return before != after
        return abs(new - old) > max(self.share * max(abs(old), abs(new)), self.floors.get(after.unit, 0.0))


def plain(entry: Entry, name: str) -> Figure | None:
    """Return the figure."""
    return entry.figures.get(name)


CALIBRATION = "calibration"
"""Name of the calibration loop, which makes machines, and states of one machine, comparable."""
TIMES = "times real time"


def per_calibration(entry: Entry, name: str) -> Figure | None:
    """Return a cost divided by the cost of the calibration loop, or a real-time factor multiplied by it. None for the loop itself."""
    figure, loop = entry.figures.get(name), entry.figures.get(CALIBRATION)
    if figure is None or loop is None or name == CALIBRATION or isinstance(figure.value, str) or isinstance(loop.value, str):
        return None
    by = 1.0 / loop.value if figure.unit == "us" else loop.value
    return Figure(figure.value * by, f"{figure.unit} {'/' if figure.unit == 'us' else '*'} calibration")


FACTS = Rule(
    0.01,
    {
        "mm": 1.0,
        "m": 0.01,
        "deg": 0.02,
        "deg/g": 0.03,
        "s": 0.03,
        "km/h": 0.5,
        "kN": 0.02,
        "Hz": 0.005,
        "kg": 0.5,
        "": 0.005,
        "g": 0.003,
        "m/s2": 0.005,
        "m/s3": 0.1,
        "N m": 0.1,
        "1/s": 0.002,
        "deg s": 0.02,
        "N m/g": 0.1,
        "N m/deg": 0.005,
        "m2": 0.02,
    },
    False,
    plain,
)
"""Tolerances of datasheet values. 1 %: twice the resolution of searched values. Floors: the four digits of old pages, and differences
that a driver cannot perceive."""
BENCH = Rule(0.15, {}, True, per_calibration)
"""Tolerance of costs. 15 %: more than the spread of medians of seven repeats on a quiet machine."""


def last_before(entries: Sequence[Entry], entry: Entry, rule: Rule) -> Entry | None:
    """Return the entry to compare with: the last one of the subject, and of the machine if needed, or None."""
    fitting = [one for one in entries if one.subject == entry.subject and (not rule.same_machine or one.machine == entry.machine)]
    return fitting[-1] if fitting else None


def changes(before: Entry, after: Entry, rule: Rule) -> list[Change]:
    """Return changed and missing figures in the order of names. New figures are not changes."""
    all_changes = []
    for name in before.figures:
        old, new = rule.scaled(before, name), rule.scaled(after, name)
        if old is not None and (new is None or rule.changed(old, new)):
            all_changes.append(Change(name, old, new))
    return all_changes
