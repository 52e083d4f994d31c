"""Entry point of the installed program `jounce`. It installs the signal handlers before it imports modules that load slowly."""

from __future__ import annotations

import gc

from simulator.base import signals
from simulator.base.user_folders import provide_bytecode


def main() -> int:
    """Run the command line of this process and return its exit code."""
    gc.set_threshold(50_000)  # objects between collections; with Python's 700, they take 0.3 s of the 2 s in which a vehicle is loaded
    signals.install()
    provide_bytecode()
    from simulator.cli.main import main as run_command_line

    return run_command_line()
