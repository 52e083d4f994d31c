"""A human drive waits when its window is lost, a scripted drive continues; the tests simulate the clock and the window."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from simulator.base.errors import DeviceError
from simulator.host import drive_view, view_supervisor
from simulator.host.drive_view import DriveView
from simulator.host.view_supervisor import HANG, OPENING, WAIT, ViewSupervisor
from simulator.view import attach, drive_lock
from simulator.view.shared_keys import KeyReader, KeyWriter
from simulator.view.shared_state import ViewReader


class Procedure:
    """A platform that is up until it is told to park."""

    def __init__(self):
        self.state, self.parked = "engaged", 0

    def park(self):
        self.state, self.parked = "park", self.parked + 1


class Child:
    """Stands for the process of the view."""

    def __init__(self, pid):
        self.pid, self.alive, self.complaint, self.killed, self.ended = pid, True, "", False, False
        self.by_signal = False

    def die(self):
        self.alive, self.by_signal, self.complaint = False, True, "the view ended with code -9"

    def kill(self):
        self.killed = True

    def end(self, patience, hurry):
        self.ended = True


class Paused:
    """Part of a session that the supervisor reads."""

    def __init__(self, platform):
        self.paused, self.platform = False, platform

    @property
    def platform_state(self):
        return self.platform.state


class Story:
    """A view supervisor with its environment; `go` advances the time, with or without frames."""

    def __init__(self, person=True):
        self.said = []
        self.supervisor = ViewSupervisor(8, self.said.append, self.take, 0.0, person)
        self.child = self.supervisor._process = Child(os.getpid())
        self.platform = Procedure()
        self.session = Paused(self.platform)
        self.now = self.supervisor._opened
        self.windows = []
        self.attach()

    def take(self, event):
        """The drive applies an event."""
        if event.kind == "pause":
            self.session.paused = event.value
        else:
            assert (event.kind, event.value) == ("platform", "park")
            self.platform.park()

    def attach(self):
        """A new window opens and takes the keys; returns the one before."""
        before = self.windows[-1] if self.windows else None
        self.window = KeyWriter(self.supervisor.keys.name)
        self.windows.append(self.window)
        return before

    def close(self):
        for window in self.windows:
            with contextlib.suppress(AttributeError):  # closed already
                window.close(closed_by_user=False)
        self.supervisor.close()

    def go(self, seconds, frames=True):
        end = self.now + seconds
        while self.now < end:
            self.now += 0.1
            if frames:
                self.window.beat()
            self.supervisor.look(self.session, self.now)

    @property
    def waits(self):
        return self.session.paused and self.platform.state == "park"


@pytest.fixture
def story():
    made = []

    def make(person=True):
        made.append(Story(person))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_with_a_window_nothing_happens(story):
    s = story()
    s.go(OPENING - 1.0, frames=False)
    s.go(30.0)
    s.go(HANG - 1.0, frames=False)
    assert not s.session.paused and s.platform.parked == 0 and not s.supervisor.stop
    assert [line for line in s.said if "first frame" not in line] == []


def test_a_killed_window_stops_vehicle_and_platform_at_once_and_ends_the_drive_after_a_minute(story):
    s = story()
    s.go(2.0)
    s.child.die()
    s.go(0.1, frames=False)
    assert s.waits and "jounce view" in s.said[-1] and "code -9" in s.said[-1]
    s.session.paused, s.platform.state = False, "rise"  # a button of a game controller
    s.go(0.1, frames=False)
    assert s.waits, "nobody drives blind"
    s.go(WAIT - 2.0, frames=False)
    assert not s.supervisor.stop
    s.go(3.0, frames=False)
    assert s.supervisor.stop and s.supervisor.lost and "ending the drive" in s.said[-1]


def test_a_lost_window_leaves_a_stopped_platform_stopped(story):
    s = story()
    s.go(2.0)
    s.session.paused, s.platform.state = True, "stopped"
    s.child.die()
    s.go(1.0, frames=False)
    assert s.platform.parked == 0 and "the platform stays stopped" in s.said[-1]


def test_a_window_that_hangs_counts_as_gone_until_it_draws_again(story):
    s = story()
    s.go(2.0)
    s.go(HANG + 1.0, frames=False)
    assert s.waits and "hangs" in s.said[-1]
    s.go(0.2)
    assert "window reopened" in s.said[-1] and "reopened" in s.supervisor.window.message
    assert s.session.paused, "the person says when it goes on"
    s.session.paused = False
    s.go(WAIT)
    assert not s.session.paused and not s.supervisor.stop


def test_a_window_that_never_opens_counts_as_gone(story):
    s = story()
    s.go(OPENING + 1.0, frames=False)
    assert s.waits and "jounce view" in s.said[-1]


def test_another_window_takes_over_and_the_old_one_has_no_effect(story):
    s = story()
    s.go(2.0)
    s.window.set("up", True)
    s.child.pid = -1  # the window that hangs is not this process
    s.go(HANG + 1.0, frames=False)
    old = s.attach()
    s.go(1.0, frames=False)
    assert s.child.killed and s.waits, "it has not drawn yet"
    s.go(1.0)
    assert "window reopened" in s.said[-1]
    assert not s.supervisor.keys.down("up"), "a key that was held when the window died is up"
    frames = s.supervisor.keys.frames
    old.set("down", True)
    old.beat()
    old.close()
    assert not old_says_anything(s.supervisor.keys, frames)


def old_says_anything(keys, frames):
    return keys.down("down") or keys.frames != frames or keys.closed or keys.owner == 0


@pytest.mark.skipif(os.name != "posix", reason="looks whether a process exists")
def test_a_window_of_jounce_view_that_is_killed_is_noticed_at_once(story):
    s = story()
    s.go(1.0)
    s.child.die()
    s.go(1.0, frames=False)
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as other:
        s.attach()
        s.supervisor.keys._keys["pid"] = other.pid
        s.go(1.0)
        assert "window reopened" in s.said[-1]
        s.session.paused, s.platform.state = False, "engaged"
        other.kill()
        other.wait()
    s.go(0.5, frames=False)
    assert s.waits and "the view was killed" in s.said[-1]


@pytest.mark.parametrize("ends_drive", [False, True])  # False: the window was closed; True: a key or the menu
def test_a_window_closed_by_its_driver_ends_the_drive(story, ends_drive):
    s = story()
    s.go(1.0)
    s.window.close(closed_by_user=True, ends_drive=ends_drive)
    s.supervisor.look(s.session, s.now + 0.01)
    assert s.supervisor.keys.ends_drive == ends_drive
    assert s.supervisor.stop and not s.supervisor.lost and not s.session.paused


def test_a_window_that_ends_by_an_error_does_not_end_the_drive(story):
    s = story()
    s.go(1.0)
    s.window.close(closed_by_user=False)
    s.supervisor.look(s.session, s.now + 0.01)
    assert s.waits and not s.supervisor.stop


def test_a_scripted_drive_goes_on_without_its_view(story):
    s = story(person=False)
    s.go(1.0)
    s.child.die()
    s.go(2.0 * WAIT, frames=False)
    assert not s.session.paused and s.platform.parked == 0 and not s.supervisor.stop
    assert [line for line in s.said if "first frame" not in line] == ["driving without a view: the view ended with code -9"]


def test_a_full_temporary_disk_costs_the_pictures_and_not_the_drive(story, monkeypatch, tmp_path):
    s = story(person=False)
    s.supervisor._process = None
    no_room = OSError(28, "No space left on device")

    def start(*_):
        raise no_room

    monkeypatch.setattr(view_supervisor, "start_pictures_process", start)
    s.supervisor.open(None, {}, "", tmp_path, 0.5)
    assert s.said == [f"driving without a view: {no_room}"]
    s.go(2.0, frames=False)
    assert not s.session.paused and not s.supervisor.stop


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system cannot reserve memory")
def test_without_free_shared_memory_no_block_is_created(monkeypatch):
    """The first write to one would end the process (SIGBUS)."""
    made = []

    def refuse(handle, *_):
        made.append(os.path.realpath(f"/proc/self/fd/{handle}"))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(DeviceError, match="expected free shared memory"):
        KeyReader()
    assert len(made) == 1
    assert not os.path.exists(made[0])


def test_a_closed_supervisor_leaves_nothing_behind(story):
    s = story()
    names = [s.supervisor.block.name, s.supervisor.keys.name]
    folder = s.supervisor.drive_lock.folder
    s.window.close(closed_by_user=False)
    s.supervisor.close()
    s.supervisor.close()
    assert s.child.ended and not folder.exists()
    assert not any((drive_lock.SHARED_MEMORY / name).exists() for name in names)


def test_the_drive_to_look_at_is_chosen():
    one, two = {"pid": 11, "title": "a"}, {"pid": 12, "title": "b"}
    assert attach._select([one], None) is one
    assert attach._select([one, two], 12) is two
    with pytest.raises(DeviceError, match=r"several drives are running: 11 \(a\), 12 \(b\)"):
        attach._select([one, two], None)
    with pytest.raises(DeviceError, match="no drive 13"):
        attach._select([one, two], 13)
    with pytest.raises(DeviceError, match="no drive with a view is running"):
        attach._select([], None)


def test_a_second_window_is_read_only(monkeypatch):
    keys = KeyReader()
    window = KeyWriter(keys.name)
    monkeypatch.setattr(attach, "WAIT", 0.05)
    assert not attach._has_window(keys.name), "it draws nothing"
    monkeypatch.setattr(attach, "time", SimpleNamespace(monotonic=iter(range(9)).__next__, sleep=lambda _: window.beat()))
    monkeypatch.setattr(attach, "WAIT", 5.0)
    assert attach._has_window(keys.name)
    window.close(closed_by_user=False)
    keys.close()


def test_times_make_sense():
    assert view_supervisor.HANG < view_supervisor.OPENING < view_supervisor.WAIT


class Window:
    """Outlet of the window: the view draws its first frame after it has got some states."""

    def __init__(self, supervisor, after):
        self.supervisor, self.after, self.published = supervisor, after, 0

    def publish(self, session):
        self.published += 1
        if self.published == self.after:
            self.supervisor.first_frame = 1.0


class Opening:
    """Supervisor of a window that opens."""

    def __init__(self, **values):
        self.first_frame, self.stop, self.missing, self.opens_window = None, False, "", True
        self.looks = 0
        vars(self).update(values)

    def look(self, session):
        self.looks += 1


def view_of(supervisor, after=0):
    view = DriveView()
    view.supervisor, view.window = supervisor, Window(supervisor, after)
    return view


def test_a_drive_begins_with_the_first_frame(monkeypatch):
    monkeypatch.setattr(drive_view, "SHOWN_AGAIN", 0.02)
    view = view_of(Opening(), after=3)
    view.wait_for_first_frame(None, lambda: False)
    assert view.window.published == 3 and view.supervisor.looks > 3


@pytest.mark.parametrize(
    ("values", "stopped"),
    [({"stop": True}, False), ({"missing": "the view has ended"}, False), ({"opens_window": False}, False), ({}, True)],
    ids=["closed", "gone", "images", "signal"],
)
def test_a_drive_does_not_wait_for_a_window_that_does_not_come(values, stopped):
    view_of(Opening(**values)).wait_for_first_frame(None, lambda: stopped)


def test_a_drive_waits_for_a_window_for_a_limited_time(monkeypatch):
    monkeypatch.setattr(view_supervisor, "OPENING", 0.05)
    view = view_of(Opening())
    view.wait_for_first_frame(None, lambda: False)
    assert view.window.published >= 1


def test_a_drive_without_a_view_begins_at_once():
    DriveView().wait_for_first_frame(None, lambda: pytest.fail("nothing to wait for"))


def test_new_objects_do_not_delay_the_drive(story, monkeypatch):
    """The set is written in a thread, which then announces it; of several sets that wait, the last one is written."""
    written, begun, may_write = [], threading.Event(), threading.Event()

    class Slow:
        def __init__(self, objects):
            self.objects = objects

        def save(self, path):
            begun.set()
            assert may_write.wait(30.0)
            written.append(self.objects)

    monkeypatch.setattr(view_supervisor, "make_object_data", Slow)
    supervisor = story().supervisor
    with contextlib.closing(ViewReader(supervisor.block.name)) as reader:
        for objects in ("first", "second", "third"):
            supervisor.window.on_new_objects(objects)
            assert begun.wait(30.0)
        assert written == [] and reader.object_sets == 0
        may_write.set()
        supervisor._saver.shutdown()
        assert written == ["first", "third"] and reader.object_sets == 2


def test_objects_that_cannot_be_written_are_reported(story, monkeypatch):
    def full(objects):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(view_supervisor, "make_object_data", full)
    s = story()
    s.supervisor.window.on_new_objects("first")
    s.supervisor._saver.shutdown()
    s.supervisor.look(s.session, s.now)
    assert [line for line in s.said if "does not show the new objects" in line and "No space left" in line]
