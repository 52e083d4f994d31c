"""Which reason does a drive name for its end?"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from simulator.base.signals import StopRequest
from simulator.events.event import Event, Origin
from simulator.host.drive_end import end_reason
from simulator.maneuvers.phase_driver import DONE, PhaseDriver


class Ended(PhaseDriver):
    """Driver that has ended."""

    def __init__(self, ended):
        self.ended = ended


def reason(ended="", failure="", event=None, signal=None, triggers=""):
    signals = StopRequest()
    if signal is not None:
        signals(signal)
    return end_reason(SimpleNamespace(driver=Ended(ended), triggers=SimpleNamespace(ended=triggers)), failure, signals, event)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ({}, "the duration is over"),
        ({"ended": DONE}, "the maneuver is done"),
        ({"triggers": "ended by trigger hit"}, "ended by trigger hit"),
        ({"ended": "aborted in phase turn: roll beyond 30 deg"}, "aborted in phase turn: roll beyond 30 deg"),
        ({"event": Event("quit", "the window was closed", Origin.WINDOW)}, "the window was closed"),
        ({"event": Event("quit", None, Origin.WINDOW)}, "ended by key or menu of the window"),
        ({"event": Event("quit", None, Origin.DEVICE)}, "ended by a button of a device"),
        ({"event": Event("quit", None, Origin.SCRIPT), "ended": DONE}, "ended by the script"),
        ({"event": Event("next_run", {}, Origin.CONSOLE)}, "the operator begins the next run"),
        ({"event": Event("quit", "interrupted", Origin.SIGNAL), "signal": 2}, "interrupted"),
        ({"failure": "driver: broken", "event": Event("quit", None, Origin.WINDOW)}, "driver: broken"),
    ],
)
def test_every_end_has_a_reason(case, expected):
    assert reason(**case) == expected


@pytest.mark.parametrize("origin", [origin for origin in Origin if origin != Origin.SESSION])
def test_an_end_by_any_sender_has_words(origin):
    assert reason(event=Event("quit", None, origin)) not in ("", "None")
