"""Is the file of sensor data of a killed run, or of a disk that became full, readable after its repair, with all complete chunks?"""

from __future__ import annotations

import errno
import resource
import shutil
import signal
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError, OutputError
from simulator.sensors.messages.cdr import encode_parts
from simulator.sensors.messages.generic import multi_array
from simulator.telemetry.sensor_file import repair as repairing
from simulator.telemetry.sensor_file import writer as writing
from simulator.telemetry.sensor_file.file_index import MAGIC
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.telemetry.sensor_file.repair import FOOTER_BYTES, is_complete, repair
from simulator.telemetry.sensor_file.writer import MessageWriter

mcap_reader = pytest.importorskip("mcap.reader", reason="the package mcap is not installed")

KIND = "std_msgs/msg/Float64MultiArray"


def write(file: Path, seconds: int = 5) -> MessageWriter:
    """Write two topics, ten messages a second each, of numbers that do not compress."""
    random, writer = np.random.default_rng(3), MessageWriter(file)
    channels = [writer.add_channel(topic, KIND, {"sensor": topic}) for topic in ("/a", "/b")]
    for n in range(10 * seconds):
        for channel in channels:
            values = random.standard_normal(500)
            writer.write(channel, n * 100_000_000, n * 100_000_000, encode_parts(KIND, multi_array(values, ("items",))))
    return writer


def messages(file: Path) -> list[tuple[str, int, bytes]]:
    """Return topic, time and data of all messages, read by the index and checked against a reader without the index."""
    with open(file, "rb") as stream:
        found = [(c.topic, m.log_time, m.data) for _, c, m in mcap_reader.SeekingReader(stream, validate_crcs=True).iter_messages()]
    with open(file, "rb") as stream:
        assert found == [
            (c.topic, m.log_time, m.data) for _, c, m in mcap_reader.NonSeekingReader(stream, validate_crcs=True).iter_messages()
        ]
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    with rosbag2.Reader(file) as reader:
        assert [(c.topic, t, bytes(data)) for c, t, data in reader.messages()] == found
        assert reader.message_count == len(found)
    return found


def test_a_complete_file_needs_no_repair_and_has_all_messages(tmp_path: Path) -> None:
    file = tmp_path / "a.mcap"
    write(file).finish({"about": {"key": "value"}})
    assert is_complete(file)
    assert len(messages(file)) == 100


@pytest.mark.parametrize("share", np.linspace(0.0, 1.0, 23))
def test_a_file_cut_anywhere_keeps_its_complete_chunks(tmp_path: Path, share: float) -> None:
    whole, file = tmp_path / "whole.mcap", tmp_path / "cut.mcap"
    writer = write(whole)
    writer.finish({"about": {"key": "value"}})
    expected, size = messages(whole), whole.stat().st_size
    with open(whole, "rb") as stream:
        chunks = mcap_reader.make_reader(stream).get_summary().chunk_indexes
    cut = round(40 + share * (size - 41))
    file.write_bytes(whole.read_bytes()[:cut])
    assert not is_complete(file)
    result = repair(file)
    assert is_complete(file)
    complete = [one for one in chunks if one.chunk_start_offset + one.chunk_length <= cut]
    end = max((one.message_end_time for one in complete), default=-1)
    assert messages(file) == [one for one in expected if one[1] <= end]
    assert result.messages == len(messages(file)) and result.removed >= 0


def test_zeros_after_a_power_failure_are_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "a.mcap"
    writer = write(file)
    writer.close()
    before = file.stat().st_size
    with open(file, "rb+") as stream:
        stream.seek(before - 5000)
        stream.write(bytes(5000 + 4096))
    repair(file)
    found = messages(file)
    assert 0 < len(found) <= 80 and len(found) % 20 == 0


def test_a_chunk_with_wrong_bytes_at_the_end_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.mcap"
    writer = write(file, 3)
    writer.close()  # two complete chunks
    with open(file, "rb+") as stream:
        chunks, _ = repairing._scan(stream, file.stat().st_size)
        stream.seek(chunks[-1].data_start + 1000)
        stream.write(b"broken")
    assert repair(file).messages == 20 * (len(chunks) - 1) == len(messages(file))


def test_other_files_are_refused_and_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.mcap"
    for content in (b"", b"no MCAP", bytes(1000)):
        file.write_bytes(content)
        with pytest.raises(ConfigError):
            repair(file)
        assert file.read_bytes() == content


def test_a_full_disk_is_reported_and_the_repair_gives_up_chunks_for_the_index(tmp_path: Path) -> None:
    file = tmp_path / "a.mcap"
    writer = write(file)
    writer.close()
    size = file.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size - 100, limits[1]))  # no space for the index
    try:
        with pytest.raises(OutputError, match="cannot be repaired"):
            repair(file)
        result = repair(file, drop_chunks=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert is_complete(file) and result.messages == len(messages(file)) == 60


def test_the_writer_reports_a_full_disk_at_once(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(OSError) as caught:
            write(tmp_path / "a.mcap")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG


def test_a_killed_process_loses_at_most_a_chunk(tmp_path: Path) -> None:
    program = textwrap.dedent(
        f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from test_sensor_file_repair import write
        writer = write(Path({str(tmp_path / "a.mcap")!r}))
        print("written", flush=True)
        time.sleep(60.0)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2])
    assert process.stdout is not None and process.stdout.readline() == b"written\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    file = tmp_path / "a.mcap"
    assert not is_complete(file)
    copy = shutil.copy(file, tmp_path / "b.mcap")
    assert repair(file).messages == 80  # four of five seconds
    assert messages(file)[-1][1] == 3_900_000_000
    with open(copy, "ab") as stream:
        stream.write(bytes(FOOTER_BYTES))
    repair(Path(copy))
    assert Path(copy).read_bytes() == file.read_bytes()


def test_equal_messages_give_equal_files(tmp_path: Path) -> None:
    contents = []
    for name in ("a", "b"):
        write(tmp_path / name).finish({})
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]
    assert writing.CHUNK_TIME == 1_000_000_000


def test_a_damaged_file_without_an_end_is_repaired_or_refused(tmp_path: Path) -> None:
    """Its lengths may be anything, also those of records that end within the file."""
    whole, file = tmp_path / "whole.mcap", tmp_path / "a.mcap"
    write(whole, 3).close()
    content, random, results = whole.read_bytes(), np.random.default_rng(5), []
    with open(whole, "rb") as stream:
        chunks, _ = repairing._scan(stream, len(content))
    heads = [
        at for chunk in chunks for at in (chunk.start, chunk.start + 8, chunk.start + 37, chunk.data_start, chunk.start + chunk.length)
    ]
    for _ in range(300):
        broken = bytearray(content)
        for _ in range(random.integers(1, 4)):
            at = int(random.choice([len(MAGIC), *heads])) + int(random.integers(0, 12))
            broken[at : at + 8] = [0, 1, 60, 2**32 - 1, 2**63][random.integers(5)].to_bytes(8, "little")[: random.integers(1, 9)]
        file.write_bytes(broken[: random.integers(20, len(broken))] if random.random() < 0.3 else broken)
        try:
            count = repair(file).messages
            with SensorFile(file) as opened:
                assert opened.messages_count == count
                list(opened.messages())
            results.append("repaired")
        except ConfigError as error:
            assert str(error).isprintable() and len(str(error)) < 400
            results.append("refused")
    assert results.count("repaired") > 100 and results.count("refused") > 10


@pytest.mark.parametrize(
    "records", [b"xyz", b"\x03" + (20).to_bytes(8, "little") + 20 * b"\xff", b"\x04" + (2).to_bytes(8, "little") + b"ab"]
)
def test_broken_records_without_a_check_sum_are_refused_and_not_changed(tmp_path: Path, records: bytes) -> None:
    file = tmp_path / "a.mcap"
    head = struct.pack("<QQQII", 0, 0, len(records), 0, 0) + len(records).to_bytes(8, "little")
    content = MAGIC + b"\x06" + (len(head) + len(records)).to_bytes(8, "little") + head + records + bytes(100)
    file.write_bytes(content)
    with pytest.raises(ConfigError, match="broken content"):
        repair(file)
    assert file.read_bytes() == content
