"""Runner of a plugin washout: its records, its thread if it is written in Python, and its preview."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.callbacks import address_of
from simulator.base.field_records import filled, parameters_of, rows
from simulator.base.plugin_thread import PluginThread
from simulator.base.rates import whole_ticks
from simulator.base.records import Record, Table, record
from simulator.base.registry import making
from simulator.base.values import Values
from washout.contract import PREVIEW_POINTS, WASHOUT_INPUT, WASHOUT_OUTPUT, Planner, WashoutContext, WashoutKind
from washout.online_tuning import OnlineTuner
from washout.perceived_motion import set_aim
from washout.platform import HEXAPOD
from washout.preview.sources import Preview

NOT_NUMBERS = "its pose is not six finite numbers"


class WashoutRunner:
    """Plugin washout of a MotionCueing.

    Parameters
    ----------
    kind : the washout
    values : content of the washout file
    p, s : PARAMETERS and STATES of the cueing; the addresses of the records of the washout are written into p

    Raises
    ------
    ConfigError : invalid parameter or rate
    JounceError : the washout cannot be created
    """

    def __init__(self, kind: WashoutKind, values: Values, p: Record, s: Record) -> None:
        self.kind = kind
        self._preview: Preview | None = None
        self.parameters = filled(rows(kind.parameters), values["cueing"])
        h = float(p[0]["h"])
        rate = values.get("rate", kind.rate)
        self.every = 1 if rate == 0.0 else whole_ticks(rate, h, values.file, "rate")
        ticks = 1 if kind.planner is not None else self.every
        self._h = ticks * h
        self._s, self._predicted_at, self._planned_at, self._rests = s, math.inf, math.inf, -1
        self._input, self._result = record(WASHOUT_INPUT), record(WASHOUT_OUTPUT)
        self._state: Record = record(kind.state) if kind.state else np.zeros(1)
        platform = record(HEXAPOD)
        for name, *_ in HEXAPOD:
            platform[0][name] = p[0][name]
        world = WashoutContext(platform, float(p[0]["gravity"]), self._h)
        self._thread: PluginThread | None = None
        self._planner: Planner | None = None
        # no tunable parameters for a washout in Python, which may have copied them; a kernel reads them in every step
        self.tuner = OnlineTuner(s, (), {}, lambda _: ()) if kind.kernel is None else self._new_tuner(kind, world, values.file, p)
        with making(f"washout {kind.name}"):
            if kind.begin is not None:
                kind.begin(self.parameters, self._state, world)
            if kind.planner is not None:
                self._planner = kind.planner(self.parameters, self._state, world, self.every)
            if kind.make is not None:
                step = kind.make(self.parameters, world).step
                self._thread = PluginThread(f"washout {kind.name}", lambda record_in: _pose(step(record_in, self._h)))
        p[0]["washout_every"] = ticks
        p[0]["washout_kernel"] = 0 if kind.kernel is None else kind.kernel.address
        for name, one in (("parameters", self.parameters), ("state", self._state), ("seen", self._input), ("result", self._result)):
            p[0][f"washout_{name}"] = address_of(one)
        set_aim(self.parameters, p)

    def _new_tuner(self, kind: WashoutKind, world: WashoutContext, file: object, p: Record) -> OnlineTuner:
        """Return a tuner for a kernel: it changes the parameters, and the values of the state that `begin` derives from them."""
        values = {field.name: self.parameters[0][field.name].tolist() for field in kind.parameters}

        def derived_state(parameters: Record) -> Record:
            state = self._state.copy()
            if kind.begin is not None:
                kind.begin(parameters, state, world)
            return state

        present = self.parameters.copy()

        def derive(changed: Mapping[str, Any]) -> list[tuple[Record, Record]]:
            goal = parameters_of(kind.parameters, changed, file, "cueing")
            before, after, state = derived_state(present), derived_state(goal), self._state.copy()
            for name in state.dtype.names or ():
                np.copyto(state[name], after[name], where=before[name] != after[name])
            present[:], aim = goal, p.copy()
            set_aim(goal, aim)
            return [(self.parameters, goal), (self._state, state), (p, aim)]

        return OnlineTuner(self._s, kind.parameters, values, derive)

    @property
    def trouble(self) -> str:
        """Reason why the washout was stopped, in one line; empty while it works. The platform then moves to neutral and stays there."""
        if self._thread is not None:
            return self._thread.error
        if self._planner is not None and self._planner.trouble:
            return self._planner.trouble
        return f"washout {self.kind.name} was dropped: {NOT_NUMBERS}" if self._s[0]["off"] else ""

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """Logged columns of its state, (prefix, table, record)."""
        return [("washout_", self.kind.logged, self._state)] if self.kind.logged else []

    def serve(self, time: float = 0.0, wait: bool = True) -> None:
        """Prepare the next tick: update the preview; fetch the pose of a washout in Python and start its next step when due.

        Parameters
        ----------
        time : simulated time [s]
        wait : True: wait for the pose, if the run is not in real time
        """
        s = self._s[0]
        if s["off"]:
            return
        if self._planner is not None:
            if self._planner.is_due():
                if self._preview is not None:
                    self._fill_preview(time)
                if time == self._planned_at:  # the drive waits: what comes does not come yet
                    self._input[0]["preview_count"] = 0
                self._planned_at = time
                self._planner.serve(self._input, wait)
            return
        if self._preview is not None and self._thread is None:  # a kernel is called within the coming ticks, at the end of the period
            self._fill_preview(time + (self.every - int(s["since"]) % self.every) * self._h / self.every)
        elif self._preview is not None and s["due"] == 1:
            self._fill_preview(time)
        if self._thread is not None and s["due"] == 1:
            self._exchange(self._thread, wait)

    def set_preview(self, preview: Preview) -> None:
        """Use `preview` as the preview of a predictive washout."""
        self._preview = preview

    def close(self) -> None:
        """Stop the thread of a washout in Python. A second call has no effect."""
        if self._thread is not None:
            self._thread.close()
        if self._planner is not None:
            self._planner.close()

    def _exchange(self, thread: PluginThread, wait: bool) -> None:
        """Append the result of the last call as the newest pose and start the next call; without a result the last pose is repeated."""
        s = self._s[0]
        s["due"] = 0
        pose = thread.result(wait)
        if pose is not None and not np.isfinite(pose).all():
            thread.stop(NOT_NUMBERS)
        if thread.error:
            s["off"] = 1
            return
        answers = s["answers"]
        answers[:2] = answers[1:]
        if pose is not None and self._rests == s["rests"]:
            answers[2] = pose
        if not thread.busy:
            self._rests = int(s["rests"])
            thread.submit(self._input.copy())

    def _fill_preview(self, time: float) -> None:
        """Fill the preview, once per period."""
        assert self._preview is not None
        if abs(time - self._predicted_at) < 0.5 * self._h:
            return
        self._predicted_at = time
        record_in = self._input[0]
        count = self._preview.predict(time, record_in["preview_f"], record_in["preview_w"])
        more = float(self._s[0]["intensity"]) - 1.0
        record_in["preview_f"][:count] += more * (record_in["preview_f"][:count] - [0.0, 0.0, record_in["gravity"]])
        record_in["preview_w"][:count] *= 1.0 + more
        ahead = np.isfinite(record_in["preview_f"][:count]).all() and np.isfinite(record_in["preview_w"][:count]).all()
        record_in["preview_count"] = min(count, PREVIEW_POINTS) if ahead else 0
        record_in["preview_step"] = self._preview.step


def _pose(answer: Any) -> np.ndarray:
    """Return the result of a washout in Python as six numbers; NaN if it has another shape."""
    pose = np.asarray(answer, dtype=float)
    return pose if pose.shape == (6,) else np.full(6, math.nan)
