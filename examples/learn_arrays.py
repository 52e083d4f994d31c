"""Steps many vehicles with plain arrays, for JAX, PyTorch or NumPy: collects a batch of experience, and prints its size and speed.

Needs the extra `learn` (docs/installing.md). The arrays of Jounce are those of NumPy: torch.from_numpy(observed) and jax.numpy.asarray(observed)
take them as they are, and policy(...).numpy() or numpy.asarray(...) go back. python learn_arrays.py [VEHICLES] [STEPS]
"""

import sys
import time

import gymnasium
import numpy as np

import jounce  # noqa: F401 (adds the environments to Gymnasium)

vehicles, steps = (int(one) for one in (sys.argv[1:] + ["64", "200"][len(sys.argv) - 1 :])[:2])
envs = gymnasium.make_vec(
    "jounce/OffRoadGoal-v0",
    num_envs=vehicles,
    threads=2,
    n_worlds=128,
    changes={"vehicle.chassis.mass": {"distribution": "uniform", "from": 2200, "to": 3200}},  # kg, of each world its own
)
observed, _ = envs.reset(seed=0)
batch = {
    "observation": np.empty((steps, *observed.shape), np.float32),
    "action": np.empty((steps, *envs.action_space.shape), np.float32),
    "reward": np.empty((steps, vehicles)),
    "ended": np.empty((steps, vehicles), bool),
}


def policy(observation):
    """Turn to the goal, and hold 4 m/s. A network takes the place of these lines."""
    steering = np.arctan2(observation[:, 1], observation[:, 0])
    return np.clip(np.column_stack((1.2 * steering, 0.4 * (4.0 - observation[:, 4]))), -1.0, 1.0)


outcomes, began = {}, time.perf_counter()
for step in range(steps):
    action = policy(observed)
    batch["observation"][step], batch["action"][step] = observed, action
    observed, batch["reward"][step], terminated, truncated, info = envs.step(action)
    batch["ended"][step] = terminated | truncated
    for outcome in info.get("outcome", np.zeros(0))[info.get("_outcome", np.zeros(0, bool))]:
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
rate = steps * vehicles / (time.perf_counter() - began)
envs.close()
print({name: values.shape for name, values in batch.items()})
print(f"{rate:.0f} steps per second of 50 ms; ends of episodes: {outcomes}")
