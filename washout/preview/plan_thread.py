"""Thread that computes the plans of the preview washout; in real time the ticks never wait for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.callbacks import address_of
from simulator.base.plugin_thread import PluginThread
from simulator.base.records import Record, dtype_of, record
from washout.contract import WashoutContext
from washout.lead_compensation import lead
from washout.preview.model import MODEL, AxisSettings, axis_model
from washout.preview.planner import MEMORY, PLAN, TASK, plan

PATIENCE = 60.0
"""s. Wall time after which a plan counts as lost: a late plan is discarded anyway, so the thread may be late for any reason."""

_NEEDED = ("tilt_rate", "tilt_acceleration", "plan_rotation_cost", "plan_smoothness")
"""Settings that the matrices depend on."""


def arrival(world: WashoutContext) -> float:
    """Return the time from a pose to the motion of the platform [s]: lag of the lead filter and delay of the actuators."""
    at = world.platform[0]
    behind = lead(float(at["actuator_bandwidth"]), float(at["actuator_damping"]), world.period)[0]["lead_behind"]
    return float(at["actuator_delay"]) + float(behind)


class PlanThread:
    """Planner of the preview washout.

    A plan is computed during the ticks before its start, from the state that the present plan will have then. It is taken only at that tick. A
    plan that comes later, or without an exact solution, is discarded, and the present plan continues.

    Parameters
    ----------
    parameters, state : records of the washout
    world : platform, and ticks of `world.period` [s]
    every : number of ticks between two plans
    """

    def __init__(self, parameters: Record, state: Record, world: WashoutContext, every: int) -> None:
        self._parameters, self._state, self._world, self._every = parameters, state, world, every
        self._task, self._plan, self._memory = record(TASK), record(PLAN), np.zeros(2, dtype_of(MEMORY))
        self._task[0]["arrives"], self._task[0]["gravity"] = arrival(world), world.gravity
        self._settings = b""
        self._models = np.zeros(2, dtype_of(MODEL))
        self._fill_models()
        self._start = self._restarts = -1
        self.late = self.inexact = 0
        """Number of plans that were not ready in time, and that were not solved exactly."""
        _ = plan.address  # compiles here, and not in the thread
        self._thread = PluginThread("preview of the washout", self._compute, budget=PATIENCE, patience=PATIENCE)

    @property
    def trouble(self) -> str:
        """Reason why there are no more plans."""
        return self._thread.error

    def is_due(self) -> bool:
        """Return True if a plan is due to begin, or the washout has begun anew."""
        s = self._state[0]
        return bool(s["restarts"] != self._restarts or s["plan_ticks"] >= self._start)

    def serve(self, seen: Record, wait: bool) -> None:
        """Take the plan that begins now, and start the next one."""
        s = self._state[0]
        if self._thread.busy:
            plan_is_ready = self._thread.result(wait) is not None
            if not plan_is_ready:
                self.late += 1
            elif s["restarts"] == self._restarts and s["plan_ticks"] == self._start:
                self._take(s)
        self._restarts, self._start = int(s["restarts"]), int(s["plan_ticks"]) + self._every
        if not self._thread.busy:
            self._fill_task(s, seen[0])
            self._thread.submit()

    def close(self) -> None:
        """End the thread."""
        self._thread.close()

    def _take(self, s: Any) -> None:
        """Let the washout carry out the finished plan."""
        made = self._plan[0]
        if made["exact"] == 0:
            self.inexact += 1
            return
        for name, *_ in PLAN:
            s[name] = made[name]
        s["plan_ticks"] = 0

    def _fill_task(self, s: Any, seen: Any) -> None:
        """Copy the present plan and the preview for the thread."""
        task, u, h = self._task[0], self._parameters[0], self._world.period
        for name, *_ in PLAN:
            task[name] = s[name]
        task["elapsed"], task["ahead"], task["now"] = self._start * h, self._every * h, s["present"]
        task["gains"] = (*u["force_gain"][:2], u["rate_gain"][1], u["rate_gain"][0])
        task["trust"], task["fades"], task["limit"] = s["trust"], u["plan_fade"], u["plan_iterations"]
        task["slow_trust"], task["smooth"] = s["slow_trust"][:2], s["compared"][1, :2]
        for name in ("preview_count", "preview_step", "preview_f", "preview_w"):
            task[name] = seen[name]

    def _compute(self) -> bool:
        """Compute the plan; runs in the thread, without the lock of Python."""
        self._fill_models()
        plan(*(address_of(one) for one in (self._models, self._memory, self._task, self._plan)), 0, 1, self._world.period)
        return True

    def _fill_models(self) -> None:
        """Compute the matrices, unless the settings are those of the last time."""
        u = self._parameters[0].copy()
        settings = b"".join(u[name].tobytes() for name in _NEEDED)
        if settings == self._settings:
            return
        self._settings = settings
        for axis in range(2):
            wanted = AxisSettings(
                float(u["tilt_rate"]),
                float(u["tilt_acceleration"]),
                float(u["plan_rotation_cost"][axis]),
                float(u["plan_smoothness"][axis]),
            )
            self._models[axis] = axis_model(self._world.platform, axis, wanted)[0]
        self._memory["active_count"], self._memory["is_active"] = 0, 0
