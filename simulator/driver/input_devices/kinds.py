"""Input sources by name: those shipped, and those that move in from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.registry import Registry

if TYPE_CHECKING:
    from simulator.driver.input_devices.contract import InputSourceKind

INPUT_SOURCE_KINDS: Registry[InputSourceKind] = Registry(
    "input source",
    "jounce.input_sources",
    {
        "wheel": "simulator.driver.input_devices.steering_wheel:SOURCE",
        "gamepad": "simulator.driver.input_devices.gamepad:SOURCE",
        "keyboard": "simulator.driver.input_devices.keyboard_kind:SOURCE",
    },
)
"""In the order in which one that is connected is taken before any was used; those from outside come before these."""


def register(kind: InputSourceKind) -> None:
    """Make an input source known by its name. Raises JounceError: it is for another contract, or another one has its name."""
    check(kind)
    INPUT_SOURCE_KINDS.register(kind.name, kind)


def check(kind: InputSourceKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    from simulator.driver.input_devices.contract import CONTRACT

    if kind.contract != CONTRACT:
        raise JounceError(f"input source {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")
