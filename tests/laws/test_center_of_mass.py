"""Is the center of mass in the readout that of the complete vehicle, and is its motion that of this point?"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.rotations import rotation_of_quaternion
from simulator.maneuvers.analyses.common import sideslip
from simulator.maneuvers.analyses.contract import Drive
from tests.laws.vehicle_rig import command, ground, standing, steps
from vehicles.vehicle import Vehicle

SPEED = 20.0
TICK = 2e-3
"""s between two samples."""

Numbers = NDArray[np.float64]


@pytest.mark.parametrize("name", ["sedan", "hmmwv", "light_truck", "sedan_loaded"])
def test_the_wheels_carry_it_where_it_is(name: str) -> None:
    """The wheel loads at rest balance about it: the drag of tires with toe changes it by less than 0.1 mm."""
    seen = standing(name, "flat").readout[0]
    load = seen["F_C"][:, 2]
    carried = (load @ seen["p_WC"])[:2] / load.sum()
    assert carried == pytest.approx(seen["p_WG"][:2], abs=1e-4)


def _driven(steering: float, ramp: float, seconds: float) -> tuple[Vehicle, dict[str, Numbers]]:
    """Drive the sedan from a steady drive into a turn; return the readout every TICK, with R_WB and the force of the ground on all tires,
    in W."""
    v = standing("sedan", "flat")
    v.reset(ground("flat"), speed=SPEED)
    c, rows = command(throttle=v.start_throttle, selector=1), []
    R, every = np.empty((3, 3)), round(TICK / 1e-3)
    for n in range(round(seconds / TICK)):
        c[0]["steering"] = steering * min(1.0, n * TICK / ramp)
        steps(every, v.model, v.space, ground("flat"), c, 1e-3)
        seen = v.read(c)[0]
        rotation_of_quaternion(v.space.state[0]["q_WB"], R)
        force = v.space.contacts["F_W"].sum(axis=0)
        rows.append(
            {name: seen[name].copy() for name in ("p_WG", "v_WG_B", "a_WG_B", "v_WB_B", "a_WB_B", "w_WB_B")} | {"R": R.copy(), "F": force}
        )
    return v, {name: np.array([row[name] for row in rows]) for name in rows[0]}


@pytest.fixture(scope="module")
def jump() -> tuple[Vehicle, dict[str, Numbers]]:
    """Return a quick turn of the steering wheel, followed by a steady turn."""
    return _driven(0.12, 0.2, 5.0)


def test_its_velocity_and_acceleration_are_the_rates_of_its_position(jump: tuple[Vehicle, dict[str, Numbers]]) -> None:
    """By differences over the log, independent of cross products."""
    _, seen = jump
    v_W, a_W = (np.einsum("nij,nj->ni", seen["R"], seen[name]) for name in ("v_WG_B", "a_WG_B"))
    rate = (seen["p_WG"][2:] - seen["p_WG"][:-2]) / (2.0 * TICK)
    assert np.abs(rate - v_W[1:-1]).max() < 0.01
    change = (v_W[1:] - v_W[:-1]) / TICK
    mean = 0.5 * (a_W[1:] + a_W[:-1])
    assert np.sqrt(np.mean((change - mean)[:, :2] ** 2)) < 0.02 * np.abs(a_W[:, :2]).max()


def test_the_tires_accelerate_it_by_newtons_law_and_not_the_reference_point(jump: tuple[Vehicle, dict[str, Numbers]]) -> None:
    """Total mass times the lateral acceleration at turn-in; the reference point is at the front axle. The remaining difference is the roll
    of the body, in which the wheels take no part."""
    v, seen = jump
    mass = float(v.model.chassis[0]["mass"] + v.model.corners[0]["corner_mass"].sum())
    early = slice(0, round(0.5 / TICK))
    free = seen["F"] - mass * STANDARD_GRAVITY * np.array([0.0, 0.0, 1.0])
    wanted = np.einsum("nji,nj->ni", seen["R"], free)[early, 1] / mass
    wrong = {name: np.abs(seen[name][early, 1] - wanted).max() / np.abs(wanted).max() for name in ("a_WG_B", "a_WB_B")}
    assert wrong["a_WG_B"] < 0.08 and wrong["a_WB_B"] > 0.3


def test_sideslip_in_a_steady_turn_follows_from_that_of_the_reference_point(
    jump: tuple[Vehicle, dict[str, Numbers]],
) -> None:
    """beta_G = beta_B + x_G r / v, to first order; the lateral accelerations of both points are equal, and so is the understeer
    gradient."""
    v, seen = jump
    late = slice(round(4.0 / TICK), None)
    columns = {f"v_WG_B_{axis}": seen["v_WG_B"][late, n] for n, axis in enumerate("xyz")}
    found = sideslip(Drive(columns, TICK, {}, None)).mean()  # type: ignore[arg-type]
    ahead, sideways, _ = seen["v_WB_B"][late].mean(axis=0)
    x_G, rate = float(v.readout[0]["p_BG"][0]), float(seen["w_WB_B"][late, 2].mean())
    assert x_G == pytest.approx(-1.34, abs=0.01) and abs(x_G * rate / ahead) > 0.02
    assert found == pytest.approx(np.arctan2(sideways, ahead) + x_G * rate / ahead, abs=2e-4)
    assert seen["a_WG_B"][late, 1].mean() == pytest.approx(seen["a_WB_B"][late, 1].mean(), rel=5e-3)
