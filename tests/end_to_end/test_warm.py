"""The second compiler process: it starts when useful, ends with its parent, and may fail. Kernels loaded before a drive."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from simulator.base import compile_lock
from simulator.builder import warm_up

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not compile_lock.POSSIBLE, reason="needs locks of parts of a file")

KILLED = """
from simulator.builder import warm_up as warm
warm._cores = lambda: 2
Popen = warm.subprocess.Popen
def start(*arguments, **options):
    process = Popen(*arguments, **options)
    print(process.pid, flush=True)
    return process
warm.subprocess.Popen = start
with warm._second_process():
    input()
"""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen]:
    """Processes that are started; this one has two cores and a cache."""
    found: list[subprocess.Popen] = []

    class Noted(subprocess.Popen):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)  # type: ignore[call-overload]
            found.append(self)

    monkeypatch.setattr(warm_up.subprocess, "Popen", Noted)
    monkeypatch.setattr(warm_up, "_cores", lambda: 2)
    monkeypatch.setattr(warm_up, "is_cache_persistent", lambda: True)
    return found


def test_it_leaves_when_it_is_not_needed_any_more(started: list[subprocess.Popen]) -> None:
    with warm_up._second_process():
        time.sleep(0.5)
        assert started[0].poll() is None
    assert len(started) == 1
    assert started[0].returncode is not None


def test_it_leaves_when_the_one_that_started_it_is_killed() -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    helper = int(process.stdout.readline())
    assert _runs(helper)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 60.0
    while _runs(helper) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(helper)


def _runs(pid: int) -> bool:
    """Return whether the process exists and is not a zombie."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()[:1] not in ("", "Z")


@pytest.mark.parametrize("program", ["/bin/false", "/no/such/program"])
def test_it_may_fail(started: list[subprocess.Popen], monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(warm_up.sys, "executable", program)
    with warm_up._second_process():
        assert compile_lock.claim("a kernel")
        compile_lock.release("a kernel")
    assert all(process.returncode == 1 for process in started)


@pytest.mark.parametrize(("cores", "kept"), [(1, True), (2, False)])
def test_it_does_not_come_where_it_is_of_no_use(
    started: list[subprocess.Popen], monkeypatch: pytest.MonkeyPatch, cores: int, kept: bool
) -> None:
    monkeypatch.setattr(warm_up, "_cores", lambda: cores)
    monkeypatch.setattr(warm_up, "is_cache_persistent", lambda: kept)
    with warm_up._second_process():
        assert not started


FIRST_SECOND = """
import sys
from simulator.api.loading import configured
from simulator.base.kernel_cache import KernelCache
from simulator.builder.builder import build
from simulator.motion.stream import MotionStream
from simulator.run.run import driver_of

parts = build(configured({"vehicle": "hmmwv", "maneuver": sys.argv[1]}, None))
session = parts.session(driver_of(parts))
session.reset()
session.warm()
MotionStream.warm_up()
load = KernelCache.load_overload
def noted(cache, *arguments):
    print(cache._function_name, flush=True)
    return load(cache, *arguments)
KernelCache.load_overload = noted
session.run(1.0)
MotionStream().close()
"""


@pytest.mark.parametrize("maneuver", ["avtp_lane_change", "scripted_drive"])
def test_a_drive_loads_no_kernel_once_it_has_begun(maneuver: str) -> None:
    """Loading one takes many ticks."""
    done = subprocess.run([sys.executable, "-c", FIRST_SECOND, maneuver], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
