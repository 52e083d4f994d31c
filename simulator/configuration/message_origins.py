"""Origins in messages: an error about a value names the file or the option that the value comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from simulator.base.errors import TERRAIN, ConfigError, raise_all
from simulator.configuration.file_lookup import is_shipped
from simulator.configuration.key_path import KeyPath, parse, written
from simulator.configuration.layers import Layer, Origin, joined, other_spellings
from simulator.configuration.named_files import NamedFiles


class MessageOrigins:
    """Origins of the values of a session.

    Parameters
    ----------
    layer : content of the session with its origins
    named : files of the contents
    """

    def __init__(self, layer: Layer, named: NamedFiles) -> None:
        self._layer, self._named = layer, named

    def of(self, place: str) -> Origin:
        """Return the origin of the value at a key path."""
        return self._layer.origin_of(parse(place))

    def settings_below(self, path: KeyPath) -> list[Origin]:
        """Return the origins from the command line at and below a path, the last one last."""
        return [one for known, one in self._layer.origins.items() if known[: len(path)] == path and not one.is_file]

    @contextmanager
    def about(self, path: KeyPath) -> Iterator[str]:
        """Yield the file for messages about a path that was read. Errors within the block get the origin of the value."""
        with _changed(partial(self._moved, path)):
            yield self._named.label(path)

    def relative_to(self, path: KeyPath = ()) -> AbstractContextManager[None]:
        """Give errors within the block, whose keys are relative to a path, the file or option of the value."""
        return _changed(partial(self.wrong, path))

    def at_start(self) -> AbstractContextManager[None]:
        """Give errors of a vehicle that does not stand on the terrain, within the block, the file or option of the value."""
        return _changed(lambda one: self.wrong((TERRAIN,), one) if one.file == TERRAIN else self._moved(("vehicle",), one))

    def wrong(self, at: KeyPath, error: ConfigError) -> ConfigError:
        """Return an error whose key is relative to a path with the file or option of the value, or of the cause that the user set."""
        rest = parse(error.key)
        if written(rest) != error.key:
            origin = self._layer.origin_of(at)
            return error.moved_to(origin.source, joined(origin.key, (error.key,) if error.key else ()))
        paths = [self._spelled((*at, *rest))]
        causes = [path for cause in error.causes for path in self._matching((*at, *parse(cause)))]
        path = min([*paths, *causes], key=self._rank)
        origin, below = self._said(path)
        moved = error.moved_to(origin.source, joined(origin.key, below))
        moved.causes = () if path in paths else error.causes
        return moved

    def _said(self, path: KeyPath) -> tuple[Origin, KeyPath]:
        """Return the origin of a value, or the last one that changes a part of it, and the rest of the path below it."""
        origin, below = self._layer.origin(path)
        if not origin.is_file:
            return origin, below
        if settings := self.settings_below(path):
            return settings[-1], ()
        place = self._named.around(path)
        inside = [(known, one) for known, one in self._layer.origins.items() if len(known) > len(path) and known[: len(path)] == path]
        changes = [one for known, one in inside if self._named.around(known) == place and self._is_outside(known, one)]
        return (changes[-1], ()) if changes else (origin, below)

    def _rank(self, path: KeyPath) -> tuple[int, int]:
        """Return the rank of a value: the command line before a session or sweep, before the files of the user from the top down, before
        the shipped files."""
        origin, _ = self._said(path)
        if not origin.is_file:
            return 0, 0
        if is_shipped(origin.source):
            return 3, origin.depth
        return (1, 0) if self._is_outside(path, origin) else (2, origin.depth)

    def _is_outside(self, path: KeyPath, origin: Origin) -> bool:
        """Return True if a session or a sweep sets a value of another file."""
        named_file = self._named.around(path)
        return named_file is not None and not origin.depth and origin.source != self._named.label(named_file[0])

    def _matching(self, pattern: KeyPath) -> list[KeyPath]:
        """Return the paths of the values that match a pattern, in which * is any part."""
        head = max((n + 1 for n, part in enumerate(pattern) if part == "*"), default=0)
        paths = [self._spelled((*path, *pattern[head:])) for path in self._layer.matching(pattern[:head])]
        return [path for path in paths if self._layer.at(path) is not None]

    def _spelled(self, path: KeyPath) -> KeyPath:
        """Return a path with the keys as in the files, which may have units."""
        for n, part in enumerate(path):
            node = self._layer.at(path[:n])
            if isinstance(node, dict) and part not in node:
                path = (*path[:n], next(iter(other_spellings(part, node)), part), *path[n + 1 :])
        return path

    def _moved(self, at: KeyPath, error: ConfigError) -> ConfigError:
        """Return an error about the content at or below a path with the file or option of the value."""
        path = self._named.labeled(at, error.file)
        return error if path is None else self.wrong(path, error)


@contextmanager
def _changed(change: Callable[[ConfigError], ConfigError]) -> Iterator[None]:
    """Change each error that is raised within the block."""
    try:
        yield
    except ConfigError as error:
        errors = [(bool(one.causes), change(one)) for one in error.errors]
    else:
        return
    raise_all(_one_of_each_cause(errors))


def _one_of_each_cause(errors: list[tuple[bool, ConfigError]]) -> list[ConfigError]:
    """Return one error of those with several possible causes that name the same cause, preferably one about the key itself.

    errors : changed errors, each with whether it had several possible causes
    """
    chosen: dict[tuple[str, str], ConfigError] = {}
    for has_causes, error in errors:
        if has_causes:
            known = chosen.setdefault((error.file, error.key), error)
            if known.causes and not error.causes:
                chosen[error.file, error.key] = error
    return [error for has_causes, error in errors if not has_causes or chosen[error.file, error.key] is error]
