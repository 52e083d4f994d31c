"""The vehicle and its quarter car as mechanisms of bodies, joints and loops, from the same description as the closed form.

In the design position the frame of every body equals the chassis frame, so that every joint coordinate is zero there. The tree is that of
[Jain 2016, section 4.1]. The lower arm is attached to the chassis and carries the upright. The upright carries the knuckle with wheel and
tie rod, and the two halves of the shock absorber. The upper arm is also attached to the chassis. Ball loops close the tree at F (upper arm
and upright), J (shock absorber and chassis) and L (tie rod and chassis, or steering link).

A five-link corner is attached to the chassis by its links. The lower rear link carries the knuckle by a ball joint; ball loops, named after
the links, close the other four. Its links are always bodies.

A rod of a double wishbone without mass in the vehicle file is not a body here: a tie rod becomes a distance, a shock absorber a damper on
the line between its ends, an upright the ball joint of the knuckle. The motion is identical, and every formulation can be built. With
massless bodies only constraint embedding would work, because D(k) of a joint that moves no inertia is zero.

An anti-roll bar with levers consists of two levers without mass: the torsion spring hinges the right lever on the left one, and drop links
are distances. An anti-roll bar of the plain model is a spring between levels along the z axis of the chassis.

differs: the paper takes the loops at F and J as planar and needs one axis less in the joints at D and B; see `docs/formulations.md`.
"""

from __future__ import annotations

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.base.records import Record
from vehicles.mechanism_parameters import VehicleDesign
from vehicles.multibody.description.mechanism import WORLD, Joint, JointSpring, LevelSpring, Mechanism
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.steering.contract import CALLED, FOUR_BAR
from vehicles.suspension.anti_roll_bar import LEVERS, NO_BAR
from vehicles.suspension.corner_design import CARRIER_NAME

CHASSIS = "chassis"

_, Y_AXIS, Z_AXIS = np.eye(3)

LINKAGE = ("pitman_arm", "steering_link", "idler_arm")
"""Bodies of the steering linkage, and the joints that carry them."""

RACK = "rack"
"""Body of a rack, and the joint that carries it."""

SLOPE_OVER = 1e-3
"""m. Half width of the difference, about the free length, for the rate of a spring given by a table."""
SLOW = 0.1
"""m/s. Half width of the difference, about rest, for the damping of a damper given by a table."""


def vehicle_mechanism(
    design: VehicleDesign, steering: Record | None = None, link_mass: float = 0.0, *, arm_prescribed: bool = True
) -> Mechanism:
    """Return the complete vehicle: chassis on a free joint, four corners, anti-roll bars, linear springs and dampers (see `linear_struts`).

    Parameters
    ----------
    design : vehicle in the design position
    steering : STEERING record: Pitman arm, link and idler arm are then part of the mechanism [Jain 2016, section 5.4]. Without it the
        inner ends of the front tie rods, loops FL_L and FR_L, are prescribed points of the chassis. A rack is one sliding body
    link_mass : mass of each of the three steering rods [kg]. The vehicle file gives none. Without a mass, link and idler arm
        have no D(k) and no inertia: constraint embedding works, all other formulations reject it.
    arm_prescribed : the driver's input prescribes the motion of the Pitman arm; otherwise the arm is free, the fifteenth degree of freedom
        of [Cameron 2013]
    """
    parts = Parts()
    parts.add_body(CHASSIS, design.chassis)
    parts.joints.append(Joint(CHASSIS, "free", WORLD, CHASSIS, independent=True))
    inner = CHASSIS
    if steering is not None:
        if len(steering) > 1 or steering[0]["kind"] == CALLED:
            raise JounceError("the general engine models a Pitman arm or a rack that steers the front axle alone")
        inner = LINKAGE[1] if steering[0]["kind"] == FOUR_BAR else RACK
        if inner == RACK:
            _add_rack(parts, design, steering, arm_prescribed)
        else:
            _add_linkage(parts, steering, link_mass, arm_prescribed)
    struts = linear_struts(design.struts)
    for i, name in enumerate(design.axles.corners):
        design.corners[i].add_to(parts, name, CHASSIS, inner if i in design.axles.on(0) else CHASSIS, struts, i)
    for n, axle in enumerate(design.axles.names):
        _add_anti_roll_bar(parts, axle, n, design)
    return parts.mechanism("vehicle", design.gravity, design.corners[0].file)


def quarter_car(design: VehicleDesign, corner: str) -> Mechanism:
    """Return the corner of this name (FL, FR, RL or RR) on a fixed chassis: `world` replaces the chassis."""
    parts = Parts()
    i = design.axles.corners.index(corner)
    design.corners[i].add_to(parts, corner, WORLD, WORLD, linear_struts(design.struts), i)
    return parts.mechanism(f"quarter car {corner}", design.gravity, design.corners[0].file)


def linear_struts(struts: Record) -> Record:
    """Return the springs and dampers, linearized and without stops, for comparisons of formulations.

    A spring gets the slope of its force at its free length, a damper the mean of its mid-stroke coefficients in compression and rebound.
    """
    out = struts.copy()
    s = out[0]
    for i in range(len(s["spring_rate"])):
        n = s["spring_points"][i]
        if n:
            pulls = np.interp([-SLOPE_OVER, SLOPE_OVER], s["spring_deformation"][i, :n], s["spring_pull"][i, :n])
            s["spring_rate"][i] += (pulls[1] - pulls[0]) / (2.0 * SLOPE_OVER)
        mean = 0.5 * (s["compression_damping"][i] + s["rebound_damping"][i])
        n = s["damper_points"][i]
        if n:
            pulls = np.interp([-SLOW, SLOW], s["damper_rate"][i, :n], s["damper_pull"][i, :n])
            mean = (pulls[1] - pulls[0]) / (2.0 * SLOW)
        for name in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
            s[name][i] = mean
    s["spring_points"], s["stop_points"], s["damper_points"] = 0, 0, 0
    return out


def _add_anti_roll_bar(parts: Parts, axle: str, n: int, design: VehicleDesign) -> None:
    """Add the bar of axle n, named after `axle`, if the axle has one."""
    bars = design.struts[0]["anti_roll_bars"]
    law, stiffness = bars["law"][n], float(bars["stiffness"][n])
    if law == NO_BAR:
        return
    mounts = [_bar_mount(bars, n, i, design) for i in design.axles.on(n)]
    if law == LEVERS:
        _add_levers(parts, axle, bars, design.axles.on(n), mounts)
        parts.joint_springs.append(JointSpring(f"{axle}_bar_right", stiffness))
    else:
        (left, left_point), (right, right_point) = mounts
        parts.level_springs.append(LevelSpring(f"{axle}_bar", CHASSIS, Z_AXIS, left, left_point, right, right_point, stiffness))


def _bar_mount(bars: Record, n: int, i: int, design: VehicleDesign) -> tuple[str, Vector]:
    """Return the body of corner i to which the bar of axle n is attached, and the attachment point in the design position."""
    corner, on_arm = design.corners[i], bars["on_arm"][n]
    point = bars["arm_point"][:2, :, i].sum(axis=0) if on_arm else corner.W + corner.turned @ bars["carrier_point"][:, i]
    part = next(part for body, part in corner.mounts.items() if (body == CARRIER_NAME) != on_arm)
    return f"{design.axles.corners[i]}_{part}", corner.in_body(part, point)


def _add_levers(parts: Parts, axle: str, bars: Record, sides: range, mounts: list[tuple[str, Vector]]) -> None:
    before = CHASSIS
    for i, side, (body, point) in zip(sides, ("left", "right"), mounts, strict=True):
        name, foot, end = f"{axle}_bar_{side}", bars["lever"][0, :, i], bars["lever"][:2, :, i].sum(axis=0)
        parts.add_body(name, RigidBody("anti-roll bar lever", 0.0, foot, np.zeros((3, 3))))
        parts.add_joint("revolute", before, name, foot, Y_AXIS)
        parts.add_loop(f"{axle}_drop_link_{side}", "distance", (name, body), end, point, length=float(bars["link"][i]))
        before = name


def _add_linkage(parts: Parts, steering: Record, mass: float, arm_prescribed: bool) -> None:
    """Add Pitman arm, link and idler arm: a planar four-bar linkage, so two rows close the pin between link and idler arm."""
    s = steering[0]
    z = s["rotation"][:, 2].copy()

    def at(point: Vector) -> Vector:
        return np.array(s["location"] + s["rotation"][:, :2] @ point)

    pivot, idler_pivot = at(s["pivot"]), at(s["idler_pivot"])
    arm_joint, idler_joint = at(s["pivot"] + s["arm"]), at(s["idler_pivot"] + s["idler"])
    ends = ((pivot, arm_joint), (arm_joint, idler_joint), (idler_pivot, idler_joint))
    for name, (start, end) in zip(LINKAGE, ends, strict=True):
        parts.add_body(name, _rod(mass, start, end))
    arm, link, idler = LINKAGE
    parts.add_joint("revolute", CHASSIS, arm, pivot, z, independent=True, prescribed=arm_prescribed)
    parts.add_joint("revolute", arm, link, arm_joint, z)
    parts.add_joint("revolute", CHASSIS, idler, idler_pivot, z)
    parts.add_loop("steering", "point_on_line", (link, idler), idler_joint, axis_successor=z)


def _add_rack(parts: Parts, design: VehicleDesign, steering: Record, prescribed: bool) -> None:
    """Add the rack, sliding to the left, with the mass of both halves that the corners carry."""
    halves = [corner.rack for corner in design.corners[:2] if corner.rack is not None]
    at = np.array(steering[0]["location"])
    mass = sum(half.mass for half in halves)
    inertia = sum((half.I_BBcm for half in halves), np.zeros((3, 3)))
    parts.add_body(RACK, RigidBody(RACK, mass, halves[0].p_BoBcm if halves else at, inertia))
    parts.add_joint("prismatic", CHASSIS, RACK, at, Y_AXIS, independent=True, prescribed=prescribed)


def _rod(mass: float, start: Vector, end: Vector) -> RigidBody:
    """Return a round uniform rod whose diameter is a tenth of its length."""
    n, length = _unit(end - start), float(np.linalg.norm(end - start))
    radius = 0.05 * length
    along, across = 0.5 * radius**2, length**2 / 12.0 + 0.25 * radius**2
    return RigidBody("rod", mass, 0.5 * (start + end), mass * (across * np.eye(3) + (along - across) * np.outer(n, n)))


def _unit(a: Vector) -> Vector:
    return np.asarray(a, float) / np.linalg.norm(a)
