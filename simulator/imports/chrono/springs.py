"""Springs and dampers of Project Chrono (linear, curve, degressive and map) as sections `spring` and `shock`.

Project Chrono: force = preload - k (length - free length) - c rate, and the same stops for every spring with a least and a largest
length: a table up to 60 mm of penetration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Array, Vector
from simulator.imports.chrono.geometry import plain, tidy
from simulator.imports.chrono.source import Part, Report

STOP_PENETRATION = [0.0, 0.002, 0.004, 0.006, 0.008, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
"""m. Penetrations of a stop, with their forces [N] below."""
STOP_FORCE = [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 2500.0, 4500.0, 7500.0, 12500.0, 125000.0]
MAX_CURVE = 32
"""Maximum number of points of a spring curve in a vehicle file."""
BLEND = 0.0005
"""m. Length of the transition between two dampings: close to the step of Project Chrono."""
FAST = 2.0
"""m/s. Speeds of a damper up to which a curve is fitted."""


def spring_section(spring: Part, shock: Part, coaxial: bool, report: Report) -> dict[str, Any]:
    """Return the section of a spring. A second spring in the shock absorber on the same line counts, too."""
    free = spring.number("Free Length", low=0.001, high=100.0)
    preload = spring.number("Preload", 0.0)
    section: dict[str, Any]
    curve = spring.first("Spring Curve Data", "Curve Data")
    if curve in spring:
        table = _short(spring, curve, report)
        section = {"free_length": tidy(free), "deformation": plain(table[:, 0]), "pull": plain(table[:, 1] - preload)}
        if not (np.diff(table[:, 1]) >= 0.0).all():
            spring.refuse(curve, plain(table[:, 1]), "a pull that never falls with the length")
    else:
        rate = spring.number("Spring Coefficient", low=0.0)
        if preload and not rate:
            spring.refuse("Preload", preload, "no preload without a spring rate")
        section = {"free_length": tidy(free + (preload / rate if rate else 0.0)), "rate": tidy(rate)}
        if section["free_length"] < 0.001:
            spring.refuse("Preload", preload, "a preload that leaves a positive free length")
    if "Minimum Length" in spring and "Maximum Length" in spring:
        least, largest = (spring.number(key, low=0.001, high=100.0) for key in ("Minimum Length", "Maximum Length"))
        if least >= largest:
            spring.refuse("Minimum Length", least, f"a length below the maximum of {largest:g} m")
        section |= {"bump_stop_length": least, "rebound_stop_length": largest}
        section |= {"stop_penetration": list(STOP_PENETRATION), "stop_force": list(STOP_FORCE)}
    _second_spring(spring, shock, coaxial, section, report)
    return section


def _short(spring: Part, key: str, report: Report) -> Array:
    """Return a curve with at most MAX_CURVE points."""
    table = spring.table(key)
    if len(table) <= MAX_CURVE:
        return table
    x = np.linspace(table[0, 0], table[-1, 0], MAX_CURVE)
    short = np.column_stack([x, np.interp(x, table[:, 0], table[:, 1])])
    error = float(np.abs(np.interp(table[:, 0], x, short[:, 1]) - table[:, 1]).max())
    report.add(spring, key, f"{len(table)} points", f"{MAX_CURVE} points, up to {error:.0f} N beside the curve")
    return short


def _second_spring(spring: Part, shock: Part, coaxial: bool, section: dict[str, Any], report: Report) -> None:
    """Add the spring rate of a shock absorber that has one."""
    key = "Spring Coefficient"
    if key not in shock or shock is spring:
        return
    rate = shock.number(key, low=0.0)
    if not rate:
        return
    if not coaxial or "Free Length" not in shock or "rate" not in section:
        problem = "a spring in a shock absorber without a free length" if coaxial else "a spring in a shock absorber on another line"
        report.add(shock, key, problem, "no spring")
        return
    free, first = shock.number("Free Length", low=0.001, high=100.0), section["rate"]
    section["free_length"] = tidy((section["free_length"] * first + free * rate) / (first + rate))
    section["rate"] = tidy(first + rate)


def shock_section(shock: Part, spring: Part, length: float, coaxial: bool, report: Report) -> dict[str, Any]:
    """Return the section of a shock absorber of this design length, with the damping of a spring on the same line."""
    middle, end, degressivity, lengths = _dampings(shock, length, report)
    extra = "Damping Coefficient" if "Damping Coefficient" in spring else "Damping Curve Data"
    if extra in spring and shock is not spring:
        if coaxial:
            more = _dampings(spring, length, report)[0]
            middle, end = middle + more, end + more
            report.add(spring, extra, "a damper in a spring", "its damping, added to the shock absorber on the same line")
        else:
            report.add(spring, extra, "a damper in a spring on another line than the shock absorber", "no damping of the spring")
    return {
        "compression_damping": tidy(middle[0]),
        "rebound_damping": tidy(middle[1]),
        "compression_damping_end": tidy(end[0]),
        "rebound_damping_end": tidy(end[1]),
        **({"degressivity": tidy(degressivity)} if degressivity else {}),
        "midstroke_min": tidy(lengths[0]),
        "midstroke_max": tidy(lengths[1]),
        "midstroke_blend": BLEND,
    }


def _dampings(part: Part, length: float, report: Report) -> tuple[Vector, Vector, float, tuple[float, float]]:
    """Return dampings in compression and rebound in the middle and at the ends of the stroke, degressivity, and lengths of the middle."""
    whole = (0.5 * length, 1.5 * length)
    if "Map Data" in part:
        return _map(part, report)
    curve = "Curve Data" if "Curve Data" in part and "Free Length" not in part else "Damping Curve Data"
    if curve in part:
        table = part.table(curve)
        c, d, error = _fit(table[:, 0], table[:, 1])
        report.add(
            part,
            curve,
            "a damper curve",
            f"constant dampings and degressivity, fitted up to {FAST:g} m/s: {error:.1%} rms of the largest force",
        )
        return c, c, d, whole
    damping = part.number("Damping Coefficient", 0.0, low=0.0)
    c = np.array([damping, damping])
    degressive = [part.number(f"Degressivity {side}", 0.0, low=0.0, high=1000.0) for side in ("Compression", "Expansion")]
    if degressive[0] != degressive[1]:
        v = np.linspace(-FAST, FAST, 81)
        force = damping * v / (1.0 + np.where(v < 0.0, degressive[0], degressive[1]) * np.abs(v))
        c, d, error = _fit(v, force)
        report.add(
            part, "Degressivity Compression", "two degressivities", f"one, fitted up to {FAST:g} m/s: {error:.1%} rms of the largest force"
        )
        return c, c, d, whole
    return c, c, degressive[0], whole


def _fit(v: Vector, force: Vector) -> tuple[Vector, float, float]:
    """Return dampings in compression and rebound, the degressivity, and the rms error over the largest force."""
    near = np.abs(v) <= max(FAST, float(np.min(np.abs(v[v != 0.0]))))
    v, force = v[near], force[near]
    best: tuple[float, Vector, float] = (np.inf, np.zeros(2), 0.0)
    for d in np.concatenate([[0.0], np.geomspace(0.05, 100.0, 60)]):
        shape = v / (1.0 + d * np.abs(v))
        c = np.zeros(2)
        for n, side in enumerate((v < 0.0, v > 0.0)):
            if side.any():
                c[n] = max(0.0, float(shape[side] @ force[side] / (shape[side] @ shape[side])))
        error = float(np.sqrt(np.mean((np.where(v < 0.0, c[0], c[1]) * shape - force) ** 2)))
        if error < best[0] - 1e-9 * abs(best[0] if np.isfinite(best[0]) else 1.0):
            best = (error, c, float(d))
    return best[1], best[2], best[0] / max(float(np.abs(force).max()), 1e-9)


def _map(part: Part, report: Report) -> tuple[Vector, Vector, float, tuple[float, float]]:
    """Return the dampings of a map of force over length and rate: one pair in the middle of the stroke, one at its ends."""
    lengths = part.numbers("Deformation")
    if len(lengths) < 2 or not (np.diff(lengths) > 0.0).all():
        part.refuse("Deformation", plain(lengths), "at least two rising lengths")
    table = part.table("Map Data", len(lengths) + 1)
    v, forces = table[:, 0], table[:, 1:]
    columns = np.array([_fit(v, forces[:, n])[0] for n in range(len(lengths))])
    end, middle = 0.5 * (columns[0] + columns[-1]), columns[len(columns) // 2]
    near = np.abs(columns - middle).sum(axis=1) <= np.abs(columns - end).sum(axis=1)
    first, last = np.flatnonzero(near)[[0, -1]]
    model = np.where(((np.arange(len(lengths)) >= first) & (np.arange(len(lengths)) <= last))[:, None], middle, end)
    error = np.abs(np.where(v[:, None] < 0.0, model[:, 0], model[:, 1]) * v[:, None] - forces).max() / max(np.abs(forces).max(), 1e-9)
    report.add(
        part, "Map Data", "a map over length and rate", f"two pairs of dampings, up to {error:.1%} of the largest force beside the map"
    )
    low, high = float(max(lengths[first], 0.001)), float(lengths[last])
    return middle, end, 0.0, (low, max(high, low + 0.001))
