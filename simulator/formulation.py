"""Formulations for commands, made by their short names."""

from __future__ import annotations

from vehicles.multibody.formulation import Formulation
from vehicles.multibody.formulations import make_formulation
from vehicles.multibody.system import System


def build_formulation(name: str, system: System) -> Formulation:
    """A formulation by its short name. Raises MechanismError."""
    return make_formulation(name, system)
