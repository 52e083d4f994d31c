"""Plugin outlets: one that writes a line per publication, and some that fail."""

from __future__ import annotations

import threading

from simulator.base.fields import Field, Number
from simulator.outlets.contract import CONTRACT, OutletKind
from simulator.outlets.kinds import register


class Lines:
    """Writes folder/lines.txt: time, speed, specific force of the IMU if there is one, and `closed` at the end."""

    def __init__(self, settings):
        self.file = (settings.folder / "lines.txt").open("w", encoding="utf-8")
        self.digits = int(settings.parameters[0]["digits"])

    def publish(self, published):
        imu = published.sensors.get("imu")
        felt = "" if imu is None else f" {imu[0]['f_S'][2]:.2f}"
        self.file.write(f"{published.time:.{self.digits}f} {published.readout[0]['v_WB_B'][0]:.3f} {published.state}{felt}\n")

    def close(self):
        self.file.write("closed\n")
        self.file.close()


LINES = OutletKind(
    "lines",
    Lines,
    CONTRACT,
    rate=10.0,
    parameters=(Field("digits", Number("1", 0, 9, whole=True), "number of digits of the time", 3),),
)


class Failing:
    """Works for five publications."""

    how = ""

    def __init__(self, settings):
        self.count = 0

    def publish(self, published):
        self.count += 1
        if self.count > 5 and self.how == "raises":
            raise ValueError("no")
        if self.count > 5 and self.how == "hangs":
            threading.Event().wait()

    def close(self):
        if self.how == "closing":
            raise OSError("the disk is gone")


for kind in (
    LINES,
    *(OutletKind(f"{how}_outlet", type(how, (Failing,), {"how": how}), CONTRACT, rate=100.0) for how in ("raises", "hangs", "closing")),
):
    register(kind)
