"""User-defined metrics: expressions of channels with a fixed set of functions.

    max(abs(derivative(lowpass(a_WB_B_x, 10))))
    at(v_WB_B_x, phase_end('turn')) - first(v_WB_B_x)

The expression is parsed to a tree, which the table below evaluates; Python never executes the text. A series is a column of the telemetry
with a selection of rows, initially all. `between`, `during` and `where` reduce the selection. Filters and rates use the complete
column. Functions that return a number (`max`, `mean`, `first`, ...) use the selected rows. A missing result is NaN.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.contract import Drive

MAX_LENGTH = 1000
"""Maximum number of characters of an expression."""
DEEPEST = 30
"""Maximum depth of nested expressions, brackets included."""
MAX_PARTS = 300
FILTER_POLES = 12
STEEP_POLES = 4


class Series(NamedTuple):
    """A number for each row and the selection of rows."""

    values: NDArray[np.float64]
    selected: NDArray[np.bool_]

    def left(self) -> NDArray[np.float64]:
        """Return the selected values."""
        return self.values[self.selected]


Value = float | Series
SERIES, NUMBER, EITHER, PHASE = "series", "number", "either", "phase"


class Function(NamedTuple):
    """Function of expressions: types of the arguments (the last `optional` may be omitted), type of the result, description."""

    accepts: tuple[str, ...]
    gives: str
    """EITHER: a series if one argument is a series."""
    run: Callable[..., Value]
    meaning: str
    optional: int = 0
    many: bool = False
    """True if more arguments of the last type may follow."""


class Expression(NamedTuple):
    """Checked expression."""

    tree: ast.expr
    channels: tuple[str, ...]

    def value(self, drive: Drive) -> float:
        """Return the number for a run; NaN if it is undefined."""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            result = _value(self.tree, drive)
        assert not isinstance(result, Series)
        return float(result) if math.isfinite(result) else math.nan


# ---- functions ----


def _elementwise(function: Callable[..., Any]) -> Callable[..., Value]:
    """Return a function of numbers that works on series row by row."""

    def run(drive: Drive, *values: Value) -> Value:
        series = [value for value in values if isinstance(value, Series)]
        if not series:
            return float(function(*values))
        selected = np.logical_and.reduce([one.selected for one in series])
        out = function(*(value.values if isinstance(value, Series) else value for value in values))
        return Series(np.asarray(out, dtype=float), selected)

    return run


def _reduction(function: Callable[[NDArray[np.float64]], Any]) -> Callable[..., Value]:
    """Return a function that reduces the selected rows to a number."""

    def run(drive: Drive, x: Series) -> Value:
        left = x.left()
        return float(function(left)) if left.size else math.nan

    return run


def _largest(pick: Callable[..., Any], of_all: Callable[..., Any]) -> Callable[..., Value]:
    def run(drive: Drive, *values: Value) -> Value:
        if len(values) > 1:
            return _elementwise(lambda *each: _folded(pick, each))(drive, *values)
        return _reduction(of_all)(drive, values[0]) if isinstance(values[0], Series) else values[0]

    return run


def _folded(pick: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    out = values[0]
    for value in values[1:]:
        out = pick(out, value)
    return out


def _whole_column(function: Callable[..., NDArray[np.float64]]) -> Callable[..., Value]:
    """Return a function of the complete column and the sampling interval that keeps the selection of rows."""

    def run(drive: Drive, x: Series, *numbers: float) -> Value:
        return Series(function(x.values, drive.interval, *numbers), x.selected)

    return run


def _high_pass(values: NDArray[np.float64], dt: float, hertz: float) -> NDArray[np.float64]:
    if not 0.0 < hertz < 0.5 / dt:
        return np.full(len(values), math.nan)
    return signal_processing.phaseless(values, dt, hertz, STEEP_POLES, "high")


def _low_pass(values: NDArray[np.float64], dt: float, hertz: float) -> NDArray[np.float64]:
    return signal_processing.phaseless(values, dt, hertz, FILTER_POLES) if hertz > 0.0 else np.full(len(values), math.nan)


def _mean_over(values: NDArray[np.float64], dt: float, seconds: float) -> NDArray[np.float64]:
    if not 0.0 <= seconds < 1e9:
        return np.full(len(values), math.nan)
    return signal_processing.running_mean(values, dt, seconds)


def _integral(drive: Drive, x: Series) -> Value:
    return Series(signal_processing.integral(np.where(x.selected, x.values, 0.0), drive.interval), x.selected)


def _at(drive: Drive, x: Series, t: float) -> Value:
    time = drive.time
    return float(np.interp(t, time, x.values)) if time[0] <= t <= time[-1] else math.nan


def _crossing(edge: Any) -> Callable[..., Value]:
    def run(drive: Drive, x: Series, level: float, after: float = -math.inf) -> Value:
        if not x.selected.any():
            return math.nan
        return signal_processing.first_crossing(drive.time[x.selected], x.left(), level, edge, after)

    return run


def _time_of(position: Callable[[NDArray[np.float64]], Any]) -> Callable[..., Value]:
    def run(drive: Drive, x: Series) -> Value:
        return float(drive.time[x.selected][position(x.left())]) if x.selected.any() else math.nan

    return run


def _between(drive: Drive, x: Series, begin: float, end: float) -> Value:
    return Series(x.values, x.selected & (drive.time >= begin) & (drive.time <= end))


def _during(drive: Drive, x: Series, phase: str) -> Value:
    inside = np.zeros(len(x.values), dtype=bool)
    if phase in drive.phases:
        inside[drive.phases[phase]] = True
    return Series(x.values, x.selected & inside)


def _where(drive: Drive, x: Series, condition: Value) -> Value:
    true = condition.values != 0.0 if isinstance(condition, Series) else condition != 0.0
    return Series(x.values, x.selected & true & (condition.selected if isinstance(condition, Series) else True))


def _phase_time(end: bool) -> Callable[..., Value]:
    def run(drive: Drive, phase: str) -> Value:
        rows = drive.time[drive.phases[phase]] if phase in drive.phases else drive.time[:0]
        return float(rows[-1 if end else 0]) if len(rows) else math.nan

    return run


FUNCTIONS: dict[str, Function] = {
    "abs": Function((EITHER,), EITHER, _elementwise(np.abs), "absolute value"),
    "sqrt": Function((EITHER,), EITHER, _elementwise(np.sqrt), "square root"),
    "sin": Function((EITHER,), EITHER, _elementwise(np.sin), "sine of an angle in rad"),
    "cos": Function((EITHER,), EITHER, _elementwise(np.cos), "cosine of an angle in rad"),
    "tan": Function((EITHER,), EITHER, _elementwise(np.tan), "tangent of an angle in rad"),
    "atan2": Function((EITHER, EITHER), EITHER, _elementwise(np.arctan2), "angle in rad of y, x"),
    "degrees": Function((EITHER,), EITHER, _elementwise(np.degrees), "degrees from rad"),
    "radians": Function((EITHER,), EITHER, _elementwise(np.radians), "rad from degrees"),
    "clip": Function(
        (EITHER, NUMBER, NUMBER), EITHER, _elementwise(np.clip), "first argument, limited to the range from the second to the third"
    ),
    "min": Function((EITHER,), NUMBER, _largest(np.minimum, np.min), "minimum of a series; row by row for several values", many=True),
    "max": Function((EITHER,), NUMBER, _largest(np.maximum, np.max), "maximum of a series; row by row for several values", many=True),
    "mean": Function((SERIES,), NUMBER, _reduction(np.mean), "mean"),
    "rms": Function((SERIES,), NUMBER, _reduction(lambda x: math.sqrt(float(np.mean(x**2)))), "root mean square"),
    "std": Function((SERIES,), NUMBER, _reduction(np.std), "standard deviation"),
    "first": Function((SERIES,), NUMBER, _reduction(lambda x: x[0]), "first value"),
    "last": Function((SERIES,), NUMBER, _reduction(lambda x: x[-1]), "last value"),
    "at": Function((SERIES, NUMBER), NUMBER, _at, "value at a time in s, interpolated linearly"),
    "crossing": Function(
        (SERIES, NUMBER, NUMBER), NUMBER, _crossing("either"), "time in s of the first crossing of a level, after an optional time", 1
    ),
    "rising": Function(
        (SERIES, NUMBER, NUMBER),
        NUMBER,
        _crossing("rising"),
        "time in s of the first upward crossing of a level, after an optional time",
        1,
    ),
    "falling": Function(
        (SERIES, NUMBER, NUMBER),
        NUMBER,
        _crossing("falling"),
        "time in s of the first downward crossing of a level, after an optional time",
        1,
    ),
    "time_of_max": Function((SERIES,), NUMBER, _time_of(np.argmax), "time in s of the maximum"),
    "time_of_min": Function((SERIES,), NUMBER, _time_of(np.argmin), "time in s of the minimum"),
    "derivative": Function((SERIES,), SERIES, _whole_column(signal_processing.derivative), "rate of change per s"),
    "integral": Function((SERIES,), SERIES, _integral, "integral of the selected rows over time up to each row"),
    "lowpass": Function((SERIES, NUMBER), SERIES, _whole_column(_low_pass), "zero-phase Butterworth low pass with 12 poles, corner in Hz"),
    "highpass": Function(
        (SERIES, NUMBER), SERIES, _whole_column(_high_pass), "zero-phase Butterworth high pass with 4 poles, corner in Hz"
    ),
    "running_mean": Function((SERIES, NUMBER), SERIES, _whole_column(_mean_over), "mean over a window in s, centered on each row"),
    "between": Function((SERIES, NUMBER, NUMBER), SERIES, _between, "rows from one time to another, in s"),
    "during": Function((SERIES, PHASE), SERIES, _during, "rows of a phase"),
    "where": Function((SERIES, EITHER), SERIES, _where, "rows in which a condition is true"),
    "phase_start": Function((PHASE,), NUMBER, _phase_time(False), "time in s of the first row of a phase"),
    "phase_end": Function((PHASE,), NUMBER, _phase_time(True), "time in s of the last row of a phase"),
}
CONSTANTS = {"pi": math.pi, "g": 9.80665}

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power,
    ast.USub: np.negative, ast.UAdd: np.positive, ast.Not: np.logical_not, ast.And: np.logical_and, ast.Or: np.logical_or,
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal, ast.NotEq: np.not_equal,
}  # fmt: skip


# ---- evaluation ----


def _value(node: ast.expr, drive: Drive) -> Value:
    """Return the number or series of a checked tree."""
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        values = np.asarray(drive.columns[node.id], dtype=float)
        return Series(values, np.ones(len(values), dtype=bool))
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id].run(drive, *(_argument(one, drive) for one in node.args))
    if isinstance(node, ast.UnaryOp):
        return _elementwise(_of_floats(node.op))(drive, _value(node.operand, drive))
    if isinstance(node, ast.BinOp):
        return _elementwise(_of_floats(node.op))(drive, _value(node.left, drive), _value(node.right, drive))
    if isinstance(node, ast.BoolOp):
        each = _of_floats(node.op)
        return _elementwise(lambda *values: _folded(each, values))(drive, *(_value(one, drive) for one in node.values))
    assert isinstance(node, ast.Compare)
    return _elementwise(_of_floats(node.ops[0]))(drive, _value(node.left, drive), _value(node.comparators[0], drive))


def _argument(node: ast.expr, drive: Drive) -> Any:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else _value(node, drive)


def _of_floats(operator: ast.AST) -> Callable[..., Any]:
    """Return an operator on NumPy floats: results do not grow like Python integers, and no operator raises."""
    function = OPERATORS[type(operator)]
    return lambda *values: np.asarray(function(*(np.asarray(value, dtype=float) for value in values)), dtype=float)


# ---- check ----


class _Checker:
    """Checker of an expression tree: every node must be known, of the expected type and within the maximum depth."""

    def __init__(
        self, text: str, file: object, key: str, is_channel: Callable[[str], bool], near: Collection[str], phases: Collection[str]
    ):
        self._text, self._file, self._key = text, file, key
        self._is_channel, self._near, self._phases = is_channel, near, phases
        self._parts = 0
        self.channels: dict[str, None] = {}

    def wrong(self, node: ast.expr | None, expected: str) -> ConfigError:
        """Return the ConfigError with the position of a node."""
        position = "" if node is None else f"at character {len(self._text.encode()[: node.col_offset].decode(errors='ignore')) + 1}: "
        return ConfigError(self._file, self._key, self._text, f"{position}{expected}")

    def sort(self, node: ast.expr, depth: int = 0) -> str:
        """Return SERIES or NUMBER. Raises ConfigError."""
        self._parts += 1
        if depth > DEEPEST or self._parts > MAX_PARTS:
            raise self.wrong(node, f"an expression of at most {MAX_PARTS} parts, nested at most {DEEPEST} deep")
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            return self.sort(node.operand, depth + 1)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return self._widest(node.left, node.right, depth=depth)
        if isinstance(node, ast.BoolOp):
            return self._widest(*node.values, depth=depth)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
            return self._widest(node.left, node.comparators[0], depth=depth)
        raise self.wrong(node, "only numbers, channels, functions, + - * / **, comparisons of two values, and, or, not")

    def _widest(self, *nodes: ast.expr, depth: int) -> str:
        return SERIES if SERIES in [self.sort(node, depth + 1) for node in nodes] else NUMBER

    def _constant(self, node: ast.Constant) -> str:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise self.wrong(node, "a number")
        if isinstance(node.value, int) and node.value.bit_length() > 1000:
            raise self.wrong(node, "an integer of at most 1000 bits")
        return NUMBER

    def _name(self, node: ast.Name) -> str:
        if node.id in CONSTANTS:
            return NUMBER
        if node.id in FUNCTIONS:
            raise self.wrong(node, f"{node.id}(...) with its arguments in brackets")
        if not self._is_channel(node.id):
            raise self.wrong(node, f"a channel of the telemetry instead of {node.id[:40]}{did_you_mean(node.id, self._near)}")
        self.channels[node.id] = None
        return SERIES

    def _call(self, node: ast.Call, depth: int) -> str:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        function = FUNCTIONS.get(name)
        if function is None:
            raise self.wrong(node, f"one of the functions {', '.join(FUNCTIONS)}{did_you_mean(name, FUNCTIONS)}")
        fewest, maximum = len(function.accepts) - function.optional, len(function.accepts) + (MAX_PARTS if function.many else 0)
        if node.keywords or not fewest <= len(node.args) <= maximum:
            raise self.wrong(node, f"{name}({', '.join(function.accepts)}{', ...' * function.many}): {function.meaning}")
        sorts = [
            self._check_argument(name, one, function.accepts[min(i, len(function.accepts) - 1)], depth) for i, one in enumerate(node.args)
        ]
        if name in ("min", "max"):
            return SERIES if len(sorts) > 1 and SERIES in sorts else NUMBER
        return (SERIES if SERIES in sorts else NUMBER) if function.gives == EITHER else function.gives

    def _check_argument(self, name: str, node: ast.expr, expected: str, depth: int) -> str:
        if isinstance(node, ast.Starred):
            raise self.wrong(node, "an argument without *")
        if expected == PHASE:
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                raise self.wrong(node, f"{name} with the name of a phase in quotation marks")
            if node.value not in self._phases:
                raise self.wrong(node, no_such_phase(node.value, self._phases))
            return PHASE
        result = self.sort(node, depth + 1)
        if expected not in (EITHER, result):
            other = "a series (a channel or a function of one)" if expected == SERIES else "a number, such as max(...) of a series"
            raise self.wrong(node, f"{name} with {other}")
        return result


def no_such_phase(name: str, phases: Collection[str]) -> str:
    """Return the expectation for the name of a phase that a maneuver does not have."""
    return (
        f"a phase of this maneuver ({', '.join(phases)}){did_you_mean(name, phases)}"
        if phases
        else "no phase, because this maneuver has no phases"
    )


def parse(
    text: str, file: object, key: str, is_channel: Callable[[str], bool], near: Collection[str] = (), phases: Collection[str] = ()
) -> Expression:
    """Parse an expression that returns a number.

    Parameters
    ----------
    text : expression as in the file
    file, key : origin of the text, for messages
    is_channel : returns True if a column of this name exists
    near : columns for the suggestions in messages
    phases : names of the phases of the maneuver

    Raises
    ------
    ConfigError : the text is not a valid expression; the message contains the position
    """
    text = text if len(text) > MAX_LENGTH else re.sub(r"\s+", " ", text).strip()
    check = _Checker(text, file, key, is_channel, near, phases)
    if len(text) > MAX_LENGTH:
        raise check.wrong(None, f"an expression of at most {MAX_LENGTH} characters")
    depth = maximum = 0
    for character in text:  # checked here, because Python's parser raises unclear errors for these
        depth += (character in "([{") - (character in ")]}")
        maximum = max(maximum, depth)
    if maximum > DEEPEST:
        raise check.wrong(None, f"at most {DEEPEST} nested brackets")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise check.wrong(None, f"an expression ({error.msg} at character {error.offset or 1})") from None
    except (ValueError, RecursionError, MemoryError):
        raise check.wrong(None, "a valid expression") from None
    if check.sort(tree) == SERIES:
        raise check.wrong(None, "a number, for example max(...), mean(...), last(...) or at(..., time) of a series")
    return Expression(tree, tuple(check.channels))
