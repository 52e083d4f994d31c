"""Who may open the console: token, cookie, names of the host, origin of a page; headers of the answers."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import socket
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie

from simulator.base.addresses import is_any, is_loopback
from simulator.console.tls import TlsFiles

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer."""
USUAL_PORTS = ("80", "443")
"""Ports that browsers leave out of Host and Origin."""
TOKEN_BYTES = 16
"""128 bits."""


def new_token() -> str:
    """Return a new random token with 128 bits."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class Access:
    """Checks of the requests to one console.

    Parameters
    ----------
    token : token of the command, which opens the page; the cookie follows from it, so that a page stays open in the next run
    host, port : address of the console
    tls : files of an encrypted console; None: unencrypted
    further : further names under which browsers reach the console, through a tunnel or a proxy: NAME for every port, or NAME:PORT
    """

    def __init__(self, token: str, host: str, port: int, tls: TlsFiles | None = None, further: Sequence[str] = ()) -> None:
        self._token, self._secret = token, hashlib.sha256(b"cookie of the console" + token.encode()).hexdigest()
        self._scheme = "http" if tls is None else "https"
        self.cookie_name = f"jounce_console_{port}"
        """Name of the cookie; with the port, because browsers send a cookie to all ports of a machine."""
        own = ("127.0.0.1", "localhost", "::1") if is_loopback(host) else (socket.gethostname(),)
        names = (host, *own, *(() if tls is None else tls.names))
        self._names = {f"[{name}]" if ":" in name else name.lower() for name in names}
        self._port, self._usual_port = str(port), "80" if tls is None else "443"
        self._is_any = is_any(host)
        self._every_port = frozenset(name.lower() for name in further if not _split(name)[1])
        exact = {name.lower() for name in further}
        self._exact = exact | {_split(name)[0] for name in exact if _split(name)[1] in USUAL_PORTS}

    def is_token(self, given: str) -> bool:
        """Return whether a text is the token; the time does not depend on the text."""
        return secrets.compare_digest(given.encode(errors="replace"), self._token.encode())

    @property
    def cookie(self) -> str:
        """Value of the header Set-Cookie in exchange for the token."""
        secure = "; Secure" if self._scheme == "https" else ""
        return f"{self.cookie_name}={self._secret}; Path=/; HttpOnly; SameSite=Strict{secure}"

    def has_cookie(self, header: str) -> bool:
        """Return whether a header Cookie contains the cookie."""
        try:
            cookie = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return False
        return cookie is not None and secrets.compare_digest(cookie.value.encode(errors="replace"), self._secret.encode())

    def is_host(self, header: str) -> bool:
        """Return whether a header Host names this console. Otherwise a page of another site may have let a name point to this machine.

        A console at all addresses of the machine accepts any address in numbers: a browser that sends one has connected to it.
        """
        header = header.lower()
        if self._is_further(header):
            return True
        host, port = _split(header)
        if (port or self._usual_port) != self._port:
            return False
        return host in self._names or (self._is_any and _is_number(host))

    def is_own_page(self, origin: str, host: str) -> bool:
        """Return whether the headers Origin and Host of a socket are those of the console's own page.

        Behind a proxy, the page may be encrypted where the console is not, and the proxy may replace the header Host by the address of the
        console. Then Origin must be a further name with its port, or without one.
        """
        scheme, _, page = origin.lower().partition("://")
        if not self.is_host(host):
            return False
        if page == host.lower() and scheme == self._scheme:
            return True
        if scheme not in ("http", "https") or not self._is_further(page):
            return False
        return page == host.lower() or (not self._is_further(host.lower()) and page in self._exact)

    def _is_further(self, host: str) -> bool:
        """Return whether a host, with its port if it has one, is a further name."""
        name, port = _split(host)
        return host in self._exact or (name in self._every_port and port.isascii() and port.isdigit())


def _split(host: str) -> tuple[str, str]:
    """Return name and port of a header; an empty port if there is none."""
    name, _, port = host.rpartition(":") if not host.endswith("]") and ":" in host else (host, "", "")
    return name, port


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host[1:-1] if host.startswith("[") and host.endswith("]") else host)
    except ValueError:
        return False
    return True
