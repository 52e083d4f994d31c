"""Outcome of a comparison with reference data, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.json_output import json_text


@dataclass(frozen=True)
class Comparison:
    """Errors per quantity of one file, and the limit they are held to; `notes` are what a reader must know beside them."""

    file: str
    kind: str
    states: int
    errors: dict[str, float]
    limit: float
    notes: tuple[str, ...] = ()

    @property
    def max_error(self) -> float:
        """Largest error of all quantities; not a number counts as infinite."""
        return max((e if np.isfinite(e) else float("inf") for e in self.errors.values()), default=float("inf"))

    @property
    def passed(self) -> bool:
        """True when the largest error is within the limit."""
        return self.max_error <= self.limit

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "file": self.file,
            "kind": self.kind,
            "states": self.states,
            "errors": self.errors,
            "max_error": self.max_error,
            "limit": self.limit,
            "pass": self.passed,
            **({"notes": self.notes} if self.notes else {}),
        }

    def to_json(self) -> str:
        """One JSON object; an error that is not finite is written as null."""
        return json_text(self.to_dict())

    def to_text(self) -> str:
        """A small table for people."""
        width = max(len(name) for name in self.errors)
        rows = [f"  {name:<{width}}  {error:9.2e}" for name, error in self.errors.items()]
        verdict = "pass" if self.passed else "FAIL"
        head = f"{self.file}: {self.kind}, {self.states} states"
        largest = f"  {'largest':<{width}}  {self.max_error:9.2e}  limit {self.limit:.0e}: {verdict}"
        return "\n".join([head, *rows, largest, *(f"  {note}" for note in self.notes)])


def relative_error(x: ArrayLike, reference: ArrayLike) -> float:
    """max |x - reference| / max(1, |reference|); infinite when anything is not finite."""
    x, reference = np.asarray(x, float), np.asarray(reference, float)
    error = np.abs(x - reference) / np.maximum(1.0, np.abs(reference))
    return float(error.max()) if np.isfinite(error).all() else float("inf")
