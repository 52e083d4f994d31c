"""Request of a search for a run, and the log of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Log = Mapping[str, NDArray[np.float64]]
"""Channels (n,) of a run by name, including the time."""


@dataclass(frozen=True)
class RunRequest:
    """Varied values of a run for display, and its complete configuration as plain data (read-only)."""

    given: Mapping[str, Any]
    mapping: Mapping[str, Any]
