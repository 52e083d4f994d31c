"""Natural frequencies of body and wheels compared with a half-car model of four masses on springs. The model follows from spring rates,
motion ratios and tire stiffness.

A spring of rate k and force F at the motion ratio R = -dl/dz acts at the wheel with k R^2 - F d2l/dz2 (virtual work). The wheel load
beyond the part of the spring is unsprung mass; the rest is sprung.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simulator.api.loading import assemble
from simulator.base.arrays import Array
from simulator.validation.datasheet.static_values import static_values_of
from simulator.validation.suite.reference_runs import VEHICLE
from simulator.validation.suite.result import Finding, ReferenceData, Row, within
from terrain.ground import Ground
from vehicles.stages import present_suspension
from vehicles.vehicle import Vehicle

DIFFERENCE = 1e-3
"""Step of the central differences in rad, of the lower arms."""
MODES = (
    ("bounce, natural frequency", "bounce_frequency", 0.05),
    ("pitch, natural frequency", "pitch_frequency", 0.05),
    ("wheel hop, lowest", "wheel_hop_frequency_least", 0.1),
    ("wheel hop, highest", "wheel_hop_frequency_most", 0.1),
)
"""Title, item (`simulator.validation.datasheet.static_values`) and relative tolerance, in the order of `HalfCar.frequencies`."""
PLACES = (0, 2)
"""Indices of a wheel of each axle."""


class HalfCar(NamedTuple):
    """Half-car model, both sides combined; arrays are (front, rear)."""

    sprung: float
    """Sprung mass in kg."""
    inertia: float
    """Pitch inertia of the sprung mass in kg m2."""
    arms: Array
    """Distances in m from the center of the sprung mass to the axles, + = ahead."""
    rates: Array
    """Spring rates at the wheels in N/m."""
    unsprung: Array
    """Unsprung masses in kg."""
    tires: Array
    """Tire stiffnesses in N/m."""

    def frequencies(self) -> tuple[float, ...]:
        """Return the frequencies in rad/s: bounce, pitch, and both of wheel hop, the lower first."""
        up = np.array([[1.0, 1.0], -self.arms]).T  # heights of the body above the axles for heave and pitch (+ = nose down)
        K = np.zeros((4, 4))
        K[:2, :2] = up.T @ np.diag(self.rates) @ up
        K[:2, 2:] = -up.T @ np.diag(self.rates)
        K[2:, :2] = K[:2, 2:].T
        K[2:, 2:] = np.diag(self.rates + self.tires)
        M = np.array([self.sprung, self.inertia, *self.unsprung])
        values, shapes = np.linalg.eigh(K / np.sqrt(np.outer(M, M)))
        roots = np.sqrt(values)
        body = sorted(range(2), key=lambda n: -abs(shapes[0, n]))
        return float(roots[body[0]]), float(roots[body[1]]), float(roots[2]), float(roots[3])


def ride(source: ReferenceData) -> Finding:
    """Evaluate the natural frequencies of the shipped vehicle."""
    parts = assemble({"vehicle": VEHICLE, "terrain": "flat"}, None)
    car = half_car(parts.vehicle, parts.ground)
    source.progress("linearizing the vehicle")
    numbers = static_values_of(parts.vehicle, parts.ground).numbers
    rows: list[Row] = [
        within(title, numbers[name] / math.tau, value / math.tau, "Hz", share)
        for (title, name, share), value in zip(MODES, car.frequencies(), strict=True)
    ]
    at_wheel = ", ".join(
        f"{end} {rate / 2e3:.1f} kN/m and {mass / 2.0:.0f} kg unsprung"
        for end, rate, mass in zip(("front", "rear"), car.rates, car.unsprung, strict=True)
    )
    return Finding(rows, notes=[f"Per wheel: {at_wheel}; {car.sprung:.0f} kg and {car.inertia:.0f} kg m2 sprung."])


def half_car(vehicle: Vehicle, ground: Ground) -> HalfCar:
    """Return the half-car model of a vehicle with two axles. The state of the vehicle changes."""
    vehicle.reset(ground)
    readout, model = vehicle.readout[0], vehicle.model
    gravity = float(ground.p[0]["gravity"])
    theta, load = readout["theta"].copy(), readout["F_C"][:, 2].copy()
    force, place = readout["spring_force"].copy(), readout["p_BK"][:, 0].copy()
    ratio, bend = motion_ratios(vehicle, theta)
    rate = np.asarray(model.struts[0]["spring_rate"]) * ratio**2 - force * bend
    borne = force * ratio  # part of the load carried by the spring
    unsprung = (load - borne) / gravity
    total = float(model.chassis[0]["mass"] + model.corners[0]["corner_mass"].sum())
    sprung = total - float(unsprung.sum())
    center = float((borne * place).sum() / borne.sum())
    rest = np.asarray(model.corners[0]["corner_mass"]) - unsprung
    chassis = model.chassis[0]
    inertia = float(chassis["inertia"][1] + chassis["mass"] * (chassis["com"][0] - center) ** 2 + (rest * (place - center) ** 2).sum())
    two = list(PLACES)
    stiffness = np.array([float(tire["stiffness"]) for tire in model.tires])
    return HalfCar(sprung, inertia, place[two] - center, 2.0 * rate[two], 2.0 * unsprung[two], 2.0 * stiffness[two])


def motion_ratios(vehicle: Vehicle, theta: Array) -> tuple[Array, Array]:
    """Return -dl/dz (wheels,) and d2l/dz2 (wheels,) [1/m] of spring length over wheel height at these thetas, by central differences."""

    def at(change: float) -> tuple[Array, Array]:
        vehicle.space.state[0]["theta"] = theta + change
        present_suspension(vehicle.model, vehicle.space)
        vehicle.read()
        return vehicle.readout[0]["jounce"].copy(), vehicle.readout[0]["spring_length"].copy()

    (z0, l0), (z1, l1), (z2, l2) = at(-DIFFERENCE), at(0.0), at(DIFFERENCE)
    low, high = (l1 - l0) / (z1 - z0), (l2 - l1) / (z2 - z1)
    return -0.5 * (low + high), (high - low) / (0.5 * (z2 - z0))
