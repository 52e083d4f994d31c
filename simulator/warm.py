"""Compiles the kernels of a tick before they are needed, and says so: the first start on a machine takes a while, later ones do not."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from simulator import tick
from simulator.announce import said_elsewhere
from simulator.base.frames import quaternion_of_rotation
from simulator.base.jit import is_compiled
from simulator.base.records import record
from simulator.build import build_cueing, build_ground, build_vehicle
from simulator.incident import is_upright
from simulator.motion.stream import MotionStream
from simulator.motion.watchdog import warm_up
from simulator.session import Session
from vehicles.command import COMMAND

H = 1e-3


def compile_kernels(say: Callable[[str], None]) -> None:
    """Compile everything a session calls, unless it lies compiled on disk. `say` gets a line at the start and one per part."""
    if is_compiled(tick.__file__):
        return
    with said_elsewhere():
        _compile(say)


def _compile(say: Callable[[str], None]) -> None:
    say("compiling the physics, once for this version and machine:")
    began = last = time.perf_counter()

    def done(part: str) -> None:
        nonlocal last
        now = time.perf_counter()
        say(f"  {part} ({now - last:.0f} s)")
        last = now

    ground = build_ground("flat")
    arrays = (ground.p, ground.heights, ground.hardness, ground.soil_ids, ground.soils)
    ground.height(0.0, 0.0)
    build_ground("jacksboro")  # its roads and hills are made, those of a plain are not
    done("ground")
    vehicle = build_vehicle("hmmwv", check_step=False)
    vehicle.reset(arrays)
    done("suspension, chassis and tires")
    command = record(COMMAND)
    vehicle.step(arrays, command, H)
    vehicle.read(command)
    done("engine, gearbox, brakes and the vehicle's step")
    cueing = build_cueing("small_hexapod", "small_hexapod", H)
    cueing.step(np.zeros(3), np.zeros(3), False, H)
    done("motion cueing")
    warm_up(cueing.platform)
    done("virtual platform")
    session = Session(vehicle, ground, _Nobody(), cueing, [], H)
    session.reset()
    cueing.arm()
    is_upright(vehicle.space.state[0]["q_WB"])
    quaternion_of_rotation(np.eye(3), np.empty(4))
    MotionStream().close()
    session.warm()
    done("the whole tick")
    say(f"compiled in {time.perf_counter() - began:.0f} s")


class _Nobody:
    """A driver who does nothing."""

    def read(self, t: float, readout: object, command: object) -> None:
        """Leave the command as it is."""
