"""Objects that break off."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Breakaway:
    """An object that breaks off or leaves its path when a force exceeds its limit, and is a rigid body then."""

    mass: float
    """kg"""
    force: float = 0.0
    """N"""
