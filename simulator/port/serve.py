"""`jounce serve`: a session that a peer drives over the network, with a log.

By TCP in lock step, the peer sends a command, the session advances a number of ticks as fast as it can, and the peer gets the state. By
UDP, or by TCP with `real_time`, the session runs in real time; the latest command holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from simulator.autonomy.mappers.kinds import DEFAULT as USUAL_MAPPER
from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, JounceError
from simulator.base.rates import shown_time, whole_ticks
from simulator.base.signals import StopRequest, on_signal, signal_message
from simulator.builder.builder import build
from simulator.builder.session_parts import SessionParts
from simulator.builder.warm_up import compile_for_session
from simulator.clock import prepare_process, release_process
from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import Origin as Source
from simulator.driver.make_driver import PERSON
from simulator.event_effects.contract import Controlled
from simulator.event_effects.cueing_controls import CueingControls
from simulator.events.event import Event, Origin
from simulator.host.drive_messages import DriveMessages
from simulator.host.drive_view import DriveView
from simulator.host.event_service import EventService
from simulator.host.session_reports import SessionReports
from simulator.outlets.telemetry import TelemetryOutlet
from simulator.port.arrays import chosen_arrays, is_array
from simulator.port.map_outlet import ARRAYS as MAP_ARRAYS
from simulator.port.map_outlet import MAP, WINDOW, MapOutlet
from simulator.port.messages import VERSION
from simulator.port.paced_tcp_link import PacedTcpLink
from simulator.port.peer import Peer, PortOutlet
from simulator.port.port_driver import PortDriver
from simulator.port.schema import DEFAULT_STATE, StateSchema
from simulator.port.tcp_link import TcpLink
from simulator.port.udp_link import UdpLink
from simulator.real_time import drive_in_real_time
from simulator.run.folder import RunFolder
from simulator.run.run_configuration import open_log, ticks_per_row
from simulator.session import Session
from simulator.telemetry.writer import LogOptions

TIMEOUT = 5.0
"""s of silence after which a peer counts as lost, by default."""
RATE = 100.0
"""Hz. States in real time, by default."""
OPEN = "port: every program that reaches {} may drive; the connection is not encrypted"


class PortControl(Controlled):
    """Effects of events: a run on the port has no window and no platform.

    Attributes
    ----------
    ended : True after an event has ended the run
    """

    def __init__(self, session: Session, driver: PortDriver) -> None:
        self.session, self.cueing = session, CueingControls(session.cueing.tuner)
        self.ended = False
        self._driver = driver

    def restart(self) -> None:
        """Put the vehicle back to the start; it waits there for a new command."""
        self.session.reset()
        self._driver.begin()

    def hand_over(self, name: str) -> bool:
        """Let a driver take over. Raises ConfigError: the peer is the only driver."""
        self.session.seat.find(name)
        return True

    def take_over(self) -> None:
        """Let a person take over. Raises ConfigError: the peer is the only driver."""
        self.session.seat.find(PERSON)

    def quit(self) -> None:
        """End the run."""
        self.ended = True

    def start_next(self, value: Any) -> Any:
        """Refuse: a program on the port ends with its run. Raises ConfigError."""
        raise ConfigError("event", "next_run", value, "a drive of `jounce drive`")


@dataclass(frozen=True)
class ServeOptions:
    """Options of `jounce serve`."""

    configuration: Configuration
    host: str
    port: int
    udp: bool = False
    """By UDP in real time."""
    real_time: bool = False
    """By TCP in real time."""
    lock_step: int | None = None
    """Ticks that a command in lock step advances; None: one period of the driver."""
    rate: float = RATE
    """States per second in real time [Hz]."""
    timeout: float = TIMEOUT
    """s of silence after which the peer counts as lost."""
    state: tuple[str, ...] = DEFAULT_STATE
    """Channels of a state, and arrays NAME.ARRAY."""
    mapper: str | Mapping[str, Any] | None = None
    """Mapper of the arrays `map.LAYER`; None: the usual one, if such an array is chosen."""
    out: Path | None = None
    say: Callable[[str], None] = print_line
    complain: Callable[[str], None] = print_error

    @property
    def paced(self) -> bool:
        """True in real time."""
        return self.udp or self.real_time

    @property
    def arrays(self) -> list[str]:
        """Names and patterns of arrays in `state`."""
        return [name for name in self.state if is_array(name)]


@dataclass(frozen=True)
class ServeSummary:
    """Summary of a run on the port."""

    folder: Path
    time: float
    """Simulated time since the start, restarts not counted [s]."""
    reason: str
    """Reason of the end."""
    dropped: int
    """Messages to the peer that were dropped."""
    lateness: Mapping[str, Any] | None
    """Lateness of the ticks in real time, see `simulator.clock.Lateness.to_json`; None in lock step."""
    failed: bool
    """True if the run did not end as the peer or the options wanted, or a part failed."""


class PortServer:
    """Server of one run for one peer."""

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self.stop_request = StopRequest()
        view = DriveView()
        self._messages = DriveMessages(options.say, options.complain, view, self.stop_request)
        self._reports = SessionReports(self._messages, view)
        self._driver = PortDriver()
        self._link: TcpLink | PacedTcpLink | UdpLink

    @property
    def troubles(self) -> list[str]:
        """Failures so far, one line each."""
        return self._messages.troubles

    def run(self) -> ServeSummary | None:
        """Wait for a peer, let it drive to the end, and return a summary; None if a signal came before a peer.

        Raises
        ------
        JounceError : a file, option, address or folder cannot be used
        """
        o = self.options
        if o.udp and o.arrays:
            raise JounceError(f"--state: {o.arrays[0]}: arrays do not fit into the messages of UDP; hint: --real-time in place of --udp")
        link = self._link = (UdpLink if o.udp else PacedTcpLink if o.real_time else TcpLink)(o.host, o.port, o.timeout)
        try:
            if not link.is_loopback:
                o.complain(OPEN.format(link.address))
            compile_for_session(o.configuration, o.say)
            with o.configuration.reading("terrain"):  # a peer uses only the terrain of a maneuver, as a person does
                o.configuration.put("maneuver", None, Source("jounce", is_file=False))
            parts = build(o.configuration)
            every = self._ticks_between_states(parts)
            ticks_per_row(parts)
            session = parts.session(self._driver)
            with on_signal(self.stop_request):
                return self._prepare(parts, session, every)
        finally:
            link.close()

    def _ticks_between_states(self, parts: SessionParts) -> int:
        """Return the number of ticks between two states. Raises ConfigError."""
        o = self.options
        if o.paced:
            return whole_ticks(o.rate, parts.step, "--rate", "")
        period = parts.ticks(0.01)
        ticks = period if o.lock_step is None else o.lock_step
        if ticks % period:
            raise ConfigError("--lock-step", "", ticks, f"a multiple of {period} ticks, the driver's period of 10 ms")
        return ticks

    def _prepare(self, parts: SessionParts, session: Session, every: int) -> ServeSummary | None:
        """Reset the session, wait for the peer, and serve it."""
        o, link = self.options, self._link
        try:
            maps = self._maps(parts, session)
            session.reset()
            session.warm()
            parts.add_live_outlets(session, o.say)
            state = self._schema(session, bool(maps))
            self._messages.folder = folder = RunFolder(o.out)
            try:
                transport = "UDP" if o.udp else "TCP"
                pace = f"{transport}, {o.rate:g} states a second" if o.paced else f"{transport}, lock step of {every} ticks"
                o.say(f"port: waiting for a peer at {link.address} ({pace})")
                if link.wait_for_peer(self._goes_on):
                    return self._serve(parts, session, folder, state, every, maps)
                session.close()
                return None
            finally:
                folder.abandon()
                folder.release()
        except BaseException:
            self._messages.attempt(session.close)
            raise

    def _maps(self, parts: SessionParts, session: Session) -> list[MapOutlet]:
        """Return the outlet of maps, if one of their arrays is chosen. Raises ConfigError, JounceError."""
        o = self.options
        is_sensor = any(one.name == MAP for one in session.measuring.sensors)
        if any(name.startswith(f"{MAP}.") for name in o.arrays) and not is_sensor:
            return [MapOutlet(parts, session, o.mapper or USUAL_MAPPER, o.paced)]
        if o.mapper is not None:
            raise JounceError("--mapper: no array of its map is chosen, or a sensor is named map; hint: --state 'map.*'")
        return []

    def _schema(self, session: Session, has_map: bool) -> StateSchema:
        """Return the schema of the chosen columns and arrays. Raises ConfigError, JounceError."""
        names = self.options.arrays
        sources = {one.name: one.arrays for one in session.measuring.sensors}
        if has_map:
            sources[MAP], names = MAP_ARRAYS, [*names, f"{MAP}.{WINDOW}"]
        columns = [name for name in self.options.state if not is_array(name)]
        arrays = chosen_arrays(names, sources)
        try:
            return StateSchema(session, columns or DEFAULT_STATE, arrays)
        except ConfigError as error:
            if sources.get(str(error.value)):
                expected = f"a column, a field, or a matching pattern with * and ? (did you mean {error.value}.*?)"
                raise ConfigError("--state", "", error.value, expected) from None
            raise

    def _serve(
        self, parts: SessionParts, session: Session, folder: RunFolder, state: StateSchema, every: int, maps: list[MapOutlet]
    ) -> ServeSummary:
        """Let the peer drive, and close the log."""
        o, link = self.options, self._link
        mode = "real_time" if o.paced else "lock_step"
        info = {"step_s": session.h, "ticks": every, "mode": mode, "vehicle": parts.configuration.name("vehicle"), "timeout_s": o.timeout}
        control = PortControl(session, self._driver)
        peer = Peer(link, state.text(info), self._driver)
        events = EventService(control, o.say, peer.refuse)
        outlet = PortOutlet(link, state, every, lambda: peer.latest_command)
        outlet.send_arrays(session)
        for one in maps:
            one.send = outlet.send_measurement
        session.output.outlets += [*parts.outlets(folder.path), *maps, outlet]
        about = {"driver": "port", "platform": "", "port": f"version {VERSION}, {mode}"}
        log_options = LogOptions(about=about, say=self._messages.trouble, note=o.say)
        log = open_log(parts, session, folder, armed=False, options=log_options)
        folder.began()
        link.schema = state.hash
        link.heard()
        peer.greet()
        session.publish()
        run = _PeerRun(self, session, control, events, peer, outlet)
        duration = math.inf if parts.options.duration is None else parts.options.duration
        self._messages.attempt(partial(run.in_real_time, duration) if o.paced else partial(run.in_lock_step, duration, every))
        if not (control.ended or link.gone) and parts.options.duration is not None:
            outlet.reason = f"its duration of {duration:g} s is over"
        if link.gone and not control.ended:
            self._messages.trouble(link.gone)
        self._end(session, outlet, log, events)
        lateness = None if session.clock is None else session.clock.lateness.to_json()
        served = shown_time(session.tick * session.h)
        return ServeSummary(folder.path, served, outlet.reason, link.dropped, lateness, bool(self.troubles))

    def _end(self, session: Session, outlet: PortOutlet, log: TelemetryOutlet, events: EventService) -> None:
        """Note the reason of the end, and close the outlets."""
        self._reports.report(session)
        if self.stop_request.first is not None:
            events.apply(Event("quit", signal_message(self.stop_request.first), Origin.SIGNAL))
        early = [*self.troubles, *([] if self.stop_request.first is None else [signal_message(self.stop_request.first)])]
        if early:
            outlet.reason = log.writer.ended = early[0]
        self._messages.attempt(session.close)
        if log.writer.failure is not None and log.writer.failure not in self.troubles:
            self.troubles.append(log.writer.failure)

    def _goes_on(self) -> bool:
        """Return whether no signal has arrived."""
        return self.stop_request.first is None

    def report(self, session: Session) -> None:
        """Report incidents, faults, collisions and failures."""
        self._reports.report(session)


class _PeerRun:
    """The two loops of a run: in lock step and in real time."""

    def __init__(
        self, server: PortServer, session: Session, control: PortControl, events: EventService, peer: Peer, outlet: PortOutlet
    ) -> None:
        self._server, self._session, self._control, self._events = server, session, control, events
        self._peer, self._outlet, self._link = peer, outlet, server._link

    def in_lock_step(self, duration: float, ticks: int) -> None:
        """Advance `ticks` with each command, until `duration` [s] is over or the peer ends the run or is gone."""
        session = self._session
        while self._continues() and session.tick * session.h < duration - 0.5 * session.h:
            self._link.heard()
            if not self._wait_for_command():
                return
            for tick in range(ticks):
                if tick % session.driver_every == 0 and not self._goes_on():
                    return
                session.advance()
            self._server.report(session)

    def _wait_for_command(self) -> bool:
        """Serve the peer until it sends a command; return False if the run ends before."""
        while (message := self._link.receive(self._goes_on)) is not None:
            if self._peer.take(message):
                return True
            self._peer.serve(self._events)
            if self._control.ended:
                return False
        return False

    def in_real_time(self, duration: float) -> None:
        """Run in real time, until `duration` [s] is over or the peer ends the run or is gone."""
        for line in prepare_process():
            self._server.options.say(line)
        try:
            drive_in_real_time(self._session, duration, self._keep_going)
        finally:
            release_process()

    def _keep_going(self, session: Session) -> bool:
        """Serve the peer; called a hundred times a second."""
        assert not isinstance(self._link, TcpLink) or isinstance(self._link, PacedTcpLink)
        self._link.begin_period()
        while (message := self._link.receive(self._goes_on)) is not None:
            self._peer.take(message)
        self._peer.serve(self._events)
        self._server.report(session)
        return self._continues() and self._goes_on()

    def _continues(self) -> bool:
        """Return whether neither the peer nor an event has ended the run."""
        return not (self._link.gone or self._control.ended or self._outlet not in self._session.output.outlets)

    def _goes_on(self) -> bool:
        return self._server.stop_request.first is None
