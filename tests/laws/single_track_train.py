"""Linear single-track model of a vehicle with one trailer, and the free motion of a trailer as a sum of exponentials.

Lateral velocity v, yaw rate r of the towing vehicle, angle p of the joint (+ = trailer heads to the left). a, b are the
distances of front and rear axle from its center of mass, h that of the coupling behind it; for the trailer l ahead of its center to the
coupling, d behind it to the axle; F the force of the trailer on the towing vehicle:

    m1 (v' + V r) = Yf + Yr + F                 I1 r' = a Yf - b Yr - h F
    m2 (w' + V s) = Yt - F                      I2 s' = -l F - d Yt
    s = r + p',  w = v - h r - V p - l s        lateral velocity of the center of the trailer, yaw rate of the trailer
    Y = -C z,  z' = (u - V z) / R               u: lateral velocity of an axle, z: its slip behind the relaxation length R

With brake forces B, all bodies have the deceleration c = sum(B) / (m1 + m2), and the trailer pushes with X = m2 c - Bt: X p - F and -l (F - X p)
stand for -F and -l F, and w' contains c p. The tires of a locked axle slide against their velocity, with all their friction B: Y = -B u / V.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import record
from terrain.ground import Ground
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle

STEP = 1e-3
"""s."""
KICK, DURATION, IGNORED = 0.08, 1.8, 0.15
"""rad/s, yaw rate given to the trailer; s, duration of the free motion, and of its begin that is not evaluated."""
ORDER = 4
"""Number of exponentials of the free motion."""


@dataclass(frozen=True)
class Axle:
    """An axle of the single-track model."""

    x: float
    """m, ahead of the center of mass of its unit"""
    stiffness: float
    """N/rad, cornering stiffness of all its tires"""
    relaxation: float
    """m"""
    brake: float = 0.0
    """N, brake force"""

    def locked(self, friction: float) -> Axle:
        """Return the axle with locked wheels, with their friction [N]."""
        return replace(self, stiffness=friction, relaxation=0.02, brake=friction)


@dataclass(frozen=True)
class Unit:
    """Towing vehicle or trailer of the single-track model; `coupling`: m, ahead of its center of mass."""

    mass: float
    inertia: float
    axles: tuple[Axle, ...]
    coupling: float


@dataclass(frozen=True)
class SingleTrackTrain:
    """Linear single-track model of a vehicle with one trailer; see the module."""

    tow: Unit
    trailer: Unit

    def matrix(self, V: float) -> NDArray[np.float64]:
        """Return the matrix of the state (v, r, p', p, slips) at a speed [m/s]."""
        one, two = self.tow, self.trailer
        axles = [(1, axle) for axle in one.axles] + [(2, axle) for axle in two.axles]
        n = 4 + len(axles)
        h, l = -one.coupling, two.coupling
        # rows: lateral and yaw balance of both units, unknowns v', r', p'', F
        M = np.zeros((4, 4))
        M[0, 0], M[0, 3] = one.mass, -1.0
        M[1, 1], M[1, 3] = one.inertia, h
        M[2] = two.mass, -two.mass * (h + l), -two.mass * l, 1.0
        M[3] = 0.0, two.inertia, two.inertia, l
        right = np.zeros((4, n))
        right[0, 1] = -one.mass * V
        right[2, 1] = -two.mass * V
        brakes = [sum(axle.brake for axle in unit.axles) for unit in (one, two)]
        right[2, 3] = -brakes[1]
        right[3, 3] = l * (two.mass * sum(brakes) / (one.mass + two.mass) - brakes[1])
        # w' contains -V p', and V s contains V p'; they cancel
        out = np.zeros((n, n))
        for k, (unit, axle) in enumerate(axles, 4):
            row, arm = (0, axle.x) if unit == 1 else (2, axle.x)
            right[row, k] -= axle.stiffness
            right[row + 1, k] -= axle.stiffness * arm
            u = np.zeros(n)
            if unit == 1:
                u[0], u[1] = 1.0, axle.x
            else:
                u[0], u[1], u[2], u[3] = 1.0, -h - l + axle.x, -l + axle.x, -V
            out[k] = u / axle.relaxation
            out[k, k] -= V / axle.relaxation
        out[:3] = np.linalg.solve(M, right)[:3]
        out[3, 2] = 1.0
        return out

    def sway(self, V: float) -> tuple[float, float]:
        """Return frequency [rad/s] and damping ratio of the least damped oscillation at a speed [m/s]."""
        return least_damped(np.linalg.eigvals(self.matrix(V)))


def least_damped(roots: NDArray[np.complex128]) -> tuple[float, float]:
    """Return natural frequency [rad/s] and damping ratio of the least damped oscillation among the roots [1/s]."""
    swings = roots[roots.imag > 0.3]
    if not len(swings):
        return math.nan, math.inf
    one = swings[np.argmin(-swings.real / np.abs(swings))]
    return float(abs(one)), float(-one.real / abs(one))


def single_track(vehicle: Vehicle) -> SingleTrackTrain:
    """Return the single-track model of a vehicle with one trailer at rest, from its masses and the slopes of its tires at their loads."""
    assert vehicle.train is not None
    c = vehicle.train.towed[0]
    return SingleTrackTrain(_unit(vehicle, float(c["p_BH"][0])), _unit(vehicle.train.trailers[0].vehicle, float(c["p_TH"][0])))


def _unit(vehicle: Vehicle, coupling: float) -> Unit:
    chassis, corners, o = vehicle.model.chassis[0], vehicle.model.corners[0], vehicle.readout[0]
    masses, places = np.asarray(corners["corner_mass"]), o["p_BK"][:, :2]
    mass = float(chassis["mass"] + masses.sum())
    center = float(o["p_BG"][0])
    inertia = float(chassis["inertia"][2] + chassis["mass"] * (chassis["com"][0] - center) ** 2)
    inertia += float((masses * ((places[:, 0] - center) ** 2 + places[:, 1] ** 2)).sum())
    loads, tires, axles = o["F_C"][:, 2], vehicle.model.treads.tmeasy, []
    layout = vehicle.description.mechanism.axles
    for n in range(layout.size.axles):
        on = list(layout.on(n))
        stiffness = [_slope(tires[i], float(loads[i])) for i in on]
        relaxation = float(tires[on[0]]["dfy0"][0] / tires[on[0]]["tread_stiffness"][1])  # `relaxation_by: length`
        axles.append(Axle(float(places[on, 0].mean()) - center, sum(stiffness), relaxation))
    return Unit(mass, inertia, tuple(axles), coupling - center)


def _slope(tire: np.void, load: float) -> float:
    """Return the cornering stiffness [N/rad] of a TMeasy tire: a parabola through 0 and the slopes at the nominal load and twice this load."""
    one, two = (float(value) for value in tire["dfy0"])
    f = load / float(tire["load"])
    return f * (2.0 * one - 0.5 * two - (one - 0.5 * two) * f)


def free_motion(vehicle: Vehicle, ground: Ground, speed: float, kick: float = KICK) -> NDArray[np.float64]:
    """Return the yaw of the joint (n,) [rad] in each step after the trailer of a vehicle in straight motion got a yaw rate about its coupling."""
    assert vehicle.train is not None
    vehicle.reset(ground, speed=speed)
    command = record(COMMAND)
    command[0]["selector"], command[0]["throttle"] = 1, vehicle.start_throttle
    for _ in range(200):
        vehicle.step(ground, command, STEP)
    state, c = vehicle.train.trailers[0].vehicle.space.state[0], vehicle.train.towed[0]
    state["w_WB_B"][2] += kick
    state["v_WB_B"][1] -= kick * c["p_TH"][0]
    out = np.empty(round(DURATION / STEP))
    for k in range(len(out)):
        vehicle.step(ground, command, STEP)
        out[k] = vehicle.train.towing[0]["yaw"]
    return out


def roots_of(motion: NDArray[np.float64], step: float = STEP, every: int = 20, order: int = ORDER) -> NDArray[np.complex128]:
    """Return the roots [1/s] of a free motion (n,), sampled every `step` [s], as a sum of exponentials (matrix pencil with singular values)."""
    x = motion[round(IGNORED / step) :: every]
    length = len(x) // 2
    Y = np.lib.stride_tricks.sliding_window_view(x, length + 1)
    _, _, right = np.linalg.svd(Y, full_matrices=False)
    V = right[:order].T
    z = np.linalg.eigvals(np.linalg.pinv(V[:-1]) @ V[1:])
    roots = np.log(z.astype(complex)) / (every * step)
    size = np.abs(np.linalg.lstsq(z[None, :] ** np.arange(len(x))[:, None], x.astype(complex), rcond=None)[0])
    return roots[size > 0.02 * size.max()]


def with_tail_load(model: SingleTrackTrain, shift: float) -> SingleTrackTrain:
    """Return the model with the center of mass of the trailer moved back by `shift` [m]."""
    t = model.trailer
    axles = tuple(replace(axle, x=axle.x + shift) for axle in t.axles)
    return replace(model, trailer=replace(t, axles=axles, coupling=t.coupling + shift))
