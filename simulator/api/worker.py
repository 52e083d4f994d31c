"""A process of a batch. It reads lines of JSON from its input and writes a line for each.

The first line is {"plugins": files, "channels": names, "file": where logs go} and has no answer; every other one is a case, parameters of
`simulate`, answered with {"passed", "metrics"} or {"failure": why}. It ends with its input.
"""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.registry import load_plugins


def answers(lines: TextIO, out: TextIO) -> None:
    """Answer case after case."""
    setting = json.loads(lines.readline())
    broken = _loaded(setting["plugins"])
    for line in lines:
        out.write(json_text(broken or _answer(json.loads(line), setting["channels"], setting["file"])) + "\n")
        out.flush()


def _loaded(plugins: list[str]) -> dict[str, Any]:
    """Load plugins; what went wrong with them is the answer to every case."""
    try:
        load_plugins(plugins)
    except JounceError as error:
        return {"failure": str(error)}
    return {}


def _answer(case: dict[str, Any], channels: list[str], file: str) -> dict[str, Any]:
    from simulator.api.simulation import simulate

    try:
        result = simulate(**case, channels=channels or ("time",))
        if channels:
            result.log.save(file)
    except JounceError as error:
        return {"failure": str(error)}
    except Exception as error:  # a fault of ours, or of a plugin: the row says so, and the next case is driven
        return {"failure": f"{type(error).__name__}: {error}"}
    return {"passed": result.passed, "metrics": result.metrics}


if __name__ == "__main__":
    ours, sys.stdout = sys.stdout, sys.stderr  # what a plugin prints is no answer
    answers(sys.stdin, ours)
