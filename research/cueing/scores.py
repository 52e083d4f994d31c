"""Error of the shipped washouts on recorded drives over the time of the preview: `python -m research.cueing.scores FOLDER PICTURE.png`.

FOLDER is that of `research.cueing.drives`. The table and the picture of docs/preview_washout.md.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simulator.builder.builder import build_cueing
from simulator.tools.cueing.recorded_drives import Drive, read_drive, ride_drive

TICK = 4e-3
"""s. With 2 ms, the error differs by 0.002 (docs/theory/washouts.md)."""
HORIZONS = (0.3, 0.6, 1.0, 2.0)
PLATFORMS = {"small_hexapod": "small_hexapod", "large_hexapod": "simona"}
OTHERS = (
    ("small_hexapod_comfort", "small_hexapod", 1.0),
    ("large_hexapod_comfort", "simona", 1.0),
    ("seat_3dof", "seat_3dof", 0.0),
    ("seat_3dof_preview", "seat_3dof", 1.0),
    ("seat_2dof", "seat_2dof", 0.0),
    ("seat_2dof_preview", "seat_2dof", 1.0),
)
"""Further washouts of the table: washout, platform, time of the preview [s]."""
KINDS = ("road", "gravel", "cross-country", "stops", "lane changes")


def read_drives(folder: Path) -> list[tuple[str, Drive]]:
    """Return (kind, drive) of all recordings."""
    return [(place.name.rpartition("-")[0].replace("_", " "), read_drive(place, TICK)) for place in sorted(folder.iterdir())]


def errors(drives: list[tuple[str, Drive]], washout: str, platform: str, preview: float = 0.0) -> dict[str, Any]:
    """Return the mean error by kind, of all, that against the unscaled car, and the largest use of the limiter [%] of a washout."""
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    unscaled: list[float] = []
    limited = 0.0
    for kind, drive in drives:
        result = ride_drive(drive, partial(build_cueing, washout, platform, drive.h, drive.gravity), models=(), preview=preview)
        found[kind].append(result.scores["force_error"])
        unscaled.append(result.scores["unscaled_error"])
        limited = max(limited, 100.0 * result.scores["used"]["limited_share"])
    means = {kind: float(np.mean(values)) for kind, values in found.items() if values}
    every = [value for values in found.values() for value in values]
    return means | {"all": float(np.mean(every)), "largest": max(every), "unscaled": float(np.mean(unscaled)), "limited": limited}


def draw(rows: dict[tuple[str, str, float], dict[str, Any]], file: Path) -> None:
    """Draw the error over the time of the preview, with the shipped sets without a preview as lines."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.5, 3.6), sharey=True, layout="constrained")
    for axis, name in zip(axes, PLATFORMS, strict=True):
        for n, kind in enumerate((*KINDS, "all")):
            values = [rows[(name, "preview", horizon)][kind] for horizon in HORIZONS]
            axis.plot(
                HORIZONS, values, "o-", color="black" if kind == "all" else f"C{n}", lw=2.0 if kind == "all" else 1.0, ms=3, label=kind
            )
        for suffix, style in (("classical", ":"), ("adaptive", "--")):
            axis.axhline(rows[(name, suffix, 0.0)]["all"], color="black", ls=style, lw=1.0, label=f"{suffix}, all, no preview")
        axis.set(title=name, xlabel="time of the preview [s]", ylim=(0.0, None))
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("error of surge and sway [1]")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=7)
    figure.savefig(file, dpi=80)


def main(folder: Path, file: Path) -> None:
    """Score all sets, print the table, draw the picture."""
    drives, rows = read_drives(folder), {}
    print("| washout | preview [s] |", " | ".join((*KINDS, "all", "largest", "K = 1", "limiter [%]")), "|")

    def score(washout: str, platform: str, preview: float) -> dict[str, Any]:
        found = errors(drives, washout, platform, preview)
        numbers = " | ".join(f"{found[key]:.2f}" for key in (*KINDS, "all", "largest", "unscaled", "limited") if key in found)
        print(f"| `{washout}` | {preview or '-'} | {numbers} |", flush=True)
        return found

    for name, platform in PLATFORMS.items():
        rows[(name, "classical", 0.0)] = score(name, platform, 0.0)
        rows[(name, "adaptive", 0.0)] = score(f"{name}_adaptive", platform, 0.0)
        for horizon in HORIZONS:
            rows[(name, "preview", horizon)] = score(f"{name}_preview", platform, horizon)
    for washout, platform, preview in OTHERS:
        score(washout, platform, preview)
    draw(rows, file)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
