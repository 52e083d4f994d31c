"""Washouts by the `type` of a washout file: the classical and the adaptive one, and those that move in from outside."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.base.renamed_modules import old_names
from washout import adaptive
from washout.classical import KIND
from washout.contract import CONTRACT, LAYOUT, WashoutKind

DEFAULT = KIND.name
"""Of a washout file that does not say its `type`."""

WASHOUT_KINDS: Registry[WashoutKind] = Registry(
    "washout", "jounce.washout_algorithms", {KIND.name: KIND, adaptive.KIND.name: adaptive.KIND}
)


def register(kind: WashoutKind) -> None:
    """Make a washout known by its name.

    Raises
    ------
    JounceError : it was written for another contract or layout, has no law or two, no rate, or another one has its name
    """
    check(kind)
    WASHOUT_KINDS.register(kind.name, kind)


def check(kind: WashoutKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    if kind is KIND:
        return
    if kind.contract != CONTRACT:
        raise JounceError(f"washout {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")
    if kind.layout != LAYOUT:
        raise JounceError(f"washout {kind.name}: it is for other tables than SEEN and RESULT of washout.contract")
    if (kind.kernel is None) == (kind.make is None):
        raise JounceError(f"washout {kind.name}: it has to have either a kernel or a function that makes it")
    if kind.make is not None and not kind.rate > 0.0:
        raise JounceError(f"washout {kind.name}: one in Python needs a rate")


__getattr__ = old_names(__name__)
