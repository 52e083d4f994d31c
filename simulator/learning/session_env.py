"""Environment from a session file: observations are columns of the log or expressions of them, the reward is an expression."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from simulator.base.errors import ConfigError, JounceError

try:
    import gymnasium
except ModuleNotFoundError as error:
    from simulator.learning.registration import missing

    raise JounceError(missing()) from error

from simulator.api.command_drivers import HeldCommand
from simulator.api.simulation import IncidentError, Simulation
from simulator.base.arrays import Array
from simulator.base.suggestions import did_you_mean
from simulator.driver.command_ranges import RANGES
from simulator.fleet.values import Draws, given_to_each
from simulator.learning.arena import CHANGE_SPEED, INVALID, STEERING_RATE
from simulator.learning.contract import DIRECTION, PEDAL, STEERING, Row
from simulator.learning.environments import RENDER_MODES, checked_actions, limits
from simulator.learning.rendering import Renderer, Sight
from simulator.maneuvers.analyses.contract import Drive
from simulator.maneuvers.expressions import Expression, parse

USUAL_ACTIONS = {row.name: row for row in (STEERING, PEDAL, DIRECTION)}
SETTINGS = ("session", "observations", "actions", "reward", "terminated", "success", "period", "seconds", "changes", "n_worlds")
COLLISION, SUCCESS, FAILURE, TIME = "collision", "success", "terminated", "time limit"


class SessionEnv(gymnasium.Env[Any, Any]):
    """Environment of Gymnasium from a session file. A subclass sets the class variables below; arguments of the same names override them.

    The own vehicle takes the actions in place of the driver of the session; its maneuver only gives the start. An expression is one of the
    metrics of a maneuver (docs/own_maneuver.md) whose series have two rows: the begin and the end of the step. It returns a number.

    Parameters
    ----------
    render_mode : "rgb_array", "human" or None
    pool_seed : seed of the worlds
    settings : values instead of the class variables

    Raises ConfigError, JounceError: a file, a change or an expression cannot be used.
    """

    session: ClassVar[str]
    """Name or path of the session file."""
    observations: ClassVar[Mapping[str, tuple[float, float]]]
    """Limits by column, or by expression."""
    actions: ClassVar[Sequence[str]] = ("steering", "pedal")
    """Parts of a command, "pedal" or "direction"."""
    reward: ClassVar[str]
    """Expression of the reward of a step."""
    terminated: ClassVar[str] = ""
    """Expression that is not 0 when the episode ends in failure. It also ends after a collision and in an invalid state."""
    success: ClassVar[str] = ""
    """Expression that is not 0 when the episode ends in success."""
    period: ClassVar[float] = 0.05
    """s, of a step"""
    seconds: ClassVar[float] = 30.0
    """s, longest episode"""
    changes: ClassVar[Mapping[str, Any]] = {}
    """Values by key path as of `Simulation`; each world draws its own value of a distribution."""
    n_worlds: ClassVar[int] = 1

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 20}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(self, render_mode: str | None = None, pool_seed: int = 0, **settings: Any) -> None:
        for name, value in settings.items():
            if name not in SETTINGS:
                raise JounceError(f"environment: unknown argument {name}{did_you_mean(name, SETTINGS)}; expected {', '.join(SETTINGS)}")
            setattr(self, name, value)
        for name in ("session", "observations", "reward"):
            if not hasattr(self, name):
                raise JounceError(f"environment {type(self).__name__}: {name} is missing; expected a class variable or an argument")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ConfigError("environment", "render_mode", render_mode, f"one of {', '.join(RENDER_MODES)}, or None")
        self._arguments = {"render_mode": render_mode, "pool_seed": pool_seed, **settings}
        self._renderer: Renderer | None = None
        self.render_mode, self._process, self._closed = render_mode, os.getpid(), False
        self._rows = [_action_row(name) for name in self.actions]
        self._held = HeldCommand()
        self.worlds = [self._world(k, pool_seed) for k in range(self.n_worlds)]
        self._steps = 0
        self._sim, self._runs = self.worlds[0], False
        self._read_expressions()
        self.metadata = {**self.metadata, "render_fps": round(1.0 / self.period)}  # type: ignore[misc]
        self._low, self._high = (
            np.array([one[end] for one in (*self.observations.values(), *self.more_limits())], float) for end in (0, 1)
        )
        low, high = limits(self._rows)
        self.observation_space = gymnasium.spaces.Box(self._low.astype(np.float32), self._high.astype(np.float32), dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)
        self._action_limits = low, high
        self._usual = frozenset((*self.__dict__, "_number", "_usual", "_np_random", "_np_random_seed"))
        """Attributes that are none of a subclass."""

    def _world(self, k: int, pool_seed: int) -> Simulation:
        draws = Draws(k + 1, pool_seed)
        given = {**self.changes, **self.world_changes(k, np.random.default_rng((pool_seed, k)))}
        drawn = {key: draws.value(key, given_to_each(key, one, 1)[0] if _is_drawn(one) else one, k) for key, one in given.items()}
        return Simulation(
            session=self.session, driver=self._held, platform=None, changes=drawn, channels=["time"], log_rate=1.0 / self.period
        )

    def _read_expressions(self) -> None:
        sim, source = self.worlds[0], type(self).__name__
        known = sim.columns

        def read(key: str, text: str) -> Expression:
            return parse(f"last({text})" if text in known else text, source, key, known.__contains__, near=known)

        self._seen = [read("observations", text) for text in self.observations]
        self._reward = read("reward", self.reward)
        self._ends = {
            word: read(key, text)
            for word, key, text in ((SUCCESS, "success", self.success), (FAILURE, "terminated", self.terminated))
            if text
        }
        every = [name for one in (*self._seen, self._reward, *self._ends.values()) for name in one.channels]
        self._columns = list(dict.fromkeys(["time", "v_WB_B_x", *every]))
        self._before = self._now = np.zeros(len(self._columns))

    # what a subclass may add

    def world_changes(self, k: int, rng: np.random.Generator) -> Mapping[str, Any]:
        """Return the changes of world k, drawn from `rng` only."""
        return {}

    def more_limits(self) -> Sequence[tuple[float, float]]:
        """Return the limits of `more_observations`."""
        return ()

    def more_observations(self, sim: Simulation) -> Sequence[float]:
        """Return observations that no expression gives; called once after each reset and step."""
        return ()

    def begin(self, sim: Simulation) -> None:
        """Prepare for an episode."""

    def judge(self, sim: Simulation) -> tuple[float, str]:
        """Return the reward of the last step, and the outcome: "" while the episode goes on, SUCCESS for a success."""
        drive = self._drive()
        outcome = next((word for word, end in self._ends.items() if end.value(drive) not in (0.0, np.nan)), "")
        reward = self._reward.value(drive)
        if not np.isfinite(reward):
            raise JounceError(
                f"environment {type(self).__name__}: reward {self.reward!r} is not a number at {sim.time:g} s; expected a number"
            )
        return reward, outcome

    # the interface of Gymnasium

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in a world of the pool; options: {"world": its number}."""
        self._check_open()
        super().reset(seed=seed)
        world = (options or {}).get("world", None)
        if world is None:
            world = int(self.np_random.integers(len(self.worlds)))
        elif not (isinstance(world, int | np.integer) and 0 <= world < len(self.worlds)):
            raise ConfigError("reset", "options.world", world, f"a whole number from 0 to {len(self.worlds) - 1}")
        self._start(int(world))
        self._show()
        return self._observed(), {"world": int(world)}

    def _start(self, world: int) -> None:
        self._number, self._sim, self._steps, self._runs = world, self.worlds[world], 0, True
        self._sim.reset()
        self._held.values = HeldCommand().values
        self._before = self._now = self._sim.values(self._columns)
        self.begin(self._sim)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Advance one period. Raises ActionError: the action is not finite, or of a wrong shape; JounceError: no episode runs."""
        self._check_open()
        if not self._runs:
            raise JounceError("step: no episode runs; expected reset() before the first step and after the end of an episode")
        given = checked_actions(action, self.action_space.shape or (), self._rows)
        outcome = self._advance(given)
        observed = self._observed()
        reward, judged = self.judge(self._sim)
        outcome = outcome or judged
        cut = not outcome and self._steps * self.period >= self.seconds - 1e-9
        self._runs = not (outcome or cut)
        self._show()
        info = {} if self._runs else {"outcome": outcome or TIME, "success": outcome == SUCCESS}
        return observed, reward, bool(outcome), cut, info

    def _advance(self, action: Array) -> str:
        """Advance one period under an action; return an outcome, or ""."""
        self._steps += 1
        self._command(np.clip(action, *self._action_limits))
        outcome = ""
        try:
            self._sim.advance(self.period)
        except IncidentError:
            outcome = INVALID
        self._before, self._now = self._now, self._sim.values(self._columns)
        return outcome or (COLLISION if self._sim.collisions else "")

    def _command(self, action: Array) -> None:
        values, most = self._held.values, STEERING_RATE * self.period
        for row, value in zip(self._rows, action.tolist(), strict=True):
            if row is STEERING:
                values["steering"] += float(np.clip(value - values["steering"], -most, most))
            elif row is PEDAL:
                values["throttle"], values["brake"] = max(value, 0.0), max(-value, 0.0)
            elif row is not DIRECTION:
                values[row.name] = value
            elif abs(self._now[1]) < CHANGE_SPEED:
                values["selector"] = -1 if value < 0.0 else 1

    def _drive(self) -> Drive:
        """Return the last step as a run of two rows."""
        columns = {name: np.array(pair) for name, *pair in zip(self._columns, self._before, self._now, strict=True)}
        return Drive(columns, self.period, {}, cast(Any, None))

    def _observed(self) -> Any:
        drive = self._drive()
        values = [*(one.value(drive) for one in self._seen), *self.more_observations(self._sim)]
        if not np.isfinite(values).all():
            number = int(np.argmin(np.isfinite(values)))
            name = [*self.observations, *(f"more_observations {k}" for k in range(len(values)))][number]
            raise JounceError(f"environment {type(self).__name__}: observation {name!r} is not a number at {self._sim.time:g} s")
        return np.clip(values, self._low, self._high).astype(np.float32)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return the picture (height, width, 3) of the vehicle, or show it in the window."""
        self._check_open()
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: render_mode='rgb_array'")
            return None
        if self._renderer is None or self._process != os.getpid():
            self._renderer, self._process = Renderer(self.render_mode, "chase", self.period), os.getpid()
        session = self._sim.session
        sight = Sight(self._sim.ground, self._sim.vehicle, session.readout, int(session.command[0]["selector"]), session.others.states)
        if self.render_mode == "human":
            return self._renderer.show(sight)
        return self._renderer.picture(sight)

    def close(self) -> None:
        """Release everything; a second call does nothing."""
        if getattr(self, "_closed", True):
            return
        self._closed = True
        for world in self.worlds:
            world.close()
        if self._renderer is not None and self._process == os.getpid():
            self._renderer.close()
        self._renderer = None

    def _check_open(self) -> None:
        if self._closed:
            raise JounceError("environment: it is closed; expected an open environment; hint: make a new one")

    def __getstate__(self) -> dict[str, Any]:
        state = {"arguments": self._arguments, "random": (self._np_random, self._np_random_seed), "closed": self._closed, "episode": None}
        if self._runs and not self._closed:
            names = ("_number", "_steps", "_before", "_now", *(name for name in self.__dict__ if name not in self._usual))
            state["episode"] = {name: getattr(self, name) for name in names}, self._sim.save()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["arguments"])  # type: ignore[misc]
        self._np_random, self._np_random_seed = state["random"]
        if state["episode"] is not None:
            own, simulation = state["episode"]
            self.__dict__.update(own)
            self._sim, self._runs = self.worlds[self._number], True
            self._sim.restore(simulation)
        if state["closed"]:
            self.close()


def _is_drawn(value: Any) -> bool:
    return isinstance(value, Mapping) and "distribution" in value


def _action_row(name: str) -> Row:
    """Return the row of an action. Raises JounceError: no part of a command."""
    if name in USUAL_ACTIONS:
        return USUAL_ACTIONS[name]
    if name not in RANGES:
        known = (*USUAL_ACTIONS, *RANGES)
        raise JounceError(f"actions: unknown part {name!r}{did_you_mean(str(name), known)}; expected {', '.join(known)}")
    return Row(name, *RANGES[name], "", "part of the command")
