"""Messages for the driver end after their time, or when they no longer apply."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from simulator.base.records import record
from simulator.events.turn_signals import TurnSignals
from simulator.outlets import view as view_outlet
from simulator.outlets.view import LONGEST, MESSAGE_TIME, ViewOutlet, short
from simulator.view.shared_state import ViewReader
from simulator.view.vehicle_states import NO_STATES
from terrain.objects.object_set import NO_OBJECTS
from tests.view.scenes import readout, vehicle_without_controllers
from vehicles.command import COMMAND
from washout.perceived_motion import FELT


@pytest.fixture
def shown(monkeypatch):
    """(window, session, clock, text that the views get)."""
    clock = [100.0]
    monkeypatch.setattr(view_outlet, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    platform = {"shortest_leg": 0.0, "longest_leg": 1.0}
    still = [{"f_H_B": np.zeros(3), "w_WB_B": np.zeros(3)}]
    cueing = SimpleNamespace(
        pose=np.zeros(6),
        legs=np.full(6, 0.5),
        platform=[platform],
        procedure=SimpleNamespace(state="rise"),
        monitor=SimpleNamespace(felt=record(FELT)),
        readout=[{"intensity": 1.0}],
    )
    session = SimpleNamespace(
        cueing=cueing,
        clock=None,
        command=record(COMMAND),
        paused=False,
        turn_signals=TurnSignals(),
        waits=False,
        readout=readout(),
        watch=SimpleNamespace(state=still),
        seat=SimpleNamespace(name="", names=()),
        course=None,
        ground=SimpleNamespace(p=[{"gravity": 9.80665}]),
        objects=NO_OBJECTS,
        others=SimpleNamespace(states=NO_STATES),
        vehicle=vehicle_without_controllers(),
    )
    window = ViewOutlet(8)
    reader = ViewReader(window.block.name)

    def text():
        window.publish(session)
        reader.read()
        return bytes(reader.last[0]["message"]).decode()

    yield window, session, clock, text, reader
    reader.close()
    window.close()


def test_a_message_ends_by_itself(shown):
    window, _, clock, text, _ = shown
    window.message = "hello"
    assert text() == "hello"
    clock[0] += MESSAGE_TIME - 0.1
    assert text() == "hello"
    clock[0] += 0.2
    assert text() == "" and window.message == ""


def test_a_message_ends_when_it_is_not_true_any_more(shown):
    window, session, _, text, _ = shown
    window.show_message("platform rises", 30.0, lambda s: s.cueing.procedure.state == "rise")
    assert text() == "platform rises"
    session.cueing.procedure.state = "engaged"
    assert text() == ""
    session.cueing.procedure.state = "rise"
    assert text() == "", "it does not come back"


def test_a_new_message_takes_the_place_of_the_old_one_with_its_own_time(shown):
    window, _, clock, text, _ = shown
    window.show_message("old", 1.0, lambda s: False)
    window.message = "new"
    clock[0] += 2.0
    assert text() == "new"
    window.message = ""
    assert text() == ""


def test_the_lamp_of_the_parking_brake_follows_the_command(shown):
    _, session, _, text, reader = shown
    text()
    assert reader.last[0]["parking_brake"] == 0
    session.command[0]["parking_brake"] = 1.0
    text()
    assert reader.last[0]["parking_brake"] == 1


def test_a_long_message_is_cut_between_letters():
    assert short("kurz") == b"kurz"
    for text in ("x" * 200, "ä" * 100, "a" + "€" * 50):
        cut = short(text)
        assert len(cut) <= LONGEST and cut.decode().endswith("…") and text.startswith(cut.decode()[:-1])
