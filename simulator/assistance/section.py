"""Section `assistance` of a session: the systems that a vehicle has, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.field_classes import entry, group_of
from simulator.base.fields import Choice, Field, Flag, Group, ListOf, Number
from terrain.objects.labels import COLORS

SPEED = Number("m/s", 0.0, 100.0)
DECELERATION = Number("m/s2", 0.5, 15.0)


@dataclass(frozen=True)
class SensorOptions:
    """Numbers of the sensor. Range, sectors and cycle are those of a long-range radar [Continental, ARS 408-21, data sheet 2017]."""

    range: float = entry(Number("m", 1.0, 500.0), "range within `sector`", 250.0)
    sector: float = entry(Number("rad", 0.01, 1.5), "half of the sector of the long range", math.radians(9.0), written="deg")
    near_range: float = entry(Number("m", 1.0, 500.0), "range within `near_sector`", 70.0)
    near_sector: float = entry(Number("rad", 0.01, 1.5), "half of the sector of the short range", math.radians(45.0), written="deg")
    cycle: float = entry(Number("s", 0.01, 1.0), "time between two measurements, in steps of 10 ms", 0.07)
    delay: float = entry(Number("s", 0.0, 1.0), "time from a measurement to its use [assumed]", 0.1)
    labels: tuple[str, ...] = entry(ListOf(Choice(tuple(COLORS))), "labels of the objects that count", ("vehicle", "person", "animal"))


@dataclass(frozen=True)
class BrakingOptions:
    """Numbers of the emergency braking; see docs/assistance.md for their sources."""

    on: bool = entry(Flag(), "false: off at the start", True)
    min_speed: float = entry(SPEED, "speed from which it warns and brakes", 5.0 / 3.6, written="kph")
    max_speed: float = entry(SPEED, "speed up to which it warns and brakes", 200.0 / 3.6, written="kph")
    reaction: float = entry(Number("s", 0.0, 5.0), "reaction of a driver, for the time of the warning", 1.2)
    warning_at: float = entry(DECELERATION, "deceleration that the driver needs after the reaction, at which the warning begins", 5.5)
    partial_at: float = entry(DECELERATION, "necessary deceleration at which partial braking begins", 5.0)
    full_at: float = entry(DECELERATION, "necessary deceleration at which full braking begins", 6.5)
    partial: float = entry(DECELERATION, "requested deceleration of partial braking", 5.0)
    full: float = entry(DECELERATION, "requested deceleration of full braking; the grip may give less", 9.0)
    max_time: float = entry(Number("s", 0.1, 10.0), "time to collision above which it does not brake", 3.0)
    margin: float = entry(Number("m", 0.0, 10.0), "distance that remains to a vehicle or object at rest", 1.0)
    side_margin: float = entry(Number("m", 0.0, 2.0), "free width that the own path needs on each side", 0.1)
    kick_down: float = entry(Number("1", 0.1, 1.0), "throttle to which the driver has to press to override", 0.95)
    steering_rate: float = entry(
        Number("rad/s", 0.1, 50.0), "rate of the steering wheel by which the driver overrides", math.radians(200.0), written="degps"
    )
    steering_angle: float = entry(
        Number("rad", 0.05, 20.0),
        "change of the steering wheel since the warning by which the driver overrides",
        math.radians(60.0),
        written="deg",
    )


@dataclass(frozen=True)
class CruiseOptions:
    """Numbers of the adaptive cruise control, within the limits of ISO 15622:2018."""

    on: bool = entry(Flag(), "true: on at the start", False)
    speed: float | None = entry(SPEED, "set speed (default: the speed when it is switched on)", None, written="kph")
    time_gap: float = entry(Number("s", 0.8, 5.0), "time gap to the vehicle ahead at a steady speed", 1.8)
    standstill_gap: float = entry(Number("m", 1.0, 20.0), "gap to the vehicle ahead at rest", 3.0)
    acceleration: float = entry(Number("m/s2", 0.1, 3.0), "largest acceleration", 1.5)
    deceleration: float = entry(Number("m/s2", 0.1, 5.0), "comfortable deceleration", 2.0)
    max_deceleration: float = entry(Number("m/s2", 0.5, 5.0), "largest deceleration", 3.5)


@dataclass(frozen=True)
class LimiterOptions:
    """Numbers of the speed limiter."""

    on: bool = entry(Flag(), "true: on at the start", False)
    speed: float | None = entry(SPEED, "speed limit (default: the speed when it is switched on)", None, written="kph")
    kick_down: float = entry(Number("1", 0.1, 1.0), "throttle to which the driver has to press to override", 0.95)


@dataclass(frozen=True)
class LaneOptions:
    """Numbers of the lane keeping; its limits are those of UN Regulation 79 for corrective steering and lane keeping."""

    on: bool = entry(Flag(), "false: off at the start", True)
    width: float = entry(Number("m", 1.0, 20.0), "width of the lane of a path; a lane of the ground has its own", 3.5)
    min_speed: float = entry(SPEED, "speed from which it steers", 30.0 / 3.6, written="kph")
    look_time: float = entry(Number("s", 0.1, 3.0), "time ahead at which the vehicle has to be in its lane", 0.7)
    max_acceleration: float = entry(Number("m/s2", 0.1, 3.0), "largest lateral acceleration that it adds", 1.0)
    max_jerk: float = entry(Number("m/s3", 0.1, 5.0), "largest rate of the lateral acceleration that it adds", 3.0)
    torque: float = entry(Number("N m", 0.1, 10.0), "largest torque on a steering wheel that the driver steers by torque", 3.0)
    steering_rate: float = entry(
        Number("rad/s", 0.05, 50.0), "rate of the steering wheel by which the driver overrides", math.radians(60.0), written="degps"
    )
    pause: float = entry(Number("s", 0.0, 10.0), "time for which the driver then steers alone", 2.0)


FIELDS = (
    Field("sensor", group_of(SensorOptions), "sensor of emergency braking and cruise control", None),
    Field("aeb", group_of(BrakingOptions), "emergency braking with forward collision warning (default: none)", None),
    Field("acc", group_of(CruiseOptions), "adaptive cruise control (default: none)", None),
    Field("limiter", group_of(LimiterOptions), "speed limiter (default: none)", None),
    Field("lane_keeping", group_of(LaneOptions), "lane keeping (default: none)", None),
)
ASSISTANCE_FIELD = Field("assistance", Group(FIELDS), "driver assistance of the first vehicle", None)


@dataclass(frozen=True)
class AssistanceOptions:
    """Systems of a vehicle; None: it has no such system."""

    sensor: SensorOptions = SensorOptions()
    aeb: BrakingOptions | None = None
    acc: CruiseOptions | None = None
    limiter: LimiterOptions | None = None
    lane_keeping: LaneOptions | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any], file: str) -> AssistanceOptions:
        """Return the options of a section. Raises ConfigError: thresholds in the wrong order."""
        one = cls(**{name: value for name, value in values.items() if value is not None})
        aeb = one.aeb
        if aeb is not None and aeb.full_at < aeb.partial_at:
            raise ConfigError(file, "assistance.aeb.full_at", aeb.full_at, f"at least partial_at, {aeb.partial_at:g} m/s2")
        if aeb is not None and aeb.max_speed < aeb.min_speed:
            raise ConfigError(file, "assistance.aeb.max_speed", aeb.max_speed, f"at least min_speed, {aeb.min_speed:g} m/s")
        return one
