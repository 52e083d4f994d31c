"""The page of a history: entries, what changed from one to the next, and curves of what ever did."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.report.plot_style import BLUE, QUIET, RED, STYLE
from simulator.telemetry.atomic_files import write_text, write_whole
from simulator.validation.history.changes import Change, Rule, changes
from simulator.validation.history.entry import Entry, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE = "README.md"
ACROSS, WIDTH, HEIGHT, DPI = 5, 1.9, 1.25, 75
"""Plots side by side; in, of one; dots per in."""


class Kind(NamedTuple):
    """A history."""

    name: str
    title: str
    how: str
    """Command that adds to it."""
    rule: Rule
    told: str
    """What counts as a change."""


class History(NamedTuple):
    """A kind with its entries."""

    kind: Kind
    entries: Sequence[Entry]

    def subjects(self) -> list[str]:
        """In the order in which they came."""
        return list(dict.fromkeys(one.subject for one in self.entries))

    def steps(self, subject: str) -> list[tuple[Entry, list[Change] | None]]:
        """Entries of a subject, each with what changed from the one before; None where there is none to compare with."""
        found: list[tuple[Entry, list[Change] | None]] = []
        last: dict[str, Entry] = {}
        for one in self.entries:
            if one.subject == subject:
                machine = one.machine if self.kind.rule.same_machine else ""
                found.append((one, changes(last[machine], one, self.kind.rule) if machine in last else None))
                last[machine] = one
        return found


def write(histories: Sequence[History], folder: Path) -> Path:
    """The page and its pictures; returns the page. Raises OutputError."""
    for history in histories:
        for subject in history.subjects():
            _draw(history, subject, folder / picture_of(history.kind, subject))
    write_text(folder / PAGE, to_markdown(histories))
    return folder / PAGE


def picture_of(kind: Kind, subject: str) -> str:
    """Name of its file."""
    return f"{kind.name}_{subject}.png"


def to_markdown(histories: Sequence[History]) -> str:
    """The page."""
    lines = [
        "# History",
        "",
        "Figures of versions, one line of JSON each, so that drift of physics and of speed shows. Made by "
        + " and ".join(f"`{one.kind.how} --add`" for one in histories)
        + "; `--check` in the place of `--add` measures, compares with the last entry and ends with 1 when something has changed.",
    ]
    for history in histories:
        lines += ["", f"## {history.kind.title}", "", f"`{history.kind.name}.jsonl`. {history.kind.told}"]
        if not history.entries:
            lines += ["", f"Nothing yet: `{history.kind.how} --add`."]
        for subject in history.subjects():
            lines += _subject(history, subject)
    return "\n".join(lines) + "\n"


def _subject(history: History, subject: str) -> list[str]:
    steps = history.steps(subject)
    lines = ["", f"### {subject}", "", "| version | date | commit | figures | changed | from | machine |", "|---|---|---|---|---|---|---|"]
    for entry, changed in steps:
        count = "-" if changed is None else f"**{len(changed)}**" if changed else "0"
        cells = (entry.version, entry.date, entry.commit, f"{len(entry.figures)}", count, entry.source, entry.machine or "not recorded")
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    lines += [
        "",
        f"![{subject}]({picture_of(history.kind, subject)})",
        "",
        "*Red: changed from the entry before by more than the tolerance.*",
    ]
    for entry, changed in reversed(steps):
        if changed:
            lines += ["", f"<details><summary>Changed at {entry.version}, {entry.commit}: {len(changed)} figures</summary>", ""]
            lines += [*(f"- {one.told}" for one in changed), "", "</details>"]
    return lines


def _draw(history: History, subject: str, file: Path) -> None:
    """A small plot of every figure that ever changed, of all when none did. Raises OutputError."""
    import matplotlib as mpl
    from matplotlib.figure import Figure as Drawing

    steps = history.steps(subject)
    moved = {one.name for _, changed in steps for one in changed or ()}
    names = [name for name in dict.fromkeys(name for entry, _ in steps for name in entry.figures) if not moved or name in moved]
    names = [name for name in names if np.isfinite(_numbers(history, steps, name)).any()]
    down = max(1, -(-len(names) // ACROSS))
    with mpl.rc_context(STYLE):
        drawing = Drawing(figsize=(ACROSS * WIDTH, down * HEIGHT), layout="constrained")
        axes = drawing.subplots(down, ACROSS, squeeze=False).ravel()
        for name, axis in zip(names, axes, strict=False):
            _plot(axis, name, _numbers(history, steps, name), [any(one.name == name for one in changed or ()) for _, changed in steps])
        for axis in axes[len(names) :]:
            axis.set_visible(False)
        write_whole(file, lambda path: drawing.savefig(path, dpi=DPI, format="png", metadata={"Software": None}))


def _numbers(history: History, steps: Sequence[tuple[Entry, list[Change] | None]], name: str) -> np.ndarray:
    """(entries,) what is compared; NaN for what is none, or a word."""
    return np.array([_number(history.kind.rule.scaled(entry, name)) for entry, _ in steps])


def _number(figure: Figure | None) -> float:
    return float("nan") if figure is None or isinstance(figure.value, str) else figure.value


def _plot(axis: Axes, name: str, values: np.ndarray, drifted: Sequence[bool]) -> None:
    n = np.arange(len(values))
    axis.plot(n, values, color=BLUE, marker="o", markersize=3)
    red = np.array(drifted, bool) & np.isfinite(values)
    axis.plot(n[red], values[red], color=RED, marker="o", markersize=5, linestyle="")
    axis.set_title(name[:28], fontsize=7, fontweight="normal")
    axis.set_xticks([])
    axis.set_xlim(-0.4, max(len(values) - 0.6, 0.4))
    axis.tick_params(color=QUIET, labelsize=6)
    if np.isfinite(values).any() and np.ptp(values[np.isfinite(values)]) < 1e-3 * np.abs(values[np.isfinite(values)]).max():
        middle = float(np.nanmean(values))
        axis.set_ylim(middle - 0.05 * abs(middle) - 1e-12, middle + 0.05 * abs(middle) + 1e-12)


def latest(entries: Sequence[tuple[Entry, list[Change] | None]]) -> list[str]:
    """A line for each entry, what changed at the last one below."""
    lines = []
    for entry, changed in entries:
        told = "first" if changed is None else f"{len(changed)} changed"
        lines.append(f"{entry.version:<8} {entry.date:<11} {entry.commit:<9} {len(entry.figures):>4} figures, {told}")
    if entries and entries[-1][1]:
        lines += [f"  {one.told}" for one in entries[-1][1]]
    return lines
