"""Drivers that are no persons by name: the follower of maneuvers, and those that move in from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.base.renamed_modules import old_names
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS

if TYPE_CHECKING:
    from simulator.driver.contract import DriverKind

FOLLOWER = "scripted"
"""Who drives where nobody can."""

DRIVER_KINDS: Registry[DriverKind] = Registry("driver", "jounce.drivers", {FOLLOWER: "simulator.driver.maneuver_driver:KIND"})


def register(kind: DriverKind) -> None:
    """Make a driver known by its name. Raises JounceError: it is for another contract, or another one, or an input source, has its name."""
    check(kind)
    if kind.name in INPUT_SOURCE_KINDS.names():
        raise JounceError(f"there is an input source called {kind.name} already, which drives by that name")
    DRIVER_KINDS.register(kind.name, kind)


def check(kind: DriverKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    from simulator.driver.contract import CONTRACT

    if kind.contract != CONTRACT:
        raise JounceError(f"driver {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")


__getattr__ = old_names(__name__)
