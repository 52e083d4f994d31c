"""A vehicle as its file describes it: from a parsed mapping to mechanism, steering, body and aerodynamics.

Hardpoints are given for the left side in the suspension frame of each axle; the right side is the mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from simulator.base.section import Section
from vehicles.dynamics import prepare
from vehicles.model import Design, Mechanism, checked_body, new_mechanism, new_workspace
from vehicles.steering import STEERING_STATE, place_tierods, steering_from_section
from vehicles.suspension.build_tables import COARSEST_TOLERANCE, DEFAULT_TOLERANCE, FINEST_TOLERANCE
from vehicles.suspension.corner_model import Body, Corner, Hinge, universal_axes
from vehicles.suspension.struts import SPRING_POINTS, STOP_POINTS, STRUTS

Vector = NDArray[np.float64]
MIRROR = np.array([1.0, -1.0, 1.0])

HARDPOINTS = (
    "SPINDLE", "UPRIGHT", "UCA_F", "UCA_B", "UCA_U", "UCA_CM", "LCA_F", "LCA_B", "LCA_U", "LCA_CM",
    "SHOCK_C", "SHOCK_A", "SPRING_C", "SPRING_A", "TIEROD_C", "TIEROD_U",
)  # fmt: skip
"""Names as in the source of the data: spindle (wheel centre), upright, upper and lower control arm with front and rear bush, outer
joint and centre of mass, shock absorber and spring on chassis (C) and arm (A), tie rod on chassis or link (C) and upright (U)."""

RODS = ("upright", "tierod", "shock_lower", "shock_upper")

JOINTS = (
    ("LCA_F", "LCA_B"), ("UCA_F", "UCA_B"), ("UCA_U", "LCA_U"), ("TIEROD_U", "TIEROD_C"), ("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"),
)  # fmt: skip
"""Ends of the hinges and rods."""

FAR = 100.0
"""m. No point of a vehicle lies further from its reference point: a number beyond is a slip of the decimal point or of the unit."""
HEAVY = 1e6
"""kg, and kg m2. No body is heavier, no moment of inertia larger."""
STIFF = 1e9
"""N/m, N s/m, N. No spring, damper or stop is stronger."""

KINEMATICS = ("closed_form", "table")
"""How the motion of the suspension is found, the first one if the file does not say."""

TRAVEL = (-0.05, 0.0, 0.05)
"""rad. Lower-arm angles about the design position in which every corner must close, at both ends of the steering too."""

BODY = (
    ("drivers_head", (3,), "m", "driver's head from the chassis reference point, in B"),
    ("drag_area", (), "m2", "drag coefficient times frontal area"),
    ("air_density", (), "kg/m3", "density of the air"),
    ("drag_point", (3,), "m", "where the drag acts, in B"),
)


@dataclass(frozen=True)
class Description:
    """Everything of the vehicle file but tires and drivetrain, which have files of their own and are given here by name."""

    name: str
    design: Design
    mechanism: Mechanism
    steering: Record
    body: Record
    bushes: dict[str, Vector]
    """lca_front_B, lca_rear_B, uca_front_B, uca_rear_B, shock_upper_B, spring_upper_B: points (4, 3) fixed to the chassis."""
    outline: tuple[float, float, float]
    """Length, width and front overhang of the body [m]."""
    tires: str
    drivetrain: str
    table_tolerance: float | None
    """Of the tables that stand for the closed form of the suspension; None: no tables."""


def read_description(mapping: Any, file: str) -> Description:
    """Checked description. Raises ConfigError naming file, key path, value and expectation."""
    with Section(mapping, file) as s:
        with s.section("chassis") as c:
            chassis = _chassis(c)
            head = c.array("drivers_head", (3,), within=FAR)
        with s.section("axles") as axles:
            front, rear = (_Axle(axles.section(name)) for name in ("front", "rear"))
        struts = record(STRUTS)
        corners = []
        for i, (axle, mirror) in enumerate(((front, False), (front, True), (rear, False), (rear, True))):
            corners.append(axle.corner(mirror))
            axle.write_struts(struts, i)
        design = Design(chassis, tuple(corners), struts, s.number("gravity", least=0.0, most=100.0))
        mechanism = new_mechanism(design.chassis, corners, struts, design.gravity)
        with s.section("steering") as t:
            steering = steering_from_section(t, np.stack([corners[0].Q, corners[1].Q]))
        _check_travel(mechanism, steering, file)
        body = record(BODY)
        body[0]["drivers_head"], body[0]["drag_point"] = head, chassis.com
        if s.has("aerodynamics"):
            with s.section("aerodynamics") as a:
                body[0]["drag_area"] = a.number("drag_coefficient", least=0.0, most=10.0) * a.number("frontal_area", least=0.0, most=1e3)
                body[0]["air_density"] = a.number("air_density", least=0.0, most=1e3)
        with s.section("body") as b:
            outline = (
                b.number("length", above=0.0, most=FAR),
                b.number("width", above=0.0, most=FAR),
                b.number("front_overhang", least=0.0, most=FAR),
            )
        bushes = {
            name: np.stack([axle.points[point] * (MIRROR if mirror else 1.0) for axle in (front, rear) for mirror in (False, True)])
            for name, point in (
                ("lca_front_B", "LCA_F"),
                ("lca_rear_B", "LCA_B"),
                ("uca_front_B", "UCA_F"),
                ("uca_rear_B", "UCA_B"),
                ("shock_upper_B", "SHOCK_C"),
                ("spring_upper_B", "SPRING_C"),
            )
        }
        tables = s.choice("suspension_kinematics", KINEMATICS, KINEMATICS[0]) == "table"
        tolerance = s.number("suspension_table_tolerance", DEFAULT_TOLERANCE, least=FINEST_TOLERANCE, most=COARSEST_TOLERANCE)
        return Description(
            s.text("name"),
            design,
            mechanism,
            steering,
            body,
            bushes,
            outline,
            s.text("tires"),
            s.text("drivetrain"),
            tolerance if tables else None,
        )


def _check_travel(mechanism: Mechanism, steering: Record, file: str) -> None:
    """Every corner must close at the TRAVEL of its arm, the front ones at both ends of the steering too. Raises ConfigError."""
    w, state = new_workspace(mechanism), record(STEERING_STATE)
    for end in (-1.0, 0.0, 1.0):
        state[0]["angle"] = end * steering[0]["max_arm_angle"]
        place_tierods(steering, state, w.inputs)
        for theta in TRAVEL:
            w.state[0]["theta"] = theta
            prepare(mechanism.corners, mechanism.struts, w.state, w.inputs, w.kinematics, w.work, w.out)
            closed = np.isfinite(w.kinematics[0]["W"]).all(axis=0)
            if not closed.all():
                axle = "front" if not closed[:2].all() else "rear"
                at = f"arms at {theta:g} rad, steering at {end:g} of full lock: open"
                raise ConfigError(
                    file, f"axles.{axle}.hardpoints_left", at, "points whose linkage closes over the travel of arms and steering"
                )


def _chassis(c: Section) -> Body:
    """Chassis body together with the masses fixed to it."""
    bodies = [_free_body(c)]
    if c.has("fixed_masses"):
        with c.section("fixed_masses") as masses:
            for name in masses.mapping:
                with masses.section(str(name)) as m:
                    bodies.append(_free_body(m))
    mass = sum(b.mass for b in bodies)
    com = sum((b.mass * b.com for b in bodies), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for b in bodies:
        r = b.com - com
        inertia += b.inertia + b.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Body(mass, com, inertia)


def _free_body(s: Section) -> Body:
    """Body with `mass`, `com` and `inertia`."""
    return checked_body(s.number("mass", above=0.0, most=HEAVY), s.array("com", (3,), within=FAR), _inertia(s, "inertia"), s.file, s.key)


def _inertia(s: Section, name: str) -> Vector:
    """Inertia matrix, from three moments or from a full 3 x 3 matrix."""
    value = s.raw(name, expected="three moments of inertia, or a 3 x 3 matrix")
    if isinstance(value, list) and len(value) == 3 and not any(isinstance(row, list) for row in value):
        return np.diag(s.array(name, (3,), within=HEAVY))
    return s.array(name, (3, 3), within=HEAVY)


class _Axle:
    """One axle: its left hardpoints in chassis axes, bodies, spring and shock."""

    def __init__(self, s: Section) -> None:
        with s:
            self.file, self.key = s.file, s.key
            location = s.array("location", (3,), within=FAR)
            with s.section("hardpoints_left") as h:
                self.points = {name: h.array(name, (3,), within=FAR) + location for name in HARDPOINTS}
                self._check_joints(h)
            with s.section("bodies") as bodies:
                self.bodies = self._bodies(bodies)
            self.spring, self.shock = s.section("spring"), s.section("shock")
            self._read_struts()

    def _check_joints(self, h: Section) -> None:
        """Two joints of one part must not lie in one place."""
        for one, other in JOINTS:
            if np.linalg.norm(self.points[one] - self.points[other]) < 1e-3:
                raise ConfigError(h.file, h.path(one), h.mapping[one], f"a point at least 1 mm from {other}")
        for front, rear, ball in (("LCA_F", "LCA_B", "LCA_U"), ("UCA_F", "UCA_B", "UCA_U")):
            p = self.points
            if np.linalg.norm(np.cross(p[front] - p[rear], p[ball] - p[rear])) < 1e-6:
                raise ConfigError(h.file, h.path(ball), h.mapping[ball], f"a point beside the line through {front} and {rear}")

    def _bodies(self, s: Section) -> dict[str, Body]:
        p = self.points
        found = {}
        for name, bush, rear, ball, com in (
            ("lower_arm", "LCA_F", "LCA_B", "LCA_U", "LCA_CM"),
            ("upper_arm", "UCA_F", "UCA_B", "UCA_U", "UCA_CM"),
        ):
            with s.section(name) as b:
                x = _unit(p[bush] - p[rear])
                z = _unit(np.cross(p[rear] - p[ball], p[bush] - p[ball]))
                frame = np.column_stack([x, np.cross(z, x), z])
                inertia = frame @ np.diag(b.array("arm_inertia", (3,), within=HEAVY)) @ frame.T
                found[name] = checked_body(b.number("mass", above=0.0, most=HEAVY), p[com], inertia, b.file, b.key, "arm_inertia")
        for name, point in (("knuckle", "UPRIGHT"), ("wheel", "SPINDLE")):
            with s.section(name) as b:
                found[name] = checked_body(b.number("mass", above=0.0, most=HEAVY), p[point], _inertia(b, "inertia"), b.file, b.key)
        ends = {"upright": ("LCA_U", "UCA_U"), "tierod": ("TIEROD_U", "TIEROD_C"), "shock_lower": ("SHOCK_A", "SHOCK_C")}
        ends["shock_upper"] = ends["shock_lower"]
        for name in RODS:
            start, end = p[ends[name][0]], p[ends[name][1]]
            found[name] = self._rod(s, name, start, end)
        return found

    def _rod(self, s: Section, name: str, start: Vector, end: Vector) -> Body:
        """Straight uniform rod over a part of the line between two joints; left out of the file it has no mass."""
        if not s.has(name):
            return Body(0.0, 0.5 * (start + end), np.zeros((3, 3)))
        with s.section(name) as b:
            mass = b.number("mass", above=0.0, most=HEAVY)
            low, high = b.number("from", least=-1.0, most=2.0), b.number("to", least=-1.0, most=2.0)
            if not high > low:
                raise ConfigError(b.file, b.path("to"), high, f"more than `from`, {low:g}")
            n = _unit(end - start)
            length = (high - low) * float(np.linalg.norm(end - start))
            across = b.number("transverse_inertia", mass * length**2 / 12.0, above=0.0, most=HEAVY)
            axial = b.number("axial_inertia", above=0.0, most=HEAVY)
            inertia = across * (np.eye(3) - np.outer(n, n)) + axial * np.outer(n, n)
            return checked_body(mass, start + 0.5 * (low + high) * (end - start), inertia, b.file, b.key)

    def corner(self, mirror: bool) -> Corner:
        """Left corner, or its mirror image."""
        p = {name: point * (MIRROR if mirror else 1.0) for name, point in self.points.items()}
        bodies = self.bodies
        if mirror:
            flip = np.outer(MIRROR, MIRROR)
            bodies = {name: Body(b.mass, b.com * MIRROR, b.inertia * flip) for name, b in bodies.items()}
        lower, upper = p["LCA_F"] - p["LCA_B"], p["UCA_F"] - p["UCA_B"]
        for name, axis in (("LCA_F", lower), ("UCA_F", upper)):
            if np.linalg.norm(axis) < 1e-6:
                raise ConfigError(
                    self.file, f"{self.key}.hardpoints_left.{name}", self.points[name].tolist(), "a point apart from the rear bush"
                )
        hinge = Hinge(p["LCA_B"], _unit(lower)).axis
        return Corner(
            lower_arm_point=p["LCA_B"],
            lower_arm_axis=hinge,
            upper_arm_point=p["UCA_B"],
            upper_arm_axis=_unit(upper),
            D=p["LCA_U"],
            F=p["UCA_U"],
            K=p["TIEROD_U"],
            Q=p["TIEROD_C"],
            B=p["SHOCK_A"],
            J=p["SHOCK_C"],
            S=p["SPRING_A"],
            U=p["SPRING_C"],
            W=p["SPINDLE"],
            axle=np.array([0.0, 1.0, 0.0]),
            upright_axes=universal_axes(p["UCA_U"] - p["LCA_U"], hinge),
            tierod_axes=universal_axes(p["TIEROD_C"] - p["TIEROD_U"], hinge),
            shock_axes=universal_axes(p["SHOCK_C"] - p["SHOCK_A"], hinge),
            bodies=bodies,
            file=self.file,
            key=self.key,
        )

    def _read_struts(self) -> None:
        with self.spring as s:
            self.free_length = s.number("free_length", above=0.0, most=FAR)
            self.rate = s.number("rate", 0.0, least=0.0, most=STIFF)
            self.table = (np.empty(0), np.empty(0))
            if s.has("deformation"):
                self.table = s.curve("deformation", "pull", SPRING_POINTS, FAR, STIFF)
            elif self.rate == 0.0:
                raise ConfigError(s.file, s.path("rate"), "nothing", "a rate in N/m, or a table of deformation and pull")
            self.stops = (np.empty(0), np.empty(0))
            if s.has("stop_penetration"):
                self.stops = s.curve("stop_penetration", "stop_force", STOP_POINTS, FAR, STIFF)
                self.bump, self.rebound = (s.number(f"{end}_stop_length", above=0.0, most=FAR) for end in ("bump", "rebound"))
                self.end_rate = s.number("stop_end_rate", 0.0, least=0.0, most=STIFF)
        with self.shock as s:
            names = ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end")
            self.damping = {name: s.number(name, least=0.0, most=STIFF) for name in names}
            self.stroke = (
                s.number("midstroke_min", least=0.0, most=FAR),
                s.number("midstroke_max", above=0.0, most=FAR),
                s.number("midstroke_blend", above=0.0, most=FAR),
            )

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
        out["midstroke_min"][i], out["midstroke_max"][i], out["midstroke_blend"][i] = self.stroke


def _unit(a: Vector) -> Vector:
    return a / np.linalg.norm(a)
