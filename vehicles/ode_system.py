"""The vehicle as one system of ordinary differential equations y' = f(y): fixed steering and driveshaft torque, brakes released, neutral.

The tick advances the vehicle with `vehicles.step`, which contains implicit blocks. Here the same components (chassis, corners, tires and
the inertias from the driveshaft to the wheels) give the rates of a flat state. Any integrator of `vehicles.integration` can advance this
state, and `vehicles.linearize` computes its Jacobian. Engine, converter and gearbox are left out; they would only increase the inertia of
the wheels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import cross, vector
from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.base.jit import inline, kernel
from simulator.base.rotations import euler_angles, quaternion_of_rotation, rotation_of_euler, rotation_of_quaternion
from terrain.ground import GroundArrays
from vehicles.axle_layout import USUAL, WHEELS, AxleLayout, record_for
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.driveline import driveshaft_speed, solve_wheels, wheel_share
from vehicles.drivetrain.shaft_momentum import half_shaft_inertia, reactions, shaft_momentum
from vehicles.integration.implicit import differences
from vehicles.stages import add_drive_reactions, gather_tire_loads, integrate, solve_accelerations, update_suspension_exact
from vehicles.tires.contract import MEMORY, NUMBERS
from vehicles.tires.radial import effective_radius
from vehicles.tires.tire_set import advance_tire, evaluate_callback_models, press_tire, touch_ground
from vehicles.vehicle import Vehicle

ODE_STATE = (
    # name          shape   unit     what it is
    ("place", (2,), "m", "x and y of the chassis reference point in the world"),
    ("yaw", (), "rad", "heading"),
    ("wheel_angle", (WHEELS,), "rad", "angles of the wheels relative to their carriers"),
    ("height", (), "m", "z of the chassis reference point"),
    ("roll", (), "rad", "R_WB = Rz(yaw) Ry(pitch) Rx(roll)"),
    ("pitch", (), "rad", "pitch angle, see roll"),
    ("theta", (WHEELS,), "rad", "lower-arm angles"),
    ("v_WB_B", (3,), "m/s", "velocity of the chassis reference point, in B"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B"),
    ("theta_dot", (WHEELS,), "rad/s", "rates of the lower-arm angles"),
    ("wheel_spin", (WHEELS,), "rad/s", "absolute spins of the wheels"),
    ("tread", (NUMBERS, WHEELS), "", "states of the tire models, first state of all wheels, then second state of all wheels, and so on"),
)
"""State of the ODE. On level ground the motion does not depend on the seven numbers of the first three rows. Of the last row a vehicle uses
as many states as its tire model with the largest state has. The row is last, so that the state of a vehicle is the first part of the
record."""

MEMORY_ITERATIONS = 5
"""Iterations after which the first guesses of slip and secant of a tire no longer affect its forces."""

RESIDUAL = 1e-8
"""SI units. Maximum rate of a trimmed vehicle."""

MAX_ITERATIONS = 30
"""Maximum number of Newton iterations; five are enough."""


class VehicleOde:
    """A vehicle in trim at a speed, straight ahead on level ground.

    Parameters
    ----------
    vehicle : is reset, and must not be used elsewhere afterwards
    ground : GroundArrays; level and hard
    speed : m/s, >= 0

    Attributes
    ----------
    size : numbers of axles and wheels
    y : (n,) state in trim, the first part of a record of ODE_STATE as numbers; 36 numbers for four wheels with the two states of TMeasy
    idle : indices in y of states that the tire model of the wheel lacks
    torque : driveshaft torque [N m] that keeps the speed

    Raises
    ------
    JounceError : no trim exists
    """

    def __init__(self, vehicle: Vehicle, ground: GroundArrays, speed: float) -> None:
        vehicle.reset(ground)
        self._use(vehicle, ground, speed)
        self.space.axles[0]["brake_torque"] = 0.0
        self.y = self._trim()

    @classmethod
    def held(cls, vehicle: Vehicle, ground: GroundArrays, torque: float) -> VehicleOde:
        """Return the system of a vehicle at its present state, with its present steering and brake torques and a driveshaft torque [N m], without a
        trim."""
        one = cls.__new__(cls)
        one._use(vehicle, ground, float(vehicle.space.state[0]["v_WB_B"][0]))
        one.torque = torque
        start = record_for(ODE_STATE, one.size)
        read_ode_state(one.space, start)
        one.y = start.view(np.float64)[: one._bodies + one.size.wheels * one.model.treads.laws["numbers"].max()].copy()
        return one

    def _use(self, vehicle: Vehicle, ground: GroundArrays, speed: float) -> None:
        """Use the records of a vehicle."""
        self.model, self.space, self.ground = vehicle.model, vehicle.space, ground
        self.speed, self.torque, self.size = speed, 0.0, vehicle.size
        self._from, self._to = record_for(ODE_STATE, self.size), record_for(ODE_STATE, self.size)
        counts = self.model.treads.laws["numbers"]
        self._bodies = self._from.view(np.float64).size - NUMBERS * self.size.wheels  # numbers before the tire states
        self.idle = self._bodies + np.flatnonzero((np.arange(counts.max())[:, None] >= counts).ravel())

    def __len__(self) -> int:
        """Length of y."""
        return len(self.y)

    def indices(self, *fields: str) -> NDArray[np.int_]:
        """Return the indices of fields of ODE_STATE in y, which may have fewer tire states than the record."""
        found = places(*fields, size=self.size)
        return found[found < len(self.y)]

    def rates(self, t: float, y: Vector) -> Vector:
        """Return y' (n,) at the state y; f does not depend on the time t."""
        self._from.view(np.float64)[: len(y)] = y
        ode_rates(self.model, self.space, self.ground, self.torque, self._from, self._to)
        return self._to.view(np.float64)[: len(y)].copy()

    def step(self, y: Vector, h: float) -> Vector:
        """Return the state after one step of h seconds of the scheme of `vehicles.step`."""
        self._from.view(np.float64)[: len(y)] = y
        ode_step(self.model, self.space, self.ground, self.torque, self._from, h)
        return self._from.view(np.float64)[: len(y)].copy()

    def _trim(self) -> Vector:
        """Solve by Newton's method for the state in which only the ignorable coordinates change; unknowns include torque, sideslip and
        steering."""
        start, size = record_for(ODE_STATE, self.size), self.size
        read_ode_state(self.space, start)
        deflection = float(self.space.contacts["tire_deflection"].mean())
        start[0]["wheel_spin"] = [self.speed / effective_radius(float(tire["radius"]), deflection) for tire in self.model.tires]
        y = start.view(np.float64)[: self._bodies + size.wheels * self.model.treads.laws["numbers"].max()]
        treads = np.setdiff1d(np.arange(self._bodies, len(y)), self.idle)
        free = np.concatenate([places("height", "roll", "pitch", "theta", "wheel_spin", size=size), treads])
        resting = np.concatenate([places("v_WB_B", "w_WB_B", "theta_dot", "wheel_spin", size=size), treads])
        unknown = np.concatenate([y[free], np.zeros(3)])

        def rest(x: Vector) -> Vector:
            """Return the rates that must vanish, as many as `x`, for `free` followed by sideslip velocity [m/s], torque [kN m], Pitman
            angle [rad]."""
            y[free] = x[:-3]
            sideslip, torque, self.space.steering[0]["angle"] = x[-3:]
            self.torque = 1e3 * torque
            R = np.empty((3, 3))
            rotation_of_euler(start[0]["roll"], start[0]["pitch"], start[0]["yaw"], R)
            start[0]["v_WB_B"] = R.T @ [self.speed, sideslip, 0.0]
            return self.rates(0.0, y)[resting]

        for _ in range(MAX_ITERATIONS):
            residual = rest(unknown)
            if np.abs(residual).max() < RESIDUAL:
                return y.copy()
            jacobian = differences(rest, unknown, np.arange(len(unknown)), 1e-7)
            if not (np.isfinite(residual).all() and np.isfinite(jacobian).all()):
                break  # a corner does not close at this state
            unknown = unknown - np.linalg.lstsq(jacobian, residual, rcond=1e-15)[0]
        raise JounceError(f"no trim at {self.speed:g} m/s (residual: {np.abs(rest(unknown)).max():.2g})")


def places(*names: str, size: AxleLayout = USUAL) -> NDArray[np.int_]:
    """Return the indices of fields of ODE_STATE in the record as numbers, for a vehicle of this size."""
    marks = record_for(ODE_STATE, size)
    for name in names:
        marks[0][name] = 1.0
    return np.flatnonzero(marks.view(np.float64))


@kernel
def ode_rates(m, s, ground, torque, c, rate):
    """Compute the rates of the state c, records of ODE_STATE, under a driveshaft torque [N m]; s is overwritten."""
    write_ode_state(s, c)
    update_suspension_exact(m, s, 0.0)
    settled_tire_forces(m, s, ground, 0.0)
    gather_tire_loads(s)
    spin_rates(m, s, torque)
    add_drive_reactions(m, s, ground)
    solve_accelerations(m, s, ground)
    write_rates(s, c, rate)


@kernel
def ode_step(m, s, ground, torque, c, h):
    """Advance the state c by h seconds under a driveshaft torque [N m], in the order and by the scheme of `vehicle_step`."""
    write_ode_state(s, c)
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
    read_ode_state(s, c)


@inline
def settled_tire_forces(m, s, ground, h):
    """Compute forces and rates of the tires from their states alone; iterate the guesses until they converge."""
    for _ in range(MEMORY_ITERATIONS):
        for i in range(len(s.wheels)):
            touch_ground(m, s, i, ground)
            press_tire(m, s, i, h)
        evaluate_callback_models(m, s, h, False)
        for i in range(len(s.wheels)):
            advance_tire(m, s, i, 0.0)


@inline
def spin_rates(m, s, torque):
    """Write the rates of the wheel spins [rad/s2] into `change` of s.drivetrain, half-shaft torques and reactions into s.axles.

    As in `conventional_step` without brakes, with T_c / r equal to the given torque: (I + J) W' = moment + n torque. Half
    shafts are rigid here.
    """
    d = s.drivetrain[0]
    for i in range(len(s.wheels)):
        d["load"][i] = s.loads[0]["axle_moment"][i] + wheel_share(m.drivetrain, axle_of(m.drivetrain, i)) * torque
        d["diagonal"][i] = m.corners[0]["spin_inertia"][i] + half_shaft_inertia(m.drivetrain, i)
        d["yielding"][i] = 1.0 / d["diagonal"][i]
    solve_wheels(m.drivetrain, s.drivetrain, m.drivetrain[0]["driveshaft_inertia"])
    for i in range(len(s.wheels)):
        s.axles[0]["drive_torque"][i] = m.corners[0]["spin_inertia"][i] * d["change"][i] - s.loads[0]["axle_moment"][i]
    d["shaft_end_change"] = driveshaft_speed(m.drivetrain, d["change"])  # rigid half shafts
    d["shaft_end_speed"] = driveshaft_speed(m.drivetrain, s.state[0]["wheel_spin"])
    reactions(m.drivetrain, s.drivetrain, 0.0, 0.0, 1.0, s.axles)
    if m.drivetrain[0]["joint_couples"] > 0:
        shaft_momentum(m.drivetrain, s.drivetrain, s.state[0]["wheel_spin"], 0.0, s.axles)


@inline
def write_ode_state(s, c):
    """Copy c, a record of ODE_STATE, into the state of the vehicle; tire memory from earlier steps is cleared."""
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
def read_ode_state(s, c):
    """Copy the state of the vehicle into c, a record of ODE_STATE."""
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
    """Write the rates of c from the accelerations, the changes of the wheel spins and the rates of the tire states."""
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
