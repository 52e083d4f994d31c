"""Names of the environments for Gymnasium. Nothing is loaded here before an environment is made."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from simulator.base.errors import JounceError

TASKS = {
    "LaneKeeping-v0": "simulator.learning.tasks.lane_keeping:LaneKeeping",
    "OffRoadGoal-v0": "simulator.learning.tasks.off_road_goal:OffRoadGoal",
    "Parking-v0": "simulator.learning.tasks.parking:Parking",
    "Race-v0": "simulator.learning.tasks.race:Race",
    "UrbanGoal-v0": "simulator.learning.tasks.urban_goal:UrbanGoal",
}
"""Tasks of the environments on a fleet by name."""


def missing() -> str:
    """Return the message about the missing package."""
    from simulator.base.installation import install_extra

    return f"learning: the package gymnasium is not installed; hint: run {install_extra('learn')}"


def register_environments() -> None:
    """Register the environments with Gymnasium, once. Raises JounceError: Gymnasium is missing."""
    if find_spec("gymnasium") is None:
        raise JounceError(missing())
    from gymnasium.envs.registration import register, registry

    home = "jounce.simulator.learning.registration"
    for name, task in TASKS.items():
        if f"jounce/{name}" not in registry:
            register(f"jounce/{name}", entry_point=f"{home}:make_env", vector_entry_point=f"{home}:make_vector_env", kwargs={"task": task})
    if "jounce/Convoy-v0" not in registry:
        register("jounce/Convoy-v0", entry_point="jounce.simulator.learning.convoy:Convoy")


def make_env(task: str, **arguments: Any) -> Any:
    """Return an environment of one vehicle. Parameters: see docs/learning.md."""
    from simulator.learning.environments import DrivingEnv

    return DrivingEnv(_loaded(task), **arguments)


def make_vector_env(task: str, num_envs: int = 1, **arguments: Any) -> Any:
    """Return an environment of many vehicles in this process."""
    from simulator.learning.environments import DrivingVectorEnv

    return DrivingVectorEnv(_loaded(task), num_envs, **arguments)


def _loaded(task: str) -> Any:
    from importlib import import_module

    module, _, name = task.partition(":")
    return getattr(import_module(module), name)
