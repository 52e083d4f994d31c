"""What a washout is: the contract between the motion cueing, which all washouts share, and the law that asks for a pose.

Shared are the check of the input, the procedure with its fade in and out, the drawing in at the ends of the stroke and the limiter, which has
the last word. A washout sees what the rider's head is to feel, and answers with a pose of the platform from neutral.

`classical` is called directly in every tick. A washout from outside has its own parameters (the section `cueing` of the file) and its own
rate (`rate` [Hz] of the file), and is one of two:

    a kernel       law(parameters, state, seen, result, first, count, h), `@outside` of `simulator.base.callbacks`, called in the tick; the four
                   addresses are those of one record each: of its `parameters`, of its `state`, of WASHOUT_INPUT and of WASHOUT_OUTPUT; h is its period
    Python         `make` gives an object with `step(seen, h)` that returns six numbers. It works beside the ticks (`simulator.base.plugin_thread`):
                   what it is asked at the end of a period counts from the end of the next one on

Poses that come less often than ticks are joined by a quadratic B-spline (`washout.plugin`): the velocity does not step, and the pose stays
between those that were asked for, one and a half periods behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from simulator.base.callbacks import CallbackKernel
from simulator.base.records import Ranges, Record, Table, layout_hash
from simulator.base.renamed_modules import old_names

CONTRACT = 1
"""Version of what stands above and of what the columns below mean."""

PREVIEW_POINTS = 50
"""The most points of a preview."""

WASHOUT_INPUT = (
    # name           shape  unit   what it is
    ("f_H_B", (3,), "m/s2", "specific force at the driver's head, in B, mean over the period; (0, 0, +gravity) at rest"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B, mean over the period"),
    ("gravity", (), "m/s2", "acceleration of free fall of the vehicle's world"),
    ("begins", (), "1", "1 when nothing before counts any more: the washout begins anew from a level platform that stands still", "i8"),
    ("pose", (6,), "m, rad", "x, y, z, roll, pitch, yaw that the platform is commanded now, from neutral"),
    ("rates", (6,), "m/s, rad/s", "their rates"),
    ("p_PH", (3,), "m", "driver's head from the platform's reference point, in P"),
    ("preview_count", (), "1", "points of the preview that are valid, from the first on; 0 when nobody foresees anything", "i8"),
    ("preview_step", (), "s", "time between two points; the first is one step ahead of now"),
    ("preview_f", (PREVIEW_POINTS, 3), "m/s2", "specific force at the driver's head to come, in B"),
    ("preview_w", (PREVIEW_POINTS, 3), "rad/s", "angular velocity of the chassis to come, in B"),
    (
        "limited",
        (),
        "1",
        "0 when the pose asked for was commanded; 1, 2: the limiter held it back, so what moves is not what was asked for",
        "i8",
    ),
)

WASHOUT_OUTPUT = (
    # name     shape  unit   what it is
    ("pose", (6,), "m, rad", "pose of the platform wanted, from neutral: x, y, z, roll, pitch, yaw"),
)

LAYOUT = layout_hash(WASHOUT_INPUT + WASHOUT_OUTPUT)
"""Of the tables that a washout from outside reads and writes."""


@dataclass(frozen=True)
class WashoutContext:
    """What a washout may know when it is made."""

    platform: Record
    """HEXAPOD record (`washout.platform`)."""
    gravity: float
    """Acceleration of free fall of the vehicle's world [m/s2]."""
    period: float
    """Time between two of its steps [s]."""


class PythonWashout(Protocol):
    """A washout in Python."""

    def step(self, seen: Record, h: float) -> Sequence[float]:
        """The pose wanted, as `pose` of WASHOUT_OUTPUT, after a period of h [s]; `seen` is a copy of the WASHOUT_INPUT record."""


@dataclass(frozen=True)
class WashoutKind:
    """A washout from outside, as it is registered."""

    name: str
    parameters: Table
    """Keys of the section `cueing`."""
    ranges: Ranges
    """Least and most of each."""
    contract: int
    layout: int
    """CONTRACT and LAYOUT it was written for."""
    kernel: CallbackKernel | None = None
    """The law, of a compiled washout."""
    state: Table = ()
    """What the kernel keeps from step to step."""
    begin: Callable[[Record, Record, WashoutContext], None] | None = None
    """Fills what follows from the parameters: called once with the PARAMETERS and the state record of a compiled washout."""
    make: Callable[[Record, WashoutContext], PythonWashout] | None = None
    """Makes the object, of a washout in Python, out of its parameters."""
    rate: float = 0.0
    """Hz. Usual rate; 0: every tick, which only a kernel can."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Of parameters that may be left out."""
    logged: Table = ()
    """Columns of the kernel's state that are worth a log."""
    meaning: str = ""
    """One line for a list of washouts."""


__getattr__ = old_names(__name__)
