"""Kinds of drivetrains by the `type` of the section `drivetrain`: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.registry import Registry
from vehicles.drivetrain.contract import MAX_STATE, DrivetrainKind

DEFAULT = "conventional"
"""Kind of a section without the key `type`."""
IMPLIED = {"motors": "electric"}
"""Kinds by a key of a section without the key `type`."""

DRIVETRAIN_KINDS: Registry[DrivetrainKind] = Registry(
    "kind of drivetrain",
    "jounce.drivetrain_kinds",
    {name: f"vehicles.drivetrain.{name}.section:KIND" for name in (DEFAULT, *IMPLIED.values(), "undriven")},
    contract="vehicles.drivetrain.contract",
    max_state=MAX_STATE,
    problem=lambda kind: "it has no kernel" if kind.kernel is None else "",
)
register = DRIVETRAIN_KINDS.add
"""Register a kind of drivetrain."""
