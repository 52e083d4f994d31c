"""An engine that dies below a speed and is started by a key; without this section it runs at any speed.

A dead engine has friction only, which up to a small creep also holds a parked car that is in gear. It runs again as soon as the starter, or the
car through the clutch, turns it fast enough.
"""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.section import Section, checked
from vehicles.drivetrain.engine import engine_torque
from vehicles.drivetrain.measured_curves import LARGEST_SPEED, LARGEST_TORQUE, RPM

DEAD_BAND = 0.5
"""rad/s. Speed at which the friction of a dead engine is all there. Larger: a car parked in gear creeps faster."""

STARTER = (
    # name               shape  unit      what it is
    ("stall_speed", (), "rad/s", "speed below which the engine dies; 0: never"),
    ("fire_speed", (), "rad/s", "speed above which it runs again"),
    ("dead_friction", (), "N m", "friction of the dead engine"),
    ("starter_torque", (), "N m", "torque of the starter on a standing engine"),
    ("starter_speed", (), "rad/s", "speed at which it gives none"),
)

_SPEED = Number("rad/s", 1.0, LARGEST_SPEED * RPM)
_TORQUE = Number("N m", 0.0, LARGEST_TORQUE)
STARTER_FILE = (
    Field("stall", _SPEED, "speed below which the engine dies", written="rpm"),
    Field("fire", _SPEED, "speed above which it runs again", written="rpm"),
    Field("friction", _TORQUE, "friction of the dead engine"),
    Field("torque", _TORQUE, "torque of the starter on the crankshaft while that stands; it falls to 0 at `speed`"),
    Field("speed", _SPEED, "speed at which the starter gives no torque", written="rpm"),
)
"""Of the section `starter` of a drivetrain file."""

STARTER_STATE = (
    # name               shape  unit  what it is
    ("running", (), "1", "0: the engine is dead", "i8"),
)


@inline
def run_or_die(p, s):
    """Whether the engine runs from now on."""
    if p[0]["stall_speed"] > 0.0:
        if s[0]["running"] == 0:
            s[0]["running"] = 1 if s[0]["engine_speed"] > p[0]["fire_speed"] else 0
        elif s[0]["engine_speed"] < p[0]["stall_speed"]:
            s[0]["running"] = 0


@inline
def crankshaft_torque(p, s, throttle, key):
    """(torque [N m], d torque / d speed) on the crankshaft: of the engine, or of its friction and the starter if the key is turned."""
    speed = s[0]["engine_speed"]
    if p[0]["stall_speed"] == 0.0 or s[0]["running"] != 0:
        return engine_torque(p, speed, throttle)
    x = speed / DEAD_BAND
    torque, slope = -p[0]["dead_friction"] * min(1.0, max(-1.0, x)), -p[0]["dead_friction"] / DEAD_BAND if abs(x) < 1.0 else 0.0
    if key and speed < p[0]["starter_speed"]:
        torque += p[0]["starter_torque"] * (1.0 - speed / p[0]["starter_speed"])
        slope -= p[0]["starter_torque"] / p[0]["starter_speed"]
    return torque, slope


def starter_from_section(s: Section) -> Record:
    """Record STARTER from the `starter` section of a drivetrain file, see STARTER_FILE.

    Raises
    ------
    ConfigError : a key is unknown or missing, a number is out of range, the engine fires below its stall speed, the starter does not turn the
        engine against its friction to the speed at which that fires
    """
    s = checked(STARTER_FILE, s.mapping, s.file, s.key)
    out = record(STARTER)
    for field, name in (("stall_speed", "stall"), ("fire_speed", "fire"), ("starter_speed", "speed")):
        out[0][field] = s.number(name)
    out[0]["dead_friction"], out[0]["starter_torque"] = s.number("friction"), s.number("torque")
    if out[0]["fire_speed"] < out[0]["stall_speed"]:
        raise s.wrong("fire", "at least {}, below which the engine dies", float(out[0]["stall_speed"]))
    least = float(out[0]["dead_friction"] / max(1e-9, 1.0 - out[0]["fire_speed"] / out[0]["starter_speed"]))
    if not 0.0 < least < out[0]["starter_torque"]:
        raise s.wrong("torque", "more than {} with a speed above `fire`: the starter must turn the engine until it fires", abs(least))
    return out
