"""Images of plants for distant ones: each kind seen from eight sides, drawn from the coarse mesh."""

from __future__ import annotations

import ctypes
import math

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.dressings.leaf_textures import halved, smaller_levels
from simulator.view.dressings.plants import KINDS
from simulator.view.dressings.tree_meshes import FORMS
from simulator.view.gl_objects import Mesh, Program, Texture

VIEWS = 8
"""Number of sides."""
CELL = (192, 128)
"""Texels of one view: rows, columns."""
OVERSIZE = 2
"""Texels along a side of the drawn image for each texel of a view."""
WIDTH, HEIGHT = 1.28, 1.04
"""Half width of a view divided by the radius of the crown, and its height divided by that of the plant."""


def _shape(kind: str) -> tuple[float, float, float]:
    """Return for a kind: lowest point of the crown divided by its height, and widths of the card at the ground and at the top."""
    radius, bottom, top, thick = FORMS[kind].size
    return bottom / top, min(2.5 * thick / radius, 1.0) / WIDTH, 0.3 if kind in ("spruce", "fir") else 1.0


SHAPES = tuple(_shape(kind) for kind in KINDS)


def bake_views(meshes: list[tuple[Mesh, int]], leaves: Texture, bark: Texture) -> list[NDArray[np.uint8]]:
    """Return the views (rows, columns, 4) of all kinds, one row of cells for each kind, and their halved copies.

    Channels: normal to the right and up, brightness (bark: lower half of the scale, leaves: upper half), coverage.

    meshes : of each kind, with the vertices of bark before those of leaves, and the number of the former
    """
    programs = [Program("trees", define=("BAKE", "BARK")), Program("trees", define=("BAKE",))]
    rows, columns = CELL[0] * OVERSIZE, CELL[1] * OVERSIZE * VIEWS
    stores = (gl.GLuint * 2)()
    frame = gl.GLuint()
    gl.glGenFramebuffers(1, frame)
    gl.glGenRenderbuffers(2, stores)
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frame)
    for store, internal, attachment in zip(
        stores, (gl.GL_RGBA8, gl.GL_DEPTH_COMPONENT24), (gl.GL_COLOR_ATTACHMENT0, gl.GL_DEPTH_ATTACHMENT), strict=True
    ):
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, store)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, internal, columns, rows)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, store)
    gl.glEnable(gl.GL_DEPTH_TEST)
    gl.glClearColor(0.0, 0.0, 0.0, 0.0)
    out = np.zeros((len(KINDS) * CELL[0], VIEWS * CELL[1], 4), np.uint8)
    image = np.empty((rows, columns, 4), np.uint8)
    for number, (kind, (mesh, split)) in enumerate(zip(KINDS, meshes, strict=True)):
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        mesh.upload_instances(np.array([[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *FORMS[kind].size, 1, 1, 1, 1, 1, 1, 1]], np.float32))
        for view in range(VIEWS):
            gl.glViewport(view * CELL[1] * OVERSIZE, 0, CELL[1] * OVERSIZE, rows)
            _draw_view(programs, (mesh, split), kind, 2.0 * math.pi * view / VIEWS, (bark, leaves))
        gl.glReadPixels(0, 0, columns, rows, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, image.ctypes.data_as(ctypes.c_void_p))
        out[number * CELL[0] : (number + 1) * CELL[0]] = halved(image.astype(np.float32))
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
    gl.glDeleteFramebuffers(1, frame)
    gl.glDeleteRenderbuffers(2, stores)
    return smaller_levels(out, (len(KINDS), VIEWS))


def _draw_view(programs: list[Program], mesh: tuple[Mesh, int], kind: str, turn: float, skins: tuple[Texture, Texture]) -> None:
    """Draw one view from the direction `turn` [rad]."""
    radius, _, top, _ = FORMS[kind].size
    right, ahead = np.array((-math.sin(turn), math.cos(turn), 0.0)), np.array((math.cos(turn), math.sin(turn), 0.0))
    view = np.eye(4)
    view[0, :3], view[1, :3], view[2, :3] = right / (WIDTH * radius), (0.0, 0.0, 2.0 / (HEIGHT * top)), -ahead / (2.0 * WIDTH * radius)
    view[1, 3] = -1.0
    for program, skin, first, count in zip(programs, skins, (0, mesh[1]), (mesh[1], mesh[0].count - mesh[1]), strict=True):
        if count:
            program.use().set(clip_of_world=view, eye=100.0 * ahead, right=right, skin=skin.bind(8))
            mesh[0].draw_instances(1, first, count)
