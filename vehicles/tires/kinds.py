"""Tire models by the `type` of a tire file: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from vehicles.tires.contract import CONTRACT, LAYOUT, NUMBERS, TireModelKind
from vehicles.tires.parameters import TIRE
from vehicles.tires.tmeasy.model import KIND

DEFAULT = KIND.name
"""Default `type` of a tire file."""

TIRE_MODEL_KINDS: Registry[TireModelKind] = Registry(
    "tire model",
    "jounce.tire_models",
    {
        KIND.name: KIND,
        "magic_formula": "vehicles.tires.magic_formula.model:KIND",
        "fiala": "vehicles.tires.fiala:KIND",
        "measured": "vehicles.tires.measured:KIND",
    },
)


def register(kind: TireModelKind) -> None:
    """Register a tire model under its name.

    Raises
    ------
    JounceError : the model was written for another contract or layout, has no kernel, its state is too large, it redefines a parameter of
        all tires, or its name is registered already
    """
    check(kind)
    TIRE_MODEL_KINDS.register(kind.name, kind)


def check(kind: TireModelKind) -> None:
    """Check a tire model as in `register`, for kinds that installed packages provide. Raises JounceError."""
    if TIRE_MODEL_KINDS.is_builtin(kind.name) and TIRE_MODEL_KINDS.get(kind.name) is kind:
        return
    if kind.kernel is None:
        raise JounceError(f"tire model {kind.name}: it has no kernel")
    if kind.contract != CONTRACT:
        raise JounceError(f"tire model {kind.name}: it is for version {kind.contract} of the contract; expected version {CONTRACT}")
    if kind.layout != LAYOUT:
        raise JounceError(
            f"tire model {kind.name}: it is for other tables than TREAD_STATE, TIRE_INPUT and TIRE_OUTPUT of vehicles.tires.contract"
        )
    if kind.numbers > NUMBERS:
        raise JounceError(f"tire model {kind.name}: its state has {kind.numbers} numbers; expected at most {NUMBERS}")
    shared = {row[0] for row in TIRE} & {row[0] for row in kind.record_table}
    if shared:
        raise JounceError(f"tire model {kind.name}: all tires have a parameter {min(shared)} already")
