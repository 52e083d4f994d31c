"""Errors that the user can fix. The command line prints each as one line and exits with code 2."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType


class JounceError(Exception):
    """Base class of all errors that Jounce raises. The text is one line; `ConfigErrors` has one line for each error of a file."""

    def __init__(self, text: str = "") -> None:
        super().__init__(one_line(text))


class ConfigError(JounceError):
    """Raised when a file, an option or an argument cannot be used.

    The text is ``FILE:LINE: KEY: PROBLEM; expected EXPECTED; got VALUE; hint: HINT``; parts that do not exist are left out.

    Parameters
    ----------
    file : name of the file, or a short description of the source when there is no file
    key : path of the key in the file, for example ``corners.front.spring.rate`` (empty: the file itself)
    value : value of the key; NOTHING when the key is missing
    expected : description of a valid value; it may end in a hint of `simulator.base.suggestions`
    causes : further keys of the same content that determine the value; a message names the one that the user set
    """

    def __init__(self, file: object, key: str, value: object, expected: str, causes: Sequence[str] = ()) -> None:
        self.file, self.key, self.value, self.expected, self.causes = str(file), key, value, expected, tuple(causes)
        super().__init__(self.text(None))

    @property
    def errors(self) -> tuple[ConfigError, ...]:
        """Return the single errors: the error itself, or the errors of a `ConfigErrors`."""
        return (self,)

    @property
    def line(self) -> int | None:
        """Return the line of the key, or of the section in which it is missing; None for a file without lines."""
        return line_finder(self.file, self.key) if self.key else None

    def moved_to(self, file: object, key: str) -> ConfigError:
        """Return the same error about a key of another file; of several errors, the first one."""
        return type(self.errors[0])(file, key, self.value, self.expected)

    def text(self, line: int | None) -> str:
        """Return the message, with the line number if it is given."""
        key, of_parser = self.key, _LINE.fullmatch(self.key)
        if of_parser:
            line, key = int(of_parser[1]), of_parser[2] or ""
        place = f"{self.file}:{line}" if line else self.file
        return one_line(": ".join([*(part for part in (place, key) if part), self._statement()]))

    def _statement(self) -> str:
        """Return the message without file, line and key."""
        expected, *hints = _split_hint(self.expected)
        is_missing = isinstance(self.value, str) and self.value == NOTHING
        problem = "missing" if is_missing else "invalid value"
        if expected.startswith(UNKNOWN_KEY):
            problem, expected = UNKNOWN_KEY, expected.removeprefix(f"{UNKNOWN_KEY}; expected ")
        parts = [problem, f"expected {expected}"] if expected != problem else [problem]
        if not is_missing:
            parts.append(f"got {_short(self.value)}")
        hints += filter(None, [_yaml_number(self.value, expected)])
        return "; ".join([*parts, *(f"hint: {hint}" for hint in hints)])

    def __str__(self) -> str:
        return self.text(self.line)

    def __reduce__(self) -> tuple[object, ...]:  # by default, an exception is unpickled from its text
        return type(self), (self.file, self.key, self.value, self.expected, self.causes)


class UnreadableError(ConfigError):
    """Raised when the content of a file cannot be read. The value is the problem that the reader of the format reports."""

    def _statement(self) -> str:
        expected, *hints = _split_hint(self.expected)
        return "; ".join([str(self.value)[:MAX_PROBLEM], f"expected {expected}", *(f"hint: {hint}" for hint in hints)])


MAX_PROBLEM = 200
"""Maximum number of letters that are shown of the problem of an unreadable file."""
_LINE = re.compile(r"line (\d+)(?:: (.*))?")
"""Key of an error that a parser found: the line, and the key in that line if there is one."""
NOTHING = "nothing"
"""Value of a key that is missing, in a ConfigError."""
TERRAIN = "terrain"
"""File of an error of a vehicle about the gravity: a vehicle does not know the terrain file."""
UNKNOWN_KEY = "unknown key"
"""Problem of a key that is not in the table."""


def _split_hint(expected: str) -> list[str]:
    """Return the description of a valid value, and the hint in parentheses at its end, if there is one."""
    start = max(expected.find(f" ({word}") for word in HINTS)
    if start < 0 or not expected.endswith(")"):
        return [expected]
    return [expected[:start], expected[start + 2 : -1]]


HINTS = ("did you mean ", "is ", "run ")
"""First words of a hint in parentheses."""


class ConfigErrors(ConfigError):  # noqa: N818 - several errors
    """All errors of a file, one line each. File, key, value and expectation are those of the first error."""

    def __init__(self, errors: Sequence[ConfigError]) -> None:
        first = errors[0]
        super().__init__(first.file, first.key, first.value, first.expected)
        self._errors = tuple(errors)

    @property
    def errors(self) -> tuple[ConfigError, ...]:
        return self._errors

    def __str__(self) -> str:
        lines = [str(error) for error in self._errors[:MAX_SHOWN]]
        more = len(self._errors) - len(lines)
        return "\n".join(lines + [f"{self.file}: {more} more error{'s' * (more > 1)}"] * (more > 0))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._errors,)


MAX_SHOWN = 20
"""Maximum number of errors of a file that are shown."""


def _no_lines(file: str, key: str) -> int | None:
    return None


line_finder: Callable[[str, str], int | None] = _no_lines
"""Function that returns the line of a key path in a file. The YAML reader replaces it; this module reads no files."""


MAX_SORTED = 200
"""Maximum number of errors that are sorted by line: finding a line requires a search of the file."""


def raise_all(errors: Sequence[ConfigError]) -> None:
    """Raise all errors at once, file by file in the order of the lines. No effect without errors."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ConfigErrors(_by_line(errors))


def _by_line(errors: Sequence[ConfigError]) -> Sequence[ConfigError]:
    if len(errors) > MAX_SORTED:
        return errors
    files = {file: n for n, file in enumerate(dict.fromkeys(error.file for error in errors))}
    return sorted(errors, key=lambda error: (files[error.file], error.line or 0))


class ErrorCollector:
    """Collector of the errors of independent parts; leaving the block raises them together.

    >>> with ErrorCollector() as errors:
    ...     with errors.part():
    ...         raise ConfigError("car.yaml", "mass", -1.0, "a mass above 0")
    ...     with errors.part():
    ...         raise ConfigError("car.yaml", "width", -1.0, "a width above 0")
    Traceback (most recent call last):
    simulator.base.errors.ConfigErrors: car.yaml: mass: invalid value; expected a mass above 0; got -1.0
    car.yaml: width: invalid value; expected a width above 0; got -1.0
    """

    def __init__(self) -> None:
        self.errors: list[ConfigError] = []
        self._reported: set[tuple[str, str]] = set()

    def __enter__(self) -> ErrorCollector:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, ConfigError):
            raise_all([*self.errors, *error.errors])
        elif error is None:
            raise_all(self.errors)

    @contextmanager
    def part(self) -> Iterator[None]:
        """Collect the errors of a block, so that the next part is checked too. Only the first error of each key is kept."""
        try:
            yield
        except ConfigError as error:
            found = [one for one in error.errors if (one.file, one.key) not in self._reported]
            self.errors.extend(found)
            self._reported.update((one.file, one.key) for one in found)

    def add(self, error: ConfigError) -> None:
        """Add an error."""
        self.errors.append(error)
        self._reported.add((error.file, error.key))

    def need_all(self) -> None:
        """Raise the errors collected so far, because the next part depends on the parts before."""
        errors, self.errors = self.errors, []
        raise_all(errors)


class SensorWarning(UserWarning):
    """Warning that a sensor measures less than it is asked for."""


class OtherVehicleWarning(UserWarning):
    """Warning that another vehicle has stopped, or brakes because its driver failed."""


class TireTypeWarning(UserWarning):
    """Warning that a tire file has no `type`."""


class WashoutTypeWarning(UserWarning):
    """Warning that a washout file has no `type`."""


class InertiaWarning(UserWarning):
    """Warning about an inertia that no rigid body can have, as in some published vehicle data. The value is used."""


class HighFeatureWarning(UserWarning):
    """Warning that a wall or a step of a terrain file is higher than a wheel climbs, and is an object."""


class InsideBodyWarning(UserWarning):
    """Warning that a sensor is inside a part of the body, which it sees through."""


class DeviceError(JounceError):
    """Error of an input device, a display or a sound card."""


class StreamError(JounceError):
    """Error of a network address, port or packet."""


class OutputError(JounceError):
    """Raised when a result cannot be written to the requested path."""


MAX_INSPECTED = 50
"""Maximum number of levels, items and letters of an invalid value that are inspected for a hint."""


def one_line(text: str) -> str:
    """Return a text in which line ends and control characters are escaped as in Python source."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _yaml_number(value: object, expected: str) -> str:
    """Return a hint for a number that YAML reads as text, such as 41.6e3 or 1e-3; empty for any other value."""
    for _ in range(MAX_INSPECTED):
        if isinstance(value, (list, tuple)):
            value = next((item for item in value[:MAX_INSPECTED] if isinstance(item, (str, list, tuple))), None)
    if not isinstance(value, str) or len(value) > MAX_INSPECTED or "number" not in expected:
        return ""
    try:
        number = float(value)
    except ValueError:
        return ""
    if not math.isfinite(number):
        return ""
    mantissa, e, exponent = repr(number).partition("e")
    written = f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if e else mantissa
    return f"YAML reads {value!r} as text; write {written}"


def _short(value: object, limit: int = 80) -> str:
    """Return the truncated `repr` of a value. A long text keeps its start and its end, which is the useful part of a path.

    Only the displayed part is formatted, so that a large or self-referencing value is safe.
    """
    if isinstance(value, str) and len(value) > limit - 2:
        half = (limit - 5) // 2
        return f"{repr(value[:half])[:-1]}...{repr(value[-half:])[1:]}"
    text = ""
    for part in _parts(value, limit):
        text += part
        if len(text) > limit:
            return text[: limit - 3] + "..."
    return text


def _parts(value: object, limit: int) -> Iterator[str]:
    """Yield the parts of `repr(value)`."""
    if isinstance(value, (dict, list, tuple)):
        first, last = "{}" if isinstance(value, dict) else "[]" if isinstance(value, list) else "()"
        yield first
        for n, item in enumerate(value):
            yield ", " if n else ""
            yield from _parts(item, limit)
            if isinstance(value, dict):
                yield ": "
                yield from _parts(value[item], limit)
        yield ("," if isinstance(value, tuple) and len(value) == 1 else "") + last
    elif isinstance(value, (str, bytes)):
        yield repr(value[: limit + 1])
    elif isinstance(value, int) and value.bit_length() > 1000:
        yield f"an integer of {value.bit_length()} bits"  # Python does not format integers of more than 4300 digits
    elif callable(getattr(value, "tolist", None)):  # a NumPy number or array
        size = getattr(value, "size", 0)
        yield from _parts(value.tolist() if size <= limit else f"{size} numbers", limit)  # type: ignore[attr-defined]
    else:
        yield repr(value)
