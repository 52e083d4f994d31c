"""The machine on which a table was made."""

from __future__ import annotations

import math
import os
import platform
from typing import Any

import numba


def machine() -> dict[str, Any]:
    """Processor, cores, system, versions, and how busy it is: for JSON."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            model = next((line.split(":", 1)[1].strip() for line in stream if line.startswith("model name")), model)
    except OSError:
        model = platform.processor() or platform.machine()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numba": numba.__version__,
        "load_average": round(load, 2) if math.isfinite(load) else None,
    }
