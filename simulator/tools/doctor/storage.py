"""Examination of folders, memory, ports and optional packages."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from simulator.base.installation import install_extra
from simulator.base.jit import cache_folder, is_cache_persistent
from simulator.motion.protocols.native import PROTOCOL
from simulator.tools.doctor.finding import GOOD, LIMITED, MISSING, Finding

SHARED = Path("/dev/shm")
MIN_SHARED, MIN_DISK = 64e6, 1e9
"""Bytes."""
EXTRAS = {
    "symbolic": "sympy",
    "pandas": "pandas",
    "optimize": "cma",
    "learn": "gymnasium",
    "cluster": "distributed",
    "terrain": "rasterio",
    "sensors": "mcap",
    "console": "uvicorn",
    "video": "av",
    "sound": "miniaudio",
    "ros2": "cyclonedds",
    "foxglove": "foxglove",
    "export": "asammdf",
    "fmi": "fmpy",
}
"""Package that tells whether an extra is installed."""


def kernel_cache() -> Finding:
    """Examine the folder of compiled kernels: without it, every start compiles for minutes."""
    folder = cache_folder()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if not is_cache_persistent():
        remedy = "set XDG_CACHE_HOME to a folder that can be written"
        return Finding("kernel cache", LIMITED, f"{folder} does not last: each start compiles for minutes", remedy)
    return Finding("kernel cache", GOOD, f"{folder}, {size / 1e6:.0f} MB")


def bytecode() -> Finding:
    """Examine whether Python saves translated source files: without them, each process takes seconds longer to start."""
    if sys.dont_write_bytecode:
        remedy = "unset PYTHONDONTWRITEBYTECODE, or start Jounce by its command jounce"
        return Finding("bytecode", LIMITED, "not saved: each process takes seconds longer to start", remedy)
    return Finding("bytecode", GOOD, "beside the source files" if sys.pycache_prefix is None else str(sys.pycache_prefix))


def shared_memory(folder: Path = SHARED) -> Finding:
    """Examine the memory that processes share: the view, cameras and insets need it."""
    if not folder.is_dir():
        return Finding("shared memory", GOOD, "of the system")
    free = shutil.disk_usage(folder).free
    if free < MIN_SHARED:
        return Finding("shared memory", LIMITED, f"{free / 1e6:.0f} MB free in {folder}", "in a container: --shm-size 256m")
    return Finding("shared memory", GOOD, f"{free / 1e6:.0f} MB free in {folder}")


def run_folder(folder: Path | None = None) -> Finding:
    """Examine the folder where runs are written."""
    place = Path("runs") if folder is None else folder
    existing = next(one for one in (place, *place.resolve().parents) if one.is_dir())
    free = shutil.disk_usage(existing).free
    if not os.access(existing, os.W_OK):
        return Finding("run folder", MISSING, f"{place.resolve()} cannot be written", "use --out DIR, or another working folder")
    state = GOOD if free > MIN_DISK else LIMITED
    return Finding("run folder", state, f"{place.resolve()}, {free / 1e9:.1f} GB free", "" if state == GOOD else "free disk space")


def motion_port() -> Finding:
    """Examine whether the usual UDP port of a motion platform is free on this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.bind(("127.0.0.1", PROTOCOL.port))
        except OSError:
            return Finding("motion port", LIMITED, f"UDP {PROTOCOL.port} is in use: by a platform, or by another program", "see `ss -ulpn`")
    return Finding("motion port", GOOD, f"UDP {PROTOCOL.port} is free")


def extras() -> Finding:
    """Examine the optional packages."""
    absent = [name for name, package in EXTRAS.items() if find_spec(package) is None]
    if absent:
        return Finding("extras", GOOD, f"not installed: {', '.join(absent)}", f"if needed: {install_extra(','.join(absent))}")
    return Finding("extras", GOOD, ", ".join(EXTRAS))
