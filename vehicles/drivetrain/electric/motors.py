"""Electric motors and their battery: torque limits, losses, and battery power.

A motor drives an axle through an open differential, or one of its wheels, with a gear ratio `ratio` (motor speed over wheel speed). With
its torque t and speed w = ratio x (mean) wheel speed

    |t| <= min(max_torque, max_power / |w|), falling to 0 from max_speed to a tenth above
    loss = copper t^2 + iron |w| + windage |w|^3 + constant
    power of the battery P = sum of t w + loss

[Larminie and Lowry 2012, Electric Vehicle Technology Explained, ch. 7]. If P exceeds the discharge or charge limit of the battery, one
common factor reduces all torques. The battery is a voltage U behind a resistance R: P = U I - R I^2; the stored energy falls by U I.
Each torque follows its command with a first-order lag. The command of a controller is a torque on the wheels; the command is constant
between two updates of the controller.
"""

from __future__ import annotations

import math

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Field, Fields, Number
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.axle_layout import AXLES, WHEELS, Axles
from vehicles.corner_layout import axle_of, sides_of
from vehicles.drivetrain.measured_curves import MAX_INERTIA, MAX_SPEED, MAX_TORQUE, RPM

MOTORS = (
    # name                 shape  unit     what it is
    ("motors_on", (AXLES,), "1", "per axle, number of motors: 0, 1 or the number of wheels", "i8"),
    ("motor_ratio", (AXLES,), "1", "speed of the motor over that of the wheel"),
    ("motor_torque_most", (AXLES,), "N m", "largest torque of one motor"),
    ("motor_power_most", (AXLES,), "W", "largest power of one motor"),
    ("motor_speed_most", (AXLES,), "rad/s", "largest speed of one motor"),
    ("rotor_inertia", (AXLES,), "kg m2", "inertia of one rotor about its axis"),
    ("copper_loss", (AXLES,), "W/(N m)2", "loss per square of the motor torque"),
    ("iron_loss", (AXLES,), "W s", "loss per motor speed"),
    ("windage_loss", (AXLES,), "W s3", "loss per cube of the motor speed"),
    ("constant_loss", (AXLES,), "W", "loss of inverter and motor at rest"),
    ("motor_time", (), "s", "time constant of the motor torques"),
    ("battery_capacity", (), "J", "energy of the full battery"),
    ("battery_charge", (), "1", "charged fraction of the capacity after a reset"),
    ("battery_voltage", (), "V", "voltage without load"),
    ("battery_resistance", (), "ohm", "internal resistance"),
    ("battery_max_discharge_power", (), "W", "largest discharge power"),
    ("battery_max_charge_power", (), "W", "largest charge power"),
)
"""Rows of a DRIVETRAIN record."""

MOTOR_STATE = (
    # name                shape     unit     what it is
    ("motor_torque", (WHEELS,), "N m", "torque of the motors on the wheel without rotor acceleration, + = forward"),
    ("motor_power", (), "W", "mechanical power of all motors, + = driving"),
    ("battery_power", (), "W", "power at the terminals of the battery, + = discharge"),
    ("battery_used", (), "J", "energy taken from the store since the reset"),
    ("battery_heat", (), "J", "heat in the internal resistance of the battery since the reset"),
    ("motor_heat", (), "J", "heat in motors and inverters since the reset"),
    ("motor_work", (), "J", "mechanical work of all motors since the reset"),
)
"""Rows of a DRIVETRAIN_STATE record; battery_used = battery_heat + motor_heat + motor_work."""

_TORQUE, _INERTIA = Number("N m", 0.0, MAX_TORQUE, above=0.0), Number("kg m2", 0.0, MAX_INERTIA)
DRIVES = ("axle", "wheel")
MOTOR_FILE: Fields = (
    Field("drives", Choice(DRIVES), "axle: one motor with an open differential; wheel: one motor per wheel", DRIVES[0]),
    Field("ratio", Number("1", 0.1, 100.0), "speed of the motor over that of the wheel"),
    Field("max_torque", _TORQUE, "largest torque of one motor"),
    Field("max_power", Number("W", 1.0, 1e7), "largest power of one motor"),
    Field("max_speed", Number("rad/s", 1.0, 10.0 * MAX_SPEED * RPM), "largest speed of one motor", written="rpm"),
    Field("inertia", _INERTIA, "inertia of the rotor"),
    Field("copper_loss", Number("W/(N m)2", 0.0, 1e4), "loss per square of the motor torque"),
    Field("iron_loss", Number("W s", 0.0, 1e4), "loss per motor speed"),
    Field("windage_loss", Number("W s3", 0.0, 1.0), "loss per cube of the motor speed"),
    Field("constant_loss", Number("W", 0.0, 1e5), "loss of motor and inverter at rest"),
)
BATTERY_FILE: Fields = (
    Field("capacity", Number("J", 1.0, 1e12), "energy of the full battery"),
    Field("charge", Number("1", 0.0, 1.0), "charged fraction of the capacity at the start", 0.8),
    Field("voltage", Number("V", 1.0, 1e4), "voltage without load"),
    Field("resistance", Number("ohm", 0.0, 100.0), "internal resistance"),
    Field("max_discharge_power", Number("W", 0.0, 1e7), "largest discharge power"),
    Field("max_charge_power", Number("W", 0.0, 1e7), "largest charge power"),
)
MOTOR_ROWS = {
    "motor_ratio": "ratio",
    "motor_torque_most": "max_torque",
    "motor_power_most": "max_power",
    "motor_speed_most": "max_speed",
    "rotor_inertia": "inertia",
    **{name: name for name in ("copper_loss", "iron_loss", "windage_loss", "constant_loss")},
}
"""Keys of a motor by their rows of MOTORS."""
MAX_ITERATIONS = 40
"""Number of bisections of the torque factor that keeps the battery within its limits: resolution 1e-12 of a torque."""
FADE = 0.1
"""Speed range in which the torque fades above the largest speed, as a fraction of that speed."""


@inline
def motor_limit(p, axle, speed):
    """Return the largest torque [N m] of one motor of an axle at its speed [rad/s]."""
    w, max_speed = abs(speed), p[0]["motor_speed_most"][axle]
    limit = min(p[0]["motor_torque_most"][axle], p[0]["motor_power_most"][axle] / max(w, 1e-3))
    return limit * min(1.0, max(0.0, 1.0 - (w - max_speed) / (FADE * max_speed)))


@inline
def motor_loss(p, axle, torque, speed):
    """Return the loss [W] of one motor with its inverter."""
    w = abs(speed)
    heat = p[0]["copper_loss"][axle] * torque * torque + p[0]["iron_loss"][axle] * w
    return heat + p[0]["windage_loss"][axle] * w * w * w + p[0]["constant_loss"][axle]


@inline
def electric_power(p, s, spin, share):
    """Return the (electric, mechanical) power [W] of all motors at the wheel spins (wheels,).

    share : fraction of s.motor_torque
    """
    electric, mechanical = 0.0, 0.0
    for axle in range(len(p[0]["motors_on"])):
        count, ratio = p[0]["motors_on"][axle], p[0]["motor_ratio"][axle]
        first, end = sides_of(p, axle)
        if count == 1:
            torque, speed = 0.0, 0.0
            for i in range(first, end):
                torque += share * s[0]["motor_torque"][i] / ratio
                speed += ratio * spin[i] / (end - first)
            mechanical += torque * speed
            electric += torque * speed + motor_loss(p, axle, torque, speed)
        elif count > 1:
            for i in range(first, end):
                torque, speed = share * s[0]["motor_torque"][i] / ratio, ratio * spin[i]
                mechanical += torque * speed
                electric += torque * speed + motor_loss(p, axle, torque, speed)
    return electric, mechanical


@inline
def apply_torque_commands(p, s, spin, commands, throttle_limit, h):
    """Advance s.motor_torque, the torques on the wheels, by h seconds toward the commands within the motor limits.

    commands : (wheels,) N m
    """
    for axle in range(len(p[0]["motors_on"])):
        count, ratio = p[0]["motors_on"][axle], p[0]["motor_ratio"][axle]
        first, end = sides_of(p, axle)
        if count == 0:
            continue
        mean, speed = 0.0, 0.0
        for i in range(first, end):
            mean += commands[i] / (end - first)
            speed += spin[i] / (end - first)
        for i in range(first, end):
            command = mean if count == 1 else commands[i]
            wheel_speed = speed if count == 1 else spin[i]
            limit = ratio * motor_limit(p, axle, ratio * wheel_speed) / (end - first if count == 1 else 1)
            forward = throttle_limit * ratio * p[0]["motor_torque_most"][axle] / (end - first if count == 1 else 1)
            command = min(limit, max(-limit, command))
            if command * wheel_speed > 0.0:
                command = min(forward, max(-forward, command))
            torque = s[0]["motor_torque"][i] + (command - s[0]["motor_torque"][i]) * h / (p[0]["motor_time"] + h)
            s[0]["motor_torque"][i] = min(limit, max(-limit, torque))


@inline
def limit_battery_power(p, s, spin):
    """Reduce all torques by one common factor where the battery power would exceed its limits."""
    left = p[0]["battery_capacity"] * p[0]["battery_charge"] - s[0]["battery_used"]
    max_discharge = (
        min(p[0]["battery_max_discharge_power"], 0.249 * p[0]["battery_voltage"] ** 2 / max(p[0]["battery_resistance"], 1e-9))
        if left > 0.0
        else 0.0
    )
    max_charge = p[0]["battery_max_charge_power"] if left < p[0]["battery_capacity"] else 0.0
    power = electric_power(p, s, spin, 1.0)[0]
    if -max_charge <= power <= max_discharge:
        return
    low, high = 0.0, 1.0
    for _ in range(MAX_ITERATIONS):
        middle = 0.5 * (low + high)
        power = electric_power(p, s, spin, middle)[0]
        if -max_charge <= power <= max_discharge:
            low = middle
        else:
            high = middle
    for i in range(len(spin)):
        s[0]["motor_torque"][i] *= low


@inline
def integrate_energy(p, s, spin, h):
    """Integrate the energies of battery and motors over a step of h seconds at the mean wheel speeds `spin` (wheels,)."""
    electric, mechanical = electric_power(p, s, spin, 1.0)
    U, R = p[0]["battery_voltage"], p[0]["battery_resistance"]
    current = electric / U
    if R > 0.0:
        current = (U - math.sqrt(max(0.0, U * U - 4.0 * R * electric))) / (2.0 * R)
    s[0]["motor_power"], s[0]["battery_power"] = mechanical, electric
    s[0]["battery_used"] += h * U * current
    s[0]["battery_heat"] += h * (U * current - electric)
    s[0]["motor_heat"] += h * (electric - mechanical)
    s[0]["motor_work"] += h * mechanical


@inline
def fastest_motor(p, spin):
    """Return the speed of the fastest motor [rad/s]."""
    fastest = 0.0
    for i in range(len(spin)):
        axle = axle_of(p, i)
        if p[0]["motors_on"][axle] > 0:
            fastest = max(fastest, p[0]["motor_ratio"][axle] * abs(spin[i]))
    return fastest


def set_motors(values: Values, out: Record, axles: Axles) -> None:
    """Fill the rows of MOTORS in a DRIVETRAIN record from the sections `motors` and `battery`. Raises ConfigError for an unknown axle."""
    p, motors = out[0], values["motors"]
    with ErrorCollector() as faults:
        for name, motor in motors.items():
            if name not in axles.names:
                faults.add(ConfigError(motors.file, motors.path(name), name, f"one of the axles {', '.join(axles.names)}"))
                continue
            n = axles.names.index(name)
            p["motors_on"][n] = 1 if motor["drives"] == DRIVES[0] else axles.sides[n]
            for row, key in MOTOR_ROWS.items():
                p[row][n] = motor[key]
    p["motor_time"] = values["response_time"]
    for field in BATTERY_FILE:
        p[f"battery_{field.name}"] = values["battery"][field.name]
