"""The vehicle and its quarter car as a mechanism of bodies, joints and loops, from the same description as the closed form.

All bodies have the chassis frame as their frame in the design position, so that every joint coordinate is zero there. The tree is that of
paper 000 (section 4.1): the lower arm hangs on the chassis and carries the upright, which carries the knuckle with wheel and tie rod, and
the two halves of the shock absorber; the upper arm hangs on the chassis too. Ball loops close it at F (upper arm and upright), J (shock
absorber and chassis) and L (tie rod and chassis, or the link of the steering).

A five-link corner hangs on the chassis by its links. The lower rear one carries the knuckle by a ball joint, ball loops close the other
four; they are named after the links. Its links are bodies always.

A rod of a double wishbone that has no mass in the vehicle file is no body here: a tie rod becomes a distance, a shock absorber a damper on the line between its
ends, an upright the ball joint of the knuckle. The motion is the same and every formulation can be built; with bodies that carry no inertia
only constraint embedding could, for D(k) of a joint that moves no inertia is zero.

differs: the paper takes the loops at F and J as planar and needs one axis less in the joints at D and B; see `docs/formulations.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.model import CORNER_NAMES, Design
from vehicles.multibody.mechanism import WORLD, Joint, JointSpring, Loop, Mechanism, RigidBody, Spring
from vehicles.suspension.corner_model import Body, Corner
from vehicles.suspension.five_link import BODIES as FIVE_LINK_BODIES
from vehicles.suspension.five_link import LINKS, LOWER_REAR
from vehicles.suspension.five_link_model import FiveLinkCorner, link_axes

Vector = NDArray[np.float64]

CHASSIS = "chassis"

BODY_NAMES = {
    "lower_arm": "lca",
    "upright": "upright",
    "knuckle": "knuckle",
    "tierod": "tierod",
    "wheel": "wheel",
    "shock_lower": "shock_lower",
    "shock_upper": "shock_upper",
    "upper_arm": "uca",
}
"""Bodies of a `Corner` and, after "FL_" and so on, the names of the bodies here and of the joints that carry them (lca: lower control arm)."""

LINKAGE = ("pitman_arm", "steering_link", "idler_arm")
"""Bodies of the steering linkage and the joints that carry them."""

SLOPE_OVER = 1e-3
"""m. The rate of a spring given by a table is taken over this much on both sides of its free length."""


def vehicle_mechanism(design: Design, steering: Record | None = None, link_mass: float = 0.0, *, arm_prescribed: bool = True) -> Mechanism:
    """The whole vehicle: chassis on a free joint, four corners, linear springs and dampers (see `linear_struts`).

    Parameters
    ----------
    design : vehicle in the design position
    steering : STEERING record: Pitman arm, link and idler arm are then part of the mechanism (paper 000 section 5.4). Without it the
        inner ends of the front tie rods, loops FL_L and FR_L, are driven points of the chassis.
    link_mass : mass of each of the three steering rods [kg]. The vehicle file gives none, and without it link and idler arm
        have no D(k) and no inertia: constraint embedding works, all other formulations refuse it.
    arm_prescribed : the Pitman arm moves as the driver wants; otherwise it is free, the fifteenth degree of freedom of paper 001
    """
    parts = _Parts()
    parts.add_body(CHASSIS, design.chassis)
    parts.joints.append(Joint(CHASSIS, "free", WORLD, CHASSIS, independent=True))
    if steering is not None:
        _add_linkage(parts, steering, link_mass, arm_prescribed)
    struts = linear_struts(design.struts)
    for i, name in enumerate(CORNER_NAMES):
        on_link = steering is not None and i < 2
        _add_corner(parts, name, design.corners[i], CHASSIS, "steering_link" if on_link else CHASSIS, struts, i)
    return parts.mechanism("vehicle", design)


def quarter_car(design: Design, corner: str) -> Mechanism:
    """The corner of that name (FL, FR, RL or RR) on a chassis that does not move: `world` takes the chassis' place."""
    parts = _Parts()
    i = CORNER_NAMES.index(corner)
    _add_corner(parts, corner, design.corners[i], WORLD, WORLD, linear_struts(design.struts), i)
    return parts.mechanism(f"quarter car {corner}", design)


def jounce_sign(corner: Corner) -> float:
    """+1 where a positive angle of the joint `lca`, right-handed about its axis, is jounce; -1 where it is rebound."""
    return float(np.sign(np.cross(corner.lower_arm_axis, corner.D - corner.lower_arm_point)[2]))


def linear_struts(struts: Record) -> Record:
    """The same springs and dampers made linear, without stops, for comparisons of formulations.

    A spring keeps the slope of its force at its free length, a damper the mean of its mid-stroke coefficients in compression and rebound.
    """
    out = struts.copy()
    s = out[0]
    for i in range(len(CORNER_NAMES)):
        n = s["spring_points"][i]
        if n:
            pulls = np.interp([-SLOPE_OVER, SLOPE_OVER], s["spring_deformation"][i, :n], s["spring_pull"][i, :n])
            s["spring_rate"][i] += (pulls[1] - pulls[0]) / (2.0 * SLOPE_OVER)
        mean = 0.5 * (s["compression_damping"][i] + s["rebound_damping"][i])
        for name in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
            s[name][i] = mean
    s["spring_points"], s["stop_points"] = 0, 0
    return out


@dataclass
class _Parts:
    """A mechanism in the making."""

    bodies: list[RigidBody] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    joint_springs: list[JointSpring] = field(default_factory=list)

    def add_body(self, name: str, body: Body) -> None:
        self.bodies.append(RigidBody(name, body.mass, body.com, body.inertia))

    def add_joint(
        self,
        kind: str,
        parent: str,
        child: str,
        point: Vector,
        axes: Vector | None = None,
        independent: bool | None = False,
        prescribed: bool = False,
    ) -> None:
        """A joint of the child's name at a point of the design position; `axes` (n, 3) or (3,)."""
        axes = np.zeros((0, 3)) if axes is None else np.atleast_2d(axes)
        self.joints.append(
            Joint(child, kind, parent, child, p_PF=point, axes=axes, p_BM=point, independent=independent, prescribed=prescribed)
        )

    def add_loop(
        self, name: str, kind: str, bodies: tuple[str, str], at: Vector, at_successor: Vector | None = None, **more: object
    ) -> None:
        """A loop at a point of the design position; `at_successor` where the two points are not the same."""
        self.loops.append(Loop(name, kind, *bodies, at, at if at_successor is None else at_successor, **more))  # type: ignore[arg-type]

    def mechanism(self, name: str, design: Design) -> Mechanism:
        return Mechanism(
            name,
            tuple(self.bodies),
            tuple(self.joints),
            tuple(self.loops),
            springs=tuple(self.springs),
            joint_springs=tuple(self.joint_springs),
            gravity=np.array([0.0, 0.0, -design.gravity]),
            file=design.corners[0].file,
        )


def _add_corner(parts: _Parts, name: str, corner: Corner | FiveLinkCorner, chassis: str, inner: str, struts: Record, i: int) -> None:
    """One corner between `chassis` and the body `inner` that holds the inner tie-rod joint; springs and dampers are those of column i."""
    if isinstance(corner, FiveLinkCorner):
        _add_five_links(parts, name, corner, chassis, struts, i)
    else:
        _add_double_wishbone(parts, name, corner, chassis, inner, struts, i)


def _add_five_links(parts: _Parts, name: str, corner: FiveLinkCorner, chassis: str, struts: Record, i: int) -> None:
    """Links on universal joints, and on the lower rear one the knuckle with its wheel."""
    names = {body: f"{name}_{'knuckle' if body == 'carrier' else body}" for body in FIVE_LINK_BODIES}
    for n, link in enumerate(LINKS):
        parts.add_body(names[link], corner.bodies[link])
        independent = None if n == LOWER_REAR else False
        parts.add_joint("universal", chassis, names[link], corner.chassis_joints[n], link_axes(corner, n), independent=independent)
    knuckle = names["carrier"]
    parts.add_body(knuckle, corner.bodies["knuckle"])
    parts.add_joint("spherical", names["lower_rear"], knuckle, corner.carrier_joints[LOWER_REAR])
    for n, link in enumerate(LINKS):
        if n != LOWER_REAR:
            parts.add_loop(names[link], "ball", (names[link], knuckle), corner.carrier_joints[n])
    wheel = f"{name}_wheel"
    parts.add_body(wheel, corner.bodies["wheel"])
    parts.add_joint("revolute", knuckle, wheel, corner.W, corner.axle, independent=True)
    s = struts[0]
    rate, free_length, damping = (float(s[field][i]) for field in ("spring_rate", "spring_free_length", "rebound_damping"))
    held, damped = names[FIVE_LINK_BODIES[corner.spring_on]], names[FIVE_LINK_BODIES[corner.shock_on]]
    parts.springs.append(Spring(f"{name}_spring", chassis, corner.U, held, corner.S, rate, free_length))
    parts.springs.append(Spring(f"{name}_damper", chassis, corner.J, damped, corner.B, 0.0, 0.0, damping))


def _add_double_wishbone(parts: _Parts, name: str, corner: Corner, chassis: str, inner: str, struts: Record, i: int) -> None:
    """See `_add_corner`."""
    names = {ours: f"{name}_{short}" for ours, short in BODY_NAMES.items()}
    massless = {ours for ours, body in corner.bodies.items() if body.mass == 0.0}
    kingpin = _unit(corner.F - corner.D)

    def body(ours: str) -> str:
        parts.add_body(names[ours], corner.bodies[ours])
        return names[ours]

    lower = body("lower_arm")
    parts.add_joint("revolute", chassis, lower, corner.lower_arm_point, corner.lower_arm_axis, independent=True)
    if "upright" in massless:
        upright = knuckle = body("knuckle")
        parts.add_joint("spherical", lower, knuckle, corner.D)
    else:
        upright = body("upright")
        parts.add_joint("universal", lower, upright, corner.D, corner.upright_axes)
        knuckle = body("knuckle")
        parts.add_joint("revolute", upright, knuckle, corner.D, kingpin)
    driven = i < 2 and inner == chassis
    if "tierod" in massless:
        length = float(np.linalg.norm(corner.Q - corner.K))
        parts.add_loop(f"{name}_L", "distance", (knuckle, inner), corner.K, corner.Q, length=length, driven=driven)
    else:
        tierod = body("tierod")
        parts.add_joint("universal", knuckle, tierod, corner.K, corner.tierod_axes)
        parts.add_loop(f"{name}_L", "ball", (tierod, inner), corner.Q, driven=driven)
    wheel = body("wheel")
    parts.add_joint("revolute", knuckle, wheel, corner.W, corner.axle, independent=True)
    _add_shock(parts, name, corner, chassis, float(struts[0]["rebound_damping"][i]))
    upper = body("upper_arm")
    parts.add_joint("revolute", chassis, upper, corner.upper_arm_point, corner.upper_arm_axis)
    parts.add_loop(f"{name}_F", "ball", (upper, upright), corner.F)
    rate, free_length = float(struts[0]["spring_rate"][i]), float(struts[0]["spring_free_length"][i])
    parts.springs.append(Spring(f"{name}_spring", chassis, corner.U, lower, corner.S, rate, free_length))


def _add_shock(parts: _Parts, name: str, corner: Corner, chassis: str, damping: float) -> None:
    """The shock absorber on the lower arm: two bodies that slide on each other, or without mass only the damper."""
    lower = f"{name}_{BODY_NAMES['lower_arm']}"
    massless = [half for half in ("shock_lower", "shock_upper") if corner.bodies[half].mass == 0.0]
    if len(massless) == 2:
        parts.springs.append(Spring(f"{name}_damper", chassis, corner.J, lower, corner.B, 0.0, 0.0, damping))
        return
    if massless:
        raise ConfigError(
            corner.file, f"{corner.key}.bodies.{massless[0]}", "nothing", "a mass for both halves of the shock absorber or for none"
        )
    halves = [f"{name}_{BODY_NAMES[half]}" for half in ("shock_lower", "shock_upper")]
    for half in ("shock_lower", "shock_upper"):
        parts.add_body(f"{name}_{BODY_NAMES[half]}", corner.bodies[half])
    parts.add_joint("universal", lower, halves[0], corner.B, corner.shock_axes)
    parts.add_joint("prismatic", halves[0], halves[1], corner.B, _unit(corner.J - corner.B))
    parts.add_loop(f"{name}_J", "ball", (halves[1], chassis), corner.J)
    parts.joint_springs.append(JointSpring(halves[1], damping=damping))


def _add_linkage(parts: _Parts, steering: Record, mass: float, arm_prescribed: bool) -> None:
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


def _rod(mass: float, start: Vector, end: Vector) -> Body:
    """Round uniform rod, a tenth as thick as long."""
    n, length = _unit(end - start), float(np.linalg.norm(end - start))
    radius = 0.05 * length
    along, across = 0.5 * radius**2, length**2 / 12.0 + 0.25 * radius**2
    return Body(mass, 0.5 * (start + end), mass * (across * np.eye(3) + (along - across) * np.outer(n, n)))


def _unit(a: Vector) -> Vector:
    return np.asarray(a, float) / np.linalg.norm(a)
