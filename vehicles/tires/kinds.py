"""Tire models by the `type` of a tire file: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.registry import Registry
from vehicles.tires.contract import NUMBERS, TireModelKind
from vehicles.tires.parameters import TIRE
from vehicles.tires.temperature import FIELDS as SECTIONS
from vehicles.tires.tmeasy.model import KIND

DEFAULT = KIND.name
"""Default `type` of a tire file."""


def _problem(kind: TireModelKind) -> str:
    if kind.kernel is None:
        return "it has no kernel"
    sections = {field.name for field in SECTIONS} & {field.name for field in kind.parameters}
    shared = {row[0] for row in TIRE} & {row[0] for row in kind.record_table} | sections
    return f"all tires have a parameter {min(shared)} already" if shared else ""


TIRE_MODEL_KINDS: Registry[TireModelKind] = Registry(
    "tire model",
    "jounce.tire_models",
    {
        KIND.name: KIND,
        "magic_formula": "vehicles.tires.magic_formula.model:KIND",
        "fiala": "vehicles.tires.fiala:KIND",
        "measured": "vehicles.tires.measured:KIND",
    },
    contract="vehicles.tires.contract",
    max_state=NUMBERS,
    problem=_problem,
)
register = TIRE_MODEL_KINDS.add
"""Register a tire model."""
