"""Plugin drivers and input sources: full throttle in a bend, and some that fail."""

from __future__ import annotations

import math
import threading

from simulator.base.fields import Field, Number
from simulator.driver import contract as driver_kind
from simulator.driver.contract import DriverKind
from simulator.driver.input_devices import contract as source
from simulator.driver.input_devices.contract import InputSourceKind
from simulator.driver.input_devices.kinds import register as register_source
from simulator.driver.kinds import register as register_driver


class Bend:
    """Throttle that decreases with the speed, and constant steering from the file."""

    def __init__(self, settings):
        self.steering = float(settings.parameters[0]["steering"])

    def read(self, t, readout, command):
        command[0]["throttle"] = max(0.0, 1.0 - 0.1 * float(readout[0]["v_WB_B"][0]))
        command[0]["steering"], command[0]["selector"] = self.steering, 1


class Cruise:
    """Straight ahead at a speed, as long as a maneuver lasts."""

    def __init__(self, settings):
        assert settings.maneuver is not None
        self.speed = float(settings.parameters[0]["speed"])

    def read(self, t, readout, command):
        command[0]["throttle"] = min(1.0, max(0.0, 0.2 * (self.speed - float(readout[0]["v_WB_B"][0]))))
        command[0]["selector"] = 1


class Failing:
    """Drives for half a second."""

    how = ""

    def __init__(self, *_):
        self.used, self.connected, self.events = True, True, []

    def read(self, t, seen, command):
        command[0]["throttle"], command[0]["selector"] = 0.5, 1
        if t > 0.5 and self.how == "raises":
            raise ValueError("no")
        if t > 0.5 and self.how == "hangs":
            threading.Event().wait()
        if t > 0.5 and self.how == "nan":
            command[0]["steering"] = math.nan


class Pedal:
    """Input source with a constant throttle that requests the next camera once."""

    def __init__(self, cabin, parameters):
        self.throttle = float(parameters[0]["throttle"])
        self.used, self.connected, self.events = True, True, ["camera"]

    def read(self, t, speed, out):
        out[0]["throttle"], out[0]["steering"], out[0]["selector"] = self.throttle, 5.0, 1


STEERING = (Field("steering", Number("1", -1.0, 1.0), "fraction of full lock, + = left", 0.1),)
THROTTLE = (Field("throttle", Number("1", 0.0, 1.0), "position of the throttle pedal", 0.4),)
SPEED = (Field("speed", Number("m/s", 1.0, 30.0), "held"),)
register_driver(DriverKind("bend", Bend, driver_kind.CONTRACT, parameters=STEERING))
register_source(InputSourceKind("pedal", Pedal, source.CONTRACT, THROTTLE))
register_driver(DriverKind("held_speed", Cruise, driver_kind.CONTRACT, True, SPEED))
for how in ("raises", "hangs", "nan"):
    register_driver(DriverKind(f"{how}_driver", type(how, (Failing,), {"how": how}), driver_kind.CONTRACT))
    register_source(InputSourceKind(f"{how}_source", type(how, (Failing,), {"how": how}), source.CONTRACT))
