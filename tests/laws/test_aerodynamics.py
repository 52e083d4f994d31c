"""Aerodynamic forces: explicit formulas, mirror images, and a car in a crosswind."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from simulator.base.records import record
from simulator.builder.builder import build_ground, build_vehicle
from terrain.wind import moving_air
from tests.laws.test_worlds_and_tires import arrays, command, shipped, written
from vehicles.aerodynamics import air_forces
from vehicles.description import BODY, read_description

RHO, AREA, BASE = 1.2, 2.0, 2.7


@kernel
def act(b, air, R_WB, state, out):
    """Return force and couple (2, 3)."""
    out[0], out[1] = air_forces(b, air, R_WB, state)


def acting(v, w=(0.0, 0.0, 0.0), wind=(0.0, 0.0, 0.0), shaped=True):
    """Return force and couple on a level body that moves with v, w in B and heads along x."""
    b = record(BODY)
    b[0]["air_density"], b[0]["drag_area"], b[0]["drag_point"], b[0]["flow_point"] = RHO, 0.3 * AREA, (-1.3, 0.0, 0.2), (-1.3, 0.0, 0.2)
    b[0]["side_area"], b[0]["yaw_volume"], b[0]["lift_area"], b[0]["lift_x"] = (
        2.2 * AREA,
        0.5 * AREA * BASE,
        (0.1 * AREA, 0.2 * AREA),
        (0.0, -BASE),
    )
    b[0]["shaped"] = shaped
    state = record((("p_WB", (3,), "m", ""), ("v_WB_B", (3,), "m/s", ""), ("w_WB_B", (3,), "rad/s", ""), ("time", (), "s", "")))
    state[0]["v_WB_B"], state[0]["w_WB_B"] = v, w
    out = np.empty((2, 3))
    act(b, moving_air(wind), np.eye(3), state, out)
    return SimpleNamespace(force=out[0], couple=out[1])


def test_forces_are_the_coefficients_times_pressure_and_area():
    speed, angle = 40.0, 0.05
    v = speed * np.array([np.cos(angle), np.sin(angle), 0.0])
    seen, q = acting(v), 0.5 * RHO * speed**2 * AREA
    lift = q * np.cos(angle) ** 2 * np.array([0.1, 0.2])
    assert seen.force == pytest.approx((-q * 0.3 * np.cos(angle), -q * 2.2 * np.sin(angle), lift.sum()))
    about_point = seen.couple - np.cross((-1.3, 0.0, 0.2), (seen.force[0], seen.force[1], 0.0))
    assert about_point == pytest.approx((0.0, BASE * lift[1], -q * 0.5 * BASE * np.sin(angle) * np.cos(angle)))
    assert acting(v, shaped=False).force == pytest.approx(-q * 0.3 * v / speed)


def test_a_body_moving_with_the_air_has_no_force_and_turning_counts_at_the_flow_point():
    assert np.abs(acting((10.0, 3.0, 1.0), wind=(10.0, 3.0, 1.0)).force).max() < 1e-9
    assert acting((30.0, 0.0, 0.0), w=(0.0, 0.0, 0.5)).force[1] == pytest.approx(acting((30.0, -0.65, 0.0)).force[1])


def test_air_from_the_other_side_gives_the_mirror_image():
    left, right = acting((30.0, 4.0, 0.0), w=(0.1, 0.2, 0.3)), acting((30.0, -4.0, 0.0), w=(-0.1, 0.2, -0.3))
    assert right.force == pytest.approx(left.force * (1.0, -1.0, 1.0)) and right.couple == pytest.approx(left.couple * (-1.0, 1.0, -1.0))


def test_a_sedan_in_the_wind_is_turned_away_from_it(tmp_path: Path):
    """Hands hold the steering wheel at 35 m/s, with wind from the left: after a second the car moves to the right, more in a storm; wind
    from the right gives the mirror image."""
    vehicle, calm = build_vehicle("sedan", check_step=False), {"type": "flat", "surface": "asphalt"}

    def second(wind):
        vehicle.reset(arrays(build_ground(written(tmp_path, "calm.yaml", calm))), speed=35.0, gear=5)
        ground = build_ground(written(tmp_path, "windy.yaml", {**calm, "wind": [0.0, wind, 0.0]}))
        for _ in range(1000):
            vehicle.step(arrays(ground), command(throttle=vehicle.start_throttle), 1e-3)
        state = vehicle.space.state[0]
        return float(state["w_WB_B"][2]), float(state["p_WB"][1])

    (rate, gone), (stronger, farther), (mirrored, back) = second(-10.0), second(-20.0), second(10.0)
    assert stronger < 1.5 * rate < -0.005 and farther < 1.5 * gone < -0.1
    assert (mirrored, back) == pytest.approx((-rate, -gone), rel=0.02)


@pytest.mark.parametrize(
    ("key", "value", "told"), [("lift_coefficients", [0.1], "lift_coefficients"), ("side_force_slope", 100.0, "side_force_slope")]
)
def test_nonsense_is_refused(key, value, told):
    mapping = shipped("vehicles", "hmmwv")
    with pytest.raises(ConfigError, match=told):
        read_description({**mapping, "aerodynamics": {**mapping["aerodynamics"], key: value}}, "v.yaml")
