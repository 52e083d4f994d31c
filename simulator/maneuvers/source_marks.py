"""What the marks behind the definition of a metric mean."""

from __future__ import annotations

import re
from collections.abc import Iterable

MARKS = {
    "[calc]": "as computed here, no standard",
    "[prop]": "a proposal of ours",
    "[mem]": "after the standard named, whose text was not read: from memory",
}
"""Words in brackets that need others."""


def mark_words(mark: str) -> str:
    """A mark with its words, where it is nothing but one of MARKS."""
    return f"{mark} {MARKS[mark]}" if mark in MARKS else mark


def explained(marks: Iterable[str]) -> list[str]:
    """A line for each of MARKS that stands in any of these texts."""
    found = {word for mark in marks for word in re.findall(r"\[[^\]]+\]", mark)}
    return [f"{word}: {meaning}" for word, meaning in MARKS.items() if word in found]
