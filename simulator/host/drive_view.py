"""View of a drive: its choice, the window that shows the progress of the compilation, and the process of the view."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from simulator.autonomy.goal_driver import GoalDriver
from simulator.builder.builder import view_geometry
from simulator.builder.session_parts import SessionParts
from simulator.builder.warm_up import compile_for_session, needs_compilation
from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import Origin
from simulator.configuration.session_file import read_session
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.kinds import PLANNER
from simulator.driver.make_driver import AUTO, PERSON, follows_maneuver, role_of, without_a_person
from simulator.events.event import Event
from simulator.host.start_window import StartWindow
from simulator.outlets.view import ViewOutlet
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.session import Session
from simulator.view.ghost import GhostTrack
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.user_settings import UserSettings, load_settings

DEFAULT_MANEUVER = "scripted_drive"
VIEW_PERIOD = 0.008
"""s between two states for the view, which interpolates between them with a delay of one state."""
OFFSCREEN_TIME = 30.0
"""s of simulated time of a drive without a display, unless a duration is specified."""
FRAME_INTERVAL = 0.5
"""s of simulated time between two images rendered offscreen."""
SHOWN_AGAIN = 0.1
"""s between two states for a window that draws its first frame."""
PREPARES = "preparing the drive; the window opens in some seconds"
"""Line of a drive whose kernels are compiled; the compilation prints lines of its own."""


def choose_view(c: Configuration, say: Callable[[str], None]) -> None:
    """Choose view and driver. Without a display, write images. Without a window, use a plugin driver or the scripted driver."""
    from simulator.view.gl_context import display_available

    here = Origin("jounce", is_file=False)
    options = read_session(c)
    view = options.view
    if view == "auto" and not display_available():
        duration = OFFSCREEN_TIME if options.duration is None else options.duration
        chosen = without_a_person(options.driver)
        say(f"no display found: driving {duration:g} s with the {chosen.name} driver and writing images")
        c.put("duration", duration, here)
        view = "offscreen"
    if view in ("offscreen", "none"):
        c.put("outlets.view", view, here)
        if (chosen := without_a_person(options.driver)).name != options.driver.name:
            c.put("driver", chosen.name, here)
    if options.takeover is None:
        by_a_person = role_of(read_session(c).driver) == PERSON
        c.put("takeover", [] if by_a_person or view in ("offscreen", "none") else [AUTO], here)
    if not any(follows_maneuver(one.name) for one in read_session(c).drivers.values()):
        with c.reading("terrain"):  # a human driver uses only the terrain of the maneuver, unless it has a timed course
            if not _has_timed_course(c):
                c.put("maneuver", None, here)
    elif not c.has("maneuver"):
        c.put("maneuver", DEFAULT_MANEUVER, here)


def _has_timed_course(c: Configuration) -> bool:
    """Return whether the maneuver has a timed course. Raises ConfigError: the file cannot be read."""
    if not c.has("maneuver"):
        return False
    c.named.fill(("maneuver",))
    c.named.expand(("maneuver",))
    return c.has("maneuver.timed_course")


def has_platform(parts: SessionParts) -> bool:
    """Return whether a drive has a motion platform."""
    return parts.options.motion.on or bool(parts.options.streams)


def drives_to_a_goal(parts: SessionParts) -> bool:
    """Return whether the driver drives to a goal."""
    return PLANNER in parts.options.drivers or (parts.maneuver is not None and parts.maneuver.task is not None)


class DriveView:
    """View of a drive.

    Attributes
    ----------
    supervisor : supervisor of the process of the view; None without a view
    window : outlet of the view; None without a view
    keys : keys of the window
    map_watchers : called with the Snapshots of a driver to a goal, besides the window
    ghost : ghost that the view shows; None without one
    settings : settings of the user; the usual ones without a window
    """

    def __init__(self) -> None:
        self.ghost: GhostTrack | None = None
        self.settings = UserSettings()
        self.supervisor: Any = None
        self.window: ViewOutlet | None = None
        self.keys: Any = None
        self.map_watchers: list[Callable[[Any], None]] = []
        self._start_window: StartWindow | None = None

    def compile(self, configuration: Configuration, say: Callable[[str], None]) -> None:
        """Compile the kernels if needed; if the drive has a window, a first one shows the progress until it opens.

        Raises ConfigError: the window cannot use the settings of the user.
        """
        from simulator.view.gl_context import display_available

        has_window = read_session(configuration).view in ("auto", "window") and display_available()
        if has_window:
            self.settings = load_settings()
        if has_window and needs_compilation():
            self._start_window = StartWindow()
            compile_for_session(configuration, say, self._start_window.show)
            self._start_window.show("preparing the drive", 1.0)
        else:
            if has_window:
                say(PREPARES)
            compile_for_session(configuration, say)

    def open(
        self,
        parts: SessionParts,
        folder: Path,
        began: float,
        by_a_person: bool,
        say: Callable[[str], None],
        send: Callable[[Event], object],
        sensors: Sequence[MountedSensor] = (),
    ) -> None:
        """Start the window, or the offscreen images, in a separate process.

        Parameters
        ----------
        folder : folder of the images
        began : start time of the program
        by_a_person : True for a human driver
        send : receives the events of a lost window
        sensors : of the drive, which the view shows as insets
        """
        from simulator.host.view_supervisor import ViewSupervisor
        from simulator.view.drive_lock import sweep

        view = parts.options.view
        sweep()
        if view == "none":
            return
        wheels = parts.vehicle.size.wheels
        self.supervisor = supervisor = ViewSupervisor(parts.ticks(VIEW_PERIOD), say, send, began, by_a_person, wheels, parts.ground)
        self.window, self.keys = supervisor.window, supervisor.keys
        self.window.extras[0]["has_platform"], self.window.extras[0]["by_person"] = has_platform(parts), by_a_person
        supervisor.show_insets(sensors, with_map=drives_to_a_goal(parts))
        if self.ghost is not None:
            self.ghost.save(supervisor.drive_lock.folder)
        pictures = folder if view == "offscreen" else None
        supervisor.open(
            make_terrain_data(parts.ground, parts.options.weather),
            view_geometry(parts.vehicle, parts.cueing.platform),
            parts.vehicle.description.name,
            pictures,
            FRAME_INTERVAL,
        )

    def set_person(self, drives: bool) -> None:
        """Note whether a human driver drives, who needs a window."""
        if self.supervisor is not None:
            self.supervisor.person = drives

    def show_map(self, driver: Driver | SensingDriver) -> None:
        """Show the map and the plans of a driver to a goal."""
        if not isinstance(driver, GoalDriver):
            return
        driver.watchers += [watcher for watcher in self.map_watchers if watcher not in driver.watchers]
        if self.supervisor is not None:
            self.supervisor.show_map(driver)

    @property
    def first_frame(self) -> float | None:
        """Time of the first image of the process; None before it, and without a view."""
        time: float | None = None if self.supervisor is None else self.supervisor.first_frame
        return time

    def wait_for_first_frame(self, session: Session, stopped: Callable[[], bool]) -> None:
        """Show the state before the first tick until the window has drawn it, so that no time passes before the user sees the world.

        The wait also ends when the window is closed, fails or does not open in OPENING seconds, and when `stopped()` returns True.
        """
        from simulator.host.view_supervisor import OPENING

        supervisor, window = self.supervisor, self.window
        if supervisor is None or window is None or not supervisor.opens_window:
            return
        published, end = 0.0, time.monotonic() + OPENING
        while self.first_frame is None and not (stopped() or supervisor.stop or supervisor.missing):
            now = time.monotonic()
            if now > end:
                return
            if now - published >= SHOWN_AGAIN:
                window.publish(session)
                published = now
            time.sleep(0.005)
            self.look(session)

    def look(self, session: Session) -> None:
        """Check the process; the first window closes when the window is open."""
        self.supervisor.look(session)
        if self.first_frame is not None:
            self.close_start_window()

    def close_start_window(self) -> None:
        """Close the window that shows the progress of the compilation. A second call does nothing."""
        if self._start_window is not None:
            self._start_window.close()
            self._start_window = None
