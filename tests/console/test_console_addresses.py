"""At which addresses is the console reached, under which names, and with which certificates?"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from simulator.base.addresses import is_any, is_loopback
from simulator.base.errors import JounceError
from simulator.console.access import Access
from simulator.console.address import further_names, page_address, tls_of, warning
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
    (".", "key.pem", "a folder"),
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


TUNNEL = Access("t", "127.0.0.1", 8770, further=("localhost:9000",))
PROXY = Access("t", "127.0.0.1", 8770, further=("Console.example",))


def test_a_further_name_with_a_port_permits_this_port_only():
    assert TUNNEL.is_own_page("http://localhost:9000", "localhost:9000") and TUNNEL.is_own_page("http://127.0.0.1:8770", "127.0.0.1:8770")
    for host in ("localhost:9001", "localhost", "127.0.0.1:9000", "evil.example:9000", "evil.example", "localhost:9000.evil.example"):
        assert not TUNNEL.is_host(host), host


def test_a_further_name_without_a_port_permits_every_port():
    for host in ("console.example", "CONSOLE.example:8443", "console.example:80"):
        assert PROXY.is_own_page(f"https://{host}", host) and PROXY.is_own_page(f"http://{host}", host)
    for host in ("evil.example", "console.example.evil.example", "x.console.example", "console.example:", "console.example:8443x", ""):
        assert not PROXY.is_host(host), host


def test_a_proxy_may_replace_the_host_and_other_origins_stay_refused():
    own = "127.0.0.1:8770"
    assert PROXY.is_own_page("https://console.example", own) and PROXY.is_own_page("http://console.example", own)
    named = Access("t", "127.0.0.1", 8770, further=("console.example:8443", "plain.example:443"))
    assert named.is_own_page("https://console.example:8443", own) and named.is_own_page("https://plain.example", "plain.example")
    refused = (
        ("https://console.example:9999", own),  # another program at this name
        ("https://console.example:9999", "console.example"),
        ("https://evil.example", own),
        ("https://evil.example", "console.example"),
        ("https://console.example", "evil.example"),
        ("https://127.0.0.1:8770", own),
        ("null", own),
        ("file://console.example", own),
        ("ftp://console.example", "console.example"),
        ("", "console.example"),
    )
    for origin, host in refused:
        assert not PROXY.is_own_page(origin, host), (origin, host)


def test_a_program_on_another_port_of_a_permitted_name_is_another_origin():
    access = Access("t", "127.0.0.1", 8770, further=("localhost",))
    assert access.is_own_page("http://localhost:9000", "localhost:9000")
    for host in ("localhost:8770", "127.0.0.1:8770"):
        assert not access.is_own_page("http://localhost:9999", host), host


def test_names_are_checked_in_one_line():
    assert further_names(["Localhost:9000", "[::1]:9000", "a-b.example"]) == ("localhost:9000", "[::1]:9000", "a-b.example")
    for wrong in ("", "http://a", "a/b", "*", "a b", "a:b", "a:0", "a:70000", "9000", "a:", "-a", "::1", "a@b", "\n"):
        with pytest.raises(JounceError, match="--console-host: not a name; expected NAME") as error:
            further_names([wrong])
        assert "\n" not in str(error.value)
