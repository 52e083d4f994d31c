"""Drive of a maneuver with a goal, as the tasks of benchmarks need it: outcome, motion, collisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.api.simulation import Simulation
from simulator.autonomy.goal_driver import GoalDriver
from simulator.autonomy.outcome import Outcome, outcome_of
from simulator.base.errors import JounceError
from simulator.collision import Collision

COLUMNS = ("time", "p_WB", "yaw", "roll", "pitch", "v_WB_B")
MOVES = 0.1
"""m/s. Speed above which the direction of travel counts."""


class GoalDrive(NamedTuple):
    """A drive from its start to its outcome."""

    outcome: Outcome
    time: NDArray[np.float64]
    """(n,) s, to the outcome"""
    p_WB: NDArray[np.float64]
    """(n, 3) m"""
    roll: NDArray[np.float64]
    """(n,) rad"""
    pitch: NDArray[np.float64]
    """(n,) rad"""
    collisions: Sequence[Collision]
    yaw: NDArray[np.float64]
    """(n,) rad"""
    speed: NDArray[np.float64]
    """(n,) m/s, forward"""
    outline: tuple[float, float, float]
    """m, distances of the front and rear end from the reference point, and width"""

    @property
    def reversals(self) -> int:
        """How often the vehicle began to drive backward."""
        moving = self.speed[np.abs(self.speed) > MOVES]
        return int((np.diff(np.concatenate(([1.0], np.sign(moving)))) < 0.0).sum())


def drive_to_goal(maneuver: Path, sensors: Sequence[Mapping[str, Any]] = (), seed: int | None = None) -> GoalDrive:
    """Drive a maneuver file with a goal. Raises JounceError: it cannot start, or its state becomes invalid."""
    changes = {} if seed is None else {"seed": seed}
    simulation = Simulation(maneuver=str(maneuver), sensors=sensors, changes=changes, channels=COLUMNS)
    with closing(simulation):
        assert simulation.maneuver is not None
        simulation.advance(simulation.maneuver.duration)
        driver = simulation.session.driver
        outcome = outcome_of(driver)
        if outcome is None or not isinstance(driver, GoalDriver):
            raise JounceError(f"{maneuver}: the driver has no goal")
        log = simulation.log
        p_WB = np.column_stack([log[f"p_WB_{axis}"] for axis in "xyz"])
        outline = driver.vehicle.front, driver.vehicle.rear, driver.vehicle.width
        return GoalDrive(outcome, log["time"], p_WB, log["roll"], log["pitch"], simulation.collisions, log["yaw"], log["v_WB_B_x"], outline)
