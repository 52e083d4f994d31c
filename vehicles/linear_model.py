"""Linear model of a vehicle about any state: x' = A x + B u, y = C x + D u for small deviations, with names.

The states are those of `vehicles.ode_system`, the system of chassis, suspension, wheels and tires: engine, converter and gearbox are left out, and
so are soil, and friction and inertia of the steering. An elastic steering column twists at once. In contrast to `vehicles.linearize` the state
need not be a trim: the rates there are part of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simulator.base.arrays import Matrix, Vector
from simulator.base.errors import JounceError
from simulator.base.jit import kernel
from simulator.base.suggestions import did_you_mean
from terrain.ground import GroundArrays
from vehicles.axle_layout import WHEELS
from vehicles.integration.implicit import differences
from vehicles.integration.stability import ComplexVector
from vehicles.ode_system import ODE_STATE, VehicleOde
from vehicles.steering.column import torsion_bar_torque
from vehicles.steering.steering_torque import pitman_torque
from vehicles.tires.contract import NUMBERS
from vehicles.vehicle import Vehicle

INPUTS = ("steering_wheel_angle", "shaft_torque")
OUTPUTS = ("a_WB_B_x", "a_WB_B_y", "a_WB_B_z")


@dataclass(frozen=True, eq=False)
class LinearModel:
    """x' = rates + A x + B u, y = C x + D u, for deviations x of the state, u of the inputs and y of the outputs from those at the state.

    Attributes
    ----------
    states, inputs, outputs : names, as in the log where there is a column; all in SI units
    A, B, C, D : (n, n), (n, m), (p, n), (p, m)
    state, rates, output : (n,), (n,), (p,) values and rates there; the rates vanish in a steady state, except of place, yaw and wheel angles
    """

    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix
    state: Vector
    rates: Vector
    output: Vector

    @cached_property
    def eigenvalues(self) -> ComplexVector:
        """Eigenvalues (n,) of A [1/s], slowest first; those of place, heading and wheel angles vanish on level ground."""
        found = np.linalg.eigvals(self.A).astype(complex)
        return found[np.argsort(np.abs(found), kind="stable")]

    def slow(self, *names: str) -> LinearModel:
        """Return the model of the named states alone, which all others follow at once (x' = 0), without place, heading and wheel angles.

        `slow("v_WB_B_y", "w_WB_B_z")` is the single-track model with the suspension and the tires of this vehicle. Raises JounceError: an
        unknown name; the others have no equilibrium.
        """
        for name in names:
            if name not in self.states:
                raise JounceError(f"slow: no state {name!r}{did_you_mean(name, self.states)}; expected some of {', '.join(self.states)}")
        kept = np.array([self.states.index(name) for name in names])
        free = [n for n, name in enumerate(self.states) if name.startswith(("p_WB_x", "p_WB_y", "yaw", "wheel_angle"))]
        fast = np.setdiff1d(np.arange(len(self.states)), np.union1d(kept, free))
        try:
            follow = -np.linalg.solve(self.A[np.ix_(fast, fast)], np.column_stack((self.A[np.ix_(fast, kept)], self.B[fast])))
        except np.linalg.LinAlgError:
            raise JounceError("slow: the other states have no equilibrium; expected more names") from None
        to_state, to_input = follow[:, : len(kept)], follow[:, len(kept) :]
        across = self.A[np.ix_(kept, fast)]
        return LinearModel(
            tuple(names), self.inputs, self.outputs,
            self.A[np.ix_(kept, kept)] + across @ to_state, self.B[kept] + across @ to_input,
            self.C[:, kept] + self.C[:, fast] @ to_state, self.D + self.C[:, fast] @ to_input,
            self.state[kept], self.rates[kept], self.output,
        )  # fmt: skip


def linear_model(vehicle: Vehicle, ground: GroundArrays, torque: float) -> LinearModel:
    """Return the linear model of a vehicle at its present state, by central differences; the state is overwritten.

    Parameters
    ----------
    ground : hard below the wheels
    torque : of the driveshaft [N m], which stays as it is

    Raises
    ------
    JounceError : a wheel is on soil, or a derivative is no finite number
    """
    if (vehicle.space.under["hardness"] < 1.0).any():
        raise JounceError("linearize: a wheel is on soil, whose ruts are no state of a linear model; expected hard ground")
    ode = VehicleOde.held(vehicle, ground, torque)
    angle, ratio = ode.space.steering[0]["angle"].copy(), float(ode.model.steering[0]["gear_ratio"])
    n = len(ode.y)

    def rates_and_outputs(z: Vector) -> Vector:
        """Return rates and outputs for state and deviations of the inputs, in kN m."""
        ode.space.steering[0]["angle"], ode.torque = angle - z[n] / ratio, torque + 1e3 * z[n + 1]
        rates = ode.rates(0.0, z[:n])
        return np.concatenate(
            (rates, ode.space.out[0]["a_WB_B"], [column_twist(ode.model, ode.space) if vehicle.steering_is_free else 0.0])
        )

    here = np.concatenate((ode.y, np.zeros(2)))
    values = rates_and_outputs(here)
    moving = np.setdiff1d(np.arange(n), ode.idle)
    slopes = differences(rates_and_outputs, here, np.append(moving, (n, n + 1)))
    slopes[:, -1] *= 1e-3
    twist = slopes[-1] / (1.0 - ratio * slopes[-1, -2])  # the twist turns the arm, which changes the twist
    slopes = slopes[:-1] + np.outer(slopes[:-1, -2] * ratio, twist) if vehicle.steering_is_free else slopes[:-1]
    if not np.isfinite(slopes).all():
        raise JounceError("linearize: the rates are no finite numbers at this state; expected all wheels within their travel")
    count, of_state = len(moving), np.append(moving, np.arange(n, n + len(OUTPUTS)))
    rows = slopes[of_state]
    return LinearModel(
        tuple(np.array(_names(ode, vehicle.corner_names))[moving].tolist()), INPUTS, OUTPUTS,
        rows[:count, :count], rows[:count, count:], rows[count:, :count], rows[count:, count:],
        ode.y[moving].copy(), values[moving], values[n : n + len(OUTPUTS)],
    )  # fmt: skip


@kernel
def column_twist(m, s):
    """Return the angle [rad] by which a free arm lags the steering wheel, for the torque that it needs; after the accelerations."""
    needed = pitman_torque(m, s, m.tables.grid[0]["endless"] > 0)
    return torsion_bar_torque(m.steering, needed) / m.steering[0]["column_stiffness"]


def _names(ode: VehicleOde, corners: Sequence[str]) -> list[str]:
    """Return the names of the numbers of y."""
    names: list[str] = []
    for field, shape, *_ in ODE_STATE:
        if field == "place":
            names += ["p_WB_x", "p_WB_y"]
        elif field == "tread":
            names += [f"tread_{k}_{corner}" for k in range(NUMBERS) for corner in corners]
        elif shape == (WHEELS,):
            names += [f"{field}_{corner}" for corner in corners]
        elif shape == (3,):
            names += [f"{field}_{axis}" for axis in "xyz"]
        else:
            names.append("p_WB_z" if field == "height" else field)
    return names[: len(ode.y)]
