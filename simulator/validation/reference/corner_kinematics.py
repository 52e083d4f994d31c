"""Curves of a left corner over wheel travel and rack displacement, with first and second derivatives.

A row has `travel`, the height of the wheel center in the chassis above its design position, and on a steered axle `rack`, the rack
displacement to the left [m]. All other columns are compared. `_dz` and `_dzz` are derivatives by travel with fixed rack, `_ds` and
`_dss` by rack with fixed travel, `_dzs` is the mixed derivative.

Along a path with given rates of travel and rack, the kernels give velocities and accelerations, which are the first and second
derivatives along the path. The mixed derivative follows from two paths, f_zs = (f''(1, 1) - f''(1, -1)) / 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.validation.reference.corner_accelerations import BodyMotions, MacPhersonMotions, SemiTrailingArmMotions, motions_of
from vehicles.description import Description
from vehicles.mechanism_parameters import new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.blocks import place_blocks
from vehicles.suspension.hard_stops import no_ends

INPUTS = ("travel", "rack")
QUANTITIES = ("theta", "wheel_x", "wheel_y", "toe_in", "camber", "caster", "kingpin", "strut_length", "spring_length", "shock_length")
"""Compared quantities. With e the axle pointing outward and k from the lower ball joint to the top of the strut: toe_in = atan2(e_x,
e_y), camber = atan2(-e_z, |e_xy|), caster = atan2(-k_x, k_z), kingpin = atan2(-k_y, k_z) [rad]; lengths and the wheel center [m];
theta in jounce."""
DERIVATIVES = {"_dz": (1.0, 0.0), "_dzz": (1.0, 0.0), "_ds": (0.0, 1.0), "_dss": (0.0, 1.0), "_dzs": (1.0, 1.0)}
"""Rates of travel and rack of the path for each derivative suffix."""

STEPS = 50
"""Maximum number of steps of Newton's method for theta."""
NEWTON_TOLERANCE = 1e-15
"""Tolerance of Newton's method in m."""


class Jet(NamedTuple):
    """A number or a vector along a path, with its first and second derivatives."""

    value: Array
    first: Array
    second: Array

    def of(self, j: int) -> Jet:
        """Return component j of a vector."""
        return Jet(self.value[j], self.first[j], self.second[j])


def atan2(a: Jet, b: Jet) -> Jet:
    """Return the jet of atan2."""
    (a0, a1, a2), (b0, b1, b2) = a, b
    square, slope = a0 * a0 + b0 * b0, 2.0 * (a0 * a1 + b0 * b1)
    first = (a1 * b0 - a0 * b1) / square
    return Jet(np.arctan2(a0, b0), first, (a2 * b0 - a0 * b2 - first * slope) / square)


def length(a: Jet) -> Jet:
    """Return the jet of the length of a vector."""
    value, first, second = a
    size = np.sqrt(value @ value)
    slope = value @ first / size
    return Jet(size, slope, (first @ first + value @ second - slope * slope) / size)


def negative(a: Jet) -> Jet:
    """Return -a."""
    return Jet(-a.value, -a.first, -a.second)


class CornerCurves:
    """Left corner of an axle of a vehicle.

    Raises
    ------
    ConfigError : the corner is of a kind without such curves
    """

    def __init__(self, vehicle: Description, i: int) -> None:
        self.vehicle, self.i = vehicle, i
        self.space = new_workspace(vehicle.mechanism)
        motion: BodyMotions = motions_of(vehicle.mechanism, self.space, i)
        if not isinstance(motion, MacPhersonMotions | SemiTrailingArmMotions):
            expected = "a vehicle (--vehicle) with a corner of the kind macpherson or semi_trailing_arm"
            raise ConfigError(motion.corner.file, motion.corner.key, motion.corner.kind, expected)
        self.motion = motion
        self.steering = record(STEERING_STATE)
        self.corners = vehicle.mechanism.corners.copy()
        self.corners[0]["ends"] = no_ends()[0]
        self.steered = i == 0 and isinstance(motion, MacPhersonMotions)

    def __call__(self, travel: float, rack: float, names: Sequence[str]) -> dict[str, float] | None:
        """Return the values of the columns `names` at a travel and a rack position [m], or None if the wheel cannot reach the travel."""
        theta = self._theta(travel, rack)
        if theta is None:
            return None
        ends = {end for name in names for end in DERIVATIVES if name.endswith(end)}
        paths = {DERIVATIVES[end] for end in ends} | ({(1.0, -1.0)} if "_dzs" in ends else set())
        jets = {path: self._along(theta, rack, path) for path in paths or {(1.0, 0.0)}}
        anywhere = next(iter(jets.values()))
        out = {}
        for name in names:
            quantity, end = _split(name)
            if end == "":
                out[name] = float(anywhere[quantity].value)
            elif end == "_dzs":
                out[name] = float(jets[1.0, 1.0][quantity].second - jets[1.0, -1.0][quantity].second) / 4.0
            else:
                jet = jets[DERIVATIVES[end]][quantity]
                out[name] = float(jet.first if len(end) == 3 else jet.second)
        return out

    def _theta(self, travel: float, rack: float) -> float | None:
        """Return theta by Newton's method from the design position, with limited steps that stay on its branch."""
        theta, height = 0.0, self.motion.corner.W[2]
        for _ in range(STEPS):
            self._place(theta, rack, 1.0, 0.0, 0.0)
            k = self.space.kinematics[0]
            off, slope = travel + height - k["W"][2, self.i], k["W_1"][2, self.i]
            step = float(np.clip(off / slope, -0.1, 0.1)) if slope > 0.0 else np.nan
            if not np.isfinite(step):
                return None
            if abs(off) <= NEWTON_TOLERANCE or theta + step == theta:
                return theta
            theta += step
        return theta if abs(off) < 1e-14 else None

    def _place(self, theta: float, rack: float, rate: float, rack_rate: float, accel: float) -> None:
        q, travel = self.space.inputs, self.vehicle.steering[0]["rack_travel"]
        if self.steered:
            self.steering[0]["angle"], self.steering[0]["rate"], self.steering[0]["acceleration"] = rack / travel, rack_rate / travel, 0.0
            place_tierods(self.vehicle.steering, self.steering, q)
        self.space.state[0]["theta"][self.i] = q[0]["theta"][self.i] = theta
        self.space.state[0]["theta_dot"][self.i] = q[0]["theta_dot"][self.i] = rate
        self.space.out[0]["theta_ddot"][self.i] = accel
        place_blocks(self.corners, self.space.blocks, q, self.space.kinematics)

    def _along(self, theta: float, rack: float, path: tuple[float, float]) -> dict[str, Jet]:
        """Return all quantities for given rates of travel and rack without acceleration."""
        risen = []
        for rate in (0.0, 1.0):
            self._place(theta, rack, rate, path[1] * (1.0 - rate), 0.0)
            risen.append(self.space.kinematics[0]["W_dot"][2, self.i])
        rate = (path[0] - risen[0]) / risen[1]
        self._place(theta, rack, rate, path[1], 0.0)
        accel = -float(self._wheel().second[2]) / risen[1]
        self._place(theta, rack, rate, path[1], accel)
        return self._quantities(Jet(np.array(theta), np.array(rate), np.array(accel)))

    def _on_carrier(self, point: Array) -> Jet:
        """Return the jet of a point of the carrier, given in the design position."""
        m, b = self.motion, self.motion.carrier
        c, v, a, w, alpha = (m.relative(name)[b] for name in ("c", "v_rel", "a_rel", "w_rel", "alpha_rel"))
        p = self.space.kinematics[0]["W"][:, self.i] + m.turn() @ (point - m.corner.W)
        r = p - c
        return Jet(p, v + np.cross(w, r), a + np.cross(alpha, r) + np.cross(w, np.cross(w, r)))

    def _wheel(self) -> Jet:
        return self._on_carrier(self.motion.corner.W)

    def _quantities(self, theta: Jet) -> dict[str, Jet]:
        m, corner = self.motion, self.motion.corner
        w, alpha = (m.relative(name)[m.carrier] for name in ("w_rel", "alpha_rel"))
        axle = self.space.kinematics[0]["axle"][:, self.i]
        e, W = Jet(axle, np.cross(w, axle), np.cross(alpha, axle) + np.cross(w, np.cross(w, axle))), self._wheel()
        across = length(Jet(e.value[:2], e.first[:2], e.second[:2]))
        jets = {
            "theta": theta,
            "wheel_x": W.of(0),
            "wheel_y": W.of(1),
            "toe_in": atan2(e.of(0), e.of(1)),
            "camber": atan2(negative(e.of(2)), across),
        }
        shock, spring = self._on_carrier(corner.B), self._on_carrier(corner.S)
        jets["shock_length"], jets["spring_length"] = (length(_less(end, top)) for end, top in ((shock, corner.J), (spring, corner.U)))
        if isinstance(m, MacPhersonMotions):
            jets["strut_length"] = jets["shock_length"]
            k = negative(_less(self._on_carrier(corner.D), corner.J))
            jets["caster"], jets["kingpin"] = atan2(negative(k.of(0)), k.of(2)), atan2(negative(k.of(1)), k.of(2))
        return jets


def _less(a: Jet, point: Array) -> Jet:
    return Jet(a.value - point, a.first, a.second)


def _split(column: str) -> tuple[str, str]:
    """Return the quantity and the derivative suffix of a column."""
    for quantity in QUANTITIES:
        if column == quantity or (column.startswith(quantity) and column[len(quantity) :] in DERIVATIVES):
            return quantity, column[len(quantity) :]
    return "", ""


def compared_columns(names: Sequence[str], steered: bool, has_axis: bool, path: Path) -> list[str]:
    """Return the compared columns of a file. Raises ConfigError: there are none, or derivatives by a rack without a rack."""
    columns = [name for name in names if _split(name)[0] and (has_axis or _split(name)[0] not in ("caster", "kingpin", "strut_length"))]
    by_rack = next((name for name in names if name == "rack" or _split(name)[1] in ("_ds", "_dss", "_dzs")), None)
    if by_rack is not None and not steered:
        raise ConfigError(path, by_rack, "a column", "no such column, since this axle has no rack")
    if not columns:
        ends = ", ".join(DERIVATIVES)
        raise ConfigError(path, "", sorted(names), f"at least one of {', '.join(QUANTITIES)}, also with the suffix {ends}")
    return columns
