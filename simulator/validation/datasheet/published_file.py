"""Files of published values, one for each vehicle: `configs/datasheets/NAME.yaml`. Each value has the name of an item and its sources."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Either, Field, Group, ListOf, Named, Number, Text, read
from simulator.base.suggestions import did_you_mean
from simulator.base.units import SUFFIXES, factor_of
from simulator.base.yaml_reader import read_yaml
from simulator.configuration.file_lookup import data_folder, find_config
from simulator.configuration.layers import read_layers
from simulator.validation.datasheet.definitions import ITEMS, DatasheetItem

MARKS = {
    "mem": "from memory, without a text as source",
    "std": "usual value in textbooks or standards",
    "calc": "computed from published values",
    "model": "constant of another model of the vehicle",
}
"""Marks for values that are not published for the vehicle itself."""
TOLERANCE = 0.05
"""Relative tolerance of a published value without a range."""

_BY_NAME = {fact.name: fact for fact in ITEMS}
_UNITS = tuple(dict.fromkeys(suffix for suffixes in SUFFIXES.values() for suffix in suffixes))
_VALUE = Either((Number(), Text()), "a number, or a word of the item")
FIGURE = (
    Field("value", _VALUE, "single value: a number or a word such as `climbed`", None),
    Field("min", Number(), "minimum of several values or of a range", None),
    Field("max", Number(), "maximum of several values or of a range", None),
    Field("unit", Choice((*_UNITS, "1"), "a unit,"), "unit of the numbers (default: SI unit of the item)", ""),
    Field("sources", ListOf(Text("the name of a source of this file")), "names of the sources in `sources`; empty if there is a mark", ()),
    Field("mark", Choice(tuple(MARKS)), "; ".join(f"{mark}: {meaning}" for mark, meaning in MARKS.items()), ""),
    Field("remark", Text("text"), "remark for the reader", ""),
)
FILE = (
    Field("vehicle", Text("text"), "description of the vehicle"),
    Field(
        "sources",
        Named(Text("author, title, year"), "names of sources, each with its description"),
        "sources of the values; empty if all values have a mark",
        {},
    ),
    Field("searched_in", Text("text"), "places searched without result", ""),
    Field(
        "explanations",
        Named(Text("text"), "names of items, each with a reason", known=tuple(_BY_NAME)),
        "known reasons for deviations from the published values",
        {},
    ),
    Field(
        "figures",
        Named(Group(FIGURE), "names of items, each with a value", known=tuple(_BY_NAME)),
        "published values by the names of items",
    ),
)
"""Keys of a file in ``configs/datasheets``."""


@dataclass(frozen=True)
class Figure:
    """A published value."""

    value: float | None
    """Value in SI units, or the number of a word; None: only a range."""
    least: float | None
    most: float | None
    sources: tuple[str, ...]
    """Descriptions of the sources."""
    mark: str
    remark: str
    written: str
    """Numbers as in the file, with unit, for display."""

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the range; without a range, whether it differs by no more than TOLERANCE."""
        if self.least is not None or self.most is not None:
            return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)
        assert self.value is not None
        return abs(value - self.value) <= TOLERANCE * abs(self.value)

    def is_above(self, value: float) -> bool:
        """Return whether the whole range, or the single number, lies above a value."""
        lowest = self.value if self.least is None and self.most is None else self.least
        return lowest is not None and value < lowest


@dataclass(frozen=True)
class PublishedValue:
    """All values of a file."""

    name: str
    vehicle: str
    searched_in: str
    figures: Mapping[str, Figure]
    """Values by the names of items."""
    because: Mapping[str, str] = field(default_factory=dict)
    """Reasons for deviations, by the names of items."""


def load_published(file: str | Path) -> PublishedValue:
    """Read and check a file. Raises ConfigError."""
    content = read_layers("datasheets", file).content
    with ErrorCollector() as faults:
        with faults.part():
            values = read(FILE, content, str(file))
        with faults.part():
            _check_names(content, str(file))
    figures: dict[str, Figure] = {}
    with ErrorCollector() as faults:
        for name, given in values["figures"].items():
            with faults.part():
                figures[name] = _figure(name, given, values["sources"], str(file))
    return PublishedValue(Path(file).stem, values["vehicle"], values.get("searched_in", ""), figures, values.get("explanations") or {})


def _check_names(content: Any, file: str) -> None:
    """Raise a ConfigError for each value that is not that of an item."""
    figures = content.get("figures") if isinstance(content, Mapping) else None
    with ErrorCollector() as faults:
        for name in figures if isinstance(figures, Mapping) else ():
            if name not in _BY_NAME:
                faults.add(ConfigError(file, f"figures.{name}", name, f"the name of an item{did_you_mean(str(name), _BY_NAME)}"))


def _figure(name: str, given: Mapping[str, Any], sources: Mapping[str, str], file: str) -> Figure:
    """Return one value in SI units. Raises ConfigError."""
    key = f"figures.{name}"
    fact, unit = _BY_NAME[name], given["unit"]
    factor = 1.0 if unit in ("", "1") else factor_of(fact.unit, unit)
    if factor is None or (unit == "1" and fact.unit != "1"):
        fitting = ", ".join(SUFFIXES.get(fact.unit, {})) or "none"
        raise ConfigError(file, f"{key}.unit", unit, f"a unit that fits {fact.unit}: {fitting}")
    for n, source in enumerate(given["sources"]):
        if source not in sources:
            raise ConfigError(file, f"{key}.sources[{n}]", source, f"one of {', '.join(sources)}{did_you_mean(source, sources)}")
    if not given["sources"] and not given["mark"]:
        raise ConfigError(file, f"{key}.sources", "nothing", "a source, or a mark")
    value = _value(fact, given.get("value"), file, f"{key}.value")
    least, most = given.get("min"), given.get("max")
    if fact.words and (least is not None or most is not None):
        name, limit = ("max", most) if least is None else ("min", least)
        raise ConfigError(file, f"{key}.{name}", limit, "no limit of an item whose value is a word")
    if value is None and least is None and most is None:
        raise ConfigError(file, key, "nothing", "value, min or max")
    if least is not None and most is not None and least > most:
        raise ConfigError(file, f"{key}.max", most, f"a number of at least `min`, {least:g}")
    if value is not None and not (-math.inf if least is None else least) <= value <= (math.inf if most is None else most):
        raise ConfigError(file, f"{key}.value", value, "a number from `min` to `max`")
    if value == 0.0 and least is None and most is None and not fact.words:
        raise ConfigError(file, f"{key}.value", value, "`min` and `max` around 0, because the tolerance of a single value is relative")
    in_si = [None if one is None else factor * one for one in (value, least, most)]
    words = tuple(sources[source] for source in given["sources"])
    return Figure(in_si[0], in_si[1], in_si[2], words, given["mark"], given["remark"], _written(fact, given, unit))


def _value(fact: DatasheetItem, value: Any, file: str, key: str) -> float | None:
    """Return a value as a number; for a word, its index. Raises ConfigError."""
    if not fact.words:
        if isinstance(value, str):
            raise ConfigError(file, key, value, "a number")
        return None if value is None else float(value)
    if value is None or value not in fact.words:
        raise ConfigError(file, key, value, f"one of {', '.join(fact.words)}")
    return float(fact.words.index(value))


def _written(fact: DatasheetItem, given: Mapping[str, Any], unit: str) -> str:
    """Return the value as text, in the display unit of the item."""
    if fact.words:
        return str(given["value"])
    factor = (factor_of(fact.unit, unit) or 1.0) / fact.factor if unit not in ("", "1") else 1.0 / fact.factor
    value, least, most = (None if given.get(key) is None else f"{given[key] * factor:.4g}" for key in ("value", "min", "max"))
    limits = f"{least} to {most}" if least and most else f">= {least}" if least else f"<= {most}" if most else ""
    return f"{value} ({limits})" if value and limits else value or limits


def published_of(vehicle: str) -> Path | None:
    """Return the shipped file of a vehicle, by the name of the vehicle or of one of its bases, or None."""
    for file in ancestry(vehicle):
        path = data_folder("configs") / "datasheets" / f"{file.stem}.yaml"
        if path.is_file():
            return path
    return None


def ancestry(vehicle: str) -> Iterator[Path]:
    """Yield the file of a vehicle and the files of its bases in order. Raises ConfigError."""
    file = find_config("vehicles", vehicle)
    seen: set[Path] = set()
    while file not in seen:
        seen.add(file)
        yield file
        content = read_yaml(file)
        base = content.get("base") if isinstance(content, Mapping) else None
        if not isinstance(base, str):
            return
        file = find_config("vehicles", base, file, "base")
