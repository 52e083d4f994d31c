"""Configuration from the session options of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from simulator.configuration.configuration import Configuration, configuration
from simulator.configuration.overrides import Override, option, read_settings
from simulator.driver.kinds import FMU
from simulator.ros2 import USUAL_DOMAIN
from simulator.ros2.dds import usual_domain

NAMED = ("vehicle", "terrain", "washout", "platform")
"""Keys of a session that have their own option."""


def session_of(arguments: argparse.Namespace, options: Iterable[Override] = ()) -> Configuration:
    """Return the configuration of a command line: session file, overridden by options, overridden by `--set`. Raises ConfigError."""
    named = [setting for name in NAMED for setting in option(f"--{name}", name, getattr(arguments, name, None))]
    sensors = option("--sensor", "sensors", getattr(arguments, "sensor", None))
    faults = option("--fault", "faults", getattr(arguments, "fault", None))
    outlets = option("--outlet", "outlets.plugins", getattr(arguments, "outlet", None))
    channels = [name.strip() for text in getattr(arguments, "channels", ()) for name in text.split(",") if name.strip()]
    log = [
        *option("--channels", "outlets.telemetry.channels", channels or None),
        *option("--log-rate", "outlets.telemetry.rate", getattr(arguments, "log_rate", None)),
    ]
    driver = getattr(arguments, "driver", None)
    if isinstance(driver, str) and driver.lower().endswith(".fmu"):
        driver = {"type": FMU, "file": driver}
    named += option("--driver", "driver", driver)
    domain = getattr(arguments, "ros2", None)
    ros2 = option("--ros2", "outlets.ros2.domain", usual_domain() if domain == USUAL_DOMAIN else domain)
    port = getattr(arguments, "foxglove", None)
    foxglove = option("--foxglove", "outlets.foxglove.on", True) if port is True else option("--foxglove", "outlets.foxglove.port", port)
    steering = option("--steering", "steering", getattr(arguments, "steering", None))
    suspension = option("--suspension", "vehicle.suspension_kinematics", getattr(arguments, "suspension", None))
    return configuration(
        arguments.session,
        [*named, *log, *options, *sensors, *faults, *outlets, *ros2, *foxglove, *steering, *suspension, *read_settings(arguments.set)],
    )
