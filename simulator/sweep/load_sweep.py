"""Check of a sweep file and all files that it names, for `jounce check`. No run starts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.builder.builder import build
from simulator.configuration.file_lookup import find_config
from simulator.configuration.layers import files_parsed_once, read_layers
from simulator.maneuvers.parameters import KEY, unknown_parameter
from simulator.sweep.configuration_cache import Shared
from simulator.sweep.design import Design, read_design, telling
from simulator.sweep.metric_limits import PARAMETERS


def load_sweep(file: str | Path) -> Design:
    """Return the design of a file after building selected runs: those with the minimum and maximum of each number, and each name.

    Raises ConfigError: with all errors of the file.
    """
    design = read_design(file)
    with files_parsed_once(), ErrorCollector() as faults:
        with faults.part():
            check_parameters(design)
        shared = Shared(design.base, file, partial(design.key_of, None))
        for number in telling(design.points):
            with faults.part():
                build(shared.run(design.points[number], partial(design.key_of, number))[0], check_step=False).check_equilibrium()
    return design


def check_parameters(design: Design) -> None:
    """Check that maneuvers have the parameters that runs set, since unknown ones would have no effect. Raises ConfigError."""
    known: dict[str, Mapping[str, Any]] = {}
    with ErrorCollector() as faults:
        for number in telling(design.points):
            point = design.points[number]
            name = point.get("maneuver", design.base.get("maneuver"))
            given = [(None, key) for key in design.base if key not in point] + [(number, key) for key in point]
            parameters = [(where, key) for where, key in given if key.startswith(PARAMETERS)]
            if not parameters or not isinstance(name, str):
                continue
            if name not in known:
                known[name] = _parameters(name, design, number if "maneuver" in point else None)
            for where, key in parameters:
                with faults.part():
                    word = key.removeprefix(PARAMETERS)
                    if word not in known[name]:
                        raise ConfigError(design.file, design.key_of(where, key), word, unknown_parameter(word, known[name], name))


def _parameters(name: str, design: Design, number: int | None) -> Mapping[str, Any]:
    """Return the parameters of the maneuver that a run (None: all runs) names. Raises ConfigError."""
    content = read_layers("maneuvers", find_config("maneuvers", name, design.file, design.key_of(number, "maneuver"))).content
    parameters = content.get(KEY) if isinstance(content, Mapping) else None
    return parameters if isinstance(parameters, Mapping) else {}
