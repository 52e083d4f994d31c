"""Registry of the outlets, and the outlets of a session file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_records import filled, rows
from simulator.base.fields import Field, Fields, Variants
from simulator.base.rates import RATE, whole_ticks
from simulator.base.registry import Registry, making
from simulator.base.values import Values
from simulator.outlets.contract import LogOutlet, OutletKind, OutletSettings
from simulator.outlets.log_outlet_runner import LogOutletRunner
from simulator.outlets.outlet_runner import OutletRunner

CSV = "csv"
"""Name of the log format CSV."""
BUILTIN_OUTLETS = ("telemetry", "motion", "window")
"""Names of the built-in outlets of a session, which do not use this registry."""

OUTLET_KINDS: Registry[OutletKind] = Registry(
    "outlet",
    "jounce.outlets",
    {CSV: "simulator.outlets.csv_log:KIND"},
    contract="simulator.outlets.contract",
    problem=lambda kind: f"an outlet called {kind.name} already is part of the session" if kind.name in BUILTIN_OUTLETS else "",
)
register = OUTLET_KINDS.add
"""Register a kind of outlet."""


def _own(name: str) -> Fields:
    """Return the own fields of a kind of outlet. Raises JounceError."""
    return OUTLET_KINDS.need(name).parameters


_RATE = Field("rate", RATE, "publications per second; default: that of the type", None)
OUTLET_FILE = Variants("type", _own, OUTLET_KINDS.names, "kind of the outlet", (_RATE,), noun="an outlet:")
"""Fields of an item of the list `outlets.plugins` of a session file."""


def build_outlets(given: Sequence[Any], file: object, folder: Path, h: float, key: str = "outlets") -> list[OutletRunner | LogOutletRunner]:
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
    outlets = []
    with ErrorCollector() as errors:
        for n, item in enumerate(given):
            with errors.part():
                outlets.append(OUTLET_FILE.read({"type": item} if isinstance(item, str) else item, file, f"{key}[{n}]"))
    return [_outlet(values, folder, h) for values in outlets]


def _outlet(values: Values, folder: Path, h: float) -> OutletRunner | LogOutletRunner:
    name, kind = values["type"], OUTLET_KINDS.need(values["type"])
    every = whole_ticks(values.get("rate", kind.rate), h, values.file, values.path("rate"))
    parameters = filled(rows(kind.parameters), values)
    with making(f"outlet {name}"):
        outlet = kind.make(OutletSettings(parameters, folder, every * h))
    if isinstance(outlet, LogOutlet):
        return LogOutletRunner(name, outlet, folder)
    return OutletRunner(name, outlet, every)
