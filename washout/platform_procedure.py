"""Procedure of a motion platform, seen from outside of the kernels: rise, follow, park, fault."""

from __future__ import annotations

from simulator.base.records import Record
from washout.platform_state_machine import ENGAGED, STATE_NAMES

STOPPED = "stopped"
PLATFORM_STATES = (*STATE_NAMES, STOPPED)
"""States of a platform for users and logs: those of its procedure, and the stop of an operator, during which the procedure does not advance."""


class PlatformProcedure:
    """State machine of one platform; it acts in the next tick.

    Parameters
    ----------
    p, s : records with SETTINGS and PROCEDURE (`washout.platform_state_machine`)
    """

    def __init__(self, p: Record, s: Record) -> None:
        self._p, self._s = p[0], s[0]

    def arm(self) -> None:
        """Enable motion: the platform rises, and follows the simulation while it runs."""
        self._s["armed"] = 1

    def park(self) -> None:
        """Disable motion: the washout fades, the platform returns to neutral, moves down and switches off."""
        self._s["armed"] = 0

    def trip(self) -> None:
        """Report a fault: fade, park, and stay there until `acknowledge`."""
        self._s["tripped"] = 1

    def acknowledge(self) -> None:
        """Acknowledge a fault. The platform parks, if it has not, and may be armed again."""
        self._s["tripped"] = 0
        self._s["bad_time"] = 0.0

    @property
    def state(self) -> str:
        """One of off, parked, rise, neutral, blend, engaged, paused, park, fault."""
        return STATE_NAMES[self.state_number]

    @property
    def state_number(self) -> int:
        """Index of the state in STATE_NAMES, as in the stream."""
        return int(self._s["state"])

    @property
    def rises(self) -> bool:
        """True if the platform is armed and rising, but does not follow the simulation yet."""
        s = self._s
        return bool(s["armed"] == 1 and s["tripped"] == 0 and s["state"] != ENGAGED)

    @property
    def rise_time(self) -> float:
        """Upper bound of the time for the rise [s]: twice the nominal time."""
        p = self._p
        return 2.0 * float(p["healthy"] + p["rise"] + p["blend"])
