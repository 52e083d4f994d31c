"""Trains PPO or SAC of stable-baselines3 on an environment of Jounce, and prints returns before and after.

Needs the extra `learn` and stable-baselines3. python learn_with_sb3.py [ENVIRONMENT] [ppo or sac] [STEPS]
"""

import sys

import gymnasium
import numpy as np
from gymnasium.wrappers import RescaleObservation
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

import jounce  # noqa: F401 (adds the environments to Gymnasium)

environment, method, steps = (sys.argv[1:] + ["jounce/LaneKeeping-v0", "sac", "50000"][len(sys.argv) - 1 :])[:3]


def make(pool_seed=0):
    return RescaleObservation(gymnasium.make(environment, pool_seed=pool_seed), np.float32(-1.0), np.float32(1.0))


held_back = Monitor(make(pool_seed=1))  # other worlds
if method == "ppo":
    model = PPO("MlpPolicy", make_vec_env(make, n_envs=4), n_steps=256, seed=0)
else:
    model = SAC("MlpPolicy", make_vec_env(make, n_envs=1), learning_starts=1000, seed=0)
before, _ = evaluate_policy(model, held_back, n_eval_episodes=5)
model.learn(int(steps))
after, _ = evaluate_policy(model, held_back, n_eval_episodes=5)
print(f"{method} on {environment}: return {before:.2f} before, {after:.2f} after {steps} steps")
