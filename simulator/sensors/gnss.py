"""GNSS receiver: position on WGS 84, velocity, quality of the fix; NMEA sentences by UDP or to a file.

The antenna is at the mount. `simulator.sensors.gnss_model` has the errors, `simulator.sensors.gnss_sky` the satellites that it sees.

Presets, with the numbers of one data sheet, u-blox ZED-F9P (UBX-17051259): accuracy of 1.5 m CEP alone, 1.0 m with SBAS, 0.01 m with RTK; of the
height with RTK 0.01 m (50 %); of the velocity 0.05 m/s (50 %). 1 CEP is 1.177 standard deviations of a component. The split into correlated error
and noise, the ratio of vertical to horizontal errors and the correlation times are assumed. `consumer` is also close to receivers of phones.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Either, Field, Flag, Number, Text
from simulator.base.records import Record
from simulator.base.rotations import rotation_of_quaternion
from simulator.sensors import nmea
from simulator.sensors.contract import SensorInput, SensorKind, SensorSettings
from simulator.sensors.gnss_model import SERVICES, GnssModel
from simulator.sensors.gnss_sky import REACH
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.definitions import NAV_SAT_FIX, TWIST
from simulator.sensors.messages.navigation import FIX, GBAS_FIX, NO_FIX, SBAS_FIX, nav_sat_fix, origin_metadata, velocity
from simulator.sensors.messages.topic import WORLD, Frame, Message, Recording, Topic
from simulator.sensors.nmea_output import HOST, PORT, FileOutput, UdpOutput, parse_address
from simulator.weather import PLACE, Day
from terrain.geodesy import LocalFrame, course_of
from terrain.ground import Ground

DEFAULT_LOCATION = LocalFrame(*PLACE, 0.0)
"""Position of a terrain without one: 45 degrees north, 0 degrees east, at the height of the ellipsoid."""
_ADDRESS = r"\A[^\s:]+(:\d{1,5})?\Z"
_ERROR, _SPEED, _TIME = Number("m", 0.0, 1000.0), Number("m/s", 0.0, 100.0), Number("s", 0.0, 1e5)

PRESETS: dict[str, dict[str, Any]] = {
    "consumer": {
        "service": "single",
        "horizontal_error": 1.2,
        "vertical_error": 2.0,
        "error_time": 180.0,
        "horizontal_noise": 0.3,
        "vertical_noise": 0.5,
        "horizontal_velocity_error": 0.042,
        "vertical_velocity_error": 0.07,
        "velocity_time": 2.0,
    },
    "sbas": {
        "service": "differential",
        "horizontal_error": 0.8,
        "vertical_error": 1.3,
        "error_time": 120.0,
        "horizontal_noise": 0.2,
        "vertical_noise": 0.35,
        "horizontal_velocity_error": 0.042,
        "vertical_velocity_error": 0.07,
        "velocity_time": 2.0,
    },
    "rtk": {
        "service": "rtk",
        "horizontal_error": 0.007,
        "vertical_error": 0.013,
        "error_time": 60.0,
        "horizontal_noise": 0.005,
        "vertical_noise": 0.008,
        "horizontal_velocity_error": 0.02,
        "vertical_velocity_error": 0.03,
        "velocity_time": 2.0,
    },
    "ideal": {
        "service": "single",
        "horizontal_error": 0.0,
        "vertical_error": 0.0,
        "horizontal_noise": 0.0,
        "vertical_noise": 0.0,
        "horizontal_velocity_error": 0.0,
        "vertical_velocity_error": 0.0,
    },
}
_USUAL = PRESETS["consumer"]

PARAMETERS = (
    Field("preset", Choice(tuple(PRESETS)), "accuracy, see docs/gnss.md; other keys replace its values", "consumer"),
    Field("service", Choice(tuple(SERVICES)), "kind of fix under the open sky", _USUAL["service"]),
    Field(
        "horizontal_error", _ERROR, "standard deviation of the correlated error to the east and to the north", _USUAL["horizontal_error"]
    ),
    Field("vertical_error", _ERROR, "standard deviation of the correlated error of the height", _USUAL["vertical_error"]),
    Field("error_time", _TIME, "correlation time of these errors; 0: white", _USUAL["error_time"]),
    Field("horizontal_noise", _ERROR, "standard deviation of the white noise to the east and to the north", _USUAL["horizontal_noise"]),
    Field("vertical_noise", _ERROR, "standard deviation of the white noise of the height", _USUAL["vertical_noise"]),
    Field(
        "horizontal_velocity_error",
        _SPEED,
        "standard deviation of the velocity to the east and to the north",
        _USUAL["horizontal_velocity_error"],
    ),
    Field("vertical_velocity_error", _SPEED, "standard deviation of the vertical velocity", _USUAL["vertical_velocity_error"]),
    Field("velocity_time", _TIME, "correlation time of the error of the velocity; 0: white", _USUAL["velocity_time"]),
    Field("float_error", _ERROR, "least standard deviation of the correlated error of an RTK float fix", 0.3),
    Field("convergence_time", _TIME, "time with enough satellites until an RTK float fix is fixed", 10.0),
    Field("mask_angle", Number("rad", 0.0, 1.2), "minimum elevation of the satellites", math.radians(10.0), written="deg"),
    Field(
        "nmea",
        Either((Flag(), Text("HOST or HOST:PORT", _ADDRESS)), f"true for {HOST}:{PORT}, false, HOST or HOST:PORT"),
        f"destination of NMEA sentences by UDP; true: {HOST}:{PORT}",
        False,
    ),
    Field("nmea_file", Text("a path"), "file of NMEA sentences, in the current folder; it replaces an existing one", None),
    Field("nmea_quality", Choice(("simulated", "receiver")), "quality in the sentences: 8 and mode S, or that of a receiver", "simulated"),
    Field("geoid_height", Number("m", -200.0, 200.0), "height of the geoid above the ellipsoid, for the altitude of GGA", 0.0),
    Field("date", Day(), "date at the start, for the sentences (default: that of the weather)", None),
)
"""Default: the preset `consumer`, with an antenna at the mount."""

OUTPUT = (
    # name           shape  unit    description                                                            type, frame
    ("quality", (), "1", "fix: 0 none, 1 single, 2 differential, 4 RTK fixed, 5 RTK float", "i8"),
    ("satellites", (), "1", "visible satellites", "i8"),
    ("latitude_deg", (), "deg", "latitude on WGS 84; NaN without a fix, as the other numbers"),
    ("longitude_deg", (), "deg", "longitude on WGS 84, from -180 to 180"),
    ("altitude", (), "m", "height above the ellipsoid of WGS 84"),
    ("velocity", (3,), "m/s", "velocity of the antenna to true east, north and up", "f8", "ENU"),
    ("deviation", (3,), "m", "standard deviation of the position to east, north and up", "f8", "ENU"),
    ("hdop", (), "1", "horizontal dilution of precision"),
    ("vdop", (), "1", "vertical dilution of precision"),
)


class LocationWarning(UserWarning):
    """A terrain without a position on Earth."""


def frame_of(ground: Ground) -> LocalFrame:
    """Return the position of a ground on Earth, by default DEFAULT_LOCATION. Raises ConfigError: its georeference is unusable."""
    if ground.location is not None:
        return ground.location.local_frame()
    warnings.warn(
        f"terrain {ground.name} has no position on Earth; GNSS uses 45 degrees north, 0 degrees east (keys latitude_deg, longitude_deg)",
        LocationWarning,
        2,
    )
    return DEFAULT_LOCATION


class Gnss:
    """GNSS receiver with the model of this module. Parameters: see PARAMETERS."""

    def __init__(self, settings: SensorSettings) -> None:
        numbers, words = settings.parameters[0], settings.values
        parameters: dict[str, Any] = {name: float(numbers[name]) for name in settings.parameters.dtype.names or ()}
        frame = frame_of(settings.ground)
        self._model = GnssModel({**parameters, "service": words["service"]}, frame, settings.period, settings.random)
        self._p_BS, self._R_WB = settings.mount.p_BS, np.empty((3, 3))
        weather = settings.weather._replace(date=words.get("date", settings.weather.date))
        self._sentences = NmeaSentences(weather.utc(frame.longitude), parameters["geoid_height"], words["nmea_quality"] == "simulated")
        self._outputs = _outputs(settings.values, settings.name)

    def step(self, seen: SensorInput, out: Record) -> None:
        """Measure position and velocity of the antenna."""
        p_WS, v_WS = antenna(seen.readout, self._p_BS, self._R_WB)
        blocked = np.isfinite(seen.world.cast(p_WS, self._model.satellites, REACH, seen.time).range)
        fix = self._model.fix(p_WS, v_WS, ~blocked)
        o = out[0]
        o["quality"], o["satellites"], o["altitude"] = fix.quality, fix.satellites, fix.altitude
        o["latitude_deg"], o["longitude_deg"] = math.degrees(fix.latitude), math.degrees(fix.longitude)
        o["velocity"], o["deviation"] = fix.velocity, fix.deviation
        o["hdop"], o["vdop"] = fix.dilution

    def deliver(self, measurement: Measurement) -> None:
        """Send and write the sentences of a measurement."""
        if self._outputs:
            sentences = self._sentences.of(measurement.time, measurement.values)
            for output in self._outputs:
                output.write(sentences)

    def close(self) -> None:
        """Close socket and file."""
        for output in self._outputs:
            output.close()


class NmeaSentences:
    """Sentences of measurements.

    Parameters
    ----------
    start : UTC at the simulated time 0
    geoid : height of the geoid above the ellipsoid [m]
    simulated : True for the quality and the mode of a simulator
    """

    def __init__(self, start: datetime, geoid: float, simulated: bool) -> None:
        self._start, self._geoid, self._simulated = start, geoid, simulated

    def of(self, time: float, values: Record) -> tuple[str, str, str]:
        """Return GGA, RMC and VTG of a record of OUTPUT measured at a simulated time [s]."""
        o = values[0]
        quality, velocity = int(o["quality"]), o["velocity"]
        fix = nmea.Fix(
            self._start + timedelta(seconds=time),
            float(o["latitude_deg"]),
            float(o["longitude_deg"]),
            float(o["altitude"]),
            self._geoid,
            nmea.SIMULATED if self._simulated and quality else quality,
            int(o["satellites"]),
            float(o["hdop"]),
            math.hypot(velocity[0], velocity[1]),
            math.degrees(course_of(velocity[0], velocity[1])),
        )
        return nmea.sentences(fix)


def antenna(readout: Record, p_BS: NDArray[np.float64], R_WB: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return position (3,) [m] and velocity (3,) [m/s] in W of a point of the chassis; R_WB (3, 3) is a work array."""
    r = readout[0]
    rotation_of_quaternion(r["q_WB"], R_WB)
    return r["p_WB"] + R_WB @ p_BS, R_WB @ (r["v_WB_B"] + np.cross(r["w_WB_B"], p_BS))


def _outputs(values: Mapping[str, Any], name: str) -> tuple[UdpOutput | FileOutput, ...]:
    """Return the outputs of the keys `nmea` and `nmea_file`. Raises ConfigError."""
    out: list[UdpOutput | FileOutput] = []
    to = values["nmea"]
    if to is not False:
        host, port = (HOST, PORT) if to is True else parse_address(to, "", f"{name}.nmea")
        try:
            out.append(UdpOutput(host, port))
        except (OSError, UnicodeError):
            raise ConfigError("", f"{name}.nmea", to, "a name or an address in the network") from None
    if "nmea_file" in values:
        try:
            out.append(FileOutput(Path(values["nmea_file"])))
        except (OSError, ValueError):
            raise ConfigError(
                "", f"{name}.nmea_file", values["nmea_file"], "the path of a file that can be written, in an existing folder"
            ) from None
    return tuple(out)


_STATUS = {0: NO_FIX, 1: FIX, 2: SBAS_FIX, 4: GBAS_FIX, 5: GBAS_FIX}
"""Status of a NavSatFix by the quality of a fix."""


def messages(settings: SensorSettings) -> Recording:
    """Return the topics of a sensor: `fix`, whose metadata have the position of the world on Earth, and `velocity` to east, north and up.

    The frame of the velocity has the axes east, north and up at the origin of the world.
    """
    name, enu, ground = settings.name, f"{settings.name}_enu", settings.ground
    world = DEFAULT_LOCATION if ground.location is None else ground.location.local_frame()

    def fix(one: Measurement) -> Message:
        place = one.values[0]["latitude_deg"], one.values[0]["longitude_deg"], one.values[0]["altitude"]
        return nav_sat_fix(one.time, name, place, one.values[0]["deviation"], _STATUS[int(one.values[0]["quality"])])

    def speed(one: Measurement) -> Message | None:
        return velocity(one.time, enu, one.values[0]["velocity"]) if one.values[0]["quality"] else None

    topics = Topic("fix", NAV_SAT_FIX, fix, origin_metadata(world)), Topic("velocity", TWIST, speed)
    return Recording(topics, (Frame(enu, WORLD, np.zeros(3), world.to_true_north().T),))


KIND = SensorKind(
    "gnss",
    PARAMETERS,
    OUTPUT,
    Gnss,
    2,
    rate=10.0,
    meaning="position on WGS 84 and velocity, with correlated errors and outages; NMEA by UDP or to a file",
    latency=0.1,
    presets=PRESETS,
    messages=messages,
)
