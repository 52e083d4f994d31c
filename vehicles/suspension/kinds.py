"""Kinds of axles by their names in vehicle files: the built-in kinds, and plugins (`simulator.base.registry`)."""

from __future__ import annotations

import importlib

from simulator.base.errors import ConfigError
from simulator.base.fields import Fields
from simulator.base.registry import Registry
from simulator.base.values import Values
from vehicles.suspension import default_kind
from vehicles.suspension.axle_section import Axle

SHIPPED = (default_kind.NAME, "five_link", "macpherson", "semi_trailing_arm", "link_axle", "leaf_axle", "mechanism", "kc_table")
"""Built-in kinds; AXLE of the `section` module of their packages reads the file. The first one is the default."""


def _problem(axle: type[Axle]) -> str:
    if getattr(axle, "fields", None) is None:
        return "no table of keys; expected the attribute `fields` (docs/axle_kinds.md)"
    return "" if axle.block is None else axle.block.problem()


AXLE_KINDS: Registry[type[Axle]] = Registry(
    "kind of axle",
    "jounce.axles",
    {name: importlib.import_module(f"vehicles.suspension.{name}.section").AXLE for name in SHIPPED},
    problem=_problem,
)
register = AXLE_KINDS.register
"""Register a kind of axle by a name."""


def axle_fields_of(name: str) -> Fields:
    """Return the fields of a kind of axle. Raises JounceError: unknown name, or a kind that `register` refuses."""
    return AXLE_KINDS.need(name).fields


MIN_HALF_TRACK = 0.1
"""m. Smallest half track width."""


def _check_side(axle: Axle) -> None:
    """Raise ConfigError if the hardpoints do not belong to a left side."""
    if axle.sides == 2 and "SPINDLE" in axle.points and axle.points["SPINDLE"][1] < MIN_HALF_TRACK:
        center = f"a wheel center at y = {axle.points['SPINDLE'][1]:g} m"
        expected = f"a wheel center at least {MIN_HALF_TRACK:g} m to the left (y positive), since hardpoints are those of the left side"
        raise ConfigError(axle.file, f"{axle.key}.hardpoints_left.SPINDLE", center, expected)


def read_axle(values: Values, steered: bool, needed: str = "no other axle steers the vehicle") -> Axle:
    """Return the axle of a section of a vehicle file. Raises ConfigError.

    steered : True for an axle that the steering moves; needed : reason why its kind must be steerable, empty if it need not be
    """
    name = values["suspension"]
    axle = AXLE_KINDS.named(name, values.file, values.path("suspension"))
    reason = axle.why_unsteered(values) if steered else ""
    if reason and needed:
        raise values.error("suspension", f"an axle that can be steered, since {needed} ({reason})")
    result = axle(values)
    _check_side(result)
    if steered and result.sides != 2:
        raise ConfigError(values.file, values.path("wheels"), result.sides, "2, since the steering moves a left and a right wheel")
    if result.steering and not steered:
        raise values.error("steering", "no key steering, since the steering does not move this axle")
    return result
