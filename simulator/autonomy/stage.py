"""Mapper or planner of a drive, called at its period: at once in a run, in a thread of its own in real time or as a plugin.

The result of a call takes effect at a later call of the driver. In a run it is that after the call, however long the computation takes; in
real time, that at which it is there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.autonomy.contract import PlanError
from simulator.base.errors import JounceError
from simulator.base.plugin_thread import PluginThread

MAX_LATE_PERIODS = 2.0
"""Periods after which a result is too late, in real time."""


class Stage:
    """Mapper or planner with its period.

    Parameters
    ----------
    name : name in messages, for example "planner arc"
    function : called with the arguments of `submit`
    check : called with the result and these arguments; returns the checked result or raises PlanError
    period : time between two calls [s]
    in_thread : True for a plugin and in real time
    paced : True in real time
    """

    def __init__(
        self, name: str, function: Callable[..., Any], check: Callable[..., Any], *, period: float, in_thread: bool, paced: bool
    ) -> None:
        self.name, self.period = name, period
        self.in_thread = in_thread
        self._function, self._check, self._paced = function, check, paced
        self._thread = PluginThread(name, self._call, MAX_LATE_PERIODS * period) if in_thread else None
        self._next = 0.0
        self._outcome: tuple[Any, Exception | None] | None = None

    def is_due(self, t: float) -> bool:
        """Return whether the next call is due at time t [s]."""
        return t >= self._next - 1e-9 and self._outcome is None and not (self._thread is not None and self._thread.busy)

    def submit(self, t: float, *arguments: Any) -> None:
        """Begin a call at time t [s]."""
        self._next = max(self._next, t - self.period) + self.period
        if self._thread is not None:
            self._thread.submit(*arguments)
            return
        try:
            self._outcome = self._call(*arguments)
        except Exception as error:  # ends the drive with its reason, as that of a plugin
            self._outcome = None, error

    def _call(self, *arguments: Any) -> tuple[Any, PlanError | None]:
        """Return the checked result of a call, or why it is impossible. In a thread, the check delays no tick either."""
        result = self._function(*arguments)
        try:
            return self._check(result, *arguments), None
        except PlanError as error:
            return None, error
        except Exception as error:  # for example an object of a plugin that raises when it is read
            return None, PlanError(f"invalid result: {type(error).__name__}: {error}")

    def result(self) -> Any:
        """Return the checked result of the last call, or None. Raises PlanError: it failed, is late or returned an impossible result."""
        if self._thread is not None:
            outcome = self._thread.result(not self._paced)
            if self._thread.error:
                raise PlanError(self._thread.error.replace(" was dropped", "", 1))
        else:
            outcome, self._outcome = self._outcome, None
        if outcome is None:
            return None
        result, error = outcome
        if error is not None:
            text = str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}".rstrip(": ")
            raise PlanError(f"{self.name}: {text}") from error
        return result

    def close(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self._thread.close()
