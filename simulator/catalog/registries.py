"""Registries whose names `jounce list` tells: what a file may say behind `type:` or `suspension:`, those from plugins and packages included."""

from __future__ import annotations

from typing import Any

from simulator.base.tenants import Registry
from vehicles.suspension.kinds import KINDS as AXLES
from vehicles.tires.kinds import LAWS

REGISTRIES: dict[str, tuple[str, Registry[Any]]] = {
    "axles": ("kinds of axles, `suspension:` of an axle", AXLES),
    "tread_laws": ("tread laws, `type:` of a tire file", LAWS),
}
"""By the name they are asked for: what they are, and the registry."""


def meaning_of(tenant: Any) -> str:
    """What a tenant is, in a line: its own words, or the first line of what its class or module says."""
    said = getattr(tenant, "meaning", "") or (tenant.__doc__ if isinstance(tenant, type) else "") or ""
    return next(iter(said.strip().splitlines()), "")
