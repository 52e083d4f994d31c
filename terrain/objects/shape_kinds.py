"""Shapes of objects by their name in a file: the shipped ones and those of plugins.

A kind builds one of the shapes of `terrain.objects.shapes`, so that rays, contact, maps and the view know it, and nothing is compiled.
"""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.fields import Choice, Field, FileName, Number
from simulator.base.registry import Registry, making
from terrain.objects.shapes import CONTRACT, SHAPES, SHIPPED, TILT, Shape, ShapeKind, ShapeRequest, TriangleMesh

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
"""Meters per length unit of a mesh file."""


def _mesh(request: ShapeRequest) -> Shape:
    values = request.values
    key = (values["file"], values["units"], values.get("up"), values["scale"])
    if key not in request.shared:  # objects with the same mesh share its triangles
        from terrain.objects.mesh_file import read_mesh  # imported here, because it loads the compiler

        request.shared[key] = read_mesh(values["file"], values.file, values.path("file"), request.folder, UNITS[key[1]] * key[3], key[2])
    shape: Shape = request.shared[key]
    return shape


MESH_FILE = ShapeKind(
    TriangleMesh.name,
    _mesh,
    CONTRACT,
    (
        Field("file", FileName("the path of a mesh file, relative to this file or in the assets"), "mesh file: OBJ, glTF or STL"),
        Field("units", Choice(tuple(UNITS)), "length unit of the file; default: m", "m"),
        Field("up", Choice(("y", "z")), "vertical axis of the file; default: y for glTF, else z", None),
        Field("scale", Number("1", 1e-3, 1e3), "factor on the size", 1.0),
        *TILT,
    ),
    "triangles of a mesh file",
)
SHAPE_KINDS: Registry[ShapeKind] = Registry(
    "shape", "jounce.shapes", {one.name: one for one in (*SHIPPED, MESH_FILE)}, contract="terrain.objects.shapes"
)


register = SHAPE_KINDS.add


def build_shape(request: ShapeRequest) -> Shape:
    """Return the shape of an object.

    Raises
    ------
    ObjectError : an impossible shape
    ConfigError : keys that contradict each other
    JounceError : a plugin raised another exception, or returned something else than a shape
    """
    kind = SHAPE_KINDS.need(request.values["shape"])
    with making(f"shape {kind.name}"):
        shape = kind.build(request)
        if not isinstance(shape, SHAPES):
            raise JounceError(f"shape {kind.name}: wrong type {type(shape).__name__} of its result; expected one of terrain.objects.shapes")
        shape.check()
    return shape
