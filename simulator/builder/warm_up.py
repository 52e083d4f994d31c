"""Compilation of the kernels of a tick before they are needed, with messages. Only the first start on a machine takes long.

With two cores, a second process compiles in parallel, starting with the vehicle step. The first process that needs a kernel compiles it,
and the other one loads it from disk (`simulator.base.compile_lock`).
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numba
import numpy as np

from simulator import tick
from simulator.base import cleanup
from simulator.base.compile_lock import POSSIBLE, share_compilation
from simulator.base.compile_messages import reports, suppress_messages
from simulator.base.jit import ROOT, cache_folder, is_cache_persistent, is_compiled
from simulator.base.progress_line import ProgressLine, blocks
from simulator.base.records import record
from simulator.base.rotations import quaternion_of_rotation
from simulator.builder.builder import build_cueing, build_ground, build_vehicle
from simulator.builder.compile_progress import CompileProgress, expected_times, save_times, time_left
from simulator.builder.vehicle_builder import VehicleParts, vehicle_of
from simulator.configuration.configuration import Configuration
from simulator.configuration.overrides import changes
from simulator.configuration.references import DEFAULTS
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
from vehicles.stages import add_object_contact, advance_drivetrain
from vehicles.steering.free_steering import answer_with_arm
from vehicles.step import vehicle_step
from vehicles.step_stability import check_step
from vehicles.tires.tire_set import step_tires

H = 1e-3
ROLLING = 10.0
"""Start speed in m/s of a rolling vehicle."""
BAR = 12
"""Characters of the bar: the line fits into 80 columns."""
UPDATE = 0.25
"""s between two calls of `show`."""
PATIENCE = 2.0
"""Timeout in s for the exit of the second process, which may be writing a file."""


def needs_compilation() -> bool:
    """Return whether kernels of a session are missing on disk."""
    return not all(is_compiled(str(part.__file__)) for part in (tick, human_limits))


def compile_kernels(say: Callable[[str], None], show: Callable[[str, float], None] = lambda text, fraction: None) -> None:
    """Compile all kernels of a session unless they are cached on disk.

    Parameters
    ----------
    say : called with a line at the start and for each part
    show : called several times a second, in a thread, with the present part and the remaining time as a text, and the finished fraction
    """
    if not needs_compilation():
        return
    progress = CompileProgress(expected_times(cache_folder(), _cores()))
    with suppress_messages(), _second_process(), _without_garbage_collection(), _shown(progress, show) as line:
        _compile(say if line is None else line.over(say), progress)
    if is_cache_persistent():
        save_times(cache_folder(), progress.seconds)


def compile_for_session(
    configuration: Configuration, say: Callable[[str], None], show: Callable[[str, float], None] = lambda text, fraction: None
) -> None:
    """Compile as `compile_kernels`, after all files that the configuration names were read: a wrong name costs no minutes. Raises ConfigError."""
    if needs_compilation():
        configuration.copy().complete()
    compile_kernels(say, show)


@contextlib.contextmanager
def _shown(progress: CompileProgress, show: Callable[[str, float], None]) -> Iterator[ProgressLine | None]:
    """Show the progress within the block: by `show`, and for a command in the last line of the terminal."""
    ended = threading.Event()

    def update() -> None:
        while not ended.wait(UPDATE):
            show(progress.text, progress.fraction)

    thread = threading.Thread(target=update, daemon=True)
    thread.start()
    line = (
        ProgressLine(lambda: f"[{blocks(progress.fraction, BAR)}] {100.0 * progress.fraction:.0f} %, {progress.text}")
        if reports()
        else None
    )
    try:
        yield line
    finally:
        ended.set()
        thread.join()
        if line is not None:
            line.close()


def _compile(say: Callable[[str], None], progress: CompileProgress) -> None:
    say(f"compiling the physics (once for this version and machine; {time_left(progress.remaining)}):")

    def done(part: str) -> None:
        name, seconds = progress.done()
        assert name == part
        say(f"  {part} ({seconds:.0f} s)")

    ground = build_ground("flat")
    arrays = ground.arrays
    ground.height(0.0, 0.0)
    build_ground("jacksboro")  # it needs roads and hills, which a plain does not have
    done("ground")
    cueing = build_cueing(DEFAULTS["washout"], DEFAULTS["platform"], H)
    cueing.step(np.zeros(3), np.zeros(3), False, H)
    cueing.monitor.update(np.zeros(3), np.zeros(3))
    done("motion cueing")
    warm_up(cueing.platform)
    done("virtual platform")
    vehicle = build_vehicle(DEFAULTS["vehicle"], check_step=False)
    command = record(COMMAND)
    # the other process compiles the step from its begin, so this one compiles the kernels of its stages from the end
    compile_function(add_object_contact, vehicle.model, vehicle.space, arrays, H)
    compile_function(advance_drivetrain, vehicle.model, vehicle.space, command, H)
    compile_function(step_tires, vehicle.model, vehicle.space, arrays, H)
    compile_function(answer_with_arm, vehicle.model, vehicle.space, False, H)
    vehicle.reset(arrays)
    vehicle.read(command)
    done("suspension, chassis and tires")
    vehicle.step(arrays, command, H)
    vehicle.reset(arrays, speed=ROLLING)
    check_step(vehicle, arrays, H, (DEFAULTS["vehicle"],))
    done("engine, gearbox, brakes and vehicle step")
    session = Session(vehicle, ground, _IdleDriver(), cueing, [], H)
    session.reset()
    cueing.procedure.arm()
    is_upright(vehicle.space.state[0]["q_WB"])
    quaternion_of_rotation(np.eye(3), np.empty(4))
    MotionStream().close()
    session.warm()
    ChangedTiles(1, 1)
    done("complete tick")
    traits = identify_vehicle(vehicle)
    for law in LAWS:
        PathFollower(Path.straight(), SpeedControl(), traits, {"type": law}).read(0.0, vehicle.readout, command)
    SpeedControl().write_pedals(0.0, vehicle.readout, command)
    done("drivers")
    say(f"compiled in {sum(progress.seconds.values()):.0f} s")


def _compile_step() -> None:
    """Compile the vehicle step, which takes longest, and the kernels that it calls. `_compile` needs the step last.

    Both processes analyze the called functions, so the suspension is compiled together with the step. The tick is left out, because
    `compile_kernels` uses its presence as a sign that all kernels are compiled.
    """
    configuration = Configuration.of("vehicle", DEFAULTS["vehicle"])
    for setting in changes({f"vehicle.axles.{axle}.alignment": None for axle in ("front", "rear")}):
        configuration.set(setting)  # to set the tie rods, the vehicle must settle, for which the other process compiles the kernels
    vehicle, _ = vehicle_of(configuration, VehicleParts())
    compile_function(vehicle_step, vehicle.model, vehicle.space, build_ground("flat").arrays, record(COMMAND), H)


def compile_function(function: Any, *arguments: Any) -> None:
    """Compile a kernel for the types of the arguments, without calling it. The vehicle needs no valid state."""
    function.compile(tuple(numba.typeof(one) for one in arguments))


@contextlib.contextmanager
def _second_process() -> Iterator[None]:
    """Start another process that compiles in parallel, if possible. Otherwise, or after its failure, this process compiles everything."""
    if not (POSSIBLE and is_cache_persistent() and _cores() > 1):
        yield
        return
    with share_compilation() as claims, contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # no further process, or no memory for one
            stack.callback(_start(claims))
        yield


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection: the compiler keeps almost all objects, and collection takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(claims: int) -> Callable[[], None]:
    """Start the second process. Return a function that ends it."""
    with cleanup.defer_exit():
        process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-m", __name__, str(claims)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[claims],
            start_new_session=True,  # signals of the terminal must not reach the second process
        )
        end = partial(_end, process)
        discard = cleanup.register_cleanup(end)

    def end_and_discard() -> None:
        end()
        discard()

    return end_and_discard


def _end(process: subprocess.Popen) -> None:
    """End the second process, which exits when its input ends, also if this process has died."""
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _exit_with_parent() -> None:
    """Exit this process when the parent closes its input, but not while a file is written."""
    sys.stdin.buffer.read()
    with cleanup.defer_exit():
        os._exit(0)


class _IdleDriver:
    """Driver without commands."""

    def read(self, t: float, readout: object, command: object) -> None:
        """Leave the command unchanged."""


if __name__ == "__main__":
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    with share_compilation(int(sys.argv[1])), _without_garbage_collection():
        _compile_step()
