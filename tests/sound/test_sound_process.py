"""Does the sound process play in real time without a gap, and does a drive survive its end, a missing device and a missing library?"""

from __future__ import annotations

import os
import signal
import time
from types import SimpleNamespace

import pytest
from sounds import driving

from simulator.base.records import record
from simulator.builder.builder import build_ground, build_vehicle
from simulator.configuration.session_file import SoundOptions
from simulator.events.sound_controls import SoundControls
from simulator.host import replay_sound, sound_process
from simulator.host.drive_sound import DriveSound
from simulator.sound.sound_block import SoundBlock
from simulator.view.shared_state import extras
from simulator.weather import CLEAR
from vehicles.command import COMMAND

PATIENCE = 60.0
PLAYED = 3.0
"""s"""


def opened(device="null"):
    """Sound of a drive, its messages and its session."""
    said = []
    sound = DriveSound(SimpleNamespace(say=said.append))
    session = SimpleNamespace(
        vehicle=build_vehicle("sedan", check_step=False), ground=build_ground("flat"), h=0.001, sound=SoundControls(), outlets=[]
    )
    sound.open(session, SoundOptions(True, 0.5, device))
    return sound, said, session


def wait_for(condition, sound):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        sound.look()
        time.sleep(0.01)


def played(sound):
    """Number of glitches while the device plays for PLAYED seconds; also the number of frames."""
    state, cells = driving(20.0, rpm=3000.0, engine_torque=150.0), sound.outlet.block.cells
    before, begin = (int(cells["glitches"]), int(cells["frames"])), time.monotonic()
    while time.monotonic() < begin + PLAYED:
        sound.outlet.block.put(state)
        time.sleep(0.01)
    return int(cells["glitches"]) - before[0], int(cells["frames"]) - before[1]


def test_the_null_device_plays_without_a_glitch():
    sound, said, _ = opened()
    try:
        wait_for(lambda: sound.process.device, sound)
        for _ in range(4):  # a stall of the machine is no fault of the process
            glitches, frames = played(sound)
            if glitches == 0:
                break
        assert glitches == 0
        assert frames == pytest.approx(48_000 * PLAYED, rel=0.05)
        assert "glitches in" in sound.summary()
    finally:
        sound.close()
    assert said == []


def test_a_killed_process_is_one_message():
    sound, said, _ = opened()
    try:
        wait_for(lambda: sound.process.device, sound)
        os.kill(sound.process.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        wait_for(lambda: said, sound)
        for _ in range(20):
            sound.look()
            sound.outlet.block.put(driving(20.0))
    finally:
        sound.close()
    assert said == ["no sound any more: the sound process has ended"]


def test_a_missing_device_is_one_message():
    sound, said, _ = opened("no such device")
    try:
        wait_for(lambda: said, sound)
        for _ in range(20):
            sound.look()
    finally:
        sound.close()
    assert len(said) == 1
    assert said[0].startswith("no sound: no sound device 'no such device'")


def test_a_missing_library_is_one_message(monkeypatch):
    monkeypatch.setattr(sound_process, "find_spec", lambda name: None)
    sound, said, session = opened()
    sound.look()
    sound.close()
    assert len(said) == 1
    assert "miniaudio not installed" in said[0]
    assert session.outlets == []


def test_a_replay_is_silent_in_a_pause_and_knows_jumps(monkeypatch):
    put = []
    monkeypatch.setattr(replay_sound, "SoundProcess", lambda *_: SimpleNamespace(look=lambda: None, close=lambda: None))
    monkeypatch.setattr(SoundBlock, "put", lambda self, state: put.append(state[0].copy()))
    monkeypatch.setattr(replay_sound, "read_session", lambda _: SimpleNamespace(weather=CLEAR))
    vehicle = build_vehicle("sedan", check_step=False)
    recording = SimpleNamespace(configuration=None, parts=SimpleNamespace(ground=build_ground("flat"), vehicle=vehicle))
    sound = replay_sound.ReplaySound(recording, SoundOptions(True, 0.7, "null"), lambda _: None)
    vehicle.readout[0]["engine_speed"] = 300.0
    for position, paused in ((0.01, 0), (0.02, 1), (5.0, 0), (1.0, 0), (1.01, 0)):
        extras_now = extras()
        extras_now[0]["replay_position"], extras_now[0]["paused"] = position, paused
        sound(vehicle.readout, record(COMMAND), extras_now)
    sound.close()
    assert [int(one["silent"]) for one in put] == [0, 1, 0, 0, 0]
    assert [int(one["jumps"]) for one in put] == [0, 0, 1, 2, 2]
    assert (put[0]["engine_speed"], put[0]["volume"]) == (300.0, 0.7)
