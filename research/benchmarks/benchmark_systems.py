"""The vehicle and its quarter car in `python -m research bench formulations`: loads on the wheels and the initial state.

The quarter car has a fixed chassis; its wheel carries the static load. Four springs with the stiffness of tires, anchored far above, carry
the whole vehicle by its wheels, so that the vehicle stays upright without a ground. In both systems, a periodic force in three
directions acts on each wheel, with a delay for the rear and the right wheels.

Springs and dampers are linearized (`vehicles.multibody_vehicle.linear_struts`), equally in all formulations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from research.benchmarks.wheel_load_cases import WHEELS
from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from vehicles.description import Description
from vehicles.mechanism_parameters import CORNER_NAMES, VehicleDesign, new_mechanism
from vehicles.mechanism_parameters import MechanismParameters as Corners
from vehicles.multibody.description.mechanism import WORLD, Spring
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody_vehicle import CHASSIS, linear_struts, quarter_car, vehicle_mechanism
from vehicles.suspension.anti_roll_bar import ANTI_ROLL_BARS
from vehicles.suspension.springs_and_dampers import STRUTS
from vehicles.suspension.tables.build_tables import build_tables
from vehicles.suspension.tables.reduced_table import ReducedTables

QUARTER = "FL"
"""The corner of the quarter car."""

HANGER_RATE = 150e3
"""N/m"""
HANGER_LENGTH = 3.0
"""m, in the design position: the vehicle then swings sideways like a pendulum with a period of three seconds."""

AMPLITUDE = (-500.0, 300.0, 2000.0)
"""N. Periodic force on each wheel, in the world."""
DELAYS = (0.0, 0.08, 0.32, 0.40)
"""s. Delays of the corners."""

SPIN = 10.0
"""rad/s. Spin of the wheels of the disturbed vehicle."""
KICK = ((0.6, -0.4, 0.5, -0.3), (0.1, -0.15, 0.05), (0.2, 0.1, 0.3))
"""rad/s, rad/s, m/s. Initial rates of the arms and of the chassis, and chassis velocity, of the motion without dampers."""


@dataclass(frozen=True)
class Subject:
    """The whole vehicle, or its quarter car, with tables of its reduced quantities; initial positions q (n_q,), None: design position."""

    description: Description
    whole: bool
    tables: ReducedTables
    q: Vector | None = None


def make_subject(description: Description, whole: bool) -> Subject:
    """Return the vehicle with tables over the full steering range, or the quarter car with tables over its arm angle.

    The anti-roll bars are omitted (`VehicleDesign.without_bars`).

    Raises
    ------
    ConfigError : a corner without a closed form
    """
    for corner in description.design.corners:
        if corner.linkage is not None:
            raise ConfigError(corner.file, corner.key, corner.kind, "an axle with a closed form, the reference of the comparison")
    description = replace(description, design=description.design.without_bars())
    mechanism = new_corners(description.design, whole)
    steering = description.steering if whole else None
    return Subject(description, whole, build_tables(mechanism, steering)[0])


def new_corners(design: VehicleDesign, whole: bool) -> Corners:
    """Return the corners in closed form; the quarter car has four equal corners, because the closed form always computes four."""
    if whole:
        return new_mechanism(design.chassis, list(design.corners), design.struts)
    i, struts = CORNER_NAMES.index(QUARTER), design.struts.copy()
    for name, *_ in STRUTS:
        if name != "anti_roll_bars":
            struts[0][name][:] = struts[0][name][i].copy()
    struts[0]["anti_roll_bars"] = record(ANTI_ROLL_BARS)[0]
    return new_mechanism(design.chassis, 4 * [design.corners[i]], struts)


@dataclass(frozen=True)
class Scene:
    """A mechanism under its loads.

    Attributes
    ----------
    subject : the simulated system
    corners : names of the corners of the system
    design : the vehicle with linear springs and dampers
    system : the mechanism as flat records
    wheels : records of WHEELS, one per corner
    q, v : (n_q,), (n_v,) closed initial state
    """

    subject: Subject
    corners: tuple[str, ...]
    design: VehicleDesign
    system: System
    wheels: Record
    q: Vector
    v: Vector

    @property
    def whole(self) -> bool:
        """True for the whole vehicle, False for the quarter car."""
        return self.subject.whole

    @property
    def name(self) -> str:
        """Name of the system."""
        return "vehicle" if self.whole else "quarter car"


def make_scene(subject: Subject, disturbed: bool, damped: bool) -> Scene:
    """Return the subject under its loads.

    With `disturbed`, periodic forces act and the wheels spin; otherwise and without dampers, it starts with KICK and conserves its energy.
    """
    whole, design = subject.whole, subject.description.design
    design = replace(design, struts=linear_struts(design.struts))
    if not damped:
        for name in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
            design.struts[0][name] = 0.0
    corners = CORNER_NAMES if whole else (QUARTER,)
    wheels = loaded_wheels(design, whole, disturbed)
    mechanism = vehicle_mechanism(design) if whole else quarter_car(design, QUARTER)
    system = build_system(replace(mechanism, springs=(*mechanism.springs, *hangers(wheels, corners, design))))
    for wheel, corner in zip(wheels, corners, strict=True):
        wheel["node"] = system.node[f"{corner}_wheel"]
    q, v = system.neutral() if subject.q is None else subject.q, np.zeros(system.n_v)
    for i, corner in enumerate(corners):
        v[system.joint_v[f"{corner}_wheel"]] = SPIN if disturbed else 0.0
        v[system.joint_v[f"{corner}_lca"]] = 0.0 if damped else KICK[0][i]
    if whole and not damped:
        v[system.joint_v[CHASSIS]] = KICK[1] + KICK[2]
    return Scene(subject, corners, design, system, wheels, *ConstraintEmbedding(system, q).close(q, v))


def loaded_wheels(design: VehicleDesign, whole: bool, disturbed: bool) -> Record:
    """Return records of WHEELS; the weight on a wheel is its steady load (quarter car) or the load of its anchor spring (vehicle)."""
    share = static_loads(design)
    wheels = record(WHEELS, 4 if whole else 1)
    for i, wheel in enumerate(wheels):
        wheel["delay"] = DELAYS[i]
        wheel["amplitude"] = AMPLITUDE if disturbed else 0.0
        if whole:
            wheel["anchor"] = design.corners[i].W + np.array([0.0, 0.0, HANGER_LENGTH])
            wheel["rate"], wheel["free_length"] = HANGER_RATE, HANGER_LENGTH - share[i] / HANGER_RATE
        else:
            wheel["load"] = 0.0, 0.0, share[i]
    return wheels


def static_loads(design: VehicleDesign) -> Vector:
    """Return the wheel loads (4,) [N] of the vehicle at rest in the design position."""
    bodies = [design.chassis, *(body for corner in design.corners for body in corner.bodies.values())]
    mass = sum(body.mass for body in bodies)
    x = sum(body.mass * body.p_BoBcm[0] for body in bodies) / mass
    front, rear = design.corners[0].W[0], design.corners[2].W[0]
    on_front = 0.5 * mass * design.gravity * (x - rear) / (front - rear)
    on_rear = 0.5 * mass * design.gravity - on_front
    return np.array([on_front, on_front, on_rear, on_rear])


def hangers(wheels: Record, corners: tuple[str, ...], design: VehicleDesign) -> list[Spring]:
    """Return the anchor springs of the wheels for the mechanism."""
    return [
        Spring(
            f"{corner}_hanger", WORLD, wheel["anchor"].copy(), f"{corner}_wheel", design.corners[i].W, wheel["rate"], wheel["free_length"]
        )
        for i, (wheel, corner) in enumerate(zip(wheels, corners, strict=True))
        if wheel["rate"] > 0.0
    ]
