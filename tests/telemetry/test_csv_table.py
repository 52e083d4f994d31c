"""Is a table of another program read correctly, and an invalid one refused with the position?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.maneuvers.input_signals import read_points
from simulator.telemetry.csv_table import CsvTable
from simulator.validation.reference.tire_rows import read_rows


def written(tmp_path, text: str):
    file = tmp_path / "table.csv"
    file.write_bytes(text.encode())
    return file


def test_remarks_units_and_gaps(tmp_path):
    table = CsvTable(
        written(tmp_path, "\ufeff# made by hand\n#\n t ; yaw [deg/s]\ns;deg/s\n0;1.5\n\n0.1;\n0.2;-3e1\n"), lines_below_header=1
    )
    assert table.headings == ["t", "yaw [deg/s]"]
    np.testing.assert_array_equal(table.numbers(0), [0.0, 0.1, 0.2])
    np.testing.assert_array_equal(table.numbers(1), [1.5, np.nan, -30.0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t,v\n0,1\n1,fast\n", "v, row 2: invalid value; expected a number; got 'fast'"),
        (
            "t,v\ns,m/s\n0,1\n",
            "row 1: invalid value; expected a number (for a line of units below the names, use lines_below_header: 1); got 's'",
        ),
        ("t,v\n", "a line of names and at least one line of numbers"),
        ("", "a table with names in its first line"),
        ("t,v\n0,1,2\n", "a table with names in its first line"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, text, said):
    with pytest.raises(ConfigError) as found:
        table = CsvTable(written(tmp_path, text))
        for n in range(2):
            table.numbers(n)
    assert said in str(found.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("cells", ["0.5,-1234.25", "0.5;-1234.25", "0.5\t-1234.25", "0,5;-1234,25", "0,5;-1.234,25", "0,5\t-1234,25"])
def test_locales_of_loggers(tmp_path, encoding, cells):
    delimiter = next(one for one in ";\t," if one in cells)
    text = f"Zeit [s]{delimiter}Größe [°/s]\r\n{cells}\r\n{cells}\r\n"
    (tmp_path / "logger.csv").write_bytes(text.encode(encoding))
    table = CsvTable(tmp_path / "logger.csv")
    assert table.headings == ["Zeit [s]", "Größe [°/s]"]
    np.testing.assert_array_equal(table.numbers(0), [0.5, 0.5])
    np.testing.assert_array_equal(table.numbers(1), [-1234.25, -1234.25])


def test_a_separator_line_of_a_spreadsheet_and_a_comma_in_a_name(tmp_path):
    table = CsvTable(written(tmp_path, "sep=;\nt, s;v, m/s, raw, w\n0;1\n"))
    assert table.headings == ["t, s", "v, m/s, raw, w"] and table.numbers(1).tolist() == [1.0]
    table = CsvTable(written(tmp_path, 't,v\n"0,5","-1,5"\n'))
    assert table.numbers(0).tolist() == [0.5] and table.numbers(1).tolist() == [-1.5]
    table = CsvTable(written(tmp_path, "t, s;v, m/s, raw, w\n0;1\n"))
    assert table.headings == ["t, s", "v, m/s, raw, w"] and table.numbers(1).tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "line", "row"),
    [
        ("t,v\n0,1\n1,fast\n", 3, 2),
        ("# by hand\n\nt,v\n0, 1.5\n\n\n1,fast\n", 7, 2),
        ("t,v\n0,1_000\n1,2\n", 2, 1),
        ("t;v\n0;1,5\n\n1;fast\n", 4, 2),
    ],
)
def test_a_bad_cell_is_reported_in_its_line(tmp_path, text, line, row):
    with pytest.raises(ConfigError, match=rf"table.csv:{line}: v, row {row}: invalid value"):
        CsvTable(written(tmp_path, text)).numbers(1)


def test_a_long_column_of_integers_may_go_on_with_decimals(tmp_path):
    rows = "".join(f"{n},0\n" for n in range(200_000))
    table = CsvTable(written(tmp_path, f"t,v\n{rows}200000,0.25\n"))
    assert table.numbers(1)[-1] == 0.25


@pytest.mark.parametrize("text", ["# by hand\nFz,kappa\n4000,0.1\n", "sep=;\nFz;kappa\n4000;0,1\n", "Fz\tkappa\n4000\t0,1\n"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_all_readers_of_tables_share_the_locales(tmp_path, text, encoding):
    file = tmp_path / "rows.csv"
    file.write_bytes(text.encode(encoding))
    assert read_rows(str(file)).column("kappa").tolist() == [0.1]
    file.write_bytes(text.replace("Fz", "time_s").replace("kappa", "throttle").replace("4000", "0").encode(encoding))
    with pytest.raises(ConfigError, match="at least two rows"):
        read_points(str(file), "1", "m.yaml", "key")
