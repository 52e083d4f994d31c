"""Tables of the keys of files, and the reader that checks files against the tables.

A file, or a section of a file, is described by a tuple of fields, one row each::

    SPRING = (
        Field("free_length", Number("m", 0.001, 100.0), "length of the spring without load"),
        Field("rate", Number("N/m", 0.0, 1e9), "stiffness", default=0.0),
    )

`read` checks a mapping against a table and returns its values in SI units; it reports all errors at once. The JSON Schema
(`simulator.catalog.json_schema`) and the reference page are generated from the same rows. The key of a number with an SI unit may end in the
suffix of another unit (`simulator.base.units`).

The value of a key has a field type: `Number` (of any shape), `Text`, `FileName`, `Choice`, `Flag`, `Group` (a nested section), `ListOf`, `Named`
(arbitrary names, each with a value), `Variants` (a section whose `type` determines its other keys), `Either`, `Anything`. A field type has
`read`, which raises ConfigError, `accepts`, which tests the type of a value, and `description`, the expected value for messages.
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

from simulator.base.errors import NOTHING, ConfigError, JounceError, raise_all
from simulator.base.memoize import memoize_by_identity
from simulator.base.records import ABOVE_ZERO, LARGEST, Ranges, Record, Table, join, numbers, record
from simulator.base.section_cache import cached_sections
from simulator.base.suggestions import did_you_mean, nearest, no_such_key
from simulator.base.units import SHOWN, SUFFIXES, factor_of, fitting, is_suffix
from simulator.base.values import Values

REQUIRED: Any = object()
"""Default of a required field."""


class FieldType(Protocol):
    """Type of the value of a key."""

    def read(self, value: Any, file: object, key: str) -> Any:
        """Return the checked value, in SI units. Raises ConfigError."""

    def accepts(self, value: Any) -> bool:
        """Return True if the value is of this type, valid or not."""

    def description(self) -> str:
        """Return the description of a valid value, for messages."""


@dataclass(frozen=True)
class Field:
    """One key of a file.

    Parameters
    ----------
    name : key without a unit
    kind : type of the value
    meaning : description of the value, a noun phrase
    default : value of a missing key in SI units; None: no value; REQUIRED: the key is required
    frame : frame of a vector, if any
    also : other spellings of the key, each with its unit (suffix)
    written : usual unit (suffix) of the key; empty: SI, without a suffix
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
        """SI unit of the numbers; empty if there is none."""
        return unit_of(self.kind)

    @property
    def usual(self) -> str:
        """Key with its usual unit."""
        return f"{self.name}_{self.written}" if self.written else self.name

    @cached_property
    def spellings(self) -> Mapping[str, str]:
        """All spellings of the key, each with its suffix (empty: SI)."""
        names = [self.name, *(key for key, suffix in self.also.items() if not suffix)]
        with_unit = {f"{name}_{suffix}": suffix for name in names for suffix in SUFFIXES.get(self.unit, ())}
        return {**dict.fromkeys(names, ""), **with_unit, **self.also}


Fields = tuple[Field, ...]


def unit_of(kind: FieldType) -> str:
    """Return the SI unit of the numbers of a field type; empty if there is none."""
    if isinstance(kind, Number):
        return kind.unit
    if isinstance(kind, ListOf):
        return unit_of(kind.item)
    if isinstance(kind, Either):
        return next((unit for unit in map(unit_of, kind.kinds) if unit), "")
    return ""


def _read_in(kind: FieldType, value: Any, file: object, key: str, suffix: str) -> Any:
    """Return the checked value of a key with the suffix of a unit, or without one."""
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
    """Finite number, or array of finite numbers.

    Parameters
    ----------
    unit : SI unit; "" or "1": none
    least, most : minimum and maximum, in SI
    above, below : exclusive minimum and maximum, in SI
    shape : shape of an array; an entry (2, 21) allows 2 to 21 items
    whole : True for integers
    rising : True for strictly increasing numbers
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
        """Return a float, an int if `whole`, or an array, in SI units."""
        return self.read_in(value, file, key, "")

    def read_in(self, value: Any, file: object, key: str, suffix: str) -> Any:
        """Return the value in SI units of a number in the unit of a suffix."""
        factor = factor_of(self.unit, suffix) if suffix else 1.0
        assert factor is not None
        shape = self._shape_of(value, file, key, suffix)
        array = numbers(value, shape, file, key, self._shown(suffix), whole=self.whole)
        if factor != 1.0:
            array = array * factor
        if not self.is_within(array):
            raise ConfigError(file, key, value, f"{self.noun(suffix)}, {self.range_text(suffix)}")
        if self.rising and not (np.diff(array) > 0.0).all():
            raise ConfigError(file, key, value, "strictly increasing numbers")
        if shape:
            return array
        return int(value) if self.whole else float(array)

    def is_within(self, array: NDArray[np.float64]) -> bool:
        """Return True if all numbers are in the range."""
        if not array.ndim:
            return self._is_in_range(float(array))
        good = (array >= self.least) & (array <= self.most)
        if self.above is not None:
            good &= array > self.above
        if self.below is not None:
            good &= array < self.below
        return bool(np.all(good))

    def _is_in_range(self, value: float) -> bool:
        """Return True if a number is in the range."""
        in_range = self.least <= value <= self.most
        return in_range and (self.above is None or value > self.above) and (self.below is None or value < self.below)

    def accepts(self, value: Any) -> bool:
        """Return True for a number, or for a list of a valid length if the shape has one axis, a list of lists if it has two."""
        if not self.shape:
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        if not isinstance(value, (list, tuple, np.ndarray)) or not _fits(len(value), self.shape[0]):
            return False
        return all(isinstance(row, (list, tuple, np.ndarray)) == (len(self.shape) > 1) for row in value)

    def description(self) -> str:
        return self.noun("")

    def noun(self, suffix: str) -> str:
        """Return the description of a valid value in the unit of a suffix, without the range."""
        lengths = [str(n) if isinstance(n, int) else f"{n[0]} to {n[1]}" for n in self.shape]
        noun = f"{' x '.join(lengths)} numbers" if self.shape else "a number"
        unit = self._shown(suffix)
        return f"{noun} in {unit}" if unit not in ("", "1") else noun

    def range_text(self, suffix: str = "") -> str:
        """Return the range in the unit of a suffix; empty if there is none."""
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
        """Return the unit of a suffix for messages."""
        return SHOWN.get(suffix, suffix) if suffix else self.unit

    def _shape_of(self, value: Any, file: object, key: str, suffix: str) -> tuple[int, ...]:
        """Return the expected shape, with the actual lengths of variable axes."""
        out: list[int] = []
        inside = value
        for expected in self.shape:
            if isinstance(expected, int):
                out.append(expected)
            elif isinstance(inside, (list, tuple, np.ndarray)) and _fits(len(inside), expected):
                out.append(len(inside))
            else:
                raise ConfigError(file, key, value, f"a list of {self.noun(suffix)}")
            inside = inside[0] if isinstance(inside, (list, tuple, np.ndarray)) and len(inside) else None
        return tuple(out)


def _fits(length: int, expected: int | tuple[int, int]) -> bool:
    return length == expected if isinstance(expected, int) else expected[0] <= length <= expected[1]


@dataclass(frozen=True)
class Text:
    """Text that is not empty.

    Parameters
    ----------
    expected : description of a valid text
    pattern : regular expression that the text must match
    held : class of an object that replaces the text, for example the content of the file that the text names; it is returned unchanged
    empty : True to allow an empty text
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

    def description(self) -> str:
        return self.expected


@dataclass(frozen=True)
class FileName(Text):
    """Path of a binary file, such as elevation data, in the folder of the file that names it or in the assets.

    A run records the digest of the file, and `jounce rerun` rejects a file with another digest. A text file has the type `Text`: its content
    replaces its name, and the run records the content.
    """


@dataclass(frozen=True)
class Choice:
    """Choice of a word; `options` may be a function, for the names of a registry."""

    options: tuple[str, ...] | Callable[[], Iterable[str]]
    noun: str = "one of"

    def names(self) -> tuple[str, ...]:
        """Return the words."""
        return tuple(self.options()) if callable(self.options) else self.options

    def read(self, value: Any, file: object, key: str) -> str:
        names = self.names()
        if not isinstance(value, str) or value not in names:
            raise ConfigError(file, key, value, f"{self.description()}{did_you_mean(value, names)}")
        return value

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)

    def description(self) -> str:
        names = self.names()
        if names:
            return f"{self.noun} {', '.join(names)}"
        return f"{'a name' if self.noun == 'one of' else self.noun.removesuffix(':')} of a plugin (is --plugin missing?)"


@dataclass(frozen=True)
class Flag:
    """Boolean, true or false."""

    def read(self, value: Any, file: object, key: str) -> bool:
        if not isinstance(value, bool):
            raise ConfigError(file, key, value, self.description())
        return value

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool)

    def description(self) -> str:
        return "true or false"


@dataclass(frozen=True)
class Anything:
    """Any value, returned unchanged; other code checks it."""

    expected: str = "a value"

    def read(self, value: Any, file: object, key: str) -> Any:
        return value

    def accepts(self, value: Any) -> bool:
        return True

    def description(self) -> str:
        return self.expected


@dataclass(frozen=True)
class Group:
    """Section with the keys of a table. If `make` is given, the value is `make` called with the entries of the file."""

    fields: Fields
    make: Callable[..., Any] | None = None

    def read(self, value: Any, file: object, key: str) -> Any:
        values = read(self.fields, value, file, key, fill=self.make is None)
        return values if self.make is None else self.make(**values)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def description(self) -> str:
        return f"a mapping with the keys {', '.join(field.usual for field in self.fields)}"


@dataclass(frozen=True)
class ListOf:
    """List of `least` to `most` values of one type; numbers are in the unit of `suffix`."""

    item: FieldType
    least: int = 0
    most: int | None = None
    suffix: str = ""

    def read(self, value: Any, file: object, key: str) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)) or len(value) < self.least or (self.most is not None and len(value) > self.most):
            raise ConfigError(file, key, value, self.description())
        errors: list[ConfigError] = []
        out = [_collect(errors, _read_in, self.item, one, file, f"{key}[{k}]", self.suffix) for k, one in enumerate(value)]
        raise_all(errors)
        return tuple(out)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (list, tuple))

    def description(self) -> str:
        least = f" of at least {self.least}" if self.least else ""
        most = f" of at most {self.most}" if self.most is not None else ""
        return f"a list{least}{most}, each {self.item.description()}"


@dataclass(frozen=True)
class Named:
    """Mapping of arbitrary names to values of one type.

    Parameters
    ----------
    item : type of the values
    expected : description of a valid mapping
    least : minimum number of names
    known : all valid names, for the schema; other code checks the names
    unless : key of the same section that, if present, adds further names
    """

    item: FieldType
    expected: str = "names with their values"
    least: int = 0
    known: tuple[str, ...] = ()
    unless: str = ""

    def read(self, value: Any, file: object, key: str) -> Values:
        if not isinstance(value, Mapping) or len(value) < self.least:
            raise ConfigError(file, key, value, self.expected)
        errors: list[ConfigError] = []
        out = Values(file, key)
        for name, inside in value.items():
            path = join(key, printed(name))
            if not isinstance(name, str) or not name.strip():
                errors.append(ConfigError(file, path, inside, f"a name as key, {self.expected}"))
                continue
            out[name] = _collect(errors, self.item.read, inside, file, path)
        raise_all(errors)
        return out

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def description(self) -> str:
        return self.expected


@dataclass(frozen=True)
class Either:
    """Value of one of several types: the first type that accepts the value."""

    kinds: tuple[FieldType, ...]
    expected: str = ""

    def read(self, value: Any, file: object, key: str) -> Any:
        return self.chosen(value, file, key).read(value, file, key)

    def with_unit(self, suffix: str) -> Either:
        """Return the choice of the types whose numbers may have the unit of a suffix."""
        return Either(tuple(kind for kind in self.kinds if factor_of(unit_of(kind), suffix) is not None))

    def chosen(self, value: Any, file: object, key: str) -> FieldType:
        """Return the type that accepts a value. Raises ConfigError if no type does."""
        for kind in self.kinds:
            if kind.accepts(value):
                return kind
        raise ConfigError(file, key, value, self.description())

    def accepts(self, value: Any) -> bool:
        return any(kind.accepts(value) for kind in self.kinds)

    def description(self) -> str:
        return self.expected or ", or ".join(kind.description() for kind in self.kinds)


@dataclass(frozen=True)
class Variants:
    """Section in which the value of one key, a word, determines the other keys.

    Parameters
    ----------
    key : name of the determining key
    tables : fields by word, or a function that returns them for a word of a registry; None for a plugin without a table, which reads the
        section itself
    names : words
    meaning : description of the key
    common : fields of all variants
    default : word if the key is missing; REQUIRED: the key is required
    implied : words by a key whose presence implies them, if the determining key is missing
    noun : start of the description of the words
    """

    key: str
    tables: Mapping[str, Fields | None] | Callable[[str], Fields | None]
    names: Callable[[], Iterable[str]] | tuple[str, ...]
    meaning: str
    common: Fields = ()
    default: Any = REQUIRED
    noun: str = "one of"
    implied: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def choice(self) -> Choice:
        """Return the type of the determining key."""
        return Choice(self.names, self.noun)

    def fields(self, name: str) -> Fields | None:
        """Return all fields of a word, including the determining key; None for a plugin without a table."""
        own = self.tables(name) if callable(self.tables) else self.tables[name]
        if own is None:
            return None
        known = self._known.get(name)
        if known is None or known[0] is not own:
            default = name if name in self.implied.values() else self.default
            known = self._known[name] = own, (Field(self.key, self.choice(), self.meaning, default), *self.common, *own)
        return known[1]

    def name_of(self, section: Mapping[Any, Any]) -> Any:
        """Return the word of a section, unchecked; REQUIRED if it is missing and has no default."""
        implied = (word for key, word in self.implied.items() if key in section)
        return section[self.key] if self.key in section else next(implied, self.default)

    @cached_property
    def _known(self) -> dict[str, tuple[Fields, Fields]]:
        """Own table and all fields by word, cached so that the fields keep their identity (`memoize_by_identity`)."""
        return {}

    def read(self, value: Any, file: object, key: str, fill: bool = True) -> Any:
        if isinstance(value, Values):
            return value
        if not isinstance(value, Mapping):
            raise ConfigError(file, key, value, self.description())
        name = self.name_of(value)
        if name is REQUIRED:
            typo = nearest(self.key, list(value))
            raise ConfigError(file, join(key, self.key), NOTHING, self.choice().description() + (f" (is {typo} a typo?)" if typo else ""))
        self.choice().read(name, file, join(key, self.key))
        fields = self.fields(name)
        return value if fields is None else read(fields, value, file, key, fill)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def description(self) -> str:
        return f"a mapping of keys to values, {self.key}: {self.choice().description()}"


def read(fields: Fields, mapping: Any, file: object, key: str = "", fill: bool = True) -> Values:
    """Return the checked values of a mapping with the keys of a table.

    Parameters
    ----------
    fields : table
    mapping : content of the file
    file, key : file and key path for messages
    fill : True to add the defaults of missing keys

    Raises
    ------
    ConfigError : unknown, missing or duplicate key, invalid type or shape, number out of range; several errors are raised as ConfigErrors
    """
    if isinstance(mapping, Values):
        return mapping  # already checked as part of the file
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, key, mapping, f"a mapping with the keys {', '.join(field.usual for field in fields)}")
    cache = cached_sections()
    if cache is None or type(mapping) is not dict:
        return _read(fields, mapping, file, key, fill)
    values: Values = cache.take(fields, (str(file), key), fill, mapping, lambda: _read(fields, mapping, file, key, fill))
    return values


def _read(fields: Fields, mapping: Mapping[Any, Any], file: object, key: str, fill: bool) -> Values:
    known, names = _keys(fields)
    errors: list[ConfigError] = []
    misspelt: set[str] = set()
    given: set[str] = set()
    values = Values(file, key)
    for written, value in mapping.items():
        path = join(key, printed(written))
        found = _find_field(written, known, names)
        if found is None:
            errors.append(ConfigError(file, path, value, _unknown(written, fields)))
            misspelt.add(_misspelt_name(written, known))
            continue
        field, suffix = found
        if field.name in given:
            errors.append(ConfigError(file, path, value, f"{field.name} in one unit only"))
            continue
        given.add(field.name)
        if value is not None or field.default is REQUIRED:  # null means a missing key, if the key is optional
            values.spelled[field.name] = written
            if suffix:
                values.units[field.name] = (factor_of(field.unit, suffix) or 1.0, SHOWN.get(suffix, suffix))
            elif field.unit not in ("", "1"):
                values.units[field.name] = (1.0, field.unit)
            values[field.name] = _collect(errors, _read_in, field.kind, value, file, path, suffix)
    for field in fields:
        if field.name in values:
            continue
        if field.default is REQUIRED:
            if field.name not in misspelt:  # a typo is reported once
                errors.append(ConfigError(file, join(key, field.usual), NOTHING, expectation(field)))
        elif fill and field.default is not None:
            values[field.name] = field.default
    raise_all(errors)
    return values


@memoize_by_identity
def _keys(fields: Fields) -> tuple[Mapping[str, tuple[Field, str]], Mapping[str, Field]]:
    """Return the fields with their suffixes by spelling, and the fields by name."""
    known = {written: (field, suffix) for field in fields for written, suffix in field.spellings.items()}
    return known, {field.name: field for field in fields}


def _collect(errors: list[ConfigError], reader: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a reader; add its errors to the list."""
    try:
        return reader(*arguments)
    except ConfigError as error:
        errors.extend(error.errors)
        return None


def _find_field(written: Any, known: Mapping[str, tuple[Field, str]], names: Mapping[str, Field]) -> tuple[Field, str] | None:
    """Return the field and the suffix of a key, or None."""
    if not isinstance(written, str):
        return None
    if written in known:
        return known[written]
    name, _, suffix = written.rpartition("_")
    if name in names and factor_of(names[name].unit, suffix) is not None:  # kpa for kPa
        return names[name], next(s for s in SUFFIXES[names[name].unit] if s.lower() == suffix.lower())
    return None


def _unknown(written: Any, fields: Fields) -> str:
    """Return the expectation for an unknown key."""
    name, _, suffix = str(written).rpartition("_")
    field = next((one for one in fields if one.name == name), None)
    if field is not None and is_suffix(suffix):
        fits = fitting(field.unit)
        return f"{name} in {field.unit}, without a suffix or with one of {fits}" if fits else f"{name} without a unit suffix"
    return no_such_key(written, [one.usual for one in fields], [spelled for one in fields for spelled in one.spellings])


def _misspelt_name(written: Any, known: Mapping[str, tuple[Field, str]]) -> str:
    """Return the name of the field nearest to a misspelt key; empty if there is none."""
    name = str(written).rpartition("_")[0]
    near = nearest(written, known) or (name if name in known else "")
    return known[near][0].name if near else ""


def expectation(field: Field) -> str:
    """Return the expected value of a missing key with its meaning, for messages."""
    expected = field.kind.noun(field.written) if isinstance(field.kind, Number) else field.kind.description()
    return expected if expected == field.meaning else f"{expected}: {field.meaning}"


def printed(key: Any) -> str:
    """Return a key as it appears in a key path."""
    return key if isinstance(key, str) and key.isprintable() else repr(key)


def fields_of(
    table: Table,
    ranges: Ranges | None = None,
    defaults: Mapping[str, Any] | None = None,
    written: Mapping[str, str] | None = None,
    also: Mapping[str, Mapping[str, str]] | None = None,
) -> Fields:
    """Return the fields of the table of a record (`simulator.base.records`).

    Parameters
    ----------
    ranges : ranges in SI units; a field without a range is limited to magnitudes up to LARGEST; None: no ranges
    defaults : defaults of the optional fields
    written, also : usual units (suffixes) and other spellings by name, see `Field`
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


def rows(fields: Fields, *names: str) -> Table:
    """Return the rows of a record table for keys of a file that kernels read unchanged: name, shape, unit, meaning, type, frame.

    The shape of a list of variable length is that of its longest list.
    """
    by_name = {field.name: field for field in fields}
    return tuple(_row(by_name[name]) for name in names or by_name)


def _row(field: Field) -> tuple[Any, ...]:
    kind = field.kind
    if not isinstance(kind, Number):
        raise JounceError(f"parameter {field.name}: expected a field of the type Number, because a kernel reads it")
    shape = tuple(n if isinstance(n, int) else n[1] for n in kind.shape)
    return (field.name, shape, kind.unit or "1", field.meaning, "i8" if kind.whole else "f8", field.frame)


def from_mapping(
    table: Table,
    mapping: Any,
    file: object,
    key: str = "",
    defaults: Mapping[str, Any] | None = None,
    ranges: Ranges | None = None,
) -> Record:
    """Return a record with the values of a mapping with the keys of `table`; see `fields_of`, `read`. Raises ConfigError."""
    return filled(table, read(fields_of(table, ranges, defaults), mapping, file, key))


def parameters_of(fields: Fields, mapping: Any, file: object, key: str = "") -> Record:
    """Return a record of the rows of a table of numbers with the checked values of a mapping; see `rows`, `read`. Raises ConfigError."""
    return filled(rows(fields), read(fields, mapping, file, key))


def filled(table: Table, values: Mapping[str, Any]) -> Record:
    """Return a record of a table with the values of the same names; a shorter list fills the start of a longer field."""
    out = record(table)
    for row in table:
        if row[0] in values:
            write_value(out, row[0], values[row[0]])
    return out


def write_value(out: Record, name: str, value: Any) -> None:
    """Write a value to a field of a record; a shorter list fills the start of a longer field."""
    if np.shape(value) == out.dtype[name].shape:
        out[0][name] = value
    else:
        out[0][name][: len(value)] = value


def entry(kind: FieldType, meaning: str, default: Any = REQUIRED, **details: Any) -> Any:
    """Return a dataclass field that is read from a file; `details` as in `Field`. A key with a default is optional."""
    metadata = {"field": (kind, meaning, details)}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(metadata=metadata) if default is REQUIRED else dataclasses.field(default=default, metadata=metadata)


def entries(cls: type) -> Fields:
    """Return the table of a dataclass: its fields created by `entry`."""
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
    """Return the type of a section that is read into a dataclass."""
    return Group(entries(cls), make=cls)
