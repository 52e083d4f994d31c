"""Tread laws by the `type` of a tire file: the shipped ones, and those that move in from outside."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.base.renamed_modules import old_names
from vehicles.tires.contract import CONTRACT, LAYOUT, NUMBERS, TireModelKind
from vehicles.tires.parameters import TIRE
from vehicles.tires.tmeasy.model import LAW

DEFAULT = LAW.name
"""Of a tire file that does not say its `type`."""

TIRE_MODEL_KINDS: Registry[TireModelKind] = Registry(
    "tread law",
    "jounce.tire_models",
    {
        LAW.name: LAW,
        "magic_formula": "vehicles.tires.magic_formula.model:LAW",
        "fiala": "vehicles.tires.fiala:LAW",
        "measured": "vehicles.tires.measured:LAW",
    },
)


def register(law: TireModelKind) -> None:
    """Make a tread law known by its name.

    Raises
    ------
    JounceError : it was written for another contract or layout, has no kernel or too large a state, has a parameter that all tires have,
        or another law has its name
    """
    if law.kernel is None:
        raise JounceError(f"tread law {law.name}: it has no kernel")
    if law.contract != CONTRACT:
        raise JounceError(f"tread law {law.name}: it is for version {law.contract} of the contract, this is version {CONTRACT}")
    if law.layout != LAYOUT:
        raise JounceError(f"tread law {law.name}: it is for other tables than TREAD_STATE, SEEN and RESULT of vehicles.tires.contract")
    if law.numbers > NUMBERS:
        raise JounceError(f"tread law {law.name}: its state has {law.numbers} numbers, the most are {NUMBERS}")
    shared = {row[0] for row in TIRE} & {row[0] for row in law.parameters}
    if shared:
        raise JounceError(f"tread law {law.name}: every tire has a parameter {min(shared)} already")
    TIRE_MODEL_KINDS.register(law.name, law)


__getattr__ = old_names(__name__)
