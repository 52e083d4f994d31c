"""Error of an object."""

from __future__ import annotations

from simulator.base.errors import JounceError


class ObjectError(JounceError):
    """Error in an object."""
