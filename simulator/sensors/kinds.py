"""Sensors by the `type` of a session file: those shipped, and those that move in from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.base.renamed_modules import old_names

if TYPE_CHECKING:
    from simulator.sensors.contract import SensorKind

SENSOR_KINDS: Registry[SensorKind] = Registry("sensor", "jounce.sensors", {"imu": "simulator.sensors.imu:KIND"})


def register(kind: SensorKind) -> None:
    """Make a sensor known by its name. Raises JounceError: it is for another contract, or another one has its name."""
    check(kind)
    SENSOR_KINDS.register(kind.name, kind)


def check(kind: SensorKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    from simulator.sensors.contract import CONTRACT

    if kind.contract != CONTRACT:
        raise JounceError(f"sensor {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")


__getattr__ = old_names(__name__)
