"""Section `compliance` of an axle: bushings at its hardpoints, and a subframe."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Group, ListOf, Named, Number, Text
from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.compliance.elastic_axle import Bushing, Linkage, Subframe, compliance_of
from vehicles.compliance.elastic_beam import ElasticBeam
from vehicles.compliance.measured import LOSS_TIME, MeasuredCompliance
from vehicles.compliance.wheel_displacements import BEAM
from vehicles.suspension.axle_limits import FAR, STIFF

RATE = Number("N/m", 1e3, 1e12, above=0.0)
COMPLIANCE_FILE = Field(
    "compliance",
    Group(
        (
            LOSS_TIME,
            Field(
                "bushings",
                Named(
                    Group(
                        (
                            Field("axial", RATE, "stiffness along the axis of hinge, strut or rod; default: rigid", None),
                            Field("radial", RATE, "stiffness across the axis; default: rigid", None),
                        )
                    ),
                    "bushings by hardpoint",
                ),
                "bushings of the left side by hardpoint; default: rigid",
                None,
            ),
            Field(
                "subframe",
                Group(
                    (
                        Field("mounts", ListOf(Number("m", -FAR, FAR, shape=(3,))), "positions of the mounts of the left side"),
                        Field("rate", Number("N/m", 1e3, STIFF, shape=(3,)), "stiffness of each mount along x, y, z of the chassis"),
                        Field(
                            "carries",
                            ListOf(Text("a hardpoint on the chassis")),
                            "hardpoints of the left side that are fixed to the subframe",
                        ),
                    )
                ),
                "massless body between the chassis and suspension parts of both sides",
                None,
            ),
        )
    ),
    "elastic displacements in addition to the exact kinematics; default: none",
    None,
)


class ElasticAxle(Protocol):
    """Attributes of a `vehicles.suspension.axle_section.Axle` that its compliance needs."""

    elastic: Linkage | ElasticBeam | MeasuredCompliance | None
    compliance: Values | None
    location: Vector
    points: dict[str, Vector]


def write_compliance(axle: ElasticAxle, n: int, sides: range, wheel: Vector, corners: Record) -> None:
    """Fill the compliance of axle n in a CORNERS record; `sides` are its corners, `wheel` the wheel center of the first one in B [m].

    Raises
    ------
    ConfigError : a bushing is not possible for this kind of axle; the subframe is not fully constrained
    """
    values = axle.compliance
    if values is None:
        return
    if axle.elastic is None:
        raise ConfigError(values.file, values.key, "bushings", "no section compliance for this kind of axle")
    beam = axle.elastic if isinstance(axle.elastic, ElasticBeam) else None
    if isinstance(axle.elastic, MeasuredCompliance):
        found = axle.elastic.compliance(len(sides))
    else:
        with ErrorCollector() as faults:
            bushings = _bushings(values, axle.elastic, faults)
            subframe = _subframe(values, axle.elastic, axle.location, faults)
        found = _of_linkage(axle, wheel, bushings, subframe, len(sides)) if beam is None else beam.compliance(wheel, bushings)
    if not found.any():
        return
    c = corners[0]["compliance"]
    c["axles"] += 1
    c["yields"][n] = 1 if beam is None else BEAM
    c["inertia"][list(sides)] = 0.0 if beam is None else beam.inertia
    for k, i in enumerate(sides):
        c["own"][:, :, i], c["time"][i] = found[6 * k : 6 * k + 6, 6 * k : 6 * k + 6], values["loss_time"]
        if len(sides) == 2:
            o = 1 - k
            c["across"][:, :, i] = found[6 * k : 6 * k + 6, 6 * o : 6 * o + 6]


def _of_linkage(axle: ElasticAxle, wheel: Vector, bushings: dict[str, Bushing], subframe: Subframe | None, sides: int) -> Vector:
    """Return the compliance (6 sides, 6 sides) of an axle of independent sides. Raises ConfigError."""
    assert isinstance(axle.elastic, Linkage) and axle.compliance is not None
    try:
        return compliance_of(axle.elastic, axle.points, wheel, bushings, subframe, sides)
    except np.linalg.LinAlgError:
        expected = "mounts that constrain the subframe: at least two per side, not in one line"
        raise ConfigError(axle.compliance.file, axle.compliance.path("subframe"), "its mounts", expected) from None


def _bushings(compliance: Values, linkage: Linkage | ElasticBeam, faults: ErrorCollector) -> dict[str, Bushing]:
    """Return the bushings by hardpoint; add the errors of those that are not possible."""
    found: dict[str, Bushing] = {}
    for name, rates in compliance.get("bushings", {}).items():
        if name not in linkage.bushings:
            expected = f"one of the hardpoints with a bushing: {', '.join(linkage.bushings)}"
            faults.add(ConfigError(rates.file, rates.key, name, expected))
        found[name] = Bushing(rates.get("axial", np.inf), rates.get("radial", np.inf))
    return found


def _subframe(compliance: Values, linkage: Linkage | ElasticBeam, location: Vector, faults: ErrorCollector) -> Subframe | None:
    """Return the subframe, if there is one; add the error of unknown hardpoints or of a rigid axle."""
    if "subframe" not in compliance:
        return None
    if isinstance(linkage, ElasticBeam):
        faults.add(ConfigError(compliance.file, compliance.path("subframe"), "a subframe", "no subframe for a rigid axle"))
        return None
    subframe, possible = compliance["subframe"], linkage.bushings
    if unknown := [name for name in subframe["carries"] if name not in possible]:
        faults.add(ConfigError(subframe.file, subframe.path("carries"), unknown, f"hardpoints on the chassis: {', '.join(possible)}"))
    return Subframe(np.array(subframe["mounts"]).reshape(-1, 3) + location, subframe["rate"], subframe["carries"])
