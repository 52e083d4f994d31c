"""The formulations of the equations of motion by name."""

from __future__ import annotations

from collections.abc import Callable

from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.formulations.contract import Formulation
from vehicles.multibody.formulations.fully_augmented import FullyAugmented
from vehicles.multibody.formulations.recursive import Recursive
from vehicles.multibody.formulations.tree_augmented import TreeAugmented
from vehicles.multibody.tree.system import System

FORMULATIONS: dict[str, Callable[[System], Formulation]] = {
    "ce": ConstraintEmbedding,
    "ta": TreeAugmented,
    "recursive": Recursive,
    "fa": FullyAugmented,
    "fa-dense": lambda system: FullyAugmented(system, "dense"),
}
"""Formulations by short name:

- ce : constraint embedding, aggregated bodies [Jain 2016]
- ta : tree-augmented, cut joints and the Schur complement of their multipliers [Cameron 2013]
- recursive : cut joints, multipliers carried to the base body [Deyo 1989]
- fa : fully augmented, absolute coordinates, all joints as constraints; sparse solver [Jain 2016; Cameron 2013]
- fa-dense : fully augmented with a dense solver
"""


def make_formulation(name: str, system: System) -> Formulation:
    """Return a formulation of a system by its short name."""
    return FORMULATIONS[name](system)
