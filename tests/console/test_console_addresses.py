"""At which addresses is the console reached, under which names, and with which certificates?"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from simulator.base.addresses import is_any, is_loopback
from simulator.base.errors import JounceError
from simulator.console.access import Access
from simulator.console.address import page_address, tls_of, warning
from simulator.console.tls import TlsFiles, checked_files

DATA = Path(__file__).parents[1] / "data" / "console"
"""A certificate of console.example, localhost and 127.0.0.1 that is valid for 100 years, its key; an expired one with the same key."""
TLS = TlsFiles("cert", "key", ("console.example", "10.1.2.3"))


@pytest.mark.parametrize(("host", "local", "every"), [
    ("127.0.0.1", True, False), ("127.9.9.9", True, False), ("localhost", True, False), ("::1", True, False),
    ("0.0.0.0", False, True), ("::", False, True), ("192.168.1.5", False, False), ("rig.example", False, False),
])  # fmt: skip
def test_only_the_loopback_has_no_warning(host, local, every):
    assert (is_loopback(host), is_any(host)) == (local, every)
    assert (warning(host, None) == "") == local
    assert local or ("not encrypted" in warning(host, None) and "--tls" in warning(host, None))
    assert "not encrypted" not in warning(host, TLS)


def test_a_console_at_an_address_answers_to_that_address_and_to_the_name_of_the_machine():
    access = Access("t", "192.168.1.5", 8770)
    for host in ("192.168.1.5:8770", f"{socket.gethostname()}:8770"):
        assert access.is_host(host) and access.is_own_page(f"http://{host}", host)
    for host in (
        "localhost:8770",
        "192.168.1.6:8770",
        "192.168.1.5",
        "192.168.1.5:80",
        "evil.example:8770",
        "[192.168.1.5]:8770",
        ":8770",
        "8770",
    ):
        assert not access.is_host(host), host


def test_a_console_at_all_addresses_answers_to_numbers_and_not_to_the_names_of_others():
    for any_host in ("0.0.0.0", "::"):
        access = Access("t", any_host, 8770)
        for host in ("192.168.1.5:8770", "[fe80::1]:8770", f"{socket.gethostname()}:8770"):
            assert access.is_host(host), host
        for host in ("evil.example:8770", "192.168.1.5.evil.example:8770", "192.168.1.5:8771", "[::1:8770", ""):
            assert not access.is_host(host), host


def test_with_a_certificate_the_cookie_is_secure_and_origins_are_encrypted():
    access = Access("t", "0.0.0.0", 443, TLS)
    assert access.cookie.endswith("; Secure") and "Secure" not in Access("t", "0.0.0.0", 443).cookie
    for host in ("console.example", "console.example:443", "10.1.2.3"):
        assert access.is_own_page(f"https://{host}", host)
        assert not access.is_own_page(f"http://{host}", host)
    assert not Access("t", "0.0.0.0", 443).is_host("console.example")


def test_the_printed_address_can_be_opened():
    assert page_address("127.0.0.1", 1, "t", None) == "http://127.0.0.1:1/?token=t"
    assert page_address("::1", 1, "t", TLS) == "https://[::1]:1/?token=t"
    assert page_address("0.0.0.0", 1, "t", None) == f"http://{socket.gethostname()}:1/?token=t"


def test_a_certificate_and_its_key_are_accepted():
    files = checked_files(str(DATA / "certificate.pem"), str(DATA / "key.pem"))
    assert set(files.names) == {"console.example", "127.0.0.1", "localhost"}
    assert Path(files.certificate).is_absolute() and tls_of(None) is None


@pytest.mark.parametrize(("certificate", "key", "text"), [
    ("nothing.pem", "key.pem", "No such file"),
    ("certificate.pem", "nothing.pem", "No such file"),
    (".", "key.pem", "directory"),
    ("key.pem", "certificate.pem", "no PEM file of this kind"),
    ("certificate.pem", "certificate.pem", "no PEM file of this kind"),
    ("certificate.pem", "other_key.pem", "another certificate"),
    ("certificate.pem", "encrypted_key.pem", "encrypted"),
    ("expired.pem", "key.pem", "expired"),
    ("damaged.pem", "key.pem", "damaged"),
])  # fmt: skip
def test_unusable_certificates_are_refused_in_one_line(tmp_path, certificate, key, text):
    for file in DATA.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "damaged.pem").write_text((DATA / "certificate.pem").read_text()[:200] + "\n-----END CERTIFICATE-----\n")
    with pytest.raises(JounceError, match=text) as error:
        checked_files(str(tmp_path / certificate), str(tmp_path / key))
    assert "\n" not in str(error.value)
