"""Do the environments keep the rules of Gymnasium, and give equal bits in one process, in many, and after pickling?"""

from __future__ import annotations

import pickle
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import jounce  # noqa: E402

IDS = tuple(f"jounce/{name}-v0" for name in ("LaneKeeping", "OffRoadGoal", "Parking", "Race", "UrbanGoal"))
SMALL = {"n_worlds": 4}
EXAMPLES = Path(__file__).parents[2] / "examples"


TOWN = pytest.param(IDS[-1], marks=pytest.mark.full("an error in routes on the lanes of a town, or in a start that is not free"))


@pytest.fixture(scope="module", params=(*IDS[:-1], TOWN))
def env(request: pytest.FixtureRequest) -> Iterator[Any]:
    """One environment of each kind."""
    made = gymnasium.make(request.param, **SMALL)
    yield made.unwrapped
    made.close()


def episode(env: Any, seed: int, steps: int = 30) -> list[bytes]:
    """Observations and rewards of a random policy."""
    out, rng = [env.reset(seed=seed)[0].tobytes()], np.random.default_rng(seed)
    for _ in range(steps):
        observed, reward, terminated, truncated, _ = env.step(rng.uniform(-1.0, 1.0, env.action_space.shape))
        out.append(observed.tobytes() + np.float64(reward).tobytes())
        if terminated or truncated:
            break
    return out


def test_the_checker_of_gymnasium_has_no_objection(env: Any, recwarn: pytest.WarningsRecorder) -> None:
    check_env(env, skip_render_check=True)
    assert not [str(one.message) for one in recwarn if "Env" in str(one.message)]


def test_a_seed_repeats_an_episode(env: Any) -> None:
    first = episode(env, 5)
    other = episode(env, 6)
    assert episode(env, 5) == first != other


def test_a_copy_continues_as_the_original(env: Any) -> None:
    action = np.full(env.action_space.shape, 0.3)
    env.reset(seed=2)
    for _ in range(3):
        env.step(action)
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(5):
        one, two = env.step(action), twin.step(action)
        assert one[0].tobytes() == two[0].tobytes() and one[1:] == two[1:]
    assert env.reset()[0].tobytes() == twin.reset()[0].tobytes()  # the generators, too
    twin.close()


@pytest.mark.parametrize(
    "part, value, problem", [(0, np.nan, "finite"), (1, np.inf, "finite"), (None, [0.0], "shape"), (None, "left", "numbers")]
)
def test_an_impossible_action_moves_nothing(env: Any, part: int | None, value: Any, problem: str) -> None:
    env.reset(seed=0)
    action: Any = value
    if part is not None:
        action = np.zeros(env.action_space.shape)
        action[part] = value
    with pytest.raises(jounce.JounceError, match=problem):
        env.step(action)
    assert episode(env, 3) == episode(env, 3)


def test_an_action_beyond_its_range_is_clipped(env: Any) -> None:
    far, edge = (np.full(env.action_space.shape, value) for value in (1e9, 1.0))
    env.reset(seed=1)
    seen = [env.step(far)[0].tobytes() for _ in range(3)]
    env.reset(seed=1)
    assert [env.step(edge)[0].tobytes() for _ in range(3)] == seen


def test_processes_and_a_fleet_give_the_same_bits() -> None:
    made = [gymnasium.make_vec(IDS[0], num_envs=3, vectorization_mode=mode, **SMALL) for mode in ("sync", "async", "vector_entry_point")]
    outs = []
    for envs in made:
        rng = np.random.default_rng(0)
        seen = [envs.reset(seed=7)[0].tobytes()]
        for _ in range(60):  # episodes end on the way, and the next ones begin
            observed, reward, terminated, truncated, _ = envs.step(rng.uniform(-1.0, 1.0, (3, *envs.single_action_space.shape)))
            seen.append(b"".join(np.ascontiguousarray(one).tobytes() for one in (observed, reward, terminated, truncated)))
        outs.append(seen)
        envs.close()
    assert outs[0] == outs[1] == outs[2]
    assert not all(a.endswith(bytes(6)) for a in outs[0])


def test_a_closed_environment_says_so() -> None:
    env = gymnasium.make(IDS[0], **SMALL).unwrapped
    env.reset(seed=0)
    env.close()
    env.close()
    for call in (lambda: env.step(np.zeros(2)), env.reset):
        with pytest.raises(jounce.JounceError, match="closed"):
            call()


def test_a_step_after_the_end_says_so() -> None:
    env = gymnasium.make(IDS[0], **SMALL, seconds=0.2).unwrapped
    env.reset(seed=0)
    ends = [env.step(np.zeros(2))[2:] for _ in range(4)]
    assert [cut for _, cut, _ in ends] == [False, False, False, True]
    assert ends[-1][2] == {"outcome": "time limit", "success": False}
    with pytest.raises(jounce.JounceError, match="reset"):
        env.step(np.zeros(2))
    env.close()


def test_worlds_draw_their_parameters_and_other_seeds_give_other_worlds() -> None:
    changes = {"vehicle.chassis.mass": {"distribution": "uniform", "from": 1000.0, "to": 2500.0}}
    envs = gymnasium.make_vec(IDS[0], num_envs=4, n_worlds=4, changes=changes, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(options={"world": np.arange(4)})
    masses = envs.arena.fleets[0].parameter("vehicle.chassis.mass")
    assert len(set(masses)) == 4 and min(masses) >= 1000.0 and max(masses) <= 2500.0
    alone = gymnasium.make(IDS[0], n_worlds=4, changes=changes).unwrapped
    alone.reset(options={"world": 2})
    assert alone.arena.fleets[0].parameter("vehicle.chassis.mass")[0] == masses[2]
    other = gymnasium.make(IDS[0], n_worlds=4, pool_seed=1).unwrapped
    assert not np.isin(other.arena.task.targets, alone.arena.task.targets).any()
    for env in (envs, alone, other):
        env.close()


def test_without_autoreset_a_vehicle_stands_until_its_reset() -> None:
    envs = gymnasium.make_vec(IDS[0], num_envs=2, autoreset_mode=AutoresetMode.DISABLED, **SMALL)
    envs.reset(seed=0)
    ended = np.zeros(2, bool)
    while not ended.any():
        observed, _, terminated, truncated, _ = envs.step(np.array([[1.0, 1.0], [0.0, 0.0]]))
        ended = terminated | truncated
    assert ended.tolist() == [True, False]
    later, reward, terminated, _, _ = envs.step(np.zeros((2, 2)))
    assert terminated[0] and reward[0] == 0.0 and (later[0] == observed[0]).all() and (later[1] != observed[1]).any()
    fresh, _ = envs.reset(options={"reset_mask": ended})
    assert (fresh[0] != later[0]).any() and (fresh[1] == later[1]).all()
    envs.close()


def test_a_picture_shows_the_vehicle() -> None:
    env = gymnasium.make(IDS[0], render_mode="rgb_array", **SMALL).unwrapped
    env.reset(seed=0)
    picture = env.render()
    assert picture.shape == (270, 480, 3) and picture.dtype == np.uint8 and picture.std() > 20.0
    env.close()


@pytest.mark.full("an example of the page that no longer runs with cma")
def test_an_example_learns_in_two_generations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("cma")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["learn_lane.py", "2"])
    runpy.run_path(str(EXAMPLES / "learn_lane.py"), run_name="__main__")
    assert "learned on 32 other lanes" in capsys.readouterr().out
    assert (tmp_path / "learn_lane.png").stat().st_size > 1000


@pytest.mark.parametrize("method", ["ppo", "sac"])
@pytest.mark.full("a change of the interface that stable-baselines3 does not accept")
def test_stable_baselines_learns_on_an_environment(
    method: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("stable_baselines3")
    monkeypatch.setattr("sys.argv", ["learn_with_sb3.py", IDS[0], method, "2000"])
    runpy.run_path(str(EXAMPLES / "learn_with_sb3.py"), run_name="__main__")
    assert "after 2000 steps" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"vehicle": 3}, "^Fleet: vehicle: "),
        ({"threads": "two"}, "^Fleet: threads: "),
        ({"n_worlds": 0}, "n_worlds: "),
        ({"wrong": 1}, "'wrong'"),
    ],
)
def test_a_wrong_argument_is_named_through_gymnasium(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(jounce.JounceError, match=problem):
        gymnasium.make(IDS[0], **arguments)
