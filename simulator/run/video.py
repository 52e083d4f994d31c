"""Video of a recorded drive: frames rendered without a window, as a video file, an animated GIF or a series of PNG files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, JounceError
from simulator.base.installation import install_extra
from simulator.base.records import record
from simulator.events.sound_controls import VOLUME
from simulator.run.recording import Recording
from simulator.run.sound_file import faded_out, sound_at
from simulator.sound.controls import PERIOD
from simulator.sound.signals import RATE
from simulator.telemetry.atomic_files import create_folder, write_bytes, write_whole
from simulator.view.make_terrain_data import make_terrain_data

if TYPE_CHECKING:
    from simulator.view.offscreen import Offscreen

CODECS = {".mp4": ("mp4", "libx264", "aac"), ".mkv": ("matroska", "libx264", "aac"), ".webm": ("webm", "libvpx-vp9", "libopus")}
"""Container and codecs of image and sound by the ending of a video file."""
QUALITY = {"libx264": {"crf": "20", "preset": "medium"}, "libvpx-vp9": {"crf": "32", "b": "0", "cpu-used": "4"}}
GIF_COLORS = 128
GIF_RATE = 50.0
"""Maximum number of images per second of an animation: the times of a GIF are multiples of 10 ms, and browsers show both kinds no faster."""
WEBP_QUALITY = 60
"""0 to 100: a clip has a third of the size of the GIF, with all colors."""
ANIMATIONS = (".gif", ".webp")
PNG = "frame_{:05d}.png"
MAX_MISSING = 1e-6
"""s by which the last frame may lie behind the end."""


@dataclass(frozen=True)
class VideoOptions:
    """Options of a video."""

    size: tuple[int, int] = (1280, 720)
    """Width and height [pixels]; a video file needs even numbers."""
    rate: float = 30.0
    """Images per second of the video."""
    camera: str = "chase"
    first: float = 0.0
    """Position of the first image [s]."""
    last: float | None = None
    """Position of the end [s]; None: end of the recording."""
    speed: float = 1.0
    """Seconds of the recording per second of the video."""
    instruments: bool = True
    sound: bool = True
    """Whether a video file has the sound of the drive; animations and PNG files have none."""
    volume: float = VOLUME
    """0 to 1."""
    inside: bool | None = None
    """Whether the sound is that inside the vehicle; None: with the camera of the driver."""


def check_target(target: Path, options: VideoOptions) -> None:
    """Raise JounceError if a video of this name cannot be written: unknown ending, PyAV is missing, odd size."""
    suffix = target.suffix.lower()
    if suffix in ("", *ANIMATIONS):
        if suffix and options.rate > GIF_RATE:
            raise ConfigError("--fps", "", options.rate, f"at most {GIF_RATE:g} images per second in a {suffix[1:]} file")
        return
    if suffix not in CODECS:
        raise ConfigError("--video", "", str(target), f"a name that ends in {', '.join([*CODECS, *ANIMATIONS])}, or a folder for PNG files")
    if any(side % 2 for side in options.size):
        raise ConfigError("--size", "", "x".join(map(str, options.size)), "even numbers of pixels for a video file")
    try:
        import av  # noqa: F401
    except ImportError:
        hint = f"run {install_extra('video')}, or name an animation (clip.webp, clip.gif) or a folder for PNG files"
        raise JounceError(f"PyAV, which writes {suffix} files, is not installed; hint: {hint}") from None


def frame_positions(recording: Recording, options: VideoOptions) -> NDArray[np.float64]:
    """Return the positions of the images [s]. Raises ConfigError: the times are not in the recording."""
    end = recording.duration if options.last is None else min(options.last, recording.duration)
    if not 0.0 <= options.first <= recording.duration:
        raise ConfigError("--from", "", options.first, f"a time from 0 to {recording.duration:.2f} s, the length of the recording")
    if end < options.first:
        raise ConfigError("--to", "", options.last, f"a time after --from, {options.first:g} s")
    count = int((end - options.first + MAX_MISSING) * options.rate / options.speed) + 1
    return np.asarray(options.first + np.arange(count) * (options.speed / options.rate), np.float64)


def write_video(
    recording: Recording,
    target: Path,
    options: VideoOptions,
    progress: Callable[[float, float], None] = lambda done, of: None,
    say: Callable[[str], None] = lambda text: None,
) -> int:
    """Write the video and return the number of images. Two videos of a log by the same renderer have equal images.

    target : file that ends in one of CODECS or ANIMATIONS, or a folder for PNG files
    say : called with one line if the log lacks what the sound needs

    Raises
    ------
    JounceError : see `check_target`;  DeviceError : no EGL;  OutputError : the file cannot be written
    """
    check_target(target, options)
    positions = frame_positions(recording, options)
    sound = sound_of_video(recording, options, len(positions), say) if target.suffix.lower() in CODECS else None
    images = _Images(recording, options)
    try:
        shown = images.draw(positions, progress)
        suffix = target.suffix.lower()
        if suffix == "":
            _write_pngs(target, shown)
        elif suffix in ANIMATIONS:
            write_whole(target, lambda path: _write_animation(path, shown, options, suffix[1:]))
        else:
            write_whole(target, lambda path: _write_file(path, shown, options, sound, *CODECS[suffix]))
    finally:
        images.close()
    return len(positions)


def sound_of_video(
    recording: Recording, options: VideoOptions, images: int, say: Callable[[str], None] = lambda text: None
) -> NDArray[np.float64] | None:
    """Return the sound (n, 2) of a video with this number of images; None without sound. Slow motion does not change the pitch.

    say : called with one line if the log lacks what the sound needs
    """
    if not options.sound:
        return None
    blocks = int(np.ceil(images / options.rate / PERIOD))
    positions = np.asarray(options.first + np.arange(blocks) * (PERIOD * options.speed), np.float64)
    inside = options.camera == "driver" if options.inside is None else options.inside
    try:
        return faded_out(sound_at(recording, positions, options.volume, inside)[: round(images / options.rate * RATE)])
    except ConfigError as error:
        say(f"{error}; the video has no sound")
        return None


class _Images:
    """Renderer of the images of a recording."""

    def __init__(self, recording: Recording, options: VideoOptions) -> None:
        from simulator.view.offscreen import Offscreen

        self._recording = recording
        terrain = make_terrain_data(recording.parts.ground, recording.parts.options.weather)
        self.view: Offscreen = Offscreen(*options.size, terrain, recording.geometry)
        self._objects, self._ruts = recording.objects(), recording.ruts()
        self.view.camera, self.view.scene.instruments = options.camera, options.instruments

    def draw(self, positions: NDArray[np.float64], progress: Callable[[float, float], None]) -> Iterator[NDArray[np.uint8]]:
        """Yield the images (height, width, 3) at positions [s]."""
        recording = self._recording
        state = record(recording.state_table)
        last = 0
        for position in positions:
            row = recording.state(float(position), state)
            if recording.cuts[last + 1 : row + 1].any():
                self.view.scene.cut()
            last = row
            self.view.scene.move_objects(self._objects.take(row))
            self.view.scene.place_vehicles(recording.vehicles(float(position)))
            if self._ruts is not None:
                self.view.scene.show_ruts(self._ruts.take(row))
            yield self.view.render(state, state)
            progress(float(position - positions[0]), float(positions[-1] - positions[0]))

    def close(self) -> None:
        """Release the surface."""
        self.view.close()


def _write_pngs(folder: Path, images: Iterator[NDArray[np.uint8]]) -> None:
    from simulator.view.offscreen import png

    create_folder(folder)
    for number, image in enumerate(images, 1):
        write_bytes(folder / PNG.format(number), png(image))


def _write_animation(path: Path, images: Iterator[NDArray[np.uint8]], options: VideoOptions, kind: str) -> None:
    """Write a GIF or an animated WebP file (`kind`) that repeats forever."""
    from PIL import Image

    pictures = (Image.fromarray(image) for image in images)
    if kind == "gif":
        more: dict[str, Any] = {}
        first, *others = [picture.quantize(GIF_COLORS, method=Image.Quantize.FASTOCTREE) for picture in pictures]
    else:
        more = {"quality": WEBP_QUALITY, "method": 6}
        first, *others = pictures
    first.save(path, format=kind, save_all=True, append_images=others, duration=round(1000.0 / options.rate), loop=0, **more)


def _write_file(
    path: Path,
    images: Iterator[NDArray[np.uint8]],
    options: VideoOptions,
    sound: NDArray[np.float64] | None,
    container: str,
    codec: str,
    sound_codec: str,
) -> None:
    """Write a video file with PyAV; `sound` (n, 2) or None. Raises OSError."""
    from fractions import Fraction

    import av

    rate = Fraction(options.rate).limit_denominator(1001)
    with av.open(str(path), "w", format=container) as out:
        stream: Any = out.add_stream(codec, rate=rate, options=QUALITY[codec])
        stream.width, stream.height = options.size
        stream.pix_fmt = "yuv420p"
        track = None if sound is None else _SoundTrack(out, sound_codec, sound)
        for number, image in enumerate(images, 1):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
            if track is not None:
                track.write_to(number / options.rate)
        out.mux(stream.encode(None))
        if track is not None:
            track.end()


class _SoundTrack:
    """Sound of a video file, written next to its images.

    Parameters
    ----------
    out : container of PyAV
    samples : (n, 2)
    """

    def __init__(self, out: Any, codec: str, samples: NDArray[np.float64]) -> None:
        self._out, self._samples, self._written = out, np.ascontiguousarray(samples.T, np.float32), 0
        self._stream: Any = out.add_stream(codec, rate=RATE)
        self._stream.layout = "stereo"

    def write_to(self, time: float) -> None:
        """Write the samples before a time of the video [s]."""
        from fractions import Fraction

        import av

        first, last = self._written, min(round(time * RATE), self._samples.shape[1])
        if last <= first:
            return
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(self._samples[:, first:last]), format="fltp", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = RATE, first, Fraction(1, RATE)
        self._out.mux(self._stream.encode(frame))
        self._written = last

    def end(self) -> None:
        """Write what the codec still holds."""
        self._out.mux(self._stream.encode(None))
