"""Kernels for rotations. Quaternions are [w, x, y, z], unit length, body to world; matrices are 3 x 3 with x_W = R_WB x_B.

Angles follow ISO 8855: R_WB = Rz(yaw) Ry(pitch) Rx(roll); yaw + = left, pitch + = nose down, roll + = right side down.
All functions write into the arrays of the caller and allocate no memory.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel


@kernel
def rotation_of_quaternion(q, R):
    """Compute the rotation matrix R (3, 3) of the unit quaternion q (4,)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    R[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    R[0, 1] = 2.0 * (x * y - w * z)
    R[0, 2] = 2.0 * (x * z + w * y)
    R[1, 0] = 2.0 * (x * y + w * z)
    R[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    R[1, 2] = 2.0 * (y * z - w * x)
    R[2, 0] = 2.0 * (x * z - w * y)
    R[2, 1] = 2.0 * (y * z + w * x)
    R[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def quaternion_of_rotation(R, q):
    """Compute the unit quaternion q (4,), w >= 0, of the rotation matrix R (3, 3) (Shepperd 1978: divides by the largest component)."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    if trace >= max(R[0, 0], R[1, 1], R[2, 2]):
        q[0] = 1.0 + trace
        q[1] = R[2, 1] - R[1, 2]
        q[2] = R[0, 2] - R[2, 0]
        q[3] = R[1, 0] - R[0, 1]
    elif R[0, 0] >= R[1, 1] and R[0, 0] >= R[2, 2]:
        q[0] = R[2, 1] - R[1, 2]
        q[1] = 1.0 + R[0, 0] - R[1, 1] - R[2, 2]
        q[2] = R[0, 1] + R[1, 0]
        q[3] = R[0, 2] + R[2, 0]
    elif R[1, 1] >= R[2, 2]:
        q[0] = R[0, 2] - R[2, 0]
        q[1] = R[0, 1] + R[1, 0]
        q[2] = 1.0 + R[1, 1] - R[0, 0] - R[2, 2]
        q[3] = R[1, 2] + R[2, 1]
    else:
        q[0] = R[1, 0] - R[0, 1]
        q[1] = R[0, 2] + R[2, 0]
        q[2] = R[1, 2] + R[2, 1]
        q[3] = 1.0 + R[2, 2] - R[0, 0] - R[1, 1]
    norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if q[0] < 0.0:
        norm = -norm
    for i in range(4):
        q[i] /= norm


@inline
def advance_quaternion(q, w_B, h):
    """Rotate q (4,) in place with the constant angular velocity w_B (3,), in body axes, for h seconds; exact, and normalized."""
    angle = math.sqrt(w_B[0] * w_B[0] + w_B[1] * w_B[1] + w_B[2] * w_B[2]) * h
    if angle < 1e-8:
        factor = 0.5 * h
        c = 1.0 - 0.125 * angle * angle
    else:
        factor = math.sin(0.5 * angle) / angle * h
        c = math.cos(0.5 * angle)
    x, y, z = w_B[0] * factor, w_B[1] * factor, w_B[2] * factor
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    q[0] = q0 * c - q1 * x - q2 * y - q3 * z
    q[1] = q0 * x + q1 * c + q2 * z - q3 * y
    q[2] = q0 * y - q1 * z + q2 * c + q3 * x
    q[3] = q0 * z + q1 * y - q2 * x + q3 * c
    norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for i in range(4):
        q[i] /= norm


@kernel
def euler_angles(R):
    """Return (roll, pitch, yaw) of R_WB in rad: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    return (
        math.atan2(R[2, 1], R[2, 2]),
        -math.asin(min(1.0, max(-1.0, R[2, 0]))),
        math.atan2(R[1, 0], R[0, 0]),
    )


@kernel
def rotation_of_euler(roll, pitch, yaw, R):
    """Compute R (3, 3) = Rz(yaw) Ry(pitch) Rx(roll)."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    R[0, 0] = cy * cp
    R[0, 1] = cy * sp * sr - sy * cr
    R[0, 2] = cy * sp * cr + sy * sr
    R[1, 0] = sy * cp
    R[1, 1] = sy * sp * sr + cy * cr
    R[1, 2] = sy * sp * cr - cy * sr
    R[2, 0] = -sp
    R[2, 1] = cp * sr
    R[2, 2] = cp * cr
