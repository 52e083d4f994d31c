"""Entry point of the installed program `jounce`. It installs the signal handlers before it imports modules that load slowly."""

from __future__ import annotations

import gc

from simulator.base import signals
from simulator.base.user_folders import provide_bytecode


def main() -> int:
    """Run the command line of this process and return its exit code."""
    gc.set_threshold(200_000)  # objects; with the 700 of Python, collections take a tenth of the time in which a vehicle is loaded
    signals.install()
    provide_bytecode()
    from simulator.cli.main import main as run_command_line

    return run_command_line()
