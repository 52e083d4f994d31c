"""A session file: what is driven where by whom, what hangs on it, and the numbers of the session itself. Everything may be left out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.section import Section
from simulator.configuration.tree import Configuration
from simulator.driver.find_driver import AUTO, driver_names
from simulator.maneuvers.maneuver import DRIVER_PERIOD
from simulator.motion.protocols import DEFAULT, PROTOCOLS
from simulator.record.writer import LOG_RATE, LogChoice
from terrain.load import FASTEST_WIND

VIEWS = ("auto", "window", "offscreen", "none")
CONTENTS = ("vehicle", "terrain", "maneuver", "washout", "platform", "soils")
"""Keys of a session whose content is read by others."""

MOST_SECONDS = 1e6
"""s. Nobody drives longer."""
SHORTEST_STEP, LONGEST_STEP = 5e-5, 0.01
"""s, as of a maneuver."""
LARGEST_SEED = 2**32


@dataclass(frozen=True)
class MotionOptions:
    """The motion stream."""

    on: bool
    protocol: str
    rate: float | None
    """Packets per second; the usual one of the protocol when not given."""
    to: str | None
    """HOST or HOST:PORT; the built-in virtual platform when not given."""


@dataclass(frozen=True)
class SessionOptions:
    """What a session file says besides what it names."""

    title: str
    driver: str
    view: str
    duration: float | None
    """s of simulated time; as long as the maneuver, or until somebody ends it, when not given."""
    step: float | None
    """s; that of the maneuver, or 1 ms, when not given."""
    seed: int | None
    """Of everything random; None: the seeds that the files say."""
    gravity: float | None
    """m/s2, above that of the terrain."""
    wind: tuple[float, float, float] | None
    """m/s, velocity of the air in W, above that of the terrain."""
    motion: MotionOptions
    log: LogChoice
    outlets: list[Any]
    """Outlets from outside, as `simulator.outlet_kind.build_outlets` takes them."""
    sensors: list[Any]
    """As `simulator.sensors.build_sensors` takes them."""


def read_session(configuration: Configuration) -> SessionOptions:
    """What a session says besides what it names, checked. Raises ConfigError: an unknown key, a wrong type, a number out of its range."""
    origin = configuration.layer.origins[()]
    with _blamed(configuration), Section(configuration.layer.content, origin.who) as s:
        s.asked.update((*CONTENTS, "recorded"))
        with _part(s, "world") as w:
            gravity = w.number("gravity", least=0.0, most=100.0) if w.has("gravity") else None
            x, y, z = w.array("wind", (3,), (0.0, 0.0, 0.0), within=FASTEST_WIND)
            wind = (float(x), float(y), float(z)) if w.has("wind") else None
        with _part(s, "outlets") as outlets:
            with _part(outlets, "telemetry") as t:
                log = LogChoice(
                    _names(t, "channels"), t.number("rate", LOG_RATE, least=0.1, most=1.0 / SHORTEST_STEP), _flag(t, "csv", False)
                )
            with _part(outlets, "motion") as m:
                motion = _motion(m)
            view = outlets.choice("view", VIEWS, "auto")
            others = outlets.raw("others", [])
        return SessionOptions(
            title=s.text("title") if s.has("title") else "",
            driver=s.choice("driver", driver_names(), AUTO),
            view=view,
            duration=s.number("duration", above=0.0, most=MOST_SECONDS) if s.has("duration") else None,
            step=_step(s),
            seed=_seed(s),
            gravity=gravity,
            wind=wind,
            motion=motion,
            log=log,
            outlets=others,
            sensors=s.raw("sensors", []),
        )


@contextmanager
def _blamed(configuration: Configuration) -> Iterator[None]:
    """What is wrong with a session is said to be where it was said."""
    try:
        yield
    except ConfigError as error:
        raise configuration.wrong((), error) from None


def _part(s: Section, name: str) -> Section:
    """A section that may be left out."""
    return s.section(name) if s.has(name) else Section({}, s.file, s.path(name))


def _flag(s: Section, name: str, default: bool) -> bool:
    value = s.raw(name, default)
    if not isinstance(value, bool):
        raise ConfigError(s.file, s.path(name), value, "true or false")
    return value


def _names(s: Section, name: str) -> tuple[str, ...]:
    value = s.raw(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ConfigError(s.file, s.path(name), value, "a list of names and patterns, for example [v_WB_B, F_C_*_z]")
    return tuple(value)


def _motion(m: Section) -> MotionOptions:
    protocol = m.choice("protocol", PROTOCOLS.names(), DEFAULT)
    rate = m.number("rate", least=1.0, most=1000.0) if m.has("rate") else None
    to = m.text("to", expected="HOST or HOST:PORT") if m.has("to") else None
    if to is not None:
        parse_address(to, protocol, m.file, m.path("to"))
    return MotionOptions(_flag(m, "on", True), protocol, rate, to)


def _step(s: Section) -> float | None:
    if not s.has("step"):
        return None
    step = s.number("step", least=SHORTEST_STEP, most=LONGEST_STEP)
    if not math.isclose(DRIVER_PERIOD / step, round(DRIVER_PERIOD / step), abs_tol=1e-6):
        raise ConfigError(s.file, s.path("step"), step, f"a step in s that divides {DRIVER_PERIOD:g} s, the period of the driver")
    return step


def _seed(s: Section) -> int | None:
    if not s.has("seed"):
        return None
    value = s.raw("seed")
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_SEED:
        raise ConfigError(s.file, s.path("seed"), value, f"a whole number from 0 to {LARGEST_SEED}")
    return value


def parse_address(text: str, protocol: str, file: str = "--to", key: str = "") -> tuple[str, int]:
    """HOST or HOST:PORT; `file` and `key` say where it stands. Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if text and not colon:
        return text, PROTOCOLS.need(protocol).port
    if not host or ":" in host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ConfigError(file, key, text, "HOST or HOST:PORT with a port from 1 to 65535")
    return host, int(port)
