"""The laws by which a driver steers along a path, by name: their numbers, and where their kernels are.

A law answers one look: from the vehicle as its driver knows it, how it moves, and the path, to the mean road-wheel angle that it wants.
Kernels are loaded when somebody drives; whoever only reads files does not need the compiler.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from simulator.base.fields import Field, Fields, Flag, Number, Variants
from simulator.base.records import Record, Table, record
from simulator.driver.internal_model import InternalModel

USUAL = "course_following"
"""The law of a driver of whom nothing is said."""
CALM = 0.7
"""1. Bandwidth times response time of a driver who fits his vehicle. Larger: he weaves with a vehicle that answers late."""
QUICKEST = 3.0
"""rad/s. Bandwidth of a driver of the quickest vehicle."""


@dataclass(frozen=True)
class Law:
    """A way to steer."""

    name: str
    fields: Fields
    """Its parameters; one without a default takes its value from the vehicle's traits."""
    kernel_place: str
    """Module and name of its kernel: `kernel(p, car, seen, line)` writes the road-wheel angle wanted, see `simulator.driver.steering.observation`."""
    meaning: str
    source: str
    """Where it comes from; [mem]: from memory, the text itself was not read."""
    of_traits: Callable[[InternalModel], Mapping[str, float]] = lambda _: {}
    """Values of parameters without a default."""

    @property
    def table(self) -> Table:
        """Of its parameters."""
        return tuple((field.name, (), field.unit, field.meaning) for field in self.fields)

    def parameters(self, said: Mapping[str, Any], traits: InternalModel) -> Record:
        """Its parameters: what is said, its defaults, and the rest from the traits."""
        p, fitting = record(self.table), self.of_traits(traits)
        for field in self.fields:
            value = said.get(field.name)
            value = field.default if value is None else value
            p[0][field.name] = fitting[field.name] if value is None else value
        return p

    def kernel(self) -> Callable:
        """Its kernel, loaded."""
        module, name = self.kernel_place.split(":")
        return getattr(import_module(module), name)


_CORRECTION = Field(
    "correction",
    Number("m/s2", 0.0, 20.0, above=0.0),
    "largest lateral acceleration spent on taking back an error, so that a driver far off the path returns without skidding",
    4.0,
)

HUMAN: Fields = (
    Field(
        "wheel_rate",
        Number("rad/s", math.radians(1.0), math.radians(10_000.0)),
        "largest rate of the steering wheel; people reach 800 to 1000 deg/s",
        math.radians(1000.0),
        written="degps",
    ),
    Field(
        "delay", Number("s", 0.0, 1.0), "from what the driver sees to what his hands do; of people 0.15 to 0.3 s [mem]", 0.0, written="s"
    ),
    Field("noise", Number("rad", 0.0, 1.0), "standard deviation of the steering wheel about what is meant", 0.0, written="deg"),
    Field("noise_time", Number("s", 0.01, 100.0), "over which that deviation forgets itself", 0.5, written="s"),
)
"""What the hands of any law can do. A law with neither delay nor noise steers like a machine."""

KNOWN: Fields = (
    Field(
        "turning_length",
        Number("m", 0.1, 50.0),
        "road-wheel angle over curvature of a slow turn; measured when left out",
        None,
        written="m",
    ),
    Field(
        "understeer",
        Number("rad s2/m", -0.01, 0.05),
        "road-wheel angle needed per lateral acceleration beyond that of a slow turn; measured when left out",
        None,
    ),
    Field("response", Number("s", 0.01, 2.0), "time the vehicle needs to answer the steering; measured when left out", None, written="s"),
)
"""What a driver believes of his vehicle instead of what a test drive tells."""

SHIFTS = Field("shifts", Flag(), "whether he chooses the gears himself, by the engine's speed, instead of the gearbox", False)


def _fitting(traits: InternalModel) -> dict[str, float]:
    """Preview and bandwidth of the usual law for a vehicle."""
    return {"preview": traits.response, "bandwidth": min(CALM / max(traits.response, 1e-3), QUICKEST)}


LAWS: dict[str, Law] = {
    law.name: law
    for law in (
        Law(
            USUAL,
            (
                Field(
                    "preview",
                    Number("s", 0.0, 2.0),
                    "how far ahead the driver judges his error; the time the vehicle needs to answer the steering when left out",
                    None,
                    written="s",
                ),
                Field(
                    "bandwidth",
                    Number("rad/s", 0.01, 20.0),
                    f"natural frequency with which an error is taken back; {CALM:g} over the response time when left out",
                    None,
                ),
                Field("damping", Number("1", 0.01, 5.0), "its damping ratio", 1.2),
                _CORRECTION,
            ),
            "simulator.driver.steering.course_following:course_following",
            "curvature of the path ahead, and damped feedback of the error there",
            "MacAdam 1981, Kapania and Gerdes 2015 [mem]",
            _fitting,
        ),
        Law(
            "macadam",
            (
                Field(
                    "preview", Number("s", 0.1, 5.0), "how far ahead the path counts; about 1.3 s in a lane change [mem]", 1.0, written="s"
                ),
                Field("points", Number("1", 2, 50, whole=True), "of the path that count", 10),
                Field(
                    "lag",
                    Number("s", 0.0, 0.5),
                    "for which the wheels stay as they are; about 0.2 s in a lane change [mem]",
                    0.1,
                    written="s",
                ),
                _CORRECTION,
            ),
            "simulator.driver.steering.macadam:macadam",
            "the steady steering that keeps a linear vehicle closest to the path ahead",
            "MacAdam 1981 [mem]",
        ),
        Law(
            "single_point",
            (Field("preview", Number("s", 0.1, 5.0), "how far ahead the point is", 0.7, written="s"), _CORRECTION),
            "simulator.driver.steering.single_point:single_point",
            "the arc to one point of the path ahead",
            "MacAdam 1981 [mem]",
        ),
        Law(
            "stanley",
            (
                Field("gain", Number("1/s", 0.01, 20.0), "with which a distance is taken back", 1.2),
                Field("softening", Number("m/s", 0.0, 20.0), "speed that is added to the vehicle's", 1.0, written="mps"),
                Field("damping", Number("s", 0.0, 1.0), "road-wheel angle per yaw rate that is missing", 0.0),
                _CORRECTION,
            ),
            "simulator.driver.steering.stanley:stanley",
            "heading of the path and distance from it at the front axle",
            "Hoffmann, Tomlin, Montemerlo and Thrun 2007 [mem]",
        ),
        Law(
            "pure_pursuit",
            (
                Field("distance", Number("m", 0.5, 100.0), "to the point, standing", 4.0, written="m"),
                Field("time", Number("s", 0.0, 5.0), "times the speed is the distance to the point, driving fast", 1.1, written="s"),
                _CORRECTION,
            ),
            "simulator.driver.steering.pure_pursuit:pure_pursuit",
            "the arc from the rear axle to a point of the path at a distance",
            "Coulter 1992 [mem]",
        ),
    )
}

STEERING = Variants("type", lambda name: LAWS[name].fields, tuple(LAWS), "law by which the driver steers", (*KNOWN, *HUMAN, SHIFTS), USUAL)
"""Of the section that says who steers along a path."""
