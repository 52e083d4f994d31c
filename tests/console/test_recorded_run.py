"""Does the console of a finished run show every peak and every event at the right time, and send no more than a plot needs?"""

from __future__ import annotations

import json

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.telemetry.channels import Channel
from simulator.telemetry.parquet import write_groups
from simulator.tools.console.recorded_run import RecordedRun, even_axis, extremes, intervals, open_run, times, window

H = 0.01
COUNT = 20_000


def write(folder, about=None, rows=COUNT, **columns):
    """A log with the time 0, H, ..., and other columns."""
    arrays = {"time": H * np.arange(rows, dtype=float)} | columns
    channels = [Channel(name, "m", "W", name, np.asarray(values).dtype, 0) for name, values in arrays.items()]
    write_groups(folder / "telemetry.parquet", channels, [arrays], about or {"vehicle": "hmmwv", "ended": "well"})
    return folder


def run_of(folder) -> RecordedRun:
    return open_run(folder)[0]


def test_one_time_axis_over_a_pause_and_a_restart():
    axis = even_axis(np.array([0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 0.0, 1.0, 5.0]))
    assert axis.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 11], "lost rows leave a gap"
    assert even_axis(np.array([3.0])).tolist() == [0.0]
    assert (np.diff(even_axis(np.array([0.0, np.nan, 1.0, 2.0]))) > 0.0).all()


def test_a_peak_of_one_row_is_seen_at_every_zoom(tmp_path):
    values = np.sin(np.arange(COUNT))
    values[12_345] = 50.0
    values[777] = -60.0
    run = run_of(write(tmp_path, x=values))
    for last in (H * COUNT, 150.0, 124.0):
        when, shown = run.plot(["x"], 0.0, last, 300)
        assert len(when) == len(shown) == 600 and (np.diff(when) >= 0.0).all()
        assert shown.max() == 50.0 and shown.min() == -60.0
        assert abs(when[shown.argmax()] - 123.45) <= last / 300 and abs(when[shown.argmin()] - 7.77) <= last / 300
    when, shown = run.plot(["x"], 123.40, 123.50, 300)
    assert np.array_equal(shown, values[12_339:12_352]), "all rows, and one more at each end"


def test_the_extremes_are_those_of_each_interval():
    values = np.random.default_rng(3).normal(size=5000)
    values[100:200] = np.nan
    firsts = intervals(len(values), 50)
    pairs = extremes(values, firsts).reshape(-1, 2)
    assert len(firsts) == 50
    for number, part in enumerate(np.split(values, firsts[1:])):
        wanted = [np.nan] * 2 if np.isnan(part).all() else [np.nanmin(part), np.nanmax(part)]
        assert np.array_equal(np.sort(pairs[number]), wanted, equal_nan=True)
    assert intervals(100, 50) is None and np.array_equal(times(values, None), values, equal_nan=True)


def test_a_window_reaches_one_row_over_each_edge():
    axis = np.arange(10.0)
    assert window(axis, 2.5, 4.5) == slice(2, 6)
    assert window(axis, -5.0, 50.0) == slice(0, 10)
    assert window(axis, 100.0, 200.0) == slice(9, 10)
    assert window(axis, 5.0, 1.0).stop >= window(axis, 5.0, 1.0).start


def test_states_are_evenly_spread_rows(tmp_path):
    run = run_of(write(tmp_path, yaw=np.arange(COUNT), other=np.zeros(COUNT)))
    assert run.description()["states"] == ["time", "yaw"]
    when, seconds, yaw = run.states(10.0, 20.0, 101)
    assert 95 <= len(when) <= 101 and np.allclose(when, seconds) and np.allclose(yaw, 100.0 * when)


def test_events_lie_at_their_ticks_also_after_a_restart(tmp_path):
    seconds = H * np.arange(COUNT)
    seconds[10_000:] -= 100.0
    write(tmp_path, time=seconds)
    rows = [
        {"format": "jounce events", "version": 1},
        {"tick": 5000, "time_s": 5.0, "origin": "script", "kind": "pause", "value": True},
        {"tick": 100_000, "time_s": 0.0, "origin": "console", "kind": "reset", "value": None},
        {"tick": 900_000, "time_s": 800.0, "origin": "session", "kind": "end", "value": None},
        {"tick": 700, "time_s": 0.0, "origin": "window", "kind": "intensity", "value": 1.0, "waits": True},
    ]
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = run_of(tmp_path).description()["events"]
    assert [(one["at"], one["kind"]) for one in found] == [(5.0, "pause"), (100.0, "reset"), (199.99, "end"), (0.0, "intensity")]


def test_without_a_file_of_events_the_columns_name_incidents_and_collisions(tmp_path):
    incident, touched = np.zeros(COUNT, dtype=int), np.zeros(COUNT, dtype=int)
    incident[2000:2500], touched[300:], touched[700:] = 1, 1, 2
    found = run_of(write(tmp_path, incident=incident, collision_count=touched)).description()["events"]
    assert [(one["at"], one["kind"], one["value"]) for one in found] == [
        (20.0, "incident", 1),
        (3.0, "collision", 1),
        (7.0, "collision", 2),
    ]


def test_the_track_has_few_points_and_breaks_at_a_restart(tmp_path):
    x = 0.2 * np.arange(COUNT)
    x[12_000:] -= x[12_000]
    track = np.array(run_of(write(tmp_path, p_WB_x=x, p_WB_y=0.0 * x)).description()["track"])
    assert len(track) < 4100 and np.array_equal(track[track[:, 2] == 1.0][:, [0, 3]], [[0.0, 120.0]])
    assert np.abs(np.interp(60.0, track[:, 3], track[:, 0]) - 1200.0) < 1.0


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"time": np.arange(0.0)}, "no rows"),
        ({"time": np.array(["a", "b"], dtype=object)}, "time: .* a column of numbers"),
        ({"x": np.arange(3.0)}, "no column time"),
    ],
)
def test_empty_and_foreign_logs_are_refused_in_one_line(tmp_path, columns, text):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "foreign.parquet"
    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), file)
    with pytest.raises(JounceError, match=text) as error:
        open_run(file)
    assert "\n" not in str(error.value) and "foreign.parquet" in str(error.value)


def test_damaged_logs_are_refused_and_a_column_of_text_is_no_plot(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = write(tmp_path) / "telemetry.parquet"
    whole = file.read_bytes()
    for part in (whole[:100], whole[:-20], b"", b"text"):
        file.write_bytes(part)
        with pytest.raises(JounceError) as error:
            open_run(tmp_path)
        assert "\n" not in str(error.value)
    pq.write_table(pa.table({"time": [0.0, 1.0], "name": ["a", "b"]}), file)
    run = run_of(tmp_path)
    for name in ("name", "nothing"):
        with pytest.raises(JounceError):
            run.plot([name], 0.0, 1.0, 10)
