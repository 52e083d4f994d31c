"""`jounce drive` and `jounce stream`: the host process. It owns physics, cueing, motion stream and devices; the view is another process.

The view may hang, die or never start, the platform may not answer: the vehicle does not notice.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, JounceError, StreamError
from simulator.base.records import Record
from simulator.build import build_cueing, build_ground, build_maneuver, build_vehicle, view_geometry
from simulator.clock import lateness_text, prepare_process, release_process
from simulator.driver.controls import SHIFT_SPEED
from simulator.motion.codemasters import ExtraData3
from simulator.motion.stream import DEFAULT_PORTS, MotionStream, ticks_per_packet
from simulator.outlets import Motion, Telemetry, Window
from simulator.record.files import run_folder
from simulator.rig import VirtualPlatform, start_virtual_platform
from simulator.rig import report as platform_report
from simulator.session import Driver, Session
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
PARK_TIME = 12.0
"""s at most that the platform is given to return to its rest at the end."""
REST_TIME = 0.5
"""s for the last millimeter, so that the platform is surely at its rest when the stream ends and does not rise once more."""


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
    began: float = field(default_factory=time.perf_counter)
    say: Callable[[str], None] = print


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
        self.stop = False
        self.summary: dict[str, Any] | None = None
        self._platform_error: JounceError | None = None
        self._starting: threading.Thread | None = None
        self._began = self._hurry = False
        self._folder: Path | None = None
        self._folder_is_new = False

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
        cueing = build_cueing(o.washout, o.platform, H)
        if o.rate is not None:
            ticks_per_packet(o.rate, H)
        stream = self._stream(*o.address) if o.motion and o.address is not None else None
        self._folder_is_new = o.out is None or not os.path.exists(o.out)
        self._folder = folder = run_folder(o.out)
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
                stream = self._stream(*self._platform_address())
            where = o.terrain or (DEFAULT_TERRAIN if maneuver is None else maneuver.terrain)
            about = {"vehicle": o.vehicle, "terrain": where, "driver": o.driver, "platform": o.platform if o.motion else ""}
            session.outlets.append(Telemetry(folder, session.readout, session.command, about=about, say=self.say))
            self._began = True
            session.publish()
            if stream is not None:  # last: its packets begin with the first tick
                session.outlets.append(Motion(stream))
                cueing.arm()
            return self._drive(session, folder)
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
        self._starting.join()
        if self.platform is None:
            raise self._platform_error or StreamError("the virtual platform did not start")
        return self.platform.host, self.platform.port

    def _stream(self, host: str, port: int) -> MotionStream:
        o = self.options
        d = self.vehicle.model.drivetrain[0]
        extra = (
            ExtraData3(RPM * float(d["engine_map_speed"].max()), RPM * float(d["idle_speed"]), int(d["gears"]))
            if o.protocol == "codemasters"
            else None
        )
        return MotionStream(host, port, protocol=o.protocol, rate=o.rate, tick=H, extra_data=extra)  # type: ignore[arg-type]

    def _person(self) -> Driver:
        from simulator.driver.human import open_driver

        lock_to_lock = 2.0 * self.vehicle.description.steering[0]["max_arm_angle"] * self.vehicle.description.steering[0]["gear_ratio"]
        self.person = open_driver(self.options.driver, self.keys, steering_wheel_range=float(lock_to_lock))  # type: ignore[arg-type]
        return Person(self.person)

    def _drive(self, session: Session, folder: Path) -> dict[str, Any]:
        o = self.options
        interrupted = threading.Event()
        signal.signal(signal.SIGINT, lambda *_: interrupted.set())
        signal.signal(signal.SIGTERM, lambda *_: interrupted.set())
        for line in prepare_process():
            self.say(line)

        def keep_going(_: Session) -> bool:
            self._serve(session)
            return not (self.stop or interrupted.is_set())

        driven = wall = 0.0
        try:
            session.drive(float("inf") if o.duration is None else o.duration, keep_going)
        finally:
            assert session.clock is not None
            driven, wall = session.clock.paced, session.clock.elapsed
            self._hurry = interrupted.is_set()
            if o.motion:  # after a failure too: the platform is tripped then, and goes to its rest
                self._park(session, interrupted)
            session.close()
            release_process()
            signal.signal(signal.SIGINT, signal.default_int_handler)
        clock = session.clock
        assert clock is not None
        return {
            "folder": folder,
            "time": driven,
            "real_time_factor": driven / max(wall, 1e-9),
            "overruns": clock.overruns,
            "worst_lateness": clock.worst_lateness,
            "dropped": clock.dropped,
            "lateness": clock.lateness.as_json(),
            "first_frame": None if self.keeper is None else self.keeper.first_frame,
        }

    def _serve(self, session: Session) -> None:
        """A hundred times a second: the wishes of the person, the health of the view."""
        if self.keeper is None or self.window is None:
            return
        self.keeper.look(session)
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

    def _park(self, session: Session, interrupted: threading.Event) -> None:
        """Bring the platform down before the stream ends; a second Ctrl-C does not wait for it."""
        interrupted.clear()
        session.paused = True
        session.cueing.park()
        session.coast(PARK_TIME, lambda: not interrupted.is_set() and session.cueing.state not in ("off", "parked"))
        session.coast(REST_TIME, lambda: not interrupted.is_set())

    def _close(self) -> None:
        """End the other processes; a drive that could not begin leaves nothing behind."""
        if self._starting is not None:
            self._starting.join()
        if self.person is not None:
            self.person.close()
        if self.keeper is not None:
            self.keeper.close(lambda: self._hurry)
        if self.platform is not None and self._began:
            self.summary = self.platform.stop()
        elif self.platform is not None:
            self.platform.kill()
        if self._folder is not None and self._folder_is_new and not self._began:
            with contextlib.suppress(OSError):
                self._folder.rmdir()


def parse_address(text: str, protocol: str) -> tuple[str, int]:
    """HOST or HOST:PORT. Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if not colon:
        return text, DEFAULT_PORTS[protocol]
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ConfigError("--to", "", text, "HOST or HOST:PORT with a port from 1 to 65535")
    return host, int(port)


def main_host(arguments: Any, view: str, driver: str, motion: bool, began: float) -> int:
    """Command line of `jounce drive` and `jounce stream`; returns 0, or 1 when the platform reports a loss or a leg out of limits."""
    if arguments.duration is not None and not 0.0 < arguments.duration < math.inf:
        raise ConfigError("--duration", "", arguments.duration, "a number of seconds above zero")
    # the built-in platform only speaks the native protocol
    to = arguments.to or ("127.0.0.1" if arguments.protocol != "native" and motion else None)
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
        address=parse_address(to, arguments.protocol) if to else None,
        protocol=arguments.protocol,
        rate=arguments.rate,
        out=Path(arguments.out) if arguments.out else None,
        began=began,
        say=lambda text: print(text, flush=True),
    )
    host = Host(options)
    summary = host.run()
    late = f"{summary['overruns']} late ticks"
    if summary["overruns"]:
        late += f" (at most {1e3 * summary['worst_lateness']:.1f} ms, {summary['dropped']:.2f} s given up)"
    print(f"drove {summary['time']:.1f} s at {summary['real_time_factor']:.2f} times real time, {late}; log in {summary['folder']}")
    print(lateness_text(summary["lateness"]))
    lost = host.keeper is not None and host.keeper.lost
    if host.summary is None:
        return 1 if lost else 0
    print(platform_report(host.summary))
    return 0 if not lost and host.summary["lost"] == 0 and host.summary["corrupt"] == 0 and host.summary["legs"]["within"] else 1
