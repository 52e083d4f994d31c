"""Head tracking by UDP: pose of the driver's head from a tracker, in the packets of OpenTrack's output "UDP over network".

A packet is six little-endian doubles: x right, y up, z backwards [cm], yaw right, pitch up, roll right [deg]; see `HeadTracker.PACKET`.
The window reads it before each frame, and never waits for it.
"""

from __future__ import annotations

import contextlib
import math
import socket
import struct
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.view.shot import Shot, rotation_of

PORT = 4242
"""Usual port of OpenTrack."""
SILENCE = 0.5
"""s without a packet after which the head returns to its usual place."""
SMOOTH, RETURN = 0.04, 0.4
"""s. Time constants with which the view follows the tracker, and returns after a silence."""
MOST = np.array([0.30, 0.25, 0.20, *np.radians((45.0, 80.0, 150.0))])
"""Largest displacement x, y, z [m] and largest roll, pitch, yaw [rad]; beyond, the head stays there."""
WILD = 1e4
"""cm, deg. A packet with a larger number, or with one that is not finite, is ignored."""
PACKETS = 256
"""Maximum number of packets that are read before a frame; the newest counts."""


class HeadTracking(NamedTuple):
    """Settings of the head tracking."""

    port: int = PORT
    address: str = "127.0.0.1"
    """Address of the interface that receives the packets"""


class HeadTracker:
    """Receiver of the pose of the head. Raises DeviceError: the port cannot be opened."""

    PACKET = struct.Struct("<6d")

    def __init__(self, settings: HeadTracking) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((settings.address, settings.port))
        except OSError as error:
            self._socket.close()
            raise DeviceError(
                f"head tracking: cannot receive at {settings.address}:{settings.port} ({error.strerror}); expected a free UDP port"
            ) from error
        self._socket.setblocking(False)
        self.port = int(self._socket.getsockname()[1])
        self._target, self._pose = np.zeros(6), np.zeros(6)
        self._silent_for = math.inf

    def update(self, dt: float) -> NDArray[np.float64]:
        """Return the smoothed pose dt seconds after the last call: x forward, y left, z up [m], roll, pitch, yaw [rad], ISO 8855."""
        self._silent_for += dt
        for _ in range(PACKETS):
            try:
                packet = self._socket.recv(256)
            except OSError:  # no further packet, or an error that an earlier packet has caused
                break
            pose = pose_of(packet)
            if pose is not None:
                self._target, self._silent_for = pose, 0.0
        silent = self._silent_for > SILENCE
        target = np.zeros(6) if silent else self._target
        self._pose = self._pose + (target - self._pose) * (1.0 - math.exp(-dt / (RETURN if silent else SMOOTH)))
        return self._pose

    def close(self) -> None:
        """Close the port."""
        with contextlib.suppress(OSError):
            self._socket.close()


def pose_of(packet: bytes) -> NDArray[np.float64] | None:
    """Return x forward, y left, z up [m], roll, pitch, yaw [rad] of a packet, within MOST; None for a packet of another kind."""
    if len(packet) < HeadTracker.PACKET.size:
        return None
    values = np.array(HeadTracker.PACKET.unpack_from(packet))
    if not (np.abs(values) < WILD).all():  # also False for NaN
        return None
    right, up, back = values[:3] / 100.0
    yaw, pitch, roll = np.radians((values[3:] + 180.0) % 360.0 - 180.0)
    pose: NDArray[np.float64] = np.clip(np.array((-back, -right, up, roll, -pitch, -yaw)), -MOST, MOST)
    return pose


def turned_shot(shot: Shot, pose: NDArray[np.float64]) -> Shot:
    """Return a camera moved and turned by the pose of the head (see `HeadTracker.update`) in its own axes: x forward, y left, z up."""
    if not pose.any():
        return shot
    R_WH = np.column_stack((-shot.R_WC[:, 2], -shot.R_WC[:, 0], shot.R_WC[:, 1]))
    turned = R_WH @ rotation_of(pose[5], pose[4], pose[3])
    return replace(shot, eye=shot.eye + R_WH @ pose[:3], R_WC=np.column_stack((-turned[:, 1], turned[:, 2], -turned[:, 0])))
