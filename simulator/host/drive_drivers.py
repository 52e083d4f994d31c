"""Drivers of a drive: the first one, and those who may take over."""

from __future__ import annotations

from functools import partial

from simulator.base.registry import KindChoice
from simulator.builder.session_parts import SessionParts
from simulator.configuration.configuration import Configuration
from simulator.configuration.session_file import read_session
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.driver_seat import DriverChoice
from simulator.driver.kinds import DRIVER_KINDS
from simulator.driver.make_driver import PERSON
from simulator.driver.path import Spawn
from simulator.host.human_controls import HumanControls


def drivers_of(parts: SessionParts, controls: HumanControls) -> list[DriverChoice]:
    """Return the drivers of a session, the first one first; a person's devices are opened. Raises ConfigError, DeviceError, JounceError."""
    return [_choice(parts, controls, name, chosen) for name, chosen in parts.options.drivers.items()]


def need_devices(configuration: Configuration) -> None:
    """Check that the devices are connected that the drivers of a session name. Raises ConfigError, DeviceError."""
    from simulator.driver.input_devices.human_driver import need_device

    for chosen in read_session(configuration).drivers.values():
        need_device(chosen.name)


def _choice(parts: SessionParts, controls: HumanControls, name: str, chosen: KindChoice) -> DriverChoice:
    if name != PERSON:
        return DriverChoice(name, partial(_automatic, parts, chosen))
    person = controls.open_driver(parts, chosen)
    return DriverChoice(name, lambda here: person)


def _automatic(parts: SessionParts, chosen: KindChoice, here: Spawn | None) -> Driver | SensingDriver:
    return parts.driver(DRIVER_KINDS.need(chosen.name), paced=True, parameters=chosen.parameters, here=here)
