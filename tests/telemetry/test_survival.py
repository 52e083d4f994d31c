"""Is the log recovered after a kill, a full or slow disk, or a folder in use; and at which cost?"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError, OutputError
from simulator.base.records import record
from simulator.telemetry import rows as rows_module
from simulator.telemetry.channels import Channels
from simulator.telemetry.folder_lock import LOCK_NAME, FolderInUseError, FolderLock
from simulator.telemetry.parquet import read_about
from simulator.telemetry.recover import read_logs
from simulator.telemetry.rows import NUMBER, RowsFile, RowsWriter
from simulator.telemetry.run_folder import run_folder
from simulator.telemetry.writer import LogOptions, TelemetryWriter, read_telemetry

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")
TABLE = (
    ("time", (), "s", "time"),
    ("wall_time", (), "s", "wall clock"),
    ("values", (20,), "1", "numbers"),
    ("gear", (), "1", "gear", "i8"),
)


def new_writer(folder, **options):
    """(record, its writer)."""
    source = record(TABLE)
    return source, TelemetryWriter(folder, [("", TABLE, source)], 1, LogOptions(**options), ("wall_time",))


def fill(source, n):
    """Row n, so that every number of it is known."""
    source[0]["time"], source[0]["values"], source[0]["gear"] = 0.01 * n, n, n % 7


def assert_rows(data, count):
    """All numbers of rows 0 to count - 1, none torn."""
    n = np.arange(count)
    np.testing.assert_array_equal(data["time"], 0.01 * n)
    np.testing.assert_array_equal(data["values_0"], n)
    np.testing.assert_array_equal(data["values_19"], n)
    np.testing.assert_array_equal(data["gear"], n % 7)


HEAD = """
import sys, time
from simulator.base.records import record
from simulator.telemetry.writer import LogOptions, TelemetryWriter
TABLE = {table!r}
source = record(TABLE)
def fill(n):
    source[0]["time"], source[0]["values"], source[0]["gear"] = 0.01 * n, n, n % 7
    source[0]["wall_time"] = time.time()
"""


def start(script, *arguments):
    """A Python process that runs `script` behind HEAD."""
    code = HEAD.format(table=TABLE) + script
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


LOGGER = """
out = TelemetryWriter(sys.argv[1], [("", TABLE, source)], 1, LogOptions(about={"vehicle": "cart"}), ("wall_time",))
for n in range(3_000_000):  # it ends by itself, should nobody kill it
    fill(n)
    out.publish(wait=True)
    if n == 10:
        print("running", flush=True)
    time.sleep(float(sys.argv[2]))
"""


@POSIX
@pytest.mark.parametrize("pause", [0.1, 0.01, 0.0])
def test_a_killed_log_has_all_that_reached_the_disk_while_it_ran(tmp_path, pause):
    """At ten rows a second, at a hundred, and as many as go; rows reach the disk time and again, not at the end only."""
    child = start(LOGGER, tmp_path, pause)
    raw, end = tmp_path / "telemetry.rows", time.monotonic() + 60.0
    try:
        assert child.stdout.readline() == "running\n"
        sizes = {raw.stat().st_size}
        while len(sizes) < 4 and time.monotonic() < end:
            time.sleep(0.01)
            sizes.add(raw.stat().st_size)
    finally:
        child.kill()
        child.communicate()
    assert len(sizes) == 4
    assert sorted(os.listdir(tmp_path)) == [LOCK_NAME, "telemetry.rows"]
    (log,) = read_logs(tmp_path)
    assert os.listdir(tmp_path) == ["telemetry.parquet"]
    data = read_telemetry(tmp_path / "telemetry.parquet")
    assert log.recovered
    assert log.rows == len(data["time"])
    assert log.rows >= (max(sizes) - min(sizes)) // (NUMBER + record(TABLE).itemsize + NUMBER) > 0
    assert_rows(data, log.rows)
    about = read_about(tmp_path / "telemetry.parquet")
    assert about["vehicle"] == "cart"
    assert about["ended"].startswith("killed")


RESTING_LOGGER = """
out = TelemetryWriter(sys.argv[1], [("", TABLE, source)], 1, LogOptions(), ("wall_time",))
for n in range(10):
    fill(n)
    out.publish(wait=True)
print("put", flush=True)
time.sleep(600.0)
"""


@POSIX
def test_what_was_logged_does_not_wait_for_more(tmp_path):
    """So what a kill takes away is what came since the last look, and looks are less than a second apart."""
    child = start(RESTING_LOGGER, tmp_path)
    end = time.monotonic() + 60.0
    try:
        assert child.stdout.readline() == "put\n"
        while rows_on_disk(tmp_path / "telemetry.rows") < 10 and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        child.kill()
        child.communicate()
    (log,) = read_logs(tmp_path)
    assert log.rows == 10
    assert rows_module.PERIOD < 0.5


def rows_on_disk(file):
    """Whole rows in a raw log that somebody writes."""
    log = RowsFile(file)
    return sum(len(log.layout.split(group)["time"]) for group in log.groups())


def test_a_regular_end_is_recorded(tmp_path):
    source, out = new_writer(tmp_path)
    fill(source, 0)
    out.publish()
    out.close()
    (log,) = read_logs(tmp_path)
    assert (log.about["ended"], log.recovered, log.rows) == ("well", False, 1)


def raw_log(folder, count):
    """A raw log of `count` rows as a killed run leaves it."""
    source = record(TABLE)
    log = RowsWriter(folder / "telemetry.rows", Channels([("", TABLE, source)]), {"started": "once"}, print)
    for n in range(count):
        fill(source, n)
        log.put(True)
    log.close()
    return log.file


def test_a_truncated_raw_log_is_read_up_to_its_last_complete_row(tmp_path):
    """And one that ends in zeros, as after a power cut, or in something else."""
    whole = raw_log(tmp_path, 40).read_bytes()
    length = RowsFile(tmp_path / "telemetry.rows").layout.row_bytes + 2 * rows_module.NUMBER
    start = len(whole) - 40 * length
    rng = random.Random(1)
    file = tmp_path / "cut.rows"
    for cut in [start, start + 1, len(whole) - 1, *(rng.randrange(start, len(whole)) for _ in range(60))]:
        for tail in (b"", bytes(3 * length), rng.randbytes(2 * length + 5)):
            file.write_bytes(whole[:cut] + tail)
            log = RowsFile(file)
            times = [time for group in log.groups() for time in log.layout.split(group)["time"]]
            # the upper bytes of a number are zeros: one that was cut in them is whole when zeros follow
            count = (cut + 7 - start if tail[:1] == b"\0" else cut - start) // length
            np.testing.assert_array_equal(times, 0.01 * np.arange(count))
    for cut in range(0, start, 97):
        file.write_bytes(whole[:cut])
        with pytest.raises(ConfigError, match=r"cut\.rows"):
            RowsFile(file)


@pytest.mark.parametrize(
    "change",
    [
        (b'"kind":"<f8"', b'"kind":"O"  '),
        (b'"kind":"<f8"', b'"kind":"V99"'),
        (b'"kind":"<i8"', b'"kind":"<U8"'),
        (b'"offset":0', b'"offset":9999999'),
        (b'"offset":0', b'"offset":-8'),
        (b'"row_bytes":184', b'"row_bytes":-1'),
        (b'"row_bytes":184', b'"row_bytes":9e99'),
        (b'"row_bytes":184', b'"row_bytes":1000000000000'),
        (b'"name":"gear"', b'"name":"time"'),
        (b'"columns":[', b'"columns":[[[['),
        (b"JOUNCE ROWS 1", b"JOUNCE ROWS 2"),
    ],
)
def test_an_inconsistent_raw_log_is_refused_and_not_removed(tmp_path, change):
    file = raw_log(tmp_path, 3)
    content = file.read_bytes()
    assert change[0] in content
    head, tail = content.split(change[0], 1)
    # the same length of the text, so that only the lie is wrong
    changed = head + change[1] + tail.replace(b" ", b"", max(0, len(change[1]) - len(change[0])))
    file.write_bytes(changed)
    with pytest.raises(ConfigError) as error:
        read_logs(tmp_path)
    assert "telemetry.rows" in str(error.value)
    assert file.read_bytes() == changed


@pytest.mark.parametrize("name", ["telemetry_2026-11-22_10-00-00.rows", "telemetry-2.parquet"])
def test_a_broken_log_does_not_hide_the_others(tmp_path, name):
    raw_log(tmp_path, 7)
    (tmp_path / name).write_bytes(b"")
    whole, broken = read_logs(tmp_path)
    assert (whole.file.name, whole.rows, whole.recovered, whole.trouble) == ("telemetry.parquet", 7, True, "")
    assert (broken.file.name, broken.rows) == (name, 0)
    assert name in broken.trouble
    assert (tmp_path / name).exists()
    with pytest.raises(ConfigError, match=name):
        read_logs(tmp_path / name)


def test_a_log_killed_at_the_end_of_closing_is_not_converted_twice(tmp_path):
    source, out = new_writer(tmp_path)
    for n in range(5):
        fill(source, n)
        out.publish()
    out._log.close()
    raw = (tmp_path / "telemetry.rows").read_bytes()
    out.close()
    before = (tmp_path / "telemetry.parquet").read_bytes()
    (tmp_path / "telemetry.rows").write_bytes(raw)
    (log,) = read_logs(tmp_path)
    assert not log.recovered
    assert os.listdir(tmp_path) == ["telemetry.parquet"]
    assert (tmp_path / "telemetry.parquet").read_bytes() == before


def test_the_next_run_does_not_destroy_the_log_of_a_killed_one(tmp_path):
    raw_log(tmp_path, 30)
    said = []
    _, out = new_writer(tmp_path, say=said.append)
    out.publish()
    out.close()
    assert len(said) == 1
    assert "killed" in said[0]
    assert "jounce info" in said[0]
    renamed = [name for name in os.listdir(tmp_path) if name.endswith(".rows")]
    assert len(renamed) == 1
    one, other = read_logs(tmp_path)
    assert (one.file.name, one.rows) == ("telemetry.parquet", 1)
    assert (other.file.suffix, other.rows, other.recovered) == (".parquet", 30, True)
    assert_rows(read_telemetry(other.file), 30)


def test_a_new_run_replaces_only_the_results_of_an_earlier_one(tmp_path):
    for name in ("telemetry.parquet", "telemetry.csv", "metrics.json", "frame_0009_chase.png", "speed.png"):
        (tmp_path / name).write_text("of the earlier run")
    (tmp_path / "notes.txt").write_text("mine")
    _, out = new_writer(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [LOCK_NAME, "notes.txt", "telemetry.rows"]
    out.close()
    assert sorted(os.listdir(tmp_path)) == ["notes.txt", "telemetry.parquet"]


def test_plots_of_a_killed_run_do_not_mix_with_those_of_the_next(tmp_path):
    raw_log(tmp_path, 3)
    for name in ("frame_0009_chase.png", "frame_0010_driver.png.new", "platform.png.4711.part", "incident_1.npz"):
        (tmp_path / name).write_text("of the killed run")
    (tmp_path / "notes.txt").write_text("mine")
    _, out = new_writer(tmp_path, say=lambda _: None)
    out.close()
    kept, *others = sorted(os.listdir(tmp_path), key=lambda name: name.endswith((".txt", ".parquet")))
    assert kept.endswith(".rows")
    assert sorted(others) == ["notes.txt", "telemetry.parquet"]


def test_a_folder_without_a_run_is_not_cleared(tmp_path):
    (tmp_path / "speed.png").write_text("mine")
    _, out = new_writer(tmp_path)
    out.close()
    assert (tmp_path / "speed.png").read_text() == "mine"


def test_a_folder_has_one_owner_in_one_process(tmp_path):
    _, out = new_writer(tmp_path)
    with pytest.raises(FolderInUseError, match=str(os.getpid())):
        new_writer(tmp_path)
    with pytest.raises(FolderInUseError):
        run_folder(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [LOCK_NAME, "telemetry.rows"]
    (live,) = read_logs(tmp_path)
    assert live.about["ended"].startswith("still running")
    out.close()
    assert run_folder(tmp_path) == tmp_path
    assert os.listdir(tmp_path) == ["telemetry.parquet"]


@POSIX
def test_a_folder_has_one_owner_among_processes_and_none_after_a_kill(tmp_path):
    child = start(LOGGER, tmp_path, 0.01)
    try:
        assert child.stdout.readline() == "running\n"
        with pytest.raises(OutputError, match=f"in use by another run .process {child.pid} since"):
            new_writer(tmp_path)
        (live,) = read_logs(tmp_path)
        assert live.file.name == "telemetry.rows", "read, not made into Parquet under the hands of its writer"
    finally:
        child.kill()
        child.communicate()
    (log,) = read_logs(tmp_path)
    assert log.recovered
    assert_rows(read_telemetry(log.file), log.rows)


def test_many_who_want_one_folder_get_it_one_after_the_other(tmp_path):
    """The file of the lock is removed and made again all the time; two owners would see each other."""
    owners, most, refused = [], [], [0]

    def work():
        for _ in range(150):
            try:
                with FolderLock(tmp_path):
                    owners.append(1)
                    most.append(len(owners))
                    time.sleep(0)
                    owners.pop()
            except FolderInUseError:
                refused[0] += 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert os.listdir(tmp_path) == []


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
out = TelemetryWriter(sys.argv[1], [("", TABLE, source)], 1)
for n in range(20000):
    fill(n)
    out.publish(wait=n % 2 == 0)
print(n + 1, flush=True)
out.close()
print(out.failure)
"""


@POSIX
def test_a_full_disk_ends_the_log_and_nothing_else(tmp_path):
    child = start(FULL, tmp_path, 1_000_000)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert out.splitlines() == ["20000", "File too large"]
    assert len(err.splitlines()) == 1
    assert "File too large" in err
    (log,) = read_logs(tmp_path)
    assert f"telemetry.rows: the log ends after {log.rows} rows" in err
    assert os.listdir(tmp_path) == ["telemetry.parquet"]
    assert 1_000_000 // 200 - 60 <= log.rows <= 1_000_000 // 200
    assert_rows(read_telemetry(log.file), log.rows)
    assert log.about["log_failure"] == "File too large"


@POSIX
def test_a_full_disk_is_reported_at_the_start(tmp_path):
    child = start(FULL, tmp_path, 500)
    _, err = child.communicate(timeout=60)
    assert child.returncode != 0
    assert "OutputError" in err
    assert "telemetry.rows: cannot be written: File too large" in err
    assert os.listdir(tmp_path) == []


def test_any_error_in_the_writing_thread_ends_the_log_without_blocking(tmp_path, monkeypatch):
    monkeypatch.setattr(rows_module, "BUFFER_BYTES", 1)
    said = []
    source, out = new_writer(tmp_path, say=said.append)

    def fails(*_):
        raise MemoryError("no more")

    monkeypatch.setattr(rows_module, "_write_all", fails)
    for n in range(1000):
        fill(source, n)
        out.publish(wait=True)
    assert out.failure == "MemoryError: no more"
    assert len(said) == 1
    out.close()


def test_a_disk_that_does_not_answer_costs_rows_and_no_time(tmp_path, monkeypatch):
    monkeypatch.setattr(rows_module, "BUFFER_BYTES", 1)
    said = []
    source, out = new_writer(tmp_path, say=said.append)
    answers = threading.Event()
    write = rows_module._write_all

    def slow(*arguments):
        answers.wait(60.0)
        write(*arguments)

    monkeypatch.setattr(rows_module, "_write_all", slow)
    began = time.process_time()
    for n in range(2000):
        fill(source, n)
        out.publish(wait=False)
    assert time.process_time() - began < 5.0, "of this process alone; a tick that waited would have waited for a minute"
    answers.set()
    out.close()
    assert len(said) == 1
    assert "rows are missing" in said[0]
    data = read_telemetry(out.file)
    assert len(data["time"]) == out.rows < 2000
    assert int(read_about(out.file)["rows_lost"]) == 2000 - out.rows
    np.testing.assert_array_equal(data["values_0"], data["values_19"])
    assert (np.diff(data["time"]) > 0.0).all()


@POSIX
def test_ctrl_c_at_any_moment_leaves_a_complete_log_and_never_hangs(tmp_path, monkeypatch):
    """The memory is tiny, so that most moments are spent in waiting for the thread and waking it."""
    monkeypatch.setattr(rows_module, "BUFFER_BYTES", 1)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    rng = random.Random(3)
    try:
        for i in range(40):
            folder = tmp_path / str(i)
            folder.mkdir()
            source, out = new_writer(folder)
            n = 0
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 1e-2))
                while True:
                    fill(source, n)
                    out.publish()
                    n += 1
            out.close()
            data = read_telemetry(out.file)
            assert len(data["time"]) in (n, n + 1)
            assert_rows(data, len(data["time"]))
    finally:
        signal.signal(signal.SIGALRM, before)


BIG = """
import resource
import numpy as np
import pyarrow.parquet
from simulator.telemetry.writer import read_telemetry
TABLE = (("time", (), "s", "time"), ("values", (511,), "1", "numbers"))
source = record(TABLE)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before = peak()
out = TelemetryWriter(sys.argv[1], [("", TABLE, source)], 1)
for n in range(60_000):
    source[0]["time"] = n
    source[0]["values"][n % 511] = n
    out.publish()
out.close()
assert len(read_telemetry(out.file, ["time", "values_7"])["time"]) == 60_000
print(peak() - before)
"""


@POSIX
def test_memory_does_not_grow_with_the_log(tmp_path):
    """A quarter of a gigabyte of rows; all of them in memory, once, would be seen."""
    child = start(BIG, tmp_path)
    out, err = child.communicate(timeout=300)
    assert child.returncode == 0, err
    assert float(out) < 180.0
