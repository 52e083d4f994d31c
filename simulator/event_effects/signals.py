"""Effects of the events at the driver's seat that others hear or see: horn, sound, turn signals."""

from __future__ import annotations

from collections.abc import Callable

from simulator.base.fields import Choice, Flag, Number
from simulator.event_effects.contract import DRIVERS, LOCAL, TUNED_TIME, Controlled, Effect, EventKind
from simulator.events.sound_controls import SHORT_HORN
from simulator.events.turn_signals import SIDES


def _horn(drive: Controlled, pressed: bool | None) -> Effect:
    sound, time = drive.session.sound, drive.session.time
    if pressed is None:
        sound.horn_until = time + SHORT_HORN
    else:
        sound.horn = pressed
    return Effect("horn", pressed)


def _mute(drive: Controlled, muted: bool | None) -> Effect:
    sound = drive.session.sound
    sound.muted = not sound.muted if muted is None else muted
    drive.show("sound off" if sound.muted else "sound on", TUNED_TIME)
    return Effect("mute", sound.muted)


def _volume(drive: Controlled, value: float) -> Effect:
    drive.session.sound.volume = value
    drive.show(f"volume {100 * value:.0f} %", TUNED_TIME)
    return Effect("volume", value)


def _step_volume(steps: int) -> Callable[[Controlled, None], Effect]:
    return lambda drive, _: _volume(drive, drive.session.sound.volume_after(steps))


def _turn_signals(drive: Controlled, side: str) -> Effect:
    drive.session.turn_signals.switch(SIDES.index(side))
    return Effect("turn_signals", side)


def _switch_signals(side: str) -> Callable[[Controlled, None], Effect]:
    return lambda drive, _: _turn_signals(drive, SIDES[drive.session.turn_signals.after(SIDES.index(side))])


SIGNALS = (
    EventKind("horn", _horn, LOCAL, "sound the horn (true) or end it (false); without a value briefly", Flag(), toggles=True),
    EventKind("mute", _mute, LOCAL, "turn the sound off (true) or on (false)", Flag(), toggles=True),
    EventKind("volume", _volume, LOCAL, "set the volume of the sound", Number("1", 0.0, 1.0)),
    EventKind("volume_up", _step_volume(1), LOCAL, "increase the volume"),
    EventKind("volume_down", _step_volume(-1), LOCAL, "decrease the volume"),
    EventKind("turn_signals", _turn_signals, DRIVERS, "switch the turn signals", Choice(SIDES)),
    EventKind("turn_signal_left", _switch_signals("left"), LOCAL, "switch the left turn signal on or off"),
    EventKind("turn_signal_right", _switch_signals("right"), LOCAL, "switch the right turn signal on or off"),
    EventKind("hazard_lights", _switch_signals("both"), LOCAL, "switch the hazard lights on or off"),
)
"""Rows of `simulator.event_effects.kinds.COMMANDS`."""
