"""Command `jounce bench realtime`: lateness and cost of the ticks of real drives, and latency from a key to packet and frame.

Each case is a drive of its own, started as a user starts it, first on the idle machine, then with a busy process for each core.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base import cleanup
from simulator.base.console import print_error, print_line
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.benchmarks.latency_probe import LAST_EFFECTS, Latencies, LatencyProbe, PacketReceiver
from simulator.benchmarks.machine_info import machine
from simulator.telemetry.parquet import read_about
from simulator.telemetry.writer import PARQUET_NAME
from simulator.view.drive_lock import running
from simulator.view.gl_context import display_available
from simulator.view.shared_state import ViewReader

LIDAR = "{type: lidar, preset: vlp_16, mount: {position: [-0.5, 0.0, 1.6]}}"
VEHICLE, TERRAIN = "hmmwv", "flat"
LEAD = 3.0
"""s of a drive before the first event: the window opens, the platform joins."""
OPENING = 300.0
"""s. Maximum time for a drive to begin; the first one may compile."""
LATENESS_AIM, PACKET_AIM = 0.2, 2.0
"""ms. Aims for 99 % of the ticks, and for 99 % of the events to the motion packet."""


@dataclass(frozen=True)
class Case:
    """Drive to measure."""

    name: str
    options: tuple[str, ...]
    """Options of `jounce drive` besides those of every case."""
    window: bool


CASES = (
    Case("no window", ("--no-view", "--driver", "scripted", "--no-sound"), False),
    Case("window", ("--driver", "keyboard", "--no-sound"), True),
    Case("window, console, lidar, sound", ("--driver", "keyboard", "--console", "0", "--sensor", LIDAR, "--sound-device", "null"), True),
)


def main_bench_realtime(seconds: float, as_json: bool) -> int:
    """Run `jounce bench realtime`. Return 0. Raises JounceError: a drive has failed."""
    cases = [case for case in CASES if not case.window or display_available()]
    if len(cases) < len(CASES):
        print_error("no display found: cases with a window are left out; hint: run it on a desktop, or under xvfb-run")
    results = []
    for loaded in (False, True):
        with busy_processes((os.cpu_count() or 1) if loaded else 0):
            for case in cases:
                results.append(_measure(case, loaded, seconds))
                if not as_json:
                    print_line("\n".join(case_lines(results[-1])))
    result = {"seconds": seconds, "machine": machine(), "real_time_priority": may_have_priority(), "cases": results}
    if as_json:
        print_line(json_text(result))
    else:
        print_line("\n".join(summary_lines(result)))
    return 0


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep a number of processes busy."""
    command = [sys.executable, "-c", "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"]
    processes = [cleanup.start_child(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def may_have_priority() -> bool:
    """Return whether the system gives a process of this user real-time priority."""
    code = "from simulator.clock import take_real_time_priority as take; raise SystemExit(not take())"
    return subprocess.run([sys.executable, "-c", code], cwd=_root(), check=False).returncode == 0


def _measure(case: Case, loaded: bool, seconds: float) -> dict[str, Any]:
    """Run one drive and return its figures."""
    with tempfile.TemporaryDirectory(prefix="jounce-bench-") as folder:
        settings = Path(folder, "config", "jounce", "settings.yaml")
        settings.parent.mkdir(parents=True)
        settings.write_text("guide: false\n", encoding="utf-8")
        receiver = PacketReceiver()
        try:
            latencies = _drive(case, seconds, receiver, folder)
        finally:
            receiver.close()
        real_time = json.loads(read_about(Path(folder, "run", PARQUET_NAME))["real_time"])
        return {
            "case": case.name,
            "loaded": loaded,
            **real_time,
            "packets": len(receiver.packets),
            "event_to_packet": figures(latencies.packet),
            "event_to_frame": figures(latencies.frame),
            "lost_events": latencies.lost,
            "frame_rate": latencies.frame_rate,
        }


def _drive(case: Case, seconds: float, receiver: PacketReceiver, folder: str) -> Latencies:
    """Run the drive of a case; return the latencies that were measured meanwhile. Raises JounceError: the drive has failed."""
    options = ["--vehicle", VEHICLE, "--terrain", TERRAIN, "--duration", str(seconds + LEAD), "--out", str(Path(folder, "run"))]
    stream = f"native@127.0.0.1:{receiver.port}"
    command = [sys.executable, "-m", "simulator", "drive", *options, "--stream", stream, *case.options]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(Path(folder, "config"))}
    process = cleanup.start_child(
        command, cwd=_root(), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )
    latencies = Latencies()
    try:
        if case.window and _wait_for_drive(process):
            probe = LatencyProbe(process.pid, receiver)
            try:
                latencies = probe.measure(seconds - LAST_EFFECTS, lambda: process.poll() is None)
            finally:
                probe.close()
        _, errors = process.communicate()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    if process.returncode not in (0, 1) or not Path(folder, "run", PARQUET_NAME).exists():
        lines = [line for line in errors.splitlines() if line.strip()]
        raise JounceError(f"bench realtime: the drive '{case.name}' has failed ({lines[-1] if lines else process.returncode})")
    return latencies


def _wait_for_drive(process: subprocess.Popen) -> bool:
    """Wait until a drive with a window has run for LEAD seconds; return False if it ends before."""
    end = time.monotonic() + OPENING
    while process.poll() is None and time.monotonic() < end:
        about = next((drive for drive in running() if drive["pid"] == process.pid and "block" in drive), None)
        if about is not None:
            reader = ViewReader(about["block"])
            try:
                reader.read()
                if float(reader.last[0]["time"]) >= LEAD:
                    return True
            finally:
                reader.close()
        time.sleep(0.1)
    return False


def figures(values: Sequence[float]) -> dict[str, Any]:
    """Return count and quantiles [ms] of latencies [s]; null without values.

    >>> figures([0.001, 0.003])["p50_ms"]
    2.0
    """
    ms = 1e3 * np.asarray(values, np.float64)
    if not len(ms):
        return {"events": 0, "p50_ms": None, "p99_ms": None, "max_ms": None}
    return {"events": len(ms), "p50_ms": float(np.median(ms)), "p99_ms": float(np.percentile(ms, 99.0)), "max_ms": float(ms.max())}


def case_lines(case: dict[str, Any]) -> list[str]:
    """Return the figures of a case as text."""
    lines = [f"{case['case']}, {'loaded' if case['loaded'] else 'idle'}"]
    for name, key in (("lateness", "lateness"), ("tick cost", "tick_cost")):
        values = case[key]
        lines.append(
            f"  {name} of {values['ticks']} ticks: " + ", ".join(f"{q} {values[q + '_ms']:.3f} ms" for q in ("p50", "p99", "p99.9", "max"))
        )
        ends = ["more" if b["to_ms"] is None else f"{b['to_ms']:g}" for b in values["bins"]]
        counts = [str(b["ticks"]) for b in values["bins"]]
        widths = [max(len(end), len(count)) + 2 for end, count in zip(ends, counts, strict=True)]
        lines.append("    to ms" + "".join(end.rjust(width) for end, width in zip(ends, widths, strict=True)))
        lines.append("    ticks" + "".join(count.rjust(width) for count, width in zip(counts, widths, strict=True)))
    for name, key in (("event to motion packet", "event_to_packet"), ("event to frame", "event_to_frame")):
        values = case[key]
        if values["events"]:
            quantiles = ", ".join(f"{q} {values[q + '_ms']:.1f} ms" for q in ("p50", "p99", "max"))
            lines.append(f"  {name}, {values['events']} events: {quantiles}")
    if case["event_to_frame"]["events"]:
        lines.append(f"  {case['frame_rate']:.0f} frames per second, {case['lost_events']} events without an effect")
    return lines


def summary_lines(result: dict[str, Any]) -> list[str]:
    """Return machine and aims as text."""
    of = result["machine"]
    lines = [f"{of['processor']}, {of['cores']} cores, load {of['load_average']}, real-time priority: {_yes(result['real_time_priority'])}"]
    late = max(case["lateness"]["p99_ms"] for case in result["cases"])
    lines.append(f"aim for the lateness, p99 at most {LATENESS_AIM:g} ms in all cases: {_met(late, LATENESS_AIM)}")
    packets = [case["event_to_packet"]["p99_ms"] for case in result["cases"] if case["event_to_packet"]["events"]]
    if packets:
        lines.append(f"aim from event to packet, p99 at most {PACKET_AIM:g} ms in all cases: {_met(max(packets), PACKET_AIM)}")
    return [*lines, "docs/realtime.md says what the figures mean and how to improve them"]


def _met(value: float, aim: float) -> str:
    return "met" if value <= aim else f"not met ({value:.2f} ms)"


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _root() -> str:
    return str(Path(__file__).resolve().parents[2])
