"""Look around: direction of view by keys, mouse and stick, relative to the usual one. No OpenGL here."""

from __future__ import annotations

import math
from collections.abc import Sequence

LOOK_KEYS = {"look_left": math.radians(75.0), "look_right": -math.radians(75.0), "look_back": math.radians(180.0)}
"""Angles [rad] of the actions, + = left, while the key is down."""
MOUSE = math.radians(0.25)
"""rad per pixel of a drag. Larger: a small movement turns the view too far."""
STICK = (math.radians(120.0), math.radians(40.0))
"""rad. Angles to the side and up at full deflection of a stick."""
LIMITS = (math.radians(180.0), math.radians(45.0))
"""rad. Maximum angles to the side, and up and down."""


class LookAround:
    """Direction of view that the user requests. Without keys, mouse button and stick the view returns to the front."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._mouse = [0.0, 0.0]

    def press(self, action: str) -> None:
        """Press the key of an action of LOOK_KEYS."""
        self._keys.add(action)

    def release(self, action: str) -> None:
        """Release the key of an action."""
        self._keys.discard(action)

    def drag(self, dx: float, dy: float) -> None:
        """Move the mouse by pixels, right and up positive, while a button is down."""
        for k, pixels in enumerate((-dx, dy)):
            self._mouse[k] = min(max(self._mouse[k] + MOUSE * pixels, -LIMITS[k]), LIMITS[k])

    def let_go(self) -> None:
        """Release the mouse button."""
        self._mouse = [0.0, 0.0]

    def release_all(self) -> None:
        """Release keys and mouse: the window has lost the focus, or a menu opens."""
        self._keys.clear()
        self.let_go()

    def target(self, stick: Sequence[float]) -> tuple[float, float]:
        """Return the angles to the left and up [rad]; `stick`: deflection of a stick, left and up positive, in [-1, 1]."""
        keys = sum(LOOK_KEYS[action] for action in self._keys)
        angles = (keys + self._mouse[0] + STICK[0] * float(stick[0]), self._mouse[1] + STICK[1] * float(stick[1]))
        left, up = (min(max(angle, -limit), limit) if math.isfinite(angle) else 0.0 for angle, limit in zip(angles, LIMITS, strict=True))
        return left, up
