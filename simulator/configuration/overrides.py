"""Single values from the command line: `--set key.path=value`, and the options that are short for one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from simulator.base.errors import ConfigError
from simulator.base.yaml_reader import parse_yaml
from simulator.configuration.key_path import KeyPath, parse
from simulator.configuration.layers import Origin

_KEY = re.compile(r"[^.\[\]=]+(\.[^.\[\]=]+|\[\d+\])*")


class Setting(NamedTuple):
    """A value for a place."""

    path: KeyPath
    value: Any
    said: str
    """How it stands on the command line, up to the value."""

    @property
    def origin(self) -> Origin:
        """Who said it."""
        return Origin(self.said, is_file=False)


def option(name: str, key: str, value: Any) -> list[Setting]:
    """The setting that an option of the command line is short for; none when the option was not given."""
    return [] if value is None else [Setting(parse(key), value, name)]


def changes(values: Mapping[str, Any]) -> list[Setting]:
    """Settings from values by key path, for programs: ``{"vehicle": "hmmwv", "vehicle.chassis.mass": 2600.0}``."""
    return [Setting(parse(key), value, key) for key, value in values.items()]


def read_settings(words: Iterable[str]) -> list[Setting]:
    """Settings from the words behind `--set`. Raises ConfigError."""
    return [_setting(word) for word in words]


def _setting(word: str) -> Setting:
    key, equals, text = word.partition("=")
    key = key.strip()
    if not equals or not _KEY.fullmatch(key) or not text.strip():
        raise ConfigError("--set", "", word, "KEY.PATH=VALUE, for example vehicle.chassis.mass=2600")
    said = f"--set {key}"
    return Setting(parse(key), parse_yaml(text, said), said)
