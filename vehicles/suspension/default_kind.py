"""Default kind of axle: it needs no name in a vehicle file, and it is the only kind that the compiled step depends on.

Its kernels are called directly, in the vector lanes; those of every other kind by their address (`vehicles.suspension.blocks`). No other
module outside the package of the kind names it.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from vehicles.suspension.double_wishbone import block, closure
from vehicles.suspension.double_wishbone.kinematics import DOUBLE_WISHBONE_SCRATCH as SCRATCH
from vehicles.suspension.double_wishbone.kinematics import DOUBLE_WISHBONES as PARAMETERS

__all__ = (
    "NAME",
    "PARAMETERS",
    "SCRATCH",
    "gap_default",
    "kind_module",
    "pad_default",
    "place_default",
    "show_default",
    "steer_default",
    "turn_default",
)  # fmt: skip

NAME = "double_wishbone"
"""Name in a vehicle file."""

pad_default, place_default, steer_default, show_default = block.pad, block.place, block.steer, block.show
gap_default, turn_default = closure.gap, closure.turn


def kind_module(module: str) -> ModuleType:
    """Return a module of the default kind, for readers of files and tools; the kernels of the step do not depend on it."""
    return importlib.import_module(f"vehicles.suspension.{NAME}.{module}")
