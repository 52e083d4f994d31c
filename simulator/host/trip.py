"""Distance and top speed of a drive."""

from __future__ import annotations

import math

from simulator.session import Session
from simulator.view.instruments import SPEED_UNITS

LONGEST_STEP = 0.1
"""s of simulated time. A larger step between two calls, or one backwards, is a restart and no path."""
KILOMETER, MILE = 1000.0, 1609.344
"""m."""


class Trip:
    """Distance and top speed of a drive over all its restarts; `note` is called a hundred times a second.

    Attributes
    ----------
    distance : path of the vehicle [m]
    top_speed : largest speed over ground [m/s]
    duration : simulated time in which the vehicle moved or might have moved [s]
    """

    def __init__(self) -> None:
        self.distance = self.top_speed = self.duration = 0.0
        self._time: float | None = None

    def note(self, session: Session) -> None:
        """Add the path since the previous call."""
        before, self._time = self._time, session.time
        if before is None or not session.moves or not 0.0 < session.time - before <= LONGEST_STEP:
            return
        v = session.readout[0]["v_WB_B"]
        speed = math.hypot(float(v[0]), float(v[1]))
        self.duration += session.time - before
        self.distance += speed * (session.time - before)
        self.top_speed = max(self.top_speed, speed)

    def text(self, unit: str) -> str:
        """Return duration, distance and top speed in a line; `unit` is a key of `SPEED_UNITS`.

        >>> trip = Trip()
        >>> trip.duration, trip.distance, trip.top_speed = 271.4, 3214.0, 24.2
        >>> trip.text("km/h"), trip.text("mph")
        ('3.21 km in 4:31 min, top speed 87 km/h', '2.00 mi in 4:31 min, top speed 54 mph')
        """
        minutes, seconds = divmod(round(self.duration), 60)
        if unit == "mph":
            distance = f"{self.distance / MILE:.2f} mi"
        else:
            distance = f"{self.distance / KILOMETER:.2f} km" if self.distance >= KILOMETER else f"{self.distance:.0f} m"
        return f"{distance} in {minutes}:{seconds:02d} min, top speed {self.top_speed * SPEED_UNITS[unit]:.0f} {unit}"
