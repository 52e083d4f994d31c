"""Cars, vans and trucks that are one box: parked cars, and targets on a path. No OpenGL here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.bodies.kinds import body_of
from simulator.view.dressings.pieces import TINTED, Dressed, Look, Piece, bottoms, boxes, chance
from simulator.view.meshes import Builder, mirrored, moved, simplified
from simulator.view.object_data import ObjectData
from vehicles.appearance import DRAWN_AS


class Shape(NamedTuple):
    """Proportions of a car; m."""

    drawn_as: tuple[str, ...]
    """Drawn bodies, the first that exists"""
    length: float
    width: float
    wheelbase: float
    overhang: float
    """Of the front"""
    radius: float
    """Of the tires"""
    head: float
    """Height of the driver's head above the ground"""


SHAPES = {
    "hatchback": Shape(("hatchback", "car"), 3.95, 1.74, 2.55, 0.80, 0.31, 1.22),
    "sedan": Shape(("sedan", "car"), 4.65, 1.80, 2.75, 0.86, 0.32, 1.20),
    "suv": Shape(("suv", "car"), 4.45, 1.86, 2.68, 0.84, 0.36, 1.42),
    "van": Shape(("van", "car"), 4.90, 1.92, 3.05, 0.86, 0.34, 1.60),
    "pickup": Shape(("pickup",), 5.20, 1.88, 3.15, 0.86, 0.37, 1.50),
}
"""Typical proportions. [assumed]"""
CELLS = (0.40, 0.18, 0.08)
"""m. Sizes of the details that the levels of a body leave out; farther away, it is two boxes on wheels."""
LIMITS = (0.05, 0.12, 0.4)
"""rad. Radii, as angles at the camera, from which these levels are drawn"""
CABIN = {"hatchback": (-0.46, 0.24), "sedan": (-0.36, 0.22), "suv": (-0.47, 0.24), "van": (-0.49, 0.34), "pickup": (-0.10, 0.22)}
"""Rear and front of the cabin of a body divided by its length, from its middle."""


def parked_cars(data: ObjectData, free: NDArray[np.bool_]) -> Dressed:
    """Dress boxes with the label vehicle that are as large as a car or a truck, with their front at +x."""
    cars = free & boxes(data, "vehicle", (3.3, 1.4, 1.2), (5.6, 2.3, 2.4))
    trucks = free & boxes(data, "vehicle", (5.6, 1.9, 2.3), (16.0, 3.0, 4.5))
    rows = np.flatnonzero(cars)
    size, luck = 2.0 * data.half_O[rows], chance(rows, 21)
    tall, short = size[:, 2] > 1.58, size[:, 0] < 4.3
    names = np.where(tall, np.where(size[:, 2] > 1.85, "van", np.where((luck < 0.3) & (size[:, 0] > 4.4), "pickup", "suv")), "sedan")
    names = np.where(~tall & (short | (luck < 0.35)), "hatchback", names)
    pieces = [_piece(data, rows[names == name], name) for name in SHAPES]
    return Dressed(cars | trucks, [*pieces, _piece(data, np.flatnonzero(trucks), "truck")])


def _piece(data: ObjectData, rows: NDArray[np.int64], name: str) -> Piece:
    return Piece(name, rows, bottoms(data, rows), 2.0 * data.half_O[rows], data.color[rows])


def looks() -> dict[str, Look]:
    """Return the looks of cars by name."""
    cars = {name: Look((_far_car(*CABIN[name]), *(_car(shape, cell) for cell in CELLS)), LIMITS) for name, shape in SHAPES.items()}
    return cars | {"truck": Look((_in_unit_box(_truck(8)), _in_unit_box(_truck(16))), (0.1,))}


def _car(shape: Shape, cell: float) -> Array:
    """Return the mesh of a car on its wheels, in a box of unit size, without details smaller than `cell`."""
    drawn_as = next(name for name in shape.drawn_as if name in DRAWN_AS)
    axles = np.array([0.0, 0.0, -shape.wheelbase, -shape.wheelbase])
    body = body_of({
        "drawn_as": drawn_as, "outline": (shape.length, shape.width, shape.overhang), "wheel_x": axles, "wheel_z": np.zeros(4),
        "driven": np.ones(4), "tire_radius": np.full(4, shape.radius), "p_BH": (-0.5 * shape.wheelbase, 0.37, shape.head - shape.radius),
    })  # fmt: skip
    paint, glass = np.divide(body.paint, 255.0), body.glass.copy()
    glass[:, 9] = 0.9
    wheel = simplified(body.wheel(shape.radius, 0.21), max(cell, 0.1))
    parts = [simplified(np.vstack((body.shell, body.fittings)), cell), simplified(glass, cell)]
    for side, mesh in ((1.0, wheel), (-1.0, mirrored(wheel))):
        for x in axles[::2]:
            parts.append(moved(mesh, p=(x, side * (0.5 * shape.width - 0.12), 0.0)))
    mesh = np.vstack(parts)
    mesh[:, 9] = np.minimum(np.mod(mesh[:, 9], 2.0), 1.0)  # no lamp is lit
    painted = (np.abs(mesh[:, 6:9] - paint) < 1e-4).all(axis=1)
    mesh[painted, 6:9], mesh[painted, 9] = 1.0, mesh[painted, 9] + TINTED
    return _in_unit_box(mesh)


def _far_car(rear: float, front: float) -> Array:
    """Return a car in a box of unit size, of few triangles."""
    b = Builder().paint((255, 255, 255), TINTED + 0.4)
    low = [(-0.5, -0.48, 0.16), (0.5, -0.48, 0.16), (0.5, 0.48, 0.16), (-0.5, 0.48, 0.16)]
    b.hexahedron([*low, (-0.5, -0.48, 0.62), (0.46, -0.48, 0.55), (0.46, 0.48, 0.55), (-0.5, 0.48, 0.62)])
    roof = [(x, y, 0.985) for x, y in ((rear + 0.04, -0.34), (front - 0.12, -0.34), (front - 0.12, 0.34), (rear + 0.04, 0.34))]
    b.polygon([(x, y, 1.0) for x, y, _ in roof])
    b.paint((30, 38, 46), 0.9).hexahedron([(rear, -0.45, 0.6), (front, -0.45, 0.58), (front, 0.45, 0.58), (rear, 0.45, 0.6), *roof])
    b.paint((28, 28, 29))
    for x in (-0.30, 0.31):
        b.box((x - 0.07, -0.49, 0.0), (x + 0.07, -0.30, 0.4)).box((x - 0.07, 0.30, 0.0), (x + 0.07, 0.49, 0.4))
    b.paint((150, 30, 28)).polygon([(-0.503, 0.44, 0.48), (-0.503, 0.44, 0.57), (-0.503, -0.44, 0.57), (-0.503, -0.44, 0.48)])
    return b.mesh()


def _in_unit_box(mesh: Array) -> Array:
    """Return a mesh scaled to a box of unit edges, with its middle above the origin; normals are those of the scaled mesh."""
    low, high = mesh[:, :3].min(axis=0), mesh[:, :3].max(axis=0)
    out = mesh.copy()
    out[:, :3] = (mesh[:, :3] - [*(0.5 * (low + high))[:2], low[2]]) / (high - low)
    out[:, 3:6] = mesh[:, 3:6] * (high - low)
    return out


def _truck(sides: int) -> Array:
    """Return a truck of 8 m with a box body."""
    b = Builder().paint((255, 255, 255), TINTED + 0.4)
    cab = [(2.1, -1.15, 0.75), (3.9, -1.15, 0.75), (3.9, 1.15, 0.75), (2.1, 1.15, 0.75)]
    b.hexahedron([*cab, (2.1, -1.1, 3.0), (3.55, -1.1, 3.0), (3.55, 1.1, 3.0), (2.1, 1.1, 3.0)])
    b.paint((225, 226, 226), 0.1).box((-4.0, -1.25, 1.1), (2.0, 1.25, 3.8))
    b.paint((48, 49, 52)).box((-4.0, -0.5, 0.7), (2.2, 0.5, 1.1)).box((3.85, -1.2, 0.35), (4.0, 1.2, 0.8))
    b.paint((25, 32, 40), 0.9).polygon([(3.83, -1.0, 1.75), (3.83, 1.0, 1.75), (3.58, 1.0, 2.75), (3.58, -1.0, 2.75)])
    for y in (-1.0, 1.0):
        window = [(2.5, 1.16 * y, 1.8), (3.6, 1.16 * y, 1.8), (3.5, 1.12 * y, 2.7), (2.5, 1.12 * y, 2.7)]
        b.polygon(window[::-1] if y > 0 else window)
    b.paint((28, 28, 29))
    for x in (2.9, -2.2, -3.1):
        for y in (-1.0, 1.0):
            b.revolve([(-0.15, 0.0), (-0.15, 0.5), (0.15, 0.5), (0.15, 0.0)][::-1], sides, center=(x, y, 0.5), smooth=False)
    return b.mesh()
