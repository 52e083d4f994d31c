"""Protocols of the motion stream."""

from __future__ import annotations

from typing import Any

_OLD = {"register": "register", "PROTOCOLS": "PROTOCOL_KINDS"}
"""Names of version 0.2, when this package was a module; now in `simulator.motion.protocols.kinds`."""


def __getattr__(name: str) -> Any:
    """Find an old name, with a warning."""
    if name not in _OLD:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from simulator.base import renamed
    from simulator.motion.protocols import kinds

    renamed.warn(f"{__name__}.{name}", f"{kinds.__name__}.{_OLD[name]}")
    return getattr(kinds, _OLD[name])
