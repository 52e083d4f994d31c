"""K&C test rig: the body fixed in its static position, each wheel on a pad that moves up and down and is loaded in its plane.

The pads float: they carry the load of the suspension and apply no force except the specified one. The wheels do not roll, so no damper
acts and no tire slips. A tire is a radial spring between rim and pad. All quantities are in the axes of the ground, x forward, y left, z
up, from the chassis reference point.

With Q the force on theta of springs, bars and weight, J the velocities of a wheel per theta' and w the loads on the wheel (couple and
force at its center), an axle is in equilibrium if

    Q + sum J^T w = 0,    e = C w + C_o w_o                                                                                    (1)

The equation is linear in the upward forces of the pads, F_z, for given positions of the wheels; e is the displacement of a wheel by the
bushings (`vehicles.compliance`). A free steering arm is in equilibrium between the twist of its column, with the assist, and the loads
times the velocities of the wheels per rate of the arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.algebra.array_vectors import cross
from simulator.base.arrays import Vector
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.rotations import rotation_of_quaternion
from terrain.ground import Ground
from vehicles.compliance.wheel_displacements import BEAM, about_axle
from vehicles.fill_readout import find_points
from vehicles.stages import present_suspension
from vehicles.steering.steering import place_tierods
from vehicles.vehicle import Vehicle

UP = np.array([0.0, 0.0, 1.0])

ROUNDS = 60
"""Maximum iterations for the loads and displacements of the wheels, and for the heights of the pads; ten and five are usual."""
REST = 1e-12
"""m, rad. Tolerance of the change of the displacements."""
HEIGHT = 1e-10
"""m. Tolerance of the height of a pad."""
STIFF = 1e5
"""N/m, about the stiffness of a wheel on its pad; converts a load residual into a height residual."""
RENEWED = 12
"""Iterations after which the Jacobian is recomputed."""
MAX_CHANGE = 0.05
"""rad, m. Maximum change in an iteration."""
TURN = 1e-5
"""rad of the steering arm, step of the central differences for velocities per rate of the arm."""


@dataclass(frozen=True)
class Push:
    """Force and torque on a wheel in addition to the load of the pad.

    Attributes
    ----------
    force : (3,) N, at the contact, in the axes of the ground; the third component is not used
    couple : N m about the vertical axis
    about_axle : fraction of the moment of the force about the wheel axle that the carrier bears: 0 for a rolling wheel, 1 for a locked wheel
    """

    force: Vector
    couple: float = 0.0
    about_axle: float = 0.0


NOTHING = Push(np.zeros(3))


@dataclass(frozen=True)
class Wheel:
    """State of a wheel on its pad, in the axes of the ground from the chassis reference point."""

    center: Vector
    contact: Vector
    frame: Vector
    """(3, 3) axes of the carrier as columns, equal to the axes of the chassis in the design position"""
    axle: Vector
    load: float
    """N, upward force of the pad"""
    spring_length: float
    spring_force: float
    left: bool

    @property
    def steer(self) -> float:
        """Heading [rad], + = left."""
        return math.atan2(-float(self.axle[0]), float(self.axle[1]))

    @property
    def toe(self) -> float:
        """Toe angle [rad], + = toe-in."""
        return -self.steer if self.left else self.steer

    @property
    def camber(self) -> float:
        """Camber angle [rad], + = top outwards."""
        return (-1.0 if self.left else 1.0) * math.asin(float(self.axle[2]))

    @property
    def windup(self) -> float:
        """Rotation [rad] of the carrier about its axle, + = top backwards; on an axle that is not steered, the change of caster."""
        forward = cross(self.axle, UP)
        return -math.asin(float(self.frame[:, 2] @ forward) / float(np.linalg.norm(forward)))


@dataclass(frozen=True)
class Place:
    """Equilibrium of an axle on the rig."""

    wheels: tuple[Wheel, ...]
    arm: float
    """rad, angle of the steering arm"""
    theta: Vector


class Rig:
    """A vehicle on the rig.

    Parameters
    ----------
    vehicle : the rig resets the vehicle on the ground and changes its state from then on
    ground : level and hard

    Raises
    ------
    JounceError : the vehicle has no equilibrium
    """

    def __init__(self, vehicle: Vehicle, ground: Ground) -> None:
        vehicle.reset(ground)
        self.vehicle, self._m, self._s = vehicle, vehicle.model, vehicle.space
        self.R = np.empty((3, 3))
        rotation_of_quaternion(self._s.state[0]["q_WB"], self.R)
        self._gravity = self.R.T @ np.array([0.0, 0.0, -STANDARD_GRAVITY])
        self._state = self._s.state.copy()
        self.axles = vehicle.description.mechanism.axles
        steering = self._m.steering[0]
        self.free = bool(steering["free"])
        self.ratio = float(steering["gear_ratio"])
        self._present = compiled_call(present_suspension, self._m, self._s)
        tabulated = self._m.tables.grid[0]["theta_cells"] > 0
        self._carriers = compiled_call(find_points, self._m, self._s) if tabulated else None
        """Compute the carriers, for vehicles with tables, which contain the wheels only."""
        self.standing = [self.at(n, self.theta_of(n), 0.0) for n in range(len(self.axles.names))]
        self.pads = [np.array([wheel.contact[2] for wheel in place.wheels]) for place in self.standing]

    def theta_of(self, n: int) -> Vector:
        """Return the coordinates of axle n in the static position."""
        return np.array(self._state[0]["theta"][list(self.axles.on(n))])

    def is_steered(self, n: int) -> bool:
        """Return whether the steering moves the axle."""
        sides, theta = list(self.axles.on(n)), self.theta_of(n)
        (straight, *_), (turned, *_) = self._turned(n, theta, 0.0), self._turned(n, theta, TURN)
        return bool(np.any(straight["axle"][:, sides] != turned["axle"][:, sides]))

    def center_of_mass(self) -> Vector:
        """Return the center of mass of the vehicle at rest (3,) [m], in the axes of the ground from the chassis reference point."""
        k, _, _ = self._turned(0, self.theta_of(0), 0.0)
        chassis, corners = self._m.chassis[0], self._m.corners[0]
        mass = float(chassis["mass"]) + float(corners["corner_mass"].sum())
        return np.asarray(self.R @ (chassis["mass"] * chassis["com"] + k["moment"].sum(axis=1)) / mass)

    def on_pads(self, n: int, heights: Vector, hand: float = 0.0, pushes: Sequence[Push] = (), near: Place | None = None) -> Place:
        """Return the equilibrium of axle n on raised pads.

        Parameters
        ----------
        heights : (sides,) m, of the pads above their static height
        hand : rad, angle of the steering wheel, converted to the arm
        near : a nearby equilibrium, initial value of the iteration

        Raises
        ------
        JounceError : the suspension does not reach this position
        """
        target = self.pads[n] + heights
        return self._reach(n, hand, pushes, lambda place: [w.contact[2] - z for w, z in zip(place.wheels, target, strict=True)], near)

    def at_centers(self, n: int, heights: Vector, near: Place | None = None) -> Place:
        """Return the equilibrium with the wheel centers raised by heights (sides,) [m], no pushes, steering straight ahead.

        Raises JounceError.
        """
        target = heights + np.array([wheel.center[2] for wheel in self.standing[n].wheels])
        return self._reach(n, 0.0, (), lambda place: [w.center[2] - z for w, z in zip(place.wheels, target, strict=True)], near)

    def rolled(self, n: int, angle: float, near: Place | None = None) -> Place:
        """Return the equilibrium with the pads of axle n tilted by angle [rad], + = body leans to the right, at constant axle load.

        Raises JounceError.
        """
        left, right = self.standing[n].wheels
        lift, load = float(left.contact[1] - right.contact[1]) * math.tan(angle), left.load + right.load
        apart = float(left.contact[2] - right.contact[2]) - lift

        def over(place: Place) -> list[float]:
            one, other = place.wheels
            return [one.contact[2] - other.contact[2] - apart, (one.load + other.load - load) / STIFF]

        return self._reach(n, 0.0, (), over, near)

    def _reach(self, n: int, hand: float, pushes: Sequence[Push], over: Callable[[Place], list[float]], near: Place | None) -> Place:
        """Solve for the coordinates of axle n, and the angle of a free arm, at which the residual is 0.

        Newton's method with Broyden updates of the Jacobian, which is recomputed after RENEWED iterations.
        """
        near = near or self.standing[n]
        free = n == 0 and self.free
        x = np.append(near.theta, near.arm) if free else near.theta.copy()

        def rest(x: Vector) -> tuple[Place, Vector]:
            theta, arm = (x[:-1], float(x[-1])) if free else (x, hand)
            place, loads = self._loaded(n, theta, arm, pushes)
            left = over(place)
            if free:
                left.append(self._arm_torque(place, loads, hand) / float(self._m.steering[0]["column_stiffness"]))
            return place, np.array(left)

        slopes: Vector | None = None
        before: Vector = np.empty(0)
        change: Vector = np.empty(0)
        for k in range(ROUNDS):
            place, left = rest(x)
            if not np.isfinite(left).all():
                break
            if np.abs(left).max() < HEIGHT:
                return place
            if slopes is None or k % RENEWED == 0:
                slopes = np.column_stack([(rest(x + 1e-6 * unit)[1] - left) / 1e-6 for unit in np.eye(len(x))])
            else:
                slopes = np.asarray(slopes + np.outer(left - before - slopes @ change, change) / float(change @ change))
            if not np.isfinite(slopes).all():
                break
            change = np.asarray(np.linalg.solve(slopes, -left))
            change = change * min(1.0, MAX_CHANGE / float(np.abs(change).max()))
            x, before = x + change, left
        raise JounceError(f"the {self.axles.names[n]} axle: no equilibrium on the rig; hint: use a smaller travel or load")

    def at(self, n: int, theta: Vector, arm: float, pushes: Sequence[Push] = ()) -> Place:
        """Return the state of axle n with given coordinates (sides,) and arm angle, in equilibrium except for the torque on a free arm."""
        return self._loaded(n, theta, arm, pushes)[0]

    def kinematics(self, n: int, theta: Vector, arm: float) -> Any:
        """Return a copy of KINEMATICS with given coordinates (sides,) of axle n and arm angle [rad], without bushings."""
        return self._turned(n, theta, arm)[0]

    # Loads and displacements -------------------------------------------------------------------------------------------------

    def _turned(self, n: int, theta: Vector, arm: float) -> tuple[Any, Any, Any]:
        """Return copies of KINEMATICS, WORK and the accelerations at these coordinates of axle n."""
        s = self._s
        s.state[:] = self._state
        s.state[0]["theta"][list(self.axles.on(n))] = theta
        for name in ("theta_dot", "w_WB_B", "v_WB_B", "wheel_spin"):
            s.state[0][name] = 0.0
        s.steering[0]["angle"], s.steering[0]["rate"], s.steering[0]["acceleration"] = arm, 0.0, 0.0
        place_tierods(self._m.steering, s.steering, s.inputs)
        self._present(self._m, s)
        copies = s.kinematics[0].copy(), s.work[0].copy(), s.out[0].copy()
        if self._carriers is not None:
            self._carriers(self._m, s)
            for name in ("carrier_x", "carrier_z"):
                copies[0][name] = s.kinematics[0][name]
        return copies

    def _loaded(self, n: int, theta: Vector, arm: float, pushes: Sequence[Push]) -> tuple[Place, Vector]:
        """Return the axle in equilibrium, and the loads (sides, 6) on its wheels: couple and force at the center, in B."""
        k, work, out = self._turned(n, theta, arm)
        sides = list(self.axles.on(n))
        c = self._m.corners[0]["compliance"]
        coupled = bool(self._m.corners[0]["coupled"][n])
        forces = np.array([work["theta_force"][i] + k["G"][3:, i] @ self._gravity for i in sides])
        if coupled:
            forces += np.array([out["spring_force"][i] * k["spring_length_across"][i] for i in reversed(sides)])
        e, loads = np.zeros((len(sides), 6)), np.zeros(len(sides))
        for _ in range(ROUNDS):
            shown = [self._wheel(k, out, i, e[a], loads[a]) for a, i in enumerate(sides)]
            given, up = np.zeros((len(sides), 6)), np.zeros((len(sides), 6))
            for a, (i, wheel) in enumerate(zip(sides, shown, strict=True)):
                push = pushes[a] if len(pushes) else NOTHING
                given[a] = self._wrench(wheel, push)
                given[a, :3] += self.R.T @ overturning(self._m.tires[i], wheel)
                up[a] = self._wrench(wheel, Push(UP))
            lift, rest = np.zeros((len(sides), len(sides))), forces.copy()
            for a, i in enumerate(sides):
                own = np.concatenate([k["w"][:, i], k["W_1"][:, i]])
                lift[a, a] += own @ up[a]
                rest[a] += own @ given[a]
                if coupled:
                    other = np.concatenate([k["w_across"][:, i], k["W_across"][:, i]])
                    lift[1 - a, a] += other @ up[a]
                    rest[1 - a] += other @ given[a]
            before, loads = loads, np.linalg.solve(lift, -rest)
            wrenches = given + loads[:, None] * up
            yielded = np.zeros((len(sides), 6))
            for a, i in enumerate(sides):
                yielded[a] = c["own"][:, :, i] @ wrenches[a]
                if len(sides) == 2:
                    yielded[a] += c["across"][:, :, i] @ wrenches[1 - a]
            moved = max(np.abs(yielded - e).max(), np.abs(loads - before).max() / STIFF)
            e = yielded
            if not moved > REST:
                break
        wheels = tuple(self._wheel(k, out, i, e[a], loads[a]) for a, i in enumerate(sides))
        return Place(wheels, arm, np.array(theta)), wrenches

    def _wheel(self, k: Any, out: Any, i: int, e: Vector, load: float) -> Wheel:
        """Return the state of the wheel at corner i, displaced by e, with a load on its pad."""
        on_beam = self._m.corners[0]["compliance"]["yields"][self._m.corners[0]["axle"][i]] == BEAM
        turn = _rotation(np.array(about_axle(tuple(e[:3]), tuple(k["axle"][:, i]))) if on_beam else e[:3])
        x, z = k["carrier_x"][:, i], k["carrier_z"][:, i]
        design = self._m.corners[0]["design_frame"][:, :, i]
        frame, axle = self.R @ turn @ np.stack([x, cross(z, x), z], axis=1) @ design.T, self.R @ turn @ k["axle"][:, i]
        center = self.R @ (k["W"][:, i] + e[3:])
        down = -(UP - axle[2] * axle)
        tire = self._m.tires[i]
        radius = float(tire["radius"]) - deflection_under(tire, load)
        contact = center + radius * down / np.linalg.norm(down)
        spring = float(k["spring_length"][i]), float(out["spring_force"][i])
        return Wheel(center, contact, frame, axle, float(load), *spring, left=bool(k["W"][1, i] >= 0.0))

    def _wrench(self, wheel: Wheel, push: Push) -> Vector:
        """Return the couple and force on a wheel at its center, in B (6,)."""
        couple = cross(wheel.contact - wheel.center, push.force) + np.array([0.0, 0.0, push.couple])
        couple -= (1.0 - push.about_axle) * (couple @ wheel.axle) * wheel.axle
        return np.concatenate([self.R.T @ couple, self.R.T @ push.force])

    # The steering arm --------------------------------------------------------------------------------------------------------

    def _arm_torque(self, place: Place, loads: Vector, hand: float) -> float:
        """Return the torque [N m] on a free arm in equilibrium: column and assist, and the wheels, springs, bars and weights of its axle."""
        theta, arm = place.theta, place.arm
        twist = float(self._m.steering[0]["column_stiffness"]) * (hand - arm)
        torque = twist + math.copysign(self._assist(abs(twist)), twist)
        (low, _, _), (high, _, _) = self._turned(0, theta, arm - TURN), self._turned(0, theta, arm + TURN)
        _, work, out = self._turned(0, theta, arm)
        for a, i in enumerate(self.axles.on(0)):
            moving = (high["W"][:, i] - low["W"][:, i]) / (2.0 * TURN)
            turning = _turning(low, high, i)
            force, couple = loads[a, 3:] + work["bar_force"][:, i], loads[a, :3] + work["bar_couple"][:, i]
            torque += float(force @ moving + couple @ turning)
            torque += float(out["spring_force"][i] * (high["spring_length"][i] - low["spring_length"][i]) / (2.0 * TURN))
            torque += float(self._gravity @ (high["moment"][:, i] - low["moment"][:, i]) / (2.0 * TURN))
        return torque

    def _assist(self, valve: float) -> float:
        """Return the torque of the assist [N m] for a torsion-bar torque, both at the arm."""
        steering = self._m.steering[0]
        count = int(steering["assist_points"])
        return float(np.interp(valve, steering["assist_valve"][:count], steering["assist_torque"][:count])) if count > 1 else 0.0

    def kingpin(self, place: Place, n: int = 0) -> list[tuple[Vector, Vector]]:
        """Return the steering axis of each wheel of a steered axle (upward direction, a point on the axis), in the axes of the ground."""
        axes = []
        (low, *_), (high, *_) = self._turned(n, place.theta, place.arm - TURN), self._turned(n, place.theta, place.arm + TURN)
        for i, wheel in zip(self.axles.on(n), place.wheels, strict=True):
            turning, moving = self.R @ _turning(low, high, i), self.R @ (high["W"][:, i] - low["W"][:, i]) / (2.0 * TURN)
            size = float(turning @ turning)
            point = wheel.center + cross(turning, moving) / size
            direction = turning / math.sqrt(size)
            axes.append((direction if direction[2] > 0.0 else -direction, point))
        return axes


def _turning(low: Any, high: Any, i: int) -> Vector:
    """Return the angular velocity of carrier i per rate of the arm, from its frames at arm angles of -TURN and +TURN."""
    frames = []
    for one in (low, high):
        x, z = one["carrier_x"][:, i], one["carrier_z"][:, i]
        frames.append(np.stack([x, cross(z, x), z], axis=1))
    return turn_between(*frames) / (2.0 * TURN)


def turn_between(one: Vector, other: Vector) -> Vector:
    """Return the rotation vector (3,) [rad] from one frame (3, 3) to a nearby one."""
    S = other @ one.T
    half = 0.5 * np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])
    sine = float(np.linalg.norm(half))
    return half * (math.asin(min(sine, 1.0)) / sine if sine > 1e-12 else 1.0)


def _rotation(phi: Vector) -> Vector:
    """Return the rotation matrix (3, 3) of a small rotation vector, exact to second order and orthonormal to fourth order."""
    S = np.array([[0.0, -phi[2], phi[1]], [phi[2], 0.0, -phi[0]], [-phi[1], phi[0], 0.0]])
    angle = float(np.linalg.norm(phi))
    if angle < 1e-12:
        return np.eye(3) + S
    return np.asarray(np.eye(3) + math.sin(angle) / angle * S + (1.0 - math.cos(angle)) / angle**2 * (S @ S))


def deflection_under(tire: Any, load: float) -> float:
    """Return the radial deflection [m] of a tire at rest under a load [N]: c1 d + c2 d^2, beyond its own limit the spring of the rim.

    Without load the result is 0 or negative, from the linear stiffness.
    """
    if load <= 0.0:
        return load / float(tire["stiffness"])
    c1, c2 = float(tire["stiffness"]), float(tire["stiffness_growth"])
    rim, more = float(tire["radius"] - tire["bottoming_radius"]), float(tire["bottoming_stiffness"])
    at_rim = c1 * rim + c2 * rim * rim
    if load > at_rim:  # the spring of the rim acts in addition
        b, over = c1 + 2.0 * c2 * rim + more, load - at_rim
        return rim + 2.0 * over / (b + math.sqrt(b * b + 4.0 * c2 * over))
    return 2.0 * load / (c1 + math.sqrt(c1 * c1 + 4.0 * c2 * load))


def overturning(tire: Any, wheel: Wheel) -> Vector:
    """Return the overturning couple (3,) [N m] of a pad on a cambered wheel about the contact, in the axes of the ground.

    Same model as `vehicles.tires.moments.finish`.
    """
    camber, load = math.asin(float(wheel.axle[2])), max(wheel.load, 0.0)
    used = deflection_under(tire, load)
    slope, width = float(tire["stiffness"] + 2.0 * tire["stiffness_growth"] * used), float(tire["bearing_width"])
    size = float(tire["width"]) ** 2 / 12.0 * slope * camber
    if width > 0.0:
        edge = 0.5 * width * abs(math.tan(camber))
        share = min(math.sqrt(used / edge), 1.0) if edge > 0.0 else 1.0
        size = math.copysign(slope * width / 6.0 * edge * share * share * (3.0 - 2.0 * share), camber)
    heading = cross(wheel.axle, UP)
    return np.asarray(-size * heading / np.linalg.norm(heading))
