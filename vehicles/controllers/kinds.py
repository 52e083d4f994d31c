"""Controllers by the `type` of a vehicle file: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.registry import Registry
from vehicles.controllers.active_steering import FRONT, REAR
from vehicles.controllers.anti_lock import KIND as ANTI_LOCK
from vehicles.controllers.contract import NUMBERS, ControllerKind
from vehicles.controllers.control_unit import COMMON
from vehicles.controllers.electric_drive import KIND as ELECTRIC_DRIVE
from vehicles.controllers.hill_hold import KIND as HILL_HOLD
from vehicles.controllers.skyhook import KIND as SKYHOOK
from vehicles.controllers.stability import KIND as STABILITY
from vehicles.controllers.traction import KIND as TRACTION

SHIPPED = (ANTI_LOCK, STABILITY, TRACTION, FRONT, REAR, SKYHOOK, ELECTRIC_DRIVE, HILL_HOLD)


def _problem(kind: ControllerKind) -> str:
    shared = {"type", "name", *(field.name for field in COMMON)} & {field.name for field in kind.parameters}
    return f"all controllers have a parameter {min(shared)} already" if shared else ""


CONTROLLER_KINDS: Registry[ControllerKind] = Registry(
    "controller",
    "jounce.controllers",
    {**{kind.name: kind for kind in SHIPPED}, "fmu": "simulator.fmi.fmu_controller:KIND"},
    "vehicles.controllers.contract",
    NUMBERS,
    _problem,
)
register = CONTROLLER_KINDS.add
"""Register a controller."""
