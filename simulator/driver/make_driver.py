"""Create a driver from its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from simulator.base.fields import Fields
from simulator.base.registry import KindChoice
from simulator.driver.contract import Driver, DriverKind, DriverSettings, Maneuver, SensingDriver, driver_parameters, make_driver
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS
from simulator.driver.internal_model import InternalModel
from simulator.driver.kinds import DRIVER_KINDS, FOLLOWER
from simulator.sensors.contract import Mount
from terrain.ground import Ground
from vehicles.vehicle import Vehicle

PERSON = "person"
"""Name of every human driver in a drive, whatever the device is."""
AUTO = "auto"
"""Human driver with any device."""


def driver_names() -> tuple[str, ...]:
    """Return the names of all drivers and input sources."""
    return (AUTO, *INPUT_SOURCE_KINDS.names(), *DRIVER_KINDS.names())


def driver_fields(name: str) -> Fields:
    """Return the own keys of the driver or input source with this name. Raises JounceError when it cannot be loaded."""
    if name == AUTO:
        return ()
    return (driver_kind(name) or INPUT_SOURCE_KINDS.need(name)).parameters


def driver_kind(name: str) -> DriverKind | None:
    """Return the kind of the automatic driver with this name; None for an input source, with which a human drives."""
    if not DRIVER_KINDS.has(name):
        return None
    return DRIVER_KINDS.need(name)


def role_of(driver: KindChoice) -> str:
    """Return the name of a driver in a drive: `PERSON` for input sources, else that of its kind."""
    return driver.name if DRIVER_KINDS.has(driver.name) else PERSON


def follows_maneuver(name: str) -> bool:
    """Return whether the driver with this name follows a maneuver."""
    kind = driver_kind(name)
    return kind is not None and kind.follows_maneuver


def without_a_person(driver: KindChoice) -> KindChoice:
    """Return the driver for a drive without a window: the requested one if it is a plugin, else the driver of maneuvers."""
    builtin = driver.name == AUTO or INPUT_SOURCE_KINDS.is_builtin(driver.name)
    return KindChoice(FOLLOWER) if builtin else driver


@dataclass(frozen=True)
class DriverContext:
    """Parts of a session that a driver knows when it is created."""

    ground: Ground
    maneuver: Maneuver | None = None
    seed: int = 0
    traits: InternalModel | None = None
    """Internal model of the vehicle; None: that of the shipped HMMWV."""
    vehicle: Vehicle | None = None
    mounts: Mapping[str, Mount] = field(default_factory=dict)
    """Position and orientation of each sensor by its name."""


def new_driver(
    kind: DriverKind,
    context: DriverContext,
    paced: bool,
    given_values: Mapping[str, Any] = MappingProxyType({}),
    here: tuple[float, float, float] | None = None,
) -> Driver | SensingDriver:
    """Create an automatic driver; `paced`: in real time; `given_values`: own parameters of the kind; `here`: see `DriverSettings`.

    Raises ConfigError, JounceError.
    """
    parameters, values = driver_parameters(kind, given_values, f"driver {kind.name}")
    builtin, known = DRIVER_KINDS.is_builtin(kind.name), context.traits or InternalModel()
    # a plugin driver gets a complete model, because an identification on first use would exceed its time limit
    settings = DriverSettings(
        parameters,
        context.ground,
        context.maneuver,
        np.random.default_rng(context.seed),
        known if builtin else replace(known),
        values,
        context.vehicle,
        paced,
        context.seed,
        context.mounts,
        here,
    )
    return make_driver(kind, settings, builtin, paced)
