"""Real-time run of a maneuver on a motion platform, like `jounce stream`, including rise, parking and all safety functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.api.loading import Changes, configured
from simulator.base.call_checks import FUNCTION, MAPPING, NAME, NUMBER, TEXT, checks, optional
from simulator.host.drive import DriveOptions, Host


@checks(
    maneuver=NAME,
    to=TEXT,
    vehicle=optional(NAME),
    terrain=optional(NAME),
    platform=optional(NAME),
    washout=optional(NAME),
    protocol=TEXT,
    rate=optional(NUMBER),
    duration=optional(NUMBER),
    changes=optional(MAPPING),
    out=optional(NAME),
    say=optional(FUNCTION),
)
def stream(
    maneuver: str,
    to: str,
    *,
    vehicle: str | None = None,
    terrain: str | None = None,
    platform: str | None = None,
    washout: str | None = None,
    protocol: str = "native",
    rate: float | None = None,
    duration: float | None = None,
    changes: Changes | None = None,
    out: str | os.PathLike[str] | None = None,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Run a maneuver in real time and send the motion over the network. The function returns after the platform is parked.

    A platform can injure people. Read the safety section of the README first.

    Parameters
    ----------
    maneuver, vehicle, terrain, platform, washout : name or path
    to : HOST or HOST:PORT of the platform
    protocol, rate : name of the protocol, and packets per second (default: rate of the protocol)
    duration : simulated time [s] (default: duration of the maneuver)
    changes : values by key path, as for `Simulation`
    out : folder of the log (default: a new folder in runs/)
    say : called with lines for the user (default: no output)

    Returns
    -------
    {"folder", "time", "real_time_factor", "overruns", "worst_lateness", "dropped", "lateness", "incidents", "limiter", "troubles"}.
    "limiter" contains its number of ticks and, by kind, the number of ticks in which it changed the requested pose. "troubles" are lines
    about failures during the run, empty without failures.

    Raises
    ------
    ConfigError, StreamError, OutputError : a file, an address or a folder cannot be used
    KeyboardInterrupt : the user requested the end; the platform is parked, and the log is complete
    """
    names = {"maneuver": maneuver, "vehicle": vehicle, "terrain": terrain, "platform": platform, "washout": washout}
    fixed = {"driver": "scripted", "outlets.view": "none", "outlets.motion.on": True, "outlets.motion.to": to}
    given = {"outlets.motion.protocol": protocol, "outlets.motion.rate": rate, "duration": duration}
    one = configured(names, {**fixed, **{key: value for key, value in given.items() if value is not None}, **(changes or {})})
    report = say or (lambda line: None)
    host = Host(DriveOptions(one, None if out is None else Path(out), say=report, complain=report))
    summary = host.run()
    if host.stop_request.first is not None:  # the platform is already parked
        raise KeyboardInterrupt
    return {**{key: value for key, value in summary.items() if key != "first_frame"}, "troubles": list(host.messages.troubles)}
