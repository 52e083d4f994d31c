"""Steering controllers of a driver by name: parameters and kernels.

A controller computes the mean road-wheel angle from the internal model of the vehicle, its present motion and the path.
Kernels are imported when a drive starts, so that reading files does not need the compiler.
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

DEFAULT = "course_following"
"""Default steering controller."""
BANDWIDTH_FACTOR = 0.7
"""1. Bandwidth times response time, for the default bandwidth. Larger: the driver weaves with a vehicle of slow response."""
MAX_BANDWIDTH = 3.0
"""rad/s. Maximum default bandwidth."""


@dataclass(frozen=True)
class Law:
    """Steering controller as registered in LAWS."""

    name: str
    fields: Fields
    """Parameters; one without a default takes its value from the vehicle's traits."""
    kernel_place: str
    """Module and name of the kernel: `kernel(p, car, seen, line)` writes the requested road-wheel angle to `seen`."""
    meaning: str
    source: str
    """Reference; [mem]: from memory, the text itself was not read."""
    of_traits: Callable[[InternalModel], Mapping[str, float]] = lambda _: {}
    """Computes the values of parameters without a default."""

    @property
    def table(self) -> Table:
        """Record table of the parameters."""
        return tuple((field.name, (), field.unit, field.meaning) for field in self.fields)

    def parameters(self, given_values: Mapping[str, Any], traits: InternalModel) -> Record:
        """Return the parameters: the given values, then defaults, then values from the traits."""
        p, from_traits = record(self.table), self.of_traits(traits)
        for field in self.fields:
            value = given_values.get(field.name)
            value = field.default if value is None else value
            p[0][field.name] = from_traits[field.name] if value is None else value
        return p

    def kernel(self) -> Callable:
        """Import and return the kernel."""
        module, name = self.kernel_place.split(":")
        return getattr(import_module(module), name)


_CORRECTION = Field(
    "correction",
    Number("m/s2", 0.0, 20.0, above=0.0),
    "maximum lateral acceleration for the correction of an error; limits the return from far off the path",
    4.0,
)

HUMAN: Fields = (
    Field(
        "wheel_rate",
        Number("rad/s", math.radians(1.0), math.radians(10_000.0)),
        "maximum rate of the steering wheel; humans reach 800 to 1000 deg/s",
        math.radians(1000.0),
        written="degps",
    ),
    Field("delay", Number("s", 0.0, 1.0), "delay from observation to steering input; 0.15 to 0.3 s for humans [mem]", 0.0, written="s"),
    Field("noise", Number("rad", 0.0, 1.0), "standard deviation of the steering wheel about the requested angle", 0.0, written="deg"),
    Field("noise_time", Number("s", 0.01, 100.0), "correlation time of the noise", 0.5, written="s"),
)
"""Limits of the hands, for every controller. Without delay and noise the driver steers like a machine."""

KNOWN: Fields = (
    Field(
        "turning_length",
        Number("m", 0.1, 50.0),
        "road-wheel angle divided by curvature in a slow turn (default: identified)",
        None,
        written="m",
    ),
    Field(
        "understeer",
        Number("rad s2/m", -0.01, 0.05),
        "additional road-wheel angle per lateral acceleration, relative to a slow turn (default: identified)",
        None,
    ),
    Field("response", Number("s", 0.01, 2.0), "response time of the vehicle to steering (default: identified)", None, written="s"),
)
"""Traits of the internal model that replace those identified."""

SHIFTS = Field("shifts", Flag(), "true: the driver selects the gears by engine speed, instead of the gearbox", False)


def _default_preview(traits: InternalModel) -> dict[str, float]:
    """Return default preview and bandwidth of the default controller for a vehicle."""
    return {"preview": traits.response, "bandwidth": min(BANDWIDTH_FACTOR / max(traits.response, 1e-3), MAX_BANDWIDTH)}


LAWS: dict[str, Law] = {
    law.name: law
    for law in (
        Law(
            DEFAULT,
            (
                Field(
                    "preview",
                    Number("s", 0.0, 2.0),
                    "preview time of the error (default: response time of the vehicle)",
                    None,
                    written="s",
                ),
                Field(
                    "bandwidth",
                    Number("rad/s", 0.01, 20.0),
                    f"natural frequency of the error correction (default: {BANDWIDTH_FACTOR:g} divided by the response time)",
                    None,
                ),
                Field("damping", Number("1", 0.01, 5.0), "damping ratio of the error correction", 1.2),
                _CORRECTION,
            ),
            "simulator.driver.steering.course_following:course_following",
            "curvature of the path ahead, and damped feedback of the error there",
            "MacAdam 1981, Kapania and Gerdes 2015 [mem]",
            _default_preview,
        ),
        Law(
            "macadam",
            (
                Field("preview", Number("s", 0.1, 5.0), "preview time; about 1.3 s in a lane change [mem]", 1.0, written="s"),
                Field("points", Number("1", 2, 50, whole=True), "number of preview points", 10),
                Field(
                    "lag",
                    Number("s", 0.0, 0.5),
                    "time for which the road wheels keep their angle; about 0.2 s in a lane change [mem]",
                    0.1,
                    written="s",
                ),
                _CORRECTION,
            ),
            "simulator.driver.steering.macadam:macadam",
            "optimal preview: constant steering that keeps a linear vehicle closest to the path ahead",
            "MacAdam 1981 [mem]",
        ),
        Law(
            "single_point",
            (Field("preview", Number("s", 0.1, 5.0), "preview time of the point", 0.7, written="s"), _CORRECTION),
            "simulator.driver.steering.single_point:single_point",
            "arc to one point of the path ahead",
            "MacAdam 1981 [mem]",
        ),
        Law(
            "stanley",
            (
                Field("gain", Number("1/s", 0.01, 20.0), "gain of the lateral distance", 1.2),
                Field("softening", Number("m/s", 0.0, 20.0), "speed added to the vehicle's speed, for low speeds", 1.0, written="mps"),
                Field("damping", Number("s", 0.0, 1.0), "road-wheel angle per yaw rate error", 0.0),
                _CORRECTION,
            ),
            "simulator.driver.steering.stanley:stanley",
            "heading of the path and distance from it at the front axle",
            "Hoffmann, Tomlin, Montemerlo and Thrun 2007 [mem]",
        ),
        Law(
            "pure_pursuit",
            (
                Field("distance", Number("m", 0.5, 100.0), "distance to the point at rest", 4.0, written="m"),
                Field(
                    "time", Number("s", 0.0, 5.0), "preview time at high speed: distance to the point divided by speed", 1.1, written="s"
                ),
                _CORRECTION,
            ),
            "simulator.driver.steering.pure_pursuit:pure_pursuit",
            "arc from the rear axle to a point of the path at a distance",
            "Coulter 1992 [mem]",
        ),
    )
}

STEERING = Variants(
    "type", lambda name: LAWS[name].fields, tuple(LAWS), "steering controller of the driver", (*KNOWN, *HUMAN, SHIFTS), DEFAULT
)
"""Field type of the section that describes a driver along a path."""
