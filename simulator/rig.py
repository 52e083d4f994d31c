"""The virtual platform, `jounce platform`: a process of its own that receives the motion stream as a real platform would.

It checks every packet, follows the poses, acts on silence as `simulator/motion/watchdog.py` says, and at the end reports what came
and how the legs were used. `start_virtual_platform` runs it beside a host and learns the port it has bound.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base import leftovers
from simulator.base.console import tell
from simulator.base.errors import ConfigError, JounceError, OutputError, StreamError
from simulator.base.records import Record
from simulator.build import find_config, read_yaml
from simulator.motion.packets import MotionPacket
from simulator.motion.picture import History, draw_platform
from simulator.motion.receiver import Receiver
from simulator.motion.stream import DEFAULT_PORTS
from simulator.motion.watchdog import FADE_AFTER, NEUTRAL_AFTER, PARK_AFTER, FollowingPlatform
from simulator.signals import Asked, leave, on_signal
from washout.platform import hexapod

SERVO = 0.004
"""s. Step of the platform while no packets come."""

LARGEST_PACKET = 2048
"""bytes read of a datagram; ours are shorter, longer ones are broken."""

START_TIME = 60.0
"""s that a started platform may take to say its port; it may have to compile."""

STOP_TIME = 20.0
"""s that it may take to write its report."""


@dataclass
class RigOptions:
    """What a virtual platform is asked to do; see `add_platform_arguments`."""

    platform: str = "small_hexapod"
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORTS["native"]
    duration: float | None = None
    stay: bool = False
    window: bool = False
    picture: str | None = None
    json: str | None = None
    stop: threading.Event = field(default_factory=threading.Event)


def load_platform(name: str) -> Record:
    """HEXAPOD record of a platform by name (``configs/platforms``) or path. Raises ConfigError."""
    path = find_config("platforms", name)
    return hexapod(read_yaml(path), str(path))


def run_platform(options: RigOptions, ready: Any = None) -> dict[str, Any]:
    """Receive until the stream has ended and the platform is parked; returns the summary.

    Parameters
    ----------
    options : where to listen and what to write
    ready : called with the bound port once the platform listens

    Raises
    ------
    StreamError : the port is in use or not allowed
    ConfigError : the platform's file cannot be used
    OutputError : the picture or the report cannot be written
    DeviceError : a window was asked for and there is no display
    """
    _check_outputs(options)
    rig = Rig(load_platform(options.platform))
    with _listen(options.host, options.port) as listener:
        if ready is not None:
            ready(listener.getsockname()[1])
        if options.window:
            _run_in_window(rig, listener, options)
        else:
            rig.run(listener, options)
    summary = rig.summary(options.platform)
    if options.json and options.json != "-":  # before the picture, which takes a while
        _write(options.json, json.dumps(summary, indent=2) + "\n")
    if options.picture:
        title = f"{Path(options.platform).stem}: {summary['received']} packets, {summary['lost']} lost, {summary['rate_hz']:.0f} Hz"
        draw_platform(options.picture, rig.platform, rig.busiest, rig.history, title)
    return summary


class Rig:
    """Receiver, platform and history behind one socket."""

    def __init__(self, platform: Record) -> None:
        self.platform = platform
        self.receiver = Receiver(platform)
        _warm_up(platform)
        self.body = FollowingPlatform(platform)
        self.history = History()
        self.busiest = self.body.limits[0]["pose"].copy()
        """(6,) pose furthest from neutral while the stream was alive, which the picture shows."""
        self.longest_silence = 0.0
        self._furthest = -1.0
        self._first: float | None = None
        self._last = 0.0

    def run(self, listener: socket.socket, options: RigOptions) -> None:
        """Receive until told to stop, the duration is over, or the stream has ended and the platform is parked."""
        began = self._servo = time.monotonic()
        while not options.stop.is_set():
            now = time.monotonic()
            if options.duration is not None and now - began >= options.duration:
                return
            if self._first is not None and self.body.parked and now - self._last > 1.0 and not options.stay:
                return
            try:
                data = listener.recv(LARGEST_PACKET)
            except (TimeoutError, BlockingIOError):
                data = b""
            except ConnectionResetError:  # Windows reports a peer that went away
                continue
            self._tick(data, time.monotonic())

    def _tick(self, data: bytes, now: float) -> None:
        packet = self.receiver.take(data, now) if data else None
        if packet is not None:
            if self._first is None:
                self._first = now
            else:
                self.longest_silence = max(self.longest_silence, now - self._last)
            self._last = self._servo = now
            self.body.follow(packet)
            self._note(now)
        elif self._first is None:
            return
        else:
            while self._servo + SERVO <= now:
                self._servo += SERVO
                self.body.alone(self._servo - self._last, SERVO)
                if self.body.alone_now:
                    self._note(self._servo)

    def _note(self, now: float) -> None:
        self.history.add(now - (self._first or now), self.body.limits)
        pose = self.body.limits[0]["pose"]
        distance = float(np.abs(pose[[0, 1, 3, 4, 5]]).max())
        if distance > self._furthest and not self.body.alone_now:
            self._furthest = distance
            self.busiest = pose.copy()

    def summary(self, name: str) -> dict[str, Any]:
        """The receiver's summary with the platform's name and the state it was left in."""
        return {
            "platform": name,
            **self.receiver.summary(),
            "longest_silence_s": round(self.longest_silence, 4),
            "stage": self.body.stage,
            "parked": self.body.at_rest,
        }


def _run_in_window(rig: Rig, listener: socket.socket, options: RigOptions) -> None:
    """Receive in a thread of its own, so that drawing does not delay packets, and show what it does. Raises DeviceError."""
    from simulator.motion.window import show_platform

    worker = threading.Thread(target=rig.run, args=(listener, options), daemon=True)
    worker.start()
    try:
        show_platform(rig, lambda: not worker.is_alive(), f"Jounce platform: {Path(options.platform).stem}")
    finally:
        options.stop.set()
        worker.join()


def _warm_up(platform: Record) -> None:
    """Compile what moves the platform before the first packet comes, not while packets wait."""
    body = FollowingPlatform(platform)
    rest = body.limits[0]["pose"].tolist()
    zero = (0.0, 0.0, 0.0)
    for k in range(2):
        body.follow(MotionPacket(k, 0, 1, False, SERVO, 0.0, zero, zero, rest, body.limits[0]["legs"].tolist()))
    for silence in (FADE_AFTER, NEUTRAL_AFTER, PARK_AFTER):
        body.alone(silence, SERVO)


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        with contextlib.suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        listener.bind((host, port))
    except OverflowError:
        listener.close()
        raise StreamError(f"platform: got port {port}, expected 0 to 65535") from None
    except OSError as error:
        listener.close()
        raise StreamError(f"platform: cannot listen on {host} port {port}: {error.strerror or error}; choose another --port") from None
    listener.settimeout(SERVO)
    return listener


def _check_outputs(options: RigOptions) -> None:
    """Better now than after a drive. Raises OutputError."""
    for path in (options.picture, options.json):
        if path and path != "-":
            folder = Path(path).absolute().parent
            if Path(path).is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
                raise OutputError(f"{path}: cannot be written, expected a file in a folder that can be written")


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot write the report: {error.strerror}") from None


def report(summary: dict[str, Any]) -> str:
    """The summary in words, a few lines."""
    legs, jitter = summary["legs"], summary["jitter_ms"]
    lines = [
        f"platform {summary['platform']}: {summary['received']} packets at {summary['rate_hz']:.1f} Hz, "
        f"lost {summary['lost']}, reordered {summary['reordered']}, duplicate {summary['duplicate']}, corrupt {summary['corrupt']}",
        f"jitter: p50 {jitter['p50']:.3f} ms, p99 {jitter['p99']:.3f} ms, max {jitter['max']:.3f} ms",
    ]
    if legs["stroke_low"]:
        lines.append(
            f"legs: stroke {100 * min(legs['stroke_low']):.1f} to {100 * max(legs['stroke_high']):.1f} %, "
            f"speed up to {100 * legs['speed']:.1f} % and acceleration up to {100 * legs['acceleration']:.1f} % of the limits"
            + ("" if legs["within"] else "  OUTSIDE THE LIMITS")
        )
    lines.append(
        f"left {'parked' if summary['parked'] else summary['stage']}; longest silence {1000 * summary['longest_silence_s']:.0f} ms"
    )
    return "\n".join(lines)


def add_platform_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `jounce platform`."""
    parser.add_argument(
        "--platform", default="small_hexapod", metavar="NAME|FILE", help="platform in configs/platforms (default: %(default)s)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORTS["native"], help="UDP port, 0 for any that is free (default: %(default)s)")
    parser.add_argument("--duration", type=float, metavar="S", help="leave after S seconds (default: when the stream has ended)")
    parser.add_argument("--stay", action="store_true", help="wait for further streams after the first has ended")
    parser.add_argument("--window", action="store_true", help="show the hexapod while it moves")
    parser.add_argument("--picture", metavar="PNG", help="draw the hexapod and the history of its legs at the end")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="write the summary as JSON to FILE, or to the screen")
    parser.add_argument("--spawned", action="store_true", help=argparse.SUPPRESS)


def main_platform(arguments: argparse.Namespace) -> int:
    """Run `jounce platform`; returns 0, or 1 when a packet was lost or broken, or a leg left its limits."""
    if arguments.duration is not None and not arguments.duration > 0.0:
        raise ConfigError("platform", "--duration", arguments.duration, "a number of seconds above zero")
    options = RigOptions(
        platform=arguments.platform,
        host=arguments.host,
        port=arguments.port,
        duration=arguments.duration,
        stay=arguments.stay,
        window=arguments.window,
        picture=arguments.picture,
        json=arguments.json,
    )
    if arguments.spawned:
        signal.signal(signal.SIGTERM, lambda *_: options.stop.set())
        # a terminal sends Ctrl-C to the host, which then still has to bring the platform to its rest
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=_stop_with_parent, args=(options.stop,), daemon=True).start()
        summary = run_platform(options, lambda port: print(json.dumps({"port": port}), flush=True))
        print(json.dumps(summary), flush=True)
    else:
        to_screen = options.json == "-"
        asked, listens = Asked(), threading.Event()

        def end(number: int) -> None:
            if not listens.is_set():  # nothing moves yet, and it may compile for long
                leave(number)
            asked(number)
            options.stop.set()

        def ready(port: int) -> None:
            listens.set()
            if not to_screen:
                tell(f"platform listens on {options.host} port {port}")

        with on_signal(end):
            summary = run_platform(options, ready)
            tell(json.dumps(summary, indent=2) if to_screen else report(summary))
        asked.raise_if_asked()
    sound = summary["lost"] == 0 and summary["corrupt"] == 0 and summary["legs"]["within"]
    return 0 if sound else 1


def _stop_with_parent(stop: threading.Event) -> None:
    """Set `stop` when the parent closes our standard input, which it does when it ends in whatever way."""
    with contextlib.suppress(OSError):
        while os.read(0, 1024):  # not sys.stdin, whose lock Python wants back when it ends
            pass
    stop.set()


class VirtualPlatform:
    """A running virtual platform in its own process; made by `start_virtual_platform`."""

    def __init__(self, process: subprocess.Popen[str], port: int, host: str) -> None:
        self._process = process
        self.port = port
        self.host = host

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it at once, without a report."""
        self._process.kill()
        self._process.communicate()

    def stop(self, patience: float = STOP_TIME) -> dict[str, Any] | None:
        """End it and return its summary; None when it gives none within `patience` [s]. Never raises."""
        try:
            out, _ = self._process.communicate(timeout=patience)
            return json.loads(out.strip().splitlines()[-1])
        except (subprocess.TimeoutExpired, OSError, ValueError, IndexError):
            self._process.kill()
            self._process.wait()
            return None


def start_virtual_platform(
    platform: str = "small_hexapod",
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    picture: str | None = None,
    json_file: str | None = None,
    window: bool = False,
) -> VirtualPlatform:
    """Start a virtual platform beside this process and wait until it listens.

    Raises
    ------
    StreamError : it could not start, with its own reason: a port in use, a file that cannot be used
    """
    command = [sys.executable, "-m", "simulator.rig", "--spawned", "--stay", "--platform", platform, "--host", host, "--port", str(port)]
    command += ["--picture", picture] if picture else []
    command += ["--json", json_file] if json_file else []
    command += ["--window"] if window else []
    root = str(Path(__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))}
    process = leftovers.start_child(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    timer = threading.Timer(START_TIME, process.kill)
    timer.start()
    assert process.stdout is not None
    line = process.stdout.readline()
    timer.cancel()
    try:
        bound = int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError):
        _, errors = process.communicate()
        said = [text.removeprefix("jounce: ") for text in errors.splitlines() if text.startswith("jounce: ")]
        reason = said[0] if said else f"it ended with code {process.returncode}"
        raise StreamError(f"virtual platform did not start: {reason}") from None
    return VirtualPlatform(process, bound, host)


def _main() -> int:
    parser = argparse.ArgumentParser(prog="jounce platform", description="The virtual motion platform.")
    add_platform_arguments(parser)
    try:
        return main_platform(parser.parse_args())
    except JounceError as error:
        print(f"jounce: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(_main())
