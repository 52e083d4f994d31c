"""Contract of a kind of steering: the interface between the vehicle and the linkage that moves the inner tie-rod joints.

A steering has one coordinate, the angle of its gear (Pitman arm, pinion, actuator), positive where it turns the wheels to the right. A kind
has a linkage, which places the inner tie-rod joints of an axle over the angle, and may have its own motion of the angle; the default motion
is that of an arm with a largest rate (`vehicles.steering.steering.follow_input`). A vehicle may steer several axles: each has a linkage of
the same kind, whose angle is that of the gear times the ratio of the axle.

Linkage and motion of a third-party kind are `@callback` kernels (`simulator.base.callbacks`)

    kernel(parameters, state, seen, result, first, count, h)

with the addresses of a record of the kind's own `parameters`, one of its own `state`, and one each of STEERING_INPUT and STEERING_OUTPUT.

    place   reads `angle` and `tierod`, writes `Q`, `Q_1` and `Q_2`. Called for each steered axle and evaluation, at any angle up to full lock;
            `first` is the number of the steered axle from the front, `count` the number of its joints (2), h = 0. It does not write `state`.
    move    reads `angle`, `rate`, `target`, `speed`, writes `angle`, `rate` and `acceleration` after h seconds. Called once per step.

The state is zero after a reset of the vehicle. `Q`, `Q_1` and `Q_2` are zero before each call of `place`. In a drive, a number that is not
finite fixes the steering in its last position until the next reset.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.callbacks import CallbackKernel
from simulator.base.field_records import rows
from simulator.base.fields import Field, Fields, Number
from simulator.base.records import Record, Table, dtype_of, layout_hash
from simulator.base.values import Values
from vehicles.multibody.description.rigid_body import RigidBody

CONTRACT = 1
"""Version of the rules above and of the meaning of the columns below."""

FOUR_BAR, RACK, CALLED = range(3)
"""Linkages, `kind` of a STEERING record: a four-bar with a Pitman arm, a rack, the `place` of a third-party kind."""

MAX_PARAMETERS, MAX_STATE = 64, 32
"""Maximum numbers of values (8 bytes each) in the own parameters and in the own state of a kind."""

STEERING_INPUT = (
    # name       shape   unit   what it is
    ("angle", (), "rad", "angle of the gear; in `place`: of the linkage of this axle"),
    ("rate", (), "rad/s", "rate of the angle"),
    ("target", (), "rad", "angle of the gear that the driver commands"),
    ("speed", (), "m/s", "forward speed of the chassis"),
    ("tierod", (3, 2), "m", "inner tie-rod joints of this axle, left and right, at angle 0, in B"),
)

STEERING_OUTPUT = (
    # name           shape   unit     what it is
    ("Q", (3, 2), "m", "inner tie-rod joints left and right, in B"),
    ("Q_1", (3, 2), "m/rad", "derivative of Q by the angle of the linkage"),
    ("Q_2", (3, 2), "m/rad2", "second derivative"),
    ("angle", (), "rad", "angle of the gear after h seconds"),
    ("rate", (), "rad/s", "its rate"),
    ("acceleration", (), "rad/s2", "its mean acceleration"),
)

LAYOUT = layout_hash(STEERING_INPUT + STEERING_OUTPUT)
"""Layout hash of the tables that the kernels of a kind read and write."""

GEAR_FILE = (
    Field(
        "max_arm_angle",
        Number("rad", math.radians(0.1), math.radians(60.0), above=0.0),
        "angle of the gear (Pitman arm) at full steering input",
        written="deg",
    ),
    Field("gear_ratio", Number("1", 0.1, 1e3, above=0.0), "steering-wheel angle over that of the gear"),
    Field(
        "max_rate",
        Number("rad/s", 0.0, math.radians(1e4)),
        "largest rate of the gear; 0: immediate response",
        also={"max_rate_deg": "degps"},
        written="degps",
    ),
)
"""Keys of a Pitman arm and of every third-party kind."""


class SteeredAxle(NamedTuple):
    """An axle that the steering moves."""

    axle: int = 0
    corner: int = 0
    """Left corner; the right one follows."""
    ratio: float = 1.0
    """Angle of its linkage over that of the front axle."""
    tierod_inner: NDArray[np.float64] | None = None
    """(2, 3) inner tie-rod joints left and right, straight ahead, in B; None: the axle is not readable."""
    offset: NDArray[np.float64] | float = 0.0
    """Displacement (3,) of its linkage from that of the front axle, in B."""


Write = Callable[[Values, Record, SteeredAxle], None]
"""Called with the values of the section, a STEERING record and its axle. Fills the record; raises ConfigError."""


@dataclass(frozen=True)
class SteeringKind:
    """A kind of steering, named by the key `type` of the section `steering` of a vehicle file.

    Parameters
    ----------
    name : value of `type`
    fields : its keys; a kind without `write` has those of GEAR_FILE in addition, a kind that is not `by_wire` those of a steering column
    parameters : table of its own parameters; default: the rows of the numbers in `fields`, none for a kind with `write`. The parameters of a
        kind without `write` have the values of the keys of the same names
    state : table of its own state, which is logged with the prefix `steering_`
    place, move : its kernels; without `move` the gear follows the input within `max_rate`
    contract, layout : CONTRACT and LAYOUT for which the kernels were written
    by_wire : True if nothing connects the steering wheel with the wheels: no torque at the steering wheel
    write : fills the STEERING record of a kind with a shipped linkage, and its own parameters
    body : returns the body that slides with the joints, in the middle of its travel in B, or None; default: the linkage is massless
    meaning : one-line description
    """

    name: str
    fields: Fields
    parameters: Table | None = None
    state: Table = ()
    place: CallbackKernel | None = None
    move: CallbackKernel | None = None
    contract: int = 0
    layout: int = 0
    by_wire: bool = False
    write: Write | None = None
    body: Callable[[Values], RigidBody | None] | None = None
    meaning: str = ""

    @property
    def own_parameters(self) -> Table:
        """Table of the own parameters."""
        if self.parameters is not None:
            return self.parameters
        return () if self.write is not None else rows(tuple(field for field in self.fields if isinstance(field.kind, Number)))


def own_record(p: Record, table: Table) -> Record:
    """Return the own parameters of a kind in a STEERING record, or its own state in a STEERING_STATE record, as a view."""
    own = dtype_of(table)
    return np.asarray(p[0]["own"][: own.itemsize // 8].view(own))
