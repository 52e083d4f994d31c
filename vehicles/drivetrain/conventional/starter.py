"""Starter of an engine that stalls below a speed; without the section `starter` the engine runs at any speed.

A stalled engine has friction only, which up to a small creep also holds a parked vehicle in gear. The engine runs again as soon as the
starter, or the vehicle through the clutch, turns it fast enough.
"""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.drivetrain.conventional.engine import engine_torque
from vehicles.drivetrain.measured_curves import MAX_SPEED, MAX_TORQUE, RPM

STALLED_BAND = 0.5
"""rad/s. Speed at which the friction of a stalled engine is fully developed. Larger: a vehicle parked in gear creeps faster."""

STARTER = (
    # name               shape  unit      what it is
    ("stall_speed", (), "rad/s", "speed below which the engine stalls; 0: never"),
    ("fire_speed", (), "rad/s", "speed above which a stalled engine runs again"),
    ("dead_friction", (), "N m", "friction of the stalled engine"),
    ("starter_torque", (), "N m", "torque of the starter on an engine at rest"),
    ("starter_speed", (), "rad/s", "speed at which the starter gives no torque"),
)

_SPEED = Number("rad/s", 1.0, MAX_SPEED * RPM)
_TORQUE = Number("N m", 0.0, MAX_TORQUE)
STARTER_FILE = (
    Field("stall", _SPEED, "speed below which the engine stalls", written="rpm"),
    Field("fire", _SPEED, "speed above which a stalled engine runs again", written="rpm"),
    Field("friction", _TORQUE, "friction of the stalled engine"),
    Field("torque", _TORQUE, "torque of the starter on a crankshaft at rest; it falls to 0 at `speed`"),
    Field("speed", _SPEED, "speed at which the starter gives no torque", written="rpm"),
)
"""Fields of the section `starter` of a drivetrain file."""

STARTER_STATE = (
    # name               shape  unit  what it is
    ("running", (), "1", "0: the engine is stalled, 1: it runs", "i8"),
)


@inline
def update_engine_running(p, s):
    """Update the running state of the engine: stalled below the stall speed, running again above the fire speed."""
    if p[0]["stall_speed"] > 0.0:
        if s[0]["running"] == 0:
            s[0]["running"] = 1 if s[0]["engine_speed"] > p[0]["fire_speed"] else 0
        elif s[0]["engine_speed"] < p[0]["stall_speed"]:
            s[0]["running"] = 0


@inline
def crankshaft_torque(p, s, throttle, key):
    """Return (torque [N m], d torque / d speed) on the crankshaft.

    The torque is that of the running engine, or of friction and, with the key turned, the starter.
    """
    speed = s[0]["engine_speed"]
    if p[0]["stall_speed"] == 0.0 or s[0]["running"] != 0:
        return engine_torque(p, speed, throttle)
    x = speed / STALLED_BAND
    torque, slope = -p[0]["dead_friction"] * min(1.0, max(-1.0, x)), -p[0]["dead_friction"] / STALLED_BAND if abs(x) < 1.0 else 0.0
    if key and speed < p[0]["starter_speed"]:
        torque += p[0]["starter_torque"] * (1.0 - speed / p[0]["starter_speed"])
        slope -= p[0]["starter_torque"] / p[0]["starter_speed"]
    return torque, slope


def starter_from_values(starter: Values) -> Record:
    """Return the record STARTER of the section `starter` (STARTER_FILE).

    Raises
    ------
    ConfigError : the engine fires below its stall speed, the starter cannot turn the engine against its friction to the fire speed
    """
    out = record(STARTER)
    for field, name in (("stall_speed", "stall"), ("fire_speed", "fire"), ("starter_speed", "speed")):
        out[0][field] = starter[name]
    out[0]["dead_friction"], out[0]["starter_torque"] = starter["friction"], starter["torque"]
    if starter["fire"] < starter["stall"]:
        raise starter.error("fire", "at least {}, the stall speed of the engine", starter["stall"])
    min_torque = starter["friction"] / max(1e-9, 1.0 - starter["fire"] / starter["speed"])
    if not 0.0 < min_torque < starter["torque"]:
        expected = "more than {} with a speed above `fire`, so that the starter can turn the engine until it fires"
        raise starter.error("torque", expected, abs(min_torque))
    return out
