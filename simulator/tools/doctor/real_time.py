"""Examination of what a steady tick rate needs: processor cores, priority, timer."""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from simulator.base.machine import processor
from simulator.clock import take_real_time_priority
from simulator.tools.doctor.finding import GOOD, LIMITED, Finding

FEWEST_CORES = 2
"""The loop and the view need a core each."""
PERIOD, SLEEPS = 1e-3, 500
"""s of a sleep, and number of sleeps, of the measurement of the timer."""
LATE_LIMIT = 5e-4
"""s. Lateness at the 99th percentile beyond which ticks of 1 ms are late."""


def cores() -> Finding:
    """Examine the number of processor cores that this process may use."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    text = f"{count} cores, {processor()}"
    if count < FEWEST_CORES:
        return Finding("processor", LIMITED, text, "use at least two cores: the loop and the view need one each")
    return Finding("processor", GOOD, text)


def priority() -> Finding:
    """Try to get real-time priority; give it back."""
    subject = "real-time priority"
    if not sys.platform.startswith("linux"):
        return Finding(subject, LIMITED, f"not requested on {sys.platform}")
    scheduler, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    if not take_real_time_priority():
        remedy = "add `YOURUSER - rtprio 60` to a file in /etc/security/limits.d and log in again; in a container: --cap-add SYS_NICE"
        return Finding(subject, LIMITED, "not permitted (SCHED_FIFO); ticks may be late while other programs are busy", remedy)
    os.sched_setscheduler(0, scheduler, parameters)
    return Finding(subject, GOOD, "permitted (SCHED_FIFO)")


def timer() -> Finding:
    """Measure by how much sleeps of 1 ms end late."""
    late = np.empty(SLEEPS)
    for n in range(SLEEPS):
        start = time.perf_counter()
        time.sleep(PERIOD)
        late[n] = time.perf_counter() - start - PERIOD
    middle, worst = np.percentile(late, (50, 99))
    text = f"sleeps of 1 ms end {1e3 * middle:.2f} ms late, {1e3 * worst:.2f} ms at the 99th percentile"
    if worst > LATE_LIMIT:
        return Finding("timer", LIMITED, text, "close other programs; on a laptop, choose the power mode for performance")
    return Finding("timer", GOOD, text)
