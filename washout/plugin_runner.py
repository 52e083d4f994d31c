"""The owner of a washout from outside: its records, its thread when it is written in Python, and whoever foresees for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.callbacks import address_of
from simulator.base.fields import fields_of, filled, from_mapping, read
from simulator.base.plugin_thread import PluginThread
from simulator.base.rates import whole_ticks
from simulator.base.records import Record, Table, numbers, record
from simulator.base.registry import making
from washout.contract import PREVIEW_POINTS, WASHOUT_INPUT, WASHOUT_OUTPUT, WashoutContext, WashoutKind
from washout.online_tuning import OnlineTuner
from washout.platform import HEXAPOD
from washout.preview import Preview

NOT_NUMBERS = "its pose is not six finite numbers"


class WashoutRunner:
    """What a MotionCueing has of a washout from outside.

    Parameters
    ----------
    kind : the washout
    mapping, file : content of the washout file and its name
    p, s : PARAMETERS and STATES of the cueing; the addresses of the washout's own records are written into p

    Raises
    ------
    ConfigError : a parameter, or the rate, cannot be used
    JounceError : the washout cannot be made
    """

    def __init__(self, kind: WashoutKind, mapping: Mapping[str, Any], file: object, p: Record, s: Record) -> None:
        self.kind = kind
        self.preview: Preview | None = None
        self.parameters = from_mapping(kind.parameters, mapping["cueing"], file, "cueing", kind.defaults, kind.ranges)
        h = float(p[0]["h"])
        self.every = _ticks(mapping.get("rate"), kind, h, file)
        self._h = self.every * h
        self._s, self._foreseen, self._rests = s, math.inf, -1
        self._seen, self._result = record(WASHOUT_INPUT), record(WASHOUT_OUTPUT)
        self._state: Record = record(kind.state) if kind.state else np.zeros(1)
        platform = record(HEXAPOD)
        for name, *_ in HEXAPOD:
            platform[0][name] = p[0][name]
        world = WashoutContext(platform, float(p[0]["gravity"]), self._h)
        self._aside: PluginThread | None = None
        self.adjuster: OnlineTuner | None = None if kind.kernel is None else self._new_adjuster(kind, world, file)
        """Of a compiled washout; one in Python may have put its parameters anywhere."""
        with making(f"washout {kind.name}"):
            if kind.begin is not None:
                kind.begin(self.parameters, self._state, world)
            if kind.make is not None:
                step = kind.make(self.parameters, world).step
                self._aside = PluginThread(f"washout {kind.name}", lambda seen: _pose(step(seen, self._h)))
        p[0]["washout_every"] = self.every
        p[0]["washout_kernel"] = 0 if kind.kernel is None else kind.kernel.address
        for name, one in (("parameters", self.parameters), ("state", self._state), ("seen", self._seen), ("result", self._result)):
            p[0][f"washout_{name}"] = address_of(one)

    def _new_adjuster(self, kind: WashoutKind, world: WashoutContext, file: object) -> OnlineTuner:
        """Changes the parameters, and in the state what `begin` fills otherwise with the changed ones."""
        own = fields_of(kind.parameters, kind.ranges, kind.defaults)
        values = {name: self.parameters[0][name].tolist() for name, *_ in kind.parameters}

        def begun(parameters: Record) -> Record:
            state = self._state.copy()
            if kind.begin is not None:
                kind.begin(parameters, state, world)
            return state

        said = self.parameters.copy()

        def derive(changed: Mapping[str, Any]) -> list[tuple[Record, Record]]:
            goal = filled(kind.parameters, read(own, changed, file, "cueing"))
            before, after, state = begun(said), begun(goal), self._state.copy()
            for name in state.dtype.names or ():
                np.copyto(state[name], after[name], where=before[name] != after[name])
            said[:] = goal
            return [(self.parameters, goal), (self._state, state)]

        return OnlineTuner(own, values, derive)

    @property
    def trouble(self) -> str:
        """Why it was dropped; empty while it works."""
        if self._aside is not None:
            return self._aside.trouble
        return f"washout {self.kind.name} was dropped: {NOT_NUMBERS}" if self._s[0]["off"] else ""

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """Columns of its state that are worth a log, (prefix, table, record)."""
        return [("washout_", self.kind.logged, self._state)] if self.kind.logged else []

    def serve(self, time: float, wait: bool) -> None:
        """See `MotionCueing.serve`."""
        s = self._s[0]
        if s["off"]:
            return
        if self.preview is not None and self._aside is None:  # which is asked within the ticks to come, at the end of the period
            self._foresee(time + (self.every - int(s["since"]) % self.every) * self._h / self.every)
        elif self.preview is not None and s["due"] == 1:
            self._foresee(time)
        if self._aside is not None and s["due"] == 1:
            self._take(self._aside, wait)

    def close(self) -> None:
        """End the thread."""
        if self._aside is not None:
            self._aside.close()

    def _take(self, aside: PluginThread, wait: bool) -> None:
        """The answer to the last question becomes the newest pose, and the next one is asked; without an answer the pose holds."""
        s = self._s[0]
        s["due"] = 0
        pose = aside.answer(wait)
        if pose is not None and not np.isfinite(pose).all():
            aside.drop(NOT_NUMBERS)
        if aside.trouble:
            s["off"] = 1
            return
        answers = s["answers"]
        answers[:2] = answers[1:]
        if pose is not None and self._rests == s["rests"]:
            answers[2] = pose
        if not aside.busy:
            self._rests = int(s["rests"])
            aside.ask(self._seen.copy())

    def _foresee(self, time: float) -> None:
        """Fill the preview, once per period."""
        assert self.preview is not None
        if abs(time - self._foreseen) < 0.5 * self._h:
            return
        self._foreseen = time
        seen = self._seen[0]
        count = self.preview.predict(time, seen["preview_f"], seen["preview_w"])
        more = float(self._s[0]["intensity"]) - 1.0
        seen["preview_f"][:count] += more * (seen["preview_f"][:count] - [0.0, 0.0, seen["gravity"]])
        seen["preview_w"][:count] *= 1.0 + more
        ahead = np.isfinite(seen["preview_f"][:count]).all() and np.isfinite(seen["preview_w"][:count]).all()
        seen["preview_count"] = min(count, PREVIEW_POINTS) if ahead else 0
        seen["preview_step"] = self.preview.step


def _pose(answer: Any) -> np.ndarray:
    """Six numbers out of what a washout in Python returns; NaN when they are none."""
    pose = np.asarray(answer, dtype=float)
    return pose if pose.shape == (6,) else np.full(6, math.nan)


def _ticks(rate: Any, kind: WashoutKind, h: float, file: object) -> int:
    """Ticks between two steps of a washout at the rate [Hz] a file says. Raises ConfigError."""
    if rate is None and kind.rate == 0.0:
        return 1
    wanted = float(numbers(kind.rate if rate is None else rate, (), file, "rate", "Hz", (0.1, 1.0 / h)))
    return whole_ticks(wanted, h, file, "rate")
