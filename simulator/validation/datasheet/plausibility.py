"""Probable mistakes in a vehicle file: values of the vehicle at rest that no road vehicle has, for `jounce check`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simulator.builder.named_parts import build_ground
from simulator.validation.datasheet.static_values import places_of, static_values_of
from vehicles.vehicle import Vehicle

MIN_DAMPING = 0.05
"""Damping ratio of a mode below which it rings for several periods [assumed]. Road vehicles have 0.15 to 0.5."""
MAX_TOE = math.radians(1.0)
"""Toe angle at rest above which a tire wears within days [assumed]. Road cars have less than 0.3 degrees."""
MIN_TRAVEL = 0.03
"""Fraction of the travel that must be left at rest in each direction [assumed]."""
PRESSED = 1e-4
"""m. Compression of a bump stop at rest above which the stop carries load."""


class Range(NamedTuple):
    """Usual range of a value, wide enough for every road vehicle [assumed], and the probable mistake outside."""

    low: float
    high: float
    unit: str
    mistake: str


LENGTHS = "lengths in mm or inches instead of m"
USUAL_RANGES = {
    "mass": Range(50.0, 1e5, "kg", "masses in t or lb instead of kg"),
    "wheelbase": Range(0.7, 15.0, "m", LENGTHS),
    "track_front": Range(0.4, 4.0, "m", LENGTHS),
    "track_rear": Range(0.4, 4.0, "m", LENGTHS),
    "wheel_radius": Range(0.12, 1.5, "m", LENGTHS),
    "spring_rate": Range(2e3, 5e6, "N/m", "rates in N/mm instead of N/m"),
    "steering_ratio": Range(2.0, 60.0, "1", "angles in degrees instead of rad"),
    "road_wheel_angle_inner": Range(0.1, 1.4, "rad", "angles in degrees instead of rad, or the reverse"),
    "camber": Range(0.0, math.radians(10.0), "rad", "angles in rad instead of degrees"),
    "bounce_frequency": Range(2.0, 40.0, "rad/s", "rates of springs or masses in other units"),
    "height_of_the_mass": Range(0.1, 4.0, "m", LENGTHS),
    "front_share": Range(0.1, 0.9, "1", "positions of the masses in other units or axes"),
}
"""Usual ranges by the names of values."""
DAMPED = {"bounce": "bounce", "pitch": "pitch", "roll": "roll", "wheel_hop": "wheel hop"}


def plausibility_remarks(vehicle: Vehicle) -> list[str]:
    """Return probable mistakes in a vehicle, one line each. The state of the vehicle changes. A trailer does not stand alone: its values at
    rest are not checked."""
    if vehicle.description.coupling is not None:
        return [*_inertia(vehicle)]
    ground = build_ground("flat")
    values = static_values_of(vehicle, ground)
    vehicle.reset(ground)
    numbers = values.numbers | _more_values(vehicle)
    return [
        *(f"cannot be checked at rest: {trouble}" for trouble in values.troubles),
        *_outside(numbers),
        *_stops(vehicle),
        *_travel(numbers),
        *_damping(numbers),
        *_toe(numbers),
        *_inertia(vehicle),
    ]


def _more_values(vehicle: Vehicle) -> dict[str, float]:
    """Return values of USUAL_RANGES that no datasheet has."""
    model, readout = vehicle.model, vehicle.readout[0]
    rates = model.struts[0]["spring_rate"][model.struts[0]["spring_rate"] > 0.0]
    return {
        "wheel_radius": float(model.tires["radius"].mean()),
        "camber": float(np.abs(readout["camber"]).max()),
        "height_of_the_mass": float(readout["p_WB"][2] + model.chassis[0]["com"][2] - readout["p_WC"][:, 2].mean()),
        "spring_rate": float(rates.min()) if len(rates) else math.nan,
    }


def _outside(numbers: dict[str, float]) -> Iterator[str]:
    for name, usual in USUAL_RANGES.items():
        value = numbers.get(name, math.nan)
        if math.isfinite(value) and not usual.low <= value <= usual.high:
            unit = "" if usual.unit == "1" else f" {usual.unit}"
            yield (
                f"{name.replace('_', ' ')} {value:.4g}{unit}; expected {usual.low:.3g} to {usual.high:.3g}{unit} as for a road vehicle; "
                f"hint: {usual.mistake}"
            )


def _stops(vehicle: Vehicle) -> Iterator[str]:
    """Yield the axles whose bump stops are pressed at rest."""
    struts, length = vehicle.model.struts[0], vehicle.readout[0]["spring_length"]
    pressed = np.where(struts["stop_points"] > 0, struts["bump_stop_length"] - length, 0.0)
    for end, wheels in places_of(vehicle).ends():
        if (most := float(pressed[wheels].max())) > PRESSED:
            yield f"{end} bump stops are pressed by {1000.0 * most:.1f} mm at rest; hint: springs too soft or too short, or loads too large"


def _travel(numbers: dict[str, float]) -> Iterator[str]:
    for end in ("front", "rear"):
        used = numbers.get(f"travel_used_{end}", math.nan)
        if math.isfinite(used) and not MIN_TRAVEL <= used <= 1.0 - MIN_TRAVEL:
            direction = "bump" if used > 0.5 else "rebound"
            yield f"{end} travel is used up at rest: {100.0 * used:.0f} % of the way to the bump limit; hint: springs or {direction} limit"


def _damping(numbers: dict[str, float]) -> Iterator[str]:
    for name, words in DAMPED.items():
        ratio = numbers.get(f"{name}_damping", numbers.get(f"{name}_damping_least", math.nan))
        if ratio < MIN_DAMPING:
            yield f"damping of {words} is {100.0 * ratio:.1f} % of critical; expected {100.0 * MIN_DAMPING:.0f} % or more; hint: rates of the dampers"


def _toe(numbers: dict[str, float]) -> Iterator[str]:
    for end in ("front", "rear"):
        toe = max((abs(numbers.get(f"toe_{end}_{side}", 0.0)) for side in ("left", "right")), default=0.0)
        if toe > MAX_TOE:
            yield f"toe of the {end} wheels is {math.degrees(toe):.2f} degrees at rest; expected 1 or less; hint: key alignment of the axle"


def _inertia(vehicle: Vehicle) -> Iterator[str]:
    """Yield a roll inertia of the chassis above its pitch inertia."""
    roll, pitch = (float(value) for value in vehicle.model.chassis[0]["inertia"][:2])
    if roll > pitch:
        yield f"chassis roll inertia {roll:.4g} kg m2 is above pitch inertia {pitch:.4g} kg m2; hint: exchanged values"
