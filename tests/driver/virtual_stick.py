"""Input devices without hardware: SDL's virtual joysticks, through the very library that pygame has loaded."""

from __future__ import annotations

import ctypes
from pathlib import Path

WHEEL, GAMEPAD = 2, 1


class Description(ctypes.Structure):
    """SDL_VirtualJoystickDesc, version 1."""

    _fields_ = [
        *[(name, ctypes.c_uint16) for name in ("version", "type", "axes", "buttons", "hats", "vendor", "product", "padding")],
        ("button_mask", ctypes.c_uint32),
        ("axis_mask", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        *[(name, ctypes.c_void_p) for name in ("userdata", "update", "set_player", "rumble", "rumble_triggers", "set_led", "send_effect")],
    ]


def load_sdl() -> ctypes.CDLL | None:
    """The SDL of this process, or None when it is not found or has no virtual joysticks."""
    import pygame  # noqa: F401  (loads SDL)

    maps = Path("/proc/self/maps")
    path = next((line.split()[-1] for line in maps.read_text().splitlines() if "libSDL2-2" in line), None) if maps.exists() else None
    if path is None:
        return None
    sdl = ctypes.CDLL(path)
    if not hasattr(sdl, "SDL_JoystickAttachVirtualEx"):
        return None
    sdl.SDL_JoystickOpen.restype = ctypes.c_void_p
    sdl.SDL_JoystickInstanceID.argtypes = [ctypes.c_void_p]
    sdl.SDL_JoystickSetVirtualAxis.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int16]
    sdl.SDL_JoystickSetVirtualButton.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint8]
    sdl.SDL_JoystickClose.argtypes = [ctypes.c_void_p]
    return sdl


class VirtualStick:
    """One virtual device; plugged in when made."""

    def __init__(self, sdl, name, kind=WHEEL, axes=4, buttons=12, usb=(0, 0)):
        description = Description(
            version=1, type=kind, axes=axes, buttons=buttons, hats=0, vendor=usb[0], product=usb[1], name=name.encode()
        )
        self.sdl, self._description = sdl, description
        index = sdl.SDL_JoystickAttachVirtualEx(ctypes.byref(description))
        assert index >= 0
        self.handle = sdl.SDL_JoystickOpen(index)
        self.instance = sdl.SDL_JoystickInstanceID(self.handle)
        self.plugged = True

    def axis(self, number, value):
        """Move an axis to a value in [-1, 1]."""
        self.sdl.SDL_JoystickSetVirtualAxis(self.handle, number, round(value * 32767))

    def button(self, number, down=True):
        """Press or release a button."""
        self.sdl.SDL_JoystickSetVirtualButton(self.handle, number, int(down))

    def tap(self, number):
        """Press and release a button."""
        self.button(number)
        self.sdl.SDL_JoystickUpdate()
        self.button(number, False)

    def unplug(self):
        """Pull the cable."""
        if self.plugged:
            indices = range(self.sdl.SDL_NumJoysticks())
            (index,) = (i for i in indices if self.sdl.SDL_JoystickGetDeviceInstanceID(i) == self.instance)
            assert self.sdl.SDL_JoystickDetachVirtual(index) == 0
            self.plugged = False
            self.sdl.SDL_JoystickClose(self.handle)
