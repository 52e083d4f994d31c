"""What has changed from one entry to the next, by more than its tolerance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from simulator.validation.history.entry import Entry, Figure


class Change(NamedTuple):
    """A figure that is not what it was."""

    name: str
    before: Figure | None
    after: Figure | None

    @property
    def told(self) -> str:
        """In words."""
        share = ""
        if self.before is not None and self.after is not None:
            old, new = self.before.value, self.after.value
            if not isinstance(old, str) and not isinstance(new, str) and old:
                share = f" ({100.0 * (new - old) / abs(old):+.1f} %)"
        before, after = ("none" if one is None else one.shown for one in (self.before, self.after))
        return f"{self.name}: {before} -> {after}{share}"


class Rule(NamedTuple):
    """When a number has changed: by more than a share of the larger, and by more than the floor of its unit."""

    share: float
    floors: Mapping[str, float]
    same_machine: bool
    """Whether only entries of one machine are compared."""
    scaled: Callable[[Entry, str], Figure | None]
    """What of an entry is compared under a name."""

    def changed(self, before: Figure, after: Figure) -> bool:
        """Whether it has."""
        old, new = before.value, after.value
        if isinstance(old, str) or isinstance(new, str) or before.unit != after.unit:
            return before != after
        return abs(new - old) > max(self.share * max(abs(old), abs(new)), self.floors.get(after.unit, 0.0))


def plain(entry: Entry, name: str) -> Figure | None:
    """The figure itself."""
    return entry.figures.get(name)


CALIBRATION = "calibration"
"""Name of the loop by which machines, and states of one machine, are compared."""
TIMES = "times real time"


def per_calibration(entry: Entry, name: str) -> Figure | None:
    """A cost over that of the calibration loop; how many times real time, times it. None of the loop itself."""
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
"""1 %: what is searched for is found to about half of that. Floors: what four digits of the oldest pages leave, and what nobody would feel."""
BENCH = Rule(0.15, {}, True, per_calibration)
"""15 %: what medians of seven repeats differ by on a quiet machine, with room."""


def last_before(entries: Sequence[Entry], entry: Entry, rule: Rule) -> Entry | None:
    """The one with which an entry is compared: the last of its subject, and of its machine where that matters; None: there is none."""
    fitting = [one for one in entries if one.subject == entry.subject and (not rule.same_machine or one.machine == entry.machine)]
    return fitting[-1] if fitting else None


def changes(before: Entry, after: Entry, rule: Rule) -> list[Change]:
    """What has changed, what is gone, in the order of the names; what is new is no change."""
    found = []
    for name in before.figures:
        old, new = rule.scaled(before, name), rule.scaled(after, name)
        if old is not None and (new is None or rule.changed(old, new)):
            found.append(Change(name, old, new))
    return found
