"""Key paths of a session at which a text is a name: of a file, a soil, or a registered kind."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from simulator.configuration.key_path import KeyPath, parse

CURVES, COLUMNS = "curves", "columns"
"""Kinds of CSV files: of the curves of springs, dampers and stops, and of columns that are keys of the section that names them."""
TABLES = CURVES, COLUMNS
TABLE_AXLE = "kc_table"
"""Kind of axle whose `file` is a table; that of another axle is a mechanism."""

_OF_A_CHASSIS = (
    # key path of a name or content   kind of file
    ("vehicle", "vehicles"),
    ("vehicle.tires", "tires"),
    ("vehicle.tires.*", "tires"),
    ("vehicle.drivetrain", "drivetrains"),
    ("vehicle.axles.*.file", "mechanisms"),
    ("vehicle.axles.*.right_file", CURVES),
    ("vehicle.axles.*.spring.file", CURVES),
    ("vehicle.axles.*.spring.stop_file", CURVES),
    ("vehicle.axles.*.shock.file", CURVES),
    ("vehicle.steering.assist.file", COLUMNS),
    *(
        (f"vehicle.drivetrain.drivetrain.engine.{name}.file", COLUMNS)
        for name in ("full_throttle", "closed_throttle", "losses", "accessories")
    ),
    ("vehicle.drivetrain.drivetrain.torque_converter.*.file", COLUMNS),
    ("vehicle.drivetrain.brakes.heat.file", COLUMNS),
)
_OF_A_VEHICLE = (
    *_OF_A_CHASSIS,
    *((f"vehicle.trailers.*.{place}", kind) for place, kind in _OF_A_CHASSIS),
    ("maneuver", "maneuvers"),
)
REFERENCES: tuple[tuple[KeyPath, str], ...] = tuple(
    (parse(place), kind)
    for place, kind in (
        *_OF_A_VEHICLE,
        *((f"vehicles.*.{place}", kind) for place, kind in _OF_A_VEHICLE),
        *((f"traffic.vehicles.*.{place}", kind) for place, kind in _OF_A_VEHICLE if kind != "maneuvers"),
        ("terrain", "terrains"),
        ("soils.*", "soils"),
        ("washout", "washouts"),
        ("platform", "platforms"),
    )
)
"""Key paths of names of files in a session, and in the files that it names, with the kind of file."""

SOILS_OF_A_TERRAIN: tuple[KeyPath, ...] = tuple(
    map(
        parse,
        (
            "terrain.surface",
            "terrain.soil",
            "terrain.patches.*.surface",
            "terrain.patches.*.soil",
            "terrain.roads.*.surface",
            "terrain.soils.patches.*.soil",
        ),
    )
)
"""Key paths of names of soils; all references to a name share the content `soils.NAME`."""

TYPED = (("driver",), ("vehicles", "*", "driver"), ("outlets", "motion", "protocol"), ("outlets", "streams", "*", "protocol"))
"""Key paths at which a name is short for a mapping with this `type` only."""

STREAM = ("outlets", "streams", "*")
"""Key path at which a text is short for a mapping (`simulator.motion.protocols.kinds.stream_words`)."""

DEFAULTS = {"vehicle": "hmmwv", "terrain": "jacksboro", "washout": "small_hexapod", "platform": "small_hexapod"}
"""Default names; the maneuver, if any, sets the default vehicle and terrain."""


@lru_cache(maxsize=1000)
def kind_at(path: KeyPath) -> str | None:
    """Return the kind of file that can be named at a path, or None."""
    return next((kind for parts, kind in REFERENCES if fits(path, parts)), None)


def names_soil(path: KeyPath) -> bool:
    """Return True if a path is the name of a soil in a terrain."""
    return any(fits(path, pattern) for pattern in SOILS_OF_A_TERRAIN)


def fits(path: KeyPath, pattern: KeyPath) -> bool:
    """Return True if a path matches a pattern, in which * is any part."""
    return len(path) == len(pattern) and all(want in ("*", part) for want, part in zip(pattern, path, strict=True))


def is_one_for_each(tires: Any) -> bool:
    """Return True if the tires are given by axle or by wheel, not one for all wheels: a tire contains numbers, or its `type`."""
    return isinstance(tires, dict) and not {"base", "type"} & set(tires) and all(isinstance(value, str | dict) for value in tires.values())
