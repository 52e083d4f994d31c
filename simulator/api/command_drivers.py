"""Commands and drivers that a program gives to a simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from simulator.base.call_checks import ArgumentError, Kind
from simulator.base.errors import JounceError
from simulator.base.records import Record
from simulator.base.suggestions import did_you_mean
from simulator.configuration.vehicles_section import default_name
from simulator.driver.command_ranges import RANGES

DRIVE = 1
"""Default selector position."""
POSITIONS = {"reverse": -1, "neutral": 0, "drive": DRIVE}
"""Selector positions by name."""
DRIVER = Kind(
    lambda value: isinstance(value, str) or (not isinstance(value, type) and (callable(value) or callable(getattr(value, "read", None)))),
    "a name, a function, or an object with read(t, readout, command)",
)


class HeldCommand:
    """Driver that repeats the last command."""

    def __init__(self) -> None:
        self.values = {**dict.fromkeys(RANGES, 0.0), "selector": DRIVE}

    def change(self, changes: Mapping[str, float | str]) -> None:
        """Change parts of the command. Raises JounceError: unknown part, or a value that is no number or out of range."""
        numbers: dict[str, float] = {}
        for name, value in changes.items():
            if name not in RANGES:
                raise JounceError(f"command: unknown part {name!r}{did_you_mean(name, RANGES)}; expected {', '.join(RANGES)}")
            numbers[name] = _number(name, value)
        if "steering_free" not in changes and ("steering" in changes) != ("steering_torque" in changes):
            self.values["steering_free"] = float("steering_torque" in changes)
        self.values |= numbers

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record."""
        for name, value in self.values.items():
            command[0][name] = value


def _number(name: str, value: float | str) -> float:
    """Return the value of a part of a command. Raises ArgumentError: no number, no position of the selector, or out of range."""
    low, high = RANGES[name]
    if name == "selector" and isinstance(value, str):
        value = POSITIONS.get(value, value)
    with suppress(TypeError, ValueError):  # a comparison with a text, None or an array
        if low <= value <= high:  # type: ignore[operator]
            return value  # type: ignore[return-value]
    words = f", or {', '.join(POSITIONS)}" if name == "selector" else ""
    raise ArgumentError("command", name, value, f"a number from {low:g} to {high:g}{words}")


class FunctionDriver:
    """Driver from a function of time and the READOUT fields that returns the changed parts of the command."""

    label = "driver function"
    """Name of the driver in messages."""

    def __init__(self, function: Callable[[float, Any], Mapping[str, float]]) -> None:
        self._function, self._held_command = function, HeldCommand()

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record."""
        self._held_command.change(self._function(t, readout[0]))
        self._held_command.read(t, readout, command)


def as_driver(driver: Any) -> Any:
    """Return a driver; a function becomes one."""
    return FunctionDriver(driver) if callable(driver) and not hasattr(driver, "read") else driver


def split_drivers(others: Sequence[Mapping[str, Any]], known: int = 0) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the entries of a session file, and the drivers that are objects or functions by the name of their vehicle; `known`: number of the
    vehicles so far. Raises ArgumentError: a driver that can drive nothing."""
    entries = [{"name": default_name(known + n), **one} for n, one in enumerate(others)]
    drivers = {
        one["name"]: one.pop("driver") for one in entries if "driver" in one and not isinstance(one["driver"], str | Mapping | type(None))
    }
    for name, driver in drivers.items():
        DRIVER.check(f"vehicle {name}", "driver", driver)
    return entries, drivers
