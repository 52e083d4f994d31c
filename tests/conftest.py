"""For all tests: no time limit on examples, since the first one may compile a kernel; the same examples on every machine; and what may
run side by side (`make test`)."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

settings.register_profile("jounce", deadline=None, derandomize=True)
settings.load_profile("jounce")

# whoever starts the tests in the background, or with nohup, has INT and HUP ignored, by every process that they start too
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

BY_THE_CLOCK = {
    *("test_live.py", "test_signals.py", "test_window_gone.py", "test_terminal.py", "test_failing_parts.py"),
    *("test_platform_process.py", "test_virtual_platform.py", "test_survival.py", "test_keeper.py", "test_claims.py", "test_window.py"),
}
"""Files whose tests run several processes in real time: one of them at a time, so that no more than one other test is beside it."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file is run by one process, and all files of BY_THE_CLOCK by one."""
    for item in items:
        name = item.path.name
        item.add_marker(pytest.mark.xdist_group("by the clock" if name in BY_THE_CLOCK else str(item.path)))
