"""Skill of the preview from the plan of a planner: `python -m research.cueing.plan_skill [MANEUVER ...]`.

For each drive to a goal: rms error of the predicted surge and sway at several times ahead, relative to the rms of the force (1: no better than no prediction),
beside that of the held present force; and the error of the platform with this preview, with the exact one and without, on the recorded drive.
The forces are smooth over SMOOTH in the comparison, because a plan knows neither the shocks of the ground nor the weave of a driver.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from simulator.api.simulation import Simulation
from simulator.base.arrays import Array
from simulator.builder.builder import build_cueing
from simulator.tools.cueing.recorded_drives import Drive, ride_drive
from washout.contract import PREVIEW_POINTS
from washout.cueing import MotionCueing

MANEUVERS = ("goal_obstacles", "obstacle_field", "off_road_navigation", "town_route", "urban_navigation")
HORIZON, STEP = 2.0, 0.02
AHEAD = (0.5, 1.0, 2.0)
"""s. Times of the comparison."""
SMOOTH = 1.0
"""s"""
TICK = 4e-3
"""s"""
WASHOUT, PLATFORM = "small_hexapod_preview", "small_hexapod"


class Recorded:
    """Predictions of a drive, kept, and given again at the same times."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.times: list[float] = []
        self.force: list[Array] = []
        self.rate: list[Array] = []

    def keep(self, preview: Any) -> None:
        """Keep each prediction of a preview."""
        predict = preview.predict

        def kept(time: float, f: Array, w: Array) -> int:
            count = predict(time, f, w)
            self.times.append(time)
            self.force.append(f[:count].copy())
            self.rate.append(w[:count].copy())
            return count

        preview.predict = kept

    def predict(self, time: float, f: Array, w: Array) -> int:
        """Fill the last prediction of before a time [s]."""
        k = int(np.searchsorted(self.times, time + 1e-6)) - 1
        if k < 0:
            return 0
        late = round((time - self.times[k]) / self.step)
        count = max(len(self.force[k]) - late, 0)
        f[:count], w[:count] = self.force[k][late:], self.rate[k][late:]
        return count


def drive_to_goal(maneuver: str) -> tuple[Drive, Recorded]:
    """Run a maneuver with a goal; return the drive, and the predictions."""
    changes = {"preview.source": "plan", "preview.horizon": HORIZON, "preview.step": STEP}
    sim = Simulation(
        maneuver=maneuver, washout=WASHOUT, platform=PLATFORM, changes=changes, channels=("time", "f_H_B", "w_WB_B"), log_rate=1000.0
    )
    told = Recorded(STEP)
    told.keep(sim.session.preview)
    sim.run()
    times, force, rate = np.asarray(sim.log["time"]), sim.log.field("f_H_B"), sim.log.field("w_WB_B")
    grid = np.arange(times[0], times[-1], TICK)
    seen_force, seen_rate = (np.stack([np.interp(grid, times, column) for column in part.T], axis=1) for part in (force, rate))
    gravity = float(sim.session.ground.p[0]["gravity"])
    sim.close()
    return Drive(maneuver, TICK, seen_force, seen_rate, gravity, 1000.0), told


def skill(drive: Drive, told: Recorded) -> dict[float, tuple[float, float, float]]:
    """Return, by time ahead [s], the error of surge, of sway, and that of a held force for both, relative to the rms of the force."""
    n = round(SMOOTH / drive.h)
    smooth = np.stack([np.convolve(column, np.ones(n) / n, "same") for column in drive.force[:, :2].T], axis=1)
    out = {}
    for ahead in AHEAD:
        k = round(ahead / STEP) - 1
        valid = [(time, force[k, :2]) for time, force in zip(told.times, told.force, strict=True) if len(force) > k]
        valid = [(time, force) for time, force in valid if time + ahead < drive.times[-1]]
        if not valid:
            continue
        times, found = np.array([time for time, _ in valid]), np.array([force for _, force in valid])
        came, now = (smooth[np.round(at / drive.h).astype(int)] for at in (times + ahead, times))
        size = np.sqrt((came**2).mean(axis=0))
        wrong, held = np.sqrt(((found - came) ** 2).mean(axis=0)), np.sqrt(((now - came) ** 2).mean(axis=0))
        out[ahead] = (float(wrong[0] / size[0]), float(wrong[1] / size[1]), float(np.hypot(*held) / np.hypot(*size)))
    return out


def platform_error(drive: Drive, told: Any, horizon: float = 0.0) -> float:
    """Return the error of surge and sway on the platform with a preview, or with the exact one of a horizon [s]."""

    def make() -> MotionCueing:
        cueing = build_cueing(WASHOUT, PLATFORM, drive.h, drive.gravity)
        if told is not None:
            cueing.washout.set_preview(told)
        return cueing

    return float(ride_drive(drive, make, models=(), preview=horizon).scores["force_error"])


def main(names: list[str]) -> None:
    """Print a row for each drive."""
    assert round(HORIZON / STEP) <= PREVIEW_POINTS
    print("| drive | surge 0.5, 1, 2 s | sway 0.5, 1, 2 s | held force 0.5, 1, 2 s | adaptive | plan | exact |")
    for name in names or MANEUVERS:
        drive, told = drive_to_goal(name)
        found = skill(drive, told)
        parts = [", ".join(f"{row[j]:.2f}" for row in found.values()) for j in range(3)]
        errors = [platform_error(drive, one, horizon) for one, horizon in ((None, 0.0), (told, 0.0), (None, HORIZON))]
        print(f"| `{name}` |", " | ".join(parts), "|", " | ".join(f"{one:.2f}" for one in errors), "|", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
