"""Web server of a finished run: the page, its description, plots and states as arrays."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from simulator.base.errors import JounceError, one_line
from simulator.base.json_output import json_text
from simulator.console.access import Access
from simulator.console.tls import TlsFiles
from simulator.console.web_server import NO_ACCESS, PageFiles, WebServer
from simulator.tools.console.recorded_run import RecordedRun

FILES = {
    "/": ("run.html", "text/html"),
    "/console.css": ("console.css", "text/css"),
    "/run.css": ("run.css", "text/css"),
    "/run.js": ("run.js", "text/javascript"),
    "/run_data.js": ("run_data.js", "text/javascript"),
    "/run_plots.js": ("run_plots.js", "text/javascript"),
    "/run_drawings.js": ("run_drawings.js", "text/javascript"),
    "/drawings.js": ("drawings.js", "text/javascript"),
    "/uplot.js": ("vendor/uplot/uPlot.esm.js", "text/javascript"),
    "/uplot.css": ("vendor/uplot/uPlot.min.css", "text/css"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
"""Files of the page by their paths."""
MAX_WIDTH, MAX_STATES, MAX_COLUMNS = 4000, 4000, 16
"""Maximum points of a plot, rows of states, and columns in one answer."""
MAX_BYTES = 1024
"""Maximum size of a message of a page; the page of a finished run sends none."""


class RunServer:
    """Server of one finished run.

    Parameters
    ----------
    run : the run
    access : checks of the requests
    tls : certificate and key; None: unencrypted
    """

    def __init__(self, run: RecordedRun, access: Access, tls: TlsFiles | None) -> None:
        self._run, self._access = run, access
        self._description = json_text(run.description()).encode()
        answers = {"/run.json": self._describe, "/plot": self._plot, "/states": self._states}
        routes = [Route(path, self._checked(answer), methods=["GET"]) for path, answer in answers.items()]
        self._server = WebServer([*PageFiles(FILES, access).routes, *routes], access, tls, MAX_BYTES)

    async def serve(self, listening: socket.socket) -> None:
        """Serve pages until `end`."""
        await self._server.serve(sockets=[listening])

    def end(self) -> None:
        """End the server."""
        self._server.end()

    def _checked(self, answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Return an answer for pages with the cookie, which survives wrong numbers and files that are gone."""

        async def checked(request: Request) -> Response:
            if not self._access.has_cookie(request.headers.get("cookie", "")):
                return PlainTextResponse(NO_ACCESS, 403)
            try:
                return await answer(request)
            except (KeyError, ValueError):
                return PlainTextResponse("unknown request\n", 400)
            except JounceError as error:
                return PlainTextResponse(one_line(str(error)) + "\n", 410)

        return checked

    async def _describe(self, _: Request) -> Response:
        return Response(self._description, media_type="application/json")

    async def _plot(self, request: Request) -> Response:
        """Answer with times and columns: `columns` (names with commas), `from`, `to` [s], `width` (points)."""
        names = request.query_params["columns"].split(",")
        if len(names) > MAX_COLUMNS or not set(names) <= self._run.columns.keys():
            raise KeyError("columns")
        width = _count(request, "width", MAX_WIDTH)
        return _arrays(await asyncio.to_thread(self._run.plot, names, *_window(request), width))

    async def _states(self, request: Request) -> Response:
        """Answer with times and the columns of the drawings: `from`, `to` [s], `count` (rows)."""
        count = _count(request, "count", MAX_STATES)
        return _arrays(await asyncio.to_thread(self._run.states, *_window(request), count))


def _window(request: Request) -> tuple[float, float]:
    """Return the window of time of a request. Raises KeyError, ValueError."""
    first, last = (float(request.query_params[name]) for name in ("from", "to"))
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ValueError("no window")
    return first, last


def _count(request: Request, name: str, most: int) -> int:
    """Return a count of a request, at most `most`. Raises KeyError, ValueError."""
    text = request.query_params[name]
    if not (text.isascii() and text.isdigit() and len(text) < 7 and int(text) > 0):
        raise ValueError(name)
    return min(int(text), most)


def _arrays(arrays: Sequence[NDArray[np.float64]]) -> Response:
    """Return arrays of one length as bytes: number of arrays and length, u32, then the numbers, f64; little-endian."""
    head = np.array([len(arrays), len(arrays[0])], dtype="<u4").tobytes()
    return Response(head + b"".join(np.asarray(one, dtype="<f8").tobytes() for one in arrays), media_type="application/octet-stream")
