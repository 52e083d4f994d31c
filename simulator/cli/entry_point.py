"""Where the installed program `jounce` begins: signals are heard before anything is loaded that takes time."""

from __future__ import annotations

from simulator.base import signals


def main() -> int:
    """Run the command line of this process; returns its exit code."""
    signals.install()
    from simulator.cli.main import main as command_line

    return command_line()
