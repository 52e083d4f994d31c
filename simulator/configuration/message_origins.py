"""Origins in messages: an error about a value names the file or the option that the value comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simulator.base.errors import ConfigError, raise_all
from simulator.configuration.key_path import KeyPath, parse, written
from simulator.configuration.layers import Layer, Origin, joined
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
        try:
            yield self._named.label(path)
        except ConfigError as error:
            errors = [self._moved(path, one) for one in error.errors]
        else:
            return
        raise_all(errors)

    @contextmanager
    def relative_to(self, path: KeyPath = ()) -> Iterator[None]:
        """Give errors within the block, whose keys are relative to a path, the file or option of the value."""
        try:
            yield
        except ConfigError as error:
            errors = [self.wrong(path, one) for one in error.errors]
        else:
            return
        raise_all(errors)

    def wrong(self, at: KeyPath, error: ConfigError) -> ConfigError:
        """Return an error whose key is relative to a path with the file or option of the value."""
        rest = parse(error.key)
        if written(rest) != error.key:
            origin = self._layer.origin_of(at)
            return error.moved_to(origin.source, joined(origin.key, (error.key,) if error.key else ()))
        path = (*at, *rest)
        origin, below = self._layer.origin(path)
        if origin.is_file and (settings := self.settings_below(path)):
            origin, below = settings[-1], ()
        return error.moved_to(origin.source, joined(origin.key, below))

    def _moved(self, at: KeyPath, error: ConfigError) -> ConfigError:
        """Return an error about the content at or below a path with the file or option of the value."""
        path = self._named.labeled(at, error.file)
        return error if path is None else self.wrong(path, error)
