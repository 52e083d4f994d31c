"""The 23 drives on which docs/theory/washouts.md compares the washouts: `python -m research.cueing.drives FOLDER` records them.

Kinds as on that page: cross-country at 26 to 39 km/h, winding and straight, gravel, road, stops up to 6 m/s2, hard lane changes, three with
the sedan. The places, turns and speeds follow from the number of a drive, so that each recording can be repeated.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from simulator.api.simulation import Simulation
from simulator.base.errors import JounceError

LOG_RATE = 1000.0
"""Hz. Less hides the jolts that a washout has to reproduce."""
CHANNELS = ("time", "f_H_B", "w_WB_B")


class RecordedKind(NamedTuple):
    """A drive to record."""

    name: str
    kind: str
    maneuver: dict[str, Any]


def cross_country(number: int, speed_kph: float, winding: bool, **more: Any) -> RecordedKind:
    """Return a drive beside the roads of the valley; with `winding`, a turn of up to 4 m every 25 to 45 m."""
    random = np.random.default_rng(1000 + number)
    changes, station, side = [], 30.0, 0.0
    while winding and station < 300.0:
        length = float(random.uniform(25.0, 45.0))
        offset = float(random.uniform(2.0, 4.0)) * (-1.0 if side > 0.0 else 1.0)
        changes.append({"at_station_m": round(station, 2), "offset_m": round(offset, 2), "length_m": round(length, 2)})
        side, station = side + offset, station + length + float(random.uniform(0.0, 10.0))
    place = [round(float(random.uniform(100.0, 900.0)), 1), round(float(random.choice([-1.0, 1.0]) * random.uniform(40.0, 75.0)), 1)]
    name = f"{'winding' if winding else 'straight'}_{number:02d}"
    return RecordedKind(name, "cross-country", _follow(name, "jacksboro", place, speed_kph, changes, 36.0, **more))


def _follow(
    name: str, terrain: str, place: list[float], speed_kph: float, changes: list[dict[str, float]], duration: float, **more: Any
) -> dict[str, Any]:
    """Return a maneuver along a straight with lateral shifts at one speed."""
    path = {"lane_changes": changes} if changes else {"segments": [{"length_m": 600}]}
    return {
        "name": name,
        "vehicle": "hmmwv",
        "terrain": terrain,
        "duration_s": duration,
        "start": {"speed_kph": speed_kph, "position_m": place},
        "speed": [{"at_s": 0, "speed_kph": speed_kph, "acceleration_mps2": 1.5}],
        **path,
        **more,
    }


def _stops(number: int, braking: tuple[float, ...], **more: Any) -> RecordedKind:
    """Return repeated acceleration and braking with up to `braking` [m/s2] on the road."""
    random = np.random.default_rng(2000 + number)
    speed, t = [], 1.0
    for limit in braking:
        top = float(random.uniform(45.0, 65.0))
        speed.append({"at_s": round(t, 2), "speed_kph": round(top, 1), "acceleration_mps2": 2.2})
        t += top / 3.6 / 1.7 + 2.0
        speed.append({"at_s": round(t, 2), "speed_kph": 0, "acceleration_mps2": limit})
        t += top / 3.6 / limit + float(random.uniform(2.0, 4.0))
    name = f"stops_{number:02d}"
    maneuver = {
        "name": name,
        "vehicle": "hmmwv",
        "terrain": "flat",
        "duration_s": round(t, 1),
        "speed": speed,
        "segments": [{"length_m": 1500}],
        **more,
    }
    return RecordedKind(name, "stops", maneuver)


def _lanes(number: int, speed_kph: float, changes: tuple[tuple[float, float], ...], kind: str, terrain: str, **more: Any) -> RecordedKind:
    """Return lane changes, (offset [m], length [m]) each, at one speed."""
    shifts, station = [], 60.0
    for offset, length in changes:
        shifts.append({"at_station_m": station, "offset_m": offset, "length_m": length})
        station += length + 40.0
    name = f"{kind.replace(' ', '_')}_{number:02d}"
    duration = round((station + 40.0) / (speed_kph / 3.6), 1)
    return RecordedKind(name, kind, _follow(name, terrain, [0.0, 0.0], speed_kph, shifts, duration, **more))


def _gravel(number: int, speed_kph: float, **more: Any) -> RecordedKind:
    name = f"gravel_{number:02d}"
    maneuver = {
        "name": name,
        "vehicle": "hmmwv",
        "terrain": "jacksboro",
        "duration_s": 45,
        "road": "circuit",
        "speed": [{"at_s": 0, "speed_kph": speed_kph, "acceleration_mps2": 1.5}],
        **more,
    }
    return RecordedKind(name, "gravel", maneuver)


def drives() -> Iterator[RecordedKind]:
    """Return the 23 drives."""
    sedan = {"vehicle": "sedan"}
    for number, speed in enumerate((26, 28, 30, 32, 34, 39)):
        yield cross_country(number, speed, True)
    for number, speed in enumerate((29, 33, 36, 38), 6):
        yield cross_country(number, speed, False)
    yield _gravel(0, 40)
    yield _gravel(1, 46)
    yield _gravel(2, 36)
    yield _lanes(0, 60, ((3.5, 70), (-3.5, 70), (3.5, 50), (-3.5, 50)), "road", "jacksboro")
    yield _lanes(1, 80, ((3.5, 90), (-7.0, 120), (3.5, 90)), "road", "jacksboro")
    yield _lanes(2, 70, ((3.5, 80), (-3.5, 80)), "road", "jacksboro", **sedan)
    yield _stops(0, (3.0, 4.0, 5.0))
    yield _stops(1, (6.0, 4.5, 6.2))
    yield _stops(2, (3.5, 6.0), **sedan)
    yield _lanes(0, 72, ((3.5, 45), (-3.5, 45), (3.5, 40), (-3.5, 40)), "lane changes", "flat")
    yield _lanes(1, 60, ((3.5, 30), (-3.5, 30), (3.5, 35), (-3.5, 30)), "lane changes", "flat")
    yield _lanes(2, 85, ((3.5, 55), (-3.5, 50), (3.5, 50)), "lane changes", "flat")
    yield _lanes(3, 80, ((3.5, 45), (-3.5, 45), (3.5, 42), (-3.5, 42)), "lane changes", "flat", **sedan)


def record(folder: Path, names: tuple[str, ...] = ()) -> None:
    """Record the drives in sub-folders of a folder that are named after the kind and the drive."""
    for one in drives():
        if names and one.name not in names:
            continue
        place = folder / f"{one.kind.replace(' ', '_')}-{one.name}"
        place.mkdir(parents=True, exist_ok=True)
        (place / "drive.yaml").write_text(yaml.safe_dump(one.maneuver, sort_keys=False), encoding="utf-8")
        try:
            sim = Simulation(maneuver=str(place / "drive.yaml"), channels=CHANNELS, log_rate=LOG_RATE)
        except JounceError as error:
            print(f"{one.name}: skipped, {error}", file=sys.stderr)
            shutil.rmtree(place)  # a folder without telemetry is no drive for research.cueing.scores
            continue
        result = sim.run()
        sim.log.save(place / "telemetry.parquet")
        f = sim.log.field("f_H_B")
        print(f"{one.name}: {sim.time:.1f} s, surge {np.abs(f[:, 0]).max():.1f}, sway {np.abs(f[:, 1]).max():.1f} m/s2 {result.given_up}")
        sim.close()


if __name__ == "__main__":
    record(Path(sys.argv[1]), tuple(sys.argv[2:]))
