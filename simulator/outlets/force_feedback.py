"""Outlet of the force feedback."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from simulator.driver.force_feedback.thread import PERIOD, ForceFeedbackThread, Sample

if TYPE_CHECKING:
    from simulator.driver.input_devices.devices import Device
    from simulator.session import Session


class ForceFeedbackOutlet:
    """Passes samples of the vehicle to the force feedback of the input device.

    Parameters
    ----------
    thread : thread of the force feedback
    device : returns the present input device
    h : length of a tick [s]
    """

    label = "force feedback"
    """Name of the outlet in messages."""

    def __init__(self, thread: ForceFeedbackThread, device: Callable[[], Device | None], h: float) -> None:
        self.thread, self._device = thread, device
        self.every = max(1, math.floor(PERIOD / h + 1e-9))
        self._last_device: Device | None = None

    def publish(self, session: Session) -> None:
        """Pass one sample if there is a device."""
        if session.tick % session.driver_every == 1:
            return  # the command changes in steps; the torque of this tick contains the impact of the last step
        device, previous = self._device(), self._last_device
        self._last_device = device
        if device is not None or previous is not None:
            # copying the bytes of a record takes a hundredth of the time of copying its fields
            readout = np.frombuffer(session.readout.tobytes(), session.readout.dtype)
            self.thread.take(Sample(readout, device, session.moves, session.cueing.resets))

    def close(self) -> None:
        """Let the force fade."""
        self.thread.close()
