"""Ctrl-C, TERM and HUP at random moments of every command: it ends soon, with the right exit code and one line, and without leftover files.

JOUNCE_SIGNALS=200 sets the number of moments of `make test-all`; JOUNCE_SIGNALS_SEED sets the random seed.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from program import ROOT, environment

from simulator.builder.warm_up import compile_kernels
from simulator.telemetry.writer import read_telemetry

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="sends signals, and looks for processes in /proc")

COUNT = int(os.environ.get("JOUNCE_SIGNALS", "12"))
SEED = int(os.environ.get("JOUNCE_SIGNALS_SEED", "1"))
FEW = (3, 4, 7, 9)
"""Numbers of draws: a stream and a drive on their way, a drive from its start, a run."""
AT_ONCE = 4
PATIENCE = 45.0
"""s for parking and all the rest, on a machine that is busy."""

MECHANISM = ROOT / "configs/mechanisms/four_bar.yaml"
VERBS = {
    "drive": (["drive", "--no-view", "--terrain", "flat", "--out", "new/out"], 11.0),
    "stream": (["stream", "--maneuver", "long.yaml", "--to", "127.0.0.1:9", "--out", "new/out"], 11.0),
    "run": (["run", "long.yaml", "--out", "new/out"], 5.0),
    "short run": (["run", "short.yaml", "--out", "new/out"], 6.0),
    "platform": (["platform", "--port", "0"], 3.0),
    "mechanism": (["mechanism", str(MECHANISM), "--run", "500", "--step", "1e-3", "--csv", "out.csv"], 4.0),
}
"""What is typed, and until when [s] signals are sent."""
MOVING = ("drive", "stream")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143}


def hears(process):
    """Return whether the program has installed its handlers."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    except (OSError, IndexError):
        return process.poll() is not None
    return bool(caught >> (signal.SIGHUP - 1) & 1) or process.poll() is not None


def marked(mark):
    """Command lines of processes that were started with this mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
    return found


def attempt(folder, k):
    """One command, one to three signals; what is wrong with how it ended, or None."""
    draw = random.Random(1000 * SEED + k)
    name = draw.choice([*VERBS, *MOVING, *MOVING])
    typed, until = VERBS[name]
    number = draw.choice(list(CODES))
    from_start = draw.random() < 0.3 or "new/out" not in typed
    moment, presses = draw.uniform(0.0, until), draw.choice([1, 1, 2, 3])
    pauses = [draw.uniform(0.05, 1.5) for _ in range(presses - 1)]
    what = f"{k}: {name}, {presses} x {number.name} {moment:.2f} s after its {'start' if from_start else 'drive began'}"

    folder.mkdir()
    (folder / "tmp").mkdir()
    mapping = yaml.safe_load((ROOT / "configs/maneuvers/avtp_lane_change.yaml").read_text())
    on = [{"name": "on", "steering": {"type": "path"}, "speed_kph": 50}]
    for file, seconds in (("long.yaml", 3000.0), ("short.yaml", 5.0)):
        (folder / file).write_text(yaml.safe_dump({**mapping, "terrain": "flat", "limits": {}, "duration_s": seconds, "phases": on}))
    mark, shared = uuid.uuid4().hex, set(os.listdir("/dev/shm"))
    process = subprocess.Popen(
        [sys.executable, "-m", "simulator", *typed],
        cwd=folder,
        env={**environment(), "TMPDIR": str(folder / "tmp"), "JOUNCE_MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not hears(process):
        time.sleep(0.002)
    while not from_start and not (folder / "new/out").exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(moment)
    for pause in (*pauses, 0.0):
        process.send_signal(number)
        time.sleep(pause)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return f"{what}: did not end: {process.communicate()}"
    said = f"{what}: code {process.returncode}: {out[-600:]!r} {err!r}"
    if process.returncode == 0 and name == "short run":
        return None  # it was over before
    if process.returncode != CODES[number]:
        return f"wrong code: {said}"
    lines = [line for line in err.splitlines() if not line.startswith("jounce: compiling")]  # not every kernel is warm in a new cache
    if "Traceback" in out + err or len(lines) != 1:
        return f"more than one line: {said}"
    end = time.monotonic() + PATIENCE
    while (left := marked(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    if left:
        return f"processes {left}: {said}"
    if os.listdir(folder / "tmp"):
        return f"temporary files {os.listdir(folder / 'tmp')}: {said}"
    if AT_ONCE == 1 and set(os.listdir("/dev/shm")) - shared:
        return f"shared memory: {said}"
    return complaint_about(folder, said)


def complaint_about(folder, said):
    """The folder of the run is complete, or not there."""
    if (folder / "out.csv").exists():
        return None
    if not (folder / "new").exists():
        return None
    files = sorted(p.name for p in (folder / "new/out").iterdir()) if (folder / "new/out").exists() else None
    if not files or "telemetry.parquet" not in files or any(name.startswith(".") for name in files):
        return f"half a folder {files}: {said}"
    read_telemetry(folder / "new/out/telemetry.parquet")
    report = folder / "new/out/platform.json"
    if report.exists():
        platform = json.loads(report.read_text())
        if not platform["legs"]["within"]:
            return f"a leg beyond its limits {platform['legs']}: {said}"
    return None


MORE = pytest.param(
    [k for k in range(COUNT) if k not in FEW], id="more", marks=pytest.mark.full("a moment or a command at which a signal leaves something")
)


@pytest.mark.parametrize("numbers", [pytest.param(FEW, id="few"), MORE])
def test_signals_at_random_moments(tmp_path, numbers):
    compile_kernels(print)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        complaints = list(pool.map(lambda k: attempt(tmp_path / str(k), k), numbers))
    wrong = [complaint for complaint in complaints if complaint is not None]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(numbers)}:", *wrong])


FAILS_MEANWHILE = """
import os, signal, sys, time
from simulator.cli import main as program
from simulator.base import cleanup
from simulator.base.errors import JounceError
def fails(_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.2)
    raise JounceError("a child has ended")
cleanup.remove_all = lambda: time.sleep(1.0)
program.load_plugins = fails
sys.argv = ["jounce", "info"]
sys.exit(program.main())
"""


def test_failures_during_the_exit_are_not_reported():
    ended = subprocess.run([sys.executable, "-c", FAILS_MEANWHILE], cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "jounce: interrupted\n")


COMPILES = {
    "drive": ["drive", "--no-view", "--out", "new/out"],
    "run": ["run", "avtp_lane_change", "--out", "new/out"],
    "run --json": ["run", "avtp_lane_change", "--out", "new/out", "--json"],
    "platform": ["platform", "--port", "0"],
    "mechanism": ["mechanism", str(MECHANISM), "--run", "1", "--json"],
}


def test_a_signal_while_it_compiles(tmp_path):
    """The compiler holds the main thread for long; every command ends all the same, and said before what it was doing."""
    processes = {
        name: subprocess.Popen(
            [sys.executable, "-m", "simulator", *typed],
            cwd=tmp_path,
            env={**environment(), "XDG_CACHE_HOME": str(tmp_path / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, typed in COMPILES.items()
    }
    for name, process in processes.items():
        on_stdout = name in ("drive", "run")
        assert "compiling the physics" in (process.stdout if on_stdout else process.stderr).readline()
    time.sleep(2.0)
    for name, process in processes.items():
        assert process.poll() is None, name
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (130, "jounce: interrupted\n"), name
        assert "json" not in name or not out
    assert not (tmp_path / "new").exists()
    assert not list((tmp_path / "cache").rglob("*.tmp.*")), "half a file of the second process that compiles"
