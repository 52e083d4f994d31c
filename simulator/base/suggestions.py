"""Suggestions for unknown words in messages."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_WORD = 64
"""Maximum number of letters: a longer word is not a typo, and its comparison is slow."""
MAX_NAMES = 8
"""Maximum number of names that a message lists."""
TIES = 5
"""Number of nearest words that are compared for ties."""
MIN_RATIO = 0.6
"""Minimum ratio of common letters, see `difflib.SequenceMatcher.ratio`."""


def nearest(word: object, known: Iterable[object]) -> str:
    """Return the known word nearest to `word`, other than `word`; empty if none is near."""
    import difflib  # imported on demand, for messages only

    if not isinstance(word, str) or not 0 < len(word) <= LONGEST_WORD:
        return ""
    names = {name.lower(): name for name in known if isinstance(name, str)}
    found = difflib.get_close_matches(word.lower(), names, n=TIES, cutoff=MIN_RATIO)
    if not found:
        return ""
    matcher = difflib.SequenceMatcher()
    matcher.set_seq2(word.lower())
    ratios = {}
    for name in found:
        matcher.set_seq1(name)
        ratios[name] = matcher.ratio()
    best = max(ratios.values())
    first = next(name for name in names if ratios.get(name) == best)  # among ties, the first known word
    return names[first] if names[first] != word else ""


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Return `` (did you mean NEAREST?)`` with a leading blank; empty if no known word is near."""
    found = nearest(word, known)
    return f" (did you mean {found}?)" if found else ""


def listed(names: Iterable[object], command: str = "") -> str:
    """Return the first MAX_NAMES names with commas; if there are more, then `...` and the command that prints all of them."""
    known = [str(name) for name in names]
    if len(known) <= MAX_NAMES:
        return ", ".join(known)
    return ", ".join([*known[:MAX_NAMES], f"... (`{command}`)" if command else "..."])


def article(noun: str) -> str:
    """Return the indefinite article of a noun, ``a`` or ``an``."""
    return "an" if noun[:1] in tuple("aeiou") else "a"


def no_such_key(word: object, known: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return the expectation for an unknown key: the `known` keys in order, as `listed`, and the nearest of `known` and `others` as a hint."""
    known = sorted(known)
    return f"unknown key; expected {listed(known)}{did_you_mean(word, (*known, *others))}"
