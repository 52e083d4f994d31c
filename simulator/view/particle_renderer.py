"""Rendering of particles: squares that face the camera, the farthest first, in one draw call."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.detail import LOW, Detail
from simulator.view.gl_objects import Mesh, Program
from simulator.view.particles import KINDS, NAMES, Particles
from simulator.view.shot import Shot

_EIGHT = 1.0824 * np.stack((np.cos((np.arange(8) + 0.5) * 0.25 * np.pi), np.sin((np.arange(8) + 0.5) * 0.25 * np.pi)), axis=1)
CORNERS = _EIGHT[[0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 6, 0, 6, 7]].astype(np.float32)
"""Octagon around the unit circle: the corners of a square would cost a fifth more."""
SMALL = 0.004
"""Area of a particle, divided by that of the image, up to which it is never left out."""
FAINTEST = 0.012
"""Opacity below which a particle is left out."""
LARGEST = (0.40, 0.85)
"""Radius, divided by half the height of the image, from which a particle fades, and at which it is gone: nobody looks from inside a puff."""
_CLODS = np.array([KINDS[name].heavy for name in NAMES], float)


class ParticleRenderer:
    """Particles of a scene on the graphics device."""

    def __init__(self, detail: Detail) -> None:
        self.particles = Particles(detail.particles, detail.particles / LOW.particles)
        self._area = detail.particle_area
        self._program = Program("particles")
        self._mesh = Mesh(CORNERS, (2,), instance=(4, 4, 3))

    def draw(self, clip_of_world: NDArray, shot: Shot) -> None:
        """Draw the particles over the opaque parts of an image."""
        place, looks, own = self.particles.visible()
        depth = (place - shot.eye) @ -shot.R_WC[:, 2]
        w = place @ clip_of_world[3, :3] + clip_of_world[3, 3]
        edge = np.abs(place @ clip_of_world[:2, :3].T + clip_of_world[:2, 3])
        half = looks[:, :1] * np.linalg.norm(clip_of_world[:2, :3], axis=1)  # in clip space
        looks[:, 1] *= np.clip((LARGEST[1] - half[:, 1] / np.maximum(w, 1e-3)) / (LARGEST[1] - LARGEST[0]), 0.0, 1.0)
        seen = np.flatnonzero((depth > 0.1) & (looks[:, 1] > FAINTEST) & (edge < w[:, None] + half).all(axis=1))
        if not len(seen):
            return
        area = np.minimum(half[seen] / w[seen, None], 1.0).prod(axis=1)
        large = area > SMALL
        left = max(self._area - float(area[~large].sum()), 0.2 * self._area)
        share, big = left / max(float(area[large].sum()), left), seen[large]
        # the turns are evenly spread: a particle that is left out fades, and those that remain become more opaque in return
        looks[big, 1] = 1.0 - (1.0 - np.minimum(looks[big, 1], 0.98)) ** min(1.0 / share, 4.0)
        looks[big, 1] *= np.clip((1.1 * share - own["turn"][big] / math.tau) / 0.1, 0.0, 1.0)
        seen = seen[looks[seen, 1] > FAINTEST]
        order = seen[np.argsort(-depth[seen], kind="stable")]
        instances = np.empty((len(order), 11), np.float32)
        instances[:, :3], instances[:, 3], instances[:, 7] = place[order], looks[order, 0], looks[order, 1]
        instances[:, 4:7], instances[:, 8], instances[:, 9] = own["color"][order], own["turn"][order], own["ground"][order]
        instances[:, 10] = _CLODS[own["kind"][order]]
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        self._program.use().set(clip_of_world=clip_of_world, eye=shot.eye, right=shot.R_WC[:, 0], up=shot.R_WC[:, 1])
        self._mesh.upload_instances(instances)
        self._mesh.draw_instances(len(instances))
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_BLEND)
