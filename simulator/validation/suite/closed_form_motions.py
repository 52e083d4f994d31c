"""Motions with closed-form solutions: stopping with locked wheels, sliding on a slope, and coasting.

The force of a sliding wheel is that of full sliding under its load, which follows from the masses: TMeasy's F(q) = q (2 F_1 - F_2 / 2 -
(F_1 - F_2 / 2) q) with q = F_z / F_z,nom [Rill], scaled by the friction for which the tire data are valid.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.report.plot import Axis, Panel, over_reference
from simulator.validation.suite.mass_properties import masses
from simulator.validation.suite.reference_runs import CORNERS, FRONT, REAR, drive, slippery, straight
from simulator.validation.suite.result import Finding, PageFigure, ReferenceData, Row, within
from vehicles.vehicle import Vehicle
from vehicles.vehicle_model import VehicleModel

FRICTIONS = (0.15, 0.3)
"""Friction values on which every wheel locks."""
FROM, DOWN_TO = 14.0, 3.0
"""Speeds in m/s between which the locked vehicle is evaluated."""
GRADE, ICE = 0.3, 0.15
"""Rise over run of the shipped slope, and friction of its upper part, on which locked wheels slide."""
COAST_FROM, COAST_FOR = 25.0, 39.0
"""Start speed in m/s and duration of coasting in s."""
LOCKED = {
    "name": "locked",
    "throttle": 0,
    "brake": {"type": "ramp", "from": 0, "to": 1, "rate": 10},
    "until": {"when": "speed", "below_kph": 1},
}
"""Phase with full braking until standstill."""
SLID = 0.5
"""Minimum speed of a slide in m/s for the evaluation."""


def stopping(source: ReferenceData) -> Finding:
    """Evaluate stops with locked wheels."""
    rows: list[Row] = []
    for friction in FRICTIONS:
        source.progress(f"stop at a friction of {friction:g}")
        driven = drive([straight(16.0, 0.5), LOCKED], 16.0, changes=slippery(friction))
        v, x = driven.column("v_WB_B_x"), driven.column("p_WB_x")
        first, last = int(np.flatnonzero(v < FROM)[0]), int(np.flatnonzero(v < DOWN_TO)[0])
        drag = _drag(driven.simulation.vehicle, math.sqrt(0.5 * (v[first] ** 2 + v[last] ** 2)))
        a = locked(driven.simulation.vehicle, friction) + drag
        rows.append(
            within(
                f"distance from {FROM:g} to {DOWN_TO:g} m/s, friction {friction:g}",
                x[last] - x[first],
                (v[first] ** 2 - v[last] ** 2) / (2.0 * a),
                "m",
                0.01,
            )
        )
    return Finding(rows)


def sliding(source: ReferenceData) -> Finding:
    """Evaluate a slide with locked wheels up an icy slope and down again."""
    source.progress("a slope with ice")
    ice = {"terrain.patches": [{"friction": ICE, "x": [10.0, 900.0]}]}
    phases = [
        {"name": "up", "steering_deg": 0, "speed_kph": 36, "until": {"when": "distance", "above_m": 16}},
        {"name": "slide", "throttle": 0, "brake": 1, "lasts_s": 5},
    ]
    driven = drive(phases, 10.0, "slope", ice)
    t, v = driven.column("time"), driven.column("v_WB_B_x")
    locked_ = (np.abs(driven.wheels("wheel_spin")) < 0.3).all(axis=1)
    up, down = locked_ & (v > SLID), locked_ & (v < -SLID)
    angle = math.atan(GRADE)
    pull = STANDARD_GRAVITY * math.sin(angle)
    rising, falling = (pull + direction * locked(driven.simulation.vehicle, ICE, angle, direction) for direction in (1, -1))
    rows = [
        within("deceleration of the slide up", -_slope_of(t[up], v[up]), rising, "m/s2", 0.02),
        within("acceleration of the slide down", -_slope_of(t[down], v[down]), falling, "m/s2", 0.02),
    ]
    shown = t >= t[up][0]
    known = np.where(v[shown] > 0.0, rising, falling)
    course = v[shown][0] - np.concatenate([[0.0], np.cumsum(known[1:] * np.diff(t[shown]))])
    panel = _speed_panel("Sliding up a slope, and down", t[shown], course, v[shown])
    return Finding(rows, [PageFigure("sliding", "all wheels locked on a slope of 30 %, friction 0.15", [panel])])


def coasting(source: ReferenceData) -> Finding:
    """Evaluate coasting in neutral with the rolling resistance and drag of the files, m v' = -(A + B v^2)."""
    source.progress("coasting")
    neutral = {"name": "coast", "throttle": 0, "gear": "neutral", "lasts_s": COAST_FOR + 2.0}
    driven = drive([straight(COAST_FROM, 1.0), neutral], COAST_FROM)
    t, v = driven.column("time"), driven.column("v_WB_B_x")
    rolled = (t >= 2.0) & (t <= 2.0 + COAST_FOR)
    t, v = t[rolled] - t[rolled][0], v[rolled]
    vehicle = driven.simulation.vehicle
    mass, spin = masses(vehicle).mass, np.asarray(vehicle.model.corners[0]["spin_inertia"], float)
    rolling = np.mean([float(tire["rolling_resistance"]) for tire in vehicle.model.tires])
    radius = float(np.mean(v / driven.wheels("wheel_spin", rolled).mean(axis=1)))
    A, B, total = rolling * mass * STANDARD_GRAVITY, _drag(vehicle, 1.0) * mass, mass + spin.sum() / radius**2
    course = math.sqrt(A / B) * np.tan(math.atan(v[0] * math.sqrt(B / A)) - t * math.sqrt(A * B) / total)
    rows = [within(f"speed lost in {COAST_FOR:g} s from {v[0]:.1f} m/s", v[0] - v[-1], float(v[0] - course[-1]), "m/s", 0.08)]
    panel = _speed_panel("Coasting in neutral", t, course, v)
    return Finding(rows, [PageFigure("coasting", "rolling resistance and drag only", [panel])])


def _speed_panel(title: str, time: Array, reference: Array, speed: Array) -> Panel:
    """Return a speed over time next to its closed form."""
    curves = over_reference(time, ("closed form", reference), ("Jounce", speed))
    return Panel(title, Axis("time", "s"), Axis("speed", "m/s"), curves)


def locked(vehicle: Vehicle, friction: float, angle: float = 0.0, direction: int = 1) -> float:
    """Return friction over mass (m/s2) of a vehicle that slides with locked wheels, forward (direction 1) or backward (-1), on a slope
    (rad).

    The friction shifts load in proportion to the height of the center of mass. The body is rigid, in its position at rest on level
    ground.
    """
    total, model = masses(vehicle), vehicle.model
    x = np.array([corner.W[0] for corner in vehicle.description.mechanism.designs])
    front, rear = float(x[FRONT].mean()), float(x[REAR].mean())
    base, height = front - rear, float(total.com[2]) + _ride_height(vehicle)
    weight, force = total.mass * STANDARD_GRAVITY * math.cos(angle), 0.0
    for _ in range(20):  # the load transfer changes the force only slightly: this converges at once
        shift = direction * force * height / base
        loads = np.repeat(
            [(weight * (total.com[0] - rear) / base + shift) / 2.0, (weight * (front - total.com[0]) / base - shift) / 2.0], 2
        )
        force = float(sum(full_sliding(model, wheel, float(loads[wheel]), friction) for wheel in range(len(CORNERS))))
    return force / total.mass


def full_sliding(model: VehicleModel, wheel: int, load: float, friction: float) -> float:
    """Return the longitudinal force in N of a sliding TMeasy tire."""
    tread = model.treads.tmeasy[wheel]
    q = load / float(tread["load"])
    F1, F2 = (float(value) for value in tread["fxs"])
    return friction / float(model.tires[wheel]["friction"]) * q * (2.0 * F1 - 0.5 * F2 - (F1 - 0.5 * F2) * q)


def _ride_height(vehicle: Vehicle) -> float:
    """Return the height in m of the chassis reference point above the ground, at rest on the deflected tires."""
    radius, stiffness = (np.array([float(tire[name]) for tire in vehicle.model.tires]) for name in ("radius", "stiffness"))
    wheel = np.array([corner.W[2] for corner in vehicle.description.mechanism.designs])
    load = masses(vehicle).mass * STANDARD_GRAVITY / len(wheel)
    return float((radius - load / stiffness - wheel).mean())


def _drag(vehicle: Vehicle, speed: float) -> float:
    """Return the deceleration by air drag in m/s2."""
    body = vehicle.description.body[0]
    return float(0.5 * body["air_density"] * body["drag_area"] * speed**2 / masses(vehicle).mass)


def _slope_of(t: Array, v: Array) -> float:
    """Return the mean rate of change (m/s2)."""
    return float((v[-1] - v[0]) / (t[-1] - t[0]))
