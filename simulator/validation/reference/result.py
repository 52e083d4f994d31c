"""Result of a comparison with reference data, and its output formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.json_output import json_text


@dataclass(frozen=True)
class Comparison:
    """Errors by quantity for one file, with their limit, and `notes` for the reader."""

    file: str
    kind: str
    states: int
    errors: dict[str, float]
    limit: float
    notes: tuple[str, ...] = ()

    @property
    def max_error(self) -> float:
        """Largest error of all quantities; NaN counts as infinite."""
        return max((e if np.isfinite(e) else float("inf") for e in self.errors.values()), default=float("inf"))

    @property
    def passed(self) -> bool:
        """True if the largest error is within the limit."""
        return self.max_error <= self.limit

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
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
        """Return the result as JSON text; infinite errors become null."""
        return json_text(self.to_dict())

    def to_text(self) -> str:
        """Return the result as a small text table."""
        width = max(len(name) for name in self.errors)
        rows = [f"  {name:<{width}}  {error:9.2e}" for name, error in self.errors.items()]
        verdict = "pass" if self.passed else "FAIL"
        head = f"{self.file}: {self.kind}, {self.states} states"
        largest = f"  {'largest':<{width}}  {self.max_error:9.2e}  limit {self.limit:.0e}: {verdict}"
        return "\n".join([head, *rows, largest, *(f"  {note}" for note in self.notes)])


def relative_error(x: ArrayLike, reference: ArrayLike) -> float:
    """Return max |x - reference| / max(1, |reference|); infinite if a number is not finite."""
    x, reference = np.asarray(x, float), np.asarray(reference, float)
    error = np.abs(x - reference) / np.maximum(1.0, np.abs(reference))
    return float(error.max()) if np.isfinite(error).all() else float("inf")
