"""Version of Jounce, processor, and versions of the libraries that determine the last bit of a result."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path
from typing import Any

LIBRARIES = ("numpy", "scipy", "numba")


@cache
def version() -> str:
    """Return the version of Jounce at the first call: from pyproject.toml in a checkout, else from the installed package."""
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    if project.is_file():
        import tomllib

        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    from importlib import metadata

    return metadata.version("jounce")


@cache
def processor() -> str:
    """Return the model name of the processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:  # the file exists on Linux only
        return platform.processor() or platform.machine()
    return platform.processor() or platform.machine()


@cache
def software() -> str:
    """Return the versions of Python and LIBRARIES."""
    from importlib import metadata

    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {metadata.version(name)}" for name in LIBRARIES)])


def computation_info(wall: float) -> dict[str, Any]:
    """Return the entries about the computation of a result: wall time [s], Python and system."""
    return {"wall_time_s": wall, "python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}


def origin() -> dict[str, str]:
    """Return the origin of a result: version, machine, processor and software."""
    machine = f"{platform.node()}, {platform.system()} {platform.release()} {platform.machine()}"
    return {"version": version(), "machine": machine, "processor": processor(), "software": software()}
