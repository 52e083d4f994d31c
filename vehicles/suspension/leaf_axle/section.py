"""Section of a vehicle file for a rigid axle on two leaf springs (Hotchkiss drive), and the equivalent locating links.

A leaf that is clamped on the axle and bends by f at its eye, a ahead, is shortened lengthwise by f^2 / (2 share a): with w the
deflection at the fraction xi of the length, the integral of w'^2 / 2. A leaf of uniform strength bends to an arc, w = f xi^2, share =
3/4; a leaf of uniform thickness to w = f (3 xi^2 - xi^3) / 2, share = 5/6. The eye thus moves on an arc of radius share a about a point
fixed to the axle at (1 - share) a ahead of the seat. The eye, `eye_offset` above the neutral line, rotates with the slope of the tip, 2
f / a or 3 f / (2 a), which moves the arc's center below that line by

    drop = eye_offset (2 share - 1) for the arc, eye_offset (1.25 - 1) for the single leaf: slope of the tip times share, less one

These are the links of the three-link equivalent of a leaf spring [SAE HS 788, Manual on design and application of leaf springs, chapter
3: links of 3/4 of the length of either half, half of the eye's offset]. Front and rear half, a and b long, carry forces in the ratio f_a
/ a^2 : f_b / b^2 about the seat. Without a torque on the axle the seat therefore rotates in jounce z by

    chi = z (1/a - 1/b)                                                                                         (about y)

A third rod at the middle of the axle imposes this rotation. It is perpendicular to the path of its end on the axle, and as long as the
front links. The springs are laterally stiff: the point between the seats stays in the plane y = 0 of the chassis.

With a section `compliance`, the axle is elastic (`vehicles.compliance.elastic_beam`). Halves of one section have rates c / a^3 and c / b^3
at their eyes. A wind-up w of the seat in addition to the rotation above, chi = z (1/a - 1/b) + w, stores

    c / a^3 (z - a chi)^2 / 2 + c / b^3 (z + b chi)^2 / 2 = k z^2 / 2 + k a b w^2 / 2,    k = c (a + b) / (a b)^2

with k the rate of the spring: jounce and wind-up are independent, and the stiffness k a b of the wind-up follows from the rate. The front
links yield in the front eyes. To the side, both halves are springs at the height of the seat, as the plane, below or above their eyes.
"""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.array_vectors import unit
from simulator.base.arrays import Vector
from simulator.base.errors import ErrorCollector
from simulator.base.fields import Choice, Field, Number
from simulator.base.values import Values
from vehicles.appearance import BEAM_ON_LEAVES
from vehicles.compliance.elastic_beam import ElasticBeam, Tie
from vehicles.suspension.axle_limits import MIRROR
from vehicles.suspension.rigid_axle.locating_links import Guide
from vehicles.suspension.rigid_axle.section import RigidAxle, fields_of

LEAVES = {
    "FRONT_EYE": "front eye of the spring, on the chassis",
    "REAR_EYE": "rear eye of the spring, in the shackle, in the design position",
    "SEAT": "neutral line of the main leaf above the axle, at the center bolt",
    "STOP_C": "point of the chassis above the seat; the length of the spring is the distance from this point down to the seat, along z",
}
LEAF_SHAPES = {"uniform_strength": (0.75, 2.0), "uniform_thickness": (5.0 / 6.0, 1.5)}
"""Radius of the eye's arc over the length of its half, and slope of the tip over the mean slope of the half."""

FIELDS = fields_of(
    LEAVES,
    (
        Field(
            "leaves",
            Choice(tuple(LEAF_SHAPES)),
            "bending shape of a half: a stack of leaves or a tapered leaf, or one leaf of uniform thickness",
            "uniform_strength",
        ),
        Field("eye_offset", Number("m", -0.1, 0.1), "height of the middle of the front eye above the neutral line of the main leaf", 0.0),
    ),
)
MIN_HALF_LENGTH = 0.1
"""m. Smallest length of half a spring."""
LEVER = 0.3
"""m. Height of the end of the third rod above the axle."""
RATE_STEP = 1e-3
"""m. Distance from the design position of the deflections between which the rate of a spring with a table is measured."""
Y, Z = np.eye(3)[1:]


class LeafAxle(RigidAxle):
    """Two longitudinal leaf springs, with a fixed eye in front and a shackle at the rear."""

    kind = "leaf_axle"
    joints = (("FRONT_EYE", "SEAT"), ("REAR_EYE", "SEAT"), ("SHOCK_A", "SHOCK_C"), ("STOP_C", "SEAT"))
    bushes = ("FRONT_EYE", "REAR_EYE", "FRONT_EYE", "REAR_EYE", "SHOCK_C", "STOP_C")
    links_as = BEAM_ON_LEAVES
    fields = FIELDS
    leaf = True

    def __init__(self, values: Values) -> None:
        self.share, self.slope = LEAF_SHAPES[values["leaves"]]
        self.eye_offset = values["eye_offset"]
        super().__init__(values)
        self.elastic = self._elastic()

    def check_points(self, points: Values) -> None:
        p = self.points
        with ErrorCollector() as faults:
            for name, side in (("FRONT_EYE", 1.0), ("REAR_EYE", -1.0)):
                if side * (p[name] - p["SEAT"])[0] < MIN_HALF_LENGTH:
                    expected = f"a point at least {MIN_HALF_LENGTH:g} m {'ahead of' if side > 0.0 else 'behind'} SEAT"
                    faults.add(points.error(name, expected))
            if p["STOP_C"][2] <= p["SEAT"][2]:
                faults.add(points.error("STOP_C", "a point above SEAT"))

    def guide(self) -> Guide:
        p = self.points
        seat, eye = p["SEAT"], p["FRONT_EYE"]
        a, b = (eye - seat)[0], (seat - p["REAR_EYE"])[0]
        joint = seat + [(1.0 - self.share) * a, 0.0, -self.eye_offset * (self.slope * self.share - 1.0)]
        joint[1] += (1.0 - self.share) * (eye - seat)[1]
        middle = np.array([p["SPINDLE"][0], 0.0, p["SPINDLE"][2]])
        anchors, joints = [eye, eye * [1.0, -1.0, 1.0]], [joint, joint * [1.0, -1.0, 1.0]]
        rod, end = eye - joint, middle + [0.0, 0.0, LEVER]
        pitch = 1.0 / a - 1.0 / b
        rise = 1.0 - pitch * (joint - seat)[0]
        path = -rise * rod[2] / rod[0] + pitch * (end - joint)[2], rise - pitch * (end - joint)[0]
        anchors.append(end + _perpendicular_to(path, float(np.hypot(rod[0], rod[2]))))
        joints.append(end)
        between = seat * [1.0, 0.0, 1.0]
        normals = np.zeros((4, 3))
        normals[3] = 0.0, 1.0, 0.0
        return Guide(np.array([*anchors, between]), np.array([*joints, between]), normals)

    def _elastic(self) -> ElasticBeam:
        """Return the beam on elastic springs and eyes."""
        p, guide = self.points, self.guide()
        seat, front, rear = p["SEAT"], p["FRONT_EYE"], p["REAR_EYE"]
        links = (Tie(guide.joints[n], unit(guide.joints[n] - guide.anchors[n]), "FRONT_EYE", axial=False) for n in (0, 1))
        halves = [(np.array([eye[0], *seat[1:]]), name) for eye, name in ((front, "FRONT_EYE"), (rear, "REAR_EYE"))]
        sideways = (Tie(point * flip, Y, name) for point, name in halves for flip in (np.ones(3), MIRROR))
        wind_up = 2.0 * self._rate() * (front - seat)[0] * (seat - rear)[0]
        return ElasticBeam((*links, *sideways), ((seat, Z), (seat * MIRROR, Z)), self.wind_up_inertia(), wind_up)

    def _rate(self) -> float:
        """Return the rate of a spring [N/m] in the design position."""
        deformation, pull = self.table
        if not len(deformation):
            return self.rate
        before, behind = np.interp(
            (self.points["STOP_C"] - self.points["SEAT"])[2] - self.free_length + [-RATE_STEP, RATE_STEP], deformation, pull
        )
        return float(self.rate + (behind - before) / (2.0 * RATE_STEP))

    def spring_ends(self) -> tuple[Vector, Vector]:
        return self.points["SEAT"], self.points["STOP_C"]

    def drawn_end(self, guide: Guide) -> Vector:
        return np.asarray(self.points["SEAT"])


def _perpendicular_to(path: tuple[float, float], length: float) -> Vector:
    """Return a vector of the length, perpendicular to a path that leads upward, pointing forward."""
    x, z = path
    return length / float(np.hypot(x, z)) * np.array([z, 0.0, -x])


AXLE = LeafAxle
