"""The kinds of axles by the name a vehicle file gives them."""

from __future__ import annotations

from simulator.base.errors import ConfigError
from simulator.base.section import Section
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.double_wishbone.section import DoubleWishboneAxle
from vehicles.suspension.five_link.section import FiveLinkAxle
from vehicles.suspension.mechanism.section import MechanismAxle

KINDS: dict[str, type[Axle]] = {"double_wishbone": DoubleWishboneAxle, "five_link": FiveLinkAxle, "mechanism": MechanismAxle}
"""The first one if the file does not say."""


def read_axle(s: Section, steered: bool) -> Axle:
    """The axle of a section of a vehicle file. Raises ConfigError."""
    kind = s.choice("suspension", tuple(KINDS), next(iter(KINDS)))
    if steered and KINDS[kind].unsteered:
        able = " or ".join(name for name, axle in KINDS.items() if not axle.unsteered)
        raise ConfigError(s.file, s.path("suspension"), kind, f"{able}: {KINDS[kind].unsteered}")
    axle = KINDS[kind](s)
    if axle.steering and not steered:
        raise ConfigError(s.file, s.path("steering"), axle.steering, "nothing: the steering moves the front axle only")
    return axle
