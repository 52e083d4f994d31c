"""Results of a sweep as a console report, as JSON data, and as a motion for tables and plots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.tools.mechanism.motion import Mark, Measure, Motion, number
from vehicles.multibody.motion.singularities import Singular
from vehicles.multibody.motion.sweep import Sweep
from vehicles.multibody.tree.coordinates import position_coordinates, velocity_coordinates

MIN_CHANGE = 1e-12
"""rad, m. The report omits coordinates with a smaller change."""


def sweep_motion(swept: Sweep) -> Motion:
    """Return the sweep as a motion for tables and plots."""
    by = swept.coordinate
    rates = tuple(
        Measure(f"d({c.label})/d({by.label})", f"{c.unit}/{by.unit}", swept.ratios[:, c.index])
        for c in velocity_coordinates(swept.system)
        if c.index != by.index
    )
    measures = (
        Measure("closure", "m, rad", swept.gap, logarithmic=True),
        Measure("smallest singular value", "1", swept.pivot, logarithmic=True),
        Measure("condition number", "1", swept.condition, logarithmic=True),
    )
    marks = [Mark(end.s, "dead point") for end in swept.dead_points] + [Mark(place.s, "branches cross") for place in swept.crossings]
    along = Measure(by.label, by.unit, swept.reached)
    return Motion(swept.system, swept.system.mechanism.name, along, swept.q, rates, measures, tuple(marks), is_run=False)


def sweep_object(swept: Sweep) -> dict[str, Any]:
    """Return the JSON data: SI units and radians; infinite numbers at a dead point are null."""
    mechanism, by = swept.system.mechanism, swept.coordinate
    low, high = _range(swept)
    return {
        "file": mechanism.file,
        "name": mechanism.name,
        "coordinate": by.label,
        "unit": by.unit,
        "held": swept.held,
        "positions_asked": swept.requested.size,
        "positions_reached": swept.reached.size,
        "range": [low, high],
        "dead_points": [_singular(end) for end in swept.dead_points],
        "crossings": [_singular(place) for place in swept.crossings],
        "values": swept.reached.tolist(),
        "positions": {c.label: swept.q[:, c.index].tolist() for c in position_coordinates(swept.system)},
        "ratios": {c.label: [number(x) for x in swept.ratios[:, c.index]] for c in velocity_coordinates(swept.system)},
        "closure": swept.gap.tolist(),
        "smallest_singular_value": swept.pivot.tolist(),
        "condition": [number(x) for x in swept.condition],
    }


def _singular(place: Singular) -> dict[str, Any]:
    return {"at": place.s, "loops": place.loops}


def _range(swept: Sweep) -> tuple[float | None, float | None]:
    """Return the dead points that limit the coordinate; None for a side without one."""
    middle = 0.5 * (swept.reached.min() + swept.reached.max())
    low = [end.s for end in swept.dead_points if end.s < middle]
    high = [end.s for end in swept.dead_points if end.s >= middle]
    return max(low, default=None), min(high, default=None)


def sweep_text(swept: Sweep) -> str:
    """Return the console report."""
    by, unit, n = swept.coordinate, swept.coordinate.unit, swept.reached.size
    missed = swept.requested.size - n
    reached = "all reached" if not missed else f"{n} reached, {missed} beyond a dead point"
    worst = int(np.argmin(swept.pivot))
    lines = [
        f"{swept.system.mechanism.file}: {swept.system.mechanism.name}",
        f"  {by.label} from {_amount(swept.requested[0], unit)} to {_amount(swept.requested[-1], unit)}: {swept.requested.size} positions, {reached}",
    ]
    if swept.held:
        lines.append(f"  held: {', '.join(swept.held)}")
    for end in swept.dead_points:
        lines.append(f"  dead point at {_amount(end.s, unit, exact=True)}: {_loops(end)} can close no further")
    for place in swept.crossings:
        lines.append(f"  singular position at {_amount(place.s, unit, exact=True)}: branches of {_loops(place)} cross")
    if not swept.dead_points and not swept.crossings:
        lines.append("  no singular position on the way")
    lines.append(f"  loops: closed to {swept.gap.max():.1e} (m, rad)")
    condition = "infinite" if np.isinf(swept.condition[worst]) else f"{swept.condition[worst]:.3g}"
    lines.append(f"  smallest singular value of the dependent columns {swept.pivot[worst]:.3g}, condition number {condition},")
    lines.append(f"    at {_amount(swept.reached[worst], unit)}")
    return "\n".join([*lines, "", *_table(swept)])


def _amount(x: float, unit: str, exact: bool = False) -> str:
    """Format a value with its unit, an angle also in degrees."""
    digits = ".12g" if exact else ".6g"
    return f"{x:{digits}} {unit}" + (f" ({math.degrees(x):{digits}} deg)" if unit == "rad" else "")


def _plain(x: float) -> str:
    """Format a number; rounding errors as 0, and NaN as "nan"."""
    return "0" if abs(x) <= MIN_CHANGE else f"{x:.6g}"


def _loops(place: Singular) -> str:
    return ", ".join(map(repr, place.loops))


def _table(swept: Sweep) -> list[str]:
    """Return the table of minimum and maximum of each moving coordinate, and of its derivative with respect to the swept coordinate."""
    by = swept.coordinate
    rows = [["coordinate", "unit", "minimum", "maximum", f"per {by.label}: minimum", "maximum"]]
    ratio = {c.label: swept.ratios[:, c.index] for c in velocity_coordinates(swept.system)}
    for c in position_coordinates(swept.system):
        x = swept.q[:, c.index]
        rates = [_plain(y) for y in (ratio[c.label].min(), ratio[c.label].max())] if c.label in ratio else ["", ""]
        if float(np.ptp(x)) > MIN_CHANGE:
            rows.append([c.label, c.unit, _plain(x.min()), _plain(x.max()), *rates])
    widths = [max(len(row[k]) for row in rows) for k in range(6)]
    return ["  " + "  ".join([row[0].ljust(widths[0]), *(row[k].rjust(widths[k]) for k in range(1, 6))]) for row in rows]
