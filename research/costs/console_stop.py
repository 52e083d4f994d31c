"""Command `python -m research bench console`: time from a stop on the operator's page to the first packet, seen by a receiver, whose pose decelerates.

A drive in real time without a window streams its motion to a receiver in this process. A page sends the stop while the platform moves; the
time counts from the moment at which the page sends it, so it includes the way to the console. Then the page acknowledges, and a script raises
the platform again, as the driver does at the vehicle.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from simulator.base import cleanup
from simulator.base.console import print_line
from simulator.base.errors import DeviceError
from simulator.base.json_output import json_text
from simulator.benchmarks.machine_info import machine
from simulator.console.address import need_packages
from simulator.motion.protocols.native_packet import decode

PERIOD = 0.004
"""s between two packets."""
MOVING = 2e-3
"""Speed of the platform [m/s] above which a stop is measured."""
DECELERATES = 0.2
"""Fraction of the largest deceleration of a stop from which a packet counts as decelerating."""
REST = 0.6
"""s after a stop in which the platform comes to rest."""
PATIENCE = 300.0
"""s for the start of the drive, which may compile, and for a stop."""
COLUMNS = ["host_stopped", "host_lateness_worst", "host_overruns"]


class Receiver:
    """Receiver of the motion stream; keeps arrival and position of the latest packets."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.packets: deque[tuple[float, tuple[float, ...]]] = deque(maxlen=1000)
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        while True:
            data = self._socket.recv(4096)
            arrival = time.monotonic()
            self.packets.append((arrival, tuple(decode(data).pose[:3])))

    def since(self, begin: float) -> tuple[np.ndarray, np.ndarray]:
        """Return arrivals (n,) [s] and positions (n, 3) [m] of the packets since a time."""
        rows = [row for row in tuple(self.packets) if row[0] > begin]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows]).reshape(-1, 3)

    @property
    def speed(self) -> float:
        """Latest speed of the platform [m/s]."""
        latest = tuple(self.packets)[-2:]
        return 0.0 if len(latest) < 2 else float(np.linalg.norm(np.subtract(latest[1][1], latest[0][1]))) / PERIOD


class OperatorPage:
    """Page with control: beats, and keeps the latest state."""

    def __init__(self, host: str, cookie: str) -> None:
        from websockets.sync.client import connect
        from websockets.typing import Origin

        self._opened, self._lock = contextlib.ExitStack(), threading.Lock()
        page = connect(f"ws://{host}/live", origin=Origin(f"http://{host}"), additional_headers={"Cookie": cookie}, proxy=None)
        self._page = self._opened.enter_context(page)
        self.state: dict[str, Any] = {}
        for work in (self._listen, self._beat):
            threading.Thread(target=work, daemon=True).start()
        self.say(type="plot", columns=COLUMNS)
        self.say(type="take")

    def say(self, **message: Any) -> None:
        """Send a message."""
        with self._lock:
            self._page.send(json_text(message))

    def close(self) -> None:
        """Leave the console."""
        with contextlib.suppress(Exception):
            self.say(type="hand over")
        self._opened.close()

    def _listen(self) -> None:
        names: list[str] = []
        with contextlib.suppress(Exception):  # the page has left
            for text in self._page:
                message = json.loads(text)
                if message["type"] == "columns":
                    names = message["names"]
                elif message["type"] == "state":
                    self.state = dict(zip(names, message["v"], strict=True))

    def _beat(self) -> None:
        with contextlib.suppress(Exception):
            while True:
                self.say(type="beat")
                time.sleep(0.1)


def first_deceleration(arrivals: np.ndarray, positions: np.ndarray, click: float) -> float | None:
    """Return the time [s] from `click` to the arrival of the first packet whose pose decelerates; None if the platform did not stop."""
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=1) / PERIOD
    changes = np.diff(speeds) / PERIOD
    after = np.flatnonzero(arrivals[2:] > click)
    if len(after) < 10 or speeds[-1] > 1e-9 or not changes[after].min() < 0.0:
        return None
    first = next(row for row in after if changes[row] < DECELERATES * changes[after].min())
    return float(arrivals[first + 2] - click)


def measure(stops: int, viewers: int) -> dict[str, Any]:
    """Return the times of `stops` stops [s] and the lateness of the drive. Raises JounceError: no packages, or the drive has ended."""
    need_packages("python -m research bench console")
    receiver = Receiver()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as opened:
        drive = _start_drive(Path(folder), receiver.port)
        opened.callback(_end, drive)
        assert drive.stdout is not None
        address = _address(drive.stdout)
        host = address.split("/")[2]
        cookie = _cookie(address)
        threading.Thread(target=drive.stdout.read, daemon=True).start()
        if viewers:
            opened.callback(_end, _start_viewers(host, viewers, cookie))
        page = OperatorPage(host, cookie)
        opened.callback(page.close)
        times = _stop_often(stops, drive, receiver, page)
        return {
            "stops_s": times,
            "viewers": viewers,
            "lateness_worst_s": page.state.get("host_lateness_worst"),
            "late_ticks": page.state.get("host_overruns"),
            "machine": machine(),
        }


def _stop_often(stops: int, drive: subprocess.Popen, receiver: Receiver, page: OperatorPage) -> list[float]:
    times: list[float] = []
    until = time.monotonic() + PATIENCE
    while len(times) < stops:
        if drive.poll() is not None or time.monotonic() > until:
            raise DeviceError("bench console: the drive does not stop and start again; hint: jounce drive --console")
        time.sleep(random.uniform(0.45, 0.65))
        if page.state.get("host_stopped"):
            page.say(type="act", kind="acknowledge", value=None)
        elif receiver.speed > MOVING:
            click = time.monotonic()
            page.say(type="stop")
            time.sleep(REST)
            taken = first_deceleration(*receiver.since(click - 0.1), click)
            if taken is not None:
                times.append(taken)
                until = time.monotonic() + PATIENCE
    return times


def _start_drive(folder: Path, port: int) -> subprocess.Popen:
    """Start a drive whose driver raises the platform and continues every two seconds."""
    script = folder / "raise.yaml"
    rows = [
        f"- {{at_s: {2 * n}, kind: platform, value: raise}}\n- {{at_s: {2 * n + 0.01:.2f}, kind: pause, value: false}}\n"
        for n in range(1, 1800)
    ]
    script.write_text("".join(rows), encoding="utf-8")
    options: Sequence[str] = (
        "--console", "0", "--no-view", "--terrain", "flat", "--to", f"127.0.0.1:{port}", "--set", "outlets.motion.wait=false",
        "--duration", "3600", "--events", str(script), "--channels", "time", "--out", str(folder / "out"),
    )  # fmt: skip
    command = [sys.executable, "-m", "simulator", "drive", *options]
    root = Path(__file__).resolve().parents[2]
    return cleanup.start_child(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _start_viewers(host: str, viewers: int, cookie: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "research.costs.console_viewers", host, str(viewers)]
    started = cleanup.start_child(command, cwd=Path(__file__).resolve().parents[2], stdin=subprocess.PIPE, text=True)
    assert started.stdin is not None
    started.stdin.write(cookie + "\n")
    started.stdin.flush()
    return started


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(30.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _address(lines: IO[str]) -> str:
    """Return the address that the drive prints. Raises DeviceError: it has ended before."""
    said = []
    for line in lines:
        said.append(line.strip())
        if found := re.search(r"http://\S+token=\S+", line):
            return found.group()
    raise DeviceError(f"bench console: the drive has no console: {' '.join(said[-3:])}")


def _cookie(address: str) -> str:
    """Return the cookie in exchange for the token of an address."""

    class Unredirected(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    try:
        urllib.request.build_opener(Unredirected, urllib.request.ProxyHandler({})).open(address, timeout=PATIENCE)
    except urllib.error.HTTPError as answer:
        return str(answer.headers["Set-Cookie"]).split(";")[0]
    raise DeviceError("bench console: the console does not accept its token")


def main_bench_console(stops: int, viewers: int, to_json: bool) -> int:
    """Run `python -m research bench console`; return 0."""
    found = measure(stops, viewers)
    if to_json:
        print_line(json_text(found))
        return 0
    p50, p99, most = (1e3 * float(np.percentile(found["stops_s"], share)) for share in (50, 99, 100))
    watched = f"{viewers} further pages, one of which reads nothing" if viewers else "no further pages"
    print_line(f"{stops} stops, {watched}: first decelerating packet after p50 {p50:.1f} ms, p99 {p99:.1f} ms, max {most:.1f} ms")
    if found["lateness_worst_s"] is not None:
        print_line(f"worst lateness of a tick {1e3 * found['lateness_worst_s']:.2f} ms, {found['late_ticks']} late ticks")
    return 0
