"""Pause menu of a drive: continue, restart, keys, settings, end. The menu pauses the drive while it is open."""

from __future__ import annotations

import time
from collections.abc import Callable

from simulator.view.menu import Menu, PlainPage, Row
from simulator.view.settings_pages import SETTINGS_NOTE, KeyListPage, LiveSettings, SettingsPage

REACTION = 0.5
"""s within which a published state shows a pause that the window has sent."""


class PauseSwitch:
    """Pause of the drive by the key `pause`, which changes between pause and drive.

    Parameters
    ----------
    tap : presses and releases a key of `simulator.view.shared_keys.KEYS`
    clock : time in s
    """

    def __init__(self, tap: Callable[[str], None], clock: Callable[[], float] = time.perf_counter) -> None:
        self._tap, self._clock = tap, clock
        self._state, self._expected, self._until = False, False, -1.0

    @property
    def paused(self) -> bool:
        """Whether the drive is paused, or will be when the host has read the key."""
        return self._expected if self._clock() < self._until else self._state

    def see(self, paused: bool) -> None:
        """Note the published state."""
        self._state = paused
        if paused == self._expected:
            self._until = -1.0

    def set(self, paused: bool) -> None:
        """Pause, or continue."""
        if self.paused != paused:
            self._expected, self._until = paused, self._clock() + REACTION
            self._tap("pause")


class PauseMenu:
    """Pause menu of a window.

    Parameters
    ----------
    live : settings of the user
    tap : presses and releases a key of `simulator.view.shared_keys.KEYS`
    end : ends the drive
    read_only : True for a further window, which neither pauses nor restarts the drive

    Attributes
    ----------
    menu : open menu; None while it is closed
    switch : pause of the drive
    """

    def __init__(self, live: LiveSettings, tap: Callable[[str], None], end: Callable[[], object], read_only: bool = False) -> None:
        self.menu: Menu | None = None
        self.switch = PauseSwitch(tap)
        self.live = live
        self.read_only = read_only
        self._tap, self._end = tap, end
        self._was_paused = False

    def open(self) -> None:
        """Pause the drive and show the menu."""
        if self.menu is None:
            self._was_paused = self.switch.paused
            if not self.read_only:
                self.switch.set(True)
            self.menu = Menu(_PausePage(self), self.close)

    def close(self) -> None:
        """Close the menu; the drive continues unless it was paused before."""
        self.menu = None
        if not self.read_only and not self._was_paused:
            self.switch.set(False)

    def resume(self) -> None:
        """Close the menu and let the drive continue."""
        self._was_paused = False
        self.close()

    def restart(self) -> None:
        """Close the menu and begin the drive again."""
        self._tap("reset")
        self.resume()

    def end(self) -> None:
        """End the drive."""
        self.menu = None
        self._end()

    def need_menu(self) -> Menu:
        """Return the open menu."""
        assert self.menu is not None
        return self.menu


class _PausePage(PlainPage):
    """First page of the pause menu."""

    title = "Paused"

    def __init__(self, pause: PauseMenu) -> None:
        self._pause = pause
        if pause.read_only:
            self.title = "Menu"

    def rows(self) -> list[Row]:
        """Return the rows."""
        pause, menu = self._pause, self._pause.need_menu
        if pause.read_only:
            return [Row("Back", choose=pause.close), *self._pages(), Row("Close this window", choose=pause.end)]
        return [
            Row("Continue", choose=pause.resume),
            Row("Restart", note="back to the start, with the selector in drive", choose=pause.restart),
            Row("List of keys", choose=lambda: menu().open(KeyListPage(pause.live, menu))),
            *self._pages(),
            Row("End the drive", note="the platform parks, the log is saved", choose=pause.end),
        ]

    def _pages(self) -> list[Row]:
        live, menu = self._pause.live, self._pause.need_menu
        return [Row("Settings", note=SETTINGS_NOTE, choose=lambda: menu().open(SettingsPage(live, menu)))]
