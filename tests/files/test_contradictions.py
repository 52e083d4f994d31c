"""Are all contradictions between the keys of a file reported at once, each with its line, in the order of the lines?"""

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError, ConfigErrors, ErrorCollector
from simulator.base.values import Values
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import data_folder
from simulator.cli.main import main
from tests.files.test_hundred_broken_files import line_of

CONFIGS = data_folder("configs")

VEHICLE = {
    # key path                                          a value that contradicts another
    "chassis.inertia": [1.0, -1.0, 1.0],
    "axles.front.hardpoints_left.LCA_U": [0.0, 0.307086, 0.0],  # on the hinge
    "axles.front.spring.rebound_stop_length": 0.1,
    "axles.front.spring.stop_force": [10.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 2500.0, 4500.0, 7500.0, 12500.0, 125000.0],
    "axles.front.shock.midstroke_max": 0.3,
    "axles.rear.bodies.tierod.to": -0.5,
    "axles.rear.anti_roll_bar": {"rate": 1e4, "torsional_stiffness": 1e4},
    "steering.idler_joint": [0.02, -0.325, 0.0],  # an idler too short for the Pitman arm
    "tires": {"base": "tmeasy_hmmwv", "bottoming_radius": 0.6, "fxs": [9000.0, 8880.0]},
    "drivetrain": {
        "base": "drivetrain_hmmwv",
        "drivetrain": {
            "engine": {"inertia": 1e-9},
            "torque_converter": {"torque_ratio": {"value": [2.0, 1.8, 1.9, 1.3, 1.2, 1.1, 1.0, 1.0]}},
            "gearbox": {"shift_latency": 0.1},
            "driveline": {"rear_final_ratio": 0.3},
        },
    },
    "body.contact_points_left": [[1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 0.5, 0.0]],
}
VEHICLE_REPORTED = (
    "chassis.inertia", "axles.front.hardpoints_left.LCA_U", "axles.front.spring.rebound_stop_length", "axles.front.spring.stop_force",
    "axles.front.shock.midstroke_max", "axles.rear.bodies.tierod.to", "steering.max_arm_angle_deg",
    "tires.bottoming_radius", "tires.fxs", "drivetrain.drivetrain.engine.inertia",
    "drivetrain.drivetrain.torque_converter.torque_ratio.value", "drivetrain.drivetrain.gearbox.shift_latency",
    "drivetrain.drivetrain.driveline.rear_final_ratio", "body.contact_points_left",
)  # fmt: skip
"""Without the anti-roll bar: its axle cannot be read."""

TERRAIN = {
    "heights.origin": [0.0, 0.0],
    "detail.shortest": 100.0,
    "soils.shares": {"clayey_loam": 1.0, "no_such_soil": 1.0},
    "roads": [
        {
            "name": "straight", "surface": "clayey_loam", "roughness": "A", "width": 16.0, "verge": 5.0, "embankment": 40.0,
            "crown": 0.0, "smoothing": 0.0, "points": [[0.0, 0.0], [0.0, 0.5]],
        }
    ],
    "spawn.position": [1e5, 0.0],
}  # fmt: skip
TERRAIN_REPORTED = (
    "grid", "detail.shortest", "soils.shares.no_such_soil", "roads[0].surface", "roads[0].points", "spawn.position",
)  # fmt: skip

MANEUVER = {
    "step_ms": 0.7,
    "phases": None,
    "abort": None,
    "duration_s": 34.0,
    "speed": [
        {"at_s": 100.0, "speed_kph": 50.0, "acceleration_mps2": 1.0},
        {"at_s": 1.0, "at_station_m": 1.0, "speed_kph": 0.0, "acceleration_mps2": 1.0},
    ],
    "waypoints": [[0.0, 0.0], [10.0, 0.0]],
    "limits": {"cones_hit": {"min": 2, "max": 1}, "cone_hits": {"max": 1}, "path_error_max_m": {}},
}
MANEUVER_REPORTED = ("step_ms", "speed[0].at_s", "speed[1]", "course", "limits.cones_hit", "limits.cone_hits", "limits.path_error_max_m")

CASES = {
    "vehicles": ("hmmwv", VEHICLE, VEHICLE_REPORTED),
    "terrains": ("jacksboro", TERRAIN, TERRAIN_REPORTED),
    "maneuvers": ("avtp_lane_change", MANEUVER, MANEUVER_REPORTED),
}
"""Shipped file, changes, and reported keys, by kind."""


def broken(kind, folder):
    """Write the changed file of a kind and return its path."""
    name, changes, _ = CASES[kind]
    content = read_yaml(CONFIGS / kind / f"{name}.yaml")
    for path, value in changes.items():
        *above, last = path.split(".")
        inside = content
        for step in above:
            inside = inside[step]
        inside[last] = value
    file = folder / f"broken_{kind}.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file


def places(err, file):
    """Return lines and keys of the errors of a file, in their order."""
    messages = [line.removeprefix(f"jounce: {file}:") for line in err.splitlines() if str(file) in line]
    return [(int(n), key) for n, key, *_ in (message.split(": ") for message in messages)]


@pytest.mark.parametrize("kind", CASES)
def test_check_reports_all_of_them(kind, tmp_path, capsys):
    file = broken(kind, tmp_path)
    assert main(["check", "--kind", kind, str(file)]) == 2
    _compare(capsys.readouterr().err, file, kind)


@pytest.mark.parametrize("kind", CASES)
def test_run_reports_all_of_them(kind, tmp_path, capsys):
    file = broken(kind, tmp_path)
    words = ["run", "avtp_lane_change", f"--{kind[:-1]}", str(file)] if kind != "maneuvers" else ["run", str(file)]
    assert main([*words, "--out", str(tmp_path / "run")]) == 2
    assert not (tmp_path / "run").exists()
    _compare(capsys.readouterr().err, file, kind)


def _compare(err, file, kind):
    found = places(err, file)
    lines = file.read_text(encoding="utf-8").splitlines()
    written = [key for key in CASES[kind][2] if "[" not in key]
    assert {key for _, key in found} == set(CASES[kind][2])
    assert [n for n, _ in found] == sorted(n for n, _ in found)
    for n, key in found:
        if key in written:
            assert n == line_of(lines, key) + 1


def test_a_session_reports_those_of_all_its_files(tmp_path, capsys):
    files = {kind: broken(kind, tmp_path) for kind in CASES}
    session = tmp_path / "session.yaml"
    session.write_text(yaml.safe_dump({kind[:-1]: file.name for kind, file in files.items()}), encoding="utf-8")
    assert main(["check", "--kind", "sessions", str(session)]) == 2
    err = capsys.readouterr().err
    assert {key for _, key in places(err, files["terrains"])} == set(TERRAIN_REPORTED)


def test_errors_of_an_axle_and_of_its_anti_roll_bar_are_reported(tmp_path, capsys):
    content = read_yaml(CONFIGS / "vehicles/hmmwv.yaml")
    content["axles"]["rear"]["anti_roll_bar"] = {"rate": 1e4, "torsional_stiffness": 1e4}
    content["axles"]["front"]["anti_roll_bar"] = {
        "torsional_stiffness": 1e4, "drop_link": [0.1, 0.5, 0.1], "mounted_on": "lower_arm", "axis": [0.0, 0.1], "lever_end": [0.1, 0.5, 0.1],
    }  # fmt: skip
    file = tmp_path / "bars.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    assert main(["check", "--kind", "vehicles", str(file)]) == 2
    assert [key for _, key in places(capsys.readouterr().err, file)] == ["axles.front.anti_roll_bar.drop_link", "axles.rear.anti_roll_bar"]


def test_collected_errors_are_raised_with_the_error_that_ends_the_block():
    one, other = (ConfigError("a.yaml", key, 1, "2") for key in ("x", "y"))
    with pytest.raises(ConfigErrors) as raised, ErrorCollector() as errors:
        with errors.part():
            raise one
        raise other
    assert raised.value.errors == (one, other)


def test_need_all_raises_the_collected_errors_at_once():
    with pytest.raises(ConfigError, match="x"), ErrorCollector() as errors:
        errors.add(ConfigError("a.yaml", "x", 1, "2"))
        errors.need_all()
        raise AssertionError("not reached")


@pytest.mark.parametrize(("length", "fits"), [(2, True), (1, False), (3, False)])
def test_the_lists_of_a_curve_have_the_same_length(length, fits):
    values = Values("car.yaml", "assist")
    values.update(valve=np.arange(2.0), torque=np.arange(float(length)))
    if fits:
        assert [list(part) for part in values.curve_of("valve", "torque")] == [[0.0, 1.0], [0.0, 1.0]]
    else:
        with pytest.raises(ConfigError, match=r"car\.yaml: assist\.torque: .*expected 2 numbers, one for each valve"):
            values.curve_of("valve", "torque")
