"""Registration of the keyboard as an input source."""

from __future__ import annotations

from simulator.base.records import Record
from simulator.driver.input_devices.contract import CONTRACT, InputContext, InputSourceKind
from simulator.driver.input_devices.keyboard import Keyboard


def _keyboard(context: InputContext, _: Record) -> Keyboard | None:
    return None if context.keys is None else Keyboard(context.keys, context.keyboard, context.lever, context.handling)


SOURCE = InputSourceKind("keyboard", _keyboard, CONTRACT, missing="needs a window for the keys", meaning="arrow keys in the window")
