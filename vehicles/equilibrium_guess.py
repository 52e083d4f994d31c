"""Initial guesses of the search for an equilibrium: parallel to the ground under the wheels, arms where springs or stops carry the load."""

from __future__ import annotations

import itertools
import math

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.jit import kernel
from terrain.composite_height import composed_height_and_normal
from terrain.ground import GroundArrays
from vehicles.stages import present_suspension
from vehicles.vehicle_model import VehicleData, VehicleModel

LEANS = (0.0, 0.04, -0.04, 0.08, -0.08, 0.12, -0.12)
TILTS = tuple(sorted(itertools.product(LEANS, LEANS), key=lambda tilt: math.hypot(*tilt)))
"""rad. Roll and pitch of the initial guesses relative to the ground, tried in order until one leads to an equilibrium."""

BASE, TRACK = 1.6, 0.9
"""m. Approximate half wheelbase and half track, for the initial guess."""

BISECTIONS = 30
"""Number of bisections of theta for the position at which a spring carries its load: resolves a billionth of the travel."""

GUESS_LOADS = (-1.0, 4.0)
"""Loads of a wheel in an initial guess, as multiples of a quarter of the weight of the chassis: in rebound, in compression."""


TOUCH, RIM, LOADED = 0.02, 0.25, 2.0
"""m, 1, 1. Largest tire deflection of an initial guess: this length, this fraction of the deflection at which the rim bends, and this
multiple of the deflection under an even share of the weight."""


def heights_under_wheels(ground: GroundArrays, x: float, y: float, yaw: float) -> list[float]:
    """Return the approximate heights of the ground under the wheels [m]."""
    n, c, sn = np.empty(3), math.cos(yaw), math.sin(yaw)
    places = ((BASE, TRACK), (BASE, -TRACK), (-BASE, TRACK), (-BASE, -TRACK))
    return [composed_height_and_normal(ground, x + c * fx - sn * fy, y + sn * fx + c * fy, n) for fx, fy in places]


def inclination_of(heights: list[float]) -> tuple[float, float]:
    """Return roll and pitch [rad] of ground of these heights under the wheels."""
    fl, fr, rl, rr = heights
    return math.atan2((fl + rl - fr - rr) / 2.0, 2.0 * TRACK), math.atan2((rl + rr - fl - fr) / 2.0, 2.0 * BASE)


def guessed_deflections(m: VehicleModel, gravity: float) -> Vector:
    """Return the tire deflections (wheels,) [m] of an initial guess.

    Without contact nothing would depend on the height. Too much deflection bends the rim of a very stiff tire, or throws the vehicle up:
    Newton's method then searches on with wheels in the air.
    """
    weight = gravity * (float(m.chassis[0]["mass"]) + float(m.corners[0]["corner_mass"].sum()))
    loaded = LOADED * weight / len(m.tires) / m.tires["stiffness"]
    return np.minimum(TOUCH, np.minimum(RIM * m.tires["give"], loaded))


def first_guess(m: VehicleModel, s: VehicleData, gravity: float, heights: list[float], touch: float) -> Vector:
    """Return a guess with the vehicle parallel to ground of these heights under its wheels [m], its tires deflected by `touch` [m], and its
    arms where the springs carry it: [dx, dy, z, roll, pitch, dyaw, theta...]."""
    wheels = len(s.wheels)
    roll, pitch = inclination_of(heights)
    low, high, theta = np.empty((3, wheels))
    solve_loaded_thetas(m, s, float(m.chassis[0]["mass"]) * gravity / wheels, low, high, theta)
    radius, lowered = float(m.tires["radius"].sum()) / wheels, float(s.kinematics[0]["W"][2].sum()) / wheels
    z = 0.25 * sum(heights) + radius - touch - lowered
    return np.array([0.0, 0.0, z, roll, pitch, 0.0, *theta])


def leave_stops(m: VehicleModel, s: VehicleData, gravity: float, guess: Vector) -> None:
    """Move arms of a guess that are deep in their stops to where springs and stops carry GUESS_LOADS times the weight on a wheel.

    Newton's method gets stuck where the metal of a stop presses with a hundred times the weight.
    """
    wheels = len(s.wheels)
    weight = float(m.chassis[0]["mass"]) * gravity / wheels
    low, high, first, last = np.empty((4, wheels))
    for load, theta in zip(GUESS_LOADS, (first, last), strict=True):
        solve_loaded_thetas(m, s, load * weight, low, high, theta)
    guess[6:] = np.clip(guess[6:], np.minimum(first, last), np.maximum(first, last))


@kernel
def solve_loaded_thetas(m, s, weight, low, high, theta):
    """Solve for the thetas (wheels,) at which the springs carry a weight [N] at each wheel, and leave the corners there. low, high :
    scratch."""
    x = s.state[0]["theta"]
    for i in range(len(theta)):
        low[i], high[i] = m.corners[0]["travel"][0, i], m.corners[0]["travel"][1, i]
    for _ in range(BISECTIONS):
        for i in range(len(theta)):
            x[i] = 0.5 * (low[i] + high[i])
        present_suspension(m, s)
        for i in range(len(theta)):
            carried = -s.out[0]["spring_force"][i] * s.kinematics[0]["spring_length_1"][i] / s.kinematics[0]["W_1"][2, i]
            if carried < weight:
                low[i] = x[i]
            else:
                high[i] = x[i]
    for i in range(len(theta)):
        theta[i] = 0.5 * (low[i] + high[i])
        x[i] = theta[i]
    present_suspension(m, s)
