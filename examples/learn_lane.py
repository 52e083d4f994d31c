"""Learns to keep a lane: CMA-ES finds a linear policy on 6 lanes, and the policy drives on 32 other lanes. Writes learn_lane.png.

Needs the extra `learn` (docs/installing.md). Takes about a minute on two idle cores: python learn_lane.py [GENERATIONS]
"""

import sys
import time

import cma
import gymnasium
import matplotlib.pyplot as plt
import numpy as np
from gymnasium.vector import AutoresetMode

import jounce  # noqa: F401 (adds the environments to Gymnasium)

LANES, POPULATION, TESTS = 6, 10, 32
GENERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 25


def vehicles(count, pool_seed, n_worlds, seconds):
    return gymnasium.make_vec(
        "jounce/LaneKeeping-v0",
        num_envs=count,
        autoreset_mode=AutoresetMode.DISABLED,  # a vehicle stands after its episode
        n_worlds=n_worlds,
        pool_seed=pool_seed,  # another seed: other lanes
        seconds=seconds,
        threads=2,
    )


def returns(envs, worlds, policy):
    """Return the sum of the rewards (n,) of each vehicle in its world."""
    observed, _ = envs.reset(options={"world": worlds})
    total, ended = np.zeros(len(worlds)), False
    while not np.all(ended):
        observed, reward, terminated, truncated, _ = envs.step(policy(observed))
        total, ended = total + reward, terminated | truncated
    return total


def features(observed):
    """Return offset, heading, curvature 5 and 15 m ahead, yaw rate and speed error, each of a size near 1, and 1."""
    offset, heading, curvature, yaw_rate, error = (
        observed[:, 0],
        observed[:, 1],
        observed[:, [3, 5]],
        observed[:, 10],
        observed[:, 8] - observed[:, 12],
    )
    return np.column_stack((offset, heading / 0.2, curvature / 0.03, yaw_rate / 0.3, error / 3.0, np.ones(len(observed))))


def linear(weights):
    """Return the policy of weights (n, 14): each vehicle has its own."""
    matrix = weights.reshape(len(weights), 2, -1)
    return lambda observed: np.tanh(np.einsum("nak,nk->na", matrix, features(observed)))


train = vehicles(POPULATION * LANES, pool_seed=0, n_worlds=LANES, seconds=10.0)
search = cma.CMAEvolutionStrategy(np.zeros(14), 0.3, {"popsize": POPULATION, "seed": 1, "verbose": -9})
curve, began = [], time.perf_counter()
for generation in range(GENERATIONS):
    candidates = search.ask()
    lanes = np.tile(np.arange(LANES), POPULATION)
    each = returns(train, lanes, linear(np.repeat(candidates, LANES, axis=0))).reshape(POPULATION, LANES).mean(axis=1)
    search.tell(candidates, -each)
    curve.append((each.max(), each.mean()))
    print(
        f"generation {generation + 1}: best {each.max():.2f}, mean {each.mean():.2f} of 10, {time.perf_counter() - began:.0f} s", flush=True
    )
train.close()

test, others, random = vehicles(TESTS, pool_seed=1, n_worlds=TESTS, seconds=30.0), np.arange(TESTS), np.random.default_rng(0)
policies = {
    "learned": linear(np.repeat([search.result.xfavorite], TESTS, axis=0)),
    "constant": lambda observed: np.tile([0.0, 0.1], (TESTS, 1)),
    "random": lambda observed: random.uniform(-1.0, 1.0, (TESTS, 2)),
}
scores = {name: returns(test, others, policy) for name, policy in policies.items()}
test.close()
for name, score in scores.items():
    print(f"{name} on {TESTS} other lanes: mean {score.mean():.2f}, worst {score.min():.2f} of 30")

figure, axes = plt.subplots(figsize=(6.0, 3.2), layout="constrained")
axes.plot(np.arange(1, GENERATIONS + 1), np.array(curve) / 10.0, label=["best of a generation", "mean of a generation"])
for (name, score), style in zip(scores.items(), ("-", "--", ":"), strict=True):
    axes.axhline(score.mean() / 30.0, color="0.4", linestyle=style, label=f"{name}, on {TESTS} other lanes")
axes.set(xlabel="generation", ylabel="return as a fraction of the highest", ylim=(0, 1))
axes.legend(fontsize=8)
figure.savefig("learn_lane.png", dpi=100)
