"""Quantities that a trigger compares."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.base.fields import Either, Field, Fields, Number, Text
from simulator.driver.seen_vehicle import FIRST
from simulator.maneuvers.conditions import Quantity
from simulator.triggers.bodies import Body, gap, time_to_collision

if TYPE_CHECKING:
    from simulator.triggers.world_view import WorldView

MAX_POSITION = 1e5
"""m. Limit of a place."""

_NAME = Text("a name")
_OF = Field("of", _NAME, "vehicle or object that is observed; `first`: the vehicle of the session", FIRST)
_TO = Field("to", _NAME, "the other vehicle or object")
_TO_PLACE = Field(
    "to",
    Either((_NAME, Number("m", -MAX_POSITION, MAX_POSITION, shape=(2,))), "a name, or a place [m, m]"),
    "vehicle, object or place [ahead, left] relative to the start of the terrain",
)


class WorldQuantity(NamedTuple):
    """Quantity of a session."""

    unit: str
    meaning: str
    keys: Fields
    value: Callable[..., float]
    """Returns it for a `WorldView` and the values of the keys."""


def _time(world: WorldView) -> float:
    return world.t


def _collisions(world: WorldView) -> float:
    return float(len(world.collisions))


def _speed(world: WorldView, of: str) -> float:
    return _of_body(world, of, lambda body: body.speed)


def _position(axis: int, world: WorldView, of: str) -> float:
    return _of_body(world, of, lambda body: world.from_start(*body.place)[axis])


def _distance(world: WorldView, of: str, to: Any) -> float:
    place = _place(world, to)
    return math.nan if place is None else _of_body(world, of, lambda body: math.dist(body.place, place))


def _of_pair(function: Callable[[Body, Body], float], world: WorldView, of: str, to: str) -> float:
    other = world.body(to)
    return math.nan if other is None else _of_body(world, of, lambda body: function(body, other))


def _time_to_place(world: WorldView, of: str, to: Any) -> float:
    """Return the time until the front of a body reaches the cross line through a place at its present speed."""
    place = _place(world, to)
    if place is None:
        return math.nan
    return _of_body(world, of, lambda body: (body.inside(*place)[0] - body.half_length) / body.speed if body.speed > 0.0 else math.inf)


def _of_body(world: WorldView, name: str, function: Callable[[Body], float]) -> float:
    """Return a number of a body; NaN for an object that was removed, with which no condition is true."""
    body = world.body(name)
    return math.nan if body is None else function(body)


def _place(world: WorldView, to: Any) -> tuple[float, float] | None:
    if isinstance(to, np.ndarray):
        return world.in_world(float(to[0]), float(to[1]))
    body = world.body(to)
    return None if body is None else body.place


QUANTITIES: dict[str, WorldQuantity] = {
    "time": WorldQuantity("s", "simulated time", (), _time),
    "collisions": WorldQuantity("1", "number of collisions of the vehicle of the session so far", (), _collisions),
    "speed": WorldQuantity("m/s", "forward speed", (_OF,), _speed),
    "x": WorldQuantity("m", "position of the reference point ahead of the start of the terrain", (_OF,), partial(_position, 0)),
    "y": WorldQuantity("m", "position of the reference point to the left of the start of the terrain", (_OF,), partial(_position, 1)),
    "distance": WorldQuantity("m", "distance between two reference points, or from a place", (_OF, _TO_PLACE), _distance),
    "gap": WorldQuantity("m", "distance between two bodies seen from above", (_OF, _TO), partial(_of_pair, gap)),
    "time_to_collision": WorldQuantity(
        "s",
        "time until two bodies touch if both keep their velocities; infinite if they do not",
        (_OF, _TO),
        partial(_of_pair, time_to_collision),
    ),
    "time_to_place": WorldQuantity(
        "s", "time until the front reaches the cross line through a place at the present speed", (_OF, _TO_PLACE), _time_to_place
    ),
}
"""Quantities by the value of the key `when`."""


def measured(values: Mapping[str, Any]) -> Quantity:
    """Return the quantity that a condition with these keys compares."""
    quantity = QUANTITIES[str(values["when"])]
    given = {field.name: values[field.name] for field in quantity.keys}
    return Quantity(quantity.unit, quantity.meaning, partial(_call, quantity.value, given))


def _call(value: Callable[..., float], given: Mapping[str, Any], world: WorldView) -> float:
    return value(world, **given)
