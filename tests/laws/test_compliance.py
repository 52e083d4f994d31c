"""Do wheels that yield only take energy away, are they stable, and does a vehicle drive on them as its mirror image does?"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_vehicle
from tests.laws.vehicle_rig import command, drive, ground
from tests.shipped_files import shipped_content
from vehicles.compliance.wheel_displacements import deflect_bushings
from vehicles.description import read_description
from vehicles.vehicle import Vehicle

NAME = "sedan_compliant"
CARS = (NAME, "light_truck")
"""With independent wheels, and with a rigid axle on leaf springs."""
LARGEST = {NAME: 0.02, "light_truck": 0.06}
"""rad, m. Bound of the displacements; leaf springs wind up by 3 deg."""
H = 1e-3


@cache
def shipped(name: str = NAME) -> Vehicle:
    """Checked for its step: bushings are among the coordinates of that check."""
    return build_vehicle(name)


def standing(name: str = NAME) -> Vehicle:
    vehicle = shipped(name).new_instance()
    vehicle.reset(ground("flat"))
    return vehicle


@pytest.mark.parametrize("name", CARS)
def test_it_stands_still_on_its_bushings(name: str) -> None:
    vehicle = standing(name)
    before = vehicle.space.elastic[0]["e"].copy()
    assert np.abs(before).max() > 1e-5
    drive(vehicle, "flat", command(brake=1.0), 0.2)
    assert np.abs(vehicle.space.elastic[0]["e"] - before).max() < 1e-6  # the engine begins to idle
    assert np.abs(vehicle.space.state[0]["v_WB_B"]).max() < 1e-4


@pytest.mark.parametrize("name", CARS)
def test_rubber_only_takes_energy(name: str) -> None:
    """Work of loads on the displacements, less what is stored, over loads that come and go at random; the wheels hang in the air."""
    vehicle, rng = standing(name), np.random.default_rng(5)
    s, c = vehicle.space, vehicle.model.corners[0]["compliance"]
    s.contacts["depth"] = -1.0
    s.elastic[0]["e"] = s.elastic[0]["e_dot"] = 0.0
    C = np.zeros((24, 24))
    for i in range(4):
        o = i + 1 - 2 * (i % 2)
        C[6 * i : 6 * i + 6, 6 * i : 6 * i + 6], C[6 * i : 6 * i + 6, 6 * o : 6 * o + 6] = c["own"][:, :, i], c["across"][:, :, i]
    K = np.linalg.pinv(C, rcond=1e-10)
    beams = c["inertia"][[0, 2]]
    loads, stored, lost = np.zeros((6, 4)), 0.0, 0.0
    for _ in range(300):
        loads += rng.normal(0.0, 200.0, (6, 4)) - 0.05 * loads
        s.loads[0]["carrier_couple"], s.loads[0]["wheel_force"] = loads[:3], loads[3:]
        before = s.elastic[0]["e"].copy()
        deflect_bushings(vehicle.model, s, H)
        e = s.elastic[0]["e"].T.ravel()
        motion = 0.5 * float(beams @ s.elastic[0]["e_dot"][1, [0, 2]] ** 2)
        work, now = float((loads * (s.elastic[0]["e"] - before)).sum()), 0.5 * float(e @ K @ e) + motion
        assert work - (now - stored) > -1e-9 * max(now, 1.0)
        stored, lost = now, lost + work - (now - stored)
    assert lost > 0.1


@pytest.mark.parametrize("name", CARS)
def test_its_bushings_come_to_rest_in_a_turn_and_after_hard_braking(name: str) -> None:
    vehicle = shipped(name).new_instance()
    for speed, given, seconds in ((20.0, {"throttle": 0.3, "steering": 0.08}, 1.5), (10.0, {"brake": 1.0}, 6.0)):
        vehicle.reset(ground("flat"), speed=speed)
        drive(vehicle, "flat", command(selector=1, **given), seconds)
        assert np.abs(vehicle.space.elastic[0]["e_dot"]).max() < 2e-3
        assert np.abs(vehicle.space.elastic[0]["e"]).max() < LARGEST[name]
    assert abs(vehicle.speed) < 1e-3


def test_a_leaf_axle_comes_to_rest_after_a_stop_with_locked_wheels() -> None:
    """A locked wheel rotates with the wind-up of the beam: a loop through the brake, whose torque acts a step later."""
    vehicle = shipped("light_truck").new_instance()
    for loss in (1.0, 0.1):
        vehicle.model.corners[0]["compliance"]["time"][2:] = 0.012 * loss
        for brake in (0.5, 1.0):
            vehicle.reset(ground("flat"), speed=15.0)
            drive(vehicle, "flat", command(brake=brake), 1.5)
            assert 0.02 < vehicle.space.elastic[0]["e"][1, 2] < 0.1
            drive(vehicle, "flat", command(brake=brake), 5.0)
            assert np.abs(vehicle.space.elastic[0]["e_dot"]).max() < 1e-3
            assert abs(vehicle.speed) < 1e-3


def test_a_beam_winds_up_as_an_oscillator_with_its_inertia() -> None:
    """Step of a couple in the air: K e + tau K e' + J e'' = M, solved in closed form, here underdamped."""
    vehicle = standing("light_truck")
    s, c = vehicle.space, vehicle.model.corners[0]["compliance"]
    s.contacts["depth"] = -1.0
    s.elastic[0]["e"] = s.elastic[0]["e_dot"] = 0.0
    s.loads[0]["carrier_couple"] = s.loads[0]["wheel_force"] = 0.0
    s.loads[0]["carrier_couple"][1, 2:] = 400.0
    K, J, tau = 1.0 / c["own"][1, 1, 2], c["inertia"][2], c["time"][2]
    h, decay = 1e-5, 0.5 * tau * K / J
    omega = float(np.sqrt(K / J - decay**2))
    for n in range(1, 6001):
        deflect_bushings(vehicle.model, s, h)
        if n % 1000 == 0:
            t = n * h
            expected = 800.0 / K * (1.0 - np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t)))
            assert s.elastic[0]["e"][1, 2:] == pytest.approx(expected, rel=2e-3)
    assert expected > 800.0 / K


def test_the_steering_wheel_is_where_the_hands_hold_it_and_the_column_twists_below() -> None:
    vehicle = shipped().new_instance()
    vehicle.reset(ground("flat"), speed=20.0)
    drive(vehicle, "flat", command(selector=1, throttle=0.3, steering=0.05), 1.5)
    seen, steering = vehicle.read()[0], vehicle.model.steering[0]
    wheel, pinion = seen["steering_wheel_angle"], -steering["gear_ratio"] * seen["steering_gear_angle"]
    assert wheel == pytest.approx(0.05 * steering["gear_ratio"] * steering["max_arm_angle"], rel=1e-9)
    twist = wheel - pinion
    assert 0.1 < twist / wheel < 0.4
    stiffness = steering["column_stiffness"] / steering["gear_ratio"] ** 2
    assert stiffness * twist == pytest.approx(seen["steering_wheel_torque"], rel=0.02)


@pytest.mark.parametrize("name", CARS)
def test_mirrored_loads_displace_mirror_images(name: str) -> None:
    flip, rng = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])[:, None], np.random.default_rng(6)
    vehicle, mirrored = standing(name), standing(name)
    for _ in range(20):
        loads = rng.normal(0.0, 1000.0, (6, 4))
        for one, given in ((vehicle, loads), (mirrored, flip * loads[:, [1, 0, 3, 2]])):
            one.space.loads[0]["carrier_couple"], one.space.loads[0]["wheel_force"] = given[:3], given[3:]
            deflect_bushings(one.model, one.space, H)
    e, image = vehicle.space.elastic[0]["e"], mirrored.space.elastic[0]["e"]
    assert np.abs(e[:, 0] - e[:, 1]).max() > 1e-4
    np.testing.assert_allclose(image[:, [1, 0, 3, 2]], flip * e, atol=1e-10)


def changed(axle: str, compliance: Any) -> dict[str, Any]:
    mapping = copy.deepcopy(shipped_content("vehicles", NAME))
    mapping["axles"][axle]["compliance"] = compliance
    return mapping


@pytest.mark.parametrize(
    ("axle", "compliance", "words"),
    [
        ("front", {"bushings": {"TIEROD_U": {"axial": 1e6}}}, "bushings.TIEROD_U"),
        ("front", {"bushings": {"LCA_F": {"axial": -1.0}}}, "LCA_F.axial"),
        ("rear", {"subframe": {"mounts": [[0.1, 0.4, 0.0]], "rate": [1e6, 1e6, 1e6], "carries": ["TA_O", "TA_I"]}}, "subframe"),
        ("rear", {"subframe": {"mounts": [[0.1, 0.4, 0.0]], "rate": [1e6, 1e6, 1e6], "carries": ["LCA_F"]}}, "carries"),
    ],
)
def test_nonsense_is_refused_with_the_reason(axle: str, compliance: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_description(changed(axle, compliance), "v.yaml")


def test_a_car_without_compliance_has_none() -> None:
    mapping = changed("front", {"loss_time": 0.01, "bushings": {"LCA_F": {}}})
    mapping["axles"]["rear"].pop("compliance")
    assert read_description(mapping, "v.yaml").mechanism.corners[0]["compliance"]["axles"] == 0
