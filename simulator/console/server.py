"""Web server of the console: the page, and a socket for each page with the states of the drive."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from simulator.base.json_output import json_text
from simulator.console.access import Access
from simulator.console.pictures import Pictures
from simulator.console.state_block import StateBlock
from simulator.console.station import MAX_BYTES, Page, RefusedError, Station
from simulator.console.tls import TlsFiles
from simulator.console.web_server import REQUEST_TIMEOUT, PageFiles, WebServer

FILES = {
    "/": ("index.html", "text/html"),
    "/console.css": ("console.css", "text/css"),
    "/console.js": ("console.js", "text/javascript"),
    "/drawings.js": ("drawings.js", "text/javascript"),
    "/beat.js": ("beat.js", "text/javascript"),
    "/acts.js": ("acts.js", "text/javascript"),
    "/tuning.js": ("tuning.js", "text/javascript"),
    "/parts.js": ("parts.js", "text/javascript"),
    "/map.js": ("map.js", "text/javascript"),
    "/plots.js": ("plots.js", "text/javascript"),
    "/scene.js": ("scene.js", "text/javascript"),
    "/uplot.js": ("vendor/uplot/uPlot.esm.js", "text/javascript"),
    "/uplot.css": ("vendor/uplot/uPlot.min.css", "text/css"),
    "/three.module.min.js": ("vendor/three/three.module.min.js", "text/javascript"),
    "/three.core.min.js": ("vendor/three/three.core.min.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
"""Files of the page by their paths."""
DRIVE = "/drive.json"
"""Path of the scene and of the possible actions of the drive; there is no other path."""
PERIOD = 1.0 / 30.0
"""s between two states for a page."""
REFUSED_CODE, FULL_CODE = 1008, 1013
"""Codes with which a socket is closed."""


class ConsoleServer:
    """Server of one console.

    Parameters
    ----------
    setup : title, and columns as of `simulator.outlets.console.ConsoleOutlet.setup`
    access : checks of the requests
    block : states of the drive
    send : receives the actions of the operator: kind, value
    tls : certificate and key; None: unencrypted
    """

    def __init__(
        self, setup: Mapping[str, Any], access: Access, block: StateBlock, send: Callable[[str, Any], None], tls: TlsFiles | None = None
    ) -> None:
        self._access, self._block = access, block
        columns = setup["columns"]
        self._hello = {
            "type": "hello",
            "title": setup["title"],
            "states": setup["states"],
            "pictures": bool(setup.get("pictures")),
            "columns": [[one["name"], one["unit"], one["meaning"]] for one in columns],
        }
        self._row = np.dtype(
            {
                "names": [one["name"] for one in columns],
                "formats": [one["kind"] for one in columns],
                "offsets": [one["offset"] for one in columns],
                "itemsize": block.row.shape[1],
            }
        )
        self.station = Station(
            [one["name"] for one in columns], send, lambda: block.add("stops"), lambda: block.add("operator_beats"), self._supervise
        )
        self._pictures = Pictures(setup.get("pictures", ""))
        files = PageFiles(FILES, access, {DRIVE: (json_text(setup.get("drive", {})).encode(), "application/json")})
        self._server = WebServer([*files.routes, WebSocketRoute("/live", self._serve_page)], access, tls, MAX_BYTES)

    async def serve(self, listening: socket.socket) -> None:
        """Serve pages until `end`."""
        pictures = asyncio.ensure_future(self._pictures.serve(self.station.wanted_pictures))
        await self._server.serve(sockets=[listening])
        pictures.cancel()
        await asyncio.gather(pictures, return_exceptions=True)
        self._pictures.close()

    def end(self) -> None:
        """End the server."""
        self._server.end()

    def _supervise(self, on: bool) -> None:
        self._block.cells["operator"] = on

    async def _serve_page(self, web: WebSocket) -> None:
        headers = web.headers
        is_own = self._access.is_own_page(headers.get("origin", ""), headers.get("host", ""))
        page = self.station.join(time.monotonic()) if is_own and self._access.has_cookie(headers.get("cookie", "")) else None
        if page is None:
            await web.close(FULL_CODE if is_own else REFUSED_CODE)  # before `accept`: the answer is 403
            return
        page.lines.appendleft(self._hello)
        try:
            await web.accept()
            tasks = [asyncio.ensure_future(work) for work in (self._hear(web, page), self._feed(web, page))]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            self.station.leave(page)
            with suppress(RuntimeError, TimeoutError, WebSocketDisconnect):  # it is closed
                async with asyncio.timeout(1.0):
                    await web.close(REFUSED_CODE)

    async def _hear(self, web: WebSocket, page: Page) -> None:
        """Act on the messages of a page until it leaves, or sends what is refused."""
        while True:
            message = await web.receive()
            if message["type"] != "websocket.receive":
                return
            try:
                self.station.hear(page, message.get("text") or "", time.monotonic())
            except RefusedError:
                return

    async def _feed(self, web: WebSocket, page: Page) -> None:
        """Send a page its messages and the latest state; return when it does not take them."""
        seen, columns = 0, page.columns
        status: Any = None
        shown: dict[str, int] = {}
        with suppress(RuntimeError, TimeoutError, WebSocketDisconnect):
            while True:
                while page.lines:
                    await _send(web, page.lines.popleft())
                if self.station.status is not status:
                    status = self.station.status
                    await _send(web, status)
                for part in page.pictures:
                    number, picture = self._pictures.latest.get(part, (0, b""))
                    if number != shown.get(part, 0):
                        shown[part] = number
                        async with asyncio.timeout(REQUEST_TIMEOUT):
                            await web.send_bytes(picture)
                if page.columns is not columns:
                    columns, seen = page.columns, 0
                    await _send(web, {"type": "columns", "names": columns})
                if columns and self._block.count != seen:
                    seen = self._block.count
                    if (row := self._block.read()) is not None:
                        state = row.view(self._row)[0]
                        await _send(web, {"type": "state", "v": [state[name] for name in columns], "dropped": page.dropped})
                await asyncio.sleep(PERIOD)


async def _send(web: WebSocket, message: Mapping[str, Any]) -> None:
    async with asyncio.timeout(REQUEST_TIMEOUT):  # `wait_for` of Python 3.11 may lose a cancellation
        await web.send_text(json_text(message))
