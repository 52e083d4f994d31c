"""A tenant at work beside the ticks: what it answers, and that one which is slow, raises or never ends is dropped and waited for no longer."""

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


def test_an_answer_comes_once() -> None:
    tenant = PluginThread("adder", lambda a, b: a + b)
    assert tenant.answer(wait=True) is None
    tenant.ask(2, 3)
    tenant.ask(4, 5)  # not heard: the first call has not been answered
    assert tenant.answer(wait=True) == 5
    assert tenant.answer(wait=True) is None
    tenant.close()


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
        (endless, "it did not answer within 0.05 s"),
        (threading.Event().wait, "it did not answer within 0.05 s"),
    ],
)
def test_one_that_fails_is_dropped_and_named(function, reason: str) -> None:
    tenant = PluginThread("adder", function, budget=0.05)
    tenant.ask()
    assert tenant.answer(wait=True) is None
    assert tenant.trouble == f"adder was dropped: {reason}"
    tenant.ask()
    assert not tenant.busy or tenant.answer(wait=True) is None


def test_in_real_time_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    tenant = PluginThread("adder", go.wait, budget=1e3)
    tenant.ask()
    assert tenant.answer(wait=False) is None
    assert (tenant.late, tenant.trouble) == (1, "")
    go.set()
    monkeypatch.setattr(plugin_thread, "PATIENCE", 30.0)
    assert tenant.answer(wait=True) is True
    tenant.close()


def test_a_busy_tenant_is_ended_when_it_is_dropped() -> None:
    tenant = PluginThread("adder", endless)
    tenant.ask()
    thread = tenant._thread
    assert thread is not None
    tenant.drop("enough")
    thread.join(30.0)
    assert not thread.is_alive()


def test_python_is_shared_quickly_only_while_somebody_works_aside() -> None:
    usual = sys.getswitchinterval()
    tenants = [PluginThread("adder", lambda: 1), PluginThread("adder", lambda: 2)]
    for tenant in tenants:
        tenant.ask()
        assert sys.getswitchinterval() == pytest.approx(plugin_thread.SWITCH_INTERVAL)
    for tenant in tenants:
        assert sys.getswitchinterval() == pytest.approx(plugin_thread.SWITCH_INTERVAL)
        tenant.close()
        tenant.close()
    assert sys.getswitchinterval() == pytest.approx(usual)
