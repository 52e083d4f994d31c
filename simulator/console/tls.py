"""Certificate and key of a console: checked before the console starts."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import UnreadableError
from simulator.base.inputfile import read_bytes

MAX_BYTES = 1 << 20
NAMES = ("DNS", "IP Address")


@dataclass(frozen=True)
class TlsFiles:
    """Files of an encrypted console, as absolute paths."""

    certificate: str
    key: str
    names: tuple[str, ...] = ()
    """Names and addresses for which the certificate is valid."""


def checked_files(certificate: str, key: str) -> TlsFiles:
    """Return the files of a certificate (with its chain) and of its key. Raises UnreadableError: they are unusable together, or now."""
    for file, what, mark in (
        (certificate, "a certificate (PEM)", b"CERTIFICATE-----"),
        (key, "the key of the certificate (PEM)", b"KEY-----"),
    ):
        if mark not in read_bytes(file, what, MAX_BYTES):
            raise UnreadableError(file, "", "no PEM file of this kind", what)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        server.load_cert_chain(certificate, key, password=lambda: _refuse_password(key))
    except ssl.SSLError as error:
        raise UnreadableError(key, "", _reason(error), f"the unencrypted key of the certificate {certificate}") from None
    names = _names_of(certificate, server)
    return TlsFiles(os.path.abspath(certificate), os.path.abspath(key), names)


def _refuse_password(key: str) -> str:
    raise UnreadableError(key, "", "the key is encrypted", "a key without a password, readable by its owner only")


def _reason(error: ssl.SSLError) -> str:
    reasons = {"KEY_VALUES_MISMATCH": "the key belongs to another certificate"}
    return reasons.get(error.reason or "", (error.reason or "damaged PEM file").replace("_", " ").lower())


def _names_of(certificate: str, server: ssl.SSLContext) -> tuple[str, ...]:
    """Return the names of a certificate, by a handshake in memory with a client that trusts this certificate only. Raises UnreadableError."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        client.load_verify_locations(certificate)
        peer = _handshake(client, server)
    except ssl.SSLCertVerificationError as error:
        raise UnreadableError(certificate, "", error.verify_message, "a certificate that is valid now, for a server") from None
    except ssl.SSLError as error:
        raise UnreadableError(certificate, "", _reason(error), "a certificate for a server") from None
    return tuple(name.lower() for kind, name in peer.get("subjectAltName", ()) if kind in NAMES)


def _handshake(client: ssl.SSLContext, server: ssl.SSLContext) -> dict[str, Any]:
    """Return the certificate that a client sees. Raises SSLError."""
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(down, up), server.wrap_bio(up, down, server_side=True)]
    done = [False, False]
    while not all(done):
        for number, end in enumerate(ends):
            if not done[number]:
                try:
                    end.do_handshake()
                    done[number] = True
                except ssl.SSLWantReadError:
                    continue
    return dict(ends[0].getpeercert() or {})
