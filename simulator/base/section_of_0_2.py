"""Methods with which plug-ins of version 0.2 read the values of a section; to be removed in version 0.4."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.field_records import from_mapping
from simulator.base.fields import REQUIRED, Fields, Number, Variants, read
from simulator.base.records import Ranges, Record, Table
from simulator.base.suggestions import did_you_mean, no_such_key
from simulator.base.values import Values


class Section(Values):
    """Values of a section, checked by a table or not, with the methods of version 0.2 that check a value on reading.

    Parameters
    ----------
    mapping : content of the section
    file, key : file and key path for messages
    on_read : function that a reading method calls first

    Attributes
    ----------
    used : keys that were read, or that a table checked
    """

    def __init__(self, mapping: Any, file: object, key: str = "", on_read: Callable[[], None] = lambda: None) -> None:
        super().__init__(file, key)
        if not isinstance(mapping, Mapping):
            raise ConfigError(file, key, mapping, "a mapping of keys to values")
        self.update(mapping)
        self.spelled = mapping.spelled if isinstance(mapping, Values) else {name: str(name) for name in mapping}
        self.units = mapping.units if isinstance(mapping, Values) else {}
        self.used: set[Any] = set()
        self.on_read = on_read

    def __getitem__(self, name: str) -> Any:
        self.used.add(name)
        return super().__getitem__(name)

    def __missing__(self, name: str) -> Any:
        raise self.error(name, "a value")

    def __enter__(self) -> Section:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            self.finish()

    @property
    def mapping(self) -> Section:
        """The values."""
        return self

    def finish(self) -> None:
        """Raise ConfigError for a key that was not read."""
        for name, value in self.items():
            if name not in self.used:
                raise self.error(name, no_such_key(name, filter(None, map(str, self.used))))
            if isinstance(value, Section):
                value.finish()

    def only(self, names: Iterable[str]) -> None:
        """Raise ConfigError for a key that is not in `names`."""
        self.used.update(names)
        self.finish()

    wrong = Values.error

    def has(self, name: str) -> bool:
        """Return True if the key is present and not null."""
        self.used.add(name)
        return self.get(name) is not None

    def raw(self, name: str, default: Any = REQUIRED, expected: str = "a value") -> Any:
        """Return the value, unchecked."""
        self.on_read()
        self.used.add(name)
        if name in self:
            return self[name]
        if default is REQUIRED:
            raise self.error(name, expected)
        return default

    def number(self, name: str, default: Any = REQUIRED, above: float = -np.inf, least: float = -np.inf, most: float = np.inf) -> float:
        """Return a finite number greater than `above`, from `least` to `most`."""
        kind = Number("", least, most, above if above > -np.inf else None)
        return float(kind.read(self.raw(name, default, "a number"), self.file, self.path(name)))

    def array(
        self,
        name: str,
        shape: tuple[int, ...],
        default: Any = REQUIRED,
        within: float = np.inf,
        above: float = -np.inf,
        least: float = -np.inf,
        most: float = np.inf,
    ) -> NDArray[np.float64]:
        """Return finite numbers of the given shape, with limits as in `number` and a maximum magnitude `within`."""
        kind = Number("", max(least, -within), min(most, within), above if above > -np.inf else None, shape=shape)
        return np.asarray(kind.read(self.raw(name, default, kind.description()), self.file, self.path(name)))

    def table(self, name: str, most: int, within: float = np.inf) -> NDArray[np.float64]:
        """Return a list of 2 to `most` finite numbers with a maximum magnitude `within`."""
        kind = Number("", -within, within, shape=((2, most),))
        return np.asarray(kind.read(self.raw(name, expected="a list of numbers"), self.file, self.path(name)))

    def rising(self, name: str, most: int, within: float = np.inf) -> NDArray[np.float64]:
        """Return a list of strictly increasing numbers."""
        kind = Number("", -within, within, shape=((2, most),), rising=True)
        return np.asarray(kind.read(self.raw(name, expected="a list of numbers"), self.file, self.path(name)))

    def curve(
        self, x: str, y: str, most: int, x_within: float = np.inf, y_within: float = np.inf, y_above: float = -np.inf
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two lists of equal length, from 2 to `most` numbers: `x` strictly increasing, `y` greater than `y_above`."""
        abscissa = self.rising(x, most, x_within)
        return abscissa, self.array(y, (len(abscissa),), within=y_within, above=y_above)

    def text(self, name: str, default: Any = REQUIRED, expected: str = "a text") -> str:
        """Return a text that is not empty."""
        value = self.raw(name, default, expected)
        if not isinstance(value, str) or not value.strip():
            raise self.error(name, expected)
        return value

    def choice(self, name: str, options: tuple[str, ...], default: Any = REQUIRED) -> str:
        """Return a word, which must be one of the options."""
        value = self.raw(name, default, "one of " + ", ".join(options))
        if value not in options:
            raise self.error(name, f"one of {', '.join(options)}{did_you_mean(value, options)}")
        return str(value)

    def section(self, name: str) -> Section:
        """Return the section of a nested mapping."""
        value = self.raw(name, expected="a mapping of keys to values")
        if not isinstance(value, Section):
            value = self[name] = Section(value, self.file, self.path(name), self.on_read)
        return value

    def sections(self, name: str) -> list[Section]:
        """Return the sections of an optional list of mappings."""
        value = self.raw(name, [])
        if not isinstance(value, (list, tuple)):
            raise self.error(name, "a list of mappings")
        return [Section(item, self.file, f"{self.path(name)}[{k}]", self.on_read) for k, item in enumerate(value)]

    def record(self, table: Table, ranges: Ranges, defaults: Mapping[str, Any] | None = None, beside: Collection[str] = ()) -> Record:
        """Return all keys as a record (see `from_mapping`), except the optional keys in `beside`, which the caller reads."""
        self.on_read()
        self.used.update(self)
        given = {name: value for name, value in self.items() if name not in beside}
        return from_mapping(table, given, self.file, self.key, defaults, ranges)


def checked(description: Fields | Variants, mapping: Any, file: object, key: str = "") -> Section:
    """Return the section of a mapping that was checked against its table. Raises ConfigError with all errors."""
    values = description.read(mapping, file, key) if isinstance(description, Variants) else read(description, mapping, file, key)
    return Section(values, file, key)
