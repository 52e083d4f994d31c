"""`jounce render`: files made from the log of a run, for eyes and ears."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.errors import JounceError


def main_render(arguments: Any) -> int:
    """Run `jounce render`; return the exit code."""
    if arguments.wav is None:
        raise JounceError("render: nothing to render; hint: jounce render RUN --wav sound.wav")
    if arguments.wav is not None:
        _render_sound(arguments)
    return 0


def _render_sound(arguments: Any) -> None:
    from simulator.run.sound_file import write_sound

    file = Path(arguments.wav)
    seconds = write_sound(Path(arguments.run_folder), file, arguments.listener, arguments.volume)
    print_line(f"{seconds:.1f} s of sound in {file}")
