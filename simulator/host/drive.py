"""`jounce drive` and `jounce stream`: the host process. It runs physics, cueing, motion stream and input devices; the view is another
process.

A view that hangs, exits or never starts, and a platform that does not answer, do not disturb the vehicle.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import JounceError
from simulator.base.progress_line import ProgressLine, bar
from simulator.base.rates import even_turns
from simulator.base.records import Record
from simulator.base.signals import EndedBySignal, StopRequest, on_signal, signal_message
from simulator.builder.builder import build, view_geometry
from simulator.builder.warm_up import compile_kernels, needs_compilation
from simulator.clock import lateness_text, prepare_process, release_process
from simulator.configuration.configuration import Configuration
from simulator.configuration.from_arguments import session_of
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override, option
from simulator.configuration.session_file import THIS_MACHINE, MotionOptions, StreamOptions, parse_address, read_session
from simulator.driver.contract import Driver
from simulator.driver.force_feedback.thread import ForceFeedbackThread
from simulator.driver.input_devices.controls import SHIFT_SPEED
from simulator.driver.make_driver import driver_kind, follows_maneuver, new_driver, without_a_person
from simulator.host.built_in_platform import BuiltInPlatform
from simulator.host.cueing_controls import CueingControls
from simulator.host.platform_park import IMPATIENT, close_together, park
from simulator.host.platform_rise import wait_for_platform
from simulator.host.start_window import StartWindow
from simulator.incident import is_upright
from simulator.maneuvers.phase_driver import DONE, how_ended
from simulator.motion.protocols.contract import Engine
from simulator.motion.protocols.kinds import DEFAULT
from simulator.motion.stream import Brake, MotionStream
from simulator.outlets.force_feedback import ForceFeedbackOutlet
from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.outlets.telemetry import TelemetryOutlet
from simulator.outlets.view import ViewOutlet
from simulator.run.folder import RunFolder
from simulator.run.run_configuration import JOINED, open_log, ticks_per_row
from simulator.session import PartError, Session
from simulator.telemetry.writer import LogOptions
from simulator.virtual_platform.platform import report as platform_report
from simulator.virtual_platform.process import STOP_TIME
from vehicles.contact.collisions import SEPARATE
from washout.limiter.limiter import interventions, interventions_text

DEFAULT_MANEUVER = "scripted_drive"
VIEW_PERIOD = 0.008
"""s between two states for the view, which interpolates between them with a delay of one state."""
OFFSCREEN_TIME = 30.0
"""s of simulated time of a drive without a display, unless a duration is specified."""
FRAME_INTERVAL = 0.5
"""s of simulated time between two images rendered offscreen."""
RPM = 30.0 / math.pi
"""rpm per rad/s."""
ROLLED_OVER = "rolled over: press T to put the vehicle upright"
PARKING = "end of the drive: the platform parks"
TUNED_TIME = 4.0
"""s for which a changed parameter of the washout is displayed."""
RECEIVER_TICKS = 500
"""Ticks between two checks whether anybody receives the streams."""
REPORT_TIME = 2.5
"""s that the virtual platform may take for its report when a signal ended the drive."""


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


class HumanDriverAdapter:
    """Adapter of a human driver to the driver interface of the session."""

    label = "human driver"
    """Name of the driver in messages."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command from the input devices."""
        self.driver.read(t, float(readout[0]["v_WB_B"][0]), command)


class Host:
    """Host of one drive, from the first file read to the last packet sent."""

    def __init__(self, options: DriveOptions) -> None:
        self.options, self.say = options, options.say
        self.view_supervisor: Any = None
        self.window: ViewOutlet | None = None
        self.keys: Any = None
        self.platform: BuiltInPlatform | None = None
        self.human_driver: Any = None
        self.motions: list[MotionStreamOutlet] = []
        """Outlet of the main motion stream first, if there is one, then the further ones."""
        self.log: TelemetryOutlet | None = None
        self.force_feedback: ForceFeedbackOutlet | None = None
        self.stop = False
        self.stop_request = StopRequest()
        """Signals that arrived during the drive."""
        self.troubles: list[str] = []
        """Failures so far, one line each; a drive with failures is not a success."""
        self.summary: dict[str, Any] | None = None
        self.virtual: MotionStreamOutlet | None = None
        """Outlet of the stream to the built-in platform; None before it has joined."""
        self._joins = False
        """True until the built-in platform joins a drive that has begun without it."""
        self._arms = True
        """True if the platform rises when it joins."""
        self._began = False
        self._report_of_platform = threading.Thread(target=self._end_platform)
        self._folder: RunFolder | None = None
        self._reported_failures = self._reported_troubles = self._reported_incidents = self._reported_collisions = 0
        self._failed: set[MotionStreamOutlet] = set()
        self._refused: set[MotionStreamOutlet] = set()
        self._progress: ProgressLine | None = None
        self._start_window: StartWindow | None = None
        self._held = self._closed = self._waits = False

    def run(self) -> dict[str, Any]:
        """Drive until the duration is over, the window is closed or Ctrl-C; return a summary.

        Raises
        ------
        JounceError : a file, device, address or folder cannot be used, or the vehicle's state is no longer finite
        """
        self._decide_view()
        self._compile()
        self.parts = parts = build(self.options.configuration)
        self.vehicle, cueing = parts.vehicle, parts.cueing
        ticks_per_row(parts)
        motion = parts.options.motion
        if motion.rate is not None:
            even_turns(motion.rate, parts.step, "stream", "rate")
        sensors = parts.new_sensors()  # before the window opens, because an error here ends the command
        stream = self._stream(motion, *self._address) if motion.on and self._address is not None else None
        streams = [self._stream(one, *one.to) for one in parts.options.streams]
        self._folder = RunFolder(self.options.out)
        folder = self._folder.path
        try:
            self._open_view(folder)
            self._start_platform(folder)
            driver = self._driver()
            self.session = session = parts.session(driver, sensors=sensors)
            self.panel = CueingControls(cueing.tuner)
            session.reset()
            session.warm()
            if self.window is not None:
                session.outlets.append(self.window)
                session.on_tick.append(self.window.note_tick)
            addressed = [*([] if stream is None else [stream]), *streams]
            self._waits = self._has_to_wait(motion.wait, addressed)
            self._joins = self.platform is not None and motion.wait is None and not self._waits
            streams = addressed
            if self._joins:
                Brake.warm_up()  # before the drive, because it loads kernels
            elif self.platform is not None:
                streams = [self._stream(motion, *self.platform.address(self.say)), *addressed]
            outlets = parts.outlets(folder)
            with on_signal(self.stop_request):
                try:
                    session.outlets += outlets
                    if self.human_driver is not None and parts.options.force_feedback:
                        self.force_feedback = ForceFeedbackOutlet(
                            ForceFeedbackThread(self.human_driver.add_notice), lambda: self.human_driver.device, parts.step
                        )
                        session.outlets.append(self.force_feedback)
                    armed = bool(streams) and not self._joins
                    self.log = open_log(parts, session, self._folder, armed, self._log_options(), raised=self._waits)
                    self._began = True
                    self._folder.began()
                    if not self._waits:
                        session.publish()
                    if streams:  # last, because their packets begin with the first tick
                        self.motions = [MotionStreamOutlet(one) for one in streams]
                        session.outlets += self.motions
                        self.virtual = self.motions[0] if self.platform is not None and not self._joins else None
                    if armed:
                        cueing.procedure.arm()
                    return self._drive(session, folder)
                finally:
                    self._close()
        finally:
            self._close()

    def _compile(self) -> None:
        """Compile the kernels if needed; if the drive has a window, a first one shows the progress until it opens."""
        from simulator.view.gl_context import display_available

        if needs_compilation() and read_session(self.options.configuration).view in ("auto", "window") and display_available():
            self._start_window = StartWindow()
            compile_kernels(self.say, self._start_window.show)
            self._start_window.show("preparing the drive", 1.0)
        else:
            compile_kernels(self.say)

    def _close_start_window(self) -> None:
        if self._start_window is not None:
            self._start_window.close()
            self._start_window = None

    def _decide_view(self) -> None:
        """Choose view and driver. Without a display, write images. Without a window, use a plugin driver or the scripted driver."""
        from simulator.view.gl_context import display_available

        c, here = self.options.configuration, Origin("jounce", is_file=False)
        options = read_session(c)
        view = options.view
        if view == "auto" and not display_available():
            duration = OFFSCREEN_TIME if options.duration is None else options.duration
            chosen = without_a_person(options.driver)
            self.say(f"no display found: driving {duration:g} s with the {chosen.name} driver and writing images")
            c.put("duration", duration, here)
            view = "offscreen"
        if view in ("offscreen", "none"):
            c.put("outlets.view", view, here)
            if (chosen := without_a_person(options.driver)).name != options.driver.name:
                c.put("driver", chosen.name, here)
        if not follows_maneuver(read_session(c).driver.name):
            with c.reading("terrain"):  # a human driver uses only the terrain of the maneuver
                c.put("maneuver", None, here)
        elif not c.has("maneuver"):
            c.put("maneuver", DEFAULT_MANEUVER, here)

    @property
    def _by_a_person(self) -> bool:
        return driver_kind(self.parts.options.driver.name) is None

    @property
    def _has_platform(self) -> bool:
        return self.parts.options.motion.on or bool(self.parts.options.streams)

    @property
    def _address(self) -> tuple[str, int] | None:
        """Address of the main motion stream; None for the built-in virtual platform, which supports only the native protocol."""
        motion = self.parts.options.motion
        to = THIS_MACHINE if motion.to is None and motion.protocol.name != DEFAULT else motion.to
        return None if to is None else parse_address(to, motion.protocol.name)

    def _open_view(self, folder: Path) -> None:
        """Start the window, or the offscreen images, in a separate process."""
        from simulator.host.view_supervisor import ViewSupervisor
        from simulator.view.drive_lock import sweep

        parts, view = self.parts, self.parts.options.view
        sweep()
        if view == "none":
            return
        wheels, soft = parts.vehicle.size.wheels, parts.ground.is_soft
        self.view_supervisor = view_supervisor = ViewSupervisor(
            parts.ticks(VIEW_PERIOD), self.say, self.options.began, self._by_a_person, wheels, soft
        )
        self.window, self.keys = view_supervisor.window, view_supervisor.keys
        self.window.extras[0]["has_platform"] = self._has_platform
        pictures = folder if view == "offscreen" else None
        view_supervisor.open(parts.ground, view_geometry(parts.vehicle), parts.vehicle.description.name, pictures, FRAME_INTERVAL)

    def _start_platform(self, folder: Path) -> None:
        """Start the built-in virtual platform in the background."""
        if not self.parts.options.motion.on or self._address is not None:
            return
        self.platform = BuiltInPlatform(self.parts.configuration, folder)

    def _has_to_wait(self, wait: bool | None, addressed: list[MotionStream]) -> bool:
        """Return whether the drive starts after a platform has risen. By default, it waits for a platform at an address."""
        receives = any(stream.parks for stream in addressed)
        return receives if wait is None else wait and (receives or self.platform is not None)

    def _join_platform(self, session: Session) -> None:
        """Let the built-in platform join the drive when it is up. It starts at rest, and rises while the vehicle moves."""
        assert self.platform is not None
        if self.platform.starts or self.platform.gone or not session.moves:
            return
        self._joins = False
        try:
            stream = self._stream(self.parts.options.motion, *self.platform.address(self.say))
        except JounceError as error:
            self._trouble(f"{error}; driving without it")
        else:
            self.virtual = MotionStreamOutlet(stream)
            self.motions.insert(0, self.virtual)
            session.outlets.append(self.virtual)
            self.say(f"the virtual platform joins at {session.time:.2f} s")
        if self.motions and self._arms:
            session.cueing.procedure.arm()
            assert self.log is not None
            self.log.writer.about[JOINED] = str(session.tick)

    def _stream(self, options: MotionOptions | StreamOptions, host: str, port: int) -> MotionStream:
        parts = self.parts
        d = self.vehicle.model.drivetrain[0]
        engine = Engine(
            RPM * max(float(d["engine_map_speed"].max()), float(d["motor_speed_most"].max())), RPM * float(d["idle_speed"]), int(d["gears"])
        )
        return MotionStream(
            host,
            port,
            protocol=options.protocol.name,
            settings=options.protocol.parameters,
            rate=options.rate,
            tick=parts.step,
            engine=engine,
            vehicle=self.vehicle.description.name,
            gravity=parts.gravity,
        )

    def _log_options(self) -> LogOptions:
        o = self.parts.options
        off = {} if self._has_platform else {"platform": ""}
        return LogOptions(about={"driver": o.driver.name, **off}, say=self._trouble)

    def _driver(self) -> Driver:
        parts = self.parts
        chosen = parts.options.driver
        kind = driver_kind(chosen.name)
        if kind is None:
            return self._human_driver()
        return new_driver(kind, parts.ground, parts.maneuver, paced=True, seed=parts.seed, said=chosen.parameters, traits=parts.traits)

    def _human_driver(self) -> Driver:
        from simulator.driver.input_devices.human_driver import open_driver

        chosen = self.parts.options.driver
        lock_to_lock = 2.0 * self.vehicle.description.steering[0]["max_arm_angle"] * self.vehicle.description.steering[0]["gear_ratio"]
        self.human_driver = open_driver(
            chosen.name,
            self.keys,
            steering_wheel_range=float(lock_to_lock),
            gears=self.vehicle.hand_gears,
            said=chosen.parameters,
            gives_torque=self.vehicle.takes_torque,
            reverse_by_brake=self.parts.options.reverse_by_brake,
        )
        return HumanDriverAdapter(self.human_driver)

    def _drive(self, session: Session, folder: Path) -> dict[str, Any]:
        """Drive, park, close. Each step runs even if the step before failed."""
        maneuver, duration = self.parts.maneuver, self.parts.options.duration
        if duration is None:
            duration = math.inf if maneuver is None else maneuver.duration
        if self.options.progress and duration < math.inf:
            self._progress = ProgressLine(lambda: self._progress_text(session, duration))
            self.say, self.options.complain = self._progress.over(self.say), self._progress.over(self.options.complain)
        for line in prepare_process():
            self.say(line)
        if self._waits:
            by_a_person = self.human_driver is not None
            self._attempt(partial(wait_for_platform, session, self.motions, self.window, by_a_person, self._keep_waiting, self.say))
        self._attempt(lambda: session.drive(duration, self._keep_going))
        clock = session.clock
        assert clock is not None
        simulated, wall = clock.paced, clock.elapsed
        live = session.cueing.monitor.live[0].copy()
        limiter = interventions(session.cueing.readout)
        self._joins = False
        motions = [motion for motion in self.motions if motion is not self.virtual or not self._platform_gone]
        quick = self.virtual is not None and not any(motion.stream.parks for motion in motions if motion is not self.virtual)
        if motions:
            others = [] if self.window is None else [self.window]
            if self.window is not None:
                self.window.show_message(PARKING, math.inf)  # replaces the message of a paused drive
            self._attempt(partial(park, session, motions, others, self.stop_request, self.say, quick))
        self._note_ending()
        self._attempt(partial(close_together, self.motions))
        self._report_of_platform.start()  # the platform draws its plot while the log is written
        self._attempt(session.close)
        if self._progress is not None:
            self._progress.close()
        self._report_failures(session)
        release_process()
        return {
            "folder": folder,
            "time": simulated,
            "real_time_factor": simulated / max(wall, 1e-9),
            "overruns": clock.overruns,
            "worst_lateness": clock.worst_lateness,
            "dropped": clock.dropped,
            "lateness": clock.lateness.to_json(),
            "first_frame": None if self.view_supervisor is None else self.view_supervisor.first_frame,
            "incidents": 0 if session.recovery.latest is None else session.recovery.latest.number,
            "collisions": len(session.collisions),
            "limiter": limiter if quick else interventions(session.cueing.readout),
            "sickness_dose": {place: float(live[f"{place}_sickness_dose"]) for place in ("car", "cab")},
        }

    def _progress_text(self, session: Session, duration: float) -> str:
        """Return the progress of the drive in one line, with the streams that nobody receives; called in a thread."""
        if session.waits:
            return f"the platform rises: {session.tick * session.h:.0f} s"
        if session.paused:
            return "the platform parks"
        refused = [motion.stream.protocol for motion in tuple(self.motions) if motion in self._refused]
        sent = sum(motion.stream.sent for motion in tuple(self.motions))
        return bar("stream", session.time, duration, f"nobody receives {', '.join(refused)}" if refused else f"{sent} packets sent")

    def _report_receivers(self, session: Session) -> None:
        """Report the streams whose packets no program receives, and those whose packets a program receives again."""
        if session.tick % RECEIVER_TICKS:
            return
        for motion in self.motions:
            if motion.stream.refused == (motion in self._refused):
                continue
            self._refused ^= {motion}
            label = f"motion stream{self._stream_label(motion)}"
            hint = "; hint: start 'jounce platform' there" if motion.stream.protocol == DEFAULT else ""
            state = "nobody receives" if motion in self._refused else "a program receives"
            self.say(f"{label}: {state} the packets at {motion.stream.address}{hint if motion in self._refused else ''}")

    def _note_ending(self) -> None:
        """Write the reason of the end to the log, unless the drive ended normally."""
        if self.log is None:
            return
        if self.troubles:
            self.log.writer.ended = self.troubles[0]
        elif self.stop_request.first is not None:
            self.log.writer.ended = signal_message(self.stop_request.first)

    def _attempt(self, part: Callable[[], None]) -> None:
        """Run a step of the drive; log what it raises, so that the next step follows."""
        try:
            part()
        except KeyboardInterrupt:
            self.stop_request(signal.SIGINT)
        except BaseException as error:
            self._note(error)

    def _note(self, error: BaseException) -> None:
        """Report a failure in one line, and save the traceback of a bug in the run folder."""
        text = str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}"
        file = self._folder.note_failure(error) if self._folder is not None and _is_a_bug(error) else None
        self._trouble(f"{text} (traceback in {file})" if file else text)

    def _trouble(self, text: str) -> None:
        self.troubles.append(text)
        self.options.complain(text)
        if self.window is not None:
            self.window.message = text

    def _keep_going(self, session: Session) -> bool:
        """Check vehicle, outlets, devices and view; return False to end the drive. Called a hundred times a second."""
        self._report_failures(session)
        self._report_receivers(session)
        self._serve(session)
        if self._joins:
            self._join_platform(session)
        return not (self.stop or self.stop_request.first is not None or self._is_over(session))

    def _keep_waiting(self) -> bool:
        """Same checks while the platform rises; return False to end the wait."""
        return self._keep_going(self.session) and not self._platform_gone

    @property
    def _platform_gone(self) -> bool:
        """True after the process of the built-in platform has ended unexpectedly."""
        return self.platform is not None and self.platform.gone

    def _is_over(self, session: Session) -> bool:
        """Return whether the maneuver has ended and no duration was specified."""
        ended = how_ended(session.driver)
        if ended not in ("", DONE) and ended not in self.troubles:
            self._trouble(ended)
        return bool(ended) and self.parts.options.duration is None

    def _report_failures(self, session: Session) -> None:
        """Report incidents and failures of vehicle, outlets and platform."""
        for failure in session.failures[self._reported_failures :]:
            self._reported_failures += 1
            self._note(failure)
        for trouble in session.vehicle.troubles[self._reported_troubles :]:
            self._reported_troubles += 1
            self._trouble(trouble)
        self._report_collisions(session)
        incident = session.recovery.latest
        if incident is not None and incident.number > self._reported_incidents:
            self._reported_incidents = incident.number
            self.say(f"{incident.message}; the vehicle was put back to its last valid position")
            if self.window is not None:
                self.window.message = f"{incident.reason}: vehicle put back"
                self.window.jump()
            # in another thread, because the platform needs its packets in time
            threading.Thread(target=self._attempt, args=(partial(incident.write, self._folder.path),)).start()  # type: ignore[union-attr]
        elif self._held and session.recovery.incident_number == 0 and self.window is not None:
            self.window.message = ""
        self._held = session.recovery.incident_number > 0
        if self.window is not None and session.tick % 500 == 0:
            self._show_upright_hint(session, self.window)
        if self.platform is not None and self.platform.has_died():
            self._trouble("the virtual platform exited unexpectedly; driving without it")
        for motion in self.motions:
            if motion not in self._failed and (reason := motion.stream.failing):
                self._failed.add(motion)
                self._trouble(f"motion stream{self._stream_label(motion)}: {reason}; the platform receives no packets")

    def _report_collisions(self, session: Session) -> None:
        """Report new collisions, once the vehicle has left the object or has touched it for SEPARATE."""
        for collision in session.collisions[self._reported_collisions :]:
            if session.time - collision.time <= SEPARATE:
                return
            self._reported_collisions += 1
            self.say(collision.message)

    def _stream_label(self, motion: MotionStreamOutlet) -> str:
        """Return the name of a stream for messages, if there are several."""
        return f" {motion.stream.protocol}" if len(self.motions) > 1 else ""

    def _show_upright_hint(self, session: Session, window: ViewOutlet) -> None:
        """Show the driver of a vehicle that is rolled over how to put it upright."""
        if not window.message and _is_rolled_over(session):
            window.show_message(ROLLED_OVER, math.inf, _is_rolled_over)

    def _serve(self, session: Session) -> None:
        """Handle the input of the human driver and check the view; called a hundred times a second."""
        if self.human_driver is not None:
            for trouble in self.human_driver.troubles():
                if trouble not in self.troubles:
                    self._trouble(trouble)
        if self.view_supervisor is None or self.window is None:
            return
        self.view_supervisor.look(session)
        if self.view_supervisor.first_frame is not None:
            self._close_start_window()
        if self.view_supervisor.lost and not self.stop:
            self.troubles.append("no window")
        self.stop = self.stop or self.view_supervisor.stop
        if self.human_driver is None:
            return
        for event in self.human_driver.events():
            self._handle_event(event, session)
        for notice in self.human_driver.notices():
            self.window.message = notice
            self.say(notice)

    def _handle_event(self, event: str, session: Session) -> None:
        assert self.window is not None
        if event == "escape":
            self.stop = True
        elif event == "pause":
            session.paused = not session.paused
            self.window.message = ""  # the view displays the pause
        elif event == "upright":
            session.set_upright()
            self.window.jump()
            self.window.message = ""
        elif event == "reset":
            session.reset()
            self.human_driver.begin()
            self.window.jump()
            self.window.message = ""
        elif event == "motion":
            if self._joins:
                self._arms = not self._arms
                self.window.show_message("platform rises when it is up" if self._arms else "platform stays down")
                return
            armed = session.waits or session.cueing.procedure.state not in ("off", "parked", "park", "fault")
            session.cueing.procedure.park() if armed else session.cueing.procedure.arm()
            goal = ("off", "parked") if armed else ("engaged", "paused", "fault")
            self.window.show_message("platform parks" if armed else "platform rises", 30.0, lambda s: s.cueing.procedure.state not in goal)
        elif (options := self.panel.handle_event(event)) is not None:
            self.window.show_message(options, TUNED_TIME)
        elif event == "shift_refused":
            self.window.show_message("stop before shifting", 3.0, lambda s: abs(s.readout[0]["v_WB_B"][0]) > SHIFT_SPEED)

    def _close(self) -> None:
        """End the other processes; delete the folder of a drive that did not begin. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._close_start_window()
        if not self._report_of_platform.ident:
            self._report_of_platform.start()  # the platform draws its plot while the view closes
        if self.force_feedback is not None:
            self._attempt(self.force_feedback.close)
        if self.human_driver is not None:
            self._attempt(self.human_driver.close)
        if self.view_supervisor is not None:
            self._attempt(partial(self.view_supervisor.close, lambda: self.stop_request.first is not None))
        self._report_of_platform.join()
        if self._folder is not None:
            self._folder.abandon()
            self._folder.release()

    def _end_platform(self) -> None:
        if self.platform is None:
            return
        self.platform.abandon()
        process = self.platform.process
        if process is None:
            return
        if not self._began:
            process.kill()
            return
        timeout = STOP_TIME if self.stop_request.first is None else REPORT_TIME
        self.summary = process.stop(timeout, at_once=self.stop_request.count >= IMPATIENT)
        if self.summary is not None:
            return
        if self.stop_request.first is None and not self._platform_gone:
            self._trouble("the virtual platform did not answer and was killed; its report is missing")
        if self._folder is not None:  # the platform may have been killed while drawing
            for part in self._folder.path.glob("*.part"):
                part.unlink(missing_ok=True)


def _is_rolled_over(session: Session) -> bool:
    return not is_upright(session.vehicle.space.state[0]["q_WB"])


def _is_a_bug(error: BaseException) -> bool:
    """Return whether the traceback is of interest: the error is none that the user can fix."""
    return not isinstance(error.__cause__ if isinstance(error, PartError) else error, JounceError)


def main_drive(arguments: Any, began: float) -> int:
    """Run `jounce drive`; return 0, or 1 when the platform reports lost packets or a leg out of limits."""
    view = "offscreen" if arguments.offscreen else "none" if arguments.no_view else None
    options = [
        *option("--driver", "driver", arguments.driver),
        *option(f"--{'offscreen' if arguments.offscreen else 'no-view'}", "outlets.view", view, is_flag=True),
        *option("--no-motion", "outlets.motion.on", False if arguments.no_motion else None, is_flag=True),
    ]
    return _main(arguments, began, options)


def main_stream(arguments: Any, began: float) -> int:
    """Run `jounce stream`; return as `main_drive`."""
    here = "jounce stream"
    options = [
        Override(("outlets", "view"), "none", here),
        Override(("driver",), "scripted", here),
        Override(("outlets", "motion", "on"), True, here),
    ]
    return _main(arguments, began, options, to=THIS_MACHINE, progress=True)


def _main(arguments: Any, began: float, options: list[Override], to: str | None = None, progress: bool = False) -> int:
    """Run a drive with the options of the command line; `to` is the default address of the motion stream."""
    options += [
        *option("--maneuver", "maneuver", arguments.maneuver),
        *option("--duration", "duration", arguments.duration),
        *option("--protocol", "outlets.motion.protocol", arguments.protocol),
        *option("--rate", "outlets.motion.rate", arguments.rate),
        *option("--to", "outlets.motion.to", arguments.to),
        *option("--stream", "outlets.streams", arguments.stream),
    ]
    configuration = session_of(arguments, options)
    if to is not None and not configuration.has("outlets.motion.to"):
        here = Origin("jounce", is_file=False)
        if arguments.stream and not any(configuration.has(f"outlets.motion.{key}") for key in ("protocol", "rate")):
            configuration.put("outlets.motion.on", False, here)
        else:
            configuration.put("outlets.motion.to", to, here)
    host = Host(DriveOptions(configuration, Path(arguments.out) if arguments.out else None, began, progress=progress))
    summary = host.run()
    return _report(host, summary)


def _report(host: Host, summary: dict[str, Any]) -> int:
    """Print a summary of the drive and return the exit code. Raises EndedBySignal when a signal ended the drive."""
    late = f"{summary['overruns']} late ticks"
    if summary["overruns"]:
        late += f" (at most {1e3 * summary['worst_lateness']:.1f} ms, {summary['dropped']:.2f} s dropped)"
    print_line(f"drove {summary['time']:.1f} s at {summary['real_time_factor']:.2f} times real time, {late}; log in {summary['folder']}")
    print_line(lateness_text(summary["lateness"]))
    if summary["limiter"]["ticks"] and host.motions:
        print_line(interventions_text(summary["limiter"]))
    for motion in host.motions:
        if motion is not host.virtual:
            end = "; nobody received the last ones" if motion.stream.refused else ""
            print_line(f"motion stream {motion.stream.protocol}: {motion.stream.sent} packets to {motion.stream.address}{end}")
    if host.force_feedback is not None and host.force_feedback.thread.delay.count:
        delay = host.force_feedback.thread.delay
        print_line(f"force feedback: {delay.count} events, {1e3 * delay.quantile(0.99):.1f} ms after their tick (p99)")
    if summary["incidents"]:
        print_line(f"{summary['incidents']} incidents, the last second of each in {summary['folder']}/incident_*.npz")
    if summary["collisions"]:
        print_line(f"{summary['collisions']} collisions; 'jounce info {summary['folder']}' lists them")
    dose = summary["sickness_dose"]
    print_line(
        f"motion sickness dose of vertical motion: {dose['car']:.3g} in the vehicle, {dose['cab']:.3g} on the platform (MSDV_z, m/s^1.5)"
    )
    if host.summary is not None:
        print_line(platform_report(host.summary))
    if host.stop_request.first is not None:
        raise EndedBySignal(host.stop_request.first)
    if host.troubles:
        return 1
    platform_summary = host.summary
    return (
        0
        if platform_summary is None
        or (platform_summary["lost"] == 0 and platform_summary["corrupt"] == 0 and platform_summary["legs"]["within"])
        else 1
    )
