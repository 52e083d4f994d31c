"""Labels of objects: names in files, numbers in sensor data."""

from __future__ import annotations

LABELS = {
    "none": 0,
    "ground": 1,
    "building": 2,
    "vegetation": 3,
    "rock": 4,
    "vehicle": 5,
    "post": 6,
    "curb": 7,
    "other": 8,
    "person": 9,
    "fence": 10,
    "sign": 11,
    "animal": 12,
    "cone": 13,
    "barrier": 14,
}
"""Number of each label; a ray that meets nothing has the label none. The numbers never change, new labels get new numbers."""
ALSO = {"kerb": "curb"}
"""Other spellings of labels."""
NAMES = tuple(LABELS)
"""Name of each number."""


def usual_label(name: str) -> str:
    """Return the usual spelling of a label."""
    return ALSO.get(name, name)


COLORS = {
    "building": (0.72, 0.66, 0.58),
    "vegetation": (0.22, 0.42, 0.17),
    "rock": (0.47, 0.45, 0.42),
    "vehicle": (0.16, 0.29, 0.55),
    "post": (0.62, 0.63, 0.65),
    "curb": (0.70, 0.70, 0.68),
    "other": (0.60, 0.60, 0.60),
    "person": (0.85, 0.45, 0.25),
    "fence": (0.45, 0.35, 0.25),
    "sign": (0.80, 0.15, 0.12),
    "animal": (0.50, 0.36, 0.22),
    "cone": (0.95, 0.40, 0.05),
    "barrier": (0.80, 0.78, 0.72),
}
"""Color of the objects of a label that have none of their own: red, green, blue."""
