"""The virtual platform as a process: `jounce platform` in a terminal of its own, or beside a host that starts and ends it.

The two ends talk through pipes. A spawned platform says the port it has bound in its first line and its summary in its last one; when its
standard input ends it comes to its rest and leaves, and when there is something to read before, it leaves wherever it is.
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
from pathlib import Path
from typing import Any

from simulator.base import cleanup
from simulator.base.argument_types import Parser
from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, JounceError, StreamError
from simulator.base.json_output import json_text
from simulator.base.signals import EndedBySignal, StopRequest, exit_code, leave, on_signal
from simulator.motion.protocols.native import PROTOCOL
from simulator.virtual_platform.platform import VirtualPlatformOptions, report, run_platform

START_TIME = 180.0
"""s that a started platform may take to say its port; it may have to compile."""

STOP_TIME = 30.0
"""s that it may take to come to its rest and write its report."""

AT_ONCE = "at once\n"
"""What a host says to a platform that is not to come to its rest."""


def add_platform_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `jounce platform`."""
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
    """Run `jounce platform`; returns 0, or 1 when a packet was lost or broken, or a leg left its limits."""
    if arguments.duration is not None and not arguments.duration > 0.0:
        raise ConfigError("platform", "--duration", arguments.duration, "a number of seconds above zero")
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
        # a terminal sends Ctrl-C to the host too, which then still has to bring the platform to its rest; when the host ends, in whatever
        # way, our standard input ends
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        threading.Thread(target=_leave_with_parent, args=(options,), daemon=True).start()
        summary = run_platform(options, lambda port: print(json_text({"port": port}), flush=True))
        _tell_parent(json_text(summary))
    else:
        summary = _run_by_itself(options)
    sound = summary["lost"] == 0 and summary["corrupt"] == 0 and summary["legs"]["within"]
    return 0 if sound else 1


def _run_by_itself(options: VirtualPlatformOptions) -> dict[str, Any]:
    """In a terminal of its own. The first signal: come to rest and leave. The second: leave. Raises Ended after one."""
    to_screen = options.json == "-"
    asked, listens = StopRequest(), threading.Event()

    def end(number: int) -> None:
        if not listens.is_set():  # nothing moves yet, and it may compile for long
            leave(number)
        asked(number)
        options.stop.set() if options.leave.is_set() else options.leave.set()

    def ready(port: int) -> None:
        listens.set()
        if not to_screen:
            print_line(f"platform listens on {options.host} port {port}")

    with on_signal(end):
        summary = run_platform(options, ready)
        print_line(json_text(summary, indent=2) if to_screen else report(summary))
    asked.raise_if_asked()
    return summary


def _leave_with_parent(options: VirtualPlatformOptions) -> None:
    """Leave when the parent closes our standard input, which it does when it ends in whatever way; stop when it says something before."""
    with contextlib.suppress(OSError):
        while os.read(0, 1024):  # not sys.stdin, whose lock Python wants back when it ends
            options.stop.set()
    options.leave.set()


def _tell_parent(text: str) -> None:
    """A line on standard output, unless the parent is gone."""
    try:
        print(text, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains when it flushes once more at the end


class VirtualPlatformProcess:
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

    def stop(self, patience: float = STOP_TIME, at_once: bool = False) -> dict[str, Any] | None:
        """Have it come to its rest and end; returns its summary, None when it gives none within `patience` [s]. Never raises.

        At rest after a stream that has ended it ends at once, otherwise it goes through its watchdog first: some 7 s. With `at_once` it
        ends wherever it is.
        """
        try:
            out, _ = self._process.communicate(AT_ONCE if at_once else None, timeout=patience)
            return json.loads(out.strip().splitlines()[-1])
        except (subprocess.TimeoutExpired, OSError, ValueError, IndexError):
            self._process.kill()
            self._process.wait()
            return None


def start_virtual_platform(
    platform: str = "small_hexapod",
    *,
    content: dict[str, Any] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    picture: str | None = None,
    json_file: str | None = None,
    window: bool = False,
) -> VirtualPlatformProcess:
    """Start a virtual platform beside this process and wait until it listens; `content` is what its file says, with changes.

    Raises
    ------
    StreamError : it could not start, with its own reason: a port in use, a file that cannot be used
    """
    command = [
        sys.executable,
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
        raise StreamError(f"virtual platform did not start: {error.strerror or error}") from None
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
    sys.exit(_main())
