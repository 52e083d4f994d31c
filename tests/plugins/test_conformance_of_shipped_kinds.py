"""Do the shipped kinds of every registry, and the plugins of the tests that work, satisfy their contracts?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import jounce
from simulator.base.registry import load_attribute
from simulator.catalog.registries import REGISTRIES, registry_of
from simulator.configuration.file_lookup import data_folder
from simulator.conformance.check_plugin import SUITES, check_plugin
from simulator.conformance.findings import WARNING
from simulator.driver.steering.kinds import LAWS
from tests.end_to_end.program import ROOT

DATA = ROOT / "tests" / "data" / "terrain"
SHIPPED = [
    (key, name)
    for key, registry in zip(REGISTRIES, map(registry_of, REGISTRIES), strict=True)
    for name in registry.names()
    # the code of the driver and the controller fmu is in a file: tests/fmi; back_up needs a trailer: tests/laws/test_trailers.py
    if registry.is_builtin(name) and name not in ("fmu", "back_up")
]
WITHOUT_KERNELS = (
    "double_wishbone", "mechanism", "tmeasy", "classical", "pitman_arm", "rack_pinion", "conventional", "electric", "undriven", "csv",
)  # fmt: skip
"""Kinds without kernels of their own class: parts of the step, or kernels that each file chooses; a log format, which no tick waits for."""


TIRES = ("tire_surface_temperature", "tire_carcass_temperature", "tire_pressure", "tire_friction_power")


def shipped(folder: str, name: str) -> dict[str, Any]:
    """Return the content of a shipped file without its type."""
    content = yaml.safe_load((data_folder("configs") / folder / f"{name}.yaml").read_text(encoding="utf-8"))
    return {key: value for key, value in content.items() if key != "type"}


EXAMPLES: dict[tuple[str, str], dict[str, Any]] = {
    ("sensors", "lidar"): {"columns": 24},  # quick
    ("drivers", "planner"): {"goal": {"position": [30.0, 0.0]}},
    ("axles", "five_link"): {"base": "five_link_rear"},
    ("axles", "macpherson"): {"base": "sedan"},
    ("axles", "semi_trailing_arm"): {"base": "sedan"},
    ("axles", "leaf_axle"): {"base": "light_truck"},
    ("axles", "mechanism"): {"base": "hmmwv_trailing_rear"},
    ("tire_models", "magic_formula"): shipped("tires", "magic_hmmwv"),
    ("tire_models", "measured"): shipped("tires", "computed_hmmwv"),
    ("tire_models", "fiala"): shipped("tires", "fiala_hmmwv"),
    **{("faults", name): {"wheel": "FL"} for name in ("puncture", "broken_damper", "broken_spring")},
    ("faults", "anti_roll_bar_link"): {"axle": "front"},
    ("faults", "brake_circuit_loss"): {"circuit": "rear"},
    ("faults", "sensor_loss"): {"sensor": "imu"},
    ("terrain_types", "bump"): {"height": 0.1, "start": 20.0, "length": 1.0},
    ("terrain_types", "course"): {"shapes": [{"shape": "bump", "at": 10.0, "height": 0.1, "length": 1.0}]},
    ("object_generators", "scatter"): {
        "shape": "cylinder",
        "radius": 0.2,
        "height": 4.0,
        "density_pha": 1000.0,
        "seed": 1,
        "x": [-15.0, 15.0],
        "y": [-15.0, 15.0],
    },
    ("object_generators", "row"): {
        "object": {"shape": "sphere", "radius": 0.2},
        "points": [[0.0, 0.0], [40.0, 0.0]],
        "spacing": 5.0,
    },
    ("shapes", "hull"): {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
    ("shapes", "mesh"): {"file": str(ROOT / "tests" / "data" / "sensors" / "rays" / "rock_a.obj"), "units": "mm"},
    **{("washout_algorithms", name): shipped("washouts", "small_hexapod_adaptive") for name in ("adaptive", "preview")},
    ("elevation_formats", "geotiff"): {"file": str(DATA / "gt_utm_area_f32.tif")},
    ("elevation_formats", "esri_ascii"): {"file": str(DATA / "asc_corner.asc")},
    ("elevation_formats", "opencrg"): {"file": str(DATA / "own_straight_lrfi.crg")},
    ("plots", "tires"): {"columns": {f"{column}_{corner}": [20.0, 30.0] * 200 for column in TIRES for corner in ("FL", "FR", "RL", "RR")}},
    ("elevation_formats", "png"): {"file": str(DATA / "png_37x29_north.png"), "first_row": "north", "spacing": [1.0, 1.0], "scale": 0.01},
}


def test_every_registry_has_a_suite() -> None:
    assert SUITES.keys() - {"steering_laws"} == REGISTRIES.keys()
    for key in REGISTRIES:
        assert load_attribute(SUITES[key].registry) is registry_of(key)


@pytest.mark.parametrize(("key", "name"), SHIPPED, ids=[f"{key}-{name}" for key, name in SHIPPED])
def test_a_shipped_kind_passes(key: str, name: str, tmp_path: Path) -> None:
    example = EXAMPLES.get((key, name), {})
    if (key, name) == ("drivers", "replay"):
        sim = jounce.Simulation("hmmwv", "flat", platform=None)
        sim.advance(0.5)
        sim.log.save(tmp_path / "log.parquet")
        example = {"run": str(tmp_path / "log.parquet")}
    findings = check_plugin(registry_of(key).get(name), example)
    assert {one.check for one in findings} >= {"registration"}
    unchecked = [one.message for one in findings if one.outcome == WARNING and one.check == "creation"]
    assert not unchecked or (key, name) not in EXAMPLES, unchecked
    if name not in WITHOUT_KERNELS and (key not in ("axles", "elevation_formats") or (key, name) in EXAMPLES) and not unchecked:
        assert any(one.check in ("time", "attributes") for one in findings), "the last check was reached"


@pytest.mark.parametrize("name", LAWS)
def test_a_shipped_steering_controller_passes(name: str) -> None:
    assert [one for one in check_plugin(LAWS[name]) if one.check == "time"]
