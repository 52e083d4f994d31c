"""Process of the virtual platform: `jounce platform` in a separate terminal, or a child process of a host.

Host and platform communicate through pipes. A spawned platform prints its port in the first line and its summary in the last line. After
the line LEAVE, or when its standard input ends, it moves to its rest pose and leaves. After the line AT_ONCE, it leaves at once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.base import cleanup
from simulator.base.argument_types import Parser
from simulator.base.console import flush, print_error, print_line
from simulator.base.errors import ConfigError, JounceError, StreamError
from simulator.base.json_output import json_text
from simulator.base.signals import EndedBySignal, StopRequest, exit_code, exit_now, on_signal
from simulator.motion.protocols.native import PROTOCOL
from simulator.virtual_platform.platform import VirtualPlatformOptions, report, run_platform

START_TIME = 180.0
"""Maximum time [s] in which a started platform must print its port; it may have to compile."""

STOP_TIME = 30.0
"""Maximum time [s] in which a platform must move to its rest pose and write its report."""

AT_ONCE_TIME = 1.0
"""Maximum time [s] in which a platform that leaves at once must write its report."""

LEAVE = "leave\n"
"""Line that a host sends to end a platform in its rest pose."""

AT_ONCE = "at once\n"
"""Line that a host sends to end a platform without the motion to its rest pose."""


def add_platform_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jounce platform`."""
    parser.add_argument(
        "--platform", default="small_hexapod", metavar="NAME|FILE", help="motion platform name or file (default: %(default)s)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)")
    parser.add_argument("--port", type=int, default=PROTOCOL.port, help="UDP port, 0 for any free port (default: %(default)s)")
    parser.add_argument(
        "--duration", type=float, metavar="S", help="duration, with a return to rest at the end [s] (default: until the stream ends)"
    )
    parser.add_argument("--stay", action="store_true", help="further streams after the end of the first")
    parser.add_argument("--window", action="store_true", help="window with the moving hexapod")
    parser.add_argument("--plot", metavar="FILE", help="PNG file of the hexapod and the history of its legs (default: none)")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="summary as JSON, printed or in FILE (default: as text)")
    parser.add_argument("--spawned", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--content", type=json.loads, help=argparse.SUPPRESS)


def main_platform(arguments: argparse.Namespace) -> int:
    """Run `jounce platform`; return 0, or 1 if a packet was lost or corrupt, or a leg exceeded its limits."""
    if arguments.duration is not None and not arguments.duration > 0.0:
        raise ConfigError("platform", "--duration", arguments.duration, "a number of seconds above 0")
    options = VirtualPlatformOptions(
        platform=arguments.platform,
        content=arguments.content,
        host=arguments.host,
        port=arguments.port,
        duration=arguments.duration,
        stay=arguments.stay,
        window=arguments.window,
        picture=arguments.plot,
        json=arguments.json,
    )
    if arguments.spawned:
        # a terminal also sends Ctrl-C to the host, which then still has to move the platform to its rest pose; when the host ends in any
        # way, the standard input of this process ends
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        threading.Thread(target=_leave_with_parent, args=(options,), daemon=True).start()
        summary = run_platform(options, lambda port: print(json_text({"port": port}), flush=True))
        _print_to_parent(json_text(summary))
    else:
        summary = _run_in_terminal(options)
    is_good = summary["lost"] == 0 and summary["corrupt"] == 0 and summary["legs"]["within"]
    return 0 if is_good else 1


def _run_in_terminal(options: VirtualPlatformOptions) -> dict[str, Any]:
    """Run in a separate terminal. First signal: move to rest and leave; second signal: leave at once. Raises Ended after a signal."""
    to_screen = options.json == "-"
    stop_request, listens = StopRequest(), threading.Event()

    def end(number: int) -> None:
        if not listens.is_set():  # nothing moves yet, and compiling may take long
            exit_now(number)
        stop_request(number)
        options.stop.set() if options.leave.is_set() else options.leave.set()

    def ready(port: int) -> None:
        listens.set()
        if not to_screen:
            print_line(f"platform listens on {options.host} port {port}")

    with on_signal(end):
        summary = run_platform(options, ready)
        print_line(json_text(summary, indent=2) if to_screen else report(summary))
    stop_request.raise_if_requested()
    return summary


def _leave_with_parent(options: VirtualPlatformOptions) -> None:
    """Leave when the parent ends, closes the standard input or sends LEAVE; stop when it sends AT_ONCE."""
    with contextlib.suppress(OSError):
        while line := os.read(0, 1024):  # not sys.stdin, whose lock Python needs at exit
            options.stop.set() if AT_ONCE.encode() in line else options.leave.set()
    options.leave.set()


def _print_to_parent(text: str) -> None:
    """Print a line on the standard output, if the parent still exists."""
    try:
        print(text, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # otherwise the final flush of Python fails


class VirtualPlatformProcess:
    """Virtual platform in its own process; returned by `start_virtual_platform`."""

    def __init__(self, process: subprocess.Popen[str], port: int, host: str) -> None:
        self._process = process
        self.port = port
        self.host = host

    @property
    def alive(self) -> bool:
        """True if the process still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the process at once, without a report."""
        self._process.kill()
        self._process.communicate()

    def stop(self, patience: float = STOP_TIME, at_once: bool = False) -> dict[str, Any] | None:
        """Stop the platform in its rest pose; return its summary, None if there is none. Never raises.

        At rest after the end of a stream, the platform ends at once. Otherwise its watchdog acts first, which takes about 7 s. With
        `at_once`, and if it is not at rest within `patience` [s], it ends in any pose.
        """
        try:
            out = "" if at_once else self._answer(LEAVE, patience)
            out = out or self._answer(AT_ONCE, AT_ONCE_TIME)
            return json.loads(out.strip().splitlines()[-1])
        except (OSError, ValueError, IndexError):
            return None
        finally:
            self._process.kill()
            self._process.communicate()

    def _answer(self, line: str, patience: float) -> str:
        """Send a line; return the output of the process, empty unless it ends within `patience` [s]. Raises OSError."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)  # its few lines of output fit into the pipe
            return self._process.stdout.read()
        return ""


def start_virtual_platform(
    platform: str = "small_hexapod",
    *,
    content: dict[str, Any] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    picture: str | None = None,
    json_file: str | None = None,
    window: bool = False,
    on_start: Callable[[Callable[[], None]], None] = lambda kill: None,
) -> VirtualPlatformProcess:
    """Start a virtual platform as a child process and wait until it listens; `content` is the content of its file with changes.

    `on_start` is called with a function that ends the process, and thus the wait.

    Raises
    ------
    StreamError : the start failed; the message contains the reason of the platform: a port in use, an invalid file
    """
    command = [
        sys.executable,
        "-P",
        "-m",
        "simulator.virtual_platform.process",
        "--spawned",
        "--stay",
        "--platform",
        platform,
        "--host",
        host,
        "--port",
        str(port),
    ]
    command += ["--content", json_text(content)] if content else []
    command += ["--plot", picture] if picture else []
    command += ["--json", json_file] if json_file else []
    command += ["--window"] if window else []
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))}
    try:
        process = cleanup.start_child(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
    except OSError as error:
        raise StreamError(f"cannot start the virtual platform: {error.strerror or error}") from None
    on_start(process.kill)
    timer = threading.Timer(START_TIME, process.kill)
    timer.start()
    assert process.stdout is not None
    line = process.stdout.readline()
    timer.cancel()
    try:
        bound = int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError):
        _, errors = process.communicate()
        messages = [text.removeprefix("jounce: ") for text in errors.splitlines() if text.startswith("jounce: ")]
        reason = messages[0] if messages else f"exit code {process.returncode}"
        raise StreamError(f"cannot start the virtual platform: {reason}") from None
    return VirtualPlatformProcess(process, bound, host)


def _main() -> int:
    parser = Parser(prog="jounce platform", description="Virtual motion platform.")
    add_platform_arguments(parser)
    try:
        return main_platform(parser.parse_args())
    except JounceError as error:
        print_error(str(error))
        return 2
    except EndedBySignal as ended:
        return exit_code(ended.number)


if __name__ == "__main__":
    code = _main()
    flush()
    os._exit(code)  # the host waits for the end, and Python takes a moment to remove the kernels
