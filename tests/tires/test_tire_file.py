"""Tire files: the shipped files load, and every error is reported in one line."""

import pytest
import tire_rig

from simulator.base.errors import ConfigError
from vehicles.tires.tire_file import tire


def test_shipped_tires_load():
    for file in sorted(tire_rig.CONFIGS.glob("*.yaml")):
        p = tire_rig.parameters(file.stem)
        others = {
            "rigid_hmmwv": 0.467,
            "sedan_chrono": 0.3266,
            "sedan_front": 0.316,
            "sedan_rear": 0.3139,
            "e90": 0.318,
            "light_truck": 0.348,
            "truck": 0.525,
            "mxv8": 0.313,
            "g275": 0.4987,
        }
        radius = next((radius for car, radius in others.items() if car in file.stem), 0.4699)
        assert p.shared[0]["radius"] == pytest.approx(radius, abs=1e-3 if radius != 0.4699 else 0.0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("radius", 0.0), ("radius", "big"), ("width", float("nan")), ("dfx0", 150e3), ("dfx0", [1.0, 2.0, 3.0]), ("friction", -0.8),
        ("fxs", [9000.0, 9000.0]), ("sxm", [0.7, 0.1]), ("load_max", 1e9), ("bottoming_radius", 0.5), ("torque_radius", 1.5),
        ("rolling_resistance", -0.1), ("tread_stiffness", [0.0, 1.0]), ("damping", True), ("radiuss", 1.0),
        ("combination", "rill"), ("relaxation_by", 0.6), ("camber_stiffness", 6000.0), ("turn_stiffness", -1.0), ("bearing_width", 0.0),
    ],
)  # fmt: skip
def test_a_fault_names_file_and_key(key, value):
    with pytest.raises(ConfigError) as error:
        tire({**tire_rig.mapping_of(), key: value}, "my_tire.yaml", "tire")
    assert str(error.value).startswith(f"my_tire.yaml: tire.{key}: ") and "; expected " in str(error.value)


def test_a_turn_stiffness_requires_a_pressure():
    mapping = tire_rig.mapping_of()
    del mapping["pressure"]
    with pytest.raises(ConfigError, match=r"turn_stiffness: invalid value; expected a key pressure, too"):
        tire(mapping, "my_tire.yaml")


def test_missing_key():
    mapping = tire_rig.mapping_of()
    del mapping["nl0"]
    with pytest.raises(ConfigError, match=r"nl0: missing"):
        tire(mapping, "my_tire.yaml")


MEASURED = {
    "type": "measured", "loads": [2e3, 8e3], "cambers": [0.0], "slip_angles": [-0.3, -0.05, 0.0, 0.05, 0.3],
    "slips": [-1.0, -0.1, 0.0, 0.1, 1.0], "F_x": [[-1.8e3, -2e3, 0.0, 2e3, 1.8e3], [-7e3, -7.8e3, 0.0, 7.8e3, 7e3]],
    "F_y": [[[1.9e3, 1.8e3, 0.0, -1.8e3, -1.9e3]], [[6.6e3, 6e3, 0.0, -6e3, -6.6e3]]], "relaxation": [0.3, 0.4],
}  # fmt: skip


def measured(**changes):
    shared = (
        "radius",
        "width",
        "stiffness",
        "stiffness_growth",
        "damping",
        "bottoming_radius",
        "bottoming_stiffness",
        "load_max",
        "friction",
    )
    mapping = tire_rig.mapping_of()
    kept = {name: mapping[name] for name in (*shared, "rolling_resistance", "torque_radius", "bulldozing")}
    return tire({**kept, **MEASURED, **changes}, "my_tire.yaml")


def test_a_table_whose_forces_resist_the_slip_is_good():
    assert measured().own[0]["slopes"][1, 0] == pytest.approx(7.8e4)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"F_x": [[-force for force in row] for row in MEASURED["F_x"]]}, r"F_x\[0\]: .*pushes against the slip on both sides"),
        ({"F_y": [[[-force for force in row[0]]] for row in MEASURED["F_y"]]}, r"F_y\[0\]: .*pushes against the slip on both sides"),
        ({"slips": [-1.0, -0.1, 0.05, 0.1, 1.0]}, r"F_x\[0\]: .*at zero slip of at most 0.25"),
        ({"slip_angles": [-1e-6, -5e-7, 0.0, 5e-7, 1e-6]}, r"F_y\[0\]: .*at most 1000 times the load"),
    ],
)
def test_a_table_with_wrong_signs_or_units_is_refused(changes, words):
    with pytest.raises(ConfigError, match=words):
        measured(**changes)


@pytest.mark.parametrize("pressure", [1e3, 1e7])
def test_an_inflation_pressure_in_another_unit_than_the_nominal_pressure_is_refused(pressure):
    mapping = {**tire_rig.mapping_of(), "nominal_pressure": 1e7 if pressure == 1e3 else 1e3, "inflation_pressure": pressure}
    with pytest.raises(ConfigError, match=r"inflation_pressure: .*near the nominal_pressure"):
        tire(mapping, "my_tire.yaml")
