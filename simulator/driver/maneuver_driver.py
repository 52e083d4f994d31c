"""Driver that follows a maneuver."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.driver.contract import CONTRACT, Driver, DriverKind, DriverSettings, SensingDriver


def _follow(settings: DriverSettings) -> Driver | SensingDriver:
    if settings.maneuver is None:
        raise JounceError("driver 'scripted': needs a maneuver; hint: add --maneuver NAME")
    start = settings.ground.spawn if settings.here is None or settings.maneuver.has_place else settings.here
    return settings.maneuver.driver(start, settings.traits, settings)


KIND = DriverKind("scripted", _follow, CONTRACT, follows_maneuver=True, meaning="driver that follows the maneuver")
