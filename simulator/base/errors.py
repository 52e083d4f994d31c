"""Everything that may go wrong in a way the user can mend. The command line prints such an error as one line and exits with 2."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType


class JounceError(Exception):
    """Base of every error that Jounce raises on purpose; its text is the one line a user reads, whatever stands in it. (Several errors of
    one file, `ConfigErrors`, are a line each.)"""

    def __init__(self, text: str = "") -> None:
        super().__init__(one_line(text))


class ConfigError(JounceError):
    """Raised when a file, an option or an argument cannot be used.

    The text is ``FILE:LINE: KEY: PROBLEM; expected EXPECTED; got VALUE; hint: HINT``; parts that do not exist are left out.

    Parameters
    ----------
    file : name of the file, or a short description of the source when there is no file
    key : path of the key in the file, for example ``corners.front.spring.rate`` (empty: the file as a whole)
    value : value of the key; NOTHING when the key is missing
    expected : description of a valid value; it may end in a hint of `simulator.base.suggestions`
    """

    def __init__(self, file: object, key: str, value: object, expected: str) -> None:
        self.file, self.key, self.value, self.expected = str(file), key, value, expected
        super().__init__(self.text(None))

    @property
    def errors(self) -> tuple[ConfigError, ...]:
        """Return the errors that this one stands for: itself, or those of a `ConfigErrors`."""
        return (self,)

    @property
    def line(self) -> int | None:
        """Return the line of the key, or of the section in which it is missing; None for a file without lines."""
        return line_finder(self.file, self.key) if self.key else None

    def text(self, line: int | None) -> str:
        """Return the message with the number of the line, if there is one."""
        place = f"{self.file}:{line}" if line else self.file
        return one_line(": ".join([*(part for part in (place, self.key) if part), self._statement()]))

    def _statement(self) -> str:
        """Return the message without its place."""
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

    def __reduce__(self) -> tuple[object, ...]:  # an exception is otherwise unpickled from its text alone
        return type(self), (self.file, self.key, self.value, self.expected)


NOTHING = "nothing"
"""Value of a key that is missing, in a ConfigError."""
UNKNOWN_KEY = "unknown key"
"""Problem of a key that no table has."""


def _split_hint(expected: str) -> list[str]:
    """Return the description of a valid value, and the hint in parentheses at its end, if there is one."""
    start = max(expected.find(f" ({word}") for word in HINTS)
    if start < 0 or not expected.endswith(")"):
        return [expected]
    return [expected[:start], expected[start + 2 : -1]]


HINTS = ("did you mean ", "is ")
"""First words of hints in parentheses."""


def place_of(file: str, key: str) -> str:
    """Return ``FILE:LINE`` of a key, or the file alone where it has no lines."""
    line = line_finder(file, key) if key else None
    return f"{file}:{line}" if line else file


class ConfigErrors(ConfigError):  # noqa: N818 - they are several
    """Everything that is wrong with a file: a line for each error, `errors`; file, key, value and expectation are those of the first."""

    def __init__(self, errors: Sequence[ConfigError]) -> None:
        first = errors[0]
        super().__init__(first.file, first.key, first.value, first.expected)
        self._errors = tuple(errors)

    @property
    def errors(self) -> tuple[ConfigError, ...]:
        return self._errors

    def __str__(self) -> str:
        lines = [str(error) for error in self._errors[:MOST_SHOWN]]
        more = len(self._errors) - len(lines)
        return "\n".join(lines + [f"{self.file}: {more} more error{'s' * (more > 1)}"] * (more > 0))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._errors,)


MOST_SHOWN = 20
"""Errors of one file that are shown."""


def _no_lines(file: str, key: str) -> int | None:
    return None


line_finder: Callable[[str, str], int | None] = _no_lines
"""Finds the line of a file in which a key path stands. Whoever reads files that have lines puts his own here: this room reads none."""


MOST_SORTED = 200
"""Errors of a file beyond which they stay in the order in which they were found: each line is looked for in the whole file."""


def raise_all(errors: Sequence[ConfigError]) -> None:
    """Raise the errors of files, all at once, file by file in the order of their lines; nothing when there is none."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ConfigErrors(_by_line(errors))


def _by_line(errors: Sequence[ConfigError]) -> Sequence[ConfigError]:
    if len(errors) > MOST_SORTED:
        return errors
    files = {file: n for n, file in enumerate(dict.fromkeys(error.file for error in errors))}
    return sorted(errors, key=lambda error: (files[error.file], error.line or 0))


class ErrorCollector:
    """Errors of parts that do not depend on each other, raised together where the block ends.

    >>> with ErrorCollector() as faults:
    ...     with faults.part():
    ...         raise ConfigError("car.yaml", "mass", -1.0, "a mass above 0")
    ...     with faults.part():
    ...         raise ConfigError("car.yaml", "width", -1.0, "a width above 0")
    Traceback (most recent call last):
    simulator.base.errors.ConfigErrors: car.yaml: mass: invalid value; expected a mass above 0; got -1.0
    car.yaml: width: invalid value; expected a width above 0; got -1.0
    """

    def __init__(self) -> None:
        self.errors: list[ConfigError] = []

    def __enter__(self) -> ErrorCollector:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, ConfigError):
            raise_all([*self.errors, *error.errors])
        elif error is None:
            raise_all(self.errors)

    @contextmanager
    def part(self) -> Iterator[None]:
        """A part whose errors do not keep the next one from being looked at; of one key the first is told."""
        try:
            yield
        except ConfigError as error:
            told = {(one.file, one.key) for one in self.errors}
            self.errors.extend(one for one in error.errors if (one.file, one.key) not in told)

    def add(self, error: ConfigError) -> None:
        """An error that is not raised at once."""
        self.errors.append(error)

    def need_all(self) -> None:
        """Raise what has been gathered: what follows needs every part before it."""
        errors, self.errors = self.errors, []
        raise_all(errors)


class DeprecatedNameWarning(UserWarning):
    """An old name that works until version 0.4."""


class GravityWarning(UserWarning):
    """A vehicle file says a gravity; that of the ground counts."""


class TireTypeWarning(UserWarning):
    """A tire file does not say which model its numbers are of."""


class WashoutTypeWarning(UserWarning):
    """A washout file does not say which washout its numbers are of."""


class InertiaWarning(UserWarning):
    """An inertia that no rigid body can have, as published vehicle data sometimes give; it is used as it stands."""


class DeviceError(JounceError):
    """An input device, a display or a sound card cannot be used."""


class StreamError(JounceError):
    """A network address, port or packet cannot be used."""


class OutputError(JounceError):
    """A result cannot be written where the user asked for it."""


LOOKED_INTO = 50
"""Levels, items and letters of a wrong value that are looked at for a hint."""


def one_line(text: str) -> str:
    """`text` with everything that does not print (line ends, control characters) written as in Python source."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _yaml_number(value: object, expected: str) -> str:
    """Return how to write a number that YAML reads as text, such as 41.6e3 or 1e-3; empty for anything else."""
    for _ in range(LOOKED_INTO):
        if isinstance(value, (list, tuple)):
            value = next((item for item in value[:LOOKED_INTO] if isinstance(item, (str, list, tuple))), None)
    if not isinstance(value, str) or len(value) > LOOKED_INTO or "number" not in expected:
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
    """`repr` of a value, cut; no more of it is looked at than is shown, however large it is or however often it holds itself. Of a long text
    the end is shown too: that of a path says most."""
    if isinstance(value, str) and len(value) > limit - 2:
        half = (limit - 5) // 2
        return f"{repr(value[:half])[:-1]}...{repr(value[-half:])[1:]}"
    text = ""
    for piece in _pieces(value, limit):
        text += piece
        if len(text) > limit:
            return text[: limit - 3] + "..."
    return text


def _pieces(value: object, limit: int) -> Iterator[str]:
    """The parts of `repr(value)`, one after the other."""
    if isinstance(value, (dict, list, tuple)):
        first, last = "{}" if isinstance(value, dict) else "[]" if isinstance(value, list) else "()"
        yield first
        for n, item in enumerate(value):
            yield ", " if n else ""
            yield from _pieces(item, limit)
            if isinstance(value, dict):
                yield ": "
                yield from _pieces(value[item], limit)
        yield ("," if isinstance(value, tuple) and len(value) == 1 else "") + last
    elif isinstance(value, (str, bytes)):
        yield repr(value[: limit + 1])
    elif isinstance(value, int) and value.bit_length() > 1000:
        yield f"a whole number of {value.bit_length()} bits"  # Python does not write out what is longer than 4300 digits
    elif callable(getattr(value, "tolist", None)):  # a number or array of NumPy
        size = getattr(value, "size", 0)
        yield from _pieces(value.tolist() if size <= limit else f"{size} numbers", limit)  # type: ignore[attr-defined]
    else:
        yield repr(value)
