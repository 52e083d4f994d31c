"""Quantities over time for plots and pages: title, sign convention and source of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.maneuvers.plots.contract import Signals
from simulator.report.display_units import factor_shown, unit_shown

FILTERED = "6 Hz low pass, no delay"
"""Description of the filter of `Signals.smooth`."""
SLOWEST_SIDESLIP = 1.0
"""Speed [m/s] below which the direction of the velocity is undefined."""

Series = Mapping[str, NDArray[np.float64]]
"""Columns (n,) by legend text, SI."""


@dataclass(frozen=True)
class Quantity:
    """Quantity over time."""

    name: str
    """Name of the quantity in code."""
    title: str
    """Title for an axis."""
    unit: str
    """SI unit."""
    of: Callable[[Signals], Series]
    """Function that returns the series. Raises EmptyPlotError if the run has no data for it."""
    columns: tuple[str, ...]
    """Names, fields or patterns of the telemetry."""
    sign: str = ""
    """Meaning of a positive number, if not obvious."""
    shown_as: tuple[str, float] | None = None
    """Display unit and factor; None: the usual display unit of the SI unit."""
    second: tuple[str, float] | None = None
    """Second display unit and the factor from the first one."""
    from_zero: bool = False
    """True if the axis includes zero."""
    limits: tuple[float, float] | None = None
    """Fixed range of the axis, SI."""
    steps: bool = False
    """True for a number that changes in steps."""

    @property
    def shown(self) -> tuple[str, float]:
        """Return the display unit and the factor from SI."""
        return self.shown_as or (unit_shown(self.unit), factor_shown(self.unit))

    @property
    def words(self) -> str:
        """Return the title with the sign convention."""
        return f"{self.title}, {self.sign}" if self.sign else self.title


def plain(name: str) -> Callable[[Signals], Series]:
    """Return a function that reads an unchanged column."""
    return lambda signals: {"": signals.column(name)}


def smooth(name: str) -> Callable[[Signals], Series]:
    """Return a function that reads a column, filtered and unfiltered."""
    return lambda signals: {FILTERED: signals.smooth(name), "as computed": signals.column(name)}


def wheels(field: str, end: str = "") -> Callable[[Signals], Series]:
    """Return a function that reads a wheel field, by the name of the corner."""
    return lambda signals: signals.corners(field, end)


def sideslip(signals: Signals) -> NDArray[np.float64]:
    """Return the angle (n,) in rad from the x axis of the chassis to the velocity of the center of mass, + = moves left; NaN at low speed.

    Raises EmptyPlotError as `Signals.column`.
    """
    ahead, left = signals.column("v_WG_B_x"), signals.column("v_WG_B_y")
    return np.where(np.hypot(ahead, left) > SLOWEST_SIDESLIP, np.arctan2(left, ahead), np.nan)


def _pedals(signals: Signals) -> Series:
    return {"throttle": signals.column("throttle"), "brake": signals.column("brake")}


PERCENT, KILONEWTON, G = ("%", 100.0), ("kN", 0.001), ("g", 1.0 / STANDARD_GRAVITY)
LEFT, RIGHT_DOWN = "+ = left", "+ = right side down"

QUANTITIES: dict[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("speed", "forward speed", "m/s", plain("v_WB_B_x"), ("v_WB_B_x",), second=("m/s", 1.0 / 3.6), from_zero=True),
        Quantity("steering_wheel", "steering wheel", "rad", plain("steering_wheel_angle"), ("steering_wheel_angle",), LEFT),
        Quantity("steering_torque", "steering-wheel torque", "N m", plain("steering_wheel_torque"), ("steering_wheel_torque",), "+ = left"),
        Quantity("lateral_acceleration", "lateral acceleration", "m/s2", smooth("a_WG_B_y"), ("a_WG_B_y",), LEFT, second=G),
        Quantity("yaw_rate", "yaw rate", "rad/s", plain("w_WB_B_z"), ("w_WB_B_z",), LEFT),
        Quantity("sideslip", "sideslip", "rad", lambda signals: {"": sideslip(signals)}, ("v_WG_B_x", "v_WG_B_y"), "+ = moves left"),
        Quantity("roll", "roll", "rad", plain("roll"), ("roll",), RIGHT_DOWN),
        Quantity("pitch", "pitch", "rad", plain("pitch"), ("pitch",), "+ = nose down"),
        Quantity("yaw", "yaw", "rad", plain("yaw"), ("yaw",), LEFT),
        Quantity("acceleration", "acceleration", "m/s2", smooth("a_WG_B_x"), ("a_WG_B_x",), "+ = forward", second=G),
        Quantity("pedals", "pedals", "1", _pedals, ("throttle", "brake"), "", PERCENT, limits=(-0.05, 1.16)),
        Quantity("gear", "gear", "1", plain("gear"), ("gear",), steps=True),
        Quantity("engine", "engine", "rad/s", plain("engine_speed"), ("engine_speed",), "", ("1/min", 30.0 / np.pi), from_zero=True),
        Quantity("wheel_loads", "wheel load", "N", wheels("F_C", "_z"), ("F_C_*_z",), "0 = off the ground", KILONEWTON),
        Quantity("slip_angles", "slip angle", "rad", wheels("slip_angle"), ("slip_angle",), "+ = moves left"),
        Quantity("slips", "slip", "1", wheels("slip_ratio"), ("slip_ratio",), "+ = driving", PERCENT),
        Quantity(
            "head",
            "vertical acceleration at the head",
            "m/s2",
            lambda signals: {"": signals.column("f_H_B_z") - STANDARD_GRAVITY},
            ("f_H_B_z",),
            "minus gravity",
            second=G,
        ),
    )
}
"""Quantities by name, in the order of the page."""
