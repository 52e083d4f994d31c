"""Is a table of another program read correctly, and an invalid one refused with the position?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.table_text import TableRows
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


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ('t,v\n0,"1,234"\n0.1,"1,100"\n0.2,999\n', [1234.0, 1100.0, 999.0]),
        ('t,v\n0,"1,234.5"\n1,"1,100"\n2,"1,234,567"\n', [1234.5, 1100.0, 1234567.0]),
        ('t,v\n0,"1.234,5"\n1,"1.100"\n2,"0,125"\n', [1234.5, 1100.0, 0.125]),
        ("t;v\n0,1;1,234\n0,2;999\n", [1.234, 999.0]),
        ("t;v\n0.1;1.234\n0.2;999\n", [1.234, 999.0]),
        ("t;v\n1;0,125\n2;1,250\n", [0.125, 1.25]),
        ("t,v\n1,1.125\n2,3\n", [1.125, 3.0]),
    ],
)
def test_a_column_has_one_notation(tmp_path, text, numbers):
    assert CsvTable(written(tmp_path, text)).numbers(1).tolist() == numbers


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('t,v\n0,"1,234"\n1,"1,100"\n2,999\n', 2),
        ("t;v\n0;1,234\n1;999\n", 2),
        ("t;v\n0;1.234\n1;999\n", 2),
        ("t;v\n0,5;1.234\n", 2),
        ("# by hand\nt;v\n0;1\n1;1,5\n2;2.5\n", 4),
        ('t,v,w\n0,"1,5","1,234"\n1.5,"2,5",3\n', 2),
    ],
)
def test_a_number_with_two_meanings_is_refused(tmp_path, text, line):
    with pytest.raises(ConfigError, match=rf"table.csv:{line}: [vw]: invalid value; expected"):
        CsvTable(written(tmp_path, text)).numbers(1)


def test_rows_by_name(tmp_path):
    rows = TableRows(written(tmp_path, '# by hand\n a, b ,"c"\n1, "x,y" , z\n\n2\n'), "rows", 1000)
    assert rows.names == ["a", "b", "c"]
    assert [(rows.line, row) for row in rows] == [(3, {"a": "1", "b": "x,y", "c": "z"}), (5, {"a": "2", "b": "", "c": ""})]
    with pytest.raises(ConfigError, match=r"table.csv:3: invalid value; expected 2 cells, as in the line of names; got '3 cells'"):
        list(TableRows(written(tmp_path, "a,b\n1,2\n1,2,3\n"), "rows", 1000))


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_line_ends_of_every_system_are_read(tmp_path, end, delimiter):
    text = end.join(("time_s,v_mps", "0,1.5", "1,2.5", "")).replace(",", delimiter)
    file = written(tmp_path, text)
    np.testing.assert_array_equal(CsvTable(file).numbers(1), [1.5, 2.5])
    assert [row["v_mps"] for row in TableRows(file, "a table", 1 << 20)] == ["1.5", "2.5"]
    np.testing.assert_array_equal(read_points(str(file), "m/s", tmp_path / "m.yaml", "file")[1], [1.5, 2.5])


@pytest.mark.parametrize("cell", ["7" * 300_000, '"' + "x" * 300_000, '"' + "1\n" * 150_000])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_cell_of_any_length_is_refused_in_one_line(tmp_path, cell, delimiter):
    file = written(tmp_path, f"time_s{delimiter}v_mps\n0{delimiter}{cell}\n1{delimiter}2\n")
    for read in (
        lambda: CsvTable(file).numbers(1)[0] < 1e300 or read_points(str(file), "m/s", file, "file"),
        lambda: read_points(str(file), "m/s", file, "file"),
    ):
        with pytest.raises(ConfigError) as found:
            read()
        assert len(str(found.value)) < 1000 and "\n" not in str(found.value)
