"""Scalars of IMU, GNSS and encoders as `sensor_msgs/Imu`, `NavSatFix` and `JointState`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from simulator.sensors.messages.topic import Message, header, vector
from terrain.geodesy import LocalFrame

NO_FIX, FIX, SBAS_FIX, GBAS_FIX = -1, 0, 1, 2
"""Status of a NavSatFix."""
_ORIGIN_ANGLES = ("latitude", "longitude", "convergence")
GPS = 1
"""Service of a NavSatStatus."""
UNKNOWN, DIAGONAL = 0, 2
"""Types of the covariance of a NavSatFix."""


def imu(time: float, frame: str, force: ArrayLike, rate: ArrayLike) -> Message:
    """Return specific force (3,) [m/s2] and angular rate (3,) [rad/s] in the axes of a frame as a message.

    The orientation is marked as not measured, the covariances of force and rate as unknown (0), as the definition of the message specifies.
    """
    unknown = np.zeros(9)
    return {
        "header": header(time, frame), "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}, "orientation_covariance": [-1.0, *unknown[1:]],
        "angular_velocity": vector(rate), "angular_velocity_covariance": unknown,
        "linear_acceleration": vector(force), "linear_acceleration_covariance": unknown,
    }  # fmt: skip


def nav_sat_fix(time: float, frame: str, place: Sequence[float], deviation: Sequence[float], status: int) -> Message:
    """Return a position on Earth as a message.

    Parameters
    ----------
    place : latitude [deg], longitude [deg] and altitude above the ellipsoid [m] of WGS 84; NaN without a fix
    deviation : (3,) standard deviation to east, north and up [m]; NaN: unknown
    status : NO_FIX, FIX, SBAS_FIX or GBAS_FIX
    """
    variance = np.square(np.asarray(deviation, np.float64))
    is_known = bool(np.isfinite(variance).all())
    return {
        "header": header(time, frame), "status": {"status": status, "service": GPS},
        "latitude": float(place[0]), "longitude": float(place[1]), "altitude": float(place[2]),
        "position_covariance": np.diag(variance if is_known else np.zeros(3)).ravel(),
        "position_covariance_type": DIAGONAL if is_known else UNKNOWN,
    }  # fmt: skip


def origin_metadata(world: LocalFrame) -> dict[str, str]:
    """Return the position of the world on Earth as texts for the channel of a topic; `origin_of` reads them."""
    angles = {name: math.degrees(getattr(world, name)) for name in _ORIGIN_ANGLES}
    return {f"origin_{name}_deg": repr(angle) for name, angle in angles.items()} | {"origin_altitude_m": repr(float(world.height))}


def origin_of(metadata: Mapping[str, str]) -> LocalFrame | None:
    """Return the position of the world on Earth of a channel; None if its metadata do not have it."""
    try:
        latitude, longitude, convergence = (math.radians(float(metadata[f"origin_{name}_deg"])) for name in _ORIGIN_ANGLES)
        return LocalFrame(latitude, longitude, float(metadata["origin_altitude_m"]), convergence)
    except (KeyError, ValueError):
        return None


def velocity(time: float, frame: str, linear: ArrayLike) -> Message:
    """Return a velocity (3,) [m/s] in the axes of a frame as `geometry_msgs/TwistStamped`."""
    return {"header": header(time, frame), "twist": {"linear": vector(linear), "angular": vector((0.0, 0.0, 0.0))}}


def joint_state(time: float, frame: str, names: Sequence[str], position: ArrayLike, speed: ArrayLike = ()) -> Message:
    """Return angles [rad] and, optionally, speeds [rad/s] of joints (n,) as a message."""
    position, speed = np.asarray(position, np.float64), np.asarray(speed, np.float64)
    return {"header": header(time, frame), "name": list(names), "position": position, "velocity": speed, "effort": ()}
