"""Do the integrators have their nominal order, and keep quaternions normalized?"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from simulator.base.arrays import Vector
from simulator.base.records import record
from tests.laws.free_motion import rates as free_rates
from tests.laws.free_vehicle import tumbling, without_losses
from vehicles.dynamics import STATE
from vehicles.integration.contract import Integrator, Project, Rates, integrate, unit_quaternions
from vehicles.integration.implicit import HybridEuler, LinearlyImplicitEuler
from vehicles.integration.one_step import ExplicitEuler, RungeKutta2, RungeKutta4, SemiImplicitEuler

METHODS = (ExplicitEuler, SemiImplicitEuler, RungeKutta2, RungeKutta4, LinearlyImplicitEuler, HybridEuler)


def build(kind: type[Integrator], rates: Rates, positions: list[int], fast: list[int], size: int, project: Project | None) -> Integrator:
    """Return a method of a kind, for a state with known position and fast components."""
    if kind is SemiImplicitEuler:
        return SemiImplicitEuler(rates, positions, project)
    if kind is LinearlyImplicitEuler:
        return LinearlyImplicitEuler(rates, size, project)
    if kind is HybridEuler:
        return HybridEuler(rates, fast, project)
    return kind(rates, project)


def observed_orders(method: Integrator, y: Vector, reference: Vector, duration: float, coarsest: int) -> list[float]:
    """Return log2 of the ratio of errors at the end, for steps that are halved twice."""
    errors = [np.linalg.norm(integrate(method, 0.0, y, duration / n, n) - reference) for n in (coarsest, 2 * coarsest, 4 * coarsest)]
    return [float(np.log2(a / b)) for a, b in pairwise(errors)]


def pendulum(t: float, y: Vector) -> Vector:
    """Return angle and rate of a damped pendulum with a time-dependent drive."""
    return np.array([y[1], -np.sin(y[0]) - 0.1 * y[1] + 0.5 * np.cos(3.0 * t)])


@pytest.mark.parametrize("kind", METHODS)
def test_order_on_a_driven_pendulum(kind: type[Integrator]) -> None:
    y = np.array([2.0, 0.5])
    exact = solve_ivp(pendulum, (0.0, 2.0), y, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    orders = observed_orders(build(kind, pendulum, [0], [1], 2, None), y, exact, 2.0, 100)
    assert orders == pytest.approx([kind.order] * 2, abs=0.15)


def mechanism() -> tuple[Rates, Vector]:
    """Return the HMMWV's mechanism tumbling in free motion as y' = f(y), and its start state; y is a record of STATE as numbers."""
    m = tumbling(without_losses(9.81))
    rate = record(STATE)

    def rates(t: float, y: Vector) -> Vector:
        m.state.view(np.float64)[:] = y
        free_rates(m, rate[0])
        return rate.view(np.float64).copy()

    return rates, m.state.view(np.float64).copy()


def places(*names: str) -> list[int]:
    """Return the indices of fields of STATE in the record as numbers."""
    marks = record(STATE)
    for name in names:
        marks[0][name] = 1.0
    return np.flatnonzero(marks.view(np.float64)).tolist()


ATTITUDE = places("q_WB")[0]


@cache
def exact_mechanism(duration: float) -> Vector:
    rates, y = mechanism()
    return solve_ivp(rates, (0.0, duration), y, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.parametrize("kind", METHODS)
def test_order_on_the_mechanism_of_the_vehicle(kind: type[Integrator]) -> None:
    rates, y = mechanism()
    fast = places("theta", "theta_dot")
    method = build(kind, rates, places("p_WB", "q_WB", "theta", "wheel_angle"), fast, len(y), unit_quaternions(ATTITUDE))
    orders = observed_orders(method, y, exact_mechanism(0.1), 0.1, 100)
    assert orders == pytest.approx([kind.order] * 2, abs=0.15)


def test_a_projected_state_stays_a_rotation() -> None:
    rates, y = mechanism()
    for project, largest in ((None, 1e-2), (unit_quaternions(ATTITUDE), 1e-15)):
        end = integrate(ExplicitEuler(rates, project), 0.0, y, 2e-3, 100)
        drift = abs(np.linalg.norm(end[ATTITUDE : ATTITUDE + 4]) - 1.0)
        assert drift < largest
        assert (drift > 1e-6) == (project is None)


@pytest.mark.parametrize("kind", METHODS)
def test_evaluations_are_those_that_are_counted(kind: type[Integrator]) -> None:
    calls = 0

    def counted(t: float, y: Vector) -> Vector:
        nonlocal calls
        calls += 1
        return pendulum(t, y)

    method = build(kind, counted, [0], [1], 2, None)
    y = method.step(0.0, np.array([1.0, 0.0]), 0.01)
    calls = 0
    method.step(0.01, y, 0.01)
    assert calls == method.evaluations
