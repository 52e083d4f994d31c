"""Web server of a console: limits of its connections, checks of every request, headers of every answer. Knows no page."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

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
SLOW = 5.0
"""s for a request after a connection, for the handshake of TLS, and for a page to take a message."""
MOST_CONNECTIONS = 64
"""Connections with a request; further ones are answered with 503."""
MOST_SOCKETS = 256
"""Connections of any kind; further ones are closed at once, so that the process does not run out of descriptors."""
MOST_HEAD = 16_384
"""Maximum bytes of the head of a request."""
BACKLOG = 128
NO_ACCESS = "Open the address that was printed in the terminal; it contains a token.\n"


class ImpatientProtocol(H11Protocol):
    """Connection that is closed if no request arrives in SLOW: half-open connections do not use up the console."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_for_request = self.loop.call_later(SLOW, self._lose)
        if len(self.connections) > MOST_SOCKETS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait."""
        self._wait_for_request.cancel()
        super().connection_lost(exc)

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
        files = {} if tls is None else {"ssl_certfile": tls.certificate, "ssl_keyfile": tls.key}
        config = uvicorn.Config(
            _guarded(Starlette(routes=routes), access),
            http=ImpatientProtocol,
            h11_max_incomplete_event_size=MOST_HEAD,
            lifespan="off",
            log_config=None,  # the address of a request may contain the token
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=int(SLOW),
            timeout_graceful_shutdown=1,
            ws_max_size=most_bytes,
            ws_max_queue=8,
            ws_ping_interval=SLOW,
            ws_ping_timeout=SLOW,
            ws_per_message_deflate=False,
            **files,
        )
        super().__init__(config)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the program."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve a socket, with a limit for the handshake of TLS, which uvicorn does not have."""
        loop, config = asyncio.get_running_loop(), self.config

        def protocol() -> asyncio.Protocol:
            return ImpatientProtocol(config=config, server_state=self.server_state, app_state={}, _loop=loop)

        patience = None if config.ssl is None else SLOW
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
    files : name below PAGE and media type by path; there is no other path
    access : checks of the requests
    """

    def __init__(self, files: dict[str, tuple[str, str]], access: Access) -> None:
        self._access = access
        self._files = {path: ((PAGE / name).read_bytes(), media) for path, (name, media) in files.items()}
        self.routes = [Route(path, self._serve, methods=["GET"]) for path in files]

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


def _guarded(app: ASGIApp, access: Access) -> ASGIApp:
    """Return an application that refuses other hosts, and adds HEADERS to every answer."""
    more = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        is_known = scope["type"] != "http" or (len(hosts) == 1 and access.is_host(hosts[0]))  # a socket checks it by itself
        await (app if is_known else PlainTextResponse("unknown host\n", 421))(scope, receive, answer)

    return guarded
