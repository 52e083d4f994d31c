"""Plugins in a background thread: results, and plugins that are slow, raise or never end are stopped."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from simulator.base import plugin_thread
from simulator.base.plugin_thread import PluginThread


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_thread, "PATIENCE", 0.05)
    monkeypatch.setattr(plugin_thread, "FIRST", 0.05)


def test_a_result_is_returned_once() -> None:
    plugin = PluginThread("adder", lambda a, b: a + b)
    assert plugin.result(wait=True) is None
    plugin.submit(2, 3)
    plugin.submit(4, 5)  # ignored: the first call has no result yet
    assert plugin.result(wait=True) == 5
    assert plugin.result(wait=True) is None
    plugin.close()


def raising() -> None:
    raise ValueError("no")


def leaving() -> None:
    raise SystemExit(3)


def endless() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (raising, "ValueError: no"),
        (leaving, "SystemExit: 3"),
        (endless, "no result within 0.05 s"),
        (threading.Event().wait, "no result within 0.05 s"),
    ],
)
def test_a_plugin_that_fails_is_stopped_and_named(function, reason: str) -> None:
    plugin = PluginThread("adder", function, budget=0.05)
    plugin.submit()
    assert plugin.result(wait=True) is None
    assert plugin.error == f"adder was dropped: {reason}"
    plugin.submit()
    assert not plugin.busy or plugin.result(wait=True) is None


def test_in_real_time_the_loop_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    plugin = PluginThread("adder", go.wait, budget=1e3)
    plugin.submit()
    assert plugin.result(wait=False) is None
    assert (plugin.missed, plugin.error) == (1, "")
    go.set()
    monkeypatch.setattr(plugin_thread, "PATIENCE", 30.0)
    assert plugin.result(wait=True) is True
    plugin.close()


def test_a_busy_plugin_is_terminated_when_it_is_stopped() -> None:
    plugin = PluginThread("adder", endless)
    plugin.submit()
    thread = plugin._thread
    assert thread is not None
    plugin.stop("enough")
    thread.join(30.0)
    assert not thread.is_alive()


def test_the_switch_interval_is_short_only_while_a_plugin_runs() -> None:
    usual = sys.getswitchinterval()
    plugins = [PluginThread("adder", lambda: 1), PluginThread("adder", lambda: 2)]
    for plugin in plugins:
        plugin.submit()
        assert sys.getswitchinterval() == pytest.approx(plugin_thread.SWITCH_INTERVAL)
    for plugin in plugins:
        assert sys.getswitchinterval() == pytest.approx(plugin_thread.SWITCH_INTERVAL)
        plugin.close()
        plugin.close()
    assert sys.getswitchinterval() == pytest.approx(usual)


def test_the_end_of_a_thread_at_any_moment_prints_no_traceback(monkeypatch):
    """Before its first call, in a call, and when it has a result that nobody took: the latter is how a drive ends."""
    printed, threads = [], []
    monkeypatch.setattr(threading, "excepthook", printed.append)
    monkeypatch.setattr(sys, "unraisablehook", printed.append)
    for n in range(600):
        plugin = PluginThread("adder", time.sleep)
        plugin.submit(1e-4 * (n % 3))
        threads.append(plugin._thread)
        if n % 2:
            while plugin._results.empty():
                time.sleep(0.0)
        plugin.close()
    for thread in threads:
        thread.join(5.0)
    assert not any(thread.is_alive() for thread in threads)
    assert printed == []


def test_a_thread_that_runs_no_call_is_not_stopped_by_an_exception(monkeypatch):
    """It could hit the thread on its way out, which prints a traceback."""
    stopped = []
    monkeypatch.setattr(plugin_thread.ctypes.pythonapi, "PyThreadState_SetAsyncExc", lambda *_: stopped.append(True))
    plugin = PluginThread("adder", lambda: 1)
    plugin.submit()
    thread = plugin._thread
    while plugin._results.empty():
        time.sleep(0.001)
    plugin.close()
    thread.join(5.0)
    assert not thread.is_alive() and stopped == []
