"""From the name of a driver to who drives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from simulator.base.fields import Fields, fields_of
from simulator.base.registry import Chosen
from simulator.driver.contract import Driver, DriverKind, DriverSettings, Maneuver, driver_parameters, make_driver
from simulator.driver.input_devices.contract import InputSourceKind
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS
from simulator.driver.input_devices.kinds import check as check_source
from simulator.driver.internal_model import InternalModel
from simulator.driver.kinds import DRIVER_KINDS, FOLLOWER, check
from terrain.ground import Ground

AUTO = "auto"
"""A person, with any device."""


def driver_names() -> tuple[str, ...]:
    """All who may drive."""
    return (AUTO, *INPUT_SOURCE_KINDS.names(), *DRIVER_KINDS.names())


def driver_fields(name: str) -> Fields:
    """Keys that the driver, or the input source, of that name has of its own. Raises JounceError: it cannot be loaded."""
    if name == AUTO:
        return ()
    kind = driver_kind(name) or _source_kind(name)
    return fields_of(kind.parameters, kind.ranges, kind.defaults)


def _source_kind(name: str) -> InputSourceKind:
    kind = INPUT_SOURCE_KINDS.need(name)
    check_source(kind)
    return kind


def driver_kind(name: str) -> DriverKind | None:
    """The driver of that name who is no person; None when the name is that of an input source, with which a person drives."""
    if not DRIVER_KINDS.has(name):
        return None
    kind = DRIVER_KINDS.need(name)
    check(kind)
    return kind


def follows_maneuver(name: str) -> bool:
    """Whether the driver of that name does what a maneuver says."""
    kind = driver_kind(name)
    return kind is not None and kind.follows_maneuver


def without_a_person(driver: Chosen) -> Chosen:
    """Who drives where there is no window: whoever was asked for, if it is one from outside, else the follower of maneuvers."""
    ours = driver.name == AUTO or INPUT_SOURCE_KINDS.is_builtin(driver.name)
    return Chosen(FOLLOWER) if ours else driver


def new_driver(
    kind: DriverKind,
    ground: Ground,
    maneuver: Maneuver | None,
    paced: bool,
    seed: int = 0,
    said: Mapping[str, Any] = MappingProxyType({}),
    traits: InternalModel | None = None,
) -> Driver:
    """A driver who is no person; `paced`: in real time; `said` are its own parameters, `traits` those of the vehicle.

    Raises ConfigError, JounceError.
    """
    parameters = driver_parameters(kind, said, f"driver {kind.name}")
    ours, known = DRIVER_KINDS.is_builtin(kind.name), traits or InternalModel()
    # one from outside may ask for them at any time, when a test drive would hold him up
    settings = DriverSettings(parameters, ground, maneuver, np.random.default_rng(seed), known if ours else replace(known))
    return make_driver(kind, settings, ours, paced)
