"""Where a console listens, what the user has to know of an address that others reach, and the packages that a console needs."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from importlib.util import find_spec

from simulator.base.addresses import is_any, is_loopback, joined
from simulator.base.errors import JounceError
from simulator.console.tls import TlsFiles, checked_files

_NAME = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)(:[0-9]{1,5})?")
PACKAGES = ("starlette", "uvicorn", "websockets")


def need_packages(what: str) -> None:
    """Check that the packages of the console are installed. Raises JounceError, which names the option or the command."""
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if absent:
        from simulator.base.installation import install_extra

        raise JounceError(f"{what}: {', '.join(absent)} not installed; hint: run {install_extra('console')}")


def tls_of(files: Sequence[str] | None) -> TlsFiles | None:
    """Return the checked files of the option --tls; None without it. Raises ConfigError."""
    return None if files is None else checked_files(*files)


def further_names(given: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the option --console-host in small letters. Raises JounceError."""
    for one in given:
        if one.isdigit() or not _NAME.fullmatch(one) or not 0 < int(one.rpartition(":")[2] if _has_port(one) else 1) < 65536:
            raise JounceError(
                f"--console-host: not a name; expected NAME, NAME:PORT, or an address such as [fe80::1]:8770; got {one!r}"
                + ("; hint: without http:// and path" if "/" in one else "")
            )
    return tuple(one.lower() for one in given)


def _has_port(name: str) -> bool:
    return not name.endswith("]") and ":" in name


def page_address(host: str, port: int, token: str, tls: TlsFiles | None) -> str:
    """Return the address of the page, with its token."""
    name = socket.gethostname() if is_any(host) else host
    return f"{'http' if tls is None else 'https'}://{joined(name, port)}/?token={token}"


def warning(host: str, tls: TlsFiles | None) -> str:
    """Return the warning about an address that other machines reach; empty for the loopback."""
    if is_loopback(host):
        return ""
    where = "every address of this machine" if is_any(host) else host
    who = f"warning: the console listens at {where}: every machine of this network that has the token may open it"
    if tls is not None:
        return who
    return f"{who}; the traffic is not encrypted, and who reads it gets the token; hint: --tls CERT KEY, or 127.0.0.1 and an SSH tunnel"
