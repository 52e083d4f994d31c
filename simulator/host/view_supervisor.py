"""Supervision of the views of one drive: start them, detect a lost window, pause the vehicle and wait for another window.

A human driver must not drive without a window. When the window exits, hangs or does not open, the vehicle is paused and the platform parks.
`jounce view` opens a new window on the same drive; without one the drive ends after a minute. A scripted drive continues without images.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.events.event import Event
from simulator.host.inset_feed import InsetFeed
from simulator.outlets.view import ViewOutlet
from simulator.platform_supervisor import report_loss
from simulator.session import Session
from simulator.view.drive_lock import DriveLock
from simulator.view.frame_writer import UNFINISHED, start_pictures_process
from simulator.view.inset_block import BLOCK_FILE
from simulator.view.launch import OBJECTS_FILE, ViewProcess, start_view_process
from simulator.view.make_object_data import make_object_data
from simulator.view.shared_keys import KeyReader
from simulator.view.shared_state import ViewWriter
from simulator.view.user_settings import users_key
from vehicles.axle_layout import WHEELS

if TYPE_CHECKING:
    from simulator.autonomy.goal_driver import GoalDriver
    from simulator.sensors.mounted_sensor import MountedSensor
    from terrain.ground import Ground
    from terrain.objects.object_set import ObjectSet

HANG = 5.0
"""s without a frame after which a window counts as hanging. Shorter: a busy machine pauses the vehicle."""
OPENING = 55.0
"""s. Maximum time for a window to draw its first frame: the first one measures levels of detail, and drivers compile."""
WAIT = 60.0
"""s that the drive of a human driver waits for a window before it ends."""
LAST_IMAGE_TIME = 60.0
"""s. Maximum time that the end of a drive waits for its last images."""
LOOK = 0.25
"""s between two checks whether a view process exists that this process did not start."""


class ViewSupervisor:
    """Views of a drive.

    Parameters
    ----------
    every : ticks between two states for the views
    say : prints a line for the user
    send : receives the events of a lost window: pause, park the platform
    began : `time.perf_counter` when the program started
    person : True if a human driver drives, who needs a window; may change
    wheels : number of wheels of the vehicle
    ground : ground of the drive; its soil and its objects change

    Attributes
    ----------
    window : outlet that publishes the states
    keys : keys of the driver's window
    stop : True if the drive must end: the driver closed the window, or the window was lost
    lost : True if the window of a human driver was lost and no other window was opened; such a drive counts as failed

    Raises DeviceError when its folder or its shared memory cannot be created.
    """

    def __init__(
        self,
        every: int,
        say: Callable[[str], None],
        send: Callable[[Event], object],
        began: float,
        person: bool,
        wheels: int = int(WHEELS),
        ground: Ground | None = None,
    ) -> None:
        self._send = send
        self.say, self.began, self.person = say, began, person
        with cleanup.defer_exit():
            self.drive_lock = DriveLock()
            cleanup.register_cleanup(self.drive_lock.release)
        with cleanup.defer_exit():
            soft, objects = (False, 0) if ground is None else (ground.is_soft, len(ground.objects))
            self.block = ViewWriter(wheels=wheels, soft=soft, objects=objects)
            cleanup.register_cleanup(self.block.close)
        with cleanup.defer_exit():
            self.keys = KeyReader()
            cleanup.register_cleanup(self.keys.close)
        self.window = ViewOutlet(every, self.block)
        self.window.on_new_objects = self._save_objects
        self._saver = ThreadPoolExecutor(1, "objects of the view")
        self._saving: Future[None] | None = None
        self._trouble = ""
        """Failure in the thread, which `look` reports."""
        self._insets: InsetFeed | None = None
        self.stop = self.lost = False
        self.first_frame: float | None = None
        """s from the start of the program to the first frame."""
        self._process: ViewProcess | None = None
        self._pictures: Path | None = None
        self._start: Callable[[], ViewProcess] | None = None
        """Starts the process for the images again."""
        self._killed = False
        """Whether a signal ended the process."""
        self._closed = False
        self._opened = self._drawn = self._looked = time.monotonic()
        self._frames, self._owner, self._exists = 0, 0, True
        self._gone_since: float | None = None

    @property
    def frames(self) -> int:
        """Number of frames of the present window, or of images."""
        return int(self.keys.frames)

    @property
    def opens_window(self) -> bool:
        """Whether a window was started, and not the process for images."""
        return self._process is not None and self._pictures is None

    @property
    def missing(self) -> str:
        """Reason why no window draws; empty if one draws or may still open."""
        return self._missing(time.monotonic())

    def show_insets(self, sensors: Sequence[MountedSensor], with_map: bool) -> None:
        """Show the first camera and the first lidar as insets, and the map of `show_map`; call this before `open`."""
        if not (with_map or InsetFeed.has_some(sensors)):
            return
        try:
            self._insets = InsetFeed(sensors)
            (self.drive_lock.folder / BLOCK_FILE).write_text(self._insets.block.name, encoding="utf-8")
        except (DeviceError, OSError) as error:
            self.say(f"driving without insets in the window: {error}")

    def show_map(self, driver: GoalDriver) -> None:
        """Show the map and the plans of a driver to a goal."""
        if self._insets is not None:
            driver.watchers.append(self._insets.show_map)

    def open(self, ground: Any, geometry: Mapping[str, Any], title: str, pictures: Path | None, interval: float) -> None:
        """Start the window, or, with a folder `pictures`, the images, one every `interval` s of simulated time."""
        names = self.block.name, self.keys.name
        self._pictures = pictures
        try:
            if pictures is not None:
                self._start = partial(start_pictures_process, *names, ground, geometry, pictures, interval, self.drive_lock)
                self._process = self._start()
            else:
                self._process = start_view_process(*names, ground, geometry, title, self.drive_lock)
        except (DeviceError, OSError) as error:  # no display, no disk space for files, process limit reached
            self.say(f"driving without a view: {error}")
            return
        try:
            self.drive_lock.describe({"block": names[0], "keys": names[1], "title": title})
        except OSError as error:
            self.say(f"'jounce view' cannot attach to this drive: {error}")
        self._opened = time.monotonic()

    def _save_objects(self, objects: ObjectSet) -> None:
        """Write a new set of objects for the views in a thread, because 10 000 objects take 70 ms; a set that still waits is left out."""
        if self._saving is not None:
            self._saving.cancel()
        self._saving = self._saver.submit(self._write_objects, objects)

    def _write_objects(self, objects: ObjectSet) -> None:
        """Write a set of objects and announce it to the views; runs in a thread."""
        try:
            make_object_data(objects).save(self.drive_lock.folder / OBJECTS_FILE)
        except OSError as error:
            self._trouble = f"the window does not show the new objects: {error}"
            return
        self.block.announce_objects()

    def look(self, session: Session, now: float | None = None) -> None:
        """Check the views; called a hundred times a second. `now`: time.monotonic."""
        now = time.monotonic() if now is None else now
        if self._trouble:
            self.say(self._trouble)
            self._trouble = ""
        self._count_frames(now)
        self.stop = self.stop or self.keys.closed
        if self.stop:
            return
        reason = self._missing(now)
        if not self.person:
            if reason and self._process is not None:
                self._killed = self._process.by_signal
                self.say(f"driving without a view: {reason}")
            self._process = None if reason else self._process
        elif reason:
            self._pause(session, now, reason)
        elif self._gone_since is not None:
            self._gone_since = None
            keys = f"press {users_key('pause')} to continue, {users_key('platform')} to raise the platform"
            self.window.show_message(f"window reopened: {keys}")
            self.say(f"window reopened; the vehicle is paused: {keys}")

    def close(self, hurry: Callable[[], bool] = lambda: False) -> None:
        """End the views and remove folder and shared memory. A second call does nothing.

        The process for the images gets time to write the last one, unless `hurry()` returns True.
        """
        if self._closed:
            return
        self._closed = True
        self._saver.shutdown()
        self.block.mark_closed()
        self._restart_images()
        if self._process is not None:
            self._process.end(LAST_IMAGE_TIME if self._pictures is not None else 2.0, hurry)
            complaint = self._process.complaint
            self._count_frames(time.monotonic())
            if self._pictures is not None:
                for unfinished in self._pictures.glob(UNFINISHED):
                    unfinished.unlink(missing_ok=True)
                if self.keys.frames == 0:
                    self.say(f"no image was written: {complaint or 'the drive was too short'}")
        if self._insets is not None:
            self._insets.close()
        self.keys.close()
        self.block.close()
        self.drive_lock.release()

    def _restart_images(self) -> None:
        """Start the process for the images again if a signal killed it before its first image, so that every drive leaves images."""
        if self._process is not None:
            self._killed = self._process.by_signal
        if self._killed and self._start is not None and self.keys.frames == 0:
            self.say("the image process was killed before its first image; drawing the last state now")
            self._process = self._start()

    def _count_frames(self, now: float) -> None:
        if self.keys.owner not in (0, self._owner):
            self._owner, self._opened, self._frames, self._exists = self.keys.owner, now, self.keys.frames, True
            if self._process is not None and self.keys.pid != self._process.pid and self._gone_since is not None:
                self._process.kill()  # it hangs, and another window has opened
        if self.keys.frames != self._frames:
            self._frames, self._drawn = self.keys.frames, now
            if self.first_frame is None:
                self.first_frame = time.perf_counter() - self.began
                self.say(f"first frame after {self.first_frame:.1f} s")

    def _missing(self, now: float) -> str:
        """Return the reason why no window draws; empty if one draws or may still open."""
        ours = self._process is not None and self.keys.pid in (0, self._process.pid)
        if self._process is not None and ours and not self._process.alive:
            return self._process.complaint or "the view has ended"
        if not self.person:
            return ""
        if self._process is None and not self._owner:
            return "no window was opened"
        if self._owner and self.keys.owner == 0:
            return "the view has ended"
        if self._owner and not ours and not self._process_exists(now):
            return "the view was killed"
        drew = self._drawn > self._opened
        if now - max(self._drawn, self._opened) > (HANG if drew else OPENING):
            return "the view hangs"
        return "" if drew or self._gone_since is None else "the view has not drawn yet"

    def _process_exists(self, now: float) -> bool:
        """Return whether the process of a view exists that `jounce view` started."""
        if os.name == "posix" and now - self._looked > LOOK:
            self._looked = now
            self._exists = _exists(self.keys.pid)
        return self._exists

    def _pause(self, session: Session, now: float, reason: str) -> None:
        """Report the loss of the window, again and again because of other input devices; end the drive after a while."""
        platform = report_loss(session, self._send)
        if self._gone_since is None:
            self._gone_since = now
            self.say(
                f"{reason}: the vehicle is paused and the platform {platform}; "
                f"to open a new window, run 'jounce view' in another terminal; without one the drive ends in {WAIT:.0f} s"
            )
        if now - self._gone_since > WAIT:
            self.stop = self.lost = True
            self.say(f"no window for {WAIT:.0f} s; ending the drive")


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
