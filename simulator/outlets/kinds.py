"""Registry of the outlets, and the outlets of a session file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, JounceError
from simulator.base.rates import whole_ticks
from simulator.base.registry import Registry, making
from simulator.base.section import Section
from simulator.outlets.contract import CONTRACT, OutletKind, OutletSettings
from simulator.outlets.outlet_runner import OutletRunner

BUILTIN_OUTLETS = ("telemetry", "motion", "window")
"""Names of the built-in outlets of a session, which do not use this registry."""


OUTLET_KINDS: Registry[OutletKind] = Registry("outlet", "jounce.outlets", {})


def register(kind: OutletKind) -> None:
    """Register a kind of outlet by name. Raises JounceError: wrong contract version, or the name is already in use."""
    check(kind)
    OUTLET_KINDS.register(kind.name, kind)


def check(kind: OutletKind) -> None:
    """Raise JounceError as `register`; needed for kinds of installed packages, which `register` has not checked."""
    if kind.name in BUILTIN_OUTLETS:
        raise JounceError(f"there is an outlet called {kind.name} already, built into the session")
    if kind.contract != CONTRACT:
        raise JounceError(f"outlet {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")


def build_outlets(given: Sequence[Any], file: object, folder: Path, h: float, key: str = "outlets") -> list[OutletRunner]:
    """Return the plugin outlets of a session file: each item is the name of a kind, or a mapping of `type`, `rate` [Hz] and parameters.

    Parameters
    ----------
    given, key, file : list, its key and its file
    folder : folder of the run
    h : length of a tick [s]

    Raises
    ------
    ConfigError : an outlet is invalid
    JounceError : the creation of an outlet failed
    """
    if not isinstance(given, (list, tuple)):
        raise ConfigError(file, key, given, "a list of outlets")
    sections = (Section({"type": item} if isinstance(item, str) else item, file, f"{key}[{n}]") for n, item in enumerate(given))
    return [_outlet(section, folder, h) for section in sections]


def _outlet(s: Section, folder: Path, h: float) -> OutletRunner:
    name = s.text("type", expected="the kind of the outlet")
    kind = OUTLET_KINDS.named(name, s.file, s.path("type"))
    check(kind)
    rate = s.number("rate", kind.rate, least=0.1, most=1.0 / h)
    every = whole_ticks(rate, h, s.file, s.path("rate"))
    parameters = s.record(kind.parameters, kind.ranges, kind.defaults, beside=("type", "rate"))
    with making(f"outlet {name}"):
        outlet = kind.make(OutletSettings(parameters, folder, every * h))
    return OutletRunner(name, outlet, every)
