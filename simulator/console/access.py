"""Who may open the console: token, cookie, names of the host, origin of a page; headers of the answers."""

from __future__ import annotations

import hashlib
import secrets
from http.cookies import CookieError, SimpleCookie

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
    """

    def __init__(self, token: str, host: str, port: int) -> None:
        self._token, self._secret = token, hashlib.sha256(b"cookie of the console" + token.encode()).hexdigest()
        self.cookie_name = f"jounce_console_{port}"
        """Name of the cookie; with the port, because browsers send a cookie to all ports of a machine."""
        names = {host, "127.0.0.1", "localhost", "[::1]"} if host in ("127.0.0.1", "localhost", "::1") else {host}
        self._hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())

    def is_token(self, given: str) -> bool:
        """Return whether a text is the token; the time does not depend on the text."""
        return secrets.compare_digest(given.encode(errors="replace"), self._token.encode())

    @property
    def cookie(self) -> str:
        """Value of the header Set-Cookie in exchange for the token."""
        return f"{self.cookie_name}={self._secret}; Path=/; HttpOnly; SameSite=Strict"

    def has_cookie(self, header: str) -> bool:
        """Return whether a header Cookie contains the cookie."""
        try:
            found = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return False
        return found is not None and secrets.compare_digest(found.value.encode(errors="replace"), self._secret.encode())

    def is_host(self, header: str) -> bool:
        """Return whether a header Host names this console. Otherwise a page of another site may have let a name point to this machine."""
        return header.lower() in self._hosts

    def is_own_page(self, origin: str, host: str) -> bool:
        """Return whether the headers Origin and Host of a socket are those of the console's own page."""
        return self.is_host(host) and origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
