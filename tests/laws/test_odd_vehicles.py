"""Do valid but unusual vehicles drive, and are invalid ones rejected with file, key, value and expectation?"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_vehicle, vehicle_description
from simulator.cli.main import main
from tests.laws.vehicle_rig import command, drive, ground
from tests.shipped_files import shipped_content

SEDAN: dict[str, Any] = shipped_content("vehicles", "sedan_paper")
ODD: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "data" / "vehicles" / "trailing_front.yaml").read_text(encoding="utf-8"))
FRONT, REAR = SEDAN["axles"]["front"]["hardpoints_left"], SEDAN["axles"]["rear"]["hardpoints_left"]
TIRES = {"FL": "tmeasy_e90_front", "FR": "tmeasy_e90_rear", "RL": "tmeasy_hmmwv", "RR": "fiala_hmmwv"}
KINGPIN = ("KINGPIN_U", "KINGPIN_L", "TIEROD_C", "TIEROD_U", "UPRIGHT")
LEFT_OUT = object()


def changed(*ways: Any) -> dict[str, Any]:
    """Return the sedan with values at key paths, or changed by functions."""
    car = copy.deepcopy(SEDAN)
    for way in ways:
        if callable(way):
            way(car)
            continue
        for key, value in way.items():
            *path, last = key.split(".")
            place = car
            for name in path:
                place = place[name]
            if value is LEFT_OUT:
                del place[last]
            else:
                place[last] = value
    return car


def on_trailing_arms(car: dict[str, Any]) -> None:
    """Use the front trailing arms of the unusual car."""
    car["axles"]["front"] = {key: value for key, value in copy.deepcopy(ODD["axles"]["front"]).items() if key != "base"}
    car["steering"]["max_rack_travel"] = 0.07


def written(folder: Path, car: dict[str, Any]) -> str:
    (folder / "car.yaml").write_text(yaml.safe_dump(car, sort_keys=False), encoding="utf-8")
    return str(folder / "car.yaml")


# ---- unusual, and valid


def test_arms_in_front_struts_behind_a_bar_missing_and_four_tires_finish_a_lane_change(tmp_path, capsys):
    odd = {"base": str(Path(__file__).parents[1] / "data" / "vehicles" / "trailing_front.yaml"), "tires": {"base": None, **TIRES}}
    assert main(["run", "double_lane_change", "--vehicle", written(tmp_path, odd), "--out", str(tmp_path / "run")]) == 0
    assert "passed" in capsys.readouterr().out


@pytest.mark.parametrize("heavier", [300.0 / 1650.0, 20e3 / 1650.0])
def test_300_kg_and_20_t_settle_brake_and_turn_as_the_car_does(heavier, tmp_path):
    """All masses and forces in one ratio, so that the motion is the same."""
    yaw, speed = [], []
    for name, factor in (("as_it_is", 1.0), ("other", heavier)):
        (tmp_path / name).mkdir()
        v = build_vehicle(written(tmp_path / name, weighing(tmp_path / name, factor)))
        assert v.model.chassis[0]["mass"] == pytest.approx(factor * 1442.1)
        v.reset(ground("flat"), speed=10.0)
        drive(v, "flat", command(steering=0.2, brake=0.2), 1.0)
        yaw.append(float(v.read()[0]["yaw"]))
        speed.append(v.speed)
    assert yaw[0] > 0.05 and speed[0] < 9.5
    assert yaw[1] == pytest.approx(yaw[0], rel=0.05) and speed[1] == pytest.approx(speed[0], rel=0.02)


FORCES = ("stiffness", "damping", "bottoming_stiffness", "load", "load_max", "dfx0", "fxm", "fxs", "dfy0", "fym", "fys")
FORCES += ("camber_stiffness", "tread_stiffness", "tread_damping", "turn_stiffness", "pressure")


def weighing(folder: Path, factor: float) -> dict[str, Any]:
    """Return the sedan with all masses and forces multiplied by a factor, except for its drivetrain."""

    def times(value: Any) -> Any:
        return [times(one) for one in value] if isinstance(value, list) else factor * value

    def scale(place: dict[str, Any], *names: str) -> None:
        place.update({name: times(place[name]) for name in names if name in place})

    car, brakes = copy.deepcopy(SEDAN), shipped_content("drivetrains", "drivetrain_sedan_paper")
    scale(car["chassis"], "mass", "inertia")
    scale(car["steering"]["rack"], "mass", "inertia")
    for axle in car["axles"].values():
        for body in axle["bodies"].values():
            scale(body, "mass", "inertia", "arm_inertia")
        scale(axle["spring"], "rate", "stop_force", "stop_end_rate")
        scale(axle["shock"], *(name for name in axle["shock"] if "damping" in name))
        scale(axle["anti_roll_bar"], "rate")
    for axle, name in car["tires"].items():
        tire = shipped_content("tires", name)
        scale(tire, *FORCES)
        (folder / f"tire_{axle}.yaml").write_text(yaml.safe_dump(tire), encoding="utf-8")
        car["tires"][axle] = f"tire_{axle}"
    scale(brakes["brakes"], "max_torque", "parking_torque", "stiffness", "damping")
    (folder / "brakes.yaml").write_text(yaml.safe_dump(brakes), encoding="utf-8")
    return car | {"drivetrain": "brakes"}


def test_an_unsteered_axle_in_front_needs_another_one_that_is_steered(tmp_path):
    def behind(car: dict[str, Any]) -> None:
        arms, plain = copy.deepcopy(ODD["axles"]["front"]), copy.deepcopy(SEDAN["axles"]["rear"])
        car["axles"] = {"front": plain | {"location": [0.0, 0.0, 0.0]}, "rear": arms | {"location": SEDAN["axles"]["rear"]["location"]}}
        del car["axles"]["rear"]["base"], car["steering"]["rack"]

    file = written(tmp_path, changed(behind))
    with pytest.raises(
        ConfigError, match=r"axles\.front\.suspension: .* no other axle steers the vehicle \(a trailing arm is steered by .* KINGPIN_U"
    ):
        vehicle_description(file)
    rear = {"max_angle_deg": 10.0, "max_rate_degps": 40.0, "time": 0.02}
    found = vehicle_description(written(tmp_path, changed(behind, {"actuators": {"rear_steering": rear}})))
    assert [corner.kind for corner in found.design.corners] == ["semi_trailing_arm"] * 2 + ["steered_trailing_arm"] * 2
    assert found.actuators[0]["rear_max"] == pytest.approx(np.radians(10.0))


# ---- invalid


def mirrored(axle: str) -> Callable[[dict[str, Any]], None]:
    """Return a change that mirrors all points of the left side to the right."""

    def mirror(car: dict[str, Any]) -> None:
        for point in car["axles"][axle]["hardpoints_left"].values():
            point[1] *= -1.0

    return mirror


F, R = "axles.front.hardpoints_left.", "axles.rear.hardpoints_left."
NONSENSE: dict[str, tuple[tuple[Any, ...], str, str]] = {
    # description: (changes, key path, words of the message)
    "a left side on the right": ((mirrored("front"),), F + "SPINDLE", "the left side"),
    "a track of 0": (({R + "SPINDLE": [0.0, 0.0, 0.0]},), R + "SPINDLE", "at least 0.1 m to the left"),
    "axles that changed places": (
        ({"axles.front.location": [-2.757, 0.0, 0.0], "axles.rear.location": [0.0, 0.0, 0.0]},),
        "axles.rear.location",
        "behind `front`",
    ),
    "an inertia that nothing has": (
        ({"chassis.inertia": [500.0, 400.0, 4000.0]},),
        "chassis.inertia",
        "no moment above the sum of the others",
    ),
    "tons for kilograms": (({"chassis.mass": 1.4421},), "chassis.inertia", "radius of gyration of 30 m"),
    "a rate in N/mm": (({"axles.front.spring.rate": 29.77},), "axles.front.spring", "a rate in N/m"),
    "a spring on the hinge": (
        ({R + "SPRING_A": [0.42, 0.45, -0.035], R + "SPRING_C": [0.42, 0.45, 0.19]},),
        "axles.rear.spring",
        "shortens",
    ),
    "a spring that is always loose": (({"axles.front.spring.free_length": 0.3},), "axles.front.spring", "carries"),
    "a pinion on the wrong side": (({"steering.pinion_sign": 1},), "steering.pinion_sign", "the front wheels turn to the right"),
    "a kingpin upside down": (
        (on_trailing_arms, {F + "KINGPIN_U": [0.015, 0.66, -0.12], F + "KINGPIN_L": [-0.015, 0.63, 0.12]}),
        F + "KINGPIN_U",
        "above KINGPIN_L",
    ),
    "a tie rod on the kingpin": ((on_trailing_arms, {F + "TIEROD_U": [0.0, 0.645, 0.0]}), F + "TIEROD_U", "0.01 m from the line"),
    "a tie rod that cannot turn": (
        (on_trailing_arms, {F + "TIEROD_U": [0.002, 0.60, -0.016], F + "TIEROD_C": [0.002, 0.24, -0.016]}),
        F + "TIEROD_U",
        "is not in one plane",
    ),
    "a tie rod that is too short": ((on_trailing_arms, {F + "TIEROD_C": [-0.18, 0.58, -0.016]}), F[:-1], "closes"),
    "a kingpin without a point": ((on_trailing_arms, {F + "UPRIGHT": LEFT_OUT}), F + "UPRIGHT", "KINGPIN_U"),
    "a kingpin without a knuckle": (
        (on_trailing_arms, {"axles.front.bodies.knuckle": LEFT_OUT}),
        "axles.front.bodies.knuckle",
        "the knuckle on the kingpin",
    ),
    "a knuckle without a kingpin": (
        ({"axles.rear.bodies.knuckle": {"mass": 9.0, "inertia": [0.1, 0.1, 0.1]}},),
        "axles.rear.bodies.knuckle",
        "without a kingpin",
    ),
}


@pytest.mark.parametrize("named", NONSENSE)
def test_invalid_values_are_rejected_with_the_reason(named, tmp_path):
    changes, key, words = NONSENSE[named]
    with pytest.raises(ConfigError) as refused:
        vehicle_description(written(tmp_path, changed(*changes)))
    assert refused.value.key == key
    assert words in str(refused.value) and "car.yaml" in str(refused.value) and "expected" in str(refused.value)


NO_EQUILIBRIUM = {
    "got 'a center of mass of the complete vehicle at x = -4.": {"chassis.com": [-4.5, 0.0, 0.2]},
    "expected a center of mass between its wheel centers, from y = -0.750 to 0.750 m": {"chassis.com": [-1.371, 1.5, 0.2]},
    "at most 10.8 kN, the load_max of the tires `tmeasy_e90_front`": {"chassis.mass": 20e3},
    "axles.rear.spring: invalid value; expected the ": {"chassis.mass": 20e3},
}


@pytest.mark.parametrize("words", NO_EQUILIBRIUM)
def test_a_missing_equilibrium_is_explained(words, tmp_path, capsys):
    out = tmp_path / "run"
    assert main(["run", "double_lane_change", "--vehicle", written(tmp_path, changed(NO_EQUILIBRIUM[words])), "--out", str(out)]) == 2
    assert words in capsys.readouterr().err
    assert not out.exists()
