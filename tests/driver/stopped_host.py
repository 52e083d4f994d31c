"""A host that drives a fake wheel with force feedback in real time and prints what the wheel was told; it goes on until somebody ends it."""

import sys
import time
from types import SimpleNamespace

import numpy as np
from force_device import G29, FakeSystem

from simulator.driver.force_feedback.thread import ForceFeedbackThread, Sample
from simulator.driver.force_feedback.wheel_torque import ForceFeedback

READOUT = np.dtype([("steering_column_torque", "f8"), ("steering_wheel_rate", "f8"), ("v_WB_B", "f8", 3)])


class NotifiedSystem(FakeSystem):
    def note(self, what, value):
        sys.stdout.write(f"{(self.clock(), what, value)!r}\n")
        sys.stdout.flush()


profile = SimpleNamespace(kind="wheel", force_feedback=ForceFeedback(torque=2.0, gain=1.0))
device = SimpleNamespace(handle=SimpleNamespace(name=G29[0], guid="", is_gamepad=False), profile=profile)
feeler = ForceFeedbackThread(print, NotifiedSystem())
readout = np.zeros(1, READOUT)
while True:
    readout[0]["steering_column_torque"] = -1.5 + 0.01 * (time.monotonic() % 0.1)  # each sample another torque, to the left
    feeler.take(Sample(readout.copy(), device, True, 0))
    time.sleep(0.002)
