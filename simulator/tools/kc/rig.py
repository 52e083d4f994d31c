"""The rig: the body held where it stands, every wheel on a pad that is moved up and down and loaded in its plane.

The pads float: they bear what the suspension presses on them and give no other force than they are told to. The wheels stand, so nothing is damped
and no tire slips; a tire is the spring between rim and pad, and gives way along its radius alone. Everything is told in the axes of the ground,
x forward, y left, z up, from the chassis reference point.

With Q the force on theta of springs, bars and weight, J the velocities of a wheel per theta' and w the loads on it (couple and force at its
centre), an axle rests where

    Q + sum J^T w = 0,    e = C w + C_o w_o                                                                                    (1)

which is linear in the forces of the pads upwards, F_z, once the wheels are where they are; e moves them by the bushings (`vehicles.compliance`). A free
steering arm rests between the twist of its column, with its assist, and the loads times the velocities that they have per rate of the arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.array_vectors import cross
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.rotations import rotation_of_quaternion
from terrain.ground import Ground
from vehicles.fill_readout import find_points
from vehicles.stages import present_suspension
from vehicles.steering.steering import place_tierods
from vehicles.vehicle import Vehicle

Vector = NDArray[np.float64]

UP = np.array([0.0, 0.0, 1.0])

ROUNDS = 60
"""Rounds in which loads and displacements of the wheels find each other, and the pads their heights; ten and five are usual."""
REST = 1e-12
"""m, rad. Change of the displacements at which they rest."""
HEIGHT = 1e-10
"""m. Error of a height of a pad."""
STIFF = 1e5
"""N/m, about the stiffness of a wheel on its pad, by which a load left over becomes a height left over."""
RENEWED = 12
"""Rounds after which slopes are found anew."""
FARTHEST = 0.05
"""rad, m. Largest change in a round."""
TURN = 1e-5
"""rad of the steering arm, by which it is turned to and fro for velocities per its rate."""


@dataclass(frozen=True)
class Push:
    """What a pad or a drive does to a wheel besides bearing it.

    Attributes
    ----------
    force : (3,) N, at the contact, in the axes of the ground; its third number is not used
    couple : N m about the vertical
    about_axle : share of the moment of the force about the wheel's axle that the carrier bears: 0 of a wheel that rolls, 1 of a locked one
    """

    force: Vector
    couple: float = 0.0
    about_axle: float = 0.0


NOTHING = Push(np.zeros(3))


@dataclass(frozen=True)
class Wheel:
    """A wheel on its pad, in the axes of the ground from the chassis reference point."""

    center: Vector
    contact: Vector
    frame: Vector
    """(3, 3) axes of the carrier as columns: those of the chassis in the design position"""
    axle: Vector
    load: float
    """N, of the pad upwards"""
    spring_length: float
    spring_force: float
    left: bool

    @property
    def steer(self) -> float:
        """Heading [rad], + = left."""
        return math.atan2(-float(self.axle[0]), float(self.axle[1]))

    @property
    def toe(self) -> float:
        """rad, + = toe-in."""
        return -self.steer if self.left else self.steer

    @property
    def camber(self) -> float:
        """rad, + = the top leans outwards."""
        return (-1.0 if self.left else 1.0) * math.asin(float(self.axle[2]))

    @property
    def windup(self) -> float:
        """rad, of the carrier about its axle, + = its top goes back; of an axle that is not steered the change of its caster."""
        forward = cross(self.axle, UP)
        return -math.asin(float(self.frame[:, 2] @ forward) / float(np.linalg.norm(forward)))


@dataclass(frozen=True)
class Place:
    """An axle at rest on the rig."""

    wheels: tuple[Wheel, ...]
    arm: float
    """rad, angle of the steering arm"""
    theta: Vector


class Rig:
    """A vehicle on the rig.

    Parameters
    ----------
    vehicle : is put on the ground and belongs to the rig from then on
    ground : level and hard

    Raises
    ------
    JounceError : it does not stand
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
        """Where there are tables, which know the wheel alone: puts the carriers where they are."""
        self.standing = [self.at(n, self.theta_of(n), 0.0) for n in range(len(self.axles.names))]
        self.pads = [np.array([wheel.contact[2] for wheel in place.wheels]) for place in self.standing]

    def theta_of(self, n: int) -> Vector:
        """Those of axle n as the vehicle stands."""
        return np.array(self._state[0]["theta"][list(self.axles.on(n))])

    def is_steered(self, n: int) -> bool:
        """Whether the steering moves this axle."""
        sides, theta = list(self.axles.on(n)), self.theta_of(n)
        (straight, *_), (turned, *_) = self._turned(n, theta, 0.0), self._turned(n, theta, TURN)
        return n == 0 and bool(np.any(straight["axle"][:, sides] != turned["axle"][:, sides]))

    def center_of_mass(self) -> Vector:
        """Of the whole standing vehicle (3,) [m], in the axes of the ground from the chassis reference point."""
        k, _, _ = self._turned(0, self.theta_of(0), 0.0)
        chassis, corners = self._m.chassis[0], self._m.corners[0]
        mass = float(chassis["mass"]) + float(corners["corner_mass"].sum())
        return np.asarray(self.R @ (chassis["mass"] * chassis["com"] + k["moment"].sum(axis=1)) / mass)

    def on_pads(self, n: int, heights: Vector, hand: float = 0.0, pushes: Sequence[Push] = (), near: Place | None = None) -> Place:
        """Axle n at rest on pads so much higher than where it stands (sides,) [m], with the steering wheel at `hand` (at the arm, rad).

        near : a place not far from it, to begin with

        Raises
        ------
        JounceError : the suspension does not reach there
        """
        wanted = self.pads[n] + heights
        return self._reach(n, hand, pushes, lambda place: [w.contact[2] - z for w, z in zip(place.wheels, wanted, strict=True)], near)

    def at_centers(self, n: int, heights: Vector, near: Place | None = None) -> Place:
        """The same with the wheel centers so much higher (sides,) [m], no pushes, steering straight ahead. Raises JounceError."""
        wanted = heights + np.array([wheel.center[2] for wheel in self.standing[n].wheels])
        return self._reach(n, 0.0, (), lambda place: [w.center[2] - z for w, z in zip(place.wheels, wanted, strict=True)], near)

    def rolled(self, n: int, angle: float, near: Place | None = None) -> Place:
        """The pads of axle n tilted by an angle [rad], + = the body leans to the right, as high as leaves its load what it is. Raises JounceError."""
        left, right = self.standing[n].wheels
        lift, load = float(left.contact[1] - right.contact[1]) * math.tan(angle), left.load + right.load
        apart = float(left.contact[2] - right.contact[2]) - lift

        def over(place: Place) -> list[float]:
            one, other = place.wheels
            return [one.contact[2] - other.contact[2] - apart, (one.load + other.load - load) / STIFF]

        return self._reach(n, 0.0, (), over, near)

    def _reach(self, n: int, hand: float, pushes: Sequence[Push], over: Callable[[Place], list[float]], near: Place | None) -> Place:
        """Thetas of axle n, and the angle of a free arm, at which nothing is left over: Newton's method with slopes by Broyden, which are found
        anew where they do not lead there."""
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
            change = change * min(1.0, FARTHEST / float(np.abs(change).max()))
            x, before = x + change, left
        raise JounceError(f"the {self.axles.names[n]} axle does not reach where the rig would have it")

    def at(self, n: int, theta: Vector, arm: float, pushes: Sequence[Push] = ()) -> Place:
        """Axle n with given thetas (sides,) and arm, at rest but for what would have to hold a free arm there."""
        return self._loaded(n, theta, arm, pushes)[0]

    # Loads and displacements -------------------------------------------------------------------------------------------------

    def _turned(self, n: int, theta: Vector, arm: float) -> tuple[Any, Any, Any]:
        """KINEMATICS, WORK and accelerations with these thetas of axle n, copied."""
        s = self._s
        s.state[:] = self._state
        s.state[0]["theta"][list(self.axles.on(n))] = theta
        for name in ("theta_dot", "w_WB_B", "v_WB_B", "wheel_spin"):
            s.state[0][name] = 0.0
        s.steering[0]["angle"], s.steering[0]["rate"], s.steering[0]["acceleration"] = arm, 0.0, 0.0
        place_tierods(self._m.steering, s.steering, s.inputs)
        self._present(self._m, s)
        found = s.kinematics[0].copy(), s.work[0].copy(), s.out[0].copy()
        if self._carriers is not None:
            self._carriers(self._m, s)
            for name in ("carrier_x", "carrier_z"):
                found[0][name] = s.kinematics[0][name]
        return found

    def _loaded(self, n: int, theta: Vector, arm: float, pushes: Sequence[Push]) -> tuple[Place, Vector]:
        """The axle at rest, and the loads (sides, 6) on its wheels: couple and force at the centre, in B."""
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
        """Corner i displaced by e under a load on its pad."""
        turn = _rotation(e[:3])
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
        """Couple and force on a wheel at its centre, in B (6,)."""
        couple = cross(wheel.contact - wheel.center, push.force) + np.array([0.0, 0.0, push.couple])
        couple -= (1.0 - push.about_axle) * (couple @ wheel.axle) * wheel.axle
        return np.concatenate([self.R.T @ couple, self.R.T @ push.force])

    # The steering arm --------------------------------------------------------------------------------------------------------

    def _arm_torque(self, place: Place, loads: Vector, hand: float) -> float:
        """Torque [N m] on a free arm at rest: column and assist, and what the wheels, springs, bars and weights of its axle do to it."""
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
        """Torque of the assist [N m] at one of the torsion bar, both at the arm."""
        steering = self._m.steering[0]
        count = int(steering["assist_points"])
        return float(np.interp(valve, steering["assist_valve"][:count], steering["assist_torque"][:count])) if count > 1 else 0.0

    def kingpin(self, place: Place, n: int = 0) -> list[tuple[Vector, Vector]]:
        """Axis about which each wheel of a steered axle is steered, (direction upwards, a point of it), in the axes of the ground."""
        found = []
        (low, *_), (high, *_) = self._turned(n, place.theta, place.arm - TURN), self._turned(n, place.theta, place.arm + TURN)
        for i, wheel in zip(self.axles.on(n), place.wheels, strict=True):
            turning, moving = self.R @ _turning(low, high, i), self.R @ (high["W"][:, i] - low["W"][:, i]) / (2.0 * TURN)
            size = float(turning @ turning)
            point = wheel.center + cross(turning, moving) / size
            direction = turning / math.sqrt(size)
            found.append((direction if direction[2] > 0.0 else -direction, point))
        return found


def _turning(low: Any, high: Any, i: int) -> Vector:
    """Angular velocity of carrier i per rate of the arm, from its frames at TURN to either side."""
    frames = []
    for one in (low, high):
        x, z = one["carrier_x"][:, i], one["carrier_z"][:, i]
        frames.append(np.stack([x, cross(z, x), z], axis=1))
    return turn_between(*frames) / (2.0 * TURN)


def turn_between(one: Vector, other: Vector) -> Vector:
    """Vector of rotation (3,) [rad] from one frame (3, 3) to another nearby."""
    S = other @ one.T
    half = 0.5 * np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])
    sine = float(np.linalg.norm(half))
    return half * (math.asin(min(sine, 1.0)) / sine if sine > 1e-12 else 1.0)


def _rotation(phi: Vector) -> Vector:
    """(3, 3) of a small vector of rotation, right to its second order and orthonormal to its fourth."""
    S = np.array([[0.0, -phi[2], phi[1]], [phi[2], 0.0, -phi[0]], [-phi[1], phi[0], 0.0]])
    angle = float(np.linalg.norm(phi))
    if angle < 1e-12:
        return np.eye(3) + S
    return np.asarray(np.eye(3) + math.sin(angle) / angle * S + (1.0 - math.cos(angle)) / angle**2 * (S @ S))


def deflection_under(tire: Any, load: float) -> float:
    """Radial deflection [m] of a standing tire under a load [N]: c1 d + c2 d^2, and the rim's spring beyond its own deflection; 0 without load."""
    if load <= 0.0:
        return load / float(tire["stiffness"])
    c1, c2 = float(tire["stiffness"]), float(tire["stiffness_growth"])
    rim, more = float(tire["radius"] - tire["bottoming_radius"]), float(tire["bottoming_stiffness"])
    at_rim = c1 * rim + c2 * rim * rim
    if load > at_rim:  # there the spring of the rim comes in
        b, over = c1 + 2.0 * c2 * rim + more, load - at_rim
        return rim + 2.0 * over / (b + math.sqrt(b * b + 4.0 * c2 * over))
    return 2.0 * load / (c1 + math.sqrt(c1 * c1 + 4.0 * c2 * load))


def overturning(tire: Any, wheel: Wheel) -> Vector:
    """Couple (3,) [N m] of a pad on a wheel that leans, about the contact, as `vehicles.tires.moments.finish` has it; in the axes of the ground."""
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
