"""Outlet of the sound: copies the state of the vehicle into shared memory, and follows horn, volume and camera."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.base.records import record
from simulator.sound.sound_block import SoundBlock
from simulator.sound.sound_input import SOUND_INPUT, fill_input
from simulator.sound.surfaces import Surfaces
from simulator.view.camera_names import CAMERA_EVENTS, CAMERAS, following_camera

if TYPE_CHECKING:
    from simulator.events.event import Event
    from simulator.session import Session
    from terrain.ground import Ground

JUMPS = ("reset", "upright", "incident")
"""Events after which the vehicle is at another place."""


class SoundOutlet:
    """Publishes the session to the sound process.

    Parameters
    ----------
    every : number of ticks between two states, 10 ms
    ground : ground of the session

    Attributes
    ----------
    block : shared memory for the process

    Raises DeviceError: no shared memory.
    """

    label = "sound"
    """Name of the outlet in messages."""

    def __init__(self, every: int, ground: Ground) -> None:
        self.every, self._surfaces = every, Surfaces(ground)
        self.block = SoundBlock()
        self._state, self._camera, self._open = record(SOUND_INPUT), CAMERAS[0], True

    def publish(self, session: Session) -> None:
        """Publish the present state."""
        if not self._open:
            return
        x, controls = self._state[0], session.sound
        fill_input(session.readout, int(session.command[0]["starter"]), self._surfaces, self._state)
        force = session.vehicle.space.body_contact[0]["force_B"]
        contact = float(np.sqrt(force @ force))
        if len(session.objects):
            force = session.vehicle.space.object_contact[0]["force_B"]
            contact += float(np.sqrt(force @ force))
        x["contact_force"], x["rain"] = contact, session.weather.rain
        x["horn"], x["volume"] = controls.sounds_horn(session.time), controls.volume
        x["inside"] = self._camera == "driver"
        x["silent"] = controls.muted or session.paused or session.platform_stopped or session.recovery.rests
        self.block.put(self._state)

    def hear(self, _: Session, event: Event) -> None:
        """Note a jump of the vehicle, or another camera."""
        if event.kind in JUMPS:
            self._state[0]["jumps"] += 1
        elif event.kind in CAMERA_EVENTS[1:]:  # the window reports the camera that follows
            self._camera = following_camera(self._camera, event.kind)

    def close(self) -> None:
        """End the publication; the owner closes the block."""
        self._open = False

    def release(self) -> None:
        """Remove the block, after the process has ended."""
        self._open = False
        self.block.close()
