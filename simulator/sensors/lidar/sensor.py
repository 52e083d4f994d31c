"""Scanning lidar: `type: lidar`. See the modules `beams`, `scan`, `signal` and `atmosphere` of this folder for what it computes.

A measurement at the time t is the scan from t - period to t. Points are in the axes S of the sensor at the time at which their beam was fired, `time` counts
from the start of the scan. Arrays are organized: [column, ring], misses have the range inf and NaN as x, y, z.

differs: a beam has no side lobes, no multiple reflections and no crosstalk; rings do not differ in noise; retroreflectors are diffuse.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, InsideBodyWarning, JounceError, SensorWarning
from simulator.base.fields import Choice, Either, Field, FileName, Flag, Number
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.sensors.contract import ArrayOutput, Sensor, SensorInput, SensorKind, SensorSettings
from simulator.sensors.lidar.atmosphere import STEPS, false_returns, fog_extinction
from simulator.sensors.lidar.beams import PRESETS, Firings, LidarPreset, firings, read_beams
from simulator.sensors.lidar.footprint import SIZES, with_footprint
from simulator.sensors.lidar.reflectance import Reflectance
from simulator.sensors.lidar.scan import Beams, beams_of_history, in_vehicle_axes
from simulator.sensors.lidar.signal import (
    FALSE,
    HIGHEST,
    LOWEST,
    MISS,
    MODES,
    PULSE,
    SIGNAL,
    Surfaces,
    empty_returns,
    pick_returns,
    threshold,
    weaken,
)
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.definitions import POINT_CLOUD
from simulator.sensors.messages.point_cloud import point_cloud
from simulator.sensors.messages.topic import Message, Recording, Topic
from simulator.sensors.ray_threads import THREADS, RayThreads, SensorRays
from simulator.sensors.sensor_world import SensorWorld
from simulator.weather import rain_extinction
from terrain.rays.caster import Hits, labels_of
from vehicles.contact.vehicle_rays import VehicleRays

WEATHER = -3
"""Object of a false return from rain or fog."""
POINT = np.dtype(
    [
        *((name, np.float32) for name in ("x", "y", "z", "intensity")),
        ("ring", np.uint16),
        ("time", np.float32),
        ("range", np.float32),
        ("object", np.int32),
        ("label", np.uint8),
    ],
    align=True,
)
"""A point: x, y, z [m], intensity (100 = white), ring, time after the start of the scan [s] (of de-skewed points: after its
end, so negative), measured range [m], number of the object, number of the label."""


@kernel
def fill_points(central, directions, ranges, strengths, ray, numbers, rays, points):
    """Fill points (n,) of POINT, all but their labels.

    Parameters
    ----------
    central : `simulator.sensors.lidar.beams.Firings`
    directions : (n, 3) unit vectors
    ranges, strengths, ray : (n,) see `simulator.sensors.lidar.signal.Work`
    numbers : (n * rays,) object that each ray of the footprints meets
    """
    for n in range(len(points)):
        p, r = points[n], ranges[n]
        hit = r < math.inf
        for_xyz = r if hit else math.nan
        p["x"], p["y"], p["z"] = for_xyz * directions[n, 0], for_xyz * directions[n, 1], for_xyz * directions[n, 2]
        p["intensity"] = min(max(math.floor(100.0 * strengths[n] + 0.5), LOWEST), HIGHEST)
        p["ring"], p["time"], p["range"] = central.ring[n], central.time[n], r
        p["object"] = numbers[n * rays + ray[n]] if ray[n] >= 0 else (WEATHER if ray[n] == FALSE else -1)


@kernel
def fill_deskewed(origins, directions, p_WS, R_WS, ranges, late, points):
    """Write the positions of points (n,) of POINT in the sensor axes R_WS (3, 3) at p_WS (3,), in W, and make their times earlier by `late` [s].

    origins, directions : (n, 3) of the beams in W, directions are unit vectors
    """
    for n in range(len(points)):
        p, r = points[n], ranges[n]
        p["time"] -= late
        if r < math.inf:
            x, y, z = (
                origins[n, 0] + r * directions[n, 0] - p_WS[0],
                origins[n, 1] + r * directions[n, 1] - p_WS[1],
                origins[n, 2] + r * directions[n, 2] - p_WS[2],
            )
            p["x"] = R_WS[0, 0] * x + R_WS[1, 0] * y + R_WS[2, 0] * z
            p["y"] = R_WS[0, 1] * x + R_WS[1, 1] * y + R_WS[2, 1] * z
            p["z"] = R_WS[0, 2] * x + R_WS[1, 2] * y + R_WS[2, 2] * z


MAX_COLUMNS = 8192
MAX_RAYS = 4_000_000
"""Maximum number of rays of a scan."""
MAX_SCAN_TIME = 1.01
"""Maximum time of the last beam of a scan, in periods: the poses end with the scan."""
WHEEL_TRAVEL = 1.0
"""m. Beams that pass a wheel at a larger distance never meet it."""
_DATA = ("min_range", "max_range", "range_at_10_percent", "range_noise", "range_step", "divergence", "wavelength")
"""Parameters whose values are those of a unit."""
_DEFAULT = PRESETS["vlp_16"]
_LENGTH = Number("m", 0.0, 1e4, above=0.0)
FIELDS = (
    Field("preset", Choice(tuple(PRESETS)), "unit, see docs/lidar.md; other keys replace its data", "vlp_16"),
    Field(
        "beams",
        FileName("the path of a CSV or JSON file"),
        "lasers: a table, a correction file of Hesai (.csv), or the JSON of an Ouster unit",
        None,
    ),
    Field("columns", Either((Number("1", 1, MAX_COLUMNS, whole=True),)), "columns of a scan; default: by rate and preset", None),
    Field("start_azimuth", Number("rad", -math.tau, math.tau), "azimuth of the start of a scan", math.pi, written="deg"),
    Field("field", Number("rad", 1e-4, math.tau), "azimuth that a scan covers", math.tau, written="deg"),
    Field("turn", Choice(("clockwise", "counterclockwise")), "sense of rotation from above", "clockwise"),
    Field("min_range", Number("m", 0.0, 1e3), "minimum range", _DEFAULT.min_range),
    Field("max_range", _LENGTH, "maximum range", _DEFAULT.max_range),
    Field("range_at_10_percent", _LENGTH, "range at which half of the returns at reflectance 0.1 are lost", _DEFAULT.range_at_10_percent),
    Field("range_noise", Number("m", 0.0, 10.0), "standard deviation of the range of a strong return", _DEFAULT.range_noise),
    Field("range_step", Number("m", 0.0, 10.0), "resolution of the range; 0: unlimited", _DEFAULT.range_step),
    Field("divergence", Number("rad", 0.0, 0.2), "full angle of a beam", _DEFAULT.divergence),
    Field("wavelength", Number("m", 3e-7, 3e-6), "wavelength", _DEFAULT.wavelength),
    Field("noise", Flag(), "noise of ranges, drop-out by signal, and false returns; false: every surface within range is returned", True),
    Field("footprint_rays", Number("1", 1, max(SIZES), whole=True), "rays of a beam, 1, 5 or 9; the time grows in proportion", 1),
    Field("return", Choice(tuple(MODES)), "return of a beam with several", "strongest"),
    Field("ground_reflectance", Either((Number("1", 0.0, 1.0),)), "reflectance of the ground; default: by the names of its soils", None),
    Field(
        "own_vehicle", Choice(("blocked", "transparent")), "beams that meet the own vehicle give no return, or pass through it", "blocked"
    ),
    THREADS,
    Field("deskewed", Flag(), "also the array `points_deskewed`", False),
    Field("dense", Flag(), "clouds in the file of sensor data without the misses: a list of points, is_dense true", False),
)
OUTPUT = (
    # name             shape unit  description                                                      type
    ("start", (), "s", "start of the scan"),
    ("returns", (), "1", "number of returns", "i8"),
    ("false_returns", (), "1", "returns from rain and fog among these", "i8"),
    ("blocked", (), "1", "beams that meet the own vehicle", "i8"),
    ("nearest", (), "m", "smallest measured range; NaN without a return"),
)
ARRAYS = (
    ArrayOutput("points", POINT, ("columns", "rings"), "m", "S", "points, each in the sensor axes at its time of firing"),
    ArrayOutput("points_deskewed", POINT, ("columns", "rings"), "m", "S", "the same points in the sensor axes at the end of the scan"),
)


class Lidar:
    """Scanning lidar with the model of this folder. Parameters: see FIELDS."""

    def __init__(self, settings: SensorSettings) -> None:
        p, values = settings.parameters[0], settings.values
        unit = _unit(settings)
        self._mount, self._period = settings.mount, settings.period
        columns = values.get("columns", min(max(round(unit.columns_per_second * self._period), 1), MAX_COLUMNS))
        turn = -1 if values.get("turn", "clockwise") == "clockwise" else 1
        self._central = firings(unit.beams, columns, self._period, float(p["start_azimuth"]), turn, float(p["field"]))
        if self._central.time.max() > MAX_SCAN_TIME * self._period:
            text = f"the last beam fires {self._central.time.max():g} s after the start of a scan of {self._period:g} s"
            raise JounceError(f"sensor {settings.name}: {text}; expected smaller time offsets of the beams, or a lower rate")
        rays = int(p["footprint_rays"])
        if rays not in SIZES:
            raise JounceError(f"sensor {settings.name}: footprint_rays {rays}; expected {', '.join(map(str, SIZES))}")
        if len(self._central.time) * rays > MAX_RAYS:
            text = f"{columns} columns, {len(unit.beams.time)} rings, {rays} rays"
            raise JounceError(f"sensor {settings.name}: {text}; expected at most {MAX_RAYS} rays in a scan")
        self._fired, self._shape = with_footprint(self._central, rays, unit.divergence), (len(self._central.time), rays)
        self._along_B = in_vehicle_axes(self._fired, settings.mount.R_BS)
        self._max_range, self._deskewed = unit.max_range, bool(values.get("deskewed", False))
        self._signal = _signal(unit, values, settings)
        self._false = None
        if values.get("noise", True) and (settings.weather.rain > 0.0 or math.isfinite(settings.weather.visibility)):
            self._air = np.geomspace(max(unit.min_range, 0.1), max(unit.max_range, 0.2), STEPS)
            self._limit, rain, fog = threshold(self._air, unit.range_at_10_percent), settings.weather.rain_mmph, _fog(unit, settings)
            self._false = false_returns(self._air, self._limit, rain, fog, unit.divergence, PULSE)
        self._reflectance = Reflectance(settings.ground, values.get("ground_reflectance"))
        self._own = None if values.get("own_vehicle") == "transparent" or settings.body is None else OwnBody(settings, self._fired)
        self._returns = empty_returns(len(self._central.time))
        self._threads = RayThreads(int(p[THREADS.name]))

    def close(self) -> None:
        """End the threads."""
        self._threads.close()

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, NDArray[Any]]:
        """Scan."""
        start, world, random = seen.time - self._period, seen.world, seen.random
        beams = beams_of_history(self._fired, seen.history, start, self._mount.p_BS, self._mount.R_BS, self._along_B)
        hits, depths = self._cast(world, beams, start, random)
        seen.release()
        strengths = self._strengths(world, beams, hits, depths)
        ranges = hits.range
        if self._own is not None:
            own = self._own.ranges(seen.readout)
            hidden = own < ranges
            ranges, strengths = np.where(hidden, own, ranges), np.where(hidden, 0.0, strengths)
            out[0]["blocked"] = int(hidden.reshape(self._shape).all(axis=1).sum())
        self._pick(ranges, strengths, random)
        out[0]["start"] = start
        return self._results(world, beams, hits, out)

    def _cast(self, world: SensorWorld, beams: Beams, start: float, random: np.random.Generator) -> tuple[Hits, Array]:
        """Return the hits of all rays, and the optical depths that weaken them: a leaf is met through gaps, so that it is not weakened."""
        time = start + self._fired.time
        is_porous = bool((world.objects.records["extinction"] > 0.0).any())
        drawn = random.standard_exponential(len(time)) if is_porous else None  # -ln(u)
        hits, depths = self._threads.cast(world.caster, SensorRays(beams.origin, beams.direction, self._max_range, time, drawn))
        return hits, np.zeros(len(time)) if depths is None else np.where(depths == drawn, 0.0, depths)

    def _strengths(self, world: SensorWorld, beams: Beams, hits: Hits, depths: Array) -> Array:
        """Return the apparent reflectance of each hit."""
        reflectance = self._reflectance.of(world.objects, hits.object, (beams.origin, beams.direction), hits.range)
        strengths = np.empty(len(reflectance))
        weaken(self._signal, hits.range, beams.direction, hits.normal, reflectance, depths, strengths)
        return strengths

    def _pick(self, ranges: Array, strengths: Array, random: np.random.Generator) -> None:
        """Choose and measure the returns."""
        count = self._shape[0]
        normal = random.standard_normal((count, 2)) if self._signal[0]["noise"] else np.zeros((count, 2))
        false = Surfaces(np.empty((count, 0)), np.empty((count, 0)))
        if self._false is not None:
            false = Surfaces(*self._false.draw(random, count, self._limit))
        surfaces = Surfaces(ranges.reshape(self._shape), strengths.reshape(self._shape))
        pick_returns(self._signal, surfaces, false, normal, self._returns)

    def _results(self, world: SensorWorld, beams: Beams, hits: Hits, out: Record) -> Mapping[str, NDArray[Any]]:
        """Return the arrays, and fill the scalars."""
        w, rays = self._returns, self._shape[1]
        got = int((w.ray != MISS).sum())
        out[0]["returns"], out[0]["false_returns"] = got, int((w.ray == FALSE).sum())
        out[0]["nearest"] = w.range.min() if got else math.nan
        cloud = np.zeros(self._shape[0], POINT)  # equal scans have equal bytes, also between the fields
        fill_points(self._central, self._central.direction, w.range, w.strength, w.ray, hits.object, rays, cloud)
        cloud["label"] = labels_of(cloud["object"], world.objects)
        clouds = {"points": cloud.reshape(self._central.columns, -1)}
        if self._deskewed:
            b, other = _central(beams, rays), np.zeros(cloud.shape, POINT)
            other[:] = cloud  # cloud.copy() has any bytes between the fields
            fill_deskewed(b.origin, b.direction, b.p_WS_end, b.R_WS_end, w.range, self._period, other)
            clouds["points_deskewed"] = other.reshape(self._central.columns, -1)
        return clouds


class OwnBody:
    """Ranges at which the rays of a lidar meet the own vehicle. Its body does not move in B; its wheels do."""

    def __init__(self, settings: SensorSettings, fired: Firings) -> None:
        assert settings.body is not None
        self._origin = settings.mount.p_BS
        self._along = in_vehicle_axes(fired, settings.mount.R_BS)
        self._rays = VehicleRays(settings.body, without=self._origin)
        if self._rays.left_out:
            warnings.warn(
                f"sensor {settings.name}: its position {self._origin.tolist()} is inside the body of the vehicle; it sees through this part",
                InsideBodyWarning,
                stacklevel=2,
            )
        self._body = self._rays.cast(self._origin, self._along, 100.0).range
        self._near: NDArray[np.int64] | None = None

    def ranges(self, readout: Record) -> Array:
        """Return the range (n,) [m] at which each ray meets the vehicle, inf if it does not."""
        if not self._rays.has_wheels:
            return self._body
        p_BK, R_BK = readout[0]["p_BK"], readout[0]["R_BK"]
        if self._near is None:
            near = self._rays.near_wheels(self._origin, self._along, p_BK, WHEEL_TRAVEL)
            self._near = np.flatnonzero(near & np.isinf(self._body))
        out = self._body
        if len(self._near):
            self._rays.place_wheels(p_BK, R_BK)
            out = self._body.copy()
            out[self._near] = self._rays.cast(self._origin, self._along[self._near], 100.0).range
        return out


def _unit(settings: SensorSettings) -> LidarPreset:
    """Return the data of a unit. Raises JounceError for its table of beams."""
    values = settings.values
    given: dict[str, Any] = {key: float(settings.parameters[0][key]) for key in _DATA}
    if "beams" in values:
        file = Path(values["beams"])
        if not file.is_file():
            raise JounceError(
                f"sensor {settings.name}: beams {file}: no such file; expected a CSV or JSON file, relative to the file that names it"
            )
        try:
            given["beams"] = read_beams(file)
        except ConfigError as error:  # of the table, not of the session that names it
            raise JounceError("; ".join(map(str, error.errors))) from None
    unit = replace(PRESETS[values["preset"]], **given)
    if unit.min_range >= unit.max_range:
        text = f"min_range {unit.min_range:g} m is not below max_range {unit.max_range:g} m: it measures nothing"
        warnings.warn(f"sensor {settings.name}: {text}", SensorWarning, stacklevel=2)
    return unit


def _central(beams: Beams, rays: int) -> Beams:
    """Return the central rays of all beams."""
    return beams._replace(origin=np.ascontiguousarray(beams.origin[::rays]), direction=np.ascontiguousarray(beams.direction[::rays]))


def _fog(unit: LidarPreset, settings: SensorSettings) -> float:
    return fog_extinction(settings.weather.visibility, unit.wavelength)


def _signal(unit: LidarPreset, values: Mapping[str, Any], settings: SensorSettings) -> Record:
    """Return the record of SIGNAL."""
    p = record(SIGNAL)
    s = p[0]
    for name in ("range_at_10_percent", "min_range", "range_noise", "range_step"):
        s[name] = getattr(unit, name)
    s["noise"], s["mode"] = values.get("noise", True), MODES[values.get("return", "strongest")]
    s["extinction"] = _fog(unit, settings) + rain_extinction(settings.weather.rain_mmph)
    return p


def _make(settings: SensorSettings) -> Sensor:
    return Lidar(settings)


def _messages(settings: SensorSettings) -> Recording:
    """Return the recorded form: the stamp of `points` is the start of the scan, that of `points_deskewed` its end, at which its axes are."""

    is_dense = bool(settings.values.get("dense", False))

    def raw(measured: Measurement) -> Message | None:
        return _cloud(float(measured.values[0]["start"]), settings.name, measured.arrays["points"], is_dense)

    def deskewed(measured: Measurement) -> Message | None:
        return _cloud(measured.time, settings.name, measured.arrays["points_deskewed"], is_dense)

    both = (Topic("points", POINT_CLOUD, raw), Topic("points_deskewed", POINT_CLOUD, deskewed))
    return Recording(both if settings.values.get("deskewed") else both[:1])


def _cloud(time: float, frame: str, points: NDArray[Any], is_dense: bool) -> Message:
    """Return the message of an organized cloud, or of its returns only."""
    if is_dense:
        points = points[np.isfinite(points["range"])]
    return {**point_cloud(time, frame, points), "is_dense": is_dense}


KIND = SensorKind(
    "lidar",
    FIELDS,
    OUTPUT,
    _make,
    2,
    rate=10.0,
    meaning="scanning lidar: point cloud with intensity, time and label of each point, with noise, drop-out, rain and fog",
    arrays=ARRAYS,
    presets={name: {key: getattr(unit, key) for key in _DATA} for name, unit in PRESETS.items()},
    in_thread=True,
    messages=_messages,
    made_arrays=lambda settings: [one.name for one in ARRAYS if one.name != "points_deskewed" or settings.values.get("deskewed")],
)
