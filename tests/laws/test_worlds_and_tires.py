"""Does the ground define the gravity, does every wheel use its own tire, and does a placed vehicle report its position?"""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError, TireTypeWarning
from simulator.base.records import Record
from simulator.builder.builder import build_cueing, build_ground, build_vehicle, data_folder
from simulator.session import Session
from tests.laws.vehicle_rig import command
from vehicles.description import read_description
from vehicles.tires.tire_file import tire
from vehicles.vehicle import Vehicle

CONFIGS = data_folder("configs")
MOON = 1.62


def shipped(kind: str, name: str) -> dict[str, Any]:
    return yaml.safe_load((CONFIGS / kind / f"{name}.yaml").read_text())


def written(folder: Path, name: str, mapping: dict[str, Any]) -> str:
    file = folder / name
    file.write_text(yaml.safe_dump(mapping))
    return str(file)


def arrays(ground: Any) -> Any:
    return ground.arrays


def loads(vehicle: Vehicle) -> Any:
    return vehicle.read()[0]["F_C"][:, 2]


def weight(vehicle: Vehicle, gravity: float) -> float:
    m = vehicle.model
    return float((m.chassis[0]["mass"] + m.corners[0]["corner_mass"].sum()) * gravity)


class Parked:
    """A driver without any input."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        pass


@pytest.mark.parametrize(("key", "gravity"), [({}, STANDARD_GRAVITY), ({"gravity": MOON}, MOON), ({"gravity": 0.0}, 0.0)])
def test_gravity_is_that_of_the_ground(tmp_path: Path, key: dict[str, float], gravity: float) -> None:
    ground = build_ground(written(tmp_path, "plane.yaml", {"type": "flat", "surface": "asphalt", **key}))
    vehicle = build_vehicle("hmmwv", check_step=False)
    if gravity > 0.0:
        vehicle.reset(arrays(ground))
        assert loads(vehicle).sum() == pytest.approx(weight(vehicle, gravity), rel=1e-9)
        assert vehicle.read()[0]["f_H_B"] @ vehicle.read()[0]["f_H_B"] == pytest.approx(gravity**2, rel=1e-9)
    else:
        vehicle.place(np.array([0.0, 0.0, 50.0]), 0.0, 0.0, 0.0)
        before = vehicle.space.state[0]["p_WB"].copy()
        for _ in range(200):
            vehicle.step(arrays(ground), command(), 1e-3)
        assert abs(vehicle.space.state[0]["p_WB"][2] - before[2]) < 0.05, "nothing pulls it down"


def test_a_driver_at_rest_on_the_moon_gets_no_motion(tmp_path: Path) -> None:
    ground = build_ground(written(tmp_path, "moon.yaml", {"type": "flat", "surface": "asphalt", "gravity": MOON}))
    cueing = build_cueing("small_hexapod", "small_hexapod", 1e-3, MOON)
    cueing.procedure.arm()
    session = Session(build_vehicle("hmmwv", check_step=False), ground, Parked(), cueing, [])
    session.reset()
    for _ in range(20):
        session.advance(500)
    assert cueing.procedure.state == "engaged"
    assert np.abs(cueing.pose).max() < 1e-3


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.0])
def test_a_parked_vehicle_holds_against_the_wind(tmp_path: Path, yaw: float) -> None:
    """Its tires carry the drag 0.5 rho c_d A |w| w, at any heading."""
    wind = np.array([20.0, -15.0, 0.0])
    ground = build_ground(written(tmp_path, "plane.yaml", {"type": "flat", "surface": "asphalt", "wind": wind.tolist()}))
    vehicle = build_vehicle("hmmwv", check_step=False)
    vehicle.reset(arrays(ground), 1.0, 2.0, yaw)
    for _ in range(100):
        vehicle.step(arrays(ground), command(parking_brake=1.0, brake=1.0), 1e-3)
    held = vehicle.space.contacts["F_W"].sum(axis=0)
    drag = 0.5 * 1.2 * 0.5 * 5.0 * np.linalg.norm(wind) * wind
    assert held[:2] == pytest.approx(-drag[:2], rel=1e-6)


def test_a_vehicle_moving_with_the_wind_has_no_air_force(tmp_path: Path) -> None:
    """The spring forces are equal in all three cases; air forces appear only with a speed difference."""
    wind, vehicle = np.array([10.0, 5.0, 2.0]), build_vehicle("hmmwv", check_step=False)

    def change_of_velocity(velocity: Any, air: Any) -> Any:
        space = {"type": "flat", "surface": "asphalt", "gravity": 0.0, "wind": air.tolist()}
        ground = build_ground(written(tmp_path, "space.yaml", space))
        vehicle.place(np.array([0.0, 0.0, 50.0]), 0.0, 0.0, 0.0)
        vehicle.space.state[0]["v_WB_B"] = velocity
        vehicle.step(arrays(ground), command(), 1e-3)
        return (vehicle.space.state[0]["p_WB"] - (0.0, 0.0, 50.0)) / 1e-3 - velocity

    calm = change_of_velocity(0.0 * wind, 0.0 * wind)
    assert change_of_velocity(wind, wind) == pytest.approx(calm, abs=1e-9)
    drag = 0.5 * 1.2 * 0.5 * 5.0 * np.linalg.norm(wind) * wind
    pushed = change_of_velocity(0.0 * wind, wind) - calm
    assert pushed[:2] / pushed[0] == pytest.approx(drag[:2] / drag[0], rel=0.05)
    mass = weight(vehicle, 1.0)
    assert pushed[0] == pytest.approx(1e-3 * drag[0] / mass, rel=0.05)


def test_a_placed_vehicle_reports_its_position() -> None:
    vehicle = build_vehicle("hmmwv", check_step=False)
    vehicle.place(np.array([3.0, -2.0, 7.0]), 0.3, -0.2, 1.1)
    seen = vehicle.read()[0]
    assert (seen["roll"], seen["pitch"], seen["yaw"]) == pytest.approx((0.3, -0.2, 1.1), abs=1e-12)
    corners = vehicle.description.design.corners
    assert seen["p_BK"] == pytest.approx(np.array([corner.W for corner in corners]), abs=1e-12)
    assert seen["jounce"] == pytest.approx(np.zeros(4), abs=1e-12)


def other_tire(folder: Path, **changes: float) -> str:
    return written(folder, "other.yaml", {**shipped("tires", "tmeasy_hmmwv"), **changes})


def on_tires(folder: Path, tires: Any) -> Vehicle:
    return build_vehicle(written(folder, "car.yaml", {**shipped("vehicles", "hmmwv"), "tires": tires}), check_step=False)


def test_the_same_tire_named_for_every_wheel_gives_the_same_bits(tmp_path: Path) -> None:
    flat, drive = arrays(build_ground("flat")), command(throttle=0.6, steering=0.3, selector=1)
    ends = []
    for tires in (
        "tmeasy_hmmwv",
        {"front": "tmeasy_hmmwv", "rear": "tmeasy_hmmwv"},
        dict.fromkeys(("FL", "FR", "RL", "RR"), "tmeasy_hmmwv"),
    ):
        vehicle = on_tires(tmp_path, tires)
        vehicle.reset(flat, gear=1)
        for _ in range(500):
            vehicle.step(flat, drive, 1e-3)
        ends.append(vehicle.space.state.tobytes())
    assert ends[0] == ends[1] == ends[2]


def test_every_wheel_rolls_on_its_own_tire(tmp_path: Path) -> None:
    """A larger tire at the rear lifts the rear; with less friction on the left the braking vehicle turns to the right."""
    flat = arrays(build_ground("flat"))
    shipped_tire = shipped("tires", "tmeasy_hmmwv")
    large = other_tire(tmp_path, radius=shipped_tire["radius"] + 0.05)
    vehicle = on_tires(tmp_path, {"front": "tmeasy_hmmwv", "rear": large})
    vehicle.reset(flat)
    plain = on_tires(tmp_path, "tmeasy_hmmwv")
    plain.reset(flat)
    wheelbase = 3.3
    rise = vehicle.read()[0]["pitch"] - plain.read()[0]["pitch"]
    assert rise == pytest.approx(math.atan(0.05 / wheelbase), rel=0.1)
    soft = other_tire(tmp_path, stiffness=0.5 * shipped_tire["stiffness"])
    vehicle = on_tires(tmp_path, {"FL": soft, "FR": "tmeasy_hmmwv", "RL": soft, "RR": "tmeasy_hmmwv"})
    vehicle.reset(flat)
    pressed = vehicle.read()[0]["tire_deflection"]
    assert pressed[[0, 2]] == pytest.approx(2.0 * pressed[[1, 3]], rel=0.2)
    assert vehicle.read()[0]["roll"] < 0.0, "it leans to the soft side, the left"


@pytest.mark.parametrize("tires", [{"front": "tmeasy_hmmwv"}, {"FL": "tmeasy_hmmwv", "rear": "tmeasy_hmmwv"}, 3, {"front": 1, "rear": 2}])
def test_tires_of_half_the_wheels_are_refused(tires: Any) -> None:
    with pytest.raises(ConfigError, match="tires"):
        read_description({**shipped("vehicles", "hmmwv"), "tires": tires}, "v.yaml")


def test_the_type_of_a_tire_is_required_and_checked() -> None:
    mapping = copy.deepcopy(shipped("tires", "tmeasy_hmmwv"))
    tire(mapping, "t.yaml")
    mapping["type"] = "magic"
    with pytest.raises(ConfigError, match="tmeasy"):
        tire(mapping, "t.yaml")
    del mapping["type"]
    with pytest.warns(TireTypeWarning, match=r"t\.yaml"):
        tire(mapping, "t.yaml")
