"""`jounce render`: video and sound of a recorded drive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import JounceError
from simulator.base.progress_bar import TimeProgress


def main_render(arguments: Any) -> int:
    """Run `jounce render`; return 0."""
    from simulator.run.sound_file import check_wav

    if arguments.video is None and arguments.wav is None:
        raise JounceError("render: no output; expected --video FILE or --wav FILE; hint: jounce render runs/NAME --video clip.mp4")
    if arguments.wav is not None:
        check_wav(Path(arguments.wav))
    if arguments.video is not None:
        _render_video(arguments)
    if arguments.wav is not None:
        _render_sound(arguments)
    return 0


def _render_sound(arguments: Any) -> None:
    from simulator.run.sound_file import LISTENERS, SoundFileOptions, write_sound

    file = Path(arguments.wav)
    options = SoundFileOptions(arguments.listener or LISTENERS[0], arguments.volume, arguments.first, arguments.last)
    print_line(f"{write_sound(Path(arguments.place), file, options, print_error):.1f} s of sound in {file}")


def _render_video(arguments: Any) -> None:
    from simulator.run.recording import Recording
    from simulator.run.video import VideoOptions, check_target, write_video

    target = Path(arguments.video)
    listener = arguments.listener
    options = VideoOptions(
        arguments.size, arguments.fps, arguments.camera, arguments.first, arguments.last, arguments.speed, not arguments.no_instruments,
        not arguments.no_sound, arguments.volume, None if listener in (None, "recorded") else listener == "inside",
    )  # fmt: skip
    check_target(target, options)
    recording = Recording(Path(arguments.place), print_error)
    with TimeProgress("render", shown=sys.stderr.isatty()) as progress:
        count = write_video(recording, target, options, progress, print_error)
    what = f"{count} images in {target}" if target.suffix else f"{count} PNG files in {target}"
    print_line(f"{what}, {count / options.rate:.1f} s at {options.rate:g} images per second")
