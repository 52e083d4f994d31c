"""Does `jounce validate mechanism FILE.yaml ROWS.csv` judge rows of reference values: right ones, changed ones, and files that are none?"""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from legged_mechanisms import DATA, shipped, with_axial_inertia

from simulator.__main__ import main
from simulator.base.errors import ConfigError
from simulator.build import data_folder
from simulator.validate.mechanism_rows import compare_rows

KNOWN = [
    ("stewart", "stewart_inverse_kinematics.csv", 1e-12),
    ("stewart", "stewart_euler1ms_Izz0.csv", 1e-9),
    ("five_link", "five_link_curves.csv", 1e-9),
    ("landing_gear", "landing_gear_sweep.csv", 1e-9),
]


def changed(tmp_path, name, row, column, by):
    """A copy of a file of rows with one value changed."""
    lines = (DATA / name).read_text().splitlines()
    names = [x.strip() for x in lines[0].lstrip("# ").split(",")]
    cells = lines[1 + row].split(",")
    cells[names.index(column)] = repr(float(cells[names.index(column)]) + by)
    lines[1 + row] = ",".join(cells)
    path = tmp_path / name
    path.write_text("\n".join(lines))
    return str(path)


@pytest.mark.parametrize(("mechanism", "name", "limit"), KNOWN)
def test_reference_rows_pass(mechanism, name, limit):
    comparison = compare_rows(str(DATA / name), shipped(mechanism))
    assert comparison.passed and comparison.limit == limit and comparison.max_error < 1e-13


@pytest.mark.parametrize(
    ("mechanism", "name", "column", "by"),
    [
        ("stewart", "stewart_inverse_kinematics.csv", "s4", 1e-11),
        ("stewart", "stewart_euler1ms_Izz0.csv", "dpsi", 1e-8),
        ("five_link", "five_link_curves.csv", "beta3", 1e-8),
        ("landing_gear", "landing_gear_sweep.csv", "thetaF", 1e-8),
    ],
)
def test_a_changed_value_fails(tmp_path, mechanism, name, column, by):
    assert not compare_rows(changed(tmp_path, name, 30, column, by), shipped(mechanism)).passed


def test_a_turn_more_is_the_same_angle(tmp_path):
    path = changed(tmp_path, "landing_gear_sweep.csv", 3, "thetaB", 2.0 * np.pi)
    assert compare_rows(path, shipped("landing_gear")).passed


def test_the_axial_inertia_that_fits_is_found_and_named():
    """Rows without it, a file with it: the run of the file would be far off."""
    comparison = compare_rows(str(DATA / "stewart_euler1ms_Izz0.csv"), with_axial_inertia(shipped("stewart"), 1.0 / 160.0))
    assert comparison.passed and "axial inertia of a leg 0 kg m2" in comparison.kind


def test_other_hardpoints_fail():
    mechanism = shipped("five_link")
    loop = dataclasses.replace(
        mechanism.loops[2], p_successor=mechanism.loops[2].p_successor + 1e-4, p_predecessor=mechanism.loops[2].p_predecessor
    )
    moved = dataclasses.replace(mechanism, loops=(*mechanism.loops[:2], loop, *mechanism.loops[3:]))
    with pytest.raises(ConfigError):
        compare_rows(str(DATA / "five_link_curves.csv"), moved)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "header"),
        ("x,y\n", "header"),
        ("x,x\n1,2\n", "header"),
        ("x,y\n1,2\n", "columns of a Stewart platform"),
        ("x,y\n1\n", "row 1"),
        ("x,y\n1,two\n", "row 1.y"),
        ("x,y\n1,nan\n", "finite"),
    ],
)
def test_files_that_are_no_rows(tmp_path, text, words):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words):
        compare_rows(str(path), shipped("stewart"))


def test_rows_of_another_mechanism_are_refused():
    with pytest.raises(ConfigError, match="free joint"):
        compare_rows(str(DATA / "stewart_inverse_kinematics.csv"), shipped("four_bar"))
    with pytest.raises(ConfigError, match="landing gear"):
        compare_rows(str(DATA / "landing_gear_sweep.csv"), shipped("four_bar"))


def test_command(capsys):
    file = str(Path(data_folder("configs")) / "mechanisms" / "five_link.yaml")
    assert main(["validate", "mechanism", file, str(DATA / "five_link_curves.csv"), "--json"]) == 0
    assert '"pass": true' in capsys.readouterr().out
    assert main(["validate", "mechanism", file, "nothing.csv"]) == 2
    assert "nothing.csv" in capsys.readouterr().err
