"""Thin layer over OpenGL 3.3 core: programs, meshes, textures, frame buffers, independent of the drawn objects.

pyglet's own drawing objects are made for sprites; a terrain drawn from a few large buffers needs fewer and simpler calls.
Import this module only after `simulator.view.gl_context` has created a window or an offscreen surface.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.errors import DeviceError

SHADERS = Path(__file__).parent / "shaders"
LIGHT_BLOCK = 0
"""Binding of the block `Light` of common.glsl."""
Array = NDArray[Any]


class Program:
    """Vertex and fragment shader `name.vert`, `name.frag` (or two given names); a lit one has `common.glsl` in front of both.

    uses : further files `name.glsl` in front of the fragment shader
    """

    weather: ClassVar[tuple[str, ...]] = ()
    """Further defines of lit programs, for the weather of the scene that is drawn; see `simulator.view.light.Light.defines`."""

    def __init__(
        self, vertex: str, fragment: str | None = None, define: Sequence[str] = (), lit: bool = True, uses: Sequence[str] = ()
    ) -> None:
        head = "#version 330 core\n" + "".join(f"#define {d}\n" for d in (*define, *(self.weather if lit else ())))
        head += (SHADERS / "common.glsl").read_text(encoding="utf-8") if lit else ""
        self.id = gl.glCreateProgram()
        parts = []
        more = "".join((SHADERS / f"{name}.glsl").read_text(encoding="utf-8") for name in uses)
        for kind, front, file in (
            (gl.GL_VERTEX_SHADER, head, f"{vertex}.vert"), (gl.GL_FRAGMENT_SHADER, head + more, f"{fragment or vertex}.frag"),
        ):  # fmt: skip
            shader = _compile(kind, front + (SHADERS / file).read_text(encoding="utf-8"), file)
            gl.glAttachShader(self.id, shader)
            parts.append(shader)
        gl.glLinkProgram(self.id)
        status = gl.GLint()
        gl.glGetProgramiv(self.id, gl.GL_LINK_STATUS, status)
        if not status.value:
            raise DeviceError(f"graphics driver: shader {vertex}: {_log(self.id, gl.glGetProgramInfoLog)}")
        for shader in parts:
            gl.glDeleteShader(shader)
        self._places: dict[str, int] = {}
        block = gl.glGetUniformBlockIndex(self.id, b"Light")
        if block != gl.GL_INVALID_INDEX:  # as of a shader that only writes depths
            gl.glUniformBlockBinding(self.id, block, LIGHT_BLOCK)
        gl.glUseProgram(self.id)

    def use(self) -> Program:
        """Activate the program."""
        gl.glUseProgram(self.id)
        return self

    def place(self, name: str) -> int:
        """Return the location of a uniform; -1 when the shader does not use it."""
        if name not in self._places:
            self._places[name] = gl.glGetUniformLocation(self.id, name.encode())
        return self._places[name]

    def set(self, **values: Any) -> Program:
        """Set uniforms of the active program: int, float, sequences of 2, 3, 4 floats, (3, 3) or (4, 4) matrices."""
        for name, value in values.items():
            at = self.place(name)
            if at < 0:
                continue
            if isinstance(value, int):
                gl.glUniform1i(at, value)
            elif isinstance(value, float):
                gl.glUniform1f(at, value)
            else:
                _uniform_array(at, np.ascontiguousarray(value, np.float32))
        return self


class Mesh:
    """Vertex buffer, optional index buffer and optional per-instance buffer.

    layout: floats per attribute, in the order of the shader's locations; instance: floats per per-instance attribute; locations: of the
    attributes in `layout`, if they are not 0, 1, ...
    """

    def __init__(
        self,
        vertices: Array,
        layout: Sequence[int],
        indices: Array | None = None,
        instance: Sequence[int] = (),
        locations: Sequence[int] | None = None,
    ) -> None:
        self._array = _new(gl.glGenVertexArrays)
        gl.glBindVertexArray(self._array)
        self._vertices = _new(gl.glGenBuffers)
        self._bytes = 0
        self.upload(vertices)
        _attributes(range(len(layout)) if locations is None else locations, layout, 0)
        self._instances = _new(gl.glGenBuffers) if instance else 0
        self._instance_bytes = 0
        if instance:
            gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._instances)
            _attributes(range(len(layout), len(layout) + len(instance)), instance, 1)
        self.count = len(vertices)
        self._indices = 0 if indices is None else _new(gl.glGenBuffers)
        if indices is not None:
            index = np.ascontiguousarray(indices, np.uint32).reshape(-1)
            gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._indices)
            gl.glBufferData(gl.GL_ELEMENT_ARRAY_BUFFER, index.nbytes, _pointer(index), gl.GL_STATIC_DRAW)
            self.count = len(index)
        gl.glBindVertexArray(0)

    def delete(self) -> None:
        """Delete the buffers; the mesh must not be used any more."""
        buffers = [name for name in (self._vertices, self._instances, self._indices) if name]
        gl.glDeleteBuffers(len(buffers), (gl.GLuint * len(buffers))(*buffers))
        gl.glDeleteVertexArrays(1, (gl.GLuint * 1)(self._array))

    def upload(self, vertices: Array) -> None:
        """Replace the vertices."""
        self._bytes = _fill(self._vertices, vertices, self._bytes)
        self.count = len(vertices)

    def upload_instances(self, instances: Array) -> None:
        """Replace the per-instance values."""
        self._instance_bytes = _fill(self._instances, instances, self._instance_bytes)

    def draw(self, first: int = 0, count: int | None = None) -> None:
        """Draw triangles (all, or `count` indices or vertices from `first`)."""
        count = self.count - first if count is None else count
        gl.glBindVertexArray(self._array)
        if self._indices:
            gl.glDrawElements(gl.GL_TRIANGLES, count, gl.GL_UNSIGNED_INT, ctypes.c_void_p(4 * first))
        else:
            gl.glDrawArrays(gl.GL_TRIANGLES, first, count)

    def draw_instances(self, instances: int, first: int = 0, count: int | None = None) -> None:
        """Draw the mesh (all, or `count` indices or vertices from `first`) `instances` times."""
        count = self.count - first if count is None else count
        gl.glBindVertexArray(self._array)
        if self._indices:
            gl.glDrawElementsInstanced(gl.GL_TRIANGLES, count, gl.GL_UNSIGNED_INT, ctypes.c_void_p(4 * first), instances)
        else:
            gl.glDrawArraysInstanced(gl.GL_TRIANGLES, first, count, instances)

    def draw_pieces(self, firsts: Array, counts: Array) -> None:
        """Draw several pieces of a mesh without indices: `counts` (n,) vertices from `firsts` (n,)."""
        first, count = (np.ascontiguousarray(values, np.int32) for values in (firsts, counts))
        firsts_at, counts_at = (values.ctypes.data_as(ctypes.POINTER(ctypes.c_int)) for values in (first, count))
        gl.glBindVertexArray(self._array)
        gl.glMultiDrawArrays(gl.GL_TRIANGLES, firsts_at, counts_at, len(first))


class Block:
    """Uniform block that programs read together, from a packed record in the layout std140."""

    def __init__(self, binding: int) -> None:
        self._buffer, self._binding = _new(gl.glGenBuffers), binding

    def put(self, values: Array) -> None:
        """Replace the values and bind the block."""
        data = np.frombuffer(values.tobytes(), np.uint8)
        gl.glBindBuffer(gl.GL_UNIFORM_BUFFER, self._buffer)
        gl.glBufferData(gl.GL_UNIFORM_BUFFER, data.nbytes, _pointer(data), gl.GL_DYNAMIC_DRAW)
        gl.glBindBufferBase(gl.GL_UNIFORM_BUFFER, self._binding, self._buffer)


_FORMATS = {
    # (numpy type, channels): internal format, format, type
    ("float32", 1): (gl.GL_R32F, gl.GL_RED, gl.GL_FLOAT),
    ("float16", 4): (gl.GL_RGBA16F, gl.GL_RGBA, gl.GL_HALF_FLOAT),
    ("uint16", 1): (gl.GL_R16, gl.GL_RED, gl.GL_UNSIGNED_SHORT),
    ("uint8", 1): (gl.GL_R8, gl.GL_RED, gl.GL_UNSIGNED_BYTE),
    ("uint8", 4): (gl.GL_RGBA8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE),
}


class Texture:
    """2D texture from an array (rows, columns[, 4]); row 0 is at v = 0.

    fine : high-quality filter, for a graphics card; nearest : no filter, for numbers
    smaller : halved copies, in place of mean values
    """

    def __init__(
        self, pixels: Array, wrap: int, mipmaps: bool = True, fine: bool = False, nearest: bool = False, smaller: Sequence[Array] = ()
    ) -> None:
        channels = 1 if pixels.ndim == 2 else pixels.shape[2]
        internal, layout, kind = _FORMATS[(pixels.dtype.name, channels)]
        self.id = _new(gl.glGenTextures)
        self.shape = pixels.shape[:2]
        self._written_as = layout, kind
        data = np.ascontiguousarray(pixels)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.id)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, internal, data.shape[1], data.shape[0], 0, layout, kind, _pointer(data))
        blended = gl.GL_LINEAR_MIPMAP_LINEAR if fine or pixels.dtype != np.uint8 else gl.GL_LINEAR_MIPMAP_NEAREST
        large = gl.GL_NEAREST if nearest else gl.GL_LINEAR
        _sample(gl.GL_TEXTURE_2D, wrap, blended if mipmaps else large, large, fine)
        for level, copy in enumerate(smaller, 1):
            gl.glTexImage2D(gl.GL_TEXTURE_2D, level, internal, copy.shape[1], copy.shape[0], 0, layout, kind, _pointer(copy))
        if smaller:
            gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAX_LEVEL, len(smaller))
        elif mipmaps:
            gl.glGenerateMipmap(gl.GL_TEXTURE_2D)

    def put(self, row: int, column: int, pixels: Array) -> None:
        """Replace a part of a texture without mipmaps by pixels of the same type."""
        data = np.ascontiguousarray(pixels)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.id)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexSubImage2D(gl.GL_TEXTURE_2D, 0, column, row, data.shape[1], data.shape[0], *self._written_as, _pointer(data))

    def bind(self, unit: int) -> int:
        """Bind the texture to a texture unit and return the unit, for `Program.set`."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.id)
        return unit


class TextureArray:
    """2D textures of one size, which repeat, from an array (layers, rows, columns, 4) of bytes. fine: high-quality filter."""

    def __init__(self, pixels: NDArray[np.uint8], fine: bool) -> None:
        self.id = _new(gl.glGenTextures)
        data = np.ascontiguousarray(pixels)
        layers, rows, columns, _ = data.shape
        gl.glBindTexture(gl.GL_TEXTURE_2D_ARRAY, self.id)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexImage3D(
            gl.GL_TEXTURE_2D_ARRAY, 0, gl.GL_RGBA8, columns, rows, layers, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, _pointer(data)
        )  # fmt: skip
        small = gl.GL_LINEAR_MIPMAP_LINEAR if fine else gl.GL_LINEAR_MIPMAP_NEAREST
        _sample(gl.GL_TEXTURE_2D_ARRAY, gl.GL_REPEAT, small, gl.GL_LINEAR, fine)
        gl.glGenerateMipmap(gl.GL_TEXTURE_2D_ARRAY)

    def bind(self, unit: int) -> int:
        """Bind the textures to a texture unit and return the unit, for `Program.set`."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D_ARRAY, self.id)
        return unit


class ShadowMap:
    """Square depth texture to draw into and to compare with."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.id = _new(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.id)
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D, 0, gl.GL_DEPTH_COMPONENT24, size, size, 0, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, None
        )  # fmt: skip
        for name, value in (
            ("WRAP_S", gl.GL_CLAMP_TO_EDGE), ("WRAP_T", gl.GL_CLAMP_TO_EDGE), ("MIN_FILTER", gl.GL_LINEAR), ("MAG_FILTER", gl.GL_LINEAR),
            ("COMPARE_MODE", gl.GL_COMPARE_REF_TO_TEXTURE), ("COMPARE_FUNC", gl.GL_LEQUAL),
        ):  # fmt: skip
            gl.glTexParameteri(gl.GL_TEXTURE_2D, getattr(gl, f"GL_TEXTURE_{name}"), value)
        self._frame = _new(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D, self.id, 0)
        gl.glDrawBuffer(gl.GL_NONE)
        gl.glReadBuffer(gl.GL_NONE)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)

    def begin(self) -> None:
        """Clear the texture and draw into it from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glViewport(0, 0, self.size, self.size)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)

    def bind(self, unit: int) -> int:
        """Bind the texture to a texture unit and return the unit, for `Program.set`."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.id)
        return unit


class Frame:
    """Offscreen color and depth surface, multisampled when samples > 1, that can be read back."""

    def __init__(self, width: int, height: int, samples: int) -> None:
        self.width, self.height = width, height
        self._frames: list[int] = []
        self._stores: list[int] = []
        self._frame = self._surface(samples if samples > 1 else 0)
        self._resolved = self._surface(0) if samples > 1 else self._frame
        self._pixels = np.empty((height, width, 3), np.uint8)

    def _surface(self, samples: int) -> int:
        frame = _new(gl.glGenFramebuffers)
        self._frames.append(frame)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frame)
        for internal, attachment in ((gl.GL_RGBA8, gl.GL_COLOR_ATTACHMENT0), (gl.GL_DEPTH_COMPONENT24, gl.GL_DEPTH_ATTACHMENT)):
            store = _new(gl.glGenRenderbuffers)
            self._stores.append(store)
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, store)
            gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples, internal, self.width, self.height)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, store)
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            raise DeviceError(
                f"graphics driver: cannot create an offscreen surface of {self.width} x {self.height} pixels with {samples} samples"
            )
        return frame

    def delete(self) -> None:
        """Delete the surfaces."""
        gl.glDeleteFramebuffers(len(self._frames), (gl.GLuint * len(self._frames))(*self._frames))
        gl.glDeleteRenderbuffers(len(self._stores), (gl.GLuint * len(self._stores))(*self._stores))

    def copy_to(self, target: int, width: int, height: int) -> None:
        """Scale the image to another frame buffer of that size and continue to draw into it."""
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._frame)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, target)
        gl.glBlitFramebuffer(0, 0, self.width, self.height, 0, 0, width, height, gl.GL_COLOR_BUFFER_BIT, gl.GL_LINEAR)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)

    @property
    def id(self) -> int:
        """Frame buffer to draw into."""
        return self._frame

    def resolve(self) -> None:
        """Average the samples before a read."""
        if self._resolved != self._frame:
            gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._frame)
            gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._resolved)
            box = (0, 0, self.width, self.height)
            gl.glBlitFramebuffer(*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)

    def read(self) -> NDArray[np.uint8]:
        """Return the pixels (height, width, 3), top row first."""
        self.resolve()
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._resolved)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, self.width, self.height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, _pointer(self._pixels))
        return self._pixels[::-1].copy()


class TextureFrame:
    """Offscreen surface with one sample per pixel whose color is a texture."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.id = _new(gl.glGenFramebuffers)
        self._texture = Texture(np.zeros((height, width, 4), np.uint8), gl.GL_CLAMP_TO_EDGE, mipmaps=False)
        self._depths = _new(gl.glGenRenderbuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.id)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self._texture.id, 0)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, self._depths)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT24, width, height)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, self._depths)
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            raise DeviceError(f"graphics driver: cannot create an offscreen surface of {width} x {height} pixels")
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)

    def bind(self, unit: int) -> int:
        """Bind the texture to a texture unit and return the unit, for `Program.set`."""
        return self._texture.bind(unit)

    def delete(self) -> None:
        """Delete the surface."""
        gl.glDeleteFramebuffers(1, (gl.GLuint * 1)(self.id))
        gl.glDeleteRenderbuffers(1, (gl.GLuint * 1)(self._depths))
        gl.glDeleteTextures(1, (gl.GLuint * 1)(self._texture.id))


class NumberFrame:
    """Offscreen surface of numbers and depths (see the shader `number`), one sample per pixel."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._frame = _new(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        self._stores = []
        for internal, attachment in (
            (gl.GL_R32I, gl.GL_COLOR_ATTACHMENT0), (gl.GL_R32F, gl.GL_COLOR_ATTACHMENT1), (gl.GL_DEPTH_COMPONENT32F, gl.GL_DEPTH_ATTACHMENT),
        ):  # fmt: skip
            store = _new(gl.glGenRenderbuffers)
            self._stores.append(store)
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, store)
            gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, internal, width, height)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, store)
        gl.glDrawBuffers(2, (gl.GLenum * 2)(gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT1))
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            raise DeviceError(f"graphics driver: cannot create an offscreen surface of {width} x {height} numbers")

    def begin(self) -> None:
        """Clear the surface (number -1, depth inf) and draw into it from now on."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glViewport(0, 0, self.width, self.height)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        gl.glClearBufferiv(gl.GL_COLOR, 0, (gl.GLint * 4)(-1, 0, 0, 0))
        gl.glClearBufferfv(gl.GL_COLOR, 1, (gl.GLfloat * 4)(math.inf, 0.0, 0.0, 0.0))

    def read(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return numbers and depths (height, width), top row first."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        numbers, depths = np.empty((self.height, self.width), np.int32), np.empty((self.height, self.width), np.float32)
        for buffer, layout, kind, out in (
            (gl.GL_COLOR_ATTACHMENT0, gl.GL_RED_INTEGER, gl.GL_INT, numbers), (gl.GL_COLOR_ATTACHMENT1, gl.GL_RED, gl.GL_FLOAT, depths),
        ):  # fmt: skip
            gl.glReadBuffer(buffer)
            gl.glReadPixels(0, 0, self.width, self.height, layout, kind, _pointer(out))
        return numbers[::-1].copy(), depths[::-1].copy()


def renderer() -> str:
    """Return the name of the renderer, for example llvmpipe."""
    text = ctypes.cast(gl.glGetString(gl.GL_RENDERER), ctypes.c_char_p).value
    return (text or b"unknown").decode(errors="replace")


def _uniform_array(at: int, value: NDArray[np.float32]) -> None:
    data = value.ctypes.data_as(ctypes.POINTER(gl.GLfloat))
    if value.ndim == 2:
        (gl.glUniformMatrix4fv if value.shape == (4, 4) else gl.glUniformMatrix3fv)(at, 1, gl.GL_TRUE, data)
    else:
        {2: gl.glUniform2fv, 3: gl.glUniform3fv, 4: gl.glUniform4fv}[len(value)](at, 1, data)


def _sample(target: int, wrap: int, small: int, large: int, fine: bool) -> None:
    """Set how the bound texture is repeated and filtered."""
    for name, value in (("WRAP_S", wrap), ("WRAP_T", wrap), ("MIN_FILTER", small), ("MAG_FILTER", large)):
        gl.glTexParameteri(target, getattr(gl, f"GL_TEXTURE_{name}"), value)
    if fine:
        gl.glTexParameterf(target, gl.GL_TEXTURE_MAX_ANISOTROPY, 8.0)


def _attributes(locations: Sequence[int], layout: Sequence[int], divisor: int) -> None:
    stride, at = 4 * sum(layout), 0
    for k, size in zip(locations, layout, strict=True):
        gl.glEnableVertexAttribArray(k)
        gl.glVertexAttribPointer(k, size, gl.GL_FLOAT, gl.GL_FALSE, stride, ctypes.c_void_p(at))
        gl.glVertexAttribDivisor(k, divisor)
        at += 4 * size


def _fill(buffer: int, values: Array, capacity: int) -> int:
    data = np.ascontiguousarray(values, np.float32)
    gl.glBindBuffer(gl.GL_ARRAY_BUFFER, buffer)
    if data.nbytes > capacity:
        gl.glBufferData(gl.GL_ARRAY_BUFFER, data.nbytes, _pointer(data), gl.GL_DYNAMIC_DRAW)
        return int(data.nbytes)
    gl.glBufferSubData(gl.GL_ARRAY_BUFFER, 0, data.nbytes, _pointer(data))
    return capacity


def _compile(kind: int, source: str, name: str) -> int:
    shader = gl.glCreateShader(kind)
    text = ctypes.create_string_buffer(source.encode())
    pointer = ctypes.cast(ctypes.pointer(ctypes.pointer(text)), ctypes.POINTER(ctypes.POINTER(ctypes.c_char)))
    gl.glShaderSource(shader, 1, pointer, None)
    gl.glCompileShader(shader)
    status = gl.GLint()
    gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS, status)
    if not status.value:
        raise DeviceError(f"graphics driver: shader {name}: {_log(shader, gl.glGetShaderInfoLog)}")
    return int(shader)


def _log(thing: int, read: Any) -> str:
    text = ctypes.create_string_buffer(2000)
    read(thing, 2000, None, text)
    return " ".join(text.value.decode(errors="replace").split())


def _new(generate: Any) -> int:
    name = gl.GLuint()
    generate(1, name)
    return int(name.value)


def _pointer(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)
