"""Registry of input sources: built-in sources and plugin sources."""

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
"""Order of preference before the first use of a device; plugin sources come before these."""


def register(kind: InputSourceKind) -> None:
    """Register a kind of input source. Raises JounceError when it has another contract version, or when another source has its name."""
    check(kind)
    INPUT_SOURCE_KINDS.register(kind.name, kind)


def check(kind: InputSourceKind) -> None:
    """Check the contract version of a kind, also of one from an entry point. Raises JounceError as `register`."""
    from simulator.driver.input_devices.contract import CONTRACT

    if kind.contract != CONTRACT:
        raise JounceError(f"input source {kind.name}: written for version {kind.contract} of the contract, this is version {CONTRACT}")
