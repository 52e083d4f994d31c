"""Contract between the vehicle and a kind of drivetrain: from the pedals to the torques at the wheels.

The key `type` of the section `drivetrain` of a drivetrain file selects the kind. Shipped kinds are part of the compiled step. The kind of a
plugin is a `@callback` kernel (`simulator.base.callbacks`)

    kernel(parameters, state, seen, result, first, count, h)

called once per step of h seconds, before the wheel spins are advanced. The first four arguments are the addresses of one record each: the
parameters, the state, DRIVETRAIN_INPUT and DRIVETRAIN_OUTPUT. `first` is 0. `count` is the number of wheels, in the order of the corners; the
arrays over WHEELS use the first `count` elements. DRIVETRAIN_OUTPUT is reset to neutral values before each call, those of a vehicle that
coasts, so a kind writes only the fields that it needs.

The torque of a wheel at its spin w at the end of the step is torque + slope (w - wheel_speed). The vehicle solves for the spins with the
brakes and the tires implicitly, so a stiff drivetrain is stable if it returns its slope. The reaction, minus this torque about the axle of the
wheel, acts on the wheel carrier for the fraction `carrier_share`. The rest acts on the chassis, or on the beam of a rigid axle that carries
its final drive.

The state is zero after a reset, and `begins` of DRIVETRAIN_INPUT is 1 in the first call after a reset. A kind that returns a number that is
not finite, although its input is finite, is switched off until the next reset.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from simulator.base.callbacks import CallbackKernel
from simulator.base.field_records import filled, rows
from simulator.base.fields import Fields
from simulator.base.records import Length, Record, Table, dtype_of, layout_hash
from simulator.base.values import Values
from vehicles.axle_layout import Axles

CONTRACT = 1
"""Version of the rules above and of the meaning of the columns below."""

CONVENTIONAL, ELECTRIC, CALLBACK = range(3)
"""Kinds inside the compiled step."""

WHEELS = Length("wheels", 16)
"""Maximum number of wheels of a vehicle with a drivetrain of a plugin: the length of the arrays per wheel below."""

MAX_STATE = 64
"""Maximum number of values in the state of a drivetrain of a plugin."""

DRIVETRAIN_INPUT = (
    # name              shape      unit     what it is
    ("begins", (), "1", "1 in the first call after a reset, else 0", "i8"),
    ("axle", (WHEELS,), "1", "axle of the wheel, counted from the front", "i8"),
    ("side", (WHEELS,), "1", "1 left, -1 right, 0 in the middle", "i8"),
    ("wheel_speed", (WHEELS,), "rad/s", "absolute speed of the wheel about its axle, + = rolling forward"),
    ("rolling_speed", (WHEELS,), "rad/s", "speed of the wheel if it rolled without slip"),
    ("motor_request", (WHEELS,), "N m", "sum of the requests `motor_torque` of the controllers, + = forward"),
    ("throttle", (), "1", "accelerator pedal in [0, 1], limited by the controllers"),
    ("brake", (), "1", "brake pedal in [0, 1]"),
    ("clutch", (), "1", "clutch pedal in [0, 1], 1 = pressed"),
    ("selector", (), "1", "-1 reverse, 0 neutral, 1 drive", "i8"),
    ("gear", (), "1", "requested forward gear, 0 = selected by the drivetrain", "i8"),
    ("low_range", (), "1", "1: low range requested", "i8"),
    ("center_lock", (), "1", "1: lock of the center differential requested", "i8"),
    ("starter", (), "1", "1: the ignition key is turned to start the engine", "i8"),
)

DRIVETRAIN_OUTPUT = (
    # name            shape      unit        what it is
    ("torque", (WHEELS,), "N m", "torque on the wheel at its speed in DRIVETRAIN_INPUT, + = forward; neutral: 0"),
    ("slope", (WHEELS,), "N m s/rad", "derivative of the torque with respect to the speed of its wheel, at most 0; neutral: 0"),
    ("inertia", (WHEELS,), "kg m2", "inertia that turns with the wheel, referred to the wheel; neutral: 0"),
    ("carrier_share", (WHEELS,), "1", "fraction of the reaction on the wheel carrier, such as 1 for a motor in the hub; neutral: 0"),
    ("reaction_x", (), "N m", "torque on the chassis about its x axis, as of a longitudinal engine that speeds up; neutral: 0"),
    ("engine_speed", (), "rad/s", "speed of the engine or of the fastest motor, for instruments, sound and log; neutral: 0"),
    ("engine_torque", (), "N m", "torque of the engine or of all motors, for instruments and log; neutral: 0"),
    ("gear", (), "1", "gear engaged, -1 reverse, 0 neutral; neutral: the selector", "i8"),
)

LAYOUT = layout_hash(DRIVETRAIN_INPUT + DRIVETRAIN_OUTPUT)
"""Layout hash of the tables that the kernel of a kind reads and writes."""


@dataclass(frozen=True)
class DrivetrainKind:
    """A kind of drivetrain, named by the key `type` of the section `drivetrain`.

    Parameters
    ----------
    name : value of `type`
    fields : keys of the section, or a function that returns them for the axles of a vehicle
    governed_speed : returns the speed [rad/s] above which the engine or the fastest motor gives no torque, from the record of `read`
    state : table of the logged state; for a plugin, of its whole state
    read : returns the record of the parameters from the values of the section, raises ConfigError; default: the rows of `fields`. For a
        shipped kind, the record is DRIVETRAIN
    kernel : drivetrain of a plugin; None for a shipped kind
    contract, layout : CONTRACT and LAYOUT for which the kernel was written
    meaning : one-line description
    """

    name: str
    fields: Fields | Callable[[Axles], Fields]
    governed_speed: Callable[[Record], float]
    state: Table = ()
    read: Callable[[Values, Axles], Record] | None = None
    kernel: CallbackKernel | None = None
    contract: int = 0
    layout: int = 0
    meaning: str = ""

    @property
    def numbers(self) -> int:
        """Number of values in the state."""
        return -(-dtype_of(self.state).itemsize // 8)

    def fields_for(self, axles: Axles) -> Fields:
        """Return the keys of the section of a vehicle with these axles."""
        return self.fields(axles) if callable(self.fields) else self.fields

    def parameters(self, values: Values, axles: Axles) -> Record:
        """Return the record of the parameters of a section. Raises ConfigError."""
        return filled(rows(self.fields_for(axles)), values) if self.read is None else self.read(values, axles)
