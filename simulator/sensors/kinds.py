"""Registry of sensors, by the `type` in a session file: built-in sensors and plugin sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.base.renamed_modules import old_names

if TYPE_CHECKING:
    from simulator.sensors.contract import SensorKind

SENSOR_KINDS: Registry[SensorKind] = Registry("sensor", "jounce.sensors", {"imu": "simulator.sensors.imu:KIND"})


def register(kind: SensorKind) -> None:
    """Register a kind of sensor. Raises JounceError when it has another contract version, or when another sensor has its name."""
    check(kind)
    SENSOR_KINDS.register(kind.name, kind)


def check(kind: SensorKind) -> None:
    """Check the contract version of a kind, also of one from an entry point. Raises JounceError as `register`."""
    from simulator.sensors.contract import CONTRACT

    if kind.contract != CONTRACT:
        raise JounceError(f"sensor {kind.name}: written for version {kind.contract} of the contract, this is version {CONTRACT}")


__getattr__ = old_names(__name__)
