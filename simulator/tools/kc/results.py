"""Results of the axle tests: one row for each result, with unit and meaning."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.base.algebra.array_vectors import cross
from simulator.tools.kc.rig import Place, Rig, Wheel, turn_between
from simulator.tools.kc.sweeps import STANDING, Sweep

DEG = math.degrees(1.0)

ROUNDING = 1e-5
"""Magnitude, in the unit of a result, below which it is set to 0: the steer of a rigid suspension that follows from the deflection of its
tire alone is smaller, and no test rig resolves it."""


@dataclass(frozen=True)
class Result:
    """A result of an axle: the mean of its sides, with the sign of the left side."""

    test: str
    name: str
    value: float
    unit: str
    meaning: str


def results_of(rig: Rig, n: int, tests: dict[str, Sweep]) -> list[Result]:
    """Return all results of axle n, in the order of the tests."""
    results = _standing(rig, n, tests["bounce"])
    results += _bounce(rig, n, tests["bounce"])
    if "roll" in tests:
        results += _roll(tests["roll"])
    results += _forces(tests, bool(rig.vehicle.model.corners[0]["compliance"]["yields"][n]))
    if "steering" in tests:
        results += _steering(rig, tests["steering"])
    return [replace(one, value=one.value if abs(one.value) > ROUNDING else 0.0) for one in results]


def side(wheel: Wheel) -> float:
    """Return +1 for a left wheel, -1 for a right wheel."""
    return 1.0 if wheel.left else -1.0


def mean(place: Place, number: Callable[[Wheel], float]) -> float:
    """Return the mean of a quantity over the wheels of the axle."""
    return float(np.mean([number(wheel) for wheel in place.wheels]))


def _slope(sweep: Sweep, number: Callable[[Wheel], float]) -> float:
    return sweep.slope(lambda place: mean(place, number))


def _standing(rig: Rig, n: int, sweep: Sweep) -> list[Result]:
    place = sweep.middle
    rows = [
        Result("standing", "load", mean(place, lambda w: w.load), "N", "per wheel"),
        Result("standing", "toe", DEG * mean(place, lambda w: w.toe), "deg", "per wheel, + = toe-in"),
        Result("standing", "camber", DEG * mean(place, lambda w: w.camber), "deg", "+ = top outwards"),
    ]
    if len(place.wheels) == 2:
        track = place.wheels[0].contact[1] - place.wheels[1].contact[1]
        rows.append(Result("standing", "track", 1e3 * float(track), "mm", "between the contacts"))
    if rig.is_steered(n):
        rows += kingpin_results(rig, place)
    return rows


def kingpin_results(rig: Rig, place: Place) -> list[Result]:
    """Return the results of the steering axis."""
    axes = [kingpin_of(direction, point, wheel) for (direction, point), wheel in zip(rig.kingpin(place), place.wheels, strict=True)]
    names = (
        ("caster", "deg", "of the steering axis, + = top inclined backwards"),
        ("kingpin inclination", "deg", "of the steering axis, + = top inclined inwards"),
        ("mechanical trail", "mm", "steering axis ahead of the contact, on the ground"),
        ("scrub radius", "mm", "contact outside the steering axis, on the ground"),
        ("kingpin offset at the wheel center", "mm", "wheel center outside the steering axis, at its height"),
    )
    values = np.mean(axes, axis=0)
    return [Result("standing", name, float(value), unit, meaning) for (name, unit, meaning), value in zip(names, values, strict=True)]


def kingpin_of(direction: Any, point: Any, wheel: Wheel) -> tuple[float, float, float, float, float]:
    """Return caster and inclination [deg], trail, scrub radius and offset at the wheel center [mm]."""
    ground = point + direction * (wheel.contact[2] - point[2]) / direction[2]
    level = point + direction * (wheel.center[2] - point[2]) / direction[2]
    return (
        DEG * math.atan2(-direction[0], direction[2]),
        DEG * math.atan2(-side(wheel) * direction[1], direction[2]),
        1e3 * float(ground[0] - wheel.contact[0]),
        1e3 * side(wheel) * float(wheel.contact[1] - ground[1]),
        1e3 * side(wheel) * float(wheel.center[1] - level[1]),
    )


def _bounce(rig: Rig, n: int, s: Sweep) -> list[Result]:
    wheel_rate = _slope(s, lambda w: w.load)
    pad = _slope(s, lambda w: 1e3 * w.contact[2])
    rows = [
        Result("bounce", "wheel rate", wheel_rate, "N/mm", "load per travel of the wheel center"),
        Result("bounce", "ride rate", wheel_rate / pad, "N/mm", "load per travel of the pad, with the tire in series"),
        Result(
            "bounce", "motion ratio", -_slope(s, lambda w: 1e3 * w.spring_length), "1", "spring compression per travel of the wheel center"
        ),
        Result("bounce", "toe", 1e2 * DEG * _slope(s, lambda w: w.toe), "deg/100 mm", "bump steer, + = toe-in in bump"),
        Result("bounce", "camber", 1e2 * DEG * _slope(s, lambda w: w.camber), "deg/100 mm", "+ = top outwards in bump"),
        Result("bounce", "side-view angle", 1e2 * DEG * _slope(s, lambda w: w.windup), "deg/100 mm", "caster, + = top moves back in bump"),
        Result("bounce", "wheel-center recession", 1e2 * -_slope(s, lambda w: 1e3 * w.center[0]), "mm/100 mm", "+ = back in bump"),
        Result(
            "bounce", "contact to the side", 1e2 * _slope(s, lambda w: 1e3 * side(w) * w.contact[1]), "mm/100 mm", "+ = outwards in bump"
        ),
    ]
    if len(s.middle.wheels) == 2:
        height = mean(s.middle, lambda w: abs(w.contact[1])) * _slope(s, lambda w: 1e3 * side(w) * w.contact[1]) / (1e-3 * pad)
        rows.append(Result("bounce", "roll center height", height, "mm", "above the ground, from the paths of the contacts"))
    return rows + _anti(rig, n, s)


def _anti(rig: Rig, n: int, s: Sweep) -> list[Result]:
    """Return the anti-dive, anti-lift and anti-squat results: the part of the load transfer that the links carry instead of the springs."""
    before, after = s.places[STANDING - 1], s.places[STANDING + 1]
    if before is None or after is None:
        return []
    shares = Shares.of(rig)
    slopes = []
    for one, middle, other in zip(before.wheels, s.middle.wheels, after.wheels, strict=True):
        turn, moved = turn_between(one.frame, other.frame), other.center - one.center
        locked = moved + cross(turn, middle.contact - middle.center)
        slopes.append((locked[0] / moved[2], moved[0] / moved[2]))
    locked, rolling = np.mean(slopes, axis=0)
    lever = shares.wheelbase / shares.height
    front = n == 0
    rows = [
        Result(
            "bounce",
            "support angle of braking",
            DEG * math.atan(locked),
            "deg",
            "of the contact path of a locked wheel, + = forward in bump",
        ),
        Result(
            "bounce", "support angle of driving", DEG * math.atan(rolling), "deg", "of the path of the wheel center, + = forward in bump"
        ),
    ]
    if shares.braking[n] > 0.0 and n in (0, len(rig.axles.names) - 1):
        name, sign = ("anti-dive", 1.0) if front else ("anti-lift in braking", -1.0)
        value = sign * 100.0 * shares.braking[n] * locked * lever
        rows.append(Result("bounce", name, value, "%", f"{100.0 * shares.braking[n]:.0f} % of the braking on this axle"))
    if shares.driving[n] > 0.0 and n in (0, len(rig.axles.names) - 1):
        name, sign = ("anti-lift in driving", 1.0) if front else ("anti-squat", -1.0)
        value = sign * 100.0 * shares.driving[n] * rolling * lever
        rows.append(Result("bounce", name, value, "%", f"{100.0 * shares.driving[n]:.0f} % of the drive on this axle"))
    return rows


@dataclass(frozen=True)
class Shares:
    """Wheelbase and height [m] for the load transfer, and the brake and drive fractions of the axles."""

    wheelbase: float
    height: float
    """Height of the center of mass above the ground."""
    braking: Any
    driving: Any

    @staticmethod
    def of(rig: Rig) -> Shares:
        """Return the values of the vehicle at rest, at brake pressures below the range of valves and anti-lock units."""
        m, places = rig.vehicle.model, rig.standing
        x = [mean(place, lambda w: w.contact[0]) for place in places]
        ground = float(np.mean([wheel.contact[2] for place in places for wheel in place.wheels]))
        sides = np.array([len(rig.axles.on(n)) for n in range(len(x))])
        brakes, ratio = m.brakes[0], np.array(m.drivetrain[0]["final_ratio"])
        torque = sides * np.array(brakes["torque_per_pressure"] if brakes["hydraulic"] else brakes["max_torque"])
        driven = np.isfinite(ratio).astype(float)
        return Shares(
            x[0] - x[-1], float(rig.center_of_mass()[2]) - ground, torque / max(torque.sum(), 1e-9), driven / max(driven.sum(), 1.0)
        )


def _roll(s: Sweep) -> list[Result]:
    def tilt(place: Place, which: Callable[[Wheel], Any]) -> float:
        left, right = (which(wheel) for wheel in place.wheels)
        return DEG * math.atan2(float(right[2] - left[2]), float(left[1] - right[1]))

    def moment(place: Place) -> float:
        left, right = place.wheels
        return 0.5 * (right.load - left.load) * float(left.contact[1] - right.contact[1])

    of_wheels, torque = s.slope(lambda place: tilt(place, lambda w: w.center)), s.slope(moment)
    body = of_wheels or math.nan
    return [
        Result("roll", "roll stiffness of the suspension", torque / body, "N m/deg", "moment of the loads per roll angle of the line of "
            "wheel centers"),
        Result("roll", "roll stiffness with the tires", torque, "N m/deg", "moment of the loads per roll angle of the pads"),
        Result(
            "roll", "roll steer", DEG * _slope(s, lambda w: w.steer) / body, "deg/deg", "+ = both wheels steer to the left as the body "
                "leans to the right"
        ),
        Result(
            "roll", "roll camber", DEG * _slope(s, lambda w: side(w) * w.camber) / body, "deg/deg",
            "relative to the body, per roll angle of the suspension, + = tops to the left as the body leans to the right",
        ),
    ]  # fmt: skip


def _forces(tests: dict[str, Sweep], soft: bool) -> list[Result]:
    rows: list[Result] = []
    for test in ("lateral", "lateral_opposed"):
        if test in tests:
            rows += _to_the_side(test, tests[test], side if test.endswith("opposed") else _one, soft)
    for test, at in (("braking", "contact"), ("driving", "wheel center")):
        rows += _along(test, tests[test], at, soft)
    for test in ("aligning", "aligning_opposed"):
        if test in tests:
            rows += _about_vertical(test, tests[test], side if test.endswith("opposed") else _one)
    return rows


def _one(wheel: Wheel) -> float:
    return 1.0


def _to_the_side(test: str, s: Sweep, sign: Callable[[Wheel], float], soft: bool) -> list[Result]:
    """Return the results of a lateral force on each wheel, + where `sign` is +."""
    at_contact = _slope(s, lambda w: 1e3 * sign(w) * w.contact[1])
    rows = [
        Result(test, "steer", DEG * _slope(s, lambda w: sign(w) * w.steer), "deg/kN", "+ = the wheel steers in the direction of the force"),
        Result(
            test,
            "camber",
            DEG * _slope(s, lambda w: sign(w) * side(w) * w.camber),
            "deg/kN",
            "+ = its top leans in the direction of the force",
        ),
        Result(test, "contact to the side", at_contact, "mm/kN", "displacement of the contact"),
        Result(
            test, "wheel center to the side", _slope(s, lambda w: 1e3 * sign(w) * w.center[1]), "mm/kN", "displacement of the wheel center"
        ),
        Result(test, "lateral stiffness", _stiffness(at_contact, soft), "N/mm", "at the contact, without the tire"),
    ]
    if test == "lateral" and len(s.middle.wheels) == 2:
        carried = 0.5e-3 * s.slope(lambda p: p.wheels[1].load - p.wheels[0].load)
        height = 1e3 * mean(s.middle, lambda w: abs(w.contact[1])) * carried
        rows.append(
            Result(
                test,
                "roll center height",
                height,
                "mm",
                "above the ground, from the forces: the moment that the links carry instead of the springs",
            )
        )
    return rows


def _along(test: str, s: Sweep, at: str, soft: bool) -> list[Result]:
    """Return the results of a longitudinal force on each wheel, per force that points backwards."""
    recession = _slope(s, lambda w: 1e3 * w.center[0])
    return [
        Result(test, "toe", -DEG * _slope(s, lambda w: w.toe), "deg/kN", f"per force backwards at the {at}, + = toe-in"),
        Result(
            test,
            "wind-up",
            -DEG * _slope(s, lambda w: w.windup),
            "deg/kN",
            "of the carrier, per force backwards, + = its top moves back",
        ),
        Result(test, "wheel-center recession", recession, "mm/kN", "backwards, per force backwards"),
        Result(test, "longitudinal stiffness", _stiffness(recession, soft), "N/mm", "at the wheel center, without the tire"),
        Result(test, "load", -_slope(s, lambda w: w.load), "N/kN", "load on the pad, per force backwards"),
    ]


def _about_vertical(test: str, s: Sweep, sign: Callable[[Wheel], float]) -> list[Result]:
    """Return the results of a torque about the vertical axis on each wheel."""
    camber = 1e2 * DEG * _slope(s, lambda w: sign(w) * side(w) * w.camber)
    return [
        Result(test, "steer", 1e2 * DEG * _slope(s, lambda w: sign(w) * w.steer), "deg/100 N m", "+ = in the direction of the torque"),
        Result(test, "camber", camber, "deg/100 N m", "+ = top to the left for a torque to the left"),
    ]


def _stiffness(displacement: float, soft: bool) -> float:
    """Return the stiffness [N/mm] of a displacement per force [mm/kN].

    Infinite for an axle without compliance, and for opposed forces that cancel on a beam.
    """
    return 1e3 / displacement if soft and displacement != 0.0 else math.inf


def _steering(rig: Rig, s: Sweep) -> list[Result]:
    ratio = 1.0 / (DEG * _slope(s, lambda w: w.steer))
    rows = [Result("steering", "steering ratio", ratio, "1", "steering-wheel angle over the mean road-wheel angle, straight ahead")]
    ends = [k for k, place in enumerate(s.places) if place is not None]
    for name, k in (("left", ends[-1]), ("right", ends[0])):
        place = s.places[k]
        assert place is not None
        for wheel, which in zip(place.wheels, ("left", "right"), strict=False):
            rows.append(
                Result(
                    "steering",
                    f"{which} wheel at lock to the {name}",
                    DEG * wheel.steer,
                    "deg",
                    f"at {s.x[k]:.0f} deg of the steering wheel",
                )
            )
    if len(s.middle.wheels) == 2:
        rows.append(
            Result(
                "steering",
                "Ackermann",
                ackermann(rig, s),
                "%",
                "of the angle difference for rolling without slip, at three quarters of the lock",
            )
        )
    return rows


def ackermann(rig: Rig, s: Sweep) -> float:
    """Return the angle difference of the wheels as a percentage [%] of the difference at which both roll about one point on the rear-axle
    line.
    """
    at = [k for k, place in enumerate(s.places) if place is not None and s.x[k] <= 0.75 * s.x.max()]
    place, straight = s.places[at[-1]], s.middle
    assert place is not None
    inner, outer = (place.wheels[0].steer - straight.wheels[0].steer), (place.wheels[1].steer - straight.wheels[1].steer)
    base = Shares.of(rig).wheelbase
    track = float(place.wheels[0].contact[1] - place.wheels[1].contact[1])
    middle = 0.5 * (inner + outer)
    radius = base / math.tan(middle)
    needed = math.atan(base / (radius - 0.5 * track)) - math.atan(base / (radius + 0.5 * track))
    return 100.0 * (inner - outer) / needed
