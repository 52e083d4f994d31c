"""Sound of a run as a WAV file, made from its log. The same log gives the same file."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.base.records import Record
from simulator.builder.session_builder import SessionBuilder
from simulator.builder.vehicle_builder import vehicle_of
from simulator.configuration.configuration import Configuration
from simulator.configuration.session_file import read_session
from simulator.events.event import Event
from simulator.events.sound_controls import SHORT_HORN, VOLUME
from simulator.run.recording import Recording
from simulator.run.run_configuration import check_hashes, read_recorded
from simulator.sound.controls import PERIOD
from simulator.sound.signals import BLOCK, RATE
from simulator.sound.sound_input import CONTACTS, NEEDED, SOUND_INPUT, WHEEL_FIELDS, inputs_of_log, interpolated, resampled
from simulator.sound.surfaces import Surfaces
from simulator.sound.synthesizer import Synthesizer
from simulator.telemetry.atomic_files import write_bytes
from simulator.telemetry.log import Log, read_log
from simulator.telemetry.log_groups import NUMBERS
from simulator.view.camera_names import CAMERA_EVENTS, CAMERAS, following_camera
from vehicles.sound_section import sound_parameters

LISTENERS = ("recorded", "inside", "outside")
MIN_ROWS = 2
END_FADE = 0.02
"""s over which the sound fades at its end: a step to silence would be a click."""


@dataclass(frozen=True)
class SoundFileOptions:
    """Options of a sound file."""

    listener: str = LISTENERS[0]
    """One of LISTENERS; recorded: as the cameras of the drive."""
    volume: float = VOLUME
    """0 to 1."""
    first: float = 0.0
    last: float | None = None
    """Times in the recording at which the file begins and ends [s]; None: the end of the recording."""


def write_sound(
    run: Path, file: Path, options: SoundFileOptions = SoundFileOptions(), say: Callable[[str], None] = lambda text: None
) -> float:
    """Write the sound of a run, a folder or a log; return its duration [s]. `say` prints a line about a log that is cut off.

    Raises
    ------
    ConfigError : there is no log, it has not the needed columns, or the name of the file does not end in .wav
    OutputError : the file cannot be written
    """
    check_wav(file)
    samples = sound_of_run(run, options, say)
    write_bytes(file, wav_of(samples))
    return len(samples) / RATE


def check_wav(file: Path) -> None:
    """Raise ConfigError if the name of a file is not that of a WAV file."""
    if file.suffix.lower() != ".wav":
        raise ConfigError("--wav", "", str(file), "a name that ends in .wav")


def sound_of_run(run: Path, options: SoundFileOptions, say: Callable[[str], None] = lambda text: None) -> NDArray[np.float64]:
    """Return the sound of a run, (n, 2) samples from -1 to 1. Arguments and errors as `write_sound`."""
    info, configuration = read_recorded(run)
    check_hashes(configuration, info.file)
    inputs = resampled(*row_inputs(read_log(info.file), Surfaces(SessionBuilder().ground(configuration)), info.file, say), PERIOD)
    inputs["volume"], inputs["rain"] = options.volume, read_session(configuration).weather.rain
    if options.listener != LISTENERS[0]:
        inputs["inside"] = options.listener == "inside"
    first, last = (None if time is None else round(time / PERIOD) for time in (options.first, options.last))
    if not len(inputs[first:last]):
        end = f"{len(inputs) * PERIOD:.2f} s"
        if options.first >= len(inputs) * PERIOD:
            raise ConfigError("--from", "", options.first, f"a time before {end}, the end of the recording")
        raise ConfigError("--to", "", options.last, f"a time after --from, {options.first:g} s")
    return faded_out(synthesized(vehicle_sound(configuration), inputs[first:last]))


def sound_at(recording: Recording, positions: NDArray[np.float64], volume: float, inside: bool) -> NDArray[np.float64]:
    """Return the sound (n, 2) of a recorded drive at positions [s], one per PERIOD of the sound; pauses are left out. Raises ConfigError."""
    inputs, _ = row_inputs(read_log(recording.file), Surfaces(recording.parts.ground), recording.file)
    inputs["volume"], inputs["rain"] = volume, recording.parts.options.weather.rain
    inputs["inside"], inputs["silent"] = inside, 0
    rows = np.arange(min(len(inputs), len(recording.positions)))
    at = np.interp(positions, recording.positions[: len(rows)], rows)
    states = interpolated(inputs[: len(rows)], at)
    states["silent"] = positions > recording.duration  # the last image of a slow series lasts longer than the recording
    return synthesized(sound_parameters(recording.parts.vehicle), states)


def vehicle_sound(configuration: Configuration) -> Record:
    """Return the record VEHICLE_SOUND of the vehicle of a configuration. Raises ConfigError."""
    return sound_parameters(vehicle_of(configuration, SessionBuilder())[0])


def synthesized(vehicle: Record, inputs: Record) -> NDArray[np.float64]:
    """Return the sound (n, 2) of records SOUND_INPUT, one per PERIOD."""
    synthesizer = Synthesizer(vehicle)
    out = np.empty((len(inputs) * BLOCK, 2))
    for k in range(len(inputs)):
        out[k * BLOCK : (k + 1) * BLOCK] = synthesizer.block(inputs[k : k + 1])
    return out


def faded_out(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a sound (n, 2) that is silent at its last sample."""
    length = min(round(END_FADE * RATE), len(samples))
    out = samples.copy()
    out[len(out) - length :] *= np.linspace(1.0, 0.0, length)[:, None]
    return out


def wav_of(samples: NDArray[np.float64]) -> bytes:
    """Return a WAV file of 16 bit."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.round(samples * 32767.0).astype("<i2").tobytes())
    return out.getvalue()


def row_inputs(log: Log, surfaces: Surfaces, file: object = "log", say: Callable[[str], None] = lambda text: None) -> tuple[Record, float]:
    """Return the records SOUND_INPUT of the rows of a log, also of those in pauses, up to a value that is not finite, and their period [s].

    Raises ConfigError: columns are missing.
    """
    fields: dict[str, list[str]] = {}
    for column in log.columns.values():
        if column.kind.kind in NUMBERS:
            fields.setdefault(column.field, []).append(column.name)
    missing = [name for name in NEEDED if not _is_complete(name, fields)]
    if missing:
        raise ConfigError(file, "columns", NOTHING, f"numbers in the fields {', '.join(missing)}, which the sound needs, see docs/sound.md")
    if log.rows < MIN_ROWS:
        raise ConfigError(file, "rows", log.rows, f"at least {MIN_ROWS} rows with finite values")
    columns: Mapping[str, Any] = {
        name: log[name] if fields[name] == [name] else log.field(name) for name in (*NEEDED, *CONTACTS) if name in fields
    }
    with np.errstate(invalid="ignore", over="ignore"):
        inputs = inputs_of_log(columns, surfaces)
    finite = _finite(columns.values()) & _finite(inputs[name] for name in inputs.dtype.names or ())
    if not finite.all():
        inputs = inputs[: int(np.argmin(finite))]
        say(f"{file}: row {len(inputs)}: a value is not finite; the sound ends there")
    if len(inputs) < MIN_ROWS:
        raise ConfigError(file, "rows", len(inputs), f"at least {MIN_ROWS} rows with finite values")
    steps = np.diff(log["time"])
    period = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else PERIOD
    _put_events(inputs, log.events, log["time"][: len(inputs)], period)
    return inputs, period


def _is_complete(name: str, fields: Mapping[str, list[str]]) -> bool:
    """Return whether a log has a field, with the columns of as many wheels as it has for the first one, and only with numbers."""
    wheels = len(fields.get(WHEEL_FIELDS[0], ()))
    shape: tuple[int, ...] = next((row[1][1:] for row in SOUND_INPUT if row[0] == name), ())  # type: ignore[index]
    parts = 3 if name in ("p_WC", "v_WB_B") else int(np.prod(shape, dtype=int))
    expected = parts * (wheels if name == "p_WC" or name in WHEEL_FIELDS else 1)
    return name in fields and len(fields[name]) == expected


def _finite(columns: Iterable[NDArray[Any]]) -> NDArray[np.bool_]:
    """Return for each row of columns (n, ...) whether all its values are finite."""
    return np.logical_and.reduce([np.isfinite(values).reshape(len(values), -1).all(axis=1) for values in columns])


def _put_events(inputs: Record, events: tuple[Event, ...], times: NDArray[np.float64], period: float) -> None:
    """Write horn and camera of the events into the records of the rows, with their times and their period; times begin again at each reset."""
    camera, resets = CAMERAS[0], 0
    for event in events:
        resets += event.kind == "reset"
        if event.kind != "horn" and event.kind not in CAMERA_EVENTS:
            continue
        row = int(np.searchsorted(inputs["jumps"], resets))
        row += int(np.searchsorted(times[inputs["jumps"] == resets], event.time))
        if event.kind == "horn":
            last = len(inputs) if event.value is not None else row + max(1, round(SHORT_HORN / period))
            inputs["horn"][row:last] = event.value is None or bool(event.value)
        else:
            camera = following_camera(camera, event.kind)
            inputs["inside"][row:] = camera == "driver"
