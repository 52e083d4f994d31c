"""Registry of faults, by the `type` of an entry of `faults`, and the keys of an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.fields import Either, Field, Fields, ListOf, Number, Text, Variants
from simulator.base.registry import Registry

if TYPE_CHECKING:
    from simulator.faults.contract import FaultKind

MAX_TIME = 86400.0
"""s. Latest start and end of a fault."""
SHORTEST_RAMP = 0.05
"""s. Shortest ramp: five changes of the parameters. Larger: sudden faults are slower. Smaller: the energy of a spring jumps."""

FAULT_KINDS: Registry[FaultKind] = Registry(
    "fault",
    "jounce.faults",
    {
        "puncture": "simulator.faults.puncture:KIND",
        "engine_stop": "simulator.faults.engine_stop:KIND",
        "stuck_throttle": "simulator.faults.stuck_throttle:KIND",
        "brake_circuit_loss": "simulator.faults.brakes:CIRCUIT_LOSS",
        "brake_fade": "simulator.faults.brakes:FADE",
        "steering_assist_loss": "simulator.faults.steering_assist_loss:KIND",
        "broken_damper": "simulator.faults.suspension:DAMPER",
        "broken_spring": "simulator.faults.suspension:BROKEN_SPRING",
        "anti_roll_bar_link": "simulator.faults.suspension:LINK",
        "ice_patch": "simulator.faults.ice_patch:KIND",
        "gust": "simulator.faults.gust:KIND",
        "sensor_loss": "simulator.faults.sensor_loss:KIND",
        "packet_loss": "simulator.faults.packets:LOSS",
        "packet_delay": "simulator.faults.packets:DELAY",
    },
    contract="simulator.faults.contract",
)


def fault_fields(name: str) -> Fields:
    """Return the own keys of a kind of fault. Raises JounceError when it cannot be loaded."""
    return FAULT_KINDS.need(name).parameters


_NAME = Text("a name of letters, digits and underscores", pattern=r"^[A-Za-z][A-Za-z0-9_]*\Z")
_TIME = Number("s", 0.0, MAX_TIME)
_COMMON = (
    Field("name", _NAME, "column `fault_NAME` of the log; default: type and subject", None),
    Field(
        "phase",
        Text("the name of a phase"),
        "phase of the maneuver from whose begin the times count; default: the begin of the drive",
        None,
    ),
    Field("start", _TIME, "simulated time at which the fault begins", 0.0, written="s"),
    Field(
        "ramp",
        Number("s", SHORTEST_RAMP, MAX_TIME),
        "time in which the fault becomes complete, and in which it ends; default: that of the type",
        None,
        written="s",
    ),
    Field("end", _TIME, "simulated time from which on the fault disappears; default: never", None, written="s"),
)
FAULT_FILE = Variants("type", fault_fields, FAULT_KINDS.names, "kind of fault", _COMMON, noun="a fault:")
"""Keys of an entry of `faults`."""
FAULTS = Field(
    "faults",
    ListOf(Either((FAULT_FILE.choice(), FAULT_FILE))),
    "faults during the drive, each a name, or a mapping of `type`, `start`, `ramp`, `end`, `name` and its own keys",
    (),
)
"""Field of a maneuver file and of a session file."""
register = FAULT_KINDS.add
"""Register a kind of fault."""
