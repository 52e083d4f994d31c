"""Menus over the image or in a window of their own: pages of rows, by keyboard alone or by mouse. No OpenGL here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from simulator.view.instrument_layout import Box, wrapped
from simulator.view.instruments import AMBER, BLUE, DIM, GREEN, INK, NORMAL, PANEL, SMALL, TRACK, Canvas

WIDTH, ROW, EDGE = 620.0, 28.0, 14.0
"""Width of a menu, height of a row, and border, in pixels of the canvas."""
HEAD, FOOT = 44.0, 62.0
"""Heights of the title, and of the note of the selected row with the line of keys."""
PICTURE, PICTURE_ROW = (112.0, 63.0), 71.0
"""Size of the picture of a row, and height of such a row."""
SMALLEST_MENU = (430.0, 280.0)
"""Canvas on which every menu can be used; a smaller image has smaller letters."""
BAR = 150.0
"""Width of a bar."""
SHADE = (0.0, 0.0, 0.0, 0.45)
KEYS_LINE = "arrows: select, change   Enter: choose   Esc: back"
SHORT_KEYS_LINE = "arrows, Enter, Esc"


class Bar(NamedTuple):
    """Live value of a row as a bar."""

    value: float
    signed: bool = False
    """True: from -1 to 1 with zero at the middle, + to the left as steering; False: from 0 to 1."""


@dataclass(frozen=True)
class Row:
    """Row of a page.

    label : text at the left
    value : text at the right
    note : description below the rows, shown while the row is selected
    choose : called on Enter or a click; None: the row has no action of its own
    step : called with -1 or 1 on Left, Right, or a click on an arrow; None: the value has no steps
    bar : bar instead of a value
    selectable : False for a heading or information
    warns : True: the row reports a problem
    picture : name of a picture at the left of the row; empty: none
    text : description next to the picture
    """

    label: str
    value: str = ""
    note: str = ""
    choose: Callable[[], None] | None = None
    step: Callable[[int], None] | None = None
    bar: Bar | None = None
    selectable: bool = True
    warns: bool = False
    picture: str = ""
    text: str = ""


class Page(Protocol):
    """Page of a menu; `rows` is called for each image."""

    title: str
    first: int
    """Row that is selected when the page opens."""

    @property
    def listens(self) -> bool:
        """True while the page waits for a key or a button, so that buttons of devices do not act on the menu."""

    def rows(self) -> list[Row]:
        """Return the rows."""

    def take_key(self, key: str) -> bool:
        """Process a key before the menu does; return True if the page used the key."""

    def close(self) -> None:
        """Called when the user leaves the page."""


class PlainPage:
    """Page that uses no keys of its own."""

    title = ""
    first = 0

    @property
    def listens(self) -> bool:
        """Wait for no key."""
        return False

    def take_key(self, key: str) -> bool:
        """Use no key."""
        return False

    def close(self) -> None:
        """Do nothing."""


class Option(NamedTuple):
    """Value that a row can have."""

    name: str
    note: str = ""
    picture: str = ""


class OptionPage(PlainPage):
    """Page with the options of a row."""

    def __init__(self, title: str, options: Sequence[Option], current: str, take: Callable[[str], None], back: Callable[[], None]) -> None:
        self.title = title
        self._options, self._take, self._back = options, take, back
        self.first = next((k for k, option in enumerate(options) if option.name == current), 0)

    def rows(self) -> list[Row]:
        """Return a row for each option."""
        return [self._row(option) for option in self._options]

    def _row(self, option: Option) -> Row:
        note, text = ("", option.note) if option.picture else (option.note, "")
        return Row(option.name, note=note, choose=lambda: self._choose(option.name), picture=option.picture, text=text)

    def _choose(self, name: str) -> None:
        self._back()
        self._take(name)


class Menu:
    """Stack of pages, with the selected row of each.

    Parameters
    ----------
    page : first page
    left : called when the user leaves the first page with Esc

    Attributes
    ----------
    shade : True to darken the image behind the menu
    place : 0 = at the left edge of the image, 0.5 = in the middle
    pictures : names and places of the pictures of the last image
    """

    def __init__(self, page: Page, left: Callable[[], None], shade: bool = True, place: float = 0.5) -> None:
        self.shade, self._place = shade, place
        self._left = left
        self._pages: list[Page] = []
        self._selected: list[int] = []
        self._top = 0
        self._places: list[tuple[Box, int, str]] = []
        """Places of the last image that react to the mouse: box, row, part (row, less, more)."""
        self._visible = 1
        self.pictures: list[tuple[str, Box]] = []
        self.open(page)

    @property
    def page(self) -> Page:
        """Page that is shown."""
        return self._pages[-1]

    @property
    def selected(self) -> int:
        """Number of the selected row."""
        return self._selected[-1]

    def open(self, page: Page) -> None:
        """Show a further page."""
        self._pages.append(page)
        self._selected.append(0)
        self._top = 0
        self._select(page.first, 1)

    def open_options(self, title: str, options: Sequence[Option], current: str, take: Callable[[str], None]) -> None:
        """Show the options of a row on a page; `take` is called with the name of the chosen one."""
        self.open(OptionPage(title, options, current, take, self.back))

    def back(self) -> None:
        """Leave the page."""
        self._pages[-1].close()
        if len(self._pages) == 1:
            self._left()
            return
        self._pages.pop()
        self._selected.pop()
        self._top = 0

    def key(self, key: str) -> bool:
        """Process a key by its name of `key_bindings`; return True if the menu used it."""
        if self.page.take_key(key):
            return True
        if key == "ESCAPE":
            self.back()
        elif key in ("UP", "DOWN"):
            self._move(-1 if key == "UP" else 1)
        elif key in ("PAGEUP", "PAGEDOWN"):
            self._select(self.selected + (-self._visible if key == "PAGEUP" else self._visible), -1 if key == "PAGEUP" else 1)
        elif key in ("LEFT", "RIGHT"):
            self._step(self.selected, -1 if key == "LEFT" else 1)
        elif key in ("ENTER", "NUM_ENTER"):
            self._choose(self.selected)
        else:
            return False
        return True

    def button(self, key: str) -> None:
        """Process a key that was pressed on a steering wheel or game controller."""
        if not self.page.listens:
            self.key(key)

    def point(self, x: float, y: float) -> None:
        """Select the row at a place of the canvas."""
        for box, number, _ in self._places:
            if _is_in(box, x, y):
                self._selected[-1] = number

    def click(self, x: float, y: float) -> None:
        """Choose the row, or the arrow of a row, at a place of the canvas."""
        for box, number, part in reversed(self._places):  # arrows lie over their rows
            if _is_in(box, x, y):
                self._selected[-1] = number
                if part == "row":
                    self._choose(number)
                else:
                    self._step(number, -1 if part == "less" else 1)
                return

    def scroll(self, rows: float) -> None:
        """Scroll up by a number of rows; the selection follows."""
        self._move(-1 if rows > 0 else 1, wraps=False)

    def draw(self, c: Canvas, width: float, height: float) -> None:
        """Add the menu at the center of a canvas of this size."""
        if self.shade:
            c.box(0.0, 0.0, width, height, SHADE)
        rows = self.page.rows()
        self._selected[-1] = selected = min(self.selected, max(len(rows) - 1, 0))
        w = min(WIDTH, width - 2.0 * EDGE)
        heights = [PICTURE_ROW if row.picture else ROW for row in rows]
        self._top, end = visible_rows(heights, self._top, selected, height - 2.0 * EDGE - HEAD - FOOT)
        self._visible = end - self._top
        track = sum(heights[self._top : end])
        h = HEAD + FOOT + track
        x, y = max(self._place * (width - w), EDGE), 0.5 * (height - h)
        c.box(x, y, w, h, (*PANEL[:3], 0.90), 10.0)
        c.text(x + 20.0, y + 14.0, self.page.title, NORMAL, AMBER)
        self._places, self.pictures = [], []
        place = y + HEAD
        for k in range(self._top, end):
            self._draw_row(c, rows[k], k, Box(x + 10.0, place, w - 20.0, heights[k]))
            place += heights[k]
        if self._visible < len(rows):
            c.box(x + w - 7.0, y + HEAD, 3.0, track, TRACK, 1.5)
            c.box(x + w - 7.0, y + HEAD + track * self._top / len(rows), 3.0, track * self._visible / len(rows), DIM, 1.5)
        self._draw_foot(c, rows[selected].note if rows else "", x, y + h - FOOT, w)

    def _draw_row(self, c: Canvas, row: Row, number: int, box: Box) -> None:
        chosen = number == self.selected and row.selectable
        if row.selectable:
            self._places.append((box, number, "row"))
        if chosen:
            c.box(box.x, box.y + 1.0, box.width, box.height - 2.0, (*BLUE[:3], 0.30), 6.0)
            c.text(box.x + 6.0, box.y + 4.0, "\u00bb", NORMAL, INK)
        if row.picture:
            box = self._draw_picture(c, row, box)
        color = AMBER if row.warns else INK if row.selectable else DIM
        size = NORMAL if row.selectable else SMALL
        right = box.x + box.width - 12.0
        label = _cut(c, ("! " if row.warns else "") + row.label, size, box.width - 40.0)
        c.text(box.x + 22.0, box.y + (4.0 if size == NORMAL else 7.0), label, size, color)
        if row.bar is not None:
            _draw_bar(c, row.bar, Box(right - BAR, box.y + 10.0, BAR, 8.0))
            c.text(right - BAR - 10.0, box.y + 6.0, row.value, SMALL, DIM, 1.0)
            return
        if row.step is not None:
            more = Box(right - 18.0, box.y, 24.0, box.height)
            c.text(more.x + 6.0, box.y + 4.0, "\u00bb", NORMAL, INK if chosen else DIM)
            self._places.append((more, number, "more"))
            right -= 24.0
        room = box.width - 60.0 - c.font.width(label, size) - (48.0 if row.step is not None else 0.0)
        value = _cut(c, row.value, NORMAL if row.selectable else SMALL, room)
        c.text(right, box.y + (4.0 if row.selectable else 7.0), value, NORMAL if row.selectable else SMALL, INK if chosen else DIM, 1.0)
        if row.step is not None:
            less = Box(right - c.font.width(value, NORMAL) - 24.0, box.y, 24.0, box.height)
            c.text(less.x + 8.0, box.y + 4.0, "\u00ab", NORMAL, INK if chosen else DIM)
            self._places.append((less, number, "less"))

    def _draw_picture(self, c: Canvas, row: Row, box: Box) -> Box:
        """Add the place of the picture of a row, and its text; return the box for its label and value."""
        width, height = PICTURE
        self.pictures.append((row.picture, Box(box.x + 20.0, box.y + 4.0, width, height)))
        text = Box(box.x + width + 12.0, box.y + 4.0, box.width - width - 12.0, ROW)
        for k, line in enumerate(wrapped(row.text, lambda text: c.font.width(text, SMALL), text.width - 40.0)[:2]):
            c.text(text.x + 22.0, box.y + 32.0 + 16.0 * k, line, SMALL, DIM)
        return text

    def _draw_foot(self, c: Canvas, note: str, x: float, y: float, w: float) -> None:
        lines = wrapped(note, lambda text: c.font.width(text, SMALL), w - 40.0)[:2]
        for k, line in enumerate(lines):
            c.text(x + 20.0, y + 6.0 + 16.0 * k, line, SMALL, INK)
        keys = KEYS_LINE if c.font.width(KEYS_LINE, SMALL) < w - 40.0 else SHORT_KEYS_LINE
        c.text(x + w - 20.0, y + FOOT - 20.0, keys, SMALL, DIM, 1.0)

    def _move(self, way: int, wraps: bool = True) -> None:
        """Select the next row that can be selected."""
        rows = self.page.rows()
        last = len(rows) - 1
        ahead = range(self.selected + 1, last + 1) if way > 0 else range(self.selected - 1, -1, -1)
        around = (range(self.selected) if way > 0 else range(last, self.selected, -1)) if wraps else ()
        self._selected[-1] = next((k for k in (*ahead, *around) if rows[k].selectable), self.selected)

    def _select(self, number: int, way: int) -> None:
        """Select a row, or the next one that can be selected: first in the direction `way`, then in the other."""
        rows = self.page.rows()
        number = min(max(number, 0), len(rows) - 1)
        ahead = range(number, len(rows)) if way > 0 else range(number, -1, -1)
        behind = range(number, -1, -1) if way > 0 else range(number, len(rows))
        self._selected[-1] = next((k for k in (*ahead, *behind) if rows[k].selectable), max(number, 0))

    def _choose(self, number: int) -> None:
        row = self._row(number)
        if row is None:
            return
        if row.choose is not None:
            row.choose()
        elif row.step is not None:
            row.step(1)

    def _step(self, number: int, way: int) -> None:
        row = self._row(number)
        if row is not None and row.step is not None:
            row.step(way)

    def _row(self, number: int) -> Row | None:
        rows = self.page.rows()
        return rows[number] if 0 <= number < len(rows) and rows[number].selectable else None


def visible_rows(heights: Sequence[float], top: int, selected: int, room: float) -> tuple[int, int]:
    """Return the first visible row and the one after the last: the selected row is visible, and no room is left empty.

    heights : of all rows
    top : first visible row of the last image
    room : height for the rows; one row is visible even without room for it

    >>> visible_rows([28.0] * 9, 0, 5, 100.0)
    (3, 6)
    """
    top = min(top, selected)
    while top < selected and sum(heights[top : selected + 1]) > room:
        top += 1
    while top > 0 and sum(heights[top - 1 :]) <= room:
        top -= 1
    end = max(selected, top) + 1
    while end < len(heights) and sum(heights[top : end + 1]) <= room:
        end += 1
    return top, min(end, len(heights))


def menu_scale(width: float, height: float, ratio: float, text_scale: float) -> float:
    """Return the pixels of the image per pixel of the canvas of a menu.

    width, height : of the image, in pixels
    ratio : pixels per unit of a screen of normal density
    text_scale : size of the text that the user has set
    """
    large = text_scale * max(ratio, min(width / 1280.0, height / 720.0))
    return max(min(large, width / SMALLEST_MENU[0], height / SMALLEST_MENU[1]), 0.1)


def stepped(options: Sequence[str], current: str, way: int) -> str:
    """Return the option before or after the current one; the first one follows the last one.

    >>> stepped(("a", "b", "c"), "c", 1)
    'a'
    """
    return options[(options.index(current) + way) % len(options)] if current in options else options[0]


def _draw_bar(c: Canvas, bar: Bar, box: Box) -> None:
    c.box(*box, TRACK, 4.0)
    if bar.signed:
        value = min(max(bar.value, -1.0), 1.0)
        middle = box.x + 0.5 * box.width
        end = middle - (0.5 * box.width - 4.0) * value
        c.line((middle, box.y + 4.0), (end, box.y + 4.0), 8.0, BLUE)
        c.box(middle - 0.75, box.y - 3.0, 1.5, box.height + 6.0, INK)
        return
    value = min(max(bar.value, 0.0), 1.0)
    if value > 0.01:
        c.box(box.x, box.y, max(box.width * value, 8.0), box.height, GREEN, 4.0)


def _cut(c: Canvas, text: str, size: int, width: float) -> str:
    """Return a text, shortened to a width."""
    if not text or c.font.width(text, size) <= width:
        return text
    while text and c.font.width(f"{text}\u2026", size) > width:
        text = text[:-1]
    return f"{text}\u2026"


def _is_in(box: Box, x: float, y: float) -> bool:
    return box.x <= x < box.x + box.width and box.y <= y < box.y + box.height
