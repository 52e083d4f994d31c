"""Do the accelerations of all bodies add up to the external forces, for any internal forces?"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from simulator.base.errors import InertiaWarning
from simulator.validation.reference.closed_form_model import OracleModel
from simulator.validation.reference.model_corners import read_design
from tests.laws.free_vehicle import MODEL
from tests.oracles.mechanism import Mechanism, motion
from tests.oracles.perturbed_model import perturbed_model, random_state


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("steering", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rates_of_momentum_are_the_outer_forces_and_couples(seed: int, steering: bool, outside: bool) -> None:
    """Springs, dampers, loops and a moving Pitman arm are internal: they change neither linear nor angular momentum."""
    rng = np.random.default_rng(seed)
    model = perturbed_model(MODEL, rng, 0.1)
    state = random_state(rng, steering=steering)
    if not outside:
        model["gravity"] = [0.0, 0.0, 0.0]
        state["wheel_wrench_world"] = np.zeros((4, 6))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        out = OracleModel(read_design(model, "model")).whole(state)
    mech = Mechanism(model)
    now = motion(mech, state)
    alpha, acc = out["body_alpha"], out["body_acc_com"]

    force = mech.mass[:, None] * acc
    spin = np.einsum("bij,bj->bi", now.inertia, now.omega)
    couple = np.einsum("bij,bj->bi", now.inertia, alpha) + np.cross(now.omega, spin) + np.cross(now.com, force)
    weight = mech.mass[:, None] * mech.gravity
    wrench = state["wheel_wrench_world"]
    centers = np.array([now.pose.r[b] + now.pose.R[b] @ p for b, p in mech.wheels])
    outer_force = weight.sum(axis=0) + wrench[:, :3].sum(axis=0)
    outer_couple = np.cross(now.com, weight).sum(axis=0) + wrench[:, 3:].sum(axis=0) + np.cross(centers, wrench[:, :3]).sum(axis=0)

    assert np.abs(force).max() > 1e3
    assert force.sum(axis=0) == pytest.approx(outer_force, abs=1e-10 * np.abs(force).sum())
    assert couple.sum(axis=0) == pytest.approx(outer_couple, abs=1e-10 * np.abs(couple).sum())
