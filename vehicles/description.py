"""A vehicle as its file describes it: from a parsed mapping to mechanism, steering, body and aerodynamics.

Hardpoints are given for the left side in the suspension frame of each axle; the right side is the mirror image.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError, GravityWarning
from simulator.base.records import Record, record
from simulator.base.section import Section, checked
from vehicles.axles import USUAL_AXLES, Axles, record_for
from vehicles.body_contact import ROOF, read_body_contact
from vehicles.model import Design, Mechanism, new_mechanism, new_workspace
from vehicles.multibody.description.rigid_body import RigidBody, checked_body
from vehicles.steering.pitman_arm import STEERING_STATE, place_tierods, steering_from_section
from vehicles.suspension.anti_roll_bar_section import read_anti_roll_bars
from vehicles.suspension.axle_section import BUSHES, MIRROR, Axle, read_inertia, warn_of
from vehicles.suspension.corner_sums import prepare
from vehicles.suspension.kinds import read_axle
from vehicles.suspension.mechanism.travel import write_ends
from vehicles.suspension.struts import STRUTS
from vehicles.suspension.tables.build_tables import DEFAULT_TOLERANCE
from vehicles.travel import find_ends
from vehicles.vehicle_file import KINEMATICS, VEHICLE_FILE

Vector = NDArray[np.float64]


TRAVEL = (-0.05, 0.0, 0.05)
"""rad, m. Thetas about the design position in which every corner must close, at both ends of the steering too."""

BEYOND_STOPS = 0.02
"""m. Length of a spring beyond bump and rebound stop up to which a corner must close that is known to end somewhere."""

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
    body_contact: Record
    bushes: dict[str, Vector]
    """By the names of BUSHES: points (wheels, 3) fixed to the chassis."""
    outline: tuple[float, float, float]
    """Length, width and front overhang of the body [m]."""
    tires: tuple[str, ...]
    """Of the wheels, corner by corner."""
    drivetrain: str
    table_tolerance: float | None
    """Of the tables that stand for the closed form of the suspension; None: no tables."""


def read_description(mapping: Any, file: str) -> Description:
    """Checked description. Raises ConfigError naming file, key path, value and expectation."""
    with checked(VEHICLE_FILE, mapping, file) as s:
        with s.section("chassis") as c:
            chassis = _chassis(c)
            head = c.array("drivers_head", (3,))
        axles, sections = _axles(s)
        struts = record_for(STRUTS, axles.size)
        corners = []
        for n, axle in enumerate(sections):
            for i, mirror in zip(axles.on(n), (False, True), strict=False):
                corners.append(axle.corner(mirror))
                axle.write_struts(struts, i)
        if s.has("gravity"):
            given = s.number("gravity")
            told = (
                f"{file}: gravity: {given:g} is not used: gravity is now that of the terrain file, {STANDARD_GRAVITY:g} where it says none"
            )
            warnings.warn(told, GravityWarning, stacklevel=2)
        design = Design(chassis, tuple(corners), struts, axles=axles)
        mechanism = new_mechanism(design.chassis, corners, struts, axles)
        with s.section("steering") as t:
            steering = steering_from_section(t, np.stack([corners[0].Q, corners[1].Q]))
        closed_form = np.array([corner.linkage is None for corner in corners])
        if closed_form.any():
            _check_travel(mechanism, steering, file, closed_form)
            _check_reach(mechanism, file)
            find_ends(mechanism, steering, closed_form)
        for i, corner in enumerate(corners):
            if corner.linkage is not None:
                if i in axles.on(0):
                    corner.linkage.connect(steering, i)
                write_ends(corner.linkage, i, mechanism.corners, struts, float(steering[0]["max_arm_angle"]))
        read_anti_roll_bars(sections, corners, mechanism, steering)
        body = record(BODY)
        body[0]["drivers_head"], body[0]["drag_point"] = head, chassis.p_BoBcm
        if s.has("aerodynamics"):
            with s.section("aerodynamics") as a:
                body[0]["drag_area"] = a.number("drag_coefficient") * a.number("frontal_area")
                body[0]["air_density"] = a.number("air_density")
        with s.section("body") as b:
            outline = b.number("length"), b.number("width"), b.number("front_overhang")
            contact = read_body_contact(b, _whole_mass(mechanism), _box(mechanism, outline, head))
        bushes = {
            name: np.stack(
                [
                    axle.points[axle.bushes[k]] * mirror
                    for axle, count in zip(sections, axles.sides, strict=True)
                    for mirror in (1.0, MIRROR)[:count]
                ]
            )
            for k, name in enumerate(BUSHES)
        }
        tables = s.choice("suspension_kinematics", KINEMATICS, KINEMATICS[0] if closed_form.all() else "table") == "table"
        if not tables and not closed_form.all():
            raise ConfigError(file, "suspension_kinematics", KINEMATICS[0], "table: an axle from a mechanism file has no closed form")
        if tables and steering[0]["column_stiffness"] > 0.0:
            raise ConfigError(file, "steering.column", "a free arm", "closed_form as suspension_kinematics: tables know no free arm")
        tolerance = s.number("suspension_table_tolerance", DEFAULT_TOLERANCE)
        return Description(
            name=s.text("name"),
            design=design,
            mechanism=mechanism,
            steering=steering,
            body=body,
            body_contact=contact,
            bushes=bushes,
            outline=outline,
            tires=_tires(s, axles),
            drivetrain=s.text("drivetrain"),
            table_tolerance=tolerance if tables else None,
        )


def _axles(s: Section) -> tuple[Axles, list[Axle]]:
    """The axles in the order of the file, which is that from the front: their names, and each as it is described. Raises ConfigError."""
    with s.section("axles") as a:
        names = tuple(map(str, a.mapping))
        if len(names) < 3:
            names = USUAL_AXLES.names  # whichever of them is missing is said where it is read
        elif (names[0], names[-1]) != USUAL_AXLES.names or len({name[:1].upper() for name in names}) < len(names):
            raise ConfigError(s.file, a.key, list(names), "axles from `front` to `rear`, whose names begin with different letters")
        sections = [read_axle(a.section(name), steered=n == 0) for n, name in enumerate(names)]
    return Axles(names, tuple(axle.sides for axle in sections)), sections


def _tires(s: Section, axles: Axles) -> tuple[str, ...]:
    """Names of the tire files, corner by corner: one for all, one for each axle, or one for each wheel. Raises ConfigError."""
    by_axle, by_wheel = (f"{{{', '.join(f'{name}: NAME' for name in names)}}}" for names in (axles.names, axles.corners))
    expected = f"the name of a tire file, {by_axle}, or {by_wheel}"
    given = s.raw("tires", expected=expected)
    if isinstance(given, str):
        return (s.text("tires"),) * axles.size.wheels
    with s.section("tires") as t:
        if set(given) == set(axles.names):
            of_axles = [t.text(name) for name in axles.names]
            return tuple(of_axles[axles.of(i)] for i in range(axles.size.wheels))
        if set(given) != set(axles.corners):
            raise ConfigError(s.file, s.path("tires"), given, expected)
        return tuple(t.text(name) for name in axles.corners)


def _whole_mass(mechanism: Mechanism) -> float:
    return float(mechanism.chassis[0]["mass"] + mechanism.corners[0]["corner_mass"].sum())


def _box(mechanism: Mechanism, outline: tuple[float, float, float], head: Vector) -> tuple[Vector, Vector]:
    """Least and largest coordinates of the body, in B: its outline, from the wheel centres to a roof over the driver's head."""
    length, width, overhang = outline
    g = mechanism.corners[0]
    front = float(g["design_wheel_x"][0]) + overhang
    bottom = float(g["design_wheel_z"].min())
    return np.array([front - length, -0.5 * width, bottom]), np.array([front, 0.5 * width, max(head[2], bottom) + ROOF])


def _check_travel(mechanism: Mechanism, steering: Record, file: str, which: NDArray[np.bool_]) -> None:
    """Every corner of those in `which` (wheels,) must close at the TRAVEL of its theta, the front ones at both ends of the steering too. Raises
    ConfigError."""
    w, state = new_workspace(mechanism), record(STEERING_STATE)
    for end in (-1.0, 0.0, 1.0):
        state[0]["angle"] = end * steering[0]["max_arm_angle"]
        place_tierods(steering, state, w.inputs)
        for theta in TRAVEL:
            w.state[0]["theta"] = theta
            prepare(mechanism.records, w)
            closed = np.isfinite(w.kinematics[0]["W"]).all(axis=0) | ~which
            if not closed.all():
                axle = mechanism.axles.names[mechanism.axles.of(int(np.argmin(closed)))]
                at = f"arms at {theta:g} rad, steering at {end:g} of full lock: open"
                raise ConfigError(
                    file, f"axles.{axle}.hardpoints_left", at, "points whose linkage closes over the travel of arms and steering"
                )


def _check_reach(mechanism: Mechanism, file: str) -> None:
    """A corner that closes up to known ends must do so from stop to stop and a bit beyond, or at the TRAVEL if it has no stops. Raises
    ConfigError."""
    struts, w = mechanism.struts[0], new_workspace(mechanism)
    for i, corner in enumerate(mechanism.designs):
        closes = corner.reach(mechanism.corners, i).closes
        for height, stop, sign in zip(closes or (), ("rebound", "bump"), (1.0, -1.0), strict=False):
            w.state[0]["theta"][i] = height
            prepare(mechanism.records, w)
            past = sign * (w.kinematics[0]["spring_length"][i] - struts[f"{stop}_stop_length"][i])
            enough = past > BEYOND_STOPS if struts["stop_points"][i] > 0 else abs(height) > TRAVEL[-1]
            if not enough:
                at = f"wheel {height:g} m from its design height: open"
                axle = mechanism.axles.names[mechanism.axles.of(i)]
                raise ConfigError(file, f"axles.{axle}.hardpoints_left", at, f"points whose links close up to the {stop} stop and beyond")


def _chassis(c: Section) -> RigidBody:
    """Chassis body together with the masses fixed to it."""
    bodies = [_free_body(c)]
    if c.has("fixed_masses"):
        with c.section("fixed_masses") as masses:
            for name in masses.mapping:
                with masses.section(str(name)) as m:
                    bodies.append(_free_body(m))
    mass = sum(b.mass for b in bodies)
    com = sum((b.mass * b.p_BoBcm for b in bodies), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for b in bodies:
        r = b.p_BoBcm - com
        inertia += b.I_BBcm + b.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return RigidBody("chassis", mass, com, inertia)


def _free_body(s: Section) -> RigidBody:
    """Body with `mass`, `com` and `inertia`."""
    mass, com = s.number("mass"), s.array("com", (3,))
    return checked_body(RigidBody(s.key, mass, com, read_inertia(s, "inertia")), s.file, s.key, warn=warn_of(s))
