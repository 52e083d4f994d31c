"""Table of one wheel: its pose and the lengths of its struts over travel and steering, from a CSV file.

The coordinate theta of a corner must be one that the steering leaves alone together with the lengths of the struts, because springs and
dampers act on theta. It is the travel with the steering straight ahead at which the spring has its present length. A wheel that the steering
turns at a constant theta therefore rises or falls.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array, Vector
from simulator.base.errors import ConfigError
from vehicles.suspension.kc_table.surface import Surface, slopes
from vehicles.suspension.table_file import Columns, Quantity, TableFile

Indices = NDArray[np.signedinteger[Any]]

STEERING = {"rack": "m", "steering_wheel": "rad"}
"""Columns that the steering moves, with their units; one of them."""
TOE, CAMBER, CASTER, LATERAL, LONGITUDINAL, SPRING, SHOCK, TRAVEL = range(8)
"""Quantities of a surface: angles of the wheel [rad], displacement of its center [m], shortening of the struts [m], rise of the center [m]."""
NAMES = ("toe", "camber", "caster", "lateral", "longitudinal", "spring", "shock", "travel")
SAME_LENGTH = 1e-13
"""m. Tolerance of the length of a spring at a position of the steering."""
ROUNDS = 80
FLAT = 1e-6
"""1. Least slope of the length of a spring over travel by which Newton's method divides."""
MIN_TRAVEL = 0.01
"""m. Least travel up and down of a table."""
OUTLIER, LEAST_COMPARED = 2.0, 5
"""1, 1. Distance of an outlier from the other numbers of a line, in terms of their range, and least numbers of such a line."""
MAX_LINES = 65
"""Largest number of positions of the steering."""
MAX_ANGLE, MAX_LENGTH, MAX_TURN, MAX_RATIO = np.radians(80.0), 2.0, 100.0, 100.0
"""rad, m, rad, 1. Largest toe, camber or caster; travel or displacement; angle of the steering wheel; motion ratio."""


def quantities_of(is_front: bool) -> dict[str, tuple[Quantity, ...]]:
    """Return the columns of a table by quantity; the wheelbase of a front axle grows forwards."""
    return {
        "travel": (Quantity(("travel", "wheel_travel", "bump"), "m"),),
        "rack": (Quantity(("rack", "rack_travel"), "m"),),
        "steering_wheel": (Quantity(("steering_wheel", "steering_wheel_angle", "hand_wheel"), "rad"),),
        "toe": (Quantity(("toe", "toe_angle", "toe_in"), "rad"),),
        "camber": (Quantity(("camber", "camber_angle"), "rad"),),
        "caster": (Quantity(("caster", "caster_angle", "side_view_angle", "spin"), "rad"),),
        "lateral": (Quantity(("lateral", "half_track", "center_y"), "m"), Quantity(("track",), "m", 0.5)),
        "longitudinal": (
            Quantity(("longitudinal", "center_x"), "m"),
            Quantity(("wheelbase",), "m", 1.0 if is_front else -1.0),
        ),
        "contact_lateral": (Quantity(("contact_lateral", "contact_half_track", "contact_y"), "m"), Quantity(("contact_track",), "m", 0.5)),
        "contact_longitudinal": (Quantity(("contact_longitudinal", "contact_x"), "m"),),
        "spring": (Quantity(("spring",), "m"),),
        "shock": (Quantity(("shock", "damper"), "m"),),
        "spring_ratio": (Quantity(("spring_ratio", "spring_motion_ratio"), "1"),),
        "shock_ratio": (Quantity(("shock_ratio", "damper_ratio", "shock_motion_ratio", "damper_motion_ratio"), "1"),),
    }


class TableWarning(UserWarning):
    """Warning about a number of a table that may be a mistake. The number is used."""


class WheelTable(NamedTuple):
    """Table of a left wheel, or of a right one with the signs of the left one.

    surface : quantities in the order of NAMES over theta [m] and position of the steering [m or rad]
    by : column of STEERING; empty without
    columns : columns of the file, for messages
    """

    surface: Surface
    by: str
    columns: Columns

    @property
    def travel(self) -> tuple[float, float]:
        """Lowest and highest travel straight ahead [m]."""
        return float(self.surface.x[0]), float(self.surface.x[-1])


def read_table(file: TableFile, is_front: bool, radius: float | None = None, mirrored: bool = False) -> WheelTable:
    """Return the table of a file. Raises ConfigError.

    radius : height of the wheel center above the contact, for columns of the contact [m]
    mirrored : True for a right wheel, whose steering then has the other sign
    """
    columns = Columns(file, quantities_of(is_front))
    travel = columns.need("travel", "travel_mm")
    for name in ("toe", "camber"):
        columns.need(name, f"{name}_deg")
    by = [name for name in STEERING if name in columns]
    if len(by) > 1:
        raise ConfigError(file.path, "", by, "one column of the steering")
    steer = (-1.0 if mirrored else 1.0) * (columns[by[0]] if by else np.zeros(len(travel)))
    to_center(columns, radius)
    values = np.stack([_column(columns, name, len(travel)) for name in NAMES], axis=1)
    _check_sizes(columns)
    lines = [np.flatnonzero(steer == at) for at in np.unique(steer)]
    lines = [rows[np.argsort(travel[rows], kind="stable")] for rows in lines]
    _check(columns, travel, steer, lines, by[0] if by else "")
    _warn_of_outliers(columns, lines)
    x = np.unique(travel)
    middle = next(rows for rows in lines if steer[rows[0]] == 0.0)
    x = x[(x >= travel[middle].min()) & (x <= travel[middle].max())]
    of_lines = np.stack([_along(x, travel, values, rows, middle) for rows in lines], axis=1)
    positions = np.array([steer[rows[0]] for rows in lines])
    _integrate(columns, x, of_lines)
    start = Surface(x, positions, of_lines).at(np.zeros(1), np.zeros(1)).value[0]
    of_lines[..., CASTER:] -= start[CASTER:]
    return WheelTable(_at_spring_lengths(columns, Surface(x, positions, of_lines)), by[0] if by else "", columns)


def _at_spring_lengths(columns: Columns, over_travel: Surface) -> Surface:
    """Return a surface over theta from one over travel. Raises ConfigError: a spring does not get shorter as its wheel rises."""
    x, positions, values = over_travel.x, over_travel.y, over_travel.values
    straight = values[:, positions == 0.0].copy()
    for line in values[..., SPRING].T:
        if not (np.diff(line) > 0.0).all():
            heading = columns.headings.get("spring") or columns.headings.get("spring_ratio", columns.headings["travel"])
            expected = "a spring that gets shorter as the wheel rises, + = shorter"
            raise ConfigError(columns.file, heading, f"{1e3 * line[0]:g} to {1e3 * line[-1]:g} mm of spring", expected)
    lines = []
    for at in positions:
        travel = _travel_at(over_travel, straight[:, 0, SPRING], at)
        if travel is None:
            expected = "a spring that reaches the same lengths at each position of the steering, within twice the travel of the table"
            heading = columns.headings.get("spring") or columns.headings.get("spring_ratio", columns.headings["travel"])
            raise ConfigError(columns.file, heading, f"other lengths at {at:g}", expected)
        found = over_travel.at(travel, np.full(len(x), at)).value
        found[:, TRAVEL], found[:, [SPRING, SHOCK]] = travel, straight[:, 0, [SPRING, SHOCK]]
        lines.append(found)
    return Surface(x, positions, np.stack(lines, axis=1))


def _travel_at(over_travel: Surface, spring: Vector, at: float) -> Vector | None:
    """Return the travels (n,) at which the spring is shorter by `spring` (n,) at a position of the steering, by Newton's method within
    brackets; None: beyond them."""
    x = over_travel.x
    travel, where, span = x.copy(), np.full(len(x), at), x[-1] - x[0]
    low, high = x - span, x + span
    for _ in range(ROUNDS):
        d = over_travel.at(travel, where)
        apart, slope = d.value[:, SPRING] - spring, d.x[:, SPRING]
        if np.abs(apart).max() < SAME_LENGTH:
            return travel
        low, high = np.where(apart < 0.0, travel, low), np.where(apart > 0.0, travel, high)
        step = travel - apart / np.maximum(slope, FLAT)
        travel = np.where((step > low) & (step < high), step, 0.5 * (low + high))
    return None


def to_center(columns: Columns, radius: float | None) -> None:
    """Add the columns of the wheel center that follow from those of the contact, straight below it in the plane of the wheel."""
    for name in ("lateral", "longitudinal"):
        contact = f"contact_{name}"
        if contact not in columns:
            continue
        if name in columns or radius is None:
            expected = (
                "no column of the contact next to that of the wheel center" if name in columns else "the key loaded_radius in the axle"
            )
            raise ConfigError(columns.file, columns.headings[contact], "a position of the contact", expected)
        columns.headings[name], columns.units[name] = columns.headings[contact], columns.units[contact]
        toe, lean = columns["toe"], radius * np.sin(columns["camber"])
        columns[name] = columns[contact] + lean * (np.cos(toe) if name == "lateral" else np.sin(toe))


def _column(columns: Columns, name: str, count: int) -> Vector:
    """Return a column, that of its ratio, or its default: no motion, and struts at the wheel. Raises ConfigError: both are given."""
    ratio = f"{name}_ratio"
    if ratio in columns:
        if name in columns:
            raise ConfigError(columns.file, columns.headings[ratio], "a second column", f"{columns.headings[name]} or a ratio, not both")
        return columns[ratio]
    return columns.get(name, columns["travel"] if name in ("spring", "shock") else np.zeros(count))


def _integrate(columns: Columns, x: Vector, of_lines: Array) -> None:
    """Replace motion ratios over travel x by their integrals."""
    for name, k in (("spring", SPRING), ("shock", SHOCK)):
        if f"{name}_ratio" in columns:
            ratio, h = of_lines[..., k], np.diff(x)[:, None]
            slope = slopes(x, ratio)
            pieces = h * (ratio[:-1] + ratio[1:]) / 2.0 + h**2 * (slope[:-1] - slope[1:]) / 12.0
            of_lines[..., k] = np.concatenate([np.zeros((1, ratio.shape[1])), np.cumsum(pieces, axis=0)])


def _check(columns: Columns, travel: Vector, steer: Vector, lines: Sequence[Indices], by: str) -> None:
    """Raise ConfigError for a table that does not determine the motion of a wheel."""
    for rows in lines:
        for k in np.flatnonzero(np.diff(travel[rows]) <= 0.0):
            at = f" at {by} = {steer[rows[0]]:g}" if by else ""
            raise columns.error("travel", int(rows[k + 1]), f"each travel once{at}")
    if len(lines) > MAX_LINES:
        raise ConfigError(columns.file, columns.headings[by], f"{len(lines)} positions", f"at most {MAX_LINES} positions of the steering")
    middle = next((rows for rows in lines if steer[rows[0]] == 0.0), None)
    if middle is None:
        raise ConfigError(columns.file, columns.headings[by], "no row with 0", "a line over travel with the steering straight ahead")
    low, high = float(travel[middle].min()), float(travel[middle].max())
    if not (low <= -MIN_TRAVEL and high >= MIN_TRAVEL):
        expected = f"travels from at most -{1e3 * MIN_TRAVEL:g} mm to at least {1e3 * MIN_TRAVEL:g} mm, straight ahead"
        raise ConfigError(columns.file, columns.headings["travel"], f"{1e3 * low:g} to {1e3 * high:g} mm", expected)


def _check_sizes(columns: Columns) -> None:
    """Raise ConfigError for numbers that look like values in another unit."""
    for name in columns:
        most = MAX_LENGTH
        if name in ("toe", "camber", "caster"):
            most = MAX_ANGLE
        elif name == "steering_wheel":
            most = MAX_TURN
        elif name.endswith("_ratio"):
            most = MAX_RATIO
        columns.check_size(name, most)


def _warn_of_outliers(columns: Columns, lines: Sequence[Indices]) -> None:
    """Warn of single numbers between two travels that are far outside the others at the same position of the steering."""
    for name, column in columns.items():
        unit, factor = columns.units[name]
        for rows in lines:
            if len(rows) < LEAST_COMPARED:
                continue
            line = column[rows] / factor
            order = np.argsort(line)
            for k, others in ((order[0], line[order[1:]]), (order[-1], line[order[:-1]])):
                far = OUTLIER * np.ptp(others)
                if 0 < k < len(line) - 1 and far > 0.0 and np.abs(line[k] - others).min() > far:
                    text = f"far from the others at the same steering, which are from {others.min():.4g} to {others.max():.4g} {unit}"
                    warnings.warn(f"{columns.place(name, int(rows[k]))}: {line[k]:.4g} is {text}".rstrip(), TableWarning, stacklevel=2)


def _along(x: Vector, travel: Vector, values: Array, rows: Indices, middle: Indices) -> Array:
    """Return a line of the table at the travels x (n, quantities).

    A line with fewer travels than the line straight ahead keeps its distance from that line beyond its ends.
    """
    straight = Surface(travel[middle], np.zeros(1), values[middle][:, None])

    def on_straight(at: Vector) -> Array:
        return straight.at(at, np.zeros(len(at))).value

    if rows is middle:
        return on_straight(x)
    apart = Surface(travel[rows], np.zeros(1), (values[rows] - on_straight(travel[rows]))[:, None])
    inside = np.clip(x, travel[rows[0]], travel[rows[-1]])
    return on_straight(x) + apart.at(inside, np.zeros(len(x))).value
