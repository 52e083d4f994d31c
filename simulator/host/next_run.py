"""Next run of a command: what the operator changes in the session before a drive begins after this one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Field, Group, read
from simulator.configuration.file_lookup import data_folder
from simulator.configuration.overrides import Override
from simulator.driver.kinds import DRIVER_KINDS
from simulator.weather import FIELDS as WEATHER

KINDS = {"vehicle": "vehicles", "terrain": "terrains", "maneuver": "maneuvers"}
"""Folder of the shipped files, by the key of a session."""
HERE = "the operator's console"


def shipped(kind: str) -> tuple[str, ...]:
    """Return the names of the shipped files of a folder of `configs`."""
    return tuple(sorted(file.stem for file in (data_folder("configs") / kind).glob("[!.]*.yaml")))


NEXT_RUN = (
    *(
        Field(key, Choice(partial(shipped, folder)), f"{key} of the next run; default: as in this run", None)
        for key, folder in KINDS.items()
    ),
    Field("driver", Choice(DRIVER_KINDS.names), "automatic driver of the next run; default: as in this run", None),
    Field("weather", Group(WEATHER), "weather of the next run; default: as in this run", None),
)
"""Keys of the value of the event `next_run`."""


def check_next_run(value: Any) -> dict[str, Any]:
    """Return a value of the event `next_run`, checked. Raises ConfigError."""
    if not isinstance(value, Mapping):
        raise ConfigError("event", "next_run", value, Group(NEXT_RUN).description())
    read(NEXT_RUN, value, "event", "next_run")
    return {key: dict(one) if isinstance(one, Mapping) else one for key, one in value.items()}


def overrides_of(value: Mapping[str, Any]) -> list[Override]:
    """Return the changes of the session for a checked value."""
    return [Override((key,), one, HERE) for key, one in value.items()]
