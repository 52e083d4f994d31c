"""Metrics of a run and their comparison with limits. They depend on the telemetry only: equal runs give bitwise equal metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.rates import whole_ticks
from simulator.base.units import SUFFIXES, factor_of, shown_unit, tidy
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import LaneChange, Path, Spawn, TimedLaneChange
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses import contract
from simulator.maneuvers.analyses.contract import AnalysisResult, Curve, Drive
from simulator.maneuvers.cone_course import Body, Gate, GateResult, Track, judge
from simulator.maneuvers.course_limit import Grip, limit_of_course
from simulator.maneuvers.path_projection import stations_of, with_timed
from vehicles.axle_layout import USUAL_AXLES

Telemetry = Mapping[str, NDArray[Any]]

COLUMNS = (
    "time", "p_WB_x", "p_WB_y", "p_WG_x", "p_WG_y", "roll", "pitch", "yaw", "v_WB_B_x", "v_WG_B_x", "w_WB_B_z", "a_WG_B_y", "steering",
)  # fmt: skip
"""Telemetry columns that metrics and plots need, without the wheel loads."""

LOAD = re.compile(r"F_C_[A-Z]+_z")
"""Pattern of the column of a wheel load."""

METRICS_RATE = 100.0
"""Number of rows per second for metrics and plots, independent of the log rate; higher if an analysis needs more."""

FEWEST_ROWS = 10
"""Minimum number of telemetry rows for an evaluation."""

SETTLED = 0.1
"""Limit of the path error [m] below which a lane change has settled."""


def too_short(rows: int) -> str:
    """Return the statement that a run has too few rows of telemetry for an evaluation."""
    return f"the run is too short to evaluate: {rows} rows of telemetry, expected at least {FEWEST_ROWS}"


class Limit(NamedTuple):
    """Pass limit in SI, from `low` to `high`; either may be None."""

    low: float | None
    high: float | None


class EvaluatedAnalysis(Protocol):
    """Analysis that a maneuver requests."""

    @property
    def analysis(self) -> contract.Analysis:
        """Kind of the analysis."""

    @property
    def values(self) -> Mapping[str, Any]:
        """Parameters of the analysis."""

    @property
    def metrics(self) -> tuple[contract.Metric, ...]:
        """Metrics with their names in the maneuver."""

    def evaluate(self, drive: Drive) -> AnalysisResult:
        """Run the analysis."""


class EvaluatedManeuver(Protocol):
    """Attributes of a `simulator.maneuvers.maneuver_file.Maneuver` that the evaluation of its run needs."""

    name: str
    title: str
    vehicle: str
    terrain: str
    duration: float
    step: float
    seed: int
    remarks: tuple[str, ...]
    body: Body
    gates: tuple[Gate, ...]
    path: Path | None
    timed: tuple[TimedLaneChange, ...]
    phase_names: tuple[str, ...]
    limits: dict[str, Limit]
    units: dict[str, str]

    @property
    def requested_analyses(self) -> Iterable[EvaluatedAnalysis]:
        """Analyses of the run."""


@dataclass(frozen=True)
class Metric:
    """Metric of a run: name, SI unit, requirement `needs` ("", "path" or "course") and meaning."""

    name: str
    unit: str
    needs: str
    meaning: str

    @property
    def key(self) -> str:
        """Name with its unit suffix, as in metrics.json."""
        return with_unit(self.name, self.unit)


METRICS = (
    Metric("distance", "m", "", "distance of the center of mass over ground"),
    Metric("speed_max", "m/s", "", "maximum forward speed"),
    Metric("speed_end", "m/s", "", "forward speed at the end"),
    Metric("lateral_acceleration_max", "m/s2", "", "maximum lateral acceleration of the center of mass in B, filtered"),
    Metric("yaw_rate_max", "rad/s", "", "maximum yaw rate, filtered"),
    Metric("roll_max", "rad", "", "maximum roll angle"),
    Metric("pitch_max", "rad", "", "maximum pitch angle"),
    Metric("steering_max", "1", "", "maximum steering input"),
    Metric("wheel_load_min", "N", "", "minimum normal force of any wheel; 0 = lifted wheel"),
    Metric("path_error_rms", "m", "path", "root mean square distance of the reference point from the path"),
    Metric("path_error_max", "m", "path", "maximum distance of the reference point from the path"),
    Metric("settle_time_max", "s", "path", "maximum time from the end of a lane change until the path error stays below 0.1 m"),
    Metric("course_clean", "1", "course", "1 if every gate is clean, else 0"),
    Metric("gates_clean", "1", "course", "number of gates passed with the complete body inside and no cone touched"),
    Metric("cones_hit", "1", "course", "number of cones touched by the body"),
    Metric("gate_margin_min", "m", "course", "minimum distance of the body to a lane limit, < 0 = outside"),
    Metric("entry_speed", "m/s", "course", "forward speed as the front enters the first gate"),
    Metric("grip_used_front", "1", "course", "maximum fraction of its grip that the first axle uses on the course; no value on soil"),
    Metric("grip_used_rear", "1", "course", "the same for the last axle"),
    Metric("grip_limit_time", "s", "course", "time on the course in which an axle uses more than 95 % of its grip, longest of the axles"),
    Metric("steering_wheel_rate_max", "rad/s", "course", "maximum rate of the steering wheel on the course"),
)


LANE_CHANGE_KEYS = (
    "time_s", "end_time_s", "speed_mps", "lateral_acceleration_max_mps2", "yaw_rate_max_radps", "roll_max_rad", "path_error_max_m",
    "settle_time_s",
)  # fmt: skip
"""Results of a lane change, without its position; null if the run ended before it."""


def with_unit(name: str, unit: str) -> str:
    """Return `name` with the suffix of its SI unit, unless it already ends with it."""
    suffix = next(iter(SUFFIXES.get(unit, ())), "")
    return f"{name}_{suffix}" if suffix and not name.endswith(f"_{suffix}") else name


class ReportMetric(NamedTuple):
    """Metric in the unit of the report: key with unit suffix, factor of that unit to SI."""

    name: str
    unit: str
    key: str
    factor: float
    mark: str
    meaning: str


def _report_metrics(maneuver: EvaluatedManeuver, names: Iterable[str]) -> dict[str, ReportMetric]:
    """Return the metrics with these names in report units: the unit of the limit, else that of the file, else the usual unit."""
    names = set(names)
    own = [(metric.name, metric.unit, "", "", metric.meaning) for metric in METRICS]
    own += [
        (one.name, one.unit, one.written, one.mark, one.meaning) for analysis in maneuver.requested_analyses for one in analysis.metrics
    ]
    out = {}
    for name, unit, default, mark, meaning in own:
        if name in names:
            suffix = maneuver.units.get(name) or _unit_of_file(maneuver.units.get(unit, ""), unit, default)
            factor = factor_of(unit, suffix) if suffix and with_unit(name, unit) != name else None
            key = with_unit(name, unit) if factor is None else f"{name}_{suffix}"
            out[name] = ReportMetric(name, unit, key, factor or 1.0, mark, meaning)
    return out


def _unit_of_file(suffix: str, unit: str, default: str) -> str:
    """Return the unit of a file or the usual unit. Hz in the file is not used for a turning rate, nor deg/s for a frequency response."""
    if unit == "rad/s" and (default or suffix in ("Hz", "rpm")):
        return default
    return suffix or default


def evaluate(
    maneuver: EvaluatedManeuver,
    telemetry: Telemetry,
    spawn: Spawn | tuple[float, float, float] | None = None,
    traits: InternalModel | None = None,
    grip: Grip | None = None,
) -> dict[str, Any]:
    """Return the results of `evaluated` without the curves."""
    return evaluated(maneuver, telemetry, spawn, traits, grip)[0]


def evaluated(
    maneuver: EvaluatedManeuver,
    telemetry: Telemetry,
    spawn: Spawn | tuple[float, float, float] | None = None,
    traits: InternalModel | None = None,
    grip: Grip | None = None,
) -> tuple[dict[str, Any], dict[str, Curve]]:
    """Return the metrics, gates, lane changes and checks of a run, and the curves of its analyses by name.

    Parameters
    ----------
    telemetry : columns (n,) by name as in the telemetry file, n >= 2; the readout without prefix
    spawn : start pose (x, y, yaw) of the driver; default: the first pose of the record
    traits : internal model of the vehicle; default: the model of the shipped HMMWV
    grip : tires and ground, for the grip used on a course; default: no values

    Returns
    -------
    a dict ready for JSON: maneuver and run data, "metrics" {name with unit: number} in SI and also in the units of the maneuver file,
    "shown" (keys of the metrics in the units of the file), "course_limit" (sentence; "": clean or unknown), "gates", "lane_changes",
    "checks" in these units, "pass" (None: no limits),
    "table": of every metric in these units "metric", "value", "unit", "min", "max", "margin" to the nearest limit (< 0: violated), "verdict"
    (pass, fail, info), "mark" (source of its definition), "meaning"

    Raises
    ------
    ConfigError : a column is missing, or there are fewer than two rows
    """
    run = relative_run(telemetry, spawn)
    values = _run_metrics(run)
    path, error = follow(maneuver, run)
    changes: list[dict[str, Any]] = []
    if path is not None:
        changes = [_lane_change(change, path, run, error) for change in path.lane_changes]
        values |= _path_metrics(error, changes)
    gates: list[GateResult] = []
    limit = ""
    if maneuver.gates:
        track = Track(run["x"], run["y"], run["yaw"], run["v_WB_B_x"])
        gates = judge(maneuver.gates, maneuver.body, track)
        used, limit = limit_of_course((maneuver.gates, maneuver.body), telemetry, gates, track, grip)
        values |= _course_metrics(gates) | used
    drive = drive_of(maneuver, telemetry, run, traits)
    results = run_analyses(maneuver, drive)
    for result in results:
        values |= result.values
    found_results = _results(maneuver, values, gates, changes) | {"course_limit": limit}
    for check in found_results["checks"]:
        if check["value"] is None:
            check["reason"] = _no_value(maneuver, check["metric"], drive)
    return found_results, {name: curve for result in results for name, curve in result.curves.items()}


def _no_value(maneuver: EvaluatedManeuver, key: str, drive: Drive) -> str:
    """Return why a metric with a limit has no value; `key` is its name with the unit of the file."""
    named = [
        (len(metric.name), n) for n, one in enumerate(maneuver.requested_analyses) for metric in one.metrics if key.startswith(metric.name)
    ]
    if not named:
        return "the run has none"
    request = list(maneuver.requested_analyses)[max(named)[1]]
    phase = request.values.get("phase")
    if phase and phase not in drive.phases:
        return f"phase {phase} has not begun"
    return f"analysis {request.analysis.name} finds none in {f'phase {phase}' if phase else 'the run'}"


def _results(
    maneuver: EvaluatedManeuver, values: Mapping[str, float], gates: Sequence[GateResult], changes: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the results of `evaluated` from the metrics in SI, the gates and the lane changes of a run."""
    shown = _report_metrics(maneuver, values)
    rows = [_row(one, values[name], maneuver.limits.get(name)) for name, one in shown.items()]
    checks = [_check(one, values[name], maneuver.limits[name]) for name, one in shown.items() if name in maneuver.limits]
    missing = [name for name in maneuver.limits if name not in shown]
    assert not missing, missing  # checked by `read_limits`
    numbers = {with_unit(name, one.unit): _json(values[name]) for name, one in shown.items()}
    return {
        "maneuver": maneuver.name,
        "title": maneuver.title,
        "remarks": list(maneuver.remarks),
        "vehicle": maneuver.vehicle,
        "terrain": maneuver.terrain,
        "duration_s": maneuver.duration,
        "step_s": maneuver.step,
        "seed": maneuver.seed,
        "metrics": {**numbers, **{one.key: _json(values[name] / one.factor) for name, one in shown.items() if one.key not in numbers}},
        "shown": [one.key for one in shown.values()],
        "gates": [
            _add_file_units(
                maneuver.units,
                {"speed_mps": _json(gate.speed), "margin_m": _json(gate.margin), "cones_hit": gate.cones, "clean": gate.clean},
            )
            for gate in gates
        ],
        "lane_changes": [_add_file_units(maneuver.units, change) for change in changes],
        "checks": checks,
        "table": rows,
        "pass": all(check["pass"] for check in checks) if checks else None,
    }


def _add_file_units(units: Mapping[str, str], numbers: dict[str, Any]) -> dict[str, Any]:
    """Return `numbers`, whose keys end in SI units, with additional entries in the units of the file where these differ."""
    out = dict(numbers)
    for unit, suffixes in SUFFIXES.items():
        own, target = next(iter(suffixes)), units.get(unit)
        for key, value in numbers.items() if target and target != own else ():
            if key.endswith(f"_{own}"):
                out[f"{key.removesuffix(own)}{target}"] = None if value is None else value / suffixes[str(target)]
    return out


def columns(corners: Iterable[str]) -> tuple[str, ...]:
    """Return the telemetry columns that metrics and plots need for a vehicle with these corners."""
    return (*COLUMNS, *(f"F_C_{corner}_z" for corner in corners))


def measuring_ticks(rate: float, step: float) -> int:
    """Return the number of ticks of `step` (s) between two rows for at least `rate` rows per second; 1 if the ticks are slower.

    Raises ConfigError: METRICS_RATE is not a rate of this step.
    """
    default = whole_ticks(METRICS_RATE, step, "metrics", "rate")
    return max(every for every in range(1, default + 1) if default % every == 0 and (every == 1 or every * step * rate <= 1.0 + 1e-9))


class _Columns(dict[str, NDArray[Any]]):
    """Columns by name; a missing column raises ConfigError."""

    def __missing__(self, name: str) -> NDArray[Any]:
        raise ConfigError("telemetry", name, "nothing", "a column of that name")


def drive_of(maneuver: EvaluatedManeuver, telemetry: Telemetry, run: Mapping[str, NDArray], traits: InternalModel | None = None) -> Drive:
    """Return the input of the analyses: the telemetry and the relative pose columns of `run` from `relative_run`."""
    columns = _Columns({name: np.asarray(telemetry[name]) for name in telemetry})
    columns |= {"time": run["time"], "heading": run["yaw"]} | {name: run[name] for name in ("x", "y", "x_G", "y_G")}
    phases = {}
    for number, name in enumerate(maneuver.phase_names if "phase" in columns else ()):
        rows = np.flatnonzero(columns["phase"] == number)
        if rows.size:
            phases[name] = slice(int(rows[0]), int(rows[-1]) + 1)
    return Drive(columns, _interval(run), phases, traits or InternalModel(), maneuver.body)


def run_analyses(maneuver: EvaluatedManeuver, drive: Drive) -> list[AnalysisResult]:
    """Return the results of all analyses that a maneuver requests. Raises ConfigError: a column is missing."""
    with np.errstate(all="ignore"):
        return [analysis.evaluate(drive) for analysis in maneuver.requested_analyses]


def relative_run(telemetry: Telemetry, spawn: Spawn | tuple[float, float, float] | None = None) -> dict[str, NDArray]:
    """Return the columns for metrics and plots and the poses relative to the spawn pose: x, y (m), yaw (rad, unwrapped) of the chassis
    and x_G, y_G (m) of the center of mass. Raises ConfigError."""
    default = columns(USUAL_AXLES.corners)[len(COLUMNS) :]
    load_columns = tuple(name for name in telemetry if LOAD.fullmatch(name))
    loads = load_columns if set(load_columns) - set(default) else default  # a vehicle with other wheels has other load columns
    for name in (*COLUMNS, *loads):
        if name not in telemetry:
            raise ConfigError("telemetry", name, "nothing", "a column of that name")
    run = {name: np.asarray(telemetry[name], dtype=float) for name in (*COLUMNS, *loads)}
    for name, column in run.items():
        if not np.isfinite(column).all():
            raise ConfigError("telemetry", name, float(column[~np.isfinite(column)][0]), "finite numbers")
    if len(run["time"]) < 2:
        raise ConfigError("telemetry", "time", len(run["time"]), "at least two rows")
    yaw = np.unwrap(run["yaw"])
    start = Spawn(*spawn) if spawn is not None else Spawn(float(run["p_WB_x"][0]), float(run["p_WB_y"][0]), float(yaw[0]))
    c, s = math.cos(start.yaw), math.sin(start.yaw)
    turns = round((float(yaw[0]) - start.yaw) / math.tau)
    run["yaw"] = yaw - start.yaw - turns * math.tau
    for point, end in (("B", ""), ("G", "_G")):
        east, north = run[f"p_W{point}_x"] - start.x, run[f"p_W{point}_y"] - start.y
        run[f"x{end}"], run[f"y{end}"] = c * east + s * north, c * north - s * east
    return run


def follow(maneuver: EvaluatedManeuver, run: Mapping[str, NDArray]) -> tuple[Path | None, NDArray]:
    """Return (driven path relative to the spawn pose, distance (n,) in m of B to its left); (None, empty) for a script."""
    path = driven_path(maneuver, run)
    return path, np.empty(0) if path is None else stations_of(path, run["x"], run["y"])[1]


def driven_path(maneuver: EvaluatedManeuver, run: Mapping[str, NDArray]) -> Path | None:
    """Return the driven path relative to the spawn pose; None for a script."""
    if maneuver.path is None:
        return None
    return with_timed(maneuver.path, maneuver.timed, run["time"], run["x"], run["y"])


def filtered(run: Mapping[str, NDArray], *names: str) -> NDArray:
    """Return columns of a run (names, n) after the zero-phase low pass of FMVSS 126."""
    return signal_processing.phaseless(np.stack([run[name] for name in names]), _interval(run), signal_processing.FILTER_HZ)


def _interval(run: Mapping[str, NDArray]) -> float:
    """Return the time [s] between two rows."""
    return float(run["time"][-1] - run["time"][0]) / (len(run["time"]) - 1)


def _run_metrics(run: Mapping[str, NDArray]) -> dict[str, float]:
    lateral, yawing = np.abs(filtered(run, "a_WG_B_y", "w_WB_B_z")).max(axis=1)
    return {
        "distance": float(np.hypot(np.diff(run["x_G"]), np.diff(run["y_G"])).sum()),
        "speed_max": float(run["v_WB_B_x"].max()),
        "speed_end": float(run["v_WB_B_x"][-1]),
        "lateral_acceleration_max": float(lateral),
        "yaw_rate_max": float(yawing),
        "roll_max": float(np.abs(run["roll"]).max()),
        "pitch_max": float(np.abs(run["pitch"]).max()),
        "steering_max": float(np.abs(run["steering"]).max()),
        "wheel_load_min": min(float(run[name].min()) for name in run if LOAD.fullmatch(name)),
    }


def _path_metrics(error: NDArray, changes: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the metrics of a driven path from the distances (n,) [m] to it and the results of its lane changes."""
    settled = [change["settle_time_s"] for change in changes]
    return {
        "path_error_rms": math.sqrt(float(np.mean(error**2))),
        "path_error_max": float(np.abs(error).max()),
        "settle_time_max": math.inf if None in settled else max(settled, default=0.0),
    }


def _course_metrics(gates: Sequence[GateResult]) -> dict[str, float]:
    """Return the metrics of a course from its gates, at least one."""
    return {
        "course_clean": float(all(gate.clean for gate in gates)),
        "gates_clean": float(sum(gate.clean for gate in gates)),
        "cones_hit": float(sum(gate.cones for gate in gates)),
        "gate_margin_min": min(gate.margin for gate in gates),
        "entry_speed": gates[0].speed,
    }


def _lane_change(change: LaneChange, path: Path, run: Mapping[str, NDArray], error: NDArray) -> dict[str, Any]:
    """Return the start and the peaks of a lane change, up to the next one or the end of the run; None values if it was not reached."""
    begin = _first_beyond(path, change.start, run)
    end = _first_beyond(path, change.start + change.length, run)
    later = [other.start for other in path.lane_changes if other.start > change.start]
    stop = _first_beyond(path, min(later), run) if later else None
    if begin is not None and stop is not None and stop <= begin:
        stop = None  # the vehicle crossed the line of the later change first
    window = slice(begin, stop)
    out: dict[str, Any] = {"station_m": change.start, "offset_m": change.offset, "length_m": change.length}
    if begin is None:
        return out | dict.fromkeys(LANE_CHANGE_KEYS)
    lateral, yawing = np.abs(filtered(run, "a_WG_B_y", "w_WB_B_z")[:, window]).max(axis=1)
    return out | {
        "time_s": float(run["time"][begin]),
        "end_time_s": float(run["time"][end]) if end is not None else None,
        "speed_mps": float(run["v_WB_B_x"][begin]),
        "lateral_acceleration_max_mps2": float(lateral),
        "yaw_rate_max_radps": float(yawing),
        "roll_max_rad": float(np.abs(run["roll"][window]).max()),
        "path_error_max_m": float(np.abs(error[window]).max()),
        "settle_time_s": _settle_time(run["time"], error, end, stop),
    }


def _settle_time(time: NDArray, error: NDArray, end: int | None, stop: int | None) -> float | None:
    """Return the time [s] from row `end` until the error stays below SETTLED up to row `stop`; None if it does not."""
    if end is None:
        return None
    outside = np.flatnonzero(np.abs(error[end:stop]) > SETTLED)
    if not outside.size:
        return 0.0
    settled = end + int(outside[-1]) + 1
    return float(time[settled] - time[end]) if settled < (stop or len(time)) else None


def _first_beyond(path: Path, station: float, run: Mapping[str, NDArray]) -> int | None:
    """Return the first row beyond the cross line of the path at a station and within 20 m of it; None if there is none."""
    p = path.at(station)
    ahead = math.cos(p.heading) * (run["x"] - p.x) + math.sin(p.heading) * (run["y"] - p.y)
    near = np.hypot(run["x"] - p.x, run["y"] - p.y) < 20.0
    rows = np.flatnonzero(near & (ahead >= 0.0))
    return int(rows[0]) if rows.size else None


def _check(one: ReportMetric, value: float, limit: Limit) -> dict[str, Any]:
    """Return a value and its limit, in the unit of the limit, with the verdict."""
    good = (limit.low is None or value >= limit.low) and (limit.high is None or value <= limit.high)
    low, high = (None if bound is None else tidy(bound / one.factor) for bound in limit)
    return {"metric": one.key, "value": _json(value / one.factor), "min": low, "max": high, "pass": bool(good)}


def _row(one: ReportMetric, value: float, limit: Limit | None) -> dict[str, Any]:
    """Return the table row of a metric."""
    check = _check(one, value, limit or Limit(None, None))
    margins = [check["value"] - check["min"]] if check["value"] is not None and check["min"] is not None else []
    margins += [check["max"] - check["value"]] if check["value"] is not None and check["max"] is not None else []
    return {
        **{key: check[key] for key in ("metric", "value")},
        "unit": shown_unit(one.unit, one.factor),
        **{key: check[key] for key in ("min", "max")},
        "margin": min(margins, default=None),
        "verdict": "info" if limit is None else "pass" if check["pass"] else "fail",
        "mark": one.mark,
        "meaning": one.meaning,
    }


def _json(value: float) -> float | int | None:
    """Return the number for JSON: None for a value that is not finite."""
    return value if math.isfinite(value) else None
