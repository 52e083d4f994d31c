"""Sets the tie rods of a vehicle as a garage would: until it stands with the toe that its file wants.

The vehicle stands on level ground with its fixed masses. At the thetas at which it stands every tie rod that has a target gets the length with
which its wheel points there: the carrier turns about the line that `CornerDesign.kingpin` gives, so wheel axle and outer joint run on circles,

    v . (axle turned by x) = 0,  v = (cos h, sin h, 0) along the heading h,      rod = |K turned by x - Q|                     (1)

which is a cos, a sin and a number, solved at once; of a kind that knows no such line, or of wheels on bushings,
the length is found by secants. The vehicle is settled
again, for the wheels now stand a little elsewhere, until the toe is right as it stands. Every other round brings about four digits: toe hardly
depends on theta. As long as nothing but lengths changes, a round goes on from the equilibrium of the last one; at the end the vehicle is
settled as in any reset, so that it stands as one that was never aligned would.

The result is a vehicle like any other, its description with carriers that are turned in the design position (`CornerDesign.with_tie_rod`). The ends of
the travel stay those of the hardpoints: they keep a margin that no setting of a tie rod uses up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import add_scaled, cross, dot, scale, sub, vector
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

Vector = NDArray[np.float64]

ERROR = math.radians(1e-10)
"""rad. Largest error of a toe of the standing vehicle."""

ROUNDS = 8
"""Times the vehicle is settled; three are enough."""

SECANTS = 20
"""Lengths of a tie rod that are tried at one theta; five are enough."""

FIRST = 1e-4
"""m. Change of the length that is tried first."""


def aligned_vehicle(
    description: Description, tires: TireSet, drivetrain: Any, file: str, level: Callable[[], Ground | GroundArrays]
) -> Vehicle:
    """A vehicle with its tie rods set to the toe that its axles want; as it is described where none wants any.

    Parameters
    ----------
    description, tires, drivetrain, file : of a `Vehicle`
    level : gives the level ground on which it is set up, if that is needed

    Raises
    ------
    ConfigError : the toe of an axle cannot be set
    JounceError : the vehicle does not stand
    """
    axles, mechanism, stood = description.mechanism.axles, description.mechanism, EquilibriumCache()
    targets = {i: toe for n, axle in enumerate(description.alignments) if (toe := axle.toe) is not None for i in axles.on(n)}
    if not targets:
        return Vehicle(description, tires, drivetrain, file, stood)
    _refuse_tables(description)
    own = replace(
        mechanism,
        records=mechanism.records._replace(corners=mechanism.corners.copy()),
        own=mechanism.own.copy(),
        blocks=tuple(replace(block, parameters=block.parameters.copy()) for block in mechanism.blocks),
    )
    try:
        vehicle = Vehicle(replace(description, mechanism=own, table_tolerance=None), tires, drivetrain, file, stood)
        bench = _Bench(vehicle, arrays_of(level()), targets)
        bench.set_rods()
    except ConfigError as error:
        raise _of_toe(description, error) from None
    designs = tuple(bench.designs)
    described = replace(description, mechanism=replace(own, designs=designs), design=replace(description.design, corners=designs))
    if own.blocks or described.table_tolerance is not None:  # of blocks each vehicle has copies, and tables are made of what was set
        return Vehicle(described, tires, drivetrain, file, stood)
    vehicle.reset_to_design()
    vehicle.description = described
    return vehicle


@kernel
def rod_for(on, other, K, Q, axle, heading):
    """Length [m] of the rod between K and Q with which a wheel points to a heading [rad, + = left], eq. (1); no number: with none.

    Parameters
    ----------
    on, other : points (3,) of the line about which the carrier turns
    K, Q : outer and inner joint of the rod (3,), K on the carrier
    axle : of the wheel as it is (3,), pointing left
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
    """The same angle within half a turn of zero [rad]."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


def toe_in(headings: Vector, sides: Vector) -> Vector:
    """Toe (wheels,) [rad], + = toe-in, of wheels with these headings [rad, + = left]; sides: + for a wheel on the left."""
    return -np.sign(sides) * headings


def _refuse_tables(description: Description) -> None:
    """Raises ConfigError: the suspension is known by tables only, which are made for the tie rods that there are."""
    linkage = next((corner for corner in description.mechanism.designs if corner.linkage is not None), None)
    if linkage is not None:
        key = next(axle.key for axle in description.alignments if axle.toe is not None)
        raise ConfigError(
            linkage.file, key, "a target", f"nothing: tie rods cannot be set beside an axle from a mechanism file ({linkage.key})"
        )


def _of_toe(description: Description, error: ConfigError) -> ConfigError:
    """What a corner says of its tie rod, as a complaint about the toe of its axle."""
    axle = next((n for n, name in enumerate(description.mechanism.axles.names) if error.key == f"axles.{name}"), None)
    alignment = None if axle is None else description.alignments[axle]
    if alignment is None or alignment.toe is None:
        return error
    return ConfigError(error.file, alignment.key, f"{math.degrees(alignment.toe):g} deg", error.expected)


@dataclass
class _Bench:
    """A vehicle whose tie rods are turned."""

    vehicle: Vehicle
    level: GroundArrays
    targets: dict[int, float]
    """Toe [rad] by wheel."""

    def __post_init__(self) -> None:
        self.hardpoints: tuple[CornerDesign, ...] = self._mechanism.designs
        self.designs = list(self.hardpoints)
        self.lengths = {i: self.hardpoints[i].tierod_length for i in self.targets}
        self.slopes: dict[int, float] = {}
        self.unwritten: set[int] = set()
        """Wheels of which the kernels know the length of the tie rod only."""

    @property
    def _mechanism(self) -> MechanismParameters:
        return self.vehicle.description.mechanism

    def set_rods(self) -> None:
        """Until the vehicle stands as wanted. Raises ConfigError, JounceError."""
        self.vehicle.settle(self.level)
        for _ in range(ROUNDS):
            if self._is_right():
                self.vehicle.note_standing(self.level)
                return
            self._set_as_it_stands()
            if self.unwritten:
                self._set_rods_on()
                self.vehicle.note_level()
            self.vehicle.settle(self.level)
        raise JounceError(f"{self.vehicle.description.name}: its tie rods cannot be set: the toe changes with every round")

    def _set_rods_on(self) -> None:
        """Go on with lengths alone, the vehicle settled beside where it stood; the corners are written when that does not change them any more."""
        for _ in range(ROUNDS):
            self.vehicle.settle_on(self.level)
            if self._is_right():
                break
            self._set_as_it_stands()
        for i in list(self.unwritten):
            self._turn(i, self.lengths[i])

    def _is_right(self) -> bool:
        return bool(np.abs(self._errors()).max() < ERROR)

    def _set_as_it_stands(self) -> None:
        """Give every wheel its toe at the present theta. Raises ConfigError."""
        solved = [i for i in self.targets if self._solve_rod(i)]
        errors = dict(zip(self.targets, self._errors(), strict=True))
        for i in self.targets:
            if i not in solved:
                self._search_rod(i)
            elif not abs(errors[i]) <= ERROR:
                self._turn(i, self.lengths[i])  # which says so where the loop does not close
                raise self._no_length(i)

    def _solve_rod(self, i: int) -> bool:
        """The same for one wheel, at once; False: nobody knows the line about which its carrier turns. Raises ConfigError."""
        if self.vehicle.yields:
            return False
        s = self.vehicle.space
        line = self.hardpoints[i].kingpin(s.blocks, float(s.state[0]["theta"][i]), i)
        if line is None:
            return False
        k = s.kinematics[0]
        vectors = (*line, s.inputs[0]["Q"][:, i], k["axle"][:, i])
        on, other, K, Q, axle = (np.ascontiguousarray(one) for one in vectors)  # alike of all kinds: compiled once
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
        """Have corner i stand as with a tie rod of that length. False: its kind knows no quick way."""
        mechanism, corner = self._mechanism, self.designs[i]
        if corner.block is None:
            return corner.write_length(mechanism.own, i, length)
        block = mechanism.blocks[mechanism.block_of(i)]
        done = corner.write_length(block.parameters, i - block.first + block.lane, length)
        if done:
            self._hand_over(mechanism.block_of(i))
        return done

    def _search_rod(self, i: int) -> None:
        """The same by secants."""
        before, error = self.lengths[i], self._error(i)
        length = before - error / self.slopes[i] if i in self.slopes else before + FIRST
        for _ in range(SECANTS):
            self._turn(i, length)
            changed = self._error(i)
            if abs(changed) < 0.1 * ERROR or changed == error:
                return
            self.slopes[i] = (changed - error) / (length - before)
            before, length, error = length, length - changed / self.slopes[i], changed
        raise self._no_length(i)

    def _no_length(self, i: int) -> ConfigError:
        corner = self.hardpoints[i]
        return ConfigError(corner.file, corner.key, "no length", "a toe that a length of the tie rod gives")

    def _turn(self, i: int, length: float) -> None:
        """Give corner i a tie rod of that length and write it where the kernels find it. Raises ConfigError: the loop does not close with it."""
        mechanism = self._mechanism
        self.lengths[i], self.designs[i] = length, self.hardpoints[i].with_tie_rod(length)
        self.unwritten.discard(i)
        if self.designs[i].block is None:
            self.designs[i].write_tie_rod(mechanism.corners, mechanism.own, i)
        else:
            self._hand_over(mechanism.write_corner(i, self.designs[i]))

    def _hand_over(self, n: int) -> None:
        """Have the kernels see the parameters of block n."""
        blocks = self._mechanism.blocks
        at = sum(other.parameters.nbytes for other in blocks[:n])
        own = blocks[n].parameters.view(np.uint8).ravel()
        self.vehicle.space.blocks.parameters[at : at + len(own)] = own

    def _errors(self) -> Vector:
        """Toe of the wheels that have a target where they are, less that [rad]."""
        present_suspension(self.vehicle.model, self.vehicle.space)
        if self.vehicle.yields:
            displace_wheels(self.vehicle.model, self.vehicle.space)
        k, those = self.vehicle.space.kinematics[0], list(self.targets)
        axle = k["axle"][:, those]
        return toe_in(np.arctan2(-axle[0], axle[1]), k["W"][1, those]) - list(self.targets.values())

    def _error(self, i: int) -> float:
        """That of wheel i."""
        return float(self._errors()[list(self.targets).index(i)])
