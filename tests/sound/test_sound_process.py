"""Does the sound process play in real time without a gap, and does a drive survive its end, a missing device and a missing library?"""

from __future__ import annotations

import os
import re
import signal
import time
from types import SimpleNamespace

import pytest
from sounds import driving

from simulator.builder.builder import build_ground, build_vehicle
from simulator.configuration.session_file import SoundOptions
from simulator.events.sound_controls import SoundControls
from simulator.host import sound_process
from simulator.host.drive_sound import DriveSound

PATIENCE = 60.0
PLAYED = 3.0
"""s"""


def opened(device="null"):
    """Sound of a drive, its messages and its session."""
    said = []
    sound = DriveSound(SimpleNamespace(say=said.append))
    session = SimpleNamespace(
        vehicle=build_vehicle("sedan", check_step=False),
        ground=build_ground("flat"),
        h=0.001,
        sound=SoundControls(),
        output=SimpleNamespace(outlets=[]),
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
    assert re.fullmatch(r"no sound: no sound device 'no such device'; expected one of (.*, )?null(; hint.*)?", said[0])


def test_a_missing_library_is_one_message(monkeypatch):
    monkeypatch.setattr(sound_process, "find_spec", lambda name: None)
    sound, said, session = opened()
    sound.look()
    sound.close()
    assert len(said) == 1
    assert "miniaudio not installed" in said[0]
    assert session.output.outlets == []
