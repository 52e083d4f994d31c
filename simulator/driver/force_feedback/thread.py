"""Gives the driver's device what the vehicle does, in a thread of its own: the ticks hand over a sample and do not wait.

Whatever ends the samples (a pause, the end, a host that hangs) lets the force fade within a fifth of a second: this thread fades what it
hears no more of after SILENCE; what ends this thread too, the kernel ends (`evdev.py`).
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
"""s at most between two samples, and between two torques on the wheel."""
SILENCE = 0.05
"""s without a sample after which nobody drives."""
LISTEN = 0.004
"""s that the thread waits for a sample before it looks at the clock."""
SHAKE = 0.02
"""s between two looks at what shakes a game controller."""
SHAKE_LASTS = 100
"""ms that a game controller shakes without being told again."""
LAST = 0.5
"""s that the end waits for the force to fade."""


class Sample(NamedTuple):
    """What the ticks hand over."""

    readout: Record
    """A copy of the READOUT record."""
    device: Device | None
    """What the driver holds; None: keys, or something from outside."""
    runs: bool
    """Whether the vehicle moves."""
    jumps: int
    """How often it was put elsewhere so far."""


class DeviceFeedback(Protocol):
    """What is felt on one device. `serve` raises VanishedError when the device is gone, OSError when it refuses."""

    def jump(self) -> None:
        """The vehicle is elsewhere."""

    def serve(self, readout: Record | None, runs: bool, now: float) -> bool:
        """What the vehicle does, None: no news. Whether something was said to the device."""

    def close(self) -> None:
        """Let go of the device. Never raises."""


class WheelForceFeedback:
    """A wheel with force feedback. Raises VanishedError, OSError."""

    def __init__(self, force: ConstantForce, feedback: ForceFeedback, now: float) -> None:
        self._force, self._law = force, WheelTorque(feedback)
        self._before = now

    def jump(self) -> None:
        """The vehicle is elsewhere."""
        self._law.jump()

    def serve(self, readout: Record | None, runs: bool, now: float) -> bool:
        """One torque."""
        if readout is not None and runs:
            r = readout[0]
            self._law.want(float(r["steering_column_torque"]), float(r["steering_wheel_rate"]), float(r["v_WB_B"][0]))
        torque = self._law.step(runs, now - self._before)
        self._before = now
        return self._force.give(torque / self._law.feedback.torque, now)

    def close(self) -> None:
        """Take the force away."""
        self._force.close()


class GamepadRumble:
    """A game controller with motors."""

    def __init__(self, device: Device, strength: float, now: float) -> None:
        self._handle, self._law = device.handle, Rumble(strength)
        self._before = now
        self._shakes = False

    def jump(self) -> None:
        """The vehicle is elsewhere."""
        self._law.jump()

    def serve(self, readout: Record | None, runs: bool, now: float) -> bool:
        """Both motors, every SHAKE."""
        h = now - self._before
        if h < SHAKE or (readout is None and runs):
            return False
        self._before = now
        slow, fast = (0.0, 0.0) if readout is None else self._law.step(readout, runs, h)
        shakes = slow > 0.0 or fast > 0.0
        if not shakes and not self._shakes:
            return False
        if not shakes:
            self.close()
            return True
        self._shakes = self._handle.rumble(slow, fast, SHAKE_LASTS)
        if not self._shakes:
            raise VanishedError
        return True

    def close(self) -> None:
        """Stand still."""
        if self._shakes:
            self._shakes = False
            self._handle.rumble(0.0, 0.0, 0)


class ForceFeedbackThread:
    """Gives samples to the device that the driver holds. One that vanishes ends its feel quietly; another one, or the same again, begins anew.

    Parameters
    ----------
    tell : takes a line that the user should read; called in the thread
    system, clock : for tests

    Attributes
    ----------
    delay : time from a sample to the event that it made
    """

    def __init__(self, tell: Callable[[str], None], system: System = SYSTEM, clock: Callable[[], float] = time.monotonic) -> None:
        self.delay = Lateness()
        self._tell, self._system, self._clock = tell, system, clock
        self._samples: queue.SimpleQueue[tuple[float, Sample] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._feel: DeviceFeedback | None = None
        self._device: Device | None = None
        self._heard = -math.inf
        self._runs, self._jumps = False, 0
        self._told: set[str] = set()

    def take(self, sample: Sample) -> None:
        """Hand over a sample; returns at once."""
        if self._thread is None:
            share_python(1)
            self._thread = threading.Thread(target=self._work, name="feel", daemon=True)
            self._thread.start()
        self._samples.put((self._clock(), sample))

    def close(self) -> None:
        """Let the force fade, and let go of the device; a device that does not answer is not waited for longer than LAST. Again: nothing."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._samples.put(None)
            thread.join(LAST)
            share_python(-1)

    def serve(self, sample: Sample | None, now: float) -> bool:
        """A sample, or None where there is no news, at `now` [s] of the clock. Whether something was said to the device. Never raises."""
        if sample is not None:
            self._heard, self._runs = now, sample.runs
            if sample.device is not self._device:
                self._change(sample.device, now)
            if sample.jumps != self._jumps:
                self._jumps = sample.jumps
                if self._feel is not None:
                    self._feel.jump()
        if self._feel is None:
            return False
        try:
            runs = self._runs and now - self._heard <= SILENCE
            return self._feel.serve(None if sample is None else sample.readout, runs, now)
        except VanishedError:
            self._drop()
        except OSError as error:
            self._say_once(f"{self._name}: its feel ends: {error.strerror or error}")
            self._drop()
        return False

    def _work(self) -> None:
        """The thread."""
        while True:
            take_priority()  # the ticks get theirs when the first one is due
            try:
                said = self._samples.get(timeout=LISTEN)
                while not self._samples.empty() and said is not None:  # the latest counts
                    said = self._samples.get()
            except queue.Empty:
                self.serve(None, self._clock())
                continue
            if said is None:
                break
            if self.serve(said[1], self._clock()):
                self.delay.add(self._clock() - said[0])
        self._fade()

    def _fade(self) -> None:
        """The end, of what is felt."""
        self._runs = False
        ends = self._clock() + FADE_OUT + 2.0 * PERIOD
        now = -math.inf
        while self._feel is not None and now < ends:
            now = self._clock()
            self.serve(None, now)
            time.sleep(PERIOD)
        self._drop()

    @property
    def _name(self) -> str:
        return "" if self._device is None else self._device.handle.name

    def _change(self, device: Device | None, now: float) -> None:
        """The driver holds something else."""
        self._drop()
        self._device = device
        if device is None or device.profile is None:
            return
        profile = device.profile
        if profile.kind == "gamepad" and profile.rumble is not None and profile.rumble.strength > 0.0:
            self._feel = GamepadRumble(device, profile.rumble.strength, now)
        elif profile.kind == "wheel" and profile.force_feedback is not None and profile.force_feedback.gain > 0.0:
            try:
                self._feel = open_wheel(device, profile.force_feedback, now, self._system)
            except VanishedError:
                return
            except OSError as error:
                self._say_once(f"{device.handle.name}: no force feedback: {error.strerror or error}")
            else:
                self._say_once(f"{device.handle.name}: force feedback up to {profile.force_feedback.most:g} N m")

    def _drop(self) -> None:
        feel, self._feel = self._feel, None
        if feel is not None:
            feel.close()

    def _say_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._tell(text)


def open_wheel(device: Device, feedback: ForceFeedback, now: float, system: System = SYSTEM) -> WheelForceFeedback:
    """The force feedback of a wheel.

    Raises
    ------
    VanishedError : it is not there any more
    OSError : it has none, or it cannot be used; `strerror` says why
    """
    if system is SYSTEM and sys.platform != "linux":
        raise OSError(0, "there is one on Linux only")
    node = node_of(device.handle.name, usb_id(device.handle.guid), nodes(system))
    if node is None:
        raise OSError(0, "the system knows no constant force of it (no driver, or one without)")
    try:
        force = ConstantForce(node, feedback.most / feedback.torque, feedback.rate, 0.5 * PERIOD, system)
        return WheelForceFeedback(force, feedback, now)
    except OSError as error:
        if is_forbidden(error):
            raise OSError(error.errno, permission(node.path)) from None
        raise
