"""Command-line arguments of a wheel, a soil and their state of contact."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.builder.builder import build_soil, build_tire
from simulator.configuration.overrides import Override, option, read_settings
from vehicles.tires.tire_file import TireFile

TIRE = "tmeasy_hmmwv"
"""Default tire."""
MAX_NUMBERS = 1000
"""Maximum count of numbers of an option."""


class WheelOnSoil(NamedTuple):
    """A tire and a soil with their names."""

    tire: TireFile
    soil: Record
    tire_name: str
    soil_name: str


def wheel_on_soil(arguments: Any, further: Sequence[Override] = ()) -> WheelOnSoil:
    """Return the named tire and soil with `--set tire.KEY=VALUE` and `--set soil.KEY=VALUE` applied; `further` are tire overrides.

    Raises ConfigError: unusable file, hard ground, or an override that is neither of the tire nor of the soil.
    """
    settings: dict[str, list[Override]] = {"tire": [], "soil": []}
    for setting in read_settings(arguments.set):
        if setting.path[0] not in settings or len(setting.path) < 2:
            raise ConfigError(setting.text, "", setting.value, "a key of the tire or the soil: tire.KEY=VALUE or soil.KEY=VALUE")
        settings[str(setting.path[0])].append(setting._replace(path=setting.path[1:]))
    tire_name = arguments.tire or TIRE
    soil = build_soil(arguments.soil, settings["soil"])
    if soil[0]["hardness"] != 0.0:
        raise ConfigError(arguments.soil, "type", "surface", "a soil, not hard ground")
    return WheelOnSoil(build_tire(tire_name, [*settings["tire"], *further]), soil, Path(tire_name).stem, Path(arguments.soil).stem)


def inflated(kilopascals: float | None) -> list[Override]:
    """Return the tire override of an inflation pressure."""
    return option("--inflation", "inflation_pressure", None if kilopascals is None else 1e3 * kilopascals)


def numbers(words: Sequence[str], name: str, minimum: float, maximum: float) -> Array:
    """Return the numbers (n,) of an option: each a number, or FROM:TO:COUNT for COUNT evenly spaced numbers. Raises ConfigError."""
    expected = f"numbers from {minimum:g} to {maximum:g}, or FROM:TO:COUNT, at most {MAX_NUMBERS}"
    out: list[float] = []
    for word in words:
        parts = word.split(":")
        try:
            ends, count = [float(part) for part in parts[:2]], int(parts[2]) if len(parts) == 3 else len(parts)
        except ValueError:
            raise ConfigError(name, "", word, expected) from None
        if len(parts) not in (1, 3) or not 1 <= count <= MAX_NUMBERS or not all(minimum <= end <= maximum for end in ends):
            raise ConfigError(name, "", word, expected)
        out += np.linspace(ends[0], ends[-1], count).tolist()
    if len(out) > MAX_NUMBERS:
        raise ConfigError(name, "", f"{len(out)} numbers", expected)
    return np.array(out)


def angles(words: Sequence[str], name: str) -> Array:
    """Return angles (n,) [rad] from numbers in degrees. Raises ConfigError."""
    return np.radians(numbers(words, name, -90.0, 90.0))
