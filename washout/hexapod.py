"""Kinematics of a hexapod: a platform P on six legs, each from a joint of the base A to a joint of the platform.

Roll, pitch and yaw define the attitude, R_AP = Rz(yaw) Ry(pitch) Rx(roll). The caller defines the origin and the name of the pose.
Vectors are tuples (x, y, z), so that nothing is allocated.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel


@inline
def platform_axes(roll, pitch, yaw):
    """Return the axes x, y, z of P in A: the columns of R_AP."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return (
        (cy * cp, sy * cp, -sp),
        (cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr),
        (cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr),
    )


@inline
def platform_arm(axes, joints, i):
    """Return the vector from the origin of P to platform joint i [m], in A; `joints` (6, 3) in P."""
    x, y, z = axes
    bx, by, bz = joints[i, 0], joints[i, 1], joints[i, 2]
    return (
        x[0] * bx + y[0] * by + z[0] * bz,
        x[1] * bx + y[1] * by + z[1] * bz,
        x[2] * bx + y[2] * by + z[2] * bz,
    )


@inline
def leg_vector(p_AP, arm, base_joints, i):
    """Return the vector from base joint i to platform joint i [m], in A: d_i = p_AP + R_AP b_i - a_i; `base_joints` (6, 3) in A, `arm` is R_AP b_i."""
    return (
        p_AP[0] + arm[0] - base_joints[i, 0],
        p_AP[1] + arm[1] - base_joints[i, 1],
        p_AP[2] + arm[2] - base_joints[i, 2],
    )


@kernel
def joint_distances(base_joints, platform_joints, p_AP, roll, pitch, yaw, distances):
    """Compute the distances of the two joints of every leg (6,) [m], for the origin p_AP of P, a tuple [m], and its attitude [rad]."""
    axes = platform_axes(roll, pitch, yaw)
    for i in range(6):
        d = leg_vector(p_AP, platform_arm(axes, platform_joints, i), base_joints, i)
        distances[i] = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])


@kernel
def platform_joint_positions(platform_joints, p_AP, roll, pitch, yaw, positions):
    """Compute the positions of the platform joints in A (6, 3) [m]."""
    axes = platform_axes(roll, pitch, yaw)
    for i in range(6):
        arm = platform_arm(axes, platform_joints, i)
        for j in range(3):
            positions[i, j] = p_AP[j] + arm[j]
