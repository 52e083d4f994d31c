"""Adjust the tie rods of a vehicle until the vehicle at rest has the toe that its file specifies.

The vehicle rests on level ground with its fixed masses. At the thetas of this equilibrium every tie rod with a target gets the length at
which its wheel has the target heading. The carrier turns about the line of `CornerDesign.kingpin`, so wheel axle and outer joint move on
circles,

    v . (axle turned by x) = 0,  v = (cos h, sin h, 0) along the heading h,      rod = |K turned by x - Q|                     (1)

Equation (1) is a sum of a cosine, a sine and a constant, and is solved in closed form. For a corner kind without such a line, and for
wheels on bushings, the secant method computes the length.

The vehicle is then settled again, because the equilibrium has changed, until the toe in equilibrium is right. Each iteration gains about
four digits, because toe hardly depends on theta. As long as only lengths change, an iteration starts from the equilibrium of the previous
one. At the end the vehicle is settled as in any reset, so that its state equals that of a vehicle that was never aligned.

The result is an ordinary vehicle whose description has carriers that are turned in the design position (`CornerDesign.with_tie_rod`). The
travel limits stay those of the hardpoints: their margin is larger than the effect of any tie-rod adjustment.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.base.algebra.vectors import add_scaled, cross, dot, scale, sub, vector
from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, JounceError
from simulator.base.jit import inline, kernel
from terrain.ground import Ground, GroundArrays
from vehicles.compliance.wheel_displacements import displace_wheels
from vehicles.description import Description
from vehicles.equilibrium_cache import EquilibriumCache
from vehicles.mechanism_parameters import MechanismParameters
from vehicles.stages import present_suspension
from vehicles.suspension.corner_design import CornerDesign
from vehicles.tires.tire_file import TireSet
from vehicles.vehicle import Vehicle, arrays_of

ERROR = math.radians(1e-10)
"""rad. Maximum error of a toe of the vehicle at rest."""

MAX_ITERATIONS = 8
"""Maximum number of times the vehicle is settled; three are enough."""

MAX_SECANTS = 20
"""Maximum number of tie-rod lengths tried at one theta; five are enough."""

FIRST_CHANGE = 1e-4
"""m. First change of the length in the secant method."""


def aligned_vehicle(
    description: Description, tires: TireSet, drivetrain: Any, file: str, level: Callable[[], Ground | GroundArrays]
) -> Vehicle:
    """Return a vehicle with its tie rods set to the toe that its axles specify; without any toe target, the vehicle as described.

    Parameters
    ----------
    description, tires, drivetrain, file : as for a `Vehicle`
    level : returns the level ground for the adjustment; called only if needed

    Raises
    ------
    ConfigError : the toe of an axle cannot be set
    JounceError : the vehicle has no static equilibrium
    """
    axles, mechanism, equilibria = description.mechanism.axles, description.mechanism, EquilibriumCache()
    targets = {i: toe for n, axle in enumerate(description.alignments) if (toe := axle.toe) is not None for i in axles.on(n)}
    if not targets:
        return Vehicle(description, tires, drivetrain, file, equilibria)
    _refuse_tables(description)
    own = replace(
        mechanism,
        records=mechanism.records._replace(corners=mechanism.corners.copy()),
        own=mechanism.own.copy(),
        blocks=tuple(replace(block, parameters=block.parameters.copy()) for block in mechanism.blocks),
    )
    try:
        vehicle = Vehicle(replace(description, mechanism=own, table_tolerance=None), tires, drivetrain, file, equilibria)
        bench = _AlignmentBench(vehicle, arrays_of(level()), targets)
        bench.set_rods()
    except ConfigError as error:
        raise _as_toe_error(description, error) from None
    designs = tuple(bench.designs)
    described = replace(description, mechanism=replace(own, designs=designs), design=replace(description.design, corners=designs))
    if own.blocks or described.table_tolerance is not None:  # each vehicle copies its blocks, and tables depend on the adjusted rods
        return Vehicle(described, tires, drivetrain, file, equilibria)
    vehicle.reset_to_design()
    vehicle.description = described
    return vehicle


@kernel
def rod_for(on, other, K, Q, axle, heading):
    """Return the rod length [m] between K and Q at which a wheel has a heading [rad, + = left], eq. (1); NaN if no length exists.

    Parameters
    ----------
    on, other : points (3,) of the line about which the carrier turns
    K, Q : outer and inner joint of the rod (3,), K on the carrier
    axle : present direction of the wheel axle (3,), pointing left
    """
    along_line = sub(vector(other), vector(on))
    n, v, a = scale(1.0 / math.sqrt(dot(along_line, along_line)), along_line), (math.cos(heading), math.sin(heading), 0.0), vector(axle)
    along = dot(a, n)
    cos_part, sin_part = dot(add_scaled(a, -along, n), v), dot(cross(n, a), v)
    reach = -along * dot(n, v) / math.hypot(cos_part, sin_part)
    if not -1.0 <= reach <= 1.0:
        return math.nan
    middle, half = math.atan2(sin_part, cos_part), math.acos(reach)
    turn, back = nearest_turn(middle + half), nearest_turn(middle - half)
    if abs(back) < abs(turn):
        turn = back
    arm = sub(vector(K), vector(on))
    foot = add_scaled(vector(on), dot(arm, n), n)
    r = sub(vector(K), foot)
    rod = sub(add_scaled(add_scaled(foot, math.cos(turn), r), math.sin(turn), cross(n, r)), vector(Q))
    return math.sqrt(dot(rod, rod))


@inline
def nearest_turn(angle):
    """Return the equivalent angle within half a turn of zero [rad]."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


def toe_in(headings: Vector, sides: Vector) -> Vector:
    """Return the toe (wheels,) [rad], + = toe-in, for wheel headings [rad, + = left]; sides: + for a wheel on the left."""
    return -np.sign(sides) * headings


def _refuse_tables(description: Description) -> None:
    """Raise ConfigError if the suspension exists only as tables, which are built for the given tie rods."""
    linkage = next((corner for corner in description.mechanism.designs if corner.linkage is not None), None)
    if linkage is not None:
        key = next(axle.key for axle in description.alignments if axle.toe is not None)
        raise ConfigError(
            linkage.file,
            key,
            "a target",
            f"no toe: tie rods cannot be adjusted with an axle from a mechanism file or a table ({linkage.key})",
        )


def _as_toe_error(description: Description, error: ConfigError) -> ConfigError:
    """Return an error about the tie rod of a corner as an error about the toe of its axle."""
    axle = next((n for n, name in enumerate(description.mechanism.axles.names) if error.key == f"axles.{name}"), None)
    alignment = None if axle is None else description.alignments[axle]
    if alignment is None or alignment.toe is None:
        return error
    return ConfigError(error.file, alignment.key, f"{math.degrees(alignment.toe):g} deg", error.expected)


@dataclass
class _AlignmentBench:
    """A vehicle whose tie rods are being adjusted."""

    vehicle: Vehicle
    level: GroundArrays
    targets: dict[int, float]
    """Toe [rad] by wheel index."""

    def __post_init__(self) -> None:
        self.hardpoints: tuple[CornerDesign, ...] = self._mechanism.designs
        self.designs = list(self.hardpoints)
        self.lengths = {i: self.hardpoints[i].tierod_length for i in self.targets}
        self.slopes: dict[int, float] = {}
        self.unwritten: set[int] = set()
        """Wheels whose new tie-rod length only the kernels have; the corner design is not updated yet."""

    @property
    def _mechanism(self) -> MechanismParameters:
        return self.vehicle.description.mechanism

    def set_rods(self) -> None:
        """Adjust the tie rods until the vehicle at rest has all target toes. Raises ConfigError, JounceError."""
        self.vehicle.settle(self.level)
        for _ in range(MAX_ITERATIONS):
            if self._is_right():
                self.vehicle.cache_equilibrium(self.level)
                return
            self._adjust_all()
            if self.unwritten:
                self._set_rods_on()
                self.vehicle.cache_level_equilibrium()
            self.vehicle.settle(self.level)
        raise JounceError(f"{self.vehicle.description.name}: cannot set the tie rods; the toe does not converge")

    def _set_rods_on(self) -> None:
        """Iterate with lengths alone, each time from the previous equilibrium; write the corner designs when the toe is right."""
        for _ in range(MAX_ITERATIONS):
            self.vehicle.settle_on(self.level)
            if self._is_right():
                break
            self._adjust_all()
        for i in list(self.unwritten):
            self._turn(i, self.lengths[i])

    def _is_right(self) -> bool:
        return bool(np.abs(self._errors()).max() < ERROR)

    def _adjust_all(self) -> None:
        """Give every wheel its toe at the present theta. Raises ConfigError."""
        solved = [i for i in self.targets if self._solve_rod(i)]
        errors = dict(zip(self.targets, self._errors(), strict=True))
        for i in self.targets:
            if i not in solved:
                self._search_rod(i)
            elif not abs(errors[i]) <= ERROR:
                self._turn(i, self.lengths[i])  # raises ConfigError where the loop does not close
                raise self._no_length(i)

    def _solve_rod(self, i: int) -> bool:
        """Set the toe of one wheel in closed form; return False if the turning axis of its carrier is unknown. Raises ConfigError."""
        if self.vehicle.has_compliance:
            return False
        s = self.vehicle.space
        line = self.hardpoints[i].kingpin(s.blocks, float(s.state[0]["theta"][i]), i)
        if line is None:
            return False
        k = s.kinematics[0]
        vectors = (*line, s.inputs[0]["Q"][:, i], k["axle"][:, i])
        on, other, K, Q, axle = (np.ascontiguousarray(one) for one in vectors)  # one array layout for all kinds: compiled once
        length = rod_for(on, other, K, Q, axle, -float(np.sign(k["W"][1, i])) * self.targets[i])
        if math.isnan(length):
            raise self._no_length(i)
        if self._write_length(i, length):
            self.lengths[i] = length
            self.unwritten.add(i)
        else:
            self._turn(i, length)
        return True

    def _write_length(self, i: int, length: float) -> bool:
        """Write the tie-rod length of corner i into the kernel records. Return False if its kind has no direct formula."""
        mechanism, corner = self._mechanism, self.designs[i]
        if corner.block is None:
            return corner.write_length(mechanism.own, i, length)
        block = mechanism.blocks[mechanism.block_of(i)]
        done = corner.write_length(block.parameters, i - block.first + block.lane, length)
        if done:
            self._hand_over(mechanism.block_of(i))
        return done

    def _search_rod(self, i: int) -> None:
        """Set the toe of one wheel by the secant method."""
        before, error = self.lengths[i], self._error(i)
        length = before - error / self.slopes[i] if i in self.slopes else before + FIRST_CHANGE
        for _ in range(MAX_SECANTS):
            self._turn(i, length)
            changed = self._error(i)
            if abs(changed) < 0.1 * ERROR or changed == error:
                return
            self.slopes[i] = (changed - error) / (length - before)
            before, length, error = length, length - changed / self.slopes[i], changed
        raise self._no_length(i)

    def _no_length(self, i: int) -> ConfigError:
        corner = self.hardpoints[i]
        return ConfigError(corner.file, corner.key, "no length", "a toe that the tie rod can reach")

    def _turn(self, i: int, length: float) -> None:
        """Give corner i a tie rod of this length and write its records. Raises ConfigError if the loop does not close with this length."""
        mechanism = self._mechanism
        self.lengths[i], self.designs[i] = length, self.hardpoints[i].with_tie_rod(length)
        self.unwritten.discard(i)
        if self.designs[i].block is None:
            self.designs[i].write_tie_rod(mechanism.corners, mechanism.own, i)
        else:
            self._hand_over(mechanism.write_corner(i, self.designs[i]))

    def _hand_over(self, n: int) -> None:
        """Copy the parameters of block n into the memory that the kernels read."""
        blocks = self._mechanism.blocks
        at = sum(other.parameters.nbytes for other in blocks[:n])
        own = blocks[n].parameters.view(np.uint8).ravel()
        self.vehicle.space.blocks.parameters[at : at + len(own)] = own

    def _errors(self) -> Vector:
        """Return the present toe of the wheels with a target, minus the target [rad]."""
        present_suspension(self.vehicle.model, self.vehicle.space)
        if self.vehicle.has_compliance:
            displace_wheels(self.vehicle.model, self.vehicle.space)
        k, those = self.vehicle.space.kinematics[0], list(self.targets)
        axle = k["axle"][:, those]
        return toe_in(np.arctan2(-axle[0], axle[1]), k["W"][1, those]) - list(self.targets.values())

    def _error(self, i: int) -> float:
        """Return the toe error of wheel i [rad]."""
        return float(self._errors()[list(self.targets).index(i)])
