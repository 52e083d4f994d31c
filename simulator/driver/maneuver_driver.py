"""Driver that follows a maneuver."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.driver.contract import CONTRACT, Driver, DriverKind, DriverSettings, SensingDriver


def _follow(settings: DriverSettings) -> Driver | SensingDriver:
    if settings.maneuver is None:
        raise JounceError("driver 'scripted': needs a maneuver; hint: add --maneuver NAME")
    start = settings.ground.spawn if settings.here is None or settings.maneuver.has_place else settings.here
    driver = settings.maneuver.driver(start, settings.traits, settings)
    if not settings.maneuver.is_timed:
        return driver
    from simulator.driver.racing_driver import FollowsPath, RacingDriver

    return RacingDriver(driver, settings.traits) if isinstance(driver, FollowsPath) else driver


KIND = DriverKind("scripted", _follow, CONTRACT, follows_maneuver=True, meaning="driver that follows the maneuver")
