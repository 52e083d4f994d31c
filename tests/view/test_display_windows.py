"""Do keys work whichever of several windows has the focus?"""

import pytest

W, ESCAPE = 0x77, 0xFF1B
EVENTS = ("on_key_press", "on_key_release", "on_deactivate")


def test_keys_of_another_window_reach_the_window_of_the_instruments():
    pyglet = pytest.importorskip("pyglet")
    pyglet.options.headless, pyglet.options.shadow_window = True, False
    from pyglet.event import EventDispatcher

    from simulator.view.display_windows import hand_over_keys

    class Window(EventDispatcher):
        """Events of a window, which closes at Esc unless a handler takes the key, as a window of pyglet does."""

        closed = False

        def on_key_press(self, symbol, modifiers):
            self.closed |= symbol == ESCAPE

    for event in EVENTS:
        Window.register_event_type(event)
    home, side, seen = Window(), Window(), []
    home.push_handlers(
        on_key_press=lambda symbol, modifiers: seen.append(("down", symbol)) or True,
        on_key_release=lambda symbol, modifiers: seen.append(("up", symbol)),
        on_deactivate=lambda: seen.append("left"),
    )
    hand_over_keys(side, home)
    side.dispatch_event("on_key_press", W, 0)
    side.dispatch_event("on_deactivate")
    side.dispatch_event("on_key_release", W, 0)
    side.dispatch_event("on_key_press", ESCAPE, 0)
    assert seen == [("down", W), "left", ("up", W), ("down", ESCAPE)]
    assert not side.closed and not home.closed
