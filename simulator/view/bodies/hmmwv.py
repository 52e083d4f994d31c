"""Body of a HMMWV, an original design of approximate dimensions, in chassis axes B: hood, cab, cargo bed, frame.

The reference point of B is in the middle between the axles at the height of the lower-arm hinges, 0.59 m above level ground.
Each function builds the left half where possible; the right half is the mirror image.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.view.bodies.cabin_parts import add_gear_lever, add_seat, gauge_hood, gauge_pane, pedals
from simulator.view.bodies.contract import Body, Cabin, Mirror, Size
from simulator.view.bodies.hmmwv_wheel import wheel
from simulator.view.bodies.mirrors import add_housing, door_mirror, inside_mirror
from simulator.view.meshes import HEAD_LAMP, REVERSE_LAMP, STOP_LAMP, TURN_SIGNAL, Builder, mirrored, moved

PAINT, SHADE, EDGE = (178, 157, 118), (158, 139, 104), (120, 105, 78)
CANVAS, CRATE = (98, 96, 74), (92, 84, 56)
BLACK, METAL, FRAME, INSIDE, SEAT = (28, 28, 28), (92, 92, 90), (68, 67, 66), (74, 72, 65), (80, 82, 68)
LAMP, AMBER, RED, GLASS = (240, 238, 228), (226, 128, 28), (170, 26, 20), (30, 40, 46)
FRONT_AXLE, REAR_AXLE = 1.6486, -1.6534
HOOD_X, HOOD_Z = (0.82, 1.25, 1.65, 2.03, 2.15), (0.700, 0.665, 0.625, 0.575, 0.515)
"""Center line of the hood, from the windshield to the front edge."""
HOOD_Y, HOOD_DROP = (0.0, 0.50, 0.56, 0.96, 1.055), (0.0, 0.006, 0.040, 0.052, 0.092)
"""Half cross-section of the hood: lateral position and drop below the center line."""
SHIELD = ((0.80, 0.685), (0.60, 1.17))
"""(x, z) of the lower and the upper edge of the windshield."""
BACK, TAIL = -1.00, -2.36
BELT, EAVES, RAIL, FLOOR = 0.66, 1.17, 0.60, 0.26
SIDE = 1.055
STEERING_WHEEL = (0.45, 0.66, 0.68)
"""Center of the steering wheel, in B."""
STEERING_TILT = 0.62
"""rad. Tilt of the steering wheel's axis above the horizontal, towards the driver."""
USUAL_EYE = np.array((0.10, 0.60, 1.0))
"""m. Driver's eye, in B."""
TOP_SPEED = 140.0 / 3.6
"""m/s. End of the scale of the speedometer, assumed: about 1.2 times the top speed."""
CAB = np.array([[-0.15, -0.66, 0.85], [0.15, 0.66, 1.01]])
"""m. Lower and upper corner of the possible positions of the driver's eyes, in B."""
_ARCH = ((-0.62, -0.02), (-0.58, 0.20), (-0.42, 0.41), (0.42, 0.41), (0.58, 0.20), (0.62, -0.02))
"""(x, z) of the wheel arch's edge about the axle."""


def hmmwv(size: Size) -> Body:
    """Return the body of the HMMWV, whose dimensions are fixed."""
    eye = np.clip(size.head, *CAB)
    return Body(shell(), fittings(eye), glass(), frame(), steering_wheel(), STEERING_WHEEL, STEERING_TILT, CAB, wheel, PAINT, cabin(eye))


def shell() -> Array:
    """Return the sheet metal: hood, fenders, doors, roof, bed."""
    half = Builder()
    for part in (_fender, _flank, _bed_side):
        part(half)
    whole = Builder().add(half.mesh()).add(mirrored(half.mesh()))
    for part in (_hood, _front, _cab):
        part(whole)
    return whole.mesh()


def fittings(eye: Array = USUAL_EYE) -> Array:
    """Return the mounted parts: mirrors adjusted for the driver's eye, seats, dashboard, load."""
    half = Builder()
    for part in (_details, _seat):
        part(half)
    whole = Builder().add(half.mesh()).add(mirrored(half.mesh()))
    for part in (_bed, _dashboard):
        part(whole)
    _mounted_mirrors(whole, _mirrors(eye))
    return whole.mesh()


def cabin(eye: Array = USUAL_EYE) -> Cabin:
    """Return what a driver with this eye sees besides the shell."""
    half = Builder()
    _details(half)
    add_seat(half, (0.08, 0.66, 0.40), SEAT, METAL)
    half.paint(INSIDE).box((BACK, 0.40, 0.02), (0.80, 0.98, 0.06))
    half.sheet([[(x, 1.01, z) for x in (-0.95, -0.2, 0.79)] for z in (0.06, 0.60, BELT)])
    half.paint(BLACK).box((-0.10, 0.965, 0.44), (0.50, 1.01, 0.475)).box((0.30, 0.99, 0.50), (0.62, 1.01, 0.60))
    whole = Builder().add(half.mesh()).add(mirrored(half.mesh()))
    for part in (_bed, _dashboard):
        part(whole)
    mirrors = _mirrors(eye)
    _mounted_mirrors(whole, mirrors)
    gauges = gauge_pane(eye, STEERING_WHEEL, STEERING_TILT, 0.13, (0.162, 0.063), 0.138)
    gauge_hood(whole.paint(BLACK), gauges, 0.03, 0.12)
    for y in np.linspace(-0.30, 0.30, 5):  # switches and plates of the passenger's side
        whole.paint(METAL, 0.4).revolve([(-0.012, 0.0), (-0.012, 0.012), (0.0, 0.014)], 10, axis=0, center=(0.565, y, 0.60), smooth=False)
    whole.paint(EDGE).box((0.545, -0.86, 0.50), (0.56, -0.46, 0.62))
    lever = add_gear_lever((0.30, 0.28, 0.45), BLACK, METAL)
    levers = (*pedals((STEERING_WHEEL[0] + 0.26, STEERING_WHEEL[1], 0.42), METAL, BLACK), lever)
    return Cabin(whole.mesh(), levers, gauges, TOP_SPEED, mirrors)


def frame() -> Array:
    """Return ladder frame, axle housings and spring towers, on which the suspension is mounted."""
    half = Builder().paint(FRAME)
    half.box((-2.30, 0.22, 0.03), (2.16, 0.31, 0.15))
    for x, side in ((FRONT_AXLE, 1.0), (REAR_AXLE, -1.0)):
        half.box((x - 0.30, 0.20, -0.03), (x + 0.34, 0.30, 0.05))
        tower = x + 0.144 * side
        half.box((tower - 0.10, 0.30, 0.10), (tower + 0.10, 0.42, 0.36)).box((tower - 0.08, 0.40, 0.30), (tower + 0.08, 0.56, 0.36))
        half.box((x - 0.30, 0.30, 0.15), (x + 0.10, 0.47, 0.22))
    whole = Builder().add(half.mesh()).add(mirrored(half.mesh())).paint(METAL, 0.2)
    for x in (FRONT_AXLE, REAR_AXLE):
        drum = [(-0.20, 0.0), (-0.20, 0.07), (-0.08, 0.14), (0.08, 0.14), (0.20, 0.07), (0.20, 0.0)]
        whole.revolve(drum, 14, center=(x, 0.0, 0.12))
    whole.tube([(FRONT_AXLE, 0.0, 0.12), (0.0, 0.0, 0.12), (REAR_AXLE, 0.0, 0.12)], 0.04)
    whole.paint(FRAME)
    for x in (2.06, 0.9, -0.4, -2.2):
        whole.box((x - 0.05, -0.23, 0.04), (x + 0.05, 0.23, 0.13))
    return whole.mesh()


def glass() -> Array:
    """Return the window panes, visible only from outside."""
    half = Builder().paint(GLASS, 1.0)
    _facing(half, [_shield(u, y) for u, y in ((0.10, 0.045), (0.10, 0.90), (0.92, 0.84), (0.92, 0.045))], (1, 0, 0.4))
    for panel in _SIDE_WINDOWS:
        _facing(half, [_cab_side(x, z, 0.004) for x, z in panel], (0, 1, 0))
    whole = Builder().add(half.mesh()).add(mirrored(half.mesh())).paint(GLASS, 1.0)
    _facing(whole, [(BACK + 0.002, y, z) for y, z in ((-0.60, 0.72), (0.60, 0.72), (0.56, 1.09), (-0.56, 1.09))], (-1, 0, 0))
    return whole.mesh()


def steering_wheel() -> Array:
    """Return rim, three spokes and hub; the axle is x, which points forward and down when mounted; one spoke points down."""
    b = Builder().paint(BLACK, 0.2)
    angle = np.linspace(0.0, 2.0 * math.pi, 41)
    b.tube(np.column_stack((0.0 * angle, 0.205 * np.cos(angle), 0.205 * np.sin(angle))), 0.016, 8)
    b.revolve([(-0.03, 0.0), (-0.03, 0.05), (0.03, 0.06), (0.09, 0.03)][::-1], 16, axis=0)
    b.paint(METAL, 0.4)
    for turn in (0.35, math.pi - 0.35, -0.5 * math.pi):
        tip = np.array([0.0, 0.2 * math.cos(turn), 0.2 * math.sin(turn)])
        b.tube([0.2 * tip, tip], 0.012, 6)
    return b.mesh()


def _facing(b: Builder, points: Any, outward: Any) -> None:
    """Add a flat polygon with its outside towards `outward`."""
    p = np.asarray(points, float)
    n = np.cross(p[1] - p[0], p[2] - p[0])
    b.polygon(p if n @ np.asarray(outward, float) > 0.0 else p[::-1])


def _arch(axle: float) -> Array:
    return np.array([(axle + x, z) for x, z in _ARCH])


def _shield(u: float, y: float) -> tuple[float, float, float]:
    """Return a point of the windshield's plane: u from the lower to the upper edge."""
    (x0, z0), (x1, z1) = SHIELD
    return x0 + u * (x1 - x0), y, z0 + u * (z1 - z0)


def _cab_side(x: float, z: float, out: float = 0.0) -> tuple[float, float, float]:
    """Return a point of the cab's tilted side wall above the belt."""
    return x, 1.02 + out - 0.27 * (z - BELT), z


_SIDE_WINDOWS = (
    ((0.685, 0.70), (0.515, 1.115), (-0.09, 1.115), (-0.09, 0.70)),
    ((-0.21, 0.70), (-0.21, 1.115), (-0.85, 1.115), (-0.85, 0.70)),
)


def _hood(b: Builder) -> None:
    y = np.concatenate((-np.array(HOOD_Y)[::-1], np.array(HOOD_Y)[1:]))
    drop = np.concatenate((np.array(HOOD_DROP)[::-1], np.array(HOOD_DROP)[1:]))
    narrow = np.array([1.0, 1.0, 1.0, 0.99, 0.955])[:, None]
    grid = np.empty((len(HOOD_X), len(y), 3))
    grid[..., 0] = np.array(HOOD_X)[:, None] - 0.05 * (np.abs(y) / SIDE) ** 4 * (np.array(HOOD_X)[:, None] > 2.0)
    grid[..., 1], grid[..., 2] = y * narrow, np.array(HOOD_Z)[:, None] - drop
    b.paint(PAINT, 0.1).sheet(grid)
    b.paint(BLACK).box((1.36, -0.26, 0.60), (1.78, 0.26, 0.652))
    b.paint(SHADE)
    for x in np.linspace(1.40, 1.74, 7):
        b.box((x, -0.25, 0.64), (x + 0.025, 0.25, 0.668 - 0.07 * (x - 1.36)))
    b.paint(EDGE).box((1.05, -0.40, 0.67), (1.10, -0.34, 0.70)).box((1.05, 0.34, 0.67), (1.10, 0.40, 0.70))


def _front(b: Builder) -> None:
    top = [(2.15 - 0.05 * (abs(y) / SIDE) ** 4, 0.955 * y, 0.515 - d) for y, d in zip(HOOD_Y, HOOD_DROP, strict=True)]
    for a, c in pairwise(top):
        for s in (1.0, -1.0):
            quad = [(a[0], s * a[1], a[2]), (c[0], s * c[1], c[2]), (c[0] + 0.01, s * c[1], 0.24), (a[0] + 0.01, s * a[1], 0.24)]
            _facing(b.paint(PAINT, 0.1), quad, (1, 0, 0))
    _facing(b.paint(SHADE), [(2.155, -0.60, 0.24), (2.155, 0.60, 0.24), (2.12, 0.60, 0.04), (2.12, -0.60, 0.04)], (1, 0, 0))
    b.paint(BLACK).box((2.10, -0.47, 0.225), (2.170, 0.47, 0.475))
    b.paint(PAINT, 0.1)
    for y in np.linspace(-0.47, 0.47, 9):
        b.box((2.12, y - 0.022, 0.215), (2.186, y + 0.022, 0.485))
    b.box((2.12, -0.50, 0.475), (2.18, 0.50, 0.50)).box((2.12, -0.50, 0.20), (2.18, 0.50, 0.225))
    for s in (1.0, -1.0):
        b.paint(EDGE).box((2.10, s * 0.72 - 0.15, 0.235), (2.168, s * 0.72 + 0.15, 0.47))
        b.paint(BLACK).revolve([(2.180, 0.0), (2.180, 0.105), (2.10, 0.115)][::-1], 20, axis=0, center=(0, s * 0.70, 0.355), smooth=False)
        b.paint(LAMP, HEAD_LAMP + 0.8).revolve([(2.192, 0.0), (2.186, 0.06), (2.170, 0.092)][::-1], 20, axis=0, center=(0, s * 0.70, 0.355))
        b.paint(AMBER, TURN_SIGNAL + 0.5).box((2.10, s * 0.90 - 0.045, 0.28), (2.150, s * 0.90 + 0.045, 0.35))
    b.paint(METAL, 0.1).box((2.17, -0.80, 0.055), (2.275, 0.80, 0.185))
    b.paint(BLACK)
    for s in (1.0, -1.0):
        b.box((2.275, s * 0.45 - 0.035, 0.07), (2.34, s * 0.45 + 0.035, 0.15)).box(
            (2.10, s * 0.30 - 0.05, 0.04), (2.18, s * 0.30 + 0.05, 0.14)
        )


def _fender(b: Builder) -> None:
    """Add the front side panel with its arch, and the dark wheel well behind it."""
    arch = _arch(FRONT_AXLE)
    edge = np.array([(x, np.interp(x, arch[:, 0], arch[:, 1])) for x in (*arch[:4, 0], 2.085, 2.12)])
    top = np.interp(edge[:, 0], HOOD_X, HOOD_Z) - HOOD_DROP[-1] + 0.001
    y = np.where(edge[:, 0] > 2.0, SIDE * (1.0 - 0.30 * (edge[:, 0] - 2.0)), SIDE)
    b.paint(PAINT, 0.1).sheet(np.stack((np.column_stack((edge[:, 0], y, edge[:, 1])), np.column_stack((edge[:, 0], y, top)))))
    _arch_trim(b, edge, y)


def _arch_trim(b: Builder, edge: Array, y: Any) -> None:
    """Add the flare around the arch and the inner surface of the wheel well."""
    line = np.column_stack((edge[:, 0], np.broadcast_to(y, len(edge)), edge[:, 1]))
    b.paint(EDGE).sheet(np.stack((line + [0, -0.03, 0.0], line + [0, 0.028, 0.0], line + [0, 0.028, 0.03], line + [0, 0.0, 0.05])))
    b.paint(BLACK).sheet(np.stack((line * [1, 0, 1] + [0, 0.56, 0.0], line)))
    inner = np.column_stack((edge[:, 0], np.full(len(edge), 0.56), edge[:, 1]))
    b.sheet(np.stack((inner * [1, 1, 0] + [0, 0, 0.05], inner)))


def _flank(b: Builder) -> None:
    """Add doors and sill between the arches, and the side windows above."""
    low, high = REAR_AXLE + 0.60, FRONT_AXLE - 0.60
    profile = ((0.90, -0.03), (1.02, -0.01), (1.055, 0.10), (1.075, 0.36), (1.055, 0.61), (1.02, BELT))
    xs = (low, BACK, -0.155, 0.79, high)
    b.paint(PAINT, 0.1).sheet([[(x, y, z) for x in xs] for y, z in profile])
    for x in (0.79, -0.155, -0.90):
        b.paint(EDGE).box((x - 0.007, 1.03, 0.07), (x + 0.007, 1.079, 0.60))
    b.box((-0.90, 1.045, 0.055), (0.79, 1.064, 0.07))
    b.paint(BLACK, 0.2)
    for x in (-0.03, -0.80):
        b.box((x - 0.07, 1.06, 0.515), (x + 0.07, 1.098, 0.545))
    for x in (0.74, -0.20):
        for z in (0.16, 0.50):
            b.box((x - 0.05, 1.05, z - 0.02), (x + 0.05, 1.092, z + 0.02))
    b.paint(PAINT, 0.1)
    frames = (
        ((0.80, BELT), (0.60, EAVES), (0.50, EAVES), (0.685, 0.70), (0.685, BELT)),
        ((0.60, EAVES), (-1.0, EAVES), (-1.0, 1.115), (0.515, 1.115)),
        ((0.70, BELT), (0.685, 0.70), (-1.0, 0.70), (-1.0, BELT)),
        ((-0.09, 0.70), (-0.09, 1.115), (-0.21, 1.115), (-0.21, 0.70)),
        ((-0.85, 0.70), (-0.85, 1.115), (-1.0, 1.115), (-1.0, 0.70)),
    )
    for panel in frames:
        _facing(b, [_cab_side(x, z) for x, z in panel], (0, 1, 0))


def _cab(b: Builder) -> None:
    b.paint(PAINT, 0.1)
    for s in (1.0, -1.0):
        for strip in (((0.0, 0.0), (0.0, 1.02), (0.10, 0.99), (0.10, 0.0)), ((0.92, 0.0), (0.92, 0.86), (1.0, 0.885), (1.0, 0.0)),
                      ((0.0, 0.90), (0.0, 1.02), (1.0, 0.885), (1.0, 0.80))):  # fmt: skip
            _facing(b, [(x, s * y, z) for x, y, z in (_shield(u, y) for u, y in strip)], (1, 0, 0.4))
    _facing(b, [_shield(0.08, -0.035), _shield(0.08, 0.035), _shield(0.95, 0.035), _shield(0.95, -0.035)], (1, 0, 0.4))
    y = np.array([0.882, 0.80, 0.45])
    y = np.concatenate((-y, y[::-1]))
    rise = np.array([0.0, 0.035, 0.05])
    rise = np.concatenate((rise, rise[::-1]))
    x, full = np.array([BACK, BACK + 0.10, 0.50, SHIELD[1][0]]), np.array([0.0, 1.0, 1.0, 0.0])
    roof = np.empty((4, 6, 3))
    roof[..., 0], roof[..., 1], roof[..., 2] = x[:, None], y, EAVES + full[:, None] * rise
    b.sheet(roof)
    b.paint(SHADE)
    for at in (-0.75, -0.30, 0.15):
        b.box((at - 0.02, -0.80, 1.20), (at + 0.02, 0.80, 1.232))
    b.paint(PAINT, 0.1)
    back = BACK
    for panel in (((-1.02, FLOOR), (1.02, FLOOR), (1.02, BELT), (-1.02, BELT)), ((-1.02, BELT), (1.02, BELT), (1.0, 0.72), (-1.0, 0.72)),
                  ((-0.91, 1.09), (0.91, 1.09), (0.882, EAVES), (-0.882, EAVES)), ((0.60, 0.72), (1.0, 0.72), (0.91, 1.09), (0.56, 1.09)),
                  ((-0.60, 0.72), (-1.0, 0.72), (-0.91, 1.09), (-0.56, 1.09))):  # fmt: skip
        _facing(b, [(back, y, z) for y, z in panel], (-1, 0, 0))


def _bed_side(b: Builder) -> None:
    arch = _arch(REAR_AXLE)[::-1]
    edge = np.vstack(([REAR_AXLE + 0.62, -0.02], arch[1:-1], [REAR_AXLE - 0.62, 0.08], [TAIL, 0.10]))
    upper = np.column_stack((edge[:, 0], np.full(len(edge), SIDE), np.full(len(edge), RAIL)))
    lower = np.column_stack((edge[:, 0], np.full(len(edge), SIDE), edge[:, 1]))
    b.paint(PAINT, 0.1).sheet(np.stack((lower, upper))[:, ::-1])
    _arch_trim(b, edge[:-1][::-1], SIDE)
    b.paint(SHADE).box((TAIL, 0.975, 0.44), (BACK, SIDE - 0.002, RAIL + 0.012))
    b.paint(INSIDE).box((TAIL + 0.06, 0.56, FLOOR), (BACK - 0.04, 0.98, 0.45))
    b.paint(EDGE)
    for x in (-1.25, -1.65, -2.05):
        b.box((x - 0.03, SIDE - 0.01, 0.47), (x + 0.03, SIDE + 0.018, 0.585))


def _bed(b: Builder) -> None:
    b.paint(INSIDE).box((TAIL, -0.98, FLOOR - 0.04), (BACK, 0.98, FLOOR))
    b.paint(PAINT, 0.1).box((TAIL - 0.05, -1.0, 0.14), (TAIL, 1.0, RAIL - 0.01))
    b.paint(EDGE)
    for y in (-0.55, 0.0, 0.55):
        b.box((TAIL - 0.066, y - 0.03, 0.17), (TAIL - 0.05, y + 0.03, RAIL - 0.03))
    b.box((TAIL - 0.066, -0.98, 0.30), (TAIL - 0.05, 0.98, 0.33))
    for s in (1.0, -1.0):
        b.paint(BLACK).box((TAIL - 0.075, s * 0.88 - 0.09, 0.36), (TAIL - 0.05, s * 0.88 + 0.09, 0.54))
        b.paint(RED, STOP_LAMP + 0.5).box((TAIL - 0.085, s * 0.88 - 0.07, 0.45), (TAIL - 0.07, s * 0.88 + 0.07, 0.525))
        b.paint(AMBER, TURN_SIGNAL + 0.5).box((TAIL - 0.085, s * 0.88 - 0.07, 0.375), (TAIL - 0.07, s * 0.88 + 0.07, 0.435))
        b.paint(LAMP, REVERSE_LAMP + 0.5).box((TAIL - 0.075, s * 0.74 - 0.03, 0.42), (TAIL - 0.05, s * 0.74 + 0.03, 0.48))
        b.paint(METAL, 0.1).box((TAIL - 0.13, s * 0.66 - 0.26, 0.02), (TAIL - 0.02, s * 0.66 + 0.26, 0.13))
    b.paint(BLACK).box((TAIL - 0.16, -0.06, 0.0), (TAIL, 0.06, 0.12))
    spare = wheel(0.46, 0.30)
    flat = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    b.add(moved(spare, flat, (-1.86, 0.0, FLOOR + 0.17)))
    b.paint(CRATE).box((-1.36, -0.52, FLOOR), (-1.06, 0.02, 0.70)).box((-1.36, 0.06, FLOOR), (-1.06, 0.52, 0.62))
    b.paint(CANVAS).tube([(-1.20, -0.50, 0.79), (-1.20, 0.10, 0.79)], 0.10, 10)
    b.paint(CANVAS).box((-2.30, 0.60, 0.45), (-2.14, 0.96, 0.78)).box((-2.30, -0.96, 0.45), (-2.14, -0.60, 0.78))


def _mirrors(eye: Array) -> tuple[Mirror, ...]:
    half = 0.065, 0.105
    left, right = (door_mirror(place, eye, half) for place in ((0.80, 1.21, 0.91), (0.50, -1.25, 0.91)))  # both clear of the pillars
    return left, inside_mirror((0.62, 0.03, 1.075), eye, (BACK, 0.0, 0.905), (0.10, 0.034)), right


def _mounted_mirrors(b: Builder, mirrors: tuple[Mirror, ...]) -> None:
    for mirror in mirrors:
        add_housing(b, mirror, BLACK, 0.04)
    for x, y, _ in (mirrors[0].glass.center, mirrors[2].glass.center):
        b.paint(BLACK).tube([(x - 0.06, 0.84 * y, 0.68), (x + 0.04, 0.99 * y, 0.76), (x + 0.02, y, 0.80)], 0.014, 6)
    b.paint(BLACK).tube([mirrors[1].glass.center + (0.03, 0.0, 0.0), (0.63, 0.0, 1.13)], 0.009, 6)


def _details(b: Builder) -> None:
    b.paint(BLACK)
    b.tube([(0.83, 0.20, 0.71), (0.75, 0.48, 0.86)], 0.005, 5)
    b.tube([(TAIL + 0.10, 1.0, RAIL), (TAIL + 0.10, 1.0, 1.1), (TAIL - 0.02, 1.0, 2.1)], 0.007, 5)
    b.paint(METAL).tube([(BACK - 0.03, 0.90, 0.30), (BACK - 0.03, 0.90, 1.24)], 0.03, 8)
    b.paint(AMBER, TURN_SIGNAL + 0.5).box((0.95, SIDE, 0.50), (1.03, SIDE + 0.02, 0.54))
    b.paint(FRAME).box((BACK, 0.31, -0.02), (0.80, 0.92, 0.02))


def _seat(b: Builder) -> None:
    b.paint(SEAT).box((-0.40, 0.44, 0.22), (0.12, 0.90, 0.42)).box((-0.50, 0.44, 0.36), (-0.36, 0.90, 0.98))
    b.paint(INSIDE).box((BACK, 0.40, 0.02), (0.80, 0.98, 0.06))


def _dashboard(b: Builder) -> None:
    b.paint(INSIDE).box((-0.95, -0.40, 0.02), (0.62, 0.40, 0.46))
    b.paint(FRAME).box((0.35, -0.20, 0.02), (1.50, 0.20, 0.46)).box((-0.5, -0.16, 0.0), (0.35, 0.16, 0.26)).paint(INSIDE)
    b.hexahedron([(0.52, -0.98, 0.40), (0.79, -0.98, 0.40), (0.79, 0.98, 0.40), (0.52, 0.98, 0.40),
                  (0.60, -0.97, 0.70), (0.79, -0.97, 0.715), (0.79, 0.97, 0.715), (0.60, 0.97, 0.70)])  # fmt: skip
    b.paint(INSIDE).tube([(0.40, 0.66, 0.66), (0.62, 0.66, 0.54)], 0.03, 8)
