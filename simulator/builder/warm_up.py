"""Compiles the kernels of a tick before they are needed, and says so: the first start on a machine takes a while, later ones do not.

Where there are two cores a second process compiles with us, the vehicle's step first; who comes to a kernel first compiles it, and the other
takes it from the disk (`simulator.base.compile_lock`).
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numba
import numpy as np

from simulator import tick
from simulator.base import cleanup
from simulator.base.compile_lock import POSSIBLE, share_compilation
from simulator.base.compile_messages import said_elsewhere
from simulator.base.jit import ROOT, cache_is_kept, is_compiled
from simulator.base.records import record
from simulator.base.rotations import quaternion_of_rotation
from simulator.builder.builder import build_cueing, build_ground, build_vehicle
from simulator.configuration.configuration import DEFAULTS
from simulator.driver.path import Path
from simulator.driver.speed import SpeedControl
from simulator.driver.steering import human_limits
from simulator.driver.steering.kinds import LAWS
from simulator.driver.steering.path_follower import PathFollower
from simulator.driver.vehicle_identification import identify_vehicle
from simulator.incident import is_upright
from simulator.motion.stream import MotionStream
from simulator.motion.watchdog import warm_up
from simulator.session import Session
from terrain.rut_changes import ChangedTiles
from vehicles.command import COMMAND
from vehicles.steering.free_steering import answer_with_arm
from vehicles.step import vehicle_step
from vehicles.step_stability import check_step

H = 1e-3
ROLLING = 10.0
"""m/s, at which a vehicle begins that does not begin at rest."""
PATIENCE = 2.0
"""s that the second process may take to leave when it is told to; it may be writing a file."""


def compile_kernels(say: Callable[[str], None]) -> None:
    """Compile everything a session calls, unless it lies compiled on disk. `say` gets a line at the start and one per part."""
    if all(is_compiled(str(part.__file__)) for part in (tick, human_limits)):
        return
    with said_elsewhere(), _second_process(), _nothing_collected():
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
    arrays = ground.arrays
    ground.height(0.0, 0.0)
    build_ground("jacksboro")  # its roads and hills are made, those of a plain are not
    done("ground")
    cueing = build_cueing(DEFAULTS["washout"], DEFAULTS["platform"], H)
    cueing.step(np.zeros(3), np.zeros(3), False, H)
    cueing.feel(np.zeros(3), np.zeros(3))
    done("motion cueing")
    warm_up(cueing.platform)
    done("virtual platform")
    vehicle = build_vehicle(DEFAULTS["vehicle"], check_step=False)
    compile_for(answer_with_arm, vehicle.model, vehicle.space, H)  # while the other process is at the step that calls it
    vehicle.reset(arrays)
    command = record(COMMAND)
    vehicle.read(command)
    done("suspension, chassis and tires")
    vehicle.step(arrays, command, H)
    vehicle.reset(arrays, speed=ROLLING)
    check_step(vehicle, arrays, H, (DEFAULTS["vehicle"],))
    done("engine, gearbox, brakes and the vehicle's step")
    session = Session(vehicle, ground, _Nobody(), cueing, [], H)
    session.reset()
    cueing.arm()
    is_upright(vehicle.space.state[0]["q_WB"])
    quaternion_of_rotation(np.eye(3), np.empty(4))
    MotionStream().close()
    session.warm()
    ChangedTiles(1, 1)
    done("the whole tick")
    traits = identify_vehicle(vehicle)
    for law in LAWS:
        PathFollower(Path.straight(), SpeedControl(), traits, {"type": law}).read(0.0, vehicle.readout, command)
    SpeedControl().keep(0.0, vehicle.readout, command)
    done("drivers")
    say(f"compiled in {time.perf_counter() - began:.0f} s")


def _compile_step() -> None:
    """The vehicle's step, which takes longest, and what it needs; `_compile` comes to it when most else is done.

    The two look at the same pieces of code twice, so the suspension is compiled where the step is. Not the tick itself, by which
    `compile_kernels` knows that all are there.
    """
    vehicle, ground = build_vehicle(DEFAULTS["vehicle"], check_step=False), build_ground("flat")
    arrays = ground.arrays
    compile_for(vehicle_step, vehicle.model, vehicle.space, arrays, record(COMMAND), H)


def compile_for(function: Any, *arguments: Any) -> None:
    """Compile a kernel for such arguments, without calling it: the vehicle may stand nowhere."""
    function.compile(tuple(numba.typeof(one) for one in arguments))


@contextlib.contextmanager
def _second_process() -> Iterator[None]:
    """Have another process compile too; where that is not possible, or it fails, this one does it all."""
    if not (POSSIBLE and cache_is_kept() and _cores() > 1):
        yield
        return
    with share_compilation() as claims, contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # no more processes, or no memory for one
            stack.callback(_start(claims))
        yield


@contextlib.contextmanager
def _nothing_collected() -> Iterator[None]:
    """No garbage collection: the compiler keeps nearly all that it makes, and looking through it takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(claims: int) -> Callable[[], None]:
    """Start the second process; calling what is returned ends it."""
    with cleanup.defer_exit():
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", __name__, str(claims)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[claims],
            start_new_session=True,  # a terminal's signals are for us alone
        )
        end = partial(_end, process)
        forget = cleanup.register_cleanup(end)

    def end_and_forget() -> None:
        end()
        forget()

    return end_and_forget


def _end(process: subprocess.Popen) -> None:
    """The second process leaves when its input ends, also when that is because this one is no more."""
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _leave_with_the_other() -> None:
    """End this process when the one that started it ends its input; not in the middle of a file."""
    sys.stdin.buffer.read()
    with cleanup.defer_exit():
        os._exit(0)


class _Nobody:
    """A driver who does nothing."""

    def read(self, t: float, readout: object, command: object) -> None:
        """Leave the command as it is."""


if __name__ == "__main__":
    threading.Thread(target=_leave_with_the_other, daemon=True).start()
    with share_compilation(int(sys.argv[1])), _nothing_collected():
        _compile_step()
