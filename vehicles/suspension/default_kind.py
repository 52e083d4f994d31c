"""The default kind of axle: the one a vehicle file need not name, and the only one that the compiled step knows.

Its kernels are called directly, in the vector lanes; those of every other kind by their address (`vehicles.suspension.blocks`). No other
file outside its room says which kind it is.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from vehicles.suspension.double_wishbone import block, closure
from vehicles.suspension.double_wishbone.kinematics import DOUBLE_WISHBONE_SCRATCH as SCRATCH
from vehicles.suspension.double_wishbone.kinematics import DOUBLE_WISHBONES as PARAMETERS

__all__ = (
    "NAME", "PARAMETERS", "SCRATCH", "gap_default", "pad_default", "place_default", "room", "show_default", "steer_default", "turn_default",
)  # fmt: skip

NAME = "double_wishbone"
"""In a vehicle file."""

pad_default, place_default, steer_default, show_default = block.pad, block.place, block.steer, block.show
gap_default, turn_default = closure.gap, closure.turn


def room(module: str) -> ModuleType:
    """A module of its room, for whoever reads files or looks into the kind; the kernels of the step do not depend on it."""
    return importlib.import_module(f"vehicles.suspension.{NAME}.{module}")
