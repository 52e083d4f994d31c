"""Does a log contain its metadata and the selected columns at the selected rate, and does it support common analysis tools?"""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.base.machine import version
from simulator.base.records import record
from simulator.outlets.telemetry import FIRST_ROWS, MemoryLog
from simulator.report.png_renderer import figure_of
from simulator.telemetry.channels import Channel
from simulator.telemetry.log import NoSuchColumnError, read_log
from simulator.telemetry.log_groups import LogGroups
from simulator.telemetry.log_plot import log_plot
from simulator.telemetry.parquet import read_columns
from simulator.telemetry.writer import LogChoice, LogOptions, TelemetryWriter, read_telemetry, read_units
from vehicles.command import COMMAND
from vehicles.readout import READOUT

ROWS = 40


def written(folder, channels=(), **about):
    """A log of made-up numbers: every number of the readout is the row's, the command's steering its negative."""
    readout, command = record(READOUT), record(COMMAND)
    options = LogOptions(LogChoice(tuple(channels)), about)
    with TelemetryWriter(folder, [("", READOUT, readout), ("command_", COMMAND, command)], 1, options) as out:
        for n in range(ROWS):
            readout.view("f8")[:] = n
            readout[0]["gear"], command[0]["steering"] = n, -n
            out.publish()
    return out.file


@pytest.mark.parametrize(
    ("channels", "columns"),
    [
        (["time"], ["time"]),
        (["v_WB_B"], ["v_WB_B_x", "v_WB_B_y", "v_WB_B_z"]),
        (["command_steering", "gear"], ["gear", "command_steering"]),
        (["F_C_*_z", "p_WB_?"], ["p_WB_x", "p_WB_y", "p_WB_z", "F_C_FL_z", "F_C_FR_z", "F_C_RL_z", "F_C_RR_z"]),
        (["R_BK"], [f"R_BK_{corner}_{i}_{j}" for corner in ("FL", "FR", "RL", "RR") for i in "xyz" for j in "xyz"]),
    ],
)
def test_selected_columns_equal_those_of_a_complete_log(tmp_path, channels, columns):
    (tmp_path / "whole").mkdir()
    (tmp_path / "chosen").mkdir()
    whole, chosen = read_telemetry(written(tmp_path / "whole")), read_telemetry(written(tmp_path / "chosen", channels))
    assert list(chosen) == columns
    for name, column in chosen.items():
        assert column.dtype == whole[name].dtype
        np.testing.assert_array_equal(column, whole[name])
    assert (tmp_path / "chosen" / "telemetry.parquet").stat().st_size < (tmp_path / "whole" / "telemetry.parquet").stat().st_size


@pytest.mark.parametrize(("wrong", "near"), [("v_WB_b", "v_WB_B"), ("gaer", "gear"), ("F_C_*_w", "")])
def test_what_fits_no_column_is_refused_before_anything_is_written(tmp_path, wrong, near):
    with pytest.raises(ConfigError) as error:
        written(tmp_path, [wrong])
    assert wrong in str(error.value)
    assert near in str(error.value)
    assert not list(tmp_path.glob("telemetry.*"))


def test_a_log_contains_the_run_metadata(tmp_path):
    configuration = {"vehicle": {"chassis": {"mass": 2086.52}}, "seed": 7}
    log = read_log(written(tmp_path, vehicle="hmmwv", seed=7, configuration=configuration))
    assert log.configuration == configuration
    assert (log.about["vehicle"], log.about["seed"], log.about["version"]) == ("hmmwv", "7", version())
    assert "Python" in log.about["software"]
    assert "numba" in log.about["software"]
    assert log.about["processor"]
    assert log.about["machine"]


def test_every_column_of_a_vehicle_has_a_unit_of_its_own_and_a_meaning(tmp_path):
    for name, words in read_units(written(tmp_path)).items():
        assert words["meaning"], name
        assert words["unit"], name
        assert "," not in words["unit"], f"{name}: one number has one unit"
        assert words["field"], name


def test_columns_are_found_by_name_and_by_field(tmp_path):
    log = read_log(written(tmp_path))
    assert log.rows == ROWS
    assert log.columns["a_WB_B_y"].unit == "m/s2"
    assert log.columns["a_WB_B_y"].frame == "B"
    assert log.field("p_BK").shape == (ROWS, 12)
    np.testing.assert_array_equal(log.field("v_WB_B")[:, 1], log["v_WB_B_y"])
    assert list(log.select("roll", "yaw")) == ["roll", "yaw"]
    assert list(read_log(tmp_path, ["F_C_*_z"])) == [f"F_C_{corner}_z" for corner in ("FL", "FR", "RL", "RR")]


def test_a_column_that_is_not_there_is_named_with_the_nearest(tmp_path):
    log = read_log(written(tmp_path))
    with pytest.raises(NoSuchColumnError, match=r"^no column 'v_WB_x' \(did you mean v_WB_B_x\?\)$"):
        log["v_WB_x"]
    with pytest.raises(KeyError):
        log["v_WB_x"]
    assert "v_WB_x" not in log
    assert log.get("v_WB_x") is None
    with pytest.raises(NoSuchColumnError, match="v_WB_B"):
        log.field("v_WB_C")
    with pytest.raises(ConfigError):
        log.select("nothing*")


def test_a_saved_log_is_read_back_completely(tmp_path):
    log = read_log(written(tmp_path, seed=3)).select("time", "v_*")
    log.save(tmp_path / "part.parquet")
    again = read_log(tmp_path / "part.parquet")
    assert list(again) == list(log)
    assert again.about == log.about
    assert {name: column.words() for name, column in again.columns.items()} == {
        name: column.words() for name, column in log.columns.items()
    }
    assert all(again[name].tobytes() == log[name].tobytes() for name in log)


@pytest.mark.parametrize("more", ["roll", "time"])
def test_two_columns_of_one_name_are_refused(tmp_path, more):
    table = pq.read_table(written(tmp_path))
    assert more in table.column_names
    file = tmp_path / "twice.parquet"
    pq.write_table(table.append_column(more, pa.array(np.zeros(ROWS))), file)
    for read in (read_log, read_units, read_telemetry, read_columns, LogGroups):
        with pytest.raises(ConfigError, match=f"twice.parquet: {more}: .*one column of this name"):
            read(file)


def test_rows_kept_in_memory_stay_as_they_were():
    readout = record(READOUT)
    memory = MemoryLog([("", READOUT, readout)], ["time", "gear"])
    for n in range(FIRST_ROWS + 10):
        readout[0]["time"], readout[0]["gear"] = 0.1 * n, n
        memory.put()
        if n == 4:
            early = memory.log({})
    log = memory.log({})
    assert early["gear"].tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(log["gear"], np.arange(FIRST_ROWS + 10))
    np.testing.assert_array_equal(log["time"], 0.1 * np.arange(FIRST_ROWS + 10))
    assert repr(early) == "<Log of 5 rows, 2 columns, 0 to 0.4 s>"


class DataFrame(dict):
    """As much of pandas as a log asks for."""

    def __init__(self, columns):
        super().__init__(columns)
        self.attrs = {}


def test_a_log_becomes_a_data_frame(tmp_path, monkeypatch):
    log = read_log(written(tmp_path))
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=DataFrame))
    frame = log.to_pandas()
    assert list(frame) == list(log)
    assert frame["gear"] is log["gear"]
    assert frame.attrs["unit"]["v_WB_B_x"] == "m/s"
    assert frame.attrs["about"] == log.about


def test_without_pandas_the_error_has_a_hint(tmp_path, monkeypatch):
    log = read_log(written(tmp_path))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(JounceError, match=r"or run .*pandas"):
        log.to_pandas()


def test_a_plot_has_a_panel_for_every_field_in_the_requested_order(tmp_path):
    log = read_log(written(tmp_path))
    figure = log.plot("roll", "v_WB_B", "F_C_FL_z", file=tmp_path / "plot.png")
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["roll [deg]", "v_WB_B [m/s]", "F_C_FL_z [N]"]
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), np.degrees(log["roll"]))
    np.testing.assert_array_equal(figure.axes[1].lines[2].get_ydata(), log["v_WB_B_z"])
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["x", "y", "z"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    log.plot("roll", "v_WB_B", "F_C_FL_z", file=tmp_path / "again.png")
    assert (tmp_path / "plot.png").read_bytes() == (tmp_path / "again.png").read_bytes()
    assert figure._repr_png_()[:4] == b"\x89PNG"
    with pytest.raises(ConfigError, match="16 fields"):
        log.plot("*")
    with pytest.raises(NoSuchColumnError, match="time"):
        log.plot("roll", along="tiem")


def test_a_closed_path_is_shown_completely_and_in_true_scale():
    """A drive around a circle ends where it began; every point of it is in the plot."""
    angle = np.linspace(0.0, 2.0 * np.pi, 9001)
    x, y = (Channel(f"p_WB_{axis}", "m", "W", "position", np.dtype(float), 0, False, "p_WB") for axis in "xy")
    (axes,) = figure_of(log_plot(x, [y], {"p_WB_x": 50.0 * np.sin(angle), "p_WB_y": 50.0 - 50.0 * np.cos(angle)})).axes
    (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert low <= -50.0 and high >= 50.0 and bottom <= 0.0 and top >= 100.0
    assert (high - low) / axes.bbox.width == pytest.approx((top - bottom) / axes.bbox.height)
    drawn = axes.lines[0].get_xdata()
    assert (drawn.min(), drawn.max()) == (pytest.approx(-50.0, abs=1e-4), pytest.approx(50.0, abs=1e-4))


def test_the_log_of_a_version_without_fields_is_read(tmp_path):
    """As it was written before columns said which field they are of."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    field = pa.field("speed", pa.float64(), metadata={"unit": "m/s", "frame": "", "meaning": "speed"})
    pq.write_table(
        pa.table({"speed": [1.0, 2.0]}, schema=pa.schema([field], metadata={"jounce.vehicle": json.dumps("old")})), tmp_path / "old.parquet"
    )
    log = read_log(tmp_path / "old.parquet")
    assert log["speed"].tolist() == [1.0, 2.0]
    assert (log.columns["speed"].field, log.columns["speed"].unit) == ("speed", "m/s")
    assert log.configuration is None
