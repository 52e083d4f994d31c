"""The vehicle and its quarter car as a mechanism of bodies, joints and loops, from the same description as the closed form.

All bodies have the chassis frame as their frame in the design position, so that every joint coordinate is zero there. The tree is that of
[Jain 2016, section 4.1]: the lower arm hangs on the chassis and carries the upright, which carries the knuckle with wheel and tie rod, and
the two halves of the shock absorber; the upper arm hangs on the chassis too. Ball loops close it at F (upper arm and upright), J (shock
absorber and chassis) and L (tie rod and chassis, or the link of the steering).

A five-link corner hangs on the chassis by its links. The lower rear one carries the knuckle by a ball joint, ball loops close the other
four; they are named after the links. Its links are bodies always.

A rod of a double wishbone that has no mass in the vehicle file is no body here: a tie rod becomes a distance, a shock absorber a damper on the line between its
ends, an upright the ball joint of the knuckle. The motion is the same and every formulation can be built; with bodies that carry no inertia
only constraint embedding could, for D(k) of a joint that moves no inertia is zero.

An anti-roll bar with levers is two levers without mass, the right one hinged on the left one by the torsion spring, with drop links as
distances. One by the plain law is a spring between levels along the chassis' z.

differs: the paper takes the loops at F and J as planar and needs one axis less in the joints at D and B; see `docs/formulations.md`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from vehicles.mechanism_parameters import VehicleDesign
from vehicles.multibody.description.mechanism import WORLD, Joint, JointSpring, LevelSpring, Mechanism
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.anti_roll_bar import LEVERS, NO_BAR
from vehicles.suspension.corner_design import CARRIER_NAME

Vector = NDArray[np.float64]

CHASSIS = "chassis"

_, Y_AXIS, Z_AXIS = np.eye(3)

LINKAGE = ("pitman_arm", "steering_link", "idler_arm")
"""Bodies of the steering linkage and the joints that carry them."""

RACK = "rack"
"""Body of a rack, and the joint that carries it."""

SLOPE_OVER = 1e-3
"""m. The rate of a spring given by a table is taken over this much on both sides of its free length."""


def vehicle_mechanism(
    design: VehicleDesign, steering: Record | None = None, link_mass: float = 0.0, *, arm_prescribed: bool = True
) -> Mechanism:
    """The whole vehicle: chassis on a free joint, four corners, anti-roll bars, linear springs and dampers (see `linear_struts`).

    Parameters
    ----------
    design : vehicle in the design position
    steering : STEERING record: Pitman arm, link and idler arm are then part of the mechanism [Jain 2016, section 5.4]. Without it the
        inner ends of the front tie rods, loops FL_L and FR_L, are driven points of the chassis. A rack is one body that slides
    link_mass : mass of each of the three steering rods [kg]. The vehicle file gives none, and without it link and idler arm
        have no D(k) and no inertia: constraint embedding works, all other formulations refuse it.
    arm_prescribed : the Pitman arm moves as the driver wants; otherwise it is free, the fifteenth degree of freedom of [Cameron 2013]
    """
    parts = Parts()
    parts.add_body(CHASSIS, design.chassis)
    parts.joints.append(Joint(CHASSIS, "free", WORLD, CHASSIS, independent=True))
    inner = CHASSIS
    if steering is not None:
        inner = RACK if steering[0]["rack_travel"] != 0.0 else LINKAGE[1]
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
    """The corner of that name (FL, FR, RL or RR) on a chassis that does not move: `world` takes the chassis' place."""
    parts = Parts()
    i = design.axles.corners.index(corner)
    design.corners[i].add_to(parts, corner, WORLD, WORLD, linear_struts(design.struts), i)
    return parts.mechanism(f"quarter car {corner}", design.gravity, design.corners[0].file)


def linear_struts(struts: Record) -> Record:
    """The same springs and dampers made linear, without stops, for comparisons of formulations.

    A spring keeps the slope of its force at its free length, a damper the mean of its mid-stroke coefficients in compression and rebound.
    """
    out = struts.copy()
    s = out[0]
    for i in range(len(s["spring_rate"])):
        n = s["spring_points"][i]
        if n:
            pulls = np.interp([-SLOPE_OVER, SLOPE_OVER], s["spring_deformation"][i, :n], s["spring_pull"][i, :n])
            s["spring_rate"][i] += (pulls[1] - pulls[0]) / (2.0 * SLOPE_OVER)
        mean = 0.5 * (s["compression_damping"][i] + s["rebound_damping"][i])
        for name in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
            s[name][i] = mean
    s["spring_points"], s["stop_points"] = 0, 0
    return out


def _add_anti_roll_bar(parts: Parts, axle: str, n: int, design: VehicleDesign) -> None:
    """The bar of axle n, called after `axle`, if there is one."""
    bars = design.struts[0]["anti_roll_bars"]
    law, stiffness = bars["law"][n], float(bars["stiffness"][n])
    if law == NO_BAR:
        return
    held = [_held(bars, n, i, design) for i in design.axles.on(n)]
    if law == LEVERS:
        _add_levers(parts, axle, bars, design.axles.on(n), held)
        parts.joint_springs.append(JointSpring(f"{axle}_bar_right", stiffness))
    else:
        (left, left_point), (right, right_point) = held
        parts.level_springs.append(LevelSpring(f"{axle}_bar", CHASSIS, Z_AXIS, left, left_point, right, right_point, stiffness))


def _held(bars: Record, n: int, i: int, design: VehicleDesign) -> tuple[str, Vector]:
    """Body of corner i that holds the bar of axle n, and the point at which it does, in the design position."""
    corner, on_arm = design.corners[i], bars["on_arm"][n]
    point = bars["arm_point"][:2, :, i].sum(axis=0) if on_arm else corner.W + corner.turned @ bars["carrier_point"][:, i]
    part = next(part for body, part in corner.mounts.items() if (body == CARRIER_NAME) != on_arm)
    return f"{design.axles.corners[i]}_{part}", corner.in_body(part, point)


def _add_levers(parts: Parts, axle: str, bars: Record, sides: range, held: list[tuple[str, Vector]]) -> None:
    before = CHASSIS
    for i, side, (body, point) in zip(sides, ("left", "right"), held, strict=True):
        name, foot, end = f"{axle}_bar_{side}", bars["lever"][0, :, i], bars["lever"][:2, :, i].sum(axis=0)
        parts.add_body(name, RigidBody("part of a bar", 0.0, foot, np.zeros((3, 3))))
        parts.add_joint("revolute", before, name, foot, Y_AXIS)
        parts.add_loop(f"{axle}_drop_link_{side}", "distance", (name, body), end, point, length=float(bars["link"][i]))
        before = name


def _add_linkage(parts: Parts, steering: Record, mass: float, arm_prescribed: bool) -> None:
    """Pitman arm, link and idler arm; a planar four-bar, so the pin between link and idler arm is closed by two rows."""
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
    """The rack with the mass of both halves that the corners carry, sliding to the left."""
    halves = [corner.rack for corner in design.corners[:2] if corner.rack is not None]
    at = np.array(steering[0]["location"])
    mass = sum(half.mass for half in halves)
    inertia = sum((half.I_BBcm for half in halves), np.zeros((3, 3)))
    parts.add_body(RACK, RigidBody(RACK, mass, halves[0].p_BoBcm if halves else at, inertia))
    parts.add_joint("prismatic", CHASSIS, RACK, at, Y_AXIS, independent=True, prescribed=prescribed)


def _rod(mass: float, start: Vector, end: Vector) -> RigidBody:
    """Round uniform rod, a tenth as thick as long."""
    n, length = _unit(end - start), float(np.linalg.norm(end - start))
    radius = 0.05 * length
    along, across = 0.5 * radius**2, length**2 / 12.0 + 0.25 * radius**2
    return RigidBody("rod", mass, 0.5 * (start + end), mass * (across * np.eye(3) + (along - across) * np.outer(n, n)))


def _unit(a: Vector) -> Vector:
    return np.asarray(a, float) / np.linalg.norm(a)
