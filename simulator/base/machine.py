"""What runs here: the version of this program, the processor, and the libraries on which the last bit of a result depends."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path
from typing import Any

LIBRARIES = ("numpy", "numba")


@cache
def version() -> str:
    """Version of this copy as it was when that was first asked: of its pyproject.toml in a checkout, else of the installed package."""
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    if project.is_file():
        import tomllib

        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    from importlib import metadata

    return metadata.version("jounce")


@cache
def processor() -> str:
    """Model of the processor in words."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:  # there is no such file but on Linux
        return platform.processor() or platform.machine()
    return platform.processor() or platform.machine()


@cache
def software() -> str:
    """Python and LIBRARIES with their versions."""
    from importlib import metadata

    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {metadata.version(name)}" for name in LIBRARIES)])


def taken(wall: float) -> dict[str, Any]:
    """What is said of the making of a result beside it: wall time [s] and Python."""
    return {"wall_time_s": wall, "python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}


def origin() -> dict[str, str]:
    """Where a result comes from: version, machine, processor and software."""
    machine = f"{platform.node()}, {platform.system()} {platform.release()} {platform.machine()}"
    return {"version": version(), "machine": machine, "processor": processor(), "software": software()}
