"""Keeps the views of one drive: starts them, sees when the driver's window is gone, stops the vehicle then and waits for another one.

A person must not drive blind. When his window dies, hangs or does not come, the vehicle is paused and the platform parks; `jounce view`
opens a new window on the same drive; without one the drive ends after a minute. A scripted drive goes on without its pictures.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.outlets.view import ViewOutlet
from simulator.view.drive_lock import DriveLock
from simulator.view.frame_writer import UNFINISHED, start_pictures_process
from simulator.view.launch import ViewProcess, start_view_process
from simulator.view.shared_state import KeyReader, ViewWriter
from vehicles.axle_layout import WHEELS

HANG = 5.0
"""s without a frame after which a window counts as hanging. Shorter: a busy machine stops the vehicle."""
OPENING = 30.0
"""s that a window may take to draw its first frame."""
WAIT = 60.0
"""s that a person's drive waits for a window before it ends."""
LAST_PICTURE = 60.0
"""s that the end of a drive waits for its last pictures."""
LOOK = 0.25
"""s between two looks whether a process lives that is not ours."""
DOWN = ("off", "parked", "park", "fault")
"""States of the platform in which it is down or on its way."""


class PausableSession(Protocol):
    """What the keeper moves of a session."""

    paused: bool
    cueing: Any


class ViewSupervisor:
    """Views of a drive.

    Parameters
    ----------
    every : ticks between two states for the views
    say : prints a line for the user
    began : `time.perf_counter` when the program started
    person : a person drives and needs a window
    wheels : of the vehicle
    soft : whether there is soil, whose ruts are shown

    Attributes
    ----------
    window : outlet that publishes the states
    keys : keys of the driver's window
    stop : whether the drive is to end: the driver closed his window, or it was lost
    lost : whether a person's window was gone and nobody opened another one; such a drive is not a success

    Raises DeviceError when there is no room for its folder or its shared memory.
    """

    def __init__(
        self, every: int, say: Callable[[str], None], began: float, person: bool, wheels: int = int(WHEELS), soft: bool = False
    ) -> None:
        self.say, self.began, self.person = say, began, person
        with cleanup.defer_exit():
            self.claim = DriveLock()
            cleanup.register_cleanup(self.claim.release)
        with cleanup.defer_exit():
            self.block = ViewWriter(wheels=wheels, soft=soft)
            cleanup.register_cleanup(self.block.close)
        with cleanup.defer_exit():
            self.keys = KeyReader()
            cleanup.register_cleanup(self.keys.close)
        self.window = ViewOutlet(every, self.block)
        self.stop = self.lost = False
        self.first_frame: float | None = None
        """s from the start of the program to the first frame."""
        self._process: ViewProcess | None = None
        self._pictures: Path | None = None
        self._start: Callable[[], ViewProcess] | None = None
        """Starts the process for the pictures once more."""
        self._killed = False
        """Whether it was ended by a signal."""
        self._closed = False
        self._opened = self._drawn = self._looked = time.monotonic()
        self._frames, self._owner, self._exists = 0, 0, True
        self._gone_since: float | None = None

    def open(self, ground: Any, geometry: Mapping[str, Any], title: str, pictures: Path | None, interval: float) -> None:
        """Start the window, or with a folder for them the pictures, one every `interval` s of simulated time."""
        names = self.block.name, self.keys.name
        self._pictures = pictures
        try:
            if pictures is not None:
                self._start = partial(start_pictures_process, *names, ground, geometry, pictures, interval, self.claim)
                self._process = self._start()
            else:
                self._process = start_view_process(*names, ground, geometry, title, self.claim)
        except (DeviceError, OSError) as error:  # no display, no room for its files, no further process
            self.say(f"driving without pictures: {error}")
            return
        try:
            self.claim.describe({"block": names[0], "keys": names[1], "title": title})
        except OSError as error:
            self.say(f"'jounce view' will not find this drive: {error}")
        self._opened = time.monotonic()

    def look(self, session: PausableSession, now: float | None = None) -> None:
        """See how the views are, a hundred times a second; `now`: time.monotonic."""
        now = time.monotonic() if now is None else now
        self._see_frames(now)
        self.stop = self.stop or self.keys.closed
        if self.stop:
            return
        reason = self._missing(now)
        if not self.person:
            if reason and self._process is not None:
                self._killed = self._process.by_signal
                self.say(f"driving without pictures: {reason}")
            self._process = None if reason else self._process
        elif reason:
            self._wait(session, now, reason)
        elif self._gone_since is not None:
            self._gone_since = None
            self.window.tell("the window is back: P goes on, M raises the platform")
            self.say("the window is back; the vehicle is paused: P goes on, M raises the platform")

    def close(self, hurry: Callable[[], bool] = lambda: False) -> None:
        """End the views and remove everything; calling it again does nothing.

        Pictures are given time for the last one, not longer than any view once `hurry` says so.
        """
        if self._closed:
            return
        self._closed = True
        self.block.leave()
        self._draw_after_all()
        if self._process is not None:
            self._process.end(LAST_PICTURE if self._pictures is not None else 2.0, hurry)
            complaint = self._process.complaint
            self._see_frames(time.monotonic())
            if self._pictures is not None:
                for unfinished in self._pictures.glob(UNFINISHED):
                    unfinished.unlink(missing_ok=True)
                if self.keys.frames == 0:
                    self.say(f"driving without pictures: {complaint or 'there was no time for one'}")
        self.keys.close()
        self.block.close()
        self.claim.release()

    def _draw_after_all(self) -> None:
        """Every drive that is to leave pictures does: the last state is drawn by another process, if somebody killed the first too soon."""
        if self._process is not None:
            self._killed = self._process.by_signal
        if self._killed and self._start is not None and self.keys.frames == 0:
            self.say("the pictures were killed before the first one: the last state is drawn now")
            self._process = self._start()

    def _see_frames(self, now: float) -> None:
        if self.keys.owner not in (0, self._owner):
            self._owner, self._opened, self._frames, self._exists = self.keys.owner, now, self.keys.frames, True
            if self._process is not None and self.keys.pid != self._process.pid and self._gone_since is not None:
                self._process.kill()  # it hangs, and another one has come
        if self.keys.frames != self._frames:
            self._frames, self._drawn = self.keys.frames, now
            if self.first_frame is None:
                self.first_frame = time.perf_counter() - self.began
                self.say(f"first frame after {self.first_frame:.1f} s")

    def _missing(self, now: float) -> str:
        """Why there is no window that draws; empty when there is one, or when one may still come."""
        ours = self._process is not None and self.keys.pid in (0, self._process.pid)
        if self._process is not None and ours and not self._process.alive:
            return self._process.complaint or "the view has ended"
        if not self.person:
            return ""
        if self._process is None and not self._owner:
            return "no window was opened"
        if self._owner and self.keys.owner == 0:
            return "the view has ended"
        if self._owner and not ours and not self._lives(now):
            return "the view was killed"
        drew = self._drawn > self._opened
        if now - max(self._drawn, self._opened) > (HANG if drew else OPENING):
            return "the view hangs"
        return "" if drew or self._gone_since is None else "the view has not drawn yet"

    def _lives(self, now: float) -> bool:
        """Does the process of a view exist that was started by `jounce view`?"""
        if os.name == "posix" and now - self._looked > LOOK:
            self._looked = now
            self._exists = _exists(self.keys.pid)
        return self._exists

    def _wait(self, session: PausableSession, now: float, reason: str) -> None:
        """Hold vehicle and platform, whatever other devices ask for."""
        if self._gone_since is None:
            self._gone_since = now
            self.say(
                f"{reason}: the vehicle is paused and the platform parks; "
                f"'jounce view' in another terminal opens a new window, without one the drive ends in {WAIT:.0f} s"
            )
        session.paused = True
        if session.cueing.state not in DOWN:
            session.cueing.park()
        if now - self._gone_since > WAIT:
            self.stop = self.lost = True
            self.say(f"no window for {WAIT:.0f} s: the drive ends")


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
