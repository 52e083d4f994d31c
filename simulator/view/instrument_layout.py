"""Layout of the instruments: as many panels as fit into the window, without overlap. No OpenGL here; lengths in pixels of the canvas."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from simulator.view.key_bindings import help_rows


class Box(NamedTuple):
    """Upper left corner and size."""

    x: float
    y: float
    width: float
    height: float


EDGE, GAP = 14.0, 8.0
"""Minimum distance of a panel from the border of the image and from the next panel."""
TEXT_EDGE, LINE = 22.0, 24.0
"""Space on each side of a message, and height of a line."""
MAX_LINES = 3
RESERVED = (560.0, 62.0)
"""Space for two lines of a message."""
SMALLEST_CANVAS = (272.0, 232.0)
"""Canvas on which dashboard and message fit; a smaller image has smaller letters."""
_DASHBOARDS = {"wide": (472.0, 104.0), "narrow": (236.0, 104.0)}
_PLATFORM, _SESSION = (196.0, 156.0), (190.0, 72.0)
FELT_ROW = 36.0
"""Height of a row of the strip chart panel."""
MAX_COURSE_LINES, COURSE_LINE = 5, 22.0
"""Lines of the panel of a timed course, and height of a line."""
COURSE_SIZE = (330.0, COURSE_LINE * MAX_COURSE_LINES + 14.0)
_MOTION_CHART = (352.0, 6.0 * FELT_ROW + 34.0)

HELP = help_rows()
"""Usual keys and their functions."""
TIMELINE = 50.0
"""Height of the time line of a replay at the lower border, with its distance from the instruments."""
HELP_COLUMN, HELP_LINE, HELP_MEANING = 372.0, 21.0, 110.0
"""Width of a column of the list of keys, height of a line, and offset of the functions in the column."""


def course_lines(text: bytes) -> list[str]:
    """Return the lines of the panel of a timed course; empty without one."""
    return bytes(text).decode("utf-8", errors="ignore").split("\n")[:MAX_COURSE_LINES] if text else []


def canvas_scale(width: float, height: float, ratio: float, show_help: bool, text_scale: float = 1.0) -> float:
    """Return the pixels of the image per pixel of the canvas.

    width, height : of the image, in pixels
    ratio : pixels per unit of a screen of normal density
    show_help : the canvas shows the list of keys
    text_scale : size of the text that the user has set
    """
    large = text_scale * max(ratio, min(width / 1280.0, height / 720.0))
    if show_help:
        return min(large, max(min(width / (w + 8.0), height / (h + 8.0)) for w, h in map(_help_size, (1, 2, 3))))
    return min(large, width / SMALLEST_CANVAS[0], height / SMALLEST_CANVAS[1])


def arrange(
    width: float,
    height: float,
    message: tuple[float, float] | None,
    motion_chart: bool = False,
    platform: bool = True,
    course: tuple[float, float] | None = None,
) -> dict[str, Box]:
    """Return the panels by name and their positions on a canvas of the given size.

    `message` is the size of the message for the driver, if there is one; `motion_chart`: True to include the strip chart; `platform`: False
    to omit the platform; `course`: size of the panel of a timed course, if there is one.

    The names: wide or narrow (dashboard), message, session, platform, course, motion_chart. Panels without space are omitted: first the strip
    chart, then the session, then the platform. Space for a typical message is reserved, so that no panel moves when one appears.
    """
    usual = (min(width - 2.0 * EDGE, RESERVED[0]), RESERVED[1])
    message_size = usual if message is None else (max(message[0], usual[0]), max(message[1], usual[1]))
    places_of_platform = ("beside", "left", "above", "stacked", "") if platform else ("",)
    choices = list(itertools.product((True, False), _DASHBOARDS, places_of_platform))
    choices.sort(key=lambda choice: (not choice[0]) + 2 * (not choice[2]))
    # the first arrangement without overlap
    chosen = next(
        (choice for choice in choices if _fits(_arrangement(width, height, message_size, *choice), width, height)), (False, "narrow", "")
    )
    panels = _arrangement(width, height, message, *chosen)
    for name, size in (("course", course), ("motion_chart", _MOTION_CHART if motion_chart else None)):
        if size is None:
            continue
        kept = [*panels.values(), _message_place(width, message_size, [])]
        tops = [EDGE, EDGE + _SESSION[1] + GAP]
        if name == "motion_chart" and course is not None:
            tops.append(EDGE + _SESSION[1] + course[1] + 2.0 * GAP)
        places = (Box(x, y, *size) for y in tops for x in (EDGE, width - EDGE - size[0]))
        free = [box for box in places if _inside(box, width, height) and not any(_overlap(box, other) for other in kept)]
        panels.update({name: free[0]} if free else {})
    return panels


def place_insets(width: float, height: float, panels: Iterable[Box], sizes: Sequence[tuple[float, float]]) -> list[Box | None]:
    """Return a place for each inset of these sizes (width, height) on a canvas with `panels`: at the right border, else at the left; None without one.

    Space for a typical message is kept free.
    """
    usual = (min(width - 2.0 * EDGE, RESERVED[0]), RESERVED[1])
    taken, places = [*panels, _message_place(width, usual, [])], list[Box | None]()
    for w, h in sizes:
        tops = [EDGE, *(box.y + box.height + GAP for box in taken)]
        boxes = (Box(x, y, w, h) for x in (width - EDGE - w, EDGE) for y in sorted(tops))
        free_box = next((box for box in boxes if _inside(box, width, height) and not any(_overlap(box, other) for other in taken)), None)
        places.append(free_box)
        taken += [] if free_box is None else [free_box]
    return places


def _arrangement(
    width: float, height: float, message: tuple[float, float] | None, session: bool, dashboard: str, platform: str
) -> dict[str, Box]:
    """Return panels with `platform` next to the dashboard at the center or left, in the upper corner, above the dashboard, or omitted."""
    w, h = _DASHBOARDS[dashboard]
    panels = {dashboard: Box(EDGE if platform == "left" else 0.5 * (width - w), height - EDGE - h, w, h)}
    if session:
        panels["session"] = Box(EDGE, EDGE, *_SESSION)
    if platform:
        y = EDGE if platform == "above" else height - EDGE - _PLATFORM[1] - (h + GAP if platform == "stacked" else 0.0)
        panels["platform"] = Box(width - EDGE - _PLATFORM[0], y, *_PLATFORM)
    if message is not None:
        panels["message"] = _message_place(width, message, [box for name, box in panels.items() if name != dashboard and box.y == EDGE])
    return panels


def _message_place(width: float, size: tuple[float, float], above: list[Box]) -> Box:
    """Return the position at the center of the upper border if the message fits between the panels, else below them."""
    box = Box(0.5 * (width - size[0]), EDGE, *size)
    if any(_overlap(box, other) for other in above):
        return box._replace(y=max(other.y + other.height for other in above) + GAP)
    return box


def _fits(panels: dict[str, Box], width: float, height: float) -> bool:
    return all(_inside(box, width, height) for box in panels.values()) and not any(
        _overlap(a, b) for a, b in itertools.combinations(panels.values(), 2)
    )


def _inside(box: Box, width: float, height: float) -> bool:
    return box.x >= 0.0 and box.y >= 0.0 and box.x + box.width <= width and box.y + box.height <= height


def _overlap(a: Box, b: Box) -> bool:
    """Return whether two boxes overlap or nearly overlap."""
    apart_x = a.x + a.width + GAP <= b.x or b.x + b.width + GAP <= a.x
    apart_y = a.y + a.height + GAP <= b.y or b.y + b.height + GAP <= a.y
    return not (apart_x or apart_y)


def wrapped(text: str, width_of: Callable[[str], float], width: float) -> list[str]:
    """Break a text into lines of at most `width`, between words if possible, at most MAX_LINES."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
            continue
        while width_of(word) > width and len(word) > 1:
            count = next((k for k in range(len(word) - 1, 1, -1) if width_of(word[:k]) <= width), 1)
            lines.append(word[:count])
            word = word[count:]  # noqa: PLW2901 (the rest of the word)
        lines.append(word)
    if len(lines) > MAX_LINES:
        last = lines[MAX_LINES - 1]
        while len(last) > 1 and width_of(f"{last}...") > width:
            last = last[:-1]
        lines = [*lines[: MAX_LINES - 1], f"{last}..."]
    return lines


def help_size(width: float, height: float) -> tuple[int, tuple[float, float]]:
    """Return the columns of the list of keys on a canvas of the given size, and its size."""
    best = max((1, 2, 3), key=lambda columns: min(1.0, width / _help_size(columns)[0], height / _help_size(columns)[1]))
    return best, _help_size(best)


def _help_size(columns: int) -> tuple[float, float]:
    return 32.0 + HELP_COLUMN * columns, 24.0 + HELP_LINE * -(-len(HELP) // columns)
