"""Offscreen surface whose image is a texture for another image."""

from __future__ import annotations

import ctypes

from pyglet import gl

from simulator.base.errors import DeviceError


class TextureFrame:
    """Color texture with mipmaps and a depth surface to draw into."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.id, self._frame, depth = (_new(make) for make in (gl.glGenTextures, gl.glGenFramebuffers, gl.glGenRenderbuffers))
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.id)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, width, height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        for name, value in (
            ("WRAP_S", gl.GL_CLAMP_TO_EDGE), ("WRAP_T", gl.GL_CLAMP_TO_EDGE),
            ("MIN_FILTER", gl.GL_LINEAR_MIPMAP_LINEAR), ("MAG_FILTER", gl.GL_LINEAR),
        ):  # fmt: skip
            gl.glTexParameteri(gl.GL_TEXTURE_2D, getattr(gl, f"GL_TEXTURE_{name}"), value)
        gl.glGenerateMipmap(gl.GL_TEXTURE_2D)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self.id, 0)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, depth)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT24, width, height)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, depth)
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            raise DeviceError(f"graphics driver: cannot create a texture of {width} x {height} pixels to draw into")

    def begin(self) -> None:
        """Clear the surface and draw into it from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glViewport(0, 0, self.width, self.height)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT | gl.GL_COLOR_BUFFER_BIT)

    def begin_with(self, other: TextureFrame) -> None:
        """Copy the colors of a surface of the same size, and draw over them from now on."""
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, other._frame)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._frame)
        box = (0, 0, self.width, self.height)
        gl.glBlitFramebuffer(*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glViewport(*box)

    def finish(self) -> None:
        """Make the image ready for use as a texture."""
        self.bind(0)
        gl.glGenerateMipmap(gl.GL_TEXTURE_2D)

    def bind(self, unit: int) -> int:
        """Bind the texture to a texture unit and return the unit, for `Program.set`."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.id)
        return unit


def _new(generate: object) -> int:
    name = gl.GLuint()
    generate(1, ctypes.byref(name))  # type: ignore[operator]
    return int(name.value)
