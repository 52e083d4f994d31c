"""The formulations of the equations of motion by name."""

from __future__ import annotations

from collections.abc import Callable

from vehicles.multibody.embedding import ConstraintEmbedding
from vehicles.multibody.formulation import Formulation
from vehicles.multibody.fully_augmented import FullyAugmented
from vehicles.multibody.recursive import Recursive
from vehicles.multibody.system import System
from vehicles.multibody.tree_augmented import TreeAugmented

FORMULATIONS: dict[str, Callable[[System], Formulation]] = {
    "ce": ConstraintEmbedding,
    "ta": TreeAugmented,
    "recursive": Recursive,
    "fa": FullyAugmented,
    "fa-dense": lambda system: FullyAugmented(system, "dense"),
}
"""By short name:

- ce : constraint embedding, aggregated bodies (paper 000)
- ta : tree-augmented, cut joints and the Schur complement of their multipliers (paper 001)
- recursive : cut joints, multipliers carried to the base body (paper 002)
- fa : fully augmented, absolute coordinates, every joint as constraints; sparse solver (papers 000 and 001)
- fa-dense : the same with a dense solver
"""


def make_formulation(name: str, system: System) -> Formulation:
    """A formulation of a system by its short name."""
    return FORMULATIONS[name](system)
