"""Contract between the vehicle and a controller: a control unit that operates brakes, throttle, steering, dampers and motors.

A controller has its own parameters and name in the vehicle file (the list `controllers`), its own sensors with their noise, its own rate
and its own state. All controllers, shipped ones too, are a `@callback` kernel (`simulator.base.callbacks`),

    kernel(parameters, state, seen, result, first, count, h)

called once per period of h seconds. The first four arguments are the addresses of one record each: the parameters, the state,
CONTROLLER_INPUT and CONTROLLER_OUTPUT. `first` is 0. `count` is the number of wheels, in the order of the corners; the arrays over WHEELS
use the first `count` elements. The requests in CONTROLLER_OUTPUT apply until the next call. Before each call CONTROLLER_OUTPUT is reset to
neutral requests, the behavior of a vehicle without the controller, so a controller writes only the fields that it changes. If a vehicle has
several controllers, a valve takes the minimum inlet and the maximum outlet. The minimum of all limits and the maximum pressure apply;
angles and motor torques are summed, damping factors are multiplied. Requests to an actuator that the vehicle lacks have no effect.

The state is zero after a reset, and `begins` of CONTROLLER_INPUT is 1 in the first call after a reset. A controller that requests a
non-finite number is switched off until the next reset.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.base.callbacks import CallbackKernel
from simulator.base.fields import Fields
from simulator.base.records import Length, Table, dtype_of, layout_hash

CONTRACT = 2
"""Version of the rules above and of the meaning of the columns below."""

WHEELS = Length("wheels", 16)
"""Maximum number of wheels of a vehicle with controllers: the length of the arrays per wheel below, and in the state of a controller."""

NUMBERS = 256
"""Maximum number of values in the state of a controller."""

NO_LIMIT = 1e9
"""Pa. Larger than any pressure."""

CONTROLLER_INPUT = (
    # name                  shape      unit     what it is
    ("begins", (), "1", "1 in the first call after a reset, else 0", "i8"),
    ("axle", (WHEELS,), "1", "axle of the wheel, counted from the front", "i8"),
    ("side", (WHEELS,), "1", "1 left, -1 right, 0 in the middle", "i8"),
    ("wheel_speed", (WHEELS,), "rad/s", "speed of the wheel from its tooth sensor, never negative: the sensor measures no direction"),
    ("brake", (), "1", "brake pedal in [0, 1]"),
    ("throttle", (), "1", "accelerator pedal in [0, 1]"),
    ("selector", (), "1", "-1 reverse, 0 neutral, 1 drive", "i8"),
    ("steering_wheel_angle", (), "rad", "angle of the steering wheel, + = left"),
    ("yaw_rate", (), "rad/s", "measured angular velocity about the chassis z axis, + = left"),
    ("longitudinal_acceleration", (), "m/s2", "measured specific force along the chassis x axis, including weight on a slope"),
    ("lateral_acceleration", (), "m/s2", "measured specific force along the chassis y axis, + = left, including weight on a slope"),
    (
        "vertical_acceleration",
        (WHEELS,),
        "m/s2",
        "measured specific force along the chassis z axis at the chassis above the wheel, minus that of the vehicle at rest",
    ),
    ("shock_length", (WHEELS,), "m", "length of the shock absorber from its level sensor"),
    ("axle_pressure", (WHEELS,), "Pa", "pressure from the pedal before the valves of the wheel"),
    ("wheel_pressure", (WHEELS,), "Pa", "present pressure at the brake of the wheel"),
    ("motor_torque", (WHEELS,), "N m", "present torque of the motors on the wheel, from their inverters, + = forward"),
    (
        "drive_torque",
        (WHEELS,),
        "N m",
        "present torque of the drive on the wheel, as the control unit of the engine reports it, + = forward",
    ),
)

CONTROLLER_OUTPUT = (
    # name            shape      unit   what it is
    ("inlet", (WHEELS,), "1", "duty cycle of the inlet valve, which opens to the axle pressure; neutral: 1"),
    ("outlet", (WHEELS,), "1", "duty cycle of the outlet valve; neutral: 0"),
    ("pressure_limit", (WHEELS,), "Pa", "maximum pressure of the wheel; neutral: NO_LIMIT"),
    (
        "throttle_limit",
        (),
        "1",
        "maximum throttle of the engine, and maximum fraction of the driving torque of the motors; neutral: 1",
    ),
    ("pressure", (WHEELS,), "Pa", "pressure that the pump builds at the wheel where the pedal pressure is lower; neutral: 0"),
    ("front_angle", (), "rad", "angle added to that of the steering wheel, + = left; neutral: 0"),
    ("rear_angle", (), "rad", "angle of the wheels of the last axle, + = left; neutral: 0"),
    ("damping", (WHEELS,), "1", "force of the shock absorber over its uncontrolled force; neutral: 1"),
    ("motor_torque", (WHEELS,), "N m", "torque of the motors on the wheel, + = forward; neutral: 0"),
)

LAYOUT = layout_hash(CONTROLLER_INPUT + CONTROLLER_OUTPUT)
"""Layout hash of the tables that a controller reads and writes."""


@dataclass(frozen=True)
class ControllerKind:
    """A kind of controller, named by the key `type` in a vehicle file.

    Parameters
    ----------
    name : value of `type`
    parameters : table of the parameters in the file, numbers
    state : table of the state between calls; the log columns are `<name>_<row>`; arrays over WHEELS are logged by wheel
    kernel : control law
    contract, layout : CONTRACT and LAYOUT for which the kernel was written
    rate : default rate [Hz]
    meaning : one-line description
    """

    name: str
    parameters: Fields
    state: Table
    kernel: CallbackKernel
    contract: int
    layout: int
    rate: float = 100.0
    meaning: str = ""

    @property
    def numbers(self) -> int:
        """Number of values in the state."""
        return -(-dtype_of(self.state).itemsize // 8)
