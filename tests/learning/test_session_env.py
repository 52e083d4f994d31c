"""Does a session file become an environment, with columns as observations and expressions as reward and end?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import jounce  # noqa: E402

CRUISE = {"observations": {"v_WB_B_x": (-5.0, 40.0)}, "reward": "last(v_WB_B_x) - first(v_WB_B_x)"}


class Speed(jounce.SessionEnv):
    """Reach 12 m/s behind a car that stands 60 m ahead."""

    session = "cut_in"
    observations: ClassVar[Mapping[str, tuple[float, float]]] = {"v_WB_B_x": (-5.0, 40.0), "last(target_p_WB_x - p_WB_x)": (-200.0, 200.0)}
    actions = ("pedal",)
    reward = "last(p_WB_x) - first(p_WB_x)"
    success = "last(v_WB_B_x) > 12"
    terminated = "last(time) > 4"
    changes: ClassVar[Mapping[str, Any]] = {
        "maneuver.parameters.speed_kph": 36,
        "vehicles[0].speed": {"distribution": "uniform", "from": 5.0, "to": 15.0},
    }
    n_worlds = 2


@pytest.fixture(scope="module")
def env() -> Iterator[Speed]:
    """The environment, with two worlds."""
    made = Speed()
    yield made
    made.close()
    made.close()


def test_the_checker_of_gymnasium_has_no_objection(env: Speed) -> None:
    check_env(env, skip_render_check=True)


def test_values_are_those_of_the_simulation(env: Speed) -> None:
    first, info = env.reset(options={"world": 1})
    other, _ = env.reset(options={"world": 0})
    assert info == {"world": 1} and env.worlds[0]["target_v_WB_B_x"] != env.worlds[1]["target_v_WB_B_x"]
    assert first[0] == pytest.approx(10.0, abs=0.1) and first[1] == pytest.approx(120.0, abs=1.0) and other[0] == first[0]
    sim, x = env.worlds[0], env.worlds[0]["p_WB_x"]
    observed, reward, *_ = env.step([0.3])
    assert reward == sim["p_WB_x"] - x
    assert observed[0] == np.float32(sim["v_WB_B_x"])
    assert sim["command_throttle"] == 0.3


@pytest.mark.parametrize("pedal, outcome, success", [(1.0, "success", True), (0.0, "terminated", False)])
def test_expressions_end_the_episode(env: Speed, pedal: float, outcome: str, success: bool) -> None:
    env.reset(options={"world": 0})
    ended = False
    while not ended:
        _, _, ended, cut, info = env.step([pedal])
    assert info == {"outcome": outcome, "success": success} and not cut
    with pytest.raises(jounce.JounceError, match="reset"):
        env.step([0.0])


@pytest.mark.parametrize(
    "settings, message",
    [
        ({**CRUISE, "reward": "v_WB_B_x"}, None),
        ({**CRUISE, "reward": "last(v_WB_B)"}, "reward.*v_WB_B"),
        ({**CRUISE, "reward": "__import__('os')"}, "reward"),
        ({**CRUISE, "observations": {"v_WB": (0.0, 1.0)}}, "observations.*v_WB"),
        ({**CRUISE, "actions": ("pedals",)}, "pedals.*did you mean pedal"),
        ({**CRUISE, "rewards": "1"}, "rewards.*did you mean reward"),
        ({"reward": "1"}, "observations is missing"),
    ],
)
def test_a_wrong_setting_is_one_line(settings: dict[str, Any], message: str | None) -> None:
    if message is None:
        jounce.SessionEnv(session="drive", **settings).close()
        return
    with pytest.raises(jounce.JounceError, match=message) as failed:
        jounce.SessionEnv(session="drive", **settings)
    assert "\n" not in str(failed.value)


def test_a_follower_stays_in_the_ruts_of_the_leader() -> None:
    env = gymnasium.make("jounce/Convoy-v0", n_worlds=1, seconds=8.0).unwrapped
    seen, _ = env.reset(seed=0)
    total, cut = 0.0, False
    while not cut:
        ahead, left, leader, own, offset, heading = seen[[0, 1, 4, 5, 9, 10]]
        steering = 0.6 * np.arctan2(left, ahead) - 0.25 * offset - heading
        seen, reward, ended, cut, _ = env.step(np.clip([steering, 0.3 + 0.3 * (leader - own + 0.2 * (ahead - 15.0))], -1.0, 1.0))
        total += reward
        assert not ended
    assert 6.0 < total <= 8.0
    depth = env.worlds[0].session.soil.depth
    x, y = env.worlds[0].values(["p_WC_RL_x", "p_WC_RL_y"])
    assert depth(x, y) > 0.01  # m, a rut
    env.close()
