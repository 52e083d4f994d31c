"""Strict reading of nested mappings: the code reads each key by name, and a key that it does not read is an error.

`checked` first checks a mapping against its table; the section then contains values in SI units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Fields, Number, Values, Variants, filled, from_mapping, read
from simulator.base.records import Ranges, Record, Table, join, numbers
from simulator.base.suggestions import did_you_mean, nearest, no_such_key
from simulator.base.units import tidy

REQUIRED = object()


class Section:
    """Mapping of a file, with its key path for messages.

    Use it as a context manager: leaving the block without an error checks that every key was read.

    >>> with Section({"mass": 2.0}, "car.yaml") as s:
    ...     s.number("mass", above=0.0)
    2.0
    """

    def __init__(self, mapping: Any, file: object, key: str = "") -> None:
        if not isinstance(mapping, Mapping):
            raise ConfigError(file, key, mapping, "a mapping of keys to values")
        self.mapping, self.file, self.key = mapping, str(file), key
        self.used: set[str] = set()

    def __enter__(self) -> Section:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            self.finish()

    def finish(self) -> None:
        """Raise ConfigError for a key that was not read."""
        given = self.mapping.spelled if isinstance(self.mapping, Values) else self.mapping
        for name in given:
            if name not in self.used and name in self.mapping:
                raise ConfigError(self.file, self.path(str(name)), self.mapping[name], no_such_key(name, self.used))

    def only(self, names: Iterable[str]) -> None:
        """Raise ConfigError for a key that is not in `names`, before a misspelt key is reported as a missing key."""
        self.used.update(names)
        self.finish()

    def path(self, name: str) -> str:
        """Return the key path of an entry, in the spelling of the file."""
        first = name if name.isidentifier() else re.split(r"[.\[]", name, maxsplit=1)[0]
        spelled = self.mapping.spelled.get(first, first) if isinstance(self.mapping, Values) else first
        return join(self.key, spelled + name[len(first) :])

    def wrong(self, name: str, expected: str, *amounts: float) -> ConfigError:
        """Return the error about a number that contradicts other keys, in the unit of the file.

        Parameters
        ----------
        expected : description of a valid number, with {} for each of the amounts
        amounts : values in the description, in SI units
        """
        factor, unit = self.mapping.units.get(name, (1.0, "")) if isinstance(self.mapping, Values) else (1.0, "")
        value = np.asarray(self.mapping[name])
        shown = [f"{tidy(amount / factor):g} {unit}".rstrip() for amount in amounts]
        in_unit = np.vectorize(tidy, otypes=[float])(value / factor).tolist() if factor != 1.0 else value.tolist()
        return ConfigError(self.file, self.path(name), in_unit, expected.format(*shown))

    def has(self, name: str) -> bool:
        """Return True if the key is present and not null."""
        self.used.add(name)
        return self.mapping.get(name) is not None

    def raw(self, name: str, default: Any = REQUIRED, expected: str = "a value") -> Any:
        """Return the value of the file, unchecked."""
        self.used.add(name)
        if name in self.mapping:
            return self.mapping[name]
        if default is REQUIRED:
            typo = nearest(name, [key for key in self.mapping if key not in self.used])
            raise ConfigError(self.file, self.path(name), "nothing", expected + (f" (is {typo} a typo?)" if typo else ""))
        return default

    def number(self, name: str, default: Any = REQUIRED, above: float = -np.inf, least: float = -np.inf, most: float = np.inf) -> float:
        """Return a finite number greater than `above`, from `least` to `most`."""
        value = self.raw(name, default, "a number")
        if type(value) is not float or not math.isfinite(value):
            value = float(numbers(value, (), self.file, self.path(name)))
        if not (value > above and least <= value <= most):
            self._limited(name, np.asarray(value), "a number", above, least, most)
        return value

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
        noun = " x ".join(map(str, shape)) + " numbers"
        values = self.raw(name, default, noun)
        if not (type(values) is np.ndarray and values.dtype == np.float64 and values.shape == shape and np.isfinite(values).all()):
            values = numbers(values, shape, self.file, self.path(name))
        return self._limited(name, values, noun, above, max(least, -within), min(most, within))

    def _limited(self, name: str, values: NDArray[np.float64], noun: str, above: float, least: float, most: float) -> NDArray[np.float64]:
        """Return values that are in the limits. Raises ConfigError."""
        if above == least == -np.inf and most == np.inf:
            return values
        if not ((values > above) & (values >= least) & (values <= most)).all():
            limits = [f"above {above:g}"] * (above > -np.inf)
            if least > -np.inf and most < np.inf and not limits:
                limits = [f"from {least:g} to {most:g}"]
            else:
                limits += [f"at least {least:g}"] * (least > above) + [f"at most {most:g}"] * (most < np.inf)
            raise ConfigError(self.file, self.path(name), values.tolist(), noun + " " + " and ".join(limits))
        return values

    def table(self, name: str, most: int, within: float = np.inf) -> NDArray[np.float64]:
        """Return a list of 2 to `most` finite numbers with a maximum magnitude `within`."""
        value = self.raw(name, expected="a list of numbers")
        if not isinstance(value, (list, np.ndarray)) or not 2 <= len(value) <= most:
            raise ConfigError(self.file, self.path(name), value, f"a list of 2 to {most} numbers")
        return self._limited(name, numbers(value, (len(value),), self.file, self.path(name)), "numbers", -np.inf, -within, within)

    def rising(self, name: str, most: int, within: float = np.inf) -> NDArray[np.float64]:
        """Return a list of strictly increasing numbers."""
        values = self.table(name, most, within)
        if not (np.diff(values) > 0.0).all():
            raise ConfigError(self.file, self.path(name), values.tolist(), "strictly increasing numbers")
        return values

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
            raise ConfigError(self.file, self.path(name), value, expected)
        return value

    def choice(self, name: str, options: tuple[str, ...], default: Any = REQUIRED) -> str:
        """Return a word, which must be one of the options."""
        value = self.raw(name, default, "one of " + ", ".join(options))
        if value not in options:
            raise ConfigError(self.file, self.path(name), value, f"one of {', '.join(options)}{did_you_mean(value, options)}")
        return str(value)

    def section(self, name: str) -> Section:
        """Return the section of a nested mapping."""
        return Section(self.raw(name, expected="a mapping of keys to values"), self.file, self.path(name))

    def sections(self, name: str) -> list[Section]:
        """Return the sections of an optional list of mappings."""
        value = self.raw(name, [])
        if not isinstance(value, (list, tuple)):
            raise ConfigError(self.file, self.path(name), value, "a list of mappings")
        return [Section(item, self.file, f"{self.path(name)}[{k}]") for k, item in enumerate(value)]

    def record(self, table: Table, ranges: Ranges, defaults: Mapping[str, Any] | None = None, beside: Collection[str] = ()) -> Record:
        """Return all keys as a record (see `from_mapping`), except the optional keys in `beside`, which the caller reads."""
        if isinstance(self.mapping, Values):
            self.only((*(row[0] for row in table), *beside))
            for row in table:
                if row[0] not in self.mapping and row[0] not in (defaults or {}):
                    raise ConfigError(self.file, self.path(row[0]), "nothing", f"{Number(row[2], shape=row[1]).description()}: {row[3]}")
            return filled(table, {**(defaults or {}), **self.mapping})
        given = {name: value for name, value in self.mapping.items() if name not in beside}
        return from_mapping(table, given, self.file, self.key, defaults, ranges)


def checked(description: Fields | Variants, mapping: Any, file: object, key: str = "") -> Section:
    """Return the section of a mapping that was checked against its table. Raises ConfigError with all errors."""
    if isinstance(description, Variants):
        return Section(description.read(mapping, file, key), file, key)
    return Section(read(description, mapping, file, key), file, key)
