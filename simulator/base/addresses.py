"""Addresses at which a command listens, as users write them: [HOST:]PORT."""

from __future__ import annotations

import contextlib
import ipaddress
import socket

from simulator.base.errors import ConfigError

LOOPBACK = "127.0.0.1"


def parse_port(text: str, option: str = "--port") -> tuple[str, int]:
    """Return host and port of [HOST:]PORT, the host of an IPv6 address in brackets; without a host, the loopback.

    Raises ConfigError, which names the option.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    bare = text.rpartition(":")[0]
    unclear = ":" in bare and not (bare.startswith("[") and bare.endswith("]"))
    if unclear or text.startswith(":") or not (port.isascii() and port.isdigit() and len(port) < 6 and int(port) < 65536):
        raise ConfigError(option, "", text, "PORT or HOST:PORT with a port from 1 to 65535, or 0 for any free port")
    return host or LOOPBACK, int(port)


def address_text(bound: socket.socket) -> str:
    """Return the address of a socket as HOST:PORT."""
    host, port = bound.getsockname()[:2]
    return joined(host, port)


def joined(host: str, port: int) -> str:
    """Return HOST:PORT, the host of an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether only programs of this machine reach an address or a name."""
    if host.lower() == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    return False


def is_any(host: str) -> bool:
    """Return whether a host stands for all addresses of this machine."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_unspecified
    return False
