"""The keyboard as an input source."""

from __future__ import annotations

from simulator.base.records import Record
from simulator.driver.input_devices.contract import CONTRACT, Cabin, SourceKind
from simulator.driver.input_devices.keyboard import Keyboard


def _keyboard(cabin: Cabin, _: Record) -> Keyboard | None:
    return None if cabin.keys is None else Keyboard(cabin.keys, cabin.keyboard, cabin.lever)


SOURCE = SourceKind("keyboard", _keyboard, CONTRACT, missing="no window supplies the keys", meaning="arrow keys, in the window")
