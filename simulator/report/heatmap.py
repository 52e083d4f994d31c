"""A number over two things at once, as SVG: a field of colored cells with a scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from simulator.report.categorical_plots import shortened
from simulator.report.svg_plot import WIDTH

Array = NDArray[np.float64]

SCALE = ("#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")
"""From the least to the most: viridis of matplotlib (CC0) in ten steps, even to the eye and readable without color."""
NOTHING = "#e8e8e8"
"""Where there is no number."""
LEFT, TOP, RIGHT, BELOW = 108, 46, 84, 46
MOST_CELLS_WITH_NUMBERS = 10
"""Along an axis; more would not be readable."""
SPOT = 22
"""Least height of a cell."""


@dataclass(frozen=True)
class Heat:
    """Cells.

    Parameters
    ----------
    x, y : names of the axes; their places from left to right and from below, in words
    values : (places of y, places of x); NaN where there is none
    name : of the numbers
    """

    title: str
    x: str
    y: str
    x_words: Sequence[str]
    y_words: Sequence[str]
    values: Array
    name: str

    def svg(self) -> str:
        """As an `<svg>` element."""
        ny, nx = self.values.shape
        width = (WIDTH - LEFT - RIGHT) / nx
        height = max(SPOT, min(40.0, 200.0 / ny)) if ny <= 40 else 880.0 / ny
        low, high = _ends(self.values)
        cells = []
        for j in range(ny):
            for i in range(nx):
                cells.append(self._cell(LEFT + i * width, TOP + (ny - 1 - j) * height, width, height, self.values[j, i], (low, high)))
        bottom = TOP + ny * height
        tall = bottom + BELOW
        title = f'<title>{escape(self.title)}</title><text class="title" x="8" y="18">{escape(shortened(self.title, 76))}</text>'
        return (
            f'<svg class="still" viewBox="0 0 {WIDTH} {tall:.0f}" role="img">{title}{"".join(cells)}{self._marks(width, height, bottom)}'
            f'<text class="label" x="{LEFT + (WIDTH - LEFT - RIGHT) / 2:g}" y="{tall - 8:.0f}" text-anchor="middle">{escape(shortened(self.x, 70))} →</text>'
            f'<text class="label" x="8" y="{TOP - 8}">{escape(shortened(self.y, 70))} ↑</text>{_scale(low, high, bottom)}</svg>'
        )

    def _cell(self, x: float, y: float, width: float, height: float, value: float, ends: tuple[float, float]) -> str:
        there = bool(np.isfinite(value))
        share = 0.5 if ends[1] == ends[0] else (value - ends[0]) / (ends[1] - ends[0])
        drawn = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width + 0.3:.1f}" height="{height + 0.3:.1f}" fill="{color_of(share) if there else NOTHING}"/>'
        if there and self.values.shape[1] <= MOST_CELLS_WITH_NUMBERS and height >= SPOT:
            ink = "#fff" if share < 0.6 else "#111"
            drawn += f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + 4:.1f}" text-anchor="middle" style="fill:{ink};font-size:11px">{value:.3g}</text>'
        return drawn

    def _marks(self, width: float, height: float, bottom: float) -> str:
        """Words of the places, as many as there is room for."""
        every = max(1, int(np.ceil(46.0 / width)))
        most = max(4, int(every * width / 6.4) - 1)
        drawn = [
            f'<text x="{LEFT + (i + 0.5) * width:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{escape(shortened(word, most))}</text>'
            for i, word in enumerate(self.x_words)
            if i % every == 0
        ]
        every = max(1, int(np.ceil(16.0 / height)))
        drawn += [
            f'<text x="{LEFT - 6}" y="{bottom - (j + 0.5) * height + 4:.1f}" text-anchor="end">{escape(shortened(word, 13))}</text>'
            for j, word in enumerate(self.y_words)
            if j % every == 0
        ]
        return "".join(drawn)


def color_of(share: float) -> str:
    """Color at a share of the scale."""
    at = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    k = min(int(at), len(SCALE) - 2)
    one, other = (np.array([int(color[n : n + 2], 16) for n in (1, 3, 5)]) for color in SCALE[k : k + 2])
    return "#" + "".join(f"{round(float(part)):02x}" for part in one + (at - k) * (other - one))


def _ends(values: Array) -> tuple[float, float]:
    sound = values[np.isfinite(values)]
    return (float(sound.min()), float(sound.max())) if len(sound) else (0.0, 0.0)


def _scale(low: float, high: float, bottom: float) -> str:
    """The scale at the right."""
    left, tall, steps = WIDTH - RIGHT + 16, bottom - TOP, 24
    drawn = "".join(
        f'<rect x="{left}" y="{bottom - (k + 1) * tall / steps:.1f}" width="14" height="{tall / steps + 0.3:.1f}" fill="{color_of((k + 0.5) / steps)}"/>'
        for k in range(steps)
    )
    for share in (0.0, 0.5, 1.0):
        drawn += f'<text x="{left + 20}" y="{bottom - share * tall + 4:.1f}">{low + share * (high - low):.4g}</text>'
    return drawn
