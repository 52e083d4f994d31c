"""Logs that are cut short, edited, or of another vehicle: are they refused in a line, or shown as far as they go?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import call, refused
from recorded_drive import copied, silent

from simulator.base.errors import ConfigError
from simulator.host.replay_command import timeline_of
from simulator.run.recording import Recording
from simulator.run.sound_file import SoundFileOptions, sound_of_run


def rewritten(folder: Path, change) -> None:
    """Write the log again with another table."""
    file = folder / "telemetry.parquet"
    pq.write_table(change(pq.read_table(file)), file, row_group_size=300)


def test_a_log_without_the_columns_is_refused_with_their_names(driven, tmp_path):
    folder = copied(driven, tmp_path)
    rewritten(folder, lambda table: table.drop_columns([name for name in table.column_names if name.startswith(("q_WB", "p_BK", "R_BK"))]))
    with pytest.raises(ConfigError, match=r"q_WB, p_BK, R_BK.* which a replay needs; hint: drive again"):
        Recording(folder, silent)


def test_a_damaged_group_of_rows_ends_the_recording(driven, tmp_path):
    folder = copied(driven, tmp_path)
    rewritten(folder, lambda table: table)
    file = folder / "telemetry.parquet"
    about = pq.read_metadata(file)
    assert about.num_row_groups == 3
    column = next(c for c in range(about.num_columns) if about.row_group(1).column(c).path_in_schema == "p_WB_x")
    place = about.row_group(1).column(column)
    content = bytearray(file.read_bytes())
    start = place.dictionary_page_offset or place.data_page_offset
    content[start : start + place.total_compressed_size] = b"\xff" * place.total_compressed_size
    file.write_bytes(content)
    messages: list[str] = []
    recording = Recording(folder, messages.append)
    assert recording.duration == pytest.approx(2.99) and len(messages) == 1 and "the recording ends at 3.0 s" in messages[0]


def test_a_log_cut_short_is_refused_in_a_line(driven, tmp_path, capsys):
    folder = copied(driven, tmp_path)
    file = folder / "telemetry.parquet"
    file.write_bytes(file.read_bytes()[:200_000])
    for output in (("--video", "x"), ("--wav", "x.wav")):
        assert "telemetry.parquet: damaged, cut short, or not a Parquet file; " in refused(
            call(capsys, "render", folder, output[0], tmp_path / output[1])
        )


def test_events_cut_short_are_shown_as_far_as_they_go(driven, tmp_path):
    folder = copied(driven, tmp_path)
    file = folder / "events.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:2]) + lines[2][:20])
    messages: list[str] = []
    assert len(Recording(folder, messages.append).events) == 1 and not messages
    file.write_text(lines[0] + "{}\n")
    assert Recording(folder, messages.append).events == []
    assert len(messages) == 1 and "shows no events" in messages[0]


def with_configuration(table, change):
    about = dict(table.schema.metadata)
    content = json.loads(about[b"jounce.configuration"])
    change(content)
    about[b"jounce.configuration"] = json.dumps(content).encode()
    return table.replace_schema_metadata(about)


def test_a_log_whose_vehicle_was_edited_is_refused(driven, tmp_path):
    folder = copied(driven, tmp_path)
    rewritten(folder, lambda table: with_configuration(table, lambda content: content["vehicle"]["chassis"].update(mass=1234.0)))
    for read in (lambda: Recording(folder, silent), lambda: sound_of_run(folder, SoundFileOptions())):
        with pytest.raises(ConfigError, match=r"expected the vehicle of the run .hash .*got 'another vehicle"):
            read()
    rewritten(folder, lambda table: with_configuration(table, lambda content: content["recorded"].update(hashes="none")))
    with pytest.raises(ConfigError, match="hashes"):
        Recording(folder, silent)


def test_two_columns_of_a_name_are_refused(driven, tmp_path):
    folder = copied(driven, tmp_path)
    rewritten(folder, lambda table: table.append_column("engine_speed", table.column("engine_speed")))
    with pytest.raises(ConfigError, match="engine_speed"):
        Recording(folder, silent)


def test_columns_of_another_vehicle_are_refused(driven, tmp_path):
    folder = copied(driven, tmp_path)

    def renamed(table):
        about = table.schema.metadata
        return table.rename_columns([name.replace("_RR", "_3R") for name in table.column_names]).replace_schema_metadata(about)

    rewritten(folder, renamed)
    with pytest.raises(ConfigError, match="wheel_angle_RR, the wheels of the vehicle"):
        Recording(folder, silent)


@pytest.mark.parametrize("name", ["p_WB_x", "q_WB_w", "p_BK_RR_y", "gear"])
def test_a_log_that_lacks_one_drawn_column_is_refused_with_its_name(driven, tmp_path, name):
    folder = copied(driven, tmp_path)
    rewritten(folder, lambda table: table.drop_columns([name]))
    with pytest.raises(ConfigError, match=f"columns: missing; expected {name}, which a replay needs"):
        Recording(folder, silent)


def with_values(table, name, first, value):
    """Return a table in which a column has a value from row `first` on."""
    at = table.column_names.index(name)
    values = table.column(at).to_numpy().copy()
    values[first:] = value
    return table.set_column(at, table.schema.field(at), [values])


@pytest.mark.parametrize("name", ["p_WB_y", "R_BK_RL_x_y", "engine_speed", "a_WB_B_y", "slip_ratio_FL"])
def test_values_that_are_not_finite_end_the_recording_and_its_sound(driven, tmp_path, name):
    folder = copied(driven, tmp_path)
    rewritten(folder, lambda table: with_values(table, name, 350, np.nan))
    messages: list[str] = []
    recording = Recording(folder, messages.append)
    assert len(recording.positions) == 350 and len(messages) == 1 and "row 350" in messages[0]
    assert np.isfinite(timeline_of(recording).values).all()
    sound = sound_of_run(folder, SoundFileOptions(), messages.append)
    needed = name in ("engine_speed", "slip_ratio_FL")
    assert np.isfinite(sound).all() and len(sound) == 480 * (350 if needed else recording.log.rows) and len(messages) == 1 + needed


@pytest.mark.parametrize("groups", [0, 1])
def test_a_log_without_rows_is_refused(driven, tmp_path, capsys, groups):
    folder = copied(driven, tmp_path)
    table = pq.read_table(folder / "telemetry.parquet").slice(0, 0)
    with pq.ParquetWriter(folder / "telemetry.parquet", table.schema) as out:
        for _ in range(groups):
            out.write_batch(pa.RecordBatch.from_pylist([], schema=table.schema))
    assert pq.read_metadata(folder / "telemetry.parquet").num_row_groups == groups
    for output in (("--video", "x"), ("--wav", "x.wav")):
        assert "row" in refused(call(capsys, "render", folder, output[0], tmp_path / output[1]))
    assert not (tmp_path / "x.wav").exists() and not (tmp_path / "x").exists()


def test_a_jump_of_the_time_is_a_cut_of_one_period(driven, tmp_path):
    """Otherwise a video of the recording would need an image for each moment of the gap."""
    folder = copied(driven, tmp_path)

    def later(table):
        at = table.column_names.index("time")
        times = table.column(at).to_numpy().copy()
        times[300:] += 1e9
        return table.set_column(at, table.schema.field(at), [times])

    before = Recording(folder, silent)
    rewritten(folder, later)
    after = Recording(folder, silent)
    assert after.positions == pytest.approx(before.positions) and np.flatnonzero(after.cuts).tolist() == [0, 300]


def test_a_recording_without_a_finite_row_is_refused(driven, tmp_path):
    folder = copied(driven, tmp_path)
    rewritten(folder, lambda table: with_values(table, "engine_speed", 0, np.inf))
    with pytest.raises(ConfigError, match="no row that can be drawn"):
        Recording(folder, silent)


@pytest.mark.parametrize("name", ["engine_speed", "time"])
def test_a_column_of_text_is_refused(driven, tmp_path, capsys, name):
    folder = copied(driven, tmp_path)

    def as_text(table):
        at = table.column_names.index(name)
        return table.set_column(at, table.schema.field(at).with_type(pa.string()), [["x"] * table.num_rows])

    rewritten(folder, as_text)
    for output in (("--video", "x"), ("--wav", "x.wav")):
        assert name in refused(call(capsys, "render", folder, output[0], tmp_path / output[1]))


def test_a_log_that_lacks_a_wheel_has_no_sound(driven, tmp_path, capsys):
    folder = copied(driven, tmp_path)
    rewritten(folder, lambda table: table.drop_columns(["slip_ratio_RR"]))
    assert "slip_ratio" in refused(call(capsys, "render", folder, "--wav", tmp_path / "x.wav"))
