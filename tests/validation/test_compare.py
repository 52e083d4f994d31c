"""Does `jounce compare` find known differences, shifts and violated bands, and report errors in files?"""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simulator.cli.main import main
from simulator.telemetry.channels import Channel
from simulator.telemetry.log import Log
from simulator.validation.compare.bands import bands_of, evaluate_band
from simulator.validation.compare.command import shift_of
from simulator.validation.compare.comparison_file import BandTolerance, Comparison, comparison_from_arguments
from simulator.validation.compare.record import Record, known_units

G = 9.80665


def wave(t):
    return 0.3 * np.sin(1.7 * t) * np.exp(-0.05 * (t - 8.0) ** 2)


def columns(t, turn=1.0):
    """A drive at 20 m/s, swinging."""
    yaw_rate = turn * wave(t)
    return {
        "time": t,
        "v_WB_B_x": np.full(len(t), 20.0),
        "v_WG_B_x": np.full(len(t), 20.0),
        "v_WG_B_y": -0.5 * yaw_rate,
        "w_WB_B_z": yaw_rate,
        "a_WB_B_y": 20.0 * yaw_rate,
        "a_WG_B_y": 20.0 * yaw_rate,
        "roll": 0.1 * yaw_rate,
        "yaw": 3.1 + np.concatenate(([0.0], np.cumsum(yaw_rate[1:] * np.diff(t)))),
    }


def run_folder(place, arrays, metrics=None):
    """As `jounce run` leaves it."""
    place.mkdir(parents=True)
    units = known_units()
    channels = [Channel(name, units[name], "", "", np.dtype("f8"), 0, field=name) for name in arrays]
    about = {"maneuver": "swing", "vehicle": "car", "version": "1", "configuration": json.dumps({"recorded": {"seed": 1}})}
    Log(channels, arrays, about).save(place / "telemetry.parquet")
    if metrics is not None:
        table = [{"metric": name, "value": value, "unit": "m", "verdict": "info", "mark": ""} for name, value in metrics.items()]
        result = {"maneuver": "swing", "pass": None, "checks": [], "table": table}
        (place / "metrics.json").write_text(json.dumps({"result": result}))
    return place


def table_file(place, arrays):
    text = ",".join(arrays) + "\n" + "\n".join(",".join(f"{x:.9g}" for x in row) for row in zip(*arrays.values(), strict=True))
    place.write_text(text + "\n", encoding="utf-8")
    return place


def foreign(rate=37.0, later=1.37):
    """The same drive as another program has it: its names, units, sign, rate, clock."""
    t = np.arange(0.7, 15.0, 1.0 / rate)
    own = columns(t)
    return {"Time": t + later, "AVz": np.degrees(own["w_WB_B_z"]), "Ay": own["a_WB_B_y"] / G, "Roll": -np.degrees(own["roll"])}


MAP = ("--map", "Time=time", "--map", "AVz=w_WB_B_z_degps", "--map", "Ay=a_WB_B_y_g", "--map", "Roll=-roll_deg")


@pytest.fixture(scope="module")
def swing(tmp_path_factory):
    return run_folder(tmp_path_factory.mktemp("runs") / "swing", columns(np.arange(0.0, 16.0, 0.01)), {"way_m": 320.0})


def call(capsys, *words):
    code = main(["compare", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_run_does_not_differ_from_itself(swing, tmp_path, capsys):
    page = tmp_path / "self.html"
    code, out, _ = call(capsys, swing, swing / "telemetry.parquet", "--band", "roll_deg=+-0.01", "--html", page, "--json")
    result = json.loads(out)["result"]
    assert code == 0 and result["pass"] is True
    assert len(result["differences"]) == 6 and all(one["max"] == one["rms"] == 0.0 for one in result["differences"])
    assert {one["channel"] for one in result["differences"]} >= {"sideslip", "w_WB_B_z", "yaw"}
    assert result["metrics"] == [
        {"metric": "way_m", "unit": "m", "values": {"swing": 320.0, "swing (2)": 320.0}, "differences": {"swing (2)": 0.0}}
    ]
    assert json.loads(page.with_suffix(".json").read_text())["result"] == result
    text = page.read_text(encoding="utf-8")
    assert "band satisfied" in text and not re.search(r"https?:|@import|url\((?!#)|fetch\(", text)


def test_a_table_of_another_program_is_read_shifted_and_compared_with_bands(swing, tmp_path, capsys):
    file = table_file(tmp_path / "other.csv", foreign())
    bands = ("--band", "roll_deg=+-0.05", "--band", "w_WB_B_z_degps=+-0.2+1%")
    code, out, _ = call(capsys, swing, file, *MAP, "--align", "w_WB_B_z", *bands, "--html", tmp_path / "c.html", "--json")
    result = json.loads(out)["result"]
    assert result["records"][1]["shift_s"] == pytest.approx(-1.37, abs=0.002)
    assert code == 0 and all(one["inside"] == 1.0 for one in result["bands"])
    largest = {one["channel"]: one["max"] for one in result["differences"]}
    assert set(largest) == {"w_WB_B_z", "a_WB_B_y", "roll"}
    assert largest["a_WB_B_y"] < 0.05 and largest["roll"] < 1e-3
    # the shift given in seconds, off by 0.2 s: now the swing leaves its band
    code, out, _ = call(capsys, swing, file, *MAP, "--align", "-1.17", *bands, "--html", tmp_path / "c.html", "--json")
    assert code == 1
    left = {one["channel"]: one for one in json.loads(out)["result"]["bands"]}
    assert not left["w_WB_B_z"]["pass"] and left["w_WB_B_z"]["inside"] < 0.9 and 3.0 < left["w_WB_B_z"]["at"] < 13.0
    assert re.search("bands violated: .*yaw rate of other", (tmp_path / "c.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("said", "add", "share"), [("+-.5", 0.5, 0.0), ("12.5%", 0.0, 0.125), ("±5+3.5%", 5.0, 0.035), ("1e-3", 0.001, 0.0)]
)
def test_bands_of_a_command_line(said, add, share):
    (one,) = comparison_from_arguments([], [f"roll_deg={said}"], None, []).bands
    assert (one.channel, one.add, one.share) == ("roll_deg", add, pytest.approx(share))


def changed(t, channel, change):
    """Columns of a drive with a changed channel."""
    arrays = columns(t) | {"steering_wheel_angle": 2.0 * wave(t)}
    return {"time": t, channel: change(t, np.array(arrays[channel]))}


TURN = 2.0 * np.pi
MISSING = {
    "ends": (lambda t, x: np.where(t < 3.5, x, np.nan), 3.5 / 16.0),
    "begins late": (lambda t, x: np.where(t > 3.5, x, np.nan), 12.5 / 16.0),
    "gap": (lambda t, x: np.where(abs(t - 8.0) > 3.0, x, np.nan), 10.0 / 16.0),
    "one percent": (lambda t, x: np.where(np.arange(len(t)) % 100 == 50, x, np.nan), 0.01),
}


@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize("rows", ["empty cells", "no rows", "empty cells of the reference"])
def test_a_band_is_not_satisfied_with_values_missing(tmp_path, capsys, name, rows):
    change, share = MISSING[name]
    t = np.arange(0.0, 16.001, 0.01)
    arrays = changed(t, "roll", change)
    if rows == "no rows":
        if name == "one percent":  # a table of this rate has no missing rows
            return
        arrays = {key: values[np.isfinite(arrays["roll"])] for key, values in arrays.items()}
    gappy, complete = table_file(tmp_path / "gappy.csv", arrays), table_file(tmp_path / "all.csv", changed(t, "roll", lambda t, x: x))
    files = (gappy, complete) if rows == "empty cells of the reference" else (complete, gappy)
    options = ("--band", "roll_deg=+-0.1", "--html", tmp_path / "c.html")
    code, out, _ = call(capsys, *files, *options)
    assert code == 1 and "compared, expected at least 80 %" in out
    assert "1 of 1 bands violated" in out
    code, out, _ = call(capsys, *files, *options, "--json", "--min-compared", share - 0.01)
    result = json.loads(out)["result"]
    assert code == 0 and result["bands"][0]["compared"] == pytest.approx(share, abs=0.002)
    assert result["differences"][0]["compared"] == pytest.approx(share, abs=0.002)


def test_a_band_in_a_file_has_its_own_minimum_share(tmp_path, capsys):
    t = np.arange(0.0, 16.001, 0.01)
    half = changed(t, "roll", lambda t, x: np.where(t < 8.0, x, np.nan))
    files = table_file(tmp_path / "all.csv", changed(t, "roll", lambda t, x: x)), table_file(tmp_path / "half.csv", half)
    for least, code in ((0.45, 0), (0.55, 1)):
        (tmp_path / "b.yaml").write_text(f"bands: [{{channel: roll_deg, add: 0.1, min_compared: {least}}}]")
        assert call(capsys, *files, "--band", tmp_path / "b.yaml", "--html", tmp_path / "c.html")[0] == code


def test_a_band_over_a_channel_requires_a_share_of_its_range():
    whole, t = steady(0.2), np.arange(0.0, 60.0, 0.02)
    part = Record("part", None, {name: values[t < 30.0] for name, values in whole.columns.items()}, known_units())
    gaps = {**whole.columns, "steering_wheel_angle": np.where(np.arange(len(t)) % 10 == 0, whole.columns["steering_wheel_angle"], np.nan)}
    for one, share in ((whole, 1.0), (part, 0.5), (Record("gaps", None, gaps, known_units()), 0.1)):
        _, (found,) = evaluate_band([whole, one], band(0.05, 0.3))
        assert found.compared == pytest.approx(share, abs=0.03) and found.satisfied is (share > 0.8)


@pytest.mark.parametrize(
    ("channel", "change", "code"),
    [
        ("steering_wheel_angle", lambda t, x: x + TURN, 1),
        ("steering_wheel_angle", lambda t, x: x + TURN * (t > 8.0), 1),
        ("roll", lambda t, x: x - TURN, 1),
        ("yaw", lambda t, x: x + TURN, 0),
        ("yaw", lambda t, x: np.remainder(x, TURN), 0),
        ("yaw", lambda t, x: np.where(np.arange(len(t)) % 50, np.remainder(x, TURN), np.nan), 0),
        ("yaw", lambda t, x: x + 0.5 * TURN, 1),
    ],
)
def test_full_turns_are_removed_from_headings_only(tmp_path, capsys, channel, change, code):
    t = np.arange(0.0, 16.0, 0.01)
    files = [table_file(tmp_path / f"{n}.csv", changed(t, channel, one)) for n, one in enumerate((lambda t, x: x, change))]
    found, out, _ = call(capsys, *files, "--band", f"{channel}_deg=+-1", "--html", tmp_path / "c.html", "--json")
    assert found == code
    largest = json.loads(out)["result"]["differences"][0]["max"]
    assert largest < 1e-6 if code == 0 else largest > 3.0


@pytest.mark.parametrize(
    "kind", ["timestamp", "timestamp with a zone", "duration", "integers with empty cells", "time of day", "text", "no numbers"]
)
def test_times_of_data_frames_are_seconds_since_the_first_row(tmp_path, capsys, kind):
    t = np.arange(0.0, 4.0, 0.01)
    ns = pa.array(np.rint(t * 1e9).astype(np.int64) + 1_700_000_000_000_000_000)
    time = {
        "timestamp": lambda: ns.cast(pa.timestamp("ns")),
        "timestamp with a zone": lambda: ns.cast(pa.timestamp("ns", "Europe/Berlin")),
        "duration": lambda: ns.cast(pa.duration("ns")),
        "time of day": lambda: pa.array(np.rint(t * 1e9).astype(np.int64)).cast(pa.time64("ns")),
        "text": lambda: pa.array([f"{one:g}" for one in t]),
    }
    roll = columns(t)["roll"].tolist()
    roll[7] = None
    table = {"time": time.get(kind, lambda: pa.array(t))(), "roll": ["a"] * len(t) if kind == "no numbers" else roll}
    pq.write_table(pa.table(table), tmp_path / "frame.parquet")
    reference = table_file(tmp_path / "all.csv", {"time": t, "roll": columns(t)["roll"]})
    code, out, err = call(capsys, reference, tmp_path / "frame.parquet", "--band", "roll_deg=+-1e-6", "--html", tmp_path / "c.html")
    if kind in ("time of day", "text", "no numbers"):
        assert code == 2 and len(err.splitlines()) == 1 and "expected a column of numbers" in err
    else:
        assert code == 0 and "99.7 % compared" in out, err


def test_a_shift_is_found_between_rows():
    def record(t):
        return Record("a", None, {"time": t, "roll": wave(t - 0.0)}, {"roll": "rad"})

    one, other = record(np.arange(0.0, 16.0, 0.01)), record(np.arange(3.0, 14.0, 0.013))
    assert shift_of(one, other.shifted(4.3217), "roll") == pytest.approx(-4.3217, abs=1e-3)


def steady(slope, left=True, name="car"):
    """A circle driven faster and faster: angle of the wheel in proportion to lateral acceleration."""
    t = np.arange(0.0, 60.0, 0.02)
    side = (0.1 * t) * (1.0 if left else -1.0)
    arrays = {"time": t, "v_WB_B_x": np.full(len(t), 15.0), "a_WG_B_y": side, "steering_wheel_angle": slope * side}
    return Record(name, None, arrays, known_units())


def band(add, over_add):
    said = BandTolerance("steering_wheel_angle", add, 0.0, over="a_WG_B_y", over_add=over_add)
    return bands_of(Comparison(bands=(said,)), known_units())[0]


def test_a_band_over_lateral_acceleration_is_as_wide_as_its_ellipses():
    slope, e_y, e_x = 0.2, 0.05, 0.3
    curves, _ = evaluate_band([steady(slope), steady(slope)], band(e_y, e_x))
    middle = slope * curves.edge_x
    # a tangent of slope s to an ellipse of half axes a, b passes its middle at a height of sqrt(b^2 + s^2 a^2)
    height = np.sqrt(e_y**2 + (slope * e_x) ** 2)
    inner = slice(10, -10)
    assert (curves.high - middle)[inner] == pytest.approx(height, rel=1e-3)
    assert (middle - curves.low)[inner] == pytest.approx(height, rel=1e-3)
    # at 5.9 m/s2 the other is 5.9 x the difference of the slopes away
    just = height / 5.9
    for more, kept in ((0.9 * just, True), (1.2 * just, False)):
        _, (found,) = evaluate_band([steady(slope), steady(slope + more)], band(e_y, e_x))
        assert found.satisfied is kept
    assert found.at > 4.0 and found.inside > 0.7


def test_values_that_cannot_be_compared_violate_the_band():
    for other, why in ((steady(0.2, left=False), "no common range"), (Record("b", None, {"time": np.arange(9.0)}, {}), "missing")):
        _, (found,) = evaluate_band([steady(0.2), other], band(0.1, 0.1))
        assert not found.satisfied and why in found.remark


@pytest.mark.parametrize("name", ["iso_19364", "iso_19365"])
def test_shipped_bands_name_channels_there_are_and_where_their_numbers_come_from(name):
    for one in bands_of(comparison_from_arguments([], [name], None, []), known_units()):
        assert one.add > 0.0 and one.given.mark
    assert comparison_from_arguments([name], [], None, []).title


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({}, (), "a time column"),
        ({}, (*MAP, "--map", "Speed=v_WB_B_x"), "no Speed"),
        ({}, (*MAP[:-1], "Roll=roll_kph"), "a suitable unit suffix"),
        ({}, (*MAP, "--band", "roll_deg"), "roll_deg"),
        ({}, (*MAP, "--band", "rol_deg=1"), "rol_deg"),
        ({}, (*MAP, "--band", "roll_deg=wide"), "CHANNEL=+-X"),
        ({}, (*MAP, "--align", "pitch"), "pitch"),
        ({}, (*MAP, "--channels", "pich"), "pich"),
        ({}, ("--map", "nowhere.yaml"), "nowhere.yaml"),
        ({"Time": [3.0, 2.0, 4.0]}, MAP, "time, row 2"),
        ({"Time": [1.0, 2.0]}, MAP, "at least 3 rows"),
        ({"Roll": ["one", "two", "three"]}, MAP, "Roll"),
    ],
)
def test_an_error_is_reported_and_no_file_is_written(swing, tmp_path, capsys, change, options, said):
    n = len(change.get("Time", [0, 0, 0]))
    arrays = {"Time": [0.0, 1.0, 2.0][:n], **{name: [0.1, 0.2, 0.4][:n] for name in ("AVz", "Ay", "Roll")}} | change
    place = tmp_path / "other.csv"
    place.write_text("\n".join([",".join(arrays), *(",".join(map(str, row)) for row in zip(*arrays.values(), strict=True))]))
    code, out, err = call(capsys, swing, place, *options, "--html", tmp_path / "c.html")
    assert code == 2 and said in err and len(err.splitlines()) == 1 and not out
    assert not list(tmp_path.glob("c.*"))


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_a_table_of_another_locale_is_compared(tmp_path, capsys, encoding):
    t = np.arange(0.0, 20.0, 0.02)
    run = run_folder(tmp_path / "run", columns(t))
    rows = [f"{x:.9g};{y:.9g};0,5".replace(".", ",") for x, y in zip(t, columns(t)["w_WB_B_z"], strict=True)]
    table = tmp_path / "logger.csv"
    table.write_bytes("\r\n".join(["time;w_WB_B_z;Größe [°]", *rows, ""]).encode(encoding))
    assert main(["compare", str(run), str(table), "--band", "w_WB_B_z=+-1e-6", "--out", str(tmp_path / "out")]) == 0
    table.write_text(table.read_bytes().decode(encoding).lstrip("\ufeff").replace("0,02;", "0,02x;"), encoding="utf-8", newline="")
    assert main(["compare", str(run), str(table), "--out", str(tmp_path / "bad")]) == 2
    assert "logger.csv:3: time, row 2: invalid value; expected a number; got '0,02x'" in capsys.readouterr().err


@pytest.mark.parametrize("row", [0, -1])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_time_that_is_not_finite_is_refused(tmp_path, capsys, row, value):
    arrays = columns(np.arange(0.0, 4.0, 0.01))
    good = table_file(tmp_path / "good.csv", arrays)
    arrays["time"] = arrays["time"].copy()
    arrays["time"][row] = value
    code, _, err = call(capsys, good, table_file(tmp_path / "bad.csv", arrays), "--html", tmp_path / "c.html")
    assert code == 2 and err.startswith(f"jounce: {tmp_path / 'bad.csv'}: time, row ") and len(err.splitlines()) == 1


@pytest.mark.parametrize("spike", [np.inf, 1e300, 1e13])
@pytest.mark.parametrize("is_reference", [True, False])
def test_one_absurd_value_hides_no_other_value_outside_the_band(spike, is_reference):
    t = np.arange(0.0, 16.0, 0.01)
    first, other = (Record(name, None, {"time": t, "roll": np.zeros(len(t))}, known_units()) for name in ("first", "other"))
    (first if is_reference else other).columns["roll"][800] = spike
    other.columns["roll"][100] = 0.5
    (one,) = bands_of(Comparison(bands=(BandTolerance("roll", 0.1),)), known_units())
    _, (found,) = evaluate_band([first, other], one)
    assert not found.satisfied and found.inside < 1.0


@pytest.mark.parametrize("heading", ["roll [deg]", "roll (deg)", "roll[°]", "roll_deg", "roll_deg [deg]", "roll [rad]", "roll []"])
@pytest.mark.parametrize("time", ["time [ms]", "time (ms)", "time_ms", "time [s]", "time"])
def test_units_in_brackets_are_converted(tmp_path, capsys, heading, time):
    t = np.arange(0.0, 4.0, 0.01)
    roll = columns(t)["roll"]
    in_degrees, in_ms = "[]" not in heading and "rad" not in heading, "ms" in time
    theirs = {time: t * (1000.0 if in_ms else 1.0), heading: np.degrees(roll) if in_degrees else roll}
    files = table_file(tmp_path / "ours.csv", {"time": t, "roll": roll}), table_file(tmp_path / "theirs.csv", theirs)
    code, out, _ = call(capsys, *files, "--band", "roll_deg=+-0.001", "--html", tmp_path / "c.html")
    assert code == 0 and "100 % compared" in out


@pytest.mark.parametrize(
    ("headings", "options", "said"),
    [
        (("time", "roll [m]"), (), "roll [m]"),
        (("time", "roll_deg [rad]"), (), "deg"),
        (("time", "roll", "roll_deg"), (), "one column for roll"),
        (("time", "x", "y"), ("--map", "x=roll", "--map", "y=roll_deg"), "one column for roll"),
        (("time", "roll"), ("--align", "nan"), "--align"),
        (("time", "roll"), ("--align=-inf",), "--align"),
        (("time", "roll"), ("--band", "roll=+-1e400"), "--band"),
        (("time", "roll"), ("--band", "roll=1e20%"), "--band"),
    ],
)
def test_units_columns_and_options_that_contradict_are_refused(tmp_path, capsys, headings, options, said):
    t = np.arange(0.0, 4.0, 0.01)
    file = table_file(tmp_path / "a.csv", dict.fromkeys(headings, t))
    code, _, err = call(capsys, file, file, *options, "--html", tmp_path / "c.html")
    assert code == 2 and said in err and len(err.splitlines()) == 1


@pytest.mark.parametrize("names", [("roll", "other"), ("other", "roll")])
def test_a_mapped_column_replaces_the_column_with_the_name_of_the_channel(tmp_path, capsys, names):
    t = np.arange(0.0, 4.0, 0.01)
    ours = table_file(tmp_path / "ours.csv", {"time": t, "other": wave(t)})
    theirs = table_file(tmp_path / "theirs.csv", {"time": t, **{name: wave(t) * (name == "other") for name in names}})
    options = ("--map", "other=roll", "--band", "roll=+-0.001", "--html", tmp_path / "c.html")
    assert call(capsys, ours, theirs, *options)[0] == 0
