"""Do the multistep integrators have their nominal order, count their evaluations, and restart when they must?"""

from __future__ import annotations

import numpy as np
import pytest

from research.benchmarks.multistep import AdamsBashforth2, AdamsPEC, AdamsPECE, MultistepIntegrator
from tests.laws import test_integrators as one_step
from tests.laws.test_integrators import pendulum
from vehicles.integration.contract import integrate

MULTISTEP = (AdamsBashforth2, AdamsPECE, AdamsPEC)


@pytest.mark.parametrize("kind", MULTISTEP)
def test_order_and_evaluations(kind: type[MultistepIntegrator]) -> None:
    one_step.test_order_on_a_driven_pendulum(kind)
    one_step.test_order_on_the_mechanism_of_the_vehicle(kind)
    one_step.test_evaluations_are_those_that_are_counted(kind)


@pytest.mark.parametrize("kind", MULTISTEP)
def test_a_multistep_method_starts_again_after_a_jump(kind: type[MultistepIntegrator]) -> None:
    """After a changed state, a new step size, a new start or an explicit restart, the method continues like a new one."""
    h, used = 0.01, kind(pendulum)
    y = integrate(used, 0.0, np.array([2.0, 0.5]), h, 10)
    hit = y + [0.0, 1.0]
    assert np.array_equal(used.step(0.1, hit, h), kind(pendulum).step(0.1, hit, h))
    y = integrate(used, 0.0, y, h, 3)
    assert np.array_equal(used.step(3 * h, y, 2.0 * h), kind(pendulum).step(3 * h, y, 2.0 * h))
    y = integrate(used, 0.0, y, h, 3)
    went_on = used.step(3 * h, y, h)
    assert not np.array_equal(went_on, kind(pendulum).step(3 * h, y, h))
    used.restart()
    assert np.array_equal(used.step(4 * h, went_on, h), kind(pendulum).step(4 * h, went_on, h))
