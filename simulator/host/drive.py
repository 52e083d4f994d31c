"""Host process of a drive: it runs physics, cueing, motion stream and input devices; the view is another process.

A view that hangs, exits or never starts, and a platform that does not answer, do not disturb the vehicle.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from simulator.autonomy.outcome import Outcome, outcome_in_log, outcome_of
from simulator.base.console import print_error, print_line
from simulator.base.json_output import json_text
from simulator.base.progress_line import ProgressLine
from simulator.base.rates import even_turns
from simulator.base.signals import StopRequest, on_signal, signal_message
from simulator.builder.builder import build
from simulator.clock import Clock, prepare_process, release_process
from simulator.configuration.configuration import Configuration
from simulator.console.address import need_packages
from simulator.driver.force_feedback.thread import ForceFeedbackThread
from simulator.driver.force_feedback.turn_torque import torque_in_turn
from simulator.driver.input_devices.devices import Device
from simulator.driver.make_driver import PERSON
from simulator.events.event import Event, Origin
from simulator.host.drive_console import ConsoleOptions, DriveConsole
from simulator.host.drive_control import DriveControl
from simulator.host.drive_drivers import drivers_of, need_devices
from simulator.host.drive_end import end_reason
from simulator.host.drive_messages import DriveMessages
from simulator.host.drive_sound import DriveSound
from simulator.host.drive_streams import DriveStreams
from simulator.host.drive_view import DriveView, choose_view, has_platform
from simulator.host.event_script import EventScript
from simulator.host.event_service import EventService
from simulator.host.human_controls import HumanControls
from simulator.host.platform_park import close_together, park
from simulator.host.platform_rise import wait_for_platform
from simulator.host.session_reports import SessionReports
from simulator.host.stream_reports import StreamReports
from simulator.host.trip import Trip
from simulator.host.washout_save import WashoutSave
from simulator.maneuvers.phase_driver import DONE, how_ended
from simulator.outlets.force_feedback import ForceFeedbackOutlet
from simulator.outlets.telemetry import TelemetryOutlet
from simulator.real_time import drive_in_real_time
from simulator.run.course_records import CourseRecords
from simulator.run.folder import RunFolder
from simulator.run.ghost import ghost_of
from simulator.run.run_configuration import DRIVERS, DROPPED, open_log, ticks_per_row
from simulator.session import Session
from simulator.telemetry.writer import LogOptions
from washout.limiter.limiter import interventions

PARKING = "end of the drive: the platform parks"


@dataclass
class DriveOptions:
    """Options of `jounce drive` and `jounce stream`."""

    configuration: Configuration
    out: Path | None = None
    began: float = field(default_factory=time.perf_counter)
    say: Callable[[str], None] = print_line
    complain: Callable[[str], None] = print_error
    progress: bool = False
    """True to show the progress on a terminal."""
    script: EventScript = field(default_factory=EventScript)
    """Events that are sent during the drive."""
    console: ConsoleOptions | None = None
    """Options of the operator's console; None without one."""
    ghost: Path | None = None
    """Recorded drive that the view shows as a ghost; None without one."""
    ghost_waits: bool = False
    """True: the ghost begins to move when the vehicle does. False: it begins with the drive."""


class Host:
    """Host of one drive, from the first file read to the last packet sent."""

    def __init__(self, options: DriveOptions) -> None:
        self.options = options
        self.stop_request = StopRequest()
        """Signals that arrived during the drive."""
        self.view = DriveView()
        self.messages = DriveMessages(options.say, options.complain, self.view, self.stop_request)
        self.streams = DriveStreams(self.messages, self.stop_request)
        self.controls = HumanControls(self.messages, self.view)
        self.control = DriveControl(self.view, self.streams, self.controls)
        self.console = DriveConsole(self.messages, self.view, self.streams)
        self.sound = DriveSound(self.messages)
        self.events = EventService(self.control, self._note, self.console.refuse, self.console.ask)
        self.reports = SessionReports(self.messages, self.view)
        self.stream_reports = StreamReports(self.messages, self.streams)
        self.log: TelemetryOutlet | None = None
        self.force_feedback: ForceFeedbackOutlet | None = None
        self.records: CourseRecords | None = None
        """Results of the user on the timed course; None without one."""
        self.outcome: Outcome | None = None
        """Outcome of a drive to a goal."""
        self.trip = Trip()
        self.by_person = False
        """Whether the drive began with a person as its driver."""
        self._progress: ProgressLine | None = None
        self._closed = False

    def run(self) -> dict[str, Any]:
        """Drive until the duration is over, the window is closed or Ctrl-C; return a summary.

        Raises
        ------
        JounceError : a file, device, address or folder cannot be used, or the vehicle's state is no longer finite
        """
        if self.options.console is not None:
            need_packages("--console")
        choose_view(self.options.configuration, self.messages.say)
        need_devices(self.options.configuration)
        self.view.compile(self.options.configuration, self.messages.say)
        self.parts = parts = build(self.options.configuration)
        ticks_per_row(parts)
        motion = parts.options.motion
        if motion.rate is not None:
            even_turns(motion.rate, parts.step, "stream", "rate")
        if parts.maneuver is not None and parts.maneuver.placed_course is not None:
            self.records = CourseRecords(parts, self.messages.say)
            self.view.ghost = self.records.ghost()
        if self.options.ghost is not None:
            self.view.ghost = ghost_of(self.options.ghost, parts.configuration, self.options.ghost_waits, self.messages.say)
        sensors = parts.new_sensors()  # before the window opens, because an error here ends the command
        self.streams.open(parts)
        self.messages.folder = folder = RunFolder(self.options.out)
        try:
            self.by_person = next(iter(parts.options.drivers)) == PERSON
            self.view.open(parts, folder.path, self.options.began, self.by_person, self._note, self.events.queue.put, sensors)
            self.streams.start_platform(folder.path)
            choices = drivers_of(parts, self.controls)
            driver = choices[0].make(None)
            self.view.show_map(driver)
            self.session = session = parts.session(driver, sensors=sensors, paced=True)
            session.seat.offer_choices(choices)
            if session.course is not None and self.records is not None:
                session.course.best = self.records.best_lap
            self.control.begin(session)
            with parts.configuration.reading("washout") as (content, _):
                saved, refused = partial(self.console.offer, self._note), partial(self.console.refuse, Event("save_washout"))
                self.control.washout_save = WashoutSave(content, session.cueing.tuner, folder.path, saved, self.messages.attempt, refused)
            session.reset()
            session.warm()
            if self.view.window is not None:
                session.output.outlets.append(self.view.window)
                session.on_tick.append(self.view.window.note_tick)
            self._open_sound(session)
            if self.options.console is not None:
                self.console.open(parts, session, self.control.cueing, self.options.console, self.events)
            self.streams.connect()
            outlets = parts.outlets(folder.path)
            with on_signal(self._take_signal):
                try:
                    session.output.outlets.extend(outlets)
                    self.view.wait_for_first_frame(session, lambda: self.stop_request.first is not None)
                    self._begin(session, folder)
                    return self._drive(session, folder.path)
                finally:
                    self._close()
        finally:
            self._close()

    def _open_sound(self, session: Session) -> None:
        """Start the sound, if the drive has some: with a window, or by request."""
        options = self.parts.options.sound
        has_window = self.view.window is not None and self.parts.options.view in ("auto", "window")
        if not self.options.configuration.has("outlets.sound.volume"):
            options = replace(options, volume=self.view.settings.volume)
        session.sound.volume = options.volume
        if self.view.window is not None:
            self.view.window.extras[0]["volume"] = options.volume
        if has_window if options.on is None else options.on:
            self.sound.open(session, options)

    def _take_signal(self, number: int) -> None:
        """Let a signal end the drive; called in another thread."""
        self.stop_request(number)
        self.events.queue.put(Event("quit", signal_message(number), Origin.SIGNAL))

    def _begin(self, session: Session, folder: RunFolder) -> None:
        """Add the outlets of the host to the session, and begin the log."""
        parts, human_driver, streams = self.parts, self.controls.driver, self.streams
        if human_driver is not None and parts.options.force_feedback:
            thread = ForceFeedbackThread(human_driver.add_notice, turn_torque=torque_in_turn(parts.vehicle, parts.gravity))
            self.force_feedback = ForceFeedbackOutlet(thread, self._felt_device, parts.step)
            session.output.outlets.append(self.force_feedback)
        about = {
            "driver": parts.options.driver.name,
            DRIVERS: ", ".join(session.seat.names),
            **({} if has_platform(parts) else {"platform": ""}),
        }
        log_options = LogOptions(about=about, say=self.messages.trouble, note=self._note)
        parts.add_live_outlets(session, self._note)
        self.log = open_log(parts, session, folder, streams.armed, log_options, raised=streams.waits)
        streams.began = True
        folder.began()
        if not streams.waits:
            session.publish()
        streams.begin(session)
        if streams.armed:
            parts.cueing.procedure.arm()

    def _felt_device(self) -> Device | None:
        """Return the device for the force feedback; none while another driver than the person drives."""
        human_driver = self.controls.driver
        return human_driver.device if human_driver is not None and self.session.seat.name == PERSON else None

    def _note(self, text: str) -> None:
        """Print a line, over the line of the progress if there is one."""
        self.messages.say(text)

    def _drive(self, session: Session, folder: Path) -> dict[str, Any]:
        """Drive, park, close. Each step runs even if the step before failed."""
        maneuver, duration = self.parts.maneuver, self.parts.options.duration
        messages, streams, window = self.messages, self.streams, self.view.window
        if duration is None:
            duration = math.inf if maneuver is None or session.seat.name == PERSON else maneuver.duration
        if self.options.progress and duration < math.inf:
            self._progress = ProgressLine(partial(self.stream_reports.progress_text, session, duration))
            messages.write_over(self._progress)
        for line in prepare_process():
            messages.say(line)
        if streams.waits:
            by_a_person = session.seat.name == PERSON
            messages.attempt(partial(self._wait_for_platform, session, by_a_person))
        self._run_drive(session, duration)
        clock = session.clock
        assert clock is not None
        simulated, wall = clock.paced, clock.elapsed
        if self.log is not None:  # without the end of the drive, in which the vehicle does not move any more
            self.log.writer.about |= self._times_in_log(clock)
        live = session.cueing.monitor.live[0].copy()
        limiter = interventions(session.cueing.readout)
        motions, quick = streams.to_park()
        if motions:
            others = [*([] if window is None else [window]), *self.console.outlets]
            if window is not None:
                window.show_message(PARKING, math.inf)  # replaces the message of a paused drive
            messages.attempt(partial(park, session, motions, others, self.stop_request, messages.say, quick, self._serve_park))
        self._note_ending()
        messages.attempt(partial(close_together, streams.motions))
        streams.begin_end()  # the platform draws its plot while the log is written
        messages.attempt(session.close)
        if self._progress is not None:
            self._progress.close()
        course: list[str] = []
        messages.attempt(lambda: course.extend(self._course_lines(session, folder)))
        self._report_failures(session)
        self.reports.report_outlets(session)
        release_process()
        return {
            "folder": folder,
            "course": course,
            "sound": self.sound.summary(),
            "by_person": self.by_person,
            "time": simulated,
            "real_time_factor": simulated / max(wall, 1e-9),
            "overruns": clock.overruns,
            "worst_lateness": clock.worst_lateness,
            "dropped": clock.dropped,
            "lateness": clock.lateness.to_json(),
            "first_frame": self.view.first_frame,
            "incidents": 0 if session.recovery.latest is None else session.recovery.latest.number,
            "collisions": len(session.collisions),
            "sensors": {
                one.name: {"late": one.late, "skipped": one.skipped} for one in session.measuring.sensors if one.late or one.skipped
            },
            "limiter": limiter if quick else interventions(session.cueing.readout),
            "sickness_dose": {place: float(live[f"{place}_sickness_dose"]) for place in ("car", "cab")},
        }

    def _course_lines(self, session: Session, folder: Path) -> list[str]:
        """Add the times on the course to the results of the user; return the lines about them. Raises JounceError."""
        if session.course is None:
            return []
        return session.course.summary() + ([] if self.records is None else self.records.add(session.course, folder))

    def _run_drive(self, session: Session, duration: float) -> None:
        """Drive until the end, and report its reason."""
        before = len(self.messages.troubles)
        completed = self.messages.attempt(lambda: drive_in_real_time(session, duration, self._keep_going))
        failure = "" if completed or len(self.messages.troubles) == before else self.messages.troubles[-1]
        session.end_reason = end_reason(session, failure, self.stop_request, self.events.ended_by)
        self.messages.say(f"the drive ends: {session.end_reason}")

    def _times_in_log(self, clock: Clock) -> dict[str, str]:
        """Return the times of the ticks and the trip for the log."""
        times = {
            "lateness": clock.lateness.to_json(),
            "tick_cost": clock.cost.to_json(),
            "late_ticks": clock.overruns,
            "dropped_s": clock.dropped,
        }
        trip = {"distance_m": f"{self.trip.distance:.1f}", "top_speed_mps": f"{self.trip.top_speed:.2f}"}
        return {"real_time": json_text(times), **trip}

    def _wait_for_platform(self, session: Session, by_a_person: bool) -> None:
        """Let the platform rise before the drive."""
        ticks = wait_for_platform(
            session, self.streams.motions, self.view.window, by_a_person, self._keep_waiting, self.messages.say, self.console.outlets
        )
        self.events.apply(Event("wait_over", ticks))

    def _note_ending(self) -> None:
        """Write the reason of the end to the log, unless the drive ended normally, and the outcome of a drive to a goal."""
        if self.log is None:
            return
        early = "ended by the user" if self.control.ended else ""
        if self.messages.troubles:
            early = self.log.writer.ended = self.messages.troubles[0]
        elif self.stop_request.first is not None:
            early = self.log.writer.ended = signal_message(self.stop_request.first)
        if self.session.output.failures:
            self.log.writer.about[DROPPED] = "; ".join(map(str, self.session.output.failures))
        self.outcome = outcome_of(self.session.driver, early)
        self.log.writer.about |= outcome_in_log(self.outcome)

    def _keep_going(self, session: Session) -> bool:
        """Check vehicle, outlets, devices and view; return False to end the drive. Called a hundred times a second."""
        self.trip.note(session)
        self._report_failures(session)
        self.stream_reports.report_receivers(session)
        self._serve(session)
        if self.streams.joins:
            assert self.log is not None
            self.streams.join(session, self.log, self.events.apply)
        return not (self.control.ended or self.stop_request.first is not None or self._is_over(session))

    def _keep_waiting(self) -> bool:
        """Same checks while the platform rises; return False to end the wait."""
        return self._keep_going(self.session) and not self.streams.platform_gone

    def _is_over(self, session: Session) -> bool:
        """Return whether a trigger has ended the drive, or the maneuver has and no duration was specified."""
        ended = how_ended(session.driver)
        if ended not in ("", DONE) and ended not in self.messages.troubles:
            self.messages.trouble(ended)
        finished = session.course is not None and session.course.own.finished and session.seat.name != PERSON
        return bool(session.triggers.ended) or (bool(ended or finished) and self.parts.options.duration is None)

    def _report_failures(self, session: Session) -> None:
        """Report incidents and failures of vehicle, outlets and platform."""
        self.reports.report(session)
        self.stream_reports.report_failures()

    def _serve(self, session: Session) -> None:
        """Check the view, collect the events of all senders, and apply them; called a hundred times a second."""
        self.controls.report_troubles()
        self.console.look(session)
        self.sound.look()
        supervisor, queue = self.view.supervisor, self.events.queue
        if supervisor is not None:
            self.view.look(session)
            if supervisor.stop and not self.control.ended:
                if supervisor.lost:
                    self.messages.troubles.append("no window")
                closed = None if supervisor.keys.ends_drive else "the window was closed"
                queue.put(Event("quit", "no window" if supervisor.lost else closed, Origin.WINDOW))
        # the time of a script begins with the drive
        scripted = [] if session.waits else self.options.script.due(session.tick * session.h)
        for event in (*self.controls.watch(session), *self.controls.events(), *scripted):
            queue.put(event)
        self.events.serve()

    def _serve_park(self) -> None:
        """Let the operator stop a platform that parks; other events have no effect any more."""
        self.console.look(self.session)
        for event in self.events.queue.take():
            if event.kind == "stop":
                self.events.apply(event)

    def _close(self) -> None:
        """End the other processes; delete the folder of a drive that did not begin. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self.view.close_start_window()
        self.streams.begin_end()  # the platform draws its plot while the view closes
        self.messages.attempt(self.console.close)
        self.messages.attempt(self.sound.close)
        if self.force_feedback is not None:
            self.messages.attempt(self.force_feedback.close)
        if self.controls.driver is not None:
            self.messages.attempt(self.controls.driver.close)
        if self.view.supervisor is not None:
            self.messages.attempt(partial(self.view.supervisor.close, lambda: self.stop_request.first is not None))
        self.streams.wait_for_end()
        if self.messages.folder is not None:
            self.messages.folder.abandon()
            self.messages.folder.release()
