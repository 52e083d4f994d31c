"""File of the events of a run: events.jsonl in its folder, one JSON object a line, complete up to the last event also after a kill."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from simulator.base.errors import ConfigError, OutputError
from simulator.base.inputfile import read_unicode
from simulator.base.json_output import json_text
from simulator.events.event import Event, event_from_json
from simulator.telemetry.run_folder import EVENTS, events_of

FORMAT, VERSION = "jounce events", 1
CAPACITY = 4096
"""Maximum number of events that wait for the disk."""
MAX_BYTES = 1 << 28
"""Maximum size of a file of events [bytes]: some millions of events."""
CLOSE_TIMEOUT = 10.0
"""s that `close` waits for the disk."""


class EventFile:
    """Writer of the events of a run. A thread writes each event at once; it starts with the first event of a run in real time.

    Parameters
    ----------
    folder : existing folder
    about : further entries of the first line
    say : called with a line if the disk fails

    Attributes
    ----------
    count : number of events so far
    lost : number of events that are not in the file, because the disk was too slow or failed

    Raises OutputError: the file cannot be created.
    """

    def __init__(self, folder: Path, about: Mapping[str, Any], say: Callable[[str], None]) -> None:
        self.file = folder / EVENTS
        self.count = self.lost = 0
        self._say, self._failure = say, ""
        self._rows: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        try:
            self._stream: TextIO = self.file.open("w", encoding="utf-8")
            self._write(json_text({"format": FORMAT, "version": VERSION, **about}))
        except OSError as error:
            raise OutputError(f"{self.file}: cannot be written: {error.strerror or error}") from None

    def put(self, event: Event, wait: bool) -> None:
        """Write an event; without `wait` in the thread, so that the disk delays no tick."""
        self.count += 1
        if self._failure or self._rows.qsize() >= CAPACITY:
            self.lost += 1
        elif wait and self._thread is None:
            self._append(event)
        else:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="events", daemon=True)
                self._thread.start()
            self._rows.put(event)

    def close(self) -> None:
        """Write the waiting events and close the file; further calls have no effect."""
        if self._thread is not None:
            self._rows.put(None)
            self._thread.join(CLOSE_TIMEOUT)
            if self._thread.is_alive():
                self._fail("the disk does not respond")
                return
        self._thread = None
        with contextlib.suppress(OSError):  # every line has been flushed
            self._stream.close()

    def _work(self) -> None:
        """Write the events; runs in the thread."""
        while (event := self._rows.get()) is not None:
            self._append(event)

    def _append(self, event: Event) -> None:
        try:
            self._write(json_text(event.to_json()))
        except OSError as error:
            self.lost += 1
            self._fail(error.strerror or str(error))

    def _write(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()

    def _fail(self, reason: str) -> None:
        if not self._failure:
            self._failure = reason
            with contextlib.suppress(OSError):  # the terminal may be closed
                self._say(f"{self.file}: the events end here ({reason}); the run continues")


def read_events(log: Path) -> tuple[Event, ...] | None:
    """Return the events of the run with this log, or None if the run has no file of events.

    A last line that a killed run has not completed is left out. Raises ConfigError: the file cannot be read.
    """
    file = events_of(log)
    if file.stem == log.stem:  # no log of a run folder
        return None
    if not os.path.lexists(file):
        return None
    text = read_unicode(file, "a file of events", MAX_BYTES)
    head, *rows = text.split("\n")[:-1] or [""]
    head_values = _json(head)
    if not isinstance(head_values, dict) or head_values.get("format") != FORMAT or head_values.get("version") != VERSION:
        raise ConfigError(file, "", head[:80], f"the first line of a file of events, version {VERSION}")
    return tuple(_event(file, number, row) for number, row in enumerate(rows, 2))


def _event(file: Path, number: int, row: str) -> Event:
    try:
        return event_from_json(_json(row))
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise ConfigError(file, f"line {number}", row[:80], "an event with tick, time_s, origin, kind and value") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
