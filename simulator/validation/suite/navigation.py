"""GNSS and IMU compared with reference data: positions on WGS 84, NMEA sentences, errors, lever arm and Allan deviation of an IMU."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import NOTHING, ConfigError, JounceError, UnreadableError
from simulator.base.npy_reader import read_json, read_npz
from simulator.base.records import record
from simulator.base.rotations import rotation_of_euler, rotation_of_quaternion
from simulator.sensors.imu import measure
from simulator.sensors.inertial_errors import InertialErrors
from simulator.sensors.nmea import MAX_SENTENCE, Fix, is_valid, sentences
from simulator.validation.suite.result import Row
from terrain.geodesy import LocalFrame, course_of
from vehicles.readout import READOUT

POSITION, VELOCITY, COURSE = 1e-3, 1e-4, 0.01
"""m, m/s, deg. Tolerances of fixes."""
ERRORS, MOTION = 1e-9, 1e-6
"""SI. Tolerances of the errors of an IMU, and of its true values at a mount."""
MAX_OUTSIDE, MAX_HALF_BANDS = 4, 1.6
"""Points of 64 that may be outside the bands of 99 %; half bands that none may exceed."""
ROUNDING = 1e-3
"""Fraction of a tolerance below which a difference is not shown: it depends on the machine."""
_WHAT = "reference data of a GNSS receiver or an IMU"
_PARTS = {"force": "accel", "rate": "gyro"}


def gnss(folder: Path) -> list[Row]:
    """Return a row for each track, and one for the NMEA sentences."""
    file = folder / "origins.json"
    rows = []
    with _damage_of(file):
        for name, origin in sorted(read_json(file, _WHAT).items()):
            rows.append(_track_row(name, origin, folder / f"track_{name}.csv.gz"))
    file = folder / "nmea.json"
    with _damage_of(file):
        rows.append(_nmea_row(read_json(file, _WHAT)))
    return rows


def imu(folder: Path) -> list[Row]:
    """Return a row for the errors, one for each motion, and one for the Allan deviations."""
    rows = []
    for name, row_of in (("errors.json", _errors_row), ("allan.json", _allan_row)):
        with _damage_of(folder / name):
            rows.append(row_of(read_json(folder / name, _WHAT)))
    file = folder / "motions.json"
    with _damage_of(file):
        motions = read_json(file, _WHAT)
        columns = motions.pop("columns")
        for name, motion in motions.items():
            table = read_npz(folder / f"motion_{name}.npz", _WHAT)["table"]
            rows.append(_motion_row(name, motion["mount"], dict(zip(columns, table.T, strict=True))))
    return rows


@contextmanager
def _damage_of(file: Path) -> Iterator[None]:
    """Raise ConfigError for a damaged file."""
    if not file.is_file():
        raise ConfigError(file, "", NOTHING, _WHAT)
    try:
        yield
    except JounceError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OSError, EOFError) as problem:
        raise UnreadableError(file, "", f"{type(problem).__name__}: {problem}", _WHAT) from None


def _row(what: str, here: str, reference: str, worst: dict[str, tuple[float, float]]) -> Row:
    """Return the row of the largest differences by quantity with unit, each with its tolerance."""
    shown = ", ".join(
        f"{value:.1g} {unit}" if value > ROUNDING * limit else f"< {ROUNDING * limit:g} {unit}" for unit, (value, limit) in worst.items()
    )
    allowed = ", ".join(f"{limit:g} {unit}" for unit, (_, limit) in worst.items())
    return Row(what, here, reference, shown, allowed, all(value <= limit for value, limit in worst.values()))


def _track_row(name: str, origin: dict[str, float], file: Path) -> Row:
    """Return the row of a track: its points by a local frame at the origin."""
    frame = LocalFrame(math.radians(origin["lat0_deg"]), math.radians(origin["lon0_deg"]), origin["h0_m"])
    meters = speed = course = 0.0
    with _damage_of(file):
        text = gzip.decompress(file.read_bytes()).decode("utf-8")
        points = [{key: float(cell) for key, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]
        for row in points:
            place, velocity = frame.fix(np.array([row[key] for key in "enu"]), np.array([row[f"v{key}"] for key in "enu"]))
            back = frame.point(math.radians(row["lat_deg"]), math.radians(row["lon_deg"]), row["h_m"])
            here = frame.point(*place)
            meters = max(meters, float(np.abs(here - back).max()))
            speed = max(speed, float(np.abs(velocity - [row[f"v_{key}_local"] for key in ("east", "north", "up")]).max()))
            turned = math.degrees(course_of(velocity[0], velocity[1])) - row["course_deg"]
            course = max(course, abs(math.remainder(turned, 360.0)))
    worst = {"m": (meters, POSITION), "m/s": (speed, VELOCITY), "deg": (course, COURSE)}
    return _row(f"gnss {name}", f"{len(points)} points", "latitude, longitude, height, velocity, course", worst)


def _nmea_row(data: dict[str, Any]) -> Row:
    """Return the row of the sentences of all fixes, and of the checksums."""
    wrong = count = 0
    for f in data["fixes"]:
        time = datetime.fromisoformat(f["utc"])
        fix = Fix(time, f["lat"], f["lon"], f["h"], f["geoid"], f["quality"], f["satellites"], f["hdop"], f["speed"], f["course"])
        for ours, expected in zip(sentences(fix), f["sentences"], strict=True):
            fields = list(zip(ours[:-3].split(","), expected[:-3].split(","), strict=True))
            count += len(fields)
            wrong += sum(not _same(own, other) for own, other in fields) + int(not is_valid(ours) or len(ours) + 2 > MAX_SENTENCE)
    cases = data["checksum_cases"]
    wrong += sum(is_valid(sentence) != valid for sentence, valid in cases)
    return Row(
        "nmea", f"{count} fields, {len(cases)} checksums", "GGA, RMC, VTG", f"{wrong} differ", "half a unit of the last place", not wrong
    )


def _same(own: str, other: str) -> bool:
    """Return True for equal texts, or for numbers that differ by half a unit of the last place of the second at most."""
    if own == other:
        return True
    try:
        return abs(float(own) - float(other)) <= 0.51 * 10.0 ** -len(other.partition(".")[2])
    except ValueError:
        return False


def _errors_row(cases: list[dict[str, Any]]) -> Row:
    """Return the row of the errors of units without noise."""
    worst, count = 0.0, 0
    keys = {"scale_error": "scale", "misalignment": "misalignment", "offset": "bias", "range": "range", "step": "step"}
    for case in cases:
        p = case["parameters"]
        parameters = {f"{part}_{ours}": p[f"{theirs}_{key}"] for part, theirs in _PARTS.items() for ours, key in keys.items()}
        errors = InertialErrors({**parameters, "g_sensitivity": p["g_sensitivity"]}, 0.01, np.random.default_rng(0))
        for ours, theirs in zip(errors.measured(case["f_true"], case["w_true"]), (case["accel"], case["gyro"]), strict=True):
            worst, count = max(worst, float(np.abs(ours - theirs).max())), count + len(theirs)
    return _row("imu errors", f"{count} vectors of {len(cases)} units", "scale, misalignment, bias, range, step", {"SI": (worst, ERRORS)})


def _motion_row(name: str, mount: dict[str, Any], column: dict[str, NDArray[np.float64]]) -> Row:
    """Return the row of a motion: specific force and rate at a mount."""
    R_BS, R_WB, out, readout = np.empty((3, 3)), np.empty((3, 3)), np.empty((2, 3)), record(READOUT)
    roll, pitch, yaw = np.radians(mount["rpy_deg"])
    rotation_of_euler(roll, pitch, yaw, R_BS)
    p_BS, r, worst = np.asarray(mount["position"], float), readout[0], np.zeros(2)
    a, w, alpha = (np.column_stack([column[f"{key}{axis}"] for axis in "xyz"]) for key in ("a", "w", "al"))
    q = np.column_stack([column[f"q{part}"] for part in "wxyz"])
    expected = np.stack([np.column_stack([column[f"{key}{axis}"] for axis in "xyz"]) for key in "fg"], axis=1)
    for k in range(len(q)):
        rotation_of_quaternion(np.ascontiguousarray(q[k]), R_WB)
        r["q_WB"], r["a_WB_B"], r["w_WB_B"], r["alpha_WB_B"] = q[k], R_WB.T @ a[k], w[k], alpha[k]
        measure(readout, p_BS, R_BS, STANDARD_GRAVITY, np.empty((3, 3)), out)
        worst = np.maximum(worst, np.abs(out - expected[k]).max(axis=1))
    limits = {"m/s2": (float(worst[0]), MOTION), "rad/s": (float(worst[1]), MOTION)}
    return _row(f"imu {name}", f"{len(q)} poses", "specific force and angular rate at a mount", limits)


def allan_deviation(series: ArrayLike, rate: float, times: ArrayLike) -> NDArray[np.float64]:
    """Return the overlapping Allan deviation of samples (n,) at averaging times [s] (IEEE Std 952, annex C)."""
    theta = np.concatenate(((0.0,), np.cumsum(np.asarray(series, float)))) / rate
    out = []
    for time in np.atleast_1d(np.asarray(times, float)):
        m = round(float(time) * rate)
        second = theta[2 * m :] - 2.0 * theta[m:-m] + theta[: -2 * m]
        out.append(math.sqrt(float(np.mean(second * second)) / 2.0) / float(time))
    return np.array(out)


def allan_points(data: dict[str, Any], seed: int) -> tuple[int, float, int]:
    """Return (points outside the bands of 99 %, largest deviation in half bands, number of points) of the sets of `allan.json`, from one hour."""
    rate, outside, most, points = data["rate_Hz"], 0, 0.0, 0
    keys = {"noise": "N", "correlated_bias": "gm_sigma", "correlation_time": "gm_tau", "walk": "K"}
    random, n = np.random.default_rng(seed), round(data["rate_Hz"] * data["duration_s"])
    for one in data["sets"]:
        errors = InertialErrors({f"rate_{ours}": one[theirs] for ours, theirs in keys.items()}, 1.0 / rate, random)
        _, measured = errors.measured(np.zeros((n, 3)), np.zeros((n, 3)))
        ratio = allan_deviation(measured[:, 0], rate, one["tau_s"]) / one["adev_discrete"]
        half = np.where(ratio < 1.0, 1.0 - np.array(one["band99_low"]), np.array(one["band99_high"]) - 1.0)
        beyond = np.abs(ratio - 1.0) / half
        outside, most, points = outside + int((beyond > 1.0).sum()), max(most, float(beyond.max())), points + len(ratio)
    return outside, most, points


def _allan_row(data: dict[str, Any]) -> Row:
    """Return the row of the Allan deviations of an hour."""
    outside, most, points = allan_points(data, 1)
    return Row(
        "imu allan",
        f"{outside} of {points} points outside the bands of 99 %",
        f"{data['duration_s'] / 3600:g} h at {data['rate_Hz']:g} Hz",
        f"{most:.2f} half bands",
        f"{MAX_OUTSIDE} points, {MAX_HALF_BANDS:g} half bands",
        outside <= MAX_OUTSIDE and most <= MAX_HALF_BANDS,
    )


KINDS: dict[str, Callable[[Path], list[Row]]] = {"gnss": gnss, "imu": imu}
"""Functions of a folder by its name."""
