"""Export of the log as a MATLAB file of version 5: one structure per column, with its values, unit, frame and meaning.

Columns are written one after the other, so that memory holds one of them.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.exports.names import unique_names
from simulator.exports.output import Output
from simulator.exports.source import ExportedRun

MAX_NAME = 63
"""Maximum length of the name of a variable in MATLAB."""
MAX_BYTES = 2**31 - 1
"""Maximum size of a variable in a file of version 5."""
WORDS = {
    *("break", "case", "catch", "classdef", "continue", "else", "elseif", "end", "for", "function", "global", "if", "otherwise"),
    *("parfor", "persistent", "return", "spmd", "switch", "try", "while"),
}
"""Keywords of MATLAB, which cannot be names of variables."""


def export(run: ExportedRun, output: Output) -> None:
    """Plan NAME.mat. Raises OutputError, ConfigError; JounceError: a column is too long for the format."""
    (file,) = output.need_free([f"{run.name}.mat"])
    widest = max((one.kind.itemsize for one in run.columns), default=8)
    if int(run.inside.sum()) * widest > MAX_BYTES:
        raise JounceError(f"{file}: a column has more than {MAX_BYTES / 1e9:.1f} GB; hint: export a part with --from and --to")
    output.file(file, lambda path: _write(path, run))


def _write(path: Path, run: ExportedRun) -> None:
    from scipy.io import savemat

    fixed = ["about_run", "events"]
    names = unique_names([*fixed, *(one.name for one in run.columns)], _identifier, MAX_NAME)
    with open(path, "wb") as stream:
        # on an open stream, each call appends its variables
        put = partial(savemat, stream, do_compression=True, long_field_names=True, oned_as="column")
        about = unique_names(run.about, _identifier, MAX_NAME)
        put({"about_run": dict(zip(about, run.about.values(), strict=True))})
        put({"events": {
            "time": np.array([one.time for one in run.events], float), "tick": np.array([one.tick for one in run.events], np.int64),
            "kind": _cells([one.kind for one in run.events]), "origin": _cells([str(one.origin) for one in run.events]),
            "value": _cells([json_text(one.value) for one in run.events]),
        }})  # fmt: skip
        for name, (one, values) in zip(names[len(fixed) :], run.each_column(run.inside), strict=True):
            column: dict[str, Any] = {
                "name": one.name, "unit": one.unit, "frame": one.frame, "meaning": one.meaning, "data": values,
            }  # fmt: skip
            put({name: column})


def _identifier(name: str) -> str:
    """Return a name as a MATLAB identifier."""
    ascii_name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"x_{ascii_name}" if not ascii_name[:1].isalpha() or ascii_name in WORDS else ascii_name


def _cells(texts: list[str]) -> np.ndarray:
    cells = np.empty(len(texts), object)
    cells[:] = texts
    return cells
