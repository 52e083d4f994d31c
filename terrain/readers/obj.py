"""Wavefront OBJ: corners (v), faces with three or more corners (f), and names of object (o), group (g) and material (usemtl)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulator.base.arrays import Array
from simulator.base.inputfile import read_any_text
from terrain.readers.contract import ElevationSource
from terrain.readers.mesh import Part, from_parts, triangulated
from terrain.readers.request import ReadRequest

EXPECTED = "an OBJ file"
MAX_BYTES = 1 << 28
"""Maximum file size; a line needs ten times its size while it is read."""


def read(request: ReadRequest) -> ElevationSource:
    """Read the surface of an OBJ file. Raises ConfigError for missing corners or faces, or if the vertical axis is not specified."""
    up = request.need("up", "z", "the vertical axis of the file: z or y")
    said = request.said
    return from_parts(read_parts(request), request.path, up, float(said.get("unit", 1.0)), tuple(said.get("ignore", ())))


def read_parts(request: ReadRequest) -> list[Part]:
    """Return the triangles of an OBJ file, in its units. Raises ConfigError for damaged corners or faces."""
    corners, faces = _read(request)
    return [Part(names, _triangles(request, corners, group)) for names, group in faces.items()]


def _read(request: ReadRequest) -> tuple[Array, dict[tuple[str, ...], list[list[int]]]]:
    """Return corners (n, 3), and faces as corner indices, grouped by their names."""
    corners: list[tuple[float, ...]] = []
    faces: dict[tuple[str, ...], list[list[int]]] = {}
    names = {"o": "", "g": "", "usemtl": ""}
    for number, line in _lines(read_any_text(request.path, EXPECTED, MAX_BYTES)):
        words = line.split()
        try:
            if not words:
                continue
            if words[0] == "v":
                x, y, z = map(float, words[1:4])
                corners.append((x, y, z))
            elif words[0] == "f":
                key = tuple(name for text in names.values() for name in text.split("\0") if name)
                faces.setdefault(key, []).append([_corner(word, len(corners)) for word in words[1:]])
                if len(words) < 4:
                    raise ValueError
            elif words[0] in names:
                names[words[0]] = "\0".join(words[1:]) if words[0] == "g" else line.split(None, 1)[1].strip() if len(words) > 1 else ""
        except (ValueError, IndexError):
            raise request.wrong(
                f"line {number}: {line[:60]}", "corners with three numbers, and faces with at least three corners"
            ) from None
    return np.array(corners, np.float64).reshape(-1, 3), faces


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers; a line that ends in a backslash continues in the next one, unless it is a comment."""
    before, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        joined, first = (f"{before} {line}", first) if before else (line, number)
        before = "" if joined.lstrip().startswith("#") or not joined.endswith("\\") else joined[:-1]
        if not before:
            yield first, joined
    if before:
        yield first, before


def _corner(word: str, count: int) -> int:
    """Return the zero-based index of a corner; negative numbers count back from the last corner. Raises IndexError."""
    said = int(word.partition("/")[0])
    number = said - 1 if said > 0 else count + said
    if not number >= 0:
        raise IndexError
    return number


def _triangles(request: ReadRequest, corners: Array, faces: list[list[int]]) -> Array:
    """Return the (n, 3, 3) corners of the triangles of faces."""
    last = max(max(face) for face in faces)
    if last >= len(corners):
        raise request.wrong(f"a face with corner {last + 1}", f"corner numbers up to {len(corners)}")
    three = np.array([face for face in faces if len(face) == 3], np.intp).reshape(-1, 3)
    four = corners[np.array([face for face in faces if len(face) == 4], np.intp).reshape(-1, 4)]
    out = [corners[three], *_halves(four)]
    out += [triangulated(corners[face]) for face in faces if len(face) > 4]
    return np.concatenate(out)


def _halves(four: Array) -> tuple[Array, Array]:
    """Return two triangles per quadrangle (n, 4, 3), split along the diagonal inside it."""
    n1 = np.cross(four[:, 1] - four[:, 0], four[:, 2] - four[:, 0])
    n2 = np.cross(four[:, 2] - four[:, 0], four[:, 3] - four[:, 0])
    concave = (n1 * n2).sum(axis=1) < 0.0
    rotated = np.where(concave[:, None, None], np.roll(four, -1, axis=1), four)
    return rotated[:, [0, 1, 2]], rotated[:, [0, 2, 3]]
