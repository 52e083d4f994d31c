"""Points for the view of a general mechanism: a lower and an upper link, a tie rod and the struts.

A link is a body, or a distance, between the chassis and the carrier. Bodies that are attached to the carrier without contact to the
chassis (an upright that carries the knuckle) count as carrier. The lowest link at the carrier is drawn as lower arm, the highest as
upper arm, another one as toe link. A carrier that is attached to the chassis itself (a trailing arm) is its own link. A link that slides
along the carrier is a strut: it is drawn from its mount to the foot of the shock absorber or of the spring, whichever is on the carrier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import WORLD, Mechanism

Point = tuple[str, Vector]
"""A body and a point of it, in its frame [m]."""
Places = Mapping[str, tuple[Vector, Vector]]
"""Origin and attitude of every body's frame in the design position."""

HINGE = 0.15
"""m. Drawn distance of the bushings of a hinged link from the point of its joint on the chassis."""


@dataclass(frozen=True)
class ViewPoints:
    """Points for the view.

    moving : points of bodies: outer joints of lower and upper link and tie rod, lower ends of shock and spring, inner joint of the tie rod
    bushes : points fixed to the chassis by the names of BUSHES, in the design position [m]
    inner : inner joint of the tie rod in the design position [m]
    """

    moving: tuple[Point, ...]
    bushes: dict[str, Vector]
    inner: Vector


@dataclass(frozen=True)
class _Link:
    chassis: Point
    inner: Point
    """Inner end of the part that leads to the carrier: on the chassis, or on a body that the steering moves along the chassis."""
    carrier: Point
    axis: Vector | None
    names: tuple[str, ...]
    slides: bool = False
    """True if the link slides along the carrier, and thus has no joint there."""


def draw(m: Mechanism, places: Places, hub: Point, steering: str, struts: list[Point]) -> ViewPoints:
    """Return the view points of a mechanism.

    `struts` are both ends of spring and shock absorber, `steering` the steered joint or loop, or empty.
    """

    def at(point: Point) -> Vector:
        p, R = places.get(point[0], (np.zeros(3), np.eye(3)))
        return np.array(p + R @ point[1])

    carrier = _carrier(m, hub)
    feet = [low for low in (_sorted(struts[k : k + 2])[0] for k in (2, 0)) if low[0] in carrier]
    candidates = [replace(link, carrier=feet[0]) if link.slides and feet else link for link in _links(m, hub, carrier)]
    links = sorted(candidates, key=lambda link: float(at(link.carrier)[2]))
    toe = next((link for link in links if steering and steering in link.names), None)
    others = [link for link in links if link is not toe]
    none = _Link(hub, hub, hub, None, ())
    lower = others[0] if others else none
    upper = others[-1] if others else lower
    if toe is None:
        toe = others[1] if len(others) > 2 else none
    inner = toe.inner if steering in [joint.name for joint in m.joints] else toe.chassis
    (spring_low, spring_high), (shock_low, shock_high) = (_sorted(struts[k : k + 2]) for k in (0, 2))
    bushes = dict(zip(("lca_front_B", "lca_rear_B"), _bushes(lower, at), strict=True))
    bushes |= dict(zip(("uca_front_B", "uca_rear_B"), _bushes(upper, at), strict=True))
    bushes |= {"shock_upper_B": at(shock_high), "spring_upper_B": at(spring_high)}
    moving = (lower.carrier, upper.carrier, toe.carrier, shock_low, spring_low, inner)
    return ViewPoints(moving, bushes, at(inner))


def _sorted(ends: list[Point]) -> list[Point]:
    """Return the end on the suspension, then the end on the chassis."""
    return ends if ends[1][0] == WORLD else ends[::-1]


def _bushes(link: _Link, at) -> tuple[Vector, Vector]:  # type: ignore[no-untyped-def]
    point = at(link.chassis)
    if link.axis is None:
        return point, point
    axis = link.axis if link.axis[0] > 0.0 else -link.axis
    return point + HINGE * axis, point - HINGE * axis


def _contacts(m: Mechanism) -> list[tuple[str, Point, Point]]:
    """Return names of joints and loops with their points on both bodies, each in both orders."""
    contacts = [(joint.name, (joint.parent, joint.p_PF), (joint.child, joint.p_BM)) for joint in m.joints]
    contacts += [(loop.name, (loop.predecessor, loop.p_predecessor), (loop.successor, loop.p_successor)) for loop in m.loops]
    return contacts + [(name, other, one) for name, one, other in contacts]


def _carrier(m: Mechanism, hub: Point) -> set[str]:
    """Return the body of the hub and all bodies attached to it without contact to the chassis."""
    contacts = _contacts(m)
    on_chassis = {other[0] for _, one, other in contacts if one[0] == WORLD}
    carrier, waiting = set(), [hub[0]]
    while waiting:
        body = waiting.pop()
        carrier.add(body)
        waiting += [o[0] for _, one, o in contacts if one[0] == body and o[0] not in on_chassis | carrier | {WORLD}]
    return carrier


def _links(m: Mechanism, hub: Point, carrier: set[str]) -> list[_Link]:
    """Return all links between chassis and carrier."""
    contacts, loops = _contacts(m), {loop.name for loop in m.loops}
    hinges = {joint.child: joint.R_PF @ joint.axes[0] for joint in m.joints if joint.parent == WORLD and joint.kind == "revolute"}
    slides = {joint.name for joint in m.joints if joint.kind == "prismatic"}
    candidates = []
    for name, one, other in contacts:
        if one[0] != WORLD:
            continue
        if other[0] in carrier and name in loops:
            candidates.append(_Link(one, one, other, None, (name,)))
        elif other[0] == hub[0]:
            candidates.append(_Link(one, one, hub, hinges.get(other[0]), (name,)))
        else:
            for outer, link, knuckle in contacts:
                if link[0] == other[0] and knuckle[0] in carrier:
                    candidates.append(_Link(one, link, knuckle, hinges.get(other[0]), (name, outer), outer in slides))
    return candidates
