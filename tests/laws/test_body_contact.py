"""Does a vehicle that falls, rolls over or hits an obstacle end at rest on the ground, with its weight carried and plausible numbers?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from simulator.base.records import Record
from simulator.builder.builder import build_vehicle, data_folder, read_yaml
from simulator.tick import FORCE
from terrain.load_terrain import load_terrain
from tests.laws.vehicle_rig import H, command, ground
from vehicles.description import read_description
from vehicles.step import vehicle_step
from vehicles.vehicle import Vehicle

VEHICLES = ("hmmwv", "five_link_rear")
HARDEST = FORCE
"""m/s2. Limit above which a state counts as invalid, which the hardest falls must not reach: wheels that hit their travel limits at 14 m/s,
after the short travel of the shipped vehicle, decelerate with up to 920."""

FALLS = {
    "on its wheels": (10.6, 0.0, 0.0),
    "on its roof": (11.2, 180.0, 0.0),
    "on its side": (11.1, 90.0, 0.0),
    "on its nose": (12.3, 0.0, 90.0),
    "on its tail": (12.3, 0.0, -90.0),
    "on an edge of its roof": (11.0, 135.0, 10.0),
}
"""Height of the reference point [m] for a fall of about 10 m, roll and pitch [deg]."""


@kernel
def watch(n, m, s, on, c, h, hardest):
    """Take n steps; hardest[0] is the maximum specific force. Return False as soon as it is NaN."""
    for _ in range(n):
        vehicle_step(m, s, on, c, h)
        f = s.out[0]["f_H_B"]
        size = math.sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2])
        if not size < 1e9:
            return False
        hardest[0] = max(hardest[0], size)
    return True


def fall(v: Vehicle, height: float, roll: float, pitch: float, v_B: Any = (0.0, 0.0, 0.0), w_B: Any = (0.0, 0.0, 0.0)) -> None:
    v.place(np.array([0.0, 0.0, height]), math.radians(roll), math.radians(pitch), 0.0)
    v.space.state[0]["v_WB_B"], v.space.state[0]["w_WB_B"] = v_B, w_B


def go(v: Vehicle, on: Any, c: Record, seconds: float) -> float:
    """Continue the drive; return the maximum specific force [m/s2]."""
    hardest = np.zeros(1)
    assert watch(round(seconds / H), v.model, v.space, on, c, H, hardest), "not a number"
    return float(hardest[0])


def weight(v: Vehicle) -> float:
    return float(v.space.loads[0]["gravity"] * (v.model.chassis[0]["mass"] + v.model.corners[0]["corner_mass"].sum()))


def borne(v: Vehicle) -> float:
    """Return the upward force of the ground on body and wheels [N]."""
    R = v.space.work[0]["R_WB"]
    return float(R[2] @ v.space.body_contact[0]["force_B"] + v.space.contacts["F_W"][:, 2].sum())


def block(height: float, length: float, **more: Any) -> tuple[Any, ...]:
    """Return the ground tuple of an obstacle of a shipped kind, 20 m ahead."""
    soils = {path.stem: read_yaml(path) for path in (data_folder("configs") / "soils").glob("*.yaml")}
    mapping = {"type": "bump", "surface": "asphalt", "height": height, "length": length, "start": 20.0, **more}
    g = load_terrain(mapping, "block", data_folder("assets"), soils)
    return g.arrays


@pytest.mark.parametrize("name", VEHICLES)
@pytest.mark.parametrize("how", FALLS)
@pytest.mark.parametrize("on", ["flat", "flat_soil"])
def test_a_fall_of_ten_meters_ends_at_rest(name: str, how: str, on: str) -> None:
    v = build_vehicle(name)
    fall(v, *FALLS[how])
    assert go(v, ground(on), command(), 12.0) < HARDEST
    go(v, ground(on), command(brake=1.0), 8.0)
    state = v.space.state[0]
    assert np.linalg.norm(state["v_WB_B"]) < 0.01
    assert np.linalg.norm(state["w_WB_B"]) < 0.01
    assert borne(v) == pytest.approx(weight(v), rel=0.01)
    assert 0.3 < state["p_WB"][2] < 1.5


def test_a_roof_lies_still_and_does_not_creep_down_a_slope() -> None:
    """20 % of slope, friction 0.6: the motion is a few millimeters in a minute, and the vehicle slides if friction is too low."""
    v = build_vehicle("hmmwv")
    on = ground("asphalt 20")
    fall(v, 1.25, 180.0, 0.0)
    go(v, on, command(), 6.0)
    before = v.space.state[0]["p_WB"].copy()
    go(v, on, command(), 60.0)
    assert v.space.body_contact[0]["touching"] >= 3
    assert np.abs(v.space.state[0]["p_WB"] - before).max() < 1e-3
    v.model.body_contact[0]["friction"] = 0.1
    go(v, on, command(), 3.0)
    assert np.linalg.norm(v.space.state[0]["p_WB"] - before) > 0.5


@pytest.mark.parametrize("v_B", [(20.0, 0.0, 0.0), (5.0, 10.0, 0.0), (-8.0, 3.0, 0.0)])
@pytest.mark.parametrize("w_B", [(6.0, 3.0, 2.0), (-8.0, 0.0, 0.0), (0.0, 7.0, -3.0)])
def test_a_tumbling_vehicle_comes_to_rest(v_B: Any, w_B: Any) -> None:
    v = build_vehicle("hmmwv")
    fall(v, 3.0, 20.0, 0.0, v_B, w_B)
    assert go(v, ground("flat"), command(), 10.0) < HARDEST
    go(v, ground("flat"), command(brake=1.0), 15.0)
    assert np.linalg.norm(v.space.state[0]["v_WB_B"]) < 0.01
    assert borne(v) == pytest.approx(weight(v), rel=0.01)


@pytest.mark.parametrize("name", VEHICLES)
@pytest.mark.parametrize(
    ("height", "length", "speed"),
    [(0.5, 0.2, 5.0), (0.5, 1.0, 10.0), (0.5, 1.0, 20.0), (1.5, 1.0, 17.0), (1.5, 8.0, 25.0), (2.0, 0.2, 25.0)],
)
@pytest.mark.parametrize("width", [None, 2.0])
def test_obstacles_at_full_throttle_give_finite_numbers(name: str, height: float, length: float, speed: float, width: float | None) -> None:
    v = build_vehicle(name)
    on = block(height, length, **({} if width is None else {"width": width}))
    fall(v, 0.7, 0.0, 0.0, (speed, 0.0, 0.0))
    v.space.state[0]["wheel_spin"] = speed / 0.468
    assert go(v, on, command(selector=1, throttle=1.0), 15.0) < HARDEST
    assert np.linalg.norm(v.space.state[0]["v_WB_B"]) < 60.0


def test_free_flight_for_twenty_seconds_with_the_engine_at_full_throttle() -> None:
    v = build_vehicle("hmmwv")
    fall(v, 3000.0, 0.0, 0.0)
    go(v, ground("flat"), command(selector=1, throttle=1.0), 20.0)
    ends = v.model.corners[0]["ends"]["closed"]
    assert (ends[0] < v.space.state[0]["theta"]).all()
    assert (v.space.state[0]["theta"] < ends[1]).all()
    assert np.linalg.norm(v.space.state[0]["w_WB_B"]) < 5.0


def test_body_contact_has_no_effect_on_wheels_alone() -> None:
    """On level ground no point of the body is close to the ground: the forces are zero and the points are evaluated only rarely."""
    v = build_vehicle("hmmwv")
    v.reset(ground("flat"), gear=1)
    go(v, ground("flat"), command(selector=1, throttle=0.3), 1.0)
    contact = v.space.body_contact[0]
    assert contact["touching"] == 0
    assert not contact["force_B"].any()
    assert contact["away"] > 0.0


def test_a_body_that_hits_dissipates() -> None:
    """Dropped on its roof from 1 m, the body rebounds to less than a third of the height."""
    v = build_vehicle("hmmwv")
    fall(v, 2.17, 180.0, 0.0)
    lowest, highest = False, 0.0
    for _ in range(400):
        go(v, ground("flat"), command(), 0.01)
        lowest = lowest or v.space.body_contact[0]["touching"] > 0
        if lowest and not v.space.body_contact[0]["touching"]:
            highest = max(highest, float(v.space.state[0]["p_WB"][2]) - 1.17)
    assert lowest
    assert highest < 0.33


def hmmwv_with(**body: Any) -> Any:
    path = data_folder("configs") / "vehicles" / "hmmwv.yaml"
    mapping = yaml.safe_load(path.read_text(encoding="utf-8"))
    mapping["body"].update(body)
    return mapping


def test_a_file_without_points_gets_those_of_a_box() -> None:
    mapping = hmmwv_with()
    del mapping["body"]["contact_points_left"]
    contact = read_description(mapping, "mine.yaml").body_contact[0]
    points = contact["points"][: contact["count"]]
    assert contact["count"] == 12
    assert np.ptp(points, axis=0)[:2] == pytest.approx([4.57, 2.18])
    assert sorted(map(tuple, points)) == sorted(map(tuple, points * [1.0, -1.0, 1.0]))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("contact_points_left", [[0, 0, 0]]),
        ("contact_points_left", [[0, 0, 0]] * 17),
        ("contact_points_left", [[0, -1, 0], [1, 1, 1]]),
        ("contact_points_left", [[0, 1], [1, 1]]),
        ("contact_points_left", "roof"),
        ("contact_points_left", [[1e3, 0, 0], [0, 0, 0]]),
        ("contact_strength", 0.0),
        ("contact_rate", -1.0),
        ("contact_friction", -0.1),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_fault_names_file_and_key(key: str, value: Any) -> None:
    with pytest.raises(ConfigError) as error:
        read_description(hmmwv_with(**{key: value}), "mine.yaml")
    assert str(error.value).startswith(f"mine.yaml: body.{key}: ") and "; expected " in str(error.value)
