"""Meanings of the source marks of metric definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable

MARKS = {
    "[calc]": "Jounce definition, not from a standard",
    "[prop]": "proposed definition, not from a standard",
    "[mem]": "follows the named standard from memory; its text was not available",
}
"""Marks in brackets that need an explanation."""


def mark_words(mark: str) -> str:
    """Return a mark with its meaning if the mark consists of one of MARKS only."""
    return f"{mark} {MARKS[mark]}" if mark in MARKS else mark


def explained(marks: Iterable[str]) -> list[str]:
    """Return a line of explanation for each of MARKS that occurs in these texts."""
    words = {word for mark in marks for word in re.findall(r"\[[^\]]+\]", mark)}
    return [f"{word}: {meaning}" for word, meaning in MARKS.items() if word in words]
