"""Do PNG files of plots have the same legends as the page?"""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_hex

from simulator.report.plot import COLORS, GRAY, GREEN, RED, SKY, Axis, Band, Curve, Panel, Plot, style_of
from simulator.report.png_renderer import figure_of, png

T = np.linspace(0.0, 1.0, 5)


def legend_of(*items):
    """Names and colors of the legend of a panel."""
    curves, bands = [one for one in items if isinstance(one, Curve)], [one for one in items if isinstance(one, Band)]
    plot = Plot("p", [Panel("panel", Axis("t"), Axis("y"), curves, bands)])
    legend = figure_of(plot).axes[0].get_legend()
    assert png(plot).startswith(b"\x89PNG")
    colors = [to_hex(one.get_facecolor()[0] if hasattr(one, "get_paths") else one.get_color()) for one in legend.legend_handles]
    return [text.get_text() for text in legend.get_texts()], colors


def test_a_name_that_begins_with_an_underscore_is_in_the_legend():
    assert legend_of(Curve("_hidden", T, T, RED), Curve("seen", T, T, SKY)) == (["_hidden", "seen"], [COLORS[RED], COLORS[SKY]])


def test_the_first_item_of_a_name_is_in_the_legend():
    """As on a page: the curve, not the band, and the first of two curves."""
    assert legend_of(Curve("one", T, T, RED), Curve("one", T, -T, SKY), Band("one", T, T, T + 1.0, GREEN)) == (["one"], [COLORS[RED]])


def test_the_frame_cuts_lines_and_not_the_dots_on_it():
    """Dots beyond the frame are left out."""
    panel = Panel("panel", Axis("t"), Axis("y", most=0.5), [Curve("c", T, T, RED, points=True)])
    line, dots = figure_of(Plot("p", [panel])).axes[0].lines
    assert (line.get_clip_on(), dots.get_clip_on()) == (True, False)
    assert dots.get_xdata().tolist() == [0.0, 0.25, 0.5] and len(line.get_xdata()) == len(T)


def test_many_curves_differ_in_color_or_dash():
    styles = [style_of(n) for n in range(21)]
    assert len(set(styles)) == 21 and GRAY not in dict(styles) and styles[0] == (Curve("", T, T).color, Curve("", T, T).dash)
    assert [style_of(n) for n in range(21, 42)] == styles


def test_a_long_name_in_a_legend_is_shortened_and_not_cut():
    """Two columns of panels: the legend stands above the last one and must end before the edge of the picture."""
    x = np.linspace(0.0, 9.0, 50)
    curves = [
        Curve(f"vehicle {n} of the folder runs/2026-11-26_double_lane_change_at_the_limit_of_the_tires_{n}", x, x + n, n) for n in range(3)
    ]
    panel = Panel("steer", Axis("time", "s"), Axis("steer", "deg"), curves)
    figure = figure_of(Plot("runs", [panel, panel], columns=2))
    figure.canvas.draw()
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is not None:
            texts = [text.get_text() for text in legend.get_texts()]
            assert len(set(texts)) == 3 and all(text.startswith("vehicle") and text.endswith(f"tires_{n}") for n, text in enumerate(texts))
            assert legend.get_window_extent().x1 <= axes.bbox.x1 + 1.0
