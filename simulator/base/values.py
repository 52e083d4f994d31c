"""Checked values of a section of a file: what `simulator.base.fields.read` returns and the program uses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.base.records import join
from simulator.base.units import tidy


class Values(dict[str, Any]):
    """Checked values by key, in SI units, with defaults filled in. A key without a value and without a default is not in the mapping.

    Numbers are floats, or integers if their field requires it; arrays are NumPy arrays; nested sections are `Values`; lists are tuples.

    Attributes
    ----------
    file, key : file and key path of the section, for messages
    spelled : spelling of each key in the file, by name
    units : (factor to SI, unit for messages) of the numbers in the file, by name
    """

    def __init__(self, file: object, key: str) -> None:
        super().__init__()
        self.file, self.key = str(file), key
        self.spelled: dict[str, str] = {}
        self.units: dict[str, tuple[float, str]] = {}

    def path(self, name: str) -> str:
        """Return the key path of an entry, in the spelling of the file; `name` may continue below it, as in `spring.rate`."""
        first = name if name.isidentifier() else re.split(r"[.\[]", name, maxsplit=1)[0]
        return join(self.key, self.spelled.get(first, first) + name[len(first) :])

    def error(self, name: str, expected: str, *amounts: float) -> ConfigError:
        """Return the error about a value that contradicts other keys, with the value in the unit of the file.

        Parameters
        ----------
        name : key of the value; empty: the section itself
        expected : description of a valid value, with {} for each of the amounts
        amounts : numbers in the description, in SI units
        """
        if not name:
            return ConfigError(self.file, self.key, sorted(self.spelled) or NOTHING, expected)
        factor, unit = self.units.get(name, (1.0, ""))
        value = _in_unit(self[name], factor) if name in self else NOTHING
        shown = [f"{tidy(amount / factor):g} {unit}".rstrip() for amount in amounts]
        return ConfigError(self.file, self.path(name), value, expected.format(*shown) if amounts else expected)

    def needed(self, name: str, expected: str) -> Any:
        """Return the value of an optional key that other keys require. Raises ConfigError if the key is missing."""
        if name not in self:
            raise self.error(name, expected)
        return self[name]

    def curve_of(self, x: str, y: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lists of the keys x and y. Raises ConfigError if their lengths differ."""
        if len(self[y]) != len(self[x]):
            raise self.error(y, f"{len(self[x])} numbers, one for each {x}")
        return self[x], self[y]


def _in_unit(value: Any, factor: float) -> Any:
    """Return a value in the unit of the file, with lists in place of arrays and tuples; factor : to SI."""
    if isinstance(value, tuple):
        return [_in_unit(one, factor) for one in value]
    if isinstance(value, bool) or not isinstance(value, (int, float, np.ndarray)):
        return value
    numbers = np.asarray(value)
    return numbers.tolist() if factor == 1.0 else np.vectorize(tidy, otypes=[float])(numbers / factor).tolist()
