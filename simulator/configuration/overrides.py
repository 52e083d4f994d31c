"""Overrides of single values from the command line: `--set key.path=value`, and options that are short for one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from simulator.base.errors import ConfigError
from simulator.base.yaml_reader import parse_yaml
from simulator.configuration.key_path import KeyPath, parse
from simulator.configuration.layers import Origin

_KEY = re.compile(r"[^.\[\]=]+(\.[^.\[\]=]+|\[\d+\])*")


class Override(NamedTuple):
    """Value for a key path."""

    path: KeyPath
    value: Any
    text: str
    """Text on the command line, up to the value."""
    is_flag: bool = False
    """True if the text has no value."""

    @property
    def as_given(self) -> str:
        """Text on the command line with the value."""
        return self.text if self.is_flag else f"{self.text}={self.value}"

    @property
    def origin(self) -> Origin:
        """Origin of the value."""
        return Origin(self.text, is_file=False)


def option(name: str, key: str, value: Any, is_flag: bool = False) -> list[Override]:
    """Return the override that an option is short for; empty if the option was not given. A flag has no value on the command line."""
    return [] if value is None else [Override(parse(key), value, name, is_flag)]


def changes(values: Mapping[str, Any]) -> list[Override]:
    """Return the overrides for values by key path, for programs: ``{"vehicle": "hmmwv", "vehicle.chassis.mass": 2600.0}``."""
    return [Override(parse(key), value, key) for key, value in values.items()]


def read_settings(words: Iterable[str]) -> list[Override]:
    """Return the overrides of the arguments of `--set`. Raises ConfigError."""
    return [_setting(word) for word in words]


def _setting(word: str) -> Override:
    key, equals, text = word.partition("=")
    key = key.strip()
    if not equals or not _KEY.fullmatch(key) or not text.strip():
        raise ConfigError("--set", "", word, "KEY.PATH=VALUE, for example vehicle.chassis.mass=2600")
    words = f"--set {key}"
    return Override(parse(key), parse_yaml(text, words), words)
