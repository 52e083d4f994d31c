"""Messages of the vehicle: odometry, joints, clock."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.ros2.robot_description import WheelJoints
from simulator.sensors.messages.topic import ODOMETRY, VEHICLE, Message, header, stamp, vector

NO_COVARIANCE = [0.0] * 36


def clock(time: float) -> Message:
    """Return the simulated time [s] as `rosgraph_msgs/Clock`."""
    return {"clock": stamp(time)}


def odometry(time: float, p: list[float], q: list[float], v: list[float], w: list[float]) -> Message:
    """Return the true pose of B in W and the velocities in B as `nav_msgs/Odometry`.

    p, v, w : (3,) position [m], velocity [m/s], angular velocity [rad/s]
    q : unit quaternion w, x, y, z
    """
    orientation = {"x": q[1], "y": q[2], "z": q[3], "w": q[0]}
    pose = {"position": vector(p), "orientation": orientation}
    twist = {"linear": vector(v), "angular": vector(w)}
    return {
        "header": header(time, ODOMETRY), "child_frame_id": VEHICLE,
        "pose": {"pose": pose, "covariance": NO_COVARIANCE}, "twist": {"twist": twist, "covariance": NO_COVARIANCE},
    }  # fmt: skip


def joints(time: float, wheels: WheelJoints, readout: Any) -> Message:
    """Return the angles [rad] and rates [rad/s] of the joints from a row of READOUT as `sensor_msgs/JointState`."""
    steered = list(wheels.steered)
    position = np.concatenate((readout["wheel_angle"], readout["road_wheel_angle"][steered], (readout["steering_wheel_angle"],)))
    rates = np.concatenate((readout["wheel_spin"], np.zeros(len(steered)), (readout["steering_wheel_rate"],)))
    return {"header": header(time, VEHICLE), "name": wheels.names, "position": position, "velocity": rates, "effort": np.zeros(0)}
