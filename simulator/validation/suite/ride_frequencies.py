"""Frequencies of body and wheels beside a half car of four masses on springs, made from spring rates, motion ratios and tire stiffness.

A spring of rate k and force F at the motion ratio R = -dl/dz acts at the wheel with k R^2 - F d2l/dz2 (virtual work). What the wheel bears beyond the
spring's share is the unsprung mass; the rest is sprung.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simulator.api.loading import assemble
from simulator.validation.datasheet.static_values import standing
from simulator.validation.suite.reference_runs import VEHICLE
from simulator.validation.suite.result import Array, Finding, ReferenceData, Row, within
from terrain.ground import Ground
from vehicles.stages import present_suspension
from vehicles.vehicle import Vehicle

DIFFERENCE = 1e-3
"""rad, of the lower arms."""
MODES = (
    ("bounce, natural frequency", "bounce_frequency", 0.05),
    ("pitch, natural frequency", "pitch_frequency", 0.05),
    ("wheel hop, slowest", "wheel_hop_frequency_least", 0.1),
    ("wheel hop, fastest", "wheel_hop_frequency_most", 0.1),
)
"""Title, fact (`simulator.validation.datasheet.static_values`), share by which it may differ; in the order of `HalfCar.frequencies`."""
PLACES = (0, 2)
"""A wheel of each axle."""


class HalfCar(NamedTuple):
    """All of both sides together; arrays are (front, rear)."""

    sprung: float
    """kg"""
    inertia: float
    """kg m2, of the sprung mass in pitch."""
    arms: Array
    """m, from the sprung center of mass to the axles, + = ahead."""
    rates: Array
    """N/m, of the springs at the wheels."""
    unsprung: Array
    """kg"""
    tires: Array
    """N/m"""

    def frequencies(self) -> tuple[float, ...]:
        """rad/s: bounce, pitch, and both of wheel hop, the slower first."""
        up = np.array([[1.0, 1.0], -self.arms]).T  # heights of the body over the axles by heave and pitch (+ = nose down)
        K = np.zeros((4, 4))
        K[:2, :2] = up.T @ np.diag(self.rates) @ up
        K[:2, 2:] = -up.T @ np.diag(self.rates)
        K[2:, :2] = K[:2, 2:].T
        K[2:, 2:] = np.diag(self.rates + self.tires)
        M = np.array([self.sprung, self.inertia, *self.unsprung])
        values, shapes = np.linalg.eigh(K / np.sqrt(np.outer(M, M)))
        found = np.sqrt(values)
        body = sorted(range(2), key=lambda n: -abs(shapes[0, n]))
        return float(found[body[0]]), float(found[body[1]]), float(found[2]), float(found[3])


def ride(source: ReferenceData) -> Finding:
    """The part."""
    parts = assemble({"vehicle": VEHICLE, "terrain": "flat"}, None)
    car = half_car(parts.vehicle, parts.ground)
    source.told("the vehicle linearized")
    found = standing(parts.vehicle, parts.ground).numbers
    rows: list[Row] = [
        within(title, found[name] / math.tau, value / math.tau, "Hz", share)
        for (title, name, share), value in zip(MODES, car.frequencies(), strict=True)
    ]
    at_wheel = ", ".join(
        f"{end} {rate / 2e3:.1f} kN/m and {mass / 2.0:.0f} kg unsprung"
        for end, rate, mass in zip(("front", "rear"), car.rates, car.unsprung, strict=True)
    )
    return Finding(rows, notes=[f"Per wheel: {at_wheel}; {car.sprung:.0f} kg and {car.inertia:.0f} kg m2 sprung."])


def half_car(vehicle: Vehicle, ground: Ground) -> HalfCar:
    """Of a vehicle with two axles, which is left standing somewhere else."""
    vehicle.reset(ground)
    readout, model = vehicle.readout[0], vehicle.model
    gravity = float(ground.p[0]["gravity"])
    theta, load = readout["theta"].copy(), readout["F_C"][:, 2].copy()
    force, place = readout["spring_force"].copy(), readout["p_BK"][:, 0].copy()
    ratio, bend = motion_ratios(vehicle, theta)
    rate = np.asarray(model.struts[0]["spring_rate"]) * ratio**2 - force * bend
    borne = force * ratio  # of the load, by the spring
    unsprung = (load - borne) / gravity
    whole = float(model.chassis[0]["mass"] + model.corners[0]["corner_mass"].sum())
    sprung = whole - float(unsprung.sum())
    center = float((borne * place).sum() / borne.sum())
    rest = np.asarray(model.corners[0]["corner_mass"]) - unsprung
    chassis = model.chassis[0]
    inertia = float(chassis["inertia"][1] + chassis["mass"] * (chassis["com"][0] - center) ** 2 + (rest * (place - center) ** 2).sum())
    two = list(PLACES)
    stiffness = np.array([float(tire["stiffness"]) for tire in model.tires])
    return HalfCar(sprung, inertia, place[two] - center, 2.0 * rate[two], 2.0 * unsprung[two], 2.0 * stiffness[two])


def motion_ratios(vehicle: Vehicle, theta: Array) -> tuple[Array, Array]:
    """-dl/dz (wheels,) and d2l/dz2 (wheels,) [1/m] of spring length over wheel height at these thetas, by central differences."""

    def at(change: float) -> tuple[Array, Array]:
        vehicle.space.state[0]["theta"] = theta + change
        present_suspension(vehicle.model, vehicle.space)
        vehicle.read()
        return vehicle.readout[0]["jounce"].copy(), vehicle.readout[0]["spring_length"].copy()

    (z0, l0), (z1, l1), (z2, l2) = at(-DIFFERENCE), at(0.0), at(DIFFERENCE)
    low, high = (l1 - l0) / (z1 - z0), (l2 - l1) / (z2 - z1)
    return -0.5 * (low + high), (high - low) / (0.5 * (z2 - z0))
