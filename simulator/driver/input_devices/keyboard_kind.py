"""The keyboard as an input source."""

from __future__ import annotations

from simulator.base.records import Record
from simulator.driver.input_devices.contract import CONTRACT, InputContext, InputSourceKind
from simulator.driver.input_devices.keyboard import Keyboard


def _keyboard(cabin: InputContext, _: Record) -> Keyboard | None:
    return None if cabin.keys is None else Keyboard(cabin.keys, cabin.keyboard, cabin.lever)


SOURCE = InputSourceKind("keyboard", _keyboard, CONTRACT, missing="no window supplies the keys", meaning="arrow keys, in the window")
