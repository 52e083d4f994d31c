"""Contract of a washout: the interface between the motion cueing, which all washouts share, and the algorithm that computes a pose.

All washouts share the input check, the procedure with its fade in and out, the soft limit near the ends of the stroke, and the limiter, which is the
final stage. A washout gets the motion at the driver's head and returns a pose of the platform relative to neutral.

`classical` is called directly in every tick. A plugin washout has its own parameters (section `cueing` of the file) and its own rate (`rate` [Hz] of
the file). There are two variants:

    kernel         law(parameters, state, seen, result, first, count, h), `@callback` of `simulator.base.callbacks`, called in the tick; the four
                   addresses are those of one record each: `parameters`, `state`, WASHOUT_INPUT and WASHOUT_OUTPUT; h is the period
    Python         `make` returns an object with `step(seen, h)` that returns six numbers. It runs in a background thread
                   (`simulator.base.plugin_thread`): the result for the input at the end of a period applies from the end of the next period

A kernel may have a *planner* (`planner`), which computes plans beside the ticks and writes them into the state of the kernel.

If poses come less often than ticks, a quadratic B-spline joins them (`washout.plugin`): the velocity has no steps, and the pose stays
between the requested poses, with a delay of one and a half periods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from simulator.base.callbacks import CallbackKernel
from simulator.base.fields import Fields
from simulator.base.records import Record, Table, layout_hash

CONTRACT = 1
"""Version of the interface described above and of the meaning of the columns below."""

PREVIEW_POINTS = 150
"""Maximum number of points of a preview."""

WASHOUT_INPUT = (
    # name           shape  unit   description
    ("f_H_B", (3,), "m/s2", "specific force at the driver's head, in B, mean over the period; (0, 0, +gravity) at rest"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B, mean over the period"),
    ("gravity", (), "m/s2", "acceleration of free fall of the vehicle's world"),
    ("begins", (), "1", "1 for a restart: the washout must reset its state to a level platform at rest", "i8"),
    ("pose", (6,), "m, rad", "presently commanded pose from neutral: x, y, z, roll, pitch, yaw"),
    ("rates", (6,), "m/s, rad/s", "rates of the commanded pose"),
    ("p_PH", (3,), "m", "position of the driver's head relative to the reference point of the platform, in P"),
    ("preview_count", (), "1", "number of valid points of the preview; 0 without a preview", "i8"),
    ("preview_step", (), "s", "time between two points of the preview; the first point is one step ahead"),
    ("preview_f", (PREVIEW_POINTS, 3), "m/s2", "predicted specific force at the driver's head, in B"),
    ("preview_w", (PREVIEW_POINTS, 3), "rad/s", "predicted angular velocity of the chassis, in B"),
    (
        "budget",
        (),
        "1",
        "factor of the workspace management in f_H_B and w_WB_B, which the preview does not contain; 1 within the capability of the legs",
    ),
    (
        "limited",
        (),
        "1",
        "0: the requested pose was commanded; 1, 2: the limiter modified the requested pose",
        "i8",
    ),
)

WASHOUT_OUTPUT = (
    # name     shape  unit   description
    ("pose", (6,), "m, rad", "requested pose of the platform from neutral: x, y, z, roll, pitch, yaw"),
)

LAYOUT = layout_hash(WASHOUT_INPUT + WASHOUT_OUTPUT)
"""Hash of the layout of the tables that a plugin washout reads and writes."""


@dataclass(frozen=True)
class WashoutContext:
    """Data for the construction of a washout."""

    platform: Record
    """HEXAPOD record (`washout.platform`)."""
    gravity: float
    """Acceleration of free fall of the vehicle's world [m/s2]."""
    period: float
    """Time between two steps of the washout [s]."""


class PythonWashout(Protocol):
    """A washout in Python."""

    def step(self, seen: Record, h: float) -> Sequence[float]:
        """Return the requested pose, as `pose` of WASHOUT_OUTPUT, after a period of h [s]; `seen` is a copy of the WASHOUT_INPUT record."""


class Planner(Protocol):
    """Planner of a kernel: computes plans beside the ticks, which never wait for it in real time, and writes them into the state of the kernel."""

    @property
    def trouble(self) -> str:
        """Reason why there are no more plans, in one line; empty while it works. The kernel then continues without plans."""

    def is_due(self) -> bool:
        """Return True if `serve` has something to do before the next tick."""

    def serve(self, seen: Record, wait: bool) -> None:
        """Take the finished plan and start the next one; `seen` is the WASHOUT_INPUT record with the present preview, `wait` as in `serve` of a washout."""

    def close(self) -> None:
        """End its thread. A second call has no effect."""


@dataclass(frozen=True)
class WashoutKind:
    """A registered washout algorithm."""

    name: str
    parameters: Fields
    """Keys of the section `cueing`, numbers."""
    contract: int
    layout: int
    """Values of CONTRACT and LAYOUT that the washout implements."""
    kernel: CallbackKernel | None = None
    """Kernel of a compiled washout."""
    state: Table = ()
    """State of the kernel between steps."""
    begin: Callable[[Record, Record, WashoutContext], None] | None = None
    """Function that fills the values derived from the parameters: called once with the parameter and the state record of a compiled washout."""
    make: Callable[[Record, WashoutContext], PythonWashout] | None = None
    """Function that creates the object of a washout in Python from its parameters."""
    rate: float = 0.0
    """Default rate in Hz; 0: every tick, for kernels only. A kernel with a planner runs in every tick, and its planner at this rate."""
    planner: Callable[[Record, Record, WashoutContext, int], Planner] | None = None
    """Function that creates the planner of a kernel from its parameter and state records, for a number of ticks between two plans."""
    logged: Table = ()
    """Columns of the state of the kernel that are logged."""
    meaning: str = ""
    """One line for the list of washouts."""
