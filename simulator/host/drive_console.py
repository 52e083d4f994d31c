"""Operator's console of a drive: outlet, process, stop, loss of the operator."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from simulator.autonomy.goal_driver import GoalDriver
from simulator.base import cleanup
from simulator.base.addresses import LOOPBACK
from simulator.base.errors import DeviceError
from simulator.builder.session_parts import SessionParts
from simulator.configuration.session_file import ON_LOSS
from simulator.console import PORT
from simulator.console.access import new_token
from simulator.console.address import page_address, warning
from simulator.console.tls import TlsFiles
from simulator.event_effects.cueing_controls import CueingControls
from simulator.events.event import Event, Origin
from simulator.events.questions import Question
from simulator.host.console_process import ConsoleProcess
from simulator.host.console_setup import actions_of, scene_of
from simulator.host.console_status import status_of
from simulator.host.drive_messages import DriveMessages
from simulator.host.drive_streams import DriveStreams
from simulator.host.drive_view import DriveView, drives_to_a_goal
from simulator.host.event_service import EventService
from simulator.host.inset_feed import InsetFeed
from simulator.host.operator_watch import OperatorWatch
from simulator.outlets.console import PERIOD, ConsoleOutlet
from simulator.session import Session

STATUS_EVERY = 50
"""Looks, a hundred in a second, between two messages about the parts of the drive."""
WARNING_TIME = 6.0
"""s for which the driver sees a message about the operator."""


@dataclass(frozen=True)
class ConsoleOptions:
    """Options of a console."""

    port: int = PORT
    """Port; 0: a free one."""
    on_loss: str = ON_LOSS[0]
    """Effect of a lost operator, one of ON_LOSS."""
    host: str = LOOPBACK
    """Address at which the console listens."""
    tls: TlsFiles | None = None
    """Certificate and key; None: unencrypted."""
    further: tuple[str, ...] = ()
    """Further names under which browsers reach the page, see `Access`."""
    token: str = field(default_factory=new_token)
    """Token of the page, for all drives of a command."""


class DriveConsole:
    """Console of a drive; without `open` it does nothing.

    Parameters
    ----------
    messages, view, streams : of the drive

    Attributes
    ----------
    outlet : outlet for the session; None without a console
    process : process of the console; None without a console
    token : token of the page
    port : port of the page; 0 before the process has told it
    """

    def __init__(self, messages: DriveMessages, view: DriveView, streams: DriveStreams) -> None:
        self.outlet: ConsoleOutlet | None = None
        self.process: ConsoleProcess | None = None
        self.token, self.port = "", 0
        self._messages, self._view, self._streams = messages, view, streams
        self._pictures: InsetFeed | None = None
        self._stops = self._looks = 0
        self._told = self._died = False

    def open(self, parts: SessionParts, session: Session, cueing: CueingControls, options: ConsoleOptions, events: EventService) -> None:
        """Start the process, and add the outlet to the session. Raises DeviceError."""
        send = events.queue.put
        self._cueing = cueing
        self.token = options.token
        with cleanup.defer_exit():
            self.outlet = ConsoleOutlet(session, round(PERIOD / session.h), self._tell)
            self._forget = cleanup.register_cleanup(self.outlet.release)
        setup = self.outlet.setup(parts.vehicle.description.name) | {
            "host": options.host,
            "port": options.port,
            "token": self.token,
            "further": options.further,
        }
        setup |= {
            "tls": None if options.tls is None else asdict(options.tls),
            "drive": {"scene": scene_of(parts, session), "actions": actions_of(parts, session)},
            "pictures": self._feed(parts, session),
        }
        self._options = options
        try:
            self.process = ConsoleProcess(setup, lambda kind, value: send(Event(kind, value, Origin.CONSOLE)))
        except OSError as error:
            raise DeviceError(f"console: cannot start its process ({error.strerror})") from None
        self._apply = events.apply
        self._watch = OperatorWatch(self.outlet.block.cells, options.on_loss, send, self._warn)
        session.output.outlets.append(self.outlet)
        session.on_tick.append(self.outlet.note_tick)

    @property
    def outlets(self) -> list[Any]:
        """Outlets that are served while the platform rises and parks."""
        return [] if self.outlet is None else [self.outlet]

    def look(self, session: Session) -> None:
        """Take a stop, and check process and operator; called a hundred times a second."""
        if self.outlet is None or self.process is None:
            return
        self._take_stop(self.outlet)
        self._report(self.process)
        self._looks += 1
        if self._looks % STATUS_EVERY == 0:
            self._tell(status_of(session, self._cueing, self._view, self._streams))
        self._watch.look(session, time.monotonic())

    def refuse(self, event: Event, reason: str) -> None:
        """Tell the pages that an event was refused."""
        self._tell({"type": "refused", "kind": event.kind, "origin": str(event.origin), "text": reason})

    def ask(self, question: Question) -> None:
        """Ask the operator to confirm an event."""
        self._tell({"type": "question", "number": question.number, "kind": question.event.kind, "text": question.text})

    def offer(self, say: Callable[[str], None], file: Path, text: str) -> None:
        """Report a file that was written for the operator, and offer it to the page; called in any thread."""
        say(f"tuned washout in {file}")
        self._tell({"type": "file", "name": file.name, "place": str(file), "text": text})

    def close(self) -> None:
        """End the process and remove the shared memory. A second call does nothing."""
        process, self.process = self.process, None
        outlet, self.outlet = self.outlet, None
        if process is not None:
            process.close()
        if self._pictures is not None:
            self._pictures.close()
        if outlet is not None:
            outlet.release()
            self._forget()

    def _feed(self, parts: SessionParts, session: Session) -> str:
        """Return the block with pictures of camera, lidar and map; empty if the drive has none of them."""
        has_map = drives_to_a_goal(parts)
        if not (has_map or InsetFeed.has_some(session.measuring.sensors)):
            return ""
        self._pictures = InsetFeed(session.measuring.sensors)
        if has_map:
            self._view.map_watchers.append(self._pictures.show_map)
            if isinstance(session.driver, GoalDriver):
                session.driver.watchers.append(self._pictures.show_map)
        return self._pictures.block.name

    def _take_stop(self, outlet: ConsoleOutlet) -> None:
        stops = int(outlet.block.cells["stops"])
        if stops != self._stops:
            self._stops = stops
            self._apply(Event("stop", None, Origin.CONSOLE))  # not by the queue, which a page may have filled

    def _report(self, process: ConsoleProcess) -> None:
        """Print the address once, and the end of the process."""
        if process.port and not self._told:
            self._told, self.port = True, process.port
            options = self._options
            if text := warning(options.host, options.tls):
                self._messages.say(text)
            self._messages.say(f"operator's console: {page_address(options.host, process.port, self.token, options.tls)}")
        if not self._died and not process.alive:
            self._died = True
            self._messages.trouble(f"the console has ended; the drive continues without it{f': {process.error}' if process.error else ''}")

    def _warn(self, text: str) -> None:
        self._messages.say(text)
        if self._view.window is not None:
            self._view.window.show_message(text, WARNING_TIME)

    def _tell(self, message: Any) -> bool:
        return self.process is not None and self.process.tell(message)
