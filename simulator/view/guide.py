"""Guide for the first drive: five cards of six seconds over the image. It does not stop the vehicle. No OpenGL here."""

from __future__ import annotations

from simulator.view.instrument_layout import wrapped
from simulator.view.instruments import AMBER, BLUE, DIM, INK, NORMAL, PANEL, SMALL, TRACK, Canvas
from simulator.view.key_bindings import Bindings, driving_keys_text, key_text

CARD_TIME = 6.0
"""s for which a card is shown."""
WIDTH, LINE = 520.0, 24.0
NEXT_KEYS, SKIP_KEY = ("ENTER", "NUM_ENTER"), "BACKSPACE"


class Guide:
    """Guide of one drive.

    Attributes
    ----------
    over : True after the last card, or after the user has ended the guide
    """

    def __init__(self, bindings: Bindings) -> None:
        self.cards = guide_cards(bindings)
        self.over = False
        self._number, self._shown = 0, 0.0

    def advance(self, dt: float) -> None:
        """Let `dt` seconds of a drive pass that is not paused."""
        self._shown += dt
        if self._shown >= CARD_TIME:
            self._next()

    def take_key(self, key: str | None) -> bool:
        """Process a key; return True if the guide used the key."""
        if self.over or (key not in NEXT_KEYS and key != SKIP_KEY):
            return False
        if key == SKIP_KEY:
            self.over = True
        else:
            self._next()
        return True

    def draw(self, c: Canvas, width: float, height: float) -> None:
        """Add the present card in the upper half of the image."""
        if self.over:
            return
        w = min(WIDTH, width - 28.0)
        lines = wrapped(self.cards[self._number], lambda text: c.font.width(text, NORMAL), w - 40.0)
        h = 66.0 + LINE * len(lines)
        x, y = 0.5 * (width - w), max(0.36 * height - 0.5 * h, 14.0)
        c.box(x, y, w, h, (*PANEL[:3], 0.85), 10.0)
        c.text(x + 20.0, y + 10.0, f"First drive {self._number + 1}/{len(self.cards)}", SMALL, AMBER)
        for k, line in enumerate(lines):
            c.text(x + 20.0, y + 32.0 + LINE * k, line, NORMAL, INK)
        c.text(x + w - 20.0, y + h - 24.0, "Enter: next   Backspace: end the guide", SMALL, DIM, 1.0)
        c.box(x + 20.0, y + h - 19.0, 120.0, 6.0, TRACK, 3.0)
        passed = (self._number + min(self._shown / CARD_TIME, 1.0)) / len(self.cards)
        c.box(x + 20.0, y + h - 19.0, max(120.0 * passed, 6.0), 6.0, BLUE, 3.0)

    def _next(self) -> None:
        self._shown = 0.0
        self._number += 1
        if self._number == len(self.cards):
            self._number -= 1
            self.over = True


def guide_cards(bindings: Bindings) -> tuple[str, ...]:
    """Return the texts of the cards with the keys of the user."""
    of = {action: key_text(action, bindings) for action in bindings}
    return (
        f"Steer, accelerate and brake with {driving_keys_text(bindings)}, or with a wheel or a game controller.",
        f"At rest, the brake drives backwards. {of['hold_parking_brake']} applies the parking brake.",
        f"{of['camera']} changes the camera. {of['insets']} shows and hides maps and images.",
        f"{of['reset']} takes you back to the start. {of['upright']} puts a rolled vehicle upright and frees a stuck one. {of['pause']} pauses.",
        f"{of['menu']} opens the menu: restart, settings, keys, end. {of['help']} shows all keys.",
    )
