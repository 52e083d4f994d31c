"""A motion as an animation (GIF), or as a sheet of poses (PNG)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.telemetry.atomic_files import write_whole
from simulator.tools.mechanism.drawing import Drawing
from simulator.tools.mechanism.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_FRAMES = 40
SECONDS = 4.0
"""s, duration of an animation."""
PANELS = (2, 3)
"""Rows and columns of a sheet."""
GHOSTS = 12
"""Faint poses of the motion in each panel."""
DPI = 100
WIDTH, MIN_HEIGHT, MAX_HEIGHT = 4.8, 2.4, 5.6
"""inch."""


def animate(motion: Motion, file: Path) -> None:
    """Write a GIF that repeats; a motion with different start and end poses runs forth and back. Raises OutputError."""
    from PIL import Image

    drawing = Drawing(motion)
    order = _spread(len(motion.q), MAX_FRAMES)
    frames = [_frame(drawing, i) for i in order]
    if _ends_where_it_begins(drawing):
        frames = frames[: max(1, len(frames) - 1)]
    elif not motion.is_run:
        frames += frames[-2:0:-1]
    some = np.hstack([np.asarray(frames[i]) for i in _spread(len(frames), 4)])  # a single image may hide a body
    palette = Image.fromarray(some).quantize(colors=128, method=Image.Quantize.MEDIANCUT)
    pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    milliseconds = max(40, round(1000.0 * SECONDS / len(pictures)))
    write_whole(
        file,
        lambda path: pictures[0].save(
            path, format="GIF", save_all=True, append_images=pictures[1:], duration=milliseconds, loop=0, optimize=False
        ),
    )


def draw_sheet(motion: Motion, file: Path) -> None:
    """Write a PNG with poses along the motion in panels, each with faint copies of the other poses. Raises OutputError."""
    from PIL import Image

    drawing = Drawing(motion)
    rows, columns = PANELS
    height = _height(drawing, WIDTH * 0.7)
    figure = _figure(columns * WIDTH * 0.7, rows * (height + 0.3) + 0.4)
    figure.suptitle(motion.caption, fontsize=11, fontweight="bold")
    panels = figure.subplots(rows, columns).ravel()
    shadows = _spread(len(motion.q), GHOSTS)
    last_is_first = _ends_where_it_begins(drawing)
    poses = _spread(len(motion.q), len(panels) + last_is_first, repeat=True)[: len(panels)]
    for k, (axes, i) in enumerate(zip(panels, poses, strict=True)):
        drawing.prepare(axes)
        for j in shadows:
            if j != i:
                drawing.pose(axes, j, ghost=True)
        drawing.pose(axes, i, labels=k == 0)
        axes.set_title(_value(motion, i), fontsize=9)
    picture = _image(figure).quantize(colors=256, dither=Image.Dither.NONE)
    write_whole(file, lambda path: picture.save(path, format="PNG", optimize=True))


def _ends_where_it_begins(drawing: Drawing) -> bool:
    return float(np.abs(drawing.flat[0] - drawing.flat[-1]).max()) < 1e-3 * drawing.size


def _spread(n: int, most: int, repeat: bool = False) -> list[int]:
    """Return at most `most` indices of n positions, evenly spaced from the first to the last."""
    at = np.round(np.linspace(0, n - 1, most if repeat else min(n, most))).astype(int)
    return [int(i) for i in at]


def _value(motion: Motion, i: int) -> str:
    """Format the value of the time or swept coordinate at position i."""
    x = motion.along.values[i]
    if motion.along.unit == "rad":
        return f"{math.degrees(x):.1f}°"
    return f"{x:.4g} {motion.along.unit}"


def _height(drawing: Drawing, width: float) -> float:
    return float(np.clip(width * drawing.aspect, MIN_HEIGHT * width / WIDTH, MAX_HEIGHT * width / WIDTH))


def _figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _frame(drawing: Drawing, i: int) -> Any:
    """Return position i as a Pillow image."""
    figure = _figure(WIDTH, _height(drawing, WIDTH) + 0.35)
    axes = figure.subplots()
    drawing.prepare(axes)
    drawing.pose(axes, i, labels=True)
    axes.set_title(f"{drawing.motion.title}: {drawing.motion.along.label} = {_value(drawing.motion, i)}", fontsize=9)
    return _image(figure)


def _image(figure: Figure) -> Any:
    """Render a figure to a Pillow image."""
    from PIL import Image

    figure.canvas.draw()
    return Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")  # type: ignore[attr-defined]
