"""Output of NMEA sentences: UDP datagrams, or a file. Neither delays a tick, and a failure is told once."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import warnings
from pathlib import Path
from typing import IO, Any

from simulator.base.errors import ConfigError

HOST, PORT = "127.0.0.1", 10110
"""This machine; port of NMEA 0183 in the registry of IANA."""
LINE_END = "\r\n"


class NmeaWarning(UserWarning):
    """Sentences that were not sent or written."""


class UdpOutput:
    """Sends each sentence in a datagram.

    Attributes
    ----------
    errors : number of sentences that were not sent
    """

    def __init__(self, host: str, port: int) -> None:
        """Raises OSError: the name of the host is unknown, or there are no sockets."""
        address: Any = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM)[0][4]
        self._target = str(address[0]), int(address[1])
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        if ipaddress.ip_address(self._target[0]).is_loopback:
            self._socket.bind((HOST, 0))
        self.errors = 0

    def write(self, sentences: tuple[str, ...]) -> None:
        """Send sentences; a full buffer or a network without a route drops them."""
        for sentence in sentences:
            try:
                self._socket.sendto((sentence + LINE_END).encode("ascii"), self._target)
            except OSError as error:
                self.errors += 1
                if self.errors == 1:
                    warnings.warn(f"NMEA to {self._target[0]}:{self._target[1]}: {error.strerror}; sentences are dropped", NmeaWarning, 2)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class FileOutput:
    """Writes each sentence to a line of a file, which replaces an existing one at the first sentence; a full disk ends it.

    Attributes
    ----------
    errors : number of sentences that were not written
    """

    def __init__(self, path: Path) -> None:
        """Raises OSError: the file cannot be created."""
        if not os.access(path if path.exists() else path.parent, os.W_OK) or path.is_dir():
            raise OSError(f"{path} cannot be written")
        self._path = path
        self._file: IO[bytes] | None = None
        self.errors = 0

    def write(self, sentences: tuple[str, ...]) -> None:
        """Write sentences."""
        if self.errors:
            self.errors += len(sentences)
            return
        try:
            if self._file is None:
                self._file = self._path.open("wb", buffering=0)
            self._file.write("".join(sentence + LINE_END for sentence in sentences).encode("ascii"))
        except OSError as error:
            self.errors += len(sentences)
            warnings.warn(f"{self._path}: {error.strerror}; no further NMEA sentences are written", NmeaWarning, 2)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()


def parse_address(text: str, file: object, key: str) -> tuple[str, int]:
    """Return host and port of HOST or HOST:PORT. Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if text and not colon:
        return text, PORT
    if not host or ":" in host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ConfigError(file, key, text, "HOST or HOST:PORT with a port from 1 to 65535")
    return host, int(port)
