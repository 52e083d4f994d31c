"""Washout algorithms by the `type` of a washout file: classical, adaptive and plugins."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from washout import adaptive
from washout.classical import KIND
from washout.contract import CONTRACT, LAYOUT, WashoutKind

DEFAULT = KIND.name
"""Type of a washout file without the key `type`."""

WASHOUT_KINDS: Registry[WashoutKind] = Registry(
    "washout", "jounce.washout_algorithms", {KIND.name: KIND, adaptive.KIND.name: adaptive.KIND}
)


def register(kind: WashoutKind) -> None:
    """Register a washout by its name.

    Raises
    ------
    JounceError : wrong contract or layout, neither or both of kernel and make, no rate, or a duplicate name
    """
    check(kind)
    WASHOUT_KINDS.register(kind.name, kind)


def check(kind: WashoutKind) -> None:
    """Check a washout as in `register`, for kinds that installed packages provide. Raises JounceError."""
    if kind is KIND:
        return
    if kind.contract != CONTRACT:
        raise JounceError(f"washout {kind.name}: contract version {kind.contract}; expected version {CONTRACT}")
    if kind.layout != LAYOUT:
        raise JounceError(f"washout {kind.name}: wrong layout; expected the tables WASHOUT_INPUT and WASHOUT_OUTPUT of washout.contract")
    if (kind.kernel is None) == (kind.make is None):
        raise JounceError(f"washout {kind.name}: expected either a kernel or a function make")
    if kind.make is not None and not kind.rate > 0.0:
        raise JounceError(f"washout {kind.name}: expected a rate above 0 for a washout in Python")
