"""Are positions and velocities on WGS 84 those of an independent computation, and are NMEA sentences what receivers send?"""

from __future__ import annotations

import csv
import gzip
import json
import math
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from simulator.sensors.nmea import MAX_SENTENCE, Fix, is_valid, sentences
from terrain.geodesy import LocalFrame, course_of, to_ecef, to_geodetic

DATA = Path(__file__).parents[1] / "data" / "sensors" / "gnss"
ORIGINS = json.loads((DATA / "origins.json").read_text())
NMEA = json.loads((DATA / "nmea.json").read_text())


def track(name: str) -> list[dict[str, float]]:
    with gzip.open(DATA / f"track_{name}.csv.gz", "rt", newline="") as file:
        return [{key: float(cell) for key, cell in row.items()} for row in csv.DictReader(file)]


def frame(name: str, convergence: float = 0.0) -> LocalFrame:
    o = ORIGINS[name]
    return LocalFrame(math.radians(o["lat0_deg"]), math.radians(o["lon0_deg"]), o["h0_m"], convergence)


@pytest.mark.parametrize("name", sorted(ORIGINS))
def test_a_track_is_that_of_the_reference(name: str) -> None:
    rows = track(name)
    assert len(rows) == ORIGINS[name]["rows"]
    for row in rows:
        p, v = np.array([row[key] for key in "enu"]), np.array([row[f"v{key}"] for key in "enu"])
        place, velocity = frame(name).fix(p, v)
        meters = (place - np.radians([row["lat_deg"], row["lon_deg"], 0.0]) - (0, 0, row["h_m"])) * (6.4e6, 6.4e6 * math.cos(place[0]), 1)
        meters[1] = math.remainder(meters[1], math.tau * 6.4e6 * math.cos(place[0]))
        assert np.abs(meters).max() < 1e-6
        assert velocity == pytest.approx([row[f"v_{key}_local"] for key in ("east", "north", "up")], abs=1e-7)
        assert math.hypot(*velocity[:2]) == pytest.approx(row["speed"], abs=1e-7)
        assert math.degrees(course_of(velocity[0], velocity[1])) == pytest.approx(row["course_deg"], abs=1e-6)
        ecef = np.empty(3)
        to_ecef(*place, ecef)
        assert ecef == pytest.approx([row[key] for key in "XYZ"], abs=1e-6)
        assert frame(name).point(*place) == pytest.approx(p, abs=1e-6)


def test_grid_convergence_turns_the_world() -> None:
    turned = frame("mid47", math.radians(2.0))
    place, velocity = turned.fix(np.array([0.0, 1000.0, 0.0]), np.array([0.0, 10.0, 0.0]))
    assert math.degrees(course_of(velocity[0], velocity[1])) == pytest.approx(2.0, abs=0.01)
    assert frame("mid47").point(*place) == pytest.approx([1000 * math.sin(math.radians(2)), 1000 * math.cos(math.radians(2)), 0], abs=1e-6)


@pytest.mark.parametrize("latitude", [-90.0, -89.9999999, -45.0, -1e-9, 0.0, 1e-9, 30.0, 89.9999999, 90.0])
@pytest.mark.parametrize("height", [-11_000.0, 0.0, 9_000.0, 4e5])
def test_there_and_back(latitude: float, height: float) -> None:
    ecef, back = np.empty(3), np.empty(3)
    to_ecef(math.radians(latitude), 1.0, height, ecef)
    to_geodetic(ecef, back)
    assert math.degrees(back[0]) == pytest.approx(latitude, abs=1e-13 * 180)
    assert back[2] == pytest.approx(height, abs=1e-8)


@pytest.mark.parametrize("n", range(len(NMEA["fixes"])))
def test_sentences_have_the_numbers_of_the_reference(n: int) -> None:
    f = NMEA["fixes"][n]
    time = datetime.fromisoformat(f["utc"])
    fix = Fix(time, f["lat"], f["lon"], f["h"], f["geoid"], f["quality"], f["satellites"], f["hdop"], f["speed"], f["course"])
    for ours, expected in zip(sentences(fix), f["sentences"], strict=True):
        assert is_valid(ours)
        assert len(ours) + 2 <= MAX_SENTENCE
        for own, other in zip(ours[:-3].split(","), expected[:-3].split(","), strict=True):
            assert own == other or abs(float(own) - float(other)) <= 0.51 * 10.0 ** -len(other.partition(".")[2])


@pytest.mark.parametrize("height", [0.0, 545.4, 2345.6, 8849.0, -11000.0, 4e5])
@pytest.mark.parametrize("geoid", [46.9, -28.5, -105.2])
@pytest.mark.parametrize(("hdop", "satellites"), [(0.9, 8), (12.3, 40), (1e9, 100)])
@pytest.mark.parametrize("speed", [0.0, 30.0, 2000.0])
def test_a_sentence_has_at_most_82_characters(height: float, geoid: float, hdop: float, satellites: int, speed: float) -> None:
    time = datetime(2026, 6, 21, 12, tzinfo=UTC)
    fix = Fix(time, -47.123456789, -178.123456789, height, geoid, 8, satellites, hdop, speed, 123.4)
    for sentence in sentences(fix):
        assert is_valid(sentence) and len(sentence) + 2 <= MAX_SENTENCE
    fields = sentences(fix)[0].split(",")
    assert float(fields[2]) == pytest.approx(4707.40740734, abs=1e-5) and float(fields[4]) == pytest.approx(17807.40740734, abs=1e-5)
    assert (fields[3], fields[5], fields[9]) == ("S", "W", f"{height - geoid:.2f}")


@pytest.mark.parametrize(("sentence", "valid"), NMEA["checksum_cases"])
def test_checksums(sentence: str, valid: bool) -> None:
    assert is_valid(sentence) == valid
