"""Does every integrator behave on the linearized vehicle, and on the vehicle itself, as its stability function predicts?"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from research.benchmarks.integrator_list import METHODS
from research.benchmarks.multistep import AdamsBashforth2, AdamsPEC, AdamsPECE
from tests.laws.test_linearized import held, linear
from vehicles.integration.contract import Integrator, PartitionedIntegrator, UniformIntegrator, integrate
from vehicles.integration.one_step import ExplicitEuler, RungeKutta2, RungeKutta4, SemiImplicitEuler
from vehicles.integration.stability import factors, largest_stable_step, spectral_radius, tracked_eigenvalues
from vehicles.linearize import LinearVehicle, step_matrix, with_rigid_treads
from vehicles.ode_system import places

H = 1e-3
CASES = [(0.0, "elastic"), (0.5, "elastic"), (0.5, "rigid"), (20.0, "elastic"), (20.0, "rigid")]
ALL = pytest.mark.parametrize(("speed", "tread"), CASES)


@cache
def vehicle(speed: float, tread: str) -> LinearVehicle:
    return with_rigid_treads(linear(speed)) if tread == "rigid" else linear(speed)


def method_on(name: str, v: LinearVehicle) -> Integrator:
    return METHODS[name](v, lambda t, y: v.A @ y)


@ALL
@pytest.mark.parametrize("name", METHODS)
def test_every_mode_grows_by_its_predicted_factor(name: str, speed: float, tread: str) -> None:
    """Ten steps from a mode: the magnitudes obey the recurrence of the characteristic polynomial, whose largest root is the factor."""
    v = vehicle(speed, tread)
    predicted = factors(method_on(name, v), v.A, v.eigenvalues, H)
    if isinstance(method_on(name, v), PartitionedIntegrator):
        step = np.column_stack([method_on(name, v).step(0.0, unit, H) for unit in np.eye(len(v.A))])
        observed = np.linalg.eigvals(step)
        assert all(np.abs(observed - factor).min() < 1e-7 for factor in predicted)
        assert all(np.abs(predicted - factor).min() < 1e-7 for factor in observed)
        return
    values, right = np.linalg.eig(v.A)
    left = np.linalg.inv(right)
    for value, factor in zip(v.eigenvalues, predicted, strict=True):
        k = int(np.abs(values - value).argmin())
        method, y, sizes = method_on(name, v), right[:, k], [1.0 + 0.0j]
        assert isinstance(method, UniformIntegrator)
        for n in range(9):
            y = method.step(n * H, y, H)
            sizes.append(left[k] @ y)
        coefficients = method.characteristic(value * H)
        left_over = np.convolve(sizes, coefficients, "valid")[1:]
        assert np.abs(left_over).max() < 1e-7 * np.abs(sizes).max()
        assert np.abs(np.roots(coefficients)).max() == pytest.approx(abs(factor), rel=1e-9)


@pytest.mark.parametrize(("speed", "tread"), CASES[1:])  # at rest there is a mode of 44 s
@pytest.mark.parametrize("name", METHODS)
def test_just_below_the_largest_step_nothing_grows_and_just_above_it_does(name: str, speed: float, tread: str) -> None:
    v = vehicle(speed, tread)
    limit = largest_stable_step(lambda h: spectral_radius(method_on(name, v), v.A, v.eigenvalues, h))
    if math.isinf(limit):
        assert name == "linearly implicit Euler"
        return
    start = np.random.default_rng(5).uniform(-1.0, 1.0, len(v.A))
    modes = np.linalg.inv(np.linalg.eig(v.A)[1])  # in modal coordinates there is no beat: every mode grows or decays steadily
    for h in (0.95 * limit, 1.05 * limit):
        radius = spectral_radius(method_on(name, v), v.A, v.eigenvalues, h)
        steps = round(math.log(1e8) / abs(math.log(radius))) if h > limit else 500
        method = method_on(name, v)
        middle = integrate(method, 0.0, start, h, steps)
        growth = np.linalg.norm(modes @ integrate(method, steps * h, middle, h, steps)) / np.linalg.norm(modes @ middle)
        if h > limit:
            assert math.log10(growth) == pytest.approx(8.0, abs=0.6)
        else:
            assert growth < 1.0


def test_at_low_speed_a_tire_without_relaxation_breaks_the_explicit_methods_at_1_ms() -> None:
    v = vehicle(0.5, "rigid")
    start = np.random.default_rng(5).uniform(-1.0, 1.0, len(v.A))
    # fast growing values are not finite at the end
    diverged = {name for name in METHODS if not np.linalg.norm(integrate(method_on(name, v), 0.0, start, H, 200)) <= 1e6}
    assert diverged == {name for name in METHODS if spectral_radius(method_on(name, v), v.A, v.eigenvalues, H) > 1.0}
    assert {"explicit Euler", "semi-implicit Euler", "Adams-Bashforth 2", "Adams-Moulton PEC"} <= diverged
    assert not {"linearly implicit Euler", "hybrid Euler"} & diverged


def test_the_nonlinear_vehicle_diverges_as_fast_as_predicted() -> None:
    """Explicit Euler at 9 ms, almost at rest: front wheels turned slightly against each other."""
    v, h = held(0.5), 9e-3
    radius = spectral_radius(ExplicitEuler(v.rates), linear(0.5).A, linear(0.5).eigenvalues, h)
    y = v.y.copy()
    y[places("wheel_spin")] += [1e-7, -1e-7, 0.0, 0.0]
    spins = [integrate(ExplicitEuler(v.rates), 0.0, y, h, n)[places("wheel_spin")] - v.y[places("wheel_spin")] for n in (60, 100)]
    assert radius > 1.05
    assert (np.linalg.norm(spins[1]) / np.linalg.norm(spins[0])) ** (1.0 / 40.0) == pytest.approx(radius, rel=0.03)


def test_the_shipped_step_on_the_vehicle_follows_its_matrix() -> None:
    """20 steps at 1 ms from wheels turned against each other, and the growth beyond the largest stable step."""
    v = held(0.5)
    keep = linear(0.5).coordinates
    along = np.concatenate([places("wheel_spin"), places("tread")[:4]])
    wheels = np.flatnonzero(np.isin(linear(0.5).coordinates, along))  # dampers have a kink at rest
    start = np.zeros(len(v.y))
    start[places("wheel_spin")] = [1e-5, -1e-5, 1e-5, -1e-5]
    y, expected, G = v.y + start, start[keep], step_matrix(v, H)
    for _ in range(20):
        y, expected = v.step(y, H), G @ expected
    assert (y - v.y)[keep][wheels] == pytest.approx(expected[wheels], rel=1e-3)
    limit = largest_stable_step(lambda h: float(np.abs(np.linalg.eigvals(step_matrix(v, h))).max()))
    for h, grows in ((0.7 * limit, False), (1.5 * limit, True)):
        y = v.y + start
        for _ in range(40):
            y = v.step(y, h)
        assert (np.abs(y - v.y)[places("theta")].max() < 1e-2) != grows


def test_factors_of_the_shipped_step_tend_to_the_exponential() -> None:
    """Each factor follows its own mode: at 1 ms it is exp(h lambda) up to the square of h lambda, in the order of the modes."""
    for speed in (0.0, 0.5, 5.0, 20.0):
        modes = linear(speed).eigenvalues
        found = tracked_eigenvalues(lambda h, speed=speed: step_matrix(held(speed), h), modes, H)
        assert (np.abs(found - np.exp(H * modes)) < 2.0 * np.abs(H * modes) ** 2 + 1e-8).all()


REAL_LIMIT = {ExplicitEuler: 2.0, RungeKutta2: 2.0, RungeKutta4: 2.785, AdamsBashforth2: 1.0, AdamsPECE: 2.0, AdamsPEC: 0.5}
IMAGINARY_LIMIT = {RungeKutta4: 2.828, AdamsPECE: 1.287, AdamsPEC: 0.667}


@pytest.mark.parametrize("kind", REAL_LIMIT)
def test_limits_on_the_axes_are_those_of_the_literature(kind: type[UniformIntegrator]) -> None:
    for direction, limit in ((-100.0, REAL_LIMIT[kind]), (100.0j, IMAGINARY_LIMIT.get(kind))):
        A = np.array([[direction]])
        found = largest_stable_step(lambda h, A=A: spectral_radius(kind(lambda t, y: y), A, A[0], h))
        assert 100.0 * found == pytest.approx(limit if limit else 0.0, abs=2e-3 if limit else 0.02)


@pytest.mark.parametrize("damping", [0.0, 0.3, 1.5])
def test_limit_of_semi_implicit_euler_on_an_oscillation(damping: float) -> None:
    """h omega = 2 (sqrt(1 + zeta^2) - zeta)."""
    omega = 50.0
    A = np.array([[0.0, 1.0], [-omega * omega, -2.0 * damping * omega]])
    method = SemiImplicitEuler(lambda t, y: A @ y, [0])
    found = largest_stable_step(lambda h: spectral_radius(method, A, np.linalg.eigvals(A), h))
    assert omega * found == pytest.approx(2.0 * (math.sqrt(1.0 + damping**2) - damping), rel=1e-4)
