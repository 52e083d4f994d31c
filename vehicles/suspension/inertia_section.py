"""Inertia of a body in a section of a vehicle file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.section import Section
from vehicles.suspension.axle_limits import HEAVY

Vector = NDArray[np.float64]


def read_inertia(s: Section, name: str) -> Vector:
    """Return the inertia matrix, from three moments or from a full 3 x 3 matrix."""
    value = s.raw(name, expected="three moments of inertia, or a 3 x 3 matrix")
    if isinstance(value, (list, np.ndarray)) and len(value) == 3 and not any(isinstance(row, (list, np.ndarray)) for row in value):
        return np.diag(s.array(name, (3,), within=HEAVY))
    return s.array(name, (3, 3), within=HEAVY)


def warn_of(s: Section) -> bool:
    """Return True when an implausible inertia causes a warning: unless the file has `as_published: true`. Raises ConfigError."""
    value = s.raw("as_published", False)
    if not isinstance(value, bool):
        raise ConfigError(s.file, s.path("as_published"), value, "true or false")
    return not value
