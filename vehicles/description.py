"""Description of a vehicle from its file: from a parsed mapping to mechanism, steering, body and aerodynamics.

Hardpoints are given for the left side in the suspension frame of each axle; the right side is the mirror image.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, ErrorCollector, raise_all
from simulator.base.fields import read
from simulator.base.records import Record, record
from simulator.base.suggestions import nearest, no_such_key
from simulator.base.values import Values
from vehicles.actuators.actuators import read_actuators
from vehicles.aerodynamics import AERODYNAMICS, read_aerodynamics
from vehicles.appearance import BodyMesh
from vehicles.axle_layout import USUAL_AXLES, Axles, record_for
from vehicles.body_contact import ROOF, contact_points_left, read_body_contact
from vehicles.body_fields import read_body
from vehicles.compliance.section import write_compliance
from vehicles.contact.part_section import read_object_contact
from vehicles.controllers.controller_section import Controllers, read_controllers
from vehicles.mechanism_parameters import MechanismParameters, VehicleDesign, new_mechanism
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.sound_section import read_sound
from vehicles.static_load_check import check_springs
from vehicles.steering.contract import SteeredAxle, SteeringKind
from vehicles.steering.kinds import STEERING_KINDS
from vehicles.steering.steering_section import HELD, check_actuators, held_wheels, steered_axles, steering_from_values
from vehicles.suspension.alignment_section import Alignment
from vehicles.suspension.anti_roll_bar_section import place_anti_roll_bars, read_anti_roll_bar
from vehicles.suspension.axle_limits import MIRROR
from vehicles.suspension.axle_section import BUSHES, Axle
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.kinds import SHIPPED, read_axle
from vehicles.suspension.springs_and_dampers import STRUTS
from vehicles.suspension.tables.table_limits import errors_of_tables
from vehicles.suspension_checks import check_ends, check_reach, check_sense, check_travel
from vehicles.towing.coupling_section import Coupled, Towed, read_coupling, read_trailers
from vehicles.travel_limits import TravelScanner, decides_ends, ends_of
from vehicles.vehicle_file import AXLE, KINEMATICS, VEHICLE_FILE

WHEELBASE = 0.1
"""m. Minimum distance from the first axle to the last one."""

CACHED_KINDS = frozenset(SHIPPED) - {"mechanism", "kc_table"}
"""Axle kinds that are cached by their section. An axle from a mechanism file or a table also depends on the steering of its vehicle."""

BODY = (
    ("drivers_head", (3,), "m", "position of the driver's head from the chassis reference point, in B"),
    *AERODYNAMICS,
    ("hitch", (3,), "m", "position of the tow hook, where the drawbar pull acts, in B"),
)


@dataclass(frozen=True)
class Description:
    """Contents of a vehicle file. Tires and drivetrain have files of their own and appear here by name."""

    name: str
    design: VehicleDesign
    mechanism: MechanismParameters
    steering: Record
    """(n,) of STEERING, one for each steered axle."""
    steering_kind: SteeringKind
    body: Record
    body_contact: Record
    object_contact: Record
    """(1,) of OBJECT_CONTACT, without the wheels."""
    load: float
    """Masses fixed to the chassis [kg]."""
    bushes: dict[str, Vector]
    """Points (wheels, 3) fixed to the chassis, by the names of BUSHES."""
    outline: tuple[float, float, float]
    """Length, width and front overhang of the body [m]."""
    drawn_as: str
    """Body shape in the view, one of DRAWN_AS."""
    mesh: BodyMesh | None
    """Mesh in place of the body shape in the view, not read yet."""
    links_as: tuple[str, ...]
    """Link shapes in the view, corner by corner."""
    tires: tuple[str, ...]
    """Names of the tire files, corner by corner."""
    contact: str
    """Contact model of the tires, one of CONTACTS."""
    drivetrain: str
    controllers: Controllers
    actuators: Record
    alignments: tuple[Alignment, ...]
    """Alignment of each axle; the tie rods are those of the hardpoints until `vehicles.alignment` adjusts them."""
    coupling: Coupled | None
    """Coupling to the vehicle ahead; None: no trailer."""
    trailers: tuple[Towed, ...]
    sound: dict[str, Any] | None
    """Section `sound`, see `vehicles.sound_section.read_sound`."""
    table_tolerance: float | None
    """Tolerance of the tables that replace the closed form of the suspension; None: no tables."""

    @property
    def kinematics(self) -> tuple[str, ...]:
        """Values of `suspension_kinematics` that are possible for this vehicle."""
        closed_form = all(corner.linkage is None for corner in self.design.corners)
        tables = not errors_of_tables(self.name, self.mechanism, self.steering, self.actuators)
        return tuple(name for name, possible in zip(KINEMATICS, (closed_form, tables), strict=True) if possible)

    @property
    def exceptions(self) -> tuple[str, ...]:
        """Checks from which axles are exempt in equilibrium, with the reason: one line per axle."""
        named = zip(self.mechanism.axles.names, self.alignments, strict=True)
        return tuple(f"{name}: {', '.join(axle.exceptions)}: {axle.reason}" for name, axle in named if axle.exceptions)


Cached = Callable[[Hashable, Callable[[], Any]], Any]
"""Return the cached object for a key, or create it: an unchanged section is not read again. Callers must not modify the object."""


def read_description(mapping: Any, file: str, keep: Cached | None = None) -> Description:
    """Return the checked description.

    Parameters
    ----------
    keep : cache of axles of shipped kinds and of their mechanism; None: everything is read again

    Raises
    ------
    ConfigError : file, key path, value and expectation of every error, except for errors that depend on a section that cannot be read
    """
    known = {} if keep is None else _known_axles(mapping, file, keep)
    if known:
        mapping = {**mapping, "axles": {**mapping["axles"], **{name: one.values for name, one in known.items()}}}
    values = read(VEHICLE_FILE, mapping, file)
    with ErrorCollector() as faults:
        parts = _read_parts(values, faults, known, keep or _uncached, repr(mapping.get("steering")))
        axles = [one.section for one in parts.axles]
        with faults.part():
            tables = _by_tables(values, all(corner.linkage is None for one in parts.axles for corner in one.corners))
        if keep is None or len(known) < len(axles):
            mechanism = _mechanism(file, parts, faults, _uncached)  # plugin kinds may depend on more than their records
        else:
            of_axles = tuple(known[name].source for name in parts.named.names)
            created = keep(
                (file, parts.named, of_axles, parts.steering.tobytes(), parts.rack), lambda: _mechanism(file, parts, faults, keep)
            )
            faults.need_all()
            mechanism = created.with_chassis(parts.chassis)
        check_springs(mechanism, file)
        actuators = read_actuators(values, mechanism, parts.steering)
        if tables:
            raise_all(errors_of_tables(file, mechanism, parts.steering, actuators))
        box = _box(mechanism, parts.outline, parts.head)
        return Description(
            name=values["name"],
            design=VehicleDesign(parts.chassis, tuple(mechanism.designs), mechanism.struts, axles=mechanism.axles),
            mechanism=mechanism,
            steering=parts.steering,
            steering_kind=parts.steering_kind,
            body=_body(values, parts, _rear(mechanism, box), _ends(mechanism)),
            body_contact=read_body_contact(values["body"], parts.points_left, _whole_mass(mechanism), box),
            object_contact=read_object_contact(values["body"], _whole_mass(mechanism), parts.chassis, box),
            load=parts.load,
            bushes=_bushes(axles),
            outline=parts.outline,
            drawn_as=values["body"]["drawn_as"],
            mesh=_mesh(values["body"]),
            links_as=tuple(axle.links_as for axle in axles for _ in range(axle.sides)),
            tires=parts.tires,
            contact=values["contact"],
            drivetrain=values["drivetrain"],
            controllers=read_controllers(values, mechanism.axles),
            actuators=actuators,
            alignments=tuple(axle.alignment for axle in axles),
            coupling=parts.coupling,
            trailers=read_trailers(values),
            sound=read_sound(values.get("sound")),
            table_tolerance=values["suspension_table_tolerance"] if tables else None,
        )


def _mesh(body: Values) -> BodyMesh | None:
    """Return the mesh of the drawn body, if the file names one."""
    if "mesh" not in body:
        return None
    x, y, z = (float(value) for value in body["mesh_position"])
    return BodyMesh(body["mesh"], str(body.file), (x, y, z), body["mesh_yaw"])


class _Parts(NamedTuple):
    """Sections that can be read independently of each other."""

    head: Vector
    chassis: RigidBody
    load: float
    named: Axles
    axles: list[_ReadAxle]
    steering: Record
    steering_kind: SteeringKind
    rack: bytes
    """Bytes of the rack mass properties that the steered corners carry."""
    outline: tuple[float, float, float]
    points_left: Vector | None
    tires: tuple[str, ...]
    coupling: Coupled | None


def _uncached(_: Hashable, create: Callable[[], Any]) -> Any:
    """Create the object; nothing is cached."""
    return create()


def _read_parts(values: Values, faults: ErrorCollector, known: Mapping[str, _CachedAxle], keep: Cached, source: str) -> _Parts:
    """Read chassis, axles, steering, body and names of the tires; source: text of the steering section. Raises ConfigError with all
    errors."""
    with faults.part():
        chassis, load = _chassis(values["chassis"])
    axles, found = _axles(values, faults, known)
    with faults.part():
        if "coupling" in values:
            coupling, steered = read_coupling(values["coupling"]), _without_steering(values, found)
        else:
            coupling, steered = None, _read_steering(values, axles, found, keep, source)
    with faults.part():
        points_left = contact_points_left(values["body"])
    with faults.part():
        tires = _tires(values, axles)
    faults.need_all()
    return _Parts(
        head=chassis.p_BoBcm if coupling is not None else values["chassis"]["drivers_head"],
        chassis=chassis,
        load=load,
        named=axles,
        axles=[one for one in found if one is not None],
        steering=steered.records,
        steering_kind=steered.kind,
        rack=steered.rack,
        outline=(values["body"]["length"], values["body"]["width"], values["body"]["front_overhang"]),
        points_left=points_left,
        tires=tires,
        coupling=coupling,
    )


class _ReadSteering(NamedTuple):
    """Steering that was read from its section: records of STEERING, kind, bytes of the mass properties of the rack."""

    records: Record
    kind: SteeringKind
    rack: bytes


def _read_steering(values: Values, axles: Axles, found: list[_ReadAxle | None], keep: Cached, source: str) -> _ReadSteering:
    """Return the steering of a vehicle, and give the corners of steered axles their parts of the rack. Raises ConfigError."""
    only = "only a trailer, a vehicle with a section `coupling`, has none"
    with ErrorCollector() as faults:
        with faults.part():
            values["chassis"].needed("drivers_head", f"a point in the chassis frame; {only}")
        with faults.part():
            values.needed("steering", f"a section; {only}")
    t: Values = values["steering"]
    Q = [None if one is None else np.stack([corner.Q for corner in one.corners]) for one in found]
    steered = steered_axles(t, axles, Q)
    joints = tuple((one.corner, b"" if one.tierod_inner is None else one.tierod_inner.tobytes()) for one in steered)
    steering = keep((t.file, t.key, source, joints), lambda: steering_from_values(t, steered)).copy()
    kind = STEERING_KINDS.need(t["type"])
    check_actuators(kind, t, values, axles, steered)
    body = None if kind.body is None else kind.body(t)
    if body is None:
        return _ReadSteering(steering, kind, b"")
    _add_racks(found, steered, body)
    return _ReadSteering(steering, kind, np.array([body.mass, *body.p_BoBcm, *body.I_BBcm.ravel()]).tobytes())


def _without_steering(values: Values, found: list[_ReadAxle | None]) -> _ReadSteering:
    """Return the steering of a trailer, which does not move. Raises ConfigError for what only a towing vehicle has."""
    with ErrorCollector() as faults:
        for key in ("steering", "actuators", "controllers"):
            if key in values:
                faults.add(values.error(key, "no such section in a trailer, a vehicle with a section `coupling`"))
        if "trailers" in values:
            faults.add(values.error("trailers", "the trailers of a train one after the other in the file of the towing vehicle"))
        for one in found:
            if one is not None and (toe := one.section.alignment.toe) is not None:
                expected = "no toe on a trailer: its tie rods are those of the hardpoints"
                faults.add(ConfigError(values.file, one.section.alignment.key, f"{math.degrees(toe):g} deg", expected))
    first = found[0]
    fixed = None if first is None else np.stack([corner.Q for corner in first.corners])
    return _ReadSteering(held_wheels(fixed), STEERING_KINDS.need(HELD), b"")


def _mechanism(file: str, parts: _Parts, faults: ErrorCollector, keep: Cached) -> MechanismParameters:
    """Return the multibody parameters with travel limits and anti-roll bars. Only the chassis record in them depends on the chassis.

    Raises ConfigError with the errors of the mechanism and all errors collected so far.
    """
    axles, steering = parts.named, parts.steering
    struts = record_for(STRUTS, axles.size)
    corners = [corner for one in parts.axles for corner in one.corners]
    for n, one in enumerate(parts.axles):
        for i in axles.on(n):
            one.section.write_struts(struts, i)
    mechanism = new_mechanism(parts.chassis, corners, struts, axles, {axles.of(int(corner)) for corner in steering["corner"]})
    closed_form = np.array([corner.linkage is None for corner in corners])
    scanner = TravelScanner(mechanism, steering) if closed_form.any() else None
    if scanner is not None:
        with faults.part():
            check_travel(scanner, file, closed_form)
        with faults.part():
            check_reach(mechanism, file)
        with faults.part():
            check_sense(scanner, file, closed_form)
    faults.need_all()
    if scanner is not None:
        mechanism.corners[0]["ends"] = keep(decides_ends(mechanism, steering, closed_form), lambda: ends_of(scanner, closed_form))
        check_ends(scanner, file, closed_form)
    for i, corner in enumerate(corners):
        if corner.linkage is not None:
            if i in axles.on(0):
                corner.linkage.connect(steering, i)
            corner.write_ends(i, mechanism.corners, struts, float(steering[0]["max_arm_angle"]))
    place_anti_roll_bars([one.section for one in parts.axles], [one.bar for one in parts.axles], mechanism, steering)
    for n, one in enumerate(parts.axles):
        write_compliance(one.section, n, axles.on(n), one.corners[0].W, mechanism.corners)
    return mechanism


def _body(values: Values, parts: _Parts, rear: Vector, axles_x: tuple[float, float]) -> Record:
    """Return the record of BODY; rear: default tow hook; axles_x: x of the first and the last axle [m]."""
    body = record(BODY)
    body[0]["drivers_head"], body[0]["drag_point"] = parts.head, parts.chassis.p_BoBcm
    body[0]["hitch"] = values["body"].get("hitch", rear)
    if "aerodynamics" in values:
        read_aerodynamics(values["aerodynamics"], body, axles_x)
    return body


def _bushes(axles: Sequence[Axle]) -> dict[str, Vector]:
    """Return the points (wheels, 3) of the bushings by the names of BUSHES, in B."""
    return {
        name: np.stack([axle.points[axle.bushes[k]] * mirror for axle in axles for mirror in (1.0, MIRROR)[: axle.sides]])
        for k, name in enumerate(BUSHES)
    }


def _by_tables(values: Values, closed_form: bool) -> bool:
    """Return True if tables replace the closed form of the suspension. Raises ConfigError if the file asks for a closed form that does not
    exist, or for the tolerance of no tables."""
    tables: bool = values.get("suspension_kinematics", KINEMATICS[0] if closed_form else "table") == "table"
    if not tables and not closed_form:
        raise values.error("suspension_kinematics", "table, because an axle from a mechanism file or a table has no closed form")
    if not tables and "suspension_table_tolerance" in values.spelled:
        raise values.error("suspension_table_tolerance", "no tolerance without suspension_kinematics: table")
    return tables


class _ReadAxle(NamedTuple):
    """An axle that was read from its section."""

    section: Axle
    corners: tuple[CornerDesign, ...]
    bar: Record | None
    """Anti-roll bar of the axle."""


class _CachedAxle(NamedTuple):
    """An axle from the cache."""

    source: str
    """Text of its section, the cache key."""
    values: Values
    read: _ReadAxle


def _known_axles(mapping: Any, file: str, keep: Cached) -> dict[str, _CachedAxle]:
    """Return the axles of shipped kinds, cached or read now. Invalid axles are left out: reading the full file reports their errors."""
    found: dict[str, _CachedAxle] = {}
    sections = mapping.get("axles") if isinstance(mapping, Mapping) else None
    for name, section in sections.items() if isinstance(sections, Mapping) else ():
        kind = section.get("suspension", SHIPPED[0]) if isinstance(section, Mapping) else None
        if not (isinstance(name, str) and isinstance(kind, str) and kind in CACHED_KINDS):
            continue
        source, key, steered = repr(section), f"axles.{name}", _steered(mapping, name)

        def read(section: Any = section, source: str = source, key: str = key, steered: _Steered = steered) -> _CachedAxle:
            values = AXLE.read(section, file, key)
            return _CachedAxle(source, values, _read_axle(values, steered))

        with contextlib.suppress(ConfigError):
            found[name] = keep((file, key, steered, source), read)
    return found


class _Steered(NamedTuple):
    """Whether the steering moves an axle, and the reason why the axle must then be steerable; empty if it need not be."""

    by_wheel: bool
    needed: str


def _steered(mapping: Mapping[str, Any], name: str) -> _Steered:
    actuators, steering = mapping.get("actuators"), mapping.get("steering")
    if "coupling" in mapping:
        return _Steered(False, "")
    further = steering.get("axles") if isinstance(steering, Mapping) else None
    if isinstance(further, Mapping) and name in further:
        return _Steered(True, "`steering.axles` names it")
    rear_steers = isinstance(actuators, Mapping) and actuators.get("rear_steering") is not None
    return _Steered(name == USUAL_AXLES.names[0], "" if rear_steers else "no other axle steers the vehicle")


def _axles(values: Values, faults: ErrorCollector, known: Mapping[str, _CachedAxle]) -> tuple[Axles, list[_ReadAxle | None]]:
    """Return the axles from the front: their names, and each axle as read; None for an invalid axle."""
    axles: Values = values["axles"]
    names = tuple(axles)
    misspelt = set()
    if "coupling" in values:
        if not names or len({name[:1].upper() for name in names}) < len(names):
            faults.add(ConfigError(values.file, axles.key, list(names), "at least one axle; names that begin with different letters"))
    elif len(names) < 3:
        for name in set(names) - set(USUAL_AXLES.names):
            faults.add(axles.error(name, no_such_key(name, USUAL_AXLES.names)))
            misspelt.add(nearest(name, USUAL_AXLES.names))
        names = USUAL_AXLES.names  # a missing axle is reported where it is read, a typo once
    elif not set(USUAL_AXLES.names) <= set(names) or len({name[:1].upper() for name in names}) < len(names):
        faults.add(
            ConfigError(values.file, axles.key, list(names), "axles from `front` to `rear` whose names begin with different letters")
        )
    found: dict[str, _ReadAxle] = {}
    for name in names:
        if name in misspelt and name not in axles:
            continue
        with faults.part():
            axle = axles.needed(name, "a mapping of keys to values")
            found[name] = known[name].read if name in known else _read_axle(axle, _steered(values, name))
    names = _from_the_front(axles, names, found, faults, "coupling" in values)
    sides = [found[name].section.sides if name in found else _sides(axles.get(name)) for name in names]
    return Axles(names, tuple(sides)), [found.get(name) for name in names]


def _from_the_front(
    axles: Values, names: tuple[str, ...], found: Mapping[str, _ReadAxle], faults: ErrorCollector, is_trailer: bool
) -> tuple[str, ...]:
    """Return the axle names sorted by position: keys of a mapping have no order, and keys that a base file lacks come last. Axles at the
    same position keep the order of the file."""
    first, last = USUAL_AXLES.names
    if is_trailer:
        return tuple(sorted(names, key=lambda name: -float(found[name].corners[0].W[0]) if name in found else 0.0))
    if first not in found or last not in found:
        return names
    x = {name: float(one.corners[0].W[0]) for name, one in found.items()}
    if x[first] - x[last] < WHEELBASE:
        expected = f"an axle at least {WHEELBASE:g} m behind `{first}`, whose wheel centers are at x = {x[first]:g} m"
        faults.add(ConfigError(axles.file, f"{axles.path(last)}.location", f"wheel centers at x = {x[last]:g} m", expected))
        return names
    between = sorted((name for name in names if name in x and name not in USUAL_AXLES.names), key=lambda name: -x[name])
    for name in between:
        if not x[last] <= x[name] <= x[first]:
            expected = f"wheel centers between those of rear and front, from {x[last]:g} to {x[first]:g} m"
            faults.add(ConfigError(axles.file, axles.path(name), f"wheel centers at x = {x[name]:g} m", expected))
    return (first, *between, *(name for name in names if name not in x), last)


def _read_axle(values: Values, steered: _Steered) -> _ReadAxle:
    axle = read_axle(values, *steered)
    corners = tuple(axle.corner(mirror) for mirror in (False, True)[: axle.sides])
    return _ReadAxle(axle, corners, read_anti_roll_bar(axle, corners))


def _add_racks(found: list[_ReadAxle | None], steered: Sequence[SteeredAxle], rack: RigidBody) -> None:
    """Give the corners of every steered axle the half of the rack that its tie rod moves. Raises ConfigError."""
    for one in steered:
        axle = found[one.axle]
        if axle is not None:
            half = RigidBody(rack.name, 0.5 * rack.mass, rack.p_BoBcm + one.offset, 0.5 * rack.I_BBcm)
            found[one.axle] = axle._replace(corners=tuple(corner.with_rack(half) for corner in axle.corners))


def expected_axles(mapping: Any) -> Axles | None:
    """Return the axles of an invalid vehicle file, so that independent parts can still be checked; None if the axles cannot be
    determined."""
    axles = mapping.get("axles") if isinstance(mapping, Mapping) else None
    if not isinstance(axles, Mapping) or len(axles) < 2 or not all(isinstance(name, str) and name for name in axles):
        return None
    return Axles(tuple(axles), tuple(map(_sides, axles.values())))


def _sides(axle: Any) -> int:
    return 1 if isinstance(axle, Mapping) and axle.get("wheels") == 1 else 2


def _tires(values: Values, axles: Axles) -> tuple[str, ...]:
    """Return the names of the tire files, corner by corner: one for all, one per axle, or one per wheel. Raises ConfigError."""
    by_axle, by_wheel = (f"{{{', '.join(f'{name}: NAME' for name in names)}}}" for names in (axles.names, axles.corners))
    expected = f"the name of a tire file, {by_axle}, or {by_wheel}"
    given = values["tires"]
    if isinstance(given, str):
        return (given,) * axles.size.wheels
    if set(given) == set(axles.names):
        return tuple(given[axles.names[axles.of(i)]] for i in range(axles.size.wheels))
    if set(given) != set(axles.corners):
        raise values.error("tires", expected)
    return tuple(given[name] for name in axles.corners)


def _ends(mechanism: MechanismParameters) -> tuple[float, float]:
    x = mechanism.corners[0]["design_wheel_x"]
    return float(x[0]), float(x[-1])


def _whole_mass(mechanism: MechanismParameters) -> float:
    return float(mechanism.chassis[0]["mass"] + mechanism.corners[0]["corner_mass"].sum())


def _box(mechanism: MechanismParameters, outline: tuple[float, float, float], head: Vector) -> tuple[Vector, Vector]:
    """Return the minimum and maximum coordinates of the body, in B: its outline, from the wheel centers to a roof above the driver's
    head."""
    length, width, overhang = outline
    g = mechanism.corners[0]
    front = float(g["design_wheel_x"][0]) + overhang
    bottom = float(g["design_wheel_z"].min())
    return np.array([front - length, -0.5 * width, bottom]), np.array([front, 0.5 * width, max(head[2], bottom) + ROOF])


def _rear(mechanism: MechanismParameters, box: tuple[Vector, Vector]) -> Vector:
    """Return the default position of the tow hook [assumed], in B: middle of the body rear, at the height of the rear wheel centers."""
    return np.array([box[0][0], 0.0, float(mechanism.corners[0]["design_wheel_z"][-1])])


def _chassis(chassis: Values) -> tuple[RigidBody, float]:
    """Return the chassis body including its fixed masses, and the sum of these masses."""
    bodies: list[RigidBody] = []
    with ErrorCollector() as faults:
        for body in (chassis, *chassis.get("fixed_masses", {}).values()):
            with faults.part():
                bodies.append(read_body(body.key, body, body["com"]))
    mass = sum(b.mass for b in bodies)
    com = sum((b.mass * b.p_BoBcm for b in bodies), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for b in bodies:
        r = b.p_BoBcm - com
        inertia += b.I_BBcm + b.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return RigidBody("chassis", mass, com, inertia), mass - bodies[0].mass
