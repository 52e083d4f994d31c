"""A maneuver driven in real time for a motion platform, as `jounce stream` does it: with the rise, the parking and all that keeps it safe."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.api.loading import Changes, configured
from simulator.host.drive import DriveOptions, Host


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
    """Drive a maneuver in real time and send the motion over the network; returns when the platform is parked.

    A platform can hurt people: read the part on safety in the README first.

    Parameters
    ----------
    maneuver, vehicle, terrain, platform, washout : by name or path
    to : HOST or HOST:PORT where the platform listens
    protocol, rate : packets, by name, and how many per second; the usual rate of the protocol when not given
    duration : simulated time [s]; that of the maneuver when not given
    changes : values by key path, as for `Simulation`
    out : folder for the log; a new one under runs/ when not given
    say : called with lines that a person may want to read; nobody is told when not given

    Returns
    -------
    {"folder", "time", "real_time_factor", "overruns", "worst_lateness", "dropped", "lateness", "incidents", "limiter", "troubles"};
    "limiter" has its ticks and, by kind, those in which it did not take the pose asked for; "troubles" are lines that say what failed on the way, none when all went well

    Raises
    ------
    ConfigError, StreamError, OutputError : a file, an address, a folder cannot be used
    KeyboardInterrupt : somebody asked for an end; the platform was parked, and the log is complete
    """
    names = {"maneuver": maneuver, "vehicle": vehicle, "terrain": terrain, "platform": platform, "washout": washout}
    fixed = {"driver": "scripted", "outlets.view": "none", "outlets.motion.on": True, "outlets.motion.to": to}
    said = {"outlets.motion.protocol": protocol, "outlets.motion.rate": rate, "duration": duration}
    one = configured(names, {**fixed, **{key: value for key, value in said.items() if value is not None}, **(changes or {})})
    tell = say or (lambda line: None)
    host = Host(DriveOptions(one, None if out is None else Path(out), say=tell, complain=tell))
    summary = host.run()
    if host.asked.first is not None:  # the platform is parked by now
        raise KeyboardInterrupt
    return {**{key: value for key, value in summary.items() if key != "first_frame"}, "troubles": list(host.troubles)}
