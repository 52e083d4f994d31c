"""The vehicle linearized about its trim at a speed, its rigid-body modes removed, and what kind of mode each eigenvalue is.

[Deyo 1989, section 3.3.3.7] asks the eigenvalues of the Jacobian which integrator will be stable, takes the Jacobian by differences and
wants the zero eigenvalues of the rigid body removed first. They come from what nothing depends on: on level ground, with velocities
written in B, place, heading and the angles of the wheels. With these seven numbers last the Jacobian is

    [ A  0 ]
    [ C  N ],    N^2 = 0 (of the seven, only the place depends on one, the heading)

so its eigenvalues are those of A and seven zeros: A, the rows and columns of the seven struck out, is the vehicle without rigid modes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from vehicles.axle_layout import AxleLayout
from vehicles.integration.contract import Matrix
from vehicles.integration.implicit import differences
from vehicles.integration.stability import ComplexVector
from vehicles.ode_system import VehicleOde, places

IGNORABLE = ("place", "yaw", "wheel_angle")
"""Fields of HELD_STATE on which nothing depends."""

DEPENDENCE = 1e-4
"""Largest derivative, in SI units, by a coordinate on which nothing depends: rounding over the width of the differences."""

TREADS = ("tread",)
POSITIONS = ("height", "roll", "pitch", "theta", "tread")
"""Fields that a semi-implicit method advances with the new velocities."""

FAST = ("theta", "theta_dot", "wheel_spin", "tread")
"""Suspension, wheels and tires, beside the slow chassis [Deyo 1989]."""


@cache
def kinds_of_mode(size: AxleLayout) -> dict[str, NDArray[np.int_]]:
    """Indices of the coordinates that make a kind of mode of a vehicle of that size.

    `wheel spin` is a wheel turning on its tread, `tread` its relaxation across; a `wheel hop` without oscillation is called SCRUB.
    """
    v, w, treads = places("v_WB_B", size=size), places("w_WB_B", size=size), places(*TREADS, size=size)
    return {
        "surge": v[:1],
        "sway": v[1:2],
        "yaw": w[2:],
        "heave": np.append(places("height", size=size), v[2]),
        "pitch": np.append(places("pitch", size=size), w[1]),
        "roll": np.append(places("roll", size=size), w[0]),
        "wheel hop": places("theta", "theta_dot", size=size),
        "wheel spin": np.append(places("wheel_spin", size=size), treads[: size.wheels]),
        "tread": treads[size.wheels :],
    }


SCRUB = "scrub"
"""The arm creeps, because the tire under it must slip sideways as it moves."""


@dataclass(frozen=True)
class LinearVehicle:
    """y' = A y for small deviations y from the trim."""

    speed: float
    """m/s"""
    A: Matrix
    """(n, n) SI units"""
    coordinates: NDArray[np.int_]
    """(n,) indices of the components of y in HELD_STATE"""
    eigenvalues: ComplexVector
    """(n,) 1/s, slowest first"""
    kinds: tuple[str, ...]
    """What each eigenvalue is, a key of `kinds_of_mode` or SCRUB"""
    shares: NDArray[np.float64]
    """(n,) share of the coordinates of that kind in the mode"""
    size: AxleLayout
    """Of the vehicle"""

    def __len__(self) -> int:
        """Of y."""
        return len(self.A)

    def indices(self, *fields: str) -> NDArray[np.int_]:
        """Where fields of HELD_STATE are in y; those that are not are left out."""
        return np.flatnonzero(np.isin(self.coordinates, places(*fields, size=self.size)))


def linearize(vehicle: VehicleOde) -> LinearVehicle:
    """The vehicle near its trim, Jacobian by central differences.

    Springs are tables of straight pieces and dampers differ between bump and rebound, so the derivatives are means over a kink.

    Raises
    ------
    JounceError : something depends on place, heading or wheel angles: the ground is not level and even
    """
    J = differences(lambda y: vehicle.rates(0.0, y), vehicle.y, np.arange(len(vehicle.y)))
    return _linear(vehicle.speed, without_rigid_modes(J, vehicle, 0.0), kept_states(vehicle), vehicle.size)


def step_matrix(vehicle: VehicleOde, h: float) -> Matrix:
    """Matrix (n, n) that one step of h seconds by the scheme of `vehicles.step` multiplies small deviations with; without rigid modes."""
    J = differences(lambda y: vehicle.step(y, h), vehicle.y, np.arange(len(vehicle.y)))
    return without_rigid_modes(J, vehicle, h)


def kept_states(vehicle: VehicleOde) -> NDArray[np.int_]:
    """Coordinates of its state that make modes: none of IGNORABLE, nor what only the tread laws of other wheels have."""
    return np.setdiff1d(np.setdiff1d(np.arange(len(vehicle.y)), places(*IGNORABLE, size=vehicle.size)), vehicle.idle)


def with_rigid_treads(linear: LinearVehicle) -> LinearVehicle:
    """The same vehicle with treads that follow at once (u' = 0): slip forces without relaxation, as in a tire model without states.

    A wheel of inertia I then answers with the eigenvalue -g R^2 / I, g the force over the sliding velocity, which goes with 1 / v: stiff at
    low speed.

    Raises
    ------
    JounceError : the vehicle stands, where g has no bound
    """
    if linear.speed == 0.0:
        raise JounceError("treads cannot be rigid at rest: a tire without relaxation needs a speed to have a slip")
    u = linear.indices(*TREADS)
    x = np.setdiff1d(np.arange(len(linear.A)), u)
    A = linear.A
    reduced = A[np.ix_(x, x)] - A[np.ix_(x, u)] @ np.linalg.solve(A[np.ix_(u, u)], A[np.ix_(u, x)])
    return _linear(linear.speed, reduced, linear.coordinates[x], linear.size)


def without_rigid_modes(J: Matrix, vehicle: VehicleOde, h: float) -> Matrix:
    """Rows and columns of the kept coordinates, after a check that these do not depend on the ignorable ones (h: step of a step's matrix)."""
    moving = kept_states(vehicle)
    found = np.abs(J[np.ix_(moving, places(*IGNORABLE, size=vehicle.size))]).max()
    if found > DEPENDENCE * (h or 1.0):
        raise JounceError(f"the vehicle depends on its place or heading ({found:.2g} 1/s): linearize it on level, even ground")
    return J[np.ix_(moving, moving)]


def _linear(speed: float, A: Matrix, coordinates: NDArray[np.int_], size: AxleLayout) -> LinearVehicle:
    """Eigenvalues with their kinds: the coordinates with the largest participation, |left times right eigenvector|, which no choice of
    units changes [Perez-Arriaga, Verghese and Schweppe 1982]."""
    eigenvalues, right = np.linalg.eig(A)
    order = np.lexsort((-eigenvalues.imag, np.round(np.abs(eigenvalues), 9)))
    eigenvalues, right = eigenvalues[order], right[:, order]
    participation = np.abs(np.linalg.inv(right).T * right)
    participation /= participation.sum(axis=0)
    shares = np.array([participation[np.isin(coordinates, members)].sum(axis=0) for members in kinds_of_mode(size).values()])
    names = np.array(list(kinds_of_mode(size)))[shares.argmax(axis=0)]
    names[(names == "wheel hop") & (eigenvalues.imag == 0.0)] = SCRUB
    return LinearVehicle(speed, A, coordinates, eigenvalues, tuple(names.tolist()), shares.max(axis=0), size)
