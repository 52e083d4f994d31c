"""Heat map as SVG: a grid of colored cells over two quantities, with a color scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from simulator.base.arrays import Array
from simulator.report.plot import shortened
from simulator.report.svg_renderer import WIDTH

SCALE = ("#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")
"""Colors from minimum to maximum: ten steps of viridis of matplotlib (CC0), perceptually uniform and readable without color."""
MISSING_COLOR = "#e8e8e8"
"""Color of a cell without a number."""
LEFT, TOP, RIGHT, BELOW = 108, 46, 84, 46
MAX_CELLS_WITH_NUMBERS = 10
"""Maximum number of cells with numbers along an axis, for readability."""
MIN_TEXT_HEIGHT = 22
"""Minimum height of a cell with a number."""


@dataclass(frozen=True)
class Heat:
    """Heat map.

    Parameters
    ----------
    x, y : names of the axes
    x_words, y_words : labels of the cells from left to right and from bottom to top
    values : (number of y labels, number of x labels); NaN for a missing value
    name : name of the values
    """

    title: str
    x: str
    y: str
    x_words: Sequence[str]
    y_words: Sequence[str]
    values: Array
    name: str

    def svg(self) -> str:
        """Return the plot as an `<svg>` element."""
        ny, nx = self.values.shape
        width = (WIDTH - LEFT - RIGHT) / nx
        height = max(MIN_TEXT_HEIGHT, min(40.0, 200.0 / ny)) if ny <= 40 else 880.0 / ny
        low, high = _ends(self.values)
        cells = []
        for j in range(ny):
            for i in range(nx):
                cells.append(self._cell(LEFT + i * width, TOP + (ny - 1 - j) * height, width, height, self.values[j, i], (low, high)))
        bottom = TOP + ny * height
        total_height = bottom + BELOW
        title = f'<title>{escape(self.title)}</title><text class="title" x="8" y="18">{escape(shortened(self.title, 76))}</text>'
        return (
            f'<svg class="still" viewBox="0 0 {WIDTH} {total_height:.0f}" role="img">{title}{"".join(cells)}{self._marks(width, height, bottom)}'
            f'<text class="label" x="{LEFT + (WIDTH - LEFT - RIGHT) / 2:g}" y="{total_height - 8:.0f}" text-anchor="middle">{escape(shortened(self.x, 70))} →</text>'
            f'<text class="label" x="8" y="{TOP - 8}">{escape(shortened(self.y, 70))} ↑</text>{_scale(low, high, bottom)}</svg>'
        )

    def _cell(self, x: float, y: float, width: float, height: float, value: float, ends: tuple[float, float]) -> str:
        is_known = bool(np.isfinite(value))
        fraction = 0.5 if ends[1] == ends[0] else (value - ends[0]) / (ends[1] - ends[0])
        drawn = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width + 0.3:.1f}" height="{height + 0.3:.1f}" fill="{color_of(fraction) if is_known else MISSING_COLOR}"/>'
        if is_known and self.values.shape[1] <= MAX_CELLS_WITH_NUMBERS and height >= MIN_TEXT_HEIGHT:
            ink = "#fff" if fraction < 0.6 else "#111"
            drawn += f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + 4:.1f}" text-anchor="middle" style="fill:{ink};font-size:11px">{value:.3g}</text>'
        return drawn

    def _marks(self, width: float, height: float, bottom: float) -> str:
        """Return the labels of the cells, thinned to the available space."""
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


def color_of(fraction: float) -> str:
    """Return the color at a fraction of the scale."""
    at = min(max(fraction, 0.0), 1.0) * (len(SCALE) - 1)
    k = min(int(at), len(SCALE) - 2)
    one, next_color = (np.array([int(color[n : n + 2], 16) for n in (1, 3, 5)]) for color in SCALE[k : k + 2])
    return "#" + "".join(f"{round(float(part)):02x}" for part in one + (at - k) * (next_color - one))


def _ends(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)


def _scale(low: float, high: float, bottom: float) -> str:
    """Return the color scale on the right."""
    left, total_height, steps = WIDTH - RIGHT + 16, bottom - TOP, 24
    drawn = "".join(
        f'<rect x="{left}" y="{bottom - (k + 1) * total_height / steps:.1f}" width="14" height="{total_height / steps + 0.3:.1f}" fill="{color_of((k + 0.5) / steps)}"/>'
        for k in range(steps)
    )
    for fraction in (0.0, 0.5, 1.0):
        drawn += f'<text x="{left + 20}" y="{bottom - fraction * total_height + 4:.1f}">{low + fraction * (high - low):.4g}</text>'
    return drawn
