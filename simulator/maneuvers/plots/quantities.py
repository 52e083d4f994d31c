"""What pictures and pages show over time: each quantity with its words, its sign and what it is made of. Here it is defined once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.maneuvers.plots.contract import Signals
from simulator.maneuvers.plots.display_units import factor_shown, unit_shown

FILTERED = "6 Hz low pass, no delay"
"""What `Signals.smooth` does, in words."""
SLOWEST_SIDESLIP = 1.0
"""m/s. Below it the direction of the velocity says nothing."""

Series = Mapping[str, NDArray[np.float64]]
"""Columns (n,) by the words of a legend, SI."""


@dataclass(frozen=True)
class Quantity:
    """Something over time."""

    name: str
    """Word by which it is asked for."""
    title: str
    """In words, for an axis."""
    unit: str
    """SI."""
    of: Callable[[Signals], Series]
    """Raises EmptyPlotError when a drive does not have it."""
    columns: tuple[str, ...]
    """Of the telemetry, names, fields or patterns."""
    sign: str = ""
    """What a positive number means, where that is not plain."""
    shown_as: tuple[str, float] | None = None
    """Unit and factor in which people read it, where that is not as usual for its unit."""

    @property
    def shown(self) -> tuple[str, float]:
        """Unit in which people read it, and what an SI number is multiplied with."""
        return self.shown_as or (unit_shown(self.unit), factor_shown(self.unit))

    @property
    def words(self) -> str:
        """Title with the meaning of its sign."""
        return f"{self.title}, {self.sign}" if self.sign else self.title


def plain(name: str) -> Callable[[Signals], Series]:
    """A column as it is."""
    return lambda signals: {"": signals.column(name)}


def smooth(name: str) -> Callable[[Signals], Series]:
    """A column as it was computed, and filtered."""
    return lambda signals: {FILTERED: signals.smooth(name), "as computed": signals.column(name)}


def wheels(field: str, end: str = "") -> Callable[[Signals], Series]:
    """A field of the wheels, each by the name of its corner."""
    return lambda signals: signals.corners(field, end)


def sideslip(signals: Signals) -> NDArray[np.float64]:
    """Angle (n,) in rad from the x axis of the chassis to the velocity of the center of mass, + = it moves to its left; NaN where it is slow.

    Raises EmptyPlotError as `Signals.column`.
    """
    ahead, left = signals.column("v_WG_B_x"), signals.column("v_WG_B_y")
    return np.where(np.hypot(ahead, left) > SLOWEST_SIDESLIP, np.arctan2(left, ahead), np.nan)


def _pedals(signals: Signals) -> Series:
    return {"throttle": signals.column("throttle"), "brake": signals.column("brake")}


PERCENT, KILONEWTON = ("%", 100.0), ("kN", 0.001)
LEFT, RIGHT_DOWN = "+ = left", "+ = right side down"

QUANTITIES: dict[str, Quantity] = {
    one.name: one
    for one in (
        Quantity("speed", "forward speed", "m/s", plain("v_WB_B_x"), ("v_WB_B_x",)),
        Quantity("steering_wheel", "steering wheel", "rad", plain("steering_wheel_angle"), ("steering_wheel_angle",), LEFT),
        Quantity(
            "steering_torque", "torque of the hands", "N m", plain("steering_wheel_torque"), ("steering_wheel_torque",), "+ = to the left"
        ),
        Quantity("lateral_acceleration", "lateral acceleration", "m/s2", smooth("a_WG_B_y"), ("a_WG_B_y",), LEFT),
        Quantity("yaw_rate", "yaw rate", "rad/s", plain("w_WB_B_z"), ("w_WB_B_z",), LEFT),
        Quantity("sideslip", "sideslip", "rad", lambda signals: {"": sideslip(signals)}, ("v_WG_B_x", "v_WG_B_y"), "+ = moves to the left"),
        Quantity("roll", "roll", "rad", plain("roll"), ("roll",), RIGHT_DOWN),
        Quantity("pitch", "pitch", "rad", plain("pitch"), ("pitch",), "+ = nose down"),
        Quantity("yaw", "yaw", "rad", plain("yaw"), ("yaw",), LEFT),
        Quantity("acceleration", "acceleration", "m/s2", smooth("a_WG_B_x"), ("a_WG_B_x",), "+ = forwards"),
        Quantity("pedals", "pedals", "1", _pedals, ("throttle", "brake"), "", PERCENT),
        Quantity("gear", "gear", "1", plain("gear"), ("gear",)),
        Quantity("engine", "engine", "rad/s", plain("engine_speed"), ("engine_speed",), "", ("1/min", 30.0 / np.pi)),
        Quantity("wheel_loads", "wheel load", "N", wheels("F_C", "_z"), ("F_C_*_z",), "0 = off the ground", KILONEWTON),
        Quantity("slip_angles", "slip angle", "rad", wheels("slip_angle"), ("slip_angle",), "+ = moves to the left"),
        Quantity("slips", "slip", "1", wheels("slip_ratio"), ("slip_ratio",), "+ = driving", PERCENT),
        Quantity(
            "head",
            "acceleration up at the head",
            "m/s2",
            lambda signals: {"": signals.column("f_H_B_z") - STANDARD_GRAVITY},
            ("f_H_B_z",),
            "less gravity",
        ),
    )
}
"""By name, in the order in which a page shows them."""
