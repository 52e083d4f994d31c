"""Wavefront OBJ: corners (v), faces of three and more corners (f), and names of object (o), group (g) and material (usemtl)."""

from __future__ import annotations

import numpy as np

from simulator.base.inputfile import read_bytes
from terrain.readers.contract import ElevationSource, Values
from terrain.readers.mesh import Part, from_parts, triangulated
from terrain.readers.request import ReadRequest

EXPECTED = "an OBJ file"
MOST_BYTES = 1 << 28
"""A line takes ten times its size while it is read."""
UPS = ("y", "z")


def read(asked: ReadRequest) -> ElevationSource:
    """The surface of an OBJ file. Raises ConfigError: a face without its corners, no faces, nothing said of the axis that points up."""
    up = asked.need("up", "z", "the axis of the file that points up: z, or y")
    corners, faces = _read(asked)
    parts = [Part(names, _triangles(asked, corners, some)) for names, some in faces.items()]
    said = asked.said
    return from_parts(parts, asked.path, up, float(said.get("unit", 1.0)), tuple(said.get("ignore", ())))


def _read(asked: ReadRequest) -> tuple[Values, dict[tuple[str, ...], list[list[int]]]]:
    """Corners (n, 3), and faces as numbers of corners by the names they go under."""
    corners: list[tuple[float, ...]] = []
    faces: dict[tuple[str, ...], list[list[int]]] = {}
    names = {"o": "", "g": "", "usemtl": ""}
    for number, line in enumerate(
        read_bytes(asked.path, EXPECTED, MOST_BYTES).decode("utf-8", "replace").replace("\\\n", " ").splitlines(), 1
    ):
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
            raise asked.wrong(f"line {number}: {line[:60]}", "corners of three numbers, and faces of at least three corners") from None
    return np.array(corners, np.float64).reshape(-1, 3), faces


def _corner(word: str, count: int) -> int:
    """Number of a corner from 0 on; below zero it counts back from the last one read. Raises IndexError."""
    said = int(word.partition("/")[0])
    number = said - 1 if said > 0 else count + said
    if not number >= 0:
        raise IndexError
    return number


def _triangles(asked: ReadRequest, corners: Values, faces: list[list[int]]) -> Values:
    """(n, 3, 3) corners of the triangles of faces."""
    last = max(max(face) for face in faces)
    if last >= len(corners):
        raise asked.wrong(f"a face with corner {last + 1}", f"corners up to {len(corners)}")
    three = np.array([face for face in faces if len(face) == 3], np.intp).reshape(-1, 3)
    four = corners[np.array([face for face in faces if len(face) == 4], np.intp).reshape(-1, 4)]
    out = [corners[three], *_halves(four)]
    out += [triangulated(corners[face]) for face in faces if len(face) > 4]
    return np.concatenate(out)


def _halves(four: Values) -> tuple[Values, Values]:
    """Two triangles of each quadrangle (n, 4, 3), along the diagonal that lies inside it."""
    n1 = np.cross(four[:, 1] - four[:, 0], four[:, 2] - four[:, 0])
    n2 = np.cross(four[:, 2] - four[:, 0], four[:, 3] - four[:, 0])
    dented = (n1 * n2).sum(axis=1) < 0.0
    turned = np.where(dented[:, None, None], np.roll(four, -1, axis=1), four)
    return turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]
