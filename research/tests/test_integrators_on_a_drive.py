"""Integrators on a drive: orders, the scheme of the vehicle, and the page generated from them."""

from __future__ import annotations

import numpy as np
import pytest

from research.benchmarks import integrators_on_a_drive
from research.benchmarks.integrator_list import SHIPPED
from research.benchmarks.integrators_on_a_drive import (
    LATERAL,
    Trajectory,
    as_page,
    errors,
    follow,
    make_run,
    recommendation,
    smooth,
)
from vehicles.integration.one_step import ExplicitEuler, RungeKutta2, RungeKutta4

SECONDS = 1.6


@pytest.fixture(scope="module")
def one():
    return make_run("hmmwv")


@pytest.fixture(scope="module")
def reference(one):
    return follow(one, RungeKutta4(one.rates), 0.5e-3, SECONDS).states


def wrong(one, reference, method, h):
    return errors(one.held, follow(one, method, h, SECONDS), reference)


def test_the_lane_change_is_as_hard_as_documented(one, reference):
    assert integrators_on_a_drive._lateral(one.held, reference) == pytest.approx(LATERAL, rel=0.1)


def test_errors_fall_with_the_order_of_the_method(one, reference):
    """Springs and dampers have kinks, so that high orders are not fully reached; first and second order are."""
    for method, least, most in ((ExplicitEuler, 1.7, 2.6), (RungeKutta2, 2.8, 6.0)):
        coarse, fine = (wrong(one, reference, method(one.rates), h)["yaw_rate"] for h in (2e-3, 1e-3))
        assert least < coarse / fine < most, method
    assert wrong(one, reference, RungeKutta4(one.rates), 2e-3)["yaw_rate"] < 1e-3


def test_the_vehicle_scheme_is_of_first_order_and_accurate_at_its_step(one, reference):
    coarse, fine = (wrong(one, reference, None, h) for h in (2e-3, 1e-3))
    assert fine["yaw_rate"] < 0.02 and 1.6 < coarse["yaw_rate"] / fine["yaw_rate"] < 2.6


def test_a_drive_that_runs_away_has_no_errors_and_no_cost(one, reference):
    drive = follow(one, ExplicitEuler(lambda t, y: 1e3 * y), 1e-3, 0.2)
    assert drive.states is None and errors(one.held, drive, reference) == {"yaw_rate": None, "place": None}


def test_steering_has_its_stated_derivatives():
    for t in np.linspace(0.31, 1.79, 7):
        h = 1e-5
        before, now, after = (smooth(t + d, 0.3, 1.5) for d in (-h, 0.0, h))
        assert now[1] == pytest.approx((after[0] - before[0]) / (2.0 * h), abs=1e-4)
        assert now[2] == pytest.approx((after[1] - before[1]) / (2.0 * h), abs=1e-3)
    assert smooth(0.2, 0.3, 1.5) == smooth(1.9, 0.3, 1.5) == (0.0, 0.0, 0.0)


def test_the_page_recommends_methods_that_are_good_in_all_cars():
    def row(method, h, yaw_rate, place, evaluations=1):
        return {"method": method, "order": 1, "evaluations": evaluations, "step": h, "yaw_rate": yaw_rate, "place": place, "cost": 0.1}

    one = [row(SHIPPED, 1e-3, 0.005, 0.005), row(SHIPPED, 2e-3, 0.005, 0.005), row("other", 1e-3, None, None)]
    two = [row(SHIPPED, 1e-3, 0.005, 0.005), row(SHIPPED, 2e-3, 0.02, 0.005), row("other", 1e-3, 0.001, 0.001)]
    table = {
        "reference_step": 5e-5,
        "speed": 22.0,
        "vehicles": [{"vehicle": "a", "lateral": 4.0, "rows": one}, {"vehicle": "b", "lateral": 4.0, "rows": two}],
    }
    told = recommendation(table)
    assert f"| {SHIPPED} | 1 | 1000 |" in told and "At none of these steps: other." in told
    assert "unstable" in as_page(table, "a machine") and Trajectory(None, 0.0).states is None
