"""Check of one pose of a vehicle on a map: distance to obstacles, and attitude on the ground as a rigid plate on its wheels."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import ObstacleMap
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.jit import inline
from simulator.base.records import Record, record

MAX_DISCS = 32
DISC_SPACING = 0.25
"""Distance between two discs that cover the vehicle, at most, over its width."""
BELLY = 0.8
"""Fraction of the ground clearance that a pose may use."""
TRACTION_RESERVE, RESERVED = 0.05, 0.15
"""1. Tractive force over weight that remains for steering and bumps on a slope; fraction of the strength that this is at most."""
SINKING = 1.2
"""1. Increase of the roll on a side slope of soil over its resistance: the lower wheels carry more and sink deeper. A vehicle of which half of the
weight moves to the lower wheels rolls 1.4 times as far on snow in which it sinks 0.33 m, with a resistance of 0.35 of its weight."""
STEEPER_DOWN = 1.3
"""Steepest slope down over the steepest slope up."""
TOUCHES = -1e3
"""Clearance [m] of a pose whose surroundings are not known."""

OUTLINE = (
    # name          shape           unit description
    ("discs", (), "1", "number of discs that cover the vehicle", "i8"),
    ("offset", (MAX_DISCS,), "m", "position of the center of each disc ahead of the point without sideslip"),
    ("radius", (), "m", "radius of the discs"),
    ("wheelbase", (), "m", "distance from the last to the first axle"),
    ("track", (), "m", "distance from the right to the left wheels"),
    ("clearance", (), "m", "usable ground clearance between the axles"),
    ("max_roll", (), "rad", "steepest side slope"),
    ("max_climb", (), "rad", "steepest slope up"),
    ("ease", (), "1", "factor of the limits of roll, slope and clearance"),
    (
        "traction",
        (),
        "1",
        "factor of the tractive force: above 1, momentum helps; inf = slopes beyond the traction of the ground are tried",
    ),
    ("to_reference", (), "m", "position of the reference point B ahead of the point without sideslip"),
)
"""Vehicle for the check."""


class MapArrays(NamedTuple):
    """Map as arrays, see `ObstacleMap`."""

    x: float
    """m, of the corner of cell (0, 0)"""
    y: float
    cell: float
    distance: NDArray[np.float64]
    """m, to the nearest cell that is an obstacle or unknown"""
    elevation: NDArray[np.float64]
    strength: NDArray[np.float64]
    grip: NDArray[np.float64]


def outline_of(vehicle: VehicleTraits, ease: float = 1.0, traction: float = 1.0) -> Record:
    """Return an OUTLINE record; see there for `ease` and `traction`."""
    out = record(OUTLINE)
    o = out[0]
    length = vehicle.front + vehicle.rear
    count = min(max(2, math.ceil(length / (DISC_SPACING * vehicle.width))), MAX_DISCS)
    o["discs"], o["radius"] = count, math.hypot(0.5 * vehicle.width, 0.5 * length / count)
    o["offset"][:count] = vehicle.rear_axle - vehicle.rear + (np.arange(count) + 0.5) * length / count
    o["wheelbase"], o["track"], o["clearance"] = vehicle.wheelbase, vehicle.track, BELLY * vehicle.ground_clearance
    o["ease"], o["traction"] = ease, traction
    o["max_roll"], o["max_climb"], o["to_reference"] = vehicle.max_roll, vehicle.max_climb, vehicle.rear_axle
    return out


def arrays_of(found: ObstacleMap) -> MapArrays:
    """Return the arrays of a map for kernels."""
    x, y = found.origin
    grip = found.strength if found.grip is None else found.grip
    parts = (np.ascontiguousarray(part, np.float64) for part in (found.known_distance, found.elevation, found.strength, grip))
    return MapArrays(float(x), float(y), float(found.cell), *parts)


@inline
def clearance_at(m, v, x, y, c, s):
    """Return the distance [m] of the outline from the nearest obstacle or unknown cell; TOUCHES outside the map.

    x, y [m] are those of the point without sideslip, (c, s) is the direction of the heading.
    """
    ny, nx = m.distance.shape
    o = v[0]
    least = math.inf
    for k in range(o["discs"]):
        i = math.floor((x + o["offset"][k] * c - m.x) / m.cell)
        j = math.floor((y + o["offset"][k] * s - m.y) / m.cell)
        if i < 0 or j < 0 or i >= nx or j >= ny:
            return TOUCHES
        least = min(least, m.distance[j, i])
    return least - o["radius"]


@inline
def plate_at(m, v, x, y, c, s):
    """Return the attitude of a plate on the wheels: rise of the ground toward the front and toward the left side [1], height of the ground above
    the middle of the plate [m], and its twist [m]; NaN where the elevation is unknown."""
    o = v[0]
    half = 0.5 * o["track"]
    fx, fy = x + o["wheelbase"] * c, y + o["wheelbase"] * s
    left_rear, right_rear = height_at(m, x - half * s, y + half * c), height_at(m, x + half * s, y - half * c)
    left_front, right_front = height_at(m, fx - half * s, fy + half * c), height_at(m, fx + half * s, fy - half * c)
    front, rear = 0.5 * (left_front + right_front), 0.5 * (left_rear + right_rear)
    bulge = height_at(m, 0.5 * (x + fx), 0.5 * (y + fy)) - 0.5 * (front + rear)
    lean = 0.5 * (left_front + left_rear - right_front - right_rear) / o["track"]
    return (front - rear) / o["wheelbase"], lean, bulge, 0.5 * abs(left_front - right_front - left_rear + right_rear)


@inline
def hazard_at(m, v, x, y, c, s, direction):
    """Return how close a pose is to the limits of the vehicle, 1 = at a limit; the unevenness of the ground under it [m]; and the first without
    traction.

    The vehicle is a plate on its wheels: side slope, slope along the direction of travel, traction, and clearance between the axles.
    """
    o = v[0]
    slope, lean, bulge, twist = plate_at(m, v, x, y, c, s)
    if not math.isfinite(slope + lean + bulge):
        return math.inf, 0.0, math.inf
    rise = direction * slope
    mx, my = x + 0.5 * o["wheelbase"] * c, y + 0.5 * o["wheelbase"] * s
    strength = layer_at(m, m.strength, mx, my)
    attitude = hazard = attitude_hazard(v, rise, lean, bulge, resistance_at(m, mx, my, strength))
    if not math.isnan(strength):
        needed = rise + min(TRACTION_RESERVE, RESERVED * strength)
        hazard = max(hazard, needed / (o["traction"] * max(strength, 1e-3)))
    return hazard, max(abs(bulge), twist), attitude


@inline
def attitude_hazard(v, rise, lean, bulge, resistance):
    """Return how close an attitude is to the limits of the vehicle, 1 = at a limit; `rise` in the direction of travel, see `plate_at`.

    resistance : of the ground over the weight; the lower wheels sink deeper
    """
    o = v[0]
    roll, climb = (1.0 + SINKING * resistance) * math.atan(abs(lean)), math.atan(rise)
    hazard = max(roll / o["max_roll"], bulge / o["clearance"])
    return max(hazard, climb / o["max_climb"], -climb / (STEEPER_DOWN * o["max_climb"])) / o["ease"]


@inline
def resistance_at(m, x, y, strength):
    """Return the motion resistance of the ground over the weight at a point of this strength; 0 where it is unknown."""
    resistance = layer_at(m, m.grip, x, y) - strength
    return max(resistance, 0.0) if math.isfinite(resistance) else 0.0


@inline
def layer_at(m, layer, x, y):
    """Return the value of a layer of the map at a point; NaN outside the map."""
    ny, nx = layer.shape
    i, j = math.floor((x - m.x) / m.cell), math.floor((y - m.y) / m.cell)
    return layer[j, i] if 0 <= i < nx and 0 <= j < ny else math.nan


@inline
def height_at(m, x, y):
    """Return the elevation [m] at a point, bilinear between the centers of the cells; NaN outside the map."""
    ny, nx = m.elevation.shape
    u, w = (x - m.x) / m.cell - 0.5, (y - m.y) / m.cell - 0.5
    i, j = math.floor(u), math.floor(w)
    if i < 0 or j < 0 or i + 1 >= nx or j + 1 >= ny:
        return math.nan
    u, w = u - i, w - j
    z = m.elevation
    return (1.0 - w) * ((1.0 - u) * z[j, i] + u * z[j, i + 1]) + w * ((1.0 - u) * z[j + 1, i] + u * z[j + 1, i + 1])
