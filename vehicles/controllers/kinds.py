"""Controllers by the `type` of a vehicle file: shipped ones and plugins."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.fields import Field
from simulator.base.registry import Registry
from vehicles.controllers.active_steering import FRONT, REAR
from vehicles.controllers.anti_lock import KIND as ANTI_LOCK
from vehicles.controllers.contract import CONTRACT, LAYOUT, NUMBERS, ControllerKind
from vehicles.controllers.control_unit import COMMON
from vehicles.controllers.electric_drive import KIND as ELECTRIC_DRIVE
from vehicles.controllers.skyhook import KIND as SKYHOOK
from vehicles.controllers.stability import KIND as STABILITY
from vehicles.controllers.traction import KIND as TRACTION

SHIPPED = (ANTI_LOCK, STABILITY, TRACTION, FRONT, REAR, SKYHOOK, ELECTRIC_DRIVE)

CONTROLLER_KINDS: Registry[ControllerKind] = Registry("controller", "jounce.controllers", {kind.name: kind for kind in SHIPPED})


def register(kind: ControllerKind) -> None:
    """Register a controller under its name.

    Raises
    ------
    JounceError : the controller was written for another contract or layout, its state is too large, it redefines a common parameter, or its
        name is registered already
    """
    check(kind)
    CONTROLLER_KINDS.register(kind.name, kind)


def check(kind: ControllerKind) -> None:
    """Raises JounceError like `register`; controllers from installed packages are not registered through `register`."""
    if kind.contract != CONTRACT:
        raise JounceError(f"controller {kind.name}: it is for version {kind.contract} of the contract; expected version {CONTRACT}")
    if kind.layout != LAYOUT:
        raise JounceError(
            f"controller {kind.name}: it is for other tables than CONTROLLER_INPUT and CONTROLLER_OUTPUT of vehicles.controllers.contract"
        )
    if kind.numbers > NUMBERS:
        raise JounceError(f"controller {kind.name}: its state has {kind.numbers} numbers; expected at most {NUMBERS}")
    shared = {"type", "name", *(field.name for field in COMMON)} & {field.name for field in kind.parameters if isinstance(field, Field)}
    if shared:
        raise JounceError(f"controller {kind.name}: all controllers have a parameter {min(shared)} already")
