"""Words for messages: what may have been meant by a word that nothing has."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_WORD = 64
"""Letters; a longer word is nobody's slip of the pen, and comparing it takes long."""
TIES = 5
"""Words that are compared for which of equals comes first."""
LIKENESS = 0.6
"""Least ratio of letters in common, see `difflib.SequenceMatcher.ratio`."""


def nearest(word: object, known: Iterable[object]) -> str:
    """The known word that is most like `word` but not the same; empty when none is like it."""
    import difflib  # not loaded by a program that makes no mistake

    if not isinstance(word, str) or not 0 < len(word) <= LONGEST_WORD:
        return ""
    names = {name.lower(): name for name in known if isinstance(name, str)}
    found = difflib.get_close_matches(word.lower(), names, n=TIES, cutoff=LIKENESS)
    if not found:
        return ""
    matcher = difflib.SequenceMatcher()
    matcher.set_seq2(word.lower())
    likeness = {}
    for name in found:
        matcher.set_seq1(name)
        likeness[name] = matcher.ratio()
    best = max(likeness.values())
    first = next(name for name in names if likeness.get(name) == best)  # of equals the one that is known first
    return names[first] if names[first] != word else ""


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """`` (did you mean NEAREST?)``, with the blank before it; empty when nothing is like the word."""
    found = nearest(word, known)
    return f" (did you mean {found}?)" if found else ""


def article(noun: str) -> str:
    """``a`` or ``an``, as the noun wants it."""
    return "an" if noun[:1] in tuple("aeiou") else "a"


def no_such_key(word: object, known: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return the expectation for an unknown key: up to MOST_KEYS of the `known` keys in order, and the nearest of `known` and `others` as a hint."""
    known = sorted(known)
    names = ", ".join(known[:MOST_KEYS]) + (", ..." if len(known) > MOST_KEYS else "")
    return f"unknown key; expected {names}{did_you_mean(word, (*known, *others))}"


MOST_KEYS = 8
"""Keys of a section that a message lists."""
