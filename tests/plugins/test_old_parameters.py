"""Does a kind with rows, ranges and defaults, as in version 0.2, have the same parameters as one with fields?"""

from __future__ import annotations

from typing import Any

import pytest

from simulator.base.errors import DeprecatedNameWarning
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.records import dtype_of
from simulator.driver.contract import DriverKind
from simulator.driver.input_devices.contract import InputSourceKind
from simulator.motion.protocols.contract import ProtocolKind
from simulator.outlets.contract import OutletKind
from simulator.sensors.contract import SensorKind
from vehicles.controllers.contract import ControllerKind
from vehicles.tires.contract import TireModelKind
from washout.contract import WashoutKind

ROWS = (("gain", (2,), "m", "a gain"), ("count", (), "1", "a count", "i8"))
RANGES, DEFAULTS = {"gain": (0.0, 2.0), "count": (0, 9)}, {"count": 3}
FIELDS = (Field("gain", Number("m", 0.0, 2.0, shape=(2,)), "a gain"), Field("count", Number("1", 0, 9, whole=True), "a count", 3))
REQUIRED = (FIELDS[0], Field("count", Number("1", 0, 9, whole=True), "a count"))
KINDS: dict[type, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    SensorKind: (("x", ROWS, RANGES, (), print, 1, 50.0, DEFAULTS, "meaning"), ("x", FIELDS, (), print, 1, 50.0, "meaning")),
    OutletKind: (("x", print, 1, 50.0, ROWS, RANGES, DEFAULTS, "meaning"), ("x", print, 1, 50.0, FIELDS, "meaning")),
    DriverKind: (("x", print, 1, True, ROWS, RANGES, DEFAULTS, "meaning"), ("x", print, 1, True, FIELDS, "meaning")),
    InputSourceKind: (("x", print, 1, ROWS, RANGES, DEFAULTS, "missing", "meaning"), ("x", print, 1, FIELDS, "missing", "meaning")),
    ProtocolKind: (
        ("x", 100, 5100, True, print, None, 1, ROWS, RANGES, DEFAULTS, "meaning"),
        ("x", 100, 5100, True, print, None, 1, FIELDS, "meaning"),
    ),
    WashoutKind: (
        ("x", ROWS, RANGES, 1, 2, None, (), None, print, 50.0, DEFAULTS, (), "meaning"),
        ("x", FIELDS, 1, 2, None, (), None, print, 50.0, (), "meaning"),
    ),
    ControllerKind: (("x", ROWS, RANGES, (), None, 1, 2, 50.0, DEFAULTS, "meaning"), ("x", FIELDS, (), None, 1, 2, 50.0, "meaning")),
    TireModelKind: (("x", ROWS, RANGES, (), None, 1, 2, None, None, ("gain",)), ("x", REQUIRED, (), None, 1, 2, None, None, ("gain",))),
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_old_arguments_give_the_fields_and_one_warning(kind: type) -> None:
    old, new = KINDS[kind]
    with pytest.warns(DeprecatedNameWarning, match=f"^{kind.__name__} x: rows, ranges and defaults: deprecated") as warned:
        converted = kind(*old)
    assert len(warned) == 1 and warned[0].filename == __file__, "the warning names the line of the plugin"
    assert converted == kind(*new)


def test_keywords_of_the_old_form_are_known() -> None:
    with pytest.warns(DeprecatedNameWarning):
        old = SensorKind("x", parameters=ROWS, ranges=RANGES, output=(), make=print, contract=1, defaults=DEFAULTS)  # type: ignore[call-arg, arg-type]
    assert old == SensorKind("x", FIELDS, (), print, 1)  # type: ignore[arg-type]


def test_a_tire_model_with_own_fields_keeps_the_rows_of_its_record() -> None:
    with pytest.warns(DeprecatedNameWarning):
        old = TireModelKind("x", ROWS, {}, (), fields=FIELDS[:1])  # type: ignore[call-arg, arg-type]
    assert old == TireModelKind("x", FIELDS[:1], (), table=ROWS)


def test_fields_give_the_record_of_the_rows() -> None:
    assert dtype_of(rows(FIELDS)) == dtype_of(ROWS)
