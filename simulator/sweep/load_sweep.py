"""A sweep file with all it names: what `jounce check` looks at, without driving anything."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.suggestions import did_you_mean
from simulator.builder.builder import build
from simulator.configuration.file_lookup import find_config
from simulator.configuration.layers import files_parsed_once, read_layers
from simulator.maneuvers.parameters import KEY
from simulator.sweep.configuration_cache import Shared
from simulator.sweep.design import Design, read_design, telling
from simulator.sweep.metric_limits import PARAMETERS


def load_sweep(file: str | Path) -> Design:
    """The design of a file, after the runs in which each key has its least and its largest number, and each of its words, were put together.

    Raises ConfigError: everything that is wrong with it; JounceError where scipy is needed and missing.
    """
    design = read_design(file)
    with files_parsed_once(), ErrorCollector() as faults:
        with faults.part():
            check_parameters(design)
        shared = Shared(design.base, file, partial(design.key_of, None))
        for number in telling(design.points):
            with faults.part():
                build(shared.run(design.points[number], partial(design.key_of, number))[0], check_step=False)
    return design


def check_parameters(made: Design) -> None:
    """Maneuvers have the parameters that runs give them: others would change nothing, in silence. Raises ConfigError."""
    known: dict[str, Mapping[str, Any]] = {}
    with ErrorCollector() as faults:
        for number in telling(made.points):
            point = made.points[number]
            name = point.get("maneuver", made.base.get("maneuver"))
            given = [(None, key) for key in made.base if key not in point] + [(number, key) for key in point]
            asked = [(where, key) for where, key in given if key.startswith(PARAMETERS)]
            if not asked or not isinstance(name, str):
                continue
            if name not in known:
                known[name] = _parameters(name, made, number if "maneuver" in point else None)
            for where, key in asked:
                with faults.part():
                    _check_known(key.removeprefix(PARAMETERS), known[name], name, made.file, made.key_of(where, key))


def _parameters(name: str, made: Design, number: int | None) -> Mapping[str, Any]:
    """Of the maneuver that a run, None: all of them, names. Raises ConfigError."""
    content = read_layers("maneuvers", find_config("maneuvers", name, made.file, made.key_of(number, "maneuver"))).content
    found = content.get(KEY) if isinstance(content, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _check_known(word: str, known: Mapping[str, Any], maneuver: str, file: str, key: str) -> None:
    if word not in known:
        raise ConfigError(file, key, word, f"a parameter of {maneuver}: {', '.join(known) or 'it has none'}{did_you_mean(word, known)}")
