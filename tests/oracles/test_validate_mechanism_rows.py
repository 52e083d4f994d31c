"""Does `jounce validate mechanism FILE.yaml ROWS.csv` check rows of reference values: correct ones, changed ones, and invalid files?"""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from legged_mechanisms import DATA, shipped, with_axial_inertia

from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.builder.builder import data_folder
from simulator.cli.main import main
from simulator.validation.linkages import five_link, landing_gear, stewart
from simulator.validation.linkages.linkage_parameters import five_link_parameters, stewart_parameters
from simulator.validation.reference.mechanism_rows import GEAR, LEGS, LINKS, POSE, compare_rows
from simulator.validation.reference.mechanism_rows import _read as read_rows

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


def with_rates(tmp_path, name, columns, rates, step=1e-6):
    """A copy of a file of rows with rates from central differences of our own kernels' positions along the direction `rates` of `columns`."""
    mechanism, wanted = {"stewart_inverse_kinematics.csv": ("stewart", LEGS), "five_link_curves.csv": ("five_link", (*POSE, *LINKS))}.get(
        name, ("landing_gear", GEAR)
    )
    rows = read_rows(str(DATA / name))
    rows = {key: values[5:25] for key, values in rows.items()}
    sides = []
    for sign in (1.0, -1.0):
        moved = dict(rows)
        for column, rate in zip(columns, rates, strict=True):
            moved[column] = rows[column] + sign * step * rate
        sides.append(positions(mechanism, moved))
    out = dict(rows) | {f"d_{column}": np.full(20, rate) for column, rate in zip(columns, rates, strict=True)}
    out |= {f"d_{column}": (sides[0][column] - sides[1][column]) / (2.0 * step) for column in wanted if column not in columns}
    path = tmp_path / name
    lines = [",".join(out), *(",".join(repr(float(x)) for x in row) for row in zip(*out.values(), strict=True))]
    path.write_text("\n".join(lines))
    return path


def positions(name, rows):
    """The dependent positions of rows by the kernels."""
    count, mechanism = len(next(iter(rows.values()))), shipped(name)
    out = {}
    if name == "stewart":
        m, legs = stewart.make_stewart(stewart_parameters(mechanism)), np.zeros((count, 6, 3))
        for k in range(count):
            stewart.solve_legs(m, np.array([rows[column][k] for column in POSE]))
            stewart.leg_coordinates(m, legs[k])
        return dict(zip(LEGS, legs.reshape(count, 18).T, strict=True))
    if name == "five_link":
        m, poses, links = five_link.make_five_link(five_link_parameters(mechanism)), np.zeros((count, 6)), np.zeros((count, 5, 2))
        for k in range(count):
            poses[k] = [rows[column][k] for column in POSE]
            assert five_link.solve_pose(m, poses[k], 1e-13) > 0
            five_link.solve_links(m, poses[k])
            five_link.link_angles(m, links[k])
        return dict(zip((*POSE, *LINKS), np.hstack([poses, links.reshape(count, 10)]).T, strict=True))
    gear, state = landing_gear.landing_gear(), record(landing_gear.STATE)
    found = []
    for branch, theta in zip(rows["branch"], rows["thetaA"], strict=True):
        state[0]["branch"] = branch
        assert landing_gear.set_position(gear, state, theta)
        found.append([state[0][field] for field in ("theta_B", "theta_D", "theta_F", "length")])
    out |= dict(zip(GEAR, np.array(found).T, strict=True))
    return out


@pytest.mark.parametrize(
    ("mechanism", "name", "columns", "rates", "error"),
    [
        ("stewart", "stewart_inverse_kinematics.csv", POSE, (0.3, -0.2, 0.1, 0.4, -0.5, 0.2), "leg rates"),
        ("five_link", "five_link_curves.csv", ("z",), (0.7,), "link rates"),
        ("landing_gear", "landing_gear_sweep.csv", ("thetaA",), (0.4,), "rates"),
    ],
)
def test_rates_are_compared_where_they_are(tmp_path, mechanism, name, columns, rates, error):
    """Rates from differences are good to 1e-8 or so; a wrong one shows, with all positions right."""
    file = with_rates(tmp_path, name, columns, rates)
    right = compare_rows(str(file), shipped(mechanism))
    assert right.errors[error] < 1e-6
    lines = file.read_text().splitlines()
    last = lines[-1].split(",")
    last[-1] = repr(float(last[-1]) + 0.01 * max(1.0, abs(float(last[-1]))))
    file.write_text("\n".join([*lines[:-1], ",".join(last)]))
    wrong = compare_rows(str(file), shipped(mechanism))
    assert not wrong.passed
    assert (
        wrong.errors[error] > 1e-3 > 1e3 * max(value for key, value in wrong.errors.items() if "rate" not in key and "opening" not in key)
    )


def test_exact_rates_pass(tmp_path):
    """The rows of the reference run, without their times: positions and rates of the platform give those of the legs."""
    lines = (DATA / "stewart_euler1ms_Izz0.csv").read_text().splitlines()
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(line.partition(",")[2] for line in lines))
    comparison = compare_rows(str(file), shipped("stewart"))
    assert comparison.passed and 0.0 < comparison.errors["leg rates"] < 1e-12
    assert comparison.notes == ()


def test_rates_without_those_that_they_follow_from_are_refused(tmp_path):
    file = with_rates(tmp_path, "five_link_curves.csv", ("z",), (0.7,))
    file.write_text(file.read_text().replace("d_z,", "speed,", 1))
    with pytest.raises(ConfigError, match="dz"):
        compare_rows(str(file), shipped("five_link"))


def test_columns_that_are_not_compared_are_named(capsys):
    comparison = compare_rows(str(DATA / "five_link_curves.csv"), shipped("five_link"))
    assert comparison.notes == ("columns that are not compared: closure",)
    assert "closure" in comparison.to_text()
    assert json.loads(comparison.to_json())["notes"] == list(comparison.notes)


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
