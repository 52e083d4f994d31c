"""Findings of the conformance suite: one per check, or one per fault of a check."""

from __future__ import annotations

import math
import statistics
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from simulator.base.errors import JounceError

T = TypeVar("T")

OK, WARNING, FAILED = "ok", "warning", "failed"
MAX_FAULTS = 3
"""Maximum number of faults that one check reports: further inputs usually show the same fault."""
CALLS = 15
"""Number of timed calls. Their median ignores the first call, which may compile, and interruptions by other programs."""

PATIENCE = 120.0
"""s. Time after which a check counts as one that never ends; it may include a short compilation. Larger: a plugin that hangs is found later."""


class Finding(NamedTuple):
    """Outcome of one check."""

    check: str
    """Name of the check, for example `finite output`."""
    outcome: str
    """OK, WARNING or FAILED."""
    message: str
    """Fault and its fix; of a successful check, the measured value if there is one."""


class PluginError(JounceError):
    """Raised by `check_plugin` for a kind that failed. The text has one line for each failure; `findings` has all findings."""

    def __init__(self, kind: str, findings: tuple[Finding, ...]) -> None:
        self.kind, self.findings = kind, findings
        super().__init__(kind)

    def __str__(self) -> str:
        return "\n".join(f"{self.kind}: {one.check}: {one.message}" for one in self.findings if one.outcome == FAILED)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.kind, self.findings)


class Check:
    """Faults of one check."""

    def __init__(self) -> None:
        self.faults: dict[str, str] = {}
        """Outcome by message."""
        self.measured = ""
        """Measured value, shown if there is no fault."""

    def fail(self, message: str) -> None:
        """Add a failure."""
        self.faults[message] = FAILED

    def warn(self, message: str) -> None:
        """Add a warning."""
        self.faults.setdefault(message, WARNING)

    def need(self, condition: bool, message: str) -> None:
        """Add a failure unless the condition is true."""
        if not condition:
            self.fail(message)


class Findings:
    """Collector of the findings about one kind.

    Parameters
    ----------
    kind : noun and name of the kind, for messages
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.found: list[Finding] = []
        self._running: list[tuple[str, float]] = []

    @contextmanager
    def check(self, name: str, patience: float | None = None) -> Iterator[Check]:
        """Run the checks of a block; an exception in the block is a failure, and so is a block without an end after `patience` [s]."""
        check = Check()
        self._running.append((name, time.monotonic() + (PATIENCE if patience is None else patience)))
        try:
            yield check
        except Exception as error:  # a plugin may raise anything
            check.fail(f"raises {described(error)}; handle this input")
        self._running.pop()
        faults = sorted(check.faults.items(), key=lambda fault: fault[1] != FAILED)[:MAX_FAULTS]
        self.found += [Finding(name, outcome, message) for message, outcome in faults] or [Finding(name, OK, check.measured)]

    def run(self, checks: Callable[[], None]) -> Findings:
        """Run checks in a thread, and return the findings; a check that never ends is a failure. Raises what the checks raise."""
        errors: list[BaseException] = []

        def work() -> None:
            try:
                checks()
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=work, name=self.kind, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(0.1)
            for name, end in self._running[-1:]:
                if time.monotonic() > end and thread.is_alive():
                    return self._abandoned(name)
        for error in errors:
            raise error
        return self

    def _abandoned(self, name: str) -> Findings:
        """Return a copy of the findings, with a failure of a check that does not end: its thread may still add to the original."""
        findings = Findings(self.kind)
        findings.found = [*self.found, Finding(name, FAILED, f"no result within {PATIENCE:g} s; every call must return")]
        return findings

    def passed(self, name: str) -> bool:
        """Return True if the check of a name has no failure and no warning."""
        return all(one.outcome == OK for one in self.found if one.check == name)

    @property
    def failed(self) -> bool:
        """True if a check failed."""
        return any(one.outcome == FAILED for one in self.found)

    def created(self, create: Callable[[], T], has_example: bool) -> T | None:
        """Return what a factory of the kind creates, or None after a finding.

        A JounceError about generated parameters is a warning only: no generated value may fit together with the others.
        """
        made: T | None = None
        with self.check("creation") as check:
            try:
                made = create()
                check.need(made is not None, "returns None; return the object")
            except JounceError as error:
                if has_example:
                    check.fail(f"rejects the example: {error}")
                else:
                    check.warn(f"not checked further, since it rejects generated parameters ({error}); give an example of its keys")
        return made

    def median_time(self, call: Callable[[], object], budget: float, meaning: str) -> None:
        """Compare the median time of a call with a budget [s]; a longer time is a warning, since it depends on the machine."""
        with self.check("time") as check:
            times = []
            for _ in range(CALLS):
                start = time.perf_counter()
                call()
                times.append(time.perf_counter() - start)
            median = statistics.median(times)
            check.measured = f"median {milliseconds(median)} per call, of {milliseconds(budget)} ({meaning})"
            if median > budget:
                check.warn(f"median {milliseconds(median)} per call; expected at most {milliseconds(budget)}, {meaning}")


def described(error: BaseException) -> str:
    """Return the type and text of an exception with the line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}{at}" if text else f"{type(error).__name__}{at}"


def milliseconds(duration: float) -> str:
    """Return a duration [s] in ms with two significant digits."""
    value = 1e3 * duration
    return f"{value:.{max(0, 1 - math.floor(math.log10(value)))}f} ms" if value > 0.0 else "0 ms"
