"""`jounce console`: serve the page of a finished run until Ctrl-C."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from simulator.base.addresses import parse_port
from simulator.base.console import print_line
from simulator.base.errors import DeviceError
from simulator.base.signals import StopRequest, on_signal
from simulator.console.access import Access, new_token
from simulator.console.address import further_names, need_packages, page_address, tls_of, warning


def main_console(place: str, address: str, tls: Sequence[str] | None, further: Sequence[str]) -> int:
    """Run `jounce console`; return 0. Raises JounceError: log, address or certificate are unusable."""
    need_packages("jounce console")
    from simulator.console.web_server import listening_socket
    from simulator.tools.console.recorded_run import open_run
    from simulator.tools.console.run_server import RunServer

    host, port = parse_port(address)
    files, names = tls_of(tls), further_names(further)
    run, others = open_run(Path(place))
    try:
        listening = listening_socket(host, port)
    except OSError as error:
        raise DeviceError(f"console: cannot listen at {host} port {port}: {error.strerror or error}") from None
    port, token = listening.getsockname()[1], new_token()
    server = RunServer(run, Access(token, host, port, files, names), files)
    for other in others:
        print_line(f"further log of this folder: {other}")
    if text := warning(host, files):
        print_line(text)
    print_line(f"console of {run.log.file}: {page_address(host, port, token, files)} (end: Ctrl-C)")
    stop = StopRequest()

    async def serve() -> None:
        loop = asyncio.get_running_loop()

        def end(number: int) -> None:
            stop(number)
            loop.call_soon_threadsafe(server.end)

        with on_signal(end):
            await server.serve(listening)

    asyncio.run(serve())
    stop.raise_if_requested()
    return 0
