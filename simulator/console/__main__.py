"""Process of the console. Standard input: a line with the setup, then messages for the pages, one line each; its end ends the process.

Standard output, one line each: {"port": ...} when the console listens, {"error": ...}, and {"kind": ..., "value": ...} for an action of the
operator. A line that the drive does not take is dropped.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
from typing import Any

from simulator.base.json_output import json_text
from simulator.console.access import Access
from simulator.console.server import ConsoleServer
from simulator.console.state_block import StateBlock
from simulator.console.tls import TlsFiles
from simulator.console.web_server import listening_socket


def main() -> int:
    """Serve the console of a drive; return an exit code."""
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not reach the drive
    os.set_blocking(out, False)
    parent, setup = os.getppid(), json.loads(sys.stdin.buffer.readline())
    try:
        listening = listening_socket(setup["host"], setup["port"])
    except OSError as error:
        _tell(out, {"error": f"{setup['host']} port {setup['port']}: {error.strerror}"})
        return 1
    port, tls = listening.getsockname()[1], TlsFiles(**setup["tls"]) if setup.get("tls") else None
    try:
        block, access = StateBlock(name=setup["block"]), Access(setup["token"], setup["host"], port, tls, setup.get("further", ()))
        server = ConsoleServer(setup, access, block, lambda kind, value: _tell(out, {"kind": kind, "value": value}), tls)
        _tell(out, {"port": port})
        asyncio.run(_serve(server, listening))
        block.close(orphaned=os.getppid() != parent)
    except Exception as error:
        _tell(out, {"error": f"{type(error).__name__}: {error}"[:500]})
        raise
    return 0


async def _serve(server: ConsoleServer, listening: socket.socket) -> None:
    loop = asyncio.get_running_loop()

    def pass_on() -> None:
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(server.station.tell_all, json.loads(line))
        loop.call_soon_threadsafe(server.end)

    threading.Thread(target=pass_on, name="messages of the drive", daemon=True).start()
    await server.serve(listening)


def _tell(out: int, message: dict[str, Any]) -> None:
    """Write a line to the drive; drop it if the drive does not read. A line of less than a page of memory is written as a whole or not."""
    try:
        os.write(out, (json_text(message) + "\n").encode())
    except OSError:
        print("the drive does not take an action of the operator", file=sys.stderr)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # the thread of the standard input may wait for ever
