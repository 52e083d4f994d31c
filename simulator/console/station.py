"""Pages of a console: who has control, what a page may send, and the heartbeat of the operator's page. Knows no network."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simulator.base.json_output import json_text

PICTURES = ("camera", "lidar", "map")
"""Names of the pictures that a page may show."""
MAX_PAGES = 32
MAX_BYTES = 4096
"""Maximum size of a message of a page."""
MAX_MESSAGES = 60.0
"""Messages per second that a page may send; the heartbeat is 10."""
BURST = 60.0
"""Messages that a page may send at once."""
LONGEST_NAME, LONGEST_VALUE = 40, 1500
"""Maximum letters of the kind of an action, and of its value as JSON."""
DEEPEST = 4
"""Maximum number of mappings and lists inside of each other in a value."""
LARGEST_NUMBER = 1e15
"""Largest number in a value."""
REMEMBERED = 100
"""Number of events that a new page receives."""
LOSS_TIME = 1.0
"""s without a heartbeat after which another page may take control."""
MAX_PLOTS = 160
"""Maximum number of columns that a page plots."""
WAITING = 256
"""Maximum number of lines that wait for a slow page."""


class RefusedError(Exception):
    """A page sends what no page of the console sends: its connection ends."""


class Page:
    """One page.

    Attributes
    ----------
    columns : names of the columns that the page plots
    pictures : names of the pictures that it shows
    lines : messages that wait for the page
    dropped : number of messages that a slow page has missed
    """

    def __init__(self, now: float) -> None:
        self.columns: tuple[str, ...] = ()
        self.pictures: tuple[str, ...] = ()
        self.lines: deque[Mapping[str, Any]] = deque()
        self.dropped = 0
        self._allowed, self._at = BURST, now

    def count_message(self, now: float) -> None:
        """Count a message. Raises RefusedError: too many."""
        self._allowed = min(BURST, self._allowed + MAX_MESSAGES * (now - self._at)) - 1.0
        self._at = now
        if self._allowed < 0.0:
            raise RefusedError("too many messages")

    def tell(self, line: Mapping[str, Any]) -> None:
        """Let a message wait for the page; drop and count it if too many wait."""
        if len(self.lines) == WAITING:
            self.dropped += 1
        else:
            self.lines.append(line)


class Station:
    """All pages of a console.

    Parameters
    ----------
    columns : names of the columns that pages may plot
    send : receives an action of the operator: kind, value
    stop : called for a stop of the platform, by any page
    beat : called for a heartbeat of the operator's page
    supervise : called with True when a page takes control, and with False when it hands over

    Attributes
    ----------
    pages, operator : all pages, and the one that has control
    status : last message about the parts of the drive; of these, a slow page misses all but the last
    """

    def __init__(
        self,
        columns: Sequence[str],
        send: Callable[[str, Any], None],
        stop: Callable[[], None],
        beat: Callable[[], None],
        supervise: Callable[[bool], None],
    ) -> None:
        self.pages: list[Page] = []
        self.operator: Page | None = None
        self.status: Mapping[str, Any] | None = None
        self._events: deque[Mapping[str, Any]] = deque(maxlen=REMEMBERED)
        self._columns = frozenset(columns)
        self._send, self._stop, self._beat, self._supervise = send, stop, beat, supervise
        self._beaten = -math.inf

    def join(self, now: float) -> Page | None:
        """Return a new page; None if there are too many."""
        if len(self.pages) >= MAX_PAGES:
            return None
        page = Page(now)
        page.lines.extend(self._events)
        self.pages.append(page)
        self._tell_roles()
        return page

    def leave(self, page: Page) -> None:
        """Remove a page. If it is the operator's and has not handed over, the operator is lost."""
        if page in self.pages:
            self.pages.remove(page)
            self._tell_roles()

    def tell_all(self, line: Mapping[str, Any]) -> None:
        """Let a message wait for every page."""
        if line.get("type") == "status":
            self.status = line
            return
        if line.get("type") == "event":
            self._events.append(line)
        for page in self.pages:
            page.tell(line)

    def wanted_pictures(self) -> set[str]:
        """Return the names of the pictures that any page shows."""
        return {name for page in self.pages for name in page.pictures}

    def hear(self, page: Page, text: str, now: float) -> None:
        """Act on a message of a page. Raises RefusedError: no page of the console sends it."""
        page.count_message(now)
        message = _read(text)
        kind = message["type"]
        if kind == "beat":
            if page is self.operator:
                self._beaten = now
                self._beat()
        elif kind == "stop":
            self._stop()
        elif kind == "plot":
            page.columns = self._chosen(message.get("columns"))
        elif kind == "pictures":
            page.pictures = _pictures(message.get("names"))
        elif kind == "take":
            self._take(page, now)
        elif kind == "hand over":
            self._hand_over(page)
        elif kind == "act":
            self._act(page, message)
        else:
            raise RefusedError("unknown type of a message")

    def _act(self, page: Page, message: Mapping[str, Any]) -> None:
        kind, value = message.get("kind"), message.get("value")
        if not isinstance(kind, str) or len(kind) > LONGEST_NAME or not _is_plain(value) or len(json_text(value)) > LONGEST_VALUE:
            raise RefusedError("no action")
        if page is not self.operator:
            page.tell({"type": "refused", "kind": kind, "text": "take control first"})
            return
        self._send(kind, value)

    def _take(self, page: Page, now: float) -> None:
        present = self.operator
        if present is not None and present is not page and now - self._beaten < LOSS_TIME and present in self.pages:
            page.tell({"type": "refused", "kind": "take", "text": "another page has control, and has to hand over"})
            return
        self.operator, self._beaten = page, now
        self._supervise(True)
        self._beat()
        self._tell_roles()

    def _hand_over(self, page: Page) -> None:
        if page is self.operator:
            self.operator = None
            self._supervise(False)
            self._tell_roles()

    def _chosen(self, columns: Any) -> tuple[str, ...]:
        if not isinstance(columns, list) or len(columns) > MAX_PLOTS or not all(isinstance(one, str) for one in columns):
            raise RefusedError("no list of columns")
        return tuple(one for one in columns if one in self._columns)

    def _tell_roles(self) -> None:
        lost = self.operator is not None and self.operator not in self.pages
        for page in self.pages:
            role = "operator" if page is self.operator else "viewer"
            page.tell({"type": "role", "role": role, "operated": self.operator is not None, "lost": lost, "pages": len(self.pages)})


def _pictures(names: Any) -> tuple[str, ...]:
    """Return the known ones of a list of names. Raises RefusedError."""
    if not isinstance(names, list) or len(names) > len(PICTURES):
        raise RefusedError("no list of pictures")
    return tuple(name for name in PICTURES if name in names)


def _is_plain(value: Any, depth: int = DEEPEST) -> bool:
    """Return whether numbers and texts of a value can be read everywhere, and at most `depth` mappings and lists are inside of each other."""
    if isinstance(value, dict | list):
        items = [*value, *value.values()] if isinstance(value, dict) else value
        return depth > 0 and all(_is_plain(item, depth - 1) for item in items)
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return value is None or abs(value) <= LARGEST_NUMBER  # False for NaN


def _read(text: str) -> Mapping[str, Any]:
    """Return the message of a text. Raises RefusedError."""
    if len(text) > MAX_BYTES:
        raise RefusedError("message too long")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedError("no JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise RefusedError("no message")
    return message
