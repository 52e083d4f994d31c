"""Does the linear model at a state of a drive predict the drive, and is it the single-track model for the yaw plane?"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import jounce
from vehicles.linear_model import LinearModel

SPEED = 20.0
PLANE = ("v_WB_B_y", "w_WB_B_z")


@cache
def rolling(vehicle: str) -> tuple[jounce.Simulation, Any, LinearModel]:
    """A vehicle at 20 m/s straight ahead, its state and its linear model."""
    sim = jounce.Simulation(vehicle, "flat", platform=None, channels=["time"])
    sim.reset(speed=SPEED)
    sim.command(throttle=sim.vehicle.start_throttle)
    sim.advance(1.0)
    return sim, sim.save(), sim.linearize()


def response(sim: jounce.Simulation, state: Any, kick: tuple[float, float], count: int, steering: float = 0.0) -> np.ndarray:
    """Return sideslip velocity and yaw rate (count, 2) every 10 ms after a kick [m/s, rad/s]."""
    sim.restore(state)
    x = sim.vehicle.space.state[0]
    x["v_WB_B"][1] += kick[0]
    x["w_WB_B"][2] += kick[1]
    sim.command(throttle=sim.vehicle.start_throttle, steering=steering)
    out = []
    for _ in range(count):
        sim.advance(0.01)
        out.append(sim.values(PLANE))
    return np.array(out)


@pytest.mark.parametrize("vehicle", ["sedan", "hmmwv"])
def test_it_predicts_how_a_kick_dies_out(vehicle: str) -> None:
    sim, state, model = rolling(vehicle)
    at, step = [model.states.index(name) for name in PLANE], expm(0.01 * model.A)
    straight = response(sim, state, (0.0, 0.0), 60)
    for kick in ((0.1, 0.0), (0.0, 0.05)):
        found, x = response(sim, state, kick, 60) - straight, np.zeros(len(model.states))
        x[at] = kick
        expected = []
        for _ in range(60):
            x = step @ x
            expected.append(x[at])
        own = 0 if kick[0] else 1
        assert np.abs(found - expected)[:, own].max() < 0.07 * np.abs(found[:, own]).max()
        assert np.abs(found - expected).max() < 0.25 * np.abs(expected).max()


@pytest.mark.parametrize("vehicle, near", [("sedan", 0.05), ("hmmwv", 0.02)])
def test_its_yaw_gain_is_that_of_the_drive(vehicle: str, near: float) -> None:
    sim, state, model = rolling(vehicle)
    plane = model.slow(*PLANE)
    gain = -np.linalg.solve(plane.A, plane.B[:, 0])[1]
    turned = response(sim, state, (0.0, 0.0), 400, 0.01)[-1, 1]
    assert turned / sim["steering_wheel_angle"] == pytest.approx(gain, rel=near)


@pytest.mark.parametrize("vehicle", ["sedan", "hmmwv"])
def test_its_yaw_gain_over_the_speed_is_that_of_the_single_track_model(vehicle: str) -> None:
    """v / (i L (1 + v2 / v_ch2)), Riekert and Schunck 1940: two speeds give i L and the characteristic speed, and so the gain at a third."""
    sim = jounce.Simulation(vehicle, "flat", platform=None, channels=["time"])
    gains = []
    for speed in (10.0, 18.0, 26.0):
        sim.reset(speed=speed)
        plane = sim.linearize().slow(*PLANE)
        gains.append(-np.linalg.solve(plane.A, plane.B[:, 0])[1])
    length, bend = np.linalg.solve([[1.0, 10.0**2], [1.0, 18.0**2]], [10.0 / gains[0], 18.0 / gains[1]])
    assert gains[2] == pytest.approx(26.0 / (length + bend * 26.0**2), rel=0.02)
    assert 15.0 < np.sqrt(length / bend) < 80.0  # m/s, a car that understeers


def test_the_model_of_a_steady_turn_has_its_forces() -> None:
    sim = jounce.Simulation("sedan", "flat", platform=None, channels=["time"])
    sim.reset(speed=15.0)
    sim.command(throttle=sim.vehicle.start_throttle, steering=0.1)
    sim.advance(4.0)
    model = sim.linearize()
    assert model.output[1] == pytest.approx(sim["a_WB_B_y"], rel=0.02)
    assert model.state[model.states.index("w_WB_B_z")] == sim["w_WB_B_z"]
    assert np.abs(model.rates[[model.states.index(name) for name in PLANE]]).max() < 0.1
    assert model.A.shape == (len(model.states),) * 2 and model.D.shape == (len(model.outputs), len(model.inputs))


def test_it_needs_hard_ground_and_known_states() -> None:
    with pytest.raises(jounce.JounceError, match="soil"):
        jounce.Simulation("hmmwv", "flat_soil", platform=None).linearize()
    with pytest.raises(jounce.JounceError, match="did you mean w_WB_B_z"):
        rolling("sedan")[2].slow("w_WB_Bz")


def test_a_simulation_stays_as_it_is() -> None:
    sim, state, _ = rolling("hmmwv")
    sim.restore(state)
    sim.linearize()
    assert sim.save() == state
