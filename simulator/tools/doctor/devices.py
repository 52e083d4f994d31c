"""Examination of what a person needs: display, graphics, input devices, sound."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from simulator.driver.force_feedback.evdev import SYSTEM, System, nodes
from simulator.tools.doctor.finding import GOOD, LIMITED, MISSING, Finding
from simulator.view.gl_context import display_available, is_software

PATIENCE = 60.0
"""s. Time for the start of the graphics driver."""
_RENDERER = """
from simulator.view.gl_context import offscreen_context

window = offscreen_context()  # before the import of OpenGL
from simulator.view.gl_objects import renderer

window.switch_to()
print(renderer())
"""
JOIN_INPUT = "sudo usermod -aG input $USER, then log in again; in a container: --device /dev/input"
JOIN_AUDIO = "sudo usermod -aG audio $USER, then log in again; in a container: --device /dev/snd"


def display() -> Finding:
    """Examine whether a window can be opened."""
    if display_available():
        return Finding("display", GOOD, os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or "desktop")
    return Finding("display", LIMITED, "none (neither DISPLAY nor WAYLAND_DISPLAY is set)", "use --no-view, or a virtual display (Xvfb)")


def graphics() -> Finding:
    """Examine OpenGL in a process of its own: a graphics driver may end the process."""
    try:
        done = subprocess.run([sys.executable, "-c", _RENDERER], capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return Finding("graphics", MISSING, f"the graphics driver did not start within {PATIENCE:.0f} s", "update the graphics driver")
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return Finding("graphics", MISSING, reason.removeprefix("simulator.base.errors."), "sudo apt install libegl1 libgl1")
    name = done.stdout.strip()
    if is_software(name):
        return Finding(
            "graphics", LIMITED, f"{name}: on the processor", "install the driver of the graphics card; use --no-view on a small machine"
        )
    return Finding("graphics", GOOD, name)


def input_devices(system: System = SYSTEM) -> Finding:
    """Examine the permission to read and write steering wheels and gamepads on Linux."""
    subject = "input devices"
    if not sys.platform.startswith("linux"):
        return Finding(subject, GOOD, "see jounce devices")
    paths, readable = system.paths(), nodes(system)
    if not paths:
        return Finding(subject, LIMITED, "none in /dev/input", "connect a steering wheel or gamepad, or use the keyboard")
    if len(readable) < len(paths):
        return Finding(subject, LIMITED, f"{len(readable)} of {len(paths)} readable", JOIN_INPUT)
    force = [node for node in readable if node.has_force]
    if any(not node.writable for node in force):
        return Finding(subject, LIMITED, f"{len(paths)}, {len(force)} with force feedback that is not permitted", JOIN_INPUT)
    return Finding(subject, GOOD, f"{len(paths)}, {len(force)} with force feedback")


def sound(folder: Path = Path("/dev/snd")) -> Finding:
    """Examine the outputs of sound cards on Linux."""
    if not sys.platform.startswith("linux"):
        return Finding("sound", GOOD, "sound system of the desktop")
    outputs = sorted(folder.glob("pcm*p"))
    if not outputs:
        return Finding("sound", LIMITED, f"no output in {folder}", "connect a sound card; a drive works without it")
    if not any(os.access(one, os.W_OK) for one in outputs):
        return Finding("sound", LIMITED, f"{len(outputs)} outputs, none permitted", JOIN_AUDIO)
    return Finding("sound", GOOD, f"{len(outputs)} outputs")
