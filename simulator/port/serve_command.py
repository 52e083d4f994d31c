"""`jounce serve`: options, summary and exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.base.addresses import parse_port
from simulator.base.console import print_line
from simulator.base.errors import JounceError
from simulator.base.signals import EndedBySignal
from simulator.clock import lateness_text
from simulator.configuration.from_arguments import session_of
from simulator.configuration.overrides import option
from simulator.port.schema import DEFAULT_STATE
from simulator.port.serve import RATE, PortServer, ServeOptions


def main_serve(arguments: Any) -> int:
    """Run `jounce serve`; return 0, or 1 if the peer was lost or a part failed."""
    if arguments.udp and arguments.real_time:
        raise JounceError("--udp and --real-time; expected one of them: --udp is in real time by UDP, --real-time by TCP")
    paced = arguments.udp or arguments.real_time
    if paced and arguments.lock_step is not None:
        raise JounceError("--lock-step is not for real time; hint: leave out --udp and --real-time, or use --rate")
    if arguments.rate is not None and not paced:
        raise JounceError("--rate is for real time; in lock step, --lock-step sets the ticks between two states")
    host, port = parse_port(arguments.port)
    names = tuple(name.strip() for text in arguments.state for name in text.split(",") if name.strip())
    server = PortServer(
        ServeOptions(
            session_of(arguments, option("--duration", "duration", arguments.duration)),
            host,
            port,
            udp=arguments.udp,
            real_time=arguments.real_time,
            lock_step=arguments.lock_step,
            rate=RATE if arguments.rate is None else arguments.rate,
            timeout=arguments.timeout,
            state=names or DEFAULT_STATE,
            mapper=arguments.mapper,
            out=None if arguments.out is None else Path(arguments.out),
        )
    )
    summary = server.run()
    if summary is not None:
        print_line(f"served {summary.time:.2f} s: {summary.reason}; log in {summary.folder}")
        if summary.lateness is not None:
            print_line(lateness_text(summary.lateness))
        if summary.dropped:
            print_line(
                f"{summary.dropped} message{'s' * (summary.dropped > 1)} to the peer {'were' if summary.dropped > 1 else 'was'} dropped"
            )
    if server.stop_request.first is not None:
        raise EndedBySignal(server.stop_request.first)
    return 1 if summary is None or summary.failed else 0
