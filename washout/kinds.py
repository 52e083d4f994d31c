"""Washout algorithms by the `type` of a washout file: classical, adaptive, preview (loaded on use) and plugins."""

from __future__ import annotations

from simulator.base.registry import Registry
from washout import adaptive
from washout.classical import KIND
from washout.contract import WashoutKind

DEFAULT = KIND.name
"""Type of a washout file without the key `type`."""


def _problem(kind: WashoutKind) -> str:
    if (kind.kernel is None) == (kind.make is None):
        return "expected either a kernel or a function make"
    return "expected a rate above 0 for a washout in Python" if kind.make is not None and not kind.rate > 0.0 else ""


WASHOUT_KINDS: Registry[WashoutKind] = Registry(
    "washout",
    "jounce.washout_algorithms",
    {KIND.name: KIND, adaptive.KIND.name: adaptive.KIND, "preview": "washout.preview.kind:KIND"},
    contract="washout.contract",
    problem=_problem,
)
register = WASHOUT_KINDS.add
"""Register a washout."""
