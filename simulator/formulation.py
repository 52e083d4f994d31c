"""Formulations for commands: made by name, and announced when their kernels must be compiled first."""

from __future__ import annotations

import sys

from simulator.base.jit import is_compiled
from vehicles.multibody import constraint_embedding, fully_augmented, recursive, tree_augmented
from vehicles.multibody.formulation import Formulation
from vehicles.multibody.formulations import make_formulation
from vehicles.multibody.system import System

KERNELS = {"ce": constraint_embedding, "ta": tree_augmented, "recursive": recursive, "fa": fully_augmented, "fa-dense": fully_augmented}
"""Module with the outermost kernel of every formulation."""


def build_formulation(name: str, system: System) -> Formulation:
    """A formulation by its short name. The first use on a machine compiles for some ten seconds and says so on the error stream."""
    if not is_compiled(KERNELS[name].__file__ or ""):
        print(f"jounce: compiling formulation {name!r}, once for this version and machine", file=sys.stderr, flush=True)
    return make_formulation(name, system)
