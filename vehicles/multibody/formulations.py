"""The formulations of the equations of motion by name, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vehicles.multibody.embedding import ConstraintEmbedding
from vehicles.multibody.fully_augmented import FullyAugmented
from vehicles.multibody.recursive import Recursive
from vehicles.multibody.system import Dimensions, System
from vehicles.multibody.tree_augmented import TreeAugmented

Vector = NDArray[np.float64]


class Formulation(Protocol):
    """A way to the accelerations of a mechanism. One object keeps the workspaces of one system and is used by one thread."""

    system: System

    @property
    def dimensions(self) -> Dimensions:
        """Coordinates and constraints it solves for (paper 001's table)."""

    def accelerations(
        self,
        q: Vector,
        v: Vector,
        tau: Vector | None = None,
        wrenches: Vector | None = None,
        prescribed: Vector | None = None,
    ) -> Vector:
        """Accelerations (n_v,) of all tree coordinates at a state on the loops.

        Parameters
        ----------
        q, v : (n_q,), (n_v,) coordinates of the tree and their rates, which satisfy the loops
        tau : (n_v,) forces on the coordinates [N m, N]
        wrenches : (n_nodes, 6) forces [N; F] on the nodes at their origins, in world axes
        prescribed : (n_v,) accelerations of the prescribed coordinates; no other entry is read

        Gravity is `system.parts.gravity`, which may be overwritten between calls.

        Raises
        ------
        MechanismError : the state does not determine the accelerations, or the constraints contradict one another; it names the loops
        """


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
