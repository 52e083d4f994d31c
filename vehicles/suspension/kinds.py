"""The kinds of axles by the name a vehicle file gives them: those shipped, and tenants from outside (`simulator.base.registry`)."""

from __future__ import annotations

import importlib

from simulator.base.errors import ConfigError
from simulator.base.registry import Registry
from simulator.base.renamed_modules import old_names
from simulator.base.section import Section
from vehicles.suspension import default_kind
from vehicles.suspension.axle_section import Axle

SHIPPED = (default_kind.NAME, "five_link", "macpherson", "semi_trailing_arm", "link_axle", "leaf_axle", "mechanism")
"""Kinds with a room here; AXLE of its `section` reads the file. The first one if the file does not say."""

AXLE_KINDS: Registry[type[Axle]] = Registry(
    "kind of axle", "jounce.axles", {name: importlib.import_module(f"vehicles.suspension.{name}.section").AXLE for name in SHIPPED}
)


def register(name: str, axle: type[Axle]) -> None:
    """Make a kind of axle from outside known by a name.

    Raises
    ------
    JounceError : another kind has the name, or this one is made for another contract (see `vehicles.suspension.blocks.AxleCallbacks`)
    """
    if axle.block is not None:
        axle.block.check(name)
    AXLE_KINDS.register(name, axle)


NARROW = 0.1
"""m. Least half of a track."""


def _check_side(axle: Axle) -> None:
    """Raises ConfigError: the hardpoints are not those of a left side."""
    if axle.sides == 2 and "SPINDLE" in axle.points and axle.points["SPINDLE"][1] < NARROW:
        center = f"a wheel center at y = {axle.points['SPINDLE'][1]:g} m"
        expected = (
            f"one at least {NARROW:g} m to the left, y + : the hardpoints are those of the left side, the right one is its mirror image"
        )
        raise ConfigError(axle.file, f"{axle.key}.hardpoints_left.SPINDLE", center, expected)


def read_axle(s: Section, steered: bool, needed: bool = True) -> Axle:
    """The axle of a section of a vehicle file.

    steered : whether it is the one that the steering moves; needed : whether nothing else turns wheels

    Raises ConfigError.
    """
    name = s.raw("suspension", SHIPPED[0])
    axle = AXLE_KINDS.named(name, s.file, s.path("suspension"))
    if axle.block is not None:
        axle.block.check(name)
    why = axle.why_unsteered(s) if steered else ""
    if why and needed:
        raise ConfigError(s.file, s.path("suspension"), name, f"an axle that the steering can turn, or nothing steers the vehicle: {why}")
    found = axle(s)
    _check_side(found)
    if steered and found.sides != 2:
        raise ConfigError(s.file, s.path("wheels"), found.sides, "2: the steering moves a left and a right wheel")
    if found.steering and not steered:
        raise ConfigError(s.file, s.path("steering"), found.steering, "nothing: the steering moves the front axle only")
    return found


__getattr__ = old_names(__name__)
