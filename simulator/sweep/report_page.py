"""Report page of a sweep: status, varied keys, metrics and the section of each metric."""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import yaml

from simulator.autonomy.outcome import OUTCOMES
from simulator.base.arrays import Array
from simulator.base.units import is_suffix
from simulator.maneuvers.metrics import METRICS
from simulator.report.html_page import Column, Page, Verdict
from simulator.report.plot import shortened
from simulator.sweep.effects import MAX_DISTINCT_ENDS
from simulator.sweep.metric_section import NOTES, PASSED, metric_section
from simulator.sweep.results import Key, Results

EVERYWHERE = {metric.name for metric in METRICS}
"""Metrics of every maneuver, which are not specific to its purpose."""
DRAWN = 8
"""Number of metrics drawn by default."""
LISTED = 8
"""Number of runs listed for an outcome or a reason."""
ENDS = 3
"""Number of runs listed with the minimum, and with the maximum of a metric."""
LETTERS = 18
"""Maximum number of characters of a value in a table."""
LETTERS_OF_ID = 12
"""Number of characters of the digest in a table. The commands of single runs show the complete digest."""
LETTERS_OF_ALL = 240
"""Maximum number of characters of the list of values of a key."""


def sweep_page(results: Results, names: Sequence[str], command: str) -> Page:
    """Return the report page. `names` are patterns of the metrics to draw, `command` is the command line."""
    page = Page(str(results.about.get("title") or results.about.get("name") or "A sweep"), f"Created by `{command}`.")
    _head(page, results)
    _varied(page, results)
    if results.outcomes:
        _outcomes(page, results)
    if results.failed:
        _failures(page, results)
    chosen, why = chosen_metrics(results, names)
    _all_metrics(page, results, why)
    if chosen or results.varies(PASSED):
        page.subheading("How to read the plots")
        page.points(NOTES)
    if results.varies(PASSED):
        metric_section(page, results, PASSED, _ends(results, PASSED))
    for name in chosen:
        metric_section(page, results, name, _ends(results, name))
    return page


def named_metrics(results: Results, patterns: Sequence[str]) -> list[str]:
    """Return the metrics that patterns name. Without patterns, return all: those with limits first and those of every maneuver last.

    Of a metric in two units, a pattern names the one in the unit for display.
    """
    names = [name for name in results.metrics if name != PASSED]
    own = _without_twins(results)
    if patterns:
        return [
            name for name in names if name in patterns or (name in own and any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))
        ]
    limits = results.about.get("limits") or {}
    return sorted(own, key=lambda name: 0 if name in limits else 2 if _bare(name) in EVERYWHERE else 1)


def _without_twins(results: Results) -> list[str]:
    """Return the metrics. Of a metric in two units, only the one in the unit for display is returned."""
    chosen: dict[str, str] = {}
    for name in results.metrics:
        twin = chosen.get(_bare(name))
        if twin is not None and not _in_proportion(results.metrics[twin], results.metrics[name]):
            chosen[name] = name
        elif name != PASSED:
            chosen[_bare(name)] = name
    return list(chosen.values())


def _bare(name: str) -> str:
    """Return the name of a metric without its unit."""
    bare, _, suffix = name.rpartition("_")
    return bare if bare and is_suffix(suffix) else name


def _in_proportion(one: Array, other: Array) -> bool:
    there = np.isfinite(one) & np.isfinite(other)
    if not np.array_equal(np.isfinite(one), np.isfinite(other)) or not there.any():
        return False
    at = int(np.argmax(np.where(there, np.abs(one), -1.0)))
    return one[at] == 0.0 or bool(np.allclose(one[there] * (other[at] / one[at]), other[there], rtol=1e-9, atol=0.0))


def chosen_metrics(results: Results, names: Sequence[str]) -> tuple[list[str], str]:
    """Return the metrics to draw, and a sentence about the others. Constant metrics are not drawn; by default only the first ones are."""
    named = named_metrics(results, names)
    varying = [name for name in named if results.varies(name)]
    constant = len(named) - len(varying)
    words = [f"{_many(constant, 'metric')} with one number in all runs, or none, appear only in the table."] * (constant > 0)
    if not names and len(varying) > DRAWN:
        words.insert(
            0, f"The plots show {DRAWN} of {len(varying)} that vary. Choose others with `--metric NAME` or `metrics` in the sweep file."
        )
        varying = varying[:DRAWN]
    return varying, " ".join(words)


def planned_runs(results: Results) -> int:
    """Return the number of planned runs."""
    return int(results.about.get("runs", len(results.runs)))


def _head(page: Page, results: Results) -> None:
    about, done = results.about, len(results.runs)
    planned, failed = planned_runs(results), len(results.failed)
    passed, with_verdict = sum(one is True for one in results.passed), sum(one is not None for one in results.passed)
    words = f"{done} of {_many(planned, 'run')} done"
    words += f", {_many(failed, 'run')} without a result" if failed else ", all with a result" if done else ""
    words += f"; {passed} of {with_verdict} passed" if with_verdict else "; no limits defined" * (done > failed)
    page.verdict(Verdict(words, False if failed else True if done == planned and passed == with_verdict else None))
    facts = {"sweep": about.get("name"), **results.machine}
    page.facts([(name, str(value)) for name, value in facts.items() if value])
    base = about.get("base") or {}
    if base:
        page.text("In all runs: " + ", ".join(f"{key} = {_yaml(value)}" for key, value in base.items()) + ".")
    if about.get("remarks"):
        page.points(about["remarks"])


def _varied(page: Page, results: Results) -> None:
    page.heading("Varied keys")
    for section in results.about.get("sections", ()):
        page.text(f"Runs {section['first']} to {section['first'] + section['runs'] - 1}: {section['how']}.")
    rows = []
    for key in results.keys:
        words = [key.word_of(value) for value in key.values]
        which = (
            shortened(", ".join(words), LETTERS_OF_ALL) if key.names or len(words) <= MAX_DISTINCT_ENDS else f"{words[0]} to {words[-1]}"
        )
        rows.append([key.name, str(len(words)), which])
    page.table([Column("key", words=True, long=True), Column("values"), Column("which", words=True, long=True)], rows)


def _outcomes(page: Page, results: Results) -> None:
    """Write how many runs have each outcome, and which."""
    page.heading("Outcomes of the drives to a goal")
    rows = []
    for word in OUTCOMES:
        numbers = [results.numbers[n] for n, one in enumerate(results.outcomes) if one == word]
        rows.append([word, str(len(numbers)), _numbers(numbers)])
    page.table([Column("outcome", words=True), Column("runs"), Column("which", words=True, long=True)], rows)


def _numbers(numbers: Sequence[Any]) -> str:
    """Return the first numbers of a list of runs."""
    return ", ".join(map(str, numbers[:LISTED])) + (" ..." if len(numbers) > LISTED else "")


def _failures(page: Page, results: Results) -> None:
    page.heading("Runs without a result")
    groups: dict[str, list[int]] = {}
    for n in results.failed:
        groups.setdefault(re.sub(r"\d+(\.\d+)?([eE][-+]?\d+)?", "#", results.failures[n]), []).append(n)
    rows = []
    for places in sorted(groups.values(), key=len, reverse=True):
        rows.append([results.failures[places[0]], str(len(places)), _numbers([results.numbers[n] for n in places])])
    page.table([Column("reason of the first one", words=True, long=True), Column("runs"), Column("which", words=True, long=True)], rows)
    _commands(page, results, [places[0] for places in groups.values()][:DRAWN])


def _all_metrics(page: Page, results: Results, why: str) -> None:
    page.heading("Metrics")
    if why:
        page.text(why)
    limits: Mapping[str, Any] = results.about.get("limits") or {}
    rows: list[list[Any]] = []
    for name in _without_twins(results):
        numbers = results.metrics[name]
        sound = numbers[np.isfinite(numbers)]
        quantiles = [float(one) for one in np.quantile(sound, [0.0, 0.05, 0.5, 0.95, 1.0])] if len(sound) else [None] * 5
        spread = (
            [float(sound.mean()), float(sound.std(ddof=1)) * results.varies(name) if len(sound) > 1 else None]
            if len(sound)
            else [None, None]
        )
        rows.append([name, str(len(sound)), *spread, *quantiles, *([_limit(limits.get(name), sound)] if limits else [])])
    columns = [Column("metric", words=True), Column("runs"), *map(Column, ("mean", "deviation", "min", "5 %", "median", "95 %", "max"))]
    page.table([*columns, *([Column("limit, satisfied by", words=True)] if limits else [])], rows)


def _limit(limit: Sequence[float | None] | None, numbers: Any) -> str | Verdict:
    """Return a limit in words, and the percentage of the runs that satisfy it."""
    if limit is None or not len(numbers):
        return ""
    low, high = limit
    words = " and ".join(f"{sign} {bound:g}" for sign, bound in (("≥", low), ("≤", high)) if bound is not None)
    chosen = ((numbers >= (-np.inf if low is None else low)) & (numbers <= (np.inf if high is None else high))).mean()
    return Verdict(f"{words}: {100.0 * chosen:.3g} %", bool(chosen == 1.0))


def _ends(results: Results, name: str) -> Callable[[Page, Sequence[Key]], None]:
    """Return a function that writes the runs with the minimum and the maximum of a metric, and their commands."""

    def write(page: Page, keys: Sequence[Key]) -> None:
        numbers = results.metrics[name]
        order = [int(n) for n in np.argsort(numbers, kind="stable") if np.isfinite(numbers[n])]
        count = min(ENDS, len(order) // 2) or 1
        places = list(dict.fromkeys([*order[:count], *order[-count:]]))
        rows: list[list[Any]] = [[name, *(numbers[n] for n in places)], ["id", *(results.runs[n][:LETTERS_OF_ID] for n in places)]]
        if any(results.passed[n] is not None for n in places):
            rows.append(["", *(_verdict(results.passed[n]) for n in places)])
        rows += [[key.name, *(shortened(key.word(n), LETTERS) for n in places)] for key in keys]
        columns = [Column("", words=True, long=True), *(Column(f"run {results.numbers[n]}", words=True) for n in places)]
        page.table(columns, rows, "Runs with the smallest and the largest values.")
        _commands(page, results, places)

    return write


def _verdict(passed: bool | None) -> Verdict | str:
    return "" if passed is None else Verdict("passed" if passed else "not passed", passed)


def _commands(page: Page, results: Results, places: Iterable[int]) -> None:
    commands = [f"# run {results.numbers[n]}, {results.runs[n]}\n{command_of(results, n)}" for n in places]
    page.details("Commands for single runs (names as in the sweep file; run them in its folder)", "\n".join(commands))


def command_of(results: Results, n: int) -> str:
    """Return the command that runs a case alone."""
    given = dict(results.about.get("base") or {})
    given |= {key.name: key.names[int(key.numbers[n])] if key.names else key.numbers[n] for key in results.keys if key.given[n]}
    words = ["jounce", "run", *([str(given.pop("maneuver"))] if "maneuver" in given else [])]
    for option in ("session", "vehicle", "terrain", "washout", "platform"):
        if option in given:
            words += [f"--{option}", str(given.pop(option))]
    for key, value in given.items():
        words += ["--set", f"{key}={_yaml(value)}"]
    return shlex.join(words)


def _yaml(value: Any) -> str:
    """Return a value as one line of YAML, the format of `--set`."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return value if isinstance(value, str) else yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("...\n").strip()


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
