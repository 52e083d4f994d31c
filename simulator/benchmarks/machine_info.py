"""Description of the machine of a benchmark."""

from __future__ import annotations

import math
import os
import platform
from typing import Any

import numba

from simulator.base.machine import processor


def machine() -> dict[str, Any]:
    """Return processor, cores, system, versions and load for JSON."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numba": numba.__version__,
        "load_average": round(load, 2) if math.isfinite(load) else None,
    }
