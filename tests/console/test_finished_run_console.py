"""Does `jounce console` serve a finished run to those with the token, encrypted or not, and end by a signal?"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from hostile_clients import PATHS, Attack, heads, send
from test_recorded_run import COUNT, H, write

for package in ("starlette", "uvicorn", "websockets"):
    pytest.importorskip(package)

DATA = Path(__file__).parents[1] / "data" / "console"
PATIENCE = 60.0


class Unredirected(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Served:
    """A process of `jounce console`."""

    def __init__(self, *options, context=None):
        command = [sys.executable, "-m", "simulator", "console", *map(str, options)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines, found = [], None
        while found is None:
            line = self.process.stdout.readline()
            assert line, self.lines
            self.lines.append(line)
            found = re.search(r"(https?)://(\S+):(\d+)/\?token=(\S+)", line)
        self.scheme, _, port, self.token = found.groups()
        self.port = int(port)
        handlers = [Unredirected, *([urllib.request.HTTPSHandler(context=context)] if context else [])]
        self._opener = urllib.request.build_opener(*handlers)
        self.headers = self.get(f"/?token={self.token}")[1]
        self.cookie = (self.headers["Set-Cookie"] or "").split(";")[0]

    def get(self, path, **headers):
        """Status, headers and content."""
        request = urllib.request.Request(f"{self.scheme}://127.0.0.1:{self.port}{path}", headers=headers)
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def arrays(self, path):
        status, _, content = self.get(path, Cookie=self.cookie)
        assert status == 200
        count, length = np.frombuffer(content, "<u4", 2)
        return np.frombuffer(content, "<f8", offset=8).reshape(count, length)

    def end(self, number):
        self.process.send_signal(number)
        rest = self.process.communicate(timeout=PATIENCE)[0]
        return self.process.returncode, rest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("run"), x=np.sin(0.01 * np.arange(COUNT)), yaw=0.0 * np.arange(COUNT))


@pytest.fixture(scope="module")
def served(folder):
    served = Served(folder, "--port", 0)
    yield served
    code, rest = served.end(signal.SIGINT)
    assert (code, rest) == (130, "jounce: interrupted\n")


def test_the_page_and_its_data_need_the_token(served):
    files = (
        "/",
        "/run.js",
        "/run_data.js",
        "/run_plots.js",
        "/run_drawings.js",
        "/drawings.js",
        "/uplot.js",
        "/uplot.css",
        "/run.css",
        "/run.json",
    )
    data = ("/plot?columns=x&from=0&to=1&width=10", "/states?from=0&to=1&count=10")
    for path in (*files, *data):
        assert served.get(path)[0] == 403, path
        assert served.get(path, Cookie=served.cookie)[0] == 200, path
        assert served.get(path, Cookie=served.cookie, Host=f"evil.example:{served.port}")[0] == 421, path
    assert served.get("/?token=wrong")[0] == 403
    assert "default-src 'none'" in served.headers["Content-Security-Policy"] and "Secure" not in served.headers["Set-Cookie"]


def test_data_are_those_of_the_log_and_no_more_than_asked_for(served):
    about = json.loads(served.get("/run.json", Cookie=served.cookie)[2])
    assert about["rows"] == COUNT and about["states"] == ["time", "yaw"] and ["vehicle", "hmmwv"] in about["facts"]
    when, x = served.arrays(f"/plot?columns=x&from=0&to={H * COUNT}&width=200")
    assert len(when) == 400 and np.abs(x - np.sin(when)).max() < 0.6 and x.max() > 0.999
    when, x = served.arrays("/plot?columns=x&from=3&to=4&width=200")
    assert len(when) == 103 and np.allclose(x, np.sin(when))
    when, _, _ = served.arrays("/states?from=0&to=200&count=100000")
    assert len(when) <= 4000


@pytest.mark.parametrize("query", [
    "", "columns=x", "columns=x&from=a&to=1&width=10", "columns=x&from=nan&to=1&width=10", "columns=x&from=0&to=inf&width=10",
    "columns=x&from=0&to=1&width=0", "columns=x&from=0&to=1&width=-5", "columns=x&from=0&to=1&width=1e9", "columns=x&from=0&to=1&width=99999999999",
    "columns=nothing&from=0&to=1&width=10", "columns=&from=0&to=1&width=10", "columns=../x&from=0&to=1&width=10",
    "columns=" + ",".join(40 * ["x"]) + "&from=0&to=1&width=10",
])  # fmt: skip
def test_wrong_numbers_are_refused(served, query):
    assert served.get(f"/plot?{query}", Cookie=served.cookie)[0] == 400


def test_an_empty_window_is_an_answer(served):
    assert served.arrays("/plot?columns=x&from=1e300&to=2e300&width=10").shape[0] == 2
    assert served.arrays("/states?from=5&to=-5&count=10").shape[0] == 3


def test_hostile_clients_get_nothing_and_the_page_stays(served):
    for path in PATHS:
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {served.cookie}\r\nConnection: close\r\n\r\n"
        answer = send(served.port, request.encode("latin-1"))
        assert re.match(rb"HTTP/1.1 (400|403|404) ", answer) and b"root:" not in answer, path
    for data in heads(f"127.0.0.1:{served.port}").values():
        assert not re.search(rb"HTTP/1.1 200 ", send(served.port, data))
    attack = Attack(served.port)
    limit, seen = time.monotonic() + PATIENCE, 0
    while seen < 5:
        assert time.monotonic() < limit
        with contextlib.suppress(OSError):
            seen += served.get("/", Cookie=served.cookie)[0] == 200
    assert attack.end()["requests"] > 0
    assert served.get("/", Cookie=served.cookie)[0] == 200


def test_with_a_certificate_everything_is_encrypted(folder):
    context = ssl.create_default_context(cafile=DATA / "certificate.pem")
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    served = Served(folder, "--address", "0.0.0.0:0", "--tls", DATA / "certificate.pem", DATA / "key.pem", context=context)
    assert served.lines[0].startswith("warning: ") and "not encrypted" not in served.lines[0]
    assert served.scheme == "https" and "; Secure" in served.headers["Set-Cookie"]
    assert served.get("/run.json", Cookie=served.cookie)[0] == 200
    assert b"HTTP/1.1 200" not in send(
        served.port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {served.cookie}\r\n\r\n".encode()
    )
    assert served.end(signal.SIGTERM)[0] == 143
