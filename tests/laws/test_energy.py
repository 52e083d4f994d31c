"""Does the mechanism conserve energy and momentum when only its own springs act?"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.laws.free_vehicle import energies, integrate, oracle_state, tumbling, without_losses
from tests.oracles.kkt_reference import balances


@cache
def largest_change(gravity: float, h: float) -> float:
    """Return max |E - E0| over ten seconds, over the maximum kinetic energy."""
    m = tumbling(without_losses(gravity))
    both = np.array([energies(m, state) for state in integrate(m, 10.0, h, every=round(0.004 / h))])
    total = both.sum(axis=1)
    return float(np.abs(total - total[0]).max() / both[:, 0].max())


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_energy_stays_over_ten_seconds(gravity: float) -> None:
    assert largest_change(gravity, 1e-3) < 1e-7


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_energy_error_falls_with_the_fourth_power_of_the_step(gravity: float) -> None:
    coarse, middle, fine = (largest_change(gravity, h) for h in (2e-3, 1e-3, 5e-4))
    assert coarse > 15.0 * middle
    assert middle > 15.0 * fine


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_energy_and_momentum_agree_with_bodies_in_absolute_coordinates(gravity: float) -> None:
    model: dict[str, Any] = without_losses(gravity)
    m = tumbling(model)
    m.state[0]["v_WB_B"] = [3.0, -1.0, 0.5]
    weight = sum(body["mass"] for body in model["bodies"]) * np.array(model["gravity"])
    states = integrate(m, 2.0, 1e-3, every=250)
    found = [balances(model, oracle_state(m, state)) for state in states]
    scale = max(abs(b["kinetic_energy"]) for b in found)
    momentum = found[0]["momentum"]
    for n, (state, b) in enumerate(zip(states, found, strict=True)):
        kinetic, potential = energies(m, state)
        assert kinetic == pytest.approx(b["kinetic_energy"], abs=1e-10 * scale)
        assert potential == pytest.approx(b["potential_energy"], abs=1e-10 * scale)
        assert b["momentum"] == pytest.approx(momentum + 0.25 * n * weight, abs=1e-7 * np.abs(momentum).max())
        if gravity == 0.0:
            assert b["ang_momentum_world_origin"] == pytest.approx(
                found[0]["ang_momentum_world_origin"], abs=1e-7 * np.abs(found[0]["ang_momentum_world_origin"]).max()
            )


def test_dampers_take_the_energy_that_their_forces_account_for() -> None:
    model = without_losses(0.0)
    for damper in model["dampers"]:
        damper["c"] = 5000.0
    m = tumbling(model)
    states = integrate(m, 0.3, 1e-3, every=5)
    total = np.array([sum(energies(m, state)) for state in states])
    power = np.array([balances(model, oracle_state(m, state))["damper_power"] for state in states])
    taken = 0.005 * 0.5 * (power[1:] + power[:-1]).sum()
    assert (np.diff(total) < 0.0).all()
    assert total[0] - total[-1] == pytest.approx(taken, rel=5e-3)
