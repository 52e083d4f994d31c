"""Worker process of a batch. It reads lines of JSON from its input and writes a line for each.

The first line is {"plugins": files, "channels": names, "file": log file} and has no response. Every other line is a case, the parameters
of `simulate`, with the response {"passed", "metrics"} or {"failure": reason}; after a drive to a goal also with "outcome" (word and reason).
The process exits at the end of its input.
"""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.registry import load_plugins


def serve(lines: TextIO, out: TextIO) -> None:
    """Process cases until the input ends."""
    setting = json.loads(lines.readline())
    broken = _loaded(setting["plugins"])
    for line in lines:
        out.write(json_text(broken or _run_case(json.loads(line), setting["channels"], setting["file"])) + "\n")
        out.flush()


def _loaded(plugins: list[str]) -> dict[str, Any]:
    """Load the plugins. Return their failure, which is the response to every case, or an empty mapping."""
    try:
        load_plugins(plugins)
    except JounceError as error:
        return {"failure": str(error)}
    return {}


def _run_case(case: dict[str, Any], channels: list[str], file: str) -> dict[str, Any]:
    from simulator.api.simulation import simulate

    try:
        result = simulate(**case, channels=channels or ("time",))
        if channels:
            result.log.save(file)
    except JounceError as error:
        return {"failure": str(error)}
    except Exception as error:  # an error in Jounce or in a plugin: report it and continue with the next case
        return {"failure": f"{type(error).__name__}: {error}"}
    outcome = {} if result.outcome is None else {"outcome": result.outcome._asdict()}
    return {"passed": result.passed, "metrics": result.metrics, **outcome}


if __name__ == "__main__":
    out, sys.stdout = sys.stdout, sys.stderr  # keep output of plugins out of the responses
    serve(sys.stdin, out)
