"""`jounce drive` and `jounce stream`: the host process. It owns physics, cueing, motion stream and devices; the view is another process.

The view may hang, die or never start, the platform may not answer: the vehicle does not notice.
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

from simulator.arguments import chosen_channels
from simulator.base.console import complain, tell
from simulator.base.errors import ConfigError, JounceError, StreamError
from simulator.base.records import Record
from simulator.build import build_cueing, build_ground, build_maneuver, build_vehicle, view_geometry
from simulator.clock import lateness_text, prepare_process, release_process
from simulator.driver.controls import SHIFT_SPEED
from simulator.incident import is_upright
from simulator.maneuvers.maneuver import Maneuver
from simulator.motion.codemasters import ExtraData3
from simulator.motion.stream import DEFAULT_PORTS, MotionStream, ticks_per_packet
from simulator.outlets import Motion, Telemetry, Window
from simulator.parking import IMPATIENT, park
from simulator.record.writer import USUAL, LogChoice, LogOptions, ticks_per_row
from simulator.rig import report as platform_report
from simulator.rig_process import STOP_TIME, VirtualPlatform, start_virtual_platform
from simulator.run_folder import RunFolder
from simulator.session import Driver, PartError, Session
from simulator.signals import Asked, Ended, on_signal, words
from simulator.warm import compile_kernels
from vehicles.vehicle import Vehicle

H = 1e-3
DEFAULT_TERRAIN = "jacksboro"
VIEW_EVERY = 8
"""Ticks between two states for the view: 125 a second; it interpolates between them, one behind."""
OFFSCREEN_TIME = 30.0
"""s of simulated time that are driven when there is no display."""
FRAME_INTERVAL = 0.5
"""s of simulated time between two pictures written off the screen."""
RPM = 30.0 / math.pi
"""rpm per rad/s."""
LIES = "rolled over: T puts it upright"
OVER = "the drive is over: the platform comes to rest"
SLOW = 5.0
"""s after which a person is told what is being waited for."""
HURRY = 2.5
"""s that the virtual platform may take for its report when a signal ended the drive."""


@dataclass
class DriveOptions:
    """What `jounce drive` and `jounce stream` were asked to do."""

    vehicle: str = "hmmwv"
    suspension: str | None = None
    """closed_form or table; as the vehicle's file says when not given."""
    terrain: str = ""
    """That of the maneuver, or DEFAULT_TERRAIN, when not given."""
    driver: str = "auto"
    maneuver: str = "scripted_drive"
    view: str = "auto"
    """auto, window, offscreen or none"""
    duration: float | None = None
    motion: bool = True
    platform: str = "small_hexapod"
    washout: str = "small_hexapod"
    address: tuple[str, int] | None = None
    """Where to stream to; the built-in virtual platform when not given."""
    protocol: str = "native"
    rate: float | None = None
    out: Path | None = None
    log: LogChoice = USUAL
    began: float = field(default_factory=time.perf_counter)
    say: Callable[[str], None] = tell
    complain: Callable[[str], None] = complain


class Person:
    """A human driver as the session sees it, with what he asks for besides driving."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the command from the devices."""
        self.driver.read(t, float(readout[0]["v_WB_B"][0]), command)


class Host:
    """Everything of one drive, from the first file read to the last packet sent."""

    def __init__(self, options: DriveOptions) -> None:
        self.options, self.say = options, options.say
        self.keeper: Any = None
        self.window: Window | None = None
        self.keys: Any = None
        self.platform: VirtualPlatform | None = None
        self.person: Any = None
        self.motion: Motion | None = None
        self.log: Telemetry | None = None
        self.stop = False
        self.asked = Asked()
        """Signals that came while something moved."""
        self.troubles: list[str] = []
        """What failed so far, one line each; the drive is then not a success."""
        self.summary: dict[str, Any] | None = None
        self._platform_error: JounceError | None = None
        self._starting: threading.Thread | None = None
        self._began = self._platform_gone = False
        self._folder: RunFolder | None = None
        self._seen_failures = self._seen_troubles = self._seen_incidents = 0
        self._held = self._stream_failed = self._closed = False

    def run(self) -> dict[str, Any]:
        """Drive until the time is up, the window is closed or Ctrl-C; returns a summary.

        Raises
        ------
        JounceError : a file, device, address or folder cannot be used, or the vehicle's state ceased to be finite
        """
        o = self.options
        compile_kernels(self.say)
        self._decide_view()
        maneuver = build_maneuver(o.maneuver) if o.driver == "scripted" else None
        if maneuver is not None and o.duration is None:
            o.duration = maneuver.duration
        if o.terrain or maneuver is None:
            ground = build_ground(o.terrain or DEFAULT_TERRAIN)
        else:
            ground = build_ground(maneuver.terrain, maneuver.file)
        self.vehicle = vehicle = build_vehicle(o.vehicle, suspension=o.suspension)
        gravity = float(ground.p[0]["gravity"])
        cueing = build_cueing(o.washout, o.platform, H, gravity)
        if o.rate is not None:
            ticks_per_packet(o.rate, H)
        ticks_per_row(o.log.rate, H)
        stream = self._stream(*o.address, gravity) if o.motion and o.address is not None else None
        self._folder = RunFolder(o.out)
        folder = self._folder.path
        try:
            self._open_view(ground, vehicle, folder)
            self._start_platform(folder)
            driver = maneuver.driver(ground.spawn) if maneuver is not None else self._person()
            self.session = session = Session(vehicle, ground, driver, cueing, [], H)
            session.reset()
            session.warm()
            if self.window is not None:
                session.outlets.append(self.window)
            if o.motion and stream is None:
                stream = self._stream(*self._platform_address(), gravity)
            with on_signal(self.asked):
                try:
                    self.log = self._telemetry(session, self._folder, maneuver)
                    session.outlets.append(self.log)
                    self._began = True
                    self._folder.began()
                    session.publish()
                    if stream is not None:  # last: its packets begin with the first tick
                        self.motion = Motion(stream)
                        session.outlets.append(self.motion)
                        cueing.arm()
                    return self._drive(session, folder)
                finally:
                    self._close()
        finally:
            self._close()

    def _decide_view(self) -> None:
        """Without a display: pictures, and the scripted driver."""
        from simulator.view.context import display_available

        o = self.options
        if o.view == "auto" and not display_available():
            o.duration = OFFSCREEN_TIME if o.duration is None else o.duration
            self.say(f"no display found: driving {o.duration:g} s with the scripted driver and writing pictures instead")
            o.view, o.driver = "offscreen", "scripted"

    def _open_view(self, ground: Any, vehicle: Vehicle, folder: Path) -> None:
        """Start the window, or the pictures, in a process of its own."""
        from simulator.keeper import Keeper
        from simulator.view.claims import sweep

        o = self.options
        sweep()
        if o.view == "none":
            return
        self.keeper = keeper = Keeper(VIEW_EVERY, self.say, o.began, person=o.driver != "scripted")
        self.window, self.keys = keeper.window, keeper.keys
        pictures = folder if o.view == "offscreen" else None
        keeper.open(ground, view_geometry(vehicle), vehicle.description.name, pictures, FRAME_INTERVAL)

    def _start_platform(self, folder: Path) -> None:
        """Start the built-in virtual platform beside everything else; it takes a moment to listen."""
        o = self.options
        if not o.motion or o.address is not None:
            return

        def start() -> None:
            try:
                self.platform = start_virtual_platform(
                    o.platform, picture=str(folder / "platform.png"), json_file=str(folder / "platform.json")
                )
            except StreamError as error:
                self._platform_error = error

        self._starting = threading.Thread(target=start)
        self._starting.start()

    def _platform_address(self) -> tuple[str, int]:
        assert self._starting is not None
        self._starting.join(SLOW)
        if self._starting.is_alive():
            self.say("waiting for the virtual platform, which is compiling its part")
        self._starting.join()
        if self.platform is None:
            raise self._platform_error or StreamError("the virtual platform did not start")
        return self.platform.host, self.platform.port

    def _stream(self, host: str, port: int, gravity: float) -> MotionStream:
        o = self.options
        d = self.vehicle.model.drivetrain[0]
        extra = (
            ExtraData3(RPM * float(d["engine_map_speed"].max()), RPM * float(d["idle_speed"]), int(d["gears"]))
            if o.protocol == "codemasters"
            else None
        )
        return MotionStream(host, port, protocol=o.protocol, rate=o.rate, tick=H, extra_data=extra, gravity=gravity)  # type: ignore[arg-type]

    def _telemetry(self, session: Session, folder: RunFolder, maneuver: Maneuver | None) -> Telemetry:
        o = self.options
        where = o.terrain or (DEFAULT_TERRAIN if maneuver is None else maneuver.terrain)
        about = {"vehicle": o.vehicle, "terrain": where, "driver": o.driver, "platform": o.platform if o.motion else ""}
        if maneuver is not None:
            about |= {"maneuver": maneuver.name, "seed": str(maneuver.seed)}
        options = LogOptions(o.log, about, folder.lock, self._trouble)
        every = ticks_per_row(o.log.rate, H)
        return Telemetry(folder.path, session.readout, session.command, every, options, session.vehicle.logged)

    def _person(self) -> Driver:
        from simulator.driver.human import open_driver

        lock_to_lock = 2.0 * self.vehicle.description.steering[0]["max_arm_angle"] * self.vehicle.description.steering[0]["gear_ratio"]
        self.person = open_driver(self.options.driver, self.keys, steering_wheel_range=float(lock_to_lock))  # type: ignore[arg-type]
        return Person(self.person)

    def _drive(self, session: Session, folder: Path) -> dict[str, Any]:
        """Drive, park, close: each of them whatever happened in the one before."""
        o = self.options
        for line in prepare_process():
            self.say(line)
        self._attempt(lambda: session.drive(float("inf") if o.duration is None else o.duration, self._keep_going))
        clock = session.clock
        assert clock is not None
        driven, wall = clock.paced, clock.elapsed
        if self.motion is not None and not self._platform_gone:
            others = [] if self.window is None else [self.window]
            if self.window is not None:
                self.window.tell(OVER, math.inf)  # or it would say how to go on
            self._attempt(partial(park, session, self.motion, others, self.asked, self.say))
        self._note_ending()
        self._attempt(session.close)
        self._look_at(session)
        release_process()
        return {
            "folder": folder,
            "time": driven,
            "real_time_factor": driven / max(wall, 1e-9),
            "overruns": clock.overruns,
            "worst_lateness": clock.worst_lateness,
            "dropped": clock.dropped,
            "lateness": clock.lateness.as_json(),
            "first_frame": None if self.keeper is None else self.keeper.first_frame,
            "incidents": 0 if session.latest is None else session.latest.number,
        }

    def _note_ending(self) -> None:
        """Leave in the log how the drive ended, unless it ended well."""
        if self.log is None:
            return
        if self.troubles:
            self.log.writer.ended = self.troubles[0]
        elif self.asked.first is not None:
            self.log.writer.ended = words(self.asked.first)

    def _attempt(self, part: Callable[[], None]) -> None:
        """Do a part of the drive; what it raises is named and noted, and the next part follows all the same."""
        try:
            part()
        except KeyboardInterrupt:
            self.asked(signal.SIGINT)
        except BaseException as error:
            self._note(error)

    def _note(self, error: BaseException) -> None:
        """Name a failure in one line, and keep where it came from in the folder of the run."""
        text = str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}"
        file = self._folder.note_failure(error) if self._folder is not None and _is_a_bug(error) else None
        self._trouble(f"{text} (traceback in {file})" if file else text)

    def _trouble(self, text: str) -> None:
        self.troubles.append(text)
        self.options.complain(text)
        if self.window is not None:
            self.window.message = text

    def _keep_going(self, session: Session) -> bool:
        """Asked a hundred times a second."""
        self._look_at(session)
        self._serve(session)
        return not (self.stop or self.asked.first is not None)

    def _look_at(self, session: Session) -> None:
        """Name what happened to the vehicle, to an outlet or to those who receive."""
        for failure in session.failures[self._seen_failures :]:
            self._seen_failures += 1
            self._note(failure)
        for trouble in session.vehicle.troubles[self._seen_troubles :]:
            self._seen_troubles += 1
            self._trouble(trouble)
        incident = session.latest
        if incident is not None and incident.number > self._seen_incidents:
            self._seen_incidents = incident.number
            self.say(f"{incident.message}; the vehicle stands where it was well")
            if self.window is not None:
                self.window.message = f"{incident.reason}: put back"
                self.window.jump()
            # not in this thread: the platform waits for its packets
            threading.Thread(target=self._attempt, args=(partial(incident.write, self._folder.path),)).start()  # type: ignore[union-attr]
        elif self._held and session.incident == 0 and self.window is not None:
            self.window.message = ""
        self._held = session.incident > 0
        if self.window is not None and session.tick % 500 == 0:
            self._help_up(session, self.window)
        if self.platform is not None and not self._platform_gone and not self.platform.alive:
            self._platform_gone = True
            self._trouble("the virtual platform has ended by itself; driving on without it")
        if self.motion is not None and not self._stream_failed and (reason := self.motion.stream.failing):
            self._stream_failed = True
            self._trouble(f"motion stream: {reason}; nothing arrives at the platform")

    def _help_up(self, session: Session, window: Window) -> None:
        """Tell a driver whose vehicle lies how to get it up."""
        if not window.message and _lies(session):
            window.tell(LIES, math.inf, _lies)

    def _serve(self, session: Session) -> None:
        """A hundred times a second: the wishes of the person, the health of the view."""
        if self.keeper is None or self.window is None:
            return
        self.keeper.look(session)
        if self.keeper.lost and not self.stop:
            self.troubles.append("no window")
        self.stop = self.stop or self.keeper.stop
        if self.person is None:
            return
        for event in self.person.events():
            self._obey(event, session)
        for notice in self.person.notices():
            self.window.message = notice
            self.say(notice)

    def _obey(self, event: str, session: Session) -> None:
        assert self.window is not None
        if event == "escape":
            self.stop = True
        elif event == "pause":
            session.paused = not session.paused
            self.window.message = ""  # the view says so as long as it is
        elif event == "upright":
            session.upright()
            self.window.jump()
            self.window.message = ""
        elif event == "reset":
            session.reset()
            self.window.jump()
            self.window.message = ""
        elif event == "motion":
            armed = session.cueing.state not in ("off", "parked", "park", "fault")
            session.cueing.park() if armed else session.cueing.arm()
            goal = ("off", "parked") if armed else ("engaged", "paused", "fault")
            self.window.tell("platform parks" if armed else "platform rises", 30.0, lambda s: s.cueing.state not in goal)
        elif event == "shift_refused":
            self.window.tell("stop before shifting", 3.0, lambda s: abs(s.readout[0]["v_WB_B"][0]) > SHIFT_SPEED)

    def _close(self) -> None:
        """End the other processes; a drive that could not begin leaves nothing behind. Calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._starting is not None:
            self._starting.join()
        report = threading.Thread(target=self._end_platform)
        report.start()  # it draws while the view goes
        if self.person is not None:
            self._attempt(self.person.close)
        if self.keeper is not None:
            self._attempt(partial(self.keeper.close, lambda: self.asked.first is not None))
        report.join()
        if self._folder is not None:
            self._folder.abandon()
            self._folder.release()

    def _end_platform(self) -> None:
        if self.platform is None:
            return
        if not self._began:
            self.platform.kill()
            return
        patience = STOP_TIME if self.asked.first is None else HURRY
        self.summary = self.platform.stop(patience, at_once=self.asked.count >= IMPATIENT)
        if self.summary is not None:
            return
        if self.asked.first is None and not self._platform_gone:
            self._trouble("the virtual platform does not answer: it was killed, and its report is missing")
        if self._folder is not None:  # it may have been drawing
            for part in self._folder.path.glob("*.part"):
                part.unlink(missing_ok=True)


def _lies(session: Session) -> bool:
    return not is_upright(session.vehicle.space.state[0]["q_WB"])


def _is_a_bug(error: BaseException) -> bool:
    """Whether somebody will want to see where it came from: not for what a user can mend."""
    return not isinstance(error.__cause__ if isinstance(error, PartError) else error, JounceError)


def parse_address(text: str, protocol: str) -> tuple[str, int]:
    """HOST or HOST:PORT. Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if text and not colon:
        return text, DEFAULT_PORTS[protocol]
    if not host or ":" in host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ConfigError("--to", "", text, "HOST or HOST:PORT with a port from 1 to 65535")
    return host, int(port)


def main_host(arguments: Any, view: str, driver: str, motion: bool, began: float) -> int:
    """Command line of `jounce drive` and `jounce stream`; returns 0, or 1 when the platform reports a loss or a leg out of limits."""
    if arguments.duration is not None and not 0.0 < arguments.duration < math.inf:
        raise ConfigError("--duration", "", arguments.duration, "a number of seconds above zero")
    # the built-in platform only speaks the native protocol
    to = "127.0.0.1" if arguments.to is None and arguments.protocol != "native" and motion else arguments.to
    options = DriveOptions(
        vehicle=arguments.vehicle,
        suspension=arguments.suspension,
        terrain=arguments.terrain or "",
        driver=driver,
        maneuver=arguments.maneuver,
        view=view,
        duration=arguments.duration,
        motion=motion,
        platform=arguments.platform,
        washout=arguments.washout,
        address=None if to is None else parse_address(to, arguments.protocol),
        protocol=arguments.protocol,
        rate=arguments.rate,
        out=Path(arguments.out) if arguments.out else None,
        log=LogChoice(chosen_channels(arguments.channels), arguments.log_rate),
        began=began,
    )
    host = Host(options)
    summary = host.run()
    return _report(host, summary)


def _report(host: Host, summary: dict[str, Any]) -> int:
    """Say how the drive went; the exit code. Raises Ended when a signal ended it."""
    late = f"{summary['overruns']} late ticks"
    if summary["overruns"]:
        late += f" (at most {1e3 * summary['worst_lateness']:.1f} ms, {summary['dropped']:.2f} s given up)"
    tell(f"drove {summary['time']:.1f} s at {summary['real_time_factor']:.2f} times real time, {late}; log in {summary['folder']}")
    tell(lateness_text(summary["lateness"]))
    if summary["incidents"]:
        tell(f"{summary['incidents']} incidents, the last second of each in {summary['folder']}/incident_*.npz")
    if host.summary is not None:
        tell(platform_report(host.summary))
    if host.asked.first is not None:
        raise Ended(host.asked.first)
    if host.troubles:
        return 1
    rig = host.summary
    return 0 if rig is None or (rig["lost"] == 0 and rig["corrupt"] == 0 and rig["legs"]["within"]) else 1
