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
