"""Does each wheel use the friction under it, and does a vehicle come to rest on every shipped proving ground?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.base.records import Record
from simulator.builder.builder import build_vehicle, data_folder
from tests.laws.vehicle_rig import command, drive, ground, steps
from vehicles.vehicle import Vehicle

GROUNDS = sorted(path.stem for path in Path(data_folder("configs") / "terrains").glob("*.yaml") if path.stem != "jacksboro")


def _standing(on: str, x: float, y: float = 0.0, vehicle: str = "hmmwv") -> Vehicle:
    v = build_vehicle(vehicle)
    v.reset(ground(on), x, y, gear=1)
    return v


def _rolling(on: str, x: float, speed: float) -> Vehicle:
    v = build_vehicle("hmmwv")
    v.reset(ground(on), x, speed=speed)
    return v


def _kinetic_energy(v: Vehicle) -> float:
    """Return the kinetic energy of the vehicle as one body, and of the wheel spins [J]."""
    state, m = v.space.state[0], v.model
    mass = float(m.chassis[0]["mass"] + m.corners[0]["corner_mass"].sum())
    turning = 0.5 * float(m.chassis[0]["inertia"][2]) * float(state["w_WB_B"][2]) ** 2
    return (
        0.5 * mass * float(state["v_WB_B"] @ state["v_WB_B"])
        + turning
        + 0.5 * float(m.corners[0]["spin_inertia"] @ state["wheel_spin"] ** 2)
    )


def _wheels(v: Vehicle) -> Record:
    return v.read()[0]


def test_on_ice_the_wheels_spin_and_lock_where_on_asphalt_they_do_not() -> None:
    slips = {}
    for name, x in (("ice", 60.0), ("asphalt", 0.0)):
        v = _standing("ice_patch", x)
        drive(v, "ice_patch", command(selector=1, throttle=1.0), 1.5)
        slips[name] = float(np.abs(_wheels(v)["slip_ratio"]).max())
        load = _wheels(v)["F_C"]
        if name == "ice":
            assert np.hypot(load[:, 0], load[:, 1]).max() < 0.13 * load[:, 2].max()
    assert slips["ice"] > 0.6 and slips["asphalt"] < 0.2
    v = _rolling("ice_patch", 50.0, 15.0)
    drive(v, "ice_patch", command(selector=0, brake=0.5), 0.5)
    assert np.abs(v.space.state[0]["wheel_spin"]).max() < 1.0, "locked"


def test_braking_on_split_mu_turns_the_vehicle_to_the_side_that_grips() -> None:
    """Hard braking: at half the pedal the toe force of the two gripping wheels, which the opposite wheels no longer balance, is about as
    strong."""
    v = _rolling("split_mu", 40.0, 20.0)
    drive(v, "split_mu", command(selector=0, brake=0.8), 1.0)
    now, yaw = _wheels(v), float(v.readout[0]["yaw"])
    left, right = now["F_C"][[0, 2], 0].sum(), now["F_C"][[1, 3], 0].sum()
    assert right < 1.5 * left < 0.0, "the right wheels brake more"
    assert now["w_WB_B"][2] < -0.2 and yaw < -0.1, "to the right"
    even = _rolling("flat", 40.0, 20.0)
    drive(even, "flat", command(selector=0, brake=0.8), 1.0)
    assert abs(float(even.read()[0]["yaw"])) < 0.2 * abs(yaw), "where its rear wheels lock it does not go quite straight either"


@pytest.mark.parametrize("on", ["split_mu", "checkerboard_mu"])
def test_edges_of_friction_give_no_energy(on: str) -> None:
    """Braked with locked and rolling wheels, and steered, the vehicle only loses energy: the energy of springs is small compared with the
    initial one."""
    v = _rolling(on, 22.0, 20.0)
    energies = [_kinetic_energy(v)]
    for _ in range(80):
        steps(50, v.model, v.space, ground(on), command(selector=0, brake=0.3, steering=0.05), 1e-3)
        energies.append(_kinetic_energy(v))
    e = np.array(energies)
    assert (e - np.minimum.accumulate(e)).max() < 2e-3 * e[0]
    assert e[-1] < 0.5 * e[0]


@pytest.mark.parametrize("on", GROUNDS)
def test_a_vehicle_stands_on_every_shipped_plane(on: str) -> None:
    v = build_vehicle("hmmwv")
    v.reset(ground(on))
    start = v.space.state[0]["p_WB"].copy()
    drive(v, on, command(brake=1.0), 2.0)
    assert np.linalg.norm(v.space.state[0]["p_WB"] - start) < 1e-5


def test_the_parking_brake_holds_what_the_rear_tires_hold() -> None:
    """The parking brake acts only on the rear wheels: nose up they slide between 40 and 50 % on dry asphalt, with any brake torque."""
    for grade, holds in ((40, True), (50, False)):
        v, on = build_vehicle("hmmwv"), f"asphalt {grade}"
        v.reset(ground(on))
        for pedal in np.linspace(1.0, 0.0, 50):
            drive(v, on, command(brake=pedal, parking_brake=1.0), 0.02)
        drive(v, on, command(parking_brake=1.0), 2.0)
        assert (abs(v.speed) < 0.01) == holds
        assert np.abs(v.space.state[0]["wheel_spin"][2:]).max() < 0.05
