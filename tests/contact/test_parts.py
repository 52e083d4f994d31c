"""Are the parts of a vehicle that touch objects those of its file, or blocks from its outline, and is a wrong part an error?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_vehicle, data_folder
from tests.shipped_files import driven_vehicles
from vehicles.contact.part_section import CRUSH_DEPTH, CRUSH_PULSE, CRUSH_SPEED
from vehicles.description import read_description


def sedan_with(**body: Any) -> Any:
    mapping = yaml.safe_load((data_folder("configs") / "vehicles" / "sedan.yaml").read_text(encoding="utf-8"))
    mapping["body"].update(body)
    return mapping


def test_parts_are_those_of_the_file():
    contact = read_description(sedan_with(parts=[{"low": [-1, -1, 0], "high": [1, 1, 2]}], crush_force=5e5), "mine.yaml").object_contact[0]
    assert contact["count"] == 1 and contact["parts"][0]["count"] == 8
    assert contact["reach"] == pytest.approx(np.sqrt(6.0)) and contact["strength"] == 5e5


def test_the_right_side_is_the_mirror_image():
    parts = [{"points_left": [[0, 0, 0], [0, 1, 0], [1, 0.5, 0], [0, 0.5, 1]]}]
    part = read_description(sedan_with(parts=parts), "mine.yaml").object_contact[0]["parts"][0]
    points = part["points"][: part["count"]]
    assert len(points) == 7 and sorted(map(tuple, points)) == sorted(map(tuple, points * [1.0, -1.0, 1.0]))


def test_a_file_without_parts_gets_two_blocks_and_a_stiffness_from_its_mass():
    mapping = sedan_with()
    del mapping["body"]["parts"], mapping["body"]["crush_stiffness_kNpm"]
    contact = read_description(mapping, "mine.yaml").object_contact[0]
    assert contact["count"] == 2
    low = np.min([part["center"] - part["half"] for part in contact["parts"][:2]], axis=0)
    high = np.max([part["center"] + part["half"] for part in contact["parts"][:2]], axis=0)
    assert (high - low)[:2] == pytest.approx((4.52, 1.82))
    mass = contact["strength"] / (CRUSH_PULSE * 9.80665)
    assert contact["stiffness"] == pytest.approx(mass * (CRUSH_SPEED / CRUSH_DEPTH) ** 2)
    assert 1500.0 < mass < 1800.0


@pytest.mark.parametrize("name", driven_vehicles())
def test_every_shipped_vehicle_has_parts_within_its_outline(name):
    v = build_vehicle(name, check_step=False)
    contact, (length, width, overhang) = v.model.object_contact[0], v.description.outline
    front = v.description.mechanism.designs[0].W[0] + overhang
    parts = contact["parts"][: contact["count"]]
    assert contact["count"] == 3
    assert (parts["center"] + parts["half"])[:, 0].max() == pytest.approx(front, abs=0.05)
    assert (parts["center"] - parts["half"])[:, 0].min() == pytest.approx(front - length, abs=0.05)
    assert 0.9 * width < 2.0 * parts["half"][:, 1].max() <= width + 0.01
    assert contact["wheels"][: v.size.wheels, 0] == pytest.approx(v.model.tires["radius"])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("parts", []),
        ("parts", [{"low": [-1, -1, 0], "high": [1, 1, 2]}] * 9),
        ("parts[0].high", [{"low": [0, 0, 0], "high": [1, 0, 1]}]),
        ("parts[0].high", [{"low": [0, 0, 0]}]),
        ("parts[0].low", [{"high": [0, 0, 0]}]),
        ("parts[0].points_left", [{"points_left": [[0, 1, 0], [1, 1, 0], [1, 0, 0]]}]),
        ("parts[0].points_left", [{"points_left": [[0, -1, 0], [1, 1, 0], [1, 0, 1]]}]),
        ("crush_stiffness", 0.0),
        ("crush_force", -1.0),
    ],
)
def test_a_wrong_part_names_file_and_key(key, value):
    mapping = sedan_with(**{key.split("[")[0]: value})
    if key == "crush_stiffness":
        del mapping["body"]["crush_stiffness_kNpm"]
    with pytest.raises(ConfigError) as error:
        read_description(mapping, "mine.yaml")
    assert str(error.value).startswith(f"mine.yaml: body.{key}: ") and "; expected " in str(error.value)
