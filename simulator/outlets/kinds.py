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
"""Outlets of the session itself, which have other owners."""


OUTLET_KINDS: Registry[OutletKind] = Registry("outlet", "jounce.outlets", {})


def register(kind: OutletKind) -> None:
    """Make an outlet known by its name. Raises JounceError: it is for another contract, or another one has its name."""
    check(kind)
    OUTLET_KINDS.register(kind.name, kind)


def check(kind: OutletKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    if kind.name in BUILTIN_OUTLETS:
        raise JounceError(f"there is an outlet called {kind.name} already: one of the session itself")
    if kind.contract != CONTRACT:
        raise JounceError(f"outlet {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")


def build_outlets(said: Sequence[Any], file: object, folder: Path, h: float, key: str = "outlets") -> list[OutletRunner]:
    """Outlets from outside, of a list in a session file: per outlet the name of a kind, or a mapping of `type`, `rate` [Hz] and its parameters.

    Parameters
    ----------
    said, key, file : the list, where it stands and in which file
    folder : of the run
    h : length of a tick [s]

    Raises
    ------
    ConfigError : an outlet cannot be used as it is written
    JounceError : one cannot be made
    """
    if not isinstance(said, (list, tuple)):
        raise ConfigError(file, key, said, "a list of outlets")
    sections = (Section({"type": one} if isinstance(one, str) else one, file, f"{key}[{n}]") for n, one in enumerate(said))
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
