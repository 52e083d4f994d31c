"""Values in the metadata of a log. A file may come from another program, or be damaged: a wrong value is one line and no traceback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError

CONFIGURATION = "configuration"
"""Key of the complete configuration of a run."""
DECODING = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)
"""Errors of a decoder about a value of another type or shape than a run records; ValueError includes errors of JSON."""


@contextmanager
def decoding(file: Path | str, key: str, value: object, expected: str) -> Iterator[None]:
    """Report the errors of a block that decodes a recorded value as ConfigError."""
    try:
        yield
    except DECODING:
        raise ConfigError(file, key, value, expected) from None


def recorded_configuration(about: Mapping[str, str], file: Path | str) -> dict[str, Any] | None:
    """Return the complete configuration of a run; None if the log does not contain it. Raises ConfigError: it is not a mapping."""
    configuration: dict[str, Any] = {}

    def decode(value: Any) -> None:
        if not isinstance(value, dict) or not isinstance(value.get("recorded", {}), dict):
            raise TypeError
        configuration.update(value)

    recorded_json(about, CONFIGURATION, file, decode)
    return configuration if about.get(CONFIGURATION) else None


def whole_number(about: Mapping[str, str], key: str, file: Path | str) -> int:
    """Return a recorded number of rows or ticks; 0 if the log has none. Raises ConfigError: it is no number."""
    with decoding(file, key, about.get(key), "a whole number"):
        return int(about.get(key, 0))


def recorded_json(about: Mapping[str, str], key: str, file: Path | str, decode: Callable[[Any], Any] = lambda value: value) -> Any:
    """Return a recorded JSON value; None if the log has none. `decode` is called with the value, for a check of its shape.

    Raises ConfigError: it is not JSON, or `decode` fails.
    """
    text = about.get(key)
    if not text:
        return None
    with decoding(file, key, text, "JSON as a run records it"):
        value = json.loads(text)
        decode(value)
        return value
