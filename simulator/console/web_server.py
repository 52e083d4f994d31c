"""Web server of a console: limits of its connections, checks of every request, headers of every answer. Knows no page."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from simulator.console.access import HEADERS, Access
from simulator.console.tls import TlsFiles

PAGE = Path(__file__).parent / "page"
REQUEST_TIMEOUT = 5.0
"""s for a request after a connection, for the handshake of TLS, and for a page to take a message."""
MAX_IDLE = 256
"""Connections without a request at a time. A further one displaces the one that has been idle longest, so that nobody is locked out."""
MAX_FILES = 4096
"""File descriptors that the process may use if the system permits it, for connections in a handshake."""
MAX_HEAD = 16_384
"""Maximum bytes of the incomplete head of a request."""
MAX_HEADERS = 100
BACKLOG = 128
NO_FILES: Mapping[str, tuple[bytes, str]] = MappingProxyType({})
NO_ACCESS = "Open the address that was printed in the terminal; it contains a token.\n"


class ImpatientProtocol(H11Protocol):
    """Connection that is closed if no request arrives in REQUEST_TIMEOUT: half-open connections do not use up the console.

    Parameters
    ----------
    idle : connections without a request, the one that has been idle longest first; shared by all connections
    """

    def __init__(self, idle: dict[ImpatientProtocol, None], **options: Any) -> None:
        super().__init__(**options)
        self._idle = idle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_for_request = self.loop.call_later(REQUEST_TIMEOUT, self._lose)
        self._note()

    def data_received(self, data: bytes) -> None:
        """Take data; a connection with a request is not idle."""
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Take the next request."""
        super().on_response_complete()
        self._note()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait."""
        self._wait_for_request.cancel()
        self._idle.pop(self, None)
        super().connection_lost(exc)

    def _note(self) -> None:
        """Note whether the connection is idle; begin of a request and end of an answer renew its place."""
        serves = self.cycle is not None and not self.cycle.response_complete
        if serves or self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._idle.pop(self, None)
        elif self not in self._idle:
            self._idle[self] = None
            if len(self._idle) > MAX_IDLE:
                next(iter(self._idle)).transport.abort()

    def _lose(self) -> None:
        if self.cycle is None and self.transport.get_protocol() is self:
            self.transport.close()


class WebServer(uvicorn.Server):
    """Server for the routes of a console.

    Parameters
    ----------
    routes : what is served
    access : checks of the requests
    tls : certificate and key; None: unencrypted
    most_bytes : maximum size of a message of a page
    """

    def __init__(self, routes: Sequence[BaseRoute], access: Access, tls: TlsFiles | None, most_bytes: int) -> None:
        config = uvicorn.Config(
            _guarded(Starlette(routes=routes), access),
            http=ImpatientProtocol,
            h11_max_incomplete_event_size=MAX_HEAD,
            lifespan="off",
            log_config=None,  # the address of a request may contain the token
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=int(REQUEST_TIMEOUT),
            timeout_graceful_shutdown=1,
            ws_max_size=most_bytes,
            ws_max_queue=8,
            ws_ping_interval=REQUEST_TIMEOUT,
            ws_ping_timeout=REQUEST_TIMEOUT,
            ws_per_message_deflate=False,
            ssl_certfile=None if tls is None else tls.certificate,
            ssl_keyfile=None if tls is None else tls.key,
        )
        super().__init__(config)
        logging.getLogger("uvicorn.error").addFilter(_is_a_bug)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the program."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve a socket, with a limit for the handshake of TLS, which uvicorn does not have."""
        loop, config = asyncio.get_running_loop(), self.config
        idle: dict[ImpatientProtocol, None] = {}
        _permit_files()

        def protocol() -> asyncio.Protocol:
            return ImpatientProtocol(idle, config=config, server_state=self.server_state, app_state={}, _loop=loop)

        patience = None if config.ssl is None else REQUEST_TIMEOUT
        self.servers = [
            await loop.create_server(protocol, sock=one, ssl=config.ssl, ssl_handshake_timeout=patience, backlog=BACKLOG)
            for one in sockets or []
        ]
        self.started = True

    def end(self) -> None:
        """End the server."""
        self.should_exit = True


class PageFiles:
    """Routes of the files of a page. The first one exchanges the token for the cookie.

    Parameters
    ----------
    files : name below PAGE and media type by path
    access : checks of the requests
    more : content and media type by path; there is no other path
    """

    def __init__(self, files: Mapping[str, tuple[str, str]], access: Access, more: Mapping[str, tuple[bytes, str]] = NO_FILES) -> None:
        self._access = access
        self._files = {path: ((PAGE / name).read_bytes(), media) for path, (name, media) in files.items()} | dict(more)
        self.routes = [Route(path, self._serve, methods=["GET"]) for path in self._files]

    async def _serve(self, request: Request) -> Response:
        token = request.query_params.get("token")
        if token is not None and request.url.path == "/" and self._access.is_token(token):
            return RedirectResponse("/", 303, {"Set-Cookie": self._access.cookie})
        if token is not None or not self._access.has_cookie(request.headers.get("cookie", "")):
            return PlainTextResponse(NO_ACCESS, 403)
        content, media = self._files[request.url.path]
        return Response(content, media_type=media)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address. Raises OSError."""
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # without a protocol, asyncio leaves the delay of TCP on
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    listening.setblocking(False)
    return listening


def _is_a_bug(record: logging.LogRecord) -> bool:
    """Return whether a line of the log is of interest: what clients send must not fill the terminal."""
    return record.exc_info is not None and not isinstance(record.exc_info[1], h11.ProtocolError)


def _permit_files() -> None:
    """Let the process use up to MAX_FILES descriptors, as far as the system permits it."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows, which has no such limit

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = MAX_FILES if hard == resource.RLIM_INFINITY else min(MAX_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def _guarded(app: ASGIApp, access: Access) -> ASGIApp:
    """Return an application that refuses what no page sends, and adds HEADERS to every answer."""
    more = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        refusal = _refusal(scope, access) if scope["type"] == "http" else None  # a socket checks it by itself
        await (refusal or app)(scope, receive, answer)

    return guarded


def _refusal(scope: Scope, access: Access) -> Response | None:
    """Return the answer to a request that no page sends: for another host, or with a body, on whose length servers may disagree."""
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    if len(hosts) != 1 or not access.is_host(hosts[0]):
        return PlainTextResponse("unknown host\n", 421)
    if len(scope["headers"]) > MAX_HEADERS:
        return PlainTextResponse("too many headers\n", 431, {"Connection": "close"})
    if any(name == b"transfer-encoding" or (name == b"content-length" and value != b"0") for name, value in scope["headers"]):
        return PlainTextResponse("no body expected\n", 400, {"Connection": "close"})
    return None
