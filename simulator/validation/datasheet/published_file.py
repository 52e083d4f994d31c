"""Files of published figures, one for a vehicle: `configs/datasheets/NAME.yaml`, each figure under the name of a fact, with its sources in words."""

from __future__ import annotations

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
    "mem": "from memory, in no text that was read",
    "std": "usual in textbooks or standards, of no vehicle in particular",
    "calc": "computed from published figures",
    "model": "a constant of another model of the vehicle",
}
"""What a figure is when it is not published of the vehicle."""
TOLERANCE = 0.05
"""Share by which a value may differ from a figure that has no range."""

_BY_NAME = {fact.name: fact for fact in ITEMS}
_UNITS = tuple(dict.fromkeys(suffix for suffixes in SUFFIXES.values() for suffix in suffixes))
_VALUE = Either((Number(), Text()), "a number, or a word of the fact")
FIGURE = (
    Field("value", _VALUE, "the figure, where it is a single one: a number or a word such as `climbed`", None),
    Field("min", Number(), "the smallest of several, or of a range", None),
    Field("max", Number(), "the largest of several, or of a range", None),
    Field("unit", Choice((*_UNITS, "1"), "a unit,"), "of these numbers; the SI unit of the fact when left out", ""),
    Field(
        "sources", ListOf(Text("the name of a source of this file")), "who says so, by names under `sources`; none where it has a mark", ()
    ),
    Field("mark", Choice(tuple(MARKS)), "; ".join(f"{mark}: {meaning}" for mark, meaning in MARKS.items()), ""),
    Field("remark", Text("text"), "what one should know about it", ""),
)
FILE = (
    Field("vehicle", Text("text"), "which vehicle, in words"),
    Field(
        "sources",
        Named(Text("author, title, year"), "names of sources, each in words"),
        "where the figures were read; none where all have a mark",
        {},
    ),
    Field("searched_in", Text("text"), "where figures were looked for and not found", ""),
    Field(
        "explanations",
        Named(Text("text"), "names of facts, each with a reason", known=tuple(_BY_NAME)),
        "why the vehicle is not as its figures say, where that is known",
        {},
    ),
    Field("figures", Named(Group(FIGURE), "names of facts, each with a figure", known=tuple(_BY_NAME)), "by the names of facts"),
)
"""Of a file in ``configs/datasheets``."""


@dataclass(frozen=True)
class Figure:
    """A published figure."""

    value: float | None
    """In SI, or the number of a word; None: a range alone."""
    least: float | None
    most: float | None
    sources: tuple[str, ...]
    """In words."""
    mark: str
    remark: str
    written: str
    """Its numbers as the file has them, with their unit."""

    def holds(self, value: float) -> bool:
        """Whether a value lies in the range; without one, whether it differs by no more than TOLERANCE."""
        if self.least is not None or self.most is not None:
            return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)
        assert self.value is not None
        return abs(value - self.value) <= TOLERANCE * abs(self.value)


@dataclass(frozen=True)
class PublishedValue:
    """All figures of a file."""

    name: str
    vehicle: str
    searched_in: str
    figures: Mapping[str, Figure]
    """By the names of facts."""
    because: Mapping[str, str] = field(default_factory=dict)
    """Likewise: why the vehicle is not as the figure says."""


def load_published(file: str | Path) -> PublishedValue:
    """A checked file. Raises ConfigError."""
    values = read(FILE, read_layers("datasheets", file).content, str(file))
    figures: dict[str, Figure] = {}
    with ErrorCollector() as faults:
        for name, said in values["figures"].items():
            with faults.part():
                figures[name] = _figure(name, said, values["sources"], str(file))
    return PublishedValue(Path(file).stem, values["vehicle"], values.get("searched_in", ""), figures, values.get("explanations") or {})


def _figure(name: str, said: Mapping[str, Any], sources: Mapping[str, str], file: str) -> Figure:
    """One figure, in the unit of its fact. Raises ConfigError."""
    key = f"figures.{name}"
    if name not in _BY_NAME:
        raise ConfigError(file, key, name, f"the name of a fact{did_you_mean(name, _BY_NAME)}")
    fact, unit = _BY_NAME[name], said["unit"]
    factor = 1.0 if unit in ("", "1") else factor_of(fact.unit, unit)
    if factor is None or (unit == "1" and fact.unit != "1"):
        fitting = ", ".join(SUFFIXES.get(fact.unit, {})) or "none"
        raise ConfigError(file, f"{key}.unit", unit, f"a unit that fits {fact.unit}: {fitting}")
    for n, source in enumerate(said["sources"]):
        if source not in sources:
            raise ConfigError(file, f"{key}.sources[{n}]", source, f"one of {', '.join(sources)}{did_you_mean(source, sources)}")
    if not said["sources"] and not said["mark"]:
        raise ConfigError(file, f"{key}.sources", "nothing", "a source, or a mark of what it is instead")
    value = _value(fact, said.get("value"), file, f"{key}.value")
    least, most = said.get("min"), said.get("max")
    if value is None and least is None and most is None:
        raise ConfigError(file, key, "nothing", "value, min or max")
    if least is not None and most is not None and least > most:
        raise ConfigError(file, f"{key}.max", most, f"no less than min, {least:g}")
    in_si = [None if one is None else factor * one for one in (value, least, most)]
    words = tuple(sources[source] for source in said["sources"])
    return Figure(in_si[0], in_si[1], in_si[2], words, said["mark"], said["remark"], _written(fact, said, unit))


def _value(fact: DatasheetItem, value: Any, file: str, key: str) -> float | None:
    """A value as a number; a word by its place among those of the fact. Raises ConfigError."""
    if not fact.words:
        if isinstance(value, str):
            raise ConfigError(file, key, value, "a number")
        return None if value is None else float(value)
    if value is None or value not in fact.words:
        raise ConfigError(file, key, value, f"one of {', '.join(fact.words)}")
    return float(fact.words.index(value))


def _written(fact: DatasheetItem, said: Mapping[str, Any], unit: str) -> str:
    """The figure for people, in the unit in which the fact is shown."""
    if fact.words:
        return str(said["value"])
    factor = (factor_of(fact.unit, unit) or 1.0) / fact.factor if unit not in ("", "1") else 1.0 / fact.factor
    value, least, most = (None if said.get(key) is None else f"{said[key] * factor:.4g}" for key in ("value", "min", "max"))
    limits = f"{least} to {most}" if least and most else f">= {least}" if least else f"<= {most}" if most else ""
    return f"{value} ({limits})" if value and limits else value or limits


def published_of(vehicle: str) -> Path | None:
    """The shipped file for a vehicle, by name or path: that of its name, else of what it builds on; None: there is none."""
    for file in ancestry(vehicle):
        found = data_folder("configs") / "datasheets" / f"{file.stem}.yaml"
        if found.is_file():
            return found
    return None


def ancestry(vehicle: str) -> Iterator[Path]:
    """Files of a vehicle, by name or path, and of what it builds on, one after the other. Raises ConfigError."""
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
