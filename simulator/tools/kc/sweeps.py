"""The tests of the rig: what is moved or pushed, from one end through where the vehicle stands to the other, and the axle at every place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.tools.kc.rig import NOTHING, Place, Push, Rig

Vector = NDArray[np.float64]

POINTS = 17
"""Places of a sweep; the middle one is where the vehicle stands."""
STANDING = POINTS // 2

BOUNCE, ROLL_DEG, LATERAL, BRAKING, DRIVING, ALIGNING = 0.05, 3.0, 3000.0, 3000.0, 3000.0, 150.0
"""m, deg, N, N, N, N m. Either way, where nothing else is asked; braking and driving are a push back and one forward, both swept both ways."""

PARALLEL, OPPOSED = np.array([1.0, 1.0]), np.array([1.0, -1.0])


@dataclass(frozen=True)
class Sweep:
    """Places of an axle over what is swept.

    Attributes
    ----------
    name, along, unit : of the test, and of what is swept
    x : (POINTS,) of that, as people have it: in `unit`
    places : at each; None where the suspension does not reach
    """

    name: str
    along: str
    unit: str
    x: Vector
    places: tuple[Place | None, ...]

    def of(self, number: Callable[[Place], float]) -> Vector:
        """(POINTS,) a number of every place; NaN where there is none."""
        return np.array([math.nan if place is None else number(place) for place in self.places])

    def slope(self, number: Callable[[Place], float]) -> float:
        """Derivative by x where the vehicle stands: from the places at either side."""
        y = self.of(number)
        return float((y[STANDING + 1] - y[STANDING - 1]) / (self.x[STANDING + 1] - self.x[STANDING - 1]))

    @property
    def middle(self) -> Place:
        """Where the vehicle stands."""
        place = self.places[STANDING]
        assert place is not None
        return place


def swept(rig: Rig, n: int, bounce: float = BOUNCE) -> dict[str, Sweep]:
    """All tests of axle n, by name; `bounce` is the travel of the wheels either way [m]."""
    sides = len(rig.axles.on(n))
    tests = {
        "bounce": _run("bounce", "wheel travel", "mm", 1e3 * bounce, lambda x, near: rig.at_centers(n, np.full(sides, 1e-3 * x), near))
    }
    if sides == 2:
        tests["roll"] = _run("roll", "roll angle", "deg", ROLL_DEG, lambda x, near: rig.rolled(n, math.radians(x), near))
    for name, along, unit, most, push in (
        ("lateral", "lateral force per wheel", "kN", 1e-3 * LATERAL, _sideways),
        ("braking", "longitudinal force at the contact per wheel", "kN", 1e-3 * BRAKING, _braking(rig, n)),
        ("driving", "longitudinal force at the wheel center per wheel", "kN", 1e-3 * DRIVING, _driving(rig, n)),
        ("aligning", "aligning torque per wheel", "N m", ALIGNING, _twisting),
    ):
        for opposed in (False, True)[: 2 if sides == 2 and name in ("lateral", "aligning") else 1]:
            signs = OPPOSED if opposed else np.ones(sides)
            tests[name + "_opposed" * opposed] = _run(name + ", opposed" * opposed, along, unit, most, _pushed(rig, n, push, signs))
    if rig.is_steered(n):
        most = math.degrees(rig.ratio * float(rig.vehicle.model.steering[0]["max_arm_angle"]))
        # + = left at the steering wheel, which is - at the arm
        tests["steering"] = _run(
            "steering",
            "steering-wheel angle",
            "deg",
            most,
            lambda x, near: rig.on_pads(n, np.zeros(sides), -math.radians(x) / rig.ratio, (), near),
        )
    return tests


def _run(name: str, along: str, unit: str, most: float, place_at: Callable[[float, Place | None], Place]) -> Sweep:
    """From the middle to either end, so that every place is found from the one before."""
    x = np.linspace(-most, most, POINTS)
    x[STANDING] = 0.0
    places: list[Place | None] = [None] * POINTS
    middle = place_at(0.0, None)
    places[STANDING] = middle
    for way in (range(STANDING + 1, POINTS), range(STANDING - 1, -1, -1)):
        near = middle
        for k in way:
            try:
                near = places[k] = place_at(float(x[k]), near)  # type: ignore[assignment]
            except JounceError:
                break  # the end of its travel
    return Sweep(name, along, unit, x, tuple(places))


def _pushed(rig: Rig, n: int, push: Callable[[float], Push], signs: Vector) -> Callable[[float, Place | None], Place]:
    """The pads stay as high as they are."""

    def place_at(x: float, near: Place | None) -> Place:
        pushes: Sequence[Push] = [push(sign * x) if x else NOTHING for sign in signs]
        return rig.on_pads(n, np.zeros(len(signs)), 0.0, pushes, near)

    return place_at


def _sideways(kilonewtons: float) -> Push:
    return Push(np.array([0.0, 1e3 * kilonewtons, 0.0]))


def _twisting(newton_meters: float) -> Push:
    return Push(np.zeros(3), newton_meters)


def _braking(rig: Rig, n: int) -> Callable[[float], Push]:
    """The wheel is held by its brake, whose reaction the carrier bears, or the share of it that an inboard brake leaves to it."""
    share = float(rig.vehicle.model.brakes[0]["carrier_share"][n])
    return lambda kilonewtons: Push(np.array([1e3 * kilonewtons, 0.0, 0.0]), about_axle=share)


def _driving(rig: Rig, n: int) -> Callable[[float], Push]:
    """The wheel is turned by a half shaft: of the moment about its axle a geared hub alone leaves something to the carrier."""
    share = 1.0 - float(rig.vehicle.model.drivetrain[0]["hub_ratio"][n])
    return lambda kilonewtons: Push(np.array([1e3 * kilonewtons, 0.0, 0.0]), about_axle=share)
