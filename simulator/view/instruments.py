"""Instruments over the image: speed, gear, engine speed, pedals, steering, real-time factor, platform, as quads. No OpenGL here.

Quads with 12 floats per vertex are collected in a list; texts are laid out again only when they change.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.view.instrument_layout import (
    COURSE_LINE,
    COURSE_SIZE,
    EDGE,
    FELT_ROW,
    HELP_COLUMN,
    HELP_LINE,
    HELP_MEANING,
    LINE,
    TEXT_EDGE,
    Box,
    arrange,
    course_lines,
    help_size,
    wrapped,
)
from simulator.view.key_bindings import DEFAULTS, Bindings, help_rows, key_text, replay_help_rows
from simulator.view.motion_strip_chart import POINTS, ROWS, UNITS, MotionStripChart
from simulator.view.shared_state import LAST_SECONDS
from simulator.view.shot import rotation

_HERE = Path(__file__).resolve().parents[1]
SMALL, NORMAL, LARGE = 13, 17, 50
GLYPH, BOX, BAR, RING = 0.0, 1.0, 2.0, 3.0
PANEL, INK, DIM, TRACK = (0.05, 0.06, 0.07, 0.66), (0.96, 0.97, 0.96, 1.0), (0.70, 0.74, 0.76, 1.0), (1.0, 1.0, 1.0, 0.14)
GREEN, RED, BLUE, AMBER = (0.36, 0.84, 0.42, 1.0), (0.95, 0.33, 0.27, 1.0), (0.36, 0.68, 0.98, 1.0), (0.99, 0.73, 0.22, 1.0)
CAR = (0.62, 0.78, 0.93, 1.0)
DARK = (0.04, 0.05, 0.06, 1.0)
CAR_WIDTH, CAB_WIDTH = 1.2, 3.0
"""Widths of the lines of vehicle and platform, which differ without the colors, too."""
SPEED_UNITS = {"km/h": 3.6, "mph": 3600.0 / 1609.344}
"""Units of the displayed speed, and their values of 1 m/s."""
INSET_EDGE, INSET_TITLE = 5.0, 22.0
"""Border of an inset, and height of its title."""
Color = tuple[float, float, float, float]


def asset(name: str) -> Path:
    """Return the path of a file in assets/, installed or in the checkout."""
    installed = _HERE / "_data" / "assets" / name
    return installed if installed.exists() else _HERE.parent / "assets" / name


class Font:
    """Glyphs of the font atlas, and text layout."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as data:
            self.pixels, table = data["pixels"], data["glyphs"]
        self.glyphs = {(int(row[0]), chr(int(row[1]))): tuple(float(v) for v in row[2:]) for row in table}

    def width(self, text: str, size: int) -> float:
        """Return the width of a text in pixels."""
        return sum(self._glyph(letter, size)[6] for letter in text)

    def quads(self, text: str, size: int) -> NDArray[np.float32]:
        """Return the corners (n, 4, 4) [x, y, u, v] of a text that begins at 0, 0 (upper left), in pixels."""
        rows, columns = self.pixels.shape
        out, pen = np.empty((len(text), 4, 4), np.float32), 0.0
        for k, letter in enumerate(text):
            x, y, w, h, left, top, advance = self._glyph(letter, size)
            x0, y0 = round(pen) + left, top
            for c, (i, j) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
                out[k, c] = x0 + i * w, y0 + j * h, (x + i * w) / columns, (y + j * h) / rows
            pen += advance
        return out

    def _glyph(self, letter: str, size: int) -> tuple[float, ...]:
        return self.glyphs.get((size, letter)) or self.glyphs[(size, " ")]


class Canvas:
    """Collects the quads of one image; no OpenGL here."""

    def __init__(self, font: Font) -> None:
        self.font = font
        self._quads: list[NDArray[np.float32]] = []
        self._text = lru_cache(maxsize=512)(self._lay_out)

    def text(self, x: float, y: float, text: str, size: int = NORMAL, color: Color = INK, align: float = 0.0) -> None:
        """Add a text with its upper left corner at x, y; align 0.5: x is the center of the text, 1: its right end."""
        quads = self._text(text, size, color).copy()
        quads[..., 0] += round(x - align * self.font.width(text, size))
        quads[..., 1] += round(y)
        self._quads.append(quads)

    def box(self, x: float, y: float, width: float, height: float, color: Color, radius: float = 0.0) -> None:
        """Add a rounded box with its upper left corner at x, y."""
        w, h = 0.5 * width, 0.5 * height
        self._shape((x + w, y + h), (1.0, 0.0), w + 1.0, h + 1.0, (BOX, w, h, radius), color)

    def line(self, a: tuple[float, float], b: tuple[float, float], width: float, color: Color) -> None:
        """Add a line with round ends."""
        dx, dy = b[0] - a[0], b[1] - a[1]
        length = math.hypot(dx, dy)
        along = (dx / length, dy / length) if length > 1e-6 else (1.0, 0.0)
        r = 0.5 * width
        self._shape((0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])), along, 0.5 * length + r + 1.0, r + 1.0, (BAR, 0.5 * length, r, 0.0), color)

    def track(self, x: NDArray[np.float64], y: NDArray[np.float64], width: float, color: Color) -> None:
        """Add a line through points (n,), with gaps at NaN."""
        dx, dy = np.diff(x), np.diff(y)
        there = np.isfinite(dx) & np.isfinite(dy)
        if not there.any():
            return
        ax, ay, dx, dy = x[:-1][there], y[:-1][there], dx[there], dy[there]
        length = np.maximum(np.hypot(dx, dy), 1e-6)
        ex, ey, r = dx / length, dy / length, 0.5 * width
        half_x, half_y = 0.5 * length + r + 1.0, r + 1.0
        quads = np.empty((len(ax), 4, 12), np.float32)
        for c, (i, j) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            u, v = i * half_x, j * half_y
            quads[:, c, 0] = ax + 0.5 * dx + ex * u - ey * v
            quads[:, c, 1] = ay + 0.5 * dy + ey * u + ex * v
            quads[:, c, 2], quads[:, c, 3], quads[:, c, 5] = u, v, 0.5 * length
        quads[..., 4], quads[..., 6], quads[..., 7], quads[..., 8:] = BAR, r, 0.0, color
        self._quads.append(quads)

    def ring(self, center: tuple[float, float], radius: float, width: float, color: Color) -> None:
        """Add a circle line."""
        reach = radius + 0.5 * width + 1.0
        self._shape(center, (1.0, 0.0), reach, reach, (RING, radius, 0.5 * width, 0.0), color)

    def vertices(self) -> NDArray[np.float32]:
        """Return the vertices (n, 12) of all quads, two triangles per quad."""
        if not self._quads:
            return np.empty((0, 12), np.float32)
        return np.concatenate(self._quads)[:, (0, 1, 2, 0, 2, 3)].reshape(-1, 12)

    def clear(self) -> None:
        """Start a new image."""
        self._quads.clear()

    def _lay_out(self, text: str, size: int, color: Color) -> NDArray[np.float32]:
        out = np.zeros((len(text), 4, 12), np.float32)
        out[..., :4] = self.font.quads(text, size)
        out[..., 8:] = color
        return out

    def _shape(self, center: Any, along: Any, half_x: float, half_y: float, form: Any, color: Color) -> None:
        quad = np.empty((1, 4, 12), np.float32)
        for c, (i, j) in enumerate(((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y))):
            quad[0, c, :4] = center[0] + along[0] * i - along[1] * j, center[1] + along[1] * i + along[0] * j, i, j
        quad[..., 4:8], quad[..., 8:] = form, color
        self._quads.append(quad)


class Dials(NamedTuple):
    """Scales of the dashboard for a vehicle."""

    full: float
    """rpm at the end of the scale"""
    red: float
    """rpm at the start of the red range"""
    ticks: float
    """rpm between two marks"""
    manual: bool
    """True for a manual transmission"""


def dials(governed: float, manual: bool) -> Dials:
    """Return the scales for an engine with zero torque beyond `governed` [rad/s]."""
    rpm = governed * 30.0 / math.pi
    full = 500.0 * math.ceil(1.04 * rpm / 500.0)
    return Dials(full, 0.93 * rpm, 1000.0 if full < 12000.0 else 5000.0, manual)


NO_SPACE = "no space for the strip chart - enlarge the window, or reduce the text size"


class InstrumentInputs(NamedTuple):
    """Inputs of the instruments besides the state."""

    rate: float
    """Frames per second; 0: not displayed"""
    camera: str
    dials: Dials
    motion_chart: MotionStripChart | None = None
    """None: not displayed"""
    speed_unit: str = "km/h"
    keys: Bindings = DEFAULTS
    """Keys of the user, for texts that name one."""
    in_menu: bool = False
    """True while a menu is over the image: its keys are others than those of a drive."""
    dashboard: bool = True
    """False: without the panel of speed, gear and engine, as the gauges of the car show them."""


def instruments(c: Canvas, state: Record, width: float, height: float, shown: InstrumentInputs) -> list[Box]:
    """Add all instruments for which `instrument_layout.arrange` finds space; return their panels."""
    s, motion_chart = state[0], shown.motion_chart
    message = bytes(s["message"]).decode("utf-8", errors="replace") or _message_of_state(s, shown)
    lines, panels = _arranged(c, s, width, height, message, motion_chart is not None)
    if motion_chart is not None and "motion_chart" not in panels and not message:
        lines, panels = _arranged(c, s, width, height, NO_SPACE, False)
    if not shown.dashboard:
        panels = {name: box for name, box in panels.items() if name not in ("wide", "narrow")}
    draw = {
        "wide": lambda box: _dashboard(c, s, box, shown),
        "narrow": lambda box: _small_dashboard(c, s, box, shown),
        "platform": lambda box: _platform(c, s, box.x, box.y),
        "session": lambda box: _session(c, s, box.x, box.y, shown),
        "course": lambda box: _course(c, box, course_lines(s["course"])),
        "message": lambda box: _message(c, box, lines, AMBER if s["paused"] else INK),
    }
    if motion_chart is not None:
        draw["motion_chart"] = lambda box: _motion_chart(c, motion_chart, box, float(s["intensity"]))
    for name, box in panels.items():
        draw[name](box)
    return list(panels.values())


def _arranged(c: Canvas, s: Any, width: float, height: float, message: str, motion_chart: bool) -> tuple[list[str], dict[str, Box]]:
    """Return the lines of a message, and the panels with their places."""
    lines = wrapped(message, lambda text: c.font.width(text, NORMAL), width - 2 * (EDGE + TEXT_EDGE))
    across = max((c.font.width(line, NORMAL) for line in lines), default=0.0)
    message_size = (across + 2 * TEXT_EDGE, LINE * len(lines) + 14.0) if lines else None
    course_size = COURSE_SIZE if s["course"] else None
    return lines, arrange(width, height, message_size, motion_chart, bool(s["has_platform"]), course_size)


def _course(c: Canvas, box: Box, lines: list[str]) -> None:
    """Add the panel of a timed course: times, and in its last line what was passed, or the next line."""
    c.box(*box, PANEL, 8.0)
    for k, line in enumerate(lines):
        c.text(box.x + 12.0, box.y + 8.0 + COURSE_LINE * k, line, NORMAL, AMBER if k == len(lines) - 1 else INK)


def _message_of_state(s: Any, shown: InstrumentInputs) -> str:
    """Return the message of a pause or of a replay of the last seconds, with the key that ends it; empty otherwise, and in a menu."""
    if shown.in_menu:
        return ""
    if s["replays"] == LAST_SECONDS:
        return f"the last {s['replay_duration']:.0f} s - press {key_text('last_seconds', shown.keys)} for the present"
    return f"paused - press {key_text('pause', shown.keys)} to continue" if s["paused"] else ""


def inset_frame(c: Canvas, box: Box, title: str) -> Box:
    """Add the panel of an inset with its title; return the place of its image."""
    c.box(*box, PANEL, 8.0)
    c.text(box.x + INSET_EDGE, box.y + 3.0, title, SMALL, DIM)
    return Box(box.x + INSET_EDGE, box.y + INSET_TITLE, box.width - 2.0 * INSET_EDGE, box.height - INSET_TITLE - INSET_EDGE)


def keys_help(c: Canvas, width: float, height: float, bindings: Bindings = DEFAULTS, replays: bool = False) -> None:
    """Add the list of keys at the center of the image, instead of the instruments; `replays`: those of a recorded drive."""
    keys = replay_help_rows(bindings) if replays else help_rows(bindings)
    columns, (w, _) = help_size(width, height)
    rows = -(-len(keys) // columns)
    h = 24.0 + HELP_LINE * rows
    x, y = 0.5 * (width - w), 0.5 * (height - h)
    c.box(x, y, w, h, (*PANEL[:3], 0.85), 10.0)
    for k, (key, meaning) in enumerate(keys):
        left, top = x + 16.0 + HELP_COLUMN * (k // rows), y + 14.0 + HELP_LINE * (k % rows)
        c.text(left, top, key, SMALL, AMBER)
        c.text(left + HELP_MEANING, top, meaning, SMALL, INK)


def _message(c: Canvas, box: Box, lines: list[str], color: Color) -> None:
    c.box(*box, PANEL, 8.0)
    for k, line in enumerate(lines):
        c.text(box.x + 0.5 * box.width, box.y + 9.0 + LINE * k, line, NORMAL, color, 0.5)


def _dashboard(c: Canvas, s: Any, box: Box, shown: InstrumentInputs) -> None:
    """Add pedals, speed, gear, lamps and engine speed side by side."""
    x, top, of = box.x + 0.5 * box.width, box.y, shown.dials
    c.box(*box, PANEL, 10.0)
    c.text(x + 38.0, top + 9.0, f"{shown_speed(s, shown.speed_unit):.0f}", LARGE, INK, 1.0)
    c.text(x + 45.0, top + 45.0, shown.speed_unit, NORMAL, DIM)
    _gear(c, s, x + 101.0, top + 9.0, of.manual)
    _parking_lamp(c, s, x + 213.0, top + 36.0, 14.0)
    c.text(x - 224.0, top + 10.0, "throttle", SMALL, DIM)
    c.text(x - 224.0, top + 33.0, "brake", SMALL, DIM)
    c.text(x - 224.0, top + 56.0, "steer", SMALL, DIM)
    _bar(c, x - 164.0, top + 15.0, 96.0, float(s["throttle"]), GREEN)
    _bar(c, x - 164.0, top + 38.0, 96.0, float(s["brake"]), RED)
    steer = min(max(float(s["steering"]), -1.0), 1.0)
    c.box(x - 164.0, top + 61.0, 96.0, 8.0, TRACK, 4.0)
    c.line((x - 116.0, top + 65.0), (x - 116.0 - 44.0 * steer, top + 65.0), 8.0, BLUE)
    _engine_speed(c, box.x + 12.0, top + 84.0, box.width - 24.0, float(s["engine_speed"]) * 30.0 / math.pi, of)


def _small_dashboard(c: Canvas, s: Any, box: Box, shown: InstrumentInputs) -> None:
    """Add speed, gear, lamps and engine speed for a small window."""
    x, top, of = box.x, box.y, shown.dials
    c.box(*box, PANEL, 10.0)
    c.text(x + 114.0, top + 3.0, f"{shown_speed(s, shown.speed_unit):.0f}", LARGE, INK, 1.0)
    c.text(x + 112.0, top + 57.0, shown.speed_unit, SMALL, DIM, 1.0)
    _parking_lamp(c, s, x + 26.0, top + 66.0, 11.0)
    _gear(c, s, x + 138.0, top + 3.0, of.manual)
    _engine_speed(c, x + 12.0, top + 84.0, box.width - 24.0, float(s["engine_speed"]) * 30.0 / math.pi, of)


def shown_speed(s: Any, unit: str) -> float:
    """Return the speed in a unit of SPEED_UNITS, limited to three digits."""
    speed = abs(float(s["v_WB_B"][0])) * SPEED_UNITS[unit]
    return min(speed, 999.0) if math.isfinite(speed) else 0.0


def _gear(c: Canvas, s: Any, x: float, y: float, manual: bool) -> None:
    """Add the gear in large type, the state of the transfer case next to it, and a lamp per selector position below it.

    While the drive waits, no gear is engaged yet: the selected position is shown, dimmed.
    """
    gear, selector = int(s["gear"]), int(s["selector"])
    if s["waits"]:
        c.text(x, y, "RND"[min(max(selector, -1), 1) + 1], LARGE, DIM)
    else:
        c.text(x, y, gear_name(gear, selector, manual), LARGE, AMBER if gear <= 0 else INK)
    for k, (name, word) in enumerate((("low_range", "LOW"), ("center_locked", "LOCK"))):
        if s[name]:
            c.text(x + 40.0, y + 8.0 + 18.0 * k, word, SMALL, AMBER)
    for k, (position, letter) in enumerate(((-1, "R"), (0, "N"), (1, "D"))):
        lit = position == min(max(selector, -1), 1)
        left = x + 2.0 + 24.0 * k
        if lit:
            c.box(left - 5.0, y + 54.0, 20.0, 17.0, (*(GREEN if position > 0 else AMBER)[:3], 0.9), 4.0)
        c.text(left + 5.0, y + 55.0, letter, SMALL, DARK if lit else DIM, 0.5)


def _parking_lamp(c: Canvas, s: Any, x: float, y: float, radius: float) -> None:
    """Add a P in a circle: red while the parking brake is applied, otherwise barely visible."""
    color = RED if s["parking_brake"] else (1.0, 1.0, 1.0, 0.22)
    if s["parking_brake"]:
        c.box(x - radius, y - radius, 2.0 * radius, 2.0 * radius, (*RED[:3], 0.30), radius)
    c.ring((x, y), radius, 2.5, color)
    c.text(x, y - 8.0, "P", SMALL, color, 0.5)


def _engine_speed(c: Canvas, x: float, y: float, width: float, rpm: float, of: Dials) -> None:
    bar = width - 86.0
    c.box(x, y, bar, 9.0, TRACK, 3.0)
    red = bar * of.red / of.full
    c.box(x + red, y, bar - red, 9.0, (*RED[:3], 0.35), 3.0)
    c.box(x + red - 1.0, y - 3.0, 2.0, 15.0, INK)
    share = min(max(rpm / of.full, 0.0), 1.0)
    if share > 0.0:
        thicker = 2.0 * (rpm > of.red)
        c.box(x, y - thicker, max(bar * share, 6.0), 9.0 + 2.0 * thicker, RED if thicker else BLUE, 3.0)
    for k in range(1, math.ceil(of.full / of.ticks)):
        c.box(x + bar * k * of.ticks / of.full - 0.5, y - 3.0, 1.5, 15.0, (1.0, 1.0, 1.0, 0.35))
    c.text(x + width, y - 4.0, f"{round(rpm, -1):.0f} rpm", SMALL, DIM, 1.0)


def _bar(c: Canvas, x: float, y: float, width: float, share: float, color: Color) -> None:
    c.box(x, y, width, 8.0, TRACK, 4.0)
    share = min(max(share, 0.0), 1.0)
    if share > 0.01:
        c.box(x, y, max(width * share, 8.0), 8.0, color, 4.0)


def _session(c: Canvas, s: Any, x: float, y: float, shown: InstrumentInputs) -> None:
    c.box(x, y, 190.0, 72.0, PANEL, 8.0)
    x, y = x - 14.0, y - 14.0
    c.text(x + 26.0, y + 21.0, clock_text(float(s["time"])), NORMAL, INK)
    c.text(x + 192.0, y + 24.0, shown.camera, SMALL, DIM, 1.0)
    if s["replays"]:
        c.text(x + 26.0, y + 43.0, f"replay x {float(s['replay_speed']):g}", SMALL, AMBER)
    else:
        _real_time(c, s, x, y)
    if shown.rate > 0.0:
        c.text(x + 192.0, y + 43.0, f"{key_text('help', shown.keys)}: keys", SMALL, DIM, 1.0)
        c.text(x + 192.0, y + 62.0, f"{shown.rate:.0f} fps", SMALL, DIM, 1.0)
    driver = bytes(s["driver"]).decode("utf-8", errors="replace")
    if driver:
        c.box(x + 14.0, y + 92.0, 190.0, 28.0, PANEL, 8.0)
        c.text(x + 26.0, y + 98.0, f"driver: {driver}", SMALL, INK if driver == "person" else AMBER)


def _real_time(c: Canvas, s: Any, x: float, y: float) -> None:
    """Add the real-time factor and the late ticks, each with a mark if it is bad, because not everybody sees the color."""
    factor, overruns = float(s["real_time_factor"]), int(s["overruns"])
    slow = factor <= 0.98 and not s["paused"]
    c.text(x + 26.0, y + 43.0, f"real time x {factor:.2f}", SMALL, RED if slow else INK)
    c.text(x + 26.0, y + 62.0, f"late ticks {overruns}", SMALL, AMBER if overruns else DIM)
    for top, warns, color in ((y + 43.0, slow, RED), (y + 62.0, overruns > 0, AMBER)):
        if warns:
            c.line((x + 20.0, top + 4.0), (x + 20.0, top + 8.5), 2.0, color)
            c.line((x + 20.0, top + 12.5), (x + 20.0, top + 12.5), 2.0, color)


def _motion_chart(c: Canvas, motion_chart: MotionStripChart, box: Box, intensity: float) -> None:
    """Add the strip chart of the rider's motion over that of the driver in the vehicle."""
    c.box(*box, PANEL, 8.0)
    x, y = box.x + 12.0, box.y + 7.0
    for name, width, color in (("car", CAR_WIDTH, CAR), ("platform", CAB_WIDTH, AMBER)):
        c.line((x + 2.0, y + 9.0), (x + 16.0, y + 9.0), width, color)
        c.text(x + 24.0, y, name, SMALL, INK)
        x += 36.0 + c.font.width(name, SMALL)
    if abs(intensity - 1.0) > 0.005:
        c.text(box.x + box.width - 12.0, y, f"intensity {100.0 * intensity:.0f} %", SMALL, AMBER, 1.0)
    left, across = box.x + 58.0, box.width - 58.0 - 84.0
    places = np.repeat(left + across * np.linspace(0.0, 1.0, POINTS), 2)
    for k, name in enumerate(ROWS):
        middle, half, scale = box.y + 26.0 + FELT_ROW * (k + 0.5), 0.5 * FELT_ROW - 2.0, motion_chart.scale(k)
        c.text(box.x + 12.0, middle - 8.0, name, SMALL, DIM)
        c.box(left, middle - half, across, 2.0 * half, TRACK, 3.0)
        c.box(left, middle - 0.5, across, 1.0, (1.0, 1.0, 1.0, 0.25))
        for values, width, color in ((motion_chart.track(k, 0), CAR_WIDTH, CAR), (motion_chart.track(k, 1), CAB_WIDTH, AMBER)):
            c.track(places, middle - (half - 1.0) * np.clip(values / scale, -1.0, 1.0), width, color)
        c.text(box.x + box.width - 12.0, middle - 8.0, f"\u00b1{scale:g} {UNITS[k // 3]}", SMALL, DIM, 1.0)


def _platform(c: Canvas, s: Any, x: float, y: float) -> None:
    """Add a small drawing of the platform: plate at its pose, legs colored by their distance to the stops."""
    c.box(x, y, 196.0, 156.0, PANEL, 8.0)
    c.text(x + 12.0, y + 8.0, "platform", SMALL, DIM)
    base, plate = hexapod(s["p_platform"], s["q_platform"])
    a = [_oblique(p, x + 98.0, y + 118.0) for p in base]
    b = [_oblique(p, x + 98.0, y + 118.0) for p in plate]
    for k in range(6):
        c.line(a[k], a[(k + 1) % 6], 2.0, (1.0, 1.0, 1.0, 0.30))
    for k in range(6):
        use = float(s["leg_use"][k])
        c.line(a[k], b[k], 3.0 + 1.5 * leg_warning(use), leg_color(use))
    for k in range(6):
        c.line(b[k], b[(k + 1) % 6], 2.5, INK)
    nose = [0.5 * (b[0][i] + b[5][i]) for i in (0, 1)]
    c.ring((nose[0], nose[1]), 3.5, 2.5, AMBER)
    for k in range(6):
        use = min(max(float(s["leg_use"][k]), 0.0), 1.0)
        c.box(x + 20.0 + 27.0 * k, y + 141.0, 21.0, 5.0, TRACK, 2.5)
        taller = 3.0 * leg_warning(use)
        c.box(x + 20.0 + 27.0 * k + 18.0 * use, y + 139.0 - taller, 3.0, 9.0 + 2.0 * taller, leg_color(use), 1.5)


def hexapod(p: NDArray[np.float64], q: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the joints (6, 3) of base and plate of the drawn hexapod, m, x forward: pairs of joints, the plate's rotated against the
    base's.

    The proportions are only for the drawing; displacement and attitude are those of the platform.
    """
    base = np.radians([12.0, 108.0, 132.0, 228.0, 252.0, 348.0])
    plate = np.radians([48.0, 72.0, 168.0, 192.0, 288.0, 312.0])
    low = np.column_stack((1.0 * np.cos(base), 1.0 * np.sin(base), np.zeros(6)))
    high = np.column_stack((0.72 * np.cos(plate), 0.72 * np.sin(plate), np.zeros(6)))
    return low, high @ rotation(q).T + p + np.array([0.0, 0.0, 0.92])


def _oblique(p: NDArray[np.float64], x: float, y: float) -> tuple[float, float]:
    """Return the position on the screen, seen from behind, from the left and from above."""
    across, depth = 0.94 * float(p[1]) + 0.34 * float(p[0]), 0.94 * float(p[0]) - 0.34 * float(p[1])
    return x - 62.0 * across, y - 62.0 * float(p[2]) * 0.94 - 20.0 * depth


def leg_color(use: float) -> Color:
    """Return green at the middle of the stroke, amber from 15 % before a stop, red in the last 5 %."""
    return (GREEN, AMBER, RED)[leg_warning(use)]


def leg_warning(use: float) -> int:
    """Return 0 at the middle of the stroke, 1 from 15 % before a stop, 2 in the last 5 %: the color and the size of the mark of a leg."""
    margin = min(use, 1.0 - use)
    return 2 if margin < 0.05 else 1 if margin < 0.15 else 0


def clock_text(time: float) -> str:
    """Format a time [s] in minutes, seconds and tenths."""
    tenths = round(10.0 * time) if math.isfinite(time) else 0
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"


def gear_name(gear: int, selector: int, manual: bool = False) -> str:
    """Return the displayed gear: R, N, or the gear number, with a D before it for an automatic transmission."""
    if selector < 0 or gear < 0:
        return "R"
    if selector == 0 or gear == 0:
        return "N"
    return f"{gear}" if manual else f"D{gear}"
