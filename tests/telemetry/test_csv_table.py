"""Is a table of another program read correctly, and an invalid one refused with the position?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.telemetry.csv_table import CsvTable


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
