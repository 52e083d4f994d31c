"""Registry of input sources: built-in sources and plugin sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    contract="simulator.driver.input_devices.contract",
)
"""Order of preference before the first use of a device; plugin sources come before these."""
register = INPUT_SOURCE_KINDS.add
"""Register a kind of input source."""
