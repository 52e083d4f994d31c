"""Everything that may go wrong in a way the user can mend. The command line prints such an error as one line and exits with 2."""

from __future__ import annotations


class JounceError(Exception):
    """Base of every error that Jounce raises on purpose; its text is the one line a user reads."""


class ConfigError(JounceError):
    """A file says something that cannot be used.

    Parameters
    ----------
    file : name of the file, or a short description of the source when there is no file
    key : path of the key inside it, for example ``corners.front.spring.rate`` (empty: the file as a whole)
    value : what was found there
    expected : what would have been accepted, in words
    """

    def __init__(self, file: object, key: str, value: object, expected: str) -> None:
        self.file, self.key, self.value, self.expected = str(file), key, value, expected
        where = f"{self.file}: {key}: " if key else f"{self.file}: "
        super().__init__(f"{where}got {_short(value)}, expected {expected}")


class InertiaWarning(UserWarning):
    """An inertia that no rigid body can have, as published vehicle data sometimes give; it is used as it stands."""


class DeviceError(JounceError):
    """An input device, a display or a sound card cannot be used."""


class StreamError(JounceError):
    """A network address, port or packet cannot be used."""


class OutputError(JounceError):
    """A result cannot be written where the user asked for it."""


def _short(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
