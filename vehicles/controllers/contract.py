"""What a controller is: the contract between the vehicle and a control unit that works its brakes, throttle, steering, dampers and motors.

A controller has its own parameters and name in the vehicle file (the list `controllers`), its own sensors with their noise, its own rate
and its own state. It is an `@outside` kernel (`simulator.base.callbacks`), the shipped ones too,

    law(parameters, state, seen, result, first, count, h)

called once per period of h seconds: the four addresses are those of one record each, of its `parameters`, of its `state`, of CONTROLLER_INPUT and of
CONTROLLER_OUTPUT; `first` is 0 and `count` the number of wheels, corner by corner, of which the arrays over WHEELS use the first. What it asks for in
CONTROLLER_OUTPUT holds until its next turn. Before each turn CONTROLLER_OUTPUT says what a vehicle without it would do (`nothing asked`), so a controller writes
what it wants to change. Of several controllers, a valve takes the least inlet and the greatest outlet, the least of all limits and the greatest
pressure count, angles and motor torques add up and factors of damping multiply. What the vehicle has no actuator for comes to nothing.

The state is zero after a reset, and `begins` of CONTROLLER_INPUT is 1 in the first turn after it. A controller that asks for a number that is not finite
is switched off until the next reset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.base.callbacks import CallbackKernel
from simulator.base.records import Length, Ranges, Table, dtype_of, layout_hash
from simulator.base.renamed_modules import old_names

CONTRACT = 2
"""Version of what stands above and of what the columns below mean."""

WHEELS = Length("wheels", 16)
"""The most wheels of a vehicle with controllers: the length of the arrays per wheel below, and in the state of a controller."""

NUMBERS = 256
"""The most numbers of a controller's state."""

NO_LIMIT = 1e9
"""Pa. Above every pressure."""

CONTROLLER_INPUT = (
    # name                  shape      unit     what it is
    ("begins", (), "1", "1 in the first turn after a reset, else 0", "i8"),
    ("axle", (WHEELS,), "1", "axle of the wheel, counted from the front", "i8"),
    ("side", (WHEELS,), "1", "1 left, -1 right, 0 in the middle", "i8"),
    ("wheel_speed", (WHEELS,), "rad/s", "speed of the wheel by its tooth sensor, never negative: a sensor knows no direction"),
    ("brake", (), "1", "brake pedal in [0, 1]"),
    ("throttle", (), "1", "accelerator pedal in [0, 1]"),
    ("selector", (), "1", "-1 reverse, 0 neutral, 1 drive", "i8"),
    ("steering_wheel_angle", (), "rad", "+ = left"),
    ("yaw_rate", (), "rad/s", "measured angular velocity about the chassis' z axis, + = left"),
    ("longitudinal_acceleration", (), "m/s2", "measured specific force along the chassis' x axis: on a slope the weight has a part in it"),
    ("lateral_acceleration", (), "m/s2", "the same along its y axis, + = left"),
    (
        "vertical_acceleration",
        (WHEELS,),
        "m/s2",
        "the same along its z axis at the chassis above the wheel, less that of the vehicle at rest",
    ),
    ("shock_length", (WHEELS,), "m", "length of the shock absorber by its level sensor"),
    ("axle_pressure", (WHEELS,), "Pa", "pressure that the pedal makes before the valves of the wheel"),
    ("motor_torque", (WHEELS,), "N m", "torque that the motors have on the wheel now, by their inverters, + = forward"),
)

CONTROLLER_OUTPUT = (
    # name            shape      unit   what it is
    ("inlet", (WHEELS,), "1", "share of the time in which the inlet valve is open to the pressure of the axle, 1 if nothing is asked"),
    ("outlet", (WHEELS,), "1", "share of the time in which the outlet valve is open, 0 if nothing is asked"),
    ("pressure_limit", (WHEELS,), "Pa", "the wheel's pressure is not to rise beyond it, NO_LIMIT if nothing is asked"),
    (
        "throttle_limit",
        (),
        "1",
        "throttle that the engine gets at most, share of their torque that motors drive with at most; 1 if nothing is asked",
    ),
    ("pressure", (WHEELS,), "Pa", "that the pump builds at the wheel where the pedal makes less, 0 if nothing is asked"),
    ("front_angle", (), "rad", "angle that is added to that of the steering wheel, + = left, 0 if nothing is asked"),
    ("rear_angle", (), "rad", "angle of the wheels of the last axle, + = left, 0 if nothing is asked"),
    ("damping", (WHEELS,), "1", "force of the shock absorber over what it has by itself, 1 if nothing is asked"),
    ("motor_torque", (WHEELS,), "N m", "of the motors on the wheel, + = forward, 0 if nothing is asked"),
)

LAYOUT = layout_hash(CONTROLLER_INPUT + CONTROLLER_OUTPUT)
"""Of the tables that a controller reads and writes."""


@dataclass(frozen=True)
class ControllerKind:
    """A controller, by the `type` that a vehicle file says.

    Parameters
    ----------
    name : that `type`
    parameters, ranges, defaults : table of its own numbers in the file, their ranges, and the values of those that may be left out
    state : table of what it keeps from turn to turn; the columns of the log are `<name>_<row>`; arrays over WHEELS are logged by wheel
    kernel : what decides
    contract, layout : CONTRACT and LAYOUT that the kernel was written for
    rate : Hz, usual
    meaning : what it is, in a line
    """

    name: str
    parameters: Table
    ranges: Ranges
    state: Table
    kernel: CallbackKernel
    contract: int
    layout: int
    rate: float = 100.0
    defaults: Mapping[str, Any] = field(default_factory=dict)
    meaning: str = ""

    @property
    def numbers(self) -> int:
        """How many numbers the state has."""
        return -(-dtype_of(self.state).itemsize // 8)


__getattr__ = old_names(__name__)
