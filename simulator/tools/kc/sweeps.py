"""Tests of the rig: the moved or loaded quantity from one limit through the static position to the other, and the axle at each position."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.tools.kc.rig import NOTHING, Place, Push, Rig

POINTS = 17
"""Positions of a sweep; the middle one is the static position."""
STANDING = POINTS // 2

BOUNCE, ROLL_DEG, LATERAL, BRAKING, DRIVING, ALIGNING = 0.05, 3.0, 3000.0, 3000.0, 3000.0, 150.0
"""m, deg, N, N, N, N m. Default amplitudes in both directions; the braking force pushes backwards, the driving force forwards."""

PARALLEL, OPPOSED = np.array([1.0, 1.0]), np.array([1.0, -1.0])


@dataclass(frozen=True)
class Sweep:
    """Positions of an axle over the swept quantity.

    Attributes
    ----------
    name, along, unit : name of the test, swept quantity and its unit
    x : (POINTS,) values of the swept quantity in `unit`
    places : axle at each value; None where the suspension does not reach
    """

    name: str
    along: str
    unit: str
    x: Vector
    places: tuple[Place | None, ...]

    def of(self, number: Callable[[Place], float]) -> Vector:
        """Return a value for each position (POINTS,); NaN for unreached positions."""
        return np.array([math.nan if place is None else number(place) for place in self.places])

    def slope(self, number: Callable[[Place], float]) -> float:
        """Return the derivative with respect to x in the static position, a central difference."""
        y = self.of(number)
        return float((y[STANDING + 1] - y[STANDING - 1]) / (self.x[STANDING + 1] - self.x[STANDING - 1]))

    @property
    def middle(self) -> Place:
        """Axle in the static position."""
        place = self.places[STANDING]
        assert place is not None
        return place


def swept(rig: Rig, n: int, bounce: float = BOUNCE) -> dict[str, Sweep]:
    """Run all tests of axle n and return the sweeps by name; `bounce` is the wheel travel in both directions [m]."""
    sides = len(rig.axles.on(n))
    tests = {
        "bounce": _run("bounce", "wheel travel", "mm", 1e3 * bounce, lambda x, near: rig.at_centers(n, np.full(sides, 1e-3 * x), near))
    }
    if sides == 2:
        tests["roll"] = _run("roll", "roll angle", "deg", ROLL_DEG, lambda x, near: rig.rolled(n, math.radians(x), near))
    for name, along, unit, amplitude, push in (
        ("lateral", "lateral force per wheel", "kN", 1e-3 * LATERAL, _sideways),
        ("braking", "longitudinal force at the contact per wheel", "kN", 1e-3 * BRAKING, _braking(rig, n)),
        ("driving", "longitudinal force at the wheel center per wheel", "kN", 1e-3 * DRIVING, _driving(rig, n)),
        ("aligning", "aligning torque per wheel", "N m", ALIGNING, _twisting),
    ):
        for opposed in (False, True)[: 2 if sides == 2 and name in ("lateral", "aligning") else 1]:
            signs = OPPOSED if opposed else np.ones(sides)
            tests[name + "_opposed" * opposed] = _run(name + ", opposed" * opposed, along, unit, amplitude, _pushed(rig, n, push, signs))
    if rig.is_steered(n):
        amplitude = math.degrees(rig.ratio * float(rig.vehicle.model.steering[0]["max_arm_angle"]))
        # + = left at the steering wheel, - at the arm
        tests["steering"] = _run(
            "steering",
            "steering-wheel angle",
            "deg",
            amplitude,
            lambda x, near: rig.on_pads(n, np.zeros(sides), -math.radians(x) / rig.ratio, (), near),
        )
    return tests


def _run(name: str, along: str, unit: str, amplitude: float, place_at: Callable[[float, Place | None], Place]) -> Sweep:
    """Run a test from the middle to both limits; each equilibrium is the initial value of the next one."""
    x = np.linspace(-amplitude, amplitude, POINTS)
    x[STANDING] = 0.0
    places: list[Place | None] = [None] * POINTS
    middle = place_at(0.0, None)
    places[STANDING] = middle
    for indices in (range(STANDING + 1, POINTS), range(STANDING - 1, -1, -1)):
        near = middle
        for k in indices:
            try:
                near = places[k] = place_at(float(x[k]), near)  # type: ignore[assignment]
            except JounceError:
                break  # travel limit
    return Sweep(name, along, unit, x, tuple(places))


def _pushed(rig: Rig, n: int, push: Callable[[float], Push], signs: Vector) -> Callable[[float, Place | None], Place]:
    """Return the equilibrium function of a force test, with the pads at static height."""

    def place_at(x: float, near: Place | None) -> Place:
        pushes: Sequence[Push] = [push(sign * x) if x else NOTHING for sign in signs]
        return rig.on_pads(n, np.zeros(len(signs)), 0.0, pushes, near)

    return place_at


def _sideways(kilonewtons: float) -> Push:
    return Push(np.array([0.0, 1e3 * kilonewtons, 0.0]))


def _twisting(newton_meters: float) -> Push:
    return Push(np.zeros(3), newton_meters)


def _braking(rig: Rig, n: int) -> Callable[[float], Push]:
    """Return the force of a locked wheel: the carrier bears the moment of the brake, or the fraction that an inboard brake leaves to it."""
    share = float(rig.vehicle.model.brakes[0]["carrier_share"][n])
    return lambda kilonewtons: Push(np.array([1e3 * kilonewtons, 0.0, 0.0]), about_axle=share)


def _driving(rig: Rig, n: int) -> Callable[[float], Push]:
    """Return the force on a wheel with a half shaft; only a geared hub transfers a part of the moment about the wheel axle to the carrier."""
    share = 1.0 - float(rig.vehicle.model.drivetrain[0]["hub_ratio"][n])
    return lambda kilonewtons: Push(np.array([1e3 * kilonewtons, 0.0, 0.0]), about_axle=share)
