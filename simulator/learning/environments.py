"""Environments of Gymnasium: one vehicle, or many in one process."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.call_checks import ArgumentError
from simulator.base.errors import ConfigError, JounceError
from simulator.learning.arena import Arena, Task, limits
from simulator.learning.contract import ActionError, Numbers, Row
from simulator.learning.rendering import RENDER_MODES, Renderer, Sight

Observation = NDArray[np.float32]
Generators = list[np.random.Generator]


class _Driving:
    """What both kinds of environments have in common: the arena, and its picture.

    Parameters
    ----------
    task, arguments : class of the task and arguments of the `Arena`
    n : number of vehicles
    render_mode : "rgb_array", "human" or None
    """

    def _build(self, task: type[Task], n: int, render_mode: str | None, arguments: Mapping[str, Any]) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ConfigError("environment", "render_mode", render_mode, f"one of {', '.join(RENDER_MODES)}, or None")
        self._arguments = {"task": task, "render_mode": render_mode, **arguments}
        self.render_mode = render_mode
        try:
            self.arena = Arena(task(), n, **arguments)
        except ArgumentError as error:  # a TypeError, of which Gymnasium makes another one of the same class with one argument
            raise JounceError(str(error)) from None
        except TypeError as error:
            if "Arena.__init__" not in str(error):
                raise
            raise JounceError(f"environment: {str(error).partition('() ')[2]}; expected the arguments in docs/learning.md") from None
        self._low, self._high = limits(self.arena.task.observations)
        self._renderer: Renderer | None = None
        self._process = os.getpid()

    def _spaces(self) -> tuple[gymnasium.spaces.Box[Any], gymnasium.spaces.Box[Any]]:
        low, high = limits(self.arena.task.actions)
        boxes = ((self._low, self._high), (low, high))
        out = [gymnasium.spaces.Box(a.astype(np.float32), b.astype(np.float32), dtype=np.float32) for a, b in boxes]
        return out[0], out[1]

    def _seen(self, observed: Array) -> Observation:
        """Return observations within their limits, as `float32`."""
        out: Observation = np.clip(observed, self._low, self._high).astype(np.float32)
        return out

    def _draw(self, generator: np.random.Generator, options: Mapping[str, Any] | None) -> int:
        """Return the world of the next episode: that of the options, or drawn."""
        count = len(self.arena.worlds)
        if options and "world" in options:
            world = options["world"]
            if not (isinstance(world, int | np.integer) and 0 <= world < count):
                raise ConfigError("reset", "options.world", world, f"a whole number from 0 to {count - 1}")
            return int(world)
        return int(generator.integers(count))

    def _pictures(self, vehicles: int) -> tuple[NDArray[np.uint8], ...] | None:
        """Return pictures of the first vehicles, or show the first one in the window."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: gymnasium.make(..., render_mode='rgb_array')")
            return None
        if self._renderer is None or self._process != os.getpid():  # a forked process cannot use the context of the other one
            self._renderer, self._process = Renderer(self.render_mode, self.arena.task.camera, self.arena.period), os.getpid()
        if self.render_mode == "human":
            self._renderer.show(self._sight(0))
            return None
        return tuple(self._renderer.picture(self._sight(k)) for k in range(vehicles))

    def _sight(self, vehicle: int) -> Sight:
        fleet = self.arena.fleet_of(vehicle)
        return Sight(fleet.ground, fleet.kind, fleet.readout(vehicle), int(fleet.commands["selector"][vehicle]))

    def _end(self) -> None:
        if not hasattr(self, "arena"):
            return  # the constructor raised an error
        self.arena.close()
        if self._renderer is not None and self._process == os.getpid():
            self._renderer.close()
        self._renderer = None


class DrivingEnv(_Driving, gymnasium.Env[Observation, Any]):
    """A vehicle and its task.

    Parameters
    ----------
    task : class of the task
    render_mode : "rgb_array", "human" or None
    arguments : of `simulator.learning.arena.Arena`: n_worlds, pool_seed, vehicle, terrain, period, changes
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 20}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(self, task: type[Task], render_mode: str | None = None, **arguments: Any) -> None:
        self._build(task, 1, render_mode, arguments)
        self.metadata = {**self.metadata, "render_fps": round(1.0 / self.arena.period)}  # type: ignore[misc]
        self.observation_space, self.action_space = self._spaces()
        self._one = np.zeros(1, np.int64)
        self._runs = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode in a world of the pool; options: {"world": its number}."""
        super().reset(seed=seed)
        world = self._draw(self.np_random, options)
        observed = self.arena.start(self._one, np.array([world]))
        self._runs = True
        self._show()
        return self._seen(observed)[0], {"world": world}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Advance one period. Raises ActionError: the action is not finite, or of a wrong shape; JounceError: no episode runs."""
        self.arena.check_open()
        if not self._runs:
            raise JounceError("step: no episode runs; expected reset() before the first step and after the end of an episode")
        given = checked_actions(action, self.action_space.shape or (), self.arena.task.actions)
        observed, reward, outcome, truncated = self.arena.step(given[None], self._one)
        ended, cut = bool(outcome[0] > 0), bool(truncated[0])
        self._runs = not (ended or cut)
        info = {} if self._runs else _ending(self.arena, int(outcome[0]))
        self._show()
        return self._seen(observed)[0], float(reward[0]), ended, cut, info

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return the picture (height, width, 3) of the vehicle, or show it in the window."""
        self.arena.check_open()
        pictures = self._pictures(1)
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """Release everything; a second call does nothing."""
        self._end()

    def __getstate__(self) -> dict[str, Any]:
        runs = self._runs and not self.arena.closed
        return {
            "arguments": self._arguments,
            "arena": self.arena.state() if runs else None,
            "generator": self._np_random,
            "seed": self._np_random_seed,
            "closed": self.arena.closed,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["arguments"])  # type: ignore[misc]
        self._np_random, self._np_random_seed = state["generator"], state["seed"]
        if state["arena"] is not None:
            self.arena.set_state(state["arena"])
            self._runs = True
        if state["closed"]:
            self.close()


class DrivingVectorEnv(_Driving, VectorEnv):
    """Many vehicles with the same task in one process. Environment k with the seed s is a `DrivingEnv` with the seed s + k, to the last bit.

    Parameters
    ----------
    num_envs : number of vehicles
    autoreset_mode : NEXT_STEP: a vehicle whose episode has ended begins the next one in the next step; DISABLED: it stands until a reset
    others : as of a `DrivingEnv`, and `threads`
    """

    metadata = {**DrivingEnv.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(
        self,
        task: type[Task],
        num_envs: int = 1,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        **arguments: Any,
    ) -> None:
        if autoreset_mode not in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED):
            raise ConfigError("environment", "autoreset_mode", str(autoreset_mode), "AutoresetMode.NEXT_STEP or AutoresetMode.DISABLED")
        self._build(task, num_envs, render_mode, arguments)
        self.metadata = {**self.metadata, "render_fps": round(1.0 / self.arena.period), "autoreset_mode": autoreset_mode}  # type: ignore[misc]
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = self._spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators: Generators = [seeding.np_random(None)[0] for _ in range(num_envs)]
        self._observed = np.zeros((num_envs, len(self._low)), np.float32)
        self._terminated, self._truncated = np.ones(num_envs, bool), np.zeros(num_envs, bool)
        self._started = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode of each vehicle.

        seed : of the first vehicle, the others have the next ones; or a list
        options : "reset_mask": (n,) True for those that begin; "world": number of their world, one or (n,)
        """
        n, given = self.num_envs, options or {}
        seeds = [None] * n if seed is None else [int(seed) + k for k in range(n)] if isinstance(seed, int | np.integer) else list(seed)
        if len(seeds) != n:
            raise ConfigError("reset", "seed", seeds, f"one seed, or {n}")
        mask = np.asarray(given.get("reset_mask", np.ones(n, bool)))
        if mask.shape != (n,) or mask.dtype != bool:
            raise ConfigError("reset", "options.reset_mask", mask.tolist(), f"{n} times True or False")
        if not self._started and not mask.all():
            raise ConfigError("reset", "options.reset_mask", mask.tolist(), "True for all vehicles in the first reset")
        chosen = np.flatnonzero(mask)
        for k in chosen.tolist():
            if seeds[k] is not None:
                self._generators[k] = seeding.np_random(seeds[k])[0]
        self._started = True
        worlds = self._begin(chosen, given.get("world"))
        return self._observed.copy(), {"world": worlds, "_world": mask.copy()}

    def _begin(self, chosen: Numbers, wanted: Any = None) -> Numbers:
        """Begin episodes in worlds that are wanted, one for all or one for each vehicle, or drawn; return them (n,)."""
        out = np.zeros(self.num_envs, np.int64)
        if wanted is not None and np.shape(wanted) not in ((), (self.num_envs,)):
            raise ConfigError("reset", "options.world", np.shape(wanted), f"a whole number, or {self.num_envs}")
        for k in chosen.tolist():
            options = None if wanted is None else {"world": wanted if np.ndim(wanted) == 0 else wanted[k]}
            out[k] = self._draw(self._generators[k], options)
        self._observed[chosen] = self._seen(self.arena.start(chosen, out[chosen]))
        self._terminated[chosen] = self._truncated[chosen] = False
        return out

    def step(self, actions: Any) -> tuple[Observation, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Advance one period. Raises ActionError, JounceError as `DrivingEnv`.

        A vehicle whose episode has ended begins the next one, or stands.
        """
        self.arena.check_open()
        if not self._started:
            raise JounceError("step: no episode runs; expected reset() before the first step")
        given = checked_actions(actions, self.action_space.shape or (), self.arena.task.actions)
        ended = self._terminated | self._truncated
        run, info, reward = np.flatnonzero(~ended), {}, np.zeros(self.num_envs)
        if len(run):
            seen, reward[run], outcome, cut = self.arena.step(given[run], run)
            self._observed[run] = self._seen(seen)
            self._terminated[run], self._truncated[run] = outcome > 0, cut > 0
            info = _endings(self.arena, run, outcome, (self._terminated | self._truncated) & ~ended)
        if ended.any() and self.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP:
            info |= {"world": self._begin(np.flatnonzero(ended)), "_world": ended}
        return self._observed.copy(), reward, self._terminated.copy(), self._truncated.copy(), info

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each vehicle, or show the first one in the window."""
        self.arena.check_open()
        return self._pictures(self.num_envs)

    def close_extras(self, **kwargs: Any) -> None:
        """Release everything."""
        self._end()


def checked_actions(action: Any, shape: tuple[int, ...], rows: Sequence[Row]) -> Array:
    """Return an action, or those (n, a) of n vehicles, as numbers. Raises ActionError: a wrong shape, or a number that is not finite."""
    try:
        out = np.asarray(action, float)
    except (TypeError, ValueError):
        raise ActionError(f"action: {str(action)[:80]}; expected numbers of shape {shape}") from None
    if out.shape != shape:
        raise ActionError(f"action: shape {out.shape}; expected {shape}")
    if not np.isfinite(out).all():
        *vehicle, part = np.argwhere(~np.isfinite(out))[0].tolist()
        of = f"vehicle {vehicle[0]}: " if vehicle else ""
        raise ActionError(f"action: {of}{rows[part].name} is {out[*vehicle, part]}; expected a finite number")
    return out


def _ending(arena: Arena, outcome: int) -> dict[str, Any]:
    return {"outcome": arena.outcome_name(outcome), "success": outcome == 1}


def _endings(arena: Arena, run: Numbers, outcome: Numbers, ended: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the information about ended episodes, as vector environments do: values, and where they are valid."""
    if not ended.any():
        return {}
    names, success = np.full(arena.n, None, object), np.zeros(arena.n, bool)
    for k, one in zip(run.tolist(), outcome.tolist(), strict=True):
        if ended[k]:
            names[k], success[k] = arena.outcome_name(one), one == 1
    return {"outcome": names, "_outcome": ended.copy(), "success": success, "_success": ended.copy()}
