"""Axles of a vehicle file: hardpoints of the left side, bodies, spring and shock absorber, converted to the corners of both sides.

Hardpoints are given in the suspension frame of the axle; the right side is the mirror image.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.array_vectors import cross, norm, unit
from simulator.base.errors import ConfigError, ErrorCollector, raise_all
from simulator.base.fields import Fields
from simulator.base.records import Record
from simulator.base.section import Section
from vehicles.appearance import LINKS_AS
from vehicles.multibody.description.rigid_body import RigidBody, checked_body
from vehicles.suspension.alignment_section import read_alignment
from vehicles.suspension.axle_limits import FAR, HEAVY, LIGHT, MIRROR, SHORT, SLENDER, SOFT, STIFF
from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.inertia_section import read_inertia, warn_of
from vehicles.suspension.springs_and_dampers import SPRING_POINTS, STOP_POINTS

if TYPE_CHECKING:
    from vehicles.compliance.elastic_axle import Linkage

Vector = NDArray[np.float64]


BUSHES = ("lca_front_B", "lca_rear_B", "uca_front_B", "uca_rear_B", "shock_upper_B", "spring_upper_B")
"""Points fixed to the chassis, for the view: lower and upper links or arms, front and rear, and the struts."""


class Axle(ABC):
    """One axle: its left hardpoints in chassis axes, bodies, spring and shock absorber."""

    hardpoints: tuple[str, ...]
    joints: tuple[tuple[str, str], ...]
    """End points of hinges and rods, which must not coincide."""
    bushes: tuple[str, ...]
    """Chassis ends in the order of BUSHES."""
    block: ClassVar[AxleCallbacks | None] = None
    """Kernels of its corners; None: those of the default kind."""
    unsteered: str = ""
    """Reason why an axle of this kind cannot be steered; empty if it can."""
    steering: str = ""
    """Joint that the steering moves, if the file names it."""
    fields: ClassVar[Fields | None] = None
    """Table of its section, used to check a file before reading; None: a third-party kind that checks its section itself."""
    elastic: Linkage | None = None
    """Elastic linkage with the possible bushings; None: this kind has no compliance."""
    compliance: Section | None = None
    """Section `compliance` of the file; read once the corners are known."""
    sides: int = 2
    """Number of corners: 2 (left and right) or 1 in the middle."""
    links_as: str = LINKS_AS[0]
    """Drawing style of the links."""

    def __init__(self, s: Section) -> None:
        with ErrorCollector() as faults, s:
            self.file, self.key = s.file, s.key
            s.raw("suspension", "")  # already read by the caller
            self.sides = self.read_sides(s)
            location = self.location = s.array("location", (3,), within=FAR)
            points, bodies = s.section("hardpoints_left"), s.section("bodies")
            self.spring, self.shock = s.section("spring"), s.section("shock")
            self.anti_roll_bar = s.section("anti_roll_bar") if s.has("anti_roll_bar") else None  # read once the corners are known
            self.compliance = s.section("compliance") if s.has("compliance") else None  # read once the corners are known
            self.alignment = read_alignment(s, self.sides)
            with faults.part():
                with points as h:
                    self.points = {name: h.array(name, (3,), within=FAR) + location for name in self.hardpoints}
                    self._check_joints(h)
                    self.check_points(h)
                with bodies:
                    self.bodies = self.read_bodies(bodies)
            with faults.part():
                self.read_struts()

    @classmethod
    def why_unsteered(cls, s: Section) -> str:
        """Return the reason why the axle of a section cannot be steered; empty if it can."""
        return cls.unsteered

    def _check_joints(self, h: Section) -> None:
        """Raise ConfigError if end points of hinges or rods coincide."""
        near = [(one, other) for one, other in self.joints if norm(self.points[one] - self.points[other]) < 1e-3]
        raise_all([ConfigError(h.file, h.path(one), h.mapping[one], f"a point at least 1 mm from {other}") for one, other in near])

    def read_sides(self, s: Section) -> int:
        """Return the number of corners of the axle: 2, or 1 in the middle by the key `wheels`. Raises ConfigError."""
        wheels = s.number("wheels", 2.0)
        if wheels not in (1.0, 2.0):
            raise ConfigError(s.file, s.path("wheels"), wheels, "2, or 1 for one wheel in the middle")
        return int(wheels)

    def check_points(self, h: Section) -> None:  # noqa: B027 - most kinds have no further conditions
        """Check further conditions of this kind of axle on its hardpoints. Raises ConfigError."""

    def read_bodies(self, s: Section) -> dict[str, RigidBody]:
        """Return the bodies of the left side in the design position. Raises ConfigError."""
        p, found = self.points, {}
        with ErrorCollector() as faults:
            for name, point in (("knuckle", "UPRIGHT"), ("wheel", "SPINDLE")):
                with faults.part(), s.section(name) as b:
                    mass = b.number("mass", above=0.0, least=LIGHT, most=HEAVY)
                    found[name] = checked_body(RigidBody(name, mass, p[point], read_inertia(b, "inertia")), b.file, b.key, warn=warn_of(b))
        return found

    @abstractmethod
    def corner(self, mirror: bool) -> CornerDesign:
        """Return the left corner, or its mirror image."""

    def side(self, mirror: bool) -> tuple[dict[str, Vector], dict[str, RigidBody]]:
        """Return hardpoints and bodies of the left side, or their mirror images."""
        if not mirror:
            return self.points, self.bodies
        flip = np.outer(MIRROR, MIRROR)
        bodies = {name: RigidBody(name, b.mass, b.p_BoBcm * MIRROR, b.I_BBcm * flip) for name, b in self.bodies.items()}
        return {name: point * MIRROR for name, point in self.points.items()}, bodies

    def arm(self, s: Section, name: str, points: tuple[str, str, str, str]) -> RigidBody:
        """Return an arm on a hinge, from its front and rear bushing, ball joint and center of mass.

        The moments in the file are those along the hinge and normal to the plane of the arm.
        """
        with s.section(name) as b:
            bush, rear, ball, com = (self.points[point] for point in points)
            x = unit(bush - rear)
            z = unit(cross(rear - ball, bush - ball))
            frame = np.column_stack([x, cross(z, x), z])
            inertia = frame @ np.diag(b.array("arm_inertia", (3,))) @ frame.T
            return checked_body(RigidBody(name, b.number("mass"), com, inertia), b.file, b.key, "arm_inertia", warn_of(b))

    def rod(self, s: Section, name: str, start: Vector, end: Vector) -> RigidBody:
        """Return a straight uniform rod over a part of the line between two joints."""
        with s.section(name) as b:
            mass = b.number("mass", above=0.0, least=LIGHT, most=HEAVY)
            low, high = b.number("from", least=-1.0, most=2.0), b.number("to", least=-1.0, most=2.0)
            if not high > low:
                raise ConfigError(b.file, b.path("to"), high, f"more than `from` = {low:g}")
            n = unit(end - start)
            length = (high - low) * float(norm(end - start))
            across = b.number("transverse_inertia", mass * length**2 / 12.0, above=0.0, least=SLENDER, most=HEAVY)
            axial = b.number("axial_inertia", above=0.0, least=SLENDER, most=HEAVY)
            inertia = across * (np.eye(3) - np.outer(n, n)) + axial * np.outer(n, n)
            return checked_body(RigidBody(name, mass, start + 0.5 * (low + high) * (end - start), inertia), b.file, b.key)

    def read_struts(self) -> None:
        """Read spring, stops and damper. Raises ConfigError for all of them together."""
        with ErrorCollector() as faults:
            with faults.part():
                self._read_spring()
            with faults.part(), self.shock as s:
                self._read_shock(s)

    def _read_spring(self) -> None:
        with ErrorCollector() as faults, self.spring as s:
            self.free_length = s.number("free_length", above=0.0, least=SHORT, most=FAR)
            self.rate = s.number("rate", 0.0, least=0.0, most=STIFF)
            self.table = (np.empty(0), np.empty(0))
            with faults.part():
                if s.has("deformation"):
                    self.table = s.curve("deformation", "pull", SPRING_POINTS, FAR, STIFF)
                    _check_rising(s, "pull", self.table[1])
                elif self.rate < SOFT:
                    given = s.mapping.get("rate", "nothing")
                    expected = f"a rate of at least {SOFT:g} N/m, or a table of deformation and pull"
                    raise ConfigError(s.file, s.path("rate"), given, expected)
            with faults.part():
                self.read_stops(s)
            faults.need_all()

    def _read_shock(self, s: Section) -> None:
        names = ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end")
        self.damping = {name: s.number(name, least=0.0, most=STIFF) for name in names}
        self.degressivity = s.number("degressivity", 0.0, least=0.0, most=1e3)
        low, high = s.number("midstroke_min", least=0.0, most=FAR), s.number("midstroke_max", above=0.0, most=FAR)
        if not high > low:
            raise ConfigError(s.file, s.path("midstroke_max"), high, f"more than midstroke_min = {low:g}")
        self.stroke = (low, high, s.number("midstroke_blend", above=0.0, least=1e-6, most=high - low))

    def read_stops(self, s: Section) -> None:
        """Read the optional bump and rebound stops of the section `spring`."""
        self.stops = (np.empty(0), np.empty(0))
        if not s.has("stop_penetration"):
            return
        penetration, force = self.stops = s.curve("stop_penetration", "stop_force", STOP_POINTS, FAR, STIFF)
        self.bump, self.rebound = (s.number(f"{end}_stop_length", above=0.0, least=SHORT, most=FAR) for end in ("bump", "rebound"))
        self.end_rate = s.number("stop_end_rate", 0.0, least=0.0, most=STIFF)
        with ErrorCollector() as faults:
            if penetration[0] < 0.0:
                faults.add(ConfigError(s.file, s.path("stop_penetration"), penetration.tolist(), "rising penetrations of at least 0"))
            with faults.part():
                if force[0] != 0.0:
                    expected = "forces that rise from 0, the force at first contact"
                    raise ConfigError(s.file, s.path("stop_force"), force.tolist(), expected)
                _check_rising(s, "stop_force", force)
            if not self.rebound > self.bump:
                expected = f"more than bump_stop_length = {self.bump:g}"
                faults.add(ConfigError(s.file, s.path("rebound_stop_length"), self.rebound, expected))

    def write_struts(self, struts: Record, i: int) -> None:
        """Fill column i of a STRUTS record."""
        out = struts[0]
        out["spring_rate"][i], out["spring_free_length"][i] = self.rate, self.free_length
        n = out["spring_points"][i] = len(self.table[0])
        out["spring_deformation"][i, :n], out["spring_pull"][i, :n] = self.table
        n = out["stop_points"][i] = len(self.stops[0])
        if n:
            out["stop_penetration"][i, :n], out["stop_force"][i, :n] = self.stops
            out["bump_stop_length"][i], out["rebound_stop_length"][i], out["stop_end_rate"][i] = self.bump, self.rebound, self.end_rate
        for name, value in self.damping.items():
            out[name][i] = value
        out["degressivity"][i] = self.degressivity
        out["midstroke_min"][i], out["midstroke_max"][i], out["midstroke_blend"][i] = self.stroke


def _check_rising(s: Section, name: str, values: Vector) -> None:
    if (np.diff(values) < 0.0).any():
        raise ConfigError(s.file, s.path(name), values.tolist(), "numbers that never fall")
