"""Pictures of point clouds and images as PNG files."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.report.png_renderer import STYLE
from terrain.objects.labels import NAMES

SHORTEST = 160
"""Minimum width of a picture of a camera [pixels]; smaller images are enlarged."""
MAX_WIDTH = 360
"""Maximum width of a picture of a camera [pixels]."""
SHOWN_FRACTION = 0.98
"""Fraction of the points within the range of a top view."""

LABEL_COLORS = np.array(
    (
        (40, 40, 40), (150, 120, 90), (200, 120, 60), (60, 150, 60), (130, 130, 140), (60, 100, 220), (230, 200, 40), (190, 190, 190), (160, 80, 160),
        (230, 60, 60), (120, 80, 40), (240, 120, 180), (120, 220, 200), (255, 140, 0), (0, 90, 110),
    ),
    np.uint8,
)  # fmt: skip
"""RGB of each label, in the order of `terrain.objects.labels`."""


def cloud_pictures(points: NDArray[Any]) -> list[tuple[str, bytes]]:
    """Return top views of points (n,) or (columns, rings): name of the color and PNG file, for height, intensity and label if available."""
    flat = points.reshape(-1)
    seen = flat[np.isfinite(flat["x"]) & np.isfinite(flat["y"]) & np.isfinite(flat["z"])]
    names = [("height", "z"), ("intensity", "intensity"), ("label", "label")]
    return [(name, _top_view(seen, name, field)) for name, field in names if field in (points.dtype.names or ())]


def _top_view(points: NDArray[Any], name: str, field: str) -> bytes:
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 4.6), dpi=100)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.15, 0.12, 0.62, 0.78))
        axes.set_aspect("equal")
        reach = max(1.0, 1.05 * float(np.quantile(np.hypot(points["x"], points["y"]), SHOWN_FRACTION))) if len(points) else 1.0
        axes.set_xlim(reach, -reach)  # x forward is up, y left is left
        axes.set_ylim(-reach, reach)
        axes.set_xlabel("y, left [m]")
        axes.set_ylabel("x, forward [m]")
        axes.set_title(f"{name} from above")
        values = points[field].astype(float)
        if field == "label":
            for number in np.unique(points[field]):
                chosen = points[points[field] == number]
                color = [LABEL_COLORS[int(number) % len(LABEL_COLORS)] / 255.0]
                axes.scatter(chosen["y"], chosen["x"], s=2.0, c=color, linewidths=0.0, label=_label(int(number)))
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), markerscale=4.0, fontsize=8)
        elif len(points):
            low, high = np.quantile(values, (0.01, 0.99))
            drawn = axes.scatter(points["y"], points["x"], s=2.0, c=values, cmap="viridis", vmin=low, vmax=high, linewidths=0.0)
            figure.colorbar(drawn, ax=axes, cax=figure.add_axes((0.81, 0.12, 0.025, 0.78)), label="z [m]" if field == "z" else name)
        axes.plot([0.0], [0.0], "k^", markersize=6)
        out = io.BytesIO()
        figure.savefig(out, format="png")
    return out.getvalue()


def image_picture(pixels: NDArray[Any], topic: str) -> tuple[bytes, str]:
    """Return an image (h, w) or (h, w, 3) as a PNG file for people, and the range of its colors: depth by distance, labels by color."""
    from PIL import Image

    colors, text = _colors(pixels, topic)
    width = pixels.shape[1]
    factor = 1.0 if SHORTEST <= width <= MAX_WIDTH else (SHORTEST if width < SHORTEST else MAX_WIDTH) / width
    size = (max(1, round(width * factor)), max(1, round(pixels.shape[0] * factor)))
    image = Image.fromarray(colors).resize(size, Image.Resampling.BILINEAR if pixels.ndim == 3 else Image.Resampling.NEAREST)
    out = io.BytesIO()
    image.save(out, format="png")
    return out.getvalue(), text


def _colors(pixels: NDArray[Any], topic: str) -> tuple[NDArray[np.uint8], str]:
    """Return pixels in color (h, w, 3) and the range of the numbers."""
    if pixels.ndim == 3 and pixels.dtype == np.uint8:
        return pixels, ""
    if "label" in topic:
        return LABEL_COLORS[pixels % len(LABEL_COLORS)], ", ".join(_label(int(number)) for number in np.unique(pixels))
    if pixels.dtype.kind in "iu" and pixels.dtype.itemsize > 1:
        return _mixed(pixels), f"{len(np.unique(pixels))} numbers"
    values = (pixels if pixels.ndim == 2 else pixels[..., 0]).astype(float)
    seen = values[np.isfinite(values)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
    text = f"{low:.4g} to {high:.4g}{' m' if 'depth' in topic else ''}"
    from matplotlib import colormaps

    if "depth" in topic and low > 0.0:  # near things differ, although the horizon is far
        values, low, high = np.log(values), math.log(low), math.log(high)
    scaled = (values - low) / max(high - low, 1e-12)
    colors = np.array(colormaps["viridis_r" if "depth" in topic else "gray"](np.where(np.isfinite(scaled), scaled, 0.0)))
    out = (255.0 * colors[..., :3]).astype(np.uint8)
    out[~np.isfinite(values)] = 0
    return out, text


def _mixed(numbers: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a color for each number; negative numbers are black."""
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    parts = np.stack([(mixed >> np.uint64(shift)) & np.uint64(255) for shift in (56, 48, 40)], axis=-1)
    return np.where((numbers < 0)[..., None], 0, 60 + parts * 3 // 4).astype(np.uint8)


def _label(number: int) -> str:
    return NAMES[number] if number < len(NAMES) else str(number)
