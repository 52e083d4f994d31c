"""Names of the cameras and of the events that select them. Nothing is imported here, because the command line shows the names."""

from __future__ import annotations

from collections.abc import Sequence

CAMERAS = ("chase", "driver", "suspension", "hood", "orbit", "free", "platform", "top", "wheel", "trackside")
"""Cameras; the event `camera_1` selects the first one."""
CAMERA_EVENTS = ("camera", *(f"camera_{number + 1}" for number in range(len(CAMERAS))))
"""Events: the next camera of the list of the user, or a camera by its number."""
CYCLE = ("chase", "driver", "hood", "orbit", "suspension", "trackside")
"""Cameras between which the event `camera` switches, unless the settings of the user have another list."""


def following_camera(camera: str, event: str, cycle: Sequence[str] = CYCLE) -> str:
    """Return the camera after an event of CAMERA_EVENTS.

    >>> following_camera("chase", "camera"), following_camera("trackside", "camera"), following_camera("top", "camera")
    ('driver', 'chase', 'chase')
    >>> following_camera("chase", "camera_10")
    'trackside'
    """
    if event == CAMERA_EVENTS[0]:
        return cycle[(cycle.index(camera) + 1) % len(cycle)] if camera in cycle else cycle[0]
    return CAMERAS[CAMERA_EVENTS.index(event) - 1]
