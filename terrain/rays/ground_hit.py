"""First crossing of a ray and the ground."""

from __future__ import annotations

import math

from simulator.base.jit import inline
from terrain.rays.bernstein import first_zero, patch_along
from terrain.rays.curb_hit import curb_hit
from terrain.rays.feature_cells import FIRST_CURB, MIXED, PER_BIN
from terrain.rays.march import Gap, feature_span, march, march_mixed, march_rough
from terrain.rays.pyramid import cell_at, next_cell
from terrain.rays.surface import BORDER, node_at
from terrain.roughness import GAIN_STEPS

ON_SURFACE = 1e-12
"""m. A ray that starts closer to the ground starts on it, and the start is no hit."""


@inline
def ground_hit(ground, surface, ray, side, free, end, rough):
    """Return t [m] of the first crossing of a ray and the ground at 0 < t <= end, inf if there is none.

    Parameters
    ----------
    side : 1 = the ray starts above the ground, -1 = below
    free : before this t, there is no crossing
    """
    g, s = ground.p[0], surface.p[0]
    x, y, z, dx, dy, dz = ray
    w = z - g["height"] - g["slope"][0] * x - g["slope"][1] * y
    dw = dz - g["slope"][0] * dx - g["slope"][1] * dy
    if s["level"]:
        return _plane_hit(ground, surface, ray, (w - s["deviation"], dw, side), (free, end), rough)
    u, v = (x - g["origin"][0]) / g["spacing"][0], (y - g["origin"][1]) / g["spacing"][1]
    du, dv = dx / g["spacing"][0], dy / g["spacing"][1]
    ny, nx = ground.heights.shape
    column, row = 0, 0
    if g["mirrored"]:
        column, row = math.floor((u + 0.5) / nx), math.floor((v + 0.5) / ny)
    t = 0.0
    while t < end:
        out_u = out_v = math.inf
        if g["mirrored"]:
            out_u, out_v = _exit(u, du, column, nx), _exit(v, dv, row, ny)
        out = max(min(out_u, out_v, end), t)
        if out > free:
            image = (*_image(u, du, column, nx), *_image(v, dv, row, ny))
            along = image[0], image[2], w, image[1], image[3], dw
            hit = _grid_hit(ground, surface, ray, along, (t, max(t, free), out), (side, column == 0 and row == 0), rough)
            if hit < math.inf:
                return hit
        t = out
        if out_u <= out_v:
            column += 1 if du > 0.0 else -1
        else:
            row += 1 if dv > 0.0 else -1
    return math.inf


@inline
def _exit(u, du, k, count):
    """Return t where a ray leaves the mirror image k of a map along one axis."""
    if du == 0.0:
        return math.inf
    return ((k + 1.0 if du > 0.0 else k) * count - 0.5 - u) / du


@inline
def _image(u, du, k, count):
    """Return (u, du) of the mirror image of a ray in the map, along one axis."""
    return (u - k * count, du) if k % 2 == 0 else ((k + 1) * count - 1 - u, -du)


@inline
def _plane_hit(ground, surface, ray, along, part, rough):
    """Return t of the first crossing with a ground whose base is a plane.

    along : height above the plane at the start, its rate, and side as for `ground_hit`
    part : free and end as for `ground_hit`
    """
    w, dw, side = along
    free, end = part
    if rough and surface.p[0]["rough_height"] > 0.0:
        b = gap_along((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), w, dw * end, side)
        return march(ground, surface, ray, Gap(0.0, end, side, b), rough)
    t = math.inf if abs(w) < ON_SURFACE or dw == 0.0 else -w / dw
    plane = t if 0.0 < t <= end else math.inf
    near, far = feature_span(ground.features.bins, ray, 0.0, end)
    if not near < far or plane <= near:
        return plane
    hit = _feature_hit(ground, surface, ray, along, (near, max(free, near), far))
    if hit < math.inf:
        return hit
    return plane if plane >= far else math.inf


@inline
def _feature_hit(ground, surface, ray, along, part):
    """Return t of the first crossing with features on a plane; part: start, place before which there is no crossing, end."""
    w, dw, side = along
    start, free, end = part
    b, cells = ground.features.bins[0], surface.features
    rows, columns = cells.numbers.shape
    per = PER_BIN / b["size"]
    u, v, du, dv = (ray[0] - b["origin"][0]) * per, (ray[1] - b["origin"][1]) * per, ray[3] * per, ray[4] * per
    lines = u, v, w, du, dv, dw, 1.0 / du, 1.0 / dv
    t, cell, begins = free, (cell_at(u + du * free, columns), cell_at(v + dv * free, rows)), True
    while True:
        t, out, cell = next_cell(surface.pyramid, lines, t, cell, (start, end), begins, (side, 0.0))
        if t >= end:
            return math.inf
        begins = False
        if out <= t:
            continue
        number = cells.numbers[cell[1], cell[0]]
        if number < 0:
            gap = Gap(t, out, side, gap_along((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), w + dw * t, dw * (out - t), side))
            if number <= FIRST_CURB:
                hit = curb_hit(ground.features.pieces[FIRST_CURB - number], ray, gap, (t, out))
            else:
                hit = march_mixed(ground, surface, ray, gap, (t, out), 0, cell[1] // PER_BIN * b["count"][0] + cell[0] // PER_BIN)
            if hit < math.inf:
                return hit
            continue
        above = w - cells.levels[number]
        if side * (above + dw * t) < 0.0 and t > 0.0:
            return t
        hit = -above / dw if dw != 0.0 else math.inf
        if max(t, ON_SURFACE) <= hit <= out and abs(above) >= ON_SURFACE:
            return hit


@inline
def _grid_hit(ground, surface, ray, along, part, at, rough):
    """Return t of the first crossing in a part of a ray.

    Parameters
    ----------
    along : u, v, w and their rates: in nodes of the map, and height above the base plane
    part : start, place before which there is no crossing, end
    at : side as for `ground_hit`, and True in the map itself, False in a mirror image of it
    """
    mirrored = ground.p[0]["mirrored"]
    ny, nx = ground.heights.shape
    u, v, w, du, dv, dw = along
    start, free, end = part
    side, real = at
    slack = surface.p[0]["rough_height"] if rough else 0.0
    near, far = feature_span(ground.features.bins, ray, start, end)
    cells = u + BORDER, v + BORDER, w, du, dv, dw, 1.0 / du, 1.0 / dv
    t = free
    levels = surface.pyramid.levels
    cell, begins = (cell_at(cells[0] + du * t, levels[1]), cell_at(cells[1] + dv * t, levels[2])), True
    while True:
        t, out, cell = next_cell(surface.pyramid, cells, t, cell, (start, end), begins, (side, slack))
        if t >= end:
            return math.inf
        begins = False
        if out <= t:
            continue
        k, m = cell[0] - BORDER, cell[1] - BORDER
        columns = node_at(k - 1, nx, mirrored), node_at(k, nx, mirrored), node_at(k + 1, nx, mirrored), node_at(k + 2, nx, mirrored)
        rows = (
            nx * node_at(m - 1, ny, mirrored),
            nx * node_at(m, ny, mirrored),
            nx * node_at(m + 1, ny, mirrored),
            nx * node_at(m + 2, ny, mirrored),
        )
        b = patch_along(surface.nodes, columns, rows, u + du * t - k, v + dv * t - m, u + du * out - k, v + dv * out - m)
        number = 0
        if t < far and out > near:
            number = surface.numbers[cell[1], cell[0]] if real else MIXED
        b = gap_along(b, w + dw * t - (surface.features.levels[number] if number > 0 and slack == 0.0 else 0.0), dw * (out - t), side)
        if number < 0 or slack > 0.0:
            if number <= FIRST_CURB and slack == 0.0:
                hit = curb_hit(ground.features.pieces[FIRST_CURB - number], ray, Gap(t, out, side, b), (t, out))
            elif number != 0:
                hit = march(ground, surface, ray, Gap(t, out, side, b), rough)
            else:
                hit = march_rough(ground, surface, ray, Gap(t, out, side, b), _gains(ground.roughness.gain, columns, rows))
            if hit < math.inf:
                return hit
            continue
        if b[0] < 0.0:
            if t > 0.0:
                return t
            b = 0.0, b[1], b[2], b[3], b[4], b[5], b[6]
        s = first_zero(b)
        if s < math.inf:
            return t + s * (out - t)


@inline
def _gains(gain, columns, rows):
    """Return the smallest and the largest gain of the roughness in a cell; columns and nx rows are the indices of the 4 x 4 nodes around it."""
    if gain.shape[0] == 0:
        return 1.0, 1.0
    low, high, nx = 1.0, 0.0, gain.shape[1]
    for row in rows:
        for column in columns:
            own = gain[row // nx, column] / GAIN_STEPS
            low, high = min(low, own), max(high, own)
    return low, high


@inline
def gap_along(b, w, dw, side):
    """Return the Bernstein coefficients of the height above a patch (coefficients b) of a ray, w at its start and w + dw at its end, times side."""
    step = dw / 6.0
    return (
        side * (w - b[0]),
        side * (w + step - b[1]),
        side * (w + 2.0 * step - b[2]),
        side * (w + 3.0 * step - b[3]),
        side * (w + 4.0 * step - b[4]),
        side * (w + 5.0 * step - b[5]),
        side * (w + dw - b[6]),
    )
