"""Reader of the section `steering` of a vehicle file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_records import write_value
from simulator.base.fields import Field, Fields, Named, Number, Variants
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.axle_layout import Axles
from vehicles.steering.column import FILTERED, MECHANICAL_FILE, write_column
from vehicles.steering.contract import CALLED, GEAR_FILE, RACK, SteeredAxle, SteeringKind, own_record
from vehicles.steering.kinds import SHIPPED, STEERING_KINDS
from vehicles.steering.steering import STEERING

MIN_RATE = 0.1
"""deg/s. Lower limit of the rate of a Pitman arm."""

HELD = "rack_pinion"
"""Kind of the steering of a trailer: a rack that does not move."""

AXLES = Field(
    "axles",
    Named(Number("1", -1.0, 1.0), "names of axles behind the front axle, each with a ratio"),
    "further axles that the steering moves, each with the angle of its linkage over that of the front axle; negative: to the other side",
    None,
)


@cache
def _fields_of(name: str) -> Fields:
    """Return the fields of a kind of steering, always the same object."""
    kind = STEERING_KINDS.need(name)
    return (*(() if kind.by_wire else MECHANICAL_FILE), AXLES, *(GEAR_FILE if kind.write is None else ()), *kind.fields)


STEERING_FILE = Variants("type", _fields_of, STEERING_KINDS.names, "kind of steering", default=SHIPPED[0].name)
"""Fields of the section `steering` of a vehicle file."""


def steered_axles(values: Values, axles: Axles, tierod_inner: Sequence[Vector | None]) -> tuple[SteeredAxle, ...]:
    """Return the axles that the steering moves, from the front; tierod_inner: by axle, as in `SteeredAxle`. Raises ConfigError."""
    further = values.get("axles", {})
    with ErrorCollector() as faults:
        for name, ratio in further.items():
            if name not in axles.names[1:]:
                faults.add(values.error("axles", f"names of axles behind the front axle: {' or '.join(axles.names[1:])}"))
            elif ratio == 0.0:
                faults.add(values["axles"].error(name, "a ratio that is not 0"))
    front, out = tierod_inner[0], [SteeredAxle(tierod_inner=tierod_inner[0])]
    for n, name in enumerate(axles.names[1:], 1):
        joints = tierod_inner[n]
        if name in further:
            offset = np.zeros(3) if front is None or joints is None else joints.mean(axis=0) - front.mean(axis=0)
            out.append(SteeredAxle(n, axles.on(n)[0], further[name], joints, offset))
    return tuple(out)


def check_actuators(kind: SteeringKind, values: Values, vehicle: Mapping[str, Any], axles: Axles, steered: Sequence[SteeredAxle]) -> None:
    """Check the actuators of a vehicle file together with its steering of a kind. Raises ConfigError."""
    actuators = vehicle.get("actuators", {})
    with ErrorCollector() as faults:
        if "rear_steering" in actuators and steered[-1].axle == len(axles.names) - 1:
            expected = "an axle without the actuator `rear_steering`"
            faults.add(ConfigError(values.file, values.path(f"axles.{axles.names[-1]}"), steered[-1].ratio, expected))
        if "front_steering" in actuators and kind.by_wire:
            expected = "no `front_steering`, which is a gear in the steering column"
            faults.add(ConfigError(values.file, "actuators.front_steering", values["type"], expected))


def steering_from_values(values: Values, steered: Sequence[SteeredAxle]) -> Record:
    """Return the records of STEERING, one for each steered axle; the first one also describes gear and column. Raises ConfigError."""
    kind = STEERING_KINDS.need(values["type"])
    p = record(STEERING, len(steered))
    out = p[0]
    with ErrorCollector() as faults:
        with faults.part():
            for n, one in enumerate(steered):
                _write_linkage(kind, values, p[n : n + 1], one)
        if 0.0 < out["max_rate"] < math.radians(MIN_RATE):
            faults.add(values.error("max_rate", "0 (immediate response), or at least {}", math.radians(MIN_RATE)))
        if not kind.by_wire:
            with faults.part():
                is_followed = kind.move is None or "column" in values
                if out["max_rate"] > 0.0 and values["input"] == FILTERED and is_followed:
                    out["natural_frequency"] = values.needed("natural_frequency", "a number in rad/s, because the input is filtered")
                elif "natural_frequency" in values:
                    needs = "" if kind.move is None else "a column, "
                    expected = f"no natural_frequency, which needs {needs}a largest rate above 0 and `input: filtered`"
                    raise values.error("natural_frequency", expected)
            out["direct"] = values["input"] != FILTERED
            with faults.part():
                write_column(values, p)
    return p


def _write_linkage(kind: SteeringKind, values: Values, p: Record, one: SteeredAxle) -> None:
    """Fill the rows of a STEERING record that a kind and an axle determine. Raises ConfigError."""
    out = p[0]
    out["corner"], out["ratio"], out["by_wire"] = one.corner, one.ratio, kind.by_wire
    out["place"] = 0 if kind.place is None else kind.place.address
    out["move"] = 0 if kind.move is None else kind.move.address
    if kind.write is not None:
        kind.write(values, p, one)
        return
    table = kind.own_parameters
    for row in table:
        if row[0] in values and not isinstance(values[row[0]], Values):
            write_value(own_record(p, table), row[0], values[row[0]])
    out["kind"] = CALLED
    for field in GEAR_FILE:
        out[field.name] = values[field.name]
    if one.tierod_inner is not None:
        out["tierod"] = one.tierod_inner


def held_wheels(tierod_inner: Vector | None) -> Record:
    """Return the record of STEERING of a trailer, whose first axle has these inner tie-rod joints (2, 3) in B, if any."""
    p = record(STEERING)
    out = p[0]
    out["kind"], out["rotation"], out["ratio"], out["gear_ratio"], out["direct"] = RACK, np.eye(3), 1.0, 1.0, 1
    if tierod_inner is not None:
        out["tierod"] = tierod_inner
    return p
