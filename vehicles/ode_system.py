"""The vehicle as one system of ordinary differential equations y' = f(y): steering and driveshaft torque held, brakes off, neutral.

The tick advances the vehicle by `vehicles.step`, which has its implicit pieces inside. Here the same parts, chassis, corners, tires and the
inertias from the driveshaft to the wheels, give rates of a flat state, so that any integrator of `vehicles.integration` can drive it and
its Jacobian can be taken (`vehicles.linearize`). Engine, converter and gearbox are left out; with them the wheels would only be heavier.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import cross, vector
from simulator.base.errors import JounceError
from simulator.base.jit import inline, kernel
from simulator.base.rotations import euler_angles, quaternion_of_rotation, rotation_of_euler, rotation_of_quaternion
from terrain.ground import GroundArrays
from vehicles.axle_layout import USUAL, WHEELS, AxleLayout, record_for
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.driveline import solve_wheels, wheel_share
from vehicles.drivetrain.shaft_momentum import half_shaft_inertia, reactions, shaft_momentum
from vehicles.integration.contract import Vector
from vehicles.integration.implicit import differences
from vehicles.stages import add_drive_reactions, gather_tire_loads, integrate, solve_accelerations, update_suspension_exact
from vehicles.tires.contract import MEMORY, NUMBERS
from vehicles.tires.radial import effective_radius
from vehicles.tires.tire_set import advance_tire, evaluate_callback_models, press_tire, touch_ground
from vehicles.vehicle import Vehicle

HELD_STATE = (
    # name          shape   unit     what it is
    ("place", (2,), "m", "x and y of the chassis reference point in the world"),
    ("yaw", (), "rad", "heading"),
    ("wheel_angle", (WHEELS,), "rad", "angles of the wheels relative to their carriers"),
    ("height", (), "m", "z of the chassis reference point"),
    ("roll", (), "rad", "R_WB = Rz(yaw) Ry(pitch) Rx(roll)"),
    ("pitch", (), "rad", "the same"),
    ("theta", (WHEELS,), "rad", "lower-arm angles"),
    ("v_WB_B", (3,), "m/s", "velocity of the chassis reference point, in B"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B"),
    ("theta_dot", (WHEELS,), "rad/s", "rates of the lower-arm angles"),
    ("wheel_spin", (WHEELS,), "rad/s", "absolute spins of the wheels"),
    ("tread", (NUMBERS, WHEELS), "", "numbers of the states of the tread laws, the first ones of all wheels, then the second ones"),
)
"""On level ground nothing depends on the seven numbers of the first three rows. Of the last row as much counts as the tread law with the
largest state has: it comes last, so that a vehicle's state is the first part of the record."""

MEMORY_ROUNDS = 5
"""Rounds after which a tire's first guesses of slip and secant no longer show in its forces."""

RESIDUAL = 1e-8
"""SI units. Largest rate of a trimmed vehicle."""

ROUNDS = 30
"""Newton rounds before giving up; five are enough."""


class VehicleOde:
    """A vehicle in trim at a speed, straight ahead on level ground.

    Parameters
    ----------
    vehicle : is reset, and then belongs to this object
    ground : GroundArrays; level and hard
    speed : m/s, >= 0

    Attributes
    ----------
    size : numbers of axles and wheels
    y : (n,) state in trim, the first part of a record of HELD_STATE read as numbers; 36 of them with four wheels on TMeasy's two
    idle : indices of numbers of y that the tread law of their wheel does not have
    torque : driveshaft torque [N m] that keeps the speed

    Raises
    ------
    JounceError : no trim is found
    """

    def __init__(self, vehicle: Vehicle, ground: GroundArrays, speed: float) -> None:
        vehicle.reset(ground)
        self.model, self.space, self.ground = vehicle.model, vehicle.space, ground
        self.space.axles[0]["brake_torque"] = 0.0
        self.speed, self.torque, self.size = speed, 0.0, vehicle.size
        self._from, self._to = record_for(HELD_STATE, self.size), record_for(HELD_STATE, self.size)
        counts = self.model.treads.laws["numbers"]
        self._bodies = self._from.view(np.float64).size - NUMBERS * self.size.wheels  # numbers before those of the treads
        self.idle = self._bodies + np.flatnonzero((np.arange(counts.max())[:, None] >= counts).ravel())
        self.y = self._trim()

    def __len__(self) -> int:
        """Of y."""
        return len(self.y)

    def indices(self, *fields: str) -> NDArray[np.int_]:
        """Where fields of HELD_STATE are in y, which may have fewer numbers of its treads than they."""
        found = places(*fields, size=self.size)
        return found[found < len(self.y)]

    def rates(self, t: float, y: Vector) -> Vector:
        """y' (n,) at the state y; the time t does not matter."""
        self._from.view(np.float64)[: len(y)] = y
        held_rates(self.model, self.space, self.ground, self.torque, self._from, self._to)
        return self._to.view(np.float64)[: len(y)].copy()

    def step(self, y: Vector, h: float) -> Vector:
        """State after one step of h seconds by the scheme of `vehicles.step`."""
        self._from.view(np.float64)[: len(y)] = y
        held_step(self.model, self.space, self.ground, self.torque, self._from, h)
        return self._from.view(np.float64)[: len(y)].copy()

    def _trim(self) -> Vector:
        """Newton's method for the state in which only the ignorable coordinates change, by torque, sideslip and steering."""
        start, size = record_for(HELD_STATE, self.size), self.size
        read_held(self.space, start)
        deflection = float(self.space.contacts["tire_deflection"].mean())
        start[0]["wheel_spin"] = [self.speed / effective_radius(float(tire["radius"]), deflection) for tire in self.model.tires]
        y = start.view(np.float64)[: self._bodies + size.wheels * self.model.treads.laws["numbers"].max()]
        treads = np.setdiff1d(np.arange(self._bodies, len(y)), self.idle)
        free = np.concatenate([places("height", "roll", "pitch", "theta", "wheel_spin", size=size), treads])
        resting = np.concatenate([places("v_WB_B", "w_WB_B", "theta_dot", "wheel_spin", size=size), treads])
        unknown = np.concatenate([y[free], np.zeros(3)])

        def rest(x: Vector) -> Vector:
            """Rates that have to vanish, as many as `x`, for `free` followed by sideslip velocity [m/s], torque [kN m], Pitman angle [rad]."""
            y[free] = x[:-3]
            sideslip, torque, self.space.steering[0]["angle"] = x[-3:]
            self.torque = 1e3 * torque
            R = np.empty((3, 3))
            rotation_of_euler(start[0]["roll"], start[0]["pitch"], start[0]["yaw"], R)
            start[0]["v_WB_B"] = R.T @ [self.speed, sideslip, 0.0]
            return self.rates(0.0, y)[resting]

        for _ in range(ROUNDS):
            residual = rest(unknown)
            if np.abs(residual).max() < RESIDUAL:
                return y.copy()
            jacobian = differences(rest, unknown, np.arange(len(unknown)), 1e-7)
            if not (np.isfinite(residual).all() and np.isfinite(jacobian).all()):
                break  # a corner does not close there
            unknown = unknown - np.linalg.lstsq(jacobian, residual, rcond=1e-15)[0]
        raise JounceError(f"no trim at {self.speed:g} m/s (left over: {np.abs(rest(unknown)).max():.2g})")


def places(*names: str, size: AxleLayout = USUAL) -> NDArray[np.int_]:
    """Indices of fields of HELD_STATE in it, read as numbers, for a vehicle of that size."""
    marks = record_for(HELD_STATE, size)
    for name in names:
        marks[0][name] = 1.0
    return np.flatnonzero(marks.view(np.float64))


@kernel
def held_rates(m, s, ground, torque, c, rate):
    """Rates of the state c, records of HELD_STATE, under a driveshaft torque [N m]; s is overwritten."""
    write_held(s, c)
    update_suspension_exact(m, s, 0.0)
    settled_tire_forces(m, s, ground, 0.0)
    gather_tire_loads(s)
    spin_rates(m, s, torque)
    add_drive_reactions(m, s, ground)
    solve_accelerations(m, s, ground)
    write_rates(s, c, rate)


@kernel
def held_step(m, s, ground, torque, c, h):
    """One step of h seconds of the state c under a driveshaft torque [N m], in the order and by the scheme of `vehicle_step`."""
    write_held(s, c)
    update_suspension_exact(m, s, h)
    settled_tire_forces(m, s, ground, h)
    for i in range(len(s.wheels)):
        advance_tire(m, s, i, h)
    gather_tire_loads(s)
    spin_rates(m, s, torque)
    for i in range(len(s.wheels)):
        s.state[0]["wheel_spin"][i] += h * s.drivetrain[0]["change"][i]
    add_drive_reactions(m, s, ground)
    solve_accelerations(m, s, ground)
    integrate(m, s, h)
    read_held(s, c)


@inline
def settled_tire_forces(m, s, ground, h):
    """Forces and rates of the tires from their states alone, their guesses being made better until they are right."""
    for _ in range(MEMORY_ROUNDS):
        for i in range(len(s.wheels)):
            touch_ground(m, s, i, ground)
            press_tire(m, s, i, h)
        evaluate_callback_models(m, s, h, False)
        for i in range(len(s.wheels)):
            advance_tire(m, s, i, 0.0)


@inline
def spin_rates(m, s, torque):
    """Rates of the wheel spins [rad/s2] into s.drivetrain `change`, half-shaft torques and reactions into s.axles.

    As in `drivetrain_step` without brakes, T_c / r being the given torque: (I + J) W' = moment + n torque.
    """
    d = s.drivetrain[0]
    for i in range(len(s.wheels)):
        d["load"][i] = s.loads[0]["axle_moment"][i] + wheel_share(m.drivetrain, axle_of(m.drivetrain, i)) * torque
        d["diagonal"][i] = m.corners[0]["spin_inertia"][i] + half_shaft_inertia(m.drivetrain, i)
        d["yielding"][i] = 1.0 / d["diagonal"][i]
    solve_wheels(m.drivetrain, s.drivetrain, m.drivetrain[0]["driveshaft_inertia"])
    for i in range(len(s.wheels)):
        s.axles[0]["drive_torque"][i] = m.corners[0]["spin_inertia"][i] * d["change"][i] - s.loads[0]["axle_moment"][i]
    reactions(m.drivetrain, s.drivetrain, 0.0, 0.0, 1.0, s.axles)
    if m.drivetrain[0]["joint_couples"] > 0:
        shaft_momentum(m.drivetrain, s.state[0]["wheel_spin"], 0.0, s.axles)


@inline
def write_held(s, c):
    """State of the vehicle out of c, a record of HELD_STATE; tires without memory of the step before."""
    x, R = s.state[0], s.work[0]["R_WB"]
    rotation_of_euler(c[0]["roll"], c[0]["pitch"], c[0]["yaw"], R)
    quaternion_of_rotation(R, x["q_WB"])
    x["p_WB"][0], x["p_WB"][1], x["p_WB"][2] = c[0]["place"][0], c[0]["place"][1], c[0]["height"]
    for j in range(3):
        x["v_WB_B"][j], x["w_WB_B"][j] = c[0]["v_WB_B"][j], c[0]["w_WB_B"][j]
    for i in range(len(s.wheels)):
        x["theta"][i], x["theta_dot"][i] = c[0]["theta"][i], c[0]["theta_dot"][i]
        x["wheel_angle"][i], x["wheel_spin"][i] = c[0]["wheel_angle"][i], c[0]["wheel_spin"][i]
        tire = s.tires[i]
        tire["slip"][0], tire["slip"][1], tire["dent"] = 0.0, 0.0, 0.0
        for k in range(NUMBERS):
            s.treads[i]["numbers"][k] = c[0]["tread"][k, i]
        for k in range(MEMORY):
            s.treads[i]["memory"][k] = 0.0
        tire["e_W"][0], tire["e_W"][1], tire["e_W"][2] = 0.0, 0.0, -1.0


@kernel
def read_held(s, c):
    """The same back."""
    x, R = s.state[0], s.work[0]["R_WB"]
    rotation_of_quaternion(x["q_WB"], R)
    c[0]["roll"], c[0]["pitch"], c[0]["yaw"] = euler_angles(R)
    c[0]["place"][0], c[0]["place"][1], c[0]["height"] = x["p_WB"][0], x["p_WB"][1], x["p_WB"][2]
    for j in range(3):
        c[0]["v_WB_B"][j], c[0]["w_WB_B"][j] = x["v_WB_B"][j], x["w_WB_B"][j]
    for i in range(len(s.wheels)):
        c[0]["theta"][i], c[0]["theta_dot"][i] = x["theta"][i], x["theta_dot"][i]
        c[0]["wheel_angle"][i], c[0]["wheel_spin"][i] = x["wheel_angle"][i], x["wheel_spin"][i]
        for k in range(NUMBERS):
            c[0]["tread"][k, i] = s.treads[i]["numbers"][k]


@inline
def write_rates(s, c, rate):
    """Rates of c out of the accelerations, the spins' changes and the treads' rates."""
    o, d, R = s.out[0], s.drivetrain[0], s.work[0]["R_WB"]
    v, w = vector(c[0]["v_WB_B"]), vector(c[0]["w_WB_B"])
    rate[0]["place"][0] = R[0, 0] * v[0] + R[0, 1] * v[1] + R[0, 2] * v[2]
    rate[0]["place"][1] = R[1, 0] * v[0] + R[1, 1] * v[1] + R[1, 2] * v[2]
    rate[0]["height"] = R[2, 0] * v[0] + R[2, 1] * v[1] + R[2, 2] * v[2]
    cr, sr = math.cos(c[0]["roll"]), math.sin(c[0]["roll"])
    rate[0]["yaw"] = (sr * w[1] + cr * w[2]) / math.cos(c[0]["pitch"])
    rate[0]["pitch"] = cr * w[1] - sr * w[2]
    rate[0]["roll"] = w[0] + math.sin(c[0]["pitch"]) * rate[0]["yaw"]
    w_v = cross(w, v)
    for j in range(3):
        rate[0]["v_WB_B"][j] = o["a_WB_B"][j] - w_v[j]
        rate[0]["w_WB_B"][j] = o["alpha_WB_B"][j]
    for i in range(len(s.wheels)):
        rate[0]["theta"][i], rate[0]["theta_dot"][i] = c[0]["theta_dot"][i], o["theta_ddot"][i]
        rate[0]["wheel_angle"][i] = c[0]["wheel_spin"][i] - o["carrier_spin"][i]
        rate[0]["wheel_spin"][i] = d["change"][i]
        for k in range(NUMBERS):
            rate[0]["tread"][k, i] = s.contacts[i]["tread_rate"][k]
