"""A run as a search wants it, and the log that it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Log = Mapping[str, NDArray[np.float64]]
"""Channels (n,) of a run by name, the time among them."""


@dataclass(frozen=True)
class RunRequest:
    """What varies in a run, for people, and its whole configuration as plain data, which is not to be changed."""

    said: Mapping[str, Any]
    mapping: Mapping[str, Any]
