"""Axles of a vehicle file: hardpoints of the left side, bodies, spring and shock absorber, converted to the corners of both sides.

Hardpoints are given in the suspension frame of the axle; the right side is the mirror image.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from simulator.base.algebra.array_vectors import cross, norm, unit
from simulator.base.arrays import Vector
from simulator.base.errors import ErrorCollector, raise_all
from simulator.base.fields import Fields
from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.appearance import LINKS_AS
from vehicles.body_fields import read_body
from vehicles.multibody.description.rigid_body import RigidBody, checked_body
from vehicles.suspension.alignment_section import read_alignment
from vehicles.suspension.axle_limits import FAR, MIRROR, SOFT
from vehicles.suspension.blocks import AxleCallbacks
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.springs_and_dampers import DAMPER_POINTS, SPRING_POINTS, STOP_POINTS
from vehicles.suspension.table_file import Columns, Quantity, TableFile, table_at

if TYPE_CHECKING:
    from vehicles.compliance.elastic_axle import Linkage
    from vehicles.compliance.elastic_beam import ElasticBeam
    from vehicles.compliance.measured import MeasuredCompliance


_FORCE = {"force": (Quantity(("force", "load"), "N"),)}
SPRING_CURVE = {"travel": (Quantity(("travel", "spring_travel", "compression", "penetration"), "m"),), **_FORCE}
DAMPER_CURVE = {"velocity": (Quantity(("velocity", "damper_velocity", "compression_velocity", "speed"), "m/s"),), **_FORCE}
"""Columns of the files of a spring or a stop, and of a damper; + = compression."""

BUSHES = ("lca_front_B", "lca_rear_B", "uca_front_B", "uca_rear_B", "shock_upper_B", "spring_upper_B")
"""Points fixed to the chassis, for the view: lower and upper links or arms, front and rear, and the struts."""


class Axle(ABC):
    """One axle: its left hardpoints in chassis axes, bodies, spring and shock absorber."""

    fields: ClassVar[Fields]
    """Table of its section; a file is checked against it before the class reads the values."""
    joints: tuple[tuple[str, str], ...]
    """End points of hinges and rods, which must not coincide."""
    bushes: tuple[str, ...]
    """Chassis ends in the order of BUSHES."""
    centers: Mapping[str, str] = {"knuckle": "UPRIGHT", "wheel": "SPINDLE"}
    """Hardpoints at the centers of mass of the bodies with mass and inertia."""
    block: ClassVar[AxleCallbacks | None] = None
    """Kernels of its corners; None: those of the default kind."""
    unsteered: str = ""
    """Reason why an axle of this kind cannot be steered; empty if it can."""
    steering: str = ""
    """Joint that the steering moves, if the file names it."""
    elastic: Linkage | ElasticBeam | MeasuredCompliance | None = None
    """Elastic linkage or beam with the possible bushings; None: this kind has no compliance."""
    compliance: Values | None = None
    """Section `compliance` of the file; read once the corners are known."""
    sides: int = 2
    """Number of corners: 2 (left and right) or 1 in the middle."""
    links_as: str = LINKS_AS[0]
    """Drawing style of the links."""

    def __init__(self, values: Values) -> None:
        with ErrorCollector() as faults:
            self.file, self.key = values.file, values.key
            self.sides = values.get("wheels", self.sides)
            self.location = values["location"]
            self.spring, self.shock = values["spring"], values["shock"]
            self.anti_roll_bar, self.compliance = values.get("anti_roll_bar"), values.get("compliance")  # read once the corners are known
            self.alignment = read_alignment(values, self.sides)
            with faults.part():
                points = values["hardpoints_left"]
                self.points = {name: point + self.location for name, point in points.items()}
                self._check_joints(points)
                self.check_points(points)
                self.bodies = self.read_bodies(values["bodies"])
            with faults.part():
                self.read_struts()

    @classmethod
    def why_unsteered(cls, values: Values) -> str:
        """Return the reason why the axle of a section cannot be steered; empty if it can."""
        return cls.unsteered

    def _check_joints(self, points: Values) -> None:
        """Raise ConfigError if end points of hinges or rods coincide."""
        near = [(one, other) for one, other in self.joints if norm(self.points[one] - self.points[other]) < 1e-3]
        raise_all([points.error(one, f"a point at least 1 mm from {other}") for one, other in near])

    def check_points(self, points: Values) -> None:  # noqa: B027 - most kinds have no further conditions
        """Check further conditions of this kind of axle on its hardpoints. Raises ConfigError."""

    def read_bodies(self, bodies: Values) -> dict[str, RigidBody]:
        """Return the bodies of the left side in the design position. Raises ConfigError."""
        found = {}
        with ErrorCollector() as faults:
            for name, point in self.centers.items():
                with faults.part():
                    found[name] = read_body(name, bodies[name], self.points[point])
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

    def arm(self, bodies: Values, name: str, points: tuple[str, str, str, str]) -> RigidBody:
        """Return an arm on a hinge, from its front and rear bushing, ball joint and center of mass.

        The moments in the file are those along the hinge and normal to the plane of the arm.
        """
        arm = bodies[name]
        bush, rear, ball, com = (self.points[point] for point in points)
        x = unit(bush - rear)
        z = unit(cross(rear - ball, bush - ball))
        frame = np.column_stack([x, cross(z, x), z])
        inertia = frame @ np.diag(arm["arm_inertia"]) @ frame.T
        return checked_body(RigidBody(name, arm["mass"], com, inertia), arm.file, arm.key, "arm_inertia", not arm["as_published"])

    def rod(self, bodies: Values, name: str, start: Vector, end: Vector) -> RigidBody:
        """Return a straight uniform rod over a part of the line between two joints."""
        rod = bodies[name]
        mass, low, high = rod["mass"], rod["from"], rod["to"]
        if not high > low:
            raise rod.error("to", f"more than `from` = {low:g}")
        n = unit(end - start)
        length = (high - low) * float(norm(end - start))
        across = rod.get("transverse_inertia", mass * length**2 / 12.0)
        inertia = across * (np.eye(3) - np.outer(n, n)) + rod["axial_inertia"] * np.outer(n, n)
        return checked_body(RigidBody(name, mass, start + 0.5 * (low + high) * (end - start), inertia), rod.file, rod.key)

    def read_struts(self) -> None:
        """Read spring, stops and damper. Raises ConfigError for all of them together."""
        with ErrorCollector() as faults:
            for read in (self._read_spring, self._read_stops, self._read_shock):
                with faults.part():
                    read()

    def _read_spring(self) -> None:
        spring = self.spring
        self.free_length, self.rate = spring["free_length"], spring["rate"]
        if "file" in spring:
            self.rate, self.table = 0.0, _spring_table(table_at(spring, "file"))
            return
        self.table = _curve(spring, "deformation", "pull")
        if not len(self.table[0]) and self.rate < SOFT:
            raise spring.error("rate", f"a rate of at least {SOFT:g} N/m, or a table of deformation and pull")

    def _read_stops(self) -> None:
        """Read the optional bump and rebound stops of the section `spring`."""
        spring = self.spring
        if "stop_file" in spring:
            self.stops = _stop_table(table_at(spring, "stop_file"))
        else:
            self.stops = _curve(spring, "stop_penetration", "stop_force", ("bump_stop_length", "rebound_stop_length", "stop_end_rate"))
        if not len(self.stops[0]):
            return
        self.bump, self.rebound = (spring.needed(f"{end}_stop_length", f"the length at the {end} stop") for end in ("bump", "rebound"))
        self.end_rate = spring.get("stop_end_rate", 0.0)
        penetration, force = self.stops
        with ErrorCollector() as faults:
            if penetration[0] < 0.0:
                faults.add(spring.error("stop_penetration", "rising penetrations of at least 0"))
            if force[0] != 0.0:
                faults.add(spring.error("stop_force", "forces that rise from 0, the force at first contact"))
            if not self.rebound > self.bump:
                faults.add(spring.error("rebound_stop_length", "more than bump_stop_length = {}", self.bump))

    def _read_shock(self) -> None:
        shock = self.shock
        names = ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end")
        self.damper_table = np.empty(0), np.empty(0)
        if "file" in shock:
            velocity, force = Columns(table_at(shock, "file"), DAMPER_CURVE).curve("velocity", "force", DAMPER_POINTS)
            self.damper_table = -velocity[::-1], -force[::-1]
            self.damping, self.degressivity, self.stroke = dict.fromkeys(names, 0.0), 0.0, (0.0, FAR, 1.0)
            return
        strokes = ("midstroke_min", "midstroke_max", "midstroke_blend")
        raise_all([shock.error(name, "a number, or the key file") for name in (*names, *strokes) if name not in shock])
        self.damping = {name: shock[name] for name in names}
        self.degressivity = shock["degressivity"]
        low, high, blend = self.stroke = (shock["midstroke_min"], shock["midstroke_max"], shock["midstroke_blend"])
        if not high > low:
            raise shock.error("midstroke_max", "more than midstroke_min = {}", low)
        if blend > high - low:
            raise shock.error("midstroke_blend", "at most {}, from midstroke_min to midstroke_max", high - low)

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
        n = out["damper_points"][i] = len(self.damper_table[0])
        out["damper_rate"][i, :n], out["damper_pull"][i, :n] = self.damper_table
        out["midstroke_min"][i], out["midstroke_max"][i], out["midstroke_blend"][i] = self.stroke


def _spring_table(file: TableFile) -> tuple[Vector, Vector]:
    """Return deformation and pull of a spring from its file, with one more point at each end, in line. Raises ConfigError."""
    travel, force = Columns(file, SPRING_CURVE).curve("travel", "force", SPRING_POINTS - 2)
    deformation, pull = -travel[::-1], -force[::-1]
    beyond = deformation[-1] - deformation[0]
    low, high = ((pull[k + 1] - pull[k]) / (deformation[k + 1] - deformation[k]) for k in (0, len(pull) - 2))
    return (
        np.concatenate([[deformation[0] - beyond], deformation, [deformation[-1] + beyond]]),
        np.concatenate([[pull[0] - low * beyond], pull, [pull[-1] + high * beyond]]),
    )


def _stop_table(file: TableFile) -> tuple[Vector, Vector]:
    """Return penetration and force of a stop from its file. Raises ConfigError."""
    columns = Columns(file, SPRING_CURVE)
    curve = columns.curve("travel", "force", STOP_POINTS)
    first = int(np.argmin(columns["travel"]))
    if curve[0][0] < 0.0:
        raise columns.error("travel", first, "penetrations of at least 0")
    if curve[1][0] != 0.0:
        raise columns.error("force", first, "0, the force at first contact, in the row of the least penetration")
    return curve


def _curve(values: Values, x: str, y: str, others: tuple[str, ...] = ()) -> tuple[Vector, Vector]:
    """Return a curve that never falls, empty if none of its keys is given; the keys `others` belong to it. Raises ConfigError."""
    given = [name for name in (x, y, *others) if name in values]
    if not given:
        return np.empty(0), np.empty(0)
    abscissas = values.needed(x, f"a list of numbers, which {given[0]} needs")
    ordinates = values.needed(y, f"{len(abscissas)} numbers")
    if len(ordinates) != len(abscissas):
        raise values.error(y, f"{len(abscissas)} numbers, as many as {x}")
    if (np.diff(ordinates) < 0.0).any():
        raise values.error(y, "numbers that never fall")
    return abscissas, ordinates
