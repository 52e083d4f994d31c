"""Is every event in the file of its run, also after a kill and on a failing disk?"""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.base.errors import ConfigError
from simulator.events.event import Event, Origin
from simulator.telemetry.event_file import EventFile, read_events
from simulator.telemetry.run_folder import EVENTS, events_of, rename_old_log

EVENTS_OF_ALL_VALUES = (
    Event("pause", True, Origin.WINDOW, 100, 0.1),
    Event("intensity", 0.1 + 0.2, Origin.SCRIPT, 110, 0.11),
    Event("washout_parameter", {"name": "force_gain", "index": None, "value": 1e-17}, Origin.DEVICE, 120, 0.1),
    Event("platform", "park", Origin.DRIVE, 130, 0.1, waits=True),
)


@pytest.mark.parametrize("wait", [True, False])
def test_events_are_read_as_they_were_written_without_closing(tmp_path, wait):
    file = EventFile(tmp_path, {"step_s": 0.001}, print)
    for event in EVENTS_OF_ALL_VALUES:
        file.put(event, wait)
    if not wait:
        while len(read_events(tmp_path / "telemetry.rows")) < len(EVENTS_OF_ALL_VALUES):
            assert file._thread.is_alive()
    assert read_events(tmp_path / "telemetry.parquet") == EVENTS_OF_ALL_VALUES
    file.close()
    assert (file.count, file.lost) == (4, 0)


def test_a_line_that_a_kill_cut_off_is_left_out_and_a_broken_one_is_named(tmp_path):
    file = EventFile(tmp_path, {}, print)
    for event in EVENTS_OF_ALL_VALUES:
        file.put(event, wait=True)
    file.close()
    text = file.file.read_text()
    file.file.write_text(text[:-5])
    assert read_events(tmp_path / "telemetry.parquet") == EVENTS_OF_ALL_VALUES[:3]
    file.file.write_text(text.replace('"window"', '"nobody"'))
    with pytest.raises(ConfigError, match=r"events.jsonl:2: .*expected an event"):
        read_events(tmp_path / "telemetry.parquet")
    file.file.write_text('{"format": "jounce events", "version": 9}\n')
    with pytest.raises(ConfigError, match="version 1"):
        read_events(tmp_path / "telemetry.parquet")


def test_a_log_without_a_file_of_events_is_an_old_one(tmp_path):
    assert read_events(tmp_path / "telemetry.parquet") is None
    (tmp_path / "mine.jsonl").write_text("something else")
    assert read_events(tmp_path / "mine.parquet") is None


def test_the_events_of_a_killed_run_stay_with_its_log(tmp_path):
    file = EventFile(tmp_path, {}, print)
    file.put(EVENTS_OF_ALL_VALUES[0], wait=True)
    file.close()
    (tmp_path / "telemetry.rows").write_bytes(b"rows")
    renamed = rename_old_log(tmp_path / "telemetry.rows", sure=True)
    assert not (tmp_path / EVENTS).exists() and events_of(renamed).exists()
    assert read_events(renamed) == EVENTS_OF_ALL_VALUES[:1]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_events_with_one_line(tmp_path):
    said = []
    file = EventFile(tmp_path, {}, said.append)
    file._stream.close()
    file._stream = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115
    for event in EVENTS_OF_ALL_VALUES:
        file.put(event, wait=True)
    file.close()
    assert len(said) == 1 and "the events end here" in said[0]
    assert file.lost == 4
