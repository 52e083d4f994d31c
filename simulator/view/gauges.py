"""Gauges of the dashboard as quads: speed, engine speed or power, gear, warning lamps. No OpenGL here.

The gauges of an engine are two round dials with a display in between; those of motors are a display. What the state of a vehicle does not
have, such as fuel, has no gauge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from simulator.events.turn_signals import SIDES
from simulator.view.instruments import (
    AMBER,
    BLUE,
    DARK,
    DIM,
    GREEN,
    INK,
    LARGE,
    NORMAL,
    RED,
    SPEED_UNITS,
    TRACK,
    Canvas,
    Color,
    Dials,
    gear_name,
    shown_speed,
)
from simulator.view.vehicle_states import lit_signals

SIZE = (720.0, 280.0)
"""Units of the canvas."""
DIAL = 126.0
"""Radius of a dial."""
LEFT, RIGHT, MIDDLE = (150.0, 138.0), (570.0, 138.0), 360.0
POWER = (40.0, 140.0, 520.0, 214.0)
"""Scale of the power: left end, zero, width, top."""
NUMBERS = 22.0
"""Height of the numbers of a scale."""
START, SWEEP = math.radians(225.0), math.radians(270.0)
"""Angle of the start of a scale, counterclockwise from the right, and its extent clockwise."""
FACE, GLOW, NEEDLE = (0.022, 0.024, 0.028, 1.0), (0.055, 0.06, 0.07, 1.0), (0.98, 0.30, 0.16, 1.0)
ENGINE_RUNS = 10.0
"""rad/s. Engine speed below which the engine is off; slower than any engine idles."""
LOW_CHARGE = 10
"""%. Charge up to which the battery is red."""
POWER_SHOWN = 500.0
"""W. Resolution of the power."""


class Cluster(NamedTuple):
    """Scales of the gauges of a vehicle."""

    dials: Dials
    top_speed: float
    """m/s. End of the scale of the speedometer"""
    power: float
    """W. Largest power of the motors; 0: an engine"""


class Reading(NamedTuple):
    """What the gauges show, in steps of what one can see: equal readings have equal pictures."""

    unit: str
    speed: int
    """In the unit"""
    needle: int
    """Tenths of the unit"""
    engine: int
    """10 rpm, or multiples of POWER_SHOWN"""
    gear: str
    lamps: tuple[str, ...]
    charge: int | None
    """Percent; None without a battery"""


def reading(s: Any, unit: str, of: Cluster) -> Reading:
    """Return what the gauges show for a state (row of STATE)."""
    speed = shown_speed(s, unit)
    turns = abs(float(s["engine_speed"]))
    ahead = math.copysign(1.0, float(s["v_WB_B"][0]))
    value = ahead * turns * float(s["engine_torque"]) / POWER_SHOWN if of.power else turns * 3.0 / math.pi
    engine = round(value) if math.isfinite(value) else 0
    return Reading(
        unit,
        round(speed),
        round(10.0 * speed),
        engine,
        gear_name(int(s["gear"]), int(s["selector"]), of.dials.manual),
        tuple(_lamps(s, of)),
        round(100.0 * float(s["charge"])) if math.isfinite(s["charge"]) else None,
    )


def _lamps(s: Any, of: Cluster) -> Iterator[str]:
    """Yield the lit lamps."""
    lit = SIDES[lit_signals(int(s["turn_signals"]), float(s["time"]))]
    yield from ("left", "right") if lit == "both" else () if lit == "off" else (lit,)
    if s["parking_brake"]:
        yield "P"
    if not of.power and abs(float(s["engine_speed"])) < ENGINE_RUNS:
        yield "engine"
    if s["abs_works"]:
        yield "ABS"
    if s["stability_works"]:
        yield "ESC"
    if s["low_range"]:
        yield "LOW"
    if s["center_locked"]:
        yield "LOCK"


class FaceCanvas(Canvas):
    """Canvas with texts of any height."""

    def label(self, at: tuple[float, float], text: str, height: float, color: Color = INK, align: float = 0.5) -> None:
        """Add a text whose line at `at` is its middle, with letters of about `height`."""
        size = LARGE if all(letter in "-0123456789.NRDP" for letter in text) else NORMAL
        quads = self.font.quads(text, size).copy()
        top, bottom = float(quads[..., 1].min()), float(quads[..., 1].max())
        scale = height / (0.72 * size)
        out = np.zeros((len(text), 4, 12), np.float32)
        out[..., :4], out[..., 8:] = quads, color
        out[..., 0] = at[0] + scale * (quads[..., 0] - align * self.font.width(text, size))
        out[..., 1] = at[1] + scale * (quads[..., 1] - 0.5 * (top + bottom))
        self._quads.append(out)


def draw_scales(c: FaceCanvas, unit: str, of: Cluster) -> None:
    """Add what does not change: scales, marks, units."""
    c.clear()
    c.box(0.0, 0.0, *SIZE, FACE)
    if of.power:
        _scale_of_power(c, unit)
        return
    _scale(c, LEFT, *_speeds(unit, of), 1.0, math.inf)
    c.label((LEFT[0], LEFT[1] + 86.0), unit, 16.0, DIM)
    ticks = of.dials.ticks if of.dials.full / of.dials.ticks > 4.0 else 0.5 * of.dials.ticks
    _scale(c, RIGHT, of.dials.full, ticks, 1e-3, of.dials.red)
    c.label((RIGHT[0], RIGHT[1] + 86.0), "x1000 rpm", 16.0, DIM)
    c.label((MIDDLE, 125.0), unit, 14.0, DIM)


def draw_values(c: FaceCanvas, shown: Reading, of: Cluster) -> None:
    """Add what changes: needles, numbers, lamps."""
    c.clear()
    if of.power:
        _values_of_display(c, shown, of)
        return
    _needle(c, LEFT, 0.1 * shown.needle / _speeds(shown.unit, of)[0])
    _needle(c, RIGHT, 10.0 * shown.engine / of.dials.full)
    c.label((MIDDLE, 48.0), shown.gear, 38.0, AMBER if shown.gear in "RN" else INK)
    c.label((MIDDLE, 98.0), str(shown.speed), 25.0)
    _draw_lamps(c, shown.lamps, (MIDDLE, 160.0))


def _speeds(unit: str, of: Cluster) -> tuple[float, float]:
    """Return the end of the scale of the speedometer, and the distance of its marks."""
    full = of.top_speed * SPEED_UNITS[unit]
    step = 20.0 if full > 90.0 else 10.0
    return step * math.ceil(full / step - 1e-6), step


def _direction(share: float) -> tuple[float, float]:
    angle = START - SWEEP * min(max(share, 0.0), 1.0)
    return math.cos(angle), -math.sin(angle)


def _scale(c: FaceCanvas, at: tuple[float, float], full: float, step: float, shown_as: float, red: float) -> None:
    """Add a round scale with a mark at each step, small marks in between, and numbers; red from `red` on."""
    c.ring(at, 0.5 * DIAL, DIAL, GLOW)
    c.ring(at, DIAL - 1.0, 3.0, (0.42, 0.44, 0.46, 1.0))
    if red < full:
        arc = np.linspace(red / full, 1.0, 12)
        along = np.array([_direction(float(share)) for share in arc])
        c.track(at[0] + (DIAL - 10.0) * along[:, 0], at[1] + (DIAL - 10.0) * along[:, 1], 9.0, RED)
    count, most = round(full / step), math.ceil(full / step / 8.0)
    for k in range(2 * count + 1):
        dx, dy = _direction(0.5 * k * step / full)
        large = k % 2 == 0
        inner = DIAL - (24.0 if large else 15.0)
        color = RED if 0.5 * k * step > red else INK
        c.line(
            (at[0] + inner * dx, at[1] + inner * dy), (at[0] + (DIAL - 8.0) * dx, at[1] + (DIAL - 8.0) * dy), 4.0 if large else 2.0, color
        )
        if large and k // 2 % most == 0:
            text = f"{0.5 * k * step * shown_as:g}"
            away = DIAL - 32.0 - 0.5 * NUMBERS * (0.8 * len(text) * abs(dx) + abs(dy))
            c.label((at[0] + away * dx, at[1] + away * dy), text, NUMBERS)


def _needle(c: FaceCanvas, at: tuple[float, float], share: float) -> None:
    dx, dy = _direction(share)
    c.line((at[0] - 18.0 * dx, at[1] - 18.0 * dy), (at[0] + (DIAL - 18.0) * dx, at[1] + (DIAL - 18.0) * dy), 6.0, NEEDLE)
    c.ring(at, 8.0, 16.0, (0.12, 0.12, 0.13, 1.0))


def _scale_of_power(c: FaceCanvas, unit: str) -> None:
    """Add the display of an electric car without values."""
    left, zero, width, top = POWER
    c.box(8.0, 8.0, SIZE[0] - 16.0, SIZE[1] - 16.0, GLOW, 18.0)
    c.label((MIDDLE, 176.0), unit, 20.0, DIM)
    c.box(left, top, width, 20.0, TRACK, 6.0)
    c.box(zero - 1.5, top - 6.0, 3.0, 32.0, INK)
    c.label((left, top + 40.0), "charge", 14.0, DIM, 0.0)
    c.label((left + width, top + 40.0), "power", 14.0, DIM, 1.0)


def _values_of_display(c: FaceCanvas, shown: Reading, of: Cluster) -> None:
    """Add speed in digits, power from charging to full, gear."""
    left, zero, width, top = POWER
    c.label((MIDDLE, 100.0), str(shown.speed), 96.0)
    power = shown.engine * POWER_SHOWN
    share = min(max(power / of.power, -1.0), 1.0)
    end = zero + share * (left + width - zero if share > 0.0 else zero - left)
    if abs(end - zero) > 1.0:
        c.box(min(zero, end), top, abs(end - zero), 20.0, BLUE if share > 0.0 else GREEN, 4.0)
    c.label((left + width + 122.0, top + 10.0), f"{power / 1000.0:.0f} kW", 20.0, INK, 1.0)
    for k, letter in enumerate("RND"):
        lit = letter == shown.gear[:1]
        at = (SIZE[0] - 190.0 + 50.0 * k, 150.0)
        if lit:
            c.box(at[0] - 21.0, at[1] - 26.0, 42.0, 52.0, GREEN if letter == "D" else AMBER, 8.0)
        c.label(at, letter, 30.0, DARK if lit else DIM)
    if shown.charge is not None:
        c.box(98.0, 64.0, 96.0, 34.0, INK, 6.0)
        c.box(194.0, 74.0, 6.0, 14.0, INK, 2.0)
        c.box(101.0, 67.0, 90.0, 28.0, GLOW, 4.0)
        c.box(103.0, 69.0, 86.0 * min(max(shown.charge, 3), 100) / 100.0, 24.0, GREEN if shown.charge > LOW_CHARGE else RED, 3.0)
        c.label((146.0, 120.0), f"{shown.charge} %", 20.0)
    _draw_lamps(c, shown.lamps, (146.0, 156.0))


def _draw_lamps(c: FaceCanvas, lamps: tuple[str, ...], at: tuple[float, float]) -> None:
    """Add the lit lamps side by side, three in a row."""
    for k, lamp in enumerate(lamps):
        in_row = min(3, len(lamps) - k // 3 * 3)
        x, y = at[0] + 44.0 * (k % 3 - 0.5 * (in_row - 1)), at[1] + 41.0 * (k // 3)
        if lamp in ("P", "ABS", "ESC"):
            color = RED if lamp == "P" else AMBER
            c.ring((x, y), 17.0, 4.0, color)
            c.label((x, y), lamp, 18.0 if lamp == "P" else 11.0, color)
        elif lamp in SIDES:
            way = 1.0 if lamp == "right" else -1.0
            c.box(x - 8.0 - 6.0 * way, y - 4.0, 16.0, 8.0, GREEN)
            for step in range(8):
                c.box(x + way * (2.0 + 2.0 * step) - 1.0, y - 14.0 + 1.9 * step, 2.0, 28.0 - 3.8 * step, GREEN)
        elif lamp == "engine":  # a battery, which nothing charges
            c.box(x - 18.0, y - 11.0, 36.0, 24.0, RED, 3.0)
            c.box(x - 14.0, y - 7.0, 28.0, 16.0, FACE, 1.0)
            for side in (-1.0, 1.0):
                c.box(x + 10.0 * side - 4.0, y - 16.0, 8.0, 6.0, RED)
                c.box(x + 7.0 * side - 4.0, y, 8.0, 2.5, RED)
            c.box(x + 5.75, y - 2.75, 2.5, 8.0, RED)
        else:
            c.label((x, y), lamp, 13.0, AMBER)
