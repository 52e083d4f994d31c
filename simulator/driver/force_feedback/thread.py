"""Thread of the force feedback: takes samples from the ticks, without delaying them, and sends forces to the driver's device.

When samples stop (a pause, the end, a host that hangs), the force fades within 0.2 s: this thread fades the force after SILENCE without
samples. If this thread also stops, the kernel ends the force (`evdev.py`).
"""

from __future__ import annotations

import math
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from simulator.base.plugin_thread import share_python, take_priority
from simulator.base.records import Record
from simulator.clock import Lateness
from simulator.driver.force_feedback.evdev import SYSTEM, ConstantForce, System, VanishedError, is_forbidden, node_of, nodes, permission
from simulator.driver.force_feedback.rumble import Rumble
from simulator.driver.force_feedback.wheel_torque import FADE_OUT, ForceFeedback, WheelTorque
from simulator.driver.input_devices.device_profiles import usb_id
from simulator.driver.input_devices.devices import Device

PERIOD = 0.002
"""s. Maximum time between two samples, and between two torques on the wheel."""
SILENCE = 0.05
"""s without a sample after which the vehicle counts as stopped."""
WAIT = 0.004
"""s for which the thread waits for a sample before it reads the clock."""
RUMBLE_PERIOD = 0.02
"""s between two updates of the rumble."""
RUMBLE_LENGTH = 100
"""ms for which a game controller rumbles without an update."""
CLOSE_TIMEOUT = 0.5
"""s. Maximum time that `close` waits for the force to fade."""


class Sample(NamedTuple):
    """Sample that the ticks pass to the thread."""

    readout: Record
    """Copy of the READOUT record."""
    device: Device | None
    """Device of the driver; None for keys and plugin sources."""
    runs: bool
    """Whether the vehicle moves."""
    jumps: int
    """Number of times that the vehicle was moved to another position so far."""


class DeviceFeedback(Protocol):
    """Feedback of one device. `serve` raises VanishedError for a disconnected device, OSError when it refuses."""

    def jump(self) -> None:
        """Reset after the vehicle was moved."""

    def serve(self, readout: Record | None, runs: bool, now: float) -> bool:
        """Update the device for a readout, None: no new sample. Return whether data was sent to the device."""

    def close(self) -> None:
        """Close the device. Never raises."""


class WheelForceFeedback:
    """Feedback of a wheel with force feedback. Raises VanishedError, OSError."""

    def __init__(self, force: ConstantForce, feedback: ForceFeedback, now: float, turn_torque: float = 0.0) -> None:
        self._force, self._model = force, WheelTorque(feedback, turn_torque)
        self._before = now

    def jump(self) -> None:
        """Reset after the vehicle was moved."""
        self._model.jump()

    def serve(self, readout: Record | None, runs: bool, now: float) -> bool:
        """Send one torque."""
        if readout is not None and runs:
            r = readout[0]
            self._model.set_request(float(r["steering_column_torque"]), float(r["steering_wheel_rate"]), float(r["v_WB_B"][0]))
        torque = self._model.step(runs, now - self._before)
        self._before = now
        return self._force.give(torque / self._model.feedback.torque, now)

    def close(self) -> None:
        """Erase the force and close the device."""
        self._force.close()


class GamepadRumble:
    """Feedback of a game controller with motors."""

    def __init__(self, device: Device, strength: float, now: float) -> None:
        self._handle, self._model = device.handle, Rumble(strength)
        self._before = now
        self._rumbles = False

    def jump(self) -> None:
        """Reset after the vehicle was moved."""
        self._model.jump()

    def serve(self, readout: Record | None, runs: bool, now: float) -> bool:
        """Send the strength of both motors, every SHAKE."""
        h = now - self._before
        if h < RUMBLE_PERIOD or (readout is None and runs):
            return False
        self._before = now
        slow, fast = (0.0, 0.0) if readout is None else self._model.step(readout, runs, h)
        rumbles = slow > 0.0 or fast > 0.0
        if not rumbles and not self._rumbles:
            return False
        if not rumbles:
            self.close()
            return True
        self._rumbles = self._handle.rumble(slow, fast, RUMBLE_LENGTH)
        if not self._rumbles:
            raise VanishedError
        return True

    def close(self) -> None:
        """Stop the motors."""
        if self._rumbles:
            self._rumbles = False
            self._handle.rumble(0.0, 0.0, 0)


class ForceFeedbackThread:
    """Passes samples to the device of the driver. A lost device ends its feedback silently; a new or reconnected device starts again.

    Parameters
    ----------
    tell : prints a line for the user; called in the thread
    system, clock : replaced by tests
    turn_torque : column torque of the vehicle in a turn at 0.7 g [N m], by which wheels are scaled; 0: unknown

    Attributes
    ----------
    delay : time from a sample to the resulting event
    """

    def __init__(
        self,
        tell: Callable[[str], None],
        system: System = SYSTEM,
        clock: Callable[[], float] = time.monotonic,
        turn_torque: float = 0.0,
    ) -> None:
        self.delay, self._turn_torque = Lateness(), turn_torque
        self._tell, self._system, self._clock = tell, system, clock
        self._samples: queue.SimpleQueue[tuple[float, Sample] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._feedback: DeviceFeedback | None = None
        self._device: Device | None = None
        self._last_sample = -math.inf
        self._runs, self._jumps = False, 0
        self._printed: set[str] = set()

    def take(self, sample: Sample) -> None:
        """Take a sample; returns at once."""
        if self._thread is None:
            share_python(1)
            self._thread = threading.Thread(target=self._work, name="force feedback", daemon=True)
            self._thread.start()
        self._samples.put((self._clock(), sample))

    def close(self) -> None:
        """Fade the force out and close the device; wait at most LAST for a device that does not answer. A second call does nothing."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._samples.put(None)
            thread.join(CLOSE_TIMEOUT)
            share_python(-1)

    def serve(self, sample: Sample | None, now: float) -> bool:
        """Process a sample, or None without a new sample, at `now` [s] of the clock. Return whether data was sent. Never raises."""
        if sample is not None:
            self._last_sample, self._runs = now, sample.runs
            if sample.device is not self._device:
                self._change(sample.device, now)
            if sample.jumps != self._jumps:
                self._jumps = sample.jumps
                if self._feedback is not None:
                    self._feedback.jump()
        if self._feedback is None:
            return False
        try:
            runs = self._runs and now - self._last_sample <= SILENCE
            return self._feedback.serve(None if sample is None else sample.readout, runs, now)
        except VanishedError:
            self._drop()
        except OSError as error:
            self._print_once(f"{self._name}: force feedback ended: {error.strerror or error}")
            self._drop()
        return False

    def _work(self) -> None:
        """Process samples until the end; main function of the thread."""
        while True:
            take_priority()  # the process gets real-time priority only when the first tick is due
            try:
                item = self._samples.get(timeout=WAIT)
                while not self._samples.empty() and item is not None:  # only the latest sample is used
                    item = self._samples.get()
            except queue.Empty:
                self.serve(None, self._clock())
                continue
            if item is None:
                break
            if self.serve(item[1], self._clock()):
                self.delay.add(self._clock() - item[0])
        self._fade()

    def _fade(self) -> None:
        """Fade the force out at the end."""
        self._runs = False
        end = self._clock() + FADE_OUT + 2.0 * PERIOD
        now = -math.inf
        while self._feedback is not None and now < end:
            now = self._clock()
            self.serve(None, now)
            time.sleep(PERIOD)
        self._drop()

    @property
    def _name(self) -> str:
        return "" if self._device is None else self._device.handle.name

    def _change(self, device: Device | None, now: float) -> None:
        """Switch to another device of the driver."""
        self._drop()
        self._device = device
        if device is None or device.profile is None:
            return
        profile = device.profile
        if profile.kind == "gamepad" and profile.rumble is not None and profile.rumble.strength > 0.0:
            self._feedback = GamepadRumble(device, profile.rumble.strength, now)
        elif profile.kind == "wheel" and profile.force_feedback is not None and profile.force_feedback.gain > 0.0:
            try:
                self._feedback = open_wheel(device, profile.force_feedback, now, self._system, self._turn_torque)
            except VanishedError:
                return
            except OSError as error:
                self._print_once(f"{device.handle.name}: no force feedback: {error.strerror or error}")
            else:
                self._print_once(f"{device.handle.name}: force feedback up to {profile.force_feedback.max_torque:g} N m")

    def _drop(self) -> None:
        feedback_device, self._feedback = self._feedback, None
        if feedback_device is not None:
            feedback_device.close()

    def _print_once(self, text: str) -> None:
        if text not in self._printed:
            self._printed.add(text)
            self._tell(text)


def open_wheel(
    device: Device, feedback: ForceFeedback, now: float, system: System = SYSTEM, turn_torque: float = 0.0
) -> WheelForceFeedback:
    """Open the force feedback of a wheel; turn_torque : N m, as of `ForceFeedbackThread`.

    Raises
    ------
    VanishedError : the device was disconnected
    OSError : the wheel has no force feedback, or it cannot be used; `strerror` is the reason
    """
    if system is SYSTEM and sys.platform != "linux":
        raise OSError(0, "supported on Linux only")
    node = node_of(device.handle.name, usb_id(device.handle.guid), nodes(system))
    if node is None:
        raise OSError(0, "the system reports no constant force for this device (no driver, or a driver without force feedback)")
    try:
        force = ConstantForce(node, feedback.max_torque / feedback.torque, feedback.rate, 0.5 * PERIOD, system)
        return WheelForceFeedback(force, feedback, now, turn_torque)
    except OSError as error:
        if is_forbidden(error):
            raise OSError(error.errno, permission(node.path)) from None
        raise
