"""Single values from the command line: `--set key.path=value`, and the options that are short for one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from simulator.base.errors import ConfigError
from simulator.base.yamlfile import parse_yaml
from simulator.configuration.key_path import KeyPath, parse, written
from simulator.configuration.layers import Origin


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
    key, path = key.strip(), parse(key.strip())
    plain = "".join(part for part in key if part not in ".[]")
    if not equals or not path or isinstance(path[0], int) or plain != "".join(map(str, path)) or not text.strip():
        raise ConfigError("--set", "", word, "KEY.PATH=VALUE, for example vehicle.chassis.mass=2600")
    said = f"--set {written(path)}"
    return Setting(path, parse_yaml(text, said), said)
