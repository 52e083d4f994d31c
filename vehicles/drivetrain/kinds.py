"""Kinds of drivetrains by the `type` of the section `drivetrain`: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from vehicles.drivetrain.contract import CONTRACT, LAYOUT, MAX_STATE, DrivetrainKind

DEFAULT = "conventional"
"""Kind of a section without the key `type`."""
IMPLIED = {"motors": "electric"}
"""Kinds by a key of a section without the key `type`."""

DRIVETRAIN_KINDS: Registry[DrivetrainKind] = Registry(
    "kind of drivetrain",
    "jounce.drivetrain_kinds",
    {name: f"vehicles.drivetrain.{name}.section:KIND" for name in (DEFAULT, *IMPLIED.values())},
)


def register(kind: DrivetrainKind) -> None:
    """Register a third-party kind of drivetrain under its name.

    Raises
    ------
    JounceError : the kind was written for another contract or layout, has no kernel, its state is too large, or its name is registered
        already
    """
    check(kind)
    DRIVETRAIN_KINDS.register(kind.name, kind)


def check(kind: DrivetrainKind) -> None:
    """Raise JounceError as `register` does; the kinds of installed packages are not registered through `register`."""
    if DRIVETRAIN_KINDS.is_builtin(kind.name) and DRIVETRAIN_KINDS.get(kind.name) is kind:
        return
    if kind.kernel is None:
        raise JounceError(f"kind of drivetrain {kind.name}: it has no kernel")
    if kind.contract != CONTRACT:
        raise JounceError(f"kind of drivetrain {kind.name}: it is for version {kind.contract} of the contract; expected version {CONTRACT}")
    if kind.layout != LAYOUT:
        tables = "DRIVETRAIN_INPUT and DRIVETRAIN_OUTPUT of vehicles.drivetrain.contract"
        raise JounceError(f"kind of drivetrain {kind.name}: it is for other tables than {tables}")
    if kind.numbers > MAX_STATE:
        raise JounceError(f"kind of drivetrain {kind.name}: its state has {kind.numbers} numbers; expected at most {MAX_STATE}")
