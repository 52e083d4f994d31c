"""Colors of objects in the window: the object's own color, or that of its label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LABEL_COLORS = {
    "none": (0.60, 0.60, 0.60),
    "ground": (0.55, 0.48, 0.36),
    "building": (0.74, 0.66, 0.56),
    "vegetation": (0.29, 0.43, 0.18),
    "rock": (0.50, 0.48, 0.45),
    "vehicle": (0.20, 0.36, 0.60),
    "post": (0.86, 0.86, 0.82),
    "curb": (0.70, 0.69, 0.66),
    "other": (0.60, 0.60, 0.60),
    "person": (0.84, 0.56, 0.20),
    "fence": (0.47, 0.34, 0.22),
    "sign": (0.10, 0.52, 0.58),
    "animal": (0.42, 0.27, 0.20),
    "cone": (0.95, 0.40, 0.08),
    "barrier": (0.78, 0.18, 0.16),
}
"""Red, green, blue (sRGB, 0 to 1) of each label."""


def drawn_colors(own: NDArray[np.float64], labels: list[str], default: tuple[float, float, float]) -> NDArray[np.float32]:
    """Return the drawn colors (n, 3): `own` (n, 3), or the color of the label where the own color is the `default` of the material."""
    by_label = np.array([LABEL_COLORS[label] for label in labels]).reshape(-1, 3)
    unset = (own == np.asarray(default)).all(axis=1)
    return np.where(unset[:, None], by_label, own).astype(np.float32)
