"""Warnings of `jounce check` about controllers that contradict their vehicle, and files after a vehicle that cannot stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.catalog.command import main_check
from simulator.configuration.file_lookup import data_folder

ESC = 1


def car(folder: Path, **changes: float) -> str:
    """Write a `sedan_esc` whose stability control has other values; return its file."""
    content: Any = yaml.safe_load((data_folder("configs") / "vehicles" / "sedan_esc.yaml").read_text(encoding="utf-8"))
    content["base"], controllers = "sedan", content["controllers"]
    controllers[ESC].update(changes)
    file = folder / "car.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"wheelbase": 3.3}, "wheelbase: 3.3 m, but the vehicle has 2.757 m"),
        ({"track": 2.0}, "track: 2 m, but the vehicle has 1.5"),
        ({"mass": 900.0}, "mass: 900 kg, but the vehicle has 16"),
        ({"wheel_radius": 0.45}, "wheel_radius: 0.45 m, but the vehicle has 0.31"),
        (
            {"characteristic_speed": 10.0},
            "characteristic_speed: 10 m/s, but mass, wheelbase, rear_distance and front_stiffness give at least 17.",
        ),
    ],
)
def test_a_value_of_another_vehicle_is_a_warning(
    changes: dict[str, float], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = car(tmp_path, **changes)
    assert main_check([file], None) == 0
    warning, good = capsys.readouterr().out.splitlines()
    assert warning.startswith(f"{file}: warning: controllers[{ESC}].{words}") and good.endswith(": good (vehicles)")


def test_the_values_of_its_own_vehicle_are_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main_check([car(tmp_path)], None) == 0
    assert "warning" not in capsys.readouterr().out


def test_files_after_a_vehicle_without_equilibrium_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soft = tmp_path / "soft.yaml"
    bushing = "LCA_B: {axial: 1000.0, radial: 1000.0}"
    soft.write_text(f"base: sedan\nname: soft\naxles: {{front: {{compliance: {{bushings: {{{bushing}}}}}}}}}\n", encoding="utf-8")
    good = car(tmp_path)
    assert main_check([str(soft), good], None) == 2
    out, err = capsys.readouterr()
    assert out == f"{good}: good (vehicles)\n"
    assert err.splitlines() == [f"jounce: {soft}: soft: no equilibrium; the bushings under `compliance` are too soft for the load"]
