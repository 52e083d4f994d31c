"""Electric motors and their battery: what they can do, what they lose, and what the battery gives or gets.

A motor drives an axle through an open differential, or one of its wheels, by a gear that makes it `ratio` times as fast. With its torque t and
speed w = ratio x (mean) wheel speed

    |t| <= min(max_torque, max_power / |w|), falling to 0 from max_speed to a tenth above
    loss = copper t^2 + iron |w| + windage |w|^3 + constant                              [Larminie and Lowry 2012, Electric Vehicle Technology Explained, ch. 7]
    power of the battery P = sum of t w + loss

All torques are made smaller by one factor where P would be above what the battery gives or below what it takes. The battery is a voltage U behind a
resistance R: P = U I - R I^2, its store falls by U I. A torque follows its order with a first-order lag. What a controller asks for is a torque on
the wheels; between its turns the order holds.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Field, Fields, Number
from simulator.base.jit import inline
from simulator.base.records import Record, Table, dtype_of, labelled
from simulator.base.section import Section
from vehicles.axle_layout import AXLES, WHEELS, Axles, sized_for
from vehicles.corner_layout import axle_of, sides_of
from vehicles.drivetrain.measured_curves import LARGEST_INERTIA, LARGEST_SPEED, LARGEST_TORQUE, RPM

MOTORS = (
    # name                 shape  unit     what it is
    ("motors", (), "1", "number of axles that have motors; 0: an engine drives", "i8"),
    ("motors_on", (AXLES,), "1", "per axle, its motors: 0, 1 or as many as it has wheels", "i8"),
    ("motor_ratio", (AXLES,), "1", "speed of the motor over that of the wheel"),
    ("motor_torque_most", (AXLES,), "N m", "largest torque of one motor"),
    ("motor_power_most", (AXLES,), "W", "its largest power"),
    ("motor_speed_most", (AXLES,), "rad/s", "its largest speed"),
    ("rotor_inertia", (AXLES,), "kg m2", "of one rotor about its own axis"),
    ("copper_loss", (AXLES,), "W/(N m)2", "loss per square of the torque"),
    ("iron_loss", (AXLES,), "W s", "per speed"),
    ("windage_loss", (AXLES,), "W s3", "per cube of the speed"),
    ("constant_loss", (AXLES,), "W", "loss of inverter and motor at rest"),
    ("motor_time", (), "s", "time constant in which the torques follow their orders"),
    ("battery_capacity", (), "J", "energy of the full battery"),
    ("battery_charge", (), "1", "share of it that is there after a reset"),
    ("battery_voltage", (), "V", "voltage without load"),
    ("battery_resistance", (), "ohm", "inner resistance"),
    ("battery_max_discharge_power", (), "W", "largest power that it gives"),
    ("battery_max_charge_power", (), "W", "largest power that it takes"),
)
"""Rows of a DRIVETRAIN record."""

MOTOR_STATE = (
    # name                shape     unit     what it is
    ("motor_torque", (WHEELS,), "N m", "torque of the motors on the wheel, rotors not accelerating, + = forward"),
    ("motor_power", (), "W", "mechanical power of all motors, + = driving"),
    ("battery_power", (), "W", "power at the terminals of the battery, + = given"),
    ("battery_used", (), "J", "what the store has given since the reset"),
    ("battery_heat", (), "J", "of that what the inner resistance has turned to heat"),
    ("motor_heat", (), "J", "the same of motors and inverters"),
    ("motor_work", (), "J", "mechanical work of all motors since the reset"),
)
"""Rows of a DRIVETRAIN_STATE record; battery_used = battery_heat + motor_heat + motor_work."""

_TORQUE, _INERTIA = Number("N m", 0.0, LARGEST_TORQUE, above=0.0), Number("kg m2", 0.0, LARGEST_INERTIA)
DRIVES = ("axle", "wheel")
MOTOR_FILE: Fields = (
    Field("drives", Choice(DRIVES), "axle: one motor behind an open differential; wheel: one for each wheel", DRIVES[0]),
    Field("ratio", Number("1", 0.1, 100.0), "speed of the motor over that of the wheel"),
    Field("max_torque", _TORQUE, "largest torque of one motor"),
    Field("max_power", Number("W", 1.0, 1e7), "its largest power"),
    Field("max_speed", Number("rad/s", 1.0, 10.0 * LARGEST_SPEED * RPM), "its largest speed", written="rpm"),
    Field("inertia", _INERTIA, "of its rotor"),
    Field("copper_loss", Number("W/(N m)2", 0.0, 1e4), "loss per square of the torque"),
    Field("iron_loss", Number("W s", 0.0, 1e4), "per speed"),
    Field("windage_loss", Number("W s3", 0.0, 1.0), "per cube of the speed"),
    Field("constant_loss", Number("W", 0.0, 1e5), "of motor and inverter at rest"),
)
BATTERY_FILE: Fields = (
    Field("capacity", Number("J", 1.0, 1e12), "energy when it is full"),
    Field("charge", Number("1", 0.0, 1.0), "share of it at the start", 0.8),
    Field("voltage", Number("V", 1.0, 1e4), "without load"),
    Field("resistance", Number("ohm", 0.0, 100.0), "inner resistance"),
    Field("max_discharge_power", Number("W", 0.0, 1e7), "largest power that it gives"),
    Field("max_charge_power", Number("W", 0.0, 1e7), "largest power that it takes"),
)
ROUNDS = 40
"""Bisections of the factor that keeps the battery within its limits: 1e-12 of a torque."""
FADE = 0.1
"""Share of the largest speed within which the torque fades above it."""


@inline
def motor_limit(p, axle, speed):
    """Largest torque [N m] of one motor of an axle at its speed [rad/s]."""
    w, most = abs(speed), p[0]["motor_speed_most"][axle]
    limit = min(p[0]["motor_torque_most"][axle], p[0]["motor_power_most"][axle] / max(w, 1e-3))
    return limit * min(1.0, max(0.0, 1.0 - (w - most) / (FADE * most)))


@inline
def loss_of(p, axle, torque, speed):
    """Loss [W] of one motor with its inverter."""
    w = abs(speed)
    heat = p[0]["copper_loss"][axle] * torque * torque + p[0]["iron_loss"][axle] * w
    return heat + p[0]["windage_loss"][axle] * w * w * w + p[0]["constant_loss"][axle]


@inline
def electric_power(p, s, spin, share):
    """(electric, mechanical) power [W] of all motors with `share` of the torques on the wheels in s.motor_torque at the spins (wheels,)."""
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
            electric += torque * speed + loss_of(p, axle, torque, speed)
        elif count > 1:
            for i in range(first, end):
                torque, speed = share * s[0]["motor_torque"][i] / ratio, ratio * spin[i]
                mechanical += torque * speed
                electric += torque * speed + loss_of(p, axle, torque, speed)
    return electric, mechanical


@inline
def follow_orders(p, s, spin, orders, throttle_limit, h):
    """Torques on the wheels after h seconds, into s.motor_torque, within what the motors can do; orders : (wheels,) N m."""
    for axle in range(len(p[0]["motors_on"])):
        count, ratio = p[0]["motors_on"][axle], p[0]["motor_ratio"][axle]
        first, end = sides_of(p, axle)
        if count == 0:
            continue
        mean, speed = 0.0, 0.0
        for i in range(first, end):
            mean += orders[i] / (end - first)
            speed += spin[i] / (end - first)
        for i in range(first, end):
            order = mean if count == 1 else orders[i]
            turning = speed if count == 1 else spin[i]
            limit = ratio * motor_limit(p, axle, ratio * turning) / (end - first if count == 1 else 1)
            forward = throttle_limit * ratio * p[0]["motor_torque_most"][axle] / (end - first if count == 1 else 1)
            order = min(limit, max(-limit, order))
            if order * turning > 0.0:
                order = min(forward, max(-forward, order))
            torque = s[0]["motor_torque"][i] + (order - s[0]["motor_torque"][i]) * h / (p[0]["motor_time"] + h)
            s[0]["motor_torque"][i] = min(limit, max(-limit, torque))


@inline
def spare_battery(p, s, spin):
    """Make all torques smaller by one factor where the battery would give or take too much."""
    left = p[0]["battery_capacity"] * p[0]["battery_charge"] - s[0]["battery_used"]
    discharge = (
        min(p[0]["battery_max_discharge_power"], 0.249 * p[0]["battery_voltage"] ** 2 / max(p[0]["battery_resistance"], 1e-9))
        if left > 0.0
        else 0.0
    )
    charge = p[0]["battery_max_charge_power"] if left < p[0]["battery_capacity"] else 0.0
    power = electric_power(p, s, spin, 1.0)[0]
    if -charge <= power <= discharge:
        return
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        power = electric_power(p, s, spin, middle)[0]
        if -charge <= power <= discharge:
            low = middle
        else:
            high = middle
    for i in range(len(spin)):
        s[0]["motor_torque"][i] *= low


@inline
def book_energy(p, s, spin, h):
    """What battery and motors did in a step of h seconds, at the mean speeds (wheels,) of it."""
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
    """Speed of the fastest motor [rad/s]."""
    fastest = 0.0
    for i in range(len(spin)):
        axle = axle_of(p, i)
        if p[0]["motors_on"][axle] > 0:
            fastest = max(fastest, p[0]["motor_ratio"][axle] * abs(spin[i]))
    return fastest


def read_motors(s: Section, out: Record, axles: Axles) -> None:
    """Fill the rows of MOTORS in a DRIVETRAIN record from the sections `motors` and `battery`.

    Raises
    ------
    ConfigError : no motor, one on an axle that is not there
    """
    p = out[0]
    named = s.raw("motors")
    with ErrorCollector() as faults:
        if not named:
            faults.add(ConfigError(s.file, s.path("motors"), "nothing", f"a motor for at least one axle: {', '.join(axles.names)}"))
        for name, motor in named.items():
            if name not in axles.names:
                faults.add(ConfigError(s.file, s.path(f"motors.{name}"), name, f"an axle: {', '.join(axles.names)}"))
                continue
            n = axles.names.index(name)
            p["motors_on"][n] = 1 if motor["drives"] == DRIVES[0] else axles.sides[n]
            p["motor_ratio"][n], p["motor_torque_most"][n] = motor["ratio"], motor["max_torque"]
            p["motor_power_most"][n], p["motor_speed_most"][n] = motor["max_power"], motor["max_speed"]
            p["rotor_inertia"][n] = motor["inertia"]
            for loss in ("copper_loss", "iron_loss", "windage_loss", "constant_loss"):
                p[loss][n] = motor[loss]
    p["motors"], p["motor_time"] = int(np.count_nonzero(p["motors_on"])), s.number("response_time")
    battery = s.section("battery")
    for field in BATTERY_FILE:
        p[f"battery_{field.name}"] = battery.number(field.name)


def logged_motors(state: Record, axles: Axles) -> tuple[str, Table, Record]:
    """What a log may have of MOTOR_STATE: (prefix, table, record), a view of a DRIVETRAIN_STATE record."""
    table, fields = labelled(sized_for(MOTOR_STATE, axles.size), WHEELS.name, axles.corners), state.dtype.fields
    assert fields is not None
    dtype_of(table)
    formats = [("f8", tuple(map(int, row[1]))) for row in table]
    offsets = [fields[row[0]][1] for row in table]
    view = np.dtype({"names": [row[0] for row in table], "formats": formats, "offsets": offsets, "itemsize": state.itemsize})  # type: ignore[call-overload]
    return "", table, state.view(view)
