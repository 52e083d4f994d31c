"""Do other programs read in an export what the log and the sensor data of the run contain?"""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from simulator.exports.kinds import FORMATS
from tests.end_to_end.program import call, refused
from tests.exports.ld_readers import read_by_edl3, read_by_ldparser_table
from tests.exports.made_run import FIRST, LONG, MEANING, SECOND, TITLE, make_run

TIMES = np.concatenate((FIRST, SECOND))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("made") / "run")


@pytest.fixture
def export(run, capsys, tmp_path):
    """`export(FORMAT, OPTIONS ...)`: the folder with the files, of the made-up run or of `run=`."""

    def export(name: str, *options: object, run: Path = run) -> Path:
        code, _, err = call(capsys, "export", run, "--format", name, "--out", tmp_path / "out", *options)
        assert code == 0, err
        return tmp_path / "out"

    return export


def test_a_table_has_units_in_its_header_and_a_table_of_its_columns(export):
    pandas = pytest.importorskip("pandas", reason="the package pandas is not installed")
    folder = export("csv")
    table = pandas.read_csv(folder / "telemetry.csv")
    np.testing.assert_array_equal(table["time [s]"], TIMES)
    np.testing.assert_array_equal(table["v_WB_B_x [m/s]"], [10, np.nan, *range(12, 19)])
    assert table["empty [N]"].isna().all()
    described = pandas.read_csv(folder / "telemetry_columns.csv", keep_default_na=False).set_index("name")
    assert [f"{name} [{unit}]" for name, unit in described["unit"].items()] == list(table.columns)
    assert described.loc["v_WB_B_x"].to_dict() == {"unit": "m/s", "frame": "B", "meaning": MEANING["v_WB_B_x"]}


def test_matlab_reads_a_structure_per_column(export):
    from scipy.io import loadmat

    read = loadmat(export("mat") / "telemetry.mat", simplify_cells=True)
    speed = read["v_WB_B_x"]
    assert (speed["unit"], speed["frame"], speed["meaning"]) == ("m/s", "B", MEANING["v_WB_B_x"])
    np.testing.assert_array_equal(speed["data"], [10, np.nan, *range(12, 19)])
    np.testing.assert_array_equal(read["time"]["data"], TIMES)
    assert read["gear"]["data"].dtype == np.int64 and read["gear"]["data"][0] == -1
    names = [name for name in read if not name.startswith("__")]
    assert all(len(name) <= 63 and name.isidentifier() for name in names)
    by_name = {one["name"]: one for name, one in read.items() if name not in ("about_run", "events") and not name.startswith("__")}
    assert by_name[LONG + "left"]["data"][3] == -by_name[LONG + "right"]["data"][3] == 3, "both names are cut, and different"
    assert by_name["end"]["data"][1] == 1 and "end" not in read, "a keyword of MATLAB"
    assert read["about_run"]["title"] == TITLE
    assert read["events"]["kind"].tolist() == ["pause", "reset", "bookmark"] and TITLE in json.loads(read["events"]["value"][2])


def test_mdf_has_a_group_per_rate_with_times_in_seconds(export):
    asammdf = pytest.importorskip("asammdf", reason="the package asammdf is not installed")
    folder = export("mdf4")
    with asammdf.MDF(folder / "telemetry.mf4") as mdf:
        groups = {one.channel_group.acq_name: n for n, one in enumerate(mdf.groups)}
        assert list(groups) == ["vehicle", "imu"]
        for group in groups.values():
            master = mdf.groups[group].channels[0]
            assert (master.name, master.unit) == ("t", "s")
        np.testing.assert_array_equal(mdf.get_master(groups["vehicle"]), np.unique(FIRST))
        np.testing.assert_array_equal(mdf.get_master(groups["imu"]), [0.0, 0.02, 0.04])
        speed = mdf.get("v_WB_B_x", group=groups["vehicle"])
        assert speed.unit == "m/s" and MEANING["v_WB_B_x"] in speed.comment and "frame B" in speed.comment
        np.testing.assert_array_equal(speed.samples, [10, np.nan, 12, 14, 15])
        assert mdf.get("imu_f_S_x").samples.tolist() == [0, 1, 2] and mdf.get("imu_f_S_x").unit == "m/s2"
        assert np.isnan(mdf.get("empty").samples).all()
        assert mdf.get(LONG + "right").samples[-1] == -5
        assert [(one.name, one.value) for one in mdf.events] == [("pause", 0.02)]
        assert f"{mdf.header.start_time:%Y-%m-%d %H:%M:%S}" == "2026-11-29 18:15:14" and TITLE in mdf.header.description
    with asammdf.MDF(folder / "telemetry-2.mf4") as mdf:  # after the restart
        np.testing.assert_array_equal(mdf.get("v_WB_B_x").timestamps, SECOND)
        assert mdf.get("gear").samples.tolist() == [5, 6, 7]
        assert [(one.name, one.value) for one in mdf.events] == [("reset", 0.0), ("bookmark", 0.01)]
        assert json.loads(mdf.events[1].comment)["value"] == TITLE


def recorded(file: Path) -> list[tuple[str, int, int, bytes]]:
    """Messages of an MCAP file as the reader of the package mcap returns them."""
    from mcap.reader import make_reader

    with open(file, "rb") as stream:
        return [(channel.topic, one.log_time, one.publish_time, one.data) for _, channel, one in make_reader(stream).iter_messages()]


def test_mcap_has_the_log_next_to_the_bytes_of_the_sensors(export, run):
    reader = pytest.importorskip("mcap_ros2.reader", reason="the package mcap-ros2-support is not installed")
    folder = export("mcap")
    for name, number in (("telemetry.mcap", ""), ("telemetry-2.mcap", "-2")):
        own = recorded(run / f"sensors{number}.mcap")
        names = {one[0] for one in own}
        assert sorted(one for one in recorded(folder / name) if one[0] in names) == sorted(own)
    messages = list(reader.read_ros2_messages(folder / "telemetry.mcap"))
    log = [one for one in messages if one.channel.topic == "/log"]
    assert [one.log_time_ns for one in log] == [round(1e9 * time) for time in np.unique(FIRST)]
    np.testing.assert_array_equal([one.ros_msg.v_wb_b_x for one in log], [10, np.nan, 12, 14, 15])
    assert [one.ros_msg.gear for one in log] == [-1, 0, 1, 3, 4]
    assert f"float64 v_wb_b_x  # v_WB_B_x [m/s] in B: {MEANING['v_WB_B_x']}\n" in log[0].schema.data.decode()
    odometry = next(one.ros_msg for one in messages if one.channel.topic == "/odom")
    assert (odometry.pose.pose.position.y, odometry.twist.twist.linear.x, odometry.pose.pose.orientation.w) == (1.0, 10.0, 1.0)
    events = [one for one in messages if one.channel.topic == "/events"]
    assert [(one.log_time_ns, one.ros_msg.msg) for one in events] == [(20_000_000, "pause: true")]
    assert all(b.log_time_ns >= a.log_time_ns for a, b in pairwise(messages))


def test_rosbag2_has_the_same_messages_and_their_definitions(export):
    rosbag2 = pytest.importorskip("rosbags.rosbag2", reason="the package rosbags is not installed")
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    folder = export("rosbag2,mcap")
    store, poses, speeds = get_typestore(Stores.ROS2_HUMBLE), [], []
    with rosbag2.Reader(folder / "rosbag2") as reader:
        for connection in reader.connections:
            types = get_types_from_msg(connection.msgdef.data, connection.msgtype)
            store.register({name: kind for name, kind in types.items() if name not in store.fielddefs})
        bytes_read = [(connection.topic, time, data) for connection, time, data in reader.messages()]
        assert sorted(bytes_read) == sorted((topic, time, data) for topic, time, _, data in recorded(folder / "telemetry.mcap"))
        for connection, _, data in reader.messages():
            message = store.deserialize_cdr(data, connection.msgtype)
            if connection.topic == "/tf":
                poses.append(message.transforms[0].transform.translation.x)
            elif connection.topic == "/log":
                speeds.append(message.v_wb_b_x)
        digests = {one.topic: one.digest for one in reader.connections}
        assert digests["/imu/data"] == get_typestore(Stores.ROS2_JAZZY).hash_rihs01("sensor_msgs/msg/Imu")
        qos = {one.topic: one.ext.offered_qos_profiles[0].durability.name for one in reader.connections}
        assert (qos["/tf_static"], qos["/log"]) == ("TRANSIENT_LOCAL", "VOLATILE")
    np.testing.assert_allclose(poses, 10.0 * np.unique(FIRST))
    np.testing.assert_array_equal(speeds, [10, np.nan, 12, 14, 15])
    assert (folder / "rosbag2-2" / "metadata.yaml").is_file()


@pytest.mark.parametrize("read", [read_by_edl3, read_by_ldparser_table])
def test_motec_files_agree_with_two_public_descriptions(export, read):
    about, channels = read(export("motec") / "telemetry.ld")
    assert about == {"date": "29/11/2026", "time": "18:15:14", "vehicle": "sedan", "venue": "flat"}
    assert all(0 < len(name) <= 31 for name in channels) and {one.rate for one in channels.values()} == {100}
    assert channels["v_WB_B_x"].unit == "m/s"
    assert channels["v_WB_B_x"].values.tolist() == [10, 10, 12, 14, 15], "a missing value is the one before"
    assert channels["gear"].values.tolist() == [-1, 0, 1, 3, 4] and not channels["empty"].values.any()
    cut = [name for name in channels if name.startswith(LONG[:25])]
    assert len(cut) == 2 and (channels[cut[0]].values == -channels[cut[1]].values).all()


def test_a_part_of_the_columns_and_of_the_time(export):
    from scipy.io import loadmat

    read = loadmat(export("mat", "--channels", "v_WB_B,gear", "--channels", "emp*", "--from", 0.02, "--to", 0.03) / "telemetry.mat")
    assert {name for name in read if not name.startswith("__")} == {"about_run", "events", "time", "v_WB_B_x", "gear", "empty"} | {
        f"v_WB_B_{axis}" for axis in "yz"
    }
    assert read["time"]["data"][0, 0].ravel().tolist() == [0.02, 0.02, 0.03, 0.02], "rows of both starts"


@pytest.mark.parametrize("name", [name for name, one in FORMATS.items() if name not in ("kitti", "coco", "las")])
def test_an_empty_log_gives_an_empty_export(name, export, tmp_path):
    export(name, run=make_run(tmp_path / "empty", (), sensors=False))


def test_the_log_of_a_killed_run_is_repaired_first(export, tmp_path):
    from simulator.base.records import record
    from simulator.telemetry.channels import Channels
    from simulator.telemetry.rows import RowsWriter
    from vehicles.command import COMMAND

    (tmp_path / "killed").mkdir()
    raw = tmp_path / "killed" / "telemetry.rows"
    writer = RowsWriter(
        raw,
        Channels([("", (("time", (), "s", "time"),), row := record((("time", (), "s", "time"),))), ("", COMMAND, record(COMMAND))]),
        {},
        print,
    )
    for k in range(20):
        row[0]["time"] = 0.01 * k
        writer.put(wait=True)
    writer.close()
    os.truncate(raw, raw.stat().st_size - 10)
    _, channels = read_by_edl3(export("motec", run=tmp_path / "killed") / "telemetry.ld")
    np.testing.assert_allclose(channels["time"].values, 0.01 * np.arange(19), atol=1e-7)


def entries(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*"))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--format", "xls"), "--format: invalid value; expected one of csv, mat"),
        (("--format", ","), "--format"),
        (("--format", "csv", "--channels", "v_WB_C"), "channels"),
        (("--format", "csv", "--from", "3"), "no row in the interval"),
        (("--format", "mcap", "--from", "0.02", "--to", "0.01"), "--from: invalid value; expected a time up to 0.01 s"),
        (("--format", "csv", "--from", "nan"), "argument --from: invalid value; expected a number from 0"),
        (("--format", "las"), "no point clouds"),
        (("--format", "kitti"), "no color images and no clouds"),
        (("--format", "csv,coco"), "no color images"),
        (("--format", "csv", "--channels", ""), "--channels"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)
def test_a_wrong_call_is_one_line(run, capsys, tmp_path, options, expected):
    before = entries(run)
    assert expected in refused(call(capsys, "export", run, "--out", tmp_path / "out", *options))
    assert entries(run) == before and not (tmp_path / "out").exists()


def test_all_formats_are_checked_before_the_first_is_written(export, run, capsys, tmp_path):
    out = export("mat, mdf4")
    before = entries(out)
    assert before == ["telemetry-2.mf4", "telemetry.mat", "telemetry.mf4"]
    for names in ("csv,mcap,mat", "csv,rosbag2,mdf4"):
        assert "exists; hint: --overwrite" in refused(call(capsys, "export", run, "--format", names, "--out", out))
    assert entries(out) == before


def test_sensor_data_that_end_early_are_one_line_in_each_export(capsys, tmp_path):
    run = make_run(tmp_path / "run", (np.arange(0.0, 1.005, 0.01),))
    os.truncate(run / "sensors.mcap", (run / "sensors.mcap").stat().st_size // 8)
    for form in ("mcap", "rosbag2"):
        code, said, _ = call(capsys, "export", run, "--format", form)
        assert code == 0 and said.count("sensors.mcap was cut: data to 0.0 of 1.0 s\n") == 1
    assert "was cut" not in call(capsys, "export", run, "--format", "mcap", "--overwrite", "--to", 0.05)[1]


def test_a_missing_package_is_one_line_with_the_extra(run, capsys, monkeypatch):
    monkeypatch.setitem(FORMATS, "mdf4", FORMATS["mdf4"]._replace(packages=("no_such_package",)))
    assert "the package no_such_package is not installed; hint: run" in refused(call(capsys, "export", run, "--format", "mdf4"))


def test_a_package_that_cannot_be_loaded_is_one_line(run, capsys, monkeypatch, tmp_path):
    (tmp_path / "broken_package.py").write_text("raise OSError('libx.so: cannot open shared object file')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(FORMATS, "mdf4", FORMATS["mdf4"]._replace(packages=("broken_package",)))
    assert "broken_package cannot be loaded (libx.so" in refused(call(capsys, "export", run, "--format", "mdf4"))


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("kitti", "coco", "las")])
def test_nothing_is_replaced_without_consent(name, export, run, capsys, tmp_path):
    out = export(name)
    before = {one: one.read_bytes() for one in out.rglob("*") if one.is_file()}
    assert "--overwrite" in refused(call(capsys, "export", run, "--format", name, "--out", out))
    assert {one: one.read_bytes() for one in out.rglob("*") if one.is_file()} == before
    export(name, "--overwrite")
    assert entries(out) == sorted(
        {str(one.relative_to(out)) for one in before} | ({"rosbag2", "rosbag2-2"} if name == "rosbag2" else set())
    )


def test_a_folder_of_the_user_is_not_replaced(run, capsys, tmp_path):
    (tmp_path / "rosbag2").mkdir()
    (tmp_path / "rosbag2" / "mine.txt").write_text("kept")
    told = refused(call(capsys, "export", run, "--format", "rosbag2", "--out", tmp_path, "--overwrite"))
    assert "a folder that no export wrote" in told and (tmp_path / "rosbag2" / "mine.txt").read_text() == "kept"


@pytest.mark.parametrize("damage", ["cut", "noise", "folder", "pipe", "missing"])
@pytest.mark.parametrize("name", ["telemetry.parquet", "sensors.mcap"])
def test_a_damaged_run_is_one_line_and_leaves_nothing(name, damage, capsys, tmp_path):
    run = make_run(tmp_path / "run", (FIRST,))
    file = run / name
    content = file.read_bytes()
    file.unlink()
    if damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "noise":
        middle = len(content) // 3
        file.write_bytes(content[:middle] + np.random.default_rng(1).bytes(middle) + content[2 * middle :])
    elif damage == "folder":
        file.mkdir()
    elif damage == "pipe":
        os.mkfifo(file)
    out = tmp_path / "out"
    result = call(capsys, "export", run, "--format", "mcap", "--out", out)
    if name == "sensors.mcap" and damage in ("cut", "missing"):  # repaired, or a run without sensors
        assert result[0] == 0, result
    else:
        refused(result)
        assert not out.exists() or not list(out.iterdir())
