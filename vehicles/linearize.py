"""Linearized vehicle about its trim at a speed, without rigid-body modes, and the classification of its eigenvalues.

[Deyo 1989, section 3.3.3.7] predicts the stability of an integrator from the eigenvalues of the Jacobian, computes the Jacobian by
differences and removes the zero eigenvalues of the rigid body first. These eigenvalues belong to coordinates without influence: on level
ground, with velocities in B, these are position, heading and wheel angles. With these seven numbers last the Jacobian is

    [ A  0 ]
    [ C  N ],    N^2 = 0 (of the seven, only the position depends on one, the heading)

so its eigenvalues are those of A and seven zeros: A, without the rows and columns of the seven, is the vehicle without rigid modes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Matrix
from simulator.base.errors import JounceError
from vehicles.axle_layout import AxleLayout
from vehicles.integration.implicit import differences
from vehicles.integration.stability import ComplexVector
from vehicles.ode_system import VehicleOde, places

IGNORABLE = ("place", "yaw", "wheel_angle")
"""Fields of ODE_STATE without influence on the motion."""

DEPENDENCE = 1e-4
"""Maximum derivative, in SI units, with respect to a coordinate without influence: rounding error over the width of the differences."""

TREADS = ("tread",)
POSITIONS = ("height", "roll", "pitch", "theta", "tread")
"""Fields that a semi-implicit method advances with the new velocities."""

FAST_STATES = ("theta", "theta_dot", "wheel_spin", "tread")
"""Suspension, wheels and tires; the chassis is slow in comparison [Deyo 1989]."""


@cache
def kinds_of_mode(size: AxleLayout) -> dict[str, NDArray[np.int_]]:
    """Return the indices of the coordinates of each kind of mode, for a vehicle of this size.

    `wheel spin` is a wheel rotating on its tread, `tread` the lateral relaxation. A `wheel hop` without oscillation is called SCRUB.
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
"""The suspension arm creeps, because the tire below it must slip sideways when the arm moves."""


@dataclass(frozen=True)
class LinearVehicle:
    """y' = A y for small deviations y from the trim."""

    speed: float
    """m/s"""
    A: Matrix
    """(n, n) SI units"""
    coordinates: NDArray[np.int_]
    """(n,) indices of the components of y in ODE_STATE"""
    eigenvalues: ComplexVector
    """(n,) 1/s, slowest first"""
    kinds: tuple[str, ...]
    """Kind of each eigenvalue, a key of `kinds_of_mode` or SCRUB"""
    shares: NDArray[np.float64]
    """(n,) fraction of the participation that belongs to coordinates of this kind"""
    size: AxleLayout
    """Numbers of axles and wheels of the vehicle"""

    def __len__(self) -> int:
        """Length of y."""
        return len(self.A)

    def indices(self, *fields: str) -> NDArray[np.int_]:
        """Return the indices in y of fields of ODE_STATE; fields that y lacks are left out."""
        return np.flatnonzero(np.isin(self.coordinates, places(*fields, size=self.size)))


def linearize(vehicle: VehicleOde) -> LinearVehicle:
    """Linearize the vehicle about its trim; the Jacobian is computed by central differences.

    Springs are piecewise linear and dampers differ between bump and rebound, so a derivative at a kink is the mean of both sides.

    Raises
    ------
    JounceError : the derivatives depend on position, heading or wheel angles: the ground is not level and even
    """
    J = differences(lambda y: vehicle.rates(0.0, y), vehicle.y, np.arange(len(vehicle.y)))
    return _linear(vehicle.speed, without_rigid_modes(J, vehicle, 0.0), retained_states(vehicle), vehicle.size)


def step_matrix(vehicle: VehicleOde, h: float) -> Matrix:
    """Return the matrix (n, n) by which one step of h seconds of `vehicles.step` multiplies small deviations; without rigid modes."""
    J = differences(lambda y: vehicle.step(y, h), vehicle.y, np.arange(len(vehicle.y)))
    return without_rigid_modes(J, vehicle, h)


def retained_states(vehicle: VehicleOde) -> NDArray[np.int_]:
    """Return the coordinates of the state that form modes: without IGNORABLE and without states that the tire model of a wheel lacks."""
    return np.setdiff1d(np.setdiff1d(np.arange(len(vehicle.y)), places(*IGNORABLE, size=vehicle.size)), vehicle.idle)


def with_rigid_treads(linear: LinearVehicle) -> LinearVehicle:
    """Return the vehicle with treads that follow at once (u' = 0): slip forces without relaxation, as in a tire model without states.

    A wheel of inertia I then has the eigenvalue -g R^2 / I, with g the force per sliding velocity. The eigenvalue is proportional to 1 / v:
    stiff at low speed.

    Raises
    ------
    JounceError : the vehicle is at rest, where g has no bound
    """
    if linear.speed == 0.0:
        raise JounceError("treads cannot be rigid at rest; a tire without relaxation needs a speed above 0 to have a slip")
    u = linear.indices(*TREADS)
    x = np.setdiff1d(np.arange(len(linear.A)), u)
    A = linear.A
    reduced = A[np.ix_(x, x)] - A[np.ix_(x, u)] @ np.linalg.solve(A[np.ix_(u, u)], A[np.ix_(u, x)])
    return _linear(linear.speed, reduced, linear.coordinates[x], linear.size)


def without_rigid_modes(J: Matrix, vehicle: VehicleOde, h: float) -> Matrix:
    """Return the rows and columns of the retained coordinates, after a check that they do not depend on the ignorable ones.

    h : step size [s] if J is the matrix of a step, else 0
    """
    moving = retained_states(vehicle)
    largest = np.abs(J[np.ix_(moving, places(*IGNORABLE, size=vehicle.size))]).max()
    if largest > DEPENDENCE * (h or 1.0):
        raise JounceError(f"the vehicle depends on its position or heading ({largest:.2g} 1/s); hint: linearize it on level, even ground")
    return J[np.ix_(moving, moving)]


def _linear(speed: float, A: Matrix, coordinates: NDArray[np.int_], size: AxleLayout) -> LinearVehicle:
    """Return the eigenvalues with their kinds. The kind is that of the coordinates with the largest participation, |left times right
    eigenvector|, which does not depend on the choice of units [Perez-Arriaga, Verghese and Schweppe 1982]."""
    eigenvalues, right = np.linalg.eig(A)
    order = np.lexsort((-eigenvalues.imag, np.round(np.abs(eigenvalues), 9)))
    eigenvalues, right = eigenvalues[order], right[:, order]
    participation = np.abs(np.linalg.inv(right).T * right)
    participation /= participation.sum(axis=0)
    shares = np.array([participation[np.isin(coordinates, members)].sum(axis=0) for members in kinds_of_mode(size).values()])
    names = np.array(list(kinds_of_mode(size)))[shares.argmax(axis=0)]
    names[(names == "wheel hop") & (eigenvalues.imag == 0.0)] = SCRUB
    return LinearVehicle(speed, A, coordinates, eigenvalues, tuple(names.tolist()), shares.max(axis=0), size)
