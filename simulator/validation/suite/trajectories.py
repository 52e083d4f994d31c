"""Recorded drives and suspension sweeps of Project Chrono, compared with the vehicle with the data of that program (`hmmwv_chrono`)."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.inputfile import read_bytes
from simulator.builder.builder import build_vehicle
from simulator.validation.reference.recorded_drive import Recording
from simulator.validation.reference.trajectory import CORNERS, TrajectoryComparison, arm_angles, compare_trajectory, trajectory_panels
from simulator.validation.suite.result import Finding, PageFigure, ReferenceData, Row
from vehicles.steering.steering import place_tierods
from vehicles.vehicle import Vehicle

VEHICLE = "hmmwv_chrono"
FOLDER = "chrono"


class Recorded(NamedTuple):
    """A recorded drive."""

    file: str
    title: str
    start: float | None
    """Start time in s of the comparison; None: from rest at the spawn position."""


DRIVES = (
    Recorded("a_settle", "dropped from the design position", None),
    Recorded("b_throttle", "full throttle from rest", None),
    Recorded("d_stepsteer", "steering step at 15 m/s", 34.0),
)
SWEEPS = {
    "h_susp_sweep": "wheels moved up and down",
    "h_steer_sweep": "steered in the design position",
    "h_steer_sweep_settled": "steered at rest",
}
TOE_LIMIT, LENGTH_LIMIT = 1e-4, 2e-5
"""Tolerances of the sweeps in rad and m. A row of the recording lags by a step of 1 ms, in which the wheels turn by 6e-5 rad."""
MAX_BYTES = 1 << 26
EVERY = 7
"""Interval of the compared rows of a sweep."""


def trajectories(source: ReferenceData) -> Finding:
    """Evaluate recorded drives and suspension sweeps."""
    rows: list[Row] = []
    figures: list[PageFigure] = []
    for one in DRIVES:
        source.progress(one.title)
        comparison = compare_trajectory(Recording(str(source.data / FOLDER / f"{one.file}.csv.gz")), build_vehicle(VEHICLE), one.start)
        rows += [row_of(one, comparison, name) for name in comparison.counted]
        figures.append(_page_figure(one, comparison))
    for name, title in SWEEPS.items():
        source.progress(title)
        rows += sweep(source.data / FOLDER / f"{name}.csv.gz", title)
    return Finding(rows, figures)


def row_of(one: Recorded, comparison: TrajectoryComparison, name: str) -> Row:
    """Return the row of a compared channel: RMS difference over the peak of the recording."""
    rms, peak = (
        float(np.sqrt(np.mean((comparison.ours[name] - comparison.reference[name]) ** 2))),
        float(np.abs(comparison.reference[name]).max()),
    )
    error = comparison.errors[name]
    return Row(
        f"{one.title}: {name}",
        f"rms {rms:.3g}",
        f"peak {peak:.4g}",
        f"{100.0 * error:.2f} %",
        f"{100.0 * comparison.limit:g} %",
        error <= comparison.limit,
    )


def sweep(file: Path, title: str) -> list[Row]:
    """Return the largest differences of a sweep. Inputs are shock lengths and steering; outputs are toe, camber, wheel centers and
    spring lengths."""
    text = gzip.decompress(read_bytes(file, "a recorded sweep", MAX_BYTES)).decode()
    table = np.genfromtxt(text.splitlines(), delimiter=",", names=True)
    car = build_vehicle(VEHICLE)
    start = _design(car)
    arm_angles(car, np.array([table[f"shock_L_{c}"][0] for c in CORNERS]), str(file))
    angle = length = 0.0
    for row in table[::EVERY]:
        k = _place(car, row, str(file))
        for i, c in enumerate(CORNERS):
            moved = k["W"][:, i] - start[:, i]
            there = [row[f"{name}_{c}"] for name in ("dx", "dy", "dz", "spring_L")]
            length = max(length, float(np.abs(np.array([*moved, k["spring_length"][i]]) - there).max()))
            toe, camber = np.arctan2(-k["axle"][0, i], k["axle"][1, i]), np.arcsin(k["axle"][2, i]) * (-1.0) ** (i + 1)
            angle = max(angle, abs(toe - row[f"toe_steer_{c}"]), abs(camber - row[f"camber_{c}"]))
    count = f"{len(table[::EVERY])} rows"
    return [
        Row(f"{title}: toe, camber", count, "every wheel", f"{angle:.2g} rad", f"{TOE_LIMIT:g} rad", angle <= TOE_LIMIT),
        Row(f"{title}: wheel center, spring", count, "every wheel", f"{length:.2g} m", f"{LENGTH_LIMIT:g} m", length <= LENGTH_LIMIT),
    ]


def _design(car: Vehicle) -> Array:
    """Return the wheel centers (3, 4) in the design position."""
    return np.stack([corner.W for corner in car.description.mechanism.designs], axis=1)


def _place(car: Vehicle, row: np.void, file: str) -> np.void:
    """Return the kinematics for the steering input and the shock lengths of a row."""
    s = car.space
    s.steering[0]["angle"] = -row["steering"] * car.model.steering[0]["max_arm_angle"]
    place_tierods(car.model.steering, s.steering, s.inputs)
    arm_angles(car, np.array([row[f"shock_L_{c}"] for c in CORNERS]), file)
    return s.kinematics[0]  # type: ignore[no-any-return]


def _page_figure(one: Recorded, comparison: TrajectoryComparison) -> PageFigure:
    return PageFigure(f"trajectory_{one.file}", one.title, trajectory_panels(comparison, "Project Chrono"))
