"""Tables of the keys of files, and the reader that checks files against the tables.

A file, or a section of a file, is described by a tuple of fields, one row each::

    SPRING = (
        Field("free_length", Number("m", 0.001, 100.0), "length of the spring without load"),
        Field("rate", Number("N/m", 0.0, 1e9), "stiffness", default=0.0),
    )

`read` checks a mapping against a table and returns its values in SI units; it reports all errors at once. The JSON Schema
(`simulator.catalog.json_schema`) and the reference page are generated from the same rows. The key of a number with an SI unit may end in the
suffix of another unit (`simulator.base.units`).

The value of a key has a field type. Single values (`simulator.base.field_types`, importable from here): `Number` (of any shape), `Text`,
`FileName`, `Choice`, `Flag`, `Anything`. Others: `Group` (a nested section), `ListOf`, `Named` (arbitrary names, each with a value), `Variants` (a
section whose `type` determines its other keys), `Either`. Tables of records are in `simulator.base.field_records`, tables of dataclasses in
`simulator.base.field_classes`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from simulator.base.errors import NOTHING, ConfigError, raise_all
from simulator.base.field_types import Anything, Choice, FieldType, FileName, Flag, Number, Text
from simulator.base.memoize import memoize_by_identity
from simulator.base.records import join
from simulator.base.section_cache import cached_sections
from simulator.base.suggestions import nearest, no_such_key
from simulator.base.units import SHOWN, SUFFIXES, factor_of, fitting, is_suffix
from simulator.base.values import Values

__all__ = [
    "REQUIRED", "Anything", "Choice", "Either", "Field", "FieldType", "Fields", "FileName", "Flag", "Group", "ListOf", "Named", "Number", "Text",
    "Variants", "expectation", "printed", "read", "unit_of",
]  # fmt: skip

REQUIRED: Any = object()
"""Default of a required field."""


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
class Group:
    """Section with the keys of a table. If `make` is given, the value is `make` called with the entries of the file.

    An object of the class `make` is a value that was read before.
    """

    fields: Fields
    make: Callable[..., Any] | None = None

    def read(self, value: Any, file: object, key: str) -> Any:
        if isinstance(self.make, type) and isinstance(value, self.make):
            return value
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
    unless : keys of the same section; each, if present, adds further names
    """

    item: FieldType
    expected: str = "names with their values"
    least: int = 0
    known: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

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
