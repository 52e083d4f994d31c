"""A wheel with force feedback as the kernel shows it, without the kernel: it takes the bytes apart by the layout of linux/input.h, records
what it was told and when, and says what its motor does, in the two ways in which drivers keep a played effect."""

import errno
import struct
import time

from simulator.driver.force_feedback.evdev import FF_AUTOCENTER, FF_CONSTANT, FF_GAIN, FF_RUMBLE

EVIOCGID, EVIOCGNAME, EVIOCGBIT_FF = 0x80084502, 0x81004506, 0x80104535
EVIOCSFF, EVIOCRMFF = 0x40304580, 0x40044581
G29 = ("Logitech G29 Driving Force Racing Wheel", "046d:c24f", (FF_CONSTANT, FF_GAIN, FF_AUTOCENTER))
PAD = ("Virtual pad", "045e:028e", (FF_RUMBLE, FF_GAIN))


class FakeSystem:
    """Event nodes by their path; `log` has (time, what, value) of everything that the first wheel was told."""

    def __init__(self, devices=(G29,), clock=time.monotonic):
        self.devices = {f"/dev/input/event{n}": device for n, device in enumerate(devices)}
        self.clock, self.log = clock, []
        self.forbidden, self.gone = set(), False
        self.opened = {}

    def note(self, what, value):
        self.log.append((self.clock(), what, value))

    def paths(self):
        return list(self.devices)

    def open(self, path, write):
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")
        if write and path in self.forbidden:
            raise PermissionError(errno.EACCES, "Permission denied")
        descriptor = 100 + len(self.opened)
        self.opened[descriptor] = path
        return descriptor

    def close(self, descriptor):
        self.note("close", self.opened[descriptor])

    def ioctl(self, descriptor, request, argument):
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")
        name, usb, codes = self.devices[self.opened[descriptor]]
        if request == EVIOCGID:
            vendor, product = (int(part, 16) for part in usb.split(":"))
            argument[:] = struct.pack("=4H", 3, vendor, product, 0x111)
        elif request == EVIOCGNAME:
            argument[: len(name) + 1] = name.encode() + b"\0"
        elif request == EVIOCGBIT_FF:
            for code in codes:
                argument[code // 8] |= 1 << code % 8
        elif request == EVIOCSFF:
            self._upload(memoryview(argument).cast("B"))
        elif request == EVIOCRMFF:
            self.note("remove", argument)
        else:
            raise AssertionError(f"unknown request {request:#x}")

    def _upload(self, data):
        assert len(data) == 48
        kind, number, direction, _, _, length, delay = struct.unpack_from("=HhHHHHH", data)
        level, attack, _, fade, fade_level = struct.unpack_from("=hHHHH", data, 16)
        assert (kind, direction, delay, attack, fade_level) == (FF_CONSTANT, 0x4000, 0, 0, 0)
        if number == -1:
            struct.pack_into("=h", data, 2, 7)
        else:
            assert number == 7
        self.note("upload", (level, length, fade))

    def write(self, descriptor, data):
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")
        _, _, kind, code, value = struct.unpack("@llHHi", data)
        assert kind == 0x15
        self.note({FF_GAIN: "gain", FF_AUTOCENTER: "autocenter", 7: "play"}[code], value)

    def levels(self):
        """(time, level) of every upload."""
        return [(t, value[0]) for t, what, value in self.log if what == "upload"]


def motor(log, t, restarts_on_upload):
    """Force [-1, 1], + = left, at time t of a device that was told `log`: its level until `replay.length` after it was played (or, as
    ff-memless does, after an upload while it plays), with the envelope's fade at the end."""
    level, length, fade, began = 0, 0, 0, None
    for at, what, value in log:
        if at > t:
            break
        playing = began is not None and at - began < 1e-3 * length
        if what == "upload":
            level, length, fade = value
            began = at if playing and restarts_on_upload else began
        elif what == "play":
            began = at if value else None
    left = 0.0 if began is None else began + 1e-3 * length - t
    if length == 0:
        left = float("inf") if began is not None else 0.0  # an effect without an end
    return level / 32767 * min(1.0, max(0.0, left) / (1e-3 * fade)) if fade else float(left > 0.0) * level / 32767
