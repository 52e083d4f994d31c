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
    """Lets the driver's device feel what the vehicle does.

    Parameters
    ----------
    feeler : works in a thread of its own
    device : tells what the driver holds
    h : length of a tick [s]
    """

    def __init__(self, feeler: ForceFeedbackThread, device: Callable[[], Device | None], h: float) -> None:
        self.feeler, self._device = feeler, device
        self.every = max(1, math.floor(PERIOD / h + 1e-9))
        self._held: Device | None = None

    def publish(self, session: Session) -> None:
        """One sample, if there is somebody who feels it."""
        if session.tick % session.driver_every == 1:
            return  # the command comes in steps: the torque of this tick is the blow of the last one
        device, before = self._device(), self._held
        self._held = device
        if device is not None or before is not None:
            # the bytes of a record are copied in a hundredth of the time that its fields take
            readout = np.frombuffer(session.readout.tobytes(), session.readout.dtype)
            self.feeler.take(Sample(readout, device, session.moves, session.cueing.resets))

    def close(self) -> None:
        """Let the force fade."""
        self.feeler.close()
