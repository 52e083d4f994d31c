"""Outlet of the window."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.events.event import Origin

if TYPE_CHECKING:
    from simulator.driver.driver_seat import DriverSeat
    from simulator.events.event import Event
    from simulator.session import Session
    from simulator.view.shared_state import ViewWriter
    from terrain.objects.object_set import ObjectSet
    from terrain.rut_changes import ChangedTiles
from simulator.outlets.dashboard import Dashboard
from simulator.outlets.last_seconds import LastSeconds
from simulator.outlets.motion_extremes import MotionExtremes
from simulator.outlets.telemetry import PULLED_FRACTION

MESSAGE_TIME = 5.0
"""Wall time [s] for which a message to the driver is visible."""


JUMPS = ("reset", "upright", "incident")
"""Events after which the vehicle is at another place."""
LONGEST_NAME = 23
"""Maximum number of bytes of the name of a driver."""
LONGEST = 95
"""Maximum number of bytes of a message."""


class ViewOutlet:
    """Publishes the session to the views that are attached to a block of shared memory.

    Parameters
    ----------
    every : number of ticks between two publications
    block : view block that the caller owns and closes; default: a new block, closed with the outlet
    """

    label = "window"
    """Name of the outlet in messages."""

    def __init__(self, every: int, block: ViewWriter | None = None) -> None:
        from simulator.view.object_changes import ChangedObjects
        from simulator.view.shared_state import ViewWriter, extras

        self.every = every
        self._owns = block is None
        self.block = ViewWriter() if block is None else block
        self.extras = extras()
        self._open = True
        self._extremes: MotionExtremes | None = None
        self._ruts = None if self.block.ruts is None else self._new_square()
        self._changed_objects = ChangedObjects()
        self._objects: ObjectSet | None = None
        self.on_new_objects: Callable[[ObjectSet], None] | None = None
        """Called when objects were added: writes the new set for the views, and announces it to them, without delay for the drive."""
        self._last: LastSeconds | None = None
        self._dashboard: Dashboard | None = None
        self._message, self._until = "", 0.0
        self._holds: Callable[[Session], bool] | None = None

    @property
    def message(self) -> str:
        """Line for the driver; a new line is visible for MESSAGE_TIME."""
        return self._message

    @message.setter
    def message(self, text: str) -> None:
        self.show_message(text)

    def show_message(self, text: str, seconds: float = MESSAGE_TIME, holds: Callable[[Session], bool] | None = None) -> None:
        """Show the driver a line for some seconds, or until `holds` returns False; an empty text removes the line."""
        self._message, self._until, self._holds = text, time.monotonic() + seconds, holds

    def press_in_menu(self, keys: Sequence[str]) -> None:
        """Send the window keys of its menu and actions that were pressed on devices, see `simulator.view.shared_state.MENU_PRESSES`."""
        from simulator.view.shared_state import MENU_PRESSES

        for key in keys:
            self.extras[0]["menu_presses"][MENU_PRESSES.index(key)] += 1

    def publish(self, session: Session) -> None:
        """Publish the present state."""
        from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
        from simulator.view.shared_state import COURSE_TEXT

        if self._message and (time.monotonic() > self._until or (self._holds is not None and not self._holds(session))):
            self._message = ""
        e, cueing, p = self.extras[0], session.cueing, session.cueing.platform[0]
        pose = cueing.pose
        R = np.empty((3, 3))
        rotation_of_euler(pose[3], pose[4], pose[5], R)
        quaternion_of_rotation(R, e["q_platform"])
        e["p_platform"], e["legs"] = pose[:3], cueing.legs
        e["leg_use"] = (cueing.legs - p["shortest_leg"]) / (p["longest_leg"] - p["shortest_leg"])
        if session.clock is not None:
            e["real_time_factor"], e["overruns"] = session.clock.real_time_factor, session.clock.overruns
        command = session.command[0]
        e["selector"], e["parking_brake"] = command["selector"], command["parking_brake"] > PULLED_FRACTION
        e["turn_signals"] = session.turn_signals.side
        if self._dashboard is None:
            self._dashboard = Dashboard(session.vehicle)
        self._dashboard.fill(e)
        self._publish_motion(session)
        e["waits"], e["driver"] = session.waits, self._driver(session.seat)
        e["paused"], e["message"] = session.paused, short(self._message)
        if session.course is not None:
            e["lap_began"] = session.course.own.lap_began
            e["course"] = "\n".join(session.course.lines()).encode()[:COURSE_TEXT]
        self._publish_state(session)
        if self._ruts is not None:
            self._show_ruts(session, self._ruts)
        self._show_objects(session)

    def _publish_state(self, session: Session) -> None:
        """Publish the present state, or one of the last seconds while they are replayed."""
        if self._last is None:
            self._last = LastSeconds(session.readout, self.extras)
        last, shown, extras, vehicles = self._last, session.readout, self.extras, session.others.states
        if last.plays:
            extras = self.extras.copy()
            shown = last.show(session, extras)
            vehicles = last.vehicles
        else:
            last.note(session, self.extras, self.block.generation)
        if last.jumped:
            self.block.jump()
            last.jumped = False
        self.block.publish(shown, extras, vehicles)

    def show_last_seconds(self, session: Session) -> str:
        """Show the last seconds of the drive, whose vehicle is paused, or end that replay; return a text for the driver."""
        if self._last is None:
            return ""
        if self._last.plays:
            self._last.end()
            return ""
        self._last.begin(session.tick)
        return "" if self._last.plays else "no states for a replay yet"

    @staticmethod
    def _driver(seat: DriverSeat) -> bytes:
        """Return the name of the present driver if several may drive."""
        return short(seat.name, LONGEST_NAME) if len(seat.names) > 1 else b""

    def _show_objects(self, session: Session) -> None:
        """Send the objects that were added or removed, or that move after they have broken off."""
        objects = session.objects
        if objects is not self._objects:
            if self._objects is not None and self.on_new_objects is not None:
                self.on_new_objects(objects)
            self._objects = objects
        changes = self._changed_objects.take(objects, float(session.readout[0]["time"]))
        if len(changes.rows) and self.block.objects is not None:
            self.block.objects.put(changes)

    @staticmethod
    def _new_square() -> ChangedTiles:
        from simulator.view.rut_tiles import MAX_TILES, SIDE
        from terrain.rut_changes import ChangedTiles

        return ChangedTiles(SIDE, MAX_TILES)

    def _show_ruts(self, session: Session, changed: ChangedTiles) -> None:
        """Send the tiles of the ruts that have changed."""
        from simulator.view.rut_tiles import RutTiles

        position = session.readout[0]["p_WB"]
        tiles = RutTiles(*changed.changed_tiles(session.soil, float(position[0]), float(position[1])))
        if len(tiles.places) and self.block.ruts is not None:
            self.block.ruts.put(tiles)

    def _publish_motion(self, session: Session) -> None:
        """Publish the motion of the rider in the cab next to that of the driver in the vehicle."""
        from simulator.view.shared_state import MOTION_BLOCKS

        e, vehicle_state, felt = self.extras[0], session.watch.state[0], session.cueing.monitor.felt[0]
        e["car_feels"][:3], e["car_feels"][3:] = vehicle_state["f_H_B"], vehicle_state["w_WB_B"]
        e["cab_feels"][:3], e["cab_feels"][3:] = felt["cab_f_H_P"], felt["cab_w_NP_P"]
        e["car_feels"][2] -= session.ground.p[0]["gravity"]
        e["cab_feels"][2] -= STANDARD_GRAVITY
        e["intensity"] = session.cueing.readout[0]["intensity"]
        if self._extremes is not None:
            row = int(e["motion_blocks"]) % MOTION_BLOCKS
            for name, values in (("motion_low", self._extremes.low), ("motion_high", self._extremes.high)):
                e[name][row] = values
                e[name][row, :, 2] -= session.ground.p[0]["gravity"], STANDARD_GRAVITY
            e["motion_blocks"] += 1
            self._extremes.begin()

    def note_tick(self, session: Session) -> None:
        """Add a tick to the extremes of the motion; for `Session.on_tick`."""
        if self._extremes is None:
            self._extremes = MotionExtremes(session)
        self._extremes.note()

    def hear(self, _: Session, event: Event) -> None:
        """Announce to the views that the next state does not continue the last one, a camera that a device has chosen, and a new volume."""
        if event.kind in JUMPS:
            self.block.jump()
        elif event.kind.partition("_")[0] == "camera" and event.origin != Origin.WINDOW:  # the window itself has changed its camera
            self.press_in_menu([event.kind])
        elif event.kind == "volume":
            self.extras[0]["volume"] = event.value

    def close(self) -> None:
        """Announce to the views that the host leaves; further calls have no effect."""
        if self._open:
            self._open = False
            if self._owns:
                self.block.close()
            else:
                self.block.mark_closed()


def short(text: str, longest: int = LONGEST) -> bytes:
    """Return a message in UTF-8, shortened between two characters with an ellipsis if it has more than `longest` bytes."""
    encoded = text.encode()
    return encoded if len(encoded) <= longest else encoded[: longest - 3].decode(errors="ignore").encode() + "…".encode()
