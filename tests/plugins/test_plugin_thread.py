"""Plugins in a background thread: results, and plugins that are slow, raise or never end are stopped."""

from __future__ import annotations

import sys
import threading

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
