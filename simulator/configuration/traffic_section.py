"""Section `traffic` of a session: vehicles and pedestrians on the lanes of the terrain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.fields import Anything, Choice, Field, Group, ListOf, Number
from simulator.configuration.vehicles_section import NAMED

MAX_TRAFFIC = 1000
KINEMATIC, FULL = MODELS = ("kinematic", "full")
_KIND = (
    Field("vehicle", Anything(NAMED), f"vehicle: {NAMED} (default: that of the session)", None),
    Field("count", Number("1", 1, MAX_TRAFFIC, whole=True), "number of these vehicles", 1),
    Field(
        "model",
        Choice(MODELS),
        "`kinematic`: a single track on the surface, until it is hit; `full`: with suspension, tires and drivetrain as every other vehicle",
        KINEMATIC,
    ),
)
_TRAFFIC = (
    Field("vehicles", ListOf(Group(_KIND)), "vehicles that drive along the lanes", ()),
    Field("pedestrians", Number("1", 0, MAX_TRAFFIC, whole=True), "number of pedestrians on the sidewalks", 0),
    Field("seed", Number("", 0, 2**32, whole=True), "seed of places, routes and speeds (default: seed of the session)", None),
)
TRAFFIC = Field("traffic", Group(_TRAFFIC), "traffic on the lanes of the terrain", None)


@dataclass(frozen=True)
class TrafficKind:
    """Vehicles of the traffic with one file."""

    count: int
    full: bool
    """Whether they have a model of their own."""


@dataclass(frozen=True)
class TrafficOptions:
    """Options of the traffic, without the files that it names."""

    kinds: tuple[TrafficKind, ...]
    pedestrians: int
    seed: int | None
    """None: that of the session."""


def traffic_options(values: Mapping[str, Any] | None, file: str) -> TrafficOptions | None:
    """Return the options of a section; None without traffic. Raises ConfigError: too many vehicles."""
    if values is None:
        return None
    kinds = tuple(TrafficKind(int(one["count"]), one["model"] == FULL) for one in values["vehicles"])
    count = sum(one.count for one in kinds)
    if count > MAX_TRAFFIC:
        raise ConfigError(file, "traffic.vehicles", f"{count} vehicles", f"at most {MAX_TRAFFIC}")
    seed = values.get("seed")
    return TrafficOptions(kinds, int(values["pedestrians"]), None if seed is None else int(seed))
