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


def label_number(name: str) -> int:
    """Return the number of a label. Raises KeyError."""
    return LABELS[ALSO.get(name, name)]
