"""The Stewart platform and the five-link suspension of the shipped files, and their states in the coordinates of the multibody solver."""

import dataclasses
from pathlib import Path

import numpy as np

from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
from simulator.builder.builder import find_config, load_mechanism

DATA = Path(__file__).parents[1] / "data" / "mechanisms"


def shipped(name):
    """A mechanism of `configs/mechanisms`."""
    return load_mechanism(str(find_config("mechanisms", name)))[0]


def with_axial_inertia(mechanism, moment):
    """The Stewart platform with an inertia about the leg [kg m2] in every half of it."""
    about_the_leg = np.diag([0.0, 0.0, moment])
    bodies = [dataclasses.replace(b, I_BBcm=b.I_BBcm + about_the_leg) if b.name.startswith("leg") else b for b in mechanism.bodies]
    return dataclasses.replace(mechanism, bodies=tuple(bodies))


def turning_axes(pose):
    """(3, 3) columns: axes of phi', theta', psi' in the world."""
    cp, sp, ct, st = np.cos(pose[3]), np.sin(pose[3]), np.cos(pose[4]), np.sin(pose[4])
    return np.array([[0.0, -sp, cp * ct], [0.0, cp, sp * ct], [1.0, 0.0, -st]])


def free_joint(pose):
    """(7,) coordinates of the free joint."""
    R, q = np.zeros((3, 3)), np.zeros(4)
    rotation_of_euler(pose[5], pose[4], pose[3], R)
    quaternion_of_rotation(R, q)
    return np.concatenate([pose[:3], q])


def free_rates(pose, rates):
    """(6,) [angular; linear] velocity of the free joint."""
    return np.concatenate([turning_axes(pose) @ rates[3:], rates[:3]])


def free_accelerations(pose, rates, accelerations):
    """(6,) [angular; linear] acceleration of the free joint; the axes turn with the angles before them."""
    A = turning_axes(pose)
    z, y, x = A.T * rates[3:][:, None]
    return np.concatenate([A @ accelerations[3:] + np.cross(z, y) + np.cross(z + y, x), accelerations[:3]])
