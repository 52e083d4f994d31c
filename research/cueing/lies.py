"""Error with wrong previews relative to that of the adaptive washout: `python -m research.cueing.lies FOLDER [LIE ...]`.

FOLDER is that of `research.cueing.drives`. The table of docs/preview_washout.md. A lie changes the announced motion, but not the drive. All lies
are repeatable: random numbers come from the name of the lie and the length of the drive.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from research.cueing.scores import KINDS, read_drives
from simulator.base.arrays import Array
from simulator.builder.builder import build_cueing
from simulator.tools.cueing.recorded_drives import Drive, ride_drive
from washout.cueing import MotionCueing
from washout.preview.sources import RecordedPreview

HORIZON, STEP = 1.0, 0.02
"""s. Time of the preview, and between two points."""
WASHOUT, PLATFORM = "small_hexapod_preview", "small_hexapod"

Motion = tuple[Array, Array]
"""Force (n, 3) [m/s2] less gravity, and rate (n, 3) [rad/s]."""
Lie = Callable[[Array, Motion, np.random.Generator], Motion]
"""Announced motion of a drive at times (n,) [s] with a motion."""


class LyingPreview:
    """Preview of an announced motion, of which a function of the time and the number of valid points may cut a part."""

    def __init__(self, drive: Drive, told: Motion, cut: Callable[[float, int], int]) -> None:
        self.step, self.now, self._cut = STEP, 0.0, cut
        self._told = RecordedPreview(drive.times, told[0] + [0.0, 0.0, drive.gravity], told[1], STEP, round(HORIZON / STEP))

    def predict(self, time: float, f_H_B: Array, w_WB_B: Array) -> int:
        """Fill the preview as in `washout.preview.sources.Preview`."""
        self.now = time
        return self._cut(time, self._told.predict(time, f_H_B, w_WB_B))


def _scaled(by: float, _: Array, motion: Motion, __: np.random.Generator) -> Motion:
    return by * motion[0], by * motion[1]


def _late(seconds: float, t: Array, motion: Motion, _: np.random.Generator) -> Motion:
    return tuple(np.stack([np.interp(t - seconds, t, column) for column in part.T], axis=1) for part in motion)  # type: ignore[return-value]


def _backward(_: Array, motion: Motion, __: np.random.Generator) -> Motion:
    return motion[0][::-1].copy(), motion[1][::-1].copy()


def _swapped(_: Array, motion: Motion, __: np.random.Generator) -> Motion:
    return motion[0][:, [1, 0, 2]], motion[1][:, [1, 0, 2]]


def _steps(t: Array, motion: Motion, random: np.random.Generator) -> Motion:
    """Random forces of up to 5 m/s2 that last 0.2 to 3 s."""
    changes = np.cumsum(random.uniform(0.2, 3.0, int(t[-1]) * 5 + 5))
    force = random.uniform(-5.0, 5.0, (len(changes) + 1, 3))[np.searchsorted(changes, t)]
    return force, np.zeros_like(motion[1])


def _noise(t: Array, motion: Motion, random: np.random.Generator) -> Motion:
    return random.uniform(-5.0, 5.0, motion[0].shape), random.uniform(-0.5, 0.5, motion[1].shape)


def _biased(_: Array, motion: Motion, __: np.random.Generator) -> Motion:
    return motion[0] + [1.5, 1.5, 0.0], motion[1]


def _sometimes(period: float, other: float, t: Array, motion: Motion, random: np.random.Generator) -> Motion:
    """Every other `period` [s] on average, the announced motion is `other` times the motion."""
    changes = np.cumsum(random.uniform(0.5 * period, 1.5 * period, int(2.0 * t[-1] / period) + 3))
    factor = np.where(np.searchsorted(changes, t) % 2 == 1, other, 1.0)[:, None]
    return factor * motion[0], factor * motion[1]


def _turned(t: Array, motion: Motion, _: np.random.Generator) -> Motion:
    """Exact for the first half of the drive, opposite afterwards."""
    factor = np.where(t > 0.5 * t[-1], -1.0, 1.0)[:, None]
    return factor * motion[0], factor * motion[1]


def _false_alarms(t: Array, motion: Motion, random: np.random.Generator) -> Motion:
    """Exact, and about every 8 s a braking of 4 m/s2 for 1.5 s that does not come."""
    starts = np.cumsum(random.uniform(5.0, 11.0, int(t[-1] / 5.0) + 1))
    pulse = sum((np.clip((t - start) / 0.3, 0.0, 1.0) * np.clip((start + 1.5 - t) / 0.3, 0.0, 1.0) for start in starts), np.zeros_like(t))
    return motion[0] - np.outer(pulse, [4.0, 0.0, 0.0]), motion[1]


LIES: dict[str, Lie] = {
    "exact": partial(_scaled, 1.0),
    "1.1 times the motion": partial(_scaled, 1.1),
    "half": partial(_scaled, 0.5),
    "1.5 times": partial(_scaled, 1.5),
    "twice": partial(_scaled, 2.0),
    "five times": partial(_scaled, 5.0),
    "nothing comes": partial(_scaled, 0.0),
    "opposite sign": partial(_scaled, -1.0),
    "0.1 s late": partial(_late, 0.1),
    "0.3 s late": partial(_late, 0.3),
    "1 s late": partial(_late, 1.0),
    "1 s early": partial(_late, -1.0),
    "the drive backward": _backward,
    "surge and sway exchanged": _swapped,
    "random steps": _steps,
    "noise": _noise,
    "1.5 m/s2 too much": _biased,
    "opposite from the middle on": _turned,
    "opposite every other 3 s": partial(_sometimes, 3.0, -1.0),
    "nothing every other 3 s": partial(_sometimes, 3.0, 0.0),
    "false alarms": _false_alarms,
}
CUTS: dict[str, Callable[[float, float, int], int]] = {
    "cut midway": lambda t, end, n: n if t < 0.5 * end else 0,
    "missing every other 0.3 s": lambda t, _, n: n if int(t / 0.3) % 2 else 0,
    "short every other 0.3 s": lambda t, _, n: n if int(t / 0.3) % 2 else n // 4,
}
"""Exact previews of which a part is missing: number of valid points at a time [s] of a drive with an end [s], of n."""


AT_ONCE = ", noticed at once"
BOUNDED = ("opposite from the middle on", "opposite every other 3 s", "false alarms")
"""Lies that are true for a while, which are also scored with a trust of 0 from the moment at which they are wrong: no detector can do better."""


def _random(name: str, drive: Drive) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(f"{name} {len(drive.force)}".encode()))


def lying(name: str, drive: Drive) -> LyingPreview:
    """Return a preview of a drive that lies."""
    motion = drive.force - [0.0, 0.0, drive.gravity], drive.rate
    end = float(drive.times[-1])
    cut = CUTS.get(name)
    told = motion if cut is not None else LIES[name](drive.times, motion, _random(name, drive))
    return LyingPreview(drive, told, (lambda _, n: n) if cut is None else lambda t, n: cut(t, end, n))


def _with(name: str, drive: Drive) -> MotionCueing:
    cueing = build_cueing(WASHOUT, PLATFORM, drive.h, drive.gravity)
    lie = name.removesuffix(AT_ONCE)
    preview = lying(lie, drive)
    cueing.washout.set_preview(preview)
    if lie != name:
        _distrust(cueing, preview, lie, drive)
    return cueing


def _distrust(cueing: MotionCueing, preview: LyingPreview, lie: str, drive: Drive) -> None:
    """Let the plans use a trust of 0 while a lie differs from the drive."""
    ones = np.ones_like(drive.force)
    wrong = np.abs(LIES[lie](drive.times, (ones, ones), _random(lie, drive))[0][:, 0] - 1.0) > 1e-9
    washout: Any = cueing.washout
    planner = washout._planner
    fill = planner._fill_task

    def filled(*arguments: Any) -> None:
        fill(*arguments)
        if wrong[min(int(preview.now / drive.h), len(wrong) - 1)]:
            planner._task[0]["trust"] = 0.0

    planner._fill_task = filled


def error(drive: Drive, name: str = "") -> tuple[float, float]:
    """Return the error of surge and sway, and the part of the ticks in which the limiter acted; without a lie, those of the adaptive washout."""
    make: Callable[[], Any] = partial(_with, name, drive) if name else partial(build_cueing, WASHOUT, PLATFORM, drive.h, drive.gravity)
    scores = ride_drive(drive, make, models=()).scores
    return scores["force_error"], scores["used"]["limited_share"]


def main(folder: Path, names: list[str]) -> None:
    """Print the ratio of the error to that of the adaptive washout by lie and kind of drive, the largest one, the mean error, and the largest limiter [%]."""
    drives = read_drives(folder)
    kinds = [kind for kind in KINDS if any(one == kind for one, _ in drives)]
    alone = [error(drive)[0] for _, drive in drives]
    print("| preview |", " | ".join((*kinds, "largest", "mean error", "limiter [%]")), "|")
    print(f"| none | {' | '.join('1' for _ in kinds)} | 1 | {np.mean(alone):.2f} | |", flush=True)
    for name in names or [*LIES, *CUTS, *(f"{lie}{AT_ONCE}" for lie in BOUNDED)]:
        found: dict[str, list[float]] = {kind: [] for kind in kinds}
        limited, errors = 0.0, []
        for (kind, drive), adaptive in zip(drives, alone, strict=True):
            wrong, used = error(drive, name)
            errors.append(wrong)
            found[kind].append(wrong / adaptive)
            limited = max(limited, 100.0 * used)
        means = " | ".join(f"{np.mean(ratios):.2f}" for ratios in found.values())
        largest = max(max(ratios) for ratios in found.values())
        print(f"| {name} | {means} | {largest:.2f} | {np.mean(errors):.2f} | {limited:.2f} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
