"""Work of a Dask worker that takes no time and needs nothing of the simulator: what comes of a run stands in its mapping.

{"x": number}, besides "sleep": s, and "dies": whether the worker dies of it.
"""

from __future__ import annotations

import json
import os
import signal
import time
import zlib
from typing import Any


def get_ready(plugins: list[str]) -> dict[str, str]:
    """At once; as the coordinator has been told that its own code is."""
    return {"code": os.environ.get("TEST_CODE", "code"), "software": "software"}


def drive(chunk: bytes, code: str) -> bytes:
    """A row for each run."""
    chunk = zlib.decompress(chunk)
    return json.dumps({"worker": f"dask_{os.getpid()}", "rows": [_row(case) for case in json.loads(chunk)["cases"]]}).encode()


def _row(case: dict[str, Any]) -> dict[str, Any]:
    mapping = case["mapping"]
    if mapping.get("dies"):
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(mapping.get("sleep", 0.0))
    machine = {"wall_s": mapping.get("sleep", 0.0), "simulated_s": 1.0}
    return {"run": case["run"], "passed": True, "metrics": {"double": 2.0 * mapping["x"]}, "failure": "", "machine": machine}
