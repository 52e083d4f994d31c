"""Types of single values of files: number, text, file name, choice, flag. A field type has `read`, which raises ConfigError, `accepts`, which
tests the type of a value, and `description`, the expected value for messages.

`simulator.base.fields` has the types of sections and lists, and passes these types on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import ABOVE_ZERO, LARGEST, numbers
from simulator.base.suggestions import did_you_mean
from simulator.base.units import SHOWN, factor_of


class FieldType(Protocol):
    """Type of the value of a key."""

    def read(self, value: Any, file: object, key: str) -> Any:
        """Return the checked value, in SI units. Raises ConfigError."""

    def accepts(self, value: Any) -> bool:
        """Return True if the value is of this type, valid or not."""

    def description(self) -> str:
        """Return the description of a valid value, for messages."""


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
    repeats : True if one number stands for all numbers of the array
    """

    unit: str = ""
    least: float = -LARGEST
    most: float = LARGEST
    above: float | None = None
    below: float | None = None
    shape: tuple[int | tuple[int, int], ...] = ()
    whole: bool = False
    rising: bool = False
    repeats: bool = False

    def read(self, value: Any, file: object, key: str) -> Any:
        """Return a float, an int if `whole`, or an array, in SI units."""
        return self.read_in(value, file, key, "")

    def read_in(self, value: Any, file: object, key: str, suffix: str) -> Any:
        """Return the value in SI units of a number in the unit of a suffix."""
        factor = factor_of(self.unit, suffix) if suffix else 1.0
        assert factor is not None
        if self.repeats:
            if not self.accepts(value):
                raise ConfigError(file, key, value, self.noun(suffix))
            value = np.full([n for n in self.shape if isinstance(n, int)], value) if self._is_repeated(value) else value
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
        if not self.shape or self._is_repeated(value):
            return _is_number(value)
        if not isinstance(value, (list, tuple, np.ndarray)) or not _fits(len(value), self.shape[0]):
            return False
        return all(isinstance(row, (list, tuple, np.ndarray)) == (len(self.shape) > 1) for row in value)

    def description(self) -> str:
        return self.noun("")

    def noun(self, suffix: str) -> str:
        """Return the description of a valid value in the unit of a suffix, without the range."""
        lengths = [str(n) if isinstance(n, int) else f"{n[0]} to {n[1]}" for n in self.shape]
        noun = f"{' x '.join(lengths)} numbers" if self.shape else "a number"
        noun = f"a number, or {noun}" if self.repeats else noun
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

    def _is_repeated(self, value: Any) -> bool:
        """Return True for a single number in place of an array."""
        return self.repeats and _is_number(value)

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


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


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
