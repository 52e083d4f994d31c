"""Section `compliance` of an axle: bushings at its hardpoints, and a subframe."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Group, ListOf, Named, Number, Text
from simulator.base.records import Record
from simulator.base.section import Section
from vehicles.compliance.elastic_axle import Bushing, Linkage, Subframe, compliance_of
from vehicles.suspension.axle_limits import FAR, STIFF

Vector = NDArray[np.float64]

RATE = Number("N/m", 1e3, 1e12, above=0.0)
LOSS_TIME = 2e-3
"""s. Default loss time of the rubber [assumed]: a loss angle of 10 deg at 15 Hz."""

COMPLIANCE_FILE = Field(
    "compliance",
    Group(
        (
            Field("loss_time", Number("s", 1e-5, 0.1, above=0.0), "damping of the rubber over its stiffness", LOSS_TIME),
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
                        Field("rate", Number("N/m", 1e3, 1e12, shape=(3,)), "stiffness of each mount along x, y, z of the chassis"),
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

    elastic: Linkage | None
    compliance: Section | None
    location: Vector
    points: dict[str, Vector]


def write_compliance(axle: ElasticAxle, n: int, sides: range, wheel: Vector, corners: Record) -> None:
    """Fill the compliance of axle n in a CORNERS record; `sides` are its corners, `wheel` the wheel center of the first one in B [m].

    Raises
    ------
    ConfigError : a bushing is not possible for this kind of axle; the subframe is not fully constrained
    """
    s = axle.compliance
    if s is None:
        return
    if axle.elastic is None:
        raise ConfigError(s.file, s.key, "bushings", "no section compliance for this kind of axle")
    with s, ErrorCollector() as faults:
        bushings = _bushings(s, axle.elastic, faults)
        subframe = _subframe(s, axle.elastic, axle.location, faults)
        time = s.number("loss_time", LOSS_TIME)
        faults.need_all()
        try:
            found = compliance_of(axle.elastic, axle.points, wheel, bushings, subframe, len(sides))
        except np.linalg.LinAlgError:
            raise ConfigError(
                s.file, s.path("subframe"), "its mounts", "mounts that constrain the subframe: at least two per side, not in one line"
            ) from None
    if not found.any():
        return
    c = corners[0]["compliance"]
    c["axles"] += 1
    c["yields"][n] = 1
    for k, i in enumerate(sides):
        c["own"][:, :, i], c["time"][i] = found[6 * k : 6 * k + 6, 6 * k : 6 * k + 6], time
        if len(sides) == 2:
            o = 1 - k
            c["across"][:, :, i] = found[6 * k : 6 * k + 6, 6 * o : 6 * o + 6]


def _bushings(s: Section, linkage: Linkage, faults: ErrorCollector) -> dict[str, Bushing]:
    """Return the bushings by hardpoint."""
    found: dict[str, Bushing] = {}
    if not s.has("bushings"):
        return found
    with s.section("bushings") as named:
        for name in map(str, named.mapping):
            with faults.part(), named.section(name) as b:
                axial, radial = (b.number(key) if b.has(key) else np.inf for key in ("axial", "radial"))
                if name not in linkage.bushings:
                    raise ConfigError(b.file, b.key, name, f"one of the hardpoints with a bushing: {', '.join(linkage.bushings)}")
                found[name] = Bushing(float(axial), float(radial))
    return found


def _subframe(s: Section, linkage: Linkage, location: Vector, faults: ErrorCollector) -> Subframe | None:
    if not s.has("subframe"):
        return None
    with faults.part(), s.section("subframe") as b:
        mounts = np.array(b.raw("mounts"), dtype=np.float64).reshape(-1, 3) + location
        carries, possible = tuple(map(str, b.raw("carries"))), linkage.bushings
        if unknown := [name for name in carries if name not in possible]:
            raise ConfigError(b.file, b.path("carries"), unknown, f"hardpoints on the chassis: {', '.join(possible)}")
        return Subframe(mounts, b.array("rate", (3,), within=STIFF), carries)
    return None
