"""Ends and sides of a generic car: lamps, grille, bumpers, plates, door handles, exhaust."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.view.bodies.colors import AMBER, BLACK, LAMP, METAL, PLATE, RED, TRIM
from simulator.view.bodies.lines import BUMPER, Lines
from simulator.view.bodies.panels import both_sides, door_lines, patch
from simulator.view.meshes import HEAD_LAMP, REVERSE_LAMP, STOP_LAMP, TURN_SIGNAL, Builder

LENS = (44, 47, 52)
"""Inside of a lamp behind its clear lens."""


def details(g: Lines) -> Builder:
    """Return what is mounted on the sheet metal."""
    half = Builder()
    _nose(half, g)
    _head_lamp(half, g)
    _tail(half, g)
    _tail_lamp(half, g)
    _flank(half, g)
    whole = both_sides(half)
    _plates(whole, g)
    return whole


def _across(b: Builder, g: Lines, front: bool, y: tuple[float, float], share: Any, out: float, columns: int = 5) -> None:
    """Add a patch of nose or tail between fractions y of the half width and heights as in `Lines.level`; `share`: lower and upper edge, each
    a number or its values at both ends."""
    a = np.linspace(*y, columns)
    t = g.t_of_y(a, front)
    order = slice(None) if front else slice(None, None, -1)
    low, high = (g.level(t, np.interp(a, y, np.broadcast_to(np.asarray(edge, float), 2))) for edge in share)
    patch(b, g, t[order], (low[order], high[order]), out, 3)


def _nose(b: Builder, g: Lines) -> None:
    """Add the left half of grille, air intake and fog lamp."""
    wide = g.style.grille == "bars"
    b.paint(BLACK, 0.05)
    _across(b, g, True, (0.0, 0.60), ((0.09, 0.12), (0.26, 0.21)), 0.004)
    _across(b, g, True, (0.64, 0.84), ((0.12, 0.14), (0.30, 0.34)), 0.004)
    b.paint(TRIM, 0.2)
    for low in (0.135, 0.18):
        _across(b, g, True, (0.0, 0.55), (low, low + 0.014), 0.008, 5)
    b.paint(LAMP, 0.9)
    _across(b, g, True, (0.69, 0.76), (0.20, 0.26), 0.008, 4)
    if g.style.grille == "none":
        b.paint(BLACK, 0.7)
        _across(b, g, True, (0.0, 0.56), ((0.66, 0.70), (0.73, 0.77)), 0.005)
        b.paint(LAMP, HEAD_LAMP + 0.6)
        _across(b, g, True, (0.0, 0.56), ((0.69, 0.73), (0.705, 0.745)), 0.009)
        return
    low, high, reach = (0.40, 0.93, 0.50) if wide else (0.44, 0.84, 0.40)
    b.paint(METAL, 0.8)
    _across(b, g, True, (0.0, reach + 0.02), ((low - 0.02, low + 0.10), (high + 0.02, high)), 0.006)
    b.paint(BLACK, 0.1)
    _across(b, g, True, (0.0, reach), ((low, low + 0.12), (high, high - 0.02)), 0.010)
    b.paint(METAL if wide else TRIM, 0.7)
    for share in np.linspace(low + 0.10, high - 0.09, 3 if wide else 6):
        thick = 0.022 if wide else 0.010
        _across(b, g, True, (0.0, 0.95 * reach), (share, share + 2.0 * thick), 0.018 if wide else 0.014, 5)
    if wide:
        b.paint(METAL, 0.7)
        _across(b, g, True, (0.0, 0.88), (0.16, 0.33), 0.035)


def _lens(b: Builder, g: Lines, t: Any, edges: tuple[Any, Any], out: float = 0.0) -> None:
    """Add a patch between heights as in `Lines.level` along t."""
    patch(b, g, t, (g.level(t, edges[0]), g.level(t, edges[1])), out, 3)


def _head_lamp(b: Builder, g: Lines) -> None:
    """Add the left head lamp, which reaches around the corner, with its reflectors and the indicator."""
    tall = g.style.grille == "bars"
    start = float(g.t_of_y(0.55, True))
    end = float(g.t_of_x(g.size.front - 0.42)) if not tall else float(g.t_of_x(g.size.front - 0.24))
    t = np.linspace(start, end, 10)
    u = np.linspace(0.0, 1.0, 10)
    low = 0.56 + 0.0 * u if tall else 0.60 + 0.16 * u**2
    high = 0.92 + 0.0 * u if tall else 0.80 + 0.10 * u - 0.02 * u**3
    b.paint(BLACK, 0.7)
    _lens(b, g, t, (low - 0.025, high + 0.02), 0.004)
    b.paint(LENS, 0.9)
    _lens(b, g, t, (low, high), 0.007)
    for first, last, inset in ((0.05, 0.36, 0.22), (0.42, 0.70, 0.26)):
        v = np.linspace(first, last, 6)
        lower, upper = np.interp(v, u, low), np.interp(v, u, high)
        rise = upper - lower
        hump = np.sqrt(np.clip(1.0 - ((v - 0.5 * (first + last)) / (0.52 * (last - first))) ** 2, 0.05, 1.0))
        middle = 0.5 * (lower + upper)
        b.paint(METAL, 0.9)
        _lens(b, g, start + v * (end - start), (middle - 0.44 * rise * hump, middle + 0.44 * rise * hump), 0.010)
        b.paint(LAMP, HEAD_LAMP + 0.9)
        _lens(b, g, start + v * (end - start), (middle - inset * rise * hump, middle + inset * rise * hump), 0.013)
    b.paint(LAMP, HEAD_LAMP + 0.5)
    _lens(b, g, t[:8], (low[:8] + 0.012, low[:8] + 0.035), 0.014)
    b.paint(AMBER, TURN_SIGNAL + 0.6)
    _lens(b, g, t[7:], (low[7:] + 0.3 * (high - low)[7:], low[7:] + 0.75 * (high - low)[7:]), 0.011)


def _tail(b: Builder, g: Lines) -> None:
    """Add the left half of the tail: gaps of the lid, bumper with its lower part, reflector, exhaust."""
    upright, bed = g.style.rear_upright, g.bed
    b.paint(BLACK)
    reach = 0.80 if upright or bed else 0.62
    bottom = 0.32 if upright or bed else 0.40
    _across(b, g, False, (reach - 0.012, reach), (bottom, 1.0), 0.002, 2)
    _across(b, g, False, (0.0, reach), (bottom - 0.008, bottom + 0.008), 0.002, 6)
    b.paint(TRIM, 0.05)
    _across(b, g, False, (0.0, 0.80), ((0.02, 0.06), (0.17, 0.14)), 0.006)
    b.paint(RED, 0.7)
    _across(b, g, False, (0.66, 0.84), (0.215, 0.245), 0.008, 4)
    if bed:
        b.paint(METAL, 0.7)
        _across(b, g, False, (0.0, 0.93), (0.06, 0.26), BUMPER)
        _across_top(b, g, 0.26, 0.93, BUMPER)
    if g.style.grille != "none":
        y, x, z = 0.58 * g.size.half_width, g.size.rear, float(g.z(0.155))
        b.paint(METAL, 0.9).tube([(x + 0.20, y, z), (x + 0.02, y, z)], 0.036, 12)
        b.paint(BLACK).tube([(x + 0.03, y, z), (x + 0.017, y, z)], 0.030, 12)


def _across_top(b: Builder, g: Lines, share: float, reach: float, out: float) -> None:
    """Add the step of a bumper: from the surface of the tail to the bumper, `out` in front of it."""
    t = g.t_of_y(np.linspace(0.0, reach, 7), False)[::-1]
    z = g.level(t, share)
    b.sheet(np.stack((g.surface(t, z), g.surface(t, z, out))))


def _tail_lamp(b: Builder, g: Lines) -> None:
    """Add the left tail lamp with stop lamp, indicator and reverse lamp."""
    upright = g.style.rear_upright or g.bed
    start, end = float(g.t_of_x(g.tail + (0.14 if upright else 0.26))), float(g.t_of_y(0.82 if upright else 0.60, False))
    if not upright:
        end = float(g.t_of_y(0.40, False))
    t, u = np.linspace(start, end, 12), np.linspace(0.0, 1.0, 12)
    low, high = (0.46 + 0.0 * u, 0.93 + 0.0 * u) if upright else (0.66 - 0.07 * np.sqrt(u), 0.85 + 0.03 * u)
    size = high - low
    b.paint(BLACK, 0.6)
    _lens(b, g, t, (low - 0.02, high + 0.02), 0.004)
    b.paint(RED, STOP_LAMP + 0.9)
    _lens(b, g, t, (low + (0.42 if upright else 0.32) * size, high), 0.009)
    b.paint((210, 60, 56), STOP_LAMP + 0.9)
    _lens(b, g, t[1:-1], ((low + 0.62 * size)[1:-1], (low + 0.74 * size)[1:-1]), 0.012)
    first = 0 if upright else 8
    b.paint(LAMP, REVERSE_LAMP + 0.8)
    _lens(b, g, t[first:], ((low + 0.02 * size)[first:], (low + (0.18 if upright else 0.28) * size)[first:]), 0.010)
    last = 12 if upright else 9
    b.paint(AMBER, TURN_SIGNAL + 0.8)
    _lens(b, g, t[:last], ((low + (0.21 if upright else 0.04) * size)[:last], (low + (0.38 if upright else 0.28) * size)[:last]), 0.009)


def _flank(b: Builder, g: Lines) -> None:
    """Add door handles and the repeater of the indicator."""
    for x in door_lines(g)[1:]:
        t = g.t_of_x(np.linspace(x + 0.27, x + 0.07, 6))
        b.paint(TRIM, 0.1)
        _lens(b, g, t, (0.735, 0.80), 0.002)
        at = g.level(t, 0.778)
        b.paint(g.paint, 0.5).tube(g.surface(t, at, 0.022), 0.011, 4)
        for end in (0, -1):
            b.tube(np.array([g.surface(t[end], at[end], 0.0), g.surface(t[end], at[end], 0.022)]), 0.010, 3)
    t = g.t_of_x(np.linspace(g.cowl + 0.16, g.cowl + 0.08, 3))
    b.paint(AMBER, TURN_SIGNAL + 0.6)
    _lens(b, g, t, (0.85, 0.88), 0.004)


def _plates(b: Builder, g: Lines) -> None:
    """Add the plates with a row of signs, and the third stop lamp above the rear window."""
    for front in (True, False):
        share = 0.29 if front else 0.25 if g.style.rear_upright or g.bed else 0.56
        t = g.t_of_y(0.0, front)
        x, z = float(g.surface(t, g.level(t, share))[0]), float(g.level(t, share))
        way = 1.0 if front else -1.0
        out = BUMPER + 0.015 if g.bed and not front else 0.045 if g.style.grille == "bars" and front else 0.016
        x += way * out
        turned = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        for half, high, step, color in ((0.27, 0.062, 0.0, TRIM), (0.26, 0.055, 0.003, PLATE)):
            b.paint(color, 0.2).polygon([(x + way * step, way * y * half, z + v * high) for y, v in turned])
            b.polygon([(x - way * 0.02, -way * y * half, z + v * high) for y, v in turned])
        b.paint((30, 32, 60))
        for k, place in enumerate(np.linspace(-0.20, 0.20, 8)):
            if k == 3:
                continue
            wide, high = (0.017, 0.034) if k % 3 else (0.013, 0.034)
            b.polygon([(x + way * 0.005, way * (y * wide) + place, z + v * high) for y, v in turned])
    end = g.cabin_side(g.roof_end, 1.0)
    b.paint(RED, STOP_LAMP + 0.8).box((end[0] - 0.055, -0.14, end[2] + 0.004), (end[0] - 0.04, 0.14, end[2] + 0.022))
