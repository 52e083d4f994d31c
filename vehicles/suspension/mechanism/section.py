"""Section of a vehicle file for an axle from a mechanism file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.fields import Either, Field, Fields, Group, Number, Text, read
from simulator.base.values import Values
from vehicles.multibody.description.initial_state import InitialState
from vehicles.multibody.description.mechanism import WORLD, Joint, Loop, Mechanism, MechanismError, Spring
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.suspension.alignment_section import ALIGNMENT, read_alignment
from vehicles.suspension.axle_limits import FAR, STIFF
from vehicles.suspension.axle_section import BUSHES, Axle
from vehicles.suspension.axle_table import ANTI_ROLL_BAR, LOCATION, SHOCK, SPRING, WHEELS
from vehicles.suspension.mechanism.corner import MechanismCorner, find_loop
from vehicles.suspension.mechanism.linkage import Names

MIRROR = np.array([1.0, -1.0, 1.0])
"""Mirror factors of a position or a direction at the plane y = 0."""
TURN_FACTORS = -MIRROR
"""Mirror factors of an axis of rotation."""
FLIP = np.outer(MIRROR, MIRROR)
"""Mirror factors of a rotation or an inertia matrix, entry by entry."""


def moved(m: Mechanism, offset: Vector) -> Mechanism:
    """Return the mechanism with all elements that are fixed to the world moved by `offset` (3,) [m]."""

    def from_world(joint: Joint) -> Joint:
        return replace(joint, p_PF=joint.p_PF + offset) if joint.parent == WORLD else joint

    def loop(one: Loop) -> Loop:
        shift = {f"p_{end}": getattr(one, f"p_{end}") + offset for end in ("predecessor", "successor") if getattr(one, end) == WORLD}
        return replace(one, **shift)

    def spring(one: Spring) -> Spring:
        shift = {f"point_{end}": getattr(one, f"point_{end}") + offset for end in ("a", "b") if getattr(one, f"body_{end}") == WORLD}
        return replace(one, **shift)

    return replace(m, joints=tuple(map(from_world, m.joints)), loops=tuple(map(loop, m.loops)), springs=tuple(map(spring, m.springs)))


def mirrored(m: Mechanism) -> Mechanism:
    """Return the mirror image about y = 0. Joint coordinates have the same values on both sides."""

    def joint(one: Joint) -> Joint:
        side = MIRROR if one.kind == "prismatic" else TURN_FACTORS
        return replace(
            one,
            p_PF=one.p_PF * MIRROR,
            R_PF=one.R_PF * FLIP,
            axes=one.axes * side,
            p_BM=one.p_BM * MIRROR,
            R_BM=one.R_BM * FLIP,
        )

    def loop(one: Loop) -> Loop:
        names = ("p_predecessor", "p_successor", "axis_predecessor", "axis_successor")
        return replace(one, **{name: getattr(one, name) * MIRROR for name in names})

    return replace(
        m,
        bodies=tuple(replace(body, p_BoBcm=body.p_BoBcm * MIRROR, I_BBcm=body.I_BBcm * FLIP) for body in m.bodies),
        joints=tuple(map(joint, m.joints)),
        loops=tuple(map(loop, m.loops)),
        springs=tuple(replace(one, point_a=one.point_a * MIRROR, point_b=one.point_b * MIRROR) for one in m.springs),
    )


class MechanismFile(NamedTuple):
    """Mechanism file after reading: its path, for messages, and its content. It replaces the name under `file`."""

    path: str
    content: Any


_SPRING_NAME = Field("name", Text("the name of a spring in the mechanism file"), "spring of the mechanism file that defines the end points")
_SPRING = (_SPRING_NAME, *SPRING)
_SHOCK = (_SPRING_NAME, *SHOCK)
FIELDS = (
    replace(LOCATION, default=None),
    WHEELS,
    Field("file", Text("the name of a mechanism file", held=MechanismFile), "mechanism of the left side, a file in configs/mechanisms"),
    Field("coordinate", Text("the name of a joint"), "joint whose coordinate is the coordinate of the corner"),
    Field("wheel", Text("the name of a body"), "body of the wheel"),
    Field("steering", Text("the name of a loop or joint"), "loop or joint that the steering moves", None),
    Field("steering_ratio", Number("", -FAR, FAR), "displacement of a steered joint per angle of the Pitman arm", None),
    Field("spring", Either((Text("the name of a spring"), Group(_SPRING))), "spring and stops, or the name of a linear spring"),
    Field("shock", Either((Text("the name of a spring"), Group(_SHOCK))), "shock absorber, or the name of a linear damper"),
    ANTI_ROLL_BAR,
    ALIGNMENT,
)


class MechanismAxle(Axle):
    """Left side as a mechanism whose world is the chassis; the right side is its mirror image."""

    fields = FIELDS
    joints = ()
    bushes = BUSHES

    def __init__(self, values: Values) -> None:
        self.file, self.key = values.file, values.key
        self.location = values.get("location", np.zeros(3))
        self.sides = values["wheels"]
        self.anti_roll_bar = values.get("anti_roll_bar")
        self.alignment = read_alignment(values, self.sides)
        given = values["file"]
        if not isinstance(given, MechanismFile):
            raise values.error("file", "the name of a mechanism file")
        mechanism, self.start = mechanism_from_mapping(given.content, given.path)
        self.mechanism = moved(mechanism, self.location)
        self.steering = values.get("steering", "")
        ratio = self._ratio(values)
        self.spring, self.shock = self._strut(values, "spring", _SPRING), self._strut(values, "shock", _SHOCK)
        self.read_struts()
        self.names = Names(values["coordinate"], values["wheel"], self.steering, self.spring["name"], self.shock["name"], ratio)
        self.left = self._corner(self.mechanism, self.start, self.names)
        self.points = self.left.linkage.picture.bushes

    def _ratio(self, values: Values) -> float:
        """Return the displacement of a steered joint per Pitman angle; 0 for a loop, which follows the steering linkage."""
        if self.steering in [joint.name for joint in self.mechanism.joints] and find_loop(self.mechanism, self.steering) is None:
            return float(values.needed("steering_ratio", "a number: displacement of the joint per angle of the Pitman arm"))
        if "steering_ratio" in values:
            raise values.error("steering_ratio", "no ratio without the key `steering` with the name of a joint")
        return 0.0

    def _strut(self, values: Values, name: str, fields: Fields) -> Values:
        """Return the section of a spring or shock absorber.

        The value is a mapping with `name` and parameters, or a name alone, which selects the linear spring or damper of the mechanism file.
        """
        given = values[name]
        if isinstance(given, Values):
            return given
        one = next((spring for spring in self.mechanism.springs if spring.name == given), None)
        if one is None:
            known = ", ".join(spring.name for spring in self.mechanism.springs) or "there is none"
            raise values.error(name, f"one of the springs of {self.mechanism.file}: {known}")
        if name == "spring":
            parameters: dict[str, Any] = {"free_length": one.free_length, "rate": one.rate}
        else:
            sides = ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end")
            parameters = dict.fromkeys(sides, min(one.damping, STIFF)) | {
                "midstroke_min": 0.0,
                "midstroke_max": FAR,
                "midstroke_blend": 1.0,
            }
        return read(fields, {"name": given, **parameters}, values.file, values.path(name))

    def corner(self, mirror: bool) -> MechanismCorner:
        if not mirror:
            return self.left
        turned = np.concatenate([[1.0], TURN_FACTORS])
        start = {name: q * turned if q.size == 4 else q for name, q in self.start.positions.items()}
        names = replace(self.names, ratio=-self.names.ratio)
        return self._corner(mirrored(self.mechanism), InitialState(start, self.start.rates, self.start.accelerations), names)

    def _corner(self, mechanism: Mechanism, start: InitialState, names: Names) -> MechanismCorner:
        try:
            return MechanismCorner(mechanism, start, names, self.file, self.key)
        except MechanismError as error:
            raise ConfigError(self.file, f"{self.key}.file", str(error), "a mechanism whose loops close in the design position") from None


AXLE = MechanismAxle
