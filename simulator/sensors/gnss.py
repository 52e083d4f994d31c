"""GNSS receiver: position on WGS 84, velocity, quality of the fix; NMEA sentences by UDP or to a file.

The antenna is at the mount. `simulator.sensors.gnss_model` has the errors, `simulator.sensors.gnss_sky` the satellites that it sees.

Presets, with the numbers of one data sheet, u-blox ZED-F9P (UBX-17051259): accuracy of 1.5 m CEP alone, 1.0 m with SBAS, 0.01 m with RTK; of the
height with RTK 0.01 m (50 %); of the velocity 0.05 m/s (50 %). 1 CEP is 1.177 standard deviations of a component. The split into correlated error
and noise, the ratio of vertical to horizontal errors and the correlation times are assumed. `consumer` is also close to receivers of phones.
"""

from __future__ import annotations

import math
import re
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Either, Field, Flag, Number, Text
from simulator.base.rotations import rotation_of_quaternion
from simulator.base.values import Values
from simulator.sensors import nmea
from simulator.sensors.contract import CONTRACT, SensorInput, SensorKind, SensorSettings
from simulator.sensors.gnss_model import SERVICES, GnssFix, GnssModel
from simulator.sensors.gnss_sky import REACH
from simulator.sensors.nmea_output import HOST, PORT, FileOutput, UdpOutput, parse_address
from terrain.geodesy import LocalFrame, course_of
from terrain.ground import Ground

DEFAULT_LOCATION = LocalFrame(math.radians(45.0), 0.0, 0.0)
"""Position of a terrain without one: 45 degrees north, 0 degrees east, at the height of the ellipsoid."""
DATE = "2026-06-21"
"""Default date of the sentences."""
_DAY = r"\A\d{4}-\d{2}-\d{2}\Z"
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
        Either((Flag(), Text("HOST or HOST:PORT")), f"true for {HOST}:{PORT}, false, HOST or HOST:PORT"),
        f"destination of NMEA sentences by UDP; true: {HOST}:{PORT}",
        False,
    ),
    Field("nmea_file", Text("a path"), "new file of NMEA sentences, in the current folder", None),
    Field("nmea_quality", Choice(("simulated", "receiver")), "quality in the sentences: 8 and mode S, or that of a receiver", "simulated"),
    Field("geoid_height", Number("m", -200.0, 200.0), "height of the geoid above the ellipsoid, for the altitude of GGA", 0.0),
    Field("date", Text("a date such as 2026-06-21", _DAY), "date at the start, for the sentences", DATE),
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
