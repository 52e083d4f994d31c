"""Datasheet items of the vehicle at rest, from its equilibrium, kinematics and linearization; no runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.validation.datasheet.definitions import RIDE_SPEED
from terrain.ground import Ground
from vehicles.linearize import linearize
from vehicles.ode_system import VehicleOde
from vehicles.stages import present_suspension
from vehicles.steering.steering import place_tierods
from vehicles.vehicle import Vehicle

ABOUT_THE_MIDDLE = 0.02
"""Steering input to each side over which the steering ratio is averaged."""
STEERED = 0.02
"""Heading change in rad from lock to lock below which a wheel counts as not steered."""
SAME_AXLE = 0.3
"""Longitudinal distance in m up to which wheels belong to one axle."""
MODES = {"bounce": "heave", "pitch": "pitch", "roll": "roll"}
"""Kinds of modes (`vehicles.linearize`) by the names in items."""
Numbers = Mapping[str, float]


class StaticValue(NamedTuple):
    """Values of a vehicle at rest."""

    numbers: dict[str, float]
    """Values in SI units by the names of items."""
    troubles: list[str]
    """Reasons for missing values."""


class _Places(NamedTuple):
    """Wheels by axle."""

    front: NDArray[np.int_]
    rear: NDArray[np.int_]

    def ends(self) -> tuple[tuple[str, NDArray[np.int_]], ...]:
        """Return both axles with their names."""
        return ("front", self.front), ("rear", self.rear)


def static_values_of(vehicle: Vehicle, ground: Ground) -> StaticValue:
    """Return all items of a vehicle at rest on level ground. The state of the vehicle changes. Values that cannot be computed are
    missing."""
    numbers: dict[str, float] = {}
    troubles: list[str] = []
    for find in (_loads, _alignment, _travel, _steering, _modes):
        try:
            numbers |= find(vehicle, ground)
        except JounceError as error:
            troubles.append(str(error))
    return StaticValue({name: float(value) for name, value in numbers.items() if math.isfinite(value)}, troubles)


def places_of(vehicle: Vehicle) -> _Places:
    """Return the wheels of the frontmost and the rearmost axle, the left wheel first."""
    x, y = vehicle.readout[0]["p_BK"][:, 0], vehicle.readout[0]["p_BK"][:, 1]
    front, rear = (np.flatnonzero(np.abs(x - end) < SAME_AXLE) for end in (x.max(), x.min()))
    return _Places(*(wheels[np.argsort(-y[wheels])] for wheels in (front, rear)))


def _loads(vehicle: Vehicle, ground: Ground) -> Numbers:
    """Return mass, axle loads and dimensions."""
    vehicle.reset(ground)
    readout, model, places = vehicle.readout[0], vehicle.model, places_of(vehicle)
    loads = readout["F_C"][:, 2] / float(ground.p[0]["gravity"])
    length, width, _ = vehicle.description.outline
    x = readout["p_BK"][:, 0]
    out = {
        "mass": (mass := float(model.chassis[0]["mass"] + model.corners[0]["corner_mass"].sum())),
        "load": vehicle.description.load,
        "mass_unladen": mass - vehicle.description.load,
        "front_share": loads[places.front].sum() / loads.sum(),
        "length": length,
        "width": width,
        "wheelbase": x[places.front].mean() - x[places.rear].mean(),
        "ground_clearance": _clearance(vehicle),
    }
    for end, wheels in places.ends():
        out[f"axle_load_{end}"] = loads[wheels].sum()
        out[f"track_{end}"] = np.ptp(readout["p_WC"][wheels, 1])
    return out


def _clearance(vehicle: Vehicle) -> float:
    """Return the height of the lowest point of the body above level ground (m)."""
    readout, body = vehicle.readout[0], vehicle.model.body_contact[0]
    points = body["points"][: int(body["count"])]
    if not len(points):
        return math.nan
    _, x, y, z = q = readout["q_WB"]
    up = np.array([2.0 * (x * z - q[0] * y), 2.0 * (y * z + q[0] * x), 1.0 - 2.0 * (x * x + y * y)])
    return float((points @ up).min() + readout["p_WB"][2] - readout["p_WC"][:, 2].mean())


def _alignment(vehicle: Vehicle, ground: Ground) -> Numbers:
    """Return toe and camber of each wheel, and the distance to the rebound stop."""
    vehicle.reset(ground)
    readout, out = vehicle.readout[0], dict[str, float]()
    for end, wheels in places_of(vehicle).ends():
        for side, wheel, inward in (("left", wheels[0], -1.0), ("right", wheels[-1], 1.0)):
            out[f"toe_{end}_{side}"] = inward * readout["road_wheel_angle"][wheel]
            out[f"camber_{end}_{side}"] = readout["camber"][wheel]
        struts = vehicle.model.struts[0]
        stops = struts["stop_points"][wheels] > 0
        pressed = readout["spring_length"][wheels] - struts["rebound_stop_length"][wheels]
        out[f"rebound_stop_{end}"] = pressed[stops].mean() if stops.any() else math.nan
    return out


def _travel(vehicle: Vehicle, ground: Ground) -> Numbers:
    """Return the positions of the wheels in their travel."""
    vehicle.reset(ground)
    places = places_of(vehicle)
    rest = vehicle.readout[0]["jounce"].copy()
    rebound, bump = (_jounce_at(vehicle, theta) for theta in vehicle.model.corners[0]["ends"]["theta"])
    out: dict[str, float] = {}
    for end, wheels in places.ends():
        here, low, high = (heights[wheels].mean() for heights in (rest, rebound, bump))
        out |= {
            f"jounce_{end}": here,
            f"travel_used_{end}": (here - low) / (high - low),
            f"bump_travel_{end}": high - here,
            f"rebound_travel_{end}": here - low,
            f"rebound_share_{end}": (here - low) / (high - here),
        }
    return out


def _jounce_at(vehicle: Vehicle, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the heights of the wheel centers above their design positions (m) for given suspension coordinates theta."""
    vehicle.space.state[0]["theta"] = theta
    present_suspension(vehicle.model, vehicle.space)
    vehicle.read()
    heights: NDArray[np.float64] = vehicle.readout[0]["jounce"].copy()
    return heights


def _steering(vehicle: Vehicle, ground: Ground) -> Numbers:
    """Return the steering ratio and the wheel angles at full lock, at rest."""
    vehicle.reset(ground)
    lock = float(vehicle.model.steering[0]["max_arm_angle"] * vehicle.model.steering[0]["gear_ratio"])
    right, left = (_headings(vehicle, value) for value in (-1.0, 1.0))
    steered = np.abs(left - right) > STEERED
    if not steered.any():
        raise JounceError("no wheel is steered by the steering wheel")
    small_right, small_left = (_headings(vehicle, side * ABOUT_THE_MIDDLE)[steered].mean() for side in (-1.0, 1.0))
    at_lock = np.abs(left[steered])
    return {
        "steering_ratio": 2.0 * ABOUT_THE_MIDDLE * lock / (small_left - small_right),
        "steering_turns": 2.0 * lock / math.tau,
        "road_wheel_angle_inner": at_lock.max(),
        "road_wheel_angle_outer": at_lock.min(),
    }


def _headings(vehicle: Vehicle, steering: float) -> NDArray[np.float64]:
    """Return the headings of all wheels (rad, + = left) for a steering input, without suspension motion."""
    p, s = vehicle.model, vehicle.space
    s.steering[0]["angle"] = -steering * p.steering[0]["max_arm_angle"]
    place_tierods(p.steering, s.steering, s.inputs)
    present_suspension(p, s)
    axle = s.kinematics[0]["axle"]
    return np.asarray(np.arctan2(-axle[0], axle[1]))


def _modes(vehicle: Vehicle, ground: Ground) -> Numbers:
    """Return natural frequency and damping ratio of the modes of body and wheels. If several modes are of one kind, the mode with the
    largest part of that kind counts."""
    linear = linearize(VehicleOde(vehicle, ground.arrays, RIDE_SPEED))
    modes = [
        (kind, value, share) for kind, value, share in zip(linear.kinds, linear.eigenvalues, linear.shares, strict=True) if value.imag > 0.0
    ]
    out: dict[str, float] = {}
    for name, kind in MODES.items():
        of_kind = [(share, value) for other, value, share in modes if other == kind]
        if of_kind:
            value = max(of_kind, key=lambda one: one[0])[1]
            out |= {f"{name}_frequency": abs(value), f"{name}_damping": -value.real / abs(value)}
    hops = [value for kind, value, _ in modes if kind == "wheel hop"]
    for most, choose in (("least", min), ("most", max)):
        if hops:
            out[f"wheel_hop_frequency_{most}"] = choose(abs(value) for value in hops)
            out[f"wheel_hop_damping_{most}"] = choose(-value.real / abs(value) for value in hops)
    return out
