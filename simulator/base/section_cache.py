"""Sections of files that were read already: one that says what another has said by the same table is not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

MOST = 250
"""Sections that are kept; a vehicle with its ground and maneuver has some ninety."""


class SectionCache:
    """The sections that were read last, for contents of plain data, in which equal bytes are the same. Nobody writes into what was read.

    Parameters
    ----------
    said : gives all that a content says as bytes; raises TypeError, ValueError or OverflowError where that is not to be told

    Attributes
    ----------
    found : by the id of a table, whether defaults are filled in, and what a section says: the table, which lives as long, and what was read
    """

    def __init__(self, said: Callable[[Any], bytes]) -> None:
        self._said = said
        self.found: dict[tuple[int, bool, bytes], tuple[Any, Any]] = {}

    def take(self, table: Any, fill: bool, section: Any, read: Callable[[], Any]) -> Any:
        """What was read of a section by a table before, or is read now; what `read` raises is not kept."""
        try:
            key = id(table), fill, self._said(section)
        except (TypeError, ValueError, OverflowError):  # an array; letters that are none; a number of forty digits
            return read()
        known = self.found.pop(key, None) or (table, read())
        self.found[key] = known  # the one asked for last is the last one
        if len(self.found) > MOST:
            del self.found[next(iter(self.found))]
        return known[1]


_known: SectionCache | None = None


def cached_sections() -> SectionCache | None:
    """Those that count now; None where each section is read."""
    return _known


@contextmanager
def sections_read_once(known: SectionCache) -> Iterator[None]:
    """Inside, the known ones count."""
    global _known  # noqa: PLW0603
    before, _known = _known, known
    try:
        yield
    finally:
        _known = before
