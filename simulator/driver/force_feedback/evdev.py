"""Force feedback of Linux through the event nodes in /dev/input: which can what, and one constant force that ends by itself.

An effect is uploaded (`EVIOCSFF`) and played by an event that is written to the node. What keeps a wheel safe is that the kernel, or the
wheel itself, ends a played effect `replay.length` after it was last played, whatever has become of the program:

- A program that is stopped or hangs uploads and plays no more. At most LENGTH after its last word the force is gone; the last FADE of that is
  its envelope, a straight line to nothing. Drivers with an effect memory in software (`ff-memless`, older Logitech wheels, and those that work
  as it does) count the length from the last upload or play, whichever came later; wheels with the memory in the device (USB PID, Logitech
  HID++) from the last play. So the force is played again every REPLAY, not only uploaded again.
- A program that is killed has its nodes closed by the kernel, which erases the effects that it uploaded (`input_ff_flush`).

Uploads are no more than a driver takes: one that keeps them in a queue and is given too many (`hid-logitech-hidpp` after some hundred a second)
gives old forces late, a stopped program's too.

A length of 0 would be a force without an end; none is ever uploaded. The direction stays at 0x4000, which is left (`struct ff_effect` in
linux/input.h: 0 down, 0x4000 left, 0x8000 up, 0xC000 right), and the level has the sign: a driver has only a number to send, and + is left as
in ISO 8855. Layouts and numbers are those of linux/input.h of x86 and ARM; nothing is compiled, and `python-evdev` is not needed.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import math
import os
import re
import struct
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LENGTH, FADE = 170, 80
"""ms that the force lasts after it was last played, and that it takes to fade at the end of that. With the kernel's own clock (10 ms at
worst) less than the 200 ms in which a force without a program must be gone."""
REPLAY = 0.04
"""s between two plays: two may be missed before the force begins to fade."""
LEFT = 0x4000
FULL = 0x7FFF
"""Level of the largest force."""

EV_FF = 0x15
FF_RUMBLE, FF_CONSTANT, FF_GAIN, FF_AUTOCENTER = 0x50, 0x52, 0x60, 0x61
_CODES = 0x80
"""Number of codes of EV_FF."""
_VANISHED = (errno.ENODEV, errno.ENXIO, errno.ENOENT, errno.EBADF)
_FORBIDDEN = (errno.EACCES, errno.EPERM)


class _Envelope(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint16) for name in ("attack_length", "attack_level", "fade_length", "fade_level")]


class _Constant(ctypes.Structure):
    _fields_ = [("level", ctypes.c_int16), ("envelope", _Envelope)]


class _Periodic(ctypes.Structure):
    """The largest member of the union, for its size."""

    _fields_ = [
        ("waveform", ctypes.c_uint16),
        ("period", ctypes.c_uint16),
        ("magnitude", ctypes.c_int16),
        ("offset", ctypes.c_int16),
        ("phase", ctypes.c_uint16),
        ("envelope", _Envelope),
        ("custom_len", ctypes.c_uint32),
        ("custom_data", ctypes.c_void_p),
    ]


class _Kinds(ctypes.Union):
    _fields_ = [("constant", _Constant), ("periodic", _Periodic)]


class Effect(ctypes.Structure):
    """struct ff_effect."""

    _fields_ = [
        ("type", ctypes.c_uint16),
        ("id", ctypes.c_int16),
        ("direction", ctypes.c_uint16),
        ("trigger_button", ctypes.c_uint16),
        ("trigger_interval", ctypes.c_uint16),
        ("replay_length", ctypes.c_uint16),
        ("replay_delay", ctypes.c_uint16),
        ("u", _Kinds),
    ]


EVENT = struct.Struct("@llHHi")
"""struct input_event: time (the kernel's business), type, code, value."""


def _read(number: int, size: int) -> int:
    return (2 << 30) | (size << 16) | (ord("E") << 8) | number


def _write(number: int, size: int) -> int:
    return (1 << 30) | (size << 16) | (ord("E") << 8) | number


EVIOCGID = _read(0x02, 8)
EVIOCGNAME = _read(0x06, 256)
EVIOCGBIT_FF = _read(0x20 + EV_FF, _CODES // 8)
EVIOCSFF = _write(0x80, ctypes.sizeof(Effect))
EVIOCRMFF = _write(0x81, 4)


class System:
    """What this file asks of the system; tests have their own."""

    def paths(self) -> list[str]:
        """Event nodes, by their number."""
        found = [str(path) for path in Path("/dev/input").glob("event*")] if sys.platform == "linux" else []
        return sorted(found, key=lambda path: int(re.sub(r"\D", "", path) or 0))

    def open(self, path: str, write: bool) -> int:
        """A descriptor. Raises OSError."""
        return os.open(path, (os.O_RDWR if write else os.O_RDONLY) | os.O_NONBLOCK | os.O_CLOEXEC)

    def ioctl(self, descriptor: int, request: int, argument: Any) -> None:
        """An ioctl; what the kernel answers is in the buffer that is handed over. Raises OSError."""
        import fcntl

        fcntl.ioctl(descriptor, request, argument)

    def write(self, descriptor: int, data: bytes) -> None:
        """Raises OSError."""
        os.write(descriptor, data)

    def close(self, descriptor: int) -> None:
        """Raises OSError."""
        os.close(descriptor)


SYSTEM = System()


@dataclass(frozen=True)
class Node:
    """An event node that can be read.

    Attributes
    ----------
    usb : vendor:product, as in a profile
    effects : codes of EV_FF that it knows
    writable : whether this user may write to it
    """

    path: str
    name: str
    usb: str
    effects: frozenset[int]
    writable: bool

    @property
    def has_force(self) -> bool:
        """Whether it knows a constant force."""
        return FF_CONSTANT in self.effects


class VanishedError(OSError):
    """The device is not there any more."""


def nodes(system: System = SYSTEM) -> list[Node]:
    """The event nodes that can be read, by their number. Never raises."""
    found = (_node(path, system) for path in system.paths())
    return [node for node in found if node is not None]


def node_of(name: str, usb: str, among: Collection[Node]) -> Node | None:
    """The node with a constant force of the device that SDL knows by this name and USB number (empty: none); the first of equals."""
    able = [node for node in among if node.has_force]
    return next((node for node in able if (node.usb == usb if usb else node.name == name)), None)


def _node(path: str, system: System) -> Node | None:
    for write in (True, False):
        try:
            descriptor = system.open(path, write)
        except OSError:
            continue
        try:
            return _ask(path, descriptor, write, system)
        except OSError:
            return None
        finally:
            system.close(descriptor)
    return None


def _ask(path: str, descriptor: int, writable: bool, system: System) -> Node:
    identity, name, bits = bytearray(8), bytearray(256), bytearray(_CODES // 8)
    system.ioctl(descriptor, EVIOCGID, identity)
    system.ioctl(descriptor, EVIOCGNAME, name)
    system.ioctl(descriptor, EVIOCGBIT_FF, bits)
    _, vendor, product, _ = struct.unpack("=4H", identity)
    effects = frozenset(code for code in range(_CODES) if bits[code // 8] >> (code % 8) & 1)
    return Node(path, name.split(b"\0")[0].decode(errors="replace"), f"{vendor:04x}:{product:04x}", effects, writable)


class ConstantForce:
    """The one force on a device. Made, it is there and gives nothing; `give` it again and again, or it ends by itself.

    Parameters
    ----------
    node : with a constant force
    share : of the torque that the device has at most, (0, 1]; kept by the device itself too where it has a gain (`FF_GAIN`)
    rate : uploads per second at most
    early : s by which one may come before its time, half of the time between two calls

    Raises
    ------
    VanishedError : the device is not there any more
    OSError : the node may not be written, or the driver refuses
    """

    def __init__(self, node: Node, share: float, rate: float, early: float = 0.0, system: System = SYSTEM) -> None:
        self._system, self._share, self._has_gain = system, share, FF_GAIN in node.effects
        self._full = share if self._has_gain else 1.0
        self._effect = Effect(type=FF_CONSTANT, id=-1, direction=LEFT, replay_length=LENGTH)
        self._effect.u.constant.envelope = _Envelope(fade_length=FADE)
        self._interval, self._early = 1.0 / rate, early
        self._next = self._played = -math.inf
        self._descriptor = self._call(system.open, node.path, True)
        try:
            if self._has_gain:
                self._say(FF_GAIN, int(0xFFFF * share))
            if FF_AUTOCENTER in node.effects:  # the spring that wheels have until somebody takes it away
                self._say(FF_AUTOCENTER, 0)
            self._upload()
        except OSError:
            system.close(self._descriptor)
            raise

    def give(self, force: float, now: float) -> bool:
        """Force as a share of what the device has, + = left, at `now` [s] of a steady clock. Whether that made an event.

        Raises
        ------
        VanishedError : the device is not there any more
        OSError : the driver refuses
        """
        level = round(min(self._share, max(-self._share, force)) / self._full * FULL)
        constant = self._effect.u.constant
        changed = level != constant.level
        if not changed and level == 0:
            return False
        changed = changed and now >= self._next - self._early
        if changed:
            constant.level = level
            self._upload()
            self._next = max(self._next, now - self._interval) + self._interval
        due = now - self._played >= REPLAY
        if due:
            self._say(self._effect.id, 1)
            self._played = now
        return changed or due

    def close(self) -> None:
        """Stop, take the force away and let go of the device. Never raises."""
        with contextlib.suppress(OSError):
            self._say(self._effect.id, 0)
            self._call(self._system.ioctl, self._descriptor, EVIOCRMFF, self._effect.id)
            if self._has_gain:  # a program that knows no gain expects the whole
                self._say(FF_GAIN, 0xFFFF)
        with contextlib.suppress(OSError):
            self._system.close(self._descriptor)

    def _upload(self) -> None:
        self._call(self._system.ioctl, self._descriptor, EVIOCSFF, self._effect)

    def _say(self, code: int, value: int) -> None:
        self._call(self._system.write, self._descriptor, EVENT.pack(0, 0, EV_FF, code, value))

    @staticmethod
    def _call(function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except OSError as error:
            if error.errno in _VANISHED:
                raise VanishedError(error.errno, error.strerror) from None
            raise


def permission(path: str) -> str:
    """What to do about a node that may not be written, in words."""
    return (
        f"{path} may not be written by you: put your user into the group `input` (`sudo usermod -aG input $USER`, then log in anew), "
        "or have a udev rule give it to you"
    )


def is_forbidden(error: OSError) -> bool:
    """Whether it is a matter of permission."""
    return error.errno in _FORBIDDEN
