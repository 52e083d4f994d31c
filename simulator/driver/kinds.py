"""Registry of automatic drivers: the driver of maneuvers, the driver to a goal and plugin drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS

if TYPE_CHECKING:
    from simulator.driver.contract import DriverKind

FOLLOWER = "scripted"
"""Name of the driver that is used without a human driver."""
PLANNER = "planner"
"""Name of the driver to a goal."""

DRIVER_KINDS: Registry[DriverKind] = Registry(
    "driver",
    "jounce.drivers",
    {FOLLOWER: "simulator.driver.maneuver_driver:KIND", PLANNER: "simulator.autonomy.planner_driver:KIND"},
)


def register(kind: DriverKind) -> None:
    """Register a kind of driver. Raises JounceError when it has another contract version, or when a driver or input source has its name."""
    check(kind)
    if kind.name in INPUT_SOURCE_KINDS.names():
        raise JounceError(f"driver {kind.name}: an input source called {kind.name} already exists")
    DRIVER_KINDS.register(kind.name, kind)


def check(kind: DriverKind) -> None:
    """Check the contract version of a kind, also of one from an entry point. Raises JounceError as `register`."""
    from simulator.driver.contract import CONTRACT

    if kind.contract != CONTRACT:
        raise JounceError(f"driver {kind.name}: written for version {kind.contract} of the contract; expected version {CONTRACT}")
