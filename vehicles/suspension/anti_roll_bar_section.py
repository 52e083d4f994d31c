"""Section `anti_roll_bar` of an axle: a plain bar between heights, or a bar with levers and drop links.

Points are those of the left side, in the suspension frame of the axle; the right side is the mirror image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, ErrorCollector, raise_all
from simulator.base.records import Record, record
from simulator.base.suggestions import did_you_mean
from simulator.base.values import Values
from vehicles.axle_layout import AxleLayout, record_for
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.anti_roll_bar import ANTI_ROLL_BARS, LEVERS, PLAIN, held_point, lever_equation
from vehicles.suspension.axle_limits import MIRROR
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.composite_inertia import prepare
from vehicles.suspension.corner_design import CARRIER_NAME, CornerDesign

SHORT = 0.01
"""m. Smallest length of a lever or a drop link."""

EXPECTED_BAR = "either rate [N/m] between the heights of both sides, or torsional_stiffness [N m/rad] of a bar with levers"

CHECK_POINTS = 41
"""Number of thetas over the travel at which lever and drop link must meet; LOCKS are the steering angles as fractions of full lock."""
LOCKS = (-1.0, 0.0, 1.0)


def read_anti_roll_bar(axle: Axle, corners: Sequence[CornerDesign]) -> Record | None:
    """Return the ANTI_ROLL_BARS record of one axle with these corners, None for an axle without a bar.

    Raises ConfigError for an invalid bar.
    """
    if axle.anti_roll_bar is None:
        return None
    values = axle.anti_roll_bar
    if len(corners) < 2:
        raise ConfigError(values.file, values.key, "a bar", "no anti-roll bar on an axle with one wheel")
    bar = record_for(ANTI_ROLL_BARS, AxleLayout(1, len(corners)))
    _read(values, axle, corners, bar)
    return bar


def place_anti_roll_bars(axles: Sequence[Axle], bars: Sequence[Record | None], mechanism: MechanismParameters, steering: Record) -> None:
    """Fill `anti_roll_bars` of the mechanism's STRUTS record with the results of `read_anti_roll_bar`, once the travel limits are known.

    Raises
    ------
    ConfigError : a drop link does not reach its lever over the full travel
    """
    placed = record_for(ANTI_ROLL_BARS, mechanism.size)
    with ErrorCollector() as faults:
        for n, (axle, bar) in enumerate(zip(axles, bars, strict=True)):
            if bar is None:
                continue
            _place(bar, n, mechanism.axles.on(n), placed)
            with faults.part():
                if bar[0]["law"][0] == LEVERS:
                    assert axle.anti_roll_bar is not None
                    _check_reach(axle.anti_roll_bar, n, placed, mechanism, steering)
    mechanism.struts[0]["anti_roll_bars"] = placed[0]


def _place(bar: Record, n: int, sides: range, placed: Record) -> None:
    """Copy the bar of one axle into the columns of axle n, whose corners are `sides`."""
    for name in ("law", "stiffness", "on_arm"):
        placed[0][name][n] = bar[0][name][0]
    for name in ("arm_point", "carrier_point", "lever", "link", "branch"):
        placed[0][name][..., sides.start : sides.stop] = bar[0][name]
    placed[0]["turned"] = placed[0]["turned"] or bar[0]["turned"]


def _read(values: Values, axle: Axle, corners: Sequence[CornerDesign], bar: Record) -> None:
    """Read the bar of an axle into its record."""
    given = [name for name in ("rate", "torsional_stiffness") if name in values]
    if len(given) != 1:
        raise ConfigError(values.file, values.key, " and ".join(given) or "neither", EXPECTED_BAR)
    b, bar_kind = bar[0], PLAIN if given[0] == "rate" else LEVERS
    b["law"][0], b["stiffness"][0] = bar_kind, values[given[0]]
    if bar_kind == PLAIN:
        raise_all([values.error(name, f"no {name} of a bar with rate") for name in ("axis", "lever_end") if name in values])
    point, body = None, CARRIER_NAME
    if bar_kind == LEVERS or "drop_link" in values or "mounted_on" in values:
        point = values.needed("drop_link", "the lower end of the left drop link, 3 numbers in m") + axle.location
        body = _mounting(values, corners[0])
    for i, (corner, mirror) in enumerate(zip(corners, (np.ones(3), MIRROR), strict=True)):
        _attach(b, i, corner, body, corner.W if point is None else point * mirror)
    if point is not None and bar_kind == LEVERS:
        _read_levers(values, axle.location, point, bar)


def _mounting(values: Values, corner: CornerDesign) -> str:
    """Return the body to which the drop link is attached. Raises ConfigError."""
    arms = tuple(name for name in corner.mounts if name != CARRIER_NAME)
    body: str = values.needed("mounted_on", f"one of {', '.join(corner.mounts)}")
    if body not in corner.mounts:
        raise values.error("mounted_on", f"one of {', '.join(corner.mounts)}{did_you_mean(body, corner.mounts)}")
    if corner.linkage is not None and body == CARRIER_NAME:
        possible = ", ".join(arms) or "only rate (no arm rotates with theta)"
        raise values.error("mounted_on", f"{possible}; kinematic tables have no carrier points except the wheel center")
    return body


def _attach(b: Record, i: int, corner: CornerDesign, body: str, point: Vector) -> None:
    """Set the attachment point of the bar on corner i of the axle."""
    hinged = corner.hinged_point(body, point)
    b["on_arm"][0] = hinged is not None
    if hinged is not None:
        b["arm_point"][:, :, i] = hinged
    else:
        b["carrier_point"][:, i] = point - corner.W
        b["turned"] = b["turned"] or bool((point != corner.W).any())


def _read_levers(values: Values, location: Vector, point: Vector, bar: Record) -> None:
    """Read the axis of the bar, the ends of its levers and the lengths of the drop links."""
    b = bar[0]
    x, z = values.needed("axis", "x and z of the bar, 2 numbers in m") + location[[0, 2]]
    end = values.needed("lever_end", "the upper end of the left drop link, 3 numbers in m") + location
    foot = np.array([x, end[1], z])
    radius = end - foot
    if np.linalg.norm(radius) < SHORT:
        raise values.error("lever_end", f"a point at least {SHORT:g} m from the bar's axis")
    link = float(np.linalg.norm(end - point))
    if link < SHORT:
        raise values.error("drop_link", f"a point at least {SHORT:g} m from lever_end")
    turn = np.cross([0.0, 1.0, 0.0], radius)
    for i, mirror in enumerate((np.ones(3), MIRROR)):
        b["lever"][:, :, i] = np.stack([foot, radius, turn]) * mirror
        b["link"][i] = link
        b["branch"][i] = -1.0 if np.dot(end - point, turn) > 0.0 else 1.0


def _check_reach(values: Values, n: int, bars: Record, mechanism: MechanismParameters, steering: Record) -> None:
    """Raise ConfigError if lever and drop link do not meet, or are nearly in line, anywhere in the travel."""
    w, state = new_workspace(mechanism), record(STEERING_STATE)
    least, largest = mechanism.corners[0]["ends"]["theta"]
    for lock in LOCKS if n == 0 and not bars[0]["on_arm"][n] else (0.0,):
        state[0]["angle"] = lock * steering[0]["max_arm_angle"]
        place_tierods(steering, state, w.inputs)
        for fraction in np.linspace(0.0, 1.0, CHECK_POINTS):
            w.state[0]["theta"] = least + fraction * (largest - least)
            prepare(mechanism.records, w)
            for i in mechanism.axles.on(n):
                point, _ = held_point(mechanism.corners, bars[0], i, w.kinematics, w.inputs)
                A, B, C, min_slope = lever_equation(bars[0], i, point)
                if not min_slope * min_slope < A * A + B * B - C * C:
                    at = f"{values['drop_link']}, open or nearly in line with the lever at theta = {w.state[0]['theta'][i]:.3g}"
                    expected = "a drop link that can rotate its lever over the full travel of the wheel"
                    raise ConfigError(values.file, values.path("drop_link"), at, expected)
