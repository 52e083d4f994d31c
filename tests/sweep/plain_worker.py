"""A worker of sweeps whose runs take no time: what comes of each stands in its mapping. It is asked as `simulator.sweep.worker` is.

{"x": number}, besides: "sleep": s, "fail": a reason, "dies": how often the process kills itself over it, counted in files in "at".
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any


def row(run: str, mapping: dict[str, Any]) -> dict[str, Any]:
    """What comes of a run."""
    if mapping.get("dies"):
        file = Path(mapping["at"]) / run
        died = len(file.read_text()) if file.exists() else 0
        if died < mapping["dies"]:
            file.write_text("x" * (died + 1))
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(mapping.get("sleep", 0.0))
    x, failure = mapping["x"], mapping.get("fail", "")
    metrics = {} if failure else {"root": x**0.5, **({"odd": 1.0} if x % 2 else {})}
    machine = {"wall_s": 0.01 + mapping.get("sleep", 0.0), "simulated_s": 1.0}
    return {"run": run, "passed": None if failure else x < 50, "metrics": metrics, "failure": failure, "machine": machine}


def main() -> None:
    """Answer chunk after chunk."""
    for line in sys.stdin:
        rows = [row(case["run"], case["mapping"]) for case in json.loads(line)["cases"]]
        print(json.dumps({"worker": "plain", "rows": rows}), flush=True)


if __name__ == "__main__":
    main()
