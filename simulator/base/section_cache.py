"""Cache of checked sections of files: a section with the same content is not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

MAX_SECTIONS = 250
"""Maximum number of cached sections; a vehicle with its terrain and maneuver has about 90."""


class SectionCache:
    """Sections read last, for contents of plain data, which are equal if their bytes are equal. The cached values must not be modified.

    Parameters
    ----------
    serialize : function that returns a content as bytes; it raises TypeError, ValueError or OverflowError for other than plain data

    Attributes
    ----------
    entries : table and values of a section, by the id of the table, its place, `fill`, and the content; the reference to the table keeps its
        id unique
    """

    def __init__(self, serialize: Callable[[Any], bytes]) -> None:
        self._serialize = serialize
        self.entries: dict[tuple[int, tuple[str, str], bool, bytes], tuple[Any, Any]] = {}

    def take(self, table: Any, place: tuple[str, str], fill: bool, section: Any, read: Callable[[], Any]) -> Any:
        """Return the values of a section from the cache, or from `read`. Errors that `read` raises are not cached.

        place : file and key path of the section, which its values carry for messages
        """
        try:
            key = id(table), place, fill, self._serialize(section)
        except (TypeError, ValueError, OverflowError):  # an array, an invalid character, an integer of 40 digits
            return read()
        entry = self.entries.pop(key, None) or (table, read())
        self.entries[key] = entry  # moves the entry to the end, so that the first one is the least recently used
        if len(self.entries) > MAX_SECTIONS:
            del self.entries[next(iter(self.entries))]
        return entry[1]


_active: SectionCache | None = None


def cached_sections() -> SectionCache | None:
    """Return the active cache; None if each section is read."""
    return _active


@contextmanager
def sections_read_once(cache: SectionCache) -> Iterator[None]:
    """Activate a cache within the block."""
    global _active  # noqa: PLW0603
    before, _active = _active, cache
    try:
        yield
    finally:
        _active = before
