"""Tables that say what a file may hold, and the one reader that reads by them.

A file, or a section of one, is described by a tuple of fields, one row each::

    SPRING = (
        Field("free_length", Number("m", 0.001, 100.0), "length of the spring without load"),
        Field("rate", Number("N/m", 0.0, 1e9), "stiffness", default=0.0),
    )

`read` checks a mapping by such a table and gives its values in SI units; everything that is wrong is said at once. The same rows make the
JSON Schema (`simulator.base.json_schema`) and the page of the reference, so what is described is what is read. Any number whose SI unit is
known may be written with another unit behind its key (`simulator.base.units`).

What stands behind a key is a *kind*: `Number` (of any shape), `Text`, `FileName`, `Choice`, `Flag`, `Group` (a nested section), `ListOf`, `Named` (free
names, each with a value), `Variants` (a section whose `type` decides about its other keys), `Either`, `Anything`. A kind has `read`, which
raises ConfigError, `accepts`, whether a value is at all of this sort, and `words`, what is expected.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, raise_all
from simulator.base.memoize import memoize_by_identity
from simulator.base.records import ABOVE_ZERO, LARGEST, Ranges, Record, Table, join, numbers, record
from simulator.base.section_cache import cached_sections
from simulator.base.suggestions import did_you_mean, nearest, no_such_key
from simulator.base.units import SHOWN, SUFFIXES, factor_of, fitting, is_suffix

REQUIRED: Any = object()
"""Default of a field that a file must have."""


class FieldType(Protocol):
    """What may stand behind a key."""

    def read(self, value: Any, file: object, key: str) -> Any:
        """The checked value, in SI units. Raises ConfigError."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is of this sort, right or wrong."""

    def words(self) -> str:
        """What is expected, for messages."""


@dataclass(frozen=True)
class Field:
    """One key of a file.

    Parameters
    ----------
    name : key without a unit
    kind : what stands behind it
    meaning : what it is, in a few words
    default : value in SI units when the key is left out; None: nothing then; REQUIRED: it must be there
    frame : in which a vector is written, if any
    also : other ways to write the key, each with the unit (suffix) that it has
    written : unit (suffix) with which it is usually written; nothing: bare, in SI
    """

    name: str
    kind: FieldType
    meaning: str
    default: Any = REQUIRED
    frame: str = ""
    also: Mapping[str, str] = dataclasses.field(default_factory=dict)
    written: str = ""

    @property
    def unit(self) -> str:
        """SI unit of the numbers behind the key, empty when there is none."""
        return unit_of(self.kind)

    @property
    def usual(self) -> str:
        """The key as it is usually written."""
        return f"{self.name}_{self.written}" if self.written else self.name

    @cached_property
    def spellings(self) -> Mapping[str, str]:
        """Every way to write the key, each with its suffix (nothing: SI)."""
        names = [self.name, *(key for key, suffix in self.also.items() if not suffix)]
        with_unit = {f"{name}_{suffix}": suffix for name in names for suffix in SUFFIXES.get(self.unit, ())}
        return {**dict.fromkeys(names, ""), **with_unit, **self.also}


Fields = tuple[Field, ...]


class Values(dict[str, Any]):
    """Checked values by name, in SI units, with defaults filled in.

    Attributes
    ----------
    spelled : key of every name as the file writes it
    units : (factor to SI, unit in words) of the names that are written in another unit
    """

    def __init__(self) -> None:
        super().__init__()
        self.spelled: dict[str, str] = {}
        self.units: dict[str, tuple[float, str]] = {}


def unit_of(kind: FieldType) -> str:
    """SI unit of the numbers of a kind, "" when it has none."""
    if isinstance(kind, Number):
        return kind.unit
    if isinstance(kind, ListOf):
        return unit_of(kind.item)
    if isinstance(kind, Either):
        return next((unit for unit in map(unit_of, kind.kinds) if unit), "")
    return ""


def _read_in(kind: FieldType, value: Any, file: object, key: str, suffix: str) -> Any:
    """Value of a kind whose key has the suffix of a unit behind it."""
    if not suffix:
        return kind.read(value, file, key)
    if isinstance(kind, Number):
        return kind.read_in(value, file, key, suffix)
    if isinstance(kind, ListOf):
        return dataclasses.replace(kind, suffix=suffix).read(value, file, key)
    assert isinstance(kind, Either)
    return _read_in(kind.with_unit(suffix).chosen(value, file, key), value, file, key, suffix)


@dataclass(frozen=True)
class Number:
    """A finite number, or an array of them.

    Parameters
    ----------
    unit : SI unit; "" or "1": none
    least, most : both allowed, in SI
    above, below : not allowed themselves
    shape : of an array; an entry (2, 21) stands for from 2 to 21 items
    whole : no fractions
    rising : each greater than the one before
    """

    unit: str = ""
    least: float = -LARGEST
    most: float = LARGEST
    above: float | None = None
    below: float | None = None
    shape: tuple[int | tuple[int, int], ...] = ()
    whole: bool = False
    rising: bool = False

    def read(self, value: Any, file: object, key: str) -> Any:
        """A float, an int where it is whole, or an array."""
        return self.read_in(value, file, key, "")

    def read_in(self, value: Any, file: object, key: str, suffix: str) -> Any:
        """The same of a number that is written in the unit of a suffix."""
        factor = factor_of(self.unit, suffix) if suffix else 1.0
        assert factor is not None
        shape = self._shape_of(value, file, key, suffix)
        array = numbers(value, shape, file, key, self._shown(suffix), whole=self.whole)
        if factor != 1.0:
            array = array * factor
        if not self.within(array):
            raise ConfigError(file, key, value, f"{self.noun(suffix)}, {self.range_words(suffix)}")
        if self.rising and not (np.diff(array) > 0.0).all():
            raise ConfigError(file, key, value, "numbers that rise from one to the next")
        if shape:
            return array
        return int(value) if self.whole else float(array)

    def within(self, array: NDArray[np.float64]) -> bool:
        """Whether all numbers lie in the range."""
        if not array.ndim:
            return self._takes_in(float(array))
        good = (array >= self.least) & (array <= self.most)
        if self.above is not None:
            good &= array > self.above
        if self.below is not None:
            good &= array < self.below
        return bool(np.all(good))

    def _takes_in(self, value: float) -> bool:
        """Whether one number lies in the range."""
        in_range = self.least <= value <= self.most
        return in_range and (self.above is None or value > self.above) and (self.below is None or value < self.below)

    def accepts(self, value: Any) -> bool:
        """A number, or a list where it is an array: of so many items, of lists where it has two axes."""
        if not self.shape:
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        if not isinstance(value, (list, tuple, np.ndarray)) or not _fits(len(value), self.shape[0]):
            return False
        return all(isinstance(row, (list, tuple, np.ndarray)) == (len(self.shape) > 1) for row in value)

    def words(self) -> str:
        return self.noun("")

    def noun(self, suffix: str) -> str:
        """What is expected, without the range."""
        lengths = [str(n) if isinstance(n, int) else f"{n[0]} to {n[1]}" for n in self.shape]
        noun = f"{' x '.join(lengths)} numbers" if self.shape else "a number"
        unit = self._shown(suffix)
        return f"{noun} in {unit}" if unit not in ("", "1") else noun

    def range_words(self, suffix: str = "") -> str:
        """The range in the unit of the suffix; empty when there is none."""
        factor = factor_of(self.unit, suffix) if suffix else 1.0
        low, high = ((limit / factor) for limit in (self.least, self.most))  # type: ignore[operator]
        limits = [] if self.above is None else [f"above {self.above / factor:g}"]  # type: ignore[operator]
        limits += [] if self.below is None else [f"below {self.below / factor:g}"]  # type: ignore[operator]
        if self.least == ABOVE_ZERO:
            limits, low = ["above 0"], -math.inf
        if not limits and math.isfinite(low) and math.isfinite(high):
            return f"from {low:g} to {high:g}"
        limits += [f"at least {low:g}"] * (math.isfinite(low) and not (self.above is not None and self.least <= self.above))
        limits += [f"at most {high:g}"] * (math.isfinite(high) and not (self.below is not None and self.most >= self.below))
        return ", ".join(limits)

    def _shown(self, suffix: str) -> str:
        return SHOWN.get(suffix, suffix) if suffix else self.unit

    def _shape_of(self, value: Any, file: object, key: str, suffix: str) -> tuple[int, ...]:
        """The shape wanted, free lengths as they are."""
        out: list[int] = []
        inside = value
        for wanted in self.shape:
            if isinstance(wanted, int):
                out.append(wanted)
            elif isinstance(inside, (list, tuple, np.ndarray)) and _fits(len(inside), wanted):
                out.append(len(inside))
            else:
                raise ConfigError(file, key, value, f"a list of {self.noun(suffix)}")
            inside = inside[0] if isinstance(inside, (list, tuple, np.ndarray)) and len(inside) else None
        return tuple(out)


def _fits(length: int, wanted: int | tuple[int, int]) -> bool:
    return length == wanted if isinstance(wanted, int) else wanted[0] <= length <= wanted[1]


@dataclass(frozen=True)
class Text:
    """A text that is not empty.

    `pattern` is a regular expression that it has to fit, `expected` says in words what; an object that a builder has put in the place of
    a name, such as the content of the file of that name, is left as it is when `held` is its class.
    """

    expected: str = "a text"
    pattern: str = ""
    held: type | None = None
    empty: bool = False

    def read(self, value: Any, file: object, key: str) -> Any:
        if self.held is not None and isinstance(value, self.held):
            return value
        fits = isinstance(value, str) and (self.empty or bool(value.strip()))
        if not fits or (self.pattern and not re.search(self.pattern, value)):
            raise ConfigError(file, key, value, self.expected)
        return value

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) or (self.held is not None and isinstance(value, self.held))

    def words(self) -> str:
        return self.expected


@dataclass(frozen=True)
class FileName(Text):
    """The path of a file that is no text, such as a map of heights: beside the file that names it, or inside the assets.

    A run notes its digest, and `jounce rerun` refuses another file in its place. A file of text is named by `Text`: it is read when names
    become contents, and its content is what a run notes.
    """


@dataclass(frozen=True)
class Choice:
    """One of some words; `options` may be a function, for words of a registry."""

    options: tuple[str, ...] | Callable[[], Iterable[str]]
    noun: str = "one of"

    def names(self) -> tuple[str, ...]:
        """The words."""
        return tuple(self.options()) if callable(self.options) else self.options

    def read(self, value: Any, file: object, key: str) -> str:
        names = self.names()
        if not isinstance(value, str) or value not in names:
            raise ConfigError(file, key, value, f"{self.words()}{did_you_mean(value, names)}")
        return value

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)

    def words(self) -> str:
        return f"{self.noun} {', '.join(self.names())}"


@dataclass(frozen=True)
class Flag:
    """true or false."""

    def read(self, value: Any, file: object, key: str) -> bool:
        if not isinstance(value, bool):
            raise ConfigError(file, key, value, self.words())
        return value

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool)

    def words(self) -> str:
        return "true or false"


@dataclass(frozen=True)
class Anything:
    """Whatever stands there is left as it is; somebody else checks it."""

    expected: str = "a value"

    def read(self, value: Any, file: object, key: str) -> Any:
        return value

    def accepts(self, value: Any) -> bool:
        return True

    def words(self) -> str:
        return self.expected


@dataclass(frozen=True)
class Group:
    """A section with the keys of a table; `make`, when given, is called with what the file says and gives the value."""

    fields: Fields
    make: Callable[..., Any] | None = None

    def read(self, value: Any, file: object, key: str) -> Any:
        values = read(self.fields, value, file, key, fill=self.make is None)
        return values if self.make is None else self.make(**values)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def words(self) -> str:
        return f"a mapping with keys out of: {', '.join(field.usual for field in self.fields)}"


@dataclass(frozen=True)
class ListOf:
    """A list of values of one kind, from `least` to `most` of them; numbers in the unit of `suffix`."""

    item: FieldType
    least: int = 0
    most: int | None = None
    suffix: str = ""

    def read(self, value: Any, file: object, key: str) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)) or len(value) < self.least or (self.most is not None and len(value) > self.most):
            raise ConfigError(file, key, value, self.words())
        faults: list[ConfigError] = []
        out = [_kept(faults, _read_in, self.item, one, file, f"{key}[{k}]", self.suffix) for k, one in enumerate(value)]
        raise_all(faults)
        return tuple(out)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (list, tuple))

    def words(self) -> str:
        least = f" of at least {self.least}" if self.least else ""
        most = f" of at most {self.most}" if self.most is not None else ""
        return f"a list{least}{most}, each {self.item.words()}"


@dataclass(frozen=True)
class Named:
    """A mapping of free names to values of one kind; `known` are all that there are, where somebody else looks them up who has more to say.

    The key `unless` beside it, where a file has it, brings further names.
    """

    item: FieldType
    expected: str = "names with their values"
    least: int = 0
    known: tuple[str, ...] = ()
    unless: str = ""

    def read(self, value: Any, file: object, key: str) -> Values:
        if not isinstance(value, Mapping) or len(value) < self.least:
            raise ConfigError(file, key, value, self.expected)
        faults: list[ConfigError] = []
        out = Values()
        for name, inside in value.items():
            path = join(key, printed(name))
            if not isinstance(name, str) or not name.strip():
                faults.append(ConfigError(file, path, inside, f"a name as key: {self.expected}"))
                continue
            out[name] = _kept(faults, self.item.read, inside, file, path)
        raise_all(faults)
        return out

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def words(self) -> str:
        return self.expected


@dataclass(frozen=True)
class Either:
    """A value of one of several kinds, told apart by their sort: the first that takes it."""

    kinds: tuple[FieldType, ...]
    expected: str = ""

    def read(self, value: Any, file: object, key: str) -> Any:
        return self.chosen(value, file, key).read(value, file, key)

    def with_unit(self, suffix: str) -> Either:
        """Those kinds whose numbers may be written in the unit of a suffix."""
        return Either(tuple(kind for kind in self.kinds if factor_of(unit_of(kind), suffix) is not None))

    def chosen(self, value: Any, file: object, key: str) -> FieldType:
        """The kind that takes a value. Raises ConfigError when none does."""
        for kind in self.kinds:
            if kind.accepts(value):
                return kind
        raise ConfigError(file, key, value, self.words())

    def accepts(self, value: Any) -> bool:
        return any(kind.accepts(value) for kind in self.kinds)

    def words(self) -> str:
        return self.expected or ", or ".join(kind.words() for kind in self.kinds)


@dataclass(frozen=True)
class Variants:
    """A section in which one key decides about the others: each word brings its table.

    Parameters
    ----------
    key : which decides
    tables : fields by word, or a function that gives them for a word out of a registry; None for a tenant from outside that has no table
        and reads by itself
    names : the words
    meaning : what the key is
    common : fields of all of them
    default : word when the key is left out; REQUIRED: it must be there
    """

    key: str
    tables: Mapping[str, Fields | None] | Callable[[str], Fields | None]
    names: Callable[[], Iterable[str]] | tuple[str, ...]
    meaning: str
    common: Fields = ()
    default: Any = REQUIRED
    noun: str = "one of"

    def choice(self) -> Choice:
        """The kind of the key that decides."""
        return Choice(self.names, self.noun)

    def fields(self, name: str) -> Fields | None:
        """All fields with a word, the deciding one included; None when nothing is known of them."""
        own = self.tables(name) if callable(self.tables) else self.tables[name]
        if own is None:
            return None
        known = self._known.get(name)
        if known is None or known[0] is not own:
            known = self._known[name] = own, (Field(self.key, self.choice(), self.meaning, self.default), *self.common, *own)
        return known[1]

    @cached_property
    def _known(self) -> dict[str, tuple[Fields, Fields]]:
        """Tables by word, and all fields that were made of them: whoever looks a table up by which one it is finds it again."""
        return {}

    def read(self, value: Any, file: object, key: str, fill: bool = True) -> Any:
        if isinstance(value, Values):
            return value
        if not isinstance(value, Mapping):
            raise ConfigError(file, key, value, self.words())
        name = value.get(self.key, self.default)
        if name is REQUIRED:
            slip = nearest(self.key, list(value))
            raise ConfigError(file, join(key, self.key), "nothing", self.choice().words() + (f" (is {slip} a typo?)" if slip else ""))
        self.choice().read(name, file, join(key, self.key))
        fields = self.fields(name)
        return value if fields is None else read(fields, value, file, key, fill)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def words(self) -> str:
        return f"a mapping of keys to values, {self.key}: {self.choice().words()}"


def read(fields: Fields, mapping: Any, file: object, key: str = "", fill: bool = True) -> Values:
    """A mapping with exactly the keys of a table.

    Parameters
    ----------
    fields : the table
    mapping : what the file says
    file, key : for messages
    fill : whether defaults stand in the result for what the file does not say

    Raises
    ------
    ConfigError : unknown, missing or doubled key, wrong type or shape, a number out of range; several of them together as ConfigErrors
    """
    if isinstance(mapping, Values):
        return mapping  # checked already, as a part of the whole file
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, key, mapping, f"a mapping with the keys {', '.join(field.usual for field in fields)}")
    known = cached_sections()
    if known is None or type(mapping) is not dict:
        return _read(fields, mapping, file, key, fill)
    values: Values = known.take(fields, fill, mapping, lambda: _read(fields, mapping, file, key, fill))
    return values


def _read(fields: Fields, mapping: Mapping[Any, Any], file: object, key: str, fill: bool) -> Values:
    known, names = _keys(fields)
    faults: list[ConfigError] = []
    meant: set[str] = set()
    values = Values()
    for written, value in mapping.items():
        path = join(key, printed(written))
        found = _found(written, known, names)
        if found is None:
            faults.append(ConfigError(file, path, value, _unknown(written, fields)))
            meant.add(_meant(written, known))
            continue
        field, suffix = found
        if field.name in values.spelled:
            faults.append(ConfigError(file, path, value, f"{field.name} once, not in two units"))
            continue
        values.spelled[field.name] = written
        if suffix:
            values.units[field.name] = (factor_of(field.unit, suffix) or 1.0, SHOWN.get(suffix, suffix))
        if value is not None or field.default is REQUIRED:  # null stands for a key that is left out, where it may be
            values[field.name] = _kept(faults, _read_in, field.kind, value, file, path, suffix)
    for field in fields:
        if field.name in values:
            continue
        if field.default is REQUIRED:
            if field.name not in meant:  # a slip of the pen is said once
                faults.append(ConfigError(file, join(key, field.usual), "nothing", _missing(field)))
        elif fill and field.default is not None:
            values[field.name] = field.default
    raise_all(faults)
    return values


@memoize_by_identity
def _keys(fields: Fields) -> tuple[Mapping[str, tuple[Field, str]], Mapping[str, Field]]:
    """Fields with a suffix by all that may be written for them, and fields by name."""
    known = {written: (field, suffix) for field in fields for written, suffix in field.spellings.items()}
    return known, {field.name: field for field in fields}


def _kept(faults: list[ConfigError], reader: Callable[..., Any], *arguments: Any) -> Any:
    """What a reader gives; its complaints are added to the others."""
    try:
        return reader(*arguments)
    except ConfigError as error:
        faults.extend(error.errors)
        return None


def _found(written: Any, known: Mapping[str, tuple[Field, str]], names: Mapping[str, Field]) -> tuple[Field, str] | None:
    if not isinstance(written, str):
        return None
    if written in known:
        return known[written]
    name, _, suffix = written.rpartition("_")
    if name in names and factor_of(names[name].unit, suffix) is not None:  # kpa for kPa
        return names[name], next(s for s in SUFFIXES[names[name].unit] if s.lower() == suffix.lower())
    return None


def _unknown(written: Any, fields: Fields) -> str:
    """What was expected instead of a key that no field has."""
    name, _, suffix = str(written).rpartition("_")
    field = next((one for one in fields if one.name == name), None)
    if field is not None and is_suffix(suffix):
        fits = fitting(field.unit)
        return f"{name} in {field.unit}, bare or with one of {fits}" if fits else f"{name} without a unit behind it"
    return no_such_key(written, [one.usual for one in fields], [spelled for one in fields for spelled in one.spellings])


def _meant(written: Any, known: Mapping[str, tuple[Field, str]]) -> str:
    """Name of the field that a misspelt key stands for; empty when there is none like it."""
    name = str(written).rpartition("_")[0]
    near = nearest(written, known) or (name if name in known else "")
    return known[near][0].name if near else ""


def _missing(field: Field) -> str:
    words = field.kind.noun(field.written) if isinstance(field.kind, Number) else field.kind.words()
    return words if words == field.meaning else f"{words}: {field.meaning}"


def printed(key: Any) -> str:
    """A key as it stands in a key path."""
    return key if isinstance(key, str) and key.isprintable() else repr(key)


def fields_of(
    table: Table,
    ranges: Ranges | None = None,
    defaults: Mapping[str, Any] | None = None,
    written: Mapping[str, str] | None = None,
    also: Mapping[str, Mapping[str, str]] | None = None,
) -> Fields:
    """Fields of the rows of a record's table (`simulator.base.records`).

    Parameters
    ----------
    ranges : in SI units; the fields that it does not name lie within LARGEST on either side of zero; None: no ranges at all
    defaults : of the fields that may be left out
    written, also : units (suffixes) and other keys of some of them, as in `Field`
    """
    out = []
    for row in table:
        name, shape, unit, meaning = row[:4]
        low, high = (-math.inf, math.inf) if ranges is None else ranges.get(name, (-LARGEST, LARGEST))
        whole = np.dtype(row[4] if len(row) > 4 else "f8").kind in "iu"
        default = REQUIRED if defaults is None else defaults.get(name, REQUIRED)
        kind = Number(unit, low, high, shape=shape, whole=whole)
        frame = row[5] if len(row) > 5 else ""
        out.append(Field(name, kind, meaning, default, frame, (also or {}).get(name, {}), (written or {}).get(name, "")))
    return tuple(out)


def from_mapping(
    table: Table,
    mapping: Any,
    file: object,
    key: str = "",
    defaults: Mapping[str, Any] | None = None,
    ranges: Ranges | None = None,
) -> Record:
    """Record filled from a mapping with exactly the keys of `table`; see `fields_of`, `read`. Raises ConfigError."""
    return filled(table, read(fields_of(table, ranges, defaults), mapping, file, key))


def filled(table: Table, values: Mapping[str, Any]) -> Record:
    """Record of a table with the values of the same names."""
    out = record(table)
    for row in table:
        if row[0] in values:
            out[0][row[0]] = values[row[0]]
    return out


def entry(kind: FieldType, meaning: str, default: Any = REQUIRED, **details: Any) -> Any:
    """A field of a dataclass that is read from a file; `details` as in `Field`. A default makes the key one that may be left out."""
    metadata = {"field": (kind, meaning, details)}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(metadata=metadata) if default is REQUIRED else dataclasses.field(default=default, metadata=metadata)


def entries(cls: type) -> Fields:
    """Table of a dataclass whose fields are made by `entry`; others are none of the file's."""
    return tuple(_entries(cls))


def _entries(cls: type) -> Iterator[Field]:
    for one in dataclasses.fields(cls):
        if "field" in one.metadata:
            kind, meaning, details = one.metadata["field"]
            default = REQUIRED if one.default is dataclasses.MISSING else one.default
            if one.default_factory is not dataclasses.MISSING:
                default = one.default_factory()
            yield Field(one.name, kind, meaning, default, **details)


def group_of(cls: type) -> Group:
    """Section of a file that is read into a dataclass."""
    return Group(entries(cls), make=cls)
