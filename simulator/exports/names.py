"""Names that a format allows: other letters are replaced, long names are cut, and all names stay different."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def unique_names(names: Iterable[str], allowed: Callable[[str], str], longest: int) -> list[str]:
    """Return names for a format, in the same order; the first of several equal names keeps it, the others end in _2, _3 ...

    Parameters
    ----------
    allowed : returns a name with the letters of the format
    longest : maximum length in bytes of UTF-8
    """
    used: set[str] = set()
    out = []
    for name in names:
        wanted = cut(allowed(name), longest)
        one, number = wanted, 1
        while one in used:
            number += 1
            one = f"{cut(wanted, longest - len(f'_{number}'))}_{number}"
        used.add(one)
        out.append(one)
    return out


def cut(text: str, longest: int) -> str:
    """Return the start of a text with at most `longest` bytes of UTF-8, without a part of a letter."""
    return text.encode(errors="replace")[:longest].decode(errors="ignore")
