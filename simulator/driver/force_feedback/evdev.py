"""Linux force feedback through the event nodes in /dev/input: capabilities of the nodes, and a constant force that ends by itself.

An effect is uploaded (`EVIOCSFF`) and played by writing an event to the node. The safety of the driver depends on the length of the effect:
the kernel or the wheel ends a played effect `replay.length` after it was last played, even if the program fails:

- A program that is stopped or hangs uploads and plays nothing. At most LENGTH after its last call the force is zero; the last FADE of this time
  is the envelope, a linear fade. Drivers with an effect memory in software (`ff-memless`, older Logitech wheels, and similar drivers) count
  the length from the last upload or play, whichever is later. Wheels with the memory in the device (USB PID, Logitech HID++) count from the
  last play. Therefore the force is also played again every REPLAY, not only uploaded.
- For a killed program, the kernel closes the nodes and erases the uploaded effects (`input_ff_flush`).

The rate of uploads is limited to what a driver accepts. A driver that queues uploads (`hid-logitech-hidpp` above some hundred per second)
would apply old forces late, also those of a stopped program.

A length of 0 would be a force without an end and is never uploaded. The direction is always 0x4000, which is left (`struct ff_effect` in
linux/input.h: 0 down, 0x4000 left, 0x8000 up, 0xC000 right), and the level has the sign. Thus only one number changes, and + is left as
in ISO 8855. Layouts and numbers are those of linux/input.h of x86 and ARM; no compiled module and no `python-evdev` is needed.
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
"""ms for which the force lasts after it was last played, and ms of the fade at the end of this time. Including the clock of the kernel (10
ms
in the worst case), the sum is below the 200 ms after which a force without a program must be zero."""
REPLAY = 0.04
"""s between two plays: two may be missed before the force begins to fade."""
LEFT = 0x4000
FULL_LEVEL = 0x7FFF
"""Level of the maximum force."""

EV_FF = 0x15
FF_RUMBLE, FF_CONSTANT, FF_GAIN, FF_AUTOCENTER = 0x50, 0x52, 0x60, 0x61
_CODES = 0x80
"""Number of codes of EV_FF."""
_DISCONNECTED = (errno.ENODEV, errno.ENXIO, errno.ENOENT, errno.EBADF)
_FORBIDDEN = (errno.EACCES, errno.EPERM)


class _Envelope(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint16) for name in ("attack_length", "attack_level", "fade_length", "fade_level")]


class _Constant(ctypes.Structure):
    _fields_ = [("level", ctypes.c_int16), ("envelope", _Envelope)]


class _Periodic(ctypes.Structure):
    """Largest member of the union, for its size."""

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
"""struct input_event: time (set by the kernel), type, code, value."""


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
    """System calls of this module; tests replace them."""

    def paths(self) -> list[str]:
        """Return the event nodes in the order of their numbers."""
        paths = [str(path) for path in Path("/dev/input").glob("event*")] if sys.platform == "linux" else []
        return sorted(paths, key=lambda path: int(re.sub(r"\D", "", path) or 0))

    def open(self, path: str, write: bool) -> int:
        """Open a node and return its descriptor. Raises OSError."""
        return os.open(path, (os.O_RDWR if write else os.O_RDONLY) | os.O_NONBLOCK | os.O_CLOEXEC)

    def ioctl(self, descriptor: int, request: int, argument: Any) -> None:
        """Call an ioctl; the kernel writes its result to the argument. Raises OSError."""
        import fcntl

        fcntl.ioctl(descriptor, request, argument)

    def write(self, descriptor: int, data: bytes) -> None:
        """Write data to a descriptor. Raises OSError."""
        os.write(descriptor, data)

    def close(self, descriptor: int) -> None:
        """Close a descriptor. Raises OSError."""
        os.close(descriptor)


SYSTEM = System()


@dataclass(frozen=True)
class Node:
    """Readable event node.

    Attributes
    ----------
    usb : vendor:product, as in a profile
    effects : supported codes of EV_FF
    writable : whether this user may write to the node
    """

    path: str
    name: str
    usb: str
    effects: frozenset[int]
    writable: bool

    @property
    def has_force(self) -> bool:
        """Whether the node supports a constant force."""
        return FF_CONSTANT in self.effects


class VanishedError(OSError):
    """The device was disconnected."""


def nodes(system: System = SYSTEM) -> list[Node]:
    """Return the readable event nodes in the order of their numbers. Never raises."""
    all_nodes = (_node(path, system) for path in system.paths())
    return [node for node in all_nodes if node is not None]


def node_of(name: str, usb: str, among: Collection[Node]) -> Node | None:
    """Return the node with a constant force of a device with this SDL name and USB id (empty: none); the first of equals."""
    candidates = [node for node in among if node.has_force]
    return next((node for node in candidates if (node.usb == usb if usb else node.name == name)), None)


def _node(path: str, system: System) -> Node | None:
    for write in (True, False):
        try:
            descriptor = system.open(path, write)
        except OSError:
            continue
        try:
            return _query(path, descriptor, write, system)
        except OSError:
            return None
        finally:
            system.close(descriptor)
    return None


def _query(path: str, descriptor: int, writable: bool, system: System) -> Node:
    identity, name, bits = bytearray(8), bytearray(256), bytearray(_CODES // 8)
    system.ioctl(descriptor, EVIOCGID, identity)
    system.ioctl(descriptor, EVIOCGNAME, name)
    system.ioctl(descriptor, EVIOCGBIT_FF, bits)
    _, vendor, product, _ = struct.unpack("=4H", identity)
    effects = frozenset(code for code in range(_CODES) if bits[code // 8] >> (code % 8) & 1)
    return Node(path, name.split(b"\0")[0].decode(errors="replace"), f"{vendor:04x}:{product:04x}", effects, writable)


class ConstantForce:
    """Constant force on a device. After creation the force is zero; `give` must be called repeatedly, or the force ends.

    Parameters
    ----------
    node : node with a constant force
    share : maximum torque as a fraction of the device's torque, (0, 1]; also set as gain of the device if supported (`FF_GAIN`)
    rate : maximum number of uploads per second
    early : s by which an upload may be early, half of the time between two calls

    Raises
    ------
    VanishedError : the device was disconnected
    OSError : the node is not writable, or the driver refuses
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
                self._write_event(FF_GAIN, int(0xFFFF * share))
            if FF_AUTOCENTER in node.effects:  # wheels have a centering spring until a program switches it off
                self._write_event(FF_AUTOCENTER, 0)
            self._upload()
        except OSError:
            system.close(self._descriptor)
            raise

    def give(self, force: float, now: float) -> bool:
        """Apply a force as a fraction of the device's torque, + = left, at `now` [s] of a steady clock. Return whether an event was
        written.

        Raises
        ------
        VanishedError : the device was disconnected
        OSError : the driver refuses
        """
        level = round(min(self._share, max(-self._share, force)) / self._full * FULL_LEVEL)
        constant = self._effect.u.constant
        changed = level != constant.level
        if not changed and level == 0:
            return False
        changed = changed and now >= self._next - self._early
        if changed:
            constant.level = level
            self._upload()
            self._next = max(self._next, now - self._interval) + self._interval
        replay = now - self._played >= REPLAY
        if replay:
            self._write_event(self._effect.id, 1)
            self._played = now
        return changed or replay

    def close(self) -> None:
        """Stop and erase the force and close the device. Never raises."""
        with contextlib.suppress(OSError):
            self._write_event(self._effect.id, 0)
            self._call(self._system.ioctl, self._descriptor, EVIOCRMFF, self._effect.id)
            if self._has_gain:  # a program that sets no gain expects the full gain
                self._write_event(FF_GAIN, 0xFFFF)
        with contextlib.suppress(OSError):
            self._system.close(self._descriptor)

    def _upload(self) -> None:
        self._call(self._system.ioctl, self._descriptor, EVIOCSFF, self._effect)

    def _write_event(self, code: int, value: int) -> None:
        self._call(self._system.write, self._descriptor, EVENT.pack(0, 0, EV_FF, code, value))

    @staticmethod
    def _call(function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except OSError as error:
            if error.errno in _DISCONNECTED:
                raise VanishedError(error.errno, error.strerror) from None
            raise


def permission(path: str) -> str:
    """Return a hint for a node that is not writable."""
    return (
        f"{path}: no write permission; hint: add your user to the group `input` (`sudo usermod -aG input $USER`, then log in again), "
        "or add a udev rule"
    )


def is_forbidden(error: OSError) -> bool:
    """Return whether an error is a missing permission."""
    return error.errno in _FORBIDDEN
